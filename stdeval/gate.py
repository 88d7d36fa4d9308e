"""A gate for rankers: conditions that a system's scores must fulfil, and what became of each.

A gate never passes because it could not look: what cannot be told is an error, not an outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from stdeval.errors import InputError
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.table import Floats

ROUNDING = 1e-12
"""By so much a mean may miss a limit: that is rounding error, not a worse ranking."""

N_TOPICS_SHOWN = 5


@dataclass(frozen=True)
class Condition:
    """What is asked of every system.

    Parameters
    ----------
    kind : str
        One of ``KINDS``.
    measure : str
        The measure that it looks at.
    limit : float
        The least mean (min), the greatest drop of the mean (max-drop), or alpha (not-worse).
    """

    kind: str
    measure: str
    limit: float

    def __str__(self) -> str:
        return f"{self.kind} {self.measure}" + ("" if self.kind == "not-worse" else f"={_plain(self.limit)}")


@dataclass(frozen=True)
class Outcome:
    """What became of a condition.

    Parameters
    ----------
    system : str
    condition : Condition
    holds : bool
    figures : str
        The numbers on which that rests.
    topics : str
        Where it fails, the topics that lost most; else empty.
    """

    system: str
    condition: Condition
    holds: bool
    figures: str
    topics: str = ""

    def __str__(self) -> str:
        cells = ["PASS" if self.holds else "FAIL", self.system, str(self.condition), self.figures]
        return "\t".join(cells + ([self.topics] if self.topics else []))


def check(
    condition: Condition,
    system: str,
    scores: Floats,
    topics: Sequence[str],
    baseline: Floats | None = None,
    design: Design | None = None,
) -> Outcome:
    """Whether a condition holds for a system.

    Parameters
    ----------
    condition : Condition
    system : str
        Its name.
    scores : ndarray, shape (n_topics,)
        By the condition's measure. NaN is missing, and left out.
    topics : sequence of str
    baseline : ndarray, shape (n_topics,), optional
        Scores of the system to compare with, on the topics that both have; max-drop and not-worse need them.
    design : Design, optional
        The test of not-worse.

    Raises
    ------
    InputError
        If it cannot be told: no scores, no baseline, or too few topics for the test.

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
    if baseline is None and condition.kind != "min":
        raise InputError(f"{condition}: expected a baseline")
    holds, figures = KINDS[condition.kind](condition.limit, scores, baseline, design or Design())
    return Outcome(
        system, condition, holds, figures, "" if holds else _lost_most(changes, topics, baseline is None)
    )


def _min(limit: float, scores: Floats, _: Floats | None, __: Design) -> tuple[bool, str]:
    mean = float(arithmetic_mean(scores))
    return mean >= limit - ROUNDING, f"mean {_told(mean, limit)}, at least {_plain(limit)}"


def _max_drop(limit: float, scores: Floats, baseline: Floats, _: Design) -> tuple[bool, str]:
    common = np.where(np.isnan(scores + baseline), np.nan, np.stack([scores, baseline]))
    mean, before = arithmetic_mean(common).tolist()
    drop = before - mean
    figures = f"mean {mean:.4f}, baseline {before:.4f}, drop {_told(drop, limit)}, at most {_plain(limit)}"
    return drop <= limit + ROUNDING, figures


def _not_worse(alpha: float, scores: Floats, baseline: Floats, design: Design) -> tuple[bool, str]:
    one_tailed = replace(design, alternative="less")
    found, _ = compare_systems(np.stack([scores, baseline]), np.array([0]), np.array([1]), one_tailed)
    p = found.pvalue.item()
    if np.isnan(p):
        raise InputError(f"the {design.test} test gives no p for these scores")
    figures = f"mean {found.mean_a.item():.4f}, baseline {found.mean_b.item():.4f}, p {p:.3g}, alpha {alpha:g}"
    return p >= alpha, f"{figures} ({one_tailed.described})"


def _plain(limit: float) -> str:
    return np.format_float_positional(limit, trim="-")


def _told(value: float, limit: float) -> str:
    # Four decimals, unless they hide on which side of the limit the value is.
    hidden = ROUNDING < abs(value - limit) <= 5e-5
    return f"{value:.10f}".rstrip("0") if hidden else f"{value:.4f}"


KINDS: dict[str, Callable[..., tuple[bool, str]]] = {"min": _min, "max-drop": _max_drop, "not-worse": _not_worse}
"""The conditions: how each is told from a limit, scores, a baseline's scores and a design."""


def _lost_most(changes: Floats, topics: Sequence[str], alone: bool) -> str:
    order = np.argsort(changes, kind="stable")[: int(np.sum(~np.isnan(changes)))]
    worst = [i for i in order if alone or changes[i] < 0][:N_TOPICS_SHOWN]
    listed = ", ".join(f"{topics[i]} ({changes[i]:{'' if alone else '+'}.4f})" for i in worst)
    return f"{'lowest' if alone else 'lost most'} on {listed}" if listed else ""


def require_scores(scores: Floats, topics: Sequence[str], system: str, measure: str) -> None:
    """Refuse scores of a system that are not there for all topics.

    Parameters
    ----------
    scores : ndarray, shape (n_topics,)
    topics : sequence of str
    system, measure : str
        Their names, for the message.

    Raises
    ------
    InputError
        With the number of topics without a score, and one of them.
    """
    missing = np.flatnonzero(np.isnan(scores))
    if len(missing):
        raise InputError(
            f"'{system}' has no {measure} for {len(missing)} of {len(topics)} topics "
            f"(e.g. '{topics[missing[0]]}'), expected it for all"
        )
