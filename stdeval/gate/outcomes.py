"""A gate for rankers: conditions that a system's scores must fulfil, and their outcomes.

A condition that cannot be evaluated is an error and not an outcome, so that a gate never passes by mistake.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stdeval.display import counted, shown_name, shown_pvalue
from stdeval.doubtful_scores.significance import about_near_alpha
from stdeval.errors import InputError
from stdeval.gate.conditions import Condition
from stdeval.gate.decisions import KINDS, Pair, decide, excess, mean_of
from stdeval.measures.facts import is_better_higher, is_never_negative
from stdeval.measures.names import split_scheme
from stdeval.noise import decimals, rounded
from stdeval.stats.paired_tests import TESTS
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
    unseen : float
        For non-inferior, if all or nearly all topics have the same difference from the baseline: the largest share
        of all topics that may have another one, at confidence 1 - alpha. Otherwise NaN.
    t_pvalue : float
        For not-worse, if Student's t test finds a loss that the condition's test does not find: its p. Otherwise
        NaN.
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
    unseen: float = math.nan
    t_pvalue: float = math.nan

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
        test, or no mean above 0 for a percentage; or if no system can lose as much as the limit.

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
        rows = scores[np.newaxis, ~np.isnan(scores)]
        before = math.nan if baseline is None else mean_of(baseline[present])
    elif baseline is None:
        raise InputError(f"{condition}: expected a baseline")
    else:
        rows = np.stack([scores, baseline])[:, present]
        before = mean_of(rows[1])
        _refuse_unfailing(condition, Pair(*rows))
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
        decision.unseen,
        decision.t_pvalue,
    )


def _refuse_impossible(condition: Condition) -> None:
    """Refuse a condition of an unknown kind, or whose limit or significance level is outside its range."""
    if condition.kind not in KINDS:
        raise InputError(f"no condition '{condition.kind}', expected one of: {', '.join(KINDS)}")
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


def _refuse_unfailing(condition: Condition, pair: Pair) -> None:
    """Refuse a limit that even a system with a score of 0 on every topic would keep."""
    # Scores by Z, by uncensored U, and of utility may be negative.
    may_be_negative = split_scheme(condition.measure)[0] in ("Z", "U") or bool((pair.baseline < 0).any())
    if condition.kind == "not-worse" or condition.percent or may_be_negative:
        return
    of_topics = condition.kind == "max-topic-drop"
    most = float(pair.baseline.max()) if of_topics else pair.means[1]
    if excess(most, condition.limit, pair.baseline) <= 0:
        what = "greatest score" if of_topics else "mean"
        found = f"the {what} of the baseline is {most:.4f}, and no run can lose more"
        raise InputError(f"{condition}: {found}, expected a limit below that")


def about_unfailing(condition: Condition, least: Floats, baseline: Floats | None = None) -> str | None:
    """Return a message if even a system without any relevant document meets the limit; otherwise None.

    Parameters
    ----------
    condition : Condition
    least : ndarray, shape (n_topics,)
        The standardized scores of a system with a raw score of 0 on every topic.
    baseline : ndarray, shape (n_topics,), optional

    Examples
    --------
    >>> about_unfailing(Condition("min", "Nmap", 0.1), np.array([0.1, 0.2]))
    'min Nmap=0.1: a run without any relevant document has a mean of 0.1500, so no run can fail'
    >>> about_unfailing(Condition("max-drop", "Nmap", 0.1), np.array([0.1, 0.2]), np.array([0.5, 0.25]))
    """
    if condition.kind == "min":
        least = least[~np.isnan(least)]
        mean = mean_of(least)
        so = f"a run without any relevant document has a mean of {mean:.4f}, so no run can fail"
        return f"{condition}: {so}" if excess(mean, condition.limit, least) >= 0 else None
    if baseline is None or condition.kind == "not-worse":
        return None
    losses = (baseline - least)[~np.isnan(baseline - least)]
    most = float(losses.max()) if condition.kind == "max-topic-drop" else mean_of(losses)
    if condition.percent:
        most *= 100 / mean_of(baseline)
    # by its interval such a run may fail nevertheless
    result = "within the margin" if condition.kind == "non-inferior" else "so no run can fail"
    so = f"a run without any relevant document loses only {most:.4f}{'%' * condition.percent}, {result}"
    return f"{condition}: {so}" if excess(most, condition.limit, losses) <= 0 else None


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


def about_unseen_losses(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield warnings of conditions that hold although a loss is not ruled out, or is found by a test of the mean.

    If nearly all differences are the same, a topic may lose as much as 1, so the mean may lose as much more as the
    share of topics that may differ. The sign and Wilcoxon tests do not test the mean, and the bootstrap test misses
    losses on few topics. Nearly every run passes if a test has less power than `POWER` for the loss of the whole
    mean, or if the baseline has hardly any hit.
    """
    unsure = [outcome for outcome in outcomes if outcome.holds and outcome.unseen > outcome.value - outcome.limit]
    if unsure:
        alike = f"because (nearly) all of {counted(unsure[0].n, 'topic')} have the same difference"
        yield (
            f"{_told(unsure)} holds {alike}: a greater loss on up to {100 * unsure[0].unseen:.2g}% of topics is "
            "not ruled out, and a topic may lose up to 1; use more topics, or a measure that tells more rankings "
            "apart"
        )
    lost = [outcome for outcome in outcomes if not math.isnan(outcome.t_pvalue)]
    if lost:
        p = shown_pvalue(lost[0].t_pvalue, lost[0].limit)
        yield f"{_told(lost)} holds, but a t test of the mean finds a loss (p {p})"
    bounded = [outcome for outcome in outcomes if outcome.holds and _has_least_score(outcome.condition.measure)]
    blind = [outcome for outcome in bounded if outcome.detectable > outcome.baseline]
    if blind:
        so = f"the test often misses even a loss of the baseline's whole mean, {blind[0].baseline:.4f}"
        yield f"{_told(blind)} holds, but with such scores on {counted(blind[0].n, 'topic')} {so}; use more topics"
    compared = [outcome for outcome in bounded if outcome.condition.kind != "min"]
    weak = [outcome for outcome in compared if outcome.mean > _MUCH_BETTER * outcome.baseline]
    if weak:
        less = f"{weak[0].baseline:.4f}, is less than a tenth of the run's: was it evaluated with these judgments?"
        yield f"{_told(weak)} holds, but the mean of the baseline, {less}"


