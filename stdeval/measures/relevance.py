"""Relevance vectors: the judgments of one topic's documents, in the order in which trec_eval ranks them.

A docno is a str in which each character is one byte of the file (Latin-1), so that comparing str compares bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat

import numpy as np

from stdeval.table import Floats, Ints

NOT_POOLED = -1
"""In a relevance vector: a document without a judgment."""

UNJUDGED = -2
"""In a relevance vector: a document with a negative judgment, which says pooled, but not judged."""


def trec_order(docnos: Sequence[str], scores: Sequence[float] | Floats) -> Ints:
    """Positions of the documents in trec_eval's order.

    That is by score descending, as 32-bit floats, then by docno descending by bytes.

    Parameters
    ----------
    docnos : sequence of str, length n
        One character a byte.
    scores : ndarray or sequence of float, length n
        A score beyond the range of 32-bit floats is infinite.

    Returns
    -------
    ndarray of int, shape (n,)
        The position of the first document, of the second, and so on.

    References
    ----------
    trec_eval 9.0.8, form_res_rels.c: ``comp_sim_docno``, over scores that are C floats.

    Examples
    --------
    Two scores that differ as 64-bit floats only are tied:

    >>> trec_order(["d1", "d2", "d3", "d10"], [0.5, 0.5 + 1e-9, 0.9, 0.5])
    array([2, 1, 3, 0])
    """
    with np.errstate(over="ignore"):
        descending = -np.asarray(scores, dtype=np.float64).astype(np.float32)
    order = np.argsort(descending, kind="stable")
    same = descending[order[1:]] == descending[order[:-1]]
    if same.any():
        tied = np.zeros(len(order), dtype=np.bool_)
        tied[:-1] = same
        tied[1:] |= same
        # Only here are docnos compared; sorting by score is stable and so keeps their order.
        by_docno = np.array(sorted(order[tied].tolist(), key=docnos.__getitem__, reverse=True))
        order[tied] = by_docno[np.argsort(descending[by_docno], kind="stable")]
    return order


def relevance_vector(
    docs: Mapping[str, float],
    judged: Mapping[str, int],
    depth: int | None = None,
    judged_only: bool = False,
    ordered: bool = False,
) -> Ints:
    """The judgments of one topic's documents, in trec_eval's order.

    Parameters
    ----------
    docs : mapping of docno to score
        What a run retrieved for the topic.
    judged : mapping of docno to judgment
        The topic's qrels.
    depth : int, optional
        Only that many documents are kept, trec_eval's ``-M``; None keeps all.
    judged_only : bool
        Whether documents that are not judged are then dropped, trec_eval's ``-J``.
    ordered : bool
        Whether ``docs`` are in trec_eval's order already, as from `top_documents`; they are not sorted again.

    Returns
    -------
    ndarray of int, shape (n_retrieved,)
        0 and more is a relevance level; `NOT_POOLED` a document without judgment, `UNJUDGED` one with a
        negative judgment.

    Examples
    --------
    >>> docs = {"d1": 5.0, "d2": 4.0, "d3": 3.0, "d4": 2.0, "d5": 1.0}
    >>> judged = {"d1": 1, "d3": 0, "d4": 2, "d5": -3}
    >>> relevance_vector(docs, judged)
    array([ 1, -1,  0,  2, -2])
    >>> relevance_vector(docs, judged, depth=3, judged_only=True)
    array([1, 0])
    """
    levels = np.fromiter(map(judged.get, docs, repeat(NOT_POOLED)), dtype=np.int64, count=len(docs))
    # A docno that is absent and one that is judged -1 look alike so far; only rare qrels have negative judgments.
    if (levels < 0).any() and min(judged.values(), default=0) < 0:
        pooled = np.fromiter(map(judged.__contains__, docs), dtype=np.bool_, count=len(docs))
        levels[(levels < 0) & pooled] = UNJUDGED
    ranked: Ints = levels[:depth] if ordered else levels[_order_of(docs)[:depth]]
    return ranked[ranked >= 0] if judged_only else ranked


def top_documents(docs: Mapping[str, float], depth: int) -> dict[str, float]:
    """The first documents of a topic in trec_eval's order, and their scores: trec_eval's ``-M``.

    Examples
    --------
    >>> top_documents({"d1": 1.0, "d2": 2.0, "d3": 2.0}, 2)
    {'d3': 2.0, 'd2': 2.0}
    """
    docnos = list(docs)
    return {docnos[i]: docs[docnos[i]] for i in _order_of(docs)[:depth].tolist()}


def _order_of(docs: Mapping[str, float]) -> Ints:
    return trec_order(list(docs), np.fromiter(docs.values(), dtype=np.float64, count=len(docs)))
