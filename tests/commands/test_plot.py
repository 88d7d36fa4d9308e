"""Every kind of picture from the command line: the file written, the scores drawn, the refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from stdeval import plots
from stdeval.commands.plot import MODULES, PICTURES


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict]:
    """Return a dictionary that receives the arguments of the next call of a function of `stdeval.plots`."""

    def spied(kind: str) -> dict:
        calls: dict = {}
        function = getattr(plots, kind)

        def spy(*arguments, **parameters):
            calls.update(parameters, arguments=arguments)
            return function(*arguments, **parameters)

        monkeypatch.setattr(plots, kind, spy)
        return calls

    return spied


def test_every_kind_of_the_package_is_a_command():
    assert set(PICTURES) == set(plots.__all__) - {"save_figure", "topic_scatter"}
    assert sorted(picture for pictures in MODULES.values() for picture in pictures) == list(PICTURES)


@pytest.fixture
def few(write) -> Path:
    """Four runs on twelve topics; c lacks one of them."""
    rng = np.random.default_rng(5)
    rows = [
        f"{run},{t},{min(1, max(0, level + 0.3 * np.sin(t) + rng.normal(0, 0.08))):.3f}"
        for run, level in (("a", 0.4), ("b", 0.65), ("c", 0.7), ("d", 0.5))
        for t in range(12)
        if (run, t) != ("c", 3)
    ]
    return write("few.csv", ["run,topic,map", *rows])


@pytest.mark.parametrize("options", [[], ["--baseline", "d"], ["--baseline", "d", "--correction", "none"]])
def test_paired_intervals_say_what_compare_says(run, drawn, few: Path, tmp_path: Path, options: list[str]):
    calls = drawn("means")
    done = run("plot", "means", "--interval", "paired", *options, "--scores", few, "-o", tmp_path / "x.svg")
    assert done.status == 0
    names, mean, low, high = calls["arguments"]
    systems, pivot = [name.split()[0] for name in names], "d" if options else "b"
    assert (systems[calls["pivot"]], calls["interval"]) == (pivot, "paired")
    assert calls["test"] == ("t, none" if "none" in options else "t, holm" if options else "range")
    rows = [
        row for row in run("compare", "--scores", few, *options, "-f", "csv").rows if pivot in (row["a"], row["b"])
    ]
    assert len(rows) == 3
    for row in rows:
        i = systems.index(row["b"] if row["a"] == pivot else row["a"])
        if systems[i] == "c":
            assert np.isnan([low[i], high[i]]).all()
            continue
        assert (not low[i] <= mean[calls["pivot"]] <= high[i]) == (row["significant"] == "*")
        if "none" in options:
            ends = mean[calls["pivot"]] + np.array([float(row["low"]), float(row["high"])])
            assert [low[i], high[i]] == pytest.approx(ends.tolist())


@pytest.mark.parametrize("options", [[], ["--baseline", "d"], ["--test", "wilcoxon"], ["--correction", "hsd"]])
def test_the_forest_says_what_compare_says(run, drawn, few: Path, tmp_path: Path, options: list[str]):
    calls = drawn("forest")
    typed = ("--size", "page", "--scores", few, "-o", tmp_path / "x.svg")
    assert run("plot", "forest", *options, *typed).status == 0
    rows = run("compare", "--scores", few, *options, "-f", "csv").rows
    names = [name.split()[0] for name in calls["arguments"][0]]
    for row in rows:
        if calls["baseline"] in (row["a"], row["b"]):
            i = names.index(row["b"] if row["a"] == calls["baseline"] else row["a"])
            assert calls["significant"][i] == (row["significant"] == "*")
    told = {"--baseline": "t, holm", "--test": "wilcoxon, holm", "--correction": "hsd"}
    assert calls["intervals"] == f"95% interval ({told[options[0]] if options else 'range'})"


def test_intervals_of_all_pairs_are_those_of_compare(run, drawn, few: Path, tmp_path: Path):
    calls = drawn("means")
    options = ["--scores", few, "--correction", "tukey", "--seed", 3, "--resamples", 500]
    assert run("plot", "means", "--interval", "all-pairs", *options, "-o", tmp_path / "x.svg").status == 0
    names, _, low, high = calls["arguments"]
    at = {name.split()[0]: i for i, name in enumerate(names)}
    assert calls["groups"][at["c"]] == ""
    rows = [row for row in run("compare", *options, "-f", "csv").rows if row["p_adjusted"]]
    assert len(rows) == 3
    for row in rows:
        i, j = at[row["a"]], at[row["b"]]
        assert (low[i] > high[j] or low[j] > high[i]) == (row["significant"] == "*")
        assert bool(set(calls["groups"][i]) & set(calls["groups"][j])) == (row["significant"] == "")
    assert {row["significant"] for row in rows} == {"", "*"}
