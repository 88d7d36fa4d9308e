"""The functions of Python programs give the numbers that the commands of their names print."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import stdeval
from stdeval import Condition, InputError, InputWarning, Options, ScoreTable
from stdeval.provenance import Origin

SAMPLE = Path(__file__).resolve().parent.parent / "sample_data"
QRELS = SAMPLE / "qrels.gz"
RUNS = [*sorted((SAMPLE / "references").glob("*.run.gz"))[:5], SAMPLE / "new-a.run.gz"]
MEASURES = ("map", "P_10", "num_rel_ret")


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    qrels = stdeval.read_qrels(QRELS)
    return stdeval.evaluate(qrels, [stdeval.read_run(path) for path in RUNS], MEASURES, Options(complete=True))


@pytest.fixture(scope="module")
def scores(table: ScoreTable) -> ScoreTable:
    return table.select(measures=MEASURES[:2])


def command(run, name: str, *options: str) -> list[dict[str, str]]:
    return run(name, "-f", "csv", "-c", *options, QRELS, *RUNS).rows


def number(cell: str) -> float:
    return float(cell) if cell else math.nan


@pytest.mark.parametrize(
    ("name", "options"), [("am", ("--ci", "0.95")), ("egm", ("-a", "egm")), ("sd", ("-a", "sd"))]
)
def test_aggregates(run, table: ScoreTable, name: str, options: tuple[str, ...]):
    printed = command(run, "eval", *options, *(f"-m{measure}" for measure in MEASURES))
    lines = {(row["run"], row["topic"]): row for row in printed}
    rows = stdeval.aggregate(table, name)
    assert {row.measure for row in rows} == set(MEASURES if name == "am" else MEASURES[:2])
    for row in rows:
        assert row.score == float(lines[row.system, "all" if name == "am" else f"all.{name}"][row.measure])
        assert row.n == len(table.topics)
        if name == "am" and row.measure != "num_rel_ret":
            ends = [float(lines[row.system, f"all.ci_{end}"][row.measure]) for end in ("low", "high")]
            assert [row.low, row.high] == ends


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({}, ()),
        ({"baseline": "new-a", "correction": "holm"}, ("--baseline", "new-a", "--correction", "holm")),
        ({"test": "permutation", "correction": "none", "n_resamples": 99, "seed": 3},
         ("--test", "permutation", "--correction", "none", "--resamples", "99", "--seed", "3")),
        ({"unpaired": True, "welch": True, "alternative": "less"},
         ("--unpaired", "--welch", "--alternative", "less")),
    ],
)  # fmt: skip
def test_comparisons(run, scores: ScoreTable, arguments, options: tuple[str, ...]):
    printed = command(run, "compare", "-m", "map", "-m", "P_10", *options)
    rows = stdeval.compare(scores, **arguments)
    assert len(rows) == len(printed)
    same = [name for name in rows.fields if name in printed[0] and name not in ("measure", "a", "b")]
    for row, line in zip(rows, printed, strict=True):
        assert (row.measure, row.a, row.b) == (line["measure"], line["a"], line["b"])
        assert (row.pvalue, row.adjusted_pvalue) == (float(line["p"]), float(line["p_adjusted"]))
        assert [getattr(row, name) for name in same] == [float(line[name]) for name in same]
    assert {"mean_a", "difference", "low", "effect_size", "statistic"} <= set(same)


@pytest.mark.parametrize("groups", [None, "hard-easy"])
def test_topics(run, scores: ScoreTable, groups: str | None):
    printed = command(run, "topics", "-n", "-m", "map", "-m", "P_10", *(["--split", groups] if groups else []))
    rows = stdeval.topics(scores, stdeval.read_qrels(QRELS), groups=groups)
    columns = dict(zip(rows.fields[2:17], [*printed[0]][2:17], strict=True))
    assert (columns["one_minus_mean"], columns["rel"]) == ("1-mean", "rel")
    for row, line in zip(rows, printed, strict=True):
        assert (row.measure, row.topic, row.group) == (line["measure"], line["topic"], line.get("group", ""))
        found = [getattr(row, name) for name in columns]
        np.testing.assert_array_equal(found, [number(line[name]) for name in columns.values()])
    unknown = replace(scores, origin=Origin())
    others = {"301": {"d": 1}}
    assert stdeval.topics(unknown, others)[0].rel == 1
    assert all(math.isnan(row.rel) for row in stdeval.topics(unknown, others) if row.topic != "301")


CONDITIONS = [
    Condition("min", "AP", 0.2),
    Condition("max-drop", "map", 5, percent=True),
    Condition("max-topic-drop", "P@10", 0.3),
    Condition("non-inferior", "map", 0.05),
    Condition("not-worse", "P_10"),
]
OPTIONS = "--min map=0.2 --max-drop map=5% --max-topic-drop P_10=0.3 --non-inferior map=0.05 --not-worse P_10"


def test_conditions(run, table: ScoreTable):
    printed = command(run, "check", *OPTIONS.split(), "--baseline", "new-a")
    stored = table.select(systems=["new-a"])
    others = table.select(systems=[name for name in table.systems if name != "new-a"])
    for rows in (stdeval.check(table, CONDITIONS, "new-a"), stdeval.check(others, CONDITIONS, stored)):
        for row, line in zip(rows, printed, strict=True):
            assert (row.system, str(row.condition), str(row.n)) == (line["run"], line["condition"], line["n"])
            assert row.holds == (line["holds"] == "true")
            assert [row.value, row.limit, row.mean] == [float(line[name]) for name in ("value", "limit", "mean")]
    assert {line["holds"] for line in printed} == {"true", "false"}


def test_a_baseline_of_other_judgments_or_options_is_refused():
    qrels, run = {"1": {"a": 2, "b": 1}, "2": {"c": 2}}, {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 1.0}}
    table = stdeval.evaluate(qrels, run, "map")
    condition = Condition("max-drop", "map", 0.5)
    before = stdeval.evaluate(qrels, run, "map", stdeval.Options(level=2))
    with pytest.raises(InputError, match="baseline: 2 of 2 topics have -l 2"):
        stdeval.check(table, condition, before)
    before = stdeval.evaluate(qrels | {"2": {"c": 1}}, run, "map")
    with pytest.raises(InputError, match="baseline: 1 of 2 topics have other judgments"):
        stdeval.check(table, condition, before)
    with pytest.warns(InputWarning, match="other judgments") as warned:
        assert stdeval.check(table, condition, before, allow_other_judgments=True)[0].holds
    assert (len(warned), warned[0].filename) == (1, __file__)
    again = stdeval.evaluate(qrels, run, "map")
    assert stdeval.check(table, condition, again)[0].holds


@pytest.mark.filterwarnings("ignore:'run' has no documents for 1 of 3 judged topics")
def test_judged_topics_that_no_run_has_are_refused_as_by_the_command():
    qrels = {topic: {"a": 1, "b": 0} for topic in "123"}
    documents = {"1": {"a": 1.0}, "2": {"a": 2.0}}
    condition = Condition("min", "map", 0.5)
    with pytest.raises(InputError, match="scores of 2 of 3 judged topics"):
        stdeval.check(stdeval.evaluate(qrels, documents, "map"), condition)
    with_zeros = stdeval.evaluate(qrels, documents, "map", Options(complete=True))
    assert [row.n for row in stdeval.check(with_zeros, condition)] == [3]
    assert [row.n for row in stdeval.check(with_zeros.select(topics=["1"]), condition)] == [1]
    some = stdeval.evaluate(qrels, documents, "map")
    by_topic = replace(some, origin=some.origin.by_topic())
    assert [row.n for row in stdeval.check(by_topic, condition)] == [2]
    with pytest.raises(InputError, match="baseline: scores of 2 of 3 judged topics"):
        stdeval.check(by_topic, Condition("max-drop", "map", 0.1), some)


@pytest.mark.filterwarnings("ignore:[0-9]+ reference run", "ignore:the reference scores are all equal")
def test_factors_of_other_judgments_or_options_are_warned_of_once():
    qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"a": 1.0, "b": 2.0}}
    references = [run, {"1": {"b": 1.0, "a": 2.0}}]
    table = stdeval.evaluate(qrels, run, "map")
    factors = stdeval.fit_factors(stdeval.evaluate(qrels, references, ["map", "P_5"], stdeval.Options(level=2)))
    with pytest.warns(InputWarning, match="1 topic have -l 2") as told:
        stdeval.standardize(table, factors)
    assert [each.filename for each in told] == [__file__] * 2  # the other one counts the references
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "2 reference runs")
        stdeval.standardize(table, stdeval.fit_factors(stdeval.evaluate(qrels, references, "map")))


WRONG = {
    "expected a baseline": lambda t: stdeval.check(t, Condition("max-drop", "map", 0.1)),
    "expected a measure that has a score per topic": lambda t: stdeval.check(t, Condition("min", "num_rel_ret", 1)),
    "a baseline of 6 systems": lambda t: stdeval.check(t, Condition("max-drop", "map", 0.1), t),
    "min map: expected a number": lambda t: Condition("min", "map"),
    "not-worse map=0.1: expected": lambda t: Condition("not-worse", "map", 0.1),
    "alpha 0.5 of not-worse": lambda t: Condition("not-worse", "map", alpha=0.5),
    "no system 'nobody', expected one of: ": lambda t: stdeval.compare(t, "nobody"),
    "expected at least two to compare": lambda t: stdeval.compare(t.select(systems=["new-a"])),
    "no test 'u', expected one of: t, ": lambda t: stdeval.compare(t, test="u"),
    "expected the t test": lambda t: stdeval.compare(t, test="sign", unpaired=True),
    "no correction 'x'": lambda t: stdeval.compare(t, correction="x"),
    "no aggregate 'mean', expected one of: am, gm": lambda t: stdeval.aggregate(t, "mean"),
    "no scheme 'raw', expected one of: z, n": lambda t: stdeval.standardize(t, scheme="raw"),
    "no grouping 'x'": lambda t: stdeval.topics(t, groups="x"),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_wrong_is_refused_with_a_sentence(table: ScoreTable, words: str):
    with pytest.raises(InputError) as raised:
        WRONG[words](table)
    assert words in str(raised.value)


def test_python_warns_of_what_the_commands_warn_of():
    gaps = ScoreTable(("a", "b", "c"), ("1", "2"), ("map",), [[[0.1], [0]], [[0.3], [0.4]], [[0.3], [np.nan]]])
    with pytest.warns(InputWarning, match="1 of 3 runs is missing topics.*'c'"):
        stdeval.topics(gaps)
    with pytest.warns(InputWarning, match="1 of 3 harmonic means"):
        stdeval.aggregate(gaps, "hm")
    with pytest.warns(InputWarning, match="smallest possible p is 0.5, above alpha 0.05"):
        stdeval.compare(gaps, test="sign", correction="none")
