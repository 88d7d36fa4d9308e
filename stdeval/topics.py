"""Topics as rows of a listing: what the systems achieved on each, and over all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdeval.formats.writers import SUMMARY, Cell, Field
from stdeval.stats.difficulty import STATISTICS, share_low, share_zero, topic_groups, topic_statistics
from stdeval.stats.moments import moments
from stdeval.table import Floats

RELEVANT = "rel"
"""The column of the number of relevant documents."""

NAMES = (*STATISTICS, RELEVANT)
WHOLE = ("n", RELEVANT)


def topic_fields(groups: str | None) -> list[Field]:
    """The columns of the listing; the group is one where topics are grouped."""
    return [Field(name) for name in ("measure", "topic", *NAMES, *(["group"] if groups else []))]


def topic_rows(
    measure: str, topics: Sequence[str], values: Floats, relevant: Floats, groups: str | None = None
) -> list[list[Cell]]:
    """A row for each topic, by one measure.

    Parameters
    ----------
    measure : str
    topics : sequence of str
    values : ndarray, shape (n_systems, n_topics)
        Scores; NaN is missing.
    relevant : ndarray, shape (n_topics,)
        Numbers of relevant documents; NaN where they are not known.
    groups : str, optional
        How topics are grouped by their surprise, see `stdeval.stats.difficulty.topic_groups`.

    Returns
    -------
    list of rows
        With the cells of `topic_fields`.

    Examples
    --------
    >>> topic_rows("map", ["301"], np.array([[0.25], [0.75]]), np.array([12.0]))[0][:4]
    ['map', '301', 2, 0.5]
    """
    found = topic_statistics(values) | {RELEVANT: relevant}
    labels = topic_groups(found["surprise"], groups) if groups else []
    return [
        [measure, topic, *(_number(found[name][i], name in WHOLE) for name in NAMES), *labels[i : i + 1]]
        for i, topic in enumerate(topics)
    ]


def _number(value: float, whole: bool) -> int | float:
    return int(value) if whole and not np.isnan(value) else float(value)


def summary_rows(measure: str, values: Floats, relevant: Floats, groups: str | None = None) -> list[list[Cell]]:
    """Rows for all topics: the mean of each column, its standard deviation, least and greatest value.

    In the row of means the shares of low scores are those of all the scores (Ravana & Moffat 2009, Table 2).
    Parameters and cells as for `topic_rows`.

    Examples
    --------
    >>> rows = summary_rows("map", np.array([[0.25, 0.5], [0.75, 0.0]]), np.array([12.0, 4.0]))
    >>> [row[1] for row in rows], rows[0][3], rows[0][-3:]
    (['all', 'all.sd', 'all.min', 'all.max'], 0.375, [0.25, 0.25, 8.0])
    """
    columns = np.array(list((topic_statistics(values) | {RELEVANT: relevant}).values()))
    mean, sd, _ = moments(columns.T)
    mean[NAMES.index("zero")], mean[NAMES.index("low")] = share_zero(values.ravel()), share_low(values.ravel())
    least, greatest = (ufunc.reduce(columns, axis=1) for ufunc in (np.fmin, np.fmax))
    lines = {"": mean, ".sd": sd, ".min": least, ".max": greatest}
    blank: list[Cell] = [""] if groups else []
    return [[measure, SUMMARY + suffix, *line.tolist(), *blank] for suffix, line in lines.items()]


def sorted_rows(rows: Sequence[list[Cell]], place: int, falling: bool = False) -> list[list[Cell]]:
    """Rows by one of their cells, the order kept among equals; what is missing comes last.

    Examples
    --------
    >>> sorted_rows([["a", 0.1], ["b", np.nan], ["c", 0.3]], 1, falling=True)
    [['c', 0.3], ['a', 0.1], ['b', nan]]
    """
    there = [row for row in rows if row[place] != "" and row[place] == row[place]]
    missing = [row for row in rows if row[place] == "" or row[place] != row[place]]
    ordered = sorted(there, key=lambda row: row[place], reverse=falling)
    return ordered + missing
