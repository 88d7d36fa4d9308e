"""Runs that lack topics: set aside if at least half of the runs remain, and refused if few topics are common."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stdeval.cli.pictures import Picture

N_TOPICS = 20
WHOLE = {f"s{i}": range(N_TOPICS) for i in range(12)}
PARTS = {"lost": range(8), "late": range(12, N_TOPICS)}
"""Two runs with some topics each; all 14 runs have none in common."""


def lines_of(topics_of: dict[str, range]) -> list[str]:
    """Random scores by two measures; those of a run are the same whatever other runs there are."""
    lines = ["run,topic,map,P_10"]
    for name, topics in topics_of.items():
        rng = np.random.default_rng([*name.encode()])
        drawn = (rng.random((N_TOPICS, 2)) * 0.6 + rng.random() / 3).round(3).tolist()
        lines += [f"{name},{topic},{drawn[topic][0]},{drawn[topic][1]}" for topic in topics]
    return lines


META = ["plan --scheme n", "reliability --scheme z", "power", "rank", "references --references 5 --trials 10"]
META += ["split --trials 10", "within --topics 5 --trials 10", "between --topics 5 --trials 10"]


@pytest.mark.parametrize("experiment", [*META, "collections --scheme raw"])
def test_incomplete_runs_are_as_if_they_were_not_given(run, write, experiment: str):
    def result(runs: dict[str, range]):
        paths = [write(name, lines_of(runs)) for name in ("a.csv", "b.csv")]
        given = paths if "collections" in experiment else ["--scores", paths[0]]
        return run("meta", *experiment.split(), "-f", "csv", *given)

    found, expected = result(WHOLE | PARTS), result(WHOLE)
    assert (found.status, found.rows) == (0, expected.rows)
    assert "2 of 14 runs are missing topics that most runs have: left out ('lost', 'late')" in found.stderr


ANY = [*(f"meta {experiment}" for experiment in META), "compare", "compare -f latex", "compare --correction tukey"]
ANY += ["eval --best 2", "report", "plot means -o x.png", "plot forest --baseline c -o x.png"]
ANY += ["plot heatmap -o x.png", "plot scatter -m map -m P_10 -o x.png"]


@pytest.mark.parametrize("command", ANY)
def test_fewer_than_half_of_the_topics_are_refused_with_what_to_do(run, write, tmp_path, monkeypatch, command: str):
    """Of three runs, one has all topics that most have, so none is set aside; half of the topics are enough."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    few = {"a": range(10), "b": range(10, N_TOPICS), "c": range(N_TOPICS)}
    done = run(*command.split(), "--scores", write("few.csv", lines_of(few)))
    assert (done.status, done.stdout, Path("x.png").exists()) == (2, "", False)
    assert "0 of 20 topics are common to all runs" in done.stderr
    assert "leave out runs (e.g. 'a'), or count missing topics as 0 (-c)" in done.stderr
    half = few | {"b": range(10), "d": range(10), "e": range(N_TOPICS), "f": range(N_TOPICS)}
    assert run(*command.split(), "--scores", write("half.csv", lines_of(half))).status == 0


def test_the_run_to_leave_out_may_be_one_with_more_topics(run, write):
    runs = {f"s{i}": range(6) for i in range(6)} | {"long": range(N_TOPICS)}
    done = run("meta", "plan", "--scores", write("s.csv", lines_of(runs)))
    assert "6 of 20 topics" in done.stderr
    assert "(e.g. 'long')" in done.stderr


def test_topics_are_counted_among_those_of_runs_not_of_qrels(run, write):
    """As in TREC's Deep Learning Track: 4 of 60 topics, all that any run has."""
    qrels = write("qrels", [f"{topic} 0 d1 1" for topic in range(60)])
    topics = {"a": range(4), "b": range(4), "c": range(4), "d": range(1)}
    runs = [write(name, [f"{topic} Q0 d{topic % 3} 1 1 {name}" for topic in own]) for name, own in topics.items()]
    done = run("meta", "plan", "-m", "recip_rank", qrels, *runs)
    assert (done.status, "3 systems, 4 topics" in done.stdout) == (0, True)
    assert "4 systems, 60 topics" in run("meta", "plan", "-m", "recip_rank", "-c", qrels, *runs).stdout


def test_topics_that_a_scheme_leaves_out_do_not_count(run, write):
    """The references have equal scores on topics 0 to 9, so Z leaves them out; 6 of the others are common."""
    equal = [f"{name},{topic},0.5,0.5" for name in "efg" for topic in range(10)]
    factors = write("f.csv", [*lines_of(dict.fromkeys("efg", range(10, N_TOPICS))), *equal])
    scores = write("s.csv", lines_of({"a": range(N_TOPICS), "b": range(16)}))
    done = run("compare", "-f", "csv", "--scheme", "z", "-F", factors, "--scores", scores)
    assert {row["n"] for row in done.rows} == {"6"}


def test_names_as_fit_then_a_count_but_factors_use_all_runs(run, write):
    scores = write("s.csv", lines_of(WHOLE | {f"a-run-with-a-longer-name-{i}": range(10) for i in range(7)}))
    line = run("meta", "plan", "--scores", scores).stderr.removeprefix("stdeval: warning: ").rstrip()
    assert len(line) <= 160
    assert line.endswith("left out ('a-run-with-a-longer-name-0', 'a-run-with-a-longer-name-1' and 5 more)")
    assert {row["n"] for row in run("factors", "--scores", scores).rows} == {"12", "19"}


@pytest.mark.parametrize("n_whole", [4, 5])
@pytest.mark.parametrize("kind", ["report", "plot heatmap", "plot scores", "plot topics", "plot mapping"])
def test_fewer_than_five_complete_runs_are_raw_by_default(run, write, monkeypatch, kind: str, n_whole: int):
    pytest.importorskip("matplotlib")
    scores = write("s.csv", lines_of({f"s{i}": range(N_TOPICS) for i in range(n_whole)} | {"part": range(4)}))
    drawn: list[str] = []
    monkeypatch.setattr(Picture, "draw", lambda *args, **_: [drawn.extend(x) for x in args if type(x) is dict])

    def has_n(*more: object) -> bool:
        drawn.clear()
        output = ["-o", "-"] if kind == "report" else ["-o", "x.png"]
        page = run(*kind.split(), "-m", "map", "--scores", scores, *more, *output).stdout
        return "n" in drawn or ">N-" in page or "N-AP" in page

    assert has_n() == (n_whole == 5 or kind == "plot mapping")
    assert has_n("-F", write("f.csv", lines_of(WHOLE)))
    assert has_n("--scheme", "n")
