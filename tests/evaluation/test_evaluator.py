"""Raw scores of runs in memory: compared with plain loops, and refused input."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stdeval import Options, Run, evaluate
from stdeval.errors import InputError
from stdeval.evaluation import Evaluator
from stdeval.measures.names import families, resolve

FAMILIES = [*families().values()]

pytestmark = pytest.mark.oracle

DOCNOS = "abcdefgh"
# Made-up judgments often say nothing, and options often change nothing.
MAY_SAY_NOTHING = pytest.mark.filterwarnings("ignore::stdeval.InputWarning")

qrels_of_topics = st.dictionaries(
    st.sampled_from(["1", "10", "x"]),
    st.dictionaries(st.sampled_from(DOCNOS), st.integers(-2, 3), min_size=1),
    min_size=1,
)
# With ties, and scores that are equal only as 32-bit floats.
run_scores = st.sampled_from([0.0, 1.0, 1.0 + 1e-9, 2.0, -1.0, 1e39, 2e39])
documents = st.dictionaries(st.sampled_from(DOCNOS), run_scores, min_size=1)
option_sets = st.builds(
    Options,
    level=st.integers(1, 3),
    depth=st.one_of(st.none(), st.integers(1, 6)),
    judged_only=st.booleans(),
    complete=st.booleans(),
    binary=st.just(False),
    precision=st.sampled_from(["single", "double"]),
)


def ranking(docs: dict[str, float], judged: dict[str, int], options: Options) -> list[int | None]:
    """Judgments by rank, None for unjudged, by trec_eval's rules."""
    compared = np.float32 if options.precision == "single" else float
    with np.errstate(over="ignore"):
        order = sorted(sorted(docs, reverse=True), key=lambda docno: -compared(docs[docno]))
    kept = order[: options.depth]
    if options.judged_only:
        kept = [docno for docno in kept if judged.get(docno, -1) >= 0]
    return [judged.get(docno) for docno in kept]


def plain_scores(ranked: list[int | None], judged: dict[str, int], level: int) -> dict[str, float]:
    relevant = [rel is not None and rel >= level for rel in ranked]
    n_relevant = sum(rel >= level for rel in judged.values())
    ranks = [rank for rank, hit in enumerate(relevant, 1) if hit]
    precisions = [sum(relevant[:rank]) / rank for rank in ranks]
    gains = [max(rel or 0, 0) for rel in ranked]
    ideal = sorted((max(rel, 0) for rel in judged.values()), reverse=True)

    def dcg(values: list[int]) -> float:
        return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(values, 1))

    return {
        "num_ret": len(ranked),
        "num_rel": n_relevant,
        "map": math.fsum(precisions) / n_relevant if n_relevant else 0,
        "recip_rank": 1 / ranks[0] if ranks else 0,
        "P_3": sum(relevant[:3]) / 3,
        "recall_5": sum(relevant[:5]) / n_relevant if n_relevant else 0,
        "Rprec": sum(relevant[:n_relevant]) / n_relevant if n_relevant else 0,
        "success_1": float(any(relevant[:1])),
        "ndcg": dcg(gains) / dcg(ideal) if any(ideal) else 0,
        "ndcg_cut_3": dcg(gains[:3]) / dcg(ideal[:3]) if any(ideal) else 0,
    }


@MAY_SAY_NOTHING
@given(qrels_of_topics, st.data(), option_sets)
def test_scores_are_those_of_plain_loops(qrels, data: st.DataObject, options: Options):
    topics = data.draw(st.lists(st.sampled_from(sorted(qrels)), min_size=1, unique=True))
    run = Run("t", {topic: data.draw(documents) for topic in topics})
    table = evaluate(qrels, [run], list(plain_scores([], {}, 1)), options)
    assert table.topics == tuple(sorted(qrels if options.complete else topics))
    for place, topic in enumerate(table.topics):
        ranked = ranking(run.documents.get(topic, {}), qrels[topic], options)
        expected = plain_scores(ranked, qrels[topic], options.level)
        assert {name: table.measure(name)[0, place] for name in expected} == pytest.approx(expected, abs=1e-9)


