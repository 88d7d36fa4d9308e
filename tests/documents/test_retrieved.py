"""The shares of judged documents, against the measure judged_10, and the warning where they differ."""

from __future__ import annotations

import gzip
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval import InputWarning, Options, Run, check, compare, evaluate, fit_factors, standardize
from stdeval.documents.judged_topics import judged_topic
from stdeval.documents.retrieved import Retrieved, retrieved_for_topic
from stdeval.gate.conditions import Condition
from stdeval.standardization.doubtful_factors import about_used_references

TOPICS = [str(topic) for topic in range(1, 6)]
QRELS = {topic: {f"{topic}-d{d}": int(d % 2) for d in range(1, 13)} for topic in TOPICS}


def ranking(tag: str, n_judged: int, depth: int = 10) -> Run:
    """A run whose first documents are judged, and all others not."""
    names = [f"d{d}" if d <= n_judged else f"n{d}" for d in range(1, depth + 1)]
    return Run(tag, {t: {f"{t}-{name}": float(99 - i) for i, name in enumerate(names)} for t in TOPICS})


@given(st.lists(st.tuples(st.sampled_from([0.5, 1.0, 2.0, 3.0]), st.booleans()), min_size=1, max_size=30))
def test_the_share_is_that_of_trec_evals_order(documents: list[tuple[float, bool]]):
    scored = {f"d{i}": score for i, (score, _) in enumerate(documents)}
    judgments = {f"d{i}": i % 2 for i, (_, is_judged) in enumerate(documents) if is_judged}
    first = sorted(scored, key=lambda docno: (scored[docno], docno), reverse=True)[:10]
    share = sum(docno in judgments for docno in first) / len(first)
    assert retrieved_for_topic(scored, judged_topic(judgments)).judged == share


@pytest.mark.parametrize("options", [Options(), Options(depth=4), Options(complete=True)], ids=str)
def test_tables_know_what_judged_10_and_num_ret_tell(options: Options):
    runs = [ranking("a", 9), ranking("b", 8, 30), Run("c", {"1": {"1-d1": 1.0, "x": 0.5}})]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # of the topics that c lacks
        table = evaluate(QRELS, runs, ["num_ret", "Judged@10"], options)
    for system, numbers, shares in zip(table.systems, *table.values.transpose(2, 0, 1), strict=True):
        found = numbers > 0
        assert table.retrieved[system][:2] == pytest.approx((numbers[found].mean(), shares[found].mean()))


TOLD = (
    "of the first 10 documents, 50.0% of 'a' are judged, and 70.0% of 'b': unjudged documents count as not "
    "relevant, so the first may be better than its scores"
)


def test_shares_that_differ_are_told_wherever_runs_are_compared():
    table = evaluate(QRELS, [ranking("a", 5), ranking("b", 7)], ["P_5"])
    one, other = (table.select(systems=[system]) for system in "ab")
    for doubtful in (
        lambda: compare(table),
        lambda: standardize(table),
        lambda: check(table, Condition("max-drop", "P_5", 0.1), "b"),
        lambda: check(one, Condition("max-drop", "P_5", 0.1), other),
    ):
        with pytest.warns(InputWarning) as told:
            doubtful()
        assert TOLD in [str(each.message) for each in told]


@pytest.mark.parametrize("command", ["compare", "topics", "meta reliability", "standardize", "eval --best 2"])
def test_real_runs_with_the_judgments_of_another_round_are_told(run, shared, command: str):
    """Documents judged in round 4 are not judged again, so its runs have few documents judged in round 5."""
    qrels = shared / "trec-covid-r5" / "qrels.txt"
    paths = sorted((shared / "trec-covid-r4" / "runs").glob("*.gz"))[:3]
    told = run(*command.split(), "-m", "P_10", qrels, *paths).stderr
    assert "of the first 10 documents" in told
    assert "unjudged documents count as not relevant" in told


@pytest.fixture
def files(write) -> list[Path]:
    judgments = [f"{topic} 0 {docno} {grade}" for topic in TOPICS for docno, grade in QRELS[topic].items()]
    runs = {
        each.tag: [
            f"{topic} Q0 {docno} 1 {score} {each.tag}"
            for topic in TOPICS
            for docno, score in each.documents[topic].items()
        ]
        for each in (ranking("a", 5), ranking("b", 7))
    }
    return [write("qrels", judgments), *(write(tag, lines) for tag, lines in runs.items())]


@pytest.mark.parametrize(
    "command", ["compare -m P_5", "check --max-drop P_5=.4 --baseline b", "plot compare -m P_5"]
)
def test_commands_tell(run, files, tmp_path: Path, command: str):
    if command.startswith("plot"):
        pytest.importorskip("matplotlib")
        command += f" -o {tmp_path / 'p.svg'}"
    assert f"stdeval: warning: {TOLD}\n" in run(*command.split(), *files).stderr
    assert "are judged" not in run(*command.split(), "-J", *files).stderr


def test_stored_scores_tell_if_judged_10_is_among_them(run, files, tmp_path: Path):
    scores = tmp_path / "scores.csv"
    for measures, is_told in ((["-m", "P_5"], False), (["-m", "P_5", "-m", "judged_10"], True)):
        run("eval", "-q", "-n", "-f", "csv", "--signature", *measures, "-o", scores, *files)
        assert (TOLD in run("compare", "-m", "P_5", "--scores", scores).stderr) == is_told


@pytest.mark.parametrize(
    ("name", "prefix", "told"),
    [("bm25-lucene-k1.2-b75", "cran-", True), ("bm25-lucene-k1.2-b75", "", False), ("bm25-short-query", "", False)],
)
def test_a_good_run_has_judged_documents_for_most_topics(
    run, shared: Path, tmp_path: Path, name: str, prefix: str, told: bool
):
    """Docnos with a prefix on each fifth topic of Cranfield, most of whose few judged documents are relevant."""
    text = gzip.decompress((shared / f"cranfield/runs/{name}.run.gz").read_bytes()).decode()
    words = [line.split() for line in text.splitlines()]
    lines = [(t, q, f"{'' if int(t) % 5 else prefix}{docno}", *rest) for t, q, docno, *rest in words]
    path = tmp_path / "a.run"
    path.write_text("".join(" ".join(line) + "\n" for line in lines))
    done = run("eval", "-m", "map", shared / "cranfield/qrels.txt", path)
    message = f"'{name}' has no judged document for 50 of 225 topics; are the topics and docnos those of the qrels?"
    assert (message in done.stderr) == told


@pytest.mark.parametrize(("judged", "is_told"), [(0.5, True), (0.8, False)])
def test_unjudged_documents_are_told_where_those_of_the_references_are_unknown(judged: float, is_told: bool):
    """As of a new run standardized by systems whose documents are all judged."""
    references = evaluate(QRELS, [ranking("a", 5), ranking("b", 7)], ["P_5"])
    retrieved = {"new": Retrieved(100, judged, of_pool=True)}
    table = replace(references.select(systems=["a"]), systems=("new",), retrieved=retrieved)
    references = replace(references, retrieved={})
    told = (
        "50.0% of the first 10 documents of 'new' are judged: if more are of the references, its scores are too "
        "low (factors of judged_10 would tell)"
    )
    assert list(about_used_references(table, fit_factors(references), judged_only=False)) == [told] * is_told
    table, references = (replace(each, measures=("bpref",)) for each in (table, references))
    left_out = "it may only seem good by bpref (factors of judged_10 would tell)"
    found = list(about_used_references(table, fit_factors(references), judged_only=False))
    assert [message.partition("are of the references, ")[2] for message in found] == [left_out] * is_told
