"""Figure of the weights that measures give to ranks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.publication import publication_name
from stdeval.plots.layout import new_figure, panel_axes, shown
from stdeval.plots.legends import legend_below
from stdeval.plots.series_panels import add_line, plain_log
from stdeval.plots.style import Size, look, sheet, styled
from stdeval.table import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LINEAR = 100
"""Beyond this number of ranks, the axis of ranks is logarithmic."""


@styled
def weights(
    names: Sequence[str],
    rank_weights: Floats,
    right: Collection[str] = (),
    *,
    size: Size = "column",
    title: str | None = None,
) -> Figure:
    """Draw the rank weights of measures: Webber 2010, Figure 1.

    Parameters
    ----------
    names : sequence of str
        The measures.
    rank_weights : ndarray, shape (n_measures, depth)
        The weights of ranks 1, 2, ...
    right : collection of str
        The measures drawn on a second axis, at the right: DCG in the paper, which has RBP at the left.
    size, title
        The size, which is column, page, slide or in mm, and the title: as in `stdeval.plots.heatmap`.

    Raises
    ------
    InputError
        If there is not one row of weights per measure.

    Examples
    --------
    >>> figure = weights(["rbp_p=0.8"], np.array([[0.2, 0.16, 0.128]]))
    >>> figure.axes[0].get_lines()[0].get_xydata()
    array([[1.   , 0.2  ],
           [2.   , 0.16 ],
           [3.   , 0.128]])
    """
    if rank_weights.ndim != 2 or len(rank_weights) != len(names) or not rank_weights.size:
        raise InputError(f"weights of shape {rank_weights.shape}, expected a row for each of {len(names)} measures")
    where = sheet(size)
    printed = [shown(publication_name(name)) for name in names]
    labels = [f"{label} (right)" if name in right else label for name, label in zip(names, printed, strict=True)]
    figure = new_figure(where, 0.65 * where.width, title, labels)
    (left,) = panel_axes(figure, 1, 1)
    axes = [left.twinx() if set(right) & set(names) else left, left]
    ranks = np.arange(1, rank_weights.shape[1] + 1)
    # marks at even distances of the axis
    is_long = len(ranks) > MOST_LINEAR
    marked = (
        np.unique(np.geomspace(1, len(ranks), 8).astype(int) - 1).tolist() if is_long else max(1, len(ranks) // 8)
    )
    handles = []
    for i, (name, label) in enumerate(zip(names, labels, strict=True)):
        kind = {**look(i), "markevery": marked}
        handles.append(add_line(axes[name not in right], ranks, rank_weights[i], label, kind))
    if is_long:
        plain_log(left, ranks.astype(float))
    else:
        left.set_xticks(_rank_ticks(len(ranks)))
    for side in axes:
        side.set_ylim(bottom=0)
        side.locator_params(axis="y", nbins=5)
    left.set(xlabel="rank", ylabel="weight of the rank")
    if axes[0] is not left:
        axes[0].spines["right"].set_visible(True)
        on_the_right = ", ".join(label for name, label in zip(names, printed, strict=True) if name in right)
        axes[0].set_ylabel(f"weight of the rank, {shown(on_the_right)}")
    legend_below(figure, where, handles)
    return figure


def _rank_ticks(n: int) -> list[int]:
    """Return a few whole ranks from 1 to n, at even distances but for the first."""
    from matplotlib.ticker import MaxNLocator

    even = MaxNLocator(nbins=7, integer=True, min_n_ticks=1).tick_values(1, n)
    return [1, *(int(tick) for tick in even if 1 < tick <= n)]
