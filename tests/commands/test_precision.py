"""`--precision double`, in every command that evaluates runs: scores that 32-bit floats do not tell apart."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from stdeval.commands import cli

# Of topic 1, trec_eval 9 sees one score, and so ranks d, c, b, a; trec_eval 10 ranks a, c, b, d.
TIED = ["1 Q0 a 1 16777216.3 t", "1 Q0 b 2 16777216.1 t", "1 Q0 c 3 16777216.1 t", "1 Q0 d 4 16777216 t"]
APART = ["2 Q0 a 1 0.5 t", "2 Q0 b 2 0.25 t"]
QRELS = ["1 0 a 1", "1 0 d 0", "2 0 a 0", "2 0 b 1"]


@pytest.fixture
def files(write):
    return write("qrels", QRELS), write("t.run", TIED + APART)


@pytest.fixture
def two_runs(files, write):
    other = [f"{topic} Q0 {docno} 1 {score} u" for topic in (1, 2) for docno, score in (("d", 2), ("b", 1))]
    return *files, write("u.run", other)


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


def test_pool_takes_the_first_documents_by_doubles(run, files):
    assert run("pool", "-d", 1, *files).stdout.splitlines() == ["1 0 d 0", "2 0 a 0"]
    assert run("pool", "-d", 1, "--precision", "double", *files).stdout.splitlines() == ["1 0 a 1", "2 0 a 0"]


def test_meta_depth_takes_the_first_documents_by_doubles(run, write):
    topics = "1234"
    qrels = write("qrels", [f"{topic} 0 {judged}" for topic in topics for judged in ("a 1", "d 0")])
    tied = write("t.run", [topic + line[1:] for topic in topics for line in TIED])
    others = [write(name, [f"{topic} Q0 d 1 2 {name}" for topic in topics]) for name in ("u.run", "v.run")]
    depths = ["--pool-depth", 1, "--eval-depth", 1, "--form", "raw", "-m", "P", "-f", "csv"]
    for precision, mean in (("single", 0), ("double", 1 / 3)):
        (row,) = run("meta", "depth", *depths, "--precision", precision, qrels, tied, *others).rows
        assert float(row["mean"]) == pytest.approx(mean)


def test_the_report_says_the_precision(run, two_runs, tmp_path):
    page = tmp_path / "page.html"
    assert run("report", "-m", "recip_rank", "--precision", "double", "-o", page, *two_runs).status == 0
    assert "--precision double, scores compared as 64-bit floats" in page.read_text()


def test_scores_that_are_there_already_are_not_compared_again(run, write):
    scores = write("s.csv", ["run,topic,map", "a,1,0.5", "b,1,0.25"])
    done = run("eval", "--scores", scores, "--precision", "double")
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert "--precision need QRELS RUN..." in done.stderr


@pytest.mark.parametrize("score", ["1e400", "-1e400", "inf", "nan", "0x1p3"])
def test_scores_that_are_not_finite_decimals_are_refused_as_before(run, files, write, score: str):
    path = write("bad.run", [f"1 Q0 a 1 {score} t"])
    done = run("eval", "--precision", "double", files[0], path)
    assert (done.status, done.raw) == (2, b"")
    assert f"bad.run:1: score '{score}', expected a finite decimal number" in done.stderr


def commands(group: click.Group, context: click.Context, name: str = ""):
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        if isinstance(command, click.Group):
            yield from commands(command, context, f"{name}{word} ")
        else:
            yield f"{name}{word}", {option for each in command.params for option in each.opts}


def test_every_command_that_evaluates_runs_has_the_option():
    options = dict(commands(cli, click.Context(cli)))
    evaluating = {name for name, names in options.items() if "-J" in names} | {"pool"}
    assert len(evaluating) > 15
    assert {name for name, names in options.items() if "--precision" in names} == evaluating


def test_numpy_is_not_loaded_for_trec_evals_measures(files):
    program = (
        "import sys; from stdeval.__main__ import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: print('numpy' in sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, "eval", "--precision", "double", *map(str, files)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stderr.split() == ["False"]
