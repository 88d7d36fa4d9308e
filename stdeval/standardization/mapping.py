"""The mapping of a topic from raw to standardized scores, as a curve."""

from __future__ import annotations

import numpy as np

from stdeval.noise import decimals
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import align
from stdeval.standardization.schemes import apply_scheme, check_scheme, needs_reference_scores
from stdeval.table import Bools, Floats, ScoreTable

MAPPING_POINTS = 101
"""Raw scores at which `mapping_curves` evaluates a scheme."""


def mapping_curves(
    table: ScoreTable, factors: Factors, scheme: str, *, A: float = 0.15, B: float = 0.5, censor: bool = True
) -> list[Floats]:
    """Return the mapping of each topic from raw to standardized scores, by the one measure of a table.

    Parameters
    ----------
    table : ScoreTable
        Raw scores by one measure. If all of them lie in [0, 1], this range is mapped, otherwise their own range.
    factors : Factors
    scheme : {"Z", "N", "U", "E", "M"}
        In either case of letters.
    A, B, censor
        Parameters of U, see `uniform_scores`.

    Returns
    -------
    list of n_topics ndarrays, shape (n_points, 2)
        Raw and standardized scores, in ascending order. E and M are step functions, drawn with upright steps;
        M has a point halfway up each step, at the reference score, and so have N and U where all reference scores
        of a topic are equal.

    Raises
    ------
    InputError
        If the scheme is unknown, or needs reference scores that the factors do not have.

    Examples
    --------
    >>> from stdeval.standardization.factors import fit_factors
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))
    >>> mapping_curves(table, fit_factors(table), "Z")[0][[0, 50, 100]].round(3)
    array([[ 0.   , -1.414],
           [ 0.5  ,  0.   ],
           [ 1.   ,  1.414]])
    """
    check_scheme(scheme)
    letter = scheme.upper()
    mean, sd = (align(array, factors, table.topics, table.measures) for array in (factors.mean, factors.known_sd))
    present = table.values[~np.isnan(table.values)]
    in_unit = bool(((present >= 0) & (present <= 1)).all())
    ends = (0.0, 1.0) if in_unit else (float(present.min()), float(present.max()))
    raw = np.broadcast_to(np.linspace(*ends, MAPPING_POINTS)[:, None, None], (MAPPING_POINTS, *mean.shape))
    raw = _with_step_points(raw, mean, sd == 0, ends, factors.decimals)
    reference = None
    if factors.reference is not None:
        reference = align(factors.reference.values, factors, table.topics, table.measures)
        raw = _step_points(reference, ends, letter) if needs_reference_scores(letter) else raw
    mapped = apply_scheme(letter, raw, mean, sd, reference, places=factors.decimals, A=A, B=B, censor=censor)
    return list(np.stack([raw[:, :, 0].T, mapped[:, :, 0].T], axis=-1))


def _with_step_points(
    raw: Floats, mean: Floats, is_step: Bools, ends: tuple[float, float], n_decimals: int | None
) -> Floats:
    """Return raw scores, in ascending order, with those at the step of N and U if all references are equal."""
    if not is_step.any():
        return raw
    # scores within half of this unit count as equal to the common one
    unit = 10.0 ** -(decimals(mean, axis=()) if n_decimals is None else np.full(mean.shape, n_decimals))
    points = np.stack([mean - unit, mean, mean + unit])
    # other topics have the lower end once more, which changes no curve
    points = np.where(is_step, points.clip(*ends), ends[0])
    return np.sort(np.concatenate([raw, points]), axis=0)


def _step_points(reference: Floats, ends: tuple[float, float], letter: str) -> Floats:
    """Return the points of the steps of E or M, in ascending order, between the ends."""
    edges = np.broadcast_to(np.array(ends)[:, None, None], (2, *reference.shape[1:]))
    # A missing score makes no step: it is replaced by the lower end, where there is a point anyway.
    known = np.where(np.isnan(reference), ends[0], reference)
    # Scores count as different only if they are at least one unit of the last decimal apart.
    unit = 10.0 ** -decimals(reference, axis=0)
    sides = [np.maximum(known - unit, ends[0])]
    # E reaches the upper end of a step at the reference score, M only above it.
    if letter == "M":
        sides.append(np.where(known == ends[1], known, known + unit))
    return np.sort(np.concatenate([edges, known, *sides]), axis=0)
