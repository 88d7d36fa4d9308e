"""Judgments, runs and measures as other libraries hold them, and the sentences for what they cannot be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import stdeval
from stdeval import (
    InputError,
    InputWarning,
    Options,
    Run,
    ScoreTable,
    evaluate,
    fit_factors,
    read_qrels,
    read_run,
    read_scores,
    standardize,
)
from stdeval.standardization.factors import Factors

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
DICT = {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 0.5}}
EXPECTED = [0.5, 1.0]


class IrMeasure:
    """A measure as ir_measures has it: an object with a NAME, whose text is its name with its parameters."""

    NAME = "nDCG"

    def __str__(self) -> str:
        return "nDCG@10"


def test_dicts_of_pytrec_eval():
    assert evaluate(QRELS, DICT, "AP").values.ravel().tolist() == EXPECTED
    assert evaluate(QRELS, DICT).systems == ("run",)


def test_one_run_several_and_named_ones():
    run = Run("bm25", DICT)
    assert evaluate(QRELS, run, "map").systems == ("bm25",)
    assert evaluate(QRELS, [run, DICT], "map").systems == ("bm25", "run2")
    assert evaluate(QRELS, {"x": DICT, "y": run}, "map").systems == ("x", "y")
    assert evaluate(QRELS, iter([run]), "map").systems == ("bm25",)


def test_measures_by_name_and_of_ir_measures():
    assert evaluate(QRELS, DICT, "P_5").measures == ("P_5",)
    assert evaluate(QRELS, DICT, IrMeasure()).measures == ("ndcg_cut_10",)
    assert evaluate(QRELS, DICT, [IrMeasure(), "RR"]).measures == ("recip_rank", "ndcg_cut_10")


def test_measures_of_the_library_itself():
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    wanted = [ir_measures.AP(rel=2), ir_measures.nDCG @ 10, ir_measures.RR, ir_measures.P @ 5]
    table = evaluate(QRELS, DICT, wanted)
    for measure, name in zip(wanted, ["map_rel=2", "ndcg_cut_10", "recip_rank", "P_5"], strict=True):
        theirs = {each.query_id: each.value for each in ir_measures.iter_calc([measure], QRELS, DICT)}
        np.testing.assert_allclose(table.measure(name)[0], [theirs["1"], theirs["2"]])


def test_default_measures_are_those_of_the_command(run):
    paths = SAMPLE / "qrels.gz", SAMPLE / "new-a.run.gz"
    table = evaluate(read_qrels(paths[0]), read_run(paths[1]))
    printed = run("eval", "-q", "-f", "csv", *paths).rows
    printed = [row for row in printed if row["topic"] in table.topics]
    assert len(printed) == len(table.topics)
    assert set(table.measures) == {name for name in printed[0] if name not in ("run", "topic") and printed[0][name]}
    for i, row in enumerate(printed):
        assert {name: float(row[name]) for name in table.measures} == dict(
            zip(table.measures, table.values[0, i].tolist(), strict=True)
        )


@pytest.mark.parametrize(
    ("names", "as_number"),
    [
        (("qid", "docno", "label"), str),
        (("qid", "docno", "label"), int),
        (("query_id", "doc_id", "relevance"), str),
    ],
)
def test_data_frames(names: tuple[str, str, str], as_number: type):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    topic, docno, judgment = names
    qrels = [{topic: as_number(t), docno: d, judgment: x} for t, docs in QRELS.items() for d, x in docs.items()]
    run = [
        {topic: as_number(t), docno: d, "score": x, "rank": 0} for t, docs in DICT.items() for d, x in docs.items()
    ]
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
    ],
)
def test_judgments_are_those_of_the_library_whatever_was_merged_into_its_data_frame(
    names: tuple[str, str, str], merged: str
):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = [(topic, docno, judgment) for topic, judged in QRELS.items() for docno, judgment in judged.items()]
    assert evaluate(pd.DataFrame(rows, columns=names).assign(**{merged: 0}), DICT, "AP").values.any()


def test_a_data_frame_with_two_columns_that_may_be_judgments_is_refused():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame([("1", "a", 1, 0)], columns=["topic", "docno", "label", "relevance"])
    with pytest.raises(InputError, match=r"^qrels: columns label, relevance, expected one column of judgments$"):
        evaluate(frame, DICT, "AP")
    # ranx calls judgments scores, but beside judgments these are the scores of a run
    assert evaluate(frame.drop(columns="relevance").assign(score=0), {"1": {"a": 1.0}}, "AP").values.item() == 1


def test_data_frames_of_trectools():
    """They have the columns query and docid, which mean something else in data frames of PyTerrier."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    qrels = pd.DataFrame([("1", 0, "a", 1), ("1", 0, "b", 0)], columns=["query", "q0", "docid", "rel"])
    columns = ["query", "q0", "docid", "rank", "score", "system"]
    run = pd.DataFrame([("1", "Q0", "b", 1, 2.0, "t"), ("1", "Q0", "a", 2, 1.0, "t")], columns=columns)
    assert evaluate(qrels, run, "AP").values.item() == 0.5
    terrier = run.rename(columns={"query": "qid", "docid": "docno"}).assign(query="two words", docid=[7, 8])
    assert evaluate(qrels, terrier, "AP").values.item() == 0.5


