"""Simulate experiments with the topics that plans ask for: the power, and the width of intervals, that they find.

    python tests/benchmark/plan.py [TRIALS]

The differences of two runs are drawn from a normal distribution, and from two that real ones resemble more: sparse
and discrete differences, as those of P_10 between similar runs, and skewed ones.  All have the standard deviation
of the plan.  For normal differences, power and width are those promised, up to the simulation error, which is
about .004 with 10,000 trials.  The others show where the plan promises too much or too little.  Analyses of
variance are of normal scores.
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.stats

from stdeval.meta.plan import PlannedTest, plan_for_difference, plan_for_topics

SD = 0.12


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return normally distributed differences."""
    return rng.normal(0, 1, shape)


def sparse(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return differences that are 0 on most topics, and elsewhere one or two steps."""
    # the variance of the steps is 2.5
    return rng.choice([-2, -1, 1, 2], shape) * (rng.random(shape) < 0.4)


def skewed(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return differences of which a few are large gains."""
    return rng.exponential(1, shape) - 1


def paired(draw, difference: float, power: float, n_trials: int) -> list[str]:
    """Return the topics of a plan, its power and width, and those found."""
    plan = plan_for_difference(PlannedTest(power=power), SD, difference)
    rng, n = np.random.default_rng(1), int(plan.n)
    unit = np.sqrt(0.4 * 2.5) if draw is sparse else 1.0
    result = scipy.stats.ttest_1samp(difference + SD * draw(rng, (n_trials, n)) / unit, 0, axis=1)
    interval = result.confidence_interval(0.95)
    found = [np.mean(result.pvalue <= 0.05), np.mean(interval.high - interval.low)]
    return [
        draw.__name__,
        f"{difference:g}",
        str(n),
        *(f"{x:.4f}" for x in (plan.power, found[0], plan.width, found[1])),
    ]


def variance(n_systems: int, n: int, same_topics: bool, n_trials: int) -> list[str]:
    """Return the power of an analysis of variance, and that found."""
    plan = plan_for_topics(PlannedTest(n_systems=n_systems, same_topics=same_topics), SD, n)
    rng, effects = np.random.default_rng(2), np.zeros((1, n_systems, 1))
    effects[0, [0, -1], 0] = [-plan.difference / 2, plan.difference / 2]
    topics = rng.normal(0, 3 * SD, (n_trials, 1, n)) if same_topics else 0.0
    scores = effects + topics + rng.normal(0, SD, (n_trials, n_systems, n))
    between = n * scores.mean(axis=2).var(axis=1, ddof=1)
    centred = scores - scores.mean(axis=1, keepdims=True) if same_topics else scores
    df = (n_systems - 1) * (n - 1) if same_topics else n_systems * (n - 1)
    error = np.sum((centred - centred.mean(axis=2, keepdims=True)) ** 2, axis=(1, 2)) / df
    found = np.mean(scipy.stats.f.sf(between / error, n_systems - 1, df) <= 0.05)
    return [str(n_systems), "two-way" if same_topics else "one-way", str(n), f"{plan.power:.4f}", f"{found:.4f}"]


def main() -> None:
    """Print what is promised and what is found."""
    n_trials = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"{n_trials} trials")
    print("\t".join(["differences", "difference", "topics", "power", "found", "width", "found"]))
    for draw in (normal, sparse, skewed):
        for difference in (0.02, 0.05, 0.1, 0.2):
            for power in (0.8, 0.95):
                print("\t".join(paired(draw, difference, power, n_trials)))
    print("\t".join(["systems", "analysis", "topics", "power", "found"]))
    for n_systems in (2, 5, 20):
        for n in (5, 20, 50):
            for same_topics in (False, True):
                print("\t".join(variance(n_systems, n, same_topics, n_trials)))


if __name__ == "__main__":
    main()
