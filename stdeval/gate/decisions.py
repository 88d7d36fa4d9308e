"""Decide whether the scores of a system fulfil a condition, with the figures that decide in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stdeval.display import counted, shown_pvalue
from stdeval.errors import InputError
from stdeval.gate.conditions import Condition, format_limit
from stdeval.noise import decimals, is_significant, rounded
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.intervals import share_upper_bound, t_lower_bound
from stdeval.stats.moments import moments
from stdeval.stats.paired_tests import smallest_pvalue
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.stats.power import detectable_effect, t_power
from stdeval.table import Floats

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
    """Return the mean loss that a t test finds with `POWER`; NaN if the differences do not vary.

    A test that finds no loss may have had no chance to find one, which only this number shows.
    """
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
    """Decide whether scores fulfil a condition.

    Parameters
    ----------
    condition : Condition
    rows : ndarray, shape (1, n_topics) or (2, n_topics)
        Scores of the system and, unless the condition is a minimum, of the baseline, without missing ones.
    design : Design
        The test of not-worse.
    """
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
