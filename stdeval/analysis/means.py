"""The overall scores of systems, as `stdeval eval` prints them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stdeval import notices
from stdeval.errors import InputError, warn
from stdeval.measures.facts import is_summed
from stdeval.results import Results
from stdeval.stats import aggregates
from stdeval.stats.intervals import t_interval
from stdeval.table import Floats, ScoreTable, check_scores_table

NAMES = (*aggregates.AGGREGATES, "sd")
"""The names that `aggregate` takes."""


class SystemScore(NamedTuple):
    """The overall score of a system.

    Parameters
    ----------
    system, measure : str
    score : float
        The aggregate of the scores over the topics; NaN if it is undefined.
    low, high : float
        The t interval of an arithmetic mean; NaN for other aggregates and for counts.
    n : int
        Number of topics.
    """

    system: str
    measure: str
    score: float
    low: float
    high: float
    n: int


def aggregate(
    table: ScoreTable, name: str = "am", *, epsilon: float | None = None, confidence: float = 0.95
) -> Results[SystemScore]:
    """Return the overall scores of systems, as `stdeval eval` prints them.

    Parameters
    ----------
    table : ScoreTable
    name : str
        am (arithmetic mean), gm (geometric mean), egm (geometric mean of x + epsilon, minus epsilon), egm-trec
        (geometric mean of max(x, epsilon), as in trec_eval's gm_map), hm (harmonic mean), ehm (harmonic mean of
        x + epsilon, minus epsilon), md (median) or sd (sample standard deviation). With am, counts such as num_ret,
        and Znum_ret, are summed; with others they are left out.
    epsilon : float, optional
        Of egm and ehm (0.01 by default) and of egm-trec (1e-5 by default).
    confidence : float
        Confidence level of the interval of an arithmetic mean, in [0.5, 1).

    Returns
    -------
    Results of SystemScore
        A row per measure and system. Its fields are ``system``, ``measure`` and ``score``; ``low`` and ``high``,
        the *t* interval of an arithmetic mean, and otherwise NaN; and ``n``, the number of topics.

    Raises
    ------
    InputError
        If there is no such aggregate, if it has no epsilon and one is given, or if the scores have none.

    Notes
    -----
    A topic that is missing from a run is left out of its mean, as the warning of `stdeval.evaluate` says: ``n``
    tells how many topics the mean has. With ``Options(complete=True)``, `stdeval.evaluate` counts missing topics
    as 0.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.25], [0.5]], [[0.75], [0.5]]]))
    >>> [(row.system, row.score) for row in aggregate(table)]
    [('a', 0.375), ('b', 0.625)]
    >>> round(aggregate(table, "gm")[0].score, 4)
    0.3536
    """
    check_scores_table(table)
    if name not in NAMES:
        raise InputError(f"no aggregate '{name}', expected one of: {', '.join(NAMES)}")
    if epsilon is not None and name not in ("egm", "egm-trec", "ehm"):
        raise InputError(f"epsilon has no effect on {name}, expected egm, egm-trec or ehm")
    rows: list[SystemScore] = []
    for measure in table.measures:
        values = table.measure(measure)
        is_count = is_summed(measure)
        if is_count and name != "am":
            continue
        overall = _overall(values, name, epsilon, is_count=is_count)
        has_interval = name == "am" and not is_count
        ends = t_interval(values, level=confidence) if has_interval else np.full((2, len(values)), np.nan)
        columns = [*(column.tolist() for column in (overall, *ends)), np.sum(~np.isnan(values), axis=1).tolist()]
        rows += [SystemScore(system, measure, *row) for system, *row in zip(table.systems, *columns, strict=True)]
    if name == "hm":
        warn(notices.undefined_means(sum(row.n > 0 and math.isnan(row.score) for row in rows), len(rows)))
    return Results(SystemScore, rows)


def _overall(values: Floats, name: str, epsilon: float | None, *, is_count: bool) -> Floats:
    """Return one number per system, shape (n_systems,)."""
    if is_count:
        return np.asarray(np.nansum(values, axis=1))
    if name == "sd":
        return aggregates.standard_deviation(values)
    return aggregates.aggregate(values, name, epsilon=epsilon)
