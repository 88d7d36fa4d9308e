"""The long options of trec_eval 9.0.8 (long_options in trec_eval.c), whole and as getopt_long abbreviates them."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def files(write) -> list[Path]:
    """Qrels with grades and a topic that the run lacks, and a run with unjudged documents."""
    qrels = write("qrels", ["1 0 a 2", "1 0 b 1", "1 0 c 0", "2 0 a 1", "3 0 a 2", "3 0 d 2"])
    documents = ["x", "b", "c", "a"]
    lines = [f"{topic} Q0 {name} {i} {9 - i} tag" for topic in "13" for i, name in enumerate(documents)]
    return [qrels, write("r.run", lines)]


SAME = [
    ("--query_eval_wanted", "-q"),
    ("--measure P.2", "-m P.2"),
    ("--complete_rel_info_wanted", "-c"),
    ("--level_for_rel=2", "-l 2"),
    ("--level_for_rel 2 --nosummary --query_eval_wanted", "-l2 -qn"),
    ("--Judged_docs_only", "-J"),
    ("--Max_retrieved_per_topic=2", "-M 2"),
    ("--q --c --J --le 2 --Max 2 --m map", "-qcJ -l 2 -M 2 -m map"),
    ("--measure=map --measur=P.2", "-m map -m P.2"),
]


@pytest.mark.parametrize(("long", "short"), SAME)
def test_long_options_do_what_their_letters_do(run, files, long, short):
    plain = run("eval", *files)
    done, expected = (run("eval", *options.split(), *files) for options in (long, short))
    assert (done.status, done.stderr, done.raw) == (0, expected.stderr, expected.raw)
    assert done.raw != plain.raw


def test_standardize_takes_them_too(run, files, write):
    factors = write("factors.csv", ["topic,n,map.mean,map.sd", "1,9,.3,.1", "3,9,.4,.2"])
    done, expected = (run("standardize", "-F", factors, *q, *files) for q in (["--query_eval"], ["-q"]))
    assert (done.status, done.raw) == (0, expected.raw)
    assert done.raw


@pytest.mark.parametrize("command", ["eval", "standardize"])
def test_they_are_not_in_the_help(run, command):
    assert "_wanted" not in run(command, "--help").stdout


REFUSED = {
    "--Zscore zscores.txt": "trec_eval's --Zscore is not an option here: 'stdeval standardize --scheme z -F FILE",
    "-qZ zscores.txt": "trec_eval's -Z is not an option here: 'stdeval standardize --scheme z -F FILE QRELS RUN'",
    "--Rel_info_format=prefs": "trec_eval's --Rel_info_format is not an option here: judgments have the format",
    "-R qrels": "trec_eval's -R is not an option here: judgments have the format qrels; leave the option out",
    "--Results trec_results": "trec_eval's --Results is not an option here: runs have the format trec_results",
    "-N 1000": "trec_eval's -N is not an option here: only the measure utility depends on it",
    "--Debug_level 3": "trec_eval's --Debug_level is not an option here: nothing prints how a score is computed",
    "--version": "trec_eval's --version is not an option here: 'stdeval --version' prints the version",
    "--Output_old 1": "trec_eval's --Output_old is not an option here: trec_eval no longer has another output",
    "--Re qrels": "option --Re is ambiguous, expected --Rel_info_format or --Results_format",
    "--nosummary=3": "option --nosummary takes no value, found '3'",
    "--level_of_rel 2": "No such option",
    "--level_for_rel x": "'x', expected a whole number",
}


@pytest.mark.parametrize("line", REFUSED)
def test_others_are_refused_in_one_line(run, files, line):
    done = run("eval", *line.split(), *files)
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert done.stderr.startswith("stdeval eval: ")
    assert REFUSED[line] in done.stderr


def test_what_follows_two_hyphens_is_a_file(run, files):
    done = run("eval", "--", *files, "--nosummary")
    assert (done.status, done.raw) == (2, b"")
    assert "--nosummary" in done.stderr
