"""Find rounded scores, the exact scores that they stand for, and means whose order exact scores would change."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from stdeval.arrays import Bools, Floats, Ints
from stdeval.display import counted, listed, shown_name
from stdeval.doubtful_scores.close_scores import close_systems
from stdeval.doubtful_scores.impossible_scores import least_distance, nearest_possible
from stdeval.measures.facts import has_long_scores, has_mostly_long_scores, has_tiny_weights
from stdeval.measures.names import canonical, split_prefix, split_scheme
from stdeval.noise import are_single
from stdeval.stats.aggregates import arithmetic_mean, overall_scores
from stdeval.stats.rounding import (
    MOST_DIGITS,
    are_copies,
    are_short,
    are_sums_of_halves,
    few_decimals,
    few_digits,
    half_units,
    printed_decimals,
    printed_decimals_of_all,
    rounding_of,
)
from stdeval.table import ScoreTable

_SHORT = f"32-bit floats, or to {MOST_DIGITS} digits or fewer"
"""The rounding of short scores, in words."""

_NOISE, _LONG = 1e-12, 10
"""Computed fractions differ from exact ones by less than _NOISE. A score with more decimals than _LONG is long."""


def about_rounded(tables: Sequence[ScoreTable], advice: str = "") -> Iterator[str]:
    """Yield a message if the scores of some runs seem to be rounded, and those of others do not.

    Scores of 32-bit floats are rounded too; if runs are rounded in both ways, the warning is about the decimals.

    Parameters
    ----------
    tables : sequence of ScoreTable
        Scores that are compared with each other.
    advice : str
        The advice of the message, after a comma.
    """
    systems = [system for table in tables for system in table.systems]
    common = set(tables[0].measures).intersection(*(table.measures for table in tables))
    for measure in filter(common.__contains__, tables[0].measures):
        if (found := _about_measure(systems, measure, _on_all_topics(tables, measure))) is not None:
            yield f"the {measure} scores of {found}{advice}"
            return


def _about_measure(systems: Sequence[str], measure: str, scores: Floats) -> str | None:
    """Return in words whose scores by a measure are rounded, or are those of another program, and what follows."""
    some, digits, others = *_rounded_systems(scores, measure), "do not"
    if not len(some):
        some, digits, others = *_coarser_systems(scores), "to more"
    if len(some):
        number = f"{len(some)} of {len(systems)} runs (e.g. '{shown_name(systems[some[0]])}')"
        told = f"seem to be rounded to {digits}, and those of others {others}"
        return f"{number} {told}: equal scores may count as different"
    if (pair := _rounded_otherwise(scores)) is not None:
        *two, n, unit = pair
        found = f"{_both(systems, two)} differ by {unit:g} on {counted(n, 'topic')}, and never by more"
        return f"{found}: are they the same scores, rounded in two ways?"
    if (close := close_systems(scores, measure)) is not None:
        *two, n = close
        found = f"{_both(systems, two)} differ by less than a millionth on {counted(n, 'topic')}"
        far = ", or do only documents far down differ" if has_tiny_weights(measure) else ""
        return f"{found}: did different programs compute them{far}? equal scores may count as different"
    return None


def _both(systems: Sequence[str], two: Sequence[int]) -> str:
    return " and ".join(f"'{shown_name(systems[place])}'" for place in two)


def _rounded_otherwise(scores: Floats) -> tuple[int, int, int, float] | None:
    """Return two systems whose scores never differ by more than one unit of the last decimal, or None.

    One program may cut off the decimals that another one rounds. The numbers are the places of the systems, the
    number of topics on which their scores differ, and the unit.
    """
    printed = printed_decimals(scores)
    for place in np.flatnonzero(printed > 0).tolist():
        unit = 10.0 ** -int(printed[place])
        others = np.flatnonzero((printed == printed[place]) & (np.arange(len(scores)) > place))
        gaps = np.abs(scores[others] - scores[place])
        numbers = np.sum(gaps > unit / 2, axis=1)
        alike = (numbers >= _FEWEST_UNITS) & (10 * numbers >= scores.shape[1]) & ~np.any(gaps > 1.5 * unit, axis=1)
        if alike.any():
            first = int(np.argmax(alike))
            return place, int(others[first]), int(numbers[first]), unit
    return None


_FEWEST_UNITS = 5
"""The last decimals must differ on at least this number of topics, and on at least a tenth of all topics."""


def _coarser_systems(scores: Floats) -> tuple[Ints, str]:
    """Return the systems whose scores have fewer decimals than those of other systems, and that number in words."""
    printed = printed_decimals(scores)
    # If there are few scores, their last decimals may all be 0 by chance.
    are_enough = np.array([len(np.unique(row[~np.isnan(row)])) >= _ENOUGH_DIFFERENT for row in scores])
    some = np.flatnonzero((printed > 0) & (printed < printed.max(initial=0)) & are_enough)
    return some, f"{printed[some].max(initial=0)} decimals"


_ENOUGH_DIFFERENT = 8


def _rounded_systems(scores: Floats, measure: str) -> tuple[Ints, str]:
    """Return the systems whose scores are rounded while those of others are not, and the digits in words."""
    if is_rank_biased(measure):
        # With p = 0.5, the scores of a run with ten documents have at most ten decimals by nature.
        by_nature = np.all(are_sums_of_halves(scores) | np.isnan(scores), axis=1)
        scores = np.where(by_nature[:, np.newaxis], np.nan, scores)
    printed = printed_decimals(scores)
    some = np.flatnonzero(printed > 0)
    digits = f"{printed[some].max()} decimals" if len(some) else _SHORT
    if not len(some):
        some = np.flatnonzero(are_short(scores, may_be_halves=_may_be_halves(measure)))
    if len(some) and np.delete(printed == 0, some).any():
        return some, digits
    # A score by rank-biased precision with p = 0.5 is a sum of powers of 2, and so a 32-bit float by nature, unless
    # there are relevant documents far down.
    if not has_long_scores(measure) and len(some := np.flatnonzero(are_copies(scores))):
        return some, _SHORT
    few = [_few_digits(row[np.newaxis], measure) for row in scores]
    if any(few) and not all(few):
        return np.flatnonzero([bool(each) for each in few]), max(few)
    is_share = re.search(r"(^|:)(set_P|judged(_[0-9]+)?)(_rel=[0-9]+)?$", measure) is not None
    found = rounding_of(scores, is_share=is_share)
    some = np.flatnonzero([bool(each) for each in found])
    return (some, found[some[0]]) if len(some) else _rounded_fractions(scores, measure)


def _few_digits(scores: Floats, measure: str) -> str:
    """Return how few decimals or digits the scores have, in words, if they are too few to tell the scores apart.

    Scores by Z, N and U have many decimals by any measure, as the mean and deviation of the references have.
    """
    distance = least_distance(measure, scores)
    if has_mostly_long_scores(measure):
        scores = scores[:, ~_are_on_a_grid(scores)]
    elif not (distance or has_long_scores(measure) or split_scheme(measure)[0] in ("Z", "N", "U")):
        return ""
    if places := few_decimals(scores):
        return counted(places, "decimal") if distance < 10.0**-places else ""
    digits = 0 if distance else few_digits(scores)
    return counted(digits, "significant digit") if digits else ""


def _are_on_a_grid(scores: Floats) -> Bools:
    """Return which topics have only scores that are multiples of 1/50 or of 1/40, shape (n_topics,).

    Fractions of 2, 4, 5, 8, 10, 20 and so on relevant documents are short by nature.
    """
    multiples = np.array([50, 40])[:, np.newaxis, np.newaxis] * scores
    is_multiple: Bools = np.isclose(multiples, np.round(multiples)) | np.isnan(multiples)
    are: Bools = np.any(np.all(is_multiple, axis=1), axis=0)
    return are


def _rounded_fractions(scores: Floats, measure: str) -> tuple[Ints, str]:
    """Return the systems whose scores are rounded fractions, such as 0.333 by P_3, and the decimals in words.

    Another system must have exact scores, and at least one long score.
    """
    is_rounded = _are_rounded(scores, nearest_possible(measure, scores)[1])
    of_systems: Bools = np.any(is_rounded, axis=1)
    is_long = np.round(scores, _LONG) != scores
    if not of_systems.any() or not (is_long & ~np.isnan(scores))[~of_systems].any():
        return np.flatnonzero(of_systems)[:0], ""
    return np.flatnonzero(of_systems), counted(_decimals(scores[is_rounded]), "decimal")


def _are_rounded(scores: Floats, exact: Floats) -> Bools:
    """Return True for scores that differ from exact ones by rounding only."""
    errors = np.abs(scores - exact)
    are: Bools = (errors > _NOISE) & (errors <= half_units(scores))
    return are


def _decimals(short: Floats) -> int:
    """Return the number of decimals that all scores have, at most `_LONG`."""
    return next((k for k in range(1, _LONG) if np.array_equal(np.round(short, k), short)), _LONG)


def exact_scores(scores: Floats, measure: str) -> tuple[Floats, str]:
    """Return the exact scores that rounded scores stand for, and the rounding in words; no words if there is none.

    Exact scores by P, success and recip_rank are known. By other measures, a score is taken for the fraction of
    small integers that is rounded to it, if there is one.

    Examples
    --------
    >>> exact_scores(np.array([[0.333, 0.667, 1.0]]), "P_3")
    (array([[0.33333333, 0.66666667, 1.        ]]), '3 decimals')
    >>> exact_scores(np.array([[0.3333, 0.1428, 1.0]]), "recall_10")
    (array([[0.33333333, 0.1428    , 1.        ]]), '4 decimals')
    """
    words, exact = nearest_possible(measure, scores)
    digits = 0 if words else printed_decimals_of_all(scores)
    if digits or (not words and are_short(scores.reshape(1, -1))[0]):
        different, places = np.unique(scores, return_inverse=True)
        exact = np.array([_nearest_fraction(score) for score in different.tolist()])[places].reshape(scores.shape)
    is_rounded = _are_rounded(scores, exact) & ((np.round(exact, digits) == scores) | (digits == 0))
    short = scores[is_rounded]
    if not len(short):
        return scores, ""
    rounding = "32-bit floats" if are_single(short).all() else counted(digits or _decimals(short), "decimal")
    return np.where(is_rounded, exact, scores), rounding


def about_rounded_means(table: ScoreTable) -> Iterator[str]:
    """Yield a message per measure if exact scores would change the order of means, or their ties.

    Examples
    --------
    >>> printed = [[[0.3333], [0.3333], [0.6667], [0]], [[0.6667], [0.6667], [0], [0]]]
    >>> print(*about_rounded_means(ScoreTable(("a", "b"), tuple("1234"), ("P_3",), printed)))
    exact scores would change the order of 1 of 1 pair of runs by mean P_3: the scores are rounded to 4 decimals
    """
    for measure in table.measures:
        exact, rounding = exact_scores(table.measure(measure), measure)
        if rounding:
            given, exactly = (_order_of_means(scores) for scores in (table.measure(measure), exact))
            n, n_pairs = int(np.triu(given != exactly).sum()), len(given) * (len(given) - 1) // 2
            if n:
                of_pairs = f"{n} of {counted(n_pairs, 'pair')} of runs by mean {measure}"
                yield f"exact scores would change the order of {of_pairs}: the scores are rounded to {rounding}"


def _order_of_means(scores: Floats) -> Floats:
    """Return the signs of all differences of means, shape (n_systems, n_systems); 0 for ties and missing means."""
    means = overall_scores(scores, arithmetic_mean)
    return np.nan_to_num(np.sign(means[:, np.newaxis] - means))


def _nearest_fraction(score: float) -> float:
    return score if math.isnan(score) else float(Fraction(score).limit_denominator(_DENOMINATOR))


_DENOMINATOR = 100
"""Most topics have fewer relevant documents than this."""


def _on_all_topics(tables: Sequence[ScoreTable], measure: str) -> Floats:
    """Return the scores of the systems of all tables by a measure, on the topics that any table has."""
    places: dict[str, int] = {}
    for table in tables:
        for topic in table.topics:
            places.setdefault(topic, len(places))
    rows = []
    for table in tables:
        scores = np.full((len(table.systems), len(places)), np.nan)
        scores[:, [places[topic] for topic in table.topics]] = table.measure(measure)
        rows.append(scores)
    return np.concatenate(rows)


def about_few_decimals(table: ScoreTable) -> Iterator[str]:
    """Yield messages about measures by which all scores have three decimals or fewer, or are 32-bit floats.

    Examples
    --------
    >>> scores = np.linspace(0.11, 0.6, 50)[np.newaxis, :, np.newaxis]
    >>> table = ScoreTable(("a",), tuple(map(str, range(50))), ("map",), scores.round(2))
    >>> print(*about_few_decimals(table))
    all scores by map have at most 2 decimals: were they rounded? differences smaller than that are lost
    """
    found = {name: _few_digits(table.measure(name), name) for name in table.measures}
    for digits in sorted({*found.values()} - {""}):
        measures = [name for name in table.measures if found[name] == digits]
        lost = "were they rounded? differences smaller than that are lost"
        yield f"all scores by {listed(measures)} have at most {digits}: {lost}"
    singles = [name for name in table.measures if _are_all_single(table.measure(name), name)]
    if singles:
        lost = "equal differences may count as different, and a score equal to a limit as above or below it"
        yield f"all scores by {listed(singles)} seem to be rounded to 32-bit floats: {lost}"


def _are_all_single(scores: Floats, measure: str) -> bool:
    """Return True if all scores are 32-bit floats, and enough of them can only be so because of rounding."""
    known = scores[~np.isnan(scores)]
    short = are_short(scores.reshape(1, -1), may_be_halves=_may_be_halves(measure))
    return bool(are_single(known).all() and short[0])


def _may_be_halves(measure: str) -> bool:
    """Return True if exact scores by the measure may all be short binary fractions, as by P_64 and RBP(p=0.5)."""
    return is_rank_biased(measure) or not (has_long_scores(measure) or has_mostly_long_scores(measure))


def is_rank_biased(measure: str) -> bool:
    """Return True for rank-biased precision, normalized or not."""
    return re.match("n?rbp", canonical(split_prefix(measure)[1])) is not None
