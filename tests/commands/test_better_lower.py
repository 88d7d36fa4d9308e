"""The direction of measures: every ranking begins with the best system, also by those of which lower is better."""

from __future__ import annotations

import re

import numpy as np
import pytest

import stdeval
from stdeval import InputWarning

N_SYSTEMS, N_TOPICS = 6, 8


@pytest.fixture
def opposite(write):
    """Scores by map and judged_10, and unj_10 = 1 - judged_10, the same the other way round."""
    rng = np.random.default_rng(2)
    judged = rng.random((N_SYSTEMS, N_TOPICS)).round(3)
    found = (0.4 * judged + 0.5 * rng.random((N_SYSTEMS, N_TOPICS))).round(4)
    lines = ["run,topic,map,judged_10,unj_10"]
    for i in range(N_SYSTEMS):
        lines += [f"s{i},{t},{found[i, t]:.4f},{judged[i, t]:.3f},{1 - judged[i, t]:.3f}" for t in range(N_TOPICS)]
    return write("opposite.csv", lines)


def correlations(rows, **chosen: str) -> list[tuple[float, ...]]:
    names = [name for name in rows[0] if name.startswith(("tau", "r", "power", "type1")) and name != "run"]
    kept = [row for row in rows if all(row[name] == value for name, value in chosen.items())]
    return [tuple(float(row[name]) for name in names) for row in kept]


def test_a_ranking_by_unj_begins_with_the_lowest(run, opposite):
    done = run("meta", "rank", "--scores", opposite, "-f", "csv")
    rows = {(row["measure_a"], row["measure_b"]): row for row in done.rows}
    judged, unjudged = rows["map", "judged_10"], rows["map", "unj_10"]
    assert (judged["better_b"], unjudged["better_a"], unjudged["better_b"]) == ("higher", "higher", "lower")
    for name in ("tau_b", "tau_ap_b", "r"):
        assert float(unjudged[name]) == pytest.approx(float(judged[name]))
        assert float(rows["judged_10", "unj_10"][name]) == pytest.approx(1)
    assert "lower" in run("meta", "rank", "--scores", opposite).stdout


def test_measures_of_one_direction_have_no_such_columns(run, opposite):
    done = run("meta", "rank", "--scores", opposite, "-m", "map", "-m", "judged_10", "-f", "csv")
    assert [name for name in done.rows[0] if "better" in name] == []


def test_pairs_by_p_are_the_same_in_either_direction(run, opposite):
    done = run("meta", "rank", "--by", "pvalues", "--scores", opposite, "-f", "csv")
    assert [name for name in done.rows[0] if "better" in name] == []
    assert float(done.rows[-1]["tau_b"]) == pytest.approx(1)


@pytest.mark.parametrize(
    "command", ["split --trials 50", "within --trials 20 --topics 4", "between --trials 20", "references --other"]
)
def test_experiments_rank_the_best_first(run, opposite, scores_file, write, command):
    """Wherever the top counts more (tau_ap), the top is the same by judged_10 and by unj_10."""
    name, *options = command.split()
    if options[0] == "--other":
        lines = [line.split(",") for line in opposite.read_text().splitlines()]
        squared = [[*row[:3], str(float(row[3]) ** 2), str(1 - float(row[3]) ** 2)] for row in lines[1:]]
        options.append(str(write("other.csv", [",".join(row) for row in [lines[0], *squared]])))
    measures = ("-m", "judged_10", "-m", "unj_10")
    # by U, the score of 1 - x is 1 minus that of x, so that nothing but the direction differs
    rows = run("meta", name, *options, "--scores", opposite, *measures, "--scheme", "u", "-f", "csv").rows
    judged, unjudged = (correlations(rows, measure=measure) for measure in ("judged_10", "unj_10"))
    assert judged == [pytest.approx(row, nan_ok=True) for row in unjudged]


