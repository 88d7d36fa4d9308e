"""A gate for rankers: conditions that a system's scores must fulfil, and their outcomes.

A condition that cannot be evaluated is an error and not an outcome, so that a gate never passes by mistake.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stdeval.display import counted, shown_pvalue
from stdeval.errors import InputError
from stdeval.measures.names import is_better_higher, is_in_unit_range, kind_of
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.intervals import t_lower_bound
from stdeval.stats.moments import moments
from stdeval.stats.noise import decimals, is_significant, rounded
from stdeval.stats.paired_tests import smallest_pvalue
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.stats.power import detectable_effect, t_power
from stdeval.stats.significance import Comparison
from stdeval.table import Floats

N_TOPICS_SHOWN = 5

POWER = 0.8
"""The power with which a test finds the loss that is shown beside its result."""


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
        The significance level of not-worse and non-inferior, in (0, 1).

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

    def __str__(self) -> str:
        limit = "" if math.isnan(self.limit) else f"={self.shown_limit}"
        return f"{self.kind} {self.measure}{limit}"

    @property
    def shown_limit(self) -> str:
        """The limit as it is typed."""
        return _format_limit(self.limit) + ("%" if self.percent else "")


@dataclass(frozen=True)
class Outcome:
    """The outcome of a condition for one system.

    Parameters
    ----------
    system : str
    condition : Condition
    holds : bool
    figures : str
        The numbers that decide, in words.
    value, limit : float
        The number that decides, and the one that it is compared with: a mean (min), a drop of the mean (max-drop)
        or of a topic's score (max-topic-drop), the lower bound of the mean difference and minus the margin
        (non-inferior), or p and the significance level (not-worse).
    mean : float
        Mean score of the system, on the topics that it and the baseline have (min: on all that it has).
    baseline : float
        Mean score of the baseline, on the topics that both have; NaN for no baseline.
    n : int
        Number of topics of ``mean``.
    detectable : float
        The loss that Student's t test finds with a power of `POWER`, for not-worse; otherwise NaN.
    topics : tuple of (str, float)
        If the condition does not hold, the topics to look at, the worst first, each with its score (if there is no
        baseline) or its difference from the baseline. These are all that lose too much (max-topic-drop), or the
        few that are lowest or lost most.
    """

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


def refuse_unfit_measure(name: str) -> None:
    """Refuse a measure that is not for conditions: one without a score per topic, or of which lower is better."""
    if kind_of(name) != "score":
        raise InputError(f"{name} has no score per topic; expected a measure that has, such as map")
    if not is_better_higher(name):
        raise InputError(f"{name} is better if it is lower; expected a measure that is better if it is higher")


class _Decision(NamedTuple):
    """The part of an outcome that depends on the kind of the condition."""

    holds: bool
    figures: str
    value: float
    limit: float
    detectable: float = math.nan


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
    _refuse_impossible(condition)
    # Rounded like this, a change and a limit that are equal on paper are equal.
    changes = scores if baseline is None else rounded(scores - baseline, decimals([scores, baseline]))
    present = ~np.isnan(changes)
    if not present.any():
        raise InputError(f"no {condition.measure} scores of '{system}' to look at, expected one per topic")
    if condition.kind == "min":
        mean, n = _mean(scores), int(np.sum(~np.isnan(scores)))
        before = math.nan if baseline is None else _mean(baseline[present])
        decision = _decide_min(condition, mean, scores)
    elif baseline is None:
        raise InputError(f"{condition}: expected a baseline")
    else:
        pair = _Pair(scores[present], baseline[present])
        (mean, before), n = pair.means, len(pair.scores)
        decision = _COMPARED[condition.kind](condition, pair, design or Design())
    worst = () if decision.holds else _worst_topics(condition, changes, topics, are_scores=baseline is None)
    return Outcome(
        system,
        condition,
        decision.holds,
        decision.figures,
        decision.value,
        decision.limit,
        mean,
        before,
        n,
        decision.detectable,
        worst,
    )


def refuse_useless_limit(condition: Condition, scheme: str, measure: str) -> None:
    """Refuse a limit that says nothing about a system, whatever its scores are.

    Parameters
    ----------
    condition : Condition
    scheme : str
        The letter of the scheme of its measure; empty if it is raw.
    measure : str
        The raw measure.

    Raises
    ------
    InputError
        If the limit is a percentage of a mean of z scores; or, where scores are in [0, 1], a least mean below 0
        or a loss of 1 or more.

    Examples
    --------
    >>> refuse_useless_limit(Condition("max-drop", "Zmap", 1.5), "Z", "map")
    >>> refuse_useless_limit(Condition("max-topic-drop", "Nmap", 1.5), "N", "map")
    Traceback (most recent call last):
    stdeval.errors.InputError: max-topic-drop Nmap=1.5: no score can fall by more than 1, expected a limit below 1
    """
    if condition.percent and scheme == "Z":
        # 0 is the mean of an average system, not of a useless one
        what = "a percentage of the mean of z scores, which may be 0 or below"
        raise InputError(f"{condition}: {what}, expected a limit without %")
    # Z scores, and those of U that are not censored, may be below 0.
    if condition.kind == "min" and condition.limit < 0 and scheme not in ("Z", "U") and is_in_unit_range(measure):
        raise InputError(f"{condition}: no score is below 0, expected a limit from 0")
    is_loss = condition.kind in ("max-drop", "max-topic-drop", "non-inferior") and not condition.percent
    if is_loss and condition.limit >= 1 and scheme != "Z" and is_in_unit_range(measure):
        expected = "a limit below 1" + (" or a percentage, such as 2%" if condition.kind == "max-drop" else "")
        raise InputError(f"{condition}: no score can fall by more than 1, expected {expected}")


def _refuse_impossible(condition: Condition) -> None:
    """Refuse a condition of an unknown kind, or whose limit or significance level is outside its range."""
    kinds = ("min", *_COMPARED)
    if condition.kind not in kinds:
        raise InputError(f"no condition '{condition.kind}', expected one of: {', '.join(kinds)}")
    if condition.kind != "not-worse" and math.isnan(condition.limit):
        raise InputError(f"{condition}: expected a limit")
    if condition.kind in ("max-drop", "max-topic-drop") and condition.limit < 0:
        raise InputError(f"{condition}: expected a limit from 0")
    if condition.percent and (condition.kind != "max-drop" or condition.limit > 100):
        raise InputError(f"{condition}: a percentage, expected one from 0% to 100%, for max-drop only")
    if condition.kind == "non-inferior" and condition.limit <= 0:
        raise InputError(f"{condition}: expected a margin above 0")
    if not 0 < condition.alpha < 1:
        raise InputError(f"{condition}: alpha {condition.alpha:g}, expected a number above 0 and below 1")


class _Pair(NamedTuple):
    """Scores of a system and of the baseline, on the topics that both have, shape (n_topics,)."""

    scores: Floats
    baseline: Floats

    @property
    def means(self) -> tuple[float, float]:
        return _mean(self.scores), _mean(self.baseline)

    @property
    def means_in_words(self) -> str:
        return "mean {:.4f}, baseline {:.4f}".format(*self.means) + f" on {counted(len(self.scores), 'topic')}"


def _decide_min(condition: Condition, mean: float, scores: Floats) -> _Decision:
    limit = condition.limit
    on_topics = f"on {counted(int(np.sum(~np.isnan(scores))), 'topic')}"
    figures = f"mean {_format_near(mean, limit)} {on_topics}, expected at least {condition.shown_limit}"
    return _Decision(_excess(mean, limit, scores) >= 0, figures, mean, limit)


def _decide_max_drop(condition: Condition, pair: _Pair, design: Design) -> _Decision:
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
    return _Decision(_excess(drop, limit, pair) <= 0, figures, drop, limit)


def _decide_max_topic_drop(condition: Condition, pair: _Pair, design: Design) -> _Decision:
    drops = rounded(pair.baseline - pair.scores, decimals(pair))
    greatest = float(drops.max())
    n_lost = int((drops > condition.limit).sum())
    figures = (
        f"{pair.means_in_words}, greatest drop {_format_near(greatest, condition.limit)} on a topic, "
        f"expected at most {condition.shown_limit}"
    )
    if n_lost:
        figures += f", {n_lost} of {len(drops)} topics {'loses' if n_lost == 1 else 'lose'} more"
    return _Decision(not n_lost, figures, greatest, condition.limit)


def _decide_non_inferior(condition: Condition, pair: _Pair, design: Design) -> _Decision:
    _require_two_topics(condition, pair)
    differences = pair.scores - pair.baseline
    bound = float(t_lower_bound(differences, level=1 - condition.alpha))
    limit = -condition.limit
    difference = _format_fixed(_mean(differences))
    figures = (
        f"{pair.means_in_words}, difference {difference}, lower bound {_format_near(bound, limit)}, "
        f"expected above {_format_limit(limit)} (Student's t, one-sided {100 * (1 - condition.alpha):g}% interval)"
    )
    return _Decision(_excess(bound, limit, pair) > 0, figures, bound, limit)


def _decide_not_worse(condition: Condition, pair: _Pair, design: Design) -> _Decision:
    _require_two_topics(condition, pair)
    alpha, one_tailed = condition.alpha, replace(design, alternative="less")
    smallest = smallest_pvalue(design.test, len(pair.scores), design.n_resamples)
    if not is_significant(smallest, alpha):
        # Such a test would pass every run.
        drawn = f" and {design.n_resamples} resamples" if design.draws else ""
        what = f"with {len(pair.scores)} topics{drawn} the {design.test} test gives no p below {smallest:.3g}"
        raise InputError(f"{condition}: {what}, expected {_expected(condition)}")
    comparison, _ = compare_systems(np.stack(pair), np.array([0]), np.array([1]), one_tailed)
    _refuse_unnoticed_loss(condition, pair, design.test, comparison)
    p = comparison.pvalue.item()
    if np.isnan(p):
        raise InputError(f"the {design.test} test gives no p for these scores")
    holds = not is_significant(p, alpha)
    decided = f"p {shown_pvalue(p, alpha)}, expected above alpha {alpha:g}"
    figures = f"{pair.means_in_words}, {decided} ({one_tailed.described})"
    detectable = _detectable_loss(pair, alpha)
    if not math.isnan(detectable) and _format_fixed(detectable) != "0.0000":
        figures += f"; a t test finds a loss of {detectable:.4f} with {POWER:.0%} power"
    return _Decision(holds, figures, p, alpha, detectable)


def _refuse_unnoticed_loss(condition: Condition, pair: _Pair, test: str, comparison: Comparison) -> None:
    """Refuse a loss that the test cannot find, because there are too few topics with different scores.

    Runs that score alike everywhere pass, and so do those that lose nothing.
    """
    loses = _excess(_mean(pair.scores - pair.baseline), 0.0, pair) < 0
    if not loses or comparison.smallest is None or comparison.ties is None:
        return
    n, n_different = len(pair.scores), len(pair.scores) - int(comparison.ties[0])
    smallest = min(float(comparison.smallest[0]), float(comparison.pvalue[0]))
    if not is_significant(smallest, condition.alpha):
        verb = "differ" if n_different > 1 else "differs"
        given = f"the {test} test gives no p below {comparison.smallest[0]:.3g}"
        what = f"{n_different} of {n} topics {verb}, and with so few {given}"
        raise InputError(f"{condition}: {what}, expected {_expected(condition)}")


def _expected(condition: Condition) -> str:
    return f"more topics or a test that can reach alpha {condition.alpha:g}"


def _detectable_loss(pair: _Pair, alpha: float) -> float:
    """Return the mean loss that a t test finds with `POWER`; NaN if the differences do not vary.

    A test that finds no loss may have had no chance to find one, which only this number shows.
    """
    _, sd, n = moments(pair.scores - pair.baseline)
    power_of = partial(t_power, alpha=alpha, one_tailed=True)
    return detectable_effect(int(n), power_of, POWER) * float(sd) if _excess(float(sd), 0.0, pair) > 0 else math.nan


def _require_two_topics(condition: Condition, pair: _Pair) -> None:
    if len(pair.scores) < 2:
        raise InputError(f"{condition}: 1 topic, expected at least two topics to compare on")


_COMPARED: dict[str, Callable[[Condition, _Pair, Design], _Decision]] = {
    "max-drop": _decide_max_drop,
    "max-topic-drop": _decide_max_topic_drop,
    "non-inferior": _decide_non_inferior,
    "not-worse": _decide_not_worse,
}
"""The function that decides each kind of condition that needs a baseline."""


def _excess(value: float, limit: float, scores: ArrayLike) -> float:
    """Return how far a value computed from scores is above a limit: 0 if only arithmetic noise separates them."""
    return float(rounded(value - limit, np.minimum(decimals(scores), decimals(limit))))


def _mean(scores: Floats) -> float:
    return float(arithmetic_mean(scores))


def _format_limit(limit: float) -> str:
    """Return a limit as a decimal number without an exponent, with no more digits than it needs."""
    return np.format_float_positional(limit, trim="-")


def _format_near(value: float, limit: float) -> str:
    """Return a value with four decimals, or with more if four do not show on which side of the limit it is."""
    apart = abs(value - limit)
    # A smaller difference than 5e-13 is arithmetic noise for scores of up to 1.
    if not 5e-13 <= apart <= 5e-5:
        return _format_fixed(value)
    return _format_fixed(value, 10 if apart >= 1e-9 else 12).rstrip("0")


def _format_fixed(value: float, digits: int = 4) -> str:
    """Return a value with so many decimals, and a 0 without a sign."""
    shown = f"{value:.{digits}f}"
    return shown if float(shown) else shown.removeprefix("-")


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


def require_scores(scores: Floats, topics: Sequence[str], system: str, measure: str) -> None:
    """Refuse a system that does not have a score for every topic.

    Parameters
    ----------
    scores : ndarray, shape (n_topics,)
    topics : sequence of str
    system, measure : str
        Their names, for the message.

    Raises
    ------
    InputError
        If a score is missing; the message has the number of topics without a score, and one of them.
    """
    missing = np.flatnonzero(np.isnan(scores))
    if len(missing):
        raise InputError(
            f"'{system}' has no {measure} for {len(missing)} of {len(topics)} topics "
            f"(e.g. '{topics[missing[0]]}'), expected it for all"
        )
