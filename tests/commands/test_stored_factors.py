"""Stored scores with a signature: standardized by which factors, and with which options."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import SAMPLE

QRELS, FACTORS = SAMPLE / "qrels.gz", SAMPLE / "factors.csv"
RUNS = ("ref01", "ref02", "ref03")
SIGNED = ("-q", "-n", "-f", "csv", "--signature")


def runs(*tags: str) -> list[Path]:
    return [SAMPLE / "references" / f"{tag}.run.gz" for tag in tags]


@pytest.fixture
def stored(run, tmp_path) -> Callable[..., Path]:
    """A file of standardized scores with a signature, of one run or of several."""

    def standardized(*options: object, tags=RUNS[:1]) -> Path:
        path = tmp_path / f"scores{len(list(tmp_path.iterdir()))}.csv"
        typed = ["standardize", "-m", "map", *SIGNED, "-o", path, *options]
        assert run(*typed, QRELS, *runs(*tags)).status == 0
        return path

    return standardized


@pytest.fixture
def weak(run, tmp_path) -> Path:
    path = tmp_path / "weak.csv"
    made = runs(*(f"ref{i:02d}" for i in range(1, 13)))
    assert run("factors", "-m", "map", "-m", "P_10", "-o", path, QRELS, *made).status == 0
    return path


def test_scores_by_other_factors_are_refused(run, stored, weak):
    strong, other = stored("-F", FACTORS), stored("-F", weak, tags=RUNS[1:2])
    joined, against = ["--scores", strong, "--scores", other], ["--scores", strong, "--baseline", other]
    drop = ["check", "--max-drop", "Nmap=0.5"]
    for typed in (["eval", *joined], ["check", "--min", "Nmap=.0001", *joined], [*drop, *against]):
        done = run(*typed)
        assert (done.status, done.stdout) == (2, "")
        assert f"{other}: " in done.stderr
        assert "factors" in done.stderr
    assert run(*drop, *against, "--allow-other-judgments").status in (0, 1)


def test_scores_by_the_same_factors_keep_them_in_the_signature(run, stored):
    first, second = (stored("-F", FACTORS, tags=[tag]) for tag in RUNS[:2])
    done = run("eval", "--signature", "--scores", first, "--scores", second)
    assert (done.status, done.stderr) == (0, "")
    signed = first.read_text().splitlines()[1].rpartition(",")[2]
    assert done.stdout.rstrip().endswith(signed)
    assert re.search(r"\|scheme:N\|.*\|factors:\w{8}\|references:40$", signed)
    assert run("convert", first, "--to", "scores").stdout == first.read_text()
    # also beside the raw scores of the runs
    raw = first.with_name("raw.csv")
    assert run("eval", "-m", "map", *SIGNED, "-o", raw, QRELS, *runs("ref03")).status == 0
    beside = run("eval", "--signature", "--scores", first, "--scores", raw).stdout
    assert beside.rstrip().endswith(signed.partition("|scheme:")[2].replace("N", "raw N", 1))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["--scheme", "u"], ["--scheme", "u", "--ab", "0.5,0.5"]),
        (["--scheme", "u"], ["--scheme", "u", "--no-censor"]),
        (["--round", "2"], []),
        (["--leave-out", "run"], []),
    ],
)
def test_other_parameters_are_refused(run, stored, one, other):
    """Without -F the runs are their own reference runs; the two files hold different runs."""
    factors = [] if "--leave-out" in one else ["-F", FACTORS]
    first, second = stored(*factors, *one, tags=RUNS), stored(*factors, *other, tags=["ref04", "ref05", "ref06"])
    done = run("eval", "--scores", first, "--scores", second)
    assert (done.status, done.stdout) == (2, "")
    assert "other judgments, options or factors" in done.stderr