def test_the_better_collection_is_the_one_with_less_unjudged(run, opposite, write):
    lines = opposite.read_text().splitlines()
    worse = [line.split(",") for line in lines[1:]]
    changed = [
        f"{run},x{topic},{score},{float(judged) / 9},{1 - float(judged) / 9}"
        for run, topic, score, judged, _ in worse
    ]
    done = run(
        *("meta", "collections", opposite, write("worse.csv", [lines[0], *changed])),
        *("-m", "judged_10", "-m", "unj_10", "--scheme", "raw", "-f", "csv"),
    )
    judged, unjudged = done.rows
    for name in ("first_better", "second_better", "tau_b", "tau_ap_b", "r"):
        assert float(unjudged[name]) == pytest.approx(float(judged[name])), name
    assert int(judged["first_better"]) > int(judged["second_better"]) == 0


def test_the_lower_score_wins_by_unj(run, opposite):
    for design in (["--test", "t"], ["--test", "wilcoxon"], ["--test", "sign"], ["--test", "permutation"]):
        for alternative in ("two-sided", "greater", "less"):
            typed = ("compare", "--scores", opposite, *design, "--alternative", alternative, "-f", "csv")
            judged, unjudged = (run(*typed, "-m", measure).rows for measure in ("judged_10", "unj_10"))
            for a, b in zip(judged, unjudged, strict=True):
                assert (a["wins"], a["losses"]) == (b["wins"], b["losses"])
                assert float(a["p"]) == pytest.approx(float(b["p"]))
                assert float(a["difference"]) == pytest.approx(-float(b["difference"]))


def test_difficulties_of_unj_are_one_warning(run, opposite):
    told, judged = run("topics", "--scores", opposite).stderr.splitlines()
    assert told == (
        "stdeval: warning: lower is better by unj_10: "
        "surprise is (mean - min) / sd there, and a topic with a high 1-mean or 1-max is an easy one"
    )
    assert judged.startswith("stdeval: warning: of the first 10 documents, ")


def test_the_same_topics_are_hard_by_unj(run, opposite):
    """The best run is as far from the mean by unj_10 as by judged_10 on every topic."""
    rows = run("topics", "--scores", opposite, "--split", "hard-easy", "-f", "csv").rows
    judged, unjudged = ([row for row in rows if row["measure"] == name] for name in ("judged_10", "unj_10"))
    assert [row["topic"] for row in judged] == [row["topic"] for row in unjudged]
    assert [row["group"] for row in judged] == [row["group"] for row in unjudged]
    for a, b in zip(judged, unjudged, strict=True):
        assert a["surprise"] == b["surprise"] == "" or float(a["surprise"]) == pytest.approx(float(b["surprise"]))


@pytest.mark.parametrize("how", ["hard-easy", "middle-rest"])
def test_the_same_halves_by_difficulty_by_unj(run, opposite, how):
    measures = ("-m", "judged_10", "-m", "unj_10")
    done = run("meta", "split", "--split", how, "--scores", opposite, *measures, "-a", "am", "-f", "csv")
    judged, unjudged = done.rows
    for name in ("tau", "tau_ap_b", "r"):
        assert float(unjudged[name]) == pytest.approx(float(judged[name])), name


def test_with_c_a_topic_without_documents_is_the_worst(run, write):
    """The run without documents for topic 2 would be the best by unj if it scored 0 there."""
    qrels = write("qrels", ["1 0 a 1", "2 0 a 1"])
    whole = write("whole", ["1 Q0 a 1 2 whole", "2 Q0 x 1 2 whole"])
    half = write("half", ["1 Q0 a 1 2 half"])
    done = run("eval", "-c", "-q", "-f", "csv", "-n", qrels, whole, half, "-m", "unj_2", "-m", "judged_2")
    assert [(row["run"], row["topic"], row["unj_2"], row["judged_2"]) for row in done.rows] == [
        ("whole", "1", "0.0", "1.0"),
        ("whole", "2", "0.5", "0.0"),
        ("half", "1", "0.0", "1.0"),
        ("half", "2", "1.0", "0.0"),
    ]


def test_rankings_that_are_one_tie_are_told(run, write):
    rows = [f"{name},{topic},0.{topic + place},1" for place, name in enumerate("abc") for topic in range(1, 6)]
    done = run("meta", "rank", "--scores", write("s.csv", ["run,topic,map,success_10", *rows]))
    few = "are few for an experiment: others may give other results (expected 10 or more)"
    assert done.stderr == (
        "stdeval: warning: 1 of 2 rankings (e.g. success_10 raw am) has only ties: no correlations\n"
        f"stdeval: warning: 3 runs {few}\nstdeval: warning: 5 topics {few}\n"
    )


