"""`compare --residuals`: against all assignments of judgments to unjudged documents, in exact fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import SAMPLE

pytestmark = pytest.mark.oracle

P = Fraction(4, 5)


class Small(NamedTuple):
    """Judgments and runs small enough to try every assignment: topic to docno to judgment, or to ranked docnos."""

    qrels: dict[str, dict[str, int]]
    runs: dict[str, dict[str, list[str]]]
    files: list[Path]


@pytest.fixture(params=range(3))
def small(write, request) -> Small:
    """Three random runs on three topics, which the last run lacks one of; half of the documents are not judged."""
    rng = random.Random(request.param)
    docnos = [f"d{i}" for i in range(9)]
    qrels = {t: {d: rng.choice([-1, 0, 1, 2]) for d in rng.sample(docnos, 5)} | {"d0": 1} for t in "123"}
    runs = {
        name: {t: rng.sample(docnos, rng.randint(1, 7)) for t in "123" if (name, t) != ("c", "3")} for name in "abc"
    }
    lines = [f"{t} 0 {d} {rel}" for t, judged in qrels.items() for d, rel in judged.items()]
    files = [write("qrels", lines)]
    for name, topics in runs.items():
        lines = [f"{t} Q0 {d} 0 {99 - i} {name}" for t, docs in topics.items() for i, d in enumerate(docs)]
        files.append(write(f"{name}.run", lines))
    return Small(qrels, runs, files)


def base(documents: list[str], relevant: set[str]) -> Fraction:
    return sum(((1 - P) * P**i for i, docno in enumerate(documents) if docno in relevant), Fraction(0))


def extremes(
    judged: dict[str, int], first: list[str], second: list[str], level: int, beyond: Fraction
) -> tuple[Fraction, Fraction]:
    """The least and the greatest difference over all assignments, with all or nothing relevant beyond each end.

    The measure does not look at ranks whose weight is `beyond`.
    """
    known = {docno for docno, rel in judged.items() if rel >= level}
    unknown = sorted({*first, *second} - {docno for docno, rel in judged.items() if rel >= 0})
    differences = []
    for chosen in product([False, True], repeat=len(unknown)):
        relevant = known | {docno for docno, is_relevant in zip(unknown, chosen, strict=True) if is_relevant}
        differences.append(base(first, relevant) - base(second, relevant))
    return min(differences) - P ** len(second) + beyond, max(differences) + P ** len(first) - beyond


def expected_bounds(
    small: Small, first: str, second: str, level: int, cut: int | None, complete: bool, beyond: Fraction
) -> tuple[Fraction, Fraction]:
    a, b = small.runs[first], small.runs[second]
    topics = [t for t in small.qrels if complete or (t in a and t in b)]
    ends = [extremes(small.qrels[t], a.get(t, [])[:cut], b.get(t, [])[:cut], level, beyond) for t in topics]
    return sum(low for low, _ in ends) / Fraction(len(topics)), sum(high for _, high in ends) / Fraction(
        len(topics)
    )


@pytest.mark.parametrize(
    ("measure", "options", "level", "cut", "complete"),
    [
        ("RBP(p=0.8)", [], 1, None, False),
        ("RBP(p=0.8)", ["-l", "2", "-c"], 2, None, True),
        ("RBP(p=0.8)@3", [], 1, 3, False),
        ("RBP(p=0.8)@5", ["-c"], 1, 5, True),
        ("RBP(p=0.8)", ["-M", "4"], 1, 4, False),
        ("RBP(p=0.8, rel=2)", [], 2, None, False),
    ],
)
def test_bounds_are_those_of_all_assignments(run, small: Small, measure, options, level, cut, complete):
    rows = run("compare", "-f", "csv", "-m", measure, "--residuals", *options, *small.files).rows
    assert [(row["a"], row["b"]) for row in rows] == list(combinations("abc", 2))
    for row in rows:
        beyond = P**cut if cut and "@" in measure else Fraction(0)
        low, high = expected_bounds(small, row["a"], row["b"], level, cut, complete, beyond)
        assert float(row["residual_low"]) == pytest.approx(float(low), abs=1e-14)
        assert float(row["residual_high"]) == pytest.approx(float(high), abs=1e-14)
        assert row["decided"] == ("yes" if low * high > 0 or low == high == 0 else "no")
        assert low <= Fraction(row["difference"]) <= high


def test_output_is_the_same_for_every_number_of_workers(run):
    files = [SAMPLE / name for name in ("qrels.gz", "new-a.run.gz", "new-b.run.gz", "references/ref02.run.gz")]
    one, two = (run("compare", "-m", "RBP(p=0.8)", "--residuals", "-j", jobs, *files) for jobs in (1, 2))
    assert one == two
