"""Intervals over resampled references: against refits in a loop, enumeration, and the noncentral t distribution."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.stats

from stdeval.standardization.factors import Factors, fit_factors
from stdeval.standardization.intervals import reference_intervals
from stdeval.standardization.schemes import SCHEMES, standardize
from stdeval.stats.aggregates import times_drawn
from stdeval.table import Floats, ScoreTable

pytestmark = pytest.mark.oracle


def table_of(values: Floats, prefix: str = "s") -> ScoreTable:
    systems, topics, measures = (
        tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip([prefix, "t", "m"], values.shape, strict=True)
    )
    return ScoreTable(systems, topics, measures, values)


def refitted_means(
    table: ScoreTable, reference: ScoreTable, scheme: str, topics: bool, n: int, seed: int
) -> Floats:
    """Means by factors fitted again to each resample, drawn as the library draws its first block."""
    means = np.empty((n, len(table.systems), len(table.measures)))
    rng = np.random.default_rng(seed)
    times = times_drawn(len(table.topics), n, rng) if topics else np.ones((n, len(table.topics)))
    for i, counts in enumerate(times_drawn(len(reference.systems), n, rng).astype(int)):
        resample = table_of(np.repeat(reference.values, counts, axis=0), "r")
        scores = standardize(table, fit_factors(resample), scheme).values
        weights = np.where(np.isnan(scores), 0.0, times[i][None, :, None])
        with np.errstate(invalid="ignore"):
            means[i] = (np.nan_to_num(scores) * weights).sum(axis=1) / weights.sum(axis=1)
    return means


def expanded(level: float, n: int) -> list[float]:
    """Probabilities of Hesterberg's expanded interval."""
    bound = np.sqrt(n / (n - 1)) * scipy.stats.t.ppf((1 + level) / 2, n - 1)
    return [scipy.stats.norm.cdf(-bound), scipy.stats.norm.cdf(bound)]


def turned(quantiles: Floats, table: ScoreTable, factors: Factors, scheme: str) -> Floats:
    """The basic interval: quantiles mirrored at the mean."""
    mean = np.nanmean(standardize(table, factors, scheme).values, axis=1)
    return (2 * mean - quantiles)[::-1]


def awkward(rng: np.random.Generator) -> Floats:
    """Scores of 9 systems on 6 topics by 2 measures: with ties, a constant topic, missing scores, and near ties."""
    values = np.round(rng.random((9, 6, 2)), 1)
    values[:, 0, 0] = 0.3
    values[:8, 1, 0] = 0.0
    values[3:, 2, 1] = np.nan
    values[rng.random(values.shape) < 0.1] = np.nan
    values[:, 3, 0] = np.where(np.arange(9) < 7, 0.2 + 1e-9 * np.arange(9), 1.0)
    values[:, 4, 1] = 0.1 + 0.2 + 5e-17 * np.arange(9)
    return values