@pytest.fixture
def latencies(write):
    """Scores by map, by a measure that nobody knows, and by standardized scores that were stored."""
    rows = [
        f"{name},{t},0.{t + at}{t * at % 7},{10 * t + at * (t + 1)},0.{t}{t * at % 7}{at}"
        for at, name in enumerate("abc")
        for t in range(1, 6)
    ]
    return write("latencies.csv", ["run,topic,map,latency,Nmap", *rows])


@pytest.fixture
def random_latencies(write):
    """Scores by map and by a measure that nobody knows, of systems that differ on every topic."""
    rng = np.random.default_rng(0)
    rows = [f"{name},t{t},{rng.random()},{rng.random()}" for name in "abcdefghij" for t in range(12)]
    return write("random.csv", ["run,topic,map,latency", *rows])


UNSIGNED = (
    "stdeval: warning: the scores do not tell how many topics were judged: some may be missing from all runs\n"
)
UNKNOWN = "stdeval: warning: 'latency' is not a known measure: higher is taken as better\n"


@pytest.mark.parametrize(
    "typed",
    [
        "check --baseline a --max-drop latency=2%",
        "check --baseline a --max-topic-drop latency=30 --max-drop latency=2% --min latency=1",
        "check --baseline a --not-worse latency",
        "check --min latency=1",
        "check --baseline a --non-inferior latency=3",
        "compare -m latency",
        "compare -m latency -f markdown",
        "compare -m latency -m map",
        "eval -f markdown -m latency",
        "eval -f latex -m latency",
        "eval --sort latency -m latency",
        "eval --sort latency -m latency -f markdown",
    ],
)
def test_higher_is_taken_as_better_with_one_warning(run, latencies, typed):
    assert run(*typed.split(), "--scores", latencies).stderr == UNKNOWN + UNSIGNED * typed.startswith("check")


@pytest.mark.parametrize(
    "typed",
    [
        "topics",
        "topics --split hard-easy",
        "meta rank",
        "meta split --trials 3",
        "meta split --split hard-easy",
        "meta within --scheme raw --trials 3",
        "meta between --scheme raw --trials 3",
    ],
)
def test_higher_is_taken_as_better_in_rankings_and_difficulties(run, random_latencies, typed):
    assert run(*typed.split(), "--scores", random_latencies).stderr == UNKNOWN


def test_higher_is_taken_as_better_on_collections(run, random_latencies, write):
    other = write("other.csv", re.sub(",t([0-9])", r",u\1", random_latencies.read_text()))
    assert UNKNOWN in run("meta", "collections", "--scheme", "raw", random_latencies, other).stderr


def test_higher_is_taken_as_better_by_other_references(run, random_latencies):
    typed = ("meta", "references", "--scores", random_latencies, "--other", random_latencies)
    assert UNKNOWN in run(*typed).stderr


@pytest.mark.parametrize("typed", ["power", "plan --topics 10", "rank --by pvalues", "references --references 3"])
def test_experiments_without_direction_have_no_such_warning(run, random_latencies, typed):
    done = run("meta", *typed.split(), "--scores", random_latencies)
    assert "higher is taken" not in done.stderr
    assert done.status == 0


def test_best_by_an_unknown_measure_is_a_warning(run, latencies):
    done = run("compare", "-m", "latency", "--best", "2", "--scores", latencies)
    assert done.stderr.count("higher is taken as better") == 1


def test_standardized_scores_by_an_unknown_measure_are_one_warning(run, latencies):
    done = run("standardize", "-m", "latency", "-f", "markdown", "--scheme", "n", "--raw", "--scores", latencies)
    assert done.stderr.count(UNKNOWN) == done.stderr.count("latency") == 1


def test_several_unknown_measures_are_counted(run, write):
    rows = [f"{name},{t},{t + at * t},{t * at}" for at, name in enumerate("ab") for t in range(1, 6)]
    done = run("compare", "--scores", write("s.csv", ["run,topic,latency,joules", *rows]))
    assert done.stderr == (
        "stdeval: warning: 2 measures are not known (e.g. 'latency'): higher is taken as better\n"
    )


