"""Collections whose standardized scores can be compared; what the commands say is tested with the commands."""

from __future__ import annotations

import pytest
from stdeval.comparability import about_other_schemes
from stdeval.origins import References, Standardization

from stdeval import ScoreTable


def standardized(n_references: int, fewest: int | None = None) -> ScoreTable:
    how = Standardization(
        ("N",), (), References("fa61a204", n_references if fewest is None else fewest, n_references)
    )
    return ScoreTable(("a",), ("1",), ("Nmap",), [[[0.5]]], standardization=how)


@pytest.mark.parametrize(("n", "is_told"), [(28, True), (31, True), (32, False), (40, False), (0, False)])
def test_collections_with_fewer_reference_runs_are_told(n: int, is_told: bool):
    messages = list(about_other_schemes([(standardized(40), "early.csv"), (standardized(n), "late.csv")]))
    told = f"early.csv was standardized by 40 reference runs, late.csv by {n}: the scores are comparable only if"
    assert (len(messages), any(each.startswith(told) for each in messages)) == (int(is_told), is_told)


@pytest.mark.parametrize(("fewest", "is_told"), [(8, True), (32, False)])
def test_collections_with_fewer_reference_runs_on_some_topics_are_told(fewest: int, is_told: bool):
    named = [(standardized(40), "early.csv"), (standardized(40, fewest), "late.csv")]
    told = (
        f"early.csv was standardized by 40 reference runs, late.csv by {fewest} to 40: the scores are comparable "
    )
    assert [each.startswith(told) for each in about_other_schemes(named)] == [True] * is_told
