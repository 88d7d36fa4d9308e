"""`--signature`: the same line from the same input however it is given, another from any other; and its reading."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

import stdeval
from stdeval import InputError, InputWarning
from stdeval.display import excerpt

NAMES = ("bm25-short-query", "lsi-20", "jaccard")


@pytest.fixture(scope="module")
def qrels(shared: Path) -> Path:
    return shared / "cranfield" / "qrels.txt"


@pytest.fixture(scope="module")
def runs(shared: Path) -> list[Path]:
    return [shared / "cranfield" / "runs" / f"{name}.run.gz" for name in NAMES]


def signature(done) -> str:
    assert done.status == 0
    return done.stdout.splitlines()[-1].split("\t")[-1].removeprefix("signature: ")


def fields(line: str) -> dict[str, str]:
    return dict(field.split(":", 1) for field in line.split("|"))


def test_the_digest_of_the_qrels_from_its_bytes(run, qrels, runs):
    """A program of its own, which reads the file and not the package."""
    lines: dict[bytes, list[bytes]] = {}
    for line in qrels.read_bytes().splitlines():
        topic, _, docno, judgment = line.split()
        lines.setdefault(topic, []).append(docno + b"\0" + judgment + b"\n")
    digests = {topic: hashlib.sha256(b"".join(sorted(own))).hexdigest()[:8] for topic, own in lines.items()}
    content = b"".join(sorted(topic + b":" + digest.encode() + b"\n" for topic, digest in digests.items()))
    found = fields(signature(run("eval", "-m", "map", "--signature", qrels, runs[0])))
    assert found["qrels"] == hashlib.sha256(content).hexdigest()[:8]
    assert found["topics"] == str(len(digests)) == "225"


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
    assert signature(run(*typed, shuffled, *runs)) == expected
    assert signature(run(*typed, "-j", 2, qrels, *runs)) == expected
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
    assert run(*typed, "-f", "latex", "--signature").stdout == latex
    assert "signature" not in run(*typed, "-f", "csv").stdout + run(*typed, "-f", "table").stdout


def test_factors_from_a_file_and_from_the_runs_have_the_same_signature(run, qrels, runs, tmp_path):
    factors, empirical = tmp_path / "factors.csv", tmp_path / "empirical.csv.gz"
    assert run("factors", "-m", "map", "-m", "P.10", "-o", factors, qrels, *runs).status == 0
    assert run("factors", "-m", "map", "--empirical", "-o", empirical, qrels, *runs).status == 0
    typed = ["standardize", "--signature", "-m", "map"]
    expected = signature(run(*typed, qrels, *runs))
    assert signature(run(*typed, "-F", factors, qrels, *runs)) == expected
    assert signature(run(*typed, "-F", empirical, qrels, runs[0])) == expected
    assert signature(run(*typed, "-F", factors, qrels, runs[0])) == expected


def test_what_changes_scores_changes_the_signature(run, qrels, runs, write):
    typed = ["standardize", "--signature", "-m", "map"]
    lines = qrels.read_text().splitlines()
    *first, judgment = lines[0].split()
    judged = " ".join([*first, str(int(judgment) + 1)])
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
        [*typed, write("judged.qrels", [*lines[1:], judged]), *runs],
        [*typed, write("fewer.qrels", [line for line in lines if line.split()[0] != "7"]), *runs],
        ["eval", "--signature", "-m", "map", qrels, *runs],
    ]
    signatures = [signature(run(*arguments)) for arguments in others]
    assert len(set(signatures)) == len(others)
    assert fields(signatures[8])["scheme"] == "U(0.2,0.5)"
    assert fields(signatures[4])["options"] == "-c"


@pytest.mark.parametrize("options", [[], ["-q"], ["-n", "-q"], ["-f", "table"]])
def test_nothing_else_changes(run, qrels, runs, options):
    """The signature is one more line, and the output without it is what it was."""
    plain = run("eval", *options, qrels, *runs)
    signed = run("eval", *options, "--signature", qrels, *runs)
    *lines, last = signed.stdout.splitlines()
    assert lines == plain.stdout.splitlines()
    assert "signature" in last


def test_compare(run, qrels, runs):
    typed = ["compare", "-m", "map", "--scheme", "n", qrels, *runs]
    expected = signature(run("standardize", "--signature", "-m", "map", qrels, *runs))
    plain = [run(*typed, "-f", form).stdout for form in ("text", "csv", "table")]
    text, csv, table = (run(*typed, "--signature", "-f", form) for form in ("text", "csv", "table"))
    assert [line.rpartition("\t")[0] for line in text.stdout.splitlines()] == plain[0].splitlines()
    assert {line.rpartition("\t")[2] for line in text.stdout.splitlines()[1:]} == {expected}
    assert {row["signature"] for row in csv.rows} == {expected}
    assert table.stdout == f"{plain[2]}signature: {expected}\n"
    assert f"% signature: {expected}" in run(*typed, "-f", "latex").stdout.splitlines()


def test_check(run, qrels, runs, tmp_path):
    factors = tmp_path / "factors.csv"
    run("factors", "-m", "map", "-o", factors, qrels, *runs)
    typed = ["check", "-F", factors, "--min", "Nmap=0.01", "--min", "map=0.001", qrels, runs[1]]
    expected = signature(run("standardize", "--raw", "--signature", "-F", factors, "-m", "map", qrels, runs[1]))
    *lines, signed, last = run(*typed, "--signature").stdout.splitlines()
    assert [*lines, last] == run(*typed).stdout.splitlines()
    assert signed == f"signature\t{expected}"
    assert {row["signature"] for row in run(*typed, "--signature", "-f", "csv").rows} == {expected}
    assert "signature" not in run(*typed, "-f", "csv").stdout
    assert run(*typed, "-f", "markdown").stdout.endswith(f"\n\nsignature: `{expected}`\n")


def test_report(run, write):
    pytest.importorskip("matplotlib")
    scores = write(
        "scores.csv", ["run,topic,map", *(f"{run},{topic},0.{topic}{run}" for run in "12" for topic in "345")]
    )
    page = run("report", "--scores", scores).stdout
    assert signature(run("standardize", "--raw", "--signature", "--scores", scores)) in page


# Scores that were stored with a signature


@pytest.fixture
def stored(run, tmp_path: Path):
    """The scores of a run, stored with a signature."""

    def store(*options: object) -> Path:
        path = tmp_path / f"stored{len(list(tmp_path.iterdir()))}.csv"
        done = run("eval", "-q", "-m", "map", "-m", "P.10", "-f", "csv", "--signature", "-o", path, *options)
        assert (done.status, done.stderr) == (0, "")
        return path

    return store


def test_a_signature_is_no_measure(run, qrels, runs, stored):
    path = stored(qrels, runs[0])
    plain = run("eval", "-m", "map", "-m", "P.10", qrels, runs[0])
    assert run("eval", "--scores", path).stdout == plain.stdout
    assert "signature" not in run("topics", "--scores", path).stdout


def test_stored_scores_have_the_signature_of_their_runs(run, qrels, runs, stored):
    expected = signature(run("standardize", "--signature", "-m", "map", "-l", 2, qrels, *runs))
    assert (
        signature(run("standardize", "--signature", "-m", "map", "--scores", stored("-l", 2, qrels, *runs)))
        == expected
    )


def test_scores_without_signature_are_of_unknown_origin(run, write):
    path = write("scores.csv", ["run,topic,map", "a,1,0.5", "a,2,0.25"])
    line = signature(run("eval", "--signature", "--scores", path))
    assert line.partition("|")[2] == "measures:map|options:unknown|scheme:raw|qrels:unknown|topics:2"


def test_trec_evals_text_is_read_with_a_signature(run, qrels, runs, write):
    text = run("eval", "-q", "-m", "map", "--signature", qrels, *runs[:2]).stdout
    assert text.splitlines()[-1].startswith("signature             \tall\tstdeval:")
    plain = run("eval", "-q", "-m", "map", qrels, *runs[:2]).stdout
    converted = [run("convert", "--to", "matrix", "-m", "map", write(n, x)) for n, x in (("a", text), ("b", plain))]
    assert (converted[0].status, converted[0].raw) == (0, converted[1].raw)


DROP = ("--max-drop", "map=1%")


def test_a_baseline_from_the_same_judgments_and_options(run, qrels, runs, stored):
    done = run("check", "--baseline", stored("-c", qrels, runs[0]), *DROP, "-c", qrels, runs[1])
    told = "stdeval: warning: the scores were computed with -c, and the files do not tell which topics"
    assert (done.status, done.stderr.partition(" have no documents: ")[0]) == (0, told)
    done = run("check", "--baseline", stored(qrels, runs[0]), *DROP, "--scores", stored(qrels, runs[1]))
    assert (done.status, done.stderr) == (0, "")


def test_a_baseline_with_other_options_is_refused(run, qrels, runs, stored):
    path = stored("-l", 2, qrels, runs[0])
    told = "scores of 225 of 225 topics were made with -l 2, the runs are evaluated with the default options"
    for others in ([qrels, runs[1]], ["--scores", stored(qrels, runs[1])]):
        done = run("check", "--baseline", path, *DROP, *others)
        assert (done.status, done.raw) == (2, b"")
        assert done.stderr.startswith(
            f"stdeval: {path}: {told}; expected a baseline of the same judgments and options"
        )
        allowed = run("check", "--baseline", path, *DROP, "--allow-other-judgments", *others)
        assert allowed.status in (0, 1)
        assert allowed.stderr == f"stdeval: warning: {told}\n"


def test_a_baseline_from_other_judgments_is_refused(run, qrels, runs, stored, write):
    """One judgment that no run retrieves is enough; the scores are the same."""
    other = write("other.qrels", [*qrels.read_text().splitlines(), "1 0 not-there 0"])
    path = stored(other, runs[0])
    told = "scores of 1 of 225 topics were made from other judgments"
    for others in ([qrels, runs[1]], ["--scores", stored(qrels, runs[1])]):
        done = run("check", "--baseline", path, *DROP, *others)
        assert (done.status, done.raw) == (2, b"")
        assert re.match(f"stdeval: {path}: {told}; expected", done.stderr)
        allowed = run("check", "--baseline", path, *DROP, "--allow-other-judgments", *others)
        assert allowed.status == 0
        assert re.fullmatch(f"stdeval: warning: {told}\n", allowed.stderr)


def test_factors_and_scores_of_other_judgments_are_one_warning(run, qrels, runs, stored, write, tmp_path):
    other = write("other.qrels", [*qrels.read_text().splitlines(), "1 0 not-there 0"])
    factors = tmp_path / "factors.csv"
    run("factors", "-m", "map", "-o", factors, other, *runs)
    for given in ([stored(qrels, runs[0]), factors], [stored(qrels, runs[0]), stored(other, *runs)]):
        done = run("standardize", "-m", "map", "--scores", given[0], "-F", given[1])
        warnings = [line for line in done.stderr.splitlines() if "other judgments" in line]
        assert (done.status, len(warnings)) == (0, 1)
        assert "factors of 1 of 225 topics were made from other judgments" in warnings[0]
    assert (
        "judgments" not in run("standardize", "-m", "map", "--scores", stored(other, *runs), "-F", factors).stderr
    )
    done = run("standardize", "-m", "map", "-F", stored(other, *runs), qrels, runs[0])
    assert "factors of 1 of 225 topics were made from other judgments" in done.stderr


def test_files_that_contradict_each_other_are_refused(run, qrels, runs, stored, write):
    other = write("other.qrels", [*qrels.read_text().splitlines(), "1 0 not-there 0"])
    one, two, three = stored(qrels, runs[0]), stored(other, runs[1]), stored("-l", 2, qrels, runs[2])
    done = run("eval", "--scores", one, "--scores", two)
    assert (done.status, done.raw) == (2, b"")
    assert f"stdeval: {two}: topic '1' has other judgments or options than in the files before" in done.stderr
    more = two.with_name("more.csv")
    longer = write("more.qrels", [*qrels.read_text().splitlines(), "999 0 x 1"])
    run("eval", "-q", "-m", "map", "-f", "csv", "--signature", "-o", more, longer, runs[1])
    done = run("eval", "--scores", one, "--scores", more)
    assert (done.status, done.raw) == (2, b"")
    assert f"stdeval: {more}: scores from other judgments (" in done.stderr
    done = run("eval", "--scores", one, "--scores", three)
    assert f"stdeval: {three}: topic '1' has other judgments or options than in the files before" in done.stderr
    both = write("both.csv", one.read_text() + two.read_text().partition("\n")[2])
    done = run("eval", "--scores", both)
    line = len(one.read_text().splitlines()) + 1
    assert done.stderr.startswith(
        f"stdeval: {both}:{line}: signature with other judgments, options or factors than in the rows"
    )


@pytest.mark.parametrize("text", ["map", "", "stdeval:0.1.0|measures:map|options:default|qrels:12|topics:1"])
def test_what_is_no_signature_is_refused_with_its_line(run, write, text):
    path = write("scores.csv", ["run,topic,map,signature", f"a,1,0.5,{text}"])
    done = run("eval", "--scores", path)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr.startswith(
        f"stdeval: {path}:2: signature '{excerpt(text)}', expected one that --signature prints"
    )


SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture
def named_in_two_ways(run, write):
    """Scores with the columns only, from two relevant documents per topic, and with a signature only, from one.

    Each has scores for three topics.
    """
    lines = [f"{t} Q0 d{d} {d} {9 - d} {{}}" for t in range(1, 4) for d in range(1, 5)]
    a, b, c, d = (write(f"{tag}.run", [line.format(tag) for line in lines]) for tag in "abcd")
    two = write("two.qrels", [f"{t} 0 d{d} {int(d < 3)}" for t in range(1, 4) for d in range(1, 5)])
    one = write("one.qrels", [f"{t} 0 d{d} {int(d < 2)}" for t in range(1, 4) for d in range(1, 5)])
    columns = write("columns.csv", run("factors", "--empirical", "-m", "map", two, a, b).stdout)
    signed = run("eval", "-q", "-n", "-f", "csv", "--signature", "-m", "map", one, c, d).stdout.splitlines()
    kept = [place for place, name in enumerate(signed[0].split(",")) if name not in ("judgments", "options")]
    return columns, write("signed.csv", [",".join(line.split(",")[place] for place in kept) for line in signed])


def test_judgments_that_are_named_in_two_ways_are_compared(run, write, named_in_two_ways):
    columns, signed = named_in_two_ways
    alone = write("c.csv", [line for line in signed.read_text().splitlines() if not line.startswith("d,")])
    done = run("check", "--baseline", alone, "--max-drop", "map=1%", "--scores", columns)
    assert (done.status, "scores were made from other judgments (" in done.stderr) == (2, True)
    for files in ((columns, signed), (signed, columns)):
        done = run("compare", "--scores", files[0], "--scores", files[1])
        assert (done.status, "other judgments" in done.stderr) == (2, True)
    told = "were made from other judgments"
    assert told in run("standardize", "-F", signed, "--scores", columns).stderr


def test_columns_do_not_tell_how_many_topics_are_judged(run, named_in_two_ways, tmp_path):
    """A fourth judged topic, for which no run has documents, would not be among them."""
    columns, _ = named_in_two_ways
    signed = run("eval", "-q", "-n", "-f", "csv", "--signature", "--scores", columns)
    assert "|qrels:unknown|topics:3\n" in signed.stdout
    (tmp_path / "again.csv").write_text(signed.stdout)
    told = "the scores do not tell how many topics were judged"
    assert told in run("check", "--min", "map=0.1", "--scores", tmp_path / "again.csv").stderr


@pytest.fixture
def unjudged(run, write):
    """The lines of signed scores of nine topics, whose judgments are unknown."""
    rows = [f"{name},{t},0.{k}{t}7" for k, name in enumerate("ab", 2) for t in range(1, 10)]
    scores = write("s.csv", ["run,topic,map", *rows])

    def lines(output_format: str) -> list[str]:
        return run("eval", "-q", "-n", "-f", output_format, "--signature", "--scores", scores).stdout.splitlines()

    return lines


def test_topics_that_are_gone_from_signed_scores_of_unknown_judgments_are_counted(run, write, unjudged):
    """A signature counts the topics that had scores, if nobody knows how many are judged."""
    header, *lines = unjudged("csv")
    whole = write("whole.csv", [header, *lines])
    fewer = write("fewer.csv", [header, *(line for line in lines if line.split(",")[1] > "3")])
    assert "have no score" in run("compare", "--scores", fewer).stderr
    done = run("check", "--min", "map=0.1", "--scores", fewer)
    assert (done.status, "scores of 6 of the 9 topics" in done.stderr) == (2, True)
    assert run("check", "--min", "map=0.1", "--scores", whole).status == 0


def test_topics_that_are_gone_from_signed_output_are_told_after_its_conversion(run, write, unjudged):
    lines = [line for line in unjudged("text") if line.split("\t")[1] not in ("1", "2", "3")]
    converted = write("c.csv", run("convert", "--to", "scores", write("out.txt", lines)).stdout)
    assert run("check", "--min", "map=0.1", "--scores", converted).status == 2


def test_scores_of_unknown_judgments_in_two_files_have_all_topics_together(run, write, unjudged):
    header, *lines = unjudged("csv")
    first, second = (
        write(name, [header, *(line for line in lines if (int(line.split(",")[1]) < 5) == is_first)])
        for name, is_first in (("first.csv", True), ("second.csv", False))
    )
    assert run("check", "--min", "map=0.1", "--scores", first).status == 2
    done = run("check", "--min", "map=0.1", "--scores", first, "--scores", second)
    assert "of the 9 topics" not in done.stderr


def test_python_refuses_a_gate_by_fewer_topics_than_the_signature_counts(write, unjudged):
    header, *lines = unjudged("csv")
    whole = stdeval.read_scores(write("whole.csv", [header, *lines]))
    fewer = write("fewer.csv", [header, *(line for line in lines if line.split(",")[1] > "3")])
    with pytest.warns(InputWarning, match="have no score"):
        table = stdeval.read_scores(fewer)
    condition = stdeval.Condition("min", "map", 0.1)
    with pytest.raises(InputError, match="6 of the 9 topics") as raised:
        stdeval.check(table, condition)
    assert str(raised.value).endswith("expected dataclasses.replace(table, qrels=None, n_signed=0)")
    assert stdeval.check(replace(table, n_signed=0), condition)
    # a choice is nobody's loss
    assert stdeval.check(whole.select(topics=["4", "5"]), condition)
