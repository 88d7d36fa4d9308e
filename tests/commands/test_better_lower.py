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


def test_the_lower_score_wins_by_unj(run, opposite):
    for design in (["--test", "t"], ["--test", "wilcoxon"], ["--test", "sign"], ["--test", "permutation"]):
        for alternative in ("two-sided", "greater", "less"):
            typed = ("compare", "--scores", opposite, *design, "--alternative", alternative, "-f", "csv")
            judged, unjudged = (run(*typed, "-m", measure).rows for measure in ("judged_10", "unj_10"))
            for a, b in zip(judged, unjudged, strict=True):
                assert (a["wins"], a["losses"]) == (b["wins"], b["losses"])
                assert float(a["p"]) == pytest.approx(float(b["p"]))
                assert float(a["difference"]) == pytest.approx(-float(b["difference"]))


@pytest.mark.parametrize("how", ["hard-easy", "middle-rest"])
def test_the_same_halves_by_difficulty_by_unj(run, opposite, how):
    measures = ("-m", "judged_10", "-m", "unj_10")
    done = run("meta", "split", "--split", how, "--scores", opposite, *measures, "-a", "am", "-f", "csv")
    judged, unjudged = done.rows
    for name in ("tau", "tau_ap_b", "r"):
        assert float(unjudged[name]) == pytest.approx(float(judged[name])), name
