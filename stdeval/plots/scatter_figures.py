"""Figures of systems by two measures at a time: Webber 2010, Figure 2.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.measures.facts import is_better_higher
from stdeval.plots.layout import balanced_columns, fill_height, new_figure, panel_axes
from stdeval.plots.lines import in_lines
from stdeval.plots.number_texts import with_minus
from stdeval.plots.score_panels import score_label, with_direction
from stdeval.plots.style import BETTER, NEUTRAL, Size, sheet, styled
from stdeval.plots.tidy_rows import COEFFICIENTS
from stdeval.stats.correlation import tau_b
from stdeval.table import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def scatter(
    means: Floats,
    measures: Sequence[str],
    *,
    scheme: str = "raw",
    ranked: Bools | None = None,
    topics: str = "",
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw the means of systems by every two measures, a point per system: Webber 2010, Figure 2.

    Parameters
    ----------
    means : ndarray, shape (n_measures, n_systems)
        The mean of each system by each measure, rounded so that arithmetic noise splits no tie; NaN is missing.
    measures : sequence of str
        The names of the measures, such as ``"deep:ndcg"`` and ``"shallow:ndcg"``, at least two.
    scheme : {"raw", "z", "n", "u", "e", "m"}
        The scheme of the scores, in either case of letters; for the unit in the labels only.
    ranked : ndarray of bool, shape (n_systems,), optional
        The systems whose means can be compared; the others are gray, and not part of tau.
    topics : str
        The topics of their means, such as ``"58 of 225 topics"``; for the labels only.
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Returns
    -------
    Figure
        A panel for every two measures, with Kendall's tau_b of the two rankings above it. If lower is better
        by a measure, the lowest mean ranks first, and the label of the axis says so.

    Raises
    ------
    InputError
        If there are fewer than two measures or ranked systems, or not a row of means for each measure.

    Examples
    --------
    >>> axes = scatter(np.array([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]]), ["deep:map", "shallow:map"]).axes[0]
    >>> axes.get_title(loc="left").split()[-1], axes.get_lines()[0].get_ydata().tolist()
    ('0.333', [0.1, 0.3, 0.2])
    """
    if means.ndim != 2:
        raise InputError(f"means of shape {means.shape}, expected (n_measures, n_systems)")
    if len(measures) < 2 or len(means) != len(measures):
        found = f"means by {counted(len(means), 'measure')}, {len(measures)} named"
        raise InputError(f"{found}: expected the same two or more")
    comparable = np.ones(means.shape[1], dtype=bool) if ranked is None else ranked
    if np.count_nonzero(comparable) < 2:
        raise InputError(f"{counted(int(comparable.sum()), 'system')} to compare, expected at least two")
    pairs = list(combinations(range(len(measures)), 2))
    if all(np.isnan(means[i] + means[j]).all() for i, j in pairs):
        raise InputError("no system with means by two of the measures, expected two or more to draw")
    where = sheet(size)
    wide = balanced_columns(where, len(pairs), 28)
    rows = ceil(len(pairs) / wide)
    figure = new_figure(where, rows * (0.75 * where.width / wide + 3 * where.line), title)
    dot = float(np.clip(20 * where.font / len(comparable), 0.25 * where.font, 0.45 * where.font))
    for axes, (i, j) in zip(panel_axes(figure, len(pairs), wide), pairs, strict=True):
        for part, color in ((comparable, BETTER), (~comparable, NEUTRAL)):
            if part.any():
                axes.plot(means[i, part], means[j, part], "o", color=color, markersize=dot, fillstyle="none")
        axes.locator_params(nbins=3 if wide > 1 else 5)
        opposite = is_better_higher(measures[i]) != is_better_higher(measures[j])
        tau = tau_b(means[i, comparable], means[j, comparable])
        told = "undefined" if np.isnan(tau) else with_minus(f"{-tau if opposite else tau:.3f}")
        axes.set_title(f"{COEFFICIENTS['tau_b']} {told}")
        n_gray = int(np.count_nonzero(~np.isnan(means[i] + means[j]) & ~comparable))
        gray = f"\ngray: {n_gray} incomplete" if n_gray else ""
        over = f"\n{in_lines(topics, where.fits(1.6 * wide))}" if topics else ""
        # a blank after the prefix lets a long label break there
        x, y = (_axis_label(measures[k], scheme).replace(":", ": ") for k in (i, j))
        axes.set_xlabel(in_lines(x, where.fits(1.6 * wide)).replace(": ", ":") + over + gray)
        axes.set_ylabel(fill_height(figure, where, y, rows).replace(": ", ":"))
    return figure


def _axis_label(measure: str, scheme: str) -> str:
    return with_direction(f"mean {score_label(measure, scheme)}", measure)
