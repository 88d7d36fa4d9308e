"""`stdeval eval`: trec_eval's output byte for byte, and what a trec_eval user types."""

from __future__ import annotations

import gzip
import os
import weakref
from array import array
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
    lines = [line.split() for line in done.stdout.splitlines()]
    values = {topic: shown for measure, topic, shown in lines if "=" in measure}
    assert values == dict.fromkeys((*topics, "all"), value)


@pytest.mark.parametrize("judgment", [-1, -2, -1000])
def test_topic_with_negative_judgments_only(run, write, judgment: int):
    """trec_eval fails ("Can't calculate measure") or crashes here; nothing relevant counts 0."""
    qrels = write("qrels", ["1 0 a 1", f"2 0 a {judgment}", f"2 0 b {judgment}"])
    path = write("r.run", ["1 Q0 a 1 1 t", "2 Q0 a 1 2 t", "2 Q0 c 2 1 t"])
    done = run("eval", "-q", "-f", "csv", "-m", "all_trec", qrels, path)
    row = next(row for row in done.rows if row["topic"] == "2")
    assert (row.pop("run"), row.pop("topic"), row.pop("relstring")) == ("t", "2", ".-")
    assert {name for name, value in row.items() if value and float(value)} == {"num_ret", "utility"}


def test_topic_that_judged_only_leaves_empty(run, write):
    """trec_eval prints -nan for iprec_at_recall here, and in the mean."""
    qrels = write("qrels", ["1 0 a 1", "2 0 b 0"])
    path = write("r.run", ["1 Q0 a 1 1 t", "2 Q0 c 1 1 t"])
    done = run("eval", "-J", "-q", "-m", "iprec_at_recall.0", "-m", "11pt_avg", qrels, path)
    values = {tuple(line.split()[:2]): line.split()[2] for line in done.stdout.splitlines()}
    assert values["iprec_at_recall_0.00", "2"] == values["11pt_avg", "2"] == "0.0000"
    assert values["iprec_at_recall_0.00", "all"] == values["11pt_avg", "all"] == "0.5000"


# in topic 1, trec_eval 9 sees one score, and so ranks d, c, b, a; trec_eval 10 ranks a, c, b, d
TIED = ["1 Q0 a 1 16777216.3 t", "1 Q0 b 2 16777216.1 t", "1 Q0 c 3 16777216.1 t", "1 Q0 d 4 16777216 t"]
APART = ["2 Q0 a 1 0.5 t", "2 Q0 b 2 0.25 t"]


@pytest.mark.parametrize(
    ("options", "single", "double"),
    [
        ("-m recip_rank", "0.2500 0.5000 0.3750", "1.0000 0.5000 0.7500"),
        ("-m recip_rank -M 1", "0.0000 0.0000 0.0000", "1.0000 0.0000 0.5000"),
        ("-m recip_rank -J", "0.5000 0.5000 0.5000", "1.0000 0.5000 0.7500"),
        ("-m relstring", "'0--1' '01'", "'1--0' '01'"),
        ("-m relstring -M 2", "'0-' '01'", "'1-' '01'"),
        ("-m rbp_p=0.5", "0.0625 0.2500 0.1562", "0.5000 0.2500 0.3750"),
    ],
)
def test_precision_of_scores_of_documents(run, write, options: str, single: str, double: str):
    files = [write("qrels", ["1 0 a 1", "1 0 d 0", "2 0 a 0", "2 0 b 1"]), write("t.run", TIED + APART)]
    for precision, expected in (("", single), ("--precision single", single), ("--precision double", double)):
        done = run("eval", "-q", *options.split(), *precision.split(), *files)
        assert [line.split()[-1] for line in done.stdout.splitlines()] == expected.split()


# long_options in trec_eval.c, whole and as getopt_long abbreviates them
@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("--level_for_rel 2 --nosummary --query_eval_wanted", "-l2 -qn"),
        ("--complete_rel_info_wanted", "-c"),
        ("--Max_retrieved_per_topic=2", "-M 2"),
        ("--q --c --J --le 2 --Max 2 --m map", "-qcJ -l 2 -M 2 -m map"),
        ("--measure=map --measur=P.2", "-m map -m P.2"),
    ],
)
def test_long_options_of_trec_eval(run, write, long: str, short: str):
    files = [write("qrels", [*QRELS, "1 0 e 2"]), write("r.run", [*RUN, "1 Q0 x 4 9 tag"])]
    done, expected, plain = (run("eval", *options.split(), *files) for options in (long, short, ""))
    assert (done.status, done.stderr, done.raw) == (0, expected.stderr, expected.raw)
    assert done.raw != plain.raw


def test_lines_in_any_order(run, write, shared: Path):
    """A run whose topics return gives what the grouped run gives."""
    qrels, path = shared / "cranfield/qrels.txt", shared / "cranfield/runs/tfidf-rounded2.run.gz"
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    mixed = write("mixed.run", sorted(lines, key=lambda line: line[::-1]))
    assert run("eval", "-q", "-mofficial", qrels, mixed).raw == run("eval", "-q", "-mofficial", qrels, path).raw


@pytest.mark.parametrize("typed", ["-q", "", "-q -f csv", "-q -f jsonl", "-q -f csv --signature"])
def test_no_run_is_held_while_the_next_one_is_scored(run, write, monkeypatch: pytest.MonkeyPatch, typed: str):
    held: list[weakref.ref[array[float]]] = []
    still: list[int] = []

    def watched(*arguments: Any) -> Iterator[RunScores]:
        scored = score_all(*arguments)
        while (scores := next(scored, None)) is not None:
            held.append(weakref.ref(scores.scores))
            yield scores
            del scores
            # the next run is asked for
            still.append(sum(scores() is not None for scores in held))

    runs = [write(f"{i}.run", [line.replace("tag", f"tag{i}") for line in RUN]) for i in range(4)]
    typed_all = ["eval", *typed.split(), write("qrels", QRELS), *runs, "-j", "1"]
    expected = run(*typed_all)
    monkeypatch.setattr("stdeval.workers.score_all", watched)
    assert run(*typed_all).raw == expected.raw
    assert still == [0, 0, 0, 0]


@pytest.mark.parametrize("output_format", ["text", "csv", "jsonl"])
def test_nothing_is_written_to_a_pipe_before_all_runs_are_read(run, write, tmp_path: Path, output_format: str):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    files = [write("qrels", QRELS), write("r.run", RUN), write("broken.run", [*RUN[:-1], "2 Q0 a 2 high tag"])]
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        done = run("eval", *files, "-q", "-f", output_format, "-o", pipe, "-j", "1")
        assert (done.status, reader.read()) == (2, b"")
