"""The order of runs by their means, and the runs whose means can be compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from stdeval.formats.blocks import Block, Column
from stdeval.measures.facts import is_better_higher
from stdeval.stats.leaders import complete_systems, order_by_means, ranked_systems

_NUMBER_OF_TOPICS = "num_q"


def arithmetic_mean(scores: Sequence[float]) -> float:
    """Return the arithmetic mean without numpy; NaN if there are no scores."""
    return sum(scores) / len(scores) if scores else math.nan


def scored_topics(columns: Sequence[Column], block: Block, place: int) -> frozenset[str]:
    """Return the topics for which a run has a score by a column; for figures over all topics, by any column."""
    scores = [i for i, column in enumerate(columns) if column.kind == "score"]
    if not scores:
        return frozenset(block.topics)
    places = [place] if place in scores else scores
    return frozenset(
        topic
        for topic, row in zip(block.topics, block.values, strict=True)
        if any(not math.isnan(row[i]) for i in places)
    )


def comparable_blocks(columns: Sequence[Column], blocks: Sequence[Block], place: int) -> list[bool]:
    """Return True for each run whose mean by a column can be compared with those of the others.

    These are the runs that have all topics that more than half of the runs have, if there are two or more of them.
    If they also have other topics, and not the same ones, no run is comparable.
    """
    scored = [scored_topics(columns, block, place) for block in blocks]
    complete = complete_systems(scored)
    different = {own for own, full in zip(scored, complete, strict=True) if full}
    return complete if sum(complete) > 1 and len(different) == 1 else [False] * len(blocks)


def can_be_ranked(columns: Sequence[Column], blocks: Sequence[Block], name: str) -> list[bool]:
    """Return True for each run that can be ranked by a column, see `ranked_systems`; all can be by their num_q."""
    if name == _NUMBER_OF_TOPICS:
        return [True] * len(blocks)
    place = [column.name for column in columns].index(name)
    return ranked_systems([scored_topics(columns, block, place) for block in blocks])


def topics_to_rank_on(columns: Sequence[Column], blocks: Sequence[Block], name: str) -> frozenset[str] | None:
    """Return the topics that all runs ranked by a column have; None if all of these runs have the same topics.

    Numbers of topics (num_q) are ranked as they are, so they have None, too.
    """
    place = [column.name for column in columns].index(name)
    ranked = [block for block, fair in zip(blocks, can_be_ranked(columns, blocks, name), strict=True) if fair]
    topics = {scored_topics(columns, block, place) for block in ranked}
    return None if len(topics) < 2 or name == _NUMBER_OF_TOPICS else frozenset.intersection(*topics)


def mean_to_sort_by(columns: Sequence[Column], blocks: Sequence[Block], name: str) -> str | None:
    """Return the topic field of the first mean that any run has by a column; None if there is no mean."""
    place = [column.name for column in columns].index(name)
    topics = dict.fromkeys(topic for block in blocks for topic in block.summaries if is_mean(topic))
    known = (topic for topic in topics if any(not math.isnan(_summary(block, topic, place)) for block in blocks))
    return next(known, None)


def sorted_blocks(
    columns: Sequence[Column],
    blocks: Sequence[Block],
    name: str,
    average: Callable[[Sequence[float]], float] = arithmetic_mean,
) -> list[Block]:
    """Return the runs from the best to the worst by the mean of a column that `mean_to_sort_by` names.

    Parameters
    ----------
    columns : sequence of Column
    blocks : sequence of Block
    name : str
        The name of the column.
    average : callable
        The mean of the scores of topics that `mean_to_sort_by` names; the arithmetic mean if it names none.

    Returns
    -------
    list of Block
        Equal runs keep their order. Those that `can_be_ranked` denies follow, and those without this mean are last.
        If there is no mean, the order is that of the arithmetic means. If the runs have different topics, it is
        that of their means on `topics_to_rank_on`. So it is for counts, and for gm_map and
        gm_bpref, whose rows hold the logarithms of the topics.
    """
    place = [column.name for column in columns].index(name)
    topic = mean_to_sort_by(columns, blocks, name)
    common = topics_to_rank_on(columns, blocks, name)
    mean = average if columns[place].kind == "score" else arithmetic_mean
    means = [
        mean(_scores(block, place, common)) if topic is None or common else _summary(block, topic, place)
        for block in blocks
    ]
    ranked = can_be_ranked(columns, blocks, name)
    higher = is_better_higher(name)
    return [blocks[i] for i in order_by_means(means, ranked, largest_value(blocks, place), better_higher=higher)]


def is_mean(topic: str) -> bool:
    """Return True for the topic field of a mean; False for a spread or the end of an interval."""
    return not any(part in topic for part in (".sd", ".ci_"))


def _summary(block: Block, topic: str, place: int) -> float:
    return float(block.summaries[topic][place]) if topic in block.summaries else math.nan


def _scores(block: Block, place: int, among: frozenset[str] | None) -> list[float]:
    """Return the scores of some topics by a column; of all if they are None, or if there is no score there."""
    rows = zip(block.topics, block.values, strict=True)
    known = {topic: score for topic, row in rows if not math.isnan(score := float(row[place]))}
    scores = [score for topic, score in known.items() if topic in among] if among else []
    return scores or list(known.values())


def largest_value(blocks: Sequence[Block], place: int) -> float:
    """Return the largest absolute value of a column, of single topics and of summaries."""
    topics = (row[place] for block in blocks for row in block.values)
    summaries = (figures[place] for block in blocks for figures in block.summaries.values())
    return max((abs(float(value)) for value in (*topics, *summaries) if not math.isnan(value)), default=0.0)