@pytest.mark.parametrize(("first", "as_number"), [(0, int), (1, int), (1, float)])
def test_scores_that_rise_with_the_ranks_of_a_data_frame_are_a_warning(first: int, as_number: type):
    """PyTerrier counts from 0, and pandas holds whole numbers as floats beside missing ones."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = [(topic, f"{topic}-d{n}", as_number(first + n), n + 0.5) for topic in "12" for n in range(20)]
    qrels = {"1": {"1-d0": 1}, "2": {"2-d1": 1}}
    frame = pd.DataFrame(rows, columns=["qid", "docno", "rank", "score"])
    with pytest.warns(InputWarning, match="'cosine' has scores that rise") as warned:
        scores = evaluate(qrels, {"cosine": frame}, "AP")
    assert len(warned) == 1
    assert evaluate(qrels, frame.assign(score=-frame["score"]), "AP").values.ravel().tolist() == [1.0, 0.5]
    for unranked in (frame.assign(rank=pd.NA), frame.assign(rank="x"), frame.drop(columns="rank")):
        assert evaluate(qrels, {"cosine": unranked}, "AP").values.tolist() == scores.values.tolist()


STACKED = [("1", "a", 1.0), ("1", "b", 2.0), ("2", "c", 0.5)]


def frame_of(name: str, column: str = "name"):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    return pd.DataFrame(STACKED, columns=["qid", "docno", "score"]).assign(**{column: name})


@pytest.mark.parametrize("column", ["name", "run", "system", "tag", "runid"])
def test_a_data_frame_of_several_runs_is_refused_and_its_groups_are_taken(column: str):
    """Taken for one run, the second of them would repeat the documents of the first."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    both = pd.concat([frame_of("bm25", column), frame_of("tuned", column)])
    for given, where in ((both, "run"), ([both], "run1"), ({"x": both}, "x")):
        with pytest.raises(InputError) as raised:
            evaluate(QRELS, given, "AP")
        assert str(raised.value) == (
            f"{where}: a data frame with 2 names in the column '{column}' (bm25, tuned), expected one run; "
            f"for several runs, pass dict(list(frame.groupby('{column}'))), and for one, drop the column"
        )
    assert evaluate(QRELS, dict(list(both.groupby(column))), "AP").systems == ("bm25", "tuned")


def test_a_data_frame_with_two_columns_of_names_is_one_run_by_both():
    """As if all runs of an experiment had the same name in the column run."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    both = pd.concat([frame_of("bm25"), frame_of("tuned")]).assign(run="experiment")
    with pytest.raises(InputError, match=r"2 names in the column 'name' \(bm25, tuned\), expected one run"):
        evaluate(QRELS, both, "AP")
    assert evaluate(QRELS, frame_of("bm25").assign(run="experiment"), "AP").systems == ("experiment",)


def test_rows_without_a_name_beside_named_ones_are_refused():
    """They are those of another run, whose name somebody forgot before the frames were put together."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    named = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [2.0], "name": ["bm25"]})
    unnamed = named.assign(qid="2").drop(columns="name")
    told = "1 of 2 rows of a data frame has no name in the column 'name', expected 'bm25' in all rows"
    with pytest.raises(InputError, match=told):
        evaluate({"1": {"a": 1}, "2": {"a": 1}}, pd.concat([named, unnamed]), ["map"])
    assert evaluate({"1": {"a": 1}}, named.assign(name=None), ["map"]).systems == ("run",)


