"""Topic statistics against plain Python's statistics module and scipy, the groups against the paper's sizes."""

from __future__ import annotations

import statistics
from collections import Counter

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.errors import InputError
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.difficulty import (
    STATISTICS,
    item_total,
    pooled_statistics,
    share_low,
    split_by_difficulty,
    topic_groups,
    topic_statistics,
)

pytestmark = pytest.mark.oracle


def plain(scores: list[float]) -> dict[str, float]:
    mean, sd = statistics.fmean(scores), statistics.stdev(scores)
    return {
        "n": len(scores),
        "mean": mean,
        "sd": sd,
        "min": min(scores),
        "p25": statistics.quantiles(scores, method="inclusive")[0],
        "median": statistics.median(scores),
        "p75": statistics.quantiles(scores, method="inclusive")[2],
        "max": max(scores),
        "1-mean": 1 - mean,
        "1-max": 1 - max(scores),
        "surprise": (max(scores) - mean) / sd,
        "zero": scores.count(0.0) / len(scores),
        "low": len([score for score in scores if score <= 0.1]) / len(scores),
    }


def test_each_topic_as_a_plain_loop_has_it(robust: np.ndarray) -> None:
    holed = robust.copy()
    holed[np.random.default_rng(5).random(holed.shape) < 0.2] = np.nan
    found = topic_statistics(holed)
    assert list(found) == list(STATISTICS)
    assert np.isnan(found["item_total"]).all()  # no topic is common to all systems
    for topic, scores in enumerate(holed.T):
        expected = plain(scores[~np.isnan(scores)].tolist())
        for name, value in expected.items():
            assert found[name][topic] == pytest.approx(value, rel=1e-12), (name, topic)
    assert found["zero"].max() > 0
    assert 0 < found["low"].mean() < 1


def test_item_total_is_over_what_the_complete_systems_share(robust: np.ndarray) -> None:
    """Systems 0 to 2 lack usual topics; topic 3 is one that few systems have, so no mean contains it."""
    holed = robust[:30, :12].copy()
    holed[:3, 5:8] = np.nan
    holed[10:, 3] = np.nan
    found = item_total(holed)
    complete, common = holed[3:], np.delete(np.arange(12), 3)
    for topic in range(12):
        systems = ~np.isnan(complete[:, topic])
        others = complete[systems][:, common[common != topic]].mean(axis=1)
        expected = scipy.stats.pearsonr(complete[systems, topic], others).statistic
        assert found[topic] == pytest.approx(expected, rel=1e-10)


def test_item_total_is_undefined_where_a_side_is_constant() -> None:
    """On topic 1 all score alike; without topic 0 the means are equal on paper, but not in binary numbers."""
    scores = np.array([[0.9, 0.5, 0.1, 0.7], [0.3, 0.5, 0.2, 0.6], [0.4, 0.5, 0.3, 0.5]])
    assert len(set(arithmetic_mean(scores[:, 1:]).tolist())) > 1
    assert np.isnan(item_total(scores)).tolist() == [True, True, False, False]
    assert np.isnan(item_total(scores[:, :1])).all()
    assert np.isnan(item_total(scores[:1])).all()
    # a correlation over two systems is 1 or -1, whatever their scores
    assert np.isnan(item_total(scores[:2])).all()
    assert np.isnan(item_total(np.vstack([scores[:2], [[np.nan, 0.1, np.nan, np.nan]]]))).all()


@given(
    hnp.arrays(
        float, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.sampled_from([0.0, 0.3, 1.0, np.nan])
    )
)
def test_pooled_statistics_are_those_of_one_long_topic(values: np.ndarray) -> None:
    pooled, one = pooled_statistics(values), topic_statistics(values.reshape(-1, 1))
    for name in ("n", "mean", "sd", "min", "p25", "median", "p75", "max", "zero", "low"):
        np.testing.assert_allclose(pooled[name], one[name][0], rtol=1e-12)
    assert list(pooled) == list(STATISTICS)


