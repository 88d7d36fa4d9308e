"""Messages about factors whose means and standard deviations may be swapped, or whose measures may be others."""

from __future__ import annotations

import numpy as np

from stdeval.factors import USUAL_REFERENCES, impossible_deviations, unlikely_deviations
from stdeval.measures.names import canonical, is_in_unit_range
from stdeval.table import Factors


def about_doubtful_names(factors: Factors) -> list[str]:
    """Return messages about column names of a published file that other tools use for other measures."""
    told = []
    for column, measure in factors.doubtful.items():
        other = canonical(column)
        found = f"the column {column} is read as {measure}, its meaning in the published files"
        told.append(f"{found}; if its scores are {other}, name the column {other}")
    return told


def about_impossible_deviations(factors: Factors) -> str | None:
    """Return a message about too large standard deviations, or None; the files of factors may be swapped.

    Examples
    --------
    >>> factors = Factors(("1",), ("map",), [[0.05]], [[0.4]], [[10]])
    >>> print(about_impossible_deviations(factors))  # doctest: +ELLIPSIS
    standard deviations of 1 of 1 topics are too large for scores from 0 to 1 (e.g. '1' by map: mean 0.05, ...
    """
    unit = np.array([is_in_unit_range(name) for name in factors.measures])
    moments = factors.mean, factors.sd, factors.n
    too_large, scores = impossible_deviations(*moments) & unit, "scores from 0 to 1"
    if not too_large.any():
        too_large = unlikely_deviations(*moments) & unit
        scores = f"{USUAL_REFERENCES} or more scores from 0 to 1"
    if factors.reference is not None or not too_large.any():
        return None
    i, j = np.argwhere(too_large)[0]
    example = (
        f"'{factors.topics[i]}' by {factors.measures[j]}: mean {factors.mean[i, j]:g}, sd {factors.sd[i, j]:g}"
    )
    return (
        f"standard deviations of {int(too_large.any(axis=1).sum())} of {len(factors.topics)} topics are too large "
        f"for {scores} (e.g. {example}): means and standard deviations swapped?"
    )
