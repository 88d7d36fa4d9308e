"""`--precision double`, in every command that evaluates runs: scores that 32-bit floats do not tell apart."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Of topic 1, trec_eval 9 sees one score, and so ranks d, c, b, a; trec_eval 10 ranks a, c, b, d.
TIED = ["1 Q0 a 1 16777216.3 t", "1 Q0 b 2 16777216.1 t", "1 Q0 c 3 16777216.1 t", "1 Q0 d 4 16777216 t"]
APART = ["2 Q0 a 1 0.5 t", "2 Q0 b 2 0.25 t"]
QRELS = ["1 0 a 1", "1 0 d 0", "2 0 a 0", "2 0 b 1"]


@pytest.fixture
def files(write):
    return write("qrels", QRELS), write("t.run", TIED + APART)


@pytest.mark.parametrize(
    ("options", "single", "double"),
    [
        ("-m recip_rank", "0.2500 0.5000 0.3750", "1.0000 0.5000 0.7500"),
        ("-m recip_rank -M 1", "0.0000 0.0000 0.0000", "1.0000 0.0000 0.5000"),
        ("-m recip_rank -J", "0.5000 0.5000 0.5000", "1.0000 0.5000 0.7500"),
        ("-m relstring", "'0--1' '01'", "'1--0' '01'"),
        ("-m relstring -M 2", "'0-' '01'", "'1-' '01'"),
        ("-m rbp_p=0.5", "0.0625 0.2500 0.1562", "0.5000 0.2500 0.3750"),
    ],
)
def test_eval_ranks_by_doubles(run, files, options: str, single: str, double: str):
    for precision, expected in (("", single), ("--precision single", single), ("--precision double", double)):
        done = run("eval", "-q", *options.split(), *precision.split(), *files)
        assert (done.status, done.stderr) == (0, "")
        assert [line.split()[-1] for line in done.stdout.splitlines()] == expected.split()


def test_order_of_lines_and_workers_change_nothing(run, files, write):
    qrels, path = files
    reversed_run = write("reversed.run", [line.replace(" t", " r") for line in reversed(TIED + APART)])
    outputs = {
        run(
            "eval",
            "-q",
            "-f",
            "csv",
            "-m",
            "all_trec",
            "--precision",
            "double",
            *options,
            qrels,
            path,
            reversed_run,
        ).raw
        for options in (["-j", 1], ["-j", 2])
    }
    (output,) = outputs
    rows = [line.split(",") for line in output.decode().splitlines()[1:]]
    assert [row[1:] for row in rows if row[0] == "t"] == [row[1:] for row in rows if row[0] == "r"]


def test_numpy_is_not_loaded_for_trec_evals_measures(files):
    program = (
        "import sys; from stdeval.__main__ import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: print('numpy.linalg' in sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, "eval", "--precision", "double", *map(str, files)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stderr.split() == ["False"]
