"""`stdeval help`."""

from __future__ import annotations

import pytest

import stdeval


@pytest.mark.parametrize("names", ["", "eval", "meta", "meta within", "plot means", "help"])
def test_the_same_as_help(run, names: str):
    assert run("help", *names.split()) == run(*names.split(), "--help")


def test_a_command_may_be_named_as_it_is_typed(run):
    assert run("help", "stdeval", "meta", "within") == run("meta", "within", "--help")


@pytest.mark.parametrize(
    ("names", "first"),
    [
        ("files", "stdeval-files - files that stdeval reads"),
        ("7 measures", "stdeval-measures - the measures that"),
        ("1 eval", "stdeval-eval - print the raw"),
        ("1", "stdeval - evaluate retrieval systems"),
        ("1 stdeval", "stdeval - evaluate retrieval systems"),
        ("stdeval", "stdeval - evaluate retrieval systems"),
        ("formats", "stdeval-files - files that stdeval reads"),
        ("trec_eval", "stdeval-eval - print the raw"),
        ("stdeval-files", "stdeval-files - files that stdeval reads"),
        ("1 stdeval-eval", "stdeval-eval - print the raw"),
    ],
)
def test_pages_of_the_manual(run, names: str, first: str):
    done = run("help", *names.split())
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.startswith(f"NAME\n     {first}")


def test_the_help_of_the_python_package(run):
    done = run("help", "python")
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{stdeval.__doc__}\npython -c ")


def test_trec_eval_leads_to_the_comparison_with_it(run):
    assert "\nCOMPARISON WITH TREC_EVAL\n" in run("help", "trec_eval").stdout


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("evl", "no command or page 'evl', did you mean eval?"),
        ("meta betwen", "no command 'betwen', did you mean between?"),
        ("fils", "no command or page 'fils', did you mean files?"),
        ("xyz", "no command or page 'xyz', expected one of: eval, factors,"),
        ("pyton", "no command or page 'pyton', did you mean python?"),
        ("python evaluate", "'python' is a page of the manual, expected no 'evaluate' after it"),
        ("3 x", "no section 3, expected section 1, 5 or 7"),
        ("7 x", "no page 'x' in section 7, expected one of: measures, papers, standardization"),
        ("meta xyz", "no command 'xyz', expected one of: power, rank,"),
        ("eval qrels", "stdeval eval has no commands, expected no 'qrels' after it"),
        ("files extra", "'files' is a page of the manual, expected no 'extra' after it"),
        ("7", "section 7 without the name of a page, expected one of: measures, papers, standardization"),
        ("3", "no section 3, expected section 1, 5 or 7"),
    ],
)
def test_refusals(run, names: str, message: str):
    done = run("help", *names.split())
    assert (done.status, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
