"""Every kind of picture from the command line: the file written, the scores drawn, the refusals."""

from __future__ import annotations

import csv
import gzip
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import click
import numpy as np
import pytest

pytest.importorskip("matplotlib")

from stdeval import plots
from stdeval.commands.plot import MODULES, PICTURES, command
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.schemes import mapping_curves, standardize

TAU_B = r"$\mathregular{τ_{b}}$"
"""Kendall's tau_b with a subscript, as matplotlib takes it."""

SCORES = ("heatmap", "means", "scores", "mapping", "topics")
COLLECTIONS = {"a": (7, 2), "b": (9, 3)}
"""Numbers of topics and of runs."""
SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
RUNS = [SAMPLE / "qrels.gz", *sorted((SAMPLE / "references").glob("*.gz"))[:12]]
META = {
    "power": "measure,scheme,alpha,power,pairs,systems\nmap,raw,0.01,0.5,9,5\nmap,raw,0.05,0.6,9,5\n",
    "tau": "measure,scheme,coefficient,trial,value,seed\n"
    + "".join(
        f"map,{scheme},tau_b,{i},{1.0 if scheme == 'raw' else 0.9 + i / 1000},0\n"
        for scheme in ("raw", "N")
        for i in range(1, 31)
    ),
    "split": "how,measure,scheme,aggregate,epsilon,tau,sd\nrandom,map,raw,am,,0.7,0.1\n"
    "random,map,raw,egm,0.1,0.72,0.1\nrandom,map,raw,egm,0.01,0.74,0.1\n",
    "depth": "measure,form,pool_depth,depth,power,mean\nmap,raw,5,5,0.4,0.2\nmap,raw,10,5,0.5,0.2\n"
    "map,raw,10,10,0.6,0.3\n",
    "aggregates": "measure,scheme,aggregate,epsilon,scheme_b,aggregate_b,epsilon_b,difference,se,low\n"
    "map,raw,egm,0.01,raw,am,,0.071,0.001,0.56\n",
    "drmse": "measure,scheme,pair,rmse,drmse\nmap,raw,a/b,0.1,0.583\nmap,N,a/b,0.1,0.4\n",
    "reliability": "measure,scheme,quantity,at,value,low,high\nmap,raw,erho2,25,0.8,0.7,0.9\n"
    "map,raw,erho2,50,0.9,0.8,0.95\n",
    "plan": "measure,scheme,spread,n,difference\nmap,raw,p95,10,0.3\nmap,raw,p95,50,0.1\n",
    "references": "measure,scheme,size,median,p5,p1\nmap,N,5,0.9,0.8,0.7\nmap,N,10,0.95,0.9,0.8\n",
}


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

        monkeypatch.setattr(import_module(getattr(plots, kind).__module__), kind, spy)
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


@pytest.mark.parametrize("name", PICTURES)
def test_the_list_says_what_the_picture_says_of_itself(name: str):
    found = command.get_command(click.Context(command), name)
    assert (found.help or "").split("\n\n")[0] == PICTURES[name]


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


@pytest.mark.parametrize("kind", META)
def test_curves_from_files_and_from_standard_input(run, tmp_path: Path, kind: str):
    source, one, other = (tmp_path / name for name in ("meta.csv", "a.svg", "b.svg"))
    source.write_text(META[kind])
    assert run("plot", kind, source, "-o", one).status == 0
    assert run("plot", kind, "-", "-o", other, stdin=META[kind].encode()).status == 0
    assert one.read_bytes() == other.read_bytes()


def test_files_with_one_header_are_one_picture(run, drawn, write, tmp_path: Path):
    head, first, second = META["references"].splitlines()
    calls = drawn("references")
    paths = [write("a.csv", [head, first]), write("b.csv", [head, second])]
    assert run("plot", "references", *paths, "-o", tmp_path / "x.svg").status == 0
    assert calls["arguments"][0]["size"] == ["5", "10"]


