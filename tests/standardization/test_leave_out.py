"""Runs standardized by the others: against factors fitted to the others, one run or group after the other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.errors import InputError
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.leave_out import fit_others, standardize_by_others, topics_left_out
from stdeval.standardization.schemes import standardize
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


@given(grouped())
def test_groups_of_one_run_are_the_default(drawn):
    table, _ = drawn
    try:
        alone = fit_others(table)
    except InputError:
        return
    named = fit_others(table, list(table.systems))
    for a, b in ((alone.mean, named.mean), (alone.sd, named.sd), (alone.n, named.n)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed", range(5))
def test_real_sizes_in_any_grouping(seed: int):
    rng = np.random.default_rng(seed)
    values = np.round(rng.beta(0.5, 2, (60, 8, 2)), 2)
    values[rng.random(values.shape) < 0.1] = np.nan
    table, groups = table_of(values), [str(group) for group in rng.integers(0, 1 + seed * 9, 60)]
    if seed == 0:
        groups = list(table.systems)
    for scheme in "ZNUEM":
        found = standardize_by_others(fit_others(table, groups), scheme).values
        np.testing.assert_allclose(found, refitted(table, groups, scheme, True), rtol=1e-9, atol=1e-9)


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


# Complete scores of single runs

complete = hnp.arrays(
    np.float64, st.tuples(st.integers(3, 8), st.integers(1, 5), st.just(1)), elements=st.sampled_from(LEVELS[:-1])
)


@given(complete)
def test_without_itself_e_and_m_are_linear_in_what_they_were(values: np.ndarray):
    """(n E - 1) / (n - 1) and (n M - 1/2) / (n - 1), in fractions, so no rank by the mean changes."""
    table = table_of(values)
    n = len(values)
    for scheme, own in (("E", Fraction(1)), ("M", Fraction(1, 2))):
        before, after = standardize(table, scheme=scheme).values, standardize_by_others(fit_others(table), scheme)
        counts = [Fraction(each).limit_denominator(2 * n) for each in before.ravel().tolist()]
        expected = [float((n * each - own) / (n - 1)) for each in counts]
        np.testing.assert_allclose(after.values.ravel(), expected, rtol=1e-15, atol=0)


@given(complete)
def test_z_without_itself_is_the_function_of_z_in_the_manual(values: np.ndarray):
    table, n = table_of(values), len(values)
    z, found = standardize(table, scheme="Z").values, standardize_by_others(fit_others(table), "Z").values
    known = ~np.isnan(found)
    z = z[known]
    expected = z * n / (n - 1) / np.sqrt((n - 1 - z**2 * n / (n - 1)) / (n - 2))
    np.testing.assert_allclose(found[known], expected, rtol=1e-6, atol=1e-9)


@given(complete, st.sampled_from("ZNU"))
def test_without_itself_no_rank_on_a_single_topic_changes(values: np.ndarray, scheme: str):
    table = table_of(values)
    raw, scored = values[:, :, 0], standardize_by_others(fit_others(table), scheme).values[:, :, 0]
    higher = (raw[:, np.newaxis] - raw) > 1e-9
    assert not (higher & (scored[:, np.newaxis] < scored - 1e-9)).any()


@pytest.mark.parametrize(
    ("scheme", "scores", "first", "second"),
    [
        ("Z", [[1.0, 0.2], [0.2, 0.9], [0.0, 0.7], [0.6, 0.9], [0.8, 0.8], [0.5, 1.0]], 0, 2),
        ("N", [[0.7, 0.7], [0.5, 0.8], [0.8, 0.3], [0.7, 0.6], [0.8, 0.3]], 2, 1),
        ("U", [[0.9, 0.9], [1.0, 0.4], [0.0, 0.9], [0.5, 0.1], [0.7, 0.0]], 2, 3),
    ],
)
def test_without_itself_ranks_by_the_mean_of_z_n_and_u_may_change(scheme: str, scores, first: int, second: int):
    """Counterexamples: z of a run without itself grows faster than z, so outstanding topics count for more."""
    table = table_of(np.array(scores)[:, :, np.newaxis])
    before, after = standardize(table, scheme=scheme), standardize_by_others(fit_others(table), scheme)
    a, b = before.values.mean(axis=1)[[first, second], 0]
    assert a > b + 0.005
    a, b = after.values.mean(axis=1)[[first, second], 0]
    assert a < b - 0.005


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
