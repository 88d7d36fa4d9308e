"""Runs that have only a summary are refused, and means that contradict the scores of topics are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from stdeval import InputError, read_scores

ONLY = "run 'c' has a summary, but no scores of topics, expected those of each topic; made without -q?"


@pytest.fixture
def scores(write) -> Path:
    """The scores of a, and the mean of c, as if -q had been forgotten for it."""
    return write("s.csv", ["run,topic,map", "a,1,0.5", "a,2,0.25", "a,all,0.375", "c,all,0.1"])


@pytest.mark.parametrize("command", ["check --min map=.2 --scores", "eval --scores", "factors --scores"])
def test_a_run_with_only_a_summary_is_refused(run, scores: Path, command: str):
    done = run(*command.split(), scores)
    assert (done.status, done.raw, done.stderr) == (2, b"", f"stdeval: {scores}:5: {ONLY}\n")


def test_so_it_is_in_the_output_of_trec_eval(run, write):
    lines = ["runid\tall\ta", "map\t1\t0.5", "map\tall\t0.5", "runid\tall\tc", "map\tall\t0.1"]
    path = write("out.txt", lines)
    done = run("convert", path, "--to", "scores")
    assert (done.status, done.raw, done.stderr) == (2, b"", f"stdeval: {path}: {ONLY}\n")


def test_so_it_is_in_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"run": ["a", "c"], "topic": ["1", "all"], "map": [0.5, 0.1]})
    with pytest.raises(InputError, match="run 'c' has a summary, but no scores of topics"):
        read_scores(frame)


def test_a_mean_over_all_runs_is_no_run(run, write):
    path = write("s.csv", ["run,topic,map", "a,1,0.5", "all,all,0.5"])
    assert run("eval", "--scores", path).status == 0


@pytest.mark.parametrize("topic", ["all", "amean"])
@pytest.mark.parametrize(("mean", "is_told"), [("0.375", False), ("0.38", False), ("0.31", True), ("", False)])
def test_a_mean_that_is_not_that_of_the_topics_is_told(run, write, topic: str, mean: str, is_told: bool):
    """As after some rows of topics were removed; means may be rounded. gdeval calls its mean amean."""
    path = write("s.csv", ["run,topic,map", "a,1,0.5", "a,2,0.25", f"a,{topic},{mean}"])
    told = f"{path}:4: the mean map of 'a' is {mean}, but 0.3750 over the 2 topics that have lines"
    assert (told in run("check", "--min", "map=.2", "--scores", path).stderr) == is_told
