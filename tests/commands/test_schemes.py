"""Messages about the references that commands standardize with."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval.commands.schemes import about_references
from stdeval.standardization import fit_factors
from stdeval.table import ScoreTable


@pytest.mark.parametrize(("n", "n_messages"), [(2, 1), (9, 1), (10, 0), (126, 0)])
def test_few_references_are_told(n: int, n_messages: int):
    values = np.linspace(0, 1, n).reshape(n, 1, 1)
    table = ScoreTable(tuple(f"s{i}" for i in range(n)), ("1",), ("map",), values)
    assert len(about_references(fit_factors(table))) == n_messages
