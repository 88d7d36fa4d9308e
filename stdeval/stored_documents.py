"""How many documents systems retrieved, according to measures that are stored with their scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress

import numpy as np

from stdeval.documents.retrieved import N_FIRST, Retrieved, depths_of_topics
from stdeval.named_columns import column_of_measure
from stdeval.table import Floats, mean_over_topics


def retrieved_as_stored(systems: Sequence[str], measures: Sequence[str], scores: Floats) -> dict[str, Retrieved]:
    """Return what systems retrieved, if ``num_ret``, ``num_rel``, or the share of judged documents is known.

    Topics without documents do not count: they are missing from the run, and stored with -c.
    """
    num_ret, num_rel = (_scores_by(measures, name, scores) for name in ("num_ret", "num_rel"))
    judged = shares_of_judged(measures, scores)
    if num_ret is None and num_rel is None and judged is None:
        return {}
    if num_ret is not None:
        num_ret = np.where(num_ret > 0, num_ret, np.nan)
        judged = None if judged is None else np.where(num_ret > 0, judged, np.nan)
    # The number of relevant documents of a topic does not depend on what is retrieved.
    unknown = [math.nan] * len(systems)
    means = (unknown if each is None else mean_over_topics(each).tolist() for each in (num_ret, judged, num_rel))
    found = {system: Retrieved(*each) for system, *each in zip(systems, *means, strict=True)}
    if num_ret is None:
        return found
    return {
        system: each._replace(depths=_depths_of_one(own))
        for (system, each), own in zip(found.items(), num_ret, strict=True)
    }


def _depths_of_one(num_ret: Floats) -> tuple[tuple[int, int], ...]:
    """Return how many documents one system retrieved for its topics; NaN marks topics that it does not have."""
    return depths_of_topics(num_ret[~np.isnan(num_ret)].astype(int).tolist())


def shares_of_judged(measures: Sequence[str], scores: Floats) -> Floats | None:
    """Return the shares of judged documents among the first ten, by ``unj_10`` or ``judged_10``; None if unknown.

    Negative judgments count as judged by ``judged_10``. By ``unj_10`` the share is one of ten documents, even if
    there are fewer; ``num_ret`` tells.

    Parameters
    ----------
    measures : sequence of str
    scores : ndarray, shape (..., n_measures)

    Examples
    --------
    Of three documents, two are judged:

    >>> shares_of_judged(["unj_10", "num_ret"], np.array([[0.1, 3]])).round(3)
    array([0.667])
    """
    judged, unjudged, num_ret = (_scores_by(measures, name, scores) for name in ("judged_10", "unj_10", "num_ret"))
    if unjudged is None:
        return judged
    if num_ret is not None:
        return 1 - unjudged * N_FIRST / np.clip(num_ret, 1, N_FIRST)
    return 1 - unjudged if judged is None else np.minimum(1 - unjudged, judged)


def _scores_by(measures: Sequence[str], name: str, scores: Floats) -> Floats | None:
    """Return the scores by a measure, shape (...), under any form of its name; None if there are none."""
    column = column_of_measure(measures, name)
    return None if column is None else scores[..., measures.index(column)]


def unretrieved_as_stored(
    systems: Sequence[str], topics: Sequence[str], measures: Sequence[str], scores: Floats
) -> dict[str, frozenset[str]]:
    """Return the topics for which each system retrieved no document; nothing if ``num_ret`` is not known.

    Such topics were stored with -c, and count as 0.
    """
    num_ret = _scores_by(measures, "num_ret", scores)
    if num_ret is None:
        return {}
    are_empty = (num_ret == 0).tolist()
    return {system: frozenset(compress(topics, row)) for system, row in zip(systems, are_empty, strict=True)}
