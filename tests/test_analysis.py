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
        ({"test": "permutation", "n_resamples": 99, "seed": 3},
         ("--test", "permutation", "--resamples", "99", "--seed", "3")),
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
CONDITION_OPTIONS = [
    *("--min", "map=0.2", "--max-drop", "map=5%", "--max-topic-drop", "P_10=0.3"),
    *("--non-inferior", "map=0.05", "--not-worse", "P_10"),
]


def test_conditions(run, table: ScoreTable):
    printed = command(run, "check", *CONDITION_OPTIONS, "--baseline", "new-a")
    stored = table.select(systems=["new-a"])
    others = table.select(systems=[name for name in table.systems if name != "new-a"])
    of_both = (stdeval.check(table, CONDITIONS, "new-a"), stdeval.check(others, CONDITIONS, stored))
    for rows in of_both:
        found = [(row.system, str(row.condition), row.holds, row.value, row.limit, row.mean, row.n) for row in rows]
        assert found == [
            (line["run"], line["condition"], line["holds"] == "true", *map(float, (line["value"], line["limit"])),
             float(line["mean"]), int(line["n"]))
            for line in printed
        ]  # fmt: skip
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


def test_scores_of_some_of_the_judged_topics_are_refused(run, table: ScoreTable, tmp_path: Path):
    """A signature counts the topics; a table without one may be of any topics."""
    stored, part = tmp_path / "all.csv", tmp_path / "part.csv"
    assert (
        run("eval", "-q", "-n", "-f", "csv", "--signature", "-m", "map", "-o", stored, QRELS, RUNS[0]).status == 0
    )
    part.write_text("".join(stored.read_text().splitlines(keepends=True)[:26]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        early, condition = stdeval.read_scores(part), Condition("min", "map", 0.1)
    with pytest.raises(InputError, match="scores of 25 of 50 judged topics"):
        stdeval.check(early, condition)
    chosen = replace(early, origin=early.origin.by_topic())
    assert stdeval.check(chosen, condition)[0].n == 25
    with pytest.raises(InputError, match="baseline: scores of 25 of 50 judged topics"):
        stdeval.check(chosen, Condition("max-drop", "map", 0.1), early)


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


@pytest.mark.filterwarnings("ignore:[0-9]+ reference run", "ignore:the reference scores are all equal")
def test_factors_of_other_judgments_or_options_are_warned_of_once():
    qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"a": 1.0, "b": 2.0}}
    references = [run, {"1": {"b": 1.0, "a": 2.0}}]
    table = stdeval.evaluate(qrels, run, "map")
    factors = stdeval.fit_factors(stdeval.evaluate(qrels, references, ["map", "P_5"], stdeval.Options(level=2)))
    with pytest.warns(InputWarning, match="1 topic have -l 2") as told:
        stdeval.standardize(table, factors)
    assert (len(told), told[0].filename) == (2, __file__)  # the other one counts the references
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "2 reference runs")
        stdeval.standardize(table, stdeval.fit_factors(stdeval.evaluate(qrels, references, "map")))


