"""Files of scores and factors that were cut off within their last number, which is still a number."""

from __future__ import annotations

from pathlib import Path

import pytest

from stdeval import InputWarning, read_factors, read_scores

TOLD = "the last line has no newline at its end: the file may be truncated"

SCORES = ["run,topic,map", "a,1,0.25", "a,2,0.75", "b,1,0.5", "b,2,0.25"]
FACTORS = ["topic,n,map.mean,map.sd", "1,2,0.375,0.125", "2,2,0.5,0.25"]


@pytest.fixture
def cut(write):
    """A file without the end of its last number, and without the newline."""
    return lambda name, lines: write(name, "\n".join(lines)[:-1])


@pytest.mark.parametrize("command", ["eval", "compare", "factors", "topics", "report", "meta rank"])
def test_cut_scores_are_one_warning(run, write, cut, command: str):
    path = cut("s.csv", SCORES)
    assert f"stdeval: warning: {path}: {TOLD}\n" in run(*command.split(), "--scores", path).stderr
    whole = write("whole.csv", SCORES)
    assert "newline" not in run(*command.split(), "--scores", whole).stderr


@pytest.mark.parametrize("lines", [SCORES, FACTORS, ["1 map 0.375 0.125", "2 map 0.5 0.25"]])
def test_cut_factors_are_one_warning(run, write, cut, lines: list[str]):
    factors, scores = cut("f", lines), write("s.csv", SCORES)
    done = run("standardize", "-F", factors, "--scores", scores)
    assert (done.status, done.stderr.count(f"stdeval: warning: {factors}: {TOLD}\n")) == (0, 1)


def test_a_cut_file_of_a_published_pair_is_named(run, write, cut):
    means = write("mean.csv", ["topic,AP", "1,0.375", "2,0.5"])
    deviations = cut("sd.csv", ["topic,AP", "1,0.125", "2,0.25"])
    done = run("convert", "--to", "factors", means, deviations)
    assert (done.status, done.stderr) == (0, f"stdeval: warning: {deviations}: {TOLD}\n")


def test_cut_reference_scores_are_one_warning(run, write, cut):
    scores = write("s.csv", SCORES)
    other = cut("o.csv", ["run,topic,map", "c,1,0.5", "c,2,0.25", "d,1,0.125", "d,2,0.75"])
    done = run("meta", "references", "-F", other, "--scores", scores)
    assert done.stderr.count(f"{other}: {TOLD}") == 1


def test_the_gate_refuses_cut_files(run, write, cut):
    runs, cut_runs = write("runs.csv", SCORES), cut("cut_runs.csv", SCORES)
    baseline = cut("baseline.csv", ["run,topic,map", "old,1,0.25", "old,2,0.25"])
    factors = cut("factors.csv", FACTORS)
    refused = {
        cut_runs: ["--min", "map=0.1", "--scores", cut_runs],
        baseline: ["--baseline", baseline, "--max-drop", "map=0.5", "--scores", runs],
        factors: ["-F", factors, "--min", "Nmap=0.1", "--scores", runs],
    }
    for path, typed in refused.items():
        done = run("check", *typed)
        expected = "expected a newline at the end of a complete file"
        assert (done.status, done.stderr) == (2, f"stdeval: {path}: {TOLD}, {expected}\n")


def test_python_programs_are_warned_of_cut_files(cut):
    scores: Path = cut("s.csv", SCORES)
    factors: Path = cut("f.csv", FACTORS)
    for read, path in ((read_scores, scores), (read_factors, factors)):
        with pytest.warns(InputWarning) as warned:
            read(path)
        assert [str(each.message) for each in warned] == [f"{path}: {TOLD}"]


def test_judgments_and_runs_need_no_newline_at_their_end(run, write):
    qrels, path = write("qrels", "1 0 d 1"), write("a.run", "1 Q0 d 1 2 a")
    assert run("eval", "-m", "map", qrels, path).stderr == ""
