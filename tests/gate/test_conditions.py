"""Conditions whose limit or level is out of range."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval.errors import InputError
from stdeval.gate import Condition, refuse_limit_out_of_range


@pytest.mark.parametrize(
    ("kind", "limit", "measures"),
    [
        ("min", -1, ["map", "dcg_cut_10", "jkdcg", "Nmap", "Emap"]),
        ("min", 30, ["map", "Nmap", "Mmap"]),
        ("max-drop", 2, ["map"]),
        ("max-topic-drop", 2, ["Ndcg"]),
        ("non-inferior", 2, ["map"]),
    ],
)
def test_a_limit_out_of_range_is_refused(kind: str, limit: float, measures: list[str]) -> None:
    for measure in measures:
        with pytest.raises(InputError, match=f"{kind} {measure}={limit}: "):
            refuse_limit_out_of_range(Condition(kind, measure, limit))


@pytest.mark.parametrize(
    ("kind", "limit", "measures"),
    [
        ("min", -1, ["Zmap", "Umap", "elsewhere", "utility", "ndcg_0=-1"]),
        ("min", 0, ["map", "dcg"]),
        ("min", 30, ["Zmap", "Umap", "elsewhere", "dcg", "num_ret"]),
        ("max-drop", 1, ["map", "Nmap"]),
        ("max-drop", 2, ["Zmap", "dcg"]),
    ],
)
def test_a_limit_in_the_range_of_the_scores_is_taken(kind: str, limit: float, measures: list[str]) -> None:
    for measure in measures:
        refuse_limit_out_of_range(Condition(kind, measure, limit))


@pytest.mark.parametrize("measure", ["map", "Zmap", "dcg"])
def test_any_percentage_is_taken(measure: str) -> None:
    for percentage in (0, 5, 100):
        refuse_limit_out_of_range(Condition("max-drop", measure, percentage, percent=True))


@pytest.mark.parametrize("limit", ["x", "0.3", None, [0.3]])
def test_a_limit_that_is_no_number_is_refused(limit: object) -> None:
    with pytest.raises(InputError, match="expected a number"):
        Condition("min", "map", limit)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected a number"):
        Condition("not-worse", "map", alpha="0.05")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "limit", "percent"),
    [
        ("max", 0.1, False),
        ("min", np.nan, False),
        ("max-drop", -1, False),
        ("max-drop", 101, True),
        ("max-topic-drop", -1, False),
        ("max-topic-drop", 2, True),
        ("non-inferior", 0, False),
        ("not-worse", 0.1, False),
    ],
)
def test_a_condition_that_cannot_be_is_refused(kind: str, limit: float, percent: bool) -> None:
    with pytest.raises(InputError, match="expected"):
        Condition(kind, "map", limit, percent)


def test_limits_may_be_numbers_of_numpy() -> None:
    for limit in (np.float64(0.5), np.float32(0.5), np.int64(0)):
        assert Condition("min", "map", limit).limit == limit


@pytest.mark.parametrize("alpha", [0, 0.5, 0.95, -0.05, float("nan")])
def test_a_confidence_is_no_level(alpha: float) -> None:
    """With alpha=0.95, a loss above the margin would be non-inferior."""
    with pytest.raises(InputError, match="alpha"):
        Condition("non-inferior", "map", 0.01, alpha=alpha)
