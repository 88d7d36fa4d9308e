"""A gate for rankers: conditions that a system's scores must fulfil, and their outcomes.

A condition that cannot be evaluated is an error and not an outcome, so that a gate never passes by mistake.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stdeval.display import counted, excerpt, shown_pvalue, unscored
from stdeval.errors import InputError
from stdeval.measures.names import is_better_higher, is_in_unit_range, is_never_negative, kind_of, split_scheme
from stdeval.noise import decimals, is_significant, rounded
from stdeval.provenance import OTHER_FACTORS
from stdeval.stats.aggregates import arithmetic_mean, moments
from stdeval.stats.intervals import share_upper_bound, t_lower_bound
from stdeval.stats.paired_tests import smallest_pvalue
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.stats.power import detectable_effect, t_power
from stdeval.table import Floats, ScoreTable

KINDS = ("min", "max-drop", "max-topic-drop", "non-inferior", "not-worse")
"""The kinds of conditions."""

_LARGEST_ALPHA = 0.5
"""A test at this level finds a loss in half of all systems that lost nothing."""


@dataclass(frozen=True)
class Condition:
    """A condition on every system.

    Parameters
    ----------
    kind : {"min", "max-drop", "max-topic-drop", "non-inferior", "not-worse"}
    measure : str
        The measure that is limited.
    limit : float
        The least mean (min), the greatest drop of the mean (max-drop) or of the score of any topic
        (max-topic-drop), or the margin (non-inferior); NaN for not-worse, which has none.
    percent : bool
        True if the limit of max-drop is a percentage of the baseline's mean.
    alpha : float
        The significance level of not-worse and non-inferior, in (0, 0.5).

    Raises
    ------
    InputError
        If the kind is unknown, the limit or alpha is not a number or outside its range, or not-worse has a limit.

    Examples
    --------
    >>> print(Condition("max-drop", "map", 2, percent=True))
    max-drop map=2%
    """

    kind: str
    measure: str
    limit: float = math.nan
    percent: bool = False
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for name, number in (("limit", self.limit), ("alpha", self.alpha)):
            if not isinstance(number, Real):
                raise InputError(f"{name} {excerpt(repr(number))} of {self.kind}, expected a number, such as 0.05")
        if self.kind not in KINDS:
            raise InputError(f"no condition '{self.kind}', expected one of: {', '.join(KINDS)}")
        if not 0 < self.alpha < _LARGEST_ALPHA:
            expected = f"expected more than 0 and less than {_LARGEST_ALPHA}"
            raise InputError(f"alpha {self.alpha:g} of {self.kind}, {expected}")
        if self.kind == "not-worse" and not math.isnan(self.limit):
            raise InputError(
                f"limit {format_limit(self.limit)} of not-worse, expected alpha, its significance level"
            )
        if self.kind != "not-worse" and math.isnan(self.limit):
            raise InputError(f"{self}: expected a limit")
        if self.kind in ("max-drop", "max-topic-drop") and self.limit < 0:
            raise InputError(f"{self}: expected a limit from 0")
        if self.kind == "non-inferior" and self.limit <= 0:
            raise InputError(f"{self}: expected a margin above 0")
        if self.percent and (self.kind != "max-drop" or self.limit > 100):
            raise InputError(f"{self}: a percentage, expected one from 0% to 100%, for max-drop only")

    def __str__(self) -> str:
        limit = "" if math.isnan(self.limit) else f"={self.shown_limit}"
        return f"{self.kind} {self.measure}{limit}"

    @property
    def shown_limit(self) -> str:
        """The limit as it is typed."""
        return format_limit(self.limit) + ("%" if self.percent else "")


def format_limit(limit: float) -> str:
    """Return a limit as a decimal number without an exponent, with no more digits than it needs."""
    return np.format_float_positional(limit, trim="-")


def refuse_unfit_measure(name: str) -> None:
    """Refuse a measure that is not for conditions: one without a score per topic, or of which lower is better."""
    if kind_of(name) != "score":
        raise InputError(unscored([name]))
    if not is_better_higher(name):
        raise InputError(f"{name} is better if it is lower; expected a measure that is better if it is higher")


def refuse_limit_out_of_range(condition: Condition) -> None:
    """Refuse a limit that no score by the condition's measure, and no loss, can reach."""
    scheme, measure = split_scheme(condition.measure)
    # scores by Z, and by U without censoring, have no bounds
    is_from_0_to_1 = scheme in ("N", "E", "M") or (not scheme and is_in_unit_range(measure))
    low = 0 if is_from_0_to_1 or (not scheme and is_never_negative(measure)) else -math.inf
    high = 1 if is_from_0_to_1 else math.inf
    if not condition.percent and (condition.limit < low or condition.limit > high):
        scores = f"from {low} to {high}" if is_from_0_to_1 else "not below 0"
        raise InputError(f"{condition}: scores are {scores}, expected a limit in this range")


