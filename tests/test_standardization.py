"""Standardization of arrays: against scipy, and what must not change under it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from stdeval.errors import InputError
from stdeval.standardization import (
    align,
    empirical_scores,
    fit_factors,
    normal_scores,
    scheme_label,
    scheme_letter,
    standardize,
    uniform_scores,
    zscores,
)
from stdeval.table import Factors, ScoreTable

# as scores of effectiveness are: four decimals, many ties
scores = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(1, 5), st.integers(1, 2)),
    elements=st.integers(0, 10_000).map(lambda i: i / 10_000),
)


def table_of(values: np.ndarray) -> ScoreTable:
    systems, topics, measures = (
        tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("stm", values.shape, strict=True)
    )
    return ScoreTable(systems, topics, measures, values)


@given(scores, st.data())
def test_affine_rescaling_of_topics_changes_nothing(values: np.ndarray, data: st.DataObject):
    """Z, N, U and E of a x + b are those of x, with a > 0 and b of each topic: AP or SP, it is the same."""
    shape = (1, values.shape[1], 1)
    # powers of two, and scores with few digits, keep equal scores equal
    a = 2.0 ** data.draw(hnp.arrays(np.int64, shape, elements=st.integers(-20, 20)))
    b = a * data.draw(hnp.arrays(np.int64, shape, elements=st.integers(-3, 3)))
    short = np.round(values * 2**14)
    for scheme in "ZNUE":
        expected = standardize(table_of(short), scheme=scheme).values
        rescaled = standardize(table_of(a * short + b), scheme=scheme).values
        np.testing.assert_allclose(rescaled, expected, rtol=1e-9, atol=1e-9)


@given(scores)
def test_average_precision_and_sum_of_precisions_are_one(values: np.ndarray):
    """SP = AP x R with R of the topic: raw means differ, standardized scores do not (Webber 2010)."""
    n_relevant = np.arange(1, values.shape[1] + 1).reshape(1, -1, 1) * 4
    for scheme in "ZNU":
        of_ap = standardize(table_of(values), scheme=scheme).values
        of_sp = standardize(table_of(values * n_relevant), scheme=scheme).values
        np.testing.assert_allclose(of_sp, of_ap, rtol=1e-7, atol=1e-7)


@given(scores)
def test_self_standardized_moments(values: np.ndarray):
    spread = values.max(axis=0) > values.min(axis=0)
    z = standardize(table_of(values), scheme="Z").values
    u = standardize(table_of(values), scheme="U", censor=False).values
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(z.std(axis=0, ddof=1)[spread], 1, atol=1e-9)
    np.testing.assert_allclose(u.mean(axis=0), 0.5, atol=1e-9)
    np.testing.assert_allclose(u.std(axis=0, ddof=1)[spread], 0.15, atol=1e-9)


@given(scores, scores)
def test_empirical_is_the_ecdf_of_scipy(values: np.ndarray, reference: np.ndarray):
    column = reference[:, 0, 0]
    found = empirical_scores(values[:, :1, :1], column.reshape(-1, 1, 1)).ravel()
    np.testing.assert_allclose(found, stats.ecdf(column).cdf.evaluate(values[:, 0, 0]))


def test_constant_reference():
    x, mean, sd = np.array([0.5, 0.6, np.nan]), np.full(3, 0.5), np.zeros(3)
    np.testing.assert_array_equal(zscores(x, mean, sd), [0, np.nan, np.nan])
    np.testing.assert_array_equal(normal_scores(x, mean, sd), [0.5, np.nan, np.nan])
    np.testing.assert_array_equal(uniform_scores(x, mean, sd, B=0.4), [0.4, np.nan, np.nan])


def test_normal_scores_are_those_of_scipy():
    z = np.linspace(-40, 40, 801)
    np.testing.assert_allclose(normal_scores(z, np.zeros(801), np.ones(801)), stats.norm.cdf(z), rtol=1e-12)


def test_uniform_scores_are_censored():
    x, zero, one = np.array([-9.0, -1.0, 0.0, 9.0]), np.zeros(4), np.ones(4)
    np.testing.assert_allclose(uniform_scores(x, zero, one), [0, 0.35, 0.5, 1])
    np.testing.assert_allclose(uniform_scores(x, zero, one, censor=False), [-0.85, 0.35, 0.5, 1.85])


def test_topics_without_factors_are_missing():
    table = ScoreTable(("a",), ("1", "2"), ("map",), np.array([[[0.5], [0.5]]]))
    known = Factors(("2",), ("map",), np.array([[0.4]]), np.array([[0.1]]), np.array([[9]]))
    np.testing.assert_allclose(standardize(table, known, "z").values.ravel(), [np.nan, 1])


@pytest.mark.parametrize(
    ("scheme", "topics", "measures", "words"),
    [
        ("x", ("1",), ("map",), "no scheme 'x', expected one of: z, n, u, e"),
        ("E", ("1",), ("map",), "needs the reference scores themselves"),
        ("Z", ("7",), ("map",), "no topic in common: the factors have '7', the scores '1'"),
        ("Z", ("1",), ("bpref",), "no measure in common: the factors have bpref, the scores map"),
    ],
)
def test_refused(scheme: str, topics: tuple[str, ...], measures: tuple[str, ...], words: str):
    table = ScoreTable(("a",), ("1",), ("map",), np.array([[[0.5]]]))
    one = np.ones((1, 1))
    with pytest.raises(InputError) as raised:
        standardize(table, Factors(topics, measures, one, one, one.astype(np.int64)), scheme)
    assert words in str(raised.value)


def test_one_reference_is_refused():
    with pytest.raises(InputError, match="expected at least two"):
        fit_factors(ScoreTable(("a",), ("1",), ("map",), np.ones((1, 1, 1))))


def test_schemes_are_named_in_one_way():
    assert [scheme_letter(scheme) for scheme in ("raw", "n", "E")] == ["", "N", "E"]
    assert [scheme_label(scheme) for scheme in ("raw", "n", "E")] == ["raw", "N", "E"]


def test_reference_scores_are_laid_out_like_means_and_deviations():
    """Topics in another order, one unknown; measures in another order."""
    values = np.random.default_rng(3).random((5, 3, 2))
    factors = fit_factors(ScoreTable(tuple("abcde"), ("1", "2", "3"), ("x", "y"), values))
    reference = align(values, factors, ("3", "9", "1"), ("y", "x"))
    np.testing.assert_array_equal(reference[:, [0, 2]], values[:, [2, 0]][..., [1, 0]])
    assert np.isnan(reference[:, 1]).all()
    mean = align(factors.mean, factors, ("3", "9", "1"), ("y", "x"))
    np.testing.assert_allclose(mean, reference.mean(axis=0))
