"""Scores files of different collections joined; topics of different collections may have equal names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stdeval.formats.scores_csv import join_scores
from stdeval.provenance import Origin
from stdeval.table import Bools, ScoreTable


class Collection(NamedTuple):
    """The scores of a collection.

    Parameters
    ----------
    number : int
        From 1 on.
    table : ScoreTable
    file_name : str
        The name of the first of its files.
    """

    number: int
    table: ScoreTable
    file_name: str


def collection_numbers(tables: Sequence[ScoreTable]) -> list[int]:
    """Return the collection of each table, as a number from 1 on.

    Tables are of different collections if their signatures, or a topic of theirs, name different judgments.
    """
    groups: list[list[ScoreTable]] = []
    numbers = []
    for table in tables:
        own = (i for i, group in enumerate(groups) if not any(_have_other_judgments(one, table) for one in group))
        place = next(own, len(groups))
        if place == len(groups):
            groups.append([])
        groups[place].append(table)
        numbers.append(place + 1)
    return numbers


def by_collection(
    tables: Sequence[ScoreTable], file_names: Sequence[str], numbers: Sequence[int]
) -> list[Collection]:
    """Return the scores of each collection as one table.

    Parameters and errors are those of `stdeval.formats.scores_csv.join_scores`, which joins tables of the same
    collection, and the numbers of the collections, from `collection_numbers`.
    """
    groups = {number: [i for i, each in enumerate(numbers) if each == number] for number in numbers}
    return [
        Collection(
            number, join_scores([tables[i] for i in group], [file_names[i] for i in group]), file_names[group[0]]
        )
        for number, group in groups.items()
    ]


def join_collections(collections: Sequence[Collection]) -> ScoreTable:
    """Return the scores of several collections as one table, in which each has topics of its own.

    The names of topics begin with the number of their collection, as in ``2/301``. The table does not say from
    which judgments, or by which factors, its scores come, only with which options.

    Raises
    ------
    InputError
        If a system is in two collections.
    """
    apart = [
        replace(
            table,
            topics=tuple(f"{number}/{topic}" for topic in table.topics),
            origin=Origin(options={f"{number}/{topic}": each for topic, each in table.origin.options.items()}),
        )
        for number, table, _ in collections
    ]
    return join_scores(apart, [each.file_name for each in collections])


def _have_other_judgments(one: ScoreTable, other: ScoreTable) -> bool:
    """Return True if two tables are known to come from different judgments."""
    a, b = one.origin, other.origin
    if a.digest and b.digest and (a.digest, a.n_judged) != (b.digest, b.n_judged):
        return True
    return any(a.judgments.get(topic, each) != each for topic, each in b.judgments.items())


def topics_of_other_collections(is_scored: Bools) -> Bools:
    """Return for each system the topics of other collections: systems that share a topic are of one collection.

    Parameters
    ----------
    is_scored : ndarray of bool, shape (n_systems, n_topics)

    Examples
    --------
    The first two systems share a topic; the third is of another collection.

    >>> is_scored = np.array([[True, True, False], [True, False, False], [False, False, True]])
    >>> topics_of_other_collections(is_scored).tolist()
    [[False, False, True], [False, False, True], [True, True, False]]
    """
    has = is_scored.astype(np.int64)
    return np.asarray((has @ has.T > 0).astype(np.int64) @ has == 0)
