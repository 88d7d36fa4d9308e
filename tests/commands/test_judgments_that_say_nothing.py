"""Runs and judgments that do not fit: one warning in every command that evaluates runs, and refused by `check`."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import pytest

import stdeval
from stdeval.errors import InputWarning

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture
def other(write) -> Path:
    """Judgments of documents that no run has, for the same topics. One that a run has is pooled but not judged."""
    return write("other.qrels", [f"{topic} 0 elsewhere 1" for topic in range(1, 6)] + ["1 0 d1 -1"])


@pytest.fixture
def qrels(write) -> Path:
    """One document of a topic is relevant, and all documents of the runs are judged."""
    grades = {(t, d): t % 3 or 1 if d == 1 + t % 3 else 0 for t in range(1, 6) for d in range(1, 4)}
    return write("ok.qrels", [f"{topic} 0 d{d} {grade}" for (topic, d), grade in grades.items()])


@pytest.fixture
def runs(write) -> list[Path]:
    def lines(tag: str, order: str) -> list[str]:
        return [f"{t} Q0 d{d} 1 {9 - i - (t == i)} {tag}" for t in range(1, 6) for i, d in enumerate(order)]

    return [write(f"{tag}.run", lines(tag, order)) for tag, order in {"a": "123", "b": "312", "c": "231"}.items()]


@pytest.fixture(scope="module")
def distances(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """new-a of the sample with scores that rise with its ranks."""
    path = tmp_path_factory.mktemp("runs") / "dist.run"
    lines = gzip.decompress((SAMPLE / "new-a.run.gz").read_bytes()).decode().splitlines()
    path.write_text("".join(f"{' '.join(line.split()[:4])} {line.split()[3]} dist\n" for line in lines))
    return path


COMMANDS = [
    "eval -m map",
    "standardize -m map",
    "compare -m map",
    "factors -m map",
    "factors -m map --empirical",
    "topics -m map",
    "meta power -m map",
    "meta rank -m map -m P_5",
]


def told(done, word: str) -> list[str]:
    return [line for line in done.stderr.splitlines() if word in line]


@pytest.mark.parametrize("command", COMMANDS)
def test_qrels_of_another_collection_are_one_warning(run, other, runs, command: str):
    assert len(told(run(*command.split(), other, *runs), "is judged in")) == 1


@pytest.mark.parametrize("command", [*COMMANDS, "pool -d 5 --report"])
def test_a_level_above_all_judgments_is_one_warning(run, qrels, runs, command: str):
    assert len(told(run(*command.split(), "-l", 99, qrels, *runs), "no document is relevant at level 99")) == 1


@pytest.mark.parametrize("command", [*COMMANDS, "pool -d 5 --report"])
def test_judgments_that_say_something_are_no_warning(run, qrels, runs, command: str):
    done = run(*command.split(), qrels, *runs)
    assert not told(done, "judged in") + told(done, "relevant")


def test_only_the_runs_without_judged_documents_are_counted(run, qrels, runs, write):
    stranger = write("z.run", ["1 Q0 x 1 1 z", "2 Q0 d9 1 1 z"])
    assert "no document of 1 of 4 runs (e.g. 'z')" in run("eval", "-c", "-m", "map", qrels, *runs, stranger).stderr
    assert "no document of 'z'" in run("eval", "-c", "-m", "map", qrels, stranger).stderr


def test_the_gate_does_not_pass_on_nothing(run, qrels, other, runs, distances):
    refused = {
        (other, runs[0]): f"{runs[0]}: no document",
        (other, *runs, "--baseline", "a", "--max-drop", "P_5=0"): f"{runs[0]}: no document",
        ("-l", 99, qrels, runs[0]): f"{qrels}: no document is relevant at level 99",
        (qrels, runs[0], "--min", "P(rel=3)@5=0"): "no document is relevant at level 3",
        (SAMPLE / "qrels.gz", distances): f"{distances}: the scores rise",
    }
    for typed, message in refused.items():
        for complete in ([], ["-c"]):
            done = run("check", *complete, *typed, "--min", "map=.0001")
            assert (done.status, done.raw) == (2, b"")
            assert message in done.stderr
    assert run("check", qrels, runs[0], "--min", "map=.0001").status == 0


def test_the_gate_refuses_missing_topics_but_not_other_ones(run, qrels, runs, write):
    lines = runs[0].read_text().splitlines()
    some, more = write("some.run", lines[:-3]), write("more.run", [*lines, "99 Q0 d1 1 1 a"])
    refused = run("check", qrels, some, "--min", "map=.0001")
    assert refused.status == 2
    assert "no documents for 1 of 5 judged topics (e.g. '5')" in refused.stderr
    assert run("check", "-c", qrels, some, "--min", "map=.0001").status == 0
    assert run("check", qrels, more, "--min", "map=.0001").status == 0


def test_qrels_without_relevant_documents(run, write, runs):
    qrels = write("none.qrels", ["1 0 d1 0", "1 0 d2 -1"])
    assert f"{qrels}: no document is relevant, the highest" in run("eval", qrels, runs[0]).stderr
    assert run("check", qrels, runs[0], "--min", "map=.0001").status == 2


@pytest.mark.parametrize("command", [*COMMANDS, "check --min map=.0001"])
def test_topics_that_the_level_leaves_without_relevant_documents_are_one_warning(run, write, runs, command: str):
    graded = write("graded.qrels", ["1 0 d1 1", "2 0 d1 2", "2 0 d2 2", "2 0 d3 0"])
    done = run(*command.split(), "-c", "-l", 2, graded, *runs)
    assert len(told(done, "no document is relevant at level 2 for 1 of 2 topics (e.g. '1')")) == 1


def test_levels_that_change_no_score_are_no_warning(run, write, runs):
    graded = write("graded.qrels", ["1 0 d1 1", "2 0 d1 2"])
    measures = ["-m", "ndcg", "-m", "num_ret"]
    assert not told(run("eval", *measures, "-l", 2, graded, *runs), "relevant")
    assert told(run("eval", *measures, "--binary", "-l", 2, graded, *runs), "relevant")
    assert not told(run("eval", "-m", "map", write("q", ["1 0 d1 1", "2 0 d1 0"]), *runs), "relevant")


def test_real_topics_without_relevant_documents(run, shared):
    folder = shared / "cranfield"
    done = run("eval", "-m", "map", "-l", 4, folder / "qrels.txt", folder / "runs" / "bm25-depth10.run.gz")
    judged: dict[str, list[str]] = {}
    for line in (folder / "qrels.txt").read_text().splitlines():
        judged.setdefault(line.split()[0], []).append(line.split()[3])
    n = sum("4" not in grades for grades in judged.values())
    assert f"{n} of 225 topics" in done.stderr


def test_real_runs_with_the_qrels_of_another_collection(run, shared):
    """The topics of both collections are numbered from 1, and no docno of the one is judged in the other."""
    qrels = shared / "trec-covid-r5" / "qrels.txt"
    paths = sorted((shared / "cranfield" / "runs").glob("*.gz"))[:3]
    done = run("eval", "-m", "map", qrels, *paths)
    assert (done.status, done.stdout.count("0.0000")) == (0, 3)
    assert "no document of 3 of 3 runs" in done.stderr
    assert run("check", "-c", qrels, paths[0], "--min", "map=.0001").status == 2


def _run_of_topics(n: int, tag: str = "a") -> list[str]:
    return [f"{topic} Q0 d{topic} 1 1 {tag}" for topic in range(1, n + 1)]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_topics_outside_the_qrels_are_named_beside_missing_ones_only(run, write, jobs: str):
    """A topic that comes back is counted once."""
    runs = [
        write("a.run", [*_run_of_topics(7), "5 Q0 e5 2 0.5 a", "7 Q0 e7 2 0.5 a"]),
        write("b.run", _run_of_topics(3, "b")),
    ]
    few, many = (write(f"{n}.qrels", [f"{topic} 0 d{topic} 1" for topic in range(n)]) for n in (3, 5))
    assert (
        "has no documents for 1 of 3 judged topics, and documents for 5 other topics"
        in run("eval", "-j", jobs, "-m", "map", few, runs[0]).stderr
    )
    both = run("eval", "-j", jobs, "-m", "map", many, *runs).stderr
    assert "2 of 2 runs" in both
    assert "'b', 2 of 5" in both
    assert not told(run("eval", "-c", "-j", jobs, "-m", "map", many, *runs), "topics")
    every = write("every.qrels", [f"{topic} 0 d{topic} 1" for topic in range(1, 4)])
    assert run("eval", "-j", jobs, "-m", "map", every, runs[0]).stderr == ""


def test_relevant_documents_of_missing_topics_are_counted_at_the_level(run, write):
    """Their rows are not in trec_eval's output, but its sum over all topics is from level 1 on."""
    qrels = write("qrels", ["1 0 a 1", "1 0 b 2", "2 0 a 1", "2 0 b 2", "2 0 c 1"])
    path = write("a.run", ["1 Q0 b 1 1 x"])
    done = run("eval", "-c", "-l", 2, "-q", "-f", "csv", "-m", "num_rel", "-m", "num_rel_rel=1", qrels, path)
    assert [row["num_rel"] for row in done.rows] == ["1", "1", "5"]
    assert [row["num_rel_rel=1"] for row in done.rows] == ["2", "3", "5"]


