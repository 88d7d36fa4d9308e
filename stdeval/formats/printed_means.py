"""Summaries that stand beside scores of topics, and contradict them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from stdeval.display import counted, excerpt
from stdeval.formats.csv_numbers import is_number, parse_number, printed_decimals
from stdeval.measures.facts import is_in_unit_range
from stdeval.measures.names import split_scheme
from stdeval.summary_rows import is_summary

_EXACT_DECIMALS = 9
"""The number of decimals to which means in full precision are compared."""


def about_summary_only(summarized: Iterable[str], scored: Collection[str]) -> str | None:
    """Return a message about a run that has a summary, but no scores of topics; None if there is none.

    Parameters
    ----------
    summarized, scored : collection of str
        The runs that have summaries, and those that have scores of topics.

    Examples
    --------
    >>> about_summary_only(["a", "b"], {"a"})
    "run 'b' has a summary, but no scores of topics, expected those of each topic; made without -q?"
    """
    without = [run for run in summarized if run not in scored and not is_summary(run)]
    if not without:
        return None
    found = f"run '{excerpt(without[0])}' has a summary, but no scores of topics"
    return f"{found}, expected those of each topic; made without -q?"


def about_other_mean(measure: str, of_run: str, printed: str, scores: Sequence[float]) -> str | None:
    """Return a message if a printed mean is not that of the scores of topics, of which some may be missing.

    Parameters
    ----------
    measure : str
        Nothing is told of measures outside [0, 1], such as counts.
    of_run : str
        The part of the message that names the run; may be empty.
    printed : str
        A word that is not a number is not a mean.
    scores : sequence of float
        NaN is missing.

    Examples
    --------
    >>> about_other_mean("map", " of 'a'", "0.3385", [0.5, 0.25])
    "the mean map of 'a' is 0.3385, but 0.3750 over the 2 topics that have lines"
    """
    given = [score for score in scores if not np.isnan(score)]
    if not (given and printed and is_number(printed) and is_in_unit_range(split_scheme(measure)[1])):
        return None
    mean, of_lines = parse_number(printed, "", 0, "mean"), sum(given) / len(given)
    # both the scores and their mean may have been rounded
    tolerance = 1.01 * 10.0 ** -(printed_decimals([printed]) or _EXACT_DECIMALS)
    if abs(mean - of_lines) <= tolerance:
        return None
    have = "has lines" if len(given) == 1 else "have lines"
    over = f"{of_lines:.4f} over the {counted(len(given), 'topic')} that {have}"
    return f"the mean {measure}{of_run} is {printed}, but {over}"
