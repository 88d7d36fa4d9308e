"""Join scores files of the same runs by column: the measures of each file under a prefix, such as ``deep:map``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stdeval.measures.names import prefixed
from stdeval.provenance import agreed
from stdeval.table import ScoreTable, rows_for
from stdeval.trec.reading import sorted_topics


def join_columns(tables: Mapping[str, ScoreTable]) -> ScoreTable:
    """Return tables of the same systems and topics as one, with the measures of each under its prefix.

    Parameters
    ----------
    tables : mapping of str to ScoreTable
        Prefix to table; the measures of the table with an empty prefix keep their names. Judgments and options may
        differ between the tables. The origin of a topic is kept as far as all tables that have the topic agree.

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
    measures = tuple(prefixed(prefix, name) for prefix, table in tables.items() for name in table.measures)
    by_topic = [
        rows_for(rows_for(table.values, table.systems, systems).swapaxes(0, 1), table.topics, topics)
        for table in tables.values()
    ]
    values = np.concatenate(by_topic, axis=2).swapaxes(0, 1)
    return ScoreTable(systems, topics, measures, values, agreed([*tables.values()]))
