"""Make the texts of a drawn figure fit: as many ticks and labels as there is room for, and no more.

Everything is measured by the renderer after a layout, because the labels of one axis take room from the others.
matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from stdeval.plots.lines import in_lines, width
from stdeval.plots.number_texts import exponential
from stdeval.plots.place_labels import Places, label_axis
from stdeval.plots.point_labels import place_point_labels
from stdeval.plots.text_sizes import pixels, setting
from stdeval.table import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text

LEAST_SIDE = 3.1
"""The least width and height of axes, as a multiple of the font size: two ticks with their labels."""

TOLERANCE = 0.5
"""Pixels by which texts may overlap."""

LOG_TICKS = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))
"""Multiples of powers of ten at the ticks of a logarithmic axis: the first for which there is room."""

_PLACES = "_stdeval_places"


def label_places(figure: Figure, *places: Places) -> None:
    """Remember the labels of places, which `fit` will draw."""
    vars(figure).setdefault(_PLACES, []).extend(places)


def lay_out(figure: Figure) -> None:
    """Move axes and labels to where they will be drawn."""
    engine = figure.get_layout_engine()
    if engine is not None:
        with warnings.catch_warnings():
            # `crowded` finds axes that collapse
            warnings.filterwarnings("ignore", "constrained_layout not applied|Glyph .* missing|.*collapsed to zero")
            engine.execute(figure)
            # colour bars move only when they are drawn, or here; measuring all texts for that takes much longer
            for axes in figure.axes:
                locator: Any = axes.get_axes_locator()
                axes.apply_aspect(locator(axes, None) if locator else None)


def fit(figure: Figure) -> None:
    """Give a figure its final layout, in which its texts fit if that is possible."""
    places: list[Places] = vars(figure).pop(_PLACES, [])
    for _ in range(2):
        lay_out(figure)
        _write_numbers_in_full(figure)
        _wrap(figure)
        for axis in _axes_of_numbers(figure, places):
            _thin_ticks(axis)
        for place in places:
            label_axis(place)
    lay_out(figure)
    for axis in _axes_of_numbers(figure, places):
        _thin_ticks(axis)
    _centre_vertical_label(figure)
    place_point_labels(figure)


def crowded(figure: Figure) -> str:
    """Name the part of a figure that does not fit after `fit`; empty if everything fits."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        figure.draw_without_rendering()  # legends move to their places
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    font = pixels(figure, setting("font.size"))
    panels = [axes.get_window_extent() for axes in _panels(figure)]
    if any(min(box.width, box.height) < LEAST_SIDE * font for box in panels):
        return "the axes"
    boxes = [text.get_window_extent(renderer) for text in _texts(figure)]
    corners = np.array([(box.x0, box.y0, box.x1, box.y1) for box in boxes]).reshape(-1, 4)
    page = figure.bbox
    if (corners[:, :2] < -1).any() or (corners[:, 2:] > (page.x1 + 1, page.y1 + 1)).any():
        return "a label"
    if _any_overlap(corners):
        return "the labels"
    titles = [title.get_window_extent() for title in map(_title, figure.axes) if title.get_text().strip()]
    if any(_overlap(title, panel) for title in titles for panel in panels):
        return "the titles of panels"
    legends = [legend.get_window_extent(renderer) for legend in figure.legends]
    covered = any(_overlap(legend, panel) for legend in legends for panel in panels)
    outside = any(box.x0 < -1 or box.y0 < -1 or box.x1 > page.x1 + 1 for box in legends)
    return "the legend" if covered or outside else ""


def _panels(figure: Figure) -> list[Axes]:
    """Return the axes of data, without colour bars."""
    return [axes for axes in figure.axes if not str(axes.get_label()).startswith("<colorbar")]


def _title(axes: Axes) -> Text:
    """Return the title of a panel, which is empty if it has none."""
    return cast("Text", axes._left_title)  # type: ignore[attr-defined]


def _overlap(a: Any, b: Any) -> bool:
    """Return True if two boxes overlap."""
    over = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
    return bool(min(over) > TOLERANCE)


def _any_overlap(corners: Floats) -> bool:
    """Return True if any two boxes overlap, given as rows of x0, y0, x1, y1."""
    wide = np.minimum.outer(corners[:, 2], corners[:, 2]) - np.maximum.outer(corners[:, 0], corners[:, 0])
    high = np.minimum.outer(corners[:, 3], corners[:, 3]) - np.maximum.outer(corners[:, 1], corners[:, 1])
    return bool(np.triu(np.minimum(wide, high) > TOLERANCE, 1).any())


def _texts(figure: Figure) -> Iterator[Text]:
    """Yield the texts around the axes: titles, labels of axes and ticks, and the legends."""
    around = [figure._suptitle, figure._supxlabel, figure._supylabel]  # type: ignore[attr-defined]
    for legend in figure.legends:
        around += legend.get_texts()
    for axes in figure.axes:
        around += [axes.title, axes._left_title, axes._right_title]  # type: ignore[attr-defined]
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_visible():
                around += [axis.label, axis.get_offset_text(), *_tick_labels(axis)]
    for text in around:
        if text is not None and text.get_visible() and text.get_text().strip():
            yield text


