"""Processor time of the within- and between-collection experiments, beside a plain scipy loop on the same machine.

    OPENBLAS_NUM_THREADS=1 python tests/benchmark/meta.py ../shared/data/urbano2019/robust2004_ap.csv

The scores are a matrix with a row per topic and a column per system. The loop runs one trial of one
scheme and is extrapolated; the experiments run all trials of five schemes (raw, N, U, Z, E).
"""

from __future__ import annotations

import os
import resource
import sys
import time
from itertools import combinations, product

import numpy as np
import scipy.stats

from stdeval.meta.topic_sets import between, within
from stdeval.standardization.schemes import apply_scheme
from stdeval.stats.aggregates import moments

N_TRIALS = 10_000


def one_sided_tau_ap(x, y):
    shares = []
    for i in range(len(x)):
        above = [j for j in range(len(x)) if x[j] > x[i]]
        if above:
            shares.append(sum(y[j] > y[i] for j in above) / len(above))
    return 2 * np.mean(shares) - 1


def loop_correlations(x, y):
    scipy.stats.kendalltau(x, y)
    scipy.stats.pearsonr(x, y)
    return (one_sided_tau_ap(x, y) + one_sided_tau_ap(y, x)) / 2


def loop_within(raw, rng):
    scores = raw[:, rng.permutation(raw.shape[1])[:50]]
    loop_correlations(scores.mean(axis=1), scores.mean(axis=1))
    return [scipy.stats.ttest_rel(a, b).pvalue for a, b in combinations(scores, 2)]


def loop_between(raw, rng):
    order, size = rng.permutation(raw.shape[1]), min(50, raw.shape[1] // 2)
    first, second = raw[:, order[:size]], raw[:, order[size : 2 * size]]
    loop_correlations(first.mean(axis=1), second.mean(axis=1))
    return [scipy.stats.ttest_ind(a, b, equal_var=False).pvalue for a, b in product(first, second)]


def seconds(function):
    """Processor time, which other work on the machine disturbs least."""
    start = time.process_time()
    function()
    return time.process_time() - start


def main(path):
    raw = np.loadtxt(path, delimiter=",", skiprows=1).T
    mean, sd, _ = moments(raw)
    tables = np.stack([raw, *(apply_scheme(letter, raw, mean, sd, raw) for letter in "NUZE")])
    print(f"{raw.shape[0]} systems, {raw.shape[1]} topics, {len(tables)} schemes, {N_TRIALS} trials", end="; ")
    print(f"OPENBLAS_NUM_THREADS={os.environ.get('OPENBLAS_NUM_THREADS', 'not set')}")
    experiments = (
        ("within", lambda: within(raw, tables, n_trials=N_TRIALS, rng=np.random.default_rng(1)), loop_within),
        ("between", lambda: between(tables, n_trials=N_TRIALS, rng=np.random.default_rng(1)), loop_between),
    )
    for name, experiment, loop in experiments:
        ours = seconds(experiment)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        theirs = seconds(lambda loop=loop: loop(raw, np.random.default_rng(1))) * N_TRIALS * len(tables)
        print(f"{name}: {ours:.1f} s, {memory:.0f} MB; scipy loop {theirs / 3600:.1f} h; ratio {theirs / ours:.0f}")


if __name__ == "__main__":
    main(sys.argv[1])
