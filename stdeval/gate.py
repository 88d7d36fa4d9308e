"""A gate for rankers: conditions that a system's scores must fulfil, and their outcomes.

A condition that cannot be evaluated is an error and not an outcome, so that a gate never passes by mistake.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from stdeval import notices, provenance
from stdeval.errors import InputError, counted, warn
from stdeval.measures.names import is_better_higher, kind_of, range_of, split_scheme
from stdeval.noise import decimals, is_significant, rounded, shown_pvalue
from stdeval.standardization.factors import Factors, differences_of, refuse_unfit
from stdeval.stats import aggregates, power
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.table import Bools, Floats, ScoreTable, measures_in, named_measures, only_one


@dataclass(frozen=True)
class Condition:
    """A condition on every system.

    Parameters
    ----------
    kind : {"min", "max-drop", "max-topic-drop", "non-inferior", "not-worse"}
    limit : float
        The least mean (min), the greatest drop of the mean (max-drop) or of the score of any topic
        (max-topic-drop), or the margin (non-inferior); NaN for not-worse, which has none.
    percent : bool
        True if the limit of max-drop is a percentage of the baseline's mean.
    alpha : float
        The significance level of not-worse and non-inferior, in (0, 0.5).
    """

    kind: str
    measure: str
    limit: float = math.nan
    percent: bool = False
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"no condition '{self.kind}', expected one of: {', '.join(KINDS)}")
        if not 0 < self.alpha < 0.5:
            raise InputError(f"alpha {self.alpha:g} of {self.kind}, expected more than 0 and less than 0.5")
        most = 100 if self.percent else math.inf
        fits, expected = {
            "min": (not math.isnan(self.limit), "a number"),
            "max-drop": (0 <= self.limit <= most, "a number from 0, or a percentage to 100%"),
            "max-topic-drop": (self.limit >= 0, "a number from 0"),
            "non-inferior": (self.limit > 0, "a margin above 0"),
            "not-worse": (math.isnan(self.limit), "alpha and no limit"),
        }[self.kind]
        if not fits or (self.percent and self.kind != "max-drop"):
            raise InputError(f"{self}: expected {expected}")

    def __str__(self) -> str:
        return f"{self.kind} {self.measure}" + ("" if math.isnan(self.limit) else f"={_typed(self)}")


def _typed(condition: Condition) -> str:
    return np.format_float_positional(condition.limit, trim="-") + ("%" if condition.percent else "")


def refuse_other_origin(
    made: Factors | ScoreTable, table: ScoreTable, used: provenance.Origin, what: str, *, allowed: bool
) -> None:
    """Refuse factors or a baseline of another origin than the runs, or only warn if this is allowed."""
    if isinstance(made, ScoreTable) and not allowed:
        refuse_unfit(made, what)
    found = differences_of(made, table, used)
    if found and not allowed:
        differing = notices.other_origin(found, what)
        raise InputError(f"{differing}; expected those of the runs, or --allow-other-judgments")
    warn(notices.other_origin(found, what), stacklevel=4)


def _baseline_scores(baseline: ScoreTable, topics: Sequence[str], condition: Condition) -> Floats | None:
    """Return the scores of the baseline on the topics of the runs; None for min if it does not have the measure."""
    is_min = condition.kind == "min"
    if is_min and not named_measures(baseline.measures, condition.measure):
        return None
    name = only_one(measures_in(baseline.measures, [condition.measure]), condition.measure)
    raw = split_scheme(name)[1]
    # No run can lose against such a baseline, so every run would pass.
    if not is_min and not np.any(baseline.measure(raw if raw in baseline.measures else name)):
        found = f"every {condition.measure} score of the baseline is 0"
        raise InputError(f"{found}, expected a baseline that finds relevant documents, from the same judgments")
    scores = dict(zip(baseline.topics, baseline.measure(name)[0].tolist(), strict=True))
    scored = {topic: score for topic, score in scores.items() if not math.isnan(score)}
    lacking = [topic for topic in topics if topic not in scored]
    if others := lacking or [topic for topic in scored if topic not in {*topics}]:
        found = "no scores" if lacking else "scores that the runs do not have"
        number = f"{counted(len(others), 'topic')} (e.g. '{others[0]}')"
        raise InputError(f"the baseline has {found} for {number}, expected the topics of the runs")
    return np.array([scored[topic] for topic in topics])


# the fields of an outcome that depend on the kind: whether it holds, figures, value, limit, detectable loss
Decision = tuple[bool, str, float, float, float]


def _min(condition: Condition, rows: Floats, design: Design) -> Decision:
    mean, limit = _mean(rows[0]), condition.limit
    n_topics = counted(rows.shape[1], "topic")
    figures = f"mean {_shown(mean, limit)} on {n_topics}, expected at least {_typed(condition)}"
    return _excess(mean, limit, rows) >= 0, figures, mean, limit, math.nan


def _max_drop(condition: Condition, rows: Floats, design: Design) -> Decision:
    mean, before = map(_mean, rows)
    drop, limit = before - mean, condition.limit
    shown = _shown(drop, limit)
    if condition.percent:
        if _excess(before, 0.0, rows[1]) <= 0:
            what = f"{condition}: the mean of the baseline is {before:.4f}"
            raise InputError(f"{what}, expected one above 0 for a percentage of it, or a limit without %")
        shown = f"{_shown(drop)} ({_shown(100 * drop / before, limit)}%)"
        limit = limit / 100 * before
    figures = f"drop {shown}, expected at most {_typed(condition)}"
    if _excess(drop, 0.0, rows) < 0:
        figures = f"gain {shown.replace('-', '')}, expected a drop of at most {_typed(condition)}"
    return _excess(drop, limit, rows) <= 0, figures, drop, limit, math.nan


def _max_topic_drop(condition: Condition, rows: Floats, design: Design) -> Decision:
    drops = rows[1] - rows[0]
    greatest = float(drops.max())
    n_lost = int((rounded(drops, decimals(rows)) > condition.limit).sum())
    shown = _shown(greatest, condition.limit)
    figures = f"greatest drop {shown} on a topic, expected at most {_typed(condition)}"
    if _excess(greatest, 0.0, rows) < 0:
        figures = f"least gain {shown.removeprefix('-')} on a topic, expected a drop of at most {_typed(condition)}"
    if n_lost:
        figures += f", {n_lost} of {len(drops)} topics {'loses' if n_lost == 1 else 'lose'} more"
    return not n_lost, figures, greatest, condition.limit, math.nan


def _non_inferior(condition: Condition, rows: Floats, design: Design) -> Decision:
    differences, limit = rows[0] - rows[1], -condition.limit
    bound = float(aggregates.t_lower_bound(differences, level=1 - condition.alpha))
    figures = f"difference {_shown(_mean(differences))}, lower bound {_shown(bound, limit)}, "
    interval = f"Student's t, one-sided {100 * (1 - condition.alpha):g}% interval"
    figures += f"expected above -{_typed(condition)} ({interval})"
    # The interval rests on the spread of the differences, and fewer than ten do not show how large that is.
    if (n_different := _n_different(rows)) < max(2, min(10, len(differences) / 5)):
        figures += _not_ruled_out(n_different, len(differences), condition.alpha)
    return _excess(bound, limit, rows) > 0, figures, bound, limit, math.nan


def _not_worse(condition: Condition, rows: Floats, design: Design) -> Decision:
    alpha, n = condition.alpha, rows.shape[1]
    one_tailed = replace(design, alternative="less")
    smallest = one_tailed.smallest_pvalue(n, 2, 1)
    if not is_significant(smallest, alpha):
        # Such a test would pass every run.
        drawn, more = (f" and {design.n_resamples} resamples", "more --resamples, ") if design.draws else ("", "")
        what = f"with {n} topics{drawn} the {design.test} test gives no p below {smallest:.3g}"
        expected = f"expected {more}more topics or a test that can reach alpha {alpha:g}"
        raise InputError(f"{condition}: {what}, {expected}")
    p = compare_systems(rows, np.array([0]), np.array([1]), one_tailed)[0].pvalue.item()
    holds = not is_significant(p, alpha)
    figures = f"p {shown_pvalue(p, alpha)}, expected above alpha {alpha:g} ({one_tailed.described})"
    # The mean loss that a t test finds with a power of 80%; it is unknown if the differences do not vary.
    sd = float(aggregates.moments(rows[0] - rows[1])[1])
    power_of = partial(power.t_power, alpha=alpha, one_tailed=True)
    detectable = power.detectable_effect(n, power_of, 0.8) * sd if _excess(sd, 0.0, rows) > 0 else math.nan
    n_different = _n_different(rows)
    # If few topics differ, the standard deviation says nothing about the power.
    if holds and 10 * n_different <= n:
        figures += _not_ruled_out(n_different, n, alpha)
    elif not math.isnan(detectable) and _shown(detectable) != "0.0000":
        figures += f"; a t test finds a loss of {detectable:.4f} with 80% power"
    return holds, figures, p, alpha, detectable


# each kind is decided from the scores of a system and, but for min, of the baseline
KINDS: dict[str, Callable[[Condition, Floats, Design], Decision]] = {
    "min": _min,
    "max-drop": _max_drop,
    "max-topic-drop": _max_topic_drop,
    "non-inferior": _non_inferior,
    "not-worse": _not_worse,
}


def _n_different(rows: Floats) -> int:
    return int(np.count_nonzero(rounded(rows[0] - rows[1], decimals(rows))))


def _not_ruled_out(n_different: int, n: int, alpha: float) -> str:
    """Return a clause for a decision that rests on few topics with different scores."""
    differ = f"{n_different} topics differ" if n_different > 1 else f"{n_different or 'no'} topic differs"
    unseen = aggregates.share_upper_bound(n_different, n, level=1 - alpha)
    return f"; {differ}; a loss on up to {100 * unseen:.2g}% of topics is not ruled out"


def _excess(value: float, limit: float, scores: Floats) -> float:
    """Return how far a value computed from scores is above a limit: 0 if only arithmetic noise separates them."""
    return float(rounded(value - limit, decimals(np.append(scores, limit))))


def _mean(scores: Floats) -> float:
    return float(aggregates.arithmetic_mean(scores))


def _shown(value: float, limit: float = math.nan) -> str:
    """Return a value with four decimals, or with more if four do not show on which side of the limit it is."""
    apart = abs(value - limit)
    # A smaller difference than 5e-13 is arithmetic noise for scores of up to 1.
    digits = 4 if not 5e-13 <= apart <= 5e-5 else 10 if apart >= 1e-9 else 12
    shown = f"{value:.{digits}f}"
    whole, fraction = (shown if float(shown) else shown.removeprefix("-")).split(".")
    return f"{whole}.{fraction if digits == 4 else fraction.rstrip('0') or '0'}"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a condition for one system.

    ``figures`` are the numbers that decide, in words; ``value`` is the one that is compared with ``limit``.
    ``mean`` and ``baseline`` are the means of the system and of the baseline (NaN without one) on ``n`` topics.
    ``detectable`` is the loss that a t test is likely to find, for not-worse, and otherwise NaN. If the condition
    does not hold, ``topics`` are those to look at, the worst first, with scores or differences from the baseline.
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
        return self.holds

    def topics_in_words(self, n_shown: int | None = 5) -> str:
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
    design: Design = Design(),  # noqa: B008  # frozen
) -> Outcome:
    """Return the outcome of a condition for one system: scores and baseline have shape (n_topics,), without NaN."""
    rows = np.stack([scores] if condition.kind == "min" or baseline is None else [scores, baseline])
    if condition.kind in ("non-inferior", "not-worse") and len(scores) < 2:
        raise InputError(f"{condition}: 1 topic, expected at least two topics to compare on")
    holds, figures, value, limit, detectable = KINDS[condition.kind](condition, rows, design)
    worst: tuple[tuple[str, float], ...] = ()
    if not holds:
        # Rounded like this, a change and a limit that are equal on paper are equal.
        changes = scores if baseline is None else rounded(scores - baseline, decimals([scores, baseline]))
        order = np.argsort(changes, kind="stable")
        if condition.kind == "max-topic-drop":
            order = order[changes[order] < -condition.limit]
        else:
            order = order[(baseline is None) | (changes[order] < 0)][:5]
        worst = tuple((topics[i], float(changes[i])) for i in order)
    n, mean, before = len(scores), _mean(scores), math.nan if baseline is None else _mean(baseline)
    if condition.kind != "min":
        figures = f"mean {mean:.4f}, baseline {before:.4f} on {counted(n, 'topic')}, {figures}"
    return Outcome(system, condition, holds, figures, value, limit, mean, before, n, detectable, worst)


def outcomes(
    table: ScoreTable,
    conditions: Sequence[Condition],
    baseline: str | ScoreTable | None,
    design: Design,
    left_out: Mapping[str, Bools] | None = None,
    where: str = "baseline",
) -> Iterator[Outcome]:
    """Refuse what cannot be decided, and return the outcomes of each system, each decided when it is asked for.

    Topics may be left out for all systems, by measure. Errors of the baseline say where its scores are.
    """
    systems = [place for place, system in enumerate(table.systems) if system != baseline]
    before = table.select(systems=[baseline]) if isinstance(baseline, str) else baseline
    if not systems:
        raise InputError(f"no system to check besides the baseline '{baseline}'")
    if before is not None and len(before.systems) > 1:
        raise InputError(f"a baseline of {counted(len(before.systems), 'system')}, expected one", where)
    prepared = []
    for typed in conditions:
        name = only_one(measures_in(table.measures, [typed.measure]), typed.measure)
        condition = replace(typed, measure=name)
        if kind_of(name) != "score" or not is_better_higher(name):
            expected = "a measure that has a score per topic and is better if it is higher, such as map"
            raise InputError(f"{condition}: expected {expected}")
        # scores by Z, and by U without censoring, have no bounds
        high = 1 if split_scheme(name)[0] in ("N", "E", "M") or range_of(name) == "0..1" else math.inf
        low = 0 if high == 1 or range_of(name).startswith(("0..", "count")) else -math.inf
        if not condition.percent and (condition.limit < low or condition.limit > high):
            raise InputError(f"{condition}: scores are from {low} to {high}, expected a limit in this range")
        if before is None and condition.kind != "min":
            raise InputError(f"{condition}: expected a baseline")
        refuse_unfit(table.select(measures=[name]))
        # Topics that are left out for all systems are not missing, unless all topics are.
        kept = ~(left_out or {}).get(name, np.zeros(len(table.topics), dtype=bool))
        kept |= not kept.any()
        topics = [topic for topic, is_kept in zip(table.topics, kept, strict=True) if is_kept]
        scores = table.measure(name)[:, kept]
        for system, missing in zip(table.systems, np.isnan(scores), strict=True):
            if missing.any():
                number = f"{missing.sum()} of {len(topics)} topics (e.g. '{topics[int(missing.argmax())]}')"
                raise InputError(f"'{system}' has no {name} for {number}, expected it for all")
        try:
            own = None if before is None else _baseline_scores(before, topics, condition)
        except InputError as error:
            raise error.at(where) from None
        prepared.append((condition, scores, topics, own))
    return (
        check(condition, table.systems[i], scores[i], topics, own, design)
        for i in systems
        for condition, scores, topics, own in prepared
    )
