"""Scores that are impossible by their measure, or beside the scores of the same run by other measures."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from stdeval.arrays import Bools, Floats
from stdeval.display import counted, shown_name
from stdeval.doubtful_scores.contradictory_scores import contradictions, pasted_measures
from stdeval.errors import InputError
from stdeval.measures.facts import is_in_unit_range, is_never_negative, kind_of
from stdeval.measures.names import canonical, split_prefix, split_scheme
from stdeval.stats.rounding import half_units
from stdeval.table import ScoreTable

_MISSING = -1_000_000
"""trec_eval -Z prints this in place of a z score that has no factors."""


def about_impossible_scores(table: ScoreTable) -> str | None:
    """Return a message about scores that their measure cannot have, such as percentages; None if there are none.

    Examples
    --------
    >>> about_impossible_scores(ScoreTable(("a",), ("1", "2"), ("P_10",), [[[20.0], [0.0]]]))
    "1 score outside 0 to 1 (e.g. 20, P_10 of 'a')"
    """
    if (missing := table.values == _MISSING).any():
        run, _, place = np.argwhere(missing)[0].tolist()
        number = f"{counted(int(missing.sum()), 'score')} of {_MISSING} (e.g. {table.measures[place]}"
        return (
            f"{number} of '{shown_name(table.systems[run])}'), which trec_eval -Z prints where factors are missing"
        )
    unit = table.select(measures=[measure for measure in table.measures if _is_from_0_to_1(measure)])
    negative = _about_negative_scores(table)
    outside = (unit.values < 0) | (unit.values > 1 + 1e-9)
    # A few uncensored scores by U may be outside.
    is_some = outside.sum(axis=(0, 1)) <= np.sum(~np.isnan(unit.values), axis=(0, 1)) / 2
    outside &= ~(is_some & np.array([split_scheme(measure)[0] == "U" for measure in unit.measures], dtype=bool))
    if not outside.any():
        return negative
    run, _, place = (int(places[0]) for places in outside.nonzero())
    value = unit.values[outside][0]
    example = f"{value:.10g}, {unit.measures[place]} of '{shown_name(unit.systems[run])}'"
    return f"{counted(int(outside.sum()), 'score')} outside 0 to 1 (e.g. {example})"


def _about_negative_scores(table: ScoreTable) -> str | None:
    """Return a message about scores below 0 by measures without an upper bound, such as DCG; or None."""
    names = [name for name in table.measures if is_never_negative(name) and not _is_from_0_to_1(name)]
    found = np.argwhere(table.select(measures=names).values < 0)
    if not len(found):
        return None
    run, topic, place = found[0].tolist()
    value = table.measure(names[place])[run, topic]
    example = f"{value:g}, {names[place]} of '{shown_name(table.systems[run])}'"
    return f"{counted(len(found), 'score')} below 0 (e.g. {example})"


def _is_from_0_to_1(measure: str) -> bool:
    scheme, raw = split_scheme(measure)
    return scheme in ("N", "U", "E", "M") or (not scheme and is_in_unit_range(raw))


def refuse_impossible_scores(table: ScoreTable, where: str | None = None) -> None:
    """Refuse scores that their measure cannot have, see `about_impossible_scores`."""
    told = about_impossible_scores(table)
    if told is not None:
        raise InputError(f"{told}, expected scores of the measure", where)


_MANY_UNLIKE = 0.1
"""Fewer impossible scores are ignored: someone may have changed single scores by hand."""


def about_other_measures(table: ScoreTable) -> Iterator[str]:
    """Yield messages about scores by P, success or recip_rank that no ranking can have, and counts with fractions.

    Apart from rounding, P_k is a multiple of 1/k, success is 0 or 1, and recip_rank is 0 or 1/rank. Other scores
    are probably by another measure.

    Examples
    --------
    >>> some = ScoreTable(("a",), ("1", "2", "3"), ("P_10",), [[[0.3], [0.2412], [0.0367]]])
    >>> print(*about_other_measures(some))
    2 of 3 scores by P_10 are not multiples of 1/10 (e.g. 0.2412 of 'a'): are they by another measure, or means?
    """
    yield from _about_fractions(table)
    for place, measure in enumerate(table.measures):
        scores = table.values[:, :, place]
        what, possible = nearest_possible(measure, scores)
        unlike = np.abs(scores - possible) > half_units(scores)
        is_known: Bools = ~np.isnan(scores)
        # Of many runs, those of one may be by another measure.
        for of_runs in (np.full(len(scores), fill_value=True), _has_many(unlike, is_known)):
            n, n_known = int(unlike[of_runs].sum()), int(is_known[of_runs].sum())
            if n > max(1, _MANY_UNLIKE * n_known):
                run, topic = (int(at) for at in np.argwhere(unlike & of_runs[:, np.newaxis])[0])
                example = f"e.g. {scores[run, topic]:g} of '{shown_name(table.systems[run])}'"
                number = f"{n} of {n_known} scores by {measure}"
                yield f"{number} are not {what} ({example}): are they by another measure, or means?"
                break


def nearest_possible(measure: str, scores: Floats) -> tuple[str, Floats]:
    """Return the possible scores of a measure in words, and the possible score nearest to each given one.

    If the measure is not P, success or recip_rank, any score is possible, and the words are empty.

    Examples
    --------
    >>> nearest_possible("P_3", np.array([0.3333, 0.7]))
    ('multiples of 1/3', array([0.33333333, 0.66666667]))
    """
    kind, k = _kind_and_cutoff(measure)
    if not kind:
        return "", scores
    if kind != "recip_rank":
        return f"multiples of 1/{k}" if k > 1 else "0 or 1", np.round(scores * k) / k
    with np.errstate(divide="ignore", invalid="ignore"):
        return "0 or 1/rank", np.where(scores == 0, 0, 1 / np.round(1 / scores))


def least_distance(measure: str, scores: Floats) -> float:
    """Return the least distance between two possible scores of a measure, from the least of the given scores on.

    It is 0 if any score is possible, see `nearest_possible`.

    Examples
    --------
    >>> least_distance("P_20", np.array([0.5])), least_distance("map", np.array([0.5]))
    (0.05, 0.0)
    >>> round(least_distance("recip_rank", np.array([0.0, 0.25, 1.0])), 4)
    0.05
    """
    kind, k = _kind_and_cutoff(measure)
    if kind != "recip_rank":
        return 1 / k if kind else 0.0
    least = float(np.min(scores, initial=1, where=scores > 0))
    return least - 1 / (1 / least + 1)


def _kind_and_cutoff(measure: str) -> tuple[str, int]:
    """Return P, success or recip_rank, and the cutoff of P, which is 1 for others; no text for other measures."""
    found = re.fullmatch(
        "(?:(P|success)_([1-9][0-9]{0,8})|(recip_rank)(?:_cut_[0-9]+)?)", canonical(split_prefix(measure)[1])
    )
    if found is None:
        return "", 1
    return found[1] or found[3], int(found[2]) if found[1] == "P" else 1


def _about_fractions(table: ScoreTable) -> Iterator[str]:
    """Yield a message about counts that are not whole numbers, such as the means of several runs."""
    for place, measure in enumerate(table.measures):
        numbers = table.values[:, :, place]
        broken = np.argwhere(np.isfinite(numbers) & (numbers != np.round(numbers)))
        if kind_of(measure) == "count" and len(broken):
            run, topic = broken[0].tolist()
            number = f"{len(broken)} of {int(np.isfinite(numbers).sum())} numbers by {measure}"
            example = f"e.g. {numbers[run, topic]:g} of '{shown_name(table.systems[run])}'"
            yield f"{number} are not whole numbers ({example}): are they means of several runs?"


def _has_many(unlike: Bools, is_known: Bools) -> Bools:
    """Return True for systems that have many such scores, shape (n_systems,)."""
    found: Bools = unlike.sum(axis=1) > np.maximum(1, _MANY_UNLIKE * is_known.sum(axis=1))
    return found


def about_contradictory_scores(table: ScoreTable) -> Iterator[str]:
    """Yield a message about the two measures whose scores contradict each other most often.

    Examples
    --------
    >>> scores = [[[0.0, 0.3], [0.0, 0.1], [0.25, 0.2]]]
    >>> print(*about_contradictory_scores(ScoreTable(("a",), ("1", "2", "3"), ("map", "P_10"), scores)))
    P_10 and map of 'a' contradict each other on 2 topics (e.g. '1': 0.3 and 0): was a column lost or pasted?
    """
    most, told = 0, ""
    for measures, where in contradictions(table.measures, table.values):
        is_known: Bools = ~np.any(np.isnan(table.values[:, :, measures]), axis=2)
        of_runs = _has_many(where, is_known)
        n = int(where[of_runs].sum())
        if n > most:
            most, told = n, _contradiction(table, measures, where & of_runs[:, np.newaxis])
    if told:
        yield told


def about_pasted_measures(table: ScoreTable) -> Iterator[str]:
    """Yield a message about two measures by which a system has the same scores, although no ranking has.

    Examples
    --------
    >>> scores = [[[x, x] for x in (0.1, 0.2, 0.3, 0.4, 0.5)]]
    >>> print(*about_pasted_measures(ScoreTable(("a",), tuple("12345"), ("map", "ndcg"), scores)))
    map and ndcg of 'a' are equal on all topics, as no ranking has them: was a column pasted?
    """
    for measures, where in pasted_measures(table.measures, table.values):
        one, other = (table.measures[place] for place in measures)
        runs = np.flatnonzero(where.any(axis=1))
        n_runs, name = len(runs), f"'{shown_name(table.systems[runs[0]])}'"
        whose = name if n_runs == 1 else f"{n_runs} runs (e.g. {name})"
        yield f"{one} and {other} of {whose} are equal on all topics, as no ranking has them: was a column pasted?"
        return


def _contradiction(table: ScoreTable, measures: tuple[int, int], where: Bools) -> str:
    """Return the message about two measures whose scores contradict each other where `where` is True."""
    run, topic = (int(at) for at in np.argwhere(where)[0])
    name, n_runs = f"'{shown_name(table.systems[run])}'", int(where.any(axis=1).sum())
    whose = name if n_runs == 1 else f"{n_runs} runs (e.g. {name})"
    one, other = (f"{table.values[run, topic, measure]:g}" for measure in measures)
    both = " and ".join(table.measures[measure] for measure in measures)
    example = f"e.g. '{shown_name(table.topics[topic])}': {one} and {other}"
    on = counted(int(where.any(axis=0).sum()), "topic")
    return f"{both} of {whose} contradict each other on {on} ({example}): was a column lost or pasted?"
