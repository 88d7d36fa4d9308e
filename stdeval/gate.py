"""A gate for rankers: conditions that a system's scores must fulfil, and their outcomes.

A condition that cannot be evaluated is an error and not an outcome, so that a gate never passes by mistake. Each
kind of condition is a row of `KINDS` and the function before it that decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import NamedTuple

import numpy as np

from stdeval.display import counted, excerpt, shown_pvalue, unscored
from stdeval.errors import InputError
from stdeval.measures.names import is_better_higher, is_in_unit_range, is_never_negative, kind_of, split_scheme
from stdeval.noise import decimals, is_significant, rounded
from stdeval.provenance import OTHER_FACTORS
from stdeval.stats.aggregates import arithmetic_mean, moments
from stdeval.stats.intervals import share_upper_bound, t_lower_bound
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.stats.power import detectable_effect, t_power
from stdeval.table import Floats, ScoreTable

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
            found = f"limit {format_limit(self.limit)} of not-worse"
            raise InputError(f"{found}, expected alpha, its significance level")
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
    """Refuse a measure that is not for conditions: it has no score per topic, or lower is better."""
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


# --- decisions ---

POWER = 0.8
"""The power with which a test finds the loss that is shown beside its result."""

_ENOUGH_DIFFERENT = 10
"""Number of topics with another difference than most from which a t interval of differences holds what it says."""


class Decision(NamedTuple):
    """The part of an outcome that depends on the kind of the condition."""

    holds: bool
    figures: str
    value: float
    limit: float
    detectable: float = math.nan


def _min(condition: Condition, rows: Floats, design: Design) -> Decision:
    mean, limit = _mean(rows[0]), condition.limit
    on_topics = f"on {counted(rows.shape[1], 'topic')}"
    figures = f"mean {_format_near(mean, limit)} {on_topics}, expected at least {condition.shown_limit}"
    return Decision(_excess(mean, limit, rows) >= 0, figures, mean, limit)


def _max_drop(condition: Condition, rows: Floats, design: Design) -> Decision:
    mean, before = map(_mean, rows)
    drop = before - mean
    if not condition.percent:
        limit, shown = condition.limit, _format_near(drop, condition.limit)
    elif _excess(before, 0.0, rows[1]) > 0:
        limit = condition.limit / 100 * before
        shown = f"{_format_fixed(drop)} ({_format_near(100 * drop / before, condition.limit)}%)"
    else:
        what = f"{condition}: the mean of the baseline is {before:.4f}"
        raise InputError(f"{what}, expected one above 0 for a percentage of it, or a limit without %")
    figures = f"{_shown_means(rows)}, drop {shown}, expected at most {condition.shown_limit}"
    return Decision(_excess(drop, limit, rows) <= 0, figures, drop, limit)


def _max_topic_drop(condition: Condition, rows: Floats, design: Design) -> Decision:
    drops = rows[1] - rows[0]
    greatest = float(drops.max())
    n_lost = int((rounded(drops, decimals(rows)) > condition.limit).sum())
    shown = f"greatest drop {_format_near(greatest, condition.limit)} on a topic"
    figures = f"{_shown_means(rows)}, {shown}, expected at most {condition.shown_limit}"
    if n_lost:
        figures += f", {n_lost} of {len(drops)} topics {'loses' if n_lost == 1 else 'lose'} more"
    return Decision(not n_lost, figures, greatest, condition.limit)


def _non_inferior(condition: Condition, rows: Floats, design: Design) -> Decision:
    if rows.shape[1] < 2:
        raise InputError(f"{condition}: 1 topic, expected at least two topics to compare on")
    differences, limit = rows[0] - rows[1], -condition.limit
    bound = float(t_lower_bound(differences, level=1 - condition.alpha))
    difference, shown = _format_fixed(_mean(differences)), _format_near(bound, limit)
    figures = (
        f"{_shown_means(rows)}, difference {difference}, lower bound {shown}, "
        f"expected above {format_limit(limit)} (Student's t, one-sided {100 * (1 - condition.alpha):g}% interval)"
    )
    _, n_other = _usual_difference(rows)
    # The interval rests on the spread of the differences, and few of them do not show how large that is.
    if n_other < max(2, min(_ENOUGH_DIFFERENT, len(differences) / 5)):
        figures += _not_ruled_out(rows, condition.alpha)
    return Decision(_excess(bound, limit, rows) > 0, figures, bound, limit)


def _not_worse(condition: Condition, rows: Floats, design: Design) -> Decision:
    if rows.shape[1] < 2:
        raise InputError(f"{condition}: 1 topic, expected at least two topics to compare on")
    alpha, n = condition.alpha, rows.shape[1]
    one_tailed = replace(design, alternative="less")
    smallest = one_tailed.smallest_pvalue(n, 2, 1)
    if not is_significant(smallest, alpha):
        # Such a test would pass every run.
        drawn, more = (f" and {design.n_resamples} resamples", "more --resamples, ") if design.draws else ("", "")
        what = f"with {n} topics{drawn} the {design.test} test gives no p below {smallest:.3g}"
        expected = f"expected {more}more topics or a test that can reach alpha {alpha:g}"
        raise InputError(f"{condition}: {what}, {expected}")
    p = _pvalue(rows, one_tailed)
    if np.isnan(p):
        raise InputError(f"the {design.test} test gives no p for these scores")
    holds = not is_significant(p, alpha)
    decided = f"p {shown_pvalue(p, alpha)}, expected above alpha {alpha:g}"
    figures = f"{_shown_means(rows)}, {decided} ({one_tailed.described})"
    detectable = _detectable_loss(rows, alpha)
    usual, n_other = _usual_difference(rows)
    # If few topics differ, the standard deviation says nothing about the power.
    if (not holds or 10 * n_other > n) and not math.isnan(detectable) and _format_fixed(detectable) != "0.0000":
        figures += f"; a t test finds a loss of {detectable:.4f} with {POWER:.0%} power"
    if holds and 10 * n_other <= n:
        figures += _not_ruled_out(rows, alpha, alike=f"all topics have the difference {format_limit(usual)}")
    # If k topics differ, the smallest one-tailed p of a permutation test is 1 / 2^k.
    elif not holds and not usual and 2 * n_other <= n and not is_significant(0.5**n_other, alpha):
        figures += f"; only {_shown_others(usual, n_other)}, too few for a permutation test"
    # The sign and Wilcoxon tests do not test the mean. On few topics, the other tests cannot give a small p.
    t_pvalue = _pvalue(rows, Design("t", alternative="less")) if holds and design.test != "t" else math.nan
    if is_significant(t_pvalue, alpha):
        figures += f"; it finds this loss with p {shown_pvalue(t_pvalue, alpha)}"
    return Decision(holds, figures, p, alpha, detectable)


KINDS: dict[str, Callable[[Condition, Floats, Design], Decision]] = {
    "min": _min,
    "max-drop": _max_drop,
    "max-topic-drop": _max_topic_drop,
    "non-inferior": _non_inferior,
    "not-worse": _not_worse,
}
"""The kinds of conditions, each decided from the scores of a system and, but for min, of the baseline."""


def _pvalue(rows: Floats, design: Design) -> float:
    """Return the p-value of a system against the baseline."""
    return compare_systems(rows, np.array([0]), np.array([1]), design)[0].pvalue.item()


def _usual_difference(rows: Floats) -> tuple[float, int]:
    """Return the difference that more than half of the topics have, or 0, and how many topics have another one."""
    differences = rounded(rows[0] - rows[1], decimals(rows))
    # What more than half have is the median.
    median = float(np.median(differences))
    usual = median if 2 * np.count_nonzero(differences == median) > len(differences) else 0.0
    return usual, int(np.count_nonzero(differences != usual))


def _shown_others(usual: float, n_other: int) -> str:
    """Return in words how many topics have another difference than most."""
    number = counted(n_other, "topic") if n_other else "no topic"
    if usual:
        return f"{number} {'have' if n_other > 1 else 'has'} another difference than {format_limit(usual)}"
    return f"{number} {'differ' if n_other > 1 else 'differs'}"


def _not_ruled_out(rows: Floats, alpha: float, alike: str = "") -> str:
    """Return a clause for a decision that rests on few topics with another difference than most."""
    usual, n_other = _usual_difference(rows)
    unseen = share_upper_bound(n_other, rows.shape[1], level=1 - alpha)
    found = alike if alike and usual and not n_other else _shown_others(usual, n_other)
    return f"; {found}; a {'greater ' if usual else ''}loss on up to {100 * unseen:.2g}% of topics is not ruled out"


def _detectable_loss(rows: Floats, alpha: float) -> float:
    """Return the mean loss that a t test finds with `POWER`; NaN if the differences do not vary."""
    _, sd, n = moments(rows[0] - rows[1])
    power_of = partial(t_power, alpha=alpha, one_tailed=True)
    return detectable_effect(int(n), power_of, POWER) * float(sd) if _excess(float(sd), 0.0, rows) > 0 else math.nan


def _excess(value: float, limit: float, scores: Floats) -> float:
    """Return how far a value computed from scores is above a limit: 0 if only arithmetic noise separates them."""
    return float(rounded(value - limit, decimals(np.append(scores, limit))))


def _mean(scores: Floats) -> float:
    return float(arithmetic_mean(scores))


def _shown_means(rows: Floats) -> str:
    """Return both means and their number of topics in words."""
    mean, before = map(_mean, rows)
    return f"mean {mean:.4f}, baseline {before:.4f} on {counted(rows.shape[1], 'topic')}"


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


# --- outcomes ---

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
        """Return whether the condition holds, so that `all` of several outcomes says whether all do."""
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
    """Return the outcome of a condition for one system: scores and baseline have shape (n_topics,)."""
    # Rounded like this, a change and a limit that are equal on paper are equal.
    changes = scores if baseline is None else rounded(scores - baseline, decimals([scores, baseline]))
    present = ~np.isnan(changes)
    if not present.any():
        raise InputError(f"no {condition.measure} scores of '{system}' to look at, expected one per topic")
    if condition.kind == "min":
        rows = scores[np.newaxis, ~np.isnan(scores)]
        before = math.nan if baseline is None else _mean(baseline[present])
    elif baseline is None:
        raise InputError(f"{condition}: expected a baseline")
    else:
        rows = np.stack([scores, baseline])[:, present]
        before = _mean(rows[1])
    holds, figures, value, limit, detectable = KINDS[condition.kind](condition, rows, design or Design())
    worst: tuple[tuple[str, float], ...] = ()
    if not holds:
        # the topics with the lowest scores, or with the greatest losses if there is a baseline
        order = np.argsort(changes, kind="stable")[: int(present.sum())]
        if condition.kind == "max-topic-drop":
            order = order[changes[order] < -condition.limit]
        else:
            order = order[(baseline is None) | (changes[order] < 0)][:N_TOPICS_SHOWN]
        worst = tuple((topics[i], float(changes[i])) for i in order)
    n, mean = rows.shape[1], _mean(rows[0])
    return Outcome(system, condition, holds, figures, value, limit, mean, before, n, detectable, worst)
