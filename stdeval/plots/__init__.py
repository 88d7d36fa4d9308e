"""Figures of scores, of standardization and of meta-evaluation, each a function that returns a matplotlib Figure.

The functions draw the tables and columns they are given. They read nothing and show nothing, and only `save_figure`
writes. matplotlib is imported when a figure is drawn.

Figures of experiments take rows. These are a data frame, as `pandas.read_csv` makes it from the CSV of
`stdeval meta`, or a dict of columns. The example of `reliability` makes them from a result of `stdeval.meta`.
"""

from stdeval.plots.forest_figures import forest
from stdeval.plots.mean_figures import means
from stdeval.plots.meta_figures import depth, drmse, power, references
from stdeval.plots.pair_figures import compare, topic_scatter
from stdeval.plots.planning_figures import plan, reliability
from stdeval.plots.scatter_figures import scatter
from stdeval.plots.scheme_figures import mapping, topics
from stdeval.plots.score_figures import heatmap, scores
from stdeval.plots.style import save_figure
from stdeval.plots.trial_figures import aggregates, split, tau
from stdeval.plots.weight_figures import weights

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
