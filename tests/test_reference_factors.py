"""Factors are checked, kept, and freed of noise."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval.errors import InputError
from stdeval.standardization.factors import Factors


def test_factors_are_copies_that_cannot_be_changed():
    given = [np.array([[number]]) for number in (0.5, 0.25, 10.0)]
    factors = Factors(("1",), ("map",), *given)
    for numbers in given:
        numbers[:] = 7
    assert [each.tolist() for each in (factors.mean, factors.sd, factors.n)] == [[[0.5]], [[0.25]], [[10]]]
    for numbers in (factors.mean, factors.sd, factors.n):
        with pytest.raises(ValueError, match="read-only"):
            numbers[:] = 1


@pytest.mark.parametrize("which", ["mean", "sd", "n"])
def test_factors_that_do_not_fit(which: str):
    arrays = {"mean": np.zeros((1, 1)), "sd": np.zeros((1, 1)), "n": np.zeros((1, 1), dtype=np.int64)}
    with pytest.raises(InputError, match=f"factors \\({which}\\) of shape"):
        Factors(("1",), ("map",), **{**arrays, which: np.zeros((2, 1))})


def test_a_standard_deviation_that_is_only_noise_becomes_0():
    """Programs compute about 1e-16 of equal scores, and 1e-8 by sums of squares; that of different scores stays."""
    mean, sd = [[2 / 3], [2 / 3], [1 / 3], [100 / 3], [-0.5]], [[1e-8], [1e-6], [np.nan], [1e-6], [1e-16]]
    factors = Factors(("1", "2", "3", "4", "5"), ("map",), mean, sd, np.full((5, 1), 12))
    np.testing.assert_array_equal(factors.sd.ravel() == 0, [True, False, False, True, True])


def test_a_huge_standard_deviation_beside_a_tiny_mean_stays():
    factors = Factors(("1",), ("x",), np.array([[1e-300]]), np.array([[1e100]]), np.array([[9]]))
    assert factors.sd[0, 0] == 1e100