def require_scores(scores: Floats, topics: Sequence[str], system: str, measure: str, otherwise: str = "") -> None:
    """Refuse a system that does not have a score for every topic."""
    missing = np.flatnonzero(np.isnan(scores))
    if len(missing):
        raise InputError(
            f"'{system}' has no {measure} for {len(missing)} of {len(topics)} topics "
            f"(e.g. '{topics[missing[0]]}'), expected it for all{otherwise}"
        )


def require_judged_topics(table: ScoreTable, where: str | None = None, otherwise: str = "") -> None:
    """Refuse scores without some of the judged topics, if it is known how many these are."""
    if len(table.topics) < table.origin.n_judged:
        found = f"scores of {len(table.topics)} of {table.origin.n_judged} judged topics"
        raise InputError(f"{found}, expected scores of all of them{otherwise}", where)


def refuse_other_factors(table: ScoreTable, where: str | None = None) -> None:
    """Refuse stored scores that factors from other judgments or options standardized."""
    if has_other_factors(table):
        found = "the scores were standardized with factors from other judgments or options than theirs"
        raise InputError(f"{found}, expected factors from the same judgments and options", where)


def has_other_factors(table: ScoreTable) -> bool:
    """Return whether standardized scores say that their factors are from other judgments or options."""
    made = table.origin.standardization
    # Files that are joined may have several fields of this name.
    is_other = made is not None and OTHER_FACTORS in made.adjustments
    return is_other and any(split_scheme(name)[0] for name in table.measures)


def require_hits(baseline: ScoreTable, measures: Iterable[str]) -> None:
    """Refuse a baseline that finds no relevant document: no run can lose against it, so every run would pass."""
    for measure in measures:
        if split_scheme(measure)[0] == "Z" or measure not in baseline.measures:
            continue
        if (baseline.measure(measure)[0] == 0).all():
            found = f"every {measure} score of the baseline '{baseline.systems[0]}' is 0"
            raise InputError(f"{found}, expected a baseline that finds relevant documents, from the same judgments")


def require_same_topics(
    baseline: ScoreTable, topics: Sequence[str], without: str, where: str | None = None
) -> None:
    """Refuse a baseline with other topics than the runs: means over different topics cannot be compared."""
    rows = zip(baseline.topics, baseline.values[0], strict=True)
    scored = [topic for topic, row in rows if not np.isnan(row).any()]
    lacking = [topic for topic in topics if topic not in set(scored)]
    strange = [topic for topic in scored if topic not in set(topics)]
    for what, found in (("has no scores for", lacking), ("has scores for", strange)):
        if found:
            other = "" if found is lacking else f" that {without} not have"
            number = f"{counted(len(found), 'topic')}{other} (e.g. '{found[0]}')"
            raise InputError(f"the baseline {what} {number}, expected the topics of the runs", where)

POWER = 0.8
"""The power with which a test finds the loss that is shown beside its result."""


class Decision(NamedTuple):
    """The part of an outcome that depends on the kind of the condition."""

    holds: bool
    figures: str
    value: float
    limit: float
    detectable: float = math.nan


class _Pair(NamedTuple):
    """Scores of a system and of the baseline, on the topics that both have, shape (n_topics,)."""

    scores: Floats
    baseline: Floats

    @property
    def means(self) -> tuple[float, float]:
        """Mean scores of the system and of the baseline."""
        return mean_of(self.scores), mean_of(self.baseline)

    @property
    def means_in_words(self) -> str:
        """Both means and their number of topics in words."""
        return "mean {:.4f}, baseline {:.4f}".format(*self.means) + f" on {counted(len(self.scores), 'topic')}"


def _decide_min(condition: Condition, scores: Floats) -> Decision:
    """Decide whether the mean of the scores is at least the limit."""
    mean, limit = mean_of(scores), condition.limit
    on_topics = f"on {counted(len(scores), 'topic')}"
    figures = f"mean {_format_near(mean, limit)} {on_topics}, expected at least {condition.shown_limit}"
    return Decision(_excess(mean, limit, scores) >= 0, figures, mean, limit)