@pytest.mark.parametrize("kind", META)
def test_files_with_names_are_told_apart(run, drawn, write, tmp_path: Path, kind: str):
    calls = drawn(kind)
    files = [f"old={write('a.csv', META[kind])}", f"new={write('x=y.csv', META[kind])}"]
    done = run("plot", kind, *files, "-o", tmp_path / "x.svg")
    assert (done.status, done.stderr) == (0, "")
    n = len(META[kind].splitlines()) - 1
    assert list(calls["arguments"][0]["collection"]) == ["old"] * n + ["new"] * n
    mixed = run("plot", kind, *files, write("plain.csv", META[kind]), "-o", tmp_path / "y.svg")
    assert (mixed.status, (tmp_path / "y.svg").exists()) == (2, False)
    assert "expected NAME=FILE for all" in mixed.stderr


def test_lines_of_files_with_names_are_told(run, write, tmp_path: Path):
    good, bad = write("a.csv", "alpha,power\n0.1,0.5\n"), write("b.csv", "alpha,power\n0.1,0.5\n0.2,high\n")
    done = run("plot", "power", f"a={good}", f"b={bad}", "-o", tmp_path / "x.svg")
    assert done.stderr == f"stdeval: {bad}:3: 'high' in column 'power', expected a number\n"


@pytest.fixture
def collections(write) -> list[str]:
    """Two collections that share the name of a topic, and no run."""
    options = []
    for name, (n_topics, n_runs) in COLLECTIONS.items():
        pairs = [(i, t) for t in range(1, n_topics + 1) for i in range(1, n_runs + 1)]
        rows = [f"{name}{i},{t},0.{t},0.{(i + t) % 10}" for i, t in pairs]
        options.append(f"--scores={name}={write(f'{name}.csv', ['run,topic,map,P_10', *rows])}")
    return options


def test_scores_of_several_collections_are_those_of_each(run, drawn, collections, tmp_path: Path):
    """Ravana & Moffat 2009, Figure 4."""
    for measures in ([], ["-m", "map"]):
        calls = drawn("scores")
        done = run("plot", "scores", *collections, *measures, "--scheme", "raw", "-o", tmp_path / "x.svg")
        assert (done.status, done.stderr) == (0, "")
        (tables,) = calls["arguments"]
        assert tables["raw"].measures == ("a:map", "b:map")
        shares = [patch.get_data().values for patch in plots.scores(tables, bins=10).axes[0].patches]
        expected = [[100 / n * (0 < t <= n) for t in range(10)] for n, _ in COLLECTIONS.values()]
        np.testing.assert_allclose(shares, expected)


