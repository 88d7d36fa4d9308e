"""Reading qrels and runs: hostile files, columns, scores, and lines in any order."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.trec.lines import RUN_FORM
from stdeval.trec.reading import JudgmentError, RunReader, read_qrels, read_run, sorted_topics

SAME, OTHER = "the scores of ok.run", "other scores"

# As the folder's README has it, each file is refused with these words, or accepted with these scores.
RUNS = {
    "ok.run": SAME,
    "crlf.run": SAME,
    "tabs.run": SAME,
    "mixed-spaces.run": SAME,
    "blank-lines.run": SAME,
    "no-final-newline.run": SAME,
    "utf8-bom.run": SAME,
    "plain-text-named.run.gz": SAME,
    "gzip-named-plain.run": SAME,
    "rank-contradicts-score.run": SAME,
    "shuffled-lines.run": SAME,
    "alpha-topics.run": SAME,
    "huge-topic-ids.run": SAME,
    "two-tags.run": SAME,
    "latin1-docno.run": OTHER,
    "one-megabyte-line.run": OTHER,
    "all-ties.run": OTHER,
    "seven-columns.run": ":48: 8 columns, expected 6",
    "five-columns-middle.run": ":48: 5 columns, expected 6",
    "duplicate-docno.run": ":32: document '1bxt21za' appears twice in topic '2'",
    "nan-score.run": ":11: score 'nan'",
    "inf-score.run": ":11: score 'inf'",
    "non-numeric-score.run": ":11: score 'N/A'",
    "decimal-comma.run": ":1: score '0,0388",
    "truncated.run.gz": ": truncated gzip file",
    "empty.run": ": no entries",
    "whitespace-only.run": ": no entries",
    "no-overlap.run": ": no topic in common with the qrels: the run has '701', the qrels '1'",
    "leading-zeros.run": ": no topic in common with the qrels: the run has '001', the qrels '1'",
    "nul-bytes.run": ":53: a NUL byte",
    "header-line.run": ":1: score 'score'",
    "qrels-given-as.run": ":1: 4 columns, expected 6: topic Q0 docno rank score tag (this looks like qrels)",
}
QRELS = {
    "ok.qrels": SAME,
    "crlf.qrels": SAME,
    "utf8-bom.qrels": SAME,
    "float-judgments.qrels": SAME,
    "negative.qrels": SAME,
    "alpha-topics.qrels": SAME,
    "huge-topic-ids.qrels": SAME,
    "no-relevant-topic.qrels": OTHER,
    "empty.qrels": ": no judgments",
    "duplicate-pair-same.qrels": ":8: document '0chuwvg6' appears twice in topic '1'",
    "duplicate-pair-conflict.qrels": ":8: document '0chuwvg6' appears twice in topic '1'",
    "run-given-as.qrels": ":1: 6 columns, expected 4: topic iteration docno judgment (this looks like a run)",
    "three-columns.qrels": ":10: 3 columns, expected 4",
}
# These are tested in tests/commands/test_factors.py.
REFERENCES = {"identical", "missing-topics", "one-constant-topic", "same-tag", "single"}
MEASURES = ("-m", "map", "-m", "P.5,10", "-m", "ndcg", "-m", "num_ret", "-m", "num_rel", "-m", "recip_rank")


def pair(hostile: Path, name: str) -> tuple[Path, Path]:
    """Qrels and run with which a file is tested."""
    stem, _, kind = name.partition(".")
    if stem in ("alpha-topics", "huge-topic-ids"):
        return hostile / f"{stem}.qrels", hostile / f"{stem}.run"
    return (hostile / name, hostile / "ok.run") if kind == "qrels" else (hostile / "ok.qrels", hostile / name)


def scores_of(run, qrels: Path, path: Path) -> list[dict[str, str]]:
    """Scores by topic, in the order in which the qrels first name the topics."""
    rows = {row.pop("topic"): row for row in run("eval", "-q", "-f", "csv", "-n", *MEASURES, qrels, path).rows}
    return [rows[topic] for topic in read_qrels(qrels)]


def test_an_error_about_a_judgment_comes_out_of_another_process_whole() -> None:
    error = pickle.loads(pickle.dumps(JudgmentError("7", "b", 5, "expected at most 4")))
    assert (error.topic, error.docno) == ("7", "b")
    assert str(error) == "topic '7', docno 'b': judgment 5, expected at most 4"


def test_every_hostile_file_is_tested(hostile: Path):
    tested = {*RUNS, *QRELS, *(f"refs-{name}" for name in REFERENCES), "README.md"}
    assert {path.name for path in hostile.iterdir() if not path.name.startswith(".")} == tested


@pytest.mark.parametrize(("name", "what"), (RUNS | QRELS).items())
def test_hostile_files_are_accepted_without_a_warning_or_refused_in_one_line(
    run, hostile: Path, tmp_path: Path, name: str, what: str
):
    qrels, path = pair(hostile, name)
    done = run("eval", "-o", tmp_path / "out", qrels, path)
    if what in (SAME, OTHER):
        assert (done.status, done.stderr) == (0, "")
        same = scores_of(run, qrels, path) == scores_of(run, hostile / "ok.qrels", hostile / "ok.run")
        assert same == (what == SAME)
    else:
        assert (done.status, done.stdout, list(tmp_path.iterdir())) == (2, "", [])
        assert done.stderr.startswith(f"stdeval: {hostile / name}{what}")
        assert done.stderr.count("\n") == 1
        assert len(done.stderr) < len(str(hostile)) + 200


def rising(n: int, of: int = 3, scores: str = "012") -> list[str]:
    """Lines of so many topics, on the first n of which the score rises with the rank."""
    ranked = [(t, i, scores[i] if t < n else scores[-1 - i]) for t in range(of) for i in range(len(scores))]
    return [f"{t} Q0 d{i} {i + 1} {score} t" for t, i, score in ranked]


@pytest.mark.parametrize(
    ("lines", "rises"),
    [
        (rising(2), True),
        (rising(2, 4), False),
        (rising(3, scores="0" * 3), False),
        (rising(3, scores="021"), True),
        (rising(3, scores="120"), False),
        ([*rising(1, 1), "2 Q0 a 1 1 t", "3 Q0 a 1 1 t"], True),
        ([line.replace(" d0 1", " d0 first") for line in rising(3)], False),
        ([line.replace(" d2 3", " d2 1") for line in rising(3)], False),
        (sorted(rising(2), key=lambda line: line.split()[3]), True),
    ],
)
@pytest.mark.parametrize("blank", [[], [""]])
def test_scores_rise_if_they_do_from_the_first_to_the_last_line_of_most_topics(write, lines, rises: bool, blank):
    reader = RunReader(Input(write("r.run", [*blank, *lines])))
    list(reader)
    assert (reader.rising > 0) == rises


def test_docnos_are_bytes_and_tags_are_text(hostile: Path):
    docnos = set(read_run(hostile / "latin1-docno.run").documents["1"])
    assert sum("\xe9" in docno for docno in docnos) == 1
    assert len(docnos) == 20
    assert read_run(hostile / "crlf.run").tag == read_run(hostile / "ok.run").tag == "UPrrf38rrf3-r4"


def test_a_topic_without_relevant_documents_scores_zero(run, hostile: Path):
    # 0.4346 is trec_eval's mean over all topics, as the README has it.
    out = run("eval", "-q", "-m", "map", hostile / "no-relevant-topic.qrels", hostile / "ok.run").stdout
    lines = [line.split() for line in out.splitlines()]
    assert (lines[3], lines[5]) == (["map", "4", "0.0000"], ["map", "all", "0.4346"])


def test_long_names_are_printed_in_full_but_not_in_messages(run, hostile: Path, write):
    out = run("eval", "-q", "-m", "map", *pair(hostile, "huge-topic-ids.run")).stdout
    assert max(len(line.split("\t")[1]) for line in out.splitlines()) == 200
    text = (hostile / "one-megabyte-line.run").read_text()
    line = next(line for line in text.splitlines() if len(line) > 1_000_000)
    done = run("eval", hostile / "ok.qrels", write("r.run", f"{line}\n{line}\n"))
    assert "r.run:2: document" in done.stderr
    assert len(done.stderr) < 500


@pytest.mark.parametrize("blank", ["", "\n"])
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1 Q0 d 1 2", "5 columns"),
        ("1 Q0 d e 1 2 t", f"7 columns, expected 6: {RUN_FORM} (more are ignored only if the sixth is the run's"),
        ("1 Q0 Smith 2020 9 0.68 t", "7 columns, expected 6"),
        ("1 Q0 d 1 2 t of the run", None),
        ("1 Q0 d 1 2 t 2 Q0 e 1 2 u", None),
        ("1 Q0 d 1 2 t 2 Q0 e 1 2 t", f"12 columns, expected 6: {RUN_FORM} (this looks like two lines"),
        ("1 Q0 d 1 2 t 2 Q0 e 1 2 u 3 Q0 e 1 2 t and", "19 columns, expected 6"),
        ("1 Q0 d 1 2\ttag", None),
        ("1 Q0 d 1 2 t\r", None),
        ("1 Q0 d 1 2\rt", ""),
        ("1 Q0 d\u2003e 1 2 t", None),
        # scores are finite decimals
        *(
            (f"1 Q0 d 2 {score} t_", "")
            for score in ["1_0", "0x1p3", "nan", "-inf", "1e400", "١", "1,5", "-", "1f"]
        ),
        # the number of fields is wrong in each line, but right in all lines together
        ("1 Q0 d 1 0.5\n1 1 Q0 d 1 0.5 t", "5 columns"),
        (" 1 Q0 d 0.5 t", "5 columns"),
        ("1 Q0 d 0.5 t\t", "5 columns"),
        ("1 Q0 d 1 0.5 1 Q0 e 1 0.5 t\n1\n1 Q0 f 1 0.5 t", "11 columns"),
        ("1 Q0 d 1 0.5 t 1 Q0 e 1 0.5 t\n1\n1 Q0 f 1 0.5 t", "12 columns"),
        ("1\n1 1 Q0 e 1 0.5 t 1 1 1 0.5", "1 column"),
    ],
)
def test_columns(write, line: str, words: str | None, blank: str):
    """Columns are checked in the same way at once and line by line, which a blank line requires."""
    path = write("r.run", f"1 Q0 first 1 3 t\n{blank}{line}\n")
    if words is None:
        assert len(read_run(path).documents["1"]) == 2
    else:
        with pytest.raises(InputError, match=re.escape(f"r.run:{2 + len(blank)}: {words}")):
            read_run(path)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("comment", ["", " ", "\t", "\n\n"])
def test_blank_lines_are_counted(write, newline: str, comment: str):
    lines = ["1 Q0 a 1 1 t", *comment.split("\n"), "1 Q0 a 1 1 t"]
    with pytest.raises(InputError) as raised:
        read_run(write("r.run", newline.join(lines)))
    assert raised.value.line == len(lines)


def test_a_document_is_repeated_when_its_topic_comes_back(write):
    path = write("r.run", ["1 Q0 a 1 1 t", "2 Q0 a 1 1 t", "1 Q0 a 1 1 t"])
    with pytest.raises(InputError, match=r"r\.run:3: document 'a' appears twice in topic '1'"):
        read_run(Input(path))


def test_topics_are_sorted_by_bytes():
    topics = ["b", "\udcff", "é", "10", "9", "\U0001f600", "\uffff"]
    assert list(sorted_topics(topics)) == sorted(topics, key=lambda text: text.encode("utf-8", "surrogateescape"))
