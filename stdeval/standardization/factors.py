"""Standardization factors: fit them to the scores of references, check them, and lay them out for other topics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from stdeval import results
from stdeval.errors import InputError, counted, listed
from stdeval.measures import names as measure_names
from stdeval.provenance import OTHER_FACTORS, Difference, Origin, differences, other_factors
from stdeval.stats import aggregates
from stdeval.table import Bools, Floats, Ints, ScoreTable, checked_labels, checked_numbers, rows_for

LARGEST_SCORE = 1e150  # that can be standardized, or summed over topics: the square of a larger one overflows


@dataclass(frozen=True, eq=False)
class Factors:
    """Standardization factors: mean and spread of the reference systems' scores on each topic.

    Parameters
    ----------
    mean, sd : ndarray, shape (n_topics, n_measures)
        Mean and sample standard deviation (divisor n - 1) of the reference scores, NaN where there are none. An sd
        of 0 means that the reference scores are all equal, unless numbers are rounded. Without reference scores, an
        sd of at most 1e-7 of its mean becomes 0: programs that sum squares compute 1e-8 of equal scores.
    n : ndarray of int, shape (n_topics, n_measures)
        Number of reference systems; 0 if it is unknown.
    reference : ScoreTable, optional
        The reference scores themselves, which schemes E and M need.
    decimals : int, optional
        Number of decimals of the means in the file from which the factors were read; None for full precision.
    rounded : bool
        True if the standard deviations were rounded. A standard deviation of 0 may then have been a small one.

    Examples
    --------
    >>> Factors(("301",), ("map",), np.array([[0.5]]), np.array([[0.25]]), np.array([[10]]))
    Factors(1 topic, 1 measure: map, 10 reference systems)
    """

    topics: tuple[str, ...]
    measures: tuple[str, ...]
    mean: Floats
    sd: Floats
    n: Ints
    reference: ScoreTable | None = None
    decimals: int | None = None
    rounded: bool = False
    origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        topics, measures = checked_labels(self.topics, "topic"), checked_labels(self.measures, "measure")
        mean, sd = checked_numbers(self.mean, "mean"), checked_numbers(self.sd, "standard deviation")
        n = checked_numbers(self.n, "number of references").astype(np.int64)
        shape = (len(topics), len(measures))
        if not mean.shape == sd.shape == n.shape == shape:
            raise InputError(f"factors of shapes {mean.shape}, {sd.shape} and {n.shape}, expected {shape}")
        if (sd < 0).any():
            raise InputError(f"standard deviation {sd[sd < 0][0]:g}, expected numbers from 0")
        if self.reference is None:
            sd = np.where(sd <= 1e-7 * np.abs(mean), 0.0, sd)
        sd.flags.writeable = n.flags.writeable = False
        vars(self).update(topics=topics, measures=measures, mean=mean, sd=sd, n=n)

    def laid_out(self, topics: Sequence[str], measures: Sequence[str]) -> list[Floats]:
        """Return mean, known sd and, if there are any, reference scores, for other topics and measures."""
        known_sd = np.where(self.sd == 0, np.nan, self.sd) if self.rounded else self.sd
        known = [self.mean, known_sd, *([] if self.reference is None else [self.reference.values])]
        return [align(array, self, topics, measures) for array in known]

    def __repr__(self) -> str:
        most = int(self.n.max(initial=0))
        known = f", {counted(most, 'reference system')}" if most else ""
        scores = ", with their scores" if self.reference is not None else ""
        measures = f"{counted(len(self.measures), 'measure')}: {listed(self.measures)}"
        return f"Factors({counted(len(self.topics), 'topic')}, {measures}{known}{scores})"

    def _repr_html_(self) -> str:
        """The factors, as notebooks show them."""
        header = ["topic", "n", *(f"{name}.{part}" for name in self.measures for part in ("mean", "sd"))]
        pairs = np.stack([self.mean, self.sd], axis=2).reshape(len(self.topics), -1).tolist()
        most = self.n.max(axis=1, initial=0).tolist()
        rows = [[topic, n or math.nan, *row] for topic, n, row in zip(self.topics, most, pairs, strict=True)]
        return results.html_table(header, rows, repr(self))


def fit_factors(table: ScoreTable) -> Factors:
    """Return the standardization factors of the scores of at least two reference systems.

    A missing score is left out of its topic's factors. They keep the table, because schemes E and M need it.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))
    >>> fit_factors(table).mean, fit_factors(table).sd.round(4)
    (array([[0.5]]), array([[0.3536]]))
    """
    refuse_huge(table.values)
    check_references(len(table.systems))
    return Factors(table.topics, table.measures, *aggregates.moments(table.values), table, origin=table.origin)


def refuse_huge(scores: Floats) -> None:
    """Refuse scores beyond `LARGEST_SCORE`."""
    beyond = np.abs(scores) > LARGEST_SCORE
    if beyond.any():
        raise InputError(f"score {scores[beyond][0]:g}, expected at most {LARGEST_SCORE:g}")


def check_references(n: int) -> None:
    """Refuse fewer than two reference systems."""
    if n < 2:
        number = "one" if n else "no"
        raise InputError(f"{number} reference run, expected at least two: a standard deviation needs them")


def impossible_deviations(factors: Factors) -> Bools:
    """Return True where no scores in [0, 1] have the mean and the standard deviation, (n_topics, n_measures)."""
    half = 0.0 if factors.decimals is None else 0.5 * 10.0**-factors.decimals
    # Among the means that are rounded to this one, the mean nearest to 1/2 allows the largest variance.
    mean = np.clip(factors.mean + np.clip(0.5 - factors.mean, -half, half), 0, 1)
    n = np.where(factors.n > 1, factors.n, 2)
    # Some programs print six significant digits.
    beyond = factors.sd - half > 1.001 * np.sqrt(mean * (1 - mean) * n / (n - 1))
    # Other measures may be above 1, and so are percentages.
    in_unit = [measure_names.range_of(name) == "0..1" for name in factors.measures]
    return np.asarray(beyond & in_unit & ~(factors.mean > 1).any(axis=0))


def common_measures(measures: Sequence[str], factors: Factors) -> tuple[str, ...]:
    """Return the measures that the factors have, in the order given; if there are none, raise an `InputError`."""
    common = tuple(name for name in measures if name in factors.measures)
    if not common:
        both = f"the factors have {listed(factors.measures) or 'none'}, the scores {listed(measures) or 'none'}"
        raise InputError(f"no measure in common: {both}")
    return common


def numbers_of_references(factors: Factors, topics: Iterable[str], measures: Iterable[str]) -> Ints:
    """Return the number of reference systems of the factors for each topic and measure."""
    rows, columns = np.isin(factors.topics, list(topics)), np.isin(factors.measures, list(measures))
    return factors.n[np.ix_(rows, columns)]


def align(array: Floats, factors: Factors, topics: Sequence[str], measures: Sequence[str]) -> Floats:
    """Return an array of the factors laid out for other topics and measures."""
    if set(topics).isdisjoint(factors.topics):
        raise InputError(f"no topic in common: the factors have '{factors.topics[0]}', the scores '{topics[0]}'")
    by_topic = rows_for(np.moveaxis(array, -2, 0), factors.topics, topics)
    columns = [factors.measures.index(name) for name in measures]
    # Indexing may change the order in memory; in a fixed order, later sums are always added in the same order.
    return np.ascontiguousarray(np.moveaxis(by_topic, 0, -2)[..., columns])


def differences_of(made: Factors | ScoreTable, table: ScoreTable, used: Origin) -> list[Difference]:
    """Return how the origin of factors, or of a baseline, differs from the origin of the scores of runs."""
    common = [name for name in made.measures if name in table.measures]
    if isinstance(made, Factors):
        # Reference runs that have all topics have the same factors with -c. Others may be free of what is excluded.
        is_free = not any("--exclude" in options for options in made.origin.options.values())
        ignored = ["-c", *(["--exclude", "--exclude-self"] if is_free else [])]
        return differences(made.origin, used, made.topics, common, ignored)
    same_topics = {*made.topics} == {*table.topics}
    # If digests cannot show whether the factors are the same, they are not known to be.
    if other_factors(made.origin, table.origin, common, same_topics=same_topics) is not False:
        return [Difference("factors")]
    return differences(made.origin, used, made.topics, common)


def has_other_factors(table: ScoreTable) -> bool:
    """Return whether standardized scores say that their factors are from other judgments or options."""
    made = table.origin.standardization
    is_other = made is not None and OTHER_FACTORS in made.adjustments
    return is_other and any(measure_names.split_scheme(name)[0] for name in table.measures)


def refuse_unfit(table: ScoreTable, where: str | None = None) -> None:
    """Refuse stored scores without some judged topics, or with factors from other judgments or options."""
    if len(table.topics) < table.origin.n_judged:
        found = f"scores of {len(table.topics)} of {table.origin.n_judged} judged topics"
        raise InputError(f"{found}, expected scores of all of them", where)
    if has_other_factors(table):
        found = "the scores were standardized with factors from other judgments or options than theirs"
        raise InputError(f"{found}, expected factors from the same judgments and options", where)
