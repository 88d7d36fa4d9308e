"""`stdeval help`."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("names", ["", "eval", "meta", "meta within", "plot means", "help"])
def test_the_same_as_help(run, names: str):
    assert run("help", *names.split()) == run(*names.split(), "--help")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("evl", "no command 'evl', did you mean eval?"),
        ("meta betwen", "no command 'betwen', did you mean between?"),
        ("meta xyz", "no command 'xyz', expected one of: power, rank,"),
        ("eval qrels", "stdeval eval has no commands, expected no 'qrels' after it"),
    ],
)
def test_refusals(run, names: str, message: str):
    done = run("help", *names.split())
    assert (done.status, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
