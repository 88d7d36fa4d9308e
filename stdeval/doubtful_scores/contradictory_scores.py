"""Find scores of a run by two measures that no ranking can have both."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from stdeval.arrays import Bools, Floats
from stdeval.measures.names import canonical, measure_named, split_prefix
from stdeval.measures.parameters import Measure
from stdeval.stats.rounding import half_units


class _Found(NamedTuple):
    """The least and the greatest number of relevant documents among the first ones that a score allows.

    Parameters
    ----------
    depth : float or ndarray
        The number of first documents; infinite for all.
    least, most : ndarray
        Bounds of the number of relevant ones among them, in the shape of the scores.
    """

    depth: float | Floats
    least: Floats
    most: Floats


class Contradiction(NamedTuple):
    """Two measures whose scores contradict each other.

    Parameters
    ----------
    measures : (int, int)
        Places of the measures. By the first one there are more relevant documents than by the second one.
    where : ndarray of bool, shape (n_systems, n_topics)
    """

    measures: tuple[int, int]
    where: Bools


def contradictions(measures: Sequence[str], values: Floats) -> Iterator[Contradiction]:
    """Yield the pairs of measures whose scores contradict each other on some topic.

    For example, a run with relevant documents among the first ten (P_10) has an average precision above 0. Measures
    with a level of their own, such as ``P_10_rel=2``, and those of different prefixes are not compared.

    Parameters
    ----------
    measures : sequence of str
        Raw measures, in any spelling.
    values : ndarray, shape (n_systems, n_topics, n_measures)
        NaN is missing.

    Examples
    --------
    >>> for found in contradictions(["map", "P@10"], np.array([[[0.25, 0.2], [0.0, 0.3]]])):
    ...     print(found.measures, found.where)
    (1, 0) [[False  True]]
    """
    found: dict[str, list[tuple[int, _Found]]] = {}
    for place, name in enumerate(measures):
        prefix, plain = split_prefix(name)
        measure = measure_named(plain)
        if measure is not None and measure.level is None and measure.family.name in _READERS:
            read = _READERS[measure.family.name](measure, values[:, :, place])
            found.setdefault(prefix, []).extend((place, each) for each in read)
    for of_prefix in found.values():
        for more, one in of_prefix:
            for fewer, other in of_prefix:
                # A comparison with NaN is False.
                where = (one.depth <= other.depth) & (one.least > other.most)
                if more != fewer and where.any():
                    yield Contradiction((more, fewer), where)
    yield from _other_shares(measures, values)


def _other_shares(measures: Sequence[str], values: Floats) -> Iterator[Contradiction]:
    """Yield shares of documents that are not those of the numbers beside them: recall, set_recall and set_P."""
    places = {name: place for place, name in enumerate(map(canonical, measures))}
    if not {"num_rel_ret", "num_rel", "num_ret"} <= places.keys():
        return
    found, relevant, retrieved = (values[:, :, places[name]] for name in ("num_rel_ret", "num_rel", "num_ret"))
    for name, place in places.items():
        cutoff = name.removeprefix("recall_")
        if name not in ("set_P", "set_recall") and not cutoff.isdecimal():
            continue
        of = retrieved if name == "set_P" else relevant
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            where = np.abs(values[:, :, place] - found / of) > half_units(values[:, :, place])
        where &= of > 0
        where &= retrieved <= (float(cutoff) if cutoff.isdecimal() else math.inf)
        if where.any():
            yield Contradiction((place, places["num_rel_ret"]), where)


def pasted_measures(measures: Sequence[str], values: Floats) -> Iterator[Contradiction]:
    """Yield the pairs of measures by which all scores of a system are equal, although no ranking has such scores.

    They discount ranks in different ways, so that they are equal on single topics only: nDCG by logarithms, rbp and
    err by powers, and all others not at all or by ranks.

    Parameters
    ----------
    measures, values
        As for `contradictions`.

    Examples
    --------
    >>> scores = np.array([[[0.1], [0.2], [0.3], [0.4], [0.5]]])
    >>> for found in pasted_measures(["map", "nDCG@10"], np.concatenate([scores, scores], axis=2)):
    ...     print(found.measures, found.where)
    (0, 1) [[ True  True  True  True  True]]
    """
    discounts: dict[str, list[int]] = {}
    for place, name in enumerate(measures):
        measure = measure_named(split_prefix(name)[1])
        if measure is None or measure.family.name in _LIKE_OTHERS:
            continue
        if measure.level is None and measure.family.kind == "score":
            discounts.setdefault(_discount(measure), []).append(place)
    for one, other in combinations(discounts.values(), 2):
        for pair in product(one, other):
            first, second = (values[:, :, place] for place in pair)
            differ = np.any((first != second) & ~(np.isnan(first) & np.isnan(second)), axis=1)
            enough = [len(np.unique(row[(row > 0) & (row < 1)])) >= _FEWEST_PASTED for row in first]
            where = np.repeat((~differ & enough)[:, np.newaxis], values.shape[1], axis=1)
            if where.any():
                yield Contradiction(pair, where)


_LIKE_OTHERS = ("G", "binG")
"""Measures that equal nDCG if one document is relevant, and map if all retrieved documents are relevant."""

_FEWEST_PASTED = 5
"""The least number of different scores between 0 and 1; equal ones on a few topics may be due to rounding."""


def _discount(measure: Measure) -> str:
    found = re.search("dcg|^err|rbp", measure.family.name)
    return found[0] if found else ""


_SURELY_SEEN = 20
"""A relevant document among so many gives a score that four decimals do not round to 0."""


def _none_if_0(depth: float, scores: Floats) -> _Found:
    """Read a score that is 0 only if no relevant document is among the first ones."""
    return _Found(min(depth, _SURELY_SEEN), np.zeros(scores.shape), np.where(scores == 0, 0, np.inf))


def _from_precision(measure: Measure, scores: Floats) -> Iterator[_Found]:
    cutoff = float(measure.parameter)
    numbers = np.round(scores * cutoff)
    yield _Found(cutoff, numbers, numbers)


def _from_presence(measure: Measure, scores: Floats) -> Iterator[_Found]:
    """Read a score that is above 0 only if a relevant document is among the first ones, and otherwise 0."""
    depth = float(measure.parameter or math.inf)
    yield _Found(depth, np.where(scores > 0, 1.0, 0.0), np.full(scores.shape, np.inf))
    yield _none_if_0(depth, scores)


def _from_gains(measure: Measure, scores: Floats) -> Iterator[_Found]:
    """Read a score that is 0 only if no document has a gain, not even one below the relevance level."""
    # a gain that is given may be 0
    if not measure.has_named_gains:
        yield _none_if_0(float(measure.parameter or math.inf), scores)


def _from_first_rank(_: Measure, scores: Floats) -> Iterator[_Found]:
    half = half_units(scores)
    with np.errstate(divide="ignore"):
        last = np.where(scores > half, np.floor(1 / np.maximum(scores - half, 1e-12)), np.inf)
        first = np.ceil(1 / (scores + half))
    yield _Found(last, np.where(np.isfinite(last), 1.0, 0.0), np.full(scores.shape, np.inf))
    yield _Found(
        np.where(scores > 0, first - 1, np.inf), np.zeros(scores.shape), np.where(scores >= 0, 0.0, np.inf)
    )


def _from_retrieved(_: Measure, numbers: Floats) -> Iterator[_Found]:
    yield _Found(math.inf, numbers, numbers)


def _from_relevant(_: Measure, numbers: Floats) -> Iterator[_Found]:
    yield _Found(math.inf, np.zeros(numbers.shape), numbers)


_READERS: dict[str, Callable[[Measure, Floats], Iterator[_Found]]] = {
    "P": _from_precision,
    "recip_rank": _from_first_rank,
    "num_rel_ret": _from_retrieved,
    "num_rel": _from_relevant,
    "ndcg": _from_gains,
    "ndcg_cut": _from_gains,
    **dict.fromkeys(("map", "map_cut", "recall", "success"), _from_presence),
}
"""How the scores by a measure of each family are read."""
