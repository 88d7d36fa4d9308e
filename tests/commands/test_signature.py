"""`--signature`: the same line from the same input however it is given, another from any other; and its reading."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pytest

NAMES = ("bm25-short-query", "lsi-20", "jaccard")


@pytest.fixture(scope="module")
def qrels(shared: Path) -> Path:
    return shared / "cranfield" / "qrels.txt"


@pytest.fixture(scope="module")
def runs(shared: Path) -> list[Path]:
    return [shared / "cranfield" / "runs" / f"{name}.run.gz" for name in NAMES]


@pytest.fixture(scope="module")
def other(qrels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The judgments, with one more that no run retrieves; the scores are the same."""
    path = tmp_path_factory.mktemp("other") / "other.qrels"
    path.write_text(f"{qrels.read_text()}\n1 0 not-there 0\n")
    return path


@pytest.fixture
def stored(run, tmp_path: Path):
    """The scores of runs, stored with a signature."""

    def store(*options: object) -> Path:
        path = tmp_path / f"stored{len(list(tmp_path.iterdir()))}.csv"
        done = run("eval", "-q", "-m", "map", "-m", "P.10", "-f", "csv", "--signature", "-o", path, *options)
        assert done.status == 0
        return path

    return store


def signature(done) -> str:
    assert done.status == 0
    return done.stdout.splitlines()[-1].split("\t")[-1].removeprefix("signature: ")


def test_the_same_input_has_the_same_signature(run, qrels, runs, tmp_path):
    """Rows in another order, compressed, other workers, runs and measures in another order, and other formats."""
    typed = ["standardize", "--signature", "-m", "map", "-m", "P.10"]
    expected = signature(run(*typed, qrels, *runs))
    assert re.fullmatch(
        r"stdeval:[0-9.]+\|measures:P_10 map\|options:default\|scheme:N\|qrels:\w{8}\|topics:225\|"
        r"factors:\w{8}\|references:3",
        expected,
    )
    lines = qrels.read_text().splitlines()
    random.Random(3).shuffle(lines)
    shuffled = tmp_path / "shuffled.gz"
    shuffled.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert signature(run(*typed, "-j", 2, shuffled, *runs)) == expected
    assert signature(run(*typed, "-f", "table", "-q", qrels, *reversed(runs))) == expected
    assert signature(run("standardize", "--signature", "-m", "P_10", "-m", "AP", qrels, *runs)) == expected
    rows = run(*typed, "-q", "-f", "csv", qrels, *runs).rows
    assert {row["signature"] for row in rows} == {expected}
    assert list(rows[0])[-1] == "signature"
    objects = run(*typed, "-f", "jsonl", qrels, *runs).stdout.splitlines()
    assert {json.loads(line)["signature"] for line in objects} == {expected}


def test_markup_always_has_the_signature(run, qrels, runs):
    typed = ["standardize", "-m", "map", qrels, *runs]
    expected = signature(run(*typed, "--signature"))
    markdown, latex = (run(*typed, "-f", form).stdout for form in ("markdown", "latex"))
    assert markdown.endswith(f"\n\nsignature: `{expected}`\n")
    assert f"% signature: {expected}" in latex.splitlines()
    assert "signature" not in run(*typed, "-f", "csv").stdout + run(*typed, "-f", "table").stdout


def test_factors_from_a_file_and_from_the_runs_have_the_same_signature(run, qrels, runs, tmp_path):
    factors, empirical = tmp_path / "factors.csv", tmp_path / "empirical.csv.gz"
    assert run("factors", "-m", "map", "-m", "P.10", "-o", factors, qrels, *runs).status == 0
    assert run("factors", "-m", "map", "--empirical", "-o", empirical, qrels, *runs).status == 0
    typed = ["standardize", "--signature", "-m", "map"]
    expected = signature(run(*typed, qrels, *runs))
    assert signature(run(*typed, "-F", empirical, qrels, runs[0])) == expected
    assert signature(run(*typed, "-F", factors, qrels, runs[0])) == expected


