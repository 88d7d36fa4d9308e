"""The order of documents: by score, and ties by docno, both descending, as in trec_eval.

A docno is a str in which each character is one byte of the file (Latin-1), so that comparing str compares bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from stdeval.table import Ints

# the floats as which scores are compared: of 32 bits, as in trec_eval 9, or of 64 bits, as in trec_eval 10
Precision = Literal["single", "double"]


def at_precision(documents: dict[str, float], precision: Precision) -> dict[str, float]:
    """Return the documents of a topic with scores that order them, as 32-bit floats, as `precision` demands."""
    if precision == "single":
        return documents
    ascending = sorted(set(documents.values()))
    if len(set(array("f", ascending))) == len(ascending):
        return documents
    replaced = dict(zip(ascending, consecutive_floats(len(ascending)), strict=True))
    return {docno: replaced[score] for docno, score in documents.items()}


def consecutive_floats(n: int) -> array[float]:
    """Return n increasing 32-bit floats without a gap; there are enough for two billion documents."""
    # Patterns of bits in increasing order are floats in increasing order; whole numbers are exact only up to 2^24.
    # The first is the smallest that is not subnormal: processors may treat subnormal numbers as 0.
    first = 0x00800000
    return array("f", array("I", range(first, first + n)).tobytes())


def trec_order(docs: Mapping[str, float]) -> Ints:
    """Return the positions of documents in trec_eval's order."""
    docnos = list(docs)
    with np.errstate(over="ignore"):
        descending = -np.fromiter(docs.values(), dtype=np.float64, count=len(docs)).astype(np.float32)
    order = np.argsort(descending, kind="stable")
    same = descending[order[1:]] == descending[order[:-1]]
    if same.any():
        tied = np.zeros(len(order), dtype=np.bool_)
        tied[:-1] = same
        tied[1:] |= same
        # Comparing docnos is slow, so only tied documents are sorted by them. They are then sorted by score again;
        # this sort is stable, and so keeps the order of docnos among equal scores.
        by_docno = np.array(sorted(order[tied].tolist(), key=docnos.__getitem__, reverse=True))
        order[tied] = by_docno[np.argsort(descending[by_docno], kind="stable")]
    return order


def top_documents(docs: Mapping[str, float], depth: int) -> dict[str, float]:
    """Return the first documents of a topic in trec_eval's order with their scores, as trec_eval's ``-M`` does."""
    items = list(docs.items())
    return dict(items[i] for i in trec_order(docs)[:depth].tolist())
