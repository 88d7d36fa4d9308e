"""Find scores of other topics or judgments, runs of zeros or summaries, and spoiled columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from stdeval.arrays import Floats
from stdeval.display import counted, shown_name
from stdeval.doubtful_scores.depths import about_stored_depth
from stdeval.doubtful_scores.impossible_scores import (
    about_contradictory_scores,
    about_other_measures,
    about_pasted_measures,
)
from stdeval.doubtful_scores.judged_shares import about_unjudged_first
from stdeval.doubtful_scores.rounded_scores import about_few_decimals
from stdeval.doubtful_scores.spoiled_columns import (
    copied_rows,
)
from stdeval.doubtful_scores.spoiled_scores import about_spoiled_scores
from stdeval.doubtful_scores.summary_numbers import exact_summaries, summary_columns
from stdeval.errors import InputError
from stdeval.measures.facts import is_better_higher, is_by_relevance, may_be_negative
from stdeval.measures.names import split_scheme
from stdeval.named_columns import column_of_measure, columns_of_measure
from stdeval.origins import about_repeated_judgments
from stdeval.summary_rows import about_summary_systems, summary_words
from stdeval.table import ScoreTable


def about_stored_scores(table: ScoreTable, asked: ScoreTable, *, name_summaries: bool = True) -> Iterator[str]:
    """Yield messages about runs of zeros and runs that are summaries, and those of `about_doubtful_scores`.

    Parameters
    ----------
    table, asked
        As for `about_doubtful_scores`.
    name_summaries : bool
        False leaves out runs that are summaries.
    """
    if (zeros := about_zero_scores(table)) is not None:
        yield zeros
    if name_summaries:
        yield from about_summary_runs(table)
    yield from about_doubtful_scores(table, asked)


def about_doubtful_scores(table: ScoreTable, asked: ScoreTable) -> Iterator[str]:
    """Yield messages about stored scores that are probably wrong.

    Parameters
    ----------
    table : ScoreTable
        All scores of the file.
    asked : ScoreTable
        The scores by the measures that are used.

    Examples
    --------
    >>> table = ScoreTable(("a",), ("1", "2", "q1"), ("map",), [[[0.5], [0.25], [0.5]]])
    >>> print(*about_doubtful_scores(table, table))
    1 topic has two spellings (e.g. '1' and 'q1'): does it count twice?
    """
    yield from about_topics_of_means(table)
    yield from about_repeated_topics(table)
    # A column that is not asked for may show that the names of two columns were exchanged.
    yield from about_other_measures(table)
    yield from about_contradictory_scores(table)
    yield from about_pasted_measures(table)
    yield from about_spoiled_scores(asked)
    yield from about_few_decimals(asked)
    yield from about_stored_depth(asked.measures, (origin.options or "" for origin in asked.origins.values()))


def about_unscored_topics(table: ScoreTable) -> str | None:
    """Return a message about judged topics without any score; None if all have scores, or if this is not known.

    Only a signature gives the number of judged topics. Parts of the same judgments may have no topic in common.
    """
    for part in table.parts:
        topics = set(part.topics)
        for other in table.parts:
            if other.qrels == part.qrels and topics.isdisjoint(other.topics):
                topics |= {*other.topics}
        n_counted, of = (part.n_signed, "signature") if part.qrels is None else (part.qrels.n_topics, "judgments")
        if len(topics) < n_counted:
            by = f" by {part.measures[0]}" if table.joined else ""
            return f"scores{by} of {len(topics)} of the {n_counted} topics of the {of}"
    return None


ABOUT_UNKNOWN_TOPICS = "the scores do not tell how many topics were judged: some may be missing from all runs"
"""The message about stored scores that have no signature."""


def refuse_unscored_topics(table: ScoreTable, where: str | None = None, otherwise: str = "") -> None:
    """Refuse scores that are not of all judged topics, see `about_unscored_topics`.

    Parameters
    ----------
    table : ScoreTable
    where : str, optional
        The place that the message names.
    otherwise : str
        The end of the message, if there is another way out.
    """
    found = about_unscored_topics(table)
    if found is not None:
        raise InputError(f"{found}, expected scores of all of them{otherwise}", where)


def about_other_relevant(table: ScoreTable) -> str | None:
    """Return a message about runs with different numbers of relevant documents on a topic, or None.

    All runs have the same number on a topic, unless they were scored with different judgments or relevance levels.

    Examples
    --------
    >>> print(about_other_relevant(ScoreTable(("a", "b"), ("1",), ("num_rel",), [[[3]], [[2]]])))
    num_rel differs between runs on 1 of 1 topic (e.g. '1'): other judgments, or another level
    """
    for column in columns_of_measure(table.measures, "num_rel"):
        numbers = table.measure(column)
        differs = np.flatnonzero(np.fmax.reduce(numbers, axis=0) > np.fmin.reduce(numbers, axis=0))
        if len(differs):
            number = f"{len(differs)} of {counted(len(table.topics), 'topic')}"
            example = f"(e.g. '{shown_name(table.topics[differs[0]])}')"
            return f"{column} differs between runs on {number} {example}: other judgments, or another level"
    return None


def about_other_judged(table: ScoreTable, relevant: Mapping[str, int], whose: str = "") -> str | None:
    """Return a message if num_rel is not the number of relevant documents in the judgments, otherwise None.

    Parameters
    ----------
    table : ScoreTable
    relevant : mapping of str to int
        The number of relevant documents of each topic.
    whose : str
        Words that follow num_rel in the message.

    Examples
    --------
    >>> print(about_other_judged(ScoreTable(("a",), ("1", "2"), ("num_rel",), [[[3], [2]]]), {"1": 3, "2": 9}))
    num_rel is not the number of relevant documents of 1 of 2 topics (e.g. '2'): other judgments, or another level
    """
    column = column_of_measure(table.measures, "num_rel")
    if column is None:
        return None
    numbers = dict(zip(table.topics, np.fmax.reduce(table.measure(column), axis=0).tolist(), strict=True))
    differs = [topic for topic, number in numbers.items() if abs(relevant.get(topic, number) - number) > 0]
    if not differs:
        return None
    number = f"{len(differs)} of {counted(len(numbers), 'topic')} (e.g. '{shown_name(differs[0])}')"
    return f"num_rel{whose} is not the number of relevant documents of {number}: other judgments, or another level"


def about_mean_relevant(whose: str, expected: float, relevant: Mapping[str, float]) -> str | None:
    """Return a message if a run has another mean number of relevant documents than scores that it belongs with.

    Parameters
    ----------
    whose : str
        The subject of the message, with its verb.
    expected : float
        Their mean of num_rel.
    relevant : mapping of str to float
        Run to its mean on the same topics; NaN for unknown.

    Examples
    --------
    >>> print(about_mean_relevant("the baseline has", 12.5, {"b": 9.5}))  # doctest: +NORMALIZE_WHITESPACE
    the baseline has 12.5 relevant documents per topic on average, and 'b' 9.5 (num_rel): other judgments, or
    another level
    """
    # Means of the same whole numbers may differ by this share, because of rounding errors.
    least = 1e-6 * expected
    other = next((run for run, mean in relevant.items() if abs(mean - expected) > least), None)
    if other is None:
        return None
    both = (
        f"{expected:.1f} relevant documents per topic on average, and '{shown_name(other)}' {relevant[other]:.1f}"
    )
    return f"{whose} {both} (num_rel): other judgments, or another level"


def about_unjudged_systems(table: ScoreTable) -> str | None:
    """Return a message about a system without a judged document among its first ten on any topic, or None."""
    return next(filter(None, (about_unjudged_first(part.retrieved) for part in table.parts)), None)


def refuse_unjudged_systems(table: ScoreTable, where: str | None = None) -> None:
    """Refuse a system without judged documents among its first ten on all topics; see `about_unjudged_systems`."""
    if (found := about_unjudged_systems(table)) is not None:
        raise InputError(f"{found}, expected scores of runs whose documents are those of the qrels", where)


def about_zero_scores(table: ScoreTable) -> str | None:
    """Return a message about runs all of whose scores are 0, or None; they may be of another collection.

    They must have scores on at least two topics. Only measures of which higher is better count: the raw ones, or if
    there are none, all but z scores, of which 0 is that of an average run.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), [[[0.0], [0.0]], [[0.5], [0.0]]])
    >>> print(about_zero_scores(table))
    every score of 'a' is 0: was it scored with the judgments of another collection?
    """
    telling = [
        name
        for name in table.measures
        if is_by_relevance(name) and is_better_higher(name) and not may_be_negative(split_scheme(name)[1])
    ]
    raw = [name for name in telling if not split_scheme(name)[0]]
    scores = table.select(measures=raw or [name for name in telling if split_scheme(name)[0] != "Z"]).values
    is_given = ~np.isnan(scores)
    # a good run, too, may find nothing for a single topic
    is_zero = (np.any(is_given, axis=2).sum(axis=1) > 1) & ~np.any(is_given & (scores != 0), axis=(1, 2))
    some = np.flatnonzero(is_zero)
    if not len(some):
        return None
    example, of = f"'{shown_name(table.systems[some[0]])}'", "scored with the judgments of another collection?"
    if len(some) == 1:
        return f"every score of {example} is 0: was it {of}"
    return f"every score of {len(some)} of {len(table.systems)} runs (e.g. {example}) is 0: were they {of}"


_MANY_WITHOUT = 0.1
"""Many collections have a few topics without a relevant document."""


def about_topics_without_relevant(table: ScoreTable, *, any_number: bool) -> str | None:
    """Return a message about topics without a relevant document, of which stored num_rel tells, or None.

    Measures whose gains are the judgments may have scores there nevertheless.

    Parameters
    ----------
    table : ScoreTable
    any_number : bool
        Tell of each topic, and not only of many.

    Examples
    --------
    >>> table = ScoreTable(("a",), ("1", "2"), ("map", "num_rel"), [[[0.5, 3], [0.0, 0]]])
    >>> print(about_topics_without_relevant(table, any_number=True))
    1 of 2 topics (e.g. '2') has no relevant document: every run scores 0 there
    """
    n = len(table.topics)
    for column in columns_of_measure(table.measures, "num_rel"):
        without = np.flatnonzero(np.fmax.reduce(table.measure(column), axis=0) == 0)
        have_none = not (_relevance_scores(table)[:, without] > 0).any()
        if have_none and 0 < len(without) < n and (any_number or len(without) >= _MANY_WITHOUT * n):
            verb = "has" if len(without) == 1 else "have"
            number = f"{len(without)} of {n} topics (e.g. '{shown_name(table.topics[without[0]])}')"
            return f"{number} {verb} no relevant document: every run scores 0 there"
    return None


def _relevance_scores(table: ScoreTable) -> Floats:
    """Return the raw scores by measures that depend on relevance, and by which higher is better."""
    names = [name for name in table.measures if is_by_relevance(name) and is_better_higher(name)]
    return table.select(measures=[name for name in names if not split_scheme(name)[0]]).values


def about_repeated_topics(table: ScoreTable) -> Iterator[str]:
    """Yield messages about more topics than are judged, topics that occur twice, and topics with equal judgments.

    Examples
    --------
    >>> table = ScoreTable(("a",), ("1", "2", "q1"), ("map",), [[[0.5], [0.25], [0.5]]])
    >>> print(*about_repeated_topics(table))
    1 topic has two spellings (e.g. '1' and 'q1'): does it count twice?
    """
    yield from about_more_topics(table)
    number_of = {topic: re.sub(r"^[^0-9]*0*(?=[0-9])|[.]0+$", "", topic) for topic in table.topics}
    twice = [
        (number, topic)
        for topic, number in number_of.items()
        if topic != number and number in number_of and _may_have_same_judgments(table, topic, number)
    ]
    if twice:
        example = " and ".join(f"'{shown_name(topic)}'" for topic in twice[0])
        have, do_they = ("has", "does it") if len(twice) == 1 else ("have", "do they")
        yield f"{counted(len(twice), 'topic')} {have} two spellings (e.g. {example}): {do_they} count twice?"
    elif (copied := copied_rows(table.values.transpose(1, 0, 2).reshape(len(table.topics), -1))) is not None:
        n, one, other = copied
        example = f"e.g. '{shown_name(table.topics[other])}' those of '{shown_name(table.topics[one])}'"
        found = f"{n} of {len(table.topics)} topics have exactly the scores of another one ({example})"
        yield f"{found}: do they count twice?"
    else:
        known = {topic: table.origins[topic].judgments for topic in table.topics if topic in table.origins}
        yield from about_repeated_judgments({topic: digest for topic, digest in known.items() if digest})


def about_more_topics(table: ScoreTable) -> Iterator[str]:
    """Yield a message if there are more topics than a signature counts as judged."""
    if table.qrels is not None and len(table.topics) > table.qrels.n_topics:
        yield f"scores of {len(table.topics)} topics, but the judgments have {table.qrels.n_topics}"


def about_topics_of_means(table: ScoreTable) -> Iterator[str]:
    """Yield a message about topics that have the means or sums of all others.

    Topics with the name of a summary are left out, because another message tells of them.

    Examples
    --------
    >>> scores = [[1 / (topic + 2)] for topic in range(9)]
    >>> topics = (*map(str, range(9)), "Row Labels")
    >>> print(*about_topics_of_means(ScoreTable(("a",), topics, ("map",), [[*scores, np.mean(scores, axis=0)]])))
    topic 'Row Labels' has the means or sums of all others: it counts as a topic
    """
    if len(table.topics) < _FEWEST_SUMMARIZED:
        return
    rows = table.values.transpose(0, 2, 1).reshape(-1, len(table.topics))
    topics = [table.topics[place] for place in exact_summaries(rows)]
    yield from (
        f"topic '{shown_name(topic)}' has the means or sums of all others: it counts as a topic"
        for topic in topics
        if not summary_words(topic)
    )


def about_summary_runs(table: ScoreTable) -> Iterator[str]:
    """Yield a message about systems whose scores are those of summaries of the others.

    A measure by which all systems have the same scores, such as num_rel, shows nothing.

    Examples
    --------
    >>> scores = [[[0.5], [0.25]], [[0.1], [0.5]], [[0.3], [0.375]]]
    >>> print(*about_summary_runs(ScoreTable(("a", "b", "mean"), ("1", "2"), ("map",), scores)))
    run 'mean' of the scores may be a summary of the others: it counts as a run
    """
    scores = [each for each in np.moveaxis(table.values, 2, 0) if (np.nan_to_num(each - each[0]) != 0).any()]
    found = [summary_columns(table.systems, each.T, _SUMMARY_DECIMALS) for each in scores]
    of_all = [system for system in table.systems if all(system in names for names in found)]
    if found and (told := about_summary_systems(of_all, "the scores")) is not None:
        yield told


_FEWEST_SUMMARIZED = 10
"""Among fewer topics, one may be the mean of the others, as in made-up numbers."""

_SUMMARY_DECIMALS = 4
"""Summaries may be rounded to as few decimals as trec_eval prints."""


def _may_have_same_judgments(table: ScoreTable, one: str, other: str) -> bool:
    judgments = {table.origins[topic].judgments for topic in (one, other) if topic in table.origins}
    return len(judgments - {""}) < 2
