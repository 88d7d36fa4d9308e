"""The standardization schemes, which place a score on the scale of the reference systems' scores on the same topic.

A scheme is a row of `SCHEMES` and a function of arrays that broadcast to (systems, topics, measures): of the scores
and the mean and standard deviation of the references, or of counts of these.

See Webber, Moffat & Zobel, Score standardization for inter-collection comparison of retrieval systems, SIGIR 2008
(Z, N); Sakai, A simple and effective approach to score standardisation, ICTIR 2016 (U); Urbano, Lima & Hanjalic,
A new perspective on score standardization, SIGIR 2019 (E; M is E with mid-ranks for ties).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from stdeval import notices
from stdeval.errors import InputError, counted, warn
from stdeval.measures.names import standardized_name
from stdeval.noise import decimals, rounded
from stdeval.standardization import factors as references
from stdeval.standardization.factors import Factors
from stdeval.stats import aggregates
from stdeval.table import Bools, Floats, Ints, ScoreTable


def zscores(scores: Floats, mean: Floats, sd: Floats, **_: object) -> Floats:
    """Return z scores, which are unbounded (Webber 2008, equation 1, and trec_eval -Z)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(sd == 0, np.nan, (scores - mean) / sd)


def normal_scores(scores: Floats, mean: Floats, sd: Floats, places: int | None = None, **_: object) -> Floats:
    """Return Phi(z), the standard normal distribution function of the z scores, in [0, 1]."""
    z = np.asarray(zscores(scores, mean, sd))
    # Loading scipy.special takes longer than computing a thousand of these.
    erfc = np.fromiter(map(math.erfc, (z / -math.sqrt(2)).ravel().tolist()), np.float64, z.size)
    return _with_limits(0.5 * erfc.reshape(z.shape), scores, mean, sd, 0.5, places)


def uniform_scores(
    scores: Floats,
    mean: Floats,
    sd: Floats,
    places: int | None = None,
    A: float = 0.15,
    B: float = 0.5,
    censor: bool = True,
) -> Floats:
    """Return A z + B, censored to [0, 1] (Sakai 2016)."""
    u = A * zscores(scores, mean, sd) + B
    return _with_limits(np.clip(u, 0.0, 1.0), scores, mean, sd, min(1.0, max(0.0, B)), places) if censor else u


def _with_limits(
    standardized: Floats, scores: Floats, mean: Floats, sd: Floats, middle: float, places: int | None
) -> Floats:
    """Return the standardized scores, replaced where sd is 0: by 1 above the mean, `middle` at it, and 0 below."""
    if not np.any(sd == 0):
        return standardized
    difference = scores - mean
    within = 0.5 * 10.0 ** -decimals(np.maximum(np.abs(scores), np.abs(mean)), axis=())
    if places is not None:
        # 0.33335 - 0.3333 is half a unit of the fourth decimal, but slightly more in binary
        within = np.maximum(within, 0.5 * 10.0**-places * (1 + 1e-9))
    limits = np.where(np.abs(difference) <= within, middle, np.where(difference > 0, 1.0, 0.0))
    return np.where((sd == 0) & ~np.isnan(difference), limits, standardized)


def count_references(scores: Floats, reference: Floats) -> tuple[Floats, Floats, Floats]:
    """Count the reference scores below each score, those at most as high, and all, ignoring arithmetic noise."""
    unit = decimals(reference, axis=0)
    # One row per topic and measure; NaN comes last, after the n reference scores.
    rows = np.ascontiguousarray(rounded(scores, unit).reshape(len(scores), -1).T)
    ordered = np.sort(rounded(reference, unit).reshape(len(reference), -1).T, axis=1)
    n = np.sum(~np.isnan(ordered), axis=1)
    below, at_most = np.full((2, *rows.shape), np.nan)
    for t in np.flatnonzero(n):
        below[t] = np.searchsorted(ordered[t, : n[t]], rows[t], side="left")
        at_most[t] = np.searchsorted(ordered[t, : n[t]], rows[t], side="right")
    below[np.isnan(rows)] = at_most[np.isnan(rows)] = np.nan
    known = np.broadcast_to(np.where(n, n, np.nan)[:, np.newaxis], rows.shape)
    below, at_most, known = (np.ascontiguousarray(each.T).reshape(scores.shape) for each in (below, at_most, known))
    return below, at_most, known


