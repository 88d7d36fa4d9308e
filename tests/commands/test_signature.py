"""`--signature`: the same line from the same input however it is given, another from any other; and its reading."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pytest

STANDARDIZE = ["standardize", "--signature", "-m", "map"]


@pytest.fixture(scope="module")
def qrels(shared: Path) -> Path:
    return shared / "cranfield" / "qrels.txt"


@pytest.fixture(scope="module")
def runs(shared: Path) -> list[Path]:
    names = ("bm25-short-query", "lsi-20", "jaccard")
    return [shared / "cranfield" / "runs" / f"{name}.run.gz" for name in names]


@pytest.fixture
def other(qrels: Path, write) -> Path:
    """The judgments, with one more that no run retrieves; the scores are the same."""
    return write("other.qrels", f"{qrels.read_text()}\n1 0 not-there 0\n")


@pytest.fixture
def stored(run, write):
    """The scores of runs, stored with a signature."""
    typed = ["eval", "-q", "-m", "map", "-m", "P.10", "-f", "csv", "--signature"]
    return lambda name, *options: write(name, run(*typed, *options).stdout)


def signature(done) -> str:
    assert done.status == 0
    return done.stdout.splitlines()[-1].split("\t")[-1].removeprefix("signature: ")


def test_the_same_input_has_the_same_signature(run, qrels, runs, tmp_path):
    """Rows in another order, compressed, other workers, runs and measures in another order, and other formats."""
    typed = [*STANDARDIZE, "-m", "P.10"]
    expected = signature(run(*typed, qrels, *runs))
    fields = r"measures:P_10 map\|options:default\|scheme:N\|qrels:\w{8}\|topics:225\|factors:\w{8}\|references:3"
    assert re.fullmatch(r"stdeval:[0-9.]+\|" + fields, expected)
    lines = qrels.read_text().splitlines()
    random.Random(3).shuffle(lines)
    shuffled = tmp_path / "shuffled.gz"
    shuffled.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert signature(run(*typed, "-j", 2, shuffled, *runs)) == expected
    assert signature(run(*typed, "-f", "table", "-q", qrels, *reversed(runs))) == expected
    assert signature(run("standardize", "--signature", "-m", "P_10", "-m", "AP", qrels, *runs)) == expected
    assert {row["signature"] for row in run(*typed, "-q", "-f", "csv", qrels, *runs).rows} == {expected}
    objects = run(*typed, "-f", "jsonl", qrels, *runs).stdout.splitlines()
    assert {json.loads(line)["signature"] for line in objects} == {expected}


def test_factors_from_a_file_and_from_the_runs_have_the_same_signature(run, qrels, runs, tmp_path):
    factors, empirical = tmp_path / "factors.csv", tmp_path / "empirical.csv.gz"
    assert run("factors", "-m", "map", "-m", "P.10", "-o", factors, qrels, *runs).status == 0
    assert run("factors", "-m", "map", "--empirical", "-o", empirical, qrels, *runs).status == 0
    expected = signature(run(*STANDARDIZE, qrels, *runs))
    assert signature(run(*STANDARDIZE, "-F", empirical, qrels, runs[0])) == expected
    assert signature(run(*STANDARDIZE, "-F", factors, qrels, runs[0])) == expected


def test_what_changes_scores_changes_the_signature(run, qrels, runs, other, write):
    fewer = write("fewer.qrels", [line for line in qrels.read_text().splitlines() if line.split()[0] != "7"])
    changes = ["", "-m P_5", "-l 2", "-M 100", "-c", "--scheme z", "--scheme u", "--scheme u --no-censor"]
    changes += ["--scheme u --ab 0.2,0.5", "--raw", "--round 2", "--leave-out run"]
    found = {change: signature(run(*STANDARDIZE, *change.split(), qrels, *runs)) for change in changes}
    assert "|scheme:U(0.2,0.5)|" in found["--scheme u --ab 0.2,0.5"]
    assert "|options:-c|" in found["-c"]
    assert found["--leave-out run"].endswith("|references:2")
    others = [[qrels, *runs[:2]], [other, *runs], [fewer, *runs]]
    found |= {str(given): signature(run(*STANDARDIZE, *given)) for given in others}
    found["eval"] = signature(run("eval", "--signature", "-m", "map", qrels, *runs))
    assert len({*found.values()}) == len(changes) + len(others) + 1


def test_stored_scores_have_the_signature_of_their_runs(run, qrels, runs, stored):
    path = stored("s.csv", "-l", 2, qrels, *runs)
    assert signature(run(*STANDARDIZE, "--scores", path)) == signature(run(*STANDARDIZE, "-l", 2, qrels, *runs))


def test_files_that_contradict_each_other_are_refused(run, qrels, runs, stored, other, write):
    longer = write("more.qrels", [*qrels.read_text().splitlines(), "999 0 x 1"])
    one = stored("one.csv", qrels, runs[0])
    for options in ([other], [longer], ["-l", 2, qrels]):
        path = stored("two.csv", *options, runs[1])
        done = run("eval", "--scores", one, "--scores", path)
        assert (done.status, done.raw) == (2, b"")
        assert f"{path}: " in done.stderr
        assert "other judgments, options" in done.stderr
    both = write("both.csv", one.read_text() + path.read_text().partition("\n")[2])
    line = len(one.read_text().splitlines()) + 1
    assert f"{both}:{line}: signature with other" in run("eval", "--scores", both).stderr
