"""Messages about difficulties of topics that may mislead, because of the systems or the measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from stdeval.display import counted, listed, shown_name
from stdeval.doubtful_scores.missing_scores import common_topics_told
from stdeval.measures.facts import is_better_higher
from stdeval.measures.names import split_scheme
from stdeval.noise import decimals, rounded
from stdeval.stats.coverage import coverage
from stdeval.table import ScoreTable


def about_difficulty(table: ScoreTable) -> Iterator[str]:
    """Yield messages about scores by which the difficulty of topics is computed.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1",), ("unj_10",), np.array([[[0.5]], [[0.25]]]))
    >>> print(*about_difficulty(table))  # doctest: +NORMALIZE_WHITESPACE
    lower is better by unj_10: surprise is (mean - min) / sd there, and a topic with a high 1-mean or 1-max is an
    easy one
    """
    yield from _about_incomplete(table)
    yield from _about_lower(table.measures)
    yield from _about_standardized(table.measures)
    yield from _about_range(table)


def about_tied_groups(measure: str, difficulties: Sequence[float], groups: Sequence[str]) -> Iterator[str]:
    """Yield a message about topics that are equally difficult, but in different groups.

    Examples
    --------
    >>> print(*about_tied_groups("map", [2.0, 1.5, 1.5, 0.5], ["hard", "hard", "easy", "easy"]))
    map: 2 of 4 topics are as difficult as a topic of another group: only their order puts them into their group
    """
    exact = np.array(difficulties)
    known = rounded(exact, decimals(exact)).tolist()
    groups_of: dict[float, set[str]] = {}
    for difficulty, group in zip(known, groups, strict=True):
        groups_of.setdefault(difficulty, set()).add(group)
    n = sum(len(groups_of[difficulty]) > 1 for difficulty in known if not np.isnan(difficulty))
    if n:
        found = f"{measure}: {n} of {counted(len(known), 'topic')} are as difficult as a topic of another group"
        yield f"{found}: only their order puts them into their group"


def _about_incomplete(table: ScoreTable) -> Iterator[str]:
    """Yield messages about systems that are left out of item_total, and about the topics that it is computed on."""
    facts = [coverage(table.measure(measure)) for measure in table.measures]
    incomplete = ~np.all([each.ranked for each in facts], axis=0)
    if incomplete.any():
        example = table.systems[int(np.argmax(incomplete))]
        number = f"{incomplete.sum()} of {len(incomplete)} runs (e.g. '{shown_name(example)}')"
        verb = "is missing" if incomplete.sum() == 1 else "are missing"
        yield f"{number} {verb} topics that most runs have: left out of item_total"
    reduced = [each for each in facts if each.is_reduced]
    if reduced:
        yield f"item_total is over the {common_topics_told(reduced[0])}"


def _about_lower(measures: Sequence[str]) -> Iterator[str]:
    """Yield a message about measures by which a lower score is better."""
    lower = [measure for measure in measures if not is_better_higher(measure)]
    if lower:
        easy = "a topic with a high 1-mean or 1-max is an easy one"
        yield f"lower is better by {listed(lower)}: surprise is (mean - min) / sd there, and {easy}"


def about_order_of_topics(measure: str) -> Iterator[str]:
    """Yield a message if topics are ordered by standardized scores, which do not show how hard a topic is.

    Examples
    --------
    >>> print(*about_order_of_topics("Nmap"))  # doctest: +NORMALIZE_WHITESPACE
    Nmap is standardized: the order of the topics shows how the runs differ from the references, not how hard a
    topic is
    """
    if split_scheme(measure)[0]:
        shown = "the order of the topics shows how the runs differ from the references, not how hard a topic is"
        yield f"{measure} is standardized: {shown}"


def _about_standardized(measures: Sequence[str]) -> Iterator[str]:
    """Yield a message if scores are standardized, so that their means hardly show how hard a topic is."""
    standardized = [name for name in measures if split_scheme(name)[0]]
    if standardized:
        verb = "is" if len(standardized) == 1 else "are"
        shown = "1-mean and 1-max show how the runs differ from the references, not how hard a topic is"
        yield f"{listed(standardized)} {verb} standardized: {shown}"


def _about_range(table: ScoreTable) -> Iterator[str]:
    """Yield a message about measures with raw scores below 0 or above 1: 1 is not the best score there."""
    raw = [name for name in table.measures if not split_scheme(name)[0]]
    beyond = [name for name in raw if ((table.measure(name) < 0) | (table.measure(name) > 1)).any()]
    if beyond:
        verb = "is" if len(beyond) == 1 else "are"
        yield f"{listed(beyond)} {verb} not from 0 to 1: 1-mean and 1-max do not show how hard a topic is"
