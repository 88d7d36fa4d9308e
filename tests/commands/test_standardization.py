"""Warnings about the references that commands standardize with."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from stdeval.commands.standardization import warn_about_references
from stdeval.standardization import fit_factors
from stdeval.table import ScoreTable


@pytest.mark.parametrize(("n", "n_warnings"), [(2, 1), (9, 1), (10, 0), (126, 0)])
def test_few_references_are_said(n: int, n_warnings: int):
    values = np.linspace(0, 1, n).reshape(n, 1, 1)
    table = ScoreTable(tuple(f"s{i}" for i in range(n)), ("1",), ("map",), values)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_about_references(fit_factors(table))
    assert len(caught) == n_warnings
