"""Relevance vectors: the judgments of one topic's documents in the order in which trec_eval ranks them.

A docno is a str in which each character is one byte of the file (Latin-1), so that comparing str compares bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import TypeVar

import numpy as np

from stdeval.errors import InputError
from stdeval.table import Bools, Floats, Ints

Array = TypeVar("Array", Bools, Floats, Ints)

Discount = Callable[[int], Floats]
"""A function of the number of ranks that returns their weights, such as `stdeval.measures.papers.dcg_weights`."""

NOT_POOLED = -1
"""In a relevance vector: a document without a judgment."""

UNJUDGED = -2
"""In a relevance vector: a document with a negative judgment, which means pooled but not judged."""


def trec_order(docnos: Sequence[str], scores: Sequence[float] | Floats) -> Ints:
    """Return the positions of documents in trec_eval's order."""
    with np.errstate(over="ignore"):
        descending = -np.asarray(scores, dtype=np.float64).astype(np.float32)
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


def relevance_vector(
    docs: Mapping[str, float], judged: Mapping[str, int], *, judged_only: bool = False, ordered: bool = False
) -> Ints:
    """Return the judgments of one topic's documents, in trec_eval's order."""
    levels = np.fromiter(map(judged.get, docs, repeat(NOT_POOLED)), dtype=np.int64, count=len(docs))
    # A document without a judgment and one judged -1 look alike so far. Few qrels have negative judgments, so the
    # documents are looked up a second time only in those.
    if (levels < 0).any() and min(judged.values(), default=0) < 0:
        pooled = np.fromiter(map(judged.__contains__, docs), dtype=np.bool_, count=len(docs))
        levels[(levels < 0) & pooled] = UNJUDGED
    ranked: Ints = levels if ordered else levels[_order_of(docs)]
    return ranked[ranked >= 0] if judged_only else ranked


def top_documents(docs: Mapping[str, float], depth: int) -> dict[str, float]:
    """Return the first documents of a topic in trec_eval's order with their scores, as trec_eval's ``-M`` does."""
    docnos = list(docs)
    return {docnos[i]: docs[docnos[i]] for i in _order_of(docs)[:depth].tolist()}


@dataclass(frozen=True, eq=False)
class TopicRelevance:
    """The relevance of the documents retrieved for a topic; made once, and used by all measures."""

    vector: Ints
    judged: Ints
    level: int = 1
    binary: bool = False
    ideal_sums: dict[tuple[Discount, int | None], float] = field(default_factory=dict)

    @cached_property
    def relevant(self) -> Bools:
        """Relevance by rank, r_i in the papers, shape (n_retrieved,)."""
        return self.vector >= self.level

    @cached_property
    def relevant_positions(self) -> Ints:
        """Positions of the relevant documents in the ranking, counted from 0."""
        return np.flatnonzero(self.relevant)

    @cached_property
    def num_rel(self) -> int:
        """R, the number of documents that are known to be relevant."""
        return int(np.count_nonzero(self.judged >= self.level))

    @cached_property
    def gains(self) -> Floats:
        """Gains by rank, shape (n_retrieved,)."""
        return self._gains_of(self.vector)

    @cached_property
    def ideal_gains(self) -> Floats:
        """The gains above 0 of all documents of the topic, highest first, shape (n_gains,)."""
        gains = self._gains_of(self.judged)
        return np.sort(gains[gains > 0])[::-1]

    @cached_property
    def _gain_positions(self) -> Ints:
        return np.flatnonzero(self.gains)

    @cached_property
    def _sums(self) -> dict[tuple[Discount, int | None], float]:
        return {}

    def discounted_sum(self, discount: Discount, k: int | None = None) -> float:
        """Return the sum of the gains to rank k, each times the discount of its rank; computed once."""
        if (discount, k) not in self._sums:
            positions = positions_before(self._gain_positions, k)
            self._sums[discount, k] = discounted(first_ranks(self.gains, k), positions, discount)
        return self._sums[discount, k]

    def ideal_sum(self, discount: Discount, k: int | None = None) -> float:
        """Return the `discounted_sum` of the ideal ranking."""
        if (discount, k) not in self.ideal_sums:
            gains = first_ranks(self.ideal_gains, k)
            self.ideal_sums[discount, k] = float((gains * discount(len(gains))).sum())
        return self.ideal_sums[discount, k]

    def _gains_of(self, judgments: Ints) -> Floats:
        if self.binary:
            return (judgments >= self.level).astype(np.float64)
        return np.maximum(judgments, 0).astype(np.float64)


def discounted(gains: Floats, positions: Ints, discount: Discount) -> float:
    """Return the sum of the gains by rank, each times the discount of its rank; `positions` are those above 0."""
    # Only gains above 0 are added: a perfect run then adds exactly the terms of its ideal, in the same order, and
    # no normalized score exceeds 1 by rounding.
    return float((gains[positions] * discount(len(gains))[positions]).sum())


def first_ranks(by_rank: Array, k: int | None) -> Array:
    """Return the first k elements; all if k is None."""
    if k is not None and k < 1:
        raise InputError(f"cutoff {k}, expected at least 1")
    return by_rank[:k]


def positions_before(positions: Ints, k: int | None) -> Ints:
    """Return the ascending positions, counted from 0, that are among the first k ranks; all if k is None."""
    return positions if k is None else positions[: positions.searchsorted(k)]


def relstring(vector: Ints, length: int) -> str:
    """Return the judgments of the first documents, one character each, as trec_eval prints them."""
    characters = {NOT_POOLED: "-", UNJUDGED: "."}
    return "".join(characters.get(rel, str(rel) if rel <= 9 else ">") for rel in vector[:length].tolist())


def _order_of(docs: Mapping[str, float]) -> Ints:
    return trec_order(list(docs), np.fromiter(docs.values(), dtype=np.float64, count=len(docs)))
