"""Runs without scores by some measures, or from some collections: they are ranked by those that they have."""

from __future__ import annotations

import re

import numpy as np
import pytest

N_TOPICS = 30


@pytest.fixture
def files(write) -> list[str]:
    """Two runs with two measures, and a third, the best by the first measure, without the second."""
    rng = np.random.default_rng(1)
    low = (0.2 + 0.1 * rng.random((N_TOPICS, 2))).tolist()
    both = [f"a,{t},{x + 0.1},{y + 0.1}" for t, (x, y) in enumerate(low)]
    both += [f"b,{t},{x},{y}" for t, (y, x) in enumerate(low)]
    one = [f"third,{t},{x + 0.3}" for t, (x, _) in enumerate(low)]
    paths = [write("both.csv", ["run,topic,map,recall_10", *both]), write("one.csv", ["run,topic,map", *one])]
    return [f"--scores={path}" for path in paths]


def rows(text: str) -> dict[str, list[str]]:
    """The cells of a table in Markdown, by the name in the first one."""
    split = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if "|" in line]
    return {name: cells for name, *cells in split if not name.startswith("signature")}


def test_eval_ranks_them_by_the_measures_that_they_have(run, files):
    done = run("eval", "-f", "markdown", "--sort", "map", *files)
    assert list(rows(done.stdout))[2:] == ["third", "a", "b"]
    table = rows(done.stdout)
    assert [[cell.startswith("**") for cell in table[name]] for name in ("third", "a", "b")] == [
        [True, False],
        [False, True],
        [False, False],
    ]
    assert "never bold" not in done.stdout
    assert list(rows(run("eval", "-f", "markdown", "--sort", "recall.10", *files).stdout))[2:] == [
        "a",
        "b",
        "third",
    ]


def test_measures_that_no_file_has_are_refused(run, files):
    done = run("eval", "-m", "recip_rank", *files)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr == "stdeval: no measure 'recip_rank' in the scores, expected one of: map, recall_10\n"


@pytest.mark.parametrize("options", [[], ["--correction", "holm"], ["--correction", "tukey"]])
def test_compare_marks_them_by_the_measures_that_they_have(run, files, options: list[str]):
    done = run("compare", "-f", "markdown", "--baseline", "b", *options, *files)
    table = rows(done.stdout)
    assert [cell.count("†") for name in ("a", "third") for cell in table[name]] == [1, 1, 1, 0]
    assert table["third"][0].startswith("**")
    assert table["a"][1].startswith("**")
    assert "incomplete" not in done.stdout + done.stderr


def test_a_baseline_without_a_measure_is_compared_by_the_others(run, files):
    done = run("compare", "-f", "markdown", "--baseline", "third", *files)
    assert done.status == 0
    assert [rows(done.stdout)[name][0].count("†") for name in ("a", "b")] == [1, 1]
    assert "no dagger by recall\\_10: third or all others have no scores" in done.stdout


@pytest.fixture
def answer(run, tmp_path):
    """Write a report of raw scores, and return the text of its answer, with the caveats."""
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")

    def text(*typed: str) -> str:
        page = tmp_path / "report.html"
        assert run("report", "--scheme", "raw", *typed, "-o", page).status == 0
        part = page.read_text("utf-8").partition('class="verdict">')[2].partition("</ul>")[0]
        return " ".join(re.sub("<[^>]+>", "", part).split())

    return text


def test_collections_are_ranked_each_by_its_runs(run, write):
    """The third run took part in the first collection only, and is the best there."""
    early = [f"{name},{t},{score}" for name, score in (("a", 0.2), ("b", 0.1), ("third", 0.3)) for t in range(25)]
    late = [f"{name},{t},{score}" for name, score in (("a", 0.2), ("b", 0.1)) for t in range(25, 50)]
    named = [
        f"--scores={name}={write(f'{name}.csv', ['run,topic,Nmap', *lines])}"
        for name, lines in (("early", early), ("late", late))
    ]
    done = run("eval", "-f", "markdown", "--sort", "early:Nmap", *named)
    assert list(rows(done.stdout))[2:] == ["third", "a", "b"]
    assert rows(done.stdout)["third"] == ["**0.3000**", "-"]
    assert rows(done.stdout)["a"] == ["0.2000", "**0.2000**"]
    assert " 0 to " not in done.stdout


def test_scatter_sets_them_aside(run, files, tmp_path):
    pytest.importorskip("matplotlib")
    done = run("plot", "scatter", "-m", "map", "-m", "recall_10", *files, "-o", tmp_path / "x.svg")
    assert done.status == 0
    assert "1 of 3 runs (e.g. 'third')" in done.stderr


@pytest.mark.parametrize("command", ["compare", "topics", "factors", "standardize", "meta rank -m recall.10"])
def test_named_measures_that_no_topic_has_are_one_warning(run, write, command: str):
    """A nickname names no measure by itself, so `official` does not warn of its num_q and gm_map."""
    qrels = write("qrels.txt", [f"{topic} 0 d{topic % 3} 1" for topic in range(1, 7)])
    runs = [
        write(f"{name}.run", [f"{t} Q0 d{(t + t // k) % 4} {r} {-r} {name}" for t in range(1, 7) for r in (1,)])
        for k, name in enumerate("abc", 1)
    ]
    done = run(*command.split(), "-m", "map", "-m", "gm_map", "-m", "num_q", qrels, *runs)
    assert done.status == 0, done.stderr
    assert done.stderr.count("gm_map, num_q") == 1
    assert "num_q" not in run(*command.split(), "-m", "official", qrels, *runs).stderr


def test_a_count_that_a_run_does_not_have_is_missing_and_not_0(run, write):
    scores = write("s.csv", ["run,topic,map,num_ret", "a,1,0.5,10", "a,2,0.25,10", "b,1,0.5,", "b,2,0.25,"])
    assert run("eval", "-f", "table", "--scores", scores).stdout.splitlines()[-1].split() == ["b", "0.3750", "-"]
    assert [row["num_ret"] for row in run("eval", "-f", "csv", "--scores", scores).rows] == ["20", ""]
    assert run("eval", "--scores", scores).stdout.count("num_ret") == 1
