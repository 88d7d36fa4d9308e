"""Judgments, runs and measures as other libraries hold them, and the sentences for what they cannot be."""

from __future__ import annotations

import pytest

import stdeval
from stdeval import InputError, InputWarning, Options, Run, evaluate, read_qrels, read_run
from tests.conftest import SAMPLE

pytestmark = pytest.mark.oracle

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
DICT = {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 0.5}}
EXPECTED = [0.5, 1.0]


@pytest.fixture
def pd():
    return pytest.importorskip("pandas", reason="pandas is not installed")


class IrMeasure:
    """A measure as ir_measures has it: an object with a NAME, whose text is its name with its parameters."""

    NAME = "nDCG"

    def __str__(self) -> str:
        return "nDCG@10"


def test_one_run_several_and_named_ones():
    run = Run("bm25", DICT)
    assert evaluate(QRELS, DICT, "AP").values.ravel().tolist() == EXPECTED
    assert evaluate(QRELS, DICT).systems == ("run",)
    assert evaluate(QRELS, run, "map").systems == ("bm25",)
    assert evaluate(QRELS, [run, DICT], "map").systems == ("bm25", "run2")
    assert evaluate(QRELS, {"x": DICT, "y": run}, "map").systems == ("x", "y")
    assert evaluate(QRELS, iter([run]), "map").systems == ("bm25",)


def test_measures_by_name_and_of_ir_measures():
    assert evaluate(QRELS, DICT, "P_5").measures == ("P_5",)
    assert evaluate(QRELS, DICT, IrMeasure()).measures == ("ndcg_cut_10",)
    assert evaluate(QRELS, DICT, [IrMeasure(), "RR"]).measures == ("recip_rank", "ndcg_cut_10")


def test_default_measures_are_those_of_the_command(run):
    paths = SAMPLE / "qrels.gz", SAMPLE / "new-a.run.gz"
    table = evaluate(read_qrels(paths[0]), read_run(paths[1]))
    printed = run("eval", "-q", "-f", "csv", *paths).rows
    printed = [row for row in printed if row["topic"] in table.topics]
    assert len(printed) == len(table.topics)
    assert set(table.measures) == {name for name in printed[0] if name not in ("run", "topic") and printed[0][name]}
    for row, scores in zip(printed, table.values[0].tolist(), strict=True):
        assert [float(row[name]) for name in table.measures] == scores


@pytest.mark.parametrize("as_number", [str, int])
@pytest.mark.parametrize("names", [("qid", "docno", "label"), ("query_id", "doc_id", "relevance")])
def test_data_frames(pd, names: tuple[str, str, str], as_number: type):
    topic, docno, judgment = names
    qrels = [{topic: as_number(t), docno: d, judgment: x} for t, docs in QRELS.items() for d, x in docs.items()]
    run = [{topic: as_number(t), docno: d, "score": x} for t, docs in DICT.items() for d, x in docs.items()]
    frames = pd.DataFrame(qrels), pd.DataFrame(run)
    assert evaluate(*frames, "AP").values.ravel().tolist() == EXPECTED
    assert evaluate(frames[0], {"x": frames[1]}, "AP").systems == ("x",)
    # a column with a missing value makes pandas hold whole numbers as floats
    assert evaluate(frames[0].astype({judgment: float}), frames[1], "AP").values.ravel().tolist() == EXPECTED


@pytest.mark.parametrize(
    ("names", "merged"),
    [
        (("query_id", "doc_id", "relevance"), "label"),
        (("qid", "docno", "label"), "relevance"),
        (("query", "docid", "rel"), "label"),
        (("q_id", "doc_id", "score"), "label"),
        (("query-id", "corpus-id", "score"), "label"),
    ],
)
def test_judgments_are_those_of_the_library_whatever_was_merged_into_its_data_frame(
    pd, names: tuple[str, str, str], merged: str
):
    rows = [(topic, docno, judgment) for topic, judged in QRELS.items() for docno, judgment in judged.items()]
    assert evaluate(pd.DataFrame(rows, columns=names).assign(**{merged: 0}), DICT, "AP").values.any()


