"""What a panel shows: one measure of a table, raw or by a scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stdeval.errors import InputError
from stdeval.standardization import standardize
from stdeval.table import Factors, Floats, ScoreTable


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores of one kind: their label with its unit, and the array, shape (n_systems, n_topics)."""

    scheme: str
    label: str
    scores: Floats


def score_label(measure: str, scheme: str = "raw") -> str:
    """The measure with its unit: scores, or for Z standard deviations.

    Examples
    --------
    >>> score_label("map"), score_label("map", "N"), score_label("map", "Z")
    ('map (score)', 'Nmap (score)', 'Zmap (sd)')
    """
    letter = "" if scheme == "raw" else scheme.upper()
    return f"{letter}{measure} ({'sd' if letter == 'Z' else 'score'})"


def one_measure(table: ScoreTable, measure: str | None) -> ScoreTable:
    """The table of one measure, the first where none is named; refused where there is nothing to draw."""
    if not table.measures:
        raise InputError("no measure to draw")
    one = table.select(measures=[table.measures[0] if measure is None else measure])
    if np.isinf(one.values).any() or np.isnan(one.values).all():
        raise InputError(f"no scores by '{one.measures[0]}' that can be drawn, expected finite numbers")
    return one


def scheme_panels(
    table: ScoreTable,
    measure: str | None,
    schemes: Sequence[str],
    factors: Factors | None,
    uniform: Mapping[str, Any] | None = None,
) -> list[Panel]:
    """A panel for each of the schemes, ``"raw"`` or a letter; without factors the table is its own reference.

    ``uniform`` are the parameters A, B and censor of scheme U, where they are not those of `standardize`.
    """
    one = one_measure(table, measure)
    return [
        Panel(
            scheme,
            score_label(one.measures[0], scheme),
            (one if scheme == "raw" else standardize(one, factors, scheme, **(uniform or {}))).values[:, :, 0],
        )
        for scheme in schemes
    ]
