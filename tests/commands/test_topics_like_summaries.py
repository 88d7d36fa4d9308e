"""A warning names topics of stored scores that may be summaries of the others, and they count as topics."""

from __future__ import annotations

import pytest


@pytest.fixture
def scores(write):
    return lambda topics: write(
        "s.csv", ["run,topic,map", *(f"a,{topic},0.{i}" for i, topic in enumerate(topics, 1))]
    )


@pytest.mark.parametrize("name", ["mean", "Mean", "average", "AVG", "ALL", "overall", "total", "macro", "micro"])
@pytest.mark.parametrize("command", ["eval", "check --min map=0.1"])
def test_a_topic_that_may_be_a_summary_is_one_warning(run, scores, command: str, name: str):
    path = scores(["301", "302", name])
    told = f"topic '{name}' of {path} may be a summary of the others: it counts as a topic"
    done = run(*command.split(), "--scores", path)
    assert (done.status, done.stderr) == (0, f"stdeval: warning: {told}\n")
    assert "0.2000" in done.stdout


def test_several_are_named_in_one_warning(run, scores):
    path = scores(["301", "Macro", "Micro"])
    told = f"topics 'Macro', 'Micro' of {path} may be summaries of the others: they count as topics"
    assert run("eval", "--scores", path).stderr == f"stdeval: warning: {told}\n"


@pytest.mark.parametrize(
    "topics", [["301", "302", "all"], ["cats", "mean", "301"], ["301", "means"], ["mean"], ["mean", "total"]]
)
def test_summaries_that_are_skipped_and_topics_of_plain_words_are_no_warning(run, scores, topics: list[str]):
    assert "summar" not in run("eval", "--scores", scores(topics)).stderr


def test_convert_warns_of_a_row_of_means_in_a_matrix(run, write):
    path = write("m.csv", ["topic,a,b", "1,0.25,0.5", "2,0.75,0.5", "mean,0.5,0.5"])
    done = run("convert", "--to", "scores", "-m", "map", path)
    told = f"topic 'mean' of {path} may be a summary of the others: it counts as a topic"
    assert done.stderr == f"stdeval: warning: {told}\n"
