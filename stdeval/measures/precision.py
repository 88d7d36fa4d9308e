"""Scores of documents compared as 32-bit floats, as trec_eval 9 does, or as 64-bit floats, as trec_eval 10 does.

Everything that orders documents, pytrec_eval included, compares 32-bit floats. If 64-bit floats are to decide, and
32-bit floats cannot tell all scores of a topic apart, the scores are replaced where documents enter, by 32-bit
floats in the same order. So nothing that follows needs to know the precision.

This module loads no numpy, since `eval` runs through it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import islice
from operator import ne
from typing import Literal

from stdeval.errors import InputError
from stdeval.trec.reading import Documents

Precision = Literal["single", "double"]
"""Compare scores as 32-bit floats, or as 64-bit floats."""

_FIRST_PATTERN = 0x00800000
"""The bits of the smallest 32-bit float that is not subnormal; processors may treat subnormal numbers as 0."""


def at_precision(documents: Documents, precision: Precision) -> Documents:
    """Return the documents of a topic with scores that order them, as 32-bit floats, as `precision` demands.

    Parameters
    ----------
    documents : dict
        Docno to score, a finite float.
    precision : {"single", "double"}

    Returns
    -------
    dict
        The same docnos. The scores are replaced only if the precision is double, and two different scores of the
        topic are equal as 32-bit floats. Equal scores stay equal, and a higher score stays higher.

    Raises
    ------
    InputError
        If there is no such precision.

    References
    ----------
    form_res_rels.c of trec_eval: ``sim`` is a float in version 9.0.8 and a double in version 10.0.

    Examples
    --------
    >>> close = {"a": 16777216.2, "b": 16777216.1, "c": 16777216.1}
    >>> at_precision(close, "single") == close
    True
    >>> scores = at_precision(close, "double")
    >>> scores["a"] > scores["b"] == scores["c"]
    True
    """
    if precision == "single":
        return documents
    if precision != "double":
        raise InputError(f"precision '{precision}', expected single or double")
    # Runs are mostly in this order already, and then sorting takes much less time than collecting distinct scores.
    ordered = sorted(documents.values(), reverse=True)
    if _n_changes(array("f", ordered)) == _n_changes(ordered):
        return documents
    ascending = list(dict.fromkeys(ordered))[::-1]
    replaced = dict(zip(ascending, consecutive_floats(len(ascending)), strict=True))
    return {docno: replaced[score] for docno, score in documents.items()}


def _n_changes(values: Sequence[float]) -> int:
    """Number of values that differ from the one before."""
    return sum(map(ne, values, islice(values, 1, None)))


def consecutive_floats(n: int) -> array[float]:
    """Return n increasing 32-bit floats without a gap; there are enough for two billion documents.

    Examples
    --------
    >>> low, high = consecutive_floats(2)
    >>> 0 < low < high
    True
    """
    # Patterns of bits in increasing order are floats in increasing order. Whole numbers would be simpler, but as
    # 32-bit floats they are exact only up to 2^24.
    return array("f", array("I", range(_FIRST_PATTERN, _FIRST_PATTERN + n)).tobytes())
