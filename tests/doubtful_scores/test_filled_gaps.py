"""Scores that a program put in for missing ones are found, and none of real runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from stdeval import Options, ScoreTable, evaluate, read_qrels, read_run
from stdeval.arrays import Floats
from stdeval.doubtful_scores.spoiled_scores import about_spoiled_scores
from stdeval.standardization.doubtful_factors import about_spoiled_factors
from stdeval.standardization.factors import fit_factors

NAMES = ("bm25-missing-topics", "dense-minilm", "combsum-four", "bm25-lucene-k0.9-b40")
MEASURES = ("map", "ndcg_cut_10", "P_10")


@pytest.fixture(scope="module")
def table(shared: Path) -> ScoreTable:
    """The first run lacks 37 of 225 topics, one to three in a row."""
    runs = {name: read_run(shared / f"cranfield/runs/{name}.run.gz") for name in NAMES}
    with pytest.warns(Warning):
        return evaluate(read_qrels(shared / "cranfield/qrels.txt"), runs, MEASURES)


def forward(scores: Floats) -> Iterable[float]:
    """The score of the topic before."""
    last = np.maximum.accumulate(np.where(np.isnan(scores), 0, np.arange(len(scores))))
    return np.asarray(scores[last])


def interpolated(scores: Floats) -> Iterable[float]:
    places, missing = np.arange(len(scores)), np.isnan(scores)
    return np.interp(places, places[~missing], scores[~missing])


@pytest.mark.parametrize(
    ("fill", "told"),
    [
        (np.nan_to_num, "is 0 for 35 topics on which all other runs are above 0"),
        (
            lambda scores: np.where(np.isnan(scores), np.nanmean(scores), scores),
            "is one and the same number for 37",
        ),
        (
            lambda scores: np.where(np.isnan(scores), np.nanmedian(scores), scores),
            "is one and the same number for 3",
        ),
        (forward, "is that of the topic before for "),
        (lambda scores: forward(scores[::-1])[::-1], "is that of the topic before for "),
        (interpolated, "is the mean of the topics before and after for 3"),
    ],
    ids=["zeros", "mean", "median", "forward", "backward", "interpolated"],
)
def test_missing_scores_that_were_filled_in_are_told(
    table: ScoreTable, fill: Callable[[Floats], Floats], told: str
):
    values = table.values.copy()
    assert np.isnan(values[0, :, 0]).sum() == 37
    for k in range(len(MEASURES)):
        values[0, :, k] = fill(values[0, :, k])
    filled = ScoreTable(table.systems, table.topics, table.measures, values)
    found = list(about_spoiled_scores(filled))
    assert any(text.startswith(f"map of 'bm25-missing-topics' {told}") for text in found)
    assert all(text.endswith(": were missing scores filled in?") for text in found)
    assert list(about_spoiled_scores(table)) == []
    alone = list(about_spoiled_scores(filled.select(systems=[NAMES[0]])))
    assert bool(alone) == (fill(np.array([0.5, np.nan, 0.5]))[1] != 0)


@pytest.mark.parametrize("decimals", [4, 5])
@pytest.mark.parametrize(
    "fill", [forward, interpolated, lambda scores: np.where(np.isnan(scores), np.nanmean(scores), scores)]
)
def test_gaps_that_were_filled_in_before_all_scores_were_rounded_are_told(table: ScoreTable, fill, decimals: int):
    values = table.values.copy()
    values[0, :, 0] = fill(values[0, :, 0])
    rounded = ScoreTable(table.systems, table.topics, table.measures, values.round(decimals)).select(
        measures=["map"]
    )
    for some in (rounded, rounded.select(systems=[NAMES[0]])):
        assert [text.rpartition(": ")[2] for text in about_spoiled_scores(some)] == [
            "were missing scores filled in?"
        ]


@pytest.mark.parametrize("number", [0.5, 0.6, 0.37, 1 / 3, 0.3824])
@pytest.mark.parametrize("decimals", [17, 4])
def test_a_fraction_that_was_filled_in_is_told_if_few_other_scores_are_fractions(shared, number, decimals: int):
    """0.3824 is 13/34 with four decimals."""
    qrels = read_qrels(shared / "trec-covid-r5/qrels.txt")
    names = ("HKPU-MATF-dPRF", "UIowaS_Run1")
    runs = {name: read_run(shared / f"trec-covid-r5/runs/{name}.run.gz") for name in names}
    whole = evaluate(qrels, runs, ["map", "recip_rank"])
    values = whole.values.round(decimals)
    values[0, ::6] = round(number, decimals)
    for systems in (names, names[:1]):
        table = ScoreTable(whole.systems, whole.topics, whole.measures, values).select(systems=systems)
        told = "map of 'HKPU-MATF-dPRF' is one and the same number for 9 topics: were missing scores filled in?"
        assert list(about_spoiled_scores(table)) == [told]


@pytest.mark.filterwarnings("ignore::stdeval.InputWarning")
@pytest.mark.parametrize("collection", ["cranfield", "cisi", "trec-covid-r4", "trec-covid-r5"])
@pytest.mark.parametrize(("depth", "decimals"), [(None, 17), (None, 4), (10, 17)])
def test_no_scores_of_real_runs_are_told(shared: Path, collection: str, depth: int | None, decimals: int):
    qrels = read_qrels(shared / collection / "qrels.txt")
    paths = sorted((shared / collection / "runs").iterdir())[::5]
    measures = ["map", "ndcg", "ndcg_cut.10", "recip_rank", "err", "rbp", "infAP", "P.10"]
    runs = {path.name: read_run(path) for path in paths}
    whole = evaluate(qrels, runs, measures, Options() if depth is None else Options(depth=depth))
    table = ScoreTable(whole.systems, whole.topics, whole.measures, whole.values.round(decimals))
    for some in (table, *(table.select(systems=[system]) for system in table.systems)):
        assert not [*about_spoiled_scores(some)]


@pytest.mark.parametrize(("n", "is_told"), [(20, True), (7, True), (6, False)])
def test_topics_of_one_run_that_were_pasted_twice_are_told(shared: Path, n: int, is_told: bool):
    qrels = read_qrels(shared / "trec-covid-r5/qrels.txt")
    names = ("HKPU-MATF-dPRF", "UIowaS_Run1", "BRPHJ_BM25")
    runs = {name: read_run(shared / f"trec-covid-r5/runs/{name}.run.gz") for name in names}
    whole = evaluate(qrels, runs, MEASURES)
    values = whole.values.copy()
    values[0, -n:] = values[0, :n]
    for systems in (names, names[:1]):
        table = ScoreTable(whole.systems, whole.topics, whole.measures, values).select(systems=systems)
        told = f"map of 'HKPU-MATF-dPRF' is that of another topic for {n} topics: were topics pasted twice?"
        assert (told in list(about_spoiled_scores(table))) == is_told


@pytest.mark.parametrize("fill", [forward, interpolated])
@pytest.mark.parametrize("n_filled", [1, 2, 4])
def test_scores_that_were_filled_in_for_several_runs_are_told(
    table: ScoreTable, fill: Callable[[Floats], Floats], n_filled: int
):
    """As a data frame does with a column per run."""
    values = table.values.copy()
    values[:n_filled, ::6] = np.nan
    for run in range(n_filled):
        values[run, :, 0] = fill(values[run, :, 0])
    told = list(about_spoiled_scores(ScoreTable(table.systems, table.topics, table.measures, values)))
    assert any(text.startswith("map of ") and text.endswith("were missing scores filled in?") for text in told)


@pytest.mark.parametrize(
    ("fill", "told"),
    [
        (forward, "is that of the topic before for "),
        (interpolated, "is the mean of the topics before and after for "),
        (
            lambda numbers: np.where(np.isnan(numbers), np.nanmean(numbers), numbers),
            "is one and the same number for ",
        ),
    ],
)
@pytest.mark.parametrize("part", ["mean", "sd"])
def test_factors_that_were_filled_in_are_told(
    table: ScoreTable, fill: Callable[[Floats], Floats], told: str, part: str
):
    factors = fit_factors(table.select(systems=NAMES[1:], measures=["map"]))
    numbers = getattr(factors, part).copy()
    numbers[3::6] = np.nan
    filled = replace(factors, reference=None, **{part: fill(numbers[:, 0])[:, np.newaxis]})
    (message,) = about_spoiled_factors(filled)
    assert message.startswith(f"map.{part} {told}")
    assert message.endswith(": were missing scores filled in?")


@pytest.mark.parametrize(("scheme", "average"), [("N", 0.5), ("Z", 0.0)])
def test_averages_for_missing_standardized_scores_are_told(scheme: str, average: float):
    values = np.random.default_rng(6).normal(0, 1, (2, 50, 1))
    values = values if scheme == "Z" else stats.norm.cdf(values)
    values[0, ::5] = average
    table = ScoreTable(("a", "b"), tuple(map(str, range(1, 51))), (f"{scheme}map",), values)
    told = f"{scheme}map of 'a' is one and the same number for 10 topics: were missing scores filled in?"
    assert list(about_spoiled_scores(table)) == [told]
    values[1, ::5] = average
    assert list(about_spoiled_scores(ScoreTable(table.systems, table.topics, table.measures, values))) == []
