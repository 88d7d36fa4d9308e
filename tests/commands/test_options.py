"""Shared options: names of files, ranges of numbers, and choices.

Options name what the tables of aggregates, tests and corrections have: they list it, to start without them.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from stdeval.commands import COMMANDS, cli
from stdeval.commands.options import FileName
from stdeval.standardization import SCHEMES
from stdeval.stats.aggregates import AGGREGATES
from stdeval.stats.corrections import CORRECTIONS
from stdeval.stats.paired_tests import ALTERNATIVES, TESTS

TABLES = {
    "aggregates": list(AGGREGATES),
    "test": list(TESTS),
    "alternative": list(ALTERNATIVES),
    "correction": list(CORRECTIONS),
}


def choices() -> list[tuple[str, str, list[str]]]:
    commands = [(name, import_module(f"stdeval.commands.{name}").command) for name in COMMANDS]
    return [
        (name, option.name, list(option.type.choices))
        for name, command in commands
        for option in command.params
        if isinstance(option.type, click.Choice)
    ]


@pytest.mark.parametrize("name", TABLES)
def test_choices_are_the_rows_of_the_table(name: str):
    found = [listed for _, option, listed in choices() if option == name]
    assert found
    assert all(listed == TABLES[name] for listed in found)


def test_schemes():
    listed = {command: names for command, option, names in choices() if option == "schemes"}
    letters = [letter.lower() for letter in SCHEMES]
    assert listed["standardize"] == letters
    assert listed["compare"] == ["raw", *letters]


# Files


def names_of_files(command: click.Command) -> list[click.Parameter]:
    """The parameters of a command and its subcommands whose values are names of files."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        subcommands = [command.get_command(context, name) for name in command.list_commands(context)]
        return [parameter for each in subcommands if each for parameter in names_of_files(each)]
    words = ("FILE", "QRELS", "SCORES")
    return [each for each in command.params if any(word in str(each.metavar) for word in words)]


def test_every_name_of_a_file_is_checked():
    parameters = names_of_files(cli)
    assert len(parameters) > 60
    assert [each.name for each in parameters if not isinstance(each.type, FileName)] == []


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """A folder of one small file of each kind, in which the test runs; its content."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    for name in ("r1", "r2"):
        lines = [f"{topic} Q0 {docno} {rank} {3 - rank} {name}" for topic in "123" for rank, docno in ((1, "a"),)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    rows = [f"{run},{topic},0.{topic}{place}" for place, run in enumerate(("s1", "s2", "s3")) for topic in "123"]
    for name in ("scores.csv", "more.csv"):
        (tmp_path / name).write_text("run,topic,map\n" + "\n".join(rows) + "\n")
    (tmp_path / "factors.csv").write_text("topic,n,map.mean,map.sd\n1,9,.3,.1\n2,9,.3,.1\n3,9,.3,.1\n")
    (tmp_path / "power.csv").write_text("alpha,power\n0.01,0.5\n0.05,0.6\n")
    (tmp_path / "hard-link").hardlink_to(tmp_path / "r1")
    (tmp_path / "link").symlink_to("r1")
    return {path.name: path.read_bytes() for path in tmp_path.iterdir()}


ON_AN_INPUT = [
    "eval -o qrels qrels r1",
    "eval qrels r1 -o r1",
    "eval qrels ./r1 -o link",
    "eval qrels r1 -o hard-link",
    "eval --scores scores.csv -o scores.csv",
    "standardize -F factors.csv -o factors.csv qrels r1",
    "standardize -o factors.csv -F factors.csv qrels r1",
    "factors qrels r1 r2 -o r2",
    "convert scores.csv --to matrix -o scores.csv",
    "pool -d 1 qrels r1 -o qrels",
    "pool -d 1 qrels r1 -o r1",
    "topics qrels r1 r2 -o r2",
    "compare qrels r1 r2 -o r2",
    "report qrels r1 r2 -o r2",
    "check qrels r1 --min map=0 -o r1",
    "check qrels r1 --min map=0 --junit r1",
    "check qrels r1 --min Nmap=0 -F factors.csv --junit factors.csv",
    "meta power --scores scores.csv -o scores.csv",
    "meta within --scores scores.csv --trials-out scores.csv",
    "meta split --scores scores.csv --pairs-out scores.csv",
    "meta collections scores.csv more.csv -o more.csv",
    "meta references --scores scores.csv --other more.csv -o more.csv",
    "meta references --scores scores.csv --evaluate more.csv -o more.csv",
    "meta references --scores scores.csv -F more.csv -o more.csv",
    "plot power power.csv -o power.csv",
    "plot means --scores scores.csv -o scores.csv",
]
ON_ONE_OUTPUT = [
    "check qrels r1 --min map=0 -o new --junit new",
    "check qrels r1 --min map=0 -o new --junit ./new",
    "check qrels r1 --min map=0 --junit -",
    "meta split --scores scores.csv --trials-out new --pairs-out new",
    "meta within --scores scores.csv --trials-out -",
    "convert factors.csv --to published -o new -o new",
    "convert factors.csv --to published -o - -o -",
]


@pytest.mark.parametrize("line", [*ON_AN_INPUT, *ON_ONE_OUTPUT])
def test_an_output_is_neither_an_input_nor_another_output(run, files: dict[str, bytes], line: str):
    done = run(*line.split())
    assert (done.status, done.stdout) == (2, "")
    words = "the command reads this file" if line in ON_AN_INPUT else "write"
    assert done.stderr.startswith("stdeval ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == files


def test_standard_input_may_be_the_file_of_an_output(files: dict[str, bytes]):
    command = [sys.executable, "-m", "stdeval", "eval", "qrels", "-", "-o", "r1"]
    with Path("r1").open("rb") as stdin:
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "-o r1: the command reads this file" in done.stderr
    assert Path("r1").read_bytes() == files["r1"]


@pytest.mark.parametrize("option", ["-o", "--output", "--junit"])
@pytest.mark.parametrize("name", ["-q", "--scores", ""])
def test_an_option_is_not_the_name_of_an_output(run, files: dict[str, bytes], option: str, name: str):
    done = run("check", "qrels", "r1", "--min", "map=0", option, name)
    assert (done.status, done.stdout) == (2, "")
    assert "expected the name of a file" in done.stderr
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == files


@pytest.mark.parametrize(("option", "other"), [("--junit", "-o"), ("-o", "--junit")])
def test_a_hyphen_is_stdout_for_one_output(run, files: dict[str, bytes], option: str, other: str):
    arguments = ("check", "qrels", "r1", "--min", "map=0")
    expected = run(*arguments, option, "one", other, "two")
    done = run(*arguments, option, "-", other, "two")
    assert (expected.status, done.status) == (0, 0)
    assert expected.raw == b""
    assert done.raw == Path("one").read_bytes()
    assert len({Path("one").read_bytes(), Path("two").read_bytes()}) == 2


def test_devices_may_be_inputs_and_outputs(run, files: dict[str, bytes]):
    assert run("check", "qrels", "r1", "--min", "map=0", "-o", "/dev/null", "--junit", "/dev/null").status == 0