def test_what_changes_scores_changes_the_signature(run, qrels, runs, other, write):
    typed = ["standardize", "--signature", "-m", "map"]
    fewer = [line for line in qrels.read_text().splitlines() if line.split()[0] != "7"]
    others = [
        [*typed, qrels, *runs],
        [*typed, "-m", "P_5", qrels, *runs],
        [*typed, "-l", 2, qrels, *runs],
        [*typed, "-M", 100, qrels, *runs],
        [*typed, "-c", qrels, *runs],
        [*typed, "--scheme", "z", qrels, *runs],
        [*typed, "--scheme", "u", qrels, *runs],
        [*typed, "--scheme", "u", "--no-censor", qrels, *runs],
        [*typed, "--scheme", "u", "--ab", "0.2,0.5", qrels, *runs],
        [*typed, "--raw", qrels, *runs],
        [*typed, "--round", 2, qrels, *runs],
        [*typed, "--leave-out", "run", qrels, *runs],
        [*typed, "--leave-out", "group", "--group-by", ".", qrels, *runs],
        [*typed, qrels, *runs[:2]],
        [*typed, other, *runs],
        [*typed, write("fewer.qrels", fewer), *runs],
        ["eval", "--signature", "-m", "map", qrels, *runs],
    ]
    signatures = [signature(run(*arguments)) for arguments in others]
    assert len(set(signatures)) == len(others)
    assert "|scheme:U(0.2,0.5)|" in signatures[8]
    assert "|options:-c|" in signatures[4]
    assert signatures[11].endswith("|references:2")


@pytest.mark.parametrize("options", [[], ["-n", "-q"], ["-f", "table"]])
def test_nothing_else_changes(run, qrels, runs, options):
    """The signature is one more line, and the output without it is what it was."""
    plain = run("eval", *options, qrels, *runs)
    *lines, last = run("eval", *options, "--signature", qrels, *runs).stdout.splitlines()
    assert lines == plain.stdout.splitlines()
    assert "signature" in last


def test_compare(run, qrels, runs):
    typed = ["compare", "-m", "map", "--scheme", "n", qrels, *runs]
    expected = signature(run("standardize", "--signature", "-m", "map", qrels, *runs))
    plain = [run(*typed, "-f", form).stdout for form in ("text", "table")]
    text, csv, table = (run(*typed, "--signature", "-f", form) for form in ("text", "csv", "table"))
    assert [line.rpartition("\t")[0] for line in text.stdout.splitlines()] == plain[0].splitlines()
    assert {line.rpartition("\t")[2] for line in text.stdout.splitlines()[1:]} == {expected}
    assert {row["signature"] for row in csv.rows} == {expected}
    assert table.stdout == f"{plain[1]}signature: {expected}\n"


def test_check(run, qrels, runs, tmp_path):
    factors = tmp_path / "factors.csv"
    run("factors", "-m", "map", "-o", factors, qrels, *runs)
    typed = ["check", "-F", factors, "--min", "Nmap=0.01", "--min", "map=0.001", qrels, runs[1]]
    expected = signature(run("standardize", "--raw", "--signature", "-F", factors, "-m", "map", qrels, runs[1]))
    *lines, signed, last = run(*typed, "--signature").stdout.splitlines()
    assert [*lines, last] == run(*typed).stdout.splitlines()
    assert signed == f"signature\t{expected}"
    assert {row["signature"] for row in run(*typed, "--signature", "-f", "csv").rows} == {expected}


def test_report(run, write):
    pytest.importorskip("matplotlib")
    rows = [f"{name},{topic},0.{topic}{name}" for name in "12" for topic in "345"]
    scores = write("scores.csv", ["run,topic,map", *rows])
    page = run("report", "--scores", scores).stdout
    assert signature(run("standardize", "--raw", "--signature", "--scores", scores)) in page


# --- stored scores ---


def test_stored_scores_have_the_signature_of_their_runs(run, qrels, runs, stored):
    typed = ["standardize", "--signature", "-m", "map"]
    path = stored("-l", 2, qrels, *runs)
    assert signature(run(*typed, "--scores", path)) == signature(run(*typed, "-l", 2, qrels, *runs))
    assert "signature" not in run("topics", "--scores", path).stdout


def test_scores_without_signature_are_of_unknown_origin(run, write):
    path = write("scores.csv", ["run,topic,map", "a,1,0.5", "a,2,0.25"])
    line = signature(run("eval", "--signature", "--scores", path))
    assert line.partition("|")[2] == "measures:map|options:unknown|scheme:raw|qrels:unknown|topics:2"