def empirical_scores(below: Floats, at_most: Floats, n: Floats) -> Floats:
    """Return the share of reference scores that are at most x, in [0, 1] (Urbano 2019, equation 7)."""
    return at_most / n


def midrank_scores(below: Floats, at_most: Floats, n: Floats) -> Floats:
    """Return the share of reference scores below x plus half the share of those equal to x, in [0, 1]."""
    return (below + at_most) / (2 * n)


class Scheme(NamedTuple):
    """A standardization scheme; its title stands in reports."""

    title: str
    function: Callable[..., Floats]
    of_counts: bool = False


SCHEMES = {
    "Z": Scheme("(x - mean) / sd", zscores),
    "N": Scheme("normal distribution function of the z score", normal_scores),
    "U": Scheme("A z + B, censored to [0, 1]", uniform_scores),
    "E": Scheme("share of reference scores at most x", empirical_scores, of_counts=True),
    "M": Scheme("share of reference scores below x, those equal to x by half", midrank_scores, of_counts=True),
}  # by the letter that prefixes the names of measures


def check_scheme(scheme: str) -> None:
    """Refuse a text that is not the letter of a scheme, in upper or lower case."""
    if str(scheme).upper() not in SCHEMES:
        raise InputError(f"no scheme '{scheme}', expected one of: {', '.join(SCHEMES).lower()}")


def needs_reference_scores(scheme: str) -> bool:
    """Return whether a scheme, or ``raw``, needs the reference scores themselves, not only their mean and sd."""
    return scheme != "raw" and SCHEMES[scheme.upper()].of_counts


def apply_scheme(
    letter: str, scores: Floats, mean: Floats, sd: Floats, reference: Floats | None = None, **parameters: Any
) -> Floats:
    """Return scores standardized by one scheme, with its parameters: places, A, B and censor."""
    scheme = SCHEMES[letter]
    if not scheme.of_counts:
        return scheme.function(scores, mean, sd, **parameters)
    if reference is not None:
        return scheme.function(*count_references(scores, reference))
    what = f"scheme {letter.lower()} needs the reference scores themselves"
    raise InputError(f"{what}, not only their means and deviations")


def leaves_out_equal_references(scheme: str, censor: bool) -> bool:
    """Return whether a scheme has no score where references are equal: Z, and U unless censored."""
    return scheme.upper() == "Z" or (scheme.upper() == "U" and not censor)


def standardize(
    table: ScoreTable,
    factors: Factors | None = None,
    scheme: str = "n",
    *,
    A: float = 0.15,
    B: float = 0.5,
    censor: bool = True,
) -> ScoreTable:
    """Return the standardized scores of a table by its measures that the factors have, see `stdeval.standardize`.

    If the standard deviation is 0, a score by Z or uncensored U is NaN. One by N or censored U is a limit (see
    `_with_limits`), or NaN if the 0 may come from rounding.
    """
    check_scheme(scheme)
    if not (0 < A < np.inf and 0 <= B <= 1):
        raise InputError(f"A {A} and B {B}, expected a slope A above 0, and a mean B from 0 to 1")
    references.refuse_huge(table.values)
    used = references.fit_factors(table) if factors is None else factors
    chosen = table.select(measures=references.common_measures(table.measures, used))
    known = used.laid_out(chosen.topics, chosen.measures)
    letter = scheme.upper()
    scored = apply_scheme(letter, chosen.values, *known, places=used.decimals, A=A, B=B, censor=censor)
    return standardized_table(chosen, letter, scored)


def standardized_table(table: ScoreTable, letter: str, scored: Floats) -> ScoreTable:
    """Return a table of scores that a scheme standardized, from the table of the raw scores."""
    names = tuple(standardized_name(letter, name) for name in table.measures)
    return ScoreTable(table.systems, table.topics, names, scored, unretrieved=table.unretrieved)


