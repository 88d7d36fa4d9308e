"""A warning names topics and runs of stored scores that may be summaries of the others, and they count as such."""

from __future__ import annotations

import statistics

import pytest


@pytest.fixture
def scores(write):
    return lambda topics: write(
        "s.csv", ["run,topic,map", *(f"a,{topic},0.{i}" for i, topic in enumerate(topics, 1))]
    )


@pytest.mark.parametrize(
    "name",
    [
        "Mean",
        "average",
        "AVG",
        "ALL",
        "total",
        "macro",
        "micro",
        "MAP",
        "std",
        "Avg.",
        "gmean",
        "All topics",
        "mean_ap",
    ],
)
@pytest.mark.parametrize("command", ["eval", "check --min map=0.1"])
def test_a_topic_that_may_be_a_summary_is_one_warning(run, scores, command: str, name: str):
    path = scores(["301", "302", name])
    told = f"topic '{name}' of {path} may be a summary of the others: it counts as a topic"
    done = run(*command.split(), "--scores", path)
    # the gate also tells that some topics may be missing
    assert (done.status, done.stderr.splitlines()[0]) == (0, f"stdeval: warning: {told}")
    assert done.stderr.count("summary") == 1
    assert "0.2000" in done.stdout


@pytest.mark.parametrize("name", ["p-value", "p (t-test)", "sig.", "Std. Dev.", "Durchschnitt", "p<0.05", "delta"])
def test_any_other_name_beside_many_numbers_may_be_a_summary(run, scores, name: str):
    told = f"topic '{name}' of "
    assert told in run("eval", "--scores", scores([*map(str, range(301, 311)), name])).stderr
    assert told not in run("eval", "--scores", scores(["301", "302", name])).stderr


def test_several_are_named_in_one_warning(run, scores):
    path = scores(["301", "Macro", "Micro"])
    told = f"topics 'Macro', 'Micro' of {path} may be summaries of the others: they count as topics"
    assert run("eval", "--scores", path).stderr == f"stdeval: warning: {told}\n"


@pytest.mark.parametrize(
    "topics", [["301", "302", "all"], ["cats", "mean", "301"], ["301", "means"], ["mean"], ["mean", "total"]]
)
def test_summaries_that_are_skipped_and_topics_of_plain_words_are_no_warning(run, scores, topics: list[str]):
    assert "may be" not in run("eval", "--scores", scores(topics)).stderr


def test_convert_warns_of_a_row_of_means_in_a_matrix(run, write):
    path = write("m.csv", ["topic,a,b", "1,0.25,0.5", "2,0.75,0.5", "mean,0.5,0.5"])
    done = run("convert", "--to", "scores", "-m", "map", path)
    told = f"topic 'mean' of {path} may be a summary of the others: it counts as a topic"
    assert done.stderr == f"stdeval: warning: {told}\n"


def test_convert_warns_of_rows_that_describe_the_others(run, write):
    """Such as those of DataFrame.describe."""
    words = sorted(["count", "mean", "std", "min", "25%", "50%", "75%", "max"])
    rows = [f"{word},0.{len(word)},0.25" for word in words]
    path = write("m.csv", ["topic,a,b", "1,0.25,0.5", "2,0.75,0.25", *rows])
    names = ", ".join(f"'{word}'" for word in words)
    told = f"topics {names} of {path} may be summaries of the others: they count as topics"
    assert run("convert", "--to", "scores", "-m", "map", path).stderr == f"stdeval: warning: {told}\n"


@pytest.mark.parametrize("decimals", [4, 17])
def test_convert_warns_of_columns_of_means_and_standard_deviations(run, write, decimals: int):
    rows = {1: (0.2043, 0.0164, 0.5), 2: (0.1, 0.1, 0.1), 3: (0.0, 0.0, 0.0001)}
    cells = [(i, *row, statistics.mean(row), statistics.stdev(row)) for i, row in rows.items()]
    lines = [",".join([str(i), *(str(round(number, decimals)) for number in row)]) for i, *row in cells]
    path = write("m.csv", ["topic,a,b,c,Mean,std", *lines])
    done = run("convert", "--to", "scores", "-m", "map", path)
    told = f"runs 'Mean', 'std' of {path} may be summaries of the others: they count as runs"
    assert done.stderr == f"stdeval: warning: {told}\n"
    assert "std,1,0.24" in done.stdout


