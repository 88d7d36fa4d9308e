"""Little memory, and inputs that would need much: long lines, lines of many columns, names of many digits."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT, SAMPLE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems limit no address space")

QRELS, RUN, BASELINE = (str(SAMPLE / name) for name in ("qrels.gz", "new-b.run.gz", "new-a.run.gz"))


@cache
def ended(*arguments: object, folder: Path = ROOT, stdin: str = os.devnull, kib: object = "unlimited") -> tuple:
    """Return the status, stdout and stderr of a command with so much address space."""
    command = ["sh", "-c", 'ulimit -v "$0" && exec "$@"', str(kib), sys.executable, "-m", "stdeval"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("OPENBLAS_NUM_THREADS", None)
    with Path(stdin).open("rb") as given:
        streams = {"stdin": given, "capture_output": True, "encoding": "utf-8"}
        done = subprocess.run(
            [*command, *map(str, arguments)], cwd=folder, env=environment, timeout=60, check=False, **streams
        )
    return done.returncode, done.stdout, done.stderr


# --- little address space ---

COMMANDS = {
    "eval": ["eval", "-m", "map", "-m", "rbp", QRELS, RUN],
    "standardize": ["standardize", "-F", SAMPLE / "factors.csv", "-m", "map", QRELS, RUN],
    "check": ["check", "--baseline", BASELINE, "--non-inferior", "map=0.01", QRELS, RUN],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kib", [60_000, 90_000, 165_000, *range(190_000, 250_001, 20_000)])
def test_with_little_address_space_commands_end_with_their_output_or_an_error(command: str, kib: int):
    """As `ulimit -v`: OpenBLAS would spin for ever, or end the process with 1, the status of a failed check."""
    usual, limited = (ended(*COMMANDS[command], kib=limit) for limit in ("unlimited", kib))
    if limited != usual:
        assert limited[:2] == (2, "")


# --- much to read ---

MOST = 350_000  # KiB, where the files of these tests took up to 4 GB

COLUMNS = b"12 " * 5_000_000
FILES = {
    "qrels": b"1 0 a 1\n",
    "run": b"1 Q0 a 1 3 tag\n",
    "wide": COLUMNS + b"\n",
    "wide.run": b"1 Q0 a 1 3 tag\n1 Q0 b 1 3 tag " + COLUMNS + b"\n",
    "wide.csv": b"run,topic," + COLUMNS.replace(b" ", b",") + b"\n",
    "wide.tsv": b"map\t1\t" + COLUMNS.replace(b" ", b"\t") + b"\n",
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of small files, of files with five million columns, and of two gigabytes of zeros."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    with (folder / "zeros").open("wb") as zeros:
        zeros.truncate(2 << 30)
    return folder


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("eval qrels wide", 2, "wide:1: more than 1000 columns, expected 6"),
        ("eval wide run", 2, "wide:1: more than 1000 columns, expected 4"),
        ("convert --to scores wide", 2, "wide:1: more than 1000 columns, expected 3"),
        ("convert --to scores wide.tsv", 2, "wide.tsv:1: more than 1000 columns, expected 3"),
        ("eval --scores wide.csv", 2, "wide.csv:1: more than 1000000 commas in a line"),
        ("eval -m num_ret qrels wide.run", 0, "num_ret               \tall\t2"),
        ("validate wide.run", 1, "more than 1000 columns, expected 6"),
        ("validate --topics wide run", 1, "topic"),
    ],
)
def test_a_line_of_many_columns_costs_little(hostile: Path, line: str, status: int, words: str):
    found, stdout, stderr = ended(*line.split(), folder=hostile, kib=MOST)
    assert found == status
    assert words in (stderr if status == 2 else stdout)


ENDLESS = ["eval qrels zeros", "eval zeros run", "eval qrels -", "eval --scores zeros", "validate zeros"]
ENDLESS += ["convert --to scores zeros", "convert --to scores -"]
ENDLESS += ["standardize -F zeros qrels run", "standardize -F - qrels run"]
ENDLESS += ["standardize --leave-out group --groups zeros qrels run", "validate --docnos zeros run"]
ENDLESS += ["check --min map=0 --baseline zeros qrels run", "validate --topics zeros run"]


@pytest.mark.parametrize("line", ENDLESS)
def test_a_line_without_end_is_refused_wherever_it_is_read(hostile: Path, line: str):
    done = ended(*line.split(), folder=hostile, stdin=str(hostile / "zeros"), kib=MOST)
    name = "<stdin>" if "-" in line.split() else "zeros"
    assert done == (2, "", f"stdeval: {name}: a line longer than 64 MiB, expected text in lines\n")


DIGITS = "9" * 1_000_000
REFERENCE = f"&#{'9' * 4301};"


def test_docnos_of_many_digits_are_names(tmp_path: Path):
    """Python refuses to make numbers of more than 4,300 digits; docnos, ranks and tags are none."""
    (tmp_path / "qrels").write_text(f"1 0 {DIGITS} 1\n1 0 {REFERENCE} 0\n")
    lines = [f"1 Q0 {REFERENCE} 1 9 ", f"1 Q0 {DIGITS} {'9' * 4301} 8 "]
    for name in ("run", "other"):
        (tmp_path / name).write_text("".join(f"{line}{name}\n" for line in lines))
    for line, status, words in (
        ("eval -m map qrels run", 0, "map                   \tall\t0.5000\n"),
        ("check --min map=0.5 --baseline other --max-drop map=0 qrels run", 0, "PASS"),
        ("compare -m map qrels run other", 0, "0.5000"),
        ("pool -d 1 qrels run", 0, REFERENCE),
        ("pool -d 2 --report qrels run other", 0, "all"),
        ("validate --qrels qrels run", 1, "expected a whole number"),
    ):
        found, stdout, stderr = ended(*line.split(), folder=tmp_path, kib=MOST)
        assert (found, "Traceback" in stderr) == (status, False), (line, stderr[-300:])
        assert words in stdout
