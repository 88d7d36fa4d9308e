"""Messages about scores that were filled down, sorted or reordered alone, put in for missing ones, or are means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stdeval.arrays import Floats
from stdeval.display import shown_name
from stdeval.doubtful_scores.filled_gaps import FilledGaps, filled_gaps, filled_with_zeros
from stdeval.doubtful_scores.spoiled_columns import (
    Displaced,
    Filled,
    displaced_columns,
    filled_down,
    running_means,
    sorted_column,
)
from stdeval.measures.facts import has_long_scores, has_persistence, is_by_relevance, is_in_unit_range
from stdeval.measures.names import canonical, split_prefix, split_scheme
from stdeval.table import ScoreTable


def about_spoiled_scores(table: ScoreTable) -> Iterator[str]:
    """Yield messages about columns that were probably filled down, sorted, reordered or completed, or are means.

    Examples
    --------
    >>> scores = [[[score / 997] for score in [412, 97, *[305.5] * 10]]]
    >>> table = ScoreTable(("a",), tuple("abcdefghijkl"), ("map",), scores)
    >>> print(*about_spoiled_scores(table))
    map of 'a' is 0.306419 for 10 topics in a row (from 'c' to 'l'): was the column filled down?
    """
    measures = [measure for measure in table.measures if is_by_relevance(measure)]
    for measure in measures:
        scores = table.measure(measure)
        if (place := sorted_column(table.topics, scores)) is not None:
            of_run = f"{measure} of '{shown_name(table.systems[place])}'"
            yield f"{of_run} rises or falls from topic to topic: was the column sorted alone?"
        elif (filled := filled_down(table.topics, scores)) is not None:
            of_run = f"{measure} of '{shown_name(table.systems[filled.column])}'"
            yield f"{of_run} is {filled.number:g} for {about_filled_topics(table.topics, filled)}"
        elif is_in_unit_range(measure) and (place := running_means(table.topics, scores)) is not None:
            of_run = f"{measure} of '{shown_name(table.systems[place])}'"
            yield f"{of_run} looks like the mean of all topics so far: are these running means?"
        elif (gaps := _filled_gaps(measure, table.topics, scores)) is not None:
            yield f"{measure} of '{shown_name(table.systems[gaps.column])}' {about_gaps(gaps)}"
        elif (displaced := displaced_columns(table.topics, scores)) is not None:
            one, other = (f"'{shown_name(table.systems[place])}'" for place in displaced.columns)
            yield f"{measure} of {one} and {other} {_in_another_order(displaced)}"
    for system, scores in zip(table.systems, table.select(measures=measures).values, strict=True):
        if (displaced := displaced_columns(table.topics, scores.T)) is not None:
            one, other = (measures[place] for place in displaced.columns)
            yield f"{one} and {other} of '{shown_name(system)}' {_in_another_order(displaced)}"
            break


def _filled_gaps(measure: str, topics: Sequence[str], scores: Floats) -> FilledGaps | None:
    if not has_long_scores(measure):
        return None
    usual = bool(split_scheme(split_prefix(measure)[1])[0])
    found = filled_gaps(topics, scores, usual=usual, fractions=not has_persistence(measure))
    is_map = canonical(split_prefix(measure)[1]) == "map"
    return found if found is not None or not is_map else filled_with_zeros(scores)


def about_gaps(gaps: FilledGaps) -> str:
    """Return the part of a message that says how many numbers were probably filled in, and how."""
    doubt = "were topics pasted twice?" if gaps.how == "copied" else "were missing scores filled in?"
    return f"{_HOW_FILLED[gaps.how].format(n=gaps.n)}: {doubt}"


_HOW_FILLED = {
    "same": "is one and the same number for {n} topics",
    "before": "is that of the topic before for {n} topics",
    "between": "is the mean of the topics before and after for {n} topics",
    "copied": "is that of another topic for {n} topics",
    "zeros": "is 0 for {n} topics on which all other runs are above 0, and hardly ever near 0",
}


def _in_another_order(displaced: Displaced) -> str:
    """Return the end of a message about two columns that agree in another order of the topics."""
    agree = f"agree if one of them is put into another order of the topics (r {displaced.agreement:.2f}"
    doubt = "were they pasted from files that are sorted as text, and by number?"
    return f"{agree}, now {displaced.as_given:.2f}): {doubt}"


def about_filled_topics(topics: Sequence[str], filled: Filled) -> str:
    """Return the part of a message that names the topics of a block, and asks where they come from."""
    first, last = (shown_name(topics[filled.rows[place]]) for place in (0, -1))
    doubt = "was the column filled down?" if filled.number else "were missing scores filled in?"
    return f"{len(filled.rows)} topics in a row (from '{first}' to '{last}'): {doubt}"