def test_scores_in_a_data_frame_with_two_columns_of_different_names_are_refused():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    scores = pd.DataFrame({"topic": ["1", "2"] * 2, "name": [*"aabb"], "map": [0.5, 0.25, 0.125, 0.0]})
    with pytest.raises(
        InputError, match="columns run and name, which name different runs, expected one such column"
    ):
        read_scores(scores.assign(run="experiment"))
    assert read_scores(scores.assign(run=scores["name"].str.upper())).systems == ("A", "B")
    assert read_scores(scores.assign(tag="experiment")).systems == ("a", "b")


def test_two_runs_in_a_data_frame_without_names_are_told_apart_by_a_dict():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    both = pd.concat([frame_of(None), frame_of(None)])
    words = "; a data frame holds one run: for several, pass a dict of name to data frame"
    with pytest.raises(InputError, match=f"^run: document 'a' appears twice in topic '1'{words}$"):
        evaluate(QRELS, both, "AP")
    twice = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "a"], "label": [1, 0]})
    with pytest.raises(InputError, match=r"^qrels: document 'a' appears twice in topic '1'$"):
        evaluate(twice, DICT, "AP")


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


def test_an_empty_data_frame_is_an_empty_run():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    empty = pd.DataFrame({"qid": [], "docno": [], "score": []})
    words = r"^run: the run is empty, expected documents for topics of the qrels$"
    for runs in (empty, {"run": empty}, Run("run", {})):
        with pytest.raises(InputError, match=words):
            evaluate(QRELS, runs, "AP")


def test_topics_that_pandas_made_floats_are_refused_with_a_way_out():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame({"qid": [1.0], "docno": ["a"], "score": [0.5]})
    with pytest.raises(InputError, match=r"topic 1\.0 in .*, expected text or a whole number \(\.astype\(int\)\)$"):
        evaluate(QRELS, frame, "AP")
    with pytest.raises(InputError, match=r"topic 1\.5 in a data frame, expected text or a whole number$"):
        evaluate(QRELS, frame.assign(qid=1.5), "AP")


def test_the_names_in_data_frames_name_their_runs():
    frames = [frame_of("bm25"), frame_of("tuned", "system")]
    assert evaluate(QRELS, frames, "AP").systems == ("bm25", "tuned")
    assert evaluate(QRELS, frames[0], "AP").systems == ("bm25",)
    # the keys of a dict are what the user has just chosen
    assert evaluate(QRELS, {"x": frames[0]}, "AP").systems == ("x",)
    # a name that is missing is none
    assert evaluate(QRELS, frame_of(None), "AP").systems == ("run",)
    assert evaluate(QRELS, [frame_of("bm25"), frame_of("bm25").drop(columns="name")], "AP").systems[1] == "run2"


def test_a_data_frame_without_a_column_is_refused_with_its_columns():
    named = frame_of("bm25").rename(columns={"docno": "doc"})
    words = "no column docno (or doc_id, docid); the columns are qid, doc, score, name"
    for call, where in (
        (lambda: evaluate(QRELS, {"a": named}), "a"),
        (lambda: evaluate(QRELS, named), "run"),
        (lambda: evaluate(named, DICT), "qrels"),
    ):
        with pytest.raises(InputError) as raised:
            call()
        assert str(raised.value) == f"{where}: {words}"


class Qrel(NamedTuple):
    """A judgment as ir_measures and ir_datasets have it."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A retrieved document as ir_measures has it."""

    query_id: str
    doc_id: str
    score: float


class OfRanx:
    """A Qrels or a Run as ranx has it: neither a dict nor iterable, perhaps with a name."""

    def __init__(self, content: dict[str, dict[str, float]], name: str | None = None) -> None:
        self.content, self.name = content, name

    def keys(self) -> list[str]:
        return list(self.content)

    def to_dict(self) -> dict[str, dict[str, float]]:
        return self.content


QREL_ROWS = [Qrel(topic, docno, judgment) for topic, docs in QRELS.items() for docno, judgment in docs.items()]
ROWS = [ScoredDoc(topic, docno, score) for topic, docs in DICT.items() for docno, score in docs.items()]


@pytest.mark.parametrize(
    ("qrels", "runs", "names"),
    [
        (QREL_ROWS, ROWS, ["run"]),
        (iter(QREL_ROWS), iter(ROWS), ["run"]),
        (iter(QREL_ROWS), [iter(ROWS), ROWS, DICT], ["run1", "run2", "run3"]),
        (QRELS, {"x": iter(ROWS), "y": Run("z", DICT)}, ["x", "y"]),
        (OfRanx(QRELS), OfRanx(DICT, "bm25"), ["bm25"]),
        (OfRanx(QRELS), [OfRanx(DICT), OfRanx(DICT, "bm25")], ["run1", "bm25"]),
        (OfRanx(QRELS), {"x": OfRanx(DICT, "bm25")}, ["x"]),
    ],
)
def test_objects_of_ir_measures_and_of_ranx(qrels: Any, runs: Any, names: list[str]):
    table = evaluate(qrels, runs, "AP")
    assert list(table.systems) == names
    assert table.measure("map").tolist() == [EXPECTED] * len(names)


