"""Factors that may mislead: swapped files, ambiguous columns, few references, or references unlike the runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

import numpy as np

from stdeval.display import counted, listed, shown_name
from stdeval.documents.retrieved import Retrieved
from stdeval.doubtful_scores.depths import REFERENCES, about_depths
from stdeval.doubtful_scores.filled_gaps import filled_gaps
from stdeval.doubtful_scores.judged_shares import about_judged
from stdeval.doubtful_scores.missing_scores import about_missing_scores
from stdeval.doubtful_scores.rankings import about_compared
from stdeval.doubtful_scores.spoiled_columns import filled_down, sorted_column
from stdeval.doubtful_scores.spoiled_scores import about_filled_topics, about_gaps
from stdeval.doubtful_scores.stored_scores import about_mean_relevant
from stdeval.measures.facts import (
    counts_unjudged,
    favoured_runs,
    has_long_scores,
    has_persistence,
    is_better_higher,
    is_by_relevance,
    is_in_unit_range,
    leaves_out_unjudged,
    looks_beyond,
)
from stdeval.measures.names import canonical, split_prefix, split_scheme
from stdeval.named_columns import column_of_measure
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import (
    USUAL_REFERENCES,
    impossible_deviations,
    largest_variance,
    unlikely_deviations,
)
from stdeval.stats.coverage import takes_part
from stdeval.stats.rounding import few_decimals
from stdeval.stored_documents import shares_of_judged
from stdeval.table import Floats, ScoreTable


def about_doubtful_names(factors: Factors) -> list[str]:
    """Return messages about column names of a published file that other tools use for other measures."""
    told = []
    for column, measure in factors.doubtful.items():
        other = canonical(column)
        found = f"the column {column} is read as {measure}, its meaning in the published files"
        told.append(f"{found}; if its scores are {other}, name the column {other}")
    return told


def about_uneven_references(factors: Factors) -> str | None:
    """Return a message if some topics have at most half as many reference systems as others, or None.

    Runs with missing topics are often weak, so the references of such a topic are better than those of others.

    Examples
    --------
    >>> factors = Factors(("1", "2"), ("map",), [[0.5], [0.6]], [[0.2], [0.1]], [[40], [12]])
    >>> print(about_uneven_references(factors))  # doctest: +NORMALIZE_WHITESPACE
    1 of 2 topics has at most half as many reference runs as others (e.g. '2' 12, others up to 40): its standardized
    scores are not on the scale of the others
    """
    known = np.where(factors.n > 0, factors.n, np.nan)
    most = np.fmax.reduce(known, axis=0)
    few = 2 * known <= most
    topics = np.flatnonzero(few.any(axis=1))
    if not len(topics):
        return None
    i, j = int(topics[0]), int(np.argmax(few[topics[0]]))
    number = f"{len(topics)} of {counted(len(factors.topics), 'topic')} {'has' if len(topics) == 1 else 'have'}"
    by = "" if few[i].all() else f" by {factors.measures[j]}"
    example = f"(e.g. '{shown_name(factors.topics[i])}' {known[i, j]:.0f}{by}, others up to {most[j]:.0f})"
    whose = "its" if len(topics) == 1 else "their"
    found = f"{number} at most half as many reference runs as others {example}"
    return f"{found}: {whose} standardized scores are not on the scale of the others"


def about_used_references(table: ScoreTable, factors: Factors, *, judged_only: bool) -> Iterator[str]:
    """Yield messages if references retrieved other numbers of documents, or of judged ones, than the systems.

    Other messages tell if the references differ so from each other, or have other judgments.

    The factors of num_ret and judged_10 (or unj_10) tell the depths and the shares of judged documents of the
    references, unless unjudged documents were left out. Those of num_rel tell the number of relevant documents.
    """
    for part in table.parts:
        yield from _about_references_of_part(part, factors, judged_only=judged_only)


def _about_references_of_part(table: ScoreTable, factors: Factors, *, judged_only: bool) -> Iterator[str]:
    yield from about_relevant_of_references(table, factors)
    common = [name for name in table.measures if name in factors.measures]
    # A table may be standardized by its own factors; its own runs have been told of.
    if factors.reference is not None and factors.reference.systems != table.systems:
        yield from about_compared(factors.reference.select(measures=common))
    if judged_only:
        yield from _about_depths_of_judged(common, table.retrieved)
        return
    by_references = _retrieved_by_references(factors, table.measures)
    references = {REFERENCES: by_references}
    if by_references.depth > 0:
        yield from about_depths(common, table.retrieved, references, judged_only=judged_only)
    else:
        yield from _about_unknown_depth(common, table.retrieved)
    if by_references.judged >= 0:
        yield from about_judged(common, table.retrieved, references)
    else:
        yield from _about_unknown_judged(common, table.retrieved)


def _retrieved_by_references(factors: Factors, measures: Sequence[str]) -> Retrieved:
    """Return the means over the references, from the factors or from the reference runs; NaN is unknown."""
    names, means = _of_same_prefix(factors, measures)
    column, shares = column_of_measure(names, "num_ret"), shares_of_judged(names, means)
    numbers = None if column is None else means[:, names.index(column)]
    depth, judged = (math.nan if each is None else float(np.nanmean(each)) for each in (numbers, shares))
    if math.isnan(depth) and factors.reference is not None and factors.reference.retrieved:
        depth = fmean(each.depth for each in factors.reference.retrieved.values())
    return Retrieved(depth, judged)


def _of_same_prefix(factors: Factors, measures: Sequence[str]) -> tuple[list[str], Floats]:
    """Return the measures of the factors that have the prefix of these measures, without it, and their means."""
    prefix, _ = split_prefix(measures[0])
    split = [(i, split_prefix(name)) for i, name in enumerate(factors.measures)]
    names = {i: bare for i, (own, bare) in split if own == prefix}
    return [*names.values()], factors.mean[:, [*names]]


def _about_depths_of_judged(measures: Sequence[str], retrieved: Mapping[str, Retrieved]) -> Iterator[str]:
    """Yield a message about the unknown depth of references whose unjudged documents were left out.

    Their num_ret counts the judged documents only.
    """
    deepest = max((each.depth for each in retrieved.values() if each.depth > 0), default=0)
    beyond = [name for name in measures if looks_beyond(name, deepest, judged_only=True)]
    if beyond:
        unknown = "with -J, factors do not tell how many documents the references have"
        wrong = f"their scores by {listed(beyond)} are too high or too low"
        yield f"{unknown}: if the runs have more or fewer, {wrong}"


_USUAL_DEPTH = 50
"""Reference runs with fewer documents per topic are rare."""


def _about_unknown_depth(measures: Sequence[str], retrieved: Mapping[str, Retrieved]) -> Iterator[str]:
    """Yield a message about a short run if it is not known how many documents the references have."""
    depths = {name: each.depth for name, each in retrieved.items() if 0 < each.depth < _USUAL_DEPTH}
    name = min(depths, key=depths.__getitem__, default="")
    beyond = [measure for measure in measures if name and looks_beyond(measure, depths[name])]
    if beyond:
        found = f"'{shown_name(name)}' has {counted(round(depths[name]), 'document')} per topic on average"
        # A short run has worse scores by most measures, and by some the lower ones are better.
        sides: dict[str, list[str]] = {"low": [], "high": [], "low or too high": []}
        for measure in beyond:
            runs = favoured_runs(measure)
            side = "high" if (runs == "short") == is_better_higher(measure) else "low"
            sides["low or too high" if runs == "either" else side].append(measure)
        told = [f"its scores by {listed(by)} are too {side}" for side, by in sides.items() if by]
        yield f"{found}: if the references have more, {', and '.join(told)} (factors of num_ret would tell)"


_FULLY_JUDGED = 0.8
"""If at least this share of a run's first documents are judged, unjudged ones matter little."""


