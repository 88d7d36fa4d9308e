"""The labels of places on an axis, such as those of systems: as many as fit, and always those of marked places.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stdeval.plots.text_sizes import pixels, setting, text_width
from stdeval.short_names import short_names

if TYPE_CHECKING:
    from matplotlib.axis import Axis, Tick
    from matplotlib.figure import Figure

LINE_DISTANCE = 1.17
"""Distance at which lines of text do not touch, as a multiple of their font size."""

SMALLEST = 0.8
"""Labels of places may be smaller than those of other ticks, down to this share, if that makes room for all."""

LABEL_SHARE = 0.3
"""The share of the figure's width or height that the labels of places may take."""

BOLD = 1.15
"""The width of a bold text, at most, as a multiple of its usual width."""


class Places(NamedTuple):
    """An axis with labels at 0, 1, ...; those with colours are bold, and never left out.

    Parameters
    ----------
    axis : Axis
    labels : sequence of str
    colours : mapping of int to str
        The colours of marked places.
    """

    axis: Axis
    labels: Sequence[str]
    colours: Mapping[int, str] = MappingProxyType({})


def label_axis(place: Places) -> None:
    """Label places: level if all labels fit, else upright and, if need be, only some of them."""
    axis = place.axis
    figure: Any = axis.get_figure()
    box = axis.axes.get_window_extent()
    flat = axis is axis.axes.xaxis
    n = len(place.labels)
    low, high = sorted(axis.get_view_interval())
    distance = (box.width if flat else box.height) / max(high - low, 1e-9)
    size = setting("xtick.labelsize")
    texts = _short_enough(figure, place.labels, LABEL_SHARE * figure.bbox.width, size)
    widest = (BOLD if place.colours else 1) * max(_widths(figure, texts, size), default=0)
    level = flat and widest + pixels(figure, 0.5 * size) <= distance
    if not level:
        if flat:
            texts = _short_enough(figure, place.labels, LABEL_SHARE * figure.bbox.height, size)
        fitting = distance / pixels(figure, LINE_DISTANCE)
        size = fitting if SMALLEST * size <= fitting < size else size
    step = 1 if level else max(1, ceil(pixels(figure, LINE_DISTANCE * size) / distance - 1e-6))
    chosen = spread(n, step, place.colours)
    rotation = 90 if flat and not level else 0
    axis.reset_ticks()  # those of an earlier pass were at other places
    axis.set_ticks(list(chosen), [texts[i] for i in chosen], rotation=rotation, fontsize=size)
    for (i, at), tick in zip(chosen.items(), axis.get_major_ticks(), strict=True):
        colour = place.colours.get(i, "black")
        for label in (tick.label1, tick.label2):
            label.set(color=colour, fontweight="bold" if i in place.colours else "normal")
        if at != i:
            _move(tick, (at - i) * distance, flat, colour)


def _move(tick: Tick, distance: float, flat: bool, colour: str) -> None:
    """Move the label of a tick along its axis by a number of pixels, and bend the mark of the tick towards it."""
    from matplotlib.path import Path
    from matplotlib.transforms import ScaledTranslation

    # in inches: files have another resolution than the layout
    figure: Any = tick.get_figure()
    inches = distance / figure.dpi
    moved = ScaledTranslation(inches if flat else 0, 0 if flat else -inches, figure.dpi_scale_trans)
    parts: Any = tick
    for label, usual in ((tick.label1, parts._get_text1_transform()), (tick.label2, parts._get_text2_transform())):
        label.set_transform(usual[0] + moved)
    # in points: straight away from the axes, then aslant to the label
    out = -parts._size - 0.7 * parts.get_pad()
    bent = np.array([(0, 0), (-parts._size, 0), (out, -72 * inches)])
    mark = Path(bent[:, ::-1] * (-1, 1) if flat else bent)
    tick.tick1line.set(marker=mark, markersize=2 * abs(bent).max(), fillstyle="none", markeredgecolor=colour)


def spread(n: int, step: int, always: Collection[int] = ()) -> dict[int, float]:
    """Choose every `step`-th of n places, the ends and some others, and return the position of each one's label.

    If labels of the ends and of `always` would touch, those of `always` are moved until they are `step` apart.
    Other places that are closer than `step` to them are left out. If there is no room for all of them, an end that
    is not one of `always` is left out.

    Examples
    --------
    >>> list(spread(10, 3)), list(spread(11, 3)), list(spread(11, 3, always=[4]))
    ([0, 3, 6, 9], [0, 3, 6, 10], [0, 4, 10])
    >>> spread(11, 3, always=[4, 5]), spread(11, 3, always=[1])
    ({0: 0.0, 4: 3.0, 5: 6.0, 10: 10.0}, {0: 0.0, 1: 3.0, 6: 6, 10: 10.0})
    """
    named = {*always} & {*range(n)}
    for end in (0, n - 1):
        if step * len(named - {end}) < n:
            named.add(end)
    places = sorted(named)
    kept = dict(zip(places, _apart(places, step, n - 1), strict=True))
    for i in range(0, n, step):
        if i not in kept and all(abs(i - at) >= step for at in kept.values()):
            kept[i] = i
    return dict(sorted(kept.items()))


def _apart(places: Sequence[int], step: int, last: int) -> list[float]:
    """Return the positions nearest to places that are `step` apart and lie in 0 to `last`; both ascend."""
    # Positions less their steps must not descend. The numbers nearest to places less their steps, by the sum of
    # squares, are the means of blocks that would descend otherwise: isotonic regression.
    blocks: list[list[int]] = []
    for i, place in enumerate(places):
        blocks.append([place - i * step])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    starts = [np.mean(block) for block in blocks for _ in block]
    inside = np.clip(starts, 0, last - step * (len(places) - 1))
    positions: list[float] = (inside + step * np.arange(len(places))).tolist()
    return positions


def _short_enough(figure: Figure, labels: Sequence[str], room: float, size: float) -> list[str]:
    """Shorten labels until the widest of them fits."""
    limit = max(8, *map(len, labels)) if labels else 8
    while True:
        texts = short_names(labels, limit)
        widest = max(_widths(figure, texts, size), default=0)
        if widest <= room or limit <= 8:
            return texts
        longest = max(map(len, texts))
        limit = max(8, min(limit - 1, longest - 1, int(longest * room / widest)))


def _widths(figure: Figure, texts: Sequence[str], size: float) -> list[float]:
    """Return the widths of texts in pixels."""
    return [text_width(text, size, figure.dpi) for text in texts]
