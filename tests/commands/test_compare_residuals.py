"""`compare --residuals`: against all assignments of judgments to unjudged documents, in exact fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import SAMPLE

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


def test_an_empty_run_leaves_the_residual_of_the_other(run, write, small: Small):
    """Without documents in the second run, the greatest difference is base and residual, as eval prints them."""
    empty = write("empty.run", [f"{t} Q0 nothing 0 1 empty" for t in "123"])
    qrels = write("judged", [*small.files[0].read_text().splitlines(), *(f"{t} 0 nothing 0" for t in "123")])
    files = [qrels, small.files[1], empty]
    (row,) = run("compare", "-f", "csv", "-m", "RBP(p=0.8)", "--residuals", *files).rows
    scores = run("eval", "-q", "-f", "csv", "-m", "RBP(p=0.8)", "-m", "rbp_resid_p=0.8", *files[:2]).rows[-1]
    total = float(scores["rbp_p=0.8"]) + float(scores["rbp_resid_p=0.8"])
    assert float(row["residual_high"]) == pytest.approx(total, abs=1e-14)


def test_the_same_documents_are_decided_although_none_is_judged(run, write):
    """Two equal runs differ by nothing, and a run with one document more above has the advantage for certain."""
    qrels = write("qrels", ["1 0 a 1", "2 0 a 1"])
    tail = [f"d{i}" for i in range(200)]
    rankings = {"same": ["a", *tail], "again": ["a", *tail], "below": [*tail[:3], "a", *tail[3:]]}
    files = [
        write(f"{tag}.run", [f"{t} Q0 {d} 0 {999 - i} {tag}" for t in "12" for i, d in enumerate(docs)])
        for tag, docs in rankings.items()
    ]
    rows = run("compare", "-f", "csv", "-m", "RBP(p=0.8)", "--residuals", qrels, *files).rows
    assert [row["decided"] for row in rows] == ["yes", "no", "no"]
    assert float(rows[0]["residual_low"]) == pytest.approx(0, abs=1e-15)
    # Weights .2, .16, .128 of d0 to d2 against .16, .128, .1024 if all are relevant, and a at .2 against .1024.
    assert float(rows[1]["residual_high"]) == pytest.approx(0.2 - 0.1024, abs=1e-12)
    assert float(rows[1]["residual_low"]) == pytest.approx(0.0, abs=1e-12)


def test_formats(run, sample_files):
    command = ["compare", "-m", "RBP(p=0.5)", "-m", "RBP(p=0.95)", "--residuals", "--baseline", "new-a"]
    table = run(*command, "-f", "table", *sample_files).stdout.splitlines()
    assert table[0].split()[-3:] == ["residual_low", "residual_high", "decided"]
    decided = [line.split()[-1] for line in table[1:5]]
    for place, measure in ((0, "rbp_p=0.5"), (2, "rbp_p=0.95")):
        n = decided[place : place + 2].count("yes")
        assert f"decided, whatever the unjudged documents are: {n} of 2 pairs by {measure}" in table
    rows = [line.split("\t") for line in run(*command, *sample_files).stdout.splitlines()]
    assert rows[0][rows[0].index("significant") + 1 :][:3] == ["residual_low", "residual_high", "decided"]
    latex = run(*command, "-f", "latex", *sample_files).stdout.splitlines()
    assert "% ddagger: the documents that are not judged or not retrieved may decide the sign" in latex
    marks = [line.count("ddagger") for line in latex if line.startswith(("new-b", "ref02"))]
    assert sum(marks) == decided.count("no")


@pytest.fixture
def sample_files() -> list[Path]:
    return [SAMPLE / name for name in ("qrels.gz", "new-a.run.gz", "new-b.run.gz", "references/ref02.run.gz")]


def test_output_is_the_same_for_every_number_of_workers(run, sample_files):
    command = ["compare", "-m", "RBP(p=0.8)", "--residuals", "-f", "csv"]
    assert run(*command, "-j", "1", *sample_files).raw == run(*command, "-j", "2", *sample_files).raw


REFUSED = {
    "-m map": "--residuals needs rank-biased precision, not map; expected -m 'RBP(p=0.95)' or another p",
    "-m RBP -m nRBP": "--residuals needs rank-biased precision, not nrbp_p=0.8; expected",
    "": "--residuals needs rank-biased precision, but no measure is named; expected",
    "-m RBP -J": "--residuals needs the unjudged documents, expected it without -J",
    "-m RBP --scheme n": "--residuals needs raw scores, expected it without --scheme, -F and --round",
    "-m RBP --round 4": "--residuals needs raw scores, expected it without --scheme, -F and --round",
    "-m RBP --unpaired": "expected --residuals or --unpaired, not both",
}


@pytest.mark.parametrize("typed", REFUSED)
def test_what_has_no_residuals_is_refused(run, sample_files, typed: str):
    done = run("compare", "--residuals", *typed.split(), *sample_files)
    assert (done.status, done.raw) == (2, b"")
    assert REFUSED[typed] in done.stderr
    assert done.stderr.count("\n") == 1


def test_scores_files_and_pipes_are_refused(run, write, sample_files):
    scores = write("s.csv", ["run,topic,rbp_p=0.8", "a,1,.1", "b,1,.2"])
    done = run("compare", "--residuals", "-m", "RBP", "--scores", scores)
    assert (done.status, done.stderr.count("\n")) == (2, 1)
    assert "--residuals needs the documents of runs" in done.stderr
    done = run("compare", "--residuals", "-m", "RBP", *sample_files[:2], "-", stdin=b"1 Q0 a 1 1 x\n")
    assert (done.status, done.raw) == (2, b"")
    assert "--residuals reads runs twice, expected a file" in done.stderr