def test_objects_of_the_libraries_themselves(tmp_path: Path):
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    assert evaluate(ranx.Qrels(QRELS), ranx.Run(DICT, name="bm25"), "AP").measure("map").tolist() == [EXPECTED]
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n1 Q0 b 0 2 t\n2 Q0 c 1 0.5 t\n")
    qrels = ir_measures.read_trec_qrels(str(tmp_path / "qrels"))
    table = evaluate(qrels, ir_measures.read_trec_run(str(tmp_path / "run")), "AP")
    assert table.measure("map").tolist() == [EXPECTED]


def test_scores_to_a_data_frame_and_back():
    pytest.importorskip("pandas", reason="pandas is not installed")
    values = np.array([[[0.5, 1.0], [np.nan, np.nan]], [[0.25, np.nan], [1.0, 0.0]]])
    table = ScoreTable(("x", "y"), ("1", "2"), ("map", "P_5"), values)
    frame = table.to_frame()
    assert list(frame.columns) == ["run", "topic", "map", "P_5"]
    assert frame[["run", "topic"]].values.tolist() == [["x", "1"], ["y", "1"], ["y", "2"]]
    with pytest.warns(InputWarning, match="no score"):
        back = read_scores(frame)
    assert (back.systems, back.topics, back.measures) == (table.systems, table.topics, table.measures)
    np.testing.assert_array_equal(back.values, values)
    with pytest.warns(InputWarning, match="no score"):
        alone = read_scores(frame[frame.run == "y"].drop(columns="run"))
    assert alone.systems == ("run",)
    with pytest.raises(InputError, match="run 'x' and topic '1' appear twice"):
        read_scores(frame.iloc[[0, 0]])
    with pytest.raises(InputError, match=r"no column topic \(or qid, .*; the columns are run, map, P_5"):
        read_scores(frame.drop(columns="topic"))
    with pytest.raises(InputError, match="run nan in a data frame, expected text or a whole number"):
        read_scores(frame.assign(run=["x", "y", np.nan]))


def test_a_signed_file_is_not_read_with_pandas(run, tmp_path: Path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    path = tmp_path / "scores.csv"
    files = [SAMPLE / "qrels.gz", SAMPLE / "new-a.run.gz"]
    assert run("eval", "-q", "-f", "csv", "--signature", "-m", "map", "-o", path, *files).status == 0
    frame = pandas.read_csv(path)
    expected = r"expected scores only: stdeval.read_scores\(FILE\) reads them with their signature"
    with pytest.raises(InputError, match=f"the data frame has a column 'signature', {expected}"):
        read_scores(frame)
    without = frame.drop(columns=["judgments", "options", "signature"])
    np.testing.assert_allclose(read_scores(without).values, read_scores(path).values, rtol=1e-12)


@pytest.mark.parametrize("true", [True, 1, np.bool_(True)])
def test_true_and_false_of_other_types(true):
    qrels = {**QRELS, "2": {"c": 2, "d": 0}}
    table = evaluate(qrels, {"1": DICT["1"]}, ["AP", "nDCG"], Options(complete=true, judged_only=true, binary=true))
    assert table.measure("map").ravel().tolist() == [0.5, 0.0]


def test_without_pandas_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"data frames need pandas: pip install 'stdeval\[pandas\]'"):
        evaluate(QRELS, DICT, "map").to_frame()


def test_docnos_of_programs_fit_those_of_files(tmp_path: Path):
    """Docnos of files have a character per byte; those of programs are text."""
    (tmp_path / "qrels").write_text("1 0 é 1\n1 0 文 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 é 1 2 t\n1 Q0 文 2 1 t\n", encoding="utf-8")
    qrels, run = {"1": {"é": 1, "文": 1}}, {"1": {"é": 2.0, "文": 1.0}}
    for judged in (qrels, read_qrels(tmp_path / "qrels")):
        for ranked in (run, read_run(tmp_path / "run")):
            assert evaluate(judged, ranked, "map").values.item() == 1.0


TABLE = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))


def factors(sd: float) -> Factors:
    return Factors(("1",), ("map",), np.array([[0.5]]), np.array([[sd]]), np.array([[5]]))


