"""`stdeval validate`."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from stdeval.formats.writers import FORMATS
from stdeval.validation import KINDS

SOUND = ["1 Q0 a 1 3 t", "1 Q0 b 2 2 t", "2 Q0 a 1 3 t"]
TIED = ["1 Q0 b 1 2 u", "1 Q0 a 2 2 u"]


def test_nothing_is_found(run, write):
    done = run("validate", "--strict", write("a.run", SOUND))
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout == "run\tseverity\tproblem\tcount\tunit\tline\tdetail\n"


def test_all_problems_of_all_runs(run, write):
    first = write("1.run", [*SOUND, "3 Q0 a", "3 Q0 b x"])
    second = write("2.run.gz", gzip.compress("\n".join(TIED).encode()))
    done = run("validate", "-f", "csv", "--qrels", write("qrels", ["1 0 a 1", "4 0 a 1"]), first, second)
    assert (done.status, done.stderr) == (1, "")
    assert [list(row.values()) for row in done.rows] == [
        [str(first), "error", "columns", "2", "lines", "4", "3 columns, expected 6: topic Q0 docno rank score tag"],
        [str(first), "error", "missing-topics", "1", "topics", "", "no documents for 4"],
        [str(first), "warning", "unjudged-topics", "1", "topics", "3", "expected no documents for 2"],
        [str(second), "error", "missing-topics", "1", "topics", "", "no documents for 4"],
        [str(second), "warning", "ties", "2", "lines", "1", "topic '1': 2 documents have the score 2.0"],
    ]


def test_only_strict_fails_for_warnings(run, write):
    path = write("a.run", TIED)
    assert (run("validate", path).status, run("validate", "--strict", path).status) == (0, 1)


def test_two_runs_with_one_tag(run, write):
    done = run("validate", "-f", "csv", write("a.run", SOUND), write("b.run", SOUND))
    found = [(Path(row["run"]).name, row["problem"], row["count"]) for row in done.rows]
    assert found == [("b.run", "same-tag", "1")]
    assert done.status == 0


def test_lists_of_topics_and_docnos(run, write):
    path = write("a.run", SOUND)
    topics, docnos = write("topics", "1\thow\n3\twhat\n"), write("docnos.gz", gzip.compress(b"a\nz\n"))
    done = run("validate", "-f", "csv", "--topics", topics, "--docnos", docnos, path, stdin=b"")
    kinds = {row["problem"]: (row["count"], row["line"], row["detail"]) for row in done.rows}
    assert kinds == {
        "missing-topics": ("1", "", "no documents for 3"),
        "unknown-topics": ("1", "3", "expected no documents for 2"),
        "unknown-docnos": ("1", "2", "document 'b' of topic '1' is not in the list"),
    }


def test_standard_input_is_read_twice(run, write):
    lines = "".join(f"{line}\n" for line in SOUND).encode()
    done = run("validate", "-f", "csv", "--docnos", write("docnos", "b\n"), "-", stdin=lines)
    assert [(row["run"], row["problem"], row["count"]) for row in done.rows] == [("<stdin>", "unknown-docnos", "2")]


def test_tag_form_and_max_docs(run, write):
    done = run("validate", "-f", "csv", "--tag-form", "[A-Z]+", "--max-docs", 1, write("a.run", SOUND))
    details = {row["problem"]: row["detail"] for row in done.rows}
    assert details == {
        "tag-form": "tag 't', expected [A-Z]+",
        "max-docs": "topic '1' has 2 documents, expected at most 1",
    }


@pytest.mark.parametrize("form", FORMATS)
def test_formats(run, write, form: str):
    done = run("validate", "-f", form, write("a.run", SOUND[:2]), write("b.run", ["broken"]))
    assert done.status == 1
    assert all(word in done.stdout for word in ("columns", "empty", "b.run"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("validate", "RUN..."),
        ("validate --topics a --qrels b c", "expected --topics or --qrels, not both"),
        ("validate --topics - -", "standard input (-) can be read once only"),
        ("validate --tag-form ( a", "--tag-form (: not a regular expression"),
        ("validate --max-docs 0 a", "expected a whole number from 1"),
        ("validate nowhere", "nowhere: no such file"),
        ("validate run run", "run: given twice"),
        ("validate -o run run", "the command reads this file"),
    ],
)
def test_refusals(run, write, monkeypatch: pytest.MonkeyPatch, line: str, message: str):
    monkeypatch.chdir(write("run", SOUND).parent)
    done = run(*line.split())
    assert (done.status, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


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
    assert explained == [(kind, row.severity) for kind, row in KINDS.items()]


def test_docnos_in_lower_case_are_unjudged(run, write):
    """Docnos are compared byte by byte, also those that are not ASCII."""
    qrels = write("qrels", ["1 0 Ü 1", "1 0 B 0", "2 0 C 1"])
    lower = write("lower.run", ["1 Q0 ü 1 2 t", "1 Q0 b 2 1 t", "2 Q0 c 1 1 t"])
    upper = write("upper.run", ["1 Q0 b 1 2 u", "1 Q0 Ü 2 1 u", "2 Q0 c 1 1 u"])
    done = run("validate", "-f", "csv", "--qrels", qrels, lower, upper)
    told = {(Path(row["run"]).name, row["detail"]) for row in done.rows if row["problem"] == "unjudged"}
    assert done.status == 1
    assert told == {("lower.run", "neither document 'ü' of topic '1' nor any other is judged")}
