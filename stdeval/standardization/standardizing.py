"""Standardize the scores of a table: place them on the scale of the reference systems' scores on each topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np

from stdeval.display import excerpt
from stdeval.errors import InputError
from stdeval.measures.names import standardized_name
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import align, common_measures, fewest, fit_factors, refuse_huge
from stdeval.standardization.schemes import (
    apply_scheme,
    check_scheme,
    leaves_out_equal_references,
    needs_reference_scores,
    scheme_letter,
)
from stdeval.table import Bools, Ints, ScoreTable, check_scores_table


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
    scored = apply_scheme(letter, values, mean, sd, reference, places=used.decimals, A=A, B=B, censor=censor)
    names = tuple(standardized_name(letter, name) for name in measures)
    return ScoreTable(table.systems, table.topics, names, scored, unretrieved=table.unretrieved)


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


class Facts(NamedTuple):
    """What standardized scores leave out, and how far they can be trusted.

    Parameters
    ----------
    without : tuple of str
        Topics on which some scores have no factors.
    n_references : int
        The smallest number of reference systems of a topic; 0 if it is unknown.
    equal : tuple of str
        Topics that some schemes leave out because a standard deviation is 0.
    letters : tuple of str
        The letters of these schemes.
    extreme : float, str
        The greatest share of scores by N below .001 or above .999, and the measure.
    """

    without: tuple[str, ...]
    n_references: int
    equal: tuple[str, ...]
    letters: tuple[str, ...]
    extreme: tuple[float, str]


def facts_about(
    raw: ScoreTable, tables: Mapping[str, ScoreTable], left_out: Mapping[str, Bools], n_references: Ints
) -> Facts:
    """Return facts about standardized scores.

    Parameters
    ----------
    raw : ScoreTable
        Raw scores, by the measures of the standardized ones.
    tables : mapping of str to ScoreTable
        Scheme to scores; ``raw`` may be among them.
    left_out : mapping of str to ndarray of bool, shape (n_topics, n_measures)
        Scheme to the topics that it leaves out, see `left_out_topics`.
    n_references : ndarray of int
        Numbers of reference systems; 0 where there are no factors.
    """
    lost = np.zeros(len(raw.topics), dtype=bool)
    extreme = (0.0, "")
    for scheme, table in tables.items():
        if scheme != "raw":
            is_lost = np.isnan(table.values) & ~np.isnan(raw.values) & ~left_out[scheme]
            lost |= is_lost.any(axis=(0, 2))
        for name in table.measures if scheme_letter(scheme) == "N" else ():
            scores = table.measure(name)
            n_extreme = int(np.sum((scores < _END) | (scores > 1 - _END)))
            extreme = max(extreme, (n_extreme / max(1, int(np.sum(~np.isnan(scores)))), name))
    equal: Bools = np.any(list(left_out.values()), axis=(0, 2))
    return Facts(
        tuple(topic for topic, is_lost in zip(raw.topics, lost, strict=True) if is_lost),
        fewest(n_references),
        tuple(topic for topic, is_equal in zip(raw.topics, equal, strict=True) if is_equal),
        tuple(scheme_letter(scheme) for scheme, where in left_out.items() if where.any()),
        extreme,
    )


_END = 0.001
"""N this close to 0 or 1 is that of a score three standard deviations away from the mean."""
