"""Rankings that may mislead, in Python; what the commands say is tested with the commands."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from stdeval import (
    Condition,
    InputError,
    InputWarning,
    Options,
    Run,
    ScoreTable,
    check,
    compare,
    evaluate,
    fit_factors,
    read_scores,
    standardize,
    topics,
)

# so many relevant documents that these are not the judgments of a pool
QRELS = {
    str(topic): {
        f"{topic}-d20": 0,
        **{f"{topic}-{place}": 1 for place in ("d1", f"d{topic}", f"d{topic + 10}", "x", "y")},
    }
    for topic in range(1, 10)
}


def run(tag: str, depth: int) -> Run:
    return Run(tag, {topic: {f"{topic}-d{d}": float(99 - d) for d in range(1, depth + 1)} for topic in QRELS})


def told(function: Callable[..., object], *arguments: object) -> list[str]:
    """Return the warnings of a function, but for that of differences that are all 0, as here by some measures."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*arguments)
    assert all(warning.category is InputWarning for warning in found)
    return [text for each in found if "no width" not in (text := str(each.message))]


def drop(measure: str) -> Condition:
    return Condition("max-drop", measure, 0.1)


SHORT = (
    "'a' has 10 documents per topic on average, and 'b' 20: by map the longer run may only seem better (-M 10 cuts "
    "the longer ones)"
)


@pytest.fixture
def table() -> ScoreTable:
    return evaluate(QRELS, [run("a", 10), run("b", 20)], ["map", "P_5"])


@pytest.mark.filterwarnings("ignore:2 reference runs", "ignore:the reference scores are all equal")
def test_runs_of_different_depths_are_told_wherever_they_are_compared(table: ScoreTable):
    assert told(compare, table) == [SHORT]
    assert told(check, table, drop("map"), "b") == [SHORT]
    one, other = (table.select(systems=[system]) for system in "ab")
    assert told(check, one, drop("map"), other) == [SHORT]
    assert SHORT in told(standardize, table)
    with pytest.warns(InputWarning, match="documents per topic"):
        standardized = standardize(table)
    assert told(compare, standardized) == [SHORT]
    assert told(topics, table) == [SHORT]


def test_measures_with_a_cutoff_and_equal_depths_are_fine(table: ScoreTable):
    assert told(compare, table.select(measures=["P_5"])) == []
    assert told(topics, table.select(measures=["P_5"])) == []
    assert told(check, table, drop("P_5"), "b") == []
    assert told(compare, evaluate(QRELS, [run("a", 10), run("b", 20)], "map", Options(depth=10))) == []


def test_runs_that_must_reach_the_same_floor_are_told_of(table: ScoreTable):
    (depths,) = told(check, table, Condition("min", "map", 0.1))
    assert "by map the longer run may only seem better" in depths
    assert told(check, table, Condition("min", "P_5", 0.1)) == []


def test_a_measure_of_unknown_direction_is_told():
    values = np.random.default_rng(0).uniform(0.2, 0.4, (2, 9, 1))
    table = ScoreTable(("a", "b"), tuple("123456789"), ("latency",), values)
    unknown = ["'latency' is not a known measure: higher is taken as better"]
    assert told(compare, table) == told(topics, table) == unknown
    assert told(check, table, drop("latency"), "b") == unknown


def test_rounded_scores_beside_exact_ones_are_told():
    exact = np.random.default_rng(0).uniform(0.2, 0.4, (1, 9, 1))
    both = ScoreTable(("a", "b"), tuple("123456789"), ("map",), np.concatenate([exact, exact.round(2)]))
    rounded = (
        "the map scores of 1 of 2 runs (e.g. 'b') seem to be rounded to 2 decimals, and those of others do not: "
        "equal scores may count as different"
    )
    assert told(compare, both) == [rounded]
    assert told(check, both, drop("map"), "b") == [rounded]
    one, other = (both.select(systems=[system]) for system in "ab")
    assert told(check, one, drop("map"), other) == [UNNAMED, rounded]


UNNAMED = (
    "the scores of the baseline and of the runs do not name their judgments and options: it is not known whether "
    "those of the baseline and of the runs are the same (--signature stores them)"
)


def test_unjudged_documents_that_were_left_out_are_told():
    table = evaluate(QRELS, [run("a", 20), run("b", 20)], "map", Options(judged_only=True))
    told_of = "-J leaves out the unjudged documents: a run with many of them may only seem good"
    assert told(compare, table) == [told_of]
    assert told(check, table, drop("map"), "b") == [told_of]
    assert told(check, table, Condition("min", "map", 0.01)) == [told_of]
    assert told(topics, table) == [told_of]


def test_doubts_of_tests_are_told():
    table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.5], [0.6]], [[0.4], [0.5]]]))
    (equal,) = told(compare, table)
    assert equal.startswith("1 of 1 comparison has the same difference on all topics (fewest: 2)")
    (small,) = told(compare, table, None, "sign")
    assert small.startswith("the smallest possible p_adjusted is 0.5, above alpha 0.05")


