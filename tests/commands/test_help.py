"""`stdeval help`; tests/golden/help.txt has its pages and refusals."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("names", ["", "eval", "meta", "meta within", "plot means", "help"])
def test_the_same_as_help(run, names: str):
    assert run("help", *names.split()) == run(*names.split(), "--help")
    assert names == "" or run("help", "stdeval", *names.split()) == run("help", *names.split())


@pytest.mark.parametrize("names", ["trec_eval", "1 stdeval-eval"])
def test_the_same_page(run, names: str):
    assert run("help", *names.split()) == run("help", "1", "eval")


def test_a_word_after_a_command_is_refused(run):
    assert run("help", "eval", "qrels")[:2] == (2, b"")
