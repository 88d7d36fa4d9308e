"""A gate for rankers: conditions that a system's scores must fulfil, and their outcomes.

A condition that cannot be evaluated is an error and not an outcome, so that a gate never passes by mistake.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.gate.conditions import Condition
from stdeval.gate.decisions import decide, mean_of
from stdeval.noise import decimals, rounded
from stdeval.stats.pairwise import Design
from stdeval.table import Floats

N_TOPICS_SHOWN = 5


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
        The loss that Student's t test finds with a power of `stdeval.gate.decisions.POWER`, for not-worse;
        otherwise NaN.
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
