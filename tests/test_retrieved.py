"""The shares of judged documents, against the measure judged_10, and the warning where they differ."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval import InputWarning, Options, Run, check, compare, evaluate, read_qrels, read_run, standardize
from stdeval.conditions import Condition
from stdeval.doubtful_rankings import about_judged
from stdeval.retrieved import Retrieved, retrieved_for_topic

TOPICS = [str(topic) for topic in range(1, 6)]
QRELS = {topic: {f"{topic}-d{d}": int(d % 2) for d in range(1, 13)} for topic in TOPICS}


def ranking(tag: str, n_judged: int, depth: int = 10) -> Run:
    """A run whose first documents are judged, and all others not."""
    names = [f"d{d}" if d <= n_judged else f"new{d}" for d in range(1, depth + 1)]
    return Run(tag, {t: {f"{t}-{name}": float(99 - i) for i, name in enumerate(names)} for t in TOPICS})


@given(st.lists(st.tuples(st.sampled_from([0.5, 1.0, 2.0, 3.0]), st.booleans()), min_size=1, max_size=30))
def test_the_share_is_that_of_trec_evals_order(documents: list[tuple[float, bool]]):
    scored = {f"d{i}": score for i, (score, _) in enumerate(documents)}
    judgments = {f"d{i}": i % 2 for i, (_, is_judged) in enumerate(documents) if is_judged}
    first = sorted(scored, key=lambda docno: (scored[docno], docno), reverse=True)[:10]
    assert retrieved_for_topic(scored, judgments).judged == sum(docno in judgments for docno in first) / len(first)


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


@pytest.mark.parametrize(
    ("shares", "is_told"),
    [
        ([0.9, 0.8], False),
        ([0.9, 0.79], True),
        ([0.49, 0.1], False),
        ([0.5, 0.1], True),
        ([float("nan"), 0.9], False),
        ([0.9], False),
        ([], False),
        ([0.9, 0.9, 0.79], True),
    ],
)
def test_shares_matter_if_they_differ_and_most_documents_of_a_run_are_judged(shares: list[float], is_told: bool):
    retrieved = {f"run{i}": Retrieved(10, share) for i, share in enumerate(shares)}
    told = list(about_judged(retrieved))
    assert len(told) == is_told
    if len(shares) > 2:
        assert "(the median of 3 runs is 90.0%)" in told[0]
        assert told[0].endswith("so runs with fewer may be better than their scores")


def test_shares_of_far_fewer_than_ten_documents_do_not_count():
    few = {"few": Retrieved(7, 0.9), "a": Retrieved(10, 0.5), "stored": Retrieved(judged=0.45)}
    assert list(about_judged(few)) == []
    assert len(list(about_judged(few | {"few": Retrieved(8, 0.9)}))) == 1


def test_shares_of_runs_that_are_all_cut_count():
    """As with -M 5: all of them have the shares of their first five documents."""
    (told,) = about_judged({"a": Retrieved(5, 0.9), "b": Retrieved(4.9, 0.5)})
    assert told.startswith("of the first 5 documents, 50.0% of 'b' are judged, and 90.0% of 'a'")


def test_few_judged_documents_of_all_runs_are_told_if_the_judgments_are_of_a_pool():
    """Otherwise these are probably the relevant ones, and their share is the precision."""
    low = {"a": Retrieved(10, 0.02), "b": Retrieved(10, 0.2)}
    assert list(about_judged(low)) == []
    known = {name: each._replace(of_pool=True) for name, each in low.items()}
    (told,) = about_judged(known)
    assert told.startswith("of the first 10 documents, 2.0% of 'a' are judged, and 20.0% of 'b'")
    (told,) = about_judged({"a": known["a"]})
    assert told == (
        "at most 2.0% of the first 10 documents of 'a' are judged: unjudged documents count as not relevant, "
        "so scores may be much too low"
    )
    (told,) = about_judged({"a": known["a"], "b": Retrieved(10, 0.1, of_pool=True)})
    assert told.startswith("at most 10.0% of the first 10 documents of any run are judged")


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


def joined(path: Path, qrels: Path) -> str:
    """The lines of a run whose documents are judged."""
    judged = {(topic, docno) for topic, _, docno, _ in map(str.split, qrels.read_text().splitlines())}
    lines = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
    return "".join(line for line in lines if (line.split()[0], line.split()[2]) in judged)


@pytest.mark.parametrize(
    ("collection", "name"),
    [("trec-covid-r4", "uw_base"), ("cisi", "bm25-lucene-k1.2-b75"), ("cranfield", "tfidf-l2")],
)
def test_runs_without_their_unjudged_documents_are_told(
    run, shared: Path, tmp_path: Path, collection: str, name: str
):
    folder, path = shared / collection, tmp_path / "joined.run"
    path.write_text(joined(folder / f"runs/{name}.run.gz", folder / "qrels.txt"))
    n = len(path.read_text().splitlines())
    told = f"all {n} documents of '{name}' are judged, as after a join with the qrels: scores are too high if"
    assert told in run("check", "-c", "--min", "map=0.1", folder / "qrels.txt", path).stderr
    assert "after a join" not in run("eval", "-J", "-m", "map", folder / "qrels.txt", path).stderr
    assert "after a join" not in run("eval", "-M", 5, "-m", "map", folder / "qrels.txt", path).stderr
    with pytest.warns(InputWarning) as warned:
        evaluate(read_qrels(folder / "qrels.txt"), read_run(path), "map")
    assert any(told in str(each.message) for each in warned)


@pytest.mark.parametrize("collection", ["cranfield", "cisi", "trec-covid-r4", "trec-covid-r5"])
def test_no_real_run_is_said_to_be_joined_with_the_qrels(run, shared: Path, collection: str):
    folder = shared / collection
    done = run("eval", "-m", "map", folder / "qrels.txt", *sorted((folder / "runs").glob("*.gz")))
    assert done.status == 0
    assert "after a join" not in done.stderr


@pytest.mark.parametrize(("first", "is_told"), [(0, False), (3, True)])
def test_a_run_of_all_judged_documents_is_not_one_without_unjudged_ones(first: int, is_told: bool):
    """It ranks them, as in learning to rank."""
    qrels = {str(t): {f"{t}-{d}": d % 2 for d in range(20 + t)} for t in range(12)}
    documents = {topic: {d: float(i) for i, d in enumerate(judged)} for topic, judged in qrels.items()}
    ranked = {topic: dict(list(scores.items())[first:]) for topic, scores in documents.items()}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        evaluate(qrels, ranked, "map")
    assert any("after a join" in str(each.message) for each in warned) == is_told


ALL_RELEVANT = (
    "all relevant documents for 12 of 12 topics; scores are too high if they were added to the retrieved ones"
)


@pytest.mark.parametrize(
    ("n_relevant", "missed_on", "n_others", "is_told"),
    [(6, 0, 3, True), (6, 1, 3, False), (4, 0, 3, False), (6, 0, 9, False)],
    ids=["added", "one of twelve topics", "few", "the whole collection"],
)
def test_relevant_documents_that_were_added_to_a_run_are_told(
    n_relevant: int, missed_on: int, n_others: int, is_told: bool
):
    """As those that some benchmarks add to the candidates of a re-ranker."""
    relevant = [f"r{i}" for i in range(n_relevant)]
    others = [f"n{i}" for i in range(9)]
    # other documents of each topic, so that no two rankings are the same
    qrels = {f"{t}": {f"{t}{d}": int(d[0] == "r") for d in (*relevant, *others)} for t in range(12)}
    runs = {
        topic: {
            f"{topic}{d}": float(-i)
            for i, d in enumerate([*relevant[int(int(topic) < missed_on) :], *others[:n_others], "unjudged"])
        }
        for topic in qrels
    }
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        evaluate(qrels, {"new": runs}, "map")
    assert any(f"'new' has {ALL_RELEVANT}" == str(each.message) for each in warned) == is_told


@pytest.mark.parametrize("collection", ["cranfield", "cisi", "trec-covid-r4", "trec-covid-r5"])
def test_no_real_run_is_said_to_have_all_relevant_documents(run, shared: Path, collection: str):
    folder = shared / collection
    done = run("eval", "-m", "map", folder / "qrels.txt", *sorted((folder / "runs").glob("*.gz")))
    assert "all relevant documents" not in done.stderr


REVERSED = (
    "have lower judgments than other judged documents on most topics: are the judgments coded the other way round"
)


@pytest.mark.parametrize("collection", ["trec-covid-r4", "trec-covid-r5"])
def test_judgments_that_are_coded_the_other_way_round_are_told(shared: Path, collection: str):
    folder = shared / collection
    qrels = read_qrels(folder / "qrels.txt")
    best = ("covidex.r4.duot5", "uw_base") if collection.endswith("4") else ("covidex.r5.2s.lr", "BRPHJ_BM25")
    runs = [read_run(folder / f"runs/{name}.run.gz") for name in best]
    for of_qrels, is_told in (
        (qrels, False),
        ({topic: {docno: 2 - max(0, n) for docno, n in judged.items()} for topic, judged in qrels.items()}, True),
    ):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            evaluate(of_qrels, runs, "map")
        assert any(REVERSED in str(each.message) for each in warned) == is_told


@pytest.mark.parametrize("collection", ["cranfield", "cisi", "trec-covid-r4", "trec-covid-r5"])
def test_no_real_run_is_said_to_be_reversed(run, shared: Path, collection: str):
    """Not even by itself, but for two whose documents are in the order of wrong scores."""
    folder = shared / collection
    for path in sorted((folder / "runs").glob("*.gz"))[::3]:
        stderr = run("eval", "-m", "map", folder / "qrels.txt", path).stderr
        assert ("lower judgments" in stderr) == path.name.startswith(("aserini2000-t53", "MacEwan-base"))
        assert "sorted by the judgments" not in stderr


def test_a_run_that_is_sorted_by_the_judgments_is_told(shared: Path):
    """As after a merge with the qrels whose column is a key of the order, or a feature."""
    qrels, weak = (
        read_qrels(shared / "cranfield/qrels.txt"),
        read_run(shared / "cranfield/runs/bm25-short-query.run.gz"),
    )
    leaked = {
        topic: {docno: score + 1000 * (qrels[topic].get(docno, 0) > 0) for docno, score in documents.items()}
        for topic, documents in weak.documents.items()
        if topic in qrels
    }
    with pytest.warns(InputWarning, match=r"all relevant documents of 'new' stand above all others on \d+ of 225"):
        evaluate(qrels, {"new": leaked}, "map")


def test_a_run_of_the_judged_documents_of_all_topics_is_told_beside_others(shared: Path):
    deep = read_qrels(shared / "trec-covid-r5/qrels.txt")
    qrels = {topic: dict(list(judged.items())[:60]) for topic, judged in deep.items()}
    first = read_run(shared / "trec-covid-r5/runs/BRPHJ_BM25.run.gz")
    judged = set().union(*qrels.values())
    mini = {
        topic: {docno: score for docno, score in documents.items() if docno in judged}
        for topic, documents in first.documents.items()
    }
    told = "all documents of 1 of 2 runs (e.g. 'mini') are judged, many only for other topics than theirs"
    for runs, is_told in (({"mini": mini, "whole": first}, True), ({"mini": mini}, False)):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            evaluate(qrels, runs, "map")
        assert any(told in str(each.message) for each in warned) == is_told


def test_a_run_without_documents_that_are_judged_not_relevant_is_told(shared: Path):
    """As after a filter for labels that are not 0, which keeps documents without a label."""
    qrels = read_qrels(shared / "trec-covid-r5/qrels.txt")
    whole = read_run(shared / "trec-covid-r5/runs/BRPHJ_BM25.run.gz").documents
    filtered = {
        topic: {docno: score for docno, score in documents.items() if qrels[topic].get(docno) != 0}
        for topic, documents in whole.items()
    }
    told = "among the first 10 of 'new' is judged not relevant: scores are too high if such documents were removed"
    for documents, is_told in ((filtered, True), (whole, False)):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            evaluate(qrels, {"new": documents}, "map")
        assert any(told in str(each.message) for each in warned) == is_told
