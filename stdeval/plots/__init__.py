"""Figures of scores, of standardization and of meta-evaluation, each a function that returns a matplotlib Figure.

The functions draw what they are given and show nothing; only `save_figure` writes. matplotlib is imported when a
figure is drawn. What cannot be drawn raises InputError. They share these parameters:

- size: ``"column"`` (85 mm wide), ``"page"`` (175 mm wide), ``"slide"`` (254 mm x 142.875 mm), a width in mm, or
  width and height in mm. A height that is not given fits the content.
- title: stands above the figure.
- rows: a data frame, as `pandas.read_csv` makes it from the CSV of `stdeval meta`, or a dict of columns;
  ``collection``, ``measure`` and ``scheme`` are optional in all figures of experiments.
- tables: the panels, scores of the same systems and topics by one measure, under ``"raw"`` or the letter of their
  scheme.
- marked: the systems that have a colour of their own.
- ranked: True for systems that can be compared; the others are gray, and stand below them.
- measure, scheme, confidence, topics: for labels only; ``topics`` says in words which topics the means are over.
"""

from stdeval.plots.experiments import aggregates, depth, drmse, plan, power, references, reliability, split, tau
from stdeval.plots.layout import save_figure
from stdeval.plots.score_figures import heatmap, mapping, scatter, scores, topics, weights
from stdeval.plots.systems import compare, forest, means, topic_scatter

__all__ = ["aggregates", "compare", "depth", "drmse", "forest", "heatmap", "mapping", "means", "plan", "power"]
__all__ += ["references", "reliability", "save_figure", "scatter", "scores", "split", "tau", "topic_scatter"]
__all__ += ["topics", "weights"]
