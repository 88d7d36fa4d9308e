"""`--best`: the same output as without the runs that it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from stdeval.commands.check import command as check

SCORES = ["run,topic,map,recall_10,unj_20"]
for place, system in enumerate("dacb"):  # a is the best by map, b by recall_10, c by unj_20
    for number in range(1, 7):
        quality = {"a": (9, 5, 8), "b": (7, 9, 9), "c": (5, 7, 1), "d": (3, 3, 7)}[system]
        cells = [(10 * value + number * (place + 1) % 7) / 100 for value in quality]
        SCORES.append(",".join([system, str(number), *map(str, cells)]))


@pytest.fixture
def files(write) -> tuple[Path, Path]:
    """The scores of four runs, and those of the two best by map."""
    two = [line for line in SCORES if line[0] in "rab"]
    return write("all.csv", SCORES), write("two.csv", two)


COMMAND_LINES = {
    "eval": "-f csv -m map -m recall_10",
    "factors": "-m map -m recall_10",
    "standardize": "--scheme z --scheme e -f csv -m map",
    "topics": "-f csv -m map",
    "compare": "-f csv -m map",
    "meta rank": "-m map --scheme raw --scheme n -f csv",
}


@pytest.mark.parametrize("command", COMMAND_LINES)
@pytest.mark.parametrize("best", ["2", "50%"])
def test_as_if_the_others_were_not_given(run, files, write, command: str, best: str):
    # experiments need three systems: the best 3 of 5
    if command.startswith("meta"):
        extra = [line.replace("d,", "e,", 1) for line in SCORES if line[0] == "d"]
        everything = write("five.csv", SCORES + extra[:5] + [extra[5].replace("0.", "0.0")])
        some, best = write("three.csv", [line for line in SCORES if line[0] != "d"]), "3"
    else:
        everything, some = files
    typed = COMMAND_LINES[command].split()
    found = run(*command.split(), "--scores", everything, "--best", best, *typed)
    expected = run(*command.split(), "--scores", some, *typed)
    assert (found.status, found.raw) == (0, expected.raw)
    assert found.stderr == expected.stderr


@pytest.mark.parametrize(
    "command", ["eval -q -f csv -m map -m recall_10", "factors -m map", "factors --empirical -m map"]
)
def test_of_runs_as_of_scores(run, sample: list[Path], command: str):
    """The best 30 of the 40 runs, found by plain sorting."""
    qrels, *runs = sample
    rows = run("eval", "-m", "map", "-q", "-f", "csv", "-n", qrels, *runs).rows
    means = dict.fromkeys(runs, 0.0)
    for row in rows:
        means[next(path for path in runs if path.name.startswith(row["run"]))] += float(row["map"]) / 50
    kept = sorted(runs, key=lambda path: -means[path])[:30]
    found = run(*command.split(), "--best", "75%", qrels, *runs)
    expected = run(*command.split(), qrels, *[path for path in runs if path in kept])
    assert found.raw == expected.raw
    assert found.stderr == expected.stderr


@pytest.mark.parametrize(
    ("measures", "kept"),
    [
        ("", "ab"),
        ("-m recall_10", "cb"),
        ("-m recall_10 -m map", "cb"),
        ("-m map -m recall_10", "ab"),
        ("-m unj_20", "dc"),  # the lower, the better
    ],
)
def test_the_first_measure_named_decides(run, files, measures: str, kept: str):
    done = run("eval", "--scores", files[0], *measures.split(), "--best", 2, "-q", "-f", "csv")
    assert "".join(dict.fromkeys(row["run"] for row in done.rows)) == kept
    assert done.stderr == ""


def test_incomplete_runs_are_left_out(run, files, write):
    lacking = write("lacking.csv", [line for line in SCORES if not line.startswith("a,1")])
    done = run("eval", "--scores", lacking, "--best", 2, "-m", "map", "-q", "-f", "csv")
    assert "".join(dict.fromkeys(row["run"] for row in done.rows)) == "cb"
    assert "1 of 4 runs" in done.stderr


def test_topics_that_only_others_have_are_gone(run, write):
    more = write("more.csv", [*SCORES, "d,7,0.1,0.1,0.1"])
    rows = run("topics", "--scores", more, "--best", 2, "-m", "map", "-f", "csv", "-n").rows
    assert [row["topic"] for row in rows] == list("123456")


def test_references_are_the_best_and_all_are_ranked(run, scores_file):
    references, others = scores_file("r.csv", n_systems=12), scores_file("s.csv", n_systems=9, system="t", seed=5)
    typed = ("meta", "references", "--references", 4, "--trials", 20, "-f", "csv", "--evaluate", others)
    (row,) = run(*typed, "--scores", references, "--best", "7").rows
    assert (row["references"], row["systems"]) == ("7", "9")


@pytest.mark.parametrize("best", ["0", "-1", "100%", "0%", "75 %", "0.5", "75%%", "%", "best", "1e2%", "²"])
def test_bad_values_are_refused_in_one_line(run, files, best: str):
    done = run("eval", "--scores", files[0], "--best", best)
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert f"'{best}', expected a number from 1, or a percentage above 0% and below 100%" in done.stderr


def test_what_cannot_be_ranked_is_refused_in_one_line(run, files, write, sample):
    apart = write("apart.csv", ["run,topic,map", "a,1,0.5", "b,2,0.5"])
    cases = {
        ("--scores", apart): "--best 1: fewer than two runs have all topics that more than half of the runs have, "
        "expected complete runs",
        (
            "-m",
            "num_rel",
            *sample[:3],
        ): (
            "--best 1: num_rel has no score per topic, only a count or a summary; "
            "expected a measure that has, such as map"
        ),
    }
    for typed, message in cases.items():
        done = run("eval", "--best", 1, *typed)
        assert (done.status, done.raw) == (2, b"")
        assert done.stderr.splitlines()[-1] == f"stdeval: {message}"


def test_runs_that_cannot_be_ranked_could_be_with_c(run, write):
    """The option has no effect on stored scores."""
    qrels = write("qrels", ["1 0 d 1", "2 0 d 1"])
    runs = [write(f"{topic}.run", [f"{topic} Q0 d 1 1 run{topic}"]) for topic in "12"]
    done = run("eval", "--best", 1, "-m", "map", qrels, *runs)
    assert done.status == 2
    assert done.stderr.endswith(
        "of the runs have, expected complete runs, or -c, which counts missing topics as 0\n"
    )
    assert run("eval", "--best", 1, "-m", "map", "-c", qrels, *runs).status == 0


def test_a_baseline_that_is_left_out_is_refused(run, sample):
    qrels, *runs = sample
    typed = ("compare", "-m", "map", "--best", 3, "--baseline")
    for name in ("ref01", runs[0]):
        done = run(*typed, name, qrels, *runs)
        assert (done.status, done.raw) == (2, b"")
        assert f"no run '{name}' among those that --best 3 keeps, expected one of: ref" in done.stderr
    rows = run(*typed, "ref32", "-f", "csv", qrels, *runs).rows
    assert {row["b"] for row in rows} == {"ref32"}


def test_a_gate_takes_every_run():
    assert not [option for option in check.params if "--best" in option.opts]


def test_runs_are_not_ranked_if_fewer_than_two_are_complete(run, write):
    """Each of a and b lacks a topic that two of three runs have, and c is the only complete run."""
    rows = ["a,2,.1", "a,3,.4", "b,1,.1", "b,3,.5", "c,1,.9", "c,2,.9", "c,3,.3"]
    done = run("eval", "--best", 2, "--scores", write("s.csv", ["run,topic,map", *rows]))
    assert (done.status, done.raw) == (2, b"")
    assert "fewer than two runs have all topics that more than half of the runs have" in done.stderr


def test_residuals_are_not_of_the_best_runs(run, sample):
    done = run("compare", "-m", "RBP(p=0.8)", "--residuals", "--best", 2, *sample[:5])
    assert (done.status, done.raw) == (2, b"")
    assert "expected --residuals or --best, not both" in done.stderr


def test_the_best_of_several_collections_are_those_of_the_first(run, write):
    means = {"a": (0.1, 0.9), "b": (0.5, 0.2), "c": (0.6, 0.3), "d": (0.7, 0.4)}

    def compared(systems: str, *options: object) -> list[dict[str, str]]:
        paths = [
            write(
                f"{systems}{at}.csv",
                ["run,topic,map", *(f"{r},{at}{t},{means[r][at] + t / 50}" for r in systems for t in range(5))],
            )
            for at in (0, 1)
        ]
        done = run("meta", "collections", "-f", "csv", *options, *paths)
        return [{**row, "pair": ""} for row in done.rows]

    assert compared("abcd", "--best", 3) == compared("bcd")


def test_the_best_at_the_greatest_depths_are_as_if_given_alone(run, sample):
    typed = ["meta", "depth", "-m", "P", "--pool-depth", 5, "--pool-depth", 20, "--eval-depth", 10, "-f", "csv"]
    qrels, *runs = sample[:7]
    rows = run("eval", "-m", "P_10", "-q", "-f", "csv", qrels, *runs).rows
    mean = {row["run"]: float(row["P_10"]) for row in rows if row["topic"] == "all"}
    kept = [path for path in runs if mean[path.name.split(".")[0]] >= sorted(mean.values())[-3]]
    for more in ([], ["-m", "rbp"]):  # the first measure counts
        found = run(*typed, *more, "--best", 3, qrels, *runs)
        assert found.raw == run(*typed, *more, qrels, *kept).raw


def test_the_report_names_the_measure_that_ranks(run, sample, tmp_path):
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    typed = ("report", "-m", "recall_10", "-m", "map", "--best", 4, "-o", page)
    done = run(*typed, *sample[:7])
    assert done.status == 0
    assert "--best 4, the best runs by mean recall_10" in page.read_text()


def test_the_best_by_a_measure_that_the_factors_do_not_have_are_refused(run, sample, tmp_path):
    factors, scores = tmp_path / "factors.csv", tmp_path / "scores.csv"
    assert run("factors", "-m", "map", "-o", factors, *sample[:12]).status == 0
    assert (
        run("eval", "-m", "recall_10", "-m", "map", "-q", "-n", "-f", "csv", "-o", scores, *sample[:7]).status == 0
    )
    done = run("standardize", "-F", factors, "--scores", scores, "-m", "recall_10", "-m", "map", "--best", 2)
    assert (done.status, done.raw) == (2, b"")
    expected = "stdeval: --best 2 ranks by recall_10, which the factors do not have: expected -m with one of: map"
    assert done.stderr.splitlines()[-1] == expected
