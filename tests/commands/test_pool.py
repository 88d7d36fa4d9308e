"""`stdeval pool`."""

from __future__ import annotations

import gzip

import pytest

QRELS = ["2 x9 b 1", "1 0 a 1", "1  0\tb 0", "", "1 7 c 2", "2 0 d -1", "1 0 e 1", "3 0 z 1"]
FIRST = ["1 Q0 a 1 3 one", "1 Q0 q 2 2 one", "1 Q0 b 3 1 one", "2 Q0 d 1 2 one"]
SECOND = ["1 Q0 c 1 3 two", "1 Q0 a 2 3 two", "1 Q0 e 3 1 two", "9 Q0 z 1 1 two"]


@pytest.fixture
def files(write):
    return write("qrels", QRELS), write("1.run", FIRST), write("2.run", SECOND)


@pytest.mark.parametrize(
    ("depth", "kept"),
    # Of the second run, c comes before a: scores are equal and docnos descend.
    [(1, [1, 4, 5]), (2, [1, 4, 5]), (3, [1, 2, 4, 5, 6])],
)
def test_lines_stay_as_they_are(run, files, depth: int, kept: list[int]):
    done = run("pool", "-d", depth, *files)
    assert done.status == 0
    assert done.stdout.splitlines() == [QRELS[i] for i in kept]


def test_topics_that_are_left_without_judgments_are_told(run, files, write):
    """Topic 3 has no pooled document, topic 2 one that is not judged relevant, but is in the qrels."""
    pooled = run("pool", "-d", 3, *files)
    assert "no judgments are left for 1 of 3 topics (e.g. '3')" in pooled.stderr
    counted = [
        run("eval", "-c", "-m", "num_q", qrels, files[1]).stdout.split()[-1]
        for qrels in (files[0], write("pooled", pooled.raw))
    ]
    assert counted == ["3", "2"]
    whole = write("whole.run", ["1 Q0 a 1 1 t", "2 Q0 d 1 1 t", "3 Q0 z 1 1 t"])
    assert run("pool", "-d", 1, files[0], whole).stderr == ""


def test_bytes_stay_as_they_are(run, write):
    qrels = write("qrels", b"1 0 caf\xe9 1\r\n1 0 b 0\n1 0 \xc3\xa9 1")
    path = write("a.run", b"1 Q0 caf\xe9 1 2 t\n1 Q0 \xc3\xa9 2 1 t\n")
    assert run("pool", "-d", 2, qrels, path).raw == b"1 0 caf\xe9 1\r\n1 0 \xc3\xa9 1\n"


def test_packed_files_and_standard_input(run, files, write):
    qrels, first, second = files
    packed = write("1.gz", gzip.compress(first.read_bytes()))
    plain = run("pool", "-d", 3, qrels, first, second).raw
    assert run("pool", "-d", 3, "-", packed, second, stdin=qrels.read_bytes()).raw == plain
    assert run("pool", "-d", 3, qrels, "-", second, stdin=first.read_bytes()).raw == plain


def test_a_run_that_is_not_grouped_by_topic(run, files, write):
    qrels = files[0]
    # Before topic 1 comes back, b is its first document; in the end it is not among the first.
    path = write("mixed.run", ["1 Q0 b 1 1 t", "2 Q0 b 1 1 t", "1 Q0 a 1 9 t"])
    assert run("pool", "-d", 1, qrels, path).stdout.splitlines() == [QRELS[0], QRELS[1]]


def test_report(run, files):
    rows = run("pool", "-d", 2, "--report", "-f", "csv", *files).rows
    by_name = {(row["of"], row["name"]): list(row.values())[2:] for row in rows}
    # Topic 1: of a b c e, judged, the pool a q c has a and c; a c e are relevant. That of d says not judged.
    assert by_name["topic", "1"] == ["3", "2", "2", "2", "1", ""]
    assert by_name["topic", "2"] == ["1", "0", "1", "0", "1", ""]
    assert by_name["topic", "3"] == ["0", "0", "1", "0", "1", ""]
    assert by_name["topic", "all"] == ["4", "2", "4", "2", "3", ""]
    assert by_name["run", "one"] == ["", "", "", "", "", "2"]  # q and d
    assert by_name["run", "two"] == ["", "", "", "", "", "1"]  # c
    at_two = run("pool", "-d", 2, "--report", "-l", 2, "-f", "csv", *files).rows
    assert [row["relevant"] for row in at_two if row["name"] == "all"] == ["1"]