def test_scores_and_references_of_other_judgments_are_one_warning(run, qrels, runs, stored, other):
    scores, references = stored(qrels, runs[0]), stored(other, *runs)
    for given in (["--scores", scores], [qrels, runs[0]]):
        done = run("standardize", "-m", "map", "-F", references, *given)
        assert (done.status, done.stderr.count("other judgments")) == (0, 1)
        assert f"{references}: 1 of 225 topics" in done.stderr
    assert (
        "judgments"
        not in run("standardize", "-m", "map", "--scores", stored(other, runs[0]), "-F", references).stderr
    )


def test_files_that_contradict_each_other_are_refused(run, qrels, runs, stored, other, write):
    longer = write("more.qrels", [*qrels.read_text().splitlines(), "999 0 x 1"])
    one = stored(qrels, runs[0])
    for path, word in (
        (stored(other, runs[1]), "topic '1'"),
        (stored(longer, runs[1]), "other judgments ("),
        (stored("-l", 2, qrels, runs[1]), "topic '1'"),
    ):
        done = run("eval", "--scores", one, "--scores", path)
        assert (done.status, done.raw) == (2, b"")
        assert f"{path}: " in done.stderr
        assert word in done.stderr
    both = write("both.csv", one.read_text() + path.read_text().partition("\n")[2])
    line = len(one.read_text().splitlines()) + 1
    assert f"{both}:{line}: signature with other" in run("eval", "--scores", both).stderr


@pytest.mark.parametrize("text", ["map", "", "stdeval:0.1.0|measures:map|options:default|qrels:12|topics:1"])
def test_what_is_no_signature_is_refused_with_its_line(run, write, text):
    path = write("scores.csv", ["run,topic,map,signature", f"a,1,0.5,{text}"])
    done = run("eval", "--scores", path)
    assert (done.status, done.raw) == (2, b"")
    assert f"{path}:2: signature '" in done.stderr


def test_judgments_that_are_named_in_two_ways_are_compared(run, write):
    """By the columns only in one file, from two relevant documents per topic, by the signature only in another."""
    lines = [f"{t} Q0 d{d} {d} {9 - d} {{}}" for t in range(1, 4) for d in range(1, 5)]
    a, b, c = (write(f"{tag}.run", [line.format(tag) for line in lines]) for tag in "abc")
    two, one = (
        write(f"{n}.qrels", [f"{t} 0 d{d} {int(d <= n)}" for t in range(1, 4) for d in range(1, 5)]) for n in (2, 1)
    )
    columns = write("columns.csv", run("factors", "--empirical", "-m", "map", two, a, b).stdout)
    rows = run("eval", "-q", "-n", "-f", "csv", "--signature", "-m", "map", one, c).rows
    kept = ("run", "topic", "map", "signature")
    signed = write("signed.csv", [",".join(kept), *(",".join(row[name] for name in kept) for row in rows)])
    for typed in (
        ["check", "--max-drop", "map=1%", "--baseline", signed, "--scores", columns],
        ["compare", "--scores", columns, "--scores", signed],
        ["compare", "--scores", signed, "--scores", columns],
    ):
        done = run(*typed)
        assert (done.status, "other judgments (" in done.stderr) == (2, True)
    assert "other judgments (" in run("standardize", "-F", columns, "--scores", signed).stderr
    # a fourth judged topic, for which no run has documents, would not be among the columns
    assert "|qrels:unknown|topics:3" in signature(run("eval", "--signature", "--scores", columns))


@pytest.mark.parametrize("form", ["csv", "text"])
def test_topics_that_are_gone_from_signed_scores_of_unknown_judgments_are_counted(run, write, form: str):
    """A signature counts the topics that had scores, if nobody knows how many are judged."""
    rows = [f"{name},{t},0.{k}{t}7" for k, name in enumerate("ab", 2) for t in range(1, 10)]
    scores = write("s.csv", ["run,topic,map", *rows])
    lines = run("eval", "-q", "-n", "-f", form, "--signature", "--scores", scores).stdout.splitlines()
    fewer = [line for line in lines if re.split("[,\t]", line)[1] not in "123"]
    whole, part = (
        write(f"{len(some)}.csv", run("convert", "--to", "scores", write("c", some)).stdout)
        for some in (lines, fewer)
    )
    assert run("check", "--min", "map=0.1", "--scores", whole).status == 0
    done = run("check", "--min", "map=0.1", "--scores", part)
    assert (done.status, "of 9 judged topics" in done.stderr) == (2, True)
    assert "have no score" in run("compare", "--scores", part).stderr