def test_scores_of_several_measures_share_a_panel(run, drawn, scores: Path, tmp_path: Path):
    """Ravana & Moffat 2009, Figure 6."""
    calls = drawn("scores")
    options = ["-m", "P_10", "-m", "map", "--scheme", "raw", "--scheme", "n", "-o", tmp_path / "x.svg"]
    assert run("plot", "scores", "--scores", scores, *options).status == 0
    figure = plots.scores(*calls["arguments"])
    assert len(figure.axes) == 1
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["P@10 (score)", "N-P@10 (score)", "AP (score)", "N-AP (score)"]
    rows = run("eval", "--scores", scores, "-m", "P_10", "-q", "-f", "csv", "-n").rows
    # a precision at 10 is a whole number of tenths, and a bin is 1/25 wide
    tenths = [round(10 * float(row["P_10"])) for row in rows]
    values = [sum(tenth > 0 and min(24, 5 * tenth // 2) == i for tenth in tenths) for i in range(25)]
    values.insert(0, tenths.count(0))
    np.testing.assert_allclose(figure.axes[0].patches[0].get_data().values, 100 * np.array(values) / len(rows))


def test_scatter_is_of_the_means_that_eval_prints(run, drawn, scores: Path, tmp_path: Path):
    calls = drawn("scatter")
    assert (
        run("plot", "scatter", "--scores", scores, "-m", "map", "-m", "P_10", "-o", tmp_path / "x.svg").status == 0
    )
    printed = run("eval", "--scores", scores, "-q", "-f", "csv").rows
    means, measures = calls["arguments"]
    assert list(measures) == ["map", "P_10"]
    for mean, measure in zip(means, measures, strict=True):
        assert mean == pytest.approx([float(row[measure]) for row in printed if row["topic"] == "all"])
    (row,) = run("meta", "rank", "--scores", scores, "-m", "map", "-m", "P_10", "-f", "csv").rows
    title = plots.scatter(means, measures).axes[0].get_title(loc="left")
    assert title == f"{TAU_B} {float(row['tau_b']):.3f}"


def test_scatter_of_two_depths(run, drawn, write, tmp_path: Path):
    """Webber 2010, Figure 2; the run that only one file has is gray, and without a place."""
    deep = write(
        "d.csv", ["run,topic,map", *(f"{run},{t},0.{i}{t}" for i, run in enumerate("abc") for t in (1, 2))]
    )
    rows = [f"{run},{t},0.{9 - i}{t}" for i, run in enumerate("bcde") for t in (1, 2) if (run, t) != ("e", 2)]
    shallow = write("s.csv", ["run,topic,map", *rows])
    calls = drawn("scatter")
    done = run("plot", "scatter", f"--scores=d={deep}", f"--scores=s={shallow}", "-o", tmp_path / "x.svg")
    assert done.status == 0
    means, measures = calls["arguments"]
    assert list(measures) == ["d:map", "s:map"]
    nan = np.nan
    np.testing.assert_allclose(means, [[0.015, 0.115, 0.215, nan, nan], [nan, 0.915, 0.815, 0.715, 0.61]])
    assert calls["ranked"].tolist() == [False, True, True, False, False]
    title = plots.scatter(means, measures, ranked=calls["ranked"]).axes[0].get_title(loc="left")
    assert title == f"{TAU_B} \N{MINUS SIGN}1.000"
    assert "gray, and not part of tau" in done.stderr


def test_split_draws_r(run, scores: Path, tmp_path: Path):
    """Ravana & Moffat 2009, Figure 11: the curves have the means that are printed."""
    trials = tmp_path / "trials.csv"
    options = ["-m", "map", "-a", "am", "-a", "md", "--trials", 30, "--trials-out", trials, "-f", "csv"]
    printed = run("meta", "split", "--scores", scores, *options).rows
    assert run("plot", "split", trials, "--value", "r", "-o", tmp_path / "x.svg").status == 0
    with trials.open() as lines:
        rows = list(csv.DictReader(lines))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    axes = plots.split(columns, "r").axes[0]
    means = [line.get_xdata()[0] for line in axes.get_lines()[1::2]]
    assert means == pytest.approx([float(row["r"]) for row in printed])
    assert axes.get_xlabel().startswith("r of the overall scores")


def test_aggregates_are_over_the_share_of_low_scores(run, scores: Path, tmp_path: Path):
    """Ravana & Moffat 2009, Figures 9 and 10, against the trials and the scores."""
    trials, pairs = tmp_path / "trials.csv", tmp_path / "pairs.csv"
    options = ["-m", "map", "-m", "P_10", "-a", "egm", "-a", "am", "-a", "egm-trec", "--trials", 30]
    files = ["--trials-out", trials, "--pairs-out", pairs]
    assert run("meta", "split", "--scores", scores, *options, *files).status == 0
    assert run("plot", "aggregates", pairs, "-o", tmp_path / "x.svg").status == 0
    with pairs.open() as lines, trials.open() as others:
        rows, halves = list(csv.DictReader(lines)), list(csv.DictReader(others))
    figure = plots.aggregates({name: [row[name] for row in rows] for name in rows[0]})
    tau = {
        key: np.mean([float(row["tau"]) for row in halves if (row["measure"], row["aggregate"]) == key])
        for key in {(row["measure"], row["aggregate"]) for row in halves}
    }
    table = run("eval", "--scores", scores, "-q", "-f", "csv", "-n").rows
    names = [("egm", "am"), ("egm", "egm-trec"), ("am", "egm-trec")]
    for axes, (a, b) in zip(figure.axes, names, strict=True):
        points = [line.get_xydata()[0] for line in axes.get_lines()[1:]]
        expected = [
            (100 * np.mean([float(row[m]) <= 0.1 for row in table]), tau[m, a] - tau[m, b]) for m in ("map", "P_10")
        ]
        np.testing.assert_allclose(points, expected)


def test_means_and_intervals_are_those_of_the_scores(run, drawn, scores: Path, tmp_path: Path):
    calls = drawn("means")
    assert run("plot", "means", "--scores", scores, "-m", "P_10", "--ci", 0.9, "-o", tmp_path / "x.svg").status == 0
    printed = run("eval", "--scores", scores, "-m", "P_10", "-q", "-f", "csv").rows
    systems, mean, low, high = calls["arguments"]
    all_ = {row["run"]: float(row["P_10"]) for row in printed if row["topic"] == "all"}
    assert dict(zip(systems, mean, strict=True)) == pytest.approx(all_)
    assert (calls["measure"], calls["scheme"], calls["confidence"]) == ("P_10", "raw", 0.9)
    assert np.all((low < mean) & (mean < high))


def test_means_of_incomplete_runs_stand_below_the_others(run, drawn, write, tmp_path: Path):
    """The run with the greatest mean has one topic of three."""
    rows = ["a,1,.2", "a,2,.4", "a,3,.6", "b,1,.9", "c,1,.3", "c,2,.3", "c,3,.3"]
    calls = drawn("means")
    path = write("s.csv", ["run,topic,map", *rows])
    done = run("plot", "means", "--scores", path, "-m", "map", "-o", tmp_path / "x.svg")
    systems, mean, _, _ = calls["arguments"]
    assert systems == ["a", "b (n=1)", "c"]
    np.testing.assert_allclose(mean, [0.4, 0.9, 0.3])
    assert calls["ranked"].tolist() == [True, False, True]
    assert "'b'" in done.stderr


def test_incomplete_runs_of_a_heatmap(run, write, tmp_path: Path):
    rows = ["a,1,.2", "a,2,.4", "b,1,.9", "c,1,.3", "c,2,.3"]
    path = write("s.csv", ["run,topic,map", *rows])
    typed = ["plot", "heatmap", "--scores", path, "--scheme", "raw", "-o", tmp_path / "x.svg"]
    assert "not ranked" in run(*typed).stderr
    assert "not ranked" not in run(*typed, "--sort", "topics").stderr


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


@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "bh", "tukey"])
def test_intervals_of_the_forest_leave_out_0_where_compare_finds_a_difference(
    run, drawn, write, tmp_path: Path, correction: str
):
    rng = np.random.default_rng(1)
    level, ease = np.linspace(0.35, 0.6, 10), rng.normal(0, 0.1, 14)
    values = level[:, np.newaxis] + ease + rng.normal(0, 0.12, (10, 14))
    rows = [f"r{i},{t},{values[i, t]:.3f}" for i in range(10) for t in range(14)]
    calls, path = drawn("forest"), write("s.csv", ["run,topic,map", *rows])
    options = ["--scores", path, "--correction", correction, "--baseline", "r0"]
    assert run("plot", "forest", *options, "--run", "r9", "-o", tmp_path / "x.svg").status == 0
    names, difference, low, high, effect = calls["arguments"]
    assert names[calls["marked"][0]] == "r9"
    authors = {"none": "", "bh": " (Benjamini-Hochberg)"}
    assert calls["intervals"] == "95% intervals" + authors.get(correction, f" ({correction.title()})")
    compared = {row["a"]: row for row in run("compare", *options, "-f", "csv").rows}
    for i, name in enumerate(names):
        row = compared[name]
        assert (difference[i], effect[i]) == pytest.approx((float(row["difference"]), float(row["effect_size"])))
        assert (not low[i] <= 0 <= high[i]) == (row["significant"] == "*")
    assert {row["significant"] for row in compared.values()} == {"", "*"}


def test_the_forest_is_of_the_differences_from_the_best_run(run, drawn, few: Path, tmp_path: Path):
    calls = drawn("forest")
    assert run("plot", "forest", "--scores", few, "-o", tmp_path / "x.svg").status == 0
    assert calls["baseline"] == "b"
    assert sorted(name.split()[0] for name in calls["arguments"][0]) == ["a", "c", "d"]


def test_the_forest_of_a_measure_that_is_better_lower_is_of_the_differences_from_the_lowest(
    run, drawn, few: Path, tmp_path: Path
):
    calls, path = drawn("forest"), tmp_path / "unj.csv"
    path.write_text(few.read_text().replace("run,topic,map", "run,topic,unj_10"))
    assert run("plot", "forest", "--scores", path, "-o", tmp_path / "x.svg").status == 0
    assert calls["baseline"] == "a"


def test_a_png_has_the_pixels_per_inch_that_are_asked_for(run):
    widths = [
        int.from_bytes(run("plot", "weights", "--dpi", dpi, "-o", "-").raw[16:20], "big") for dpi in (50, 200)
    ]
    assert widths == [pytest.approx(85 / 25.4 * dpi, abs=1) for dpi in (50, 200)]


@pytest.mark.parametrize("correction", ["holm", "tukey"])
def test_the_forest_sets_incomplete_runs_aside(run, drawn, few: Path, tmp_path: Path, correction: str):
    calls = drawn("forest")
    typed = ("plot", "forest", "--correction", correction, "--scores", few, "-o", tmp_path / "x.svg")
    done = run(*typed)
    assert "gray" in done.stderr
    names, difference, low, _, _ = calls["arguments"]
    at = {name: i for i, name in enumerate(names)}
    assert set(at) == {"a", "c (n=11)", "d"}
    c = at["c (n=11)"]
    assert calls["ranked"].tolist() == [i != c for i in range(3)]
    assert difference[c] == max(difference)
    assert np.isnan(low).tolist() == [i == c and correction == "tukey" for i in range(3)]
    assert ("'c' is incomplete" in run(*typed, "--baseline", "c").stderr) == (correction == "tukey")


def test_the_forest_of_tukeys_test_is_of_the_topics_that_all_runs_have(run, drawn, write, tmp_path: Path):
    """A topic that only half of the runs have is not part of the test, and so not of the differences either."""
    rng = np.random.default_rng(3)
    scores = {(name, t): rng.random() for name in "abcd" for t in range(9) if t < 8 or name in "ab"}
    rows = [f"{name},{t},{score}" for (name, t), score in scores.items()]
    calls, path = drawn("forest"), write("s.csv", ["run,topic,map", *rows])
    options = ["--correction", "tukey", "--baseline", "a", "--scores", path, "-o", tmp_path / "x.svg"]
    done = run("plot", "forest", *options)
    assert done.status == 0
    names, difference, *_ = calls["arguments"]
    expected = np.mean([scores["b", t] - scores["a", t] for t in range(8)])
    assert difference[list(names).index("b")] == pytest.approx(expected)


def test_reliability_names_the_level_of_its_intervals(run, drawn, scores: Path, tmp_path: Path):
    """Bands of 95% and of 50% looked the same, and were mixed in one curve."""
    calls = drawn("reliability")

    def figure(*files: object) -> tuple[str, list[str]]:
        assert run("plot", "reliability", *files, "-o", tmp_path / "x.svg").status == 0
        (axes,) = (shown := plots.reliability(*calls["arguments"])).axes
        told = " ".join([axes.get_xlabel(), axes.get_ylabel(), shown.get_supylabel()])
        return " ".join(told.split()), [text.get_text() for each in shown.legends for text in each.get_texts()]

    for topics in ((10, 25, 50), (25,)):
        sizes = [word for n in topics for word in ("--topics", n)]
        files = {level: tmp_path / f"{len(topics)}-{level}.csv" for level in ("95", "50")}
        for level, path in files.items():
            typed = ("--scores", scores, "-m", "map", "--ci", f"0.{level}", "-f", "csv", "-o", path)
            assert run("meta", "reliability", *typed, *sizes).status == 0
            assert {float(row["confidence"]) for row in csv.DictReader(path.read_text().splitlines())} == {
                int(level) / 100
            }
            assert f"{level}% intervals" in figure(path)[0]
        told, entries = figure(*(f"of{level}={path}" for level, path in files.items()))
        assert "intervals" not in told
        assert entries == ["of95, 95% intervals", "of50, 50% intervals"]
        done = run("plot", "reliability", *files.values(), "-o", tmp_path / "mixed.svg")
        assert (done.status, "confidence 0.5, and 0.95 above" in done.stderr) == (2, True)


def test_reliability_and_plans_are_those_that_are_printed(run, drawn, scores: Path, tmp_path: Path):
    path = tmp_path / "meta.csv"
    sizes = ["--topics", 10, "--topics", 40, "--topics", 160]
    calls = drawn("reliability")
    assert run("meta", "reliability", "--scores", scores, "-m", "map", *sizes, "-f", "csv", "-o", path).status == 0
    assert run("plot", "reliability", path, "--value", "phi", "-o", tmp_path / "x.svg").status == 0
    rows, value = calls["arguments"]
    points = plots.reliability(rows, value).axes[0].get_lines()[0].get_xydata()
    printed = [
        (float(r["at"]), float(r["value"]))
        for r in csv.DictReader(path.read_text().splitlines())
        if r["quantity"] == "phi"
    ]
    np.testing.assert_allclose(points, printed)
    calls = drawn("plan")
    asked = [*sizes, "--difference", 0.05, "--difference", 1e-9]
    assert run("meta", "plan", "--scores", scores, "-m", "map", *asked, "-f", "csv", "-o", path).status == 0
    assert run("plot", "plan", path, "-o", tmp_path / "x.svg").status == 0
    lines = plots.plan(*calls["arguments"]).axes[0].get_lines()
    printed = [
        row for row in csv.DictReader(path.read_text().splitlines()) if row["spread"] == "p95" and row["n"] != "inf"
    ]
    expected = sorted((float(row["n"]), float(row["difference"])) for row in printed)
    assert len(expected) == 4
    np.testing.assert_allclose(lines[1].get_xydata(), expected)


@pytest.mark.parametrize("typed", ["means -m map", "forest -m map", "scatter -m map -m P_10"])
def test_named_files_tell_how_many_topics_were_judged(run, drawn, sample, tmp_path: Path, typed: str):
    """The label of a picture of a file under a name lacked the topics that the file lacks."""
    kind, *measures = typed.split()
    whole, early = tmp_path / "all.csv", tmp_path / "early.csv"
    run("eval", "-q", "-n", "-f", "csv", "--signature", *measures, "-m", "P_10", "-o", whole, *sample[:5])
    rows = whole.read_text().splitlines()
    early.write_text("\n".join(row for row in rows if row == rows[0] or row.split(",")[1] <= "325"))
    calls, labels = drawn(kind), []
    for name in (f"{early}", f"e={early}"):
        assert run("plot", kind, *measures, "--scores", name, "-o", tmp_path / "x.svg").status == 0
        labels.append(calls["topics"])
    assert labels == ["25 of 50 topics"] * 2


def test_named_runs_are_marked(run, drawn, scores: Path, tmp_path: Path):
    for kind in ("heatmap", "means", "topics", "scores"):
        calls = drawn(kind)
        asked = ["--run", "ref03", "--run", "ref01", "--run", "ref03"]
        assert run("plot", kind, "--scores", scores, "-m", "map", *asked, "-o", tmp_path / "x.png").status == 0
        assert calls["marked"] == [2, 0]
        refused = run("plot", kind, "--scores", scores, "-m", "map", "--run", "ref", "-o", tmp_path / "y.png")
        assert "no run 'ref', expected one of" in refused.stderr
    calls = drawn("topics")
    assert run("plot", "topics", *RUNS, "--run", RUNS[3], "-o", tmp_path / "x.png").status == 0
    assert calls["marked"] == [2]


def test_means_over_the_common_topics_of_all_say_so(run, drawn, write, tmp_path: Path):
    rows = ["a,2,.1", "a,3,.4", "b,1,.1", "b,3,.5", "c,1,.9", "c,2,.9", "c,3,.3"]
    calls = drawn("means")
    done = run("plot", "means", "--scores", write("s.csv", ["run,topic,map", *rows]), "-o", tmp_path / "x.svg")
    np.testing.assert_allclose(calls["arguments"][1], [0.4, 0.5, 0.3])
    assert calls["topics"] == "1 of 3 topics, common to all runs"
    assert done.status == 0


def test_factors_make_n_the_default_of_one_scheme(run, drawn, scores: Path, tmp_path: Path):
    factors = tmp_path / "factors.csv"
    assert run("factors", "--scores", scores, "-o", factors).status == 0
    for kind in ("means", "compare"):
        calls = drawn(kind)
        pair = ["--run", "ref01", "--baseline", "ref02"] if kind == "compare" else []
        done = run("plot", kind, "--scores", scores, "-F", factors, *pair, "-o", tmp_path / "x.svg")
        assert (done.status, calls["scheme"]) == (0, "n")


def test_e_is_drawn_by_default_only_with_reference_scores(run, drawn, scores: Path, tmp_path: Path):
    factors = tmp_path / "factors.csv"
    run("factors", "--scores", scores, "-o", factors)
    for files, expected in (
        (["-F", factors], ["n", "u"]),
        ([], ["n", "u", "e"]),
        (["-F", scores], ["n", "u", "e"]),
    ):
        calls = drawn("mapping")
        assert run("plot", "mapping", "--scores", scores, *files, "-o", tmp_path / "x.png").status == 0
        assert list(calls["arguments"][1]) == expected
    done = run("plot", "mapping", "--scores", scores, "-F", factors, "--scheme", "e", "-o", tmp_path / "x.png")
    assert done.status == 2
    assert "expected reference scores for scheme e" in done.stderr


def test_parameters_of_u_are_drawn(run, drawn, scores: Path, tmp_path: Path):
    calls = drawn("topics")
    options = ["--scheme", "u", "--ab", "0.3,0.4", "--no-censor"]
    assert run("plot", "topics", "--scores", scores, *options, "-o", tmp_path / "x.svg").status == 0
    raw, tables = calls["arguments"]
    expected = standardize(raw, scheme="u", A=0.3, B=0.4, censor=False)
    np.testing.assert_array_equal(tables["u"].values, expected.values)
    figure = plots.topics(raw, tables)
    assert np.allclose(figure.axes[0].get_lines()[1].get_ydata(), 0.4)  # a standardized mean is B
    calls = drawn("mapping")
    assert run("plot", "mapping", "--scores", scores, *options, "-o", tmp_path / "x.svg").status == 0
    raw, _, curves = calls["arguments"]
    expected = mapping_curves(raw, fit_factors(raw), "u", A=0.3, B=0.4, censor=False)
    np.testing.assert_array_equal(curves["u"], expected)


def test_differences_are_run_less_baseline(run, drawn, scores: Path, tmp_path: Path):
    rows = run("eval", "--scores", scores, "-m", "map", "-q", "-f", "csv", "-n").rows
    of = {(row["run"], row["topic"]): float(row["map"]) for row in rows}
    for one, other in ((RUNS[1], RUNS[2]), ("ref01", "ref02")):
        calls = drawn("compare")
        done = run("plot", "compare", *RUNS, "--run", one, "--baseline", other, "-o", tmp_path / "x.svg")
        assert done.status == 0
        topics, differences = calls["arguments"][:2]
        assert differences == pytest.approx([of["ref01", topic] - of["ref02", topic] for topic in topics])
        assert calls["systems"] == ("ref01", "ref02")
    calls = drawn("compare")
    assert run("plot", "compare", *RUNS[:3], "--baseline", "ref01", "-o", tmp_path / "x.svg").status == 0
    assert calls["systems"] == ("ref02", "ref01")


def test_weights_by_name(run, drawn, tmp_path: Path):
    calls = drawn("weights")
    asked = ["-m", "nDCG@3", "-m", "RBP(p=0.8)", "-k", 5]
    assert run("plot", "weights", *asked, "-o", tmp_path / "x.svg").status == 0
    names, values, right = calls["arguments"]
    k = np.arange(1, 6)
    assert dict(zip(names, values.tolist(), strict=True)) == {
        "ndcg_cut_3": pytest.approx([1, 1 / np.log2(3), 0.5, 0, 0]),
        "rbp_p=0.8": pytest.approx((0.2 * 0.8 ** (k - 1)).tolist()),
    }
    assert right == ["ndcg_cut_3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["means", "--scores", "S", "-o", "x.gif"], "x.gif: picture format 'gif', expected one of: png, svg, pdf"),
        (["means", "--scores", "S", "-o", "x"], "x: picture format '', expected one of: png, svg, pdf"),
        (["means", "--scores", "S", "-o", "no/x.png"], "no/x.png: cannot write: No such file or directory"),
        (["means", "--scores", "S", "--size", "9", "-o", "x.png"], "size '9', expected column, page, slide"),
        (["means", "--scores", "S", "--dpi", "1", "-o", "x.png"], "Invalid value for '--dpi'"),
        (["means", "--scores", "S"], "Missing option '-o'"),
        (
            ["heatmap", "--scores", "S", "-m", "map", "-m", "P_10", "-o", "x.png"],
            "a picture shows one measure, expected -m with one of",
        ),
        (
            ["scatter", "--scores", "S", "-m", "map", "-o", "x.png"],
            "1 measure (map), expected 2 to 4, by -m or as",
        ),
        (["split", "B", "--value", "rho", "-o", "x.png"], "'rho' is not one of"),
        (["split", "B", "--value", "r", "-o", "x.png"], "B: no column 'r', expected: r"),
        (["aggregates", "B", "-o", "x.png"], "B: no column 'low', expected: low, difference"),
        (["mapping", "--scores", "S", "--scheme", "raw", "-o", "x.png"], "'raw' is not one of"),
        (["compare", "--scores", "S", "-o", "x.png"], "12 runs, expected two, or --run RUN and --baseline RUN"),
        (["compare", "--scores", "S", "--run", "ref01", "--baseline", "x", "-o", "x.png"], "no run 'x', expected"),
        (
            ["compare", "--scores", "S", "--run", "ref01", "--baseline", "ref01", "-o", "x.png"],
            "'ref01' is the run and the baseline",
        ),
        (
            ["means", "--scores", "S", "--interval", "tukey", "--resamples", "9", "-o", "x.png"],
            "9 resamples, expected at least 19 for 95% Tukey intervals",
        ),
        (["weights", "-m", "map", "-o", "x.png"], "'map'"),
        (["power", "S", "-o", "x.png"], "no column 'alpha', expected: alpha, power"),
        (["power", "-", "-", "-o", "x.png"], "standard input (-) can be read once only"),
        (["power", "-o", "x.png"], "Missing argument"),
        (["power", "B", "-o", "x.png"], "B:3: 'high' in column 'power', expected a number"),
        (["power", "B", "S", "-o", "x.png"], "S:1: expected the header of B"),
    ],
    ids=lambda value: " ".join(value[:8]) if isinstance(value, list) else "",
)
def test_refused(run, scores: Path, tmp_path: Path, monkeypatch, arguments: list[str], message: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "S").write_bytes(scores.read_bytes())
    (tmp_path / "B").write_text("alpha,power\n0.01,0.5\n0.05,high\n")
    done = run("plot", *arguments)
    assert done.status == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["B", "S"]


def test_without_matplotlib_one_line_says_how_to_install_it(scores: Path, tmp_path: Path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    root = Path(__file__).resolve().parents[2]
    commands = (
        ["plot", "means", "--scores", scores, "-o", "x.png"],
        ["report", "--scores", scores, "-o", "x.html"],
    )
    for arguments in commands:
        done = subprocess.run(
            [sys.executable, "-m", "stdeval", *map(str, arguments)],
            env={"PYTHONPATH": f"{tmp_path}:{root}"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "stdeval: pictures need matplotlib: pip install 'stdeval[plot]'\n"


def test_pictures_of_126_real_runs(run, covid, tmp_path: Path):
    for kind in ("heatmap", "topics"):
        assert run("plot", kind, "--scores", covid.scores, "-o", tmp_path / f"{kind}.png", "--dpi", 60).status == 0
        assert (tmp_path / f"{kind}.png").stat().st_size > 5_000
