"""How often intervals over references cover the true mean standardized score.

    python tests/benchmark/coverage.py [--references 5 10 20 40] [--topics 50] [--trials 200] [--correlation 0.3]
        [--level 0.95]

Scores of a system are its quality plus noise, normally distributed, so that all systems together have mean 0 and
standard deviation 1 on each topic. ``--correlation`` is the share of quality in the variance, which is also the
correlation of the scores on two topics. In each trial references are drawn, and with `both` also the topics of four
systems of quality -1, 0, 1 and 1.5. The truth is their mean by the true mean and standard deviation, on these
topics or on all.

By scheme, number of references and kind of interval: the share of intervals that cover the truth, and their mean
width. `moments` knows means and standard deviations of the references only.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from stdeval.standardization.factors import Factors, fit_factors
from stdeval.standardization.intervals import reference_intervals
from stdeval.standardization.schemes import SCHEMES
from stdeval.table import Floats, ScoreTable

QUALITIES = np.array([-1.0, 0.0, 1.0, 1.5])
KINDS = ("references", "both", "moments")

TRUTH: dict[str, Callable[[Floats], Floats]] = {"Z": lambda z: z, "U": lambda z: np.clip(0.15 * z + 0.5, 0, 1)}
"""The score of a z score by the true mean and standard deviation; by other schemes its distribution function."""


def scores_of(qualities: Floats, n_topics: int, correlation: float, rng: np.random.Generator) -> Floats:
    return qualities[:, None] + np.sqrt(1 - correlation) * rng.standard_normal((len(qualities), n_topics))


def table_of(values: Floats) -> ScoreTable:
    systems, topics = (tuple(map(str, range(n))) for n in values.shape)
    return ScoreTable(systems, topics, ("x",), values[:, :, None])


def covered(
    kind: str, scheme: str, n_references: int, options: argparse.Namespace, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the share of intervals that cover the truth, and their mean width."""
    truth_of = TRUTH.get(scheme, ndtr)
    fixed = scores_of(QUALITIES, options.topics, options.correlation, rng)
    everywhere = truth_of(scores_of(QUALITIES, 200_000, options.correlation, rng)).mean(axis=1)
    hits, widths = [], []
    for trial in range(options.trials):
        qualities = np.sqrt(options.correlation) * rng.standard_normal(n_references)
        factors = fit_factors(table_of(scores_of(qualities, options.topics, options.correlation, rng)))
        if kind == "moments":
            factors = Factors(factors.topics, factors.measures, factors.mean, factors.sd, factors.n)
        scores = scores_of(QUALITIES, options.topics, options.correlation, rng) if kind == "both" else fixed
        truth = everywhere if kind == "both" else truth_of(scores).mean(axis=1)
        found = reference_intervals(
            table_of(scores),
            factors,
            scheme,
            topics=kind == "both",
            level=options.level,
            n_resamples=options.resamples,
            seed=trial,
        )
        hits.append((found.low[:, 0] <= truth) & (truth <= found.high[:, 0]))
        widths.append(found.high[:, 0] - found.low[:, 0])
    return float(np.mean(hits)), float(np.mean(widths))


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate the coverage of intervals over references.")
    parser.add_argument("--references", type=int, nargs="+", default=[5, 10, 20, 40])
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--correlation", type=float, default=0.3)
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"{'kind':<12}{'scheme':<8}{'references':>10}{'coverage':>10}{'width':>8}")
    for kind in KINDS:
        for scheme in SCHEMES:
            if kind == "moments" and SCHEMES[scheme].moments_function is None:
                continue
            for n in options.references:
                share, width = covered(kind, scheme, n, options, np.random.default_rng(options.seed))
                print(f"{kind:<12}{scheme:<8}{n:>10}{share:>10.3f}{width:>8.3f}", flush=True)


if __name__ == "__main__":
    main()
