"""Decisions of tests of rounded scores, which exact scores would change."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import stdeval
from stdeval.errors import InputWarning
from stdeval.gate.conditions import Condition
from stdeval.gate.outcomes import check
from stdeval.noise import is_significant
from stdeval.stats.intervals import t_lower_bound
from stdeval.table import ScoreTable
from tests.doubtful_scores.rounded import rounded_to, scores_of


@pytest.mark.parametrize(
    ("measure", "digits"), [("P_3", 4), ("P_3", 2), ("recip_rank", 4), ("Rprec", 4), ("P_10", 32)]
)
@pytest.mark.parametrize("test", ["wilcoxon", "permutation", "sign"])
def test_decisions_that_exact_scores_change_are_counted(measure: str, digits: int, test: str, recwarn):
    """By P_3, 0.3333 - 0 and 0.6667 - 0.3333 are the same difference, but not as they are printed."""
    exact = scores_of(measure, (30, 25))
    names, topics = tuple(map(str, range(30))), tuple(map(str, range(25)))
    decided = []
    for scores in (exact, rounded_to(digits, exact)):
        table = ScoreTable(names, topics, (measure,), scores[:, :, np.newaxis])
        recwarn.clear()
        rows = stdeval.compare(table, test=test, n_resamples=200)
        told = [str(each.message) for each in recwarn if "decisions by" in str(each.message)]
        decided.append(is_significant(np.array([row.adjusted_pvalue for row in rows]), 0.05))
    n = int((decided[0] != decided[1]).sum())
    assert [text.split(":")[0] for text in told] == (
        [f"exact scores would change {n} of 435 decisions by {measure}"] if n else []
    )
    if (measure, digits, test) in {("P_3", 4, "wilcoxon"), ("P_3", 2, "wilcoxon"), ("P_10", 32, "wilcoxon")}:
        assert n > 0


@cache
def pair_of(digits: int) -> ScoreTable:
    """Two runs that Wilcoxon's test tells apart by P_3, unless their scores have four decimals, or the reverse."""
    rng = np.random.default_rng(3)
    while True:
        old, new = rng.integers(0, 4, (2, 20)) / 3
        exact = np.stack([old, new])[:, :, np.newaxis]
        tables = [
            ScoreTable(("old", "new"), tuple(map(str, range(20))), ("P_3",), scores)
            for scores in (exact, exact.round(4))
        ]
        condition = Condition("not-worse", "P_3")
        holds = [stdeval.check(table, condition, baseline="old", test="wilcoxon")[0].holds for table in tables]
        if holds[0] != holds[1]:
            return tables[digits == 4]


@pytest.mark.filterwarnings("ignore::stdeval.errors.InputWarning")
def test_a_gate_says_that_exact_scores_decide_otherwise():
    condition = Condition("not-worse", "P_3")
    exact, printed = (stdeval.check(pair_of(n), condition, baseline="old", test="wilcoxon")[0] for n in (16, 4))
    told = "; with exact scores p would be "
    assert (told in exact.figures, told in printed.figures) == (False, True)
    p = float(printed.figures.split(told)[1].split(",")[0])
    assert p == pytest.approx(exact.value, rel=0.01)


TOPICS = [str(topic) for topic in range(25)]
OLD, NEW = np.array([[2.0] * 24 + [0], [1.0] * 24 + [0]]) / 3
BOUNDS = [float(t_lower_bound(new - old, level=0.95)) for old, new in ((OLD, NEW), (OLD.round(4), NEW.round(4)))]


@pytest.mark.filterwarnings("ignore::stdeval.errors.InputWarning")
@pytest.mark.parametrize(
    ("condition", "would"),
    [
        (Condition("min", "P_3", 0.32), "the mean would be 0.3200"),
        (Condition("max-drop", "P_3", 0.32), "the drop would be 0.3200"),
        (Condition("max-drop", "P_3", 50, percent=True), "the drop would be 0.3200 (50.0000%)"),
        (Condition("max-topic-drop", "P_3", 0.33335), "the greatest drop would be 0.33333"),
        (Condition("non-inferior", "P_3", -sum(BOUNDS) / 2), f"the lower bound would be {BOUNDS[0]:.5f}"),
    ],
    ids=str,
)
def test_every_condition_says_that_exact_scores_decide_otherwise(condition: Condition, would: str):
    printed = check(condition, "new", NEW.round(4), TOPICS, OLD.round(4))
    exact = check(condition, "new", NEW, TOPICS, OLD)
    assert (printed.holds, exact.holds) == (False, True)
    assert f"; with exact scores {would}" in printed.figures
    assert printed.figures.endswith(", which changes the decision (these are rounded to 4 decimals)")
    assert "exact scores" not in exact.figures


@pytest.mark.filterwarnings("ignore::stdeval.errors.InputWarning")
def test_a_command_warns_once(run, write):
    table = pair_of(4)
    rows = [
        f"{n},{t},{x!r}"
        for n, own in zip(table.systems, table.values, strict=True)
        for t, (x,) in enumerate(own.tolist())
    ]
    done = run(
        "compare",
        "--test",
        "wilcoxon",
        "--alternative",
        "less",
        "--baseline",
        "old",
        "--scores",
        write("s.csv", ["run,topic,P_3", *rows]),
    )
    assert (
        "exact scores would change 1 of 1 decision by P_3: the scores are rounded to 4 decimals, so" in done.stderr
    )
    with pytest.warns(InputWarning, match="exact scores would change 1 of 1 decision"):
        stdeval.compare(table, test="wilcoxon", alternative="less", baseline="old")


def test_a_page_warns_of_groups_that_exact_scores_change(run, write, tmp_path: Path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    thirds = {"a": (3, 2, 2, 2, 2), "b": (0, 1, 2, 2, 3), "c": (0, 1, 0, 1, 1), "d": (2, 2, 2, 2, 2)}
    told = "exact scores would change 1 of 6 decisions by P_3: the scores are rounded to 4 decimals, so equal"
    for form, is_told in ((".4f", True), (".17g", False)):
        rows = [f"{name},{t},{k / 3:{form}}" for name, own in thirds.items() for t, k in enumerate(own)]
        scores = write("s.csv", ["run,topic,P_3", *rows])
        done = run(
            "report", "--scheme", "raw", "--resamples", 20000, "--scores", scores, "-o", tmp_path / "page.html"
        )
        assert (done.status, told in done.stderr) == (0, is_told)
        assert (told in (tmp_path / "page.html").read_text(encoding="utf-8")) is is_told
