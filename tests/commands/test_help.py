"""`stdeval help`."""

from __future__ import annotations

import pytest

import stdeval


@pytest.mark.parametrize("names", ["", "eval", "meta", "meta within", "plot means", "help"])
def test_the_same_as_help(run, names: str):
    assert run("help", *names.split()) == run(*names.split(), "--help")
    assert names == "" or run("help", "stdeval", *names.split()) == run("help", *names.split())


@pytest.mark.parametrize(
    ("names", "first"),
    [
        ("files", "NAME\n     stdeval-files - files that stdeval reads"),
        ("7 measures", "NAME\n     stdeval-measures - the measures that"),
        ("1", "NAME\n     stdeval - evaluate retrieval systems"),
        ("1 stdeval", "NAME\n     stdeval - evaluate retrieval systems"),
        ("stdeval", "NAME\n     stdeval - evaluate retrieval systems"),
        ("trec_eval", "NAME\n     stdeval-eval - print the raw"),
        ("stdeval-files", "NAME\n     stdeval-files - files that stdeval reads"),
        ("1 stdeval-eval", "NAME\n     stdeval-eval - print the raw"),
        ("python", f"{stdeval.__doc__}\npython -c "),
    ],
)
def test_pages(run, names: str, first: str):
    done = run("help", *names.split())
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.startswith(first)


@pytest.mark.parametrize("names", ["fils", "xyz", "python evaluate", "7 x", "7", "3", "eval qrels", "meta betwen"])
def test_refusals(run, names: str):
    done = run("help", *names.split())
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
