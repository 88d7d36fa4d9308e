"""Scores of several files joined: of one collection, or of several, whose topics may have equal names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.names import prefixed
from stdeval.provenance import Origin, agreed, have_other_qrels, other_factors
from stdeval.table import Bools, Floats, ScoreTable, rows_for
from stdeval.trec.reading import sorted_topics


def join_scores(tables: Sequence[ScoreTable], file_names: Sequence[str]) -> ScoreTable:
    """Return tables of different systems as one; refuse known other judgments, options or factors."""
    if len(tables) == 1:
        return tables[0]
    file_of, judgments, options = dict[str, str](), dict[str, str](), dict[str, str]()
    for i, (table, file_name) in enumerate(zip(tables, file_names, strict=True)):
        for system in table.systems:
            if system in file_of:
                found = f"run '{system}' is also in {file_of[system]}"
                expected = "expected each name once: rename one of them ('eval' takes NAME=RUN)"
                raise InputError(f"{found}, {expected}", file_name)
            file_of[system] = file_name
        pairs = ((judgments, table.origin.judgments), (options, table.origin.options))
        differ = any(known.setdefault(topic, each) != each for known, own in pairs for topic, each in own.items())
        if differ or any(_contradict(before, table) for before in tables[:i]):
            what = "scores with other judgments, options or factors than in the files before"
            raise InputError(f"{what}, expected the same", file_name)
    topics = sorted_topics({topic for table in tables for topic in table.topics})
    measures = tuple(dict.fromkeys(measure for table in tables for measure in table.measures))
    values = np.concatenate([_values_at(table, table.systems, topics, measures) for table in tables])
    return ScoreTable(tuple(file_of), topics, measures, values, agreed(tables))


def _values_at(table: ScoreTable, systems: Sequence[str], topics: Sequence[str], measures: Sequence[str]) -> Floats:
    """Return the scores for these labels, NaN where the table has none."""
    by_topic = rows_for(rows_for(table.values, table.systems, systems).swapaxes(0, 1), table.topics, topics)
    return rows_for(by_topic.T, table.measures, measures).transpose(1, 2, 0)


def _contradict(one: ScoreTable, other: ScoreTable) -> bool:
    """Return whether two tables are known to have other judgments, from their digests, or other factors."""
    common, same_topics = {*one.measures} & {*other.measures}, {*one.topics} == {*other.topics}
    have_other_factors = other_factors(one.origin, other.origin, common, same_topics=same_topics)
    return bool(have_other_factors) or have_other_qrels(one.origin, other.origin)


def join_columns(tables: Mapping[str, ScoreTable]) -> ScoreTable:
    """Return tables of the same systems and topics as one, with the measures of each under its prefix."""
    systems = tuple(dict.fromkeys(system for table in tables.values() for system in table.systems))
    topics = sorted_topics({topic for table in tables.values() for topic in table.topics})
    measures = tuple(prefixed(prefix, name) for prefix, table in tables.items() for name in table.measures)
    values = np.concatenate([_values_at(each, systems, topics, each.measures) for each in tables.values()], axis=2)
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
    groups = {number: [i for i, each in enumerate(numbers) if each == number] for number in numbers}
    return [
        Collection(number, join_scores([tables[i] for i in at], [file_names[i] for i in at]), file_names[at[0]])
        for number, at in groups.items()
    ]


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
