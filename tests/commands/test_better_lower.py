"""The direction of measures: every ranking begins with the best system, also by those of which lower is better."""

from __future__ import annotations

import numpy as np
import pytest

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


def test_higher_is_taken_as_better_by_an_unknown_measure(run, write):
    rows = [f"{name},{t},{10 * t + at * (t + 1)}" for at, name in enumerate("abc") for t in range(1, 6)]
    scores = write("latencies.csv", ["run,topic,latency", *rows])
    ordered = run("eval", "--sort", "latency", "-f", "csv", "--scores", scores).rows
    assert [row["run"] for row in ordered] == [*"cba"]
    assert run("check", "--baseline", "b", "--max-drop", "latency=1", "--scores", scores).status == 1


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