def _about_unknown_judged(measures: Sequence[str], retrieved: Mapping[str, Retrieved]) -> Iterator[str]:
    """Yield a message about a run with unjudged documents if it is not known how many the references have."""
    few = {name: each.judged for name, each in retrieved.items() if each.of_pool and each.judged < _FULLY_JUDGED}
    if few:
        name = min(few, key=few.__getitem__)
        found = f"{few[name]:.1%} of the first 10 documents of '{shown_name(name)}' are judged"
        tell = "(factors of judged_10 would tell)"
        left_out = [measure for measure in measures if leaves_out_unjudged(measure)]
        if any(map(counts_unjudged, measures)):
            yield f"{found}: if more are of the references, its scores are too low {tell}"
        elif left_out:
            yield f"{found}: if more are of the references, it may only seem good by {listed(left_out)} {tell}"


def about_relevant_of_references(table: ScoreTable, factors: Factors) -> Iterator[str]:
    """Yield a message if a system with all topics has another mean of num_rel than the references."""
    names, means = _of_same_prefix(factors, table.measures)
    column = column_of_measure(names, "num_rel")
    rows = [factors.topics.index(topic) for topic in table.topics if topic in factors.topics]
    if column is None or len(rows) < len(table.topics):
        return
    expected = float(np.mean(means[rows, names.index(column)]))
    relevant = {
        system: table.retrieved.get(system, Retrieved()).relevant
        for system, scores in zip(table.systems, table.values, strict=True)
        if not np.isnan(scores).any()
    }
    if (found := about_mean_relevant("the references have", expected, relevant)) is not None:
        yield found


