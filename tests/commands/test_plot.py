"""Every kind of picture from the command line: the file written, the scores drawn, the refusals."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from stdeval import plots
from stdeval.commands.plot import MODULES, PICTURES

SCORES = ("heatmap", "means", "scores", "mapping", "topics")
SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
RUNS = [SAMPLE / "qrels.gz", *sorted((SAMPLE / "references").glob("*.gz"))[:12]]


@pytest.fixture(scope="session")
def scores(run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    assert run("eval", "-q", "-n", "-f", "csv", "-m", "map", "-m", "P_10", *RUNS, "-o", path).status == 0
    return path


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


def test_pictures_go_to_stdout_as_png_and_are_compressed_by_their_ending(run, tmp_path: Path):
    for name in ("x.png", "x.svg", "x.svg.gz"):
        assert run("plot", "weights", "-o", tmp_path / name).status == 0
    assert run("plot", "weights", "-o", "-").raw == (tmp_path / "x.png").read_bytes()
    assert gzip.decompress((tmp_path / "x.svg.gz").read_bytes()) == (tmp_path / "x.svg").read_bytes()


def test_every_kind_of_the_package_is_a_command():
    assert set(PICTURES) == set(plots.__all__) - {"save_figure", "topic_scatter"}
    assert sorted(picture for pictures in MODULES.values() for picture in pictures) == list(PICTURES)


@pytest.mark.parametrize("kind", SCORES)
def test_scores_from_runs_and_from_a_file_give_the_same_bytes(run, scores: Path, tmp_path: Path, kind: str):
    files = [tmp_path / "runs.svg", tmp_path / "scores.svg"]
    for path, source in zip(files, (RUNS, ["--scores", scores]), strict=True):
        done = run("plot", kind, *source, "-m", "map", "-o", path)
        assert (done.status, done.stdout) == (0, "")
    one, other = (path.read_bytes() for path in files)
    assert one == other
    assert one.startswith(MAGIC["svg"])


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "PNG"])
def test_the_ending_is_the_format(run, scores: Path, tmp_path: Path, ending: str):
    path = tmp_path / f"a.{ending}"
    assert run("plot", "means", "--scores", scores, "-o", path, "--dpi", 50, "--size", "slide").status == 0
    assert path.read_bytes().startswith(MAGIC[ending.lower()])
    if ending == "png":  # IHDR: width and height at bytes 16 to 24
        size = np.frombuffer(path.read_bytes()[16:24], ">u4")
        assert size.tolist() == [500, 281]  # 254 x 142.875 mm at 50 dots per 25.4 mm


def test_means_and_intervals_are_those_of_the_scores(run, drawn, scores: Path, tmp_path: Path):
    calls = drawn("means")
    assert run("plot", "means", "--scores", scores, "-m", "P_10", "--ci", 0.9, "-o", tmp_path / "x.svg").status == 0
    printed = run("eval", "--scores", scores, "-m", "P_10", "-q", "-f", "csv").rows
    systems, mean, low, high = calls["arguments"]
    all_ = {row["run"]: float(row["P_10"]) for row in printed if row["topic"] == "all"}
    assert dict(zip(systems, mean, strict=True)) == pytest.approx(all_)
    assert (calls["measure"], calls["scheme"], calls["confidence"]) == ("P_10", "raw", 0.9)
    assert np.all((low < mean) & (mean < high))


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


def test_paired_intervals_are_those_of_compare(run, drawn, few: Path, tmp_path: Path):
    for options, pivot in (([], "b"), (["--baseline", "d"], "d")):
        calls = drawn("means")
        done = run("plot", "means", "--interval", "paired", *options, "--scores", few, "-o", tmp_path / "x.svg")
        assert done.status == 0
        names, mean, low, high = calls["arguments"]
        systems = [name.split()[0] for name in names]
        assert (systems[calls["pivot"]], calls["interval"]) == (pivot, "paired")
        for row in run("compare", "--scores", few, "--baseline", pivot, "-f", "csv").rows:
            i = systems.index(row["a"])
            if row["a"] == "c":
                assert np.isnan([low[i], high[i]]).all()
                continue
            ends = mean[calls["pivot"]] + np.array([float(row["low"]), float(row["high"])])
            assert [low[i], high[i]] == pytest.approx(ends.tolist())
            is_apart = not low[i] <= mean[calls["pivot"]] <= high[i]
            assert is_apart == (row["significant"] == "*")


def test_tukey_intervals_are_those_of_compare(run, drawn, few: Path, tmp_path: Path):
    calls = drawn("means")
    options = ["--scores", few, "--seed", 3, "--resamples", 500]
    assert run("plot", "means", "--interval", "tukey", *options, "-o", tmp_path / "x.svg").status == 0
    names, _, low, high = calls["arguments"]
    at = {name.split()[0]: i for i, name in enumerate(names)}
    assert calls["groups"][at["c"]] == ""
    rows = [row for row in run("compare", *options, "--correction", "tukey", "-f", "csv").rows if row["p_adjusted"]]
    assert len(rows) == 3
    for row in rows:
        i, j = at[row["a"]], at[row["b"]]
        assert (low[i] > high[j] or low[j] > high[i]) == (row["significant"] == "*")
        assert bool(set(calls["groups"][i]) & set(calls["groups"][j])) == (row["significant"] == "")
    assert {row["significant"] for row in rows} == {"", "*"}
