"""Runs standardized by the others: against factors fitted to the others, one run or group after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.errors import InputError
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.schemes import fit_others, standardize, standardize_by_others, topics_left_out
from stdeval.stats.aggregates import moments, moments_without
from stdeval.table import ScoreTable

pytestmark = pytest.mark.oracle

# Few levels, so that many references are equal; 0.1 + 0.2 equals 0.3 except for noise; and gaps.
LEVELS = [0.0, 0.1, 0.3, 0.1 + 0.2, 0.35, 1.0, np.nan]


@st.composite
def grouped(draw: st.DrawFn) -> tuple[ScoreTable, list[str]]:
    """Return scores with ties and gaps, and the groups of the systems, of one or more systems each."""
    shape = draw(st.tuples(st.integers(3, 9), st.integers(1, 4), st.integers(1, 2)))
    values = draw(hnp.arrays(np.float64, shape, elements=st.sampled_from(LEVELS)))
    groups = draw(st.lists(st.sampled_from("abcdefghi"), min_size=len(values), max_size=len(values)))
    return table_of(values), groups if draw(st.booleans()) else [f"s{i}" for i in range(len(values))]


def table_of(values: np.ndarray) -> ScoreTable:
    names = [tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("stm", values.shape, strict=True)]
    return ScoreTable(*names, values)


def refitted(table: ScoreTable, groups: list[str], scheme: str, censor: bool) -> np.ndarray:
    """Return the scores of each group by factors that are fitted to the others, where there are two of them."""
    scored = np.full_like(table.values, np.nan)
    left_out = np.zeros(table.values.shape[1:], dtype=bool)
    for group in set(groups):
        inside = np.array([name == group for name in groups])
        if (~inside).sum() < 2:
            continue
        rest = ScoreTable(
            tuple(np.array(table.systems)[~inside]), table.topics, table.measures, table.values[~inside]
        )
        factors = fit_factors(rest)
        own = table.select(systems=tuple(np.array(table.systems)[inside]))
        scored[inside] = np.where(factors.n < 2, np.nan, standardize(own, factors, scheme, censor=censor).values)
        left_out |= factors.sd == 0
    if scheme == "Z" or (scheme == "U" and not censor):
        scored[:, left_out] = np.nan
    return scored


@given(grouped(), st.sampled_from("ZNUEM"), st.booleans())
def test_scores_are_those_by_factors_fitted_to_the_others(drawn, scheme: str, censor: bool):
    table, groups = drawn
    try:
        others = fit_others(table, groups)
    except InputError:
        assert np.isnan(refitted(table, groups, scheme, censor)).all()
        return
    found = standardize_by_others(others, scheme, censor=censor)
    assert found.measures == tuple(f"{scheme}({name})" for name in table.measures)
    np.testing.assert_allclose(found.values, refitted(table, groups, scheme, censor), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("spread", [0.0, 1e-7, 1e-10])
def test_an_outlier_leaves_no_noise_in_the_deviation_of_the_others(spread: float):
    """Sums minus those of the outlier would leave a deviation of about 1e-8 where there is none, or less."""
    values = np.array([0.3, 0.3, 0.3 + spread, 0.1 + 0.2, 1.0, 0.3 - spread])
    _, sd, _ = moments_without(values, np.arange(6))
    assert sd[4] == pytest.approx(moments(np.delete(values, 4))[1], rel=1e-6, abs=0)
    assert (sd[4] == 0) == (spread == 0)


def test_a_run_that_alone_finds_something_is_the_best_on_that_topic():
    """The others all have 0: by N, U, E and M it gets 1; Z leaves the topic out for all runs."""
    values = np.array([[0.0, 0.1], [0.0, 0.2], [0.0, 0.5], [0.4, 0.3]])[:, :, np.newaxis]
    others = fit_others(table_of(values))
    for scheme in "NUEM":
        assert standardize_by_others(others, scheme).values[3, 0, 0] == 1
        assert not topics_left_out(others, scheme).any()
    assert np.isnan(standardize_by_others(others, "Z").values[:, :, 0]).tolist() == [[True, False]] * 4
    assert topics_left_out(others, "z").tolist() == [[True], [False]]
    assert topics_left_out(others, "u", censor=False).tolist() == [[True], [False]]


def test_few_runs_are_refused():
    for n, groups, words in ((2, None, "2 runs: fewer"), (5, list("aaaaa"), "5 runs in 1 group: fewer")):
        with pytest.raises(InputError, match=words):
            fit_others(table_of(np.random.default_rng(1).random((n, 2, 1))), groups)


def test_what_is_left_of_the_references_is_counted():
    values = np.random.default_rng(1).random((5, 3, 1))
    values[0, :2] = np.nan
    table = table_of(values)
    assert fit_others(table).numbers_left == [3, 4]
    assert fit_others(table, list("aaabc")).numbers_left == [2, 3, 4]
    assert np.isnan(standardize_by_others(fit_others(table, list("aaaab")), "E").values[:4]).all()
