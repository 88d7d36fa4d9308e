"""The scores of a run, topic by topic and over all topics."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from stdeval.table import Floats


class RunScores(NamedTuple):
    """Raw scores of one run.

    Parameters
    ----------
    tag : str
        The tag of the run, that of its first line.
    path : str
        The file that the run comes from, as messages name it.
    topics : tuple of str
        The topics scored, in trec_eval's order; with ``complete`` all topics of the qrels.
    rows : list of array of float, n_topics x n_measures
        One row per topic. It includes counts, and each topic's contribution to the summary measures; NaN for text.
    texts : dict
        The values of text measures, by (topic, name of the measure).
    summary : list of float, length n_measures
        The values over all topics, as trec_eval averages or sums them.
    n_missing : int
        Number of topics of the qrels that are missing from the run.
    unretrieved : frozenset of str
        Those of the topics for which the run has no documents, scored 0 with ``complete``.
    is_judged : bool
        True if any document of these topics is judged. If none is, the judgments are probably of other documents.
    n_outside : int
        Number of topics of the run that are not in the qrels.
    rises : bool
        True if its scores rise with its ranks, see `stdeval.trec.reading.Order`.
    judged : float, optional
        The share of its first ten documents that are judged, over all topics; None if they were not counted.
    """

    tag: str
    path: str
    topics: tuple[str, ...]
    rows: list[array[float]]
    texts: dict[tuple[str, str], str]
    summary: list[float]
    n_missing: int
    unretrieved: frozenset[str]
    is_judged: bool
    n_outside: int = 0
    rises: bool = False
    judged: float | None = None

    @property
    def values(self) -> Floats:
        """The rows as an array, shape (n_topics, n_measures)."""
        import numpy as np

        # numpy.array would make an array of each row first.
        scores: Floats = np.frombuffer(b"".join(self.rows)).reshape(len(self.rows), len(self.summary))
        return np.array(scores)


class PartScores(NamedTuple):
    """Raw scores of some topics of a run.

    Parameters
    ----------
    topics : list of str
        All topics that were read, in their order, judged or not.
    rows : dict of str to array of float
        Judged topic to its scores, one per measure.
    texts
        As in `RunScores`.
    is_judged : bool
        True if any document is judged.
    first : dict of str to (int, int)
        Judged topic to the number of judged documents among the first ten, and the number of all of these; empty if
        they were not counted.
    """

    topics: list[str]
    rows: dict[str, array[float]]
    texts: dict[tuple[str, str], str]
    is_judged: bool
    first: dict[str, tuple[int, int]]


def summarize(kinds: Sequence[str], rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the sum over topics of each count, and the mean over topics of any other measure, ignoring NaN.

    Values are added topic by topic, in order, so that even the last digit printed is trec_eval's.

    Parameters
    ----------
    kinds : sequence of str, length n_measures
        ``Family.kind`` of each measure.
    rows : sequence of sequence of float, n_topics x n_measures
        NaN is missing.

    Examples
    --------
    >>> summarize(["score", "count"], [[0.5, 3.0], [math.nan, 4.0], [0.25, 5.0]])
    [0.375, 12.0]
    >>> summarize(["count"], [[math.nan]])
    [nan]
    """
    totals = [0.0] * len(kinds)
    for row in rows:
        # Not sum(): from Python 3.12 on it compensates for rounding, which trec_eval does not.
        totals = list(map(add, totals, row))
    figures = []
    for place, kind in enumerate(kinds):
        total, n = totals[place], len(rows)
        if math.isnan(total):
            present = [row[place] for row in rows if not math.isnan(row[place])]
            total, n = reduce(add, present) if present else math.nan, len(present)
        figures.append(total if kind == "count" else total / n if n else math.nan)
    return figures
