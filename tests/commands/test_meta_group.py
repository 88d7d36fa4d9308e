"""The group of experiments: what it lists, that listing and help load no numpy, and what it sets for workers."""

from __future__ import annotations

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


@pytest.mark.parametrize("name", ["meta", "plot"])
def test_listing_a_group_loads_no_numpy(name: str):
    code = (
        "import sys; from stdeval.__main__ import main\n"
        f"try: main(['{name}', '--help'])\n"
        "except SystemExit: print('numpy.linalg' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == "False\n"


def test_output_files_are_whole_or_not_there(run, scores_file, tmp_path):
    target = tmp_path / "out.csv"
    done = run("meta", "within", "--topics", 50, "--scores", scores_file(), "-o", target)
    assert done.status == 2
    assert not target.exists()
    done = run("meta", "power", "--scores", scores_file(), "-o", target, "-f", "csv")
    assert (done.status, done.raw) == (0, b"")
    assert target.read_text().startswith("measure,scheme,alpha,power,pairs,test,systems,topics\n")