def _decide_max_drop(condition: Condition, pair: _Pair, design: Design) -> Decision:
    mean, before = pair.means
    drop = before - mean
    if not condition.percent:
        limit, shown = condition.limit, _format_near(drop, condition.limit)
    elif _excess(before, 0.0, pair.baseline) > 0:
        limit = condition.limit / 100 * before
        shown = f"{_format_fixed(drop)} ({_format_near(100 * drop / before, condition.limit)}%)"
    else:
        what = f"{condition}: the mean of the baseline is {before:.4f}"
        raise InputError(f"{what}, expected one above 0 for a percentage of it, or a limit without %")
    figures = f"{pair.means_in_words}, drop {shown}, expected at most {condition.shown_limit}"
    return Decision(_excess(drop, limit, pair) <= 0, figures, drop, limit)


def _decide_max_topic_drop(condition: Condition, pair: _Pair, design: Design) -> Decision:
    drops = rounded(pair.baseline - pair.scores, decimals(pair))
    greatest = float((pair.baseline - pair.scores).max())
    n_lost = int((drops > condition.limit).sum())
    shown = _format_near(greatest, condition.limit)
    figures = f"{pair.means_in_words}, greatest drop {shown} on a topic, expected at most {condition.shown_limit}"
    if n_lost:
        figures += f", {n_lost} of {len(drops)} topics {'loses' if n_lost == 1 else 'lose'} more"
    return Decision(not n_lost, figures, greatest, condition.limit)


_ENOUGH_DIFFERENT = 10
"""Number of topics with another difference than most from which a t interval of differences holds what it says."""


def _decide_non_inferior(condition: Condition, pair: _Pair, design: Design) -> Decision:
    _require_two_topics(condition, pair)
    differences = pair.scores - pair.baseline
    bound = float(t_lower_bound(differences, level=1 - condition.alpha))
    limit = -condition.limit
    difference, shown = _format_fixed(mean_of(differences)), _format_near(bound, limit)
    figures = (
        f"{pair.means_in_words}, difference {difference}, lower bound {shown}, "
        f"expected above {format_limit(limit)} (Student's t, one-sided {100 * (1 - condition.alpha):g}% interval)"
    )
    usual, n_other = _usual_difference(pair)
    if n_other >= max(2, min(_ENOUGH_DIFFERENT, len(differences) / 5)):
        return Decision(_excess(bound, limit, pair) > 0, figures, bound, limit)
    # The interval rests on the spread of the differences, and few of them do not show how large that is.
    unseen = share_upper_bound(n_other, len(differences), level=1 - condition.alpha)
    loss = "a greater loss" if usual else "a loss"
    figures += f"; {_others_told(usual, n_other)}; {loss} on up to {100 * unseen:.2g}% of topics is not ruled out"
    return Decision(_excess(bound, limit, pair) > 0, figures, bound, limit)


def _others_told(usual: float, n_other: int) -> str:
    """Return in words how many topics have another difference than most."""
    number = counted(n_other, "topic") if n_other else "no topic"
    if usual:
        return f"{number} {'have' if n_other > 1 else 'has'} another difference than {format_limit(usual)}"
    return f"{number} {'differ' if n_other > 1 else 'differs'}"


def _usual_difference(pair: _Pair) -> tuple[float, int]:
    """Return the difference that more than half of the topics have, or 0, and how many topics have another one."""
    differences = rounded(pair.scores - pair.baseline, decimals(pair))
    # What more than half have is the median.
    median = float(np.median(differences))
    usual = median if 2 * np.count_nonzero(differences == median) > len(differences) else 0.0
    return usual, int(np.count_nonzero(differences != usual))


