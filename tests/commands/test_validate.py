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
