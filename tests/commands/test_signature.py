"""`--signature`: the same line from the same input however it is given, another from any other; and its reading."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pytest

NAMES = ("bm25-short-query", "lsi-20", "jaccard")


@pytest.fixture(scope="module")
def qrels(shared: Path) -> Path:
    return shared / "cranfield" / "qrels.txt"


@pytest.fixture(scope="module")
def runs(shared: Path) -> list[Path]:
    return [shared / "cranfield" / "runs" / f"{name}.run.gz" for name in NAMES]


@pytest.fixture(scope="module")
def other(qrels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The judgments, with one more that no run retrieves; the scores are the same."""
    path = tmp_path_factory.mktemp("other") / "other.qrels"
    path.write_text(f"{qrels.read_text()}\n1 0 not-there 0\n")
    return path


@pytest.fixture
def stored(run, tmp_path: Path):
    """The scores of runs, stored with a signature."""

    def store(*options: object) -> Path:
        path = tmp_path / f"stored{len(list(tmp_path.iterdir()))}.csv"
        done = run("eval", "-q", "-m", "map", "-m", "P.10", "-f", "csv", "--signature", "-o", path, *options)
        assert done.status == 0
        return path

    return store


def signature(done) -> str:
    assert done.status == 0
    return done.stdout.splitlines()[-1].split("\t")[-1].removeprefix("signature: ")


def test_the_same_input_has_the_same_signature(run, qrels, runs, tmp_path):
    """Rows in another order, compressed, other workers, runs and measures in another order, and other formats."""
    typed = ["standardize", "--signature", "-m", "map", "-m", "P.10"]
    expected = signature(run(*typed, qrels, *runs))
    assert re.fullmatch(
        r"stdeval:[0-9.]+\|measures:P_10 map\|options:default\|scheme:N\|qrels:\w{8}\|topics:225\|"
        r"factors:\w{8}\|references:3",
        expected,
    )
    lines = qrels.read_text().splitlines()
    random.Random(3).shuffle(lines)
    shuffled = tmp_path / "shuffled.gz"
    shuffled.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert signature(run(*typed, "-j", 2, shuffled, *runs)) == expected
    assert signature(run(*typed, "-f", "table", "-q", qrels, *reversed(runs))) == expected
    assert signature(run("standardize", "--signature", "-m", "P_10", "-m", "AP", qrels, *runs)) == expected
    rows = run(*typed, "-q", "-f", "csv", qrels, *runs).rows
    assert {row["signature"] for row in rows} == {expected}
    assert list(rows[0])[-1] == "signature"
    objects = run(*typed, "-f", "jsonl", qrels, *runs).stdout.splitlines()
    assert {json.loads(line)["signature"] for line in objects} == {expected}


def test_factors_from_a_file_and_from_the_runs_have_the_same_signature(run, qrels, runs, tmp_path):
    factors, empirical = tmp_path / "factors.csv", tmp_path / "empirical.csv.gz"
    assert run("factors", "-m", "map", "-m", "P.10", "-o", factors, qrels, *runs).status == 0
    assert run("factors", "-m", "map", "--empirical", "-o", empirical, qrels, *runs).status == 0
    typed = ["standardize", "--signature", "-m", "map"]
    expected = signature(run(*typed, qrels, *runs))
    assert signature(run(*typed, "-F", empirical, qrels, runs[0])) == expected
    assert signature(run(*typed, "-F", factors, qrels, runs[0])) == expected


def test_what_changes_scores_changes_the_signature(run, qrels, runs, other, write):
    typed = ["standardize", "--signature", "-m", "map"]
    fewer = [line for line in qrels.read_text().splitlines() if line.split()[0] != "7"]
    others = [
        [*typed, qrels, *runs],
        [*typed, "-m", "P_5", qrels, *runs],
        [*typed, "-l", 2, qrels, *runs],
        [*typed, "-M", 100, qrels, *runs],
        [*typed, "-c", qrels, *runs],
        [*typed, "--scheme", "z", qrels, *runs],
        [*typed, "--scheme", "u", qrels, *runs],
        [*typed, "--scheme", "u", "--no-censor", qrels, *runs],
        [*typed, "--scheme", "u", "--ab", "0.2,0.5", qrels, *runs],
        [*typed, "--raw", qrels, *runs],
        [*typed, "--round", 2, qrels, *runs],
        [*typed, "--leave-out", "run", qrels, *runs],
        [*typed, qrels, *runs[:2]],
        [*typed, other, *runs],
        [*typed, write("fewer.qrels", fewer), *runs],
        ["eval", "--signature", "-m", "map", qrels, *runs],
    ]
    signatures = [signature(run(*arguments)) for arguments in others]
    assert len(set(signatures)) == len(others)
    assert "|scheme:U(0.2,0.5)|" in signatures[8]
    assert "|options:-c|" in signatures[4]
    assert signatures[11].endswith("|references:2")


@pytest.mark.parametrize("options", [[], ["-n", "-q"], ["-f", "table"]])
def test_nothing_else_changes(run, qrels, runs, options):
    """The signature is one more line, and the output without it is what it was."""
    plain = run("eval", *options, qrels, *runs)
    *lines, last = run("eval", *options, "--signature", qrels, *runs).stdout.splitlines()
    assert lines == plain.stdout.splitlines()
    assert "signature" in last


# --- stored scores ---


def test_stored_scores_have_the_signature_of_their_runs(run, qrels, runs, stored):
    typed = ["standardize", "--signature", "-m", "map"]
    path = stored("-l", 2, qrels, *runs)
    assert signature(run(*typed, "--scores", path)) == signature(run(*typed, "-l", 2, qrels, *runs))
    assert "signature" not in run("topics", "--scores", path).stdout


def test_files_that_contradict_each_other_are_refused(run, qrels, runs, stored, other, write):
    longer = write("more.qrels", [*qrels.read_text().splitlines(), "999 0 x 1"])
    one = stored(qrels, runs[0])
    for path, word in (
        (stored(other, runs[1]), "other judgments"),
        (stored(longer, runs[1]), "other judgments"),
        (stored("-l", 2, qrels, runs[1]), "other judgments, options"),
    ):
        done = run("eval", "--scores", one, "--scores", path)
        assert (done.status, done.raw) == (2, b"")
        assert f"{path}: " in done.stderr
        assert word in done.stderr
    both = write("both.csv", one.read_text() + path.read_text().partition("\n")[2])
    line = len(one.read_text().splitlines()) + 1
    assert f"{both}:{line}: signature with other" in run("eval", "--scores", both).stderr
