"""Conditions with limits that say nothing."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval.errors import InputError
from stdeval.gate.conditions import Condition, refuse_useless_limit


@pytest.mark.parametrize("limit", [-1, 0])
def test_a_least_mean_that_no_score_is_below_is_refused(limit: float) -> None:
    """Every run would pass."""
    message = f"min map={limit}: no score is below 0, expected a limit above 0, and at most 1"
    with pytest.raises(InputError, match=message):
        refuse_useless_limit(Condition("min", "map", limit), "", "map")
    for scheme, measure in (("Z", "map"), ("U", "map"), ("", "elsewhere")):
        refuse_useless_limit(Condition("min", scheme + measure, limit), scheme, measure)
    refuse_useless_limit(Condition("min", "map", 0.1), "", "map")


@pytest.mark.parametrize(
    ("scheme", "measure"), [("", "dcg_cut_10"), ("", "jkdcg"), ("", "num_rel_ret"), ("N", "dcg")]
)
def test_scores_without_an_upper_bound_are_not_below_0_either(scheme: str, measure: str) -> None:
    for condition in (
        Condition("min", scheme + measure, 0),
        Condition("max-drop", scheme + measure, 100, percent=True),
    ):
        with pytest.raises(InputError, match="no score is below 0, expected"):
            refuse_useless_limit(condition, scheme, measure)
    refuse_useless_limit(Condition("min", "utility", -1), "", "utility")
    refuse_useless_limit(Condition("min", "dcg", 3.5), "", "dcg")
    refuse_useless_limit(Condition("min", "ndcg_0=-1", -0.5), "", "ndcg_0=-1")


def test_a_least_mean_above_1_is_refused_where_no_score_is() -> None:
    """Somebody who thinks of percent types 30 for 0.3, and no run would ever pass."""
    for scheme in ("", "N", "E"):
        message = f"min {scheme}map=30: no score is above 1, expected a limit above 0, and at most 1"
        with pytest.raises(InputError, match=message):
            refuse_useless_limit(Condition("min", scheme + "map", 30), scheme, "map")
    for scheme, measure, limit in (("", "map", 1), ("Z", "map", 2), ("U", "map", 2), ("", "num_ret", 30)):
        refuse_useless_limit(Condition("min", scheme + measure, limit), scheme, measure)


def test_a_drop_to_0_is_refused_where_no_score_is_below() -> None:
    message = "max-drop map=100%: no score is below 0, expected a percentage below 100%"
    with pytest.raises(InputError, match=message):
        refuse_useless_limit(Condition("max-drop", "map", 100, percent=True), "", "map")
    for scheme, measure, limit in (("", "map", 99), ("U", "map", 100), ("", "elsewhere", 100)):
        refuse_useless_limit(Condition("max-drop", scheme + measure, limit, percent=True), scheme, measure)


@pytest.mark.parametrize("limit", ["x", "0.3", None, [0.3]])
def test_a_limit_that_is_no_number_is_refused(limit: object) -> None:
    with pytest.raises(InputError, match=r"of min, expected a number, such as 0\.05") as raised:
        Condition("min", "map", limit)  # type: ignore[arg-type]
    assert str(raised.value).startswith(f"limit {limit!r}")
    with pytest.raises(InputError, match=r"alpha '0\.05' of not-worse, expected a number"):
        Condition("not-worse", "map", alpha="0.05")  # type: ignore[arg-type]


def test_limits_may_be_numbers_of_numpy() -> None:
    for limit in (np.float64(0.5), np.float32(0.5), np.int64(0)):
        assert Condition("min", "map", limit).limit == limit


@pytest.mark.parametrize("alpha", [0, 0.5, 0.95, -0.05, float("nan")])
def test_a_confidence_is_no_level(alpha: float) -> None:
    """With alpha=0.95, a loss above the margin would be non-inferior."""
    with pytest.raises(InputError, match=r"expected more than 0 and less than 0\.5"):
        Condition("non-inferior", "map", 0.01, alpha=alpha)
