"""Scores files of the same runs, joined by column: `--scores deep=d100.csv --scores shallow=d5.csv`."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from stdeval.errors import InputError
from stdeval.formats.joined import join_columns
from stdeval.measures.names import is_better_higher, is_in_unit_range, kind_of
from stdeval.provenance import Origin
from stdeval.table import ScoreTable

DEEP = ["run,topic,map,P_10", *(f"s{i},{t},0.{i}{t}07,0.{9 - i}" for i in range(5) for t in range(1, 7))]
SHALLOW = ["run,topic,map,P_10", *(f"s{i},{t},0.{(2 * i) % 5}{7 - t}03,0.3" for i in range(5) for t in range(1, 7))]


@pytest.fixture
def named(write) -> list[str]:
    """Two files of five runs on six topics, as options."""
    return [f"--scores=deep={write('d100.csv', DEEP)}", f"--scores=shallow={write('d5.csv', SHALLOW)}"]


def means(lines: list[str], column: int) -> list[float]:
    rows = [line.split(",") for line in lines[1:]]
    return [float(np.mean([float(row[column]) for row in rows if row[0] == f"s{i}"])) for i in range(5)]


def test_each_measure_is_a_column_of_its_file(run, named):
    rows = run("eval", *named, "-q", "-f", "csv", "-n").rows
    assert list(rows[0]) == ["run", "topic", "deep:map", "deep:P_10", "shallow:map", "shallow:P_10"]
    assert [rows[8][name] for name in rows[0]] == ["s1", "3", "0.1307", "0.8", "0.2403", "0.3"]
    assert len(rows) == 30


def test_measures_are_named_with_and_without_prefix_in_any_spelling(run, named):
    chosen = {
        ("map",): ["deep:map", "shallow:map"],
        ("shallow:AP",): ["shallow:map"],
        ("deep:P@10", "shallow:map"): ["deep:P_10", "shallow:map"],
    }
    for texts, columns in chosen.items():
        options = [word for text in texts for word in ("-m", text)]
        assert list(run("eval", *named, *options, "-q", "-f", "csv", "-n").rows[0])[2:] == columns
    done = run("eval", *named, "-m", "extended:map")
    assert (done.status, done.stdout) == (2, "")
    assert (
        "no measure 'extended:map' in the scores, expected one of: deep:map, deep:P_10, shallow:map" in done.stderr
    )


@pytest.mark.parametrize("name", ["P.5,10", "P.10,5", "deep:P.5,10", "NP.5,10"])
def test_a_list_of_cutoffs_means_all_of_them(run, write, name: str):
    """A gate on P.5,10 passed although P_5 was not among the stored scores."""
    prefix = "N" if name.startswith("N") else ""
    path = f"deep={write('d.csv', [line.replace('P_10', f'{prefix}P_10') for line in DEEP])}"
    lacking = f"no measure '{'deep:' if ':' in name else ''}{prefix}P_5' in the scores, expected one of: deep:map"
    for command in ("eval -m {}", "compare -m {}", "check --baseline s0 --max-drop {}=0.1"):
        done = run(*command.format(name).split(), "--scores", path)
        assert (done.status, done.stdout, lacking in done.stderr) == (2, "", True)
    with pytest.raises(InputError, match=r"no measure .P\.5,10."):
        ScoreTable(("a",), ("1",), ("P_10",), [[[0.5]]]).select(measures=["P.5,10"])


def test_a_name_of_several_measures_is_not_a_condition(run, write):
    """As with runs, although the file has only one of them."""
    path = write("s.csv", DEEP)
    done = run("check", "--min", "P=0.1", "--scores", path)
    assert (done.status, "'P' means 9 measures, expected one, such as P_10" in done.stderr) == (2, True)
    assert list(run("eval", "--scores", path, "-m", "P", "-f", "csv", "-n", "-q").rows[0]) == [
        "run",
        "topic",
        "P_10",
    ]
    table = ScoreTable(("a",), ("1",), ("P_10",), [[[0.5]]])
    assert table.measure("P@10") == 0.5
    with pytest.raises(InputError, match="'P' means 9 measures"):
        table.measure("P")


def test_a_measure_with_a_prefix_is_what_it_is_without():
    assert [kind_of(f"deep:{name}") for name in ("map", "num_rel", "runid", "mine")] == [
        kind_of(name) for name in ("map", "num_rel", "runid", "mine")
    ]
    assert (is_in_unit_range("deep:map"), is_in_unit_range("deep:jkdcg_cut_10"), is_in_unit_range("deep:mine")) == (
        True,
        False,
        False,
    )
    assert (is_better_higher("deep:map"), is_better_higher("deep:unj_10")) == (True, False)


def test_counts_stay_whole_numbers(run, write):
    path = write("n.csv", ["run,topic,num_rel,map", "a,1,7,0.5"])
    assert run("eval", "--scores", f"deep={path}", "-q", "-f", "csv", "-n").stdout == (
        "run,topic,deep:num_rel,deep:map\na,1,7,0.5\n"
    )


def test_files_of_one_name_join_by_row(run, named, write):
    more = write("more.csv", ["run,topic,map,P_10", *(f"new,{t},0.5,0.5" for t in range(1, 7))])
    rows = run("eval", *named, "--scores", f"deep={more}", "-m", "deep:map", "-q", "-f", "csv", "-n").rows
    assert list(dict.fromkeys(row["run"] for row in rows)) == ["s0", "s1", "s2", "s3", "s4", "new"]
    twice = run("eval", *named, named[0])
    assert (twice.status, twice.stdout) == (2, "")
    assert "run 's0' is also in" in twice.stderr


def test_a_file_without_a_name_keeps_its_measures(run, write):
    one, other = write("a.csv", DEEP), write("b.csv", SHALLOW)
    both = ["--scores", one, "--scores", f"b={other}"]
    assert list(run("eval", *both, "-q", "-f", "csv", "-n").rows[0])[2:] == ["map", "P_10", "b:map", "b:P_10"]
    for name in ("map", "AP"):
        assert list(run("eval", *both, "-m", name, "-q", "-f", "csv", "-n").rows[0])[2:] == ["map"]


@pytest.mark.parametrize("name", ["a=b.csv", "./a=b.csv"])
def test_a_file_with_an_equals_sign_in_its_name(run, write, monkeypatch, name: str):
    monkeypatch.chdir(write("a=b.csv", DEEP).parent)
    write("b.csv", SHALLOW)
    header = list(run("eval", "--scores", name, "-q", "-f", "csv", "-n").rows[0])
    assert header == ["run", "topic", "map", "P_10"]
    assert list(run("eval", "--scores", "a=./b.csv", "-q", "-f", "csv", "-n").rows[0])[2] == "a:map"


def test_a_named_file_is_not_overwritten_and_a_missing_one_is_told_by_its_name(run, named, tmp_path: Path):
    for path in (tmp_path / "d100.csv", tmp_path / "." / "d100.csv"):
        done = run("eval", *named, "-o", path)
        assert done.status == 2
        assert "the command reads this file" in done.stderr
    assert (tmp_path / "d100.csv").read_text().splitlines() == DEEP
    gone = run("eval", "--scores", f"deep={tmp_path / 'gone.csv'}")
    assert (gone.status, gone.stderr.startswith(f"stdeval: {tmp_path / 'gone.csv'}: ")) == (2, True)


def test_two_names_of_standard_input_are_refused(run):
    assert "standard input (-) can be read once only" in run("eval", "--scores", "a=-", "--scores", "b=-").stderr


def test_means_of_two_depths_correlate_as_scipys(run, named):
    """Webber 2010, Table 2: the same measure at two depths."""
    (row,) = run("meta", "rank", *named, "-m", "map", "-f", "csv").rows
    assert (row["measure_a"], row["measure_b"]) == ("deep:map", "shallow:map")
    x, y = means(DEEP, 2), means(SHALLOW, 2)
    assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(np.round(x, 9), np.round(y, 9)).statistic)
    assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(x, y).statistic)


def test_pvalues_of_two_depths_correlate_as_scipys(run, scores_file):
    """Webber 2010, Table 3."""
    files = {name: scores_file(f"{name}.csv", seed=seed) for seed, name in enumerate(("deep", "shallow"), 5)}
    options = [f"--scores={name}={path}" for name, path in files.items()]
    (row,) = run("meta", "rank", *options, "--by", "pvalues", "-f", "csv").rows
    pvalues = []
    for path in files.values():
        table: dict[str, list[float]] = {}
        for line in path.read_text().splitlines()[1:]:
            system, _, score = line.split(",")
            table.setdefault(system, []).append(float(score))
        pairs = itertools.combinations(table.values(), 2)
        pvalues.append([scipy.stats.ttest_rel(a, b).pvalue for a, b in pairs])
    assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(*pvalues).statistic)


def test_every_command_takes_named_scores(run, named, tmp_path: Path):
    outputs = ["-o", tmp_path / "x.svg"]
    for command in (
        ["compare", "--baseline", "s0"],
        ["topics"],
        ["factors"],
        ["standardize", "-q", "-f", "csv"],
        ["meta", "power"],
        ["meta", "split", "--trials", 5],
        ["meta", "within", "--topics", 2, "--trials", 5],
        ["meta", "between", "--topics", 2, "--trials", 5],
        ["meta", "references", "--references", 2, "--trials", 5],
    ):
        done = run(*command, *named, "-m", "map")
        assert done.status == 0, done.stderr
        letter = "N" if command[0] == "standardize" else ""
        assert f"deep:{letter}map" in done.stdout
        assert f"shallow:{letter}map" in done.stdout
    assert run("plot", "means", *named, "-m", "shallow:map", *outputs).status == 0
    page = run("report", *named, "-m", "map").stdout
    assert "shallow:map" in page
    assert "d100.csv" in page


def test_factors_of_each_column_standardize_it(run, named, tmp_path: Path):
    factors = tmp_path / "factors.csv"
    assert run("factors", *named, "-m", "map", "-o", factors).status == 0
    given, own = (
        run("standardize", *named, "-m", "map", "-q", "-f", "csv", *more) for more in (["-F", factors], [])
    )
    assert given.status == 0
    assert list(given.rows[0])[2:] == ["deep:Nmap", "shallow:Nmap"]
    assert given.stdout == own.stdout


def test_the_gate_knows_the_measures_of_named_files(run, named, tmp_path: Path):
    factors = tmp_path / "factors.csv"
    assert run("factors", *named, "-m", "map", "-o", factors).status == 0
    assert run("check", *named, "--min", "deep:P_10=0.1").status == 0
    assert run("check", *named, "-F", factors, "--min", "shallow:Nmap=0.01").status == 0
    assert run("check", *named, "--min", "deep:map=0.3").status == 1
    refused = {
        ("--min", "map=0.3"): "'map' means 2 measures, expected one, such as deep:map",
        ("-F", factors, "--baseline", "s0", "--max-drop", "deep:Zmap=2%"): "expected one above 0",
    }
    for options, message in refused.items():
        done = run("check", *named, *options)
        assert (done.status, done.stdout) == (2, "")
        assert message in done.stderr


@pytest.fixture
def partial(write) -> list[str]:
    """The second file lacks the first run, and has another."""
    rows = [*SHALLOW[:1], *SHALLOW[7:], *(f"late,{t},0.5,0.5" for t in range(1, 7))]
    return [f"--scores=deep={write('d100.csv', DEEP)}", f"--scores=shallow={write('part.csv', rows)}"]


def test_runs_of_only_some_files_are_missing_and_counted(run, partial):
    done = run("eval", *partial, "-m", "map", "-q", "-f", "csv", "-n")
    assert [row["deep:map"] for row in done.rows if row["run"] == "late"] == [""] * 6
    assert [row["shallow:map"] for row in done.rows if row["run"] == "s0"] == [""] * 6
    assert done.stderr.count("12 of 36 pairs of run and topic have no score (e.g. 's0' on topic '1')") == 1


def test_experiments_leave_out_runs_of_only_some_files(run, partial):
    whole = run("meta", "rank", *partial, "-m", "map", "-f", "csv")
    assert (whole.rows[0]["systems"], whole.rows[0]["topics"]) == ("4", "6")
    x, y = means(DEEP, 2)[1:], means(SHALLOW, 2)[1:]
    assert float(whole.rows[0]["r"]) == pytest.approx(scipy.stats.pearsonr(x, y).statistic)


@pytest.mark.parametrize("typed", ["power", "rank", "reliability", "split --trials 5", "within --trials 5"])
def test_runs_that_experiments_leave_out_are_no_reference_runs(run, scores_file, write, typed: str):
    """By the measure that all runs have, N was by all of them; its scores stood beside those by the others."""
    text = scores_file(n_systems=12, measures=["map", "P_10"]).read_text()
    some = ("s3,", "s7,", "s8,")
    rows = text.splitlines()
    partial = [f"{row.rpartition(',')[0]}," if row.startswith(some) else row for row in rows]
    printed = [
        run("meta", *typed.split(), "--scheme", "n", "-f", "csv", "--scores", write(name, kept))
        for name, kept in (
            ("partial.csv", partial),
            ("left.csv", [row for row in rows if not row.startswith(some)]),
        )
    ]
    assert printed[0].stdout == printed[1].stdout != ""


def test_the_gate_refuses_runs_of_only_some_files(run, partial):
    done = run("check", *partial, "--min", "shallow:map=.0001")
    assert (done.status, done.stdout) == (2, "")
    assert "s0" in done.stderr


def table(origin: Origin) -> ScoreTable:
    return ScoreTable(("a",), ("1",), ("map",), [[[0.5]]], origin)


def test_origins_are_kept_if_all_files_agree():
    level = {"1": "-l 2"}
    one, other, none = table(Origin({"1": "a"}, level)), table(Origin({"1": "b"}, level)), table(Origin())
    assert join_columns({"x": one, "y": one}).origin == one.origin
    assert join_columns({"x": one, "y": other, "z": one}).origin == Origin(options=level)
    assert join_columns({"x": one, "y": table(Origin({"1": "b"}, {"1": ""}))}).origin == Origin()
    assert join_columns({"x": one, "y": none}).origin == Origin()


def test_columns_of_the_same_name_are_refused(run, write):
    path = write("a.csv", ["run,topic,b:map", "s,1,0.5"])
    with pytest.raises(InputError, match="measure 'b:map' appears twice"):
        join_columns({"": ScoreTable(("a",), ("1",), ("b:map",), np.zeros((1, 1, 1))), "b": table(Origin())})
    done = run("eval", "--scores", path, "--scores", f"b={write('b.csv', DEEP)}")
    assert (done.status, done.stderr) == (2, "stdeval: measure 'b:map' appears twice, expected each measure once\n")


def test_missing_scores_of_one_file_are_told_by_run_topic_and_measure(run, scores_file, write):
    deep = scores_file("deep.csv", n_systems=3, n_topics=4)
    lines = [line for line in deep.read_text().splitlines() if not line.startswith(("s0,3,", "s1,3,"))]
    done = run("topics", "--scores", f"deep={deep}", "--scores", f"shallow={write('shallow.csv', lines)}", "-n")
    assert "2 of 12 pairs of run and topic have no score (e.g. 's0' on topic '3'): left out" in done.stderr


def test_what_is_no_name_is_part_of_the_path(run, write):
    path = write("d.csv", DEEP)
    done = run("eval", f"--scores=a:b={path}")
    assert (done.status, done.stdout) == (2, "")
    assert f"a:b={path}: no such file" in done.stderr


@pytest.mark.parametrize(("column", "name"), [("map", "deep:Nmap"), ("ndcg@20", "deep:N(ndcg@20)")])
def test_standardized_scores_are_known_as_such_when_they_are_read_again(run, write, column: str, name: str):
    """Whatever their measure is, and wherever the prefix stands."""
    rows = [f"{run_name},{topic},0.{i}{topic}" for i, run_name in enumerate("abcdefghij") for topic in range(1, 6)]
    scores = write("s.csv", [f"run,topic,{column}", *rows])
    stored = write(
        "n.csv", run("standardize", "-q", "-n", "-f", "csv", "--signature", "--scores", f"deep={scores}").stdout
    )
    assert stored.read_text().splitlines()[0].split(",")[2] == name
    for command in ("standardize", "factors"):
        done = run(command, "--scores", stored)
        assert (done.status, done.stdout) == (2, "")
        assert f"{name} is standardized already" in done.stderr
    done = run("eval", "-f", "table", "--signature", "--scores", stored)
    assert "|scheme:N|" in done.stdout
    assert run("check", "--scores", stored, "--min", f"{name}=0.001").status == 0