def _decide_not_worse(condition: Condition, pair: _Pair, design: Design) -> Decision:
    _require_two_topics(condition, pair)
    alpha, one_tailed = condition.alpha, replace(design, alternative="less")
    smallest = smallest_pvalue(design.test, len(pair.scores), design.n_resamples)
    if not is_significant(smallest, alpha):
        # Such a test would pass every run.
        drawn = f" and {design.n_resamples} resamples" if design.draws else ""
        what = f"with {len(pair.scores)} topics{drawn} the {design.test} test gives no p below {smallest:.3g}"
        more = "more --resamples, " if design.draws else ""
        expected = f"{more}more topics or a test that can reach alpha {alpha:g}"
        raise InputError(f"{condition}: {what}, expected {expected}")
    comparison, _ = compare_systems(np.stack(pair), np.array([0]), np.array([1]), one_tailed)
    p = comparison.pvalue.item()
    if np.isnan(p):
        raise InputError(f"the {design.test} test gives no p for these scores")
    holds = not is_significant(p, alpha)
    decided = f"p {shown_pvalue(p, alpha)}, expected above alpha {alpha:g}"
    figures = f"{pair.means_in_words}, {decided} ({one_tailed.described})"
    detectable = _detectable_loss(pair, alpha)
    # If few topics differ, the standard deviation says nothing about the power.
    differ_enough = not holds or 10 * _usual_difference(pair)[1] > len(pair.scores)
    if differ_enough and not math.isnan(detectable) and _format_fixed(detectable) != "0.0000":
        figures += f"; a t test finds a loss of {detectable:.4f} with {POWER:.0%} power"
    figures += _told_of_few(pair, holds=holds, alpha=alpha)
    # The sign and Wilcoxon tests do not test the mean. On few topics, the other tests cannot give a small p.
    t_pvalue = _loss_by_t(pair, alpha) if holds and design.test != "t" else math.nan
    if not math.isnan(t_pvalue):
        figures += f"; it finds this loss with p {shown_pvalue(t_pvalue, alpha)}"
    return Decision(holds, figures, p, alpha, detectable)


def _told_of_few(pair: _Pair, *, holds: bool, alpha: float) -> str:
    """Return a clause if a decision rests on too few topics with a difference; otherwise an empty one."""
    usual, n_other = _usual_difference(pair)
    n = len(pair.scores)
    if holds and 10 * n_other <= n:
        unseen = share_upper_bound(n_other, n, level=1 - alpha)
        alike = f"all topics have the difference {format_limit(usual)}"
        told = alike if usual and not n_other else _others_told(usual, n_other)
        loss = "a greater loss" if usual else "a loss"
        return f"; {told}; {loss} on up to {100 * unseen:.2g}% of topics is not ruled out"
    # If k topics differ, the smallest one-tailed p of a permutation test is 1 / 2^k.
    if not holds and not usual and 2 * n_other <= n and not is_significant(0.5**n_other, alpha):
        number = f"{counted(n_other, 'topic')} {'differ' if n_other > 1 else 'differs'}"
        return f"; only {number}, too few for a permutation test"
    return ""


def _loss_by_t(pair: _Pair, alpha: float) -> float:
    """Return p of the t test if it finds a loss, otherwise NaN."""
    comparison, _ = compare_systems(np.stack(pair), np.array([0]), np.array([1]), Design("t", alternative="less"))
    p = comparison.pvalue.item()
    return p if is_significant(p, alpha) else math.nan


def _detectable_loss(pair: _Pair, alpha: float) -> float:
    """Return the mean loss that a t test finds with `POWER`; NaN if the differences do not vary."""
    _, sd, n = moments(pair.scores - pair.baseline)
    power_of = partial(t_power, alpha=alpha, one_tailed=True)
    return detectable_effect(int(n), power_of, POWER) * float(sd) if _excess(float(sd), 0.0, pair) > 0 else math.nan


def _require_two_topics(condition: Condition, pair: _Pair) -> None:
    if len(pair.scores) < 2:
        raise InputError(f"{condition}: 1 topic, expected at least two topics to compare on")


_COMPARED: dict[str, Callable[[Condition, _Pair, Design], Decision]] = {
    "max-drop": _decide_max_drop,
    "max-topic-drop": _decide_max_topic_drop,
    "non-inferior": _decide_non_inferior,
    "not-worse": _decide_not_worse,
}
"""The function that decides each kind of condition that needs a baseline."""

def decide(condition: Condition, rows: Floats, design: Design) -> Decision:
    """Decide whether scores fulfil a condition."""
    if condition.kind == "min":
        return _decide_min(condition, rows[0])
    return _COMPARED[condition.kind](condition, _Pair(*rows), design)


def _excess(value: float, limit: float, scores: ArrayLike) -> float:
    """Return how far a value computed from scores is above a limit: 0 if only arithmetic noise separates them."""
    return float(rounded(value - limit, decimals(np.append(scores, limit))))


def mean_of(scores: Floats) -> float:
    """Return the arithmetic mean of the scores that are not missing."""
    return float(arithmetic_mean(scores))


def _format_near(value: float, limit: float) -> str:
    """Return a value with four decimals, or with more if four do not show on which side of the limit it is."""
    apart = abs(value - limit)
    # A smaller difference than 5e-13 is arithmetic noise for scores of up to 1.
    if not 5e-13 <= apart <= 5e-5:
        return _format_fixed(value)
    shown = _format_fixed(value, 10 if apart >= 1e-9 else 12).rstrip("0")
    return shown + "0" if shown.endswith(".") else shown