@pytest.mark.parametrize("command", [*COMMANDS, "eval -m map -j 2", "pool -d 10"])
def test_every_command_warns_once_of_distances(run, distances, command: str):
    references = sorted((SAMPLE / "references").glob("*.gz"))[:3]
    done = run(*command.split(), SAMPLE / "qrels.gz", *references, distances)
    assert told(done, "rise") == told(done, "1 of 4 runs (e.g. 'dist') has scores that rise")
    assert len(told(done, "rise")) == 1
    assert not told(run(*command.split(), SAMPLE / "qrels.gz", *references), "rise")


@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_distances_are_found_in_parts_of_a_run(run, distances, jobs: str):
    done = run("eval", "-m", "map", "-j", jobs, SAMPLE / "qrels.gz", distances)
    assert len(told(done, "'dist' has scores that rise")) == 1
    assert done.stdout.split() == ["map", "all", "0.0823"]


def test_python_programs_get_the_same_warnings(distances):
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 2.0}}
    other = {"1": {"x-a": 1.0}}
    with pytest.warns(InputWarning, match="^no document of 'run' is judged in the qrels") as given:
        stdeval.evaluate(qrels, other, "AP")
    assert given[0].filename == __file__
    with pytest.warns(InputWarning, match="no document of 1 of 2 runs .e.g. 'b'. is judged in the qrels"):
        stdeval.evaluate(qrels, {"a": run, "b": other}, "AP")
    with pytest.warns(InputWarning, match="^the qrels: no document is relevant"):
        stdeval.evaluate({"1": {"a": 0, "b": 0}}, run, "AP")
    with pytest.warns(InputWarning, match="^the qrels: no document is relevant at level 2"):
        stdeval.evaluate(qrels, run, "AP", stdeval.Options(level=2))
    with pytest.warns(InputWarning, match="no document is relevant at level 2 for 1 of 2 topics"):
        stdeval.evaluate({**qrels, "2": {"a": 2}}, {**run, "2": run["1"]}, "AP", stdeval.Options(level=2))
    with pytest.warns(InputWarning, match="1 of 2 judged topics, and documents for 1 other topic"):
        stdeval.evaluate({**qrels, "2": {"a": 2}}, {**run, "3": run["1"]}, "AP")
    with pytest.warns(InputWarning, match="'dist' has scores that rise") as given:
        stdeval.read_run(distances)
    assert given[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        stdeval.evaluate(qrels, run, "AP")