WRONG = {
    "qrels None": (lambda: evaluate(None, DICT), "qrels of type NoneType, expected topic to docno to judgment"),
    "a path for qrels": (lambda: evaluate("q.txt", DICT), "stdeval.read_qrels('q.txt') reads a file"),
    "a path for a run": (lambda: evaluate(QRELS, "a.run"), "stdeval.read_run('a.run') reads a file"),
    "a path among runs": (lambda: evaluate(QRELS, ["a.run"]), "a run of type str, expected a Run"),
    "runs None": (lambda: evaluate(QRELS, None), "runs of type NoneType, expected a Run"),
    "no runs": (lambda: evaluate(QRELS, []), "no runs, expected at least one"),
    "topic int": (lambda: evaluate({1: {"a": 1}}, DICT), "qrels: a topic is 1, expected text, such as '1'"),
    "topic surrogate": (lambda: evaluate({"\ud800": {"a": 1}}, DICT), "a topic is '\\ud800', expected text"),
    "no judgments": (lambda: evaluate({"1": {}}, DICT), "qrels: topic '1' has no documents"),
    "judgments None": (lambda: evaluate({"1": None}, DICT), "topic '1' has NoneType, expected docno to number"),
    "docno int": (lambda: evaluate({"1": {1: 1}}, DICT), "topic '1' has the docno 1, expected text"),
    "docno blank": (lambda: evaluate({"1": {" ": 1}}, DICT), "topic '1' has a blank docno, expected text"),
    "judgment 2**31": (
        lambda: evaluate({"1": {"a": 2**31}}, DICT),
        "the judgment of 'a' is 2147483648, expected a whole number, at most 1000000",
    ),
    "judgment 2**62": (lambda: evaluate({"1": {"a": 2**62}}, DICT), "expected a whole number, at most 1000000"),
    "judgment text": (lambda: evaluate({"1": {"a": "1"}}, DICT), "the judgment of 'a' is '1', expected a whole"),
    "judgment 0.5": (lambda: evaluate({"1": {"a": 0.5}}, DICT), "the judgment of 'a' is 0.5, expected a whole"),
    "score text": (
        lambda: evaluate(QRELS, {"1": {"a": "1"}}),
        "run: topic '1' has a score that is text: 'a' '1', expected a number",
    ),
    "score huge": (lambda: evaluate(QRELS, {"1": {"a": 10**400}}), "topic '1' has a score that is not finite"),
    "documents list": (lambda: evaluate(QRELS, Run("t", {"1": ["a"]})), "t: topic '1' has list, expected docno to"),
    "tag None": (lambda: evaluate(QRELS, Run(None, DICT)), "the name of a run is None, expected text"),
    "scores as qrels": (
        lambda: evaluate([ScoredDoc("1", "a", 0.5)], DICT),
        "the judgment of 'a' is 0.5, expected a whole",
    ),
    "qrels as a run": (lambda: evaluate(QRELS, QREL_ROWS), "among scores, expected rows with score"),
    "a document twice": (
        lambda: evaluate(QRELS, {"x": ROWS[:1] * 2}),
        "x: document 'a' appears twice in topic '1'",
    ),
    "a judgment twice": (
        lambda: evaluate(QREL_ROWS[:1] * 2, DICT),
        f"qrels: document '{QREL_ROWS[0].doc_id}' appears twice in topic",
    ),
    "no rows": (lambda: evaluate([], DICT), "qrels of type list, expected topic to docno"),
    "measures empty": (lambda: evaluate(QRELS, DICT, []), "no measures, expected names, such as 'map'"),
    "measures 5": (lambda: evaluate(QRELS, DICT, 5), "measures of type int, expected names"),
    "measure None": (lambda: evaluate(QRELS, DICT, [None]), "measure None, expected a name, such as 'map'"),
    "measure of runs": (
        lambda: evaluate(QRELS, DICT, "gm_map"),
        "gm_map has no score per topic, only a count or a summary; expected a measure that has, such as map",
    ),
    "level -1": (
        lambda: evaluate(QRELS, DICT, "map", Options(level=-1)),
        "level -1, expected a whole number from 1",
    ),
    "level 1.5": (lambda: evaluate(QRELS, DICT, "map", Options(level=1.5)), "level 1.5, expected a whole number"),
    "level huge": (lambda: evaluate(QRELS, DICT, "map", Options(level=2**31)), "from 1 to 2147483647"),
    "depth -1": (
        lambda: evaluate(QRELS, DICT, "map", Options(depth=-1)),
        "depth -1, expected a whole number from 1",
    ),
    "complete": (
        lambda: evaluate(QRELS, DICT, "map", Options(complete="no")),
        "complete 'no', expected True or False",
    ),
    "judged_only": (
        lambda: evaluate(QRELS, DICT, "map", Options(judged_only=2)),
        "judged_only 2, expected True or False",
    ),
    "binary": (lambda: evaluate(QRELS, DICT, "map", Options(binary=None)), "binary None, expected True or False"),
    "depth 0": (lambda: evaluate(QRELS, DICT, "map", Options(depth=0)), "depth 0, expected a whole number from 1"),
    "options dict": (lambda: evaluate(QRELS, DICT, "map", {}), "options of type dict, expected stdeval.Options"),
    "path number": (lambda: read_run(5), "a path of type int, expected text or pathlib.Path"),
    "path NUL": (lambda: read_run("a\0b"), "'a\\x00b' is not the name of a file"),
    "path surrogate": (lambda: read_qrels("\ud800"), "'\\ud800' is not the name of a file"),
    "scores inf": (lambda: fit_factors(ScoreTable(("a", "b"), ("1",), ("m",), [[[np.inf]], [[1]]])), "scores inf"),
    "scores 1e308": (
        lambda: fit_factors(ScoreTable(("a", "b"), ("1",), ("m",), [[[-1e308]], [[1]]])),
        "score -1e+308, expected at most 1e+150",
    ),
    "scores text": (lambda: ScoreTable(("a",), ("1",), ("m",), [[["x"]]]), "expected an array of numbers"),
    "labels text": (
        lambda: ScoreTable("ab", ("1",), ("m",), np.zeros((2, 1, 1))),
        "systems are 'ab', expected several",
    ),
    "label number": (
        lambda: ScoreTable((1,), ("1",), ("m",), [[[1]]]),
        "system 1 is of type int, expected text: '1'",
    ),
    "table array": (lambda: fit_factors(np.zeros((2, 1, 1))), "scores of type ndarray, expected a ScoreTable"),
    "factors table": (lambda: standardize(TABLE, TABLE), "factors of type ScoreTable, expected Factors"),
    "sd negative": (lambda: factors(-1), "standard deviation -1, expected numbers from 0"),
    "sd inf": (lambda: factors(np.inf), "factors (sd) inf, expected finite numbers"),
    "scheme number": (lambda: standardize(TABLE, scheme=5), "no scheme '5', expected one of: z, n, u, e, m"),
    "A text": (lambda: standardize(TABLE, scheme="u", A="x"), "A 'x', expected a slope above 0"),
    "A nan": (lambda: standardize(TABLE, scheme="u", A=np.nan), "A nan, expected a slope above 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_with_a_sentence(name: str):
    call, words = WRONG[name]
    with pytest.raises(InputError) as raised:
        call()
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_calls_start_no_process_and_need_no_main_guard(tmp_path: Path):
    """A script without `if __name__ == "__main__"` would fail if workers were spawned."""
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, threading, stdeval\n"
        f"qrels = stdeval.read_qrels({str(SAMPLE / 'qrels.gz')!r})\n"
        f"run = stdeval.read_run({str(SAMPLE / 'new-a.run.gz')!r})\n"
        "stdeval.evaluate(qrels, {'a': run, 'b': run})\n"
        "print(len(multiprocessing.active_children()), 'concurrent.futures.process' in __import__('sys').modules)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, cwd=SAMPLE.parent)
    assert (done.stdout, done.stderr) == ("0 False\n", "")


@pytest.mark.parametrize("column", ["qid", "docno", "score", "rank"])
def test_a_column_that_is_there_twice_is_refused(column: str):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(STACKED, columns=["qid", "docno", "score"]).assign(rank=[1, 2, 1])
    twice = pd.concat([frame, frame[[column]]], axis=1)
    with pytest.raises(InputError, match=f"^run: 2 columns {column}, expected one$"):
        evaluate(QRELS, twice, "AP")


def test_a_data_frame_of_scores_comes_alone():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame([("1", 0.25)], columns=["topic", "map"])
    expected = "a data frame and other arguments, expected one data frame, which names its measures"
    for arguments in ((frame, frame), (frame, "scores.csv")):
        with pytest.raises(InputError, match=expected):
            read_scores(*arguments)
    with pytest.raises(InputError, match=expected):
        read_scores(frame, measure="map")