def test_numbers_may_be_those_of_numpy_and_docnos_in_any_script():
    run = Run("t", {"1": {"文": np.float32(1), "é": np.int64(2)}})  # type: ignore[dict-item]
    assert evaluate({"1": {"文": np.int64(1)}}, [run], ["map"]).values.item() == 0.5  # type: ignore[dict-item]


QRELS = {"1": {"a": 1}}


@pytest.mark.parametrize(
    ("qrels", "runs", "words"),
    [
        (QRELS, [{"1": {}}], "t: the run is empty"),
        ({"1": {}}, [{"1": {"a": 1.0}}], "qrels: no judgments"),
        (QRELS, [{"1": {"a": math.nan}}], "the score of 'a' is nan, expected a finite number"),
        (QRELS, [{"1": {"a": -math.inf}}], "the score of 'a' is -inf"),
        (QRELS, [{"1": {"a\0": 1.0}}], "a docno that is not text"),
        (QRELS, [{"1": {"a\udcff": 1.0}}], "a docno that is not text"),
        ({"1": {"a\udcff": 1}}, [{"1": {"a": 1.0}}], "qrels: topic '1' has a docno that is not text"),
        ({}, [{"1": {"a": 1.0}}], "qrels: no judgments"),
        (QRELS, [{"2": {"a": 1.0}}], "no topic in common with the qrels: the run has '2', the qrels '1'"),
        (QRELS, [{"1": {"a": 1.0}}] * 2, "system 't' appears twice"),
    ],
)
def test_refused(qrels, runs, words: str):
    with pytest.raises(InputError) as raised:
        evaluate(qrels, [Run("t", docs) for docs in runs], ["map"])
    assert words in str(raised.value)


def scores_of(
    qrels, docs: dict[str, float], measure: str, options: Options | None = None, beside: str = "num_ret"
) -> list[list[float]]:
    """Scores of each topic by a measure with its default parameters, computed beside another measure."""
    table = evaluate(qrels, [Run("r", dict.fromkeys(qrels, docs))], [measure, beside], options)
    wanted = {each.name for each in resolve([measure])}
    return table.values[0][:, [name in wanted for name in table.measures]].tolist()


PER_TOPIC = [family for family in FAMILIES if family.kind in ("score", "count")]
MEASURES_OF_TREC_EVAL = [*(each.name for each in PER_TOPIC if not each.needs_vector), "ndcg_0=1,1=3"]


@MAY_SAY_NOTHING
@given(qrels_of_topics, documents, st.sampled_from(MEASURES_OF_TREC_EVAL), option_sets, st.booleans())
@settings(max_examples=500)
def test_dropping_judgments_changes_no_score(qrels, docs, measure: str, options: Options, binary: bool):
    """Beside bpref, which needs them, pytrec_eval also gets the judgments of documents that are not relevant."""
    options = options._replace(binary=binary)
    beside = "num_nonrel_judged_ret" if measure == "bpref" else "bpref"
    assert scores_of(qrels, docs, measure, options) == scores_of(qrels, docs, measure, options, beside)


@MAY_SAY_NOTHING
@pytest.mark.parametrize("measure", [each.name for each in PER_TOPIC if each.needs_nonrelevant])
def test_measures_declared_to_need_nonrelevant_documents_do(measure: str):
    judged = {"a": 0, "b": 1, "c": 0, "e": 1}
    docs = {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}
    assert scores_of({"1": judged}, docs, measure) != scores_of({"1": {"b": 1, "e": 1}}, docs, measure)