def left_out_topics(
    factors: Factors, topics: Sequence[str], measures: Sequence[str], scheme: str, *, censor: bool = True
) -> Bools:
    """Return True where a scheme leaves a topic out because its standard deviation is 0."""
    zero: Bools = references.align(factors.sd, factors, topics, measures) == 0
    needs_spread = scheme != "raw" and not needs_reference_scores(scheme)
    leaves_out = leaves_out_equal_references(scheme, censor) or (needs_spread and factors.rounded)
    return zero if leaves_out else np.zeros_like(zero)


def mapping_curves(table: ScoreTable, factors: Factors, scheme: str) -> list[Floats]:
    """Return the mapping of each topic from raw to standardized scores, by the one measure of a table."""
    letter = scheme.upper()
    present = table.values[~np.isnan(table.values)]
    in_unit = bool(((present >= 0) & (present <= 1)).all())
    ends = (0.0, 1.0) if in_unit else (float(present.min()), float(present.max()))
    mean, sd, *reference = factors.laid_out(table.topics, table.measures)
    points, steps, places = np.linspace(*ends, 101), np.where(sd == 0, mean, np.nan)[None], factors.decimals
    if reference and needs_reference_scores(letter):
        points, steps, places = np.array(ends), reference[0], None
    unit = 10.0 ** -(decimals(steps, axis=0) if places is None else np.full(mean.shape, places))
    raw = np.broadcast_to(points[:, None, None], (len(points), *mean.shape))
    if not np.isnan(steps).all():
        # Scores count as different from one unit of the last decimal on. A missing score makes no step: it is
        # replaced by the lower end, where there is a point anyway.
        steps = np.concatenate([steps - unit, steps, steps + unit]).clip(*ends)
        raw = np.sort(np.concatenate([raw, np.where(np.isnan(steps), ends[0], steps)]), axis=0)
    mapped = apply_scheme(letter, raw, mean, sd, *reference, places=factors.decimals)
    return list(np.stack([raw[:, :, 0].T, mapped[:, :, 0].T], axis=-1))


class Standardized(NamedTuple):
    """Scores by scheme, where each leaves topics out, shape (n_topics, n_measures), and what warnings need."""

    tables: dict[str, ScoreTable]
    left_out: dict[str, Bools]
    raw: ScoreTable
    numbers: Floats | Ints  # of references
    few_others: tuple[str, ...] = ()  # the systems without two references

    @property
    def lacks(self) -> Bools:
        """True for each topic that some scheme leaves out by some measure."""
        return np.asarray(np.any(list(self.left_out.values()), axis=(0, 2)))

    def warned(self) -> dict[str, ScoreTable]:
        """Return the scores by scheme, after the warnings about them."""
        topics, n_topics = self.raw.topics, len(self.raw.topics)
        equal = list(compress(topics, self.lacks))
        lost = np.zeros(n_topics, dtype=bool)
        extreme = (0.0, "")
        for scheme, table in self.tables.items():
            if scheme != "raw":
                is_lost = np.isnan(table.values) & ~np.isnan(self.raw.values) & ~self.left_out[scheme]
                lost |= is_lost.any(axis=(0, 2))
            for name in table.measures if scheme.upper() == "N" else ():
                scores = table.measure(name)
                # N is as close to 0 or 1 for a score three standard deviations away from the mean
                n_extreme = int(np.sum((scores < 0.001) | (scores > 0.999)))
                extreme = max(extreme, (n_extreme / max(1, int(np.sum(~np.isnan(scores)))), name))
        letters = [scheme.upper() for scheme, where in self.left_out.items() if where.any()]
        fewest = int(min(self.numbers[self.numbers > 0].tolist(), default=0))
        warn(
            notices.topics_without_factors(list(compress(topics, lost)), n_topics),
            notices.few_references(fewest, [scheme.upper() for scheme in self.tables]),
            notices.few_others(self.few_others, len(self.raw.systems)),
            notices.equal_references(equal, n_topics, letters),
            notices.extreme_scores(*extreme),
            stacklevel=4,
        )
        return self.tables


