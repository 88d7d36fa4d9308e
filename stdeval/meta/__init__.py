"""The papers' experiments as functions of arrays of scores; `stdeval meta` runs them on files.

Scores have the shape (n_systems, n_topics) and no gaps: ``table.complete().measure("map")``. Trials are drawn from
``rng``, such as ``numpy.random.default_rng(0)``, and computed in this process.
"""

from stdeval.meta.between import between
from stdeval.meta.collections import compare_collections, repartition
from stdeval.meta.depth import depth_measure, pooled_scores
from stdeval.meta.plan import PlannedTest, plan_for_difference, plan_for_topics, plan_for_width
from stdeval.meta.power import discriminative_power
from stdeval.meta.rank import pvalue_correlations, rank_correlations
from stdeval.meta.references import compare_references, reference_sizes
from stdeval.meta.reliability import (
    Estimate,
    absolute_signal,
    coefficient,
    relative_signal,
    topics_needed,
    variance_components,
)
from stdeval.meta.split import difficulty_split, random_splits, split_correlations
from stdeval.meta.within import within

__all__ = [
    "Estimate",
    "PlannedTest",
    "absolute_signal",
    "between",
    "coefficient",
    "compare_collections",
    "compare_references",
    "depth_measure",
    "difficulty_split",
    "discriminative_power",
    "plan_for_difference",
    "plan_for_topics",
    "plan_for_width",
    "pooled_scores",
    "pvalue_correlations",
    "random_splits",
    "rank_correlations",
    "reference_sizes",
    "relative_signal",
    "repartition",
    "split_correlations",
    "topics_needed",
    "variance_components",
    "within",
]
