"""What shells are told that complete a line; tests/docs/test_manual.py asks bash."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from stdeval.commands import COMMANDS, cli
from stdeval.commands.meta import COMMANDS as EXPERIMENTS


def values(line: str) -> list[str]:
    """The completions of the last word of a command line."""
    *words, incomplete = line.split(" ")
    found = ShellComplete(cli, {}, "stdeval", "_STDEVAL_COMPLETE").get_completions(words, incomplete)
    return [item.value for item in found]


@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("", list(COMMANDS)),
        ("me", ["measures", "meta"]),
        ("meta ", list(EXPERIMENTS)),
        ("help meta w", ["within"]),
        ("help eval ", []),
        ("--ver", ["--version"]),
        ("measures off", ["official"]),
        ("eval -m nDCG@2", ["nDCG@20", "nDCG@200"]),
        ("check --min gm_m", ["gm_map"]),
        ("check qrels run --max-drop set_re", ["set_relative_P", "set_recall"]),
        ("standardize -m Nset_re", []),
        ("eval -f cs", ["csv"]),
        ("standardize --leave-out g", ["group"]),
        # words before that the command would refuse
        ("eval --nothing -m x -o qrels qrels -f cs", ["csv"]),
    ],
)
def test_completions(line: str, completions: list[str]):
    assert values(line) == completions


def test_completing_the_name_of_a_command_imports_no_command():
    """Nor does completing a measure for `eval` import numpy."""
    program = (
        "import sys\nfrom stdeval.__main__ import main\n"
        "try:\n    main([])\nfinally:\n    print(*sorted(sys.modules), file=sys.stderr)"
    )
    typed = ("stdeval m", "stdeval meta w", "stdeval plot h", "stdeval eval -m ndcg_c")
    for words, index in ((words, str(words.count(" "))) for words in typed):
        environment = {**os.environ, "_STDEVAL_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": index}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        assert done.stdout.startswith("plain,")
        modules = done.stderr.split()
        assert "numpy.linalg" not in modules
        commands = {name.split(".")[2] for name in modules if name.startswith("stdeval.commands.")} & set(COMMANDS)
        assert commands == set(words.split()[1:-1]) - {"-m"}
