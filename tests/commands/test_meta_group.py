"""The group of experiments: what it lists, that listing and help load no numpy, and what it sets for workers."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
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


def copies(n_copies: int, seed: int) -> list[str]:
    """Scores of three runs on twelve topics, and as many copies of each run under other names."""
    scores = np.random.default_rng(seed).random((3, 12))
    rows = [(i, copy, topic) for i in range(3) for copy in range(n_copies + 1) for topic in range(12)]
    return ["run,topic,map,P_10", *(f"s{i}{copy},{t},{scores[i, t]},{1 - scores[i, t]}" for i, copy, t in rows)]


@pytest.mark.parametrize("name", sorted({*COMMANDS} - {"depth"}))
@pytest.mark.parametrize("schemes", [[], ["--scheme", "raw"], ["--scheme", "raw", "--scheme", "n"]])
def test_copies_of_runs_are_one_warning(run, write, name: str, schemes: list[str]):
    path = write("copies.csv", copies(3, 1))
    inputs = [path, write("others.csv", copies(3, 2))] if name == "collections" else ["--scores", path]
    done = run("meta", name, *schemes, *inputs)
    assert done.status == 0
    (told,) = [line for line in done.stderr.splitlines() if "scores of another one" in line]
    assert told.startswith("stdeval: warning: 9 of 12 ")
    assert told.endswith("runs have the scores of another one: they count several times")


@pytest.mark.parametrize("given", [["-F"], ["--evaluate"], ["--other"]])
def test_copies_are_told_of_the_runs_that_are_ranked_and_of_the_references(run, write, tmp_path, given: list[str]):
    path, empirical = write("copies.csv", copies(3, 1)), tmp_path / "factors.csv"
    assert run("factors", "--empirical", "-o", empirical, "--scores", path).status == 0
    other = empirical if given == ["-F"] else write("others.csv", copies(1, 2))
    done = run("meta", "references", *given, other, "--scores", write("one.csv", copies(1, 3)))
    numbers = {"-F": ["9 of 12 reference runs", "3 of 6 runs"], "--evaluate": ["3 of 6 reference runs"]}
    for number in numbers.get(given[0], ["3 of 6 reference runs"]):
        assert f"stdeval: warning: {number} have the scores of another one" in done.stderr


def test_copies_of_scored_runs_are_one_warning(run, write):
    names = [f"d{i}" for i in range(12)]
    qrels = write(
        "q.qrels",
        [f"{topic} 0 {name} {(i + topic) % 3 == 0:d}" for topic in range(12) for i, name in enumerate(names)],
    )
    paths = []
    for i in range(6):
        order = np.random.default_rng(i // 2).permutation(len(names))
        lines = [f"{t} Q0 {names[place]} 0 {-rank} r{i}" for t in range(12) for rank, place in enumerate(order)]
        paths.append(write(f"r{i}.run", lines))
    depths = ["--pool-depth", 10, "--eval-depth", 5, "-m", "AP"]
    for form in ("raw", "standardized"):
        done = run("meta", "depth", *depths, "--form", form, qrels, *paths)
        assert done.status == 0
        told = "stdeval: warning: 3 of 6 runs have the scores of another one: they count several times"
        assert told in done.stderr.splitlines()
        assert done.stderr.count("scores of another one") == 1


def test_runs_that_have_only_whole_numbers_in_common_are_no_copies(run, write):
    """Half of the topics are so easy that every run has success 1."""
    rows = [f"s{i},{t},{int(t < 20 or t % 12 == i)}" for i in range(12) for t in range(24)]
    rows += [f"t{i},{t},{int(t < 20 or t % 12 == i)}" for i in range(12) for t in range(24)]
    done = run("meta", "reliability", "--scores", write("s.csv", ["run,topic,success_10", *rows]))
    assert "scores of another one" not in done.stderr


@pytest.mark.parametrize("name", sorted({*COMMANDS} - {"depth", "plan"}))
@pytest.mark.parametrize("n", [9, 10])
def test_few_runs_are_told(run, scores_file, name: str, n: int):
    path = scores_file(n_systems=n)
    inputs = [path, scores_file("others.csv", n_systems=n, seed=2)] if name == "collections" else ["--scores", path]
    done = run("meta", name, "--scheme", "raw", "--scheme", "n", *inputs)
    told = f"{n} runs are few for an experiment: others may give other results (expected 10 or more)"
    assert (done.status, told in done.stderr) == (0, n < 10)


@pytest.mark.parametrize(
    "command", ["power", "rank -m P.10", "reliability", "plan", "split --trials 10", "within --trials 10"]
)
def test_topics_that_all_runs_lack_are_told(run, sample, tmp_path, command: str):
    qrels, *paths = sample
    cut = [tmp_path / path.name.removesuffix(".gz") for path in paths[:12]]
    for path, whole in zip(cut, paths, strict=False):
        lines = gzip.decompress(whole.read_bytes()).decode().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not line.startswith("31")))
    told = "10 of 50 topics left out: no run has documents for them, -c counts them as 0"
    assert told in run("meta", *command.split(), "-m", "map", qrels, *cut).stderr
    assert told not in run("meta", *command.split(), "-m", "map", "-c", qrels, *cut).stderr
    stored = tmp_path / "s.csv"
    run("eval", "-q", "-f", "csv", "--signature", "-m", "map", "-m", "P_10", "-o", stored, qrels, *cut)
    found = "scores of 40 of the 50 topics of the judgments: the others are left out"
    assert found in run("meta", *command.split(), "-m", "map", "--scores", stored).stderr
