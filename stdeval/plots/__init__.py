"""Figures of scores, of standardization and of meta-evaluation, each a function that returns a matplotlib Figure.

The functions draw the tables and columns they are given. They read nothing and show nothing, and only `save_figure`
writes. matplotlib is imported when a figure is drawn. They raise InputError for what cannot be drawn: arrays of
other shapes, tables of other systems or topics, unknown choices, no finite number, or a size that is too small.

Figures of experiments take rows. These are a data frame, as `pandas.read_csv` makes it from the CSV of
`stdeval meta`, or a dict of columns. The example of `reliability` makes them from a result of `stdeval.meta`.
"""

from stdeval.plots.experiments import (
    aggregates,
    depth,
    drmse,
    plan,
    power,
    references,
    reliability,
    split,
    tau,
    weights,
)
from stdeval.plots.schemes import mapping, topics
from stdeval.plots.score_figures import heatmap, scatter, scores
from stdeval.plots.style import save_figure
from stdeval.plots.systems import compare, forest, means, topic_scatter

__all__ = [
    "aggregates",
    "compare",
    "depth",
    "drmse",
    "forest",
    "heatmap",
    "mapping",
    "means",
    "plan",
    "power",
    "references",
    "reliability",
    "save_figure",
    "scatter",
    "scores",
    "split",
    "tau",
    "topic_scatter",
    "topics",
    "weights",
]
