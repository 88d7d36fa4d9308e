"""A gate for rankers: conditions that a system's scores must fulfil, and their outcomes.

A condition that cannot be evaluated is an error and not an outcome, so that a gate never passes by mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stdeval.display import displayed
from stdeval.errors import InputError
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.noise import decimals, is_significant, rounded
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.table import Floats

N_TOPICS_SHOWN = 5


@dataclass(frozen=True)
class Condition:
    """A condition on every system.

    Parameters
    ----------
    kind : {"min", "max-drop", "not-worse"}
    measure : str
        The measure that is limited.
    limit : float
        The least mean (min), the greatest drop of the mean (max-drop), or the significance level (not-worse).
    """

    kind: str
    measure: str
    limit: float

    def __str__(self) -> str:
        limit = "" if self.kind == "not-worse" else f"={_format_limit(self.limit)}"
        return f"{self.kind} {self.measure}{limit}"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a condition for one system.

    Parameters
    ----------
    system : str
    condition : Condition
    holds : bool
    figures : str
        The numbers that decide.
    topics : str
        If the condition does not hold, the topics that lost most; otherwise empty.
    """

    system: str
    condition: Condition
    holds: bool
    figures: str
    topics: str = ""

    def __str__(self) -> str:
        cells = ["PASS" if self.holds else "FAIL", self.system, str(self.condition), self.figures]
        return "\t".join(map(displayed, cells + ([self.topics] if self.topics else [])))


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
        Scores of the system to compare with, on the topics that both have. max-drop and not-worse need them.
    design : Design, optional
        The test of not-worse; None for the default.

    Raises
    ------
    InputError
        If the condition cannot be evaluated, because there are no scores, no baseline, or too few topics for the
        test.

    Examples
    --------
    >>> scores, before = np.array([0.25, 0.5, 0.3]), np.array([0.5, 0.5, 0.2])
    >>> print(check(Condition("min", "map", 0.3), "new", scores, ["1", "2", "3"]).figures)
    mean 0.3500, at least 0.3
    >>> outcome = check(Condition("max-drop", "map", 0.01), "new", scores, ["1", "2", "3"], before)
    >>> outcome.holds, outcome.figures, outcome.topics
    (False, 'mean 0.3500, baseline 0.4000, drop 0.0500, at most 0.01', 'lost most on 1 (-0.2500)')
    """
    changes = scores if baseline is None else scores - baseline
    if np.isnan(changes).all():
        raise InputError(f"no {condition.measure} scores of '{system}' to look at, expected one a topic")
    if condition.kind == "min":
        holds, figures = _check_min(condition.limit, scores)
    elif baseline is None:
        raise InputError(f"{condition}: expected a baseline")
    elif condition.kind == "max-drop":
        holds, figures = _check_max_drop(condition.limit, scores, baseline)
    else:
        holds, figures = _check_not_worse(condition.limit, scores, baseline, design or Design())
    worst = "" if holds else _worst_topics(changes, topics, are_scores=baseline is None)
    return Outcome(system, condition, holds, figures, worst)


def _check_min(limit: float, scores: Floats) -> tuple[bool, str]:
    mean = float(arithmetic_mean(scores))
    return _compare_with(
        limit, mean, scores
    ) >= 0, f"mean {_format_near(mean, limit)}, at least {_format_limit(limit)}"


def _check_max_drop(limit: float, scores: Floats, baseline: Floats) -> tuple[bool, str]:
    common = np.where(np.isnan(scores + baseline), np.nan, np.stack([scores, baseline]))
    mean, before = arithmetic_mean(common).tolist()
    drop = before - mean
    figures = (
        f"mean {mean:.4f}, baseline {before:.4f}, drop {_format_near(drop, limit)}, at most {_format_limit(limit)}"
    )
    return _compare_with(limit, drop, common) <= 0, figures


def _check_not_worse(alpha: float, scores: Floats, baseline: Floats, design: Design) -> tuple[bool, str]:
    one_tailed = replace(design, alternative="less")
    pair = np.stack([scores, baseline])
    comparison, _ = compare_systems(pair, np.array([0]), np.array([1]), one_tailed)
    p = comparison.pvalue.item()
    if np.isnan(p):
        raise InputError(f"the {design.test} test gives no p for these scores")
    means = f"mean {comparison.mean_a.item():.4f}, baseline {comparison.mean_b.item():.4f}"
    return not is_significant(p, alpha), f"{means}, p {p:.3g}, alpha {alpha:g} ({one_tailed.described})"


def _compare_with(limit: float, mean: float, scores: Floats) -> float:
    """Return how far a mean of scores is above a limit: 0 where only rounding errors separate them."""
    return float(rounded(mean - limit, np.minimum(decimals(scores), decimals(limit))))


def _format_limit(limit: float) -> str:
    """Return a limit as a decimal number without an exponent, with no more digits than it needs."""
    return np.format_float_positional(limit, trim="-")


def _format_near(value: float, limit: float) -> str:
    """Return a value with four decimals, or with ten if four do not show on which side of the limit it is."""
    hidden = 0 < abs(rounded(value - limit, decimals([value, limit]))) <= 5e-5
    return f"{value:.10f}".rstrip("0") if hidden else f"{value:.4f}"


def _worst_topics(changes: Floats, topics: Sequence[str], *, are_scores: bool) -> str:
    """Return the topics with the lowest scores, or with the greatest losses if ``changes`` are not scores."""
    order = np.argsort(changes, kind="stable")[: int(np.sum(~np.isnan(changes)))]
    worst = [i for i in order if are_scores or changes[i] < 0][:N_TOPICS_SHOWN]
    listed = ", ".join(f"{topics[i]} ({changes[i]:{'' if are_scores else '+'}.4f})" for i in worst)
    return f"{'lowest' if are_scores else 'lost most'} on {listed}" if listed else ""


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