def test_report_to_read(run, files):
    lines = run("pool", "-d", 2, "--report", "-f", "table", *files).stdout.splitlines()
    assert lines[0].split()[:3] == ["of", "name", "documents"]
    assert lines[-1].split() == ["run", "two", "-", "-", "-", "-", "-", "1"]
    assert run("pool", "-d", 2, "--report", *files).stdout.splitlines()[4] == "topic\tall\t4\t2\t4\t2\t3\t-"


def test_evaluation_with_the_smaller_qrels(run, shared, tmp_path):
    """A run is worth as much or less, and its residual more, when fewer documents are judged."""
    qrels = shared / "cranfield" / "qrels.txt"
    runs = sorted((shared / "cranfield" / "runs").iterdir())[::8]
    scores = []
    for depth in (100, 1):
        pooled = tmp_path / f"qrels{depth}"
        assert run("pool", "-d", depth, qrels, *runs[1:], "-o", pooled).status == 0
        judged = pooled.read_text().splitlines()
        assert set(judged) < set(qrels.read_text().splitlines())
        rows = run("eval", "-c", "-q", "-n", "-f", "csv", "-m", "rbp", "-m", "rbp_resid", pooled, runs[0]).rows
        scores.append({row["topic"]: (float(row["rbp_p=0.8"]), float(row["rbp_resid_p=0.8"])) for row in rows})
    deep, shallow = scores
    assert all(shallow[topic][0] <= deep[topic][0] for topic in shallow)
    assert all(shallow[topic][1] >= deep[topic][1] for topic in shallow)
    assert sum(shallow[topic][1] > deep[topic][1] for topic in shallow) > 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-d", "0", "qrels", "1.run"], "expected a whole number from 1"),
        (["qrels", "1.run"], "Missing option '-d'"),
        (["-d", "1", "qrels"], "Missing argument 'RUN...'"),
        (["-d", "1", "qrels", "1.run", "1.run"], "given twice"),
        (["-d", "1", "qrels", "strange.run"], "strange.run: no topic in common with the qrels"),
        (["-d", "1", "qrels", "qrels2"], "looks like qrels"),
    ],
)
def test_what_is_refused(run, files, write, monkeypatch, arguments: list[str], message: str):
    write("strange.run", ["9 Q0 a 1 1 t"])
    write("qrels2", QRELS)
    monkeypatch.chdir(files[0].parent)
    done = run("pool", *arguments)
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr


def test_runs_without_topics_or_of_fewer_documents_than_are_pooled_are_told(run, write):
    """The pool would favour the other runs, since more of their documents are judged."""
    qrels = write("qrels", [f"{topic} 0 d{topic}-{d} 1" for topic in range(1, 11) for d in range(1, 6)])

    def lines(tag: str, n_topics: int, depth: int) -> list[str]:
        return [f"{t} Q0 d{t}-{d} {d} {9 - d} {tag}" for t in range(1, n_topics + 1) for d in range(1, depth + 1)]

    whole, nearly = write("whole", lines("whole", 10, 5)), write("nearly", lines("nearly", 9, 5))
    part, short = write("part", lines("part", 3, 5)), write("short", lines("short", 10, 2))
    assert run("pool", "-d", 5, qrels, whole, nearly).stderr == ""
    assert run("pool", "-d", 2, qrels, whole, short).stderr == ""
    assert "'part' has fewer than 5 documents" in run("pool", "-d", 5, qrels, part).stderr
    several = run("pool", "-d", 5, qrels, whole, nearly, part, short).stderr
    assert several.count("fewer than 5 documents") == 1
    assert "2 of 4 runs" in several
