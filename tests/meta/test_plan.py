"""Plans: their standard deviations against statsmodels and plain loops, and their promises by simulation."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.power import TTestPower

from stdeval.meta.planning import (
    PlannedTest,
    error_spreads,
    paired_spreads,
    plan_for_difference,
    plan_for_topics,
    plan_for_width,
    share_of_pairs,
)

pytestmark = pytest.mark.oracle

T_TEST = PlannedTest()


def test_spreads_are_those_of_a_plain_loop_and_of_statsmodels():
    rng = np.random.default_rng(1)
    scores = rng.random((7, 1)) / 3 + rng.random(11) / 2 + rng.random((7, 11)) / 4
    deviations = [np.std(a - b, ddof=1) for a, b in combinations(scores, 2)]
    expected = [np.median(deviations), np.quantile(deviations, 0.95), math.sqrt(np.mean(np.square(deviations)))]
    assert list(paired_spreads(scores).values()) == pytest.approx(expected)
    system, topic = np.indices(scores.shape)
    rows = pandas.DataFrame({"score": scores.ravel(), "system": system.ravel(), "topic": topic.ravel()})
    found = error_spreads(scores)
    assert found["within"] ** 2 == pytest.approx(ols("score ~ C(system)", rows).fit().mse_resid)
    assert found["residual"] ** 2 == pytest.approx(ols("score ~ C(system) + C(topic)", rows).fit().mse_resid)


def test_systems_that_differ_by_a_constant_have_no_deviation():
    base = np.array([0.1, 0.3, 0.35, 0.6])
    assert list(paired_spreads(np.stack([base, base + 0.1, base + 0.2])).values()) == [0, 0, 0]


@pytest.mark.parametrize("sd", [0.01, 0.12, 3.0])
def test_plans_are_those_of_statsmodels(sd):
    plan = plan_for_topics(T_TEST, sd, 50)
    effect = TTestPower().solve_power(nobs=50, alpha=0.05, power=0.8)
    assert plan.difference == pytest.approx(sd * effect, rel=1e-5)
    plan = plan_for_difference(T_TEST, sd, 0.2 * sd)
    assert plan.n == math.ceil(TTestPower().solve_power(effect_size=0.2, alpha=0.05, power=0.8)) == 199
    assert plan.power == pytest.approx(TTestPower().power(0.2, 199, 0.05), abs=1e-6)


def test_plans_agree_with_each_other():
    for test in (T_TEST, PlannedTest(0.01, 0.9, 5), PlannedTest(0.01, 0.9, 5, same_topics=True)):
        by_topics = plan_for_topics(test, 0.12, 40)
        by_difference = plan_for_difference(test, 0.12, by_topics.difference)
        assert by_difference == pytest.approx(by_topics, nan_ok=True)
    by_topics = plan_for_topics(T_TEST, 0.12, 40)
    assert plan_for_width(T_TEST, 0.12, by_topics.width) == pytest.approx(by_topics)


def test_what_cannot_be_reached():
    assert plan_for_difference(T_TEST, 0.12, 1e-9).n == plan_for_width(T_TEST, 0.12, 1e-9).n == math.inf
    for plan_for, value in ((plan_for_topics, 50), (plan_for_difference, 0.1), (plan_for_width, 0.1)):
        assert all(map(math.isnan, plan_for(T_TEST, 0.0, value)))


def test_pairs_that_differ_by_exactly_the_difference_count():
    # 0.3 - 0.2 is 0.09999999999999998 in floats, 0.2 - 0.1 is 0.1
    scores = np.array([[0.1, 0.1], [0.2, 0.2], [0.3, 0.3], [0.7, 0.9]])
    assert share_of_pairs(scores, 0.1) == 1
    assert share_of_pairs(scores, 0.2) == pytest.approx(4 / 6)
    assert math.isnan(share_of_pairs(scores, math.nan))
