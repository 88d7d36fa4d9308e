"""`stdeval validate`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stdeval.validation import KINDS

# Options, and the kinds of problems beside those in the remaining lines; none for what every reader accepts
HOSTILE: dict[str, str] = {
    "ok.run": "",
    "crlf.run": "",
    "tabs.run": "",
    "mixed-spaces.run": "",
    "blank-lines.run": "",
    "no-final-newline.run": "",
    "gzip-named-plain.run": "",
    "plain-text-named.run.gz": "",
    "five-columns-middle.run": "columns 1 48",
    "seven-columns.run": "columns 1 48",
    "duplicate-docno.run": "duplicates 1 32",
    "nan-score.run": "score 1 11",
    "inf-score.run": "score 2 11",
    "non-numeric-score.run": "score 1 11",
    "decimal-comma.run": "score 100 1",
    "utf8-bom.run": "byte-order-mark 1 1",
    "latin1-docno.run": "non-ascii 1 7",
    "empty.run": "empty 1 ",
    "whitespace-only.run": "empty 1 ",
    "alpha-topics.run": "non-ascii 20 41",
    "huge-topic-ids.run": "unjudged-topics 5 1",
    "no-overlap.run": "missing-topics 5 ",
    "leading-zeros.run": "missing-topics 5 ",
    "one-megabyte-line.run": "unknown-docnos 1 31",
    "nul-bytes.run": "characters 1 53",
    "header-line.run": "score 1 1",
    "qrels-given-as.run": "columns 195 1",
    "all-ties.run": "ties 100 1",
    "rank-contradicts-score.run": "rank-order 95 1",
    "shuffled-lines.run": "split-topics 5 6",
    "two-tags.run": "tag-changes 50 51",
}


@pytest.fixture(scope="module")
def docnos(hostile: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of the documents of the control run."""
    path = tmp_path_factory.mktemp("docnos") / "docnos"
    path.write_text("".join(f"{line.split()[2]}\n" for line in (hostile / "ok.run").read_text().splitlines()))
    return path


@pytest.mark.parametrize("name", HOSTILE)
def test_the_defect_of_a_hostile_run_is_named(run, hostile: Path, docnos: Path, name: str):
    done = run("validate", "-f", "csv", "--qrels", hostile / "ok.qrels", "--docnos", docnos, hostile / name)
    problems = [f"{row['problem']} {row['count']} {row['line']}" for row in done.rows]
    assert done.stderr == ""
    assert (HOSTILE[name] in problems) if HOSTILE[name] else (problems == [])
    assert done.status == int(any(row["severity"] == "error" for row in done.rows))
    assert all(len(row["detail"]) < 300 for row in done.rows)


def test_every_hostile_run_is_looked_at(run, hostile: Path):
    runs = {path.name for path in hostile.iterdir() if re.search(r"\.run(\.gz)?$", path.name)}
    assert runs - set(HOSTILE) == {"truncated.run.gz"}
    done = run("validate", hostile / "truncated.run.gz")
    assert (done.status, done.stdout) == (2, "")
    assert "truncated gzip file" in done.stderr


def test_real_submissions_have_no_error_that_trec_refuses(run, shared: Path):
    """TREC's script has accepted them; it has no look at the order of the scores."""
    folder = shared / "trec-covid-r5"
    runs = sorted((folder / "runs").glob("*.gz"))[::4]
    done = run(
        "validate", "-f", "csv", "--qrels", folder / "qrels.txt", "--tag-form", "[A-Za-z0-9_.-]{1,20}", *runs
    )
    assert {row["problem"] for row in done.rows if row["severity"] == "error"} <= {"rank-order"}
    assert {"ties", "reordered", "rank-gaps"} <= {row["problem"] for row in done.rows}


def test_the_manual_explains_every_kind():
    page = (Path(__file__).parents[2] / "man" / "man1" / "stdeval-validate.1").read_text(encoding="utf-8")
    explained = re.findall(r"^\.It Sy (\S+) Pq (\w+)", page, flags=re.MULTILINE)
    assert explained == [(kind, severity) for kind, (severity, _) in KINDS.items()]