def _tick_labels(axis: Axis) -> list[Text]:
    """Return the labels of the ticks that are drawn: those between the limits of the axis."""
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    axis.get_majorticklabels()  # updates the ticks
    ticks = [tick for tick in axis.get_major_ticks() if low - slack <= tick.get_loc() <= high + slack]
    labels = [label for tick in ticks for label in (tick.label1, tick.label2)]
    return [label for label in labels if label.get_visible() and label.get_text().strip()]


def _axes_of_numbers(figure: Figure, places: Sequence[Places]) -> list[Axis]:
    """Return the axes whose ticks matplotlib has chosen."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    named = {id(place.axis) for place in places}
    both = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) if axis.get_visible()]
    chosen = (LogLocator, MaxNLocator)
    return [axis for axis in both if id(axis) not in named and isinstance(axis.get_major_locator(), chosen)]


def _write_numbers_in_full(figure: Figure) -> None:
    """Write 2e6 at each tick rather than 2 at the tick and 1e6 in a corner, where it meets other texts."""
    from matplotlib.ticker import FuncFormatter

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_visible() and _offset(axis):
                axis.set_major_formatter(FuncFormatter(exponential))


def _offset(axis: Axis) -> str:
    """Return the factor or offset, such as 1e6, that matplotlib would write in a corner; empty if there is none."""
    axis.get_majorticklabels()  # updates the formatter
    return str(axis.get_major_formatter().get_offset())


def _thin_ticks(axis: Axis) -> None:
    """Reduce the number of ticks until their labels do not touch."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    locator: Any = axis.get_major_locator()
    if isinstance(axis.get_major_locator(), LogLocator):
        for fewer in LOG_TICKS:
            if len(fewer) < len(locator._subs) and _touching(axis):
                locator.set_params(subs=fewer)
    name = "nbins" if isinstance(locator, MaxNLocator) else "numticks"
    for n in range(max(2, len(_tick_labels(axis))) - 1, 0, -1):
        if not _touching(axis):
            return
        locator.set_params(**{name: n})


def _touching(axis: Axis) -> bool:
    """Return True if the labels of two neighbouring ticks touch, or those beside each other nearly do."""
    figure: Any = axis.get_figure()
    flat = axis is axis.axes.xaxis
    gap = pixels(figure, 0.5 * setting("xtick.labelsize")) if flat else -TOLERANCE
    boxes = [label.get_window_extent() for label in _tick_labels(axis)]
    ends = sorted((box.x0, box.x1) if flat else (box.y0, box.y1) for box in boxes)
    return any(low - high < gap for (_, high), (low, _) in pairwise(ends))


def _wrap(figure: Figure) -> None:
    """Break titles of panels and labels of axes that are longer than their axes into lines."""
    boxes = [axes.get_window_extent() for axes in _panels(figure)]
    page = figure.bbox
    middles = sorted({round((b.x0 + b.x1) / 2) for b in boxes})
    apart = min((right - left for left, right in pairwise(middles)), default=0)
    for axes in figure.axes:
        box = axes.get_window_extent()
        beside = len({round(b.x0) for b in boxes})
        middle = (box.x0 + box.x1) / 2
        room = 2 * min(middle, page.x1 - middle) if beside <= 1 else apart - pixels(figure, setting("font.size"))
        if axes.xaxis.get_label_position() == "top":
            # the second line of a label would stand on the ticks of a colour bar
            axes.xaxis.label.set_verticalalignment("bottom")
        _narrow(axes.xaxis.label, max(room, box.width))
        _narrow(axes.yaxis.label, 1.05 * box.height)
        title = _title(axes)
        wide = page.x1 if beside <= 1 else max(box.width, 0.8 * page.x1 / beside)
        _narrow(title, min(wide, page.x1 - box.x0))
    upright: Any = figure._supylabel  # type: ignore[attr-defined]
    if upright is not None and boxes:
        _narrow(upright, max(b.y1 for b in boxes) - min(b.y0 for b in boxes))


def _narrow(text: Text, room: float) -> None:
    """Break a text into lines of at most `room` pixels."""
    words = text.get_text()
    if not words.strip():
        return
    box = text.get_window_extent()
    length = box.height if text.get_rotation() == 90 else box.width
    if length > room > 0:
        lines = words.split("\n")
        limit = max(6, int(0.97 * max(map(width, lines)) * room / length))
        text.set_text("\n".join(in_lines(line, limit) for line in lines))


def _centre_vertical_label(figure: Figure) -> None:
    """Move the label of all vertical axes to the middle of the axes, rather than of the figure."""
    label: Any = figure._supylabel  # type: ignore[attr-defined]
    boxes = [axes.get_window_extent() for axes in _panels(figure)]
    if label is not None and boxes:
        low, high = min(box.y0 for box in boxes), max(box.y1 for box in boxes)
        label.set_y((low + high) / 2 / figure.bbox.height)