@pytest.mark.parametrize("topics", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_same_as_refitting_in_a_loop(scheme: str, topics: bool):
    rng = np.random.default_rng(3)
    scores = np.round(rng.random((4, 6, 2)), 1)
    scores[1, 2, 0] = np.nan
    table, reference = table_of(scores), table_of(awkward(rng), "r")
    means = refitted_means(table, reference, scheme, topics, 400, 7)
    factors = fit_factors(reference)
    found = reference_intervals(table, factors, scheme, topics=topics, level=0.9, n_resamples=400, seed=7)
    # The topics are fewer than the 9 references.
    sizes = np.isfinite(standardize(table, factors, scheme).values).sum(axis=1) if topics else np.full((4, 2), 9)
    quantiles = [[np.nanquantile(means[:, s, k], expanded(0.9, sizes[s, k])) for k in range(2)] for s in range(4)]
    low, high = turned(np.moveaxis(quantiles, 2, 0), table, factors, scheme)
    np.testing.assert_allclose(found[0], low, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found[1], high, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("scheme", ["N", "E"])
def test_quantiles_are_those_of_all_resamples(scheme: str):
    """With four references, all 256 resamples can be enumerated; the quantiles of the means converge to theirs."""
    rng = np.random.default_rng(8)
    table, reference = table_of(rng.random((1, 5, 1))), rng.random((4, 5, 1))
    factors = fit_factors(table_of(reference, "r"))
    every = [
        np.nanmean(standardize(table, fit_factors(table_of(reference[list(drawn)], "r")), scheme).values)
        for drawn in product(range(4), repeat=4)
    ]
    found = reference_intervals(table, factors, scheme, level=0.5, n_resamples=20_000)
    low, high = expanded(0.5, 4)
    # An end lies between the exact quantiles at probabilities four standard errors (0.0115) away.
    for end, tail in ((found[0], high), (found[1], low)):
        quantiles = np.quantile(every, [tail - 0.0115, tail + 0.0115], method="inverted_cdf")
        within = turned(quantiles[:, None, None], table, factors, scheme)
        assert within[0] <= end <= within[1]


@pytest.mark.parametrize(("score", "n"), [(0.9, 5), (0.5, 5), (0.31, 12)])
def test_without_reference_scores_one_topic_has_the_interval_of_the_noncentral_t(score: float, n: int):
    """The exact interval of (x - mu) / sigma inverts the noncentral t distribution (Johnson & Welch 1940)."""
    factors = Factors(("t0",), ("m0",), np.array([[0.5]]), np.array([[0.2]]), np.array([[n]]))
    found = reference_intervals(table_of(np.full((1, 1, 1), score)), factors, "Z", level=0.8, n_resamples=200_000)
    observed = np.sqrt(n) * (score - 0.5) / 0.2
    above = scipy.stats.nct.cdf(observed, n - 1, np.sqrt(n) * np.array([found[0][0, 0], found[1][0, 0]]))
    assert above == pytest.approx([0.9, 0.1], abs=0.005)


def test_all_references_equal_are_a_limit_without_reference_scores_too():
    factors = Factors(("t0",), ("m0",), np.array([[0.5]]), np.array([[0.0]]), np.array([[9]]))
    table = table_of(np.array([0.4, 0.5, 0.6])[:, None, None])
    found = reference_intervals(table, factors, "N", n_resamples=50)
    assert found[0].ravel().tolist() == found[1].ravel().tolist() == [0.0, 0.5, 1.0]
    assert np.isnan(reference_intervals(table, factors, "Z", n_resamples=50)[0]).all()


@pytest.mark.parametrize("scheme", ["Z", "E", "raw"])
def test_one_topic_has_no_interval_of_other_topics(scheme: str):
    """Resamples of one topic all are that topic, so an interval of other topics would be too narrow."""
    values = np.random.default_rng(3).random((8, 2, 1))
    values[0, 1] = np.nan
    table = table_of(values)
    both = reference_intervals(table, scheme=scheme, topics=True, n_resamples=50)
    assert np.isnan([both[0][0], both[1][0]]).all()
    assert (both[0][1:] < both[1][1:]).all()
    if scheme != "raw":
        references = reference_intervals(table, scheme=scheme, n_resamples=50)
        assert (references[0] < references[1]).all()


def test_raw_scores_have_the_interval_of_resampled_topics():
    values = np.random.default_rng(2).random((2, 30, 1))
    found = reference_intervals(table_of(values), scheme="raw", topics=True, n_resamples=4000)
    tail, _ = expanded(0.95, 30)
    expected = scipy.stats.bootstrap(
        (values[0, :, 0],),
        np.mean,
        n_resamples=4000,
        confidence_level=1 - 2 * tail,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert (found[0][0, 0], found[1][0, 0]) == pytest.approx((expected.low, expected.high), abs=0.01)


def test_a_system_has_the_same_interval_whatever_stands_beside_it():
    values = np.random.default_rng(4).random((130, 3, 2))
    table = table_of(values)
    factors = fit_factors(table.select(systems=table.systems[:9]))
    whole = reference_intervals(table, factors, topics=True, n_resamples=1200)
    part = reference_intervals(
        table.select(systems=["s1"], measures=["m1"]), factors, topics=True, n_resamples=1200
    )
    np.testing.assert_allclose(part[0][0, 0], whole[0][1, 1], rtol=1e-12)