A = "new-a"
WRONG = {
    "no baseline": (lambda t: stdeval.check(t, Condition("max-drop", "map", 0.1)), "expected a baseline"),
    "a count": (
        lambda t: stdeval.check(t, Condition("min", "num_rel_ret", 1)),
        "num_rel_ret has no score per topic",
    ),
    "no condition": (lambda t: stdeval.check(t, "min map=0.3"), "expected conditions, such as stdeval.Condition("),
    "baseline": (lambda t: stdeval.compare(t, "nobody"), "no system 'nobody', expected one of: "),
    "test": (lambda t: stdeval.compare(t, test="u"), "no test 'u', expected one of: t, "),
    "alone": (lambda t: stdeval.compare(t.select(systems=["new-a"])), "1 system, expected at least two to compare"),
    "unpaired test": (lambda t: stdeval.compare(t, test="sign", unpaired=True), "expected the t test"),
    "correction": (lambda t: stdeval.compare(t, correction="x"), "no correction 'x'"),
    "parameters without a measure": (
        lambda t: stdeval.compare(t, correction="holms"),
        "no correction 'holms', expected one of: none, bonferroni, holm, bh, tukey",
    ),
    "a list of tests": (lambda t: stdeval.compare(t, test=["t"]), "no test '['t']', expected one of: t, "),
    "text for a confidence level": (
        lambda t: stdeval.compare(t, confidence="x"),
        "confidence level x, expected a number from 0.5 and below 1",
    ),
    "resamples": (lambda t: stdeval.compare(t, n_resamples=0), "n_resamples 0, expected a whole number from 1"),
    "seed": (lambda t: stdeval.check(t, CONDITIONS, seed=-1), "seed -1, expected a whole number from 0"),
    "alternative": (lambda t: stdeval.compare(t, alternative="up"), "'up', expected"),
    "confidence": (lambda t: stdeval.aggregate(t, confidence=95), "expected"),
    "number of groups": (lambda t: stdeval.topics(t, groups=2), "grouping 2 is of type int, expected text: '2'"),
    "groups": (lambda t: stdeval.topics(t, groups="x"), "'x'"),
    "aggregate": (
        lambda t: stdeval.aggregate(t, "mean"),
        "no aggregate 'mean', expected one of: am, gm, egm, egm-trec, hm, ehm, md, sd",
    ),
    "aggregate of counts": (
        lambda t: stdeval.aggregate(t.select(measures=["num_rel_ret"]), "mean"),
        "no aggregate 'mean'",
    ),
    "two baselines": (
        lambda t: stdeval.check(t, Condition("max-drop", "map", 0.1), t),
        "a baseline of 6 systems, expected one",
    ),
    "the table as its own baseline": (
        lambda t: stdeval.check(one := t.select(systems=[A]), Condition("max-drop", "map", 0.1), one),
        "the baseline is the table that is checked, expected another",
    ),
    "kind": (
        lambda t: stdeval.check(t, Condition("max", "map", 0.1)),
        "no condition 'max', expected one of: min, ",
    ),
    "limit": (lambda t: stdeval.check(t, Condition("max-drop", "map", -1)), "expected a limit from 0"),
    "a limit above all scores": (
        lambda t: stdeval.check(t, Condition("min", "AP", 30)),
        "min map=30: scores are from 0 to 1",
    ),
    "percentage beyond 100": (
        lambda t: stdeval.check(t, Condition("max-drop", "map", 101, percent=True), A),
        "expected one from 0% to 100%",
    ),
    "percentage of a topic": (
        lambda t: stdeval.check(t, Condition("max-topic-drop", "map", 2, percent=True), A),
        "max-topic-drop map=2%: a percentage, expected one from 0% to 100%, for max-drop only",
    ),
    "no limit": (lambda t: stdeval.check(t, Condition("min", "map")), "min map: expected a limit"),
    "topic by number": (lambda t: t.select(topics=[301]), "topic 301 is of type int, expected text: '301'"),
    "topic of numpy": (lambda t: t.select(topics=np.array([301])), "is of type int64, expected text: '301'"),
    "topics without brackets": (
        lambda t: t.select(topics="301"),
        "topics are '301', expected several, such as ['301']",
    ),
    "one number for topics": (lambda t: t.select(topics=301), "topics are 301, expected several"),
    "system by number": (lambda t: t.select(systems=[1]), "system 1 is of type int, expected text: '1'"),
    "measure by number": (lambda t: t.select(measures=[5]), "measure 5 is of type int, expected text: '5'"),
    "no measure": (lambda t: t.measure(None), "measure None is of type NoneType, expected text"),
    "baseline by number": (lambda t: stdeval.compare(t, 301), "system 301 is of type int, expected text: '301'"),
    "list of baselines": (lambda t: stdeval.compare(t, [A]), "system ['new-a'] is of type list, expected text"),
    "baseline of check": (
        lambda t: stdeval.check(t, Condition("min", "map", 0.1), 5),
        "system 5 is of type int, expected text: '5'",
    ),
    "measure of a condition": (
        lambda t: stdeval.check(t, Condition("min", 5, 0.1)),
        "measure 5 is of type int, expected text: '5'",
    ),
    "measure to write": (
        lambda t: stdeval.write_scores(t, "-", measure=5),
        "measure 5 is of type int, expected text: '5'",
    ),
    "not a table": (lambda t: stdeval.topics(t.values), "scores of type ndarray, expected a ScoreTable"),
}


@pytest.mark.filterwarnings("ignore:[0-9]+ reference run", "ignore:the reference scores are all equal")
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_with_a_sentence(table: ScoreTable, name: str):
    call, words = WRONG[name]
    with pytest.raises(InputError) as raised:
        call(table)
    assert words in str(raised.value)


def test_python_warns_of_what_the_commands_warn_of():
    gaps = ScoreTable(("a", "b", "c"), ("1", "2"), ("map",), [[[0.1], [0]], [[0.3], [0.4]], [[0.3], [np.nan]]])
    with pytest.warns(InputWarning, match="1 of 3 runs .e.g. 'c'. is missing topics"):
        stdeval.topics(gaps)
    with pytest.warns(InputWarning, match="1 of 3 harmonic means"):
        stdeval.aggregate(gaps, "hm")
    with pytest.warns(InputWarning, match="smallest possible p is 0.5, above alpha 0.05"):
        stdeval.compare(gaps, test="sign")