def test_a_data_frame_of_scores_comes_alone_and_may_have_signatures(pd):
    frame = pd.DataFrame([{"topic": "1", "map": 0.25, "judgments": "x", "options": "y", "signature": "z"}])
    assert stdeval.read_scores(frame).values.tolist() == [[[0.25]]]
    for sources, measure in (((frame, frame), None), ((frame,), "map")):
        with pytest.raises(InputError, match="a data frame and other arguments, expected one data frame"):
            stdeval.read_scores(*sources, measure=measure)


def test_data_frames_of_trectools(pd):
    """They have the columns query and docid, which mean something else in data frames of PyTerrier."""
    qrels = pd.DataFrame([("1", 0, "a", 1), ("1", 0, "b", 0)], columns=["query", "q0", "docid", "rel"])
    columns = ["query", "q0", "docid", "rank", "score", "system"]
    run = pd.DataFrame([("1", "Q0", "b", 1, 2.0, "t"), ("1", "Q0", "a", 2, 1.0, "t")], columns=columns)
    assert evaluate(qrels, run, "AP").values.item() == 0.5
    terrier = run.rename(columns={"query": "qid", "docid": "docno"}).assign(query="two words", docid=[7, 8])
    assert evaluate(qrels, terrier, "AP").values.item() == 0.5


@pytest.mark.parametrize(("first", "as_number"), [(0, int), (1, int), (1, float)])
def test_scores_that_rise_with_the_ranks_of_a_data_frame_are_a_warning(pd, first: int, as_number: type):
    """PyTerrier counts from 0, and pandas holds whole numbers as floats beside missing ones."""
    rows = [(topic, f"{topic}-d{n}", as_number(first + n), n + 0.5) for topic in "12" for n in range(20)]
    qrels = {"1": {"1-d0": 1}, "2": {"2-d1": 1}}
    frame = pd.DataFrame(rows, columns=["qid", "docno", "rank", "score"])
    with pytest.warns(InputWarning, match="'cosine' has scores that rise") as warned:
        scores = evaluate(qrels, {"cosine": frame}, "AP")
    assert len(warned) == 1
    assert evaluate(qrels, frame.assign(score=-frame["score"]), "AP").values.ravel().tolist() == [1.0, 0.5]
    for unranked in (frame.assign(rank=pd.NA), frame.assign(rank="x"), frame.drop(columns="rank")):
        assert evaluate(qrels, {"cosine": unranked}, "AP").values.tolist() == scores.values.tolist()


@pytest.mark.parametrize("column", ["name", "run", "system", "tag", "runid"])
def test_a_data_frame_of_several_runs_is_refused_and_its_groups_are_taken(pd, column: str):
    rows = [("1", "a", 1.0), ("1", "b", 2.0), ("2", "c", 0.5)]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    both = pd.concat([frame.assign(**{column: name}) for name in ("bm25", "tuned")])
    for given, where in ((both, "run"), ([both], "run1"), ({"x": both}, "x")):
        with pytest.raises(InputError, match=rf"^{where}: .* 2 names in the column '{column}'"):
            evaluate(QRELS, given, "AP")
    assert evaluate(QRELS, dict(list(both.groupby(column))), "AP").systems == ("bm25", "tuned")


def test_topics_without_documents_are_warned_of_once_for_all_runs():
    part = {"1": DICT["1"]}
    with pytest.warns(stdeval.InputWarning, match=r"^'run' .* 1 of 2 judged topics.*complete=True") as told:
        evaluate(QRELS, part, "AP")
    assert (len(told), told[0].filename) == (1, __file__)
    with pytest.warns(stdeval.InputWarning, match=r"^1 of 2 runs .*'y', 1 of 2") as told:
        evaluate(QRELS, {"x": DICT, "y": part}, "AP")
    assert len(told) == 1
    # warnings are errors in tests
    assert evaluate(QRELS, part, "AP", Options(complete=True)).values.ravel().tolist() == [0.5, 0.0]
