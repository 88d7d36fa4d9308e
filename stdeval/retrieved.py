"""How many documents a run retrieved, and how many of the first ones are judged."""

from __future__ import annotations

import math
from heapq import nlargest
from itertools import islice
from typing import NamedTuple

from stdeval.trec import Documents, Judgments

N_FIRST = 10
"""The number of documents at the top of a topic of which the judged ones are counted, as by ``judged_10``."""


class Retrieved(NamedTuple):
    """Means over the topics for which a run retrieved documents; NaN is unknown.

    Parameters
    ----------
    depth : float
        The number of documents.
    judged : float
        The share of the first ten documents, or of all if there are fewer, that are judged.
    """

    depth: float = math.nan
    judged: float = math.nan


def judged_share(documents: Documents, judgments: Judgments, n: int = N_FIRST) -> float:
    """Return the share of the first n documents of a topic that are judged; of all if there are fewer.

    Examples
    --------
    >>> judged_share({"a": 3.0, "b": 1.0, "c": 2.0}, {"a": 0, "b": 1}, 2)
    0.5
    """
    scores = documents.values()
    first = list(islice(documents, n))
    # In most runs the first documents stand first.
    if len(documents) > n and min(islice(scores, n)) <= max(islice(scores, n, None)):
        first = nlargest(n, documents, key=lambda docno: (documents[docno], docno))
    return sum(docno in judgments for docno in first) / len(first)
