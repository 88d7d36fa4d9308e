"""Figures of scores, of standardization and of meta-evaluation, each a function that returns a matplotlib Figure.

Nothing is read, shown or written but by `save_figure`; matplotlib is imported when a figure is drawn.
"""

from stdeval.plots.curves import depth, drmse, power, references, split, tau, weights
from stdeval.plots.schemes import mapping, topics
from stdeval.plots.style import save_figure
from stdeval.plots.tables import compare, heatmap, means, scores

__all__ = [
    "compare",
    "depth",
    "drmse",
    "heatmap",
    "mapping",
    "means",
    "power",
    "references",
    "save_figure",
    "scores",
    "split",
    "tau",
    "topics",
    "weights",
]