@pytest.mark.parametrize(
    "typed",
    [
        "compare -m Nmap",
        "compare -m map",
        "eval --sort Nmap",
        "eval --sort map -m map -m latency",
        "eval -m latency",
        "eval -m latency -f table",
        "check --baseline a --max-drop Nmap=0.1",
    ],
)
def test_the_direction_of_known_measures_and_of_plain_output_is_no_warning(run, latencies, typed):
    done = run(*typed.split(), "--scores", latencies)
    assert (done.status, done.stderr) == (0, UNSIGNED * typed.startswith("check"))


def test_higher_is_taken_as_better_with_a_least_mean_in_python(latencies):
    table = stdeval.read_scores(latencies)
    with pytest.warns(InputWarning, match="'latency' is not a known measure: higher is taken as better"):
        assert stdeval.check(table, stdeval.Condition("min", "latency", 1))


def test_one_run_has_no_best(run, write):
    scores = write("one.csv", ["run,topic,latency", "a,1,5", "a,2,7"])
    assert run("eval", "-f", "markdown", "--sort", "latency", "--scores", scores).stderr == ""


def test_forest_without_baseline_warns_of_the_run_that_is_taken_as_best(run, latencies, tmp_path):
    typed = ("plot", "forest", "--scores", latencies, "-m", "latency", "-o", tmp_path / "forest.svg")
    assert UNKNOWN in run(*typed).stderr
    assert UNKNOWN not in run(*typed, "--baseline", "a").stderr


def test_the_best_of_the_other_runs_on_topics_is_a_warning(run, latencies, tmp_path):
    typed = ("plot", "topics", "--scheme", "raw", "-m", "latency", "--scores", latencies, "-o", tmp_path / "x.svg")
    assert run(*typed, "--run", "a").stderr == UNKNOWN
    assert run(*typed).stderr == ""


def test_a_report_ranks_by_an_unknown_measure_with_a_caveat(run, latencies, tmp_path):
    done = run("report", "--scores", latencies, "-m", "latency", "-o", tmp_path / "r.html")
    assert UNKNOWN in done.stderr
    assert "latency&#39; is not a known measure" in (tmp_path / "r.html").read_text()


def test_fewer_nonrelevant_documents_are_better(run, write):
    """One run finds two relevant documents, the other one that is not relevant as well."""
    qrels = write("qrels", ["1 0 r 1", "1 0 s 1", "1 0 n 0", "1 0 o 0", "2 0 r 1", "2 0 n 0"])
    topics = {"fewer": ("r", "s"), "more": ("n", "o", "r")}
    runs = [
        write(name, [f"{t} Q0 {doc} 1 {9 - i} {name}" for t in "12" for i, doc in enumerate(found)])
        for name, found in topics.items()
    ]
    typed = ("-m", "num_nonrel_judged_ret", "-m", "P_1", qrels, *runs)
    done = run("eval", "-f", "csv", "--sort", "num_nonrel_judged_ret", *typed)
    assert [row["run"] for row in done.rows] == ["fewer", "more"]
    bold = run("compare", "-f", "latex", *typed).stdout
    assert r"fewer & 0.0000 & \textbf{1.0000}" in bold
    assert r"more & 1.5000 & 0.0000" in bold
    (row, _) = run("compare", "-f", "csv", *typed).rows
    assert (row["a"], row["wins"], row["losses"]) == ("fewer", "2", "0")


def test_the_run_with_fewer_errors_is_the_better_one(run, sample):
    """Coefficients may be costs, of documents that are retrieved and not relevant, and the other way round."""
    errors, folder = ["-m", "utility_0,1,1,0"], sample[0].parent
    files = [sample[0], folder / "new-a.run.gz", folder / "new-b.run.gz"]
    means = {row["run"]: float(row["utility_0,1,1,0"]) for row in run("eval", *errors, "-f", "csv", *files).rows}
    best = min(means, key=means.__getitem__)
    assert run("eval", *errors, "--sort", errors[1], "-f", "csv", *files).rows[0]["run"] == best
    checked = run("check", "--baseline", files[1], "--max-drop", f"{errors[1]}=0", files[0], files[2])
    assert checked.stderr.startswith(f"stdeval: {errors[1]} is better if it is lower")
