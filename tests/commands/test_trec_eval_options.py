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
