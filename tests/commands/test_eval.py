"""`stdeval eval`: trec_eval's output byte for byte, and what a trec_eval user types."""

from __future__ import annotations

import gzip
import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stdeval.evaluation import RunScores
from stdeval.workers import score_all

pytestmark = pytest.mark.oracle

# trec_eval 9.0.8's own output, and the flags with which it was made (the file names say them)
PRINTED = {
    "cranfield.bm25-depth10.q-n.txt": "-q -n -m map -m Rprec -m set_F.0.5 -m iprec_at_recall..1,.5",
    "cranfield.bm25-missing-topics.nothing-but-defaults.txt": "",
    "cranfield.bm25-missing-topics.q-c-all_trec.txt": "-q -c -m all_trec",
    "cranfield.tfidf-rounded2.q-all_trec.txt": "-q -m all_trec",
    "trec-covid-r4.UPrrf38rrf3-r4.official.txt": "",
    "trec-covid-r4.poznan_p4_run3.official.txt": "",
    "trec-covid-r4.r4.fusion2.M100-J.txt": "-M100 -J -m map -m P.5,10 -m ndcg_cut.10 -m recip_rank",
    "trec-covid-r4.r4.fusion2.official.txt": "-m official",
    "trec-covid-r4.r4.fusion2.q-all_trec.txt": "-q -m all_trec",
    "trec-covid-r4.r4.fusion2.q-c-l2-official.txt": "-q -c -l2 -m official",
}

QRELS = ["1 0 a 1", "1 0 b 0", "1 0 c 2", "2 0 a 1", "2 0 d -1", "10 0 a 0"]
RUN = ["1 Q0 a 1 3 tag", "1 Q0 b 2 2 tag", "1 Q0 c 3 1 tag", "2 Q0 d 1 2 tag", "2 Q0 a 2 1 tag"]


@pytest.fixture
def small(write):
    return write("qrels", QRELS), write("r.run", RUN)


@pytest.mark.parametrize("name", PRINTED)
def test_text_is_that_of_trec_eval(run, shared: Path, name: str):
    collection, rest = name.split(".", 1)
    system = rest.removesuffix(".txt").rsplit(".", 1)[0]
    qrels, path = shared / collection / "qrels.txt", shared / collection / "runs" / f"{system}.run.gz"
    done = run("eval", *PRINTED[name].split(), qrels, path)
    assert done.raw == (shared / "trec_eval-9.0.8" / name).read_bytes()
    assert done.status == 0


def test_all_files_of_trec_eval_are_tested(shared: Path):
    assert {path.name for path in (shared / "trec_eval-9.0.8").glob("*.txt")} == set(PRINTED)


# The figures below are those that trec_eval 9.0.8 prints for these two files.
@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("-m map", {"map all": "0.6667"}),
        ("-c -m map -m num_q -m num_rel", {"num_q all": "3", "num_rel all": "3", "map all": "0.4444"}),
        ("-c -l2 -m num_rel -m map", {"num_rel all": "3", "map all": "0.1111"}),
        ("-l2 -m num_rel", {"num_rel all": "1"}),
        ("-J -m map -m num_ret", {"num_ret all": "4", "map all": "0.9167"}),
        ("-c -m gm_map", {"gm_map all": "0.0161"}),
        ("-m relstring.2 -q -n", {"relstring_2 1": "'10'", "relstring_2 2": "'.1'"}),
        ("-q -n -m num_nonrel_judged_ret", {"num_nonrel_judged_ret 1": "1", "num_nonrel_judged_ret 2": "0"}),
    ],
)
def test_figures(run, small, flags: str, expected: dict[str, str]):
    lines = [line.split() for line in run("eval", *flags.split(), *small).stdout.splitlines()]
    assert {f"{measure} {topic}": value for measure, topic, value in lines} == expected


# the values are those of trec_eval 9.0.8 for one of the topics
@pytest.mark.parametrize(
    ("gains", "value"),
    [("ndcg.1=3,2=5", "0.7979"), ("G.1=3,2=5", "0.5818"), ("Rndcg.2=9", "0.1075"), ("ndcg_rel.1=3", "0.9693")],
)
def test_gains_on_several_topics(run, write, gains: str, value: str):
    """pytrec_eval aborts the process where it reads gains a second time."""
    topics = ["1", "2", "3"]
    qrels = write("qrels", [f"{topic} 0 {docno}" for topic in topics for docno in ("a 1", "b 2", "c 0")])
    path = write("r.run", [f"{topic} Q0 {docno} t" for topic in topics for docno in ("a 1 1", "b 2 .5", "c 3 .7")])
    done = run("eval", "-q", "-m", gains, "-m", gains.split(".", maxsplit=1)[0], qrels, path)
    assert done.status == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    values = {topic: shown for measure, topic, shown in lines if "=" in measure}
    assert values == dict.fromkeys((*topics, "all"), value)


@pytest.mark.parametrize("judgment", [-1, -2, -1000])
def test_topic_with_negative_judgments_only(run, write, judgment: int):
    """trec_eval fails ("Can't calculate measure") or crashes here; nothing relevant counts 0."""
    qrels = write("qrels", ["1 0 a 1", f"2 0 a {judgment}", f"2 0 b {judgment}"])
    path = write("r.run", ["1 Q0 a 1 1 t", "2 Q0 a 1 2 t", "2 Q0 c 2 1 t"])
    done = run("eval", "-q", "-f", "csv", "-m", "all_trec", qrels, path)
    assert done.status == 0
    row = next(row for row in done.rows if row["topic"] == "2")
    assert row.pop("relstring") == ".-"
    assert {name for name, value in row.items() if value and name not in ("run", "topic") and float(value)} == {
        "num_ret",
        "utility",
    }