def test_one_column_of_summaries_is_one_run(run, write):
    path = write("m.csv", ["topic,a,b,avg", "1,0.25,0.5,0.375", "2,0.75,0.5,0.625"])
    told = f"run 'avg' of {path} may be a summary of the others: it counts as a run"
    assert run("convert", "--to", "scores", "-m", "map", path).stderr == f"stdeval: warning: {told}\n"


def test_standard_deviations_of_scores_and_means_are_summaries(run, write):
    """A data frame to which columns were added one by one."""
    rows = {1: [0.2, 0.1], 2: [0.1, 0.7]}
    lines = [f"{i},{a},{b},{(a + b) / 2},{statistics.stdev((a, b, (a + b) / 2))}" for i, (a, b) in rows.items()]
    path = write("m.csv", ["topic,a,b,mean,std", *lines])
    assert "runs 'mean', 'std' of" in run("convert", "--to", "scores", "-m", "map", path).stderr


@pytest.mark.parametrize("names", [("Best AP", "worst AP"), ("oracle", "min"), ("max score", "minimum")])
def test_other_names_of_the_best_and_worst_scores_are_read(run, write, names: tuple[str, str]):
    path = write("m.csv", [f"topic,a,b,{','.join(names)}", "1,0.25,0.3,0.9,0", "2,0.5,0.4,0.5,0.1"])
    told = f"runs '{names[0]}', '{names[1]}' of {path} may be summaries of the others: they count as runs"
    assert run("convert", "--to", "scores", "-m", "map", path).stderr == f"stdeval: warning: {told}\n"


@pytest.mark.parametrize("header", ["topic,cls,mean,max", "topic,new,std,a", "topic,a,b,means"])
def test_runs_that_are_called_mean_or_std_are_no_warning(run, write, header: str):
    path = write("m.csv", [header, "1,0.25,0.5,0.3125", "2,0.75,0.875,0.5"])
    assert run("convert", "--to", "scores", "-m", "map", path).stderr == ""


def test_the_best_and_worst_scores_of_a_track_are_no_runs(run, write):
    path = write("m.csv", ["topic,a,best,worst", "1,0.25,0.9,0", "2,0.5,0.5,0.1"])
    told = f"runs 'best', 'worst' of {path} may be summaries of the others: they count as runs"
    assert run("convert", "--to", "scores", "-m", "map", path).stderr == f"stdeval: warning: {told}\n"
    path = write("m.csv", ["topic,a,best,worst", "1,0.25,0.9,0.3", "2,0.5,0.4,0.1"])
    assert run("convert", "--to", "scores", "-m", "map", path).stderr == ""


@pytest.mark.parametrize(
    ("name", "summary"), [("mean", statistics.mean), ("Median", statistics.median), ("max", max)]
)
def test_a_run_that_summarizes_the_others_is_one_warning(run, write, name: str, summary):
    by_topic = {topic: [0.1 * topic, 0.25, 0.03 * topic * topic] for topic in range(1, 5)}
    rows = [f"{run},{t},{scores[i]}" for i, run in enumerate("abc") for t, scores in by_topic.items()]
    path = write("s.csv", ["run,topic,map", *rows, *(f"{name},{t},{summary(x):.4f}" for t, x in by_topic.items())])
    told = f"stdeval: warning: run '{name}' of the scores may be a summary of the others: it counts as a run\n"
    assert told in run("compare", "--scores", path).stderr
    other = write("o.csv", ["run,topic,map", *rows, *(f"{name},{t},0.{t}9" for t in by_topic)])
    assert "summary" not in run("compare", "--scores", other).stderr
