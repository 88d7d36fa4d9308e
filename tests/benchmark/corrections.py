"""How often corrections for many pairs err, and what they find: the table in CORRECTIONS of stdeval-compare(1).

    python tests/benchmark/corrections.py [--trials 1000] [COLLECTION...]

The topics of a trial are drawn with replacement from scores that have been centred, so that the means of all runs,
of the better half, or of every second one are equal; the others keep theirs. An error is a trial with a significant
pair of equal runs; for bh, the share of such pairs among the significant ones. Found is the share of the unequal
pairs that are significant. Both are printed by method for each condition, with near copies (runs whose scores
correlate by .95 or more with those of another that is kept) or without, and the greatest rates at the end.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import scipy

import stdeval
from stdeval.stats.corrections import holm, studentized_range_sf

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COLLECTIONS = ("cranfield", "cisi", "trec-covid-r4", "trec-covid-r5")
MEASURES = ("map", "P_10", "ndcg_cut_10")
EQUAL = ("all", "top half", "every second")
METHODS = ("none", "bonferroni", "holm", "holm wilcoxon", "bh", "tukey", "hsd", "range")
ALPHA, N_RESAMPLES = 0.05, 1000


def collection_scores(name: str) -> np.ndarray:
    """Scores of the runs that have all topics, shape (n_systems, n_topics, n_measures)."""
    runs = [stdeval.read_run(path) for path in sorted((DATA / name / "runs").iterdir())]
    values = stdeval.evaluate(stdeval.read_qrels(DATA / name / "qrels.txt"), runs, MEASURES).values
    return values[~np.isnan(values).any(axis=(1, 2))]


def without_near_copies(scores: np.ndarray) -> np.ndarray:
    kept: list[int] = []
    alike = np.nan_to_num(np.corrcoef(scores)) >= 0.95
    for i in range(len(scores)):
        if not alike[i, kept].any():
            kept.append(i)
    return scores[kept]


def with_equal_means(scores: np.ndarray, equal: str) -> tuple[np.ndarray, np.ndarray]:
    """Return scores, the best run first, and which of the runs have equal means."""
    scores = scores[np.argsort(-scores.mean(axis=1))]
    rank = np.arange(len(scores))
    is_equal = {"all": rank >= 0, "top half": rank < len(scores) // 2, "every second": rank % 2 == 0}[equal]
    means = scores.mean(axis=1, keepdims=True)
    return scores - np.where(is_equal[:, np.newaxis], means - means[is_equal].mean(), 0), is_equal


def wilcoxon(differences: np.ndarray) -> np.ndarray:
    """Two-sided p of each row by the normal distribution, with a variance corrected for ties."""
    # ties share the mean of their ranks, and zeros, which have the lowest, have none
    ranks = scipy.stats.rankdata(np.abs(differences), axis=1) - (differences == 0).sum(axis=1, keepdims=True)
    signed = np.sign(differences) * ranks
    spread = np.sqrt((signed**2).sum(axis=1))
    return 2 * scipy.special.ndtr(-np.abs(signed.sum(axis=1)) / np.where(spread > 0, spread, 1))


class Trials:
    """One condition: scores with equal means, and what its trials have in common."""

    def __init__(self, scores: np.ndarray, is_equal: np.ndarray, rng: np.random.Generator) -> None:
        self.scores, self.rng, (self.m, self.n) = scores, rng, scores.shape
        self.first, self.second = np.triu_indices(self.m, 1)
        self.is_null = is_equal[self.first] & is_equal[self.second]
        self.df = (self.m - 1) * (self.n - 1)
        tail = lambda q: studentized_range_sf(np.array([q]), self.m, self.df)[0] - ALPHA  # noqa: E731
        self.critical_q = scipy.optimize.brentq(tail, 0.1, 100)
        # each topic permuted many times, of which the trials draw: faster than to permute their topics
        shape = (N_RESAMPLES, self.n, self.m)
        self.permuted = rng.permuted(np.broadcast_to(scores.T.astype(np.float32), shape), axis=2)

    def differs(self, trial: int) -> dict[str, np.ndarray]:
        """Draw topics, and return by each method which pairs differ significantly."""
        m, n, rng = self.m, self.n, self.rng
        drawn = rng.integers(0, n, n)
        x = self.scores[:, drawn]
        means = x.mean(axis=1)
        centred = x - means[:, np.newaxis]
        covariance = centred @ centred.T / (n - 1)
        variance = np.diag(covariance)
        difference = np.round(means[self.first] - means[self.second], 12)
        of_pair = variance[self.first] + variance[self.second] - 2 * covariance[self.first, self.second]
        error = np.sqrt(np.where(of_pair > 1e-12, of_pair, 0) / n)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(difference == 0, 0, np.abs(difference) / error)
        p = 2 * scipy.special.stdtr(n - 1, -t)
        size = np.abs(difference)
        found = {"none": p <= ALPHA, "bonferroni": p * len(p) <= ALPHA, "holm": holm(p) <= ALPHA}
        if trial % 5 == 0:  # it takes longest
            found["holm wilcoxon"] = holm(wilcoxon((x[self.first] - x[self.second]).round(12))) <= ALPHA
        found["bh"] = scipy.stats.false_discovery_control(p) <= ALPHA
        place = int(np.ceil(round((1 - ALPHA) * (N_RESAMPLES + 1), 9))) - 1
        totals = np.zeros((N_RESAMPLES, m), dtype=np.float32)
        for topic in drawn:
            totals += self.permuted[rng.integers(0, N_RESAMPLES, N_RESAMPLES), topic]
        found["tukey"] = size > np.sort(np.ptp(totals, axis=1))[place] / n
        residuals = centred - centred.mean(axis=0)
        found["hsd"] = size > self.critical_q * np.sqrt((residuals**2).sum() / self.df / n)
        times = rng.multinomial(n, np.full(n, 1 / n), N_RESAMPLES).astype(float)
        ranges = np.ptp(times @ centred.T, axis=1) / n * np.sqrt(n / (n - 1))
        found["range"] = size > np.sort(ranges)[place]
        return found

    def table(self, n_trials: int) -> dict[str, tuple[float, float]]:
        """Return the rate of errors, and the share of true pairs found, by method."""
        errors, shares = {name: [] for name in METHODS}, {name: [] for name in METHODS}
        for trial in range(n_trials):
            for name, differs in self.differs(trial).items():
                wrong = differs[self.is_null].sum()
                errors[name].append(wrong / max(1, differs.sum()) if name == "bh" else wrong > 0)
                shares[name].append(differs[~self.is_null].mean() if not self.is_null.all() else np.nan)
        return {name: (float(np.mean(errors[name])), float(np.mean(shares[name]))) for name in METHODS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", default=COLLECTIONS)
    parser.add_argument("--trials", type=int, default=1000)
    args = parser.parse_args()
    results: dict[str, list[dict[str, tuple[float, float]]]] = {name: [] for name in args.collections}
    for name in args.collections:
        of_all = collection_scores(name)
        for (k, measure), copies, equal in product(enumerate(MEASURES), ("with", "without"), EQUAL):
            scores = of_all[:, :, k] if copies == "with" else without_near_copies(of_all[:, :, k])
            made = Trials(*with_equal_means(scores, equal), np.random.default_rng(0)).table(args.trials)
            results[name].append(made)
            cells = [f"{method} {error:.3f} {found:.3f}" for method, (error, found) in made.items()]
            print("\t".join([name, measure, copies, equal, f"{len(scores)} runs", *cells]), flush=True)
    print("\t".join([f"{args.trials} trials", *args.collections, "found"]))
    for method in METHODS:
        found = np.nanmean([made[method][1] for of_one in results.values() for made in of_one])
        greatest = [max(made[method][0] for made in of_one) for of_one in results.values()]
        print("\t".join([method, *(f"{number:.3f}" for number in (*greatest, found))]))


if __name__ == "__main__":
    main()
