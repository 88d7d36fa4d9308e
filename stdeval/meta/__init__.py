"""The papers' experiments as functions of arrays of scores; `stdeval meta` runs them on files.

Scores have the shape (n_systems, n_topics) and no gaps: ``table.complete().measure("map")``. Higher scores are
better: negate the scores of measures where lower is better. Functions raise `InputError` if there are fewer than 3
systems or 4 topics, if a score is missing, or if another argument is out of range.

Correlations are ``tau`` (Kendall's tau_b), ``tau_ap`` (the symmetric tau_ap,b) and ``r`` (Pearson's); they are NaN
where all systems have the same score. The ``n_trials`` are drawn from ``rng``, a seed such as 1 or a generator such
as ``numpy.random.default_rng(1)``. ``mapper`` is a function like the builtin map, which is given a function and
blocks of trials: the ``map`` of a `concurrent.futures.ProcessPoolExecutor` uses all cores, with the same results.
"""

from stdeval.meta.collections import compare_collections, repartition
from stdeval.meta.depth import depth_measure, pooled_scores
from stdeval.meta.planning import (
    Estimate,
    PlannedTest,
    absolute_signal,
    coefficient,
    plan_for_difference,
    plan_for_topics,
    plan_for_width,
    relative_signal,
    topics_needed,
    variance_components,
)
from stdeval.meta.references import compare_references, reference_sizes
from stdeval.meta.topic_sets import between, difficulty_split, random_splits, split_correlations, within
from stdeval.meta.ttests import discriminative_power, pvalue_correlations
from stdeval.stats.correlation import rank_correlations

__all__ = ["Estimate", "PlannedTest", "absolute_signal", "between", "coefficient", "compare_collections"]
__all__ += ["compare_references", "depth_measure", "difficulty_split", "discriminative_power"]
__all__ += ["plan_for_difference", "plan_for_topics", "plan_for_width", "pooled_scores", "pvalue_correlations"]
__all__ += ["random_splits", "rank_correlations", "reference_sizes", "relative_signal", "repartition"]
__all__ += ["split_correlations", "topics_needed", "variance_components", "within"]
