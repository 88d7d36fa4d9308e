"""Scores files of different collections joined; topics of different collections may have equal names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stdeval.formats.scores_csv import join_scores
from stdeval.measures.names import prefixed
from stdeval.provenance import Origin, agreed
from stdeval.table import Bools, ScoreTable, rows_for
from stdeval.trec.reading import sorted_topics


def join_columns(tables: Mapping[str, ScoreTable]) -> ScoreTable:
    """Return tables of the same systems and topics as one, with the measures of each under its prefix."""
    systems = tuple(dict.fromkeys(system for table in tables.values() for system in table.systems))
    topics = sorted_topics({topic for table in tables.values() for topic in table.topics})
    measures = tuple(prefixed(prefix, name) for prefix, table in tables.items() for name in table.measures)
    by_topic = [
        rows_for(rows_for(table.values, table.systems, systems).swapaxes(0, 1), table.topics, topics)
        for table in tables.values()
    ]
    values = np.concatenate(by_topic, axis=2).swapaxes(0, 1)
    return ScoreTable(systems, topics, measures, values, agreed([*tables.values()]))


class Collection(NamedTuple):
    """The scores of a collection."""

    number: int
    table: ScoreTable
    file_name: str


def collection_numbers(tables: Sequence[ScoreTable]) -> list[int]:
    """Return the collection of each table, as a number from 1 on: known other judgments are another collection."""
    numbers: list[int] = []
    for table in tables:
        before = [*zip(tables, numbers, strict=False)]
        others = {number for one, number in before if _have_other_judgments(one.origin, table.origin)}
        numbers.append(next(number for number in range(1, len(tables) + 1) if number not in others))
    return numbers


def _have_other_judgments(one: Origin, other: Origin) -> bool:
    if one.digest and other.digest and (one.digest, one.n_judged) != (other.digest, other.n_judged):
        return True
    return any(one.judgments.get(topic, each) != each for topic, each in other.judgments.items())


def by_collection(
    tables: Sequence[ScoreTable], file_names: Sequence[str], numbers: Sequence[int]
) -> list[Collection]:
    """Return the scores of each collection as one table."""
    joined = []
    for number in dict.fromkeys(numbers):
        group = [i for i, each in enumerate(numbers) if each == number]
        table = join_scores([tables[i] for i in group], [file_names[i] for i in group])
        joined.append(Collection(number, table, file_names[group[0]]))
    return joined


def join_collections(collections: Sequence[Collection]) -> ScoreTable:
    """Return the scores of several collections as one table, in which each has topics of its own."""
    apart = []
    for number, table, _ in collections:
        options = {f"{number}/{topic}": each for topic, each in table.origin.options.items()}
        topics = tuple(f"{number}/{topic}" for topic in table.topics)
        apart.append(replace(table, topics=topics, origin=Origin(options=options)))
    return join_scores(apart, [each.file_name for each in collections])


def topics_of_other_collections(is_scored: Bools) -> Bools:
    """Return for each system the topics of other collections: systems that share a topic are of one collection."""
    has = is_scored.astype(np.int64)
    return np.asarray((has @ has.T > 0).astype(np.int64) @ has == 0)
