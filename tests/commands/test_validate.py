"""`stdeval validate` on real submissions, and its page; tests/golden/validate.txt has the hostile files."""

from __future__ import annotations

import re
from pathlib import Path

from stdeval.validation import KINDS
from tests.conftest import ROOT


def test_real_submissions_have_no_error_that_trec_refuses(run, shared: Path):
    """TREC's script has accepted them; it does not look at the order of the scores."""
    folder = shared / "trec-covid-r5"
    runs = sorted((folder / "runs").glob("*.gz"))[::4]
    options = ("-f", "csv", "--qrels", folder / "qrels.txt", "--tag-form", "[A-Za-z0-9_.-]{1,20}")
    done = run("validate", *options, *runs)
    assert {row["problem"] for row in done.rows if row["severity"] == "error"} <= {"rank-order"}
    assert {"ties", "reordered", "rank-gaps"} <= {row["problem"] for row in done.rows}


def test_the_manual_explains_every_kind():
    page = (ROOT / "man" / "man1" / "stdeval-validate.1").read_text(encoding="utf-8")
    explained = re.findall(r"^\.It Sy (\S+) Pq (\w+)", page, flags=re.MULTILINE)
    assert explained == [(kind, severity) for kind, (severity, _) in KINDS.items()]


def test_lists_that_are_none_are_refused(run, write):
    """A run instead of topics would make each of its topics known, an empty list each docno unknown."""
    run_file, empty = write("a.run", ["1 Q0 d 1 2.5 tag"]), write("empty", " \n\n")
    done = run("validate", "--topics", run_file, run_file)
    assert done[:2] == (2, b"")
    assert done.stderr == f"stdeval: {run_file}:1: a line of a run, expected a topic\n"
    done = run("validate", "--docnos", empty, run_file)
    assert done[:2] == (2, b"")
    assert done.stderr == f"stdeval: {empty}: no docnos, expected a line for each\n"
