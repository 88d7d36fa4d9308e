"""Factors fitted to reference scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stdeval.errors import InputError
from stdeval.standardization.factors import Factors, align, fit_factors, impossible_deviations
from stdeval.table import ScoreTable

pytestmark = pytest.mark.oracle


def test_reference_scores_are_laid_out_like_means_and_deviations():
    """Topics in another order, one unknown; measures in another order."""
    values = np.random.default_rng(3).random((5, 3, 2))
    factors = fit_factors(ScoreTable(tuple("abcde"), ("1", "2", "3"), ("x", "y"), values))
    reference = align(values, factors, ("3", "9", "1"), ("y", "x"))
    np.testing.assert_array_equal(reference[:, [0, 2]], values[:, [2, 0]][..., [1, 0]])
    assert np.isnan(reference[:, 1]).all()
    mean = align(factors.mean, factors, ("3", "9", "1"), ("y", "x"))
    np.testing.assert_allclose(mean, reference.mean(axis=0))


@pytest.mark.parametrize("form", ["float32", ".6g", ".6e", ".4f", ".2f"])
def test_standard_deviations_are_not_too_large_by_their_rounding(form: str) -> None:
    """Scores of 0 and 1 have the largest standard deviation that there is for their mean."""
    topics, hits = tuple(map(str, range(13))), np.tri(14)[:, :13]
    scores = np.stack([hits, hits / 70], axis=2)
    factors = fit_factors(ScoreTable(tuple("abcdefghijklmn"), topics, ("success_1", "map"), scores))
    rounded = np.vectorize(np.float32 if form == "float32" else lambda number: float(format(number, form)))
    mean, sd = rounded(factors.mean).astype(float), rounded(factors.sd).astype(float)
    decimals = int(form[1]) if form.endswith("f") else None
    printed = replace(factors, mean=mean, sd=sd, reference=None, decimals=decimals)
    assert not impossible_deviations(printed).any()
    assert impossible_deviations(replace(printed, sd=sd + 0.01)).any()


def test_factors_are_copies_that_cannot_be_changed():
    given = [np.array([[number]]) for number in (0.5, 0.25, 10.0)]
    factors = Factors(("1",), ("map",), *given)
    for numbers in given:
        numbers[:] = 7
    assert [each.tolist() for each in (factors.mean, factors.sd, factors.n)] == [[[0.5]], [[0.25]], [[10]]]
    for numbers in (factors.mean, factors.sd, factors.n):
        with pytest.raises(ValueError, match="read-only"):
            numbers[:] = 1


def test_factors_that_do_not_fit():
    one, two = np.zeros((1, 1)), np.zeros((2, 1))
    for arrays in ((two, one, one), (one, two, one), (one, one, two), (one, one - 1, one)):
        with pytest.raises(InputError):
            Factors(("1",), ("map",), *arrays)
    with pytest.raises(InputError, match="expected at least two"):
        fit_factors(ScoreTable(("a",), ("1",), ("map",), np.ones((1, 1, 1))))


def test_a_standard_deviation_that_is_only_noise_becomes_0():
    """Programs compute about 1e-16 of equal scores, and 1e-8 by sums of squares; that of different scores stays."""
    mean, sd = [[2 / 3], [2 / 3], [1 / 3], [100 / 3], [-0.5]], [[1e-8], [1e-6], [np.nan], [1e-6], [1e-16]]
    factors = Factors(("1", "2", "3", "4", "5"), ("map",), mean, sd, np.full((5, 1), 12))
    np.testing.assert_array_equal(factors.sd.ravel() == 0, [True, False, False, True, True])


def test_a_huge_standard_deviation_beside_a_tiny_mean_stays():
    factors = Factors(("1",), ("x",), np.array([[1e-300]]), np.array([[1e100]]), np.array([[9]]))
    assert factors.sd[0, 0] == 1e100
