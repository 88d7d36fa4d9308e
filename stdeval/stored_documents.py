"""How many documents systems retrieved, according to measures that are stored with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np

from stdeval.documents.retrieved import Retrieved
from stdeval.named_columns import column_of_measure
from stdeval.table import Floats, mean_over_topics


def retrieved_as_stored(systems: Sequence[str], measures: Sequence[str], scores: Floats) -> dict[str, Retrieved]:
    """Return what systems retrieved, if ``num_ret``, ``judged_10`` or ``num_rel`` is among the measures.

    Topics without documents do not count: they are missing from the run, and stored with -c.
    """
    columns = {name: column_of_measure(measures, name) for name in ("num_ret", "judged_10", "num_rel")}
    places = {name: measures.index(column) for name, column in columns.items() if column is not None}
    if not places:
        return {}
    retrieved = scores
    if "num_ret" in places:
        retrieved = np.where(scores[:, :, [places["num_ret"]]] > 0, scores, np.nan)
    # The number of relevant documents of a topic does not depend on what is retrieved.
    counted_topics = {"num_ret": retrieved, "judged_10": retrieved, "num_rel": scores}
    unknown = np.full(len(systems), np.nan)
    means = (
        mean_over_topics(each[:, :, places[name]]).tolist() if name in places else unknown.tolist()
        for name, each in counted_topics.items()
    )
    return {system: Retrieved(*each) for system, *each in zip(systems, *means, strict=True)}


def unretrieved_as_stored(
    systems: Sequence[str], topics: Sequence[str], measures: Sequence[str], scores: Floats
) -> dict[str, frozenset[str]]:
    """Return the topics for which each system retrieved no document; nothing if ``num_ret`` is not known.

    Such topics were stored with -c, and count as 0.
    """
    column = column_of_measure(measures, "num_ret")
    if column is None:
        return {}
    are_empty = scores[:, :, list(measures).index(column)] == 0
    return {
        system: frozenset(compress(topics, row)) for system, row in zip(systems, are_empty.tolist(), strict=True)
    }