def test_what_is_undefined_is_missing() -> None:
    nan = np.nan
    found = topic_statistics(np.array([[0.1, nan, 0.4], [0.1, nan, nan], [0.1, nan, nan]]))
    assert found["n"].tolist() == [3, 0, 1]
    assert found["sd"][0] == 0
    for name in set(STATISTICS) - {"n"}:
        assert np.isnan(found[name][1]), name
    assert np.isnan(found["surprise"]).tolist() == [True, True, True]
    assert found["max"][2] == found["mean"][2] == found["median"][2] == 0.4


def test_shares_of_scores_below_0_and_of_a_tenth_with_noise() -> None:
    assert STATISTICS["zero"](np.array([-1.0, 0.0, 1.0, -0.5])) == 0.25
    assert share_low(np.array([-1.0, 0.0, 1.0, -0.5])) == 0.75
    assert 0.4 - 0.3 > 0.1
    assert share_low(np.array([0.4 - 0.3, 0.1, 0.10001, 0.5])) == 0.5
    assert share_low(np.array([0.4 - 0.2, 0.2, 0.20001, 0.5]), 0.2) == 0.5


@pytest.mark.parametrize(
    ("difficulty", "how", "groups"),
    [
        # Section 5.4 of the paper: 25 and 25; the middle 25, the 12 hardest with the 13 easiest
        (np.linspace(5, 1, 50), "hard-easy", ["hard"] * 25 + ["easy"] * 25),
        (np.linspace(5, 1, 50), "middle-rest", ["rest"] * 12 + ["middle"] * 25 + ["rest"] * 13),
        # the easy end has what does not divide evenly
        (np.linspace(5, 1, 49), "hard-easy", ["hard"] * 24 + ["easy"] * 25),
        (np.linspace(5, 1, 49), "middle-rest", ["rest"] * 12 + ["middle"] * 24 + ["rest"] * 13),
        # difficulties that differ by noise only, or not at all, keep the topics' order; unknown ones have no group
        ([0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2], "hard-easy", ["hard", "hard", "easy", "easy"]),
        ([1.0, np.nan, 1.0, 1.0, 1.0], "hard-easy", ["hard", "", "hard", "easy", "easy"]),
        ([0.1, 0.9, 0.5, 0.4, 0.3], "3", ["3", "1", "1", "2", "2"]),
        # the fewest topics
        ([np.nan, 0.0, 1.0], "hard-easy", ["", "easy", "hard"]),
        ([np.nan, 0.0, 1.0, 2.0], "middle-rest", ["", "rest", "middle", "rest"]),
    ],
)
def test_groups(difficulty: list[float], how: str, groups: list[str]) -> None:
    assert topic_groups(np.array(difficulty), how) == groups


@pytest.mark.parametrize(("how", "fewest"), [("hard-easy", 2), ("middle-rest", 3), ("5", 5)])
def test_too_few_topics_for_the_groups_are_refused(how: str, fewest: int) -> None:
    for difficulty in (np.array([np.nan, *np.arange(fewest - 1)]), np.full(fewest, np.nan)):
        with pytest.raises(InputError, match=f"expected at least {fewest}"):
            topic_groups(difficulty, how)


def test_parts_of_a_split_are_hardest_first() -> None:
    difficulty = np.random.default_rng(6).random(49)
    for how in ("hard-easy", "middle-rest"):
        assert all((np.diff(difficulty[part]) < 0).all() for part in split_by_difficulty(difficulty, how))


@pytest.mark.parametrize("groups", ["", "easy-hard", "1", "0", "-2", "2.0", "²"])
def test_unknown_groupings_are_refused(groups: str) -> None:
    with pytest.raises(InputError, match="expected hard-easy, middle-rest or a number of at least 2"):
        topic_groups(np.arange(4.0), groups)


@given(hnp.arrays(float, st.integers(2, 30), elements=st.floats(-5, 5)), st.integers(2, 30))
def test_groups_are_even_and_ordered(difficulty: np.ndarray, n: int) -> None:
    n = min(n, len(difficulty))
    labels = [int(label) for label in topic_groups(difficulty, str(n))]
    sizes = Counter(labels)
    assert sorted(sizes) == list(range(1, n + 1))
    assert max(sizes.values()) - min(sizes.values()) <= 1
    for i, mine in enumerate(labels):
        assert all(mine <= other for j, other in enumerate(labels) if difficulty[i] - difficulty[j] > 1e-11)