def _format_fixed(value: float, digits: int = 4) -> str:
    """Return a value with so many decimals, and a 0 without a sign."""
    shown = f"{value:.{digits}f}"
    return shown if float(shown) else shown.removeprefix("-")

N_TOPICS_SHOWN = 5


@dataclass(frozen=True)
class Outcome:
    """The outcome of a condition for one system."""

    system: str
    condition: Condition
    holds: bool
    figures: str
    value: float
    limit: float
    mean: float
    baseline: float
    n: int
    detectable: float = math.nan
    topics: tuple[tuple[str, float], ...] = ()

    def __bool__(self) -> bool:
        """Return whether the condition holds, so that `all` of several outcomes tells whether all do."""
        return self.holds

    def topics_in_words(self, n_shown: int | None = N_TOPICS_SHOWN) -> str:
        """Return the topics to look at in words, the first ``n_shown`` of them; None for all."""
        if not self.topics:
            return ""
        are_scores = math.isnan(self.baseline)
        # The figures of min do not mention the baseline.
        lost = {"max-topic-drop": "lost more", "min": "lost most against the baseline"}
        what = "lowest" if are_scores else lost.get(self.condition.kind, "lost most")
        shown = [f"{topic} ({value:{'' if are_scores else '+'}.4f})" for topic, value in self.topics[:n_shown]]
        more = len(self.topics) - len(shown)
        return f"{what} on {', '.join(shown)}" + (f" and {more} more" if more else "")


def check(
    condition: Condition,
    system: str,
    scores: Floats,
    topics: Sequence[str],
    baseline: Floats | None = None,
    design: Design | None = None,
) -> Outcome:
    """Return the outcome of a condition for one system.

    Parameters
    ----------
    condition : Condition
    system : str
        The name of the system.
    scores : ndarray, shape (n_topics,)
        Scores by the condition's measure; NaN is missing and left out.
    topics : sequence of str
    baseline : ndarray, shape (n_topics,), optional
        Scores of the system to compare with, on the topics that both have. All kinds but min need them.
    design : Design, optional
        The test of not-worse; None for the default.

    Raises
    ------
    InputError
        If the condition cannot be evaluated, because there are no scores, no baseline, too few topics for the
        test, or no mean above 0 for a percentage.

    Examples
    --------
    >>> scores, before = np.array([0.25, 0.5, 0.3]), np.array([0.5, 0.5, 0.2])
    >>> print(check(Condition("min", "map", 0.3), "new", scores, ["1", "2", "3"]).figures)
    mean 0.3500 on 3 topics, expected at least 0.3
    >>> outcome = check(Condition("max-drop", "map", 0.01), "new", scores, ["1", "2", "3"], before)
    >>> outcome.holds, outcome.figures, outcome.topics
    (False, 'mean 0.3500, baseline 0.4000 on 3 topics, drop 0.0500, expected at most 0.01', (('1', -0.25),))
    """
    # Rounded like this, a change and a limit that are equal on paper are equal.
    changes = scores if baseline is None else rounded(scores - baseline, decimals([scores, baseline]))
    present = ~np.isnan(changes)
    if not present.any():
        raise InputError(f"no {condition.measure} scores of '{system}' to look at, expected one per topic")
    if condition.kind == "min":
        rows = scores[np.newaxis, ~np.isnan(scores)]
        before = math.nan if baseline is None else mean_of(baseline[present])
    elif baseline is None:
        raise InputError(f"{condition}: expected a baseline")
    else:
        rows = np.stack([scores, baseline])[:, present]
        before = mean_of(rows[1])
    decision = decide(condition, rows, design or Design())
    worst = () if decision.holds else _worst_topics(condition, changes, topics, are_scores=baseline is None)
    return Outcome(
        system,
        condition,
        decision.holds,
        decision.figures,
        decision.value,
        decision.limit,
        mean_of(rows[0]),
        before,
        rows.shape[1],
        decision.detectable,
        worst,
    )


def _worst_topics(
    condition: Condition, changes: Floats, topics: Sequence[str], *, are_scores: bool
) -> tuple[tuple[str, float], ...]:
    """Return the topics with the lowest scores, or with the greatest losses if ``changes`` are not scores."""
    order = np.argsort(changes, kind="stable")[: int(np.sum(~np.isnan(changes)))]
    if condition.kind == "max-topic-drop":
        worst = order[changes[order] < -condition.limit]
    else:
        worst = order[are_scores | (changes[order] < 0)][:N_TOPICS_SHOWN]
    return tuple((topics[i], float(changes[i])) for i in worst)