@pytest.mark.filterwarnings("ignore:[0-9]+ reference run")
def test_scores_that_other_factors_or_parameters_standardized_are_no_baseline():
    """A standardized table knows how it was made, as a file with a signature does."""
    rng = np.random.default_rng(0)
    tables = [ScoreTable(("a", "b", "c"), tuple("12345"), ("map",), rng.uniform(0.2, 0.4, (3, 5, 1))) for _ in "ab"]
    new, old = (tables[0].select(systems=[system]) for system in "ab")
    not_worse = Condition("not-worse", "Umap")
    made = [fit_factors(table) for table in tables]
    with pytest.warns(InputWarning, match="do not name their judgments"):
        check(standardize(new, made[0], "u"), not_worse, standardize(old, made[0], "u"))
    for other in (standardize(old, made[1], "u"), standardize(old, made[0], "u", A=0.3)):
        with pytest.raises(InputError, match="standardized with other factors or parameters"):
            check(standardize(new, made[0], "u"), not_worse, other)
    with pytest.raises(InputError, match=r"^Umap is standardized already, expected raw scores$"):
        standardize(standardize(new, made[0], "u"), made[0])


def test_data_frames_of_scores_with_num_ret_know_their_depths():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    scores = np.random.default_rng(0).uniform(0, 1, 18).tolist()
    places = [(run, str(t), n) for run, n in (("a", 10), ("b", 20)) for t in range(1, 10)]
    rows = [(*place, score) for place, score in zip(places, scores, strict=True)]
    frame = pd.DataFrame(rows, columns=["run", "topic", "num_ret", "map"])
    assert told(compare, read_scores(frame).select(measures=["map"])) == [SHORT]
    assert read_scores(frame.drop(columns="num_ret")).retrieved == {}


def test_cutoffs_beyond_the_end_of_all_runs_are_told():
    one = evaluate(QRELS, [run("a", 10)], ["recall_20", "P_5"])
    named = "documents per topic on average: recall_20 looks at fewer documents than its name says"
    assert told(check, one, Condition("min", "recall_20", 0.01)) == [f"the run has 10 {named}"]
    two = evaluate(QRELS, [run("a", 10), run("b", 10)], ["recall_20", "P_5"])
    assert told(compare, two) == [f"no run has more than 10 {named}"]
    assert f"no run has more than 10 {named}" in told(standardize, two)
    conditions = [Condition("min", "recall_20", 0.01), drop("recall_20")]
    assert told(check, two, conditions, "b") == [f"no run has more than 10 {named}"]
    assert told(compare, two.select(measures=["P_5"])) == []


def test_scores_that_are_missing_are_told_where_they_are_read(tmp_path: Path):
    path = tmp_path / "scores.csv"
    path.write_text("run,topic,map,P_5\na,1,0.5,0.2\na,2,0.25,0.4\nb,1,0.5,0.2\n")
    missing = "1 of 4 pairs of run and topic has no score (e.g. 'b' on topic '2' by map): left out"
    assert told(read_scores, path) == [missing]
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    assert told(read_scores, pd.read_csv(path)) == [missing]


def test_unpaired_tests_of_systems_on_the_same_topics_are_told():
    rng = np.random.default_rng(0)
    table = ScoreTable(("a", "b"), tuple("12345678"), ("map",), rng.uniform(0, 1, (2, 8, 1)))
    common = (
        "1 of 1 pair has topics in common (at most 8 of 8 topics), which an unpaired test treats as different: a "
        "paired test of the same topics finds smaller differences"
    )
    assert told(lambda: compare(table, unpaired=True)) == [common]
    assert told(compare, table) == []
    values = table.values.copy()
    values[0, :4], values[1, 4:] = np.nan, np.nan
    (raw,) = told(lambda: compare(ScoreTable(table.systems, table.topics, ("map",), values), unpaired=True))
    assert raw.startswith("1 of 1 pair has no topic in common, and the scores by map are raw: ")
    assert told(lambda: compare(ScoreTable(table.systems, table.topics, ("Nmap",), values), unpaired=True)) == []
    # One topic in common does not make the others comparable.
    values[0, 3] = 0.5
    shared, raw = told(lambda: compare(ScoreTable(table.systems, table.topics, ("map",), values), unpaired=True))
    assert shared.startswith("1 of 1 pair has topics in common (at most 1 of 8 topics), which")
    assert raw.startswith("1 of 1 pair has less than half of its topics in common, and the scores by map are raw: ")


