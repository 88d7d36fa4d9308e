"""`standardize --ci-of`: the lines of intervals over references, and what is said about them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.intervals import reference_intervals
from tests.conftest import SAMPLE

FEW = ("--resamples", "200")


@pytest.fixture
def references(run, tmp_path: Path) -> Path:
    """The scores of twelve reference runs of the sample data."""
    path = tmp_path / "references.csv"
    runs = sorted((SAMPLE / "references").glob("*.gz"))[:12]
    assert (
        run("factors", "--empirical", "-m", "map", "-m", "P.10", "-o", path, SAMPLE / "qrels.gz", *runs).status == 0
    )
    return path


RUNS = [SAMPLE / "qrels.gz", SAMPLE / "new-a.run.gz", SAMPLE / "new-b.run.gz"]


def lines(rows: list[dict[str, str]], start: str) -> list[dict[str, str]]:
    return [row for row in rows if row["topic"].startswith(start)]


def test_lines_are_those_of_the_library(run, references: Path):
    command = [
        "standardize",
        "-F",
        references,
        "--scheme",
        "n",
        "--scheme",
        "e",
        "--scheme",
        "u",
        "--ab",
        "0.2,0.5",
    ]
    rows = run(*command, "--ci", "0.9", "--ci-of", "references", "--seed", "3", *FEW, "-f", "csv", *RUNS).rows
    raw = read_scores(Input(_written(run, references.parent / "raw.csv")))
    reference = read_scores(Input(references))
    for end in ("low", "high"):
        found = lines(rows, f"all.ci_{end}.level=0.9.of=references.resamples=200.seed=3")
        for scheme in "NEU":
            expected = reference_intervals(
                raw, fit_factors(reference), scheme, level=0.9, n_resamples=200, seed=3, A=0.2
            )
            columns = [f"{scheme}{measure}" for measure in raw.measures]
            values = [[float(row[column]) for column in columns] for row in found]
            np.testing.assert_array_equal(values, getattr(expected, end))


def _written(run, path: Path) -> Path:
    assert run("eval", "-m", "map", "-m", "P.10", "-q", "-f", "csv", "-n", "-o", path, *RUNS).status == 0
    return path


def test_other_lines_are_as_without(run, references: Path):
    """The interval adds its lines beside other aggregates, and changes no mean."""
    command = ["standardize", "-F", references, "-m", "map", "-a", "am", "-a", "md", "-q"]
    plain = run(*command, *RUNS).stdout.splitlines()
    given = run(*command, "--ci", "0.95", "--ci-of", "both", *FEW, *RUNS).stdout.splitlines()
    added = [line for line in given if ".ci_" in line]
    assert [line for line in given if line not in added] == plain
    assert [line.split("\t")[1] for line in added] == [
        f"all.ci_{end}.of=both.resamples=200.seed=0" for end in ("low", "high", "low", "high")
    ]


def test_raw_scores_depend_on_topics_only(run, references: Path):
    command = ["standardize", "-F", references, "-m", "map", "--raw", "--ci", "0.95", *FEW, "-q", "-f", "csv"]
    of_references = lines(run(*command, "--ci-of", "references", *RUNS).rows, "all.ci")
    assert [row["map"] for row in of_references] == [""] * 4
    of_both = lines(run(*command, "--ci-of", "both", *RUNS).rows, "all.ci")
    assert float(of_both[0]["map"]) < 0.3824 < float(of_both[1]["map"])
    width = [float(rows[1]["Nmap"]) - float(rows[0]["Nmap"]) for rows in (of_references, of_both)]
    assert 0 < width[0] < width[1]


def test_intervals_without_reference_scores(run, write, references: Path):
    factors = write("f.csv", "")
    assert run("factors", "--scores", references, "-o", factors).status == 0
    command = [
        "standardize",
        "-F",
        factors,
        "-m",
        "map",
        "--ci",
        "0.95",
        "--ci-of",
        "references",
        *FEW,
        "-f",
        "csv",
    ]
    done = run(*command, *RUNS)
    low, high = (float(row["Nmap"]) for row in lines(done.rows, "all.ci")[:2])
    mean = float(lines(done.rows, "all")[0]["Nmap"])
    assert low < mean < high


def test_factors_without_numbers_of_references_are_refused(run, write):
    factors = write("zscores", ["301 map 0.2 0.1", "302 map 0.3 0.1"])
    done = run("standardize", "-F", factors, "-m", "map", "--ci", "0.95", "--ci-of", "both", *RUNS)
    assert (done.status, done.raw, done.stderr.splitlines()[-1]) == (
        2,
        b"",
        f"stdeval: {factors}: no number of reference runs (n), expected it, or reference scores, "
        "for --ci-of references or both",
    )


def test_references_that_differ_by_run_have_no_interval(run, scores_file):
    done = run(*("standardize", "--leave-out", "run", "--ci", 0.9, "--ci-of", "both", "--scores", scores_file()))
    assert (done.status, done.raw) == (2, b"")
    assert "--leave-out changes the references of each run, expected --ci-of topics" in done.stderr