_MANY_AT_ENDS = 0.2
"""A message tells if more than this share of the standardized scores are at the ends of the scale."""

_END, _FAR = 0.001, 3.09
"""If N is this close to 0 or 1, the score is this number of standard deviations away from the mean."""

_LOST, _UNLIKE = ", where large differences are lost", "the references are unlike the systems"

_ENDS = {
    "Z": (f"below -{_FAR} or above {_FAR}", _UNLIKE),
    "N": (f"below {_END} or above {1 - _END}{_LOST}", _UNLIKE),
    "U": (f"censored to 0 or 1{_LOST}", f"{_UNLIKE}, or A is too large"),
    "uncensored U": ("at most 0 or at least 1", f"{_UNLIKE}, or A is too large"),
    "E": (f"0 or 1{_LOST}", _UNLIKE),
    "M": (f"0 or 1{_LOST}", _UNLIKE),
}
"""For each scheme, the ends of its scale, and why many scores may be there."""


def about_ends_of_scale(table: ScoreTable, schemes: Sequence[str] = ("Z", "N", "U")) -> Iterator[str]:
    """Yield a message if many scores by a scheme are at the ends of its scale, far from those of the references.

    Parameters
    ----------
    table : ScoreTable
    schemes : sequence of str
        The letters of the schemes to look at. While the reference scores are known, another message tells how many
        raw scores are outside of them, so E and M count only if their scores come from a file. By these, measures
        with few different scores, such as success, have many scores at the ends by nature, and do not count.

    Examples
    --------
    >>> table = ScoreTable(("a",), ("1", "2"), ("Nmap",), [[[0.9995], [0.5]]])
    >>> print(*about_ends_of_scale(table))  # doctest: +ELLIPSIS
    50% of the scores by Nmap are below 0.001 or above 0.999, where large differences are lost: ...
    """
    for letter in schemes:
        shares = {
            name: _share_at_ends(table.measure(name), letter)
            for name in table.measures
            if split_scheme(name)[0] == letter
            and (letter in ("Z", "N", "U") or has_long_scores(split_scheme(name)[1]))
        }
        name = max(shares, key=shares.__getitem__, default="")
        if name and shares[name] > _MANY_AT_ENDS:
            scores = table.measure(name)
            is_uncensored = letter == "U" and ((scores < 0) | (scores > 1)).any()
            ends, why = _ENDS["uncensored U" if is_uncensored else letter]
            yield f"{shares[name]:.0%} of the scores by {name} are {ends}: {why}"


_MUCH_OF_MEAN, _FEWEST_TOPICS = 0.25, 20
"""A topic decides a mean if it has this share of the sum of all absolute scores, of this many topics or more."""


def about_extreme_scores(table: ScoreTable, B: float = 0.5) -> Iterator[str]:
    """Yield a message if one topic decides the mean of a system by a scheme without bounds: Z, or uncensored U.

    Parameters
    ----------
    table : ScoreTable
        Standardized scores.
    B : float
        The score by U at the reference mean; by U, the differences from it count.

    Examples
    --------
    >>> table = ScoreTable(("a",), tuple(map(str, range(30))), ("Zmap",), [[[172.0], *[[1.0]] * 29]])
    >>> print(*about_extreme_scores(table))  # doctest: +NORMALIZE_WHITESPACE
    Zmap of 'a' on topic '0' is 172.00, 86% of the sum of its absolute scores on 30 topics: one topic decides its
    mean
    """
    for measure in table.measures:
        letter = split_scheme(measure)[0]
        if letter in ("Z", "U"):
            scores = np.abs(np.nan_to_num(table.measure(measure) - (B if letter == "U" else 0)))
            sums = scores.sum(axis=1)
            shares = np.where(sums > 0, scores.max(axis=1, initial=0) / np.where(sums > 0, sums, 1), 0)
            n_topics = np.sum(~np.isnan(table.measure(measure)), axis=1)
            decided = np.flatnonzero((shares > _MUCH_OF_MEAN) & (n_topics >= _FEWEST_TOPICS))
            if decided.size:
                system = int(decided[np.argmax(shares[decided])])
                topic = int(scores[system].argmax())
                name, shown_topic = shown_name(table.systems[system]), shown_name(table.topics[topic])
                where = f"{measure} of '{name}' on topic '{shown_topic}'"
                score = f"{where} is {table.measure(measure)[system, topic]:.2f}"
                absolute = "absolute scores" if letter == "Z" else f"absolute differences from {B:g}"
                share = f"{shares[system]:.0%} of the sum of its {absolute} on {n_topics[system]} topics"
                more = "its mean" if decided.size == 1 else f"its mean, and those of {decided.size - 1} more"
                yield f"{score}, {share}: one topic decides {more}"


