"""Reliability against the published numbers of gt4ireval, statsmodels, exact fractions, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pandas
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from stdeval.meta.planning import (
    Estimate,
    absolute_signal,
    coefficient,
    relative_signal,
    topics_needed,
    variance_components,
)

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def adhoc3(shared):
    """The variance components of TREC-3 without the worst quarter of its systems, as the published numbers are."""
    scores = np.loadtxt(
        shared / "gt4ireval" / "adhoc3.csv", delimiter=",", skiprows=1, usecols=range(1, 41), encoding="utf-8"
    ).T
    means = scores.mean(axis=1)
    kept = scores[means >= np.quantile(means, 0.25, method="linear")]  # R's type 7
    assert kept.shape == (30, 50)
    return variance_components(kept)


def shown(values) -> list[str]:
    """Values as R prints them: five digits."""
    return [f"{value:.5g}" for value in values]


def test_published_components(adhoc3):
    assert shown(adhoc3.variances) == ["0.0028117", "0.028093", "0.010152"]
    assert shown(100 * adhoc3.shares) == ["6.8482", "68.425", "24.727"]
    assert shown(adhoc3.mean_squares) == ["0.15074", "0.85296", "0.010152"]
    assert adhoc3.negative == ()


@pytest.mark.parametrize(
    ("n_topics", "erho2", "phi"),
    [
        (50, ["0.93265", "0.89311", "0.96287"], ["0.78613", "0.66141", "0.88039"]),
        (100, ["0.96515", "0.94354", "0.98109"], ["0.88026", "0.79621", "0.93639"]),
        (150, ["0.97649", "0.96164", "0.98731"], ["0.91686", "0.85423", "0.95668"]),
    ],
)
def test_published_coefficients(adhoc3, n_topics, erho2, phi):
    assert shown(coefficient(relative_signal(adhoc3, 0.95), n_topics)) == erho2
    assert shown(coefficient(absolute_signal(adhoc3, 0.95), n_topics)) == phi


def test_published_numbers_of_topics(adhoc3):
    assert topics_needed(relative_signal(adhoc3, 0.95), 0.95) == (69, 37, 114)
    assert topics_needed(absolute_signal(adhoc3, 0.95), 0.95) == (259, 130, 487)
    assert topics_needed(absolute_signal(adhoc3, 0.9), 0.95)[1:] == (145, 439)
    assert topics_needed(relative_signal(adhoc3, 0.95), 0.97).value == 117
    assert topics_needed(absolute_signal(adhoc3, 0.95), 0.9).value == 123


@pytest.mark.parametrize("seed", range(3))
def test_mean_squares_are_those_of_statsmodels(seed):
    rng = np.random.default_rng(seed)
    scores = rng.random((5, 1)) + rng.random(7) + rng.random((5, 7))
    system, topic = np.indices(scores.shape)
    rows = pandas.DataFrame({"score": scores.ravel(), "system": system.ravel(), "topic": topic.ravel()})
    table = anova_lm(ols("score ~ C(system) + C(topic)", rows).fit())
    found = variance_components(scores)
    np.testing.assert_allclose(found.mean_squares, table["mean_sq"], rtol=1e-10)
    assert list(found.df) == table["df"].tolist()


def test_negative_components_become_0_and_are_named():
    flat = np.array([[0.1, 0.9, 0.1, 0.9], [0.9, 0.1, 0.9, 0.1], [0.1, 0.9, 0.9, 0.1]])
    found = variance_components(flat)
    assert found.negative == ("systems", "topics")
    assert found.variances[:2].tolist() == [0, 0]
    assert coefficient(relative_signal(found, 0.95), 50).value == 0
    assert topics_needed(relative_signal(found, 0.95), 0.9).value == math.inf
    assert coefficient(absolute_signal(found, 0.95), 50).low == 0


def test_noise_makes_no_component():
    """Systems that differ by a constant: on paper no interaction at all, in floats one of about 1e-33."""
    scores = np.array([0.1, 0.2, 0.3])[:, np.newaxis] + np.array([0.1, 0.3, 0.35, 0.6])
    found = variance_components(scores)
    assert found.mean_squares[2] == 0
    assert found.negative == ()
    assert coefficient(relative_signal(found, 0.95), 4) == (1, 1, 1)
    assert topics_needed(relative_signal(found, 0.95), 0.95) == (1, 1, 1)
    equal = variance_components(np.tile([0.1, 0.2, 0.7, 0.9], (4, 1)) + 0.3)
    assert equal.mean_squares[[0, 2]].tolist() == [0, 0]
    assert math.isnan(coefficient(relative_signal(equal, 0.95), 4).value)
    assert coefficient(absolute_signal(equal, 0.95), 4).value == 0


def test_a_whole_number_of_topics_is_not_raised_by_noise():
    # 0.9 / (1 - 0.9) is 9.000000000000002 in floats
    assert topics_needed(Estimate(1.0, 0.5, 9.0), 0.9) == (9, 1, 18)
