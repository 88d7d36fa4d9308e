"""Standardize the scores of a table: place them on the scale of the reference systems' scores on each topic."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np

from stdeval.display import excerpt
from stdeval.errors import InputError
from stdeval.measures.names import standardized_name
from stdeval.noise import Precision
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import align, common_measures, fit_factors, refuse_huge
from stdeval.standardization.precision import precision_of
from stdeval.standardization.schemes import (
    apply_scheme,
    check_scheme,
    leaves_out_equal_references,
    needs_reference_scores,
    scheme_letter,
)
from stdeval.table import Bools, ScoreTable, check_scores_table


def standardize(
    table: ScoreTable,
    factors: Factors | None = None,
    scheme: str = "n",
    *,
    A: float = 0.15,
    B: float = 0.5,
    censor: bool = True,
) -> ScoreTable:
    """Return the standardized scores of a table, with the scheme's letter before the names of measures.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    factors : Factors, optional
        The factors to use; None makes the table its own reference (self-standardized).
    scheme : {"n", "z", "u", "e", "m"}
        In lower or upper case.
    A, B, censor
        Parameters of u, see `uniform_scores`.

    Returns
    -------
    ScoreTable
        The scores on all topics of the table, by those of its measures that the factors have. A score is NaN if
        it is missing, or if its topic has no factors. If the standard deviation is 0, a score by Z or uncensored U
        is NaN. One by N or censored U is a limit (see `normal_scores`), or NaN if the 0 may come from rounding.

    Raises
    ------
    InputError
        If the scheme is unknown, if it needs reference scores and the factors do not have them, or if the table
        and the factors have no topic or no measure in common.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))
    >>> standardize(table, scheme="z").values.ravel().round(4)
    array([-0.7071,  0.7071])
    """
    check_scores_table(table)
    refuse_huge(table.values)
    if not (factors is None or isinstance(factors, Factors)):
        what = f"factors of type {type(factors).__name__}"
        raise InputError(f"{what}, expected Factors, such as stdeval.fit_factors(references)")
    check_scheme(scheme)
    letter = scheme_letter(scheme)
    if not (isinstance(A, Real) and 0 < A < np.inf):
        raise InputError(f"A {excerpt(repr(A))}, expected a slope above 0")
    if not (isinstance(B, Real) and 0 <= B <= 1):
        raise InputError(f"B {excerpt(repr(B))}, expected a mean from 0 to 1")
    used = fit_factors(table) if factors is None else factors
    measures = common_measures(table.measures, used)
    values = table.select(measures=measures).values
    mean, sd = (align(array, used, table.topics, measures) for array in (used.mean, used.known_sd))
    reference = None
    if used.reference is not None:
        reference = align(used.reference.values, used, table.topics, measures)
    known = [precision_of(used, name, values[:, :, k]) for k, name in enumerate(measures)]
    precision = Precision(
        *(np.stack(of_measures, axis=1)[:, np.newaxis] for of_measures in zip(*known, strict=True))
    )
    scored = apply_scheme(letter, values, mean, sd, reference, precision=precision, A=A, B=B, censor=censor)
    names = tuple(standardized_name(letter, name) for name in measures)
    return ScoreTable(
        table.systems, table.topics, names, scored, unretrieved=table.unretrieved, retrieved=table.retrieved
    )


def left_out_topics(
    factors: Factors, topics: Sequence[str], measures: Sequence[str], scheme: str, *, censor: bool = True
) -> Bools:
    """Return True where a scheme leaves a topic out, whatever the runs score, because its standard deviation is 0.

    Parameters
    ----------
    factors : Factors
    topics : sequence of str
        At least one of them has factors.
    measures : sequence of str
        Measures that the factors have.
    scheme : str
        Z, N, U, E or M, in either case, or ``raw``.
    censor : bool
        True if scores of U are censored.

    Returns
    -------
    ndarray of bool, shape (n_topics, n_measures)
        By N and censored U, only topics whose standard deviation may have been rounded to 0; by E, M and raw, none.
    """
    zero: Bools = align(factors.sd, factors, topics, measures) == 0
    needs_spread = scheme != "raw" and not needs_reference_scores(scheme)
    leaves_out = leaves_out_equal_references(scheme, censor) or (needs_spread and factors.rounded)
    return zero if leaves_out else np.zeros_like(zero)