def test_topic_that_judged_only_leaves_empty(run, write):
    """trec_eval prints -nan for iprec_at_recall here, and in the mean."""
    qrels = write("qrels", ["1 0 a 1", "2 0 b 0"])
    path = write("r.run", ["1 Q0 a 1 1 t", "2 Q0 c 1 1 t"])
    done = run("eval", "-J", "-q", "-m", "iprec_at_recall.0", "-m", "11pt_avg", qrels, path)
    values = {tuple(line.split()[:2]): line.split()[2] for line in done.stdout.splitlines()}
    assert values["iprec_at_recall_0.00", "2"] == values["11pt_avg", "2"] == "0.0000"
    assert values["iprec_at_recall_0.00", "all"] == values["11pt_avg", "all"] == "0.5000"


def test_scores_are_compared_as_floats(run, write):
    """As C floats 1.00000001 equals 1, and 1e39 equals 2e39: ties are broken by docno, descending."""
    qrels = write("qrels", ["1 0 a 1", "2 0 a 1", "3 0 a 1", "4 0 a 1"])
    pairs = [("1", "1.00000001", "1"), ("2", "2e39", "1e39"), ("3", "1e-50", "0"), ("4", "1.0000002", "1")]
    path = write("r.run", [f"{t} Q0 {d} 1 {s} x" for t, a, b in pairs for d, s in (("a", a), ("b", b))])
    rows = run("eval", "-q", "-f", "csv", "-n", "-m", "recip_rank", qrels, path).rows
    assert [row["recip_rank"] for row in rows] == ["0.5", "0.5", "0.5", "1.0"]


def test_numbers_in_every_spelling(run, write):
    qrels = write("qrels", ["1 0 a 1"])
    for score in ("+1", "1.", ".5", "1e0", "1E+2", "-0", "+.5e-3"):
        assert run("eval", "-m", "map", qrels, write("r.run", [f"1 Q0 a 1 {score} t"])).status == 0
    for score in ("1_000", "0x10", "1d3", "e5", ".", "+", "١", "1e", "1,5", "infinity", "1e999", "--1"):
        done = run("eval", "-m", "map", qrels, write("r.run", [f"1 Q0 a 1 {score} t"]))
        assert (done.status, done.stdout) == (2, "")
        assert "r.run:1: score" in done.stderr, score


def test_topics_are_in_the_order_of_strcmp(run, write):
    topics = ["9", "10", "a", "B", "é", "-3", "1"]
    qrels = write("qrels", [f"{topic} 0 d 1" for topic in topics])
    path = write("r.run", [f"{topic} Q0 d 1 1 t" for topic in topics])
    printed = [line.split()[1] for line in run("eval", "-qn", "-mmap", qrels, path).stdout.splitlines()]
    assert printed == sorted(topics, key=str.encode) == ["-3", "1", "10", "9", "B", "a", "é"]


@pytest.mark.parametrize("style", ["text", "table", "csv"])
def test_topics_that_are_not_utf8_come_back_byte_for_byte(run, write, style: str):
    qrels = write("qrels", b"\xe9t\xe9 0 d 1\n\xff 0 d 1\n")
    path = write("r.run", b"\xff Q0 d 1 1 t\xe9\n\xe9t\xe9 Q0 d 1 1 t\xe9\n")
    lines = run("eval", "-q", "-mmap", "-f", style, qrels, path).raw.splitlines()
    assert sum(b"\xe9t\xe9" in line for line in lines) == 1
    assert sum(b"\xff" in line for line in lines) == 1


def test_lines_in_any_order(run, write, shared: Path):
    """A run whose topics return gives what the grouped run gives."""
    qrels, path = shared / "cranfield/qrels.txt", shared / "cranfield/runs/tfidf-rounded2.run.gz"
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    mixed = write("mixed.run", sorted(lines, key=lambda line: line[::-1]))
    assert run("eval", "-q", "-mofficial", qrels, mixed).raw == run("eval", "-q", "-mofficial", qrels, path).raw


class Rows(list):
    """Rows of scores that can be watched."""


@pytest.mark.parametrize(
    "typed", ["-q", "-q -n", "", "-q -f csv", "-f csv", "-q -f jsonl", "-q -f csv --signature"]
)
def test_no_run_is_held_while_the_next_one_is_scored(run, write, monkeypatch: pytest.MonkeyPatch, typed: str):
    held: list[weakref.ref[Rows]] = []
    most = 0

    def watched(*arguments: Any) -> Iterator[RunScores]:
        nonlocal most
        scored = score_all(*arguments)
        while (scores := next(scored, None)) is not None:
            watched = scores._replace(rows=Rows(scores.rows))
            held.append(weakref.ref(watched.rows))
            del scores
            yield watched
            del watched
            most = max(most, sum(rows() is not None for rows in held))

    runs = [write(f"{i}.run", [line.replace("tag", f"tag{i}") for line in RUN]) for i in range(4)]
    expected = run("eval", *typed.split(), write("qrels", QRELS), *runs, "-j", "1")
    monkeypatch.setattr("stdeval.cli.inputs.score_all", watched)
    done = run("eval", *typed.split(), write("qrels", QRELS), *runs, "-j", "1")
    assert (done.raw, done.status) == (expected.raw, 0)
    assert len(held) == 4
    # when the next run is asked for, none is held any more
    assert most == 0


@pytest.mark.parametrize("output_format", ["text", "csv", "jsonl"])
def test_nothing_is_written_to_a_pipe_before_all_runs_are_read(
    run, small, write, tmp_path: Path, output_format: str
):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    broken = write("broken.run", [*RUN[:-1], "2 Q0 a 2 high tag"])
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        done = run("eval", *small, broken, "-q", "-f", output_format, "-o", pipe, "-j", "1")
        assert (done.status, reader.read()) == (2, b"")