def _share_at_ends(scores: Floats, letter: str) -> float:
    """Return the share of scores at the ends of a scale; those of Z and uncensored U are not its bounds."""
    known = scores[~np.isnan(scores)]
    if letter == "Z":
        is_end = np.abs(known) > _FAR
    elif letter == "N":
        is_end = (known < _END) | (known > 1 - _END)
    else:
        is_end = (known <= 0) | (known >= 1)
    return float(is_end.mean()) if len(known) else 0.0


_MANY_MEANS = 5
"""A block with one standard deviation counts only if it has this many different means: references with the same
mean may score alike."""


def about_missing_references(factors: Factors) -> str | None:
    """Return a message about reference scores that are missing, or None; means and deviations do not show it."""
    if factors.reference is None:
        return None
    scores = factors.reference
    missing = np.isnan(scores.values) & takes_part(scores.values)[:, np.newaxis]
    told = about_missing_scores(scores.systems, scores.topics, scores.measures, missing)
    return None if told is None else f"reference scores: {told}"


def about_spoiled_factors(factors: Factors) -> Iterator[str]:
    """Yield messages about columns of factors that a spreadsheet may have filled down, sorted alone or rounded.

    Examples
    --------
    >>> topics, means = tuple("abcdefghijkl"), [[0.3141592]] * 3 + [[0.2718281]] * 9
    >>> print(*about_spoiled_factors(Factors(topics, ("map",), means, [[0.1]] * 12, [[10]] * 12)))
    map.mean is 0.271828 for 9 topics in a row (from 'd' to 'l'): was the column filled down?
    """
    # If scores are 0 or 1, or all the same, many topics have the same mean.
    few_means = (factors.sd == 0) | (factors.sd**2 >= 0.999 * largest_variance(factors.mean, factors.n))
    means = np.where(few_means, np.nan, factors.mean)
    for place, measure in enumerate(factors.measures):
        for part, numbers in (("mean", means), ("sd", factors.sd)) if is_by_relevance(measure) else ():
            column = numbers[:, place][np.newaxis]
            if sorted_column(factors.topics, column) is not None:
                yield f"{measure}.{part} rises or falls from topic to topic: was the column sorted alone?"
            elif (filled := filled_down(factors.topics, column, usual=True)) is not None:
                if part == "mean" or len(np.unique(factors.mean[filled.rows, place])) >= _MANY_MEANS:
                    found = f"{measure}.{part} is {filled.number:g}"
                    yield f"{found} for {about_filled_topics(factors.topics, filled)}"
            elif has_long_scores(measure):
                gaps = filled_gaps(factors.topics, column, fractions=not has_persistence(measure))
                yield from () if gaps is None else (f"{measure}.{part} {about_gaps(gaps)}",)
    if factors.reference is None:
        yield from _about_rounded_deviations(factors)


def _about_rounded_deviations(factors: Factors) -> Iterator[str]:
    """Yield a message about measures whose standard deviations all have three decimals or fewer."""
    found = {name: few_decimals(factors.sd[np.newaxis, :, place]) for place, name in enumerate(factors.measures)}
    measures = [name for name, decimals in found.items() if decimals]
    if measures:
        decimals = counted(max(found.values()), "decimal")
        yield (
            f"all standard deviations by {listed(measures)} have at most {decimals}: were the factors rounded? "
            "standardized scores are inexact then"
        )


def about_impossible_deviations(factors: Factors) -> str | None:
    """Return a message about too large standard deviations, or None; the files of factors may be swapped.

    Examples
    --------
    >>> factors = Factors(("1",), ("map",), [[0.05]], [[0.4]], [[10]])
    >>> print(about_impossible_deviations(factors))  # doctest: +ELLIPSIS
    standard deviations of 1 of 1 topics are too large for scores from 0 to 1 (e.g. '1' by map: mean 0.05, ...
    """
    unit = np.array([is_in_unit_range(name) for name in factors.measures])
    moments = factors.mean, factors.sd, factors.n
    too_large, scores = impossible_deviations(*moments) & unit, "scores from 0 to 1"
    if not too_large.any():
        too_large = unlikely_deviations(*moments) & unit
        scores = f"{USUAL_REFERENCES} or more scores from 0 to 1"
    if factors.reference is not None or not too_large.any():
        return None
    i, j = np.argwhere(too_large)[0]
    example = (
        f"'{factors.topics[i]}' by {factors.measures[j]}: mean {factors.mean[i, j]:g}, sd {factors.sd[i, j]:g}"
    )
    reason = (
        "means and standard deviations swapped" if factors.mean[too_large].max() <= 1 else "are they percentages"
    )
    return (
        f"standard deviations of {int(too_large.any(axis=1).sum())} of {len(factors.topics)} topics are too large "
        f"for {scores} (e.g. {example}): {reason}?"
    )
