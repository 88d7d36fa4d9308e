"""Factors fitted to reference scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stdeval.errors import InputError
from stdeval.standardization.factors import align, fit_factors, impossible_deviations
from stdeval.table import ScoreTable

pytestmark = pytest.mark.oracle


def test_one_reference_is_refused():
    with pytest.raises(InputError, match="expected at least two"):
        fit_factors(ScoreTable(("a",), ("1",), ("map",), np.ones((1, 1, 1))))


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
