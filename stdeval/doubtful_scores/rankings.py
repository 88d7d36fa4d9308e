"""Comparisons of runs that may mislead: -J, topics that count as 0, few runs, and measures of unknown direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from stdeval.display import counted, shown_name
from stdeval.documents.retrieved import Retrieved
from stdeval.documents.runs_and_judgments import about_counted_topics
from stdeval.doubtful_scores.depths import about_depths
from stdeval.doubtful_scores.judged_shares import about_judged
from stdeval.measures.facts import is_better_higher, is_by_relevance, score_of_missing
from stdeval.measures.names import is_known, split_scheme
from stdeval.origins import have_option

if TYPE_CHECKING:
    from stdeval.table import ScoreTable

ABOUT_JUDGED_ONLY = "-J leaves out the unjudged documents: a run with many of them may only seem good"


def is_judged_only(table: ScoreTable) -> bool:
    """Return True if the scores of any part were made with -J, according to their origins."""
    return any(have_option("-J", part.origins) for part in table.parts)


def about_ranked(measures: Sequence[str], *tables: ScoreTable) -> Iterator[str]:
    """Yield messages about tables whose systems are ranked or compared by measures, raw or standardized."""
    from stdeval.doubtful_scores.rounded_scores import about_rounded_means  # needs numpy

    raw = [split_scheme(name)[1] for name in measures]
    yield from about_unknown_direction(raw)
    judged_only = any(map(is_judged_only, tables))
    yield from about_retrieved(raw, *(table.retrieved for table in tables), judged_only=judged_only)
    for table in tables:
        known = [name for name in dict.fromkeys(measures) if name in table.measures]
        yield from about_rounded_means(table.select(measures=known))


def about_retrieved(
    measures: Sequence[str], *retrieved: Mapping[str, Retrieved], judged_only: bool, tell_shares: bool = True
) -> Iterator[str]:
    """Yield messages about runs whose scores depend on how many documents, or judged ones, they retrieved.

    Parameters
    ----------
    measures, retrieved, judged_only
        As for `about_depths`.
    tell_shares : bool
        False leaves out the message of `about_judged`.
    """
    yield from about_depths(measures, *retrieved, judged_only=judged_only)
    if tell_shares:
        yield from about_judged(measures, *retrieved)
    if judged_only:
        yield ABOUT_JUDGED_ONLY


def about_compared(table: ScoreTable) -> Iterator[str]:
    """Yield the messages of `about_retrieved` about a table, and one about topics that count as 0 (-c)."""
    measures = [measure for measure in table.measures if is_by_relevance(measure)]
    yield from about_retrieved(measures, table.retrieved, judged_only=is_judged_only(table))
    yield from about_counted_zeros(table)


def about_counted_zeros(table: ScoreTable) -> Iterator[str]:
    """Yield a message about topics that count as 0 (-c), and one if the scores do not tell which these are.

    Examples
    --------
    >>> from stdeval.origins import Origin
    >>> from stdeval.table import ScoreTable
    >>> table = ScoreTable(("a",), ("1", "2"), ("map",), [[[0.25], [0]]], {"1": Origin(options="-c")})
    >>> print(*about_counted_zeros(table))  # doctest: +NORMALIZE_WHITESPACE
    the scores were computed with -c, and the files do not tell which topics have no documents: all scores are 0 for
    1 of 2 topics by some run (num_ret, stored with the scores, tells)
    """
    for part in table.parts:
        yield from _about_zeros_of_part(part)


def _about_zeros_of_part(table: ScoreTable) -> Iterator[str]:
    yield from about_counted_topics(table.unretrieved, len(table.topics), score_of_missing(table.measures))
    unknown = [place for place, system in enumerate(table.systems) if system not in table.unretrieved]
    if not unknown or not have_option("-c", table.origins):
        return
    found = "the scores were computed with -c, and the files do not tell which topics have no documents"
    # By rbp_resid the worst score is 1. The standardized score of a raw score of 0 is above 0.
    telling = [k for k, name in enumerate(table.measures) if not split_scheme(name)[0] and is_better_higher(name)]
    zeros = (table.values[unknown][:, :, telling] == 0).all(axis=2).any(axis=0)
    if not telling:
        yield f"{found}: these count as 0 (num_ret, stored with the scores, tells)"
    elif zeros.any():
        number = f"{int(zeros.sum())} of {counted(len(table.topics), 'topic')}"
        yield f"{found}: all scores are 0 for {number} by some run (num_ret, stored with the scores, tells)"


_FEWEST = 10
"""With fewer systems or topics, results depend much on which ones these are.

See `stdeval.standardization.schemes.FEW_REFERENCES`.
"""


def about_few(n: int, noun: str, results: str) -> list[str]:
    """Return a message if there are so few runs or topics that results depend much on which ones these are.

    Examples
    --------
    >>> print(*about_few(3, "run", "correlations"))
    3 runs are few for correlations: others may give other results (expected 10 or more)
    """
    if n >= _FEWEST:
        return []
    few = f"{counted(n, noun)} {'is' if n == 1 else 'are'} few for {results}"
    return [f"{few}: others may give other results (expected {_FEWEST} or more)"]


FLATTERING = "each group has other reference runs, which flatters a strong group"
"""The reason why --leave-out group does not show which run is the best."""


def leaves_out_groups(table: ScoreTable) -> bool:
    """Return True if some stored scores were standardized with --leave-out group."""
    return any(
        part.standardization is not None
        and part.standardization.leaves_out_groups
        and any(split_scheme(name)[0] for name in part.measures)
        for part in table.parts
    )


def about_unknown_direction(measures: Iterable[str]) -> Iterator[str]:
    """Yield a message about measures of which it is not known whether higher or lower scores are better."""
    unknown = [name for name in dict.fromkeys(measures) if not is_known(name)]
    if unknown:
        name = f"'{shown_name(unknown[0])}'"
        several = f"{len(unknown)} measures are not known (e.g. {name})"
        found = f"{name} is not a known measure" if len(unknown) == 1 else several
        yield f"{found}: higher is taken as better"