def test_a_level_above_all_judgments_of_a_topic_crashes_nothing():
    """pytrec_eval reads beyond its memory there, so the scores are computed in a process of its own."""
    code = (
        "import stdeval, warnings\n"
        "warnings.simplefilter('ignore', stdeval.InputWarning)\n"
        "run = stdeval.Run('t', {'1': {'a': 1.0, 'b': 2.0}, '2': {'a': 1.0}})\n"
        "qrels = {'1': {'a': 1, 'b': 0}, '2': {'a': 1_000_000}}\n"
        "names = ['map', 'bpref', 'num_rel', 'Bpref(rel=999999999)']\n"
        "for level in (2, 10**6, 2**31 - 1):\n"
        "    print(stdeval.evaluate(qrels, [run], names, stdeval.Options(level=level)).values.tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    nothing, all_found = [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]
    expected = [[[nothing, all_found]]] * 2 + [[[nothing, nothing]]]
    assert done.stdout.splitlines() == list(map(str, expected))


@pytest.mark.parametrize("measure", ["ndcg", "ndcg.1=2", "ndcg_rel", "Rndcg", "G"])
def test_judgments_that_trec_eval_would_never_end_on_are_refused(measure: str):
    """It compares each level with all others: 10^12 steps for one topic. At 1000 levels they are a million."""
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 1_000_000}}
    run = {topic: {"a": 1.0, "b": 2.0} for topic in qrels}
    with pytest.raises(InputError, match="topic '2', docno 'b': judgment 1000000, expected at most 100000 for "):
        evaluate(qrels, run, measure)
    qrels["2"]["b"] = 1000
    assert evaluate(qrels, run, measure).values.size == 2


def test_other_measures_and_binary_gains_take_any_judgment():
    qrels = {"1": {"a": 1, "b": 1_000_000}}
    run = {"1": {"a": 1.0, "b": 2.0}}
    assert evaluate(qrels, run, ["map", "ndcg_cut_10", "P_5"]).values.size == 3
    assert evaluate(qrels, run, "ndcg", Options(binary=True)).values.item() == 1


def test_experimental_measures_are_what_their_definitions_say():
    """Of a run c, b, a, d the second document has gain 1 and the third gain 2; nDCG at 2 is not Rndcg."""
    qrels, run = {"1": {"a": 2, "b": 1, "c": 0, "d": 0}}, {"1": {"c": 4.0, "b": 3.0, "a": 2.0, "d": 1.0}}
    gains, ideal = np.array([0, 1, 2, 0]), np.array([2, 1, 0, 0])
    discounts = np.log2(np.arange(2, 6))
    ndcg = np.cumsum(gains / discounts) / np.cumsum(ideal / discounts)
    expected = {
        # the ideal gain falls after ranks 1 and 2, and the run ends at rank 4
        "Rndcg": ndcg[[0, 1, 3]].mean(),
        # one document that is not relevant stands before both
        "binG": 1 / np.log2(3),
        # the ideal gain counts at least 1 for each rank, as a cost
        "G": (1 / np.log2(2 + 3 - 1) + 2 / np.log2(2 + 4 - 3)) / 3,
        "ndcg_cut_2": ndcg[1],
        "ndcg_rel": ndcg[[1, 2]].mean(),
    }
    table = evaluate(qrels, run, list(expected))
    assert dict(zip(table.measures, table.values[0, 0], strict=True)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "judged"), [(Options(), 3 / 11), (Options(depth=6), 1 / 7), (Options(judged_only=True), None)]
)
def test_judged_documents_among_the_first_ten_are_counted(options: Options, judged: float | None):
    """Of equal scores the last docno comes first, and a negative judgment means that a document is not judged."""
    qrels = {"1": {f"d{i:02}": 1 - i % 2 * 2 for i in range(6)} | {"d06": 0}, "2": {"a": 1}}
    documents = {"1": {f"d{i:02}": 1.0 for i in range(12)}, "2": {"b": 1.0}, "3": {"a": 1.0}}
    scores = Evaluator(qrels, resolve(["map"]), options, counts_judged=True).score_run(Run("t", documents))
    assert scores.judged == judged
    assert Evaluator(qrels, resolve(["map"]), options).score_run(Run("t", documents)).judged is None


def test_an_unknown_precision_is_refused():
    with pytest.raises(InputError, match="precision 'half', expected single or double"):
        evaluate(QRELS, [{"1": {"a": 1.0}}], "map", Options(precision="half"))  # type: ignore[arg-type]
