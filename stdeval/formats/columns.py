"""Join scores files of the same runs by column: the measures of each file under a prefix, such as ``deep:map``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from stdeval.documents.retrieved import Retrieved
from stdeval.measures.names import prefixed, split_prefix
from stdeval.origins import Origin, Origins, References, Standardization, common_origin, have_option, lines_digest
from stdeval.signature import ADJUSTMENTS, named_measures, stored_signature
from stdeval.stored_documents import retrieved_as_stored, unretrieved_as_stored
from stdeval.table import ScoreTable, rows_for
from stdeval.trec.reading import sorted_topics


def join_columns(tables: Mapping[str, ScoreTable]) -> ScoreTable:
    """Return tables of the same systems and topics as one, with the measures of each under its prefix.

    Parameters
    ----------
    tables : mapping of str to ScoreTable
        Prefix to table; the measures of the table with an empty prefix keep their names. Judgments and options may
        differ between the tables. The origin of a topic is kept as far as all tables that have the topic agree;
        each of the ``parts`` of the result has its own.

    Returns
    -------
    ScoreTable
        Systems in the order in which they first appear. A system or topic that a table does not have is missing
        there.

    Raises
    ------
    InputError
        If two measures get the same name.

    Examples
    --------
    >>> deep = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.5]]]))
    >>> shallow = ScoreTable(("b",), ("1",), ("map",), np.array([[[0.75]]]))
    >>> joined = join_columns({"deep": deep, "shallow": shallow})
    >>> joined.measures, joined.values[:, 0].tolist()
    (('deep:map', 'shallow:map'), [[0.25, nan], [0.5, 0.75]])
    """
    systems = tuple(dict.fromkeys(system for table in tables.values() for system in table.systems))
    topics = sorted_topics({topic for table in tables.values() for topic in table.topics})
    named = [
        replace(part, measures=tuple(prefixed(prefix, name) for name in part.measures), joined=())
        for prefix, table in tables.items()
        for part in table.parts
    ]
    measures = tuple(prefixed(prefix, name) for prefix, table in tables.items() for name in table.measures)
    by_topic = [
        rows_for(rows_for(table.values, table.systems, systems).swapaxes(0, 1), table.topics, topics)
        for table in tables.values()
    ]
    values = np.concatenate(by_topic, axis=2).swapaxes(0, 1)
    digests = {table.qrels for table in tables.values()}
    qrels = digests.pop() if len(digests) == 1 else None
    return ScoreTable(
        systems,
        topics,
        measures,
        values,
        _agreed_origins(tables.values()),
        unretrieved=_unretrieved_by_any(named),
        retrieved=_retrieved_by_first(named),
        qrels=qrels,
        standardization=_standardization(tables),
        joined=tuple(named),
    )


def with_parts(table: ScoreTable) -> ScoreTable:
    """Return a table from one file with a part for each prefix of its measures, as if several files were joined.

    Examples
    --------
    >>> measures = ("deep:map", "deep:num_ret", "shallow:map")
    >>> table = with_parts(ScoreTable(("a",), ("1",), measures, np.array([[[0.25, 100, 0.75]]])))
    >>> [(part.measures, len(part.retrieved)) for part in table.parts]
    [(('deep:map', 'deep:num_ret'), 1), (('shallow:map',), 0)]
    """
    prefixes = dict.fromkeys(split_prefix(name)[0] for name in table.measures)
    if list(prefixes) == [""]:
        return table
    parts = tuple(_part(table, prefix) for prefix in prefixes)
    retrieved, unretrieved = _retrieved_by_first(parts), _unretrieved_by_any(parts)
    return replace(table, joined=parts, retrieved=retrieved, unretrieved=unretrieved)


def _part(table: ScoreTable, prefix: str) -> ScoreTable:
    """Return the columns of one prefix as a table, with the numbers of documents that these columns tell."""
    part = table.select(measures=[name for name in table.measures if split_prefix(name)[0] == prefix])
    bare = [split_prefix(name)[1] for name in part.measures]
    return replace(
        part,
        retrieved={} if have_option("-J", table.origins) else retrieved_as_stored(part.systems, bare, part.values),
        unretrieved=unretrieved_as_stored(part.systems, part.topics, bare, part.values),
    )


def _unretrieved_by_any(parts: Sequence[ScoreTable]) -> dict[str, frozenset[str]]:
    """Return, for each system, the topics for which it has no documents in at least one part."""
    systems = dict.fromkeys(system for part in parts for system in part.unretrieved)
    return {
        system: frozenset[str]().union(*(part.unretrieved.get(system, ()) for part in parts)) for system in systems
    }


def _retrieved_by_first(parts: Sequence[ScoreTable]) -> dict[str, Retrieved]:
    """Return what each system retrieved, from the first part that tells it."""
    return {name: each for part in reversed(parts) for name, each in part.retrieved.items()}


def _agreed_origins(tables: Iterable[ScoreTable]) -> Origins:
    agreed: dict[str, Origin] = {}
    for table in tables:
        for topic in table.topics:
            origin = table.origins.get(topic, Origin())
            before = agreed.get(topic, origin)
            # if two origins disagree, one without judgments takes their place, which disagrees with none
            options = origin.options if origin.options == before.options else None
            agreed[topic] = common_origin(before, origin) or Origin("", options)
    return {topic: origin for topic, origin in agreed.items() if origin != Origin()}


def _standardization(tables: Mapping[str, ScoreTable]) -> Standardization | None:
    """Return how the scores of tables that are joined by column were standardized; None if no signature tells.

    It has the schemes and the adjustments of all tables, a digest of the digests of different factors, and the
    least and the greatest number of references.
    """
    made = [each.standardization for each in tables.values() if each.standardization is not None]
    if not made:
        return None
    signatures = {prefix: stored_signature(table) for prefix, table in tables.items()}
    references = [each.references for each in signatures.values() if each.references is not None]
    measures = (prefixed(prefix, name) for prefix, each in signatures.items() for name in each.measures)
    scored = {each.scored for each in made}
    return Standardization(
        tuple(sorted({name for each in signatures.values() for name in each.schemes} - {"raw"})),
        _joined_fields(field for each in signatures.values() for field in each.adjustments),
        _joined_references(references),
        named_measures(tuple(dict.fromkeys(measures))),
        scored.pop() if len(scored) == 1 else 0,
    )


def _joined_fields(fields: Iterable[str]) -> tuple[str, ...]:
    """Return each field once, with all its different values."""
    values: dict[str, dict[str, None]] = {}
    for name, _, value in (field.partition(":") for field in fields):
        values.setdefault(name, {})[value] = None
    return tuple(f"{name}:{' '.join(sorted(values[name]))}" for name in ADJUSTMENTS if name in values)


def _joined_references(references: Sequence[References]) -> References:
    """Combine references: one digest for all digests, unknown if one is, and the least and the greatest number."""
    digests = {each.digest for each in references}
    digest = digests.pop() if len(digests) == 1 else lines_digest(f"{each}\n".encode() for each in digests)
    known = [each for each in references if each.most]
    return References(
        "" if "" in digests else digest,
        min((each.fewest for each in known), default=0),
        max((each.most for each in known), default=0),
    )
