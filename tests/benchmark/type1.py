"""Simulate the type I error of the bootstrap test: the share of significant results where nothing differs.

    python tests/benchmark/type1.py [TRIALS]

Three kinds of differences between runs are drawn: from a normal distribution, and sparse and rare ones, as those of
P_5 between similar runs (0 on 70% or 88% of the topics, otherwise -.4, -.2, .2 or .4).  A test keeps its level if
its rate is at most alpha, but for the simulation error, which is about .003 at .05 with 5,000 trials.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

from stdeval.noise import is_significant
from stdeval.stats.significance import compare

ALPHAS = (0.01, 0.05, 0.1)
N_RESAMPLES = 1000
TESTS = ("t", "bootstrap")
ALTERNATIVES = ("two-sided", "less")


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return normally distributed differences."""
    return rng.normal(0, 0.2, shape)


def sparse(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return differences that are 0 on most topics, and elsewhere one or two fifths."""
    return rng.choice([-2, -1, 1, 2], shape) / 5 * (rng.random(shape) < 0.3)


def rare(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return differences that are 0 on seven of eight topics, and elsewhere one or two fifths."""
    return rng.choice([-2, -1, 1, 2], shape) / 5 * (rng.random(shape) < 0.12)


def main() -> None:
    """Print the rate of significant results by kind of differences, number of topics, alternative and test."""
    n_trials = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    print(f"{n_trials} trials, {N_RESAMPLES} resamples")
    print("\t".join(["differences", "topics", "alternative", "test", *(f"at {alpha:g}" for alpha in ALPHAS)]))
    for draw in (normal, sparse, rare):
        for n_topics in (5, 10, 25, 50):
            differences = draw(np.random.default_rng(n_topics), (n_trials, n_topics))
            for alternative, test in product(ALTERNATIVES, TESTS):
                drawn = {"rng": np.random.default_rng(1), "n_resamples": N_RESAMPLES}
                found = compare(differences, np.zeros(n_topics), test, alternative=alternative, **drawn)
                rates = [f"{np.mean(is_significant(found.pvalue, alpha)):.4f}" for alpha in ALPHAS]
                print("\t".join([draw.__name__, str(n_topics), alternative, test, *rates]))


if __name__ == "__main__":
    main()
