"""The group of experiments: what it lists, that listing and help load no numpy, and what it sets for workers."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from stdeval.commands.meta import COMMANDS
from stdeval.commands.meta import command as group

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says_of_itself(name: str):
    found = group.get_command(click.Context(group), name)
    assert " ".join((found.help or "").split("\n\n")[0].split()) == COMMANDS[name]
    assert all(getattr(option, "help", "") for option in found.params if option.param_type_name == "option")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_experiment_that_draws_takes_a_seed_and_trials_and_no_other(run, name: str):
    done = run("meta", name, "--help")
    assert done.status == 0
    for option in ("--scheme", "-m,", "-j,", "-f,", "-o,"):
        assert option in done.stdout
    draws = name not in ("power", "rank", "reliability", "plan", "depth")
    assert [option in done.stdout for option in ("--seed", "--trials")] == [draws, draws]


@pytest.mark.parametrize(
    "experiment", ["power", "reliability", "plan", "split --trials 5", "rank -m map -m P_10", "within --trials 5"]
)
def test_factors_standardize_by_default_as_in_other_commands(run, scores_file, experiment: str):
    scores = scores_file(measures=("map", "P_10"))
    factors = scores.with_name("factors.csv")
    assert run("factors", "--scores", scores, "-o", factors).status == 0
    by_factors, raw = (
        ("meta", *experiment.split(), "--scores", scores, "-F", factors, "-f", "csv"),
        ["--scheme", "raw"],
    )
    by_default = run(*by_factors).stdout
    expected = [*raw, "--scheme", "n"] if "within" in experiment else ["--scheme", "n"]
    assert by_default == run(*by_factors, *expected).stdout != run(*by_factors, *raw).stdout


@pytest.mark.parametrize("name", ["meta", "plot"])
def test_listing_a_group_loads_no_numpy(name: str):
    code = (
        "import sys; from stdeval.__main__ import main\n"
        f"try: main(['{name}', '--help'])\n"
        "except SystemExit: print('numpy' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == "False\n"


def test_experiments_compute_with_one_thread():
    code = (
        "import os\nfrom stdeval.__main__ import main\n"
        "try: main(['meta', 'power', '--help'])\n"
        "except SystemExit: print(os.environ['OPENBLAS_NUM_THREADS'], os.environ['OMP_NUM_THREADS'])"
    )
    bare = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=bare, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("1 1\n")


def test_output_files_are_whole_or_not_there(run, scores_file, tmp_path):
    target = tmp_path / "out.csv"
    done = run("meta", "within", "--topics", 50, "--scores", scores_file(), "-o", target)
    assert done.status == 2
    assert not target.exists()
    done = run("meta", "power", "--scores", scores_file(), "-o", target, "-f", "csv")
    assert (done.status, done.raw) == (0, b"")
    assert target.read_text().startswith("measure,scheme,alpha,power,pairs,test,systems,topics\n")


def test_nothing_is_written_if_one_of_the_files_cannot_be(run, scores_file, tmp_path):
    scores, target = scores_file(), tmp_path / "out.txt"
    for command in (["split"], ["within", "--topics", 4], ["between", "--topics", 4]):
        typed = [*command, "--trials", 3, "--scores", scores, "-o", target]
        done = run("meta", *typed, "--trials-out", tmp_path / "missing" / "trials.csv")
        assert (done.status, done.raw, target.exists()) == (2, b"", False)
    done = run("meta", "split", "--trials", 3, "--scores", scores, "--pairs-out", tmp_path / "missing" / "p.csv")
    assert (done.status, done.raw) == (2, b"")


@pytest.mark.parametrize(
    "command", ["power", "rank -m P.10", "reliability", "plan", "split --trials 10", "within --trials 10"]
)
def test_topics_that_all_runs_lack(run, sample, tmp_path, command: str):
    qrels, *paths = sample
    cut = [tmp_path / path.name.removesuffix(".gz") for path in paths[:12]]
    for path, whole in zip(cut, paths, strict=False):
        lines = gzip.decompress(whole.read_bytes()).decode().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not line.startswith("31")))
    told = "10 of 50 topics left out"
    assert told in run("meta", *command.split(), "-m", "map", qrels, *cut).stderr
    assert told not in run("meta", *command.split(), "-m", "map", "-c", qrels, *cut).stderr