_MUCH_BETTER = 10
"""If a run has more than this many times the mean of the baseline, the judgments may not fit the baseline."""


def _has_least_score(measure: str) -> bool:
    """Return True for a measure whose lowest score is 0, and by which higher is better."""
    return is_never_negative(measure) and is_better_higher(measure)


_MANY_TESTS = 5
"""The number of tests at 0.05 that all hold with a probability of 77%, if no system is worse."""


def about_tests(outcomes: Sequence[Outcome], design: Design) -> Iterator[str]:
    """Yield warnings of conditions that do not hold, which may be due to few topics or to the number of tests.

    Of many tests of systems as good as the baseline, some find a loss by chance. Equal differences on all topics
    have the smallest p, even on two topics. Another seed may change a decision if p is near to alpha. The sign and
    the Wilcoxon test may find a loss on most topics although the mean is higher.
    """
    tests = [outcome for outcome in outcomes if outcome.condition.kind == "not-worse"]
    failed = [outcome for outcome in tests if not outcome.holds]
    by_chance = [outcome for outcome in failed if outcome.value > outcome.limit / len(tests)]
    if by_chance and len(tests) >= _MANY_TESTS:
        alpha, n = by_chance[0].limit, len(tests)
        yield (
            f"{_told(by_chance)} fails at alpha {alpha:g}, but not at alpha {alpha:g} / {n}: of {n} tests of runs "
            f"as good as the baseline, one or more fail with a probability of up to {1 - (1 - alpha) ** n:.0%}"
        )
    if tests and TESTS[design.test].draws:
        are_exact = [design.test == "permutation" and 2.0**outcome.n <= design.n_resamples for outcome in tests]
        drawn = np.array([outcome.value for outcome in tests])[~np.array(are_exact)]
        yield from about_near_alpha(drawn, drawn, len(tests), design.n_resamples, tests[0].limit)
    better = [outcome for outcome in failed if outcome.mean > outcome.baseline]
    if better:
        found = f"{_told(better)} fails although the mean is higher than the baseline's"
        yield f"{found}: the {design.test} test is not about means"
    equal = [outcome for outcome in failed if outcome.value == 0 and 0.5**outcome.n > outcome.limit]
    if equal:
        found = f"{_told(equal)} fails because the difference is the same on all of {counted(equal[0].n, 'topic')}"
        yield f"{found}: p is as small as it can be even for two topics; expected more topics"


def _told(outcomes: Sequence[Outcome]) -> str:
    """Return the first condition and its system, and how many more there are."""
    more = f" (and {counted(len(outcomes) - 1, 'more condition')})" if len(outcomes) > 1 else ""
    return f"{outcomes[0].condition} of '{shown_name(outcomes[0].system)}'{more}"