def standardize_all(raw: ScoreTable, factors: Factors, schemes: Sequence[str], **of_u: Any) -> Standardized:
    """Return the scores by each scheme, among which may be ``raw``; the factors have all measures of the table."""
    topics, measures, censor = raw.topics, raw.measures, of_u["censor"]
    tables = {each: raw if each == "raw" else standardize(raw, factors, each, **of_u) for each in schemes}
    numbers = references.align(factors.n.astype(np.float64), factors, topics, measures)
    left_out = {each: left_out_topics(factors, topics, measures, each, censor=censor) for each in schemes}
    return Standardized(tables, left_out, raw, numbers)


# --- runs that are their own references, each by the others ---


class Others(NamedTuple):
    """The references of each system of a table: all systems that do not belong to its group.

    A run that is among its own references pulls their mean towards its score, the more so the fewer they are. The
    others count as all runs minus the group. For one run, the score by E is (n E - 1) / (n - 1), and by M
    (n M - 1/2) / (n - 1).
    """

    table: ScoreTable
    groups: Ints
    mean: Floats
    sd: Floats
    n: Ints

    @property
    def numbers_left(self) -> list[int]:
        """The numbers of references of the systems, on the topics where they have a score."""
        return [int(n) for n in np.unique(self.n[~np.isnan(self.table.values)])]


def fit_others(table: ScoreTable, groups: Sequence[str] | None = None) -> Others:
    """Return the references of each system: the systems of other groups."""
    names = table.systems if groups is None else groups
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    numbers = np.array([number[name] for name in names], dtype=np.int64)
    mean, sd, n = aggregates.moments_without(table.values, numbers)
    if n.max(initial=0) < 2:
        what = f"{len(names)} runs" + (f" in {counted(len(number), 'group')}" if groups else "")
        raise InputError(f"{what}: fewer than two reference runs are left for each run, expected more of them")
    return Others(table, numbers, mean[numbers], sd[numbers], n[numbers])


def standardize_by_others(others: Others, scheme: str, *, censor: bool = True, **parameters: Any) -> ScoreTable:
    """Return the scores of all systems, standardized by the scores of other groups."""
    letter, table = scheme.upper(), others.table
    if SCHEMES[letter].of_counts:
        scored = SCHEMES[letter].function(*_count_others(others))
    else:
        scored = apply_scheme(letter, table.values, others.mean, others.sd, censor=censor, **parameters)
    scored = np.where(topics_left_out(others, scheme, censor=censor), np.nan, scored)
    return standardized_table(table, letter, scored)


def _count_others(others: Others) -> tuple[Floats, Floats, Floats]:
    """Count the references below each score, and those at most as high: all systems minus the group."""
    # Scores that are equal but for noise among all systems are so in each group.
    values = rounded(others.table.values, decimals(others.table.values, axis=0))
    below, at_most, n = map(np.array, count_references(values, values))
    for group in np.unique(others.groups):
        inside = others.groups == group
        own_below, own_at_most, own_n = count_references(values[inside], values[inside])
        below[inside] -= own_below
        at_most[inside] -= own_at_most
        n[inside] -= np.nan_to_num(own_n)
    return below, at_most, np.where(n >= 2, n, np.nan)


def topics_left_out(others: Others, scheme: str, *, censor: bool = True) -> Bools:
    """Return True where a scheme leaves a topic out for all systems: the references of some group are all equal."""
    equal: Bools = (others.sd == 0).any(axis=0)
    return equal if leaves_out_equal_references(scheme, censor) else np.zeros_like(equal)


def standardize_without(
    table: ScoreTable, groups: Sequence[str] | None, wanted: Sequence[str], **of_u: Any
) -> Standardized:
    """Standardize each run by the runs of other groups, see `standardize_all`."""
    others = fit_others(table, groups)
    tables = {each: table if each == "raw" else standardize_by_others(others, each, **of_u) for each in wanted}
    left_out = {each: topics_left_out(others, each, censor=of_u["censor"]) for each in wanted}
    is_alone = (others.n < 2).all(axis=(1, 2))
    raw = replace(table, values=np.where(is_alone[:, np.newaxis, np.newaxis], np.nan, table.values))
    return Standardized(tables, left_out, raw, others.n[others.n > 1], tuple(compress(table.systems, is_alone)))