@pytest.mark.parametrize(("scheme", "letter"), [("n", "N"), ("u", "U")])
def test_scores_at_the_ends_of_the_scale_are_told(scheme: str, letter: str):
    """References that are all much worse than the systems cannot tell these apart."""
    rng = np.random.default_rng(0)
    topics = tuple("12345678")
    weak = ScoreTable(tuple("abcdefghijkl"), topics, ("map",), rng.uniform(0, 0.1, (12, 8, 1)))
    good = ScoreTable(("x", "y"), topics, ("map",), rng.uniform(0.4, 1, (2, 8, 1)))
    (found,) = told(standardize, good, fit_factors(weak), scheme)
    assert found.startswith(f"100% of the scores by {letter}map are ")
    assert "where large differences are lost: the references are unlike the systems" in found
    assert told(standardize, weak, fit_factors(weak), scheme) == []
    (found,) = told(lambda: standardize(good, fit_factors(weak), "u", censor=False))
    assert found.startswith("100% of the scores by Umap are at most 0 or at least 1: the references are unlike")


def test_outcomes_are_true_if_their_conditions_hold():
    table = ScoreTable(("a", "b"), ("1", "2"), ("map",), [[[0.5], [0.25]], [[0.1], [0.2]]])
    both = check(table, Condition("min", "map", 0.2))
    assert [bool(outcome) for outcome in both] == [True, False]
    assert not both
    assert not all(both)
    assert check(table.select(systems=["a"]), Condition("min", "map", 0.2))


def test_not_worse_has_no_limit():
    with pytest.raises(InputError, match=r"^limit 0.1 of not-worse, expected alpha, its significance level$"):
        Condition("not-worse", "map", 0.1)


def test_few_and_equal_references_and_topics_without_factors_are_told():
    rng = np.random.default_rng(0)
    table = ScoreTable(("a", "b"), ("1", "2", "3"), ("map",), rng.uniform(0.2, 0.4, (2, 3, 1)))
    reference = ScoreTable(("c", "d"), ("1", "2"), ("map",), [[[0.1], [0.5]], [[0.1], [0.1]]])
    assert told(lambda: standardize(table, fit_factors(reference), "z")) == [
        "2 reference runs: rankings by standardized scores are reliable from about 10 on (Webber 2008, Figure 4)",
        "the reference scores are all equal for 1 of 3 topics (e.g. '1') by map: left out of the mean by Z",
        "1 of 3 topics has no factors (e.g. '3'): left out of the mean",
    ]
    many = ScoreTable(tuple("cdefghijklmn"), table.topics, ("map",), rng.uniform(0.2, 0.4, (12, 3, 1)))
    assert told(standardize, table, fit_factors(many)) == []


def test_references_of_another_depth_are_told():
    references = evaluate(QRELS, [run(f"r{n}", 20 + n) for n in range(12)], ["map", "num_ret"])
    one = evaluate(QRELS, [run("a", 10)], ["map"])
    found = told(standardize, one, fit_factors(references))
    assert any(
        each.startswith("'a' has 10 documents per topic on average, and 'references (mean)' 26") for each in found
    )


def test_references_with_fewer_judged_documents_are_told():
    """A run of another round among the references lowers their mean."""
    qrels = {topic: {f"{topic}-d{d}": d % 2 for d in range(1, 11)} for topic in QRELS}

    def from_place(tag: str, place: int) -> Run:
        return Run(tag, {t: {f"{t}-d{1 + (d + place) % 10}": 20.0 - d for d in range(10)} for t in qrels})

    other = Run("other", {t: {f"{t}-d{d}": 20.0 - d for d in (1, *range(11, 20))} for t in qrels})
    references = [from_place(f"r{n}", n) for n in range(11)]
    one = evaluate(qrels, from_place("a", 3), "map")
    assert told(standardize, one, fit_factors(evaluate(qrels, references, "map"))) == []
    (found,) = told(standardize, one, fit_factors(evaluate(qrels, [*references, other], "map")))
    assert found.startswith("of the first 10 documents, 10.0% of 'other' are judged, and 100.0% of ")


@pytest.mark.filterwarnings("ignore:2 reference runs", "ignore:the reference scores are all equal")
def test_topics_that_count_as_0_are_told_where_systems_are_compared():
    whole, part = run("a", 10), run("b", 10)
    for topic in ("3", "7"):
        del part.documents[topic]
    table = evaluate(QRELS, [whole, part], "map", Options(complete=True))
    zeros = (
        "1 of 2 runs has topics without documents (most: 'b' has no documents for 2 of 9 judged topics); they count"
    )
    for function in (compare, topics, standardize):
        assert sum(each.startswith(zeros) for each in told(function, table)) == 1


def test_checks_tell_of_topics_that_count_as_0_of_the_runs():
    whole, part = run("a", 10), run("b", 10)
    for topic in ("3", "7"):
        del part.documents[topic]
    table = evaluate(QRELS, [whole, part], "map", Options(complete=True))
    zeros = "'b' has no documents for 2 of 9 judged topics"
    for conditions, baseline in (
        ([Condition("min", "map", 0.01)], None),
        ([Condition("max-drop", "map", 0.2)], "a"),
    ):
        assert sum(zeros in each for each in told(check, table, conditions, baseline)) == 1
