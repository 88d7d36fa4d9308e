"""Make the texts of a drawn figure fit: as many ticks and labels as there is room for, and no more.

Everything is measured by the renderer after a layout, because the labels of one axis take room from the others.
matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from stdeval.plots.lines import in_lines, width
from stdeval.short_names import short_names
from stdeval.table import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis, Tick
    from matplotlib.figure import Figure
    from matplotlib.text import Text

LINE_DISTANCE = 1.17
"""Distance at which lines of text do not touch, as a multiple of their font size."""

SMALLEST = 0.8
"""Labels of places may be smaller than those of other ticks, down to this share, if that makes room for all."""

LABEL_SHARE = 0.3
"""The share of the figure's width or height that the labels of places may take."""

LEAST_SIDE = 3.1
"""The least width and height of axes, as a multiple of the font size: two ticks with their labels."""

BOLD = 1.15
"""The width of a bold text, at most, as a multiple of its usual width."""

TOLERANCE = 0.5
"""Pixels by which texts may overlap."""

_PLACES = "_stdeval_places"


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


def label_places(figure: Figure, *places: Places) -> None:
    """Remember the labels of places, which `fit` will draw."""
    vars(figure).setdefault(_PLACES, []).extend(places)


def lay_out(figure: Figure) -> None:
    """Move axes and labels to where they will be drawn."""
    engine = figure.get_layout_engine()
    if engine is not None:
        with warnings.catch_warnings():
            # `crowded` finds axes that collapse, and the commands name characters that no font has
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
            _label(place)
    lay_out(figure)
    for axis in _axes_of_numbers(figure, places):
        _thin_ticks(axis)
    _centre_vertical_label(figure)


def crowded(figure: Figure) -> str:
    """Name the part of a figure that does not fit after `fit`; empty if everything fits."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        figure.draw_without_rendering()  # legends move to their places
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    font = _pixels(figure, _settings("font.size"))
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


def _settings(name: str) -> float:
    """Return a setting of matplotlib."""
    import matplotlib

    settings: Any = matplotlib.rcParams
    return float(settings[name])


def _pixels(figure: Figure, points: float) -> float:
    return points * figure.dpi / 72


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
                axis.set_major_formatter(FuncFormatter(_number))


def _offset(axis: Axis) -> str:
    """Return the factor or offset, such as 1e6, that matplotlib would write in a corner; empty if there is none."""
    axis.get_majorticklabels()  # updates the formatter
    return str(axis.get_major_formatter().get_offset())


def _number(x: float, position: int | None = None) -> str:
    """Return the shortest text of a number, such as ``2.5e6`` and ``−3e−5``."""
    mantissa, _, exponent = f"{x:.9e}".partition("e")
    short = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}" if x else "0"
    return short.replace("-", "\N{MINUS SIGN}")


def _thin_ticks(axis: Axis) -> None:
    """Reduce the number of ticks until their labels do not touch."""
    from matplotlib.ticker import MaxNLocator

    locator: Any = axis.get_major_locator()
    name = "nbins" if isinstance(locator, MaxNLocator) else "numticks"
    for n in range(max(2, len(_tick_labels(axis))) - 1, 0, -1):
        if not _touching(axis):
            return
        locator.set_params(**{name: n})


def _touching(axis: Axis) -> bool:
    """Return True if the labels of two neighbouring ticks touch, or those beside each other nearly do."""
    figure: Any = axis.get_figure()
    flat = axis is axis.axes.xaxis
    gap = _pixels(figure, 0.5 * _settings("xtick.labelsize")) if flat else -TOLERANCE
    boxes = [label.get_window_extent() for label in _tick_labels(axis)]
    ends = sorted((box.x0, box.x1) if flat else (box.y0, box.y1) for box in boxes)
    return any(low - high < gap for (_, high), (low, _) in pairwise(ends))


def _wrap(figure: Figure) -> None:
    """Break titles of panels and labels of axes that are longer than their axes into lines."""
    boxes = [axes.get_window_extent() for axes in _panels(figure)]
    page = figure.bbox
    for axes in figure.axes:
        box = axes.get_window_extent()
        beside = len({round(b.x0) for b in boxes})
        middle = (box.x0 + box.x1) / 2
        room = 2 * min(middle, page.x1 - middle) if beside <= 1 else 0.98 * page.x1 / beside
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


def _label(place: Places) -> None:
    """Label places: level if all labels fit, else upright and, if need be, only some of them."""
    axis = place.axis
    figure: Any = axis.get_figure()
    box = axis.axes.get_window_extent()
    flat = axis is axis.axes.xaxis
    n = len(place.labels)
    low, high = sorted(axis.get_view_interval())
    distance = (box.width if flat else box.height) / max(high - low, 1e-9)
    size = _settings("xtick.labelsize")
    texts = _short_enough(figure, place.labels, LABEL_SHARE * figure.bbox.width, size)
    widest = (BOLD if place.colours else 1) * max(_widths(figure, texts, size), default=0)
    level = flat and widest + _pixels(figure, 0.5 * size) <= distance
    if not level:
        if flat:
            texts = _short_enough(figure, place.labels, LABEL_SHARE * figure.bbox.height, size)
        fitting = distance / _pixels(figure, LINE_DISTANCE)
        size = fitting if SMALLEST * size <= fitting < size else size
    step = 1 if level else max(1, ceil(_pixels(figure, LINE_DISTANCE * size) / distance - 1e-6))
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


def _move(tick: Tick, pixels: float, flat: bool, colour: str) -> None:
    """Move the label of a tick along its axis, and bend the mark of the tick towards it."""
    from matplotlib.path import Path
    from matplotlib.transforms import ScaledTranslation

    # in inches: files have another resolution than the layout
    figure: Any = tick.get_figure()
    inches = pixels / figure.dpi
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


def _widths(figure: Figure, texts: Sequence[str], size: float) -> list[float]:
    """Return the widths of texts in pixels."""
    return [text_width(text, size, figure.dpi) for text in texts]


def text_width(text: str, size: float, dpi: float = 72.0) -> float:
    """Return the width of a text in pixels; at the default resolution a pixel is a point."""
    import matplotlib

    families: Any = matplotlib.rcParams["font.family"]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        return _width(text, size, dpi, tuple(families))


@lru_cache(maxsize=10_000)
def _width(text: str, size: float, dpi: float, families: tuple[str, ...]) -> float:
    """Return the width of a text in pixels; panels and passes ask for the same ones."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    renderer = cast(Any, RendererAgg)(1, 1, dpi)
    width, _, _ = renderer.get_text_width_height_descent(text, FontProperties(family=families, size=size), False)
    return float(width)


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


def _centre_vertical_label(figure: Figure) -> None:
    """Move the label of all vertical axes to the middle of the axes, rather than of the figure."""
    label: Any = figure._supylabel  # type: ignore[attr-defined]
    boxes = [axes.get_window_extent() for axes in _panels(figure)]
    if label is not None and boxes:
        low, high = min(box.y0 for box in boxes), max(box.y1 for box in boxes)
        label.set_y((low + high) / 2 / figure.bbox.height)
