"""Layout of a figure: panels, and labels that do not overlap.

matplotlib is imported inside the functions, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import partial
from itertools import chain, count, pairwise
from math import ceil, log
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from unicodedata import east_asian_width

import numpy as np

from stdeval.plots.style import (
    MAX_AUTOMATIC_HEIGHT,
    MM_PER_INCH,
    POINTS_PER_INCH,
    Sheet,
    exponential,
    notebook_png,
    pixels,
    setting,
    text_width,
)
from stdeval.table import Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis, Tick
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation, Text
    from matplotlib.transforms import Bbox


ELLIPSIS = "…"

SEPARATOR = ", "
"""Stands between the fields of a label."""

SHORTEST_END = 3
"""A common beginning or end that is cut to fewer characters than this is left out: it would tell nothing."""

_WORDS = re.compile(r"[^\W_]+[\W_]*|[\W_]+")
"""A word of a name, with the hyphens and so on behind it."""


def shortened(name: str, limit: int) -> str:
    """Return a name of at most `limit` characters: the middle of a longer name is replaced by an ellipsis."""
    tail = (limit - 1) // 2
    return name if len(name) <= limit else f"{name[: limit - 1 - tail]}{ELLIPSIS}{name[len(name) - tail :]}"


def printable(name: str) -> str:
    """Return a name with each unprintable character replaced by U+FFFD."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name)


def short_names(names: Sequence[str], limit: int) -> list[str]:
    """Return names of at most `limit` characters; different names stay different."""
    texts = {name: printable(name) for name in names}
    labels = _labels(list(dict.fromkeys(texts.values())), limit)
    chosen: dict[str, str] = {}
    # names that were not shortened keep their text, and numbers go to the others
    for name in sorted(texts, key=lambda name: labels[texts[name]] != name):
        chosen[name] = _numbered(labels[texts[name]], set(chosen.values()), limit)
    return [chosen[name] for name in names]


def short_fields(labels: Sequence[str], longest: int) -> list[str]:
    """Return labels whose fields have at most `longest` characters; different labels stay different."""
    fields = list(dict.fromkeys(field for label in labels for field in label.split(SEPARATOR)))
    short = dict(zip(fields, short_names(fields, longest), strict=True))
    return [SEPARATOR.join(short[field] for field in label.split(SEPARATOR)) for label in labels]


def _numbered(label: str, used: set[str], limit: int) -> str:
    """Return a label, with the least number that makes it a new one if it is used already."""
    numbers = (f" ({i})" for i in count(2))
    candidates = chain([label], (label[: limit - len(number)] + number for number in numbers))
    return next(candidate for candidate in candidates if candidate not in used)


def _labels(names: Sequence[str], limit: int) -> dict[str, str]:
    """Return the label of each name, at most `limit` characters."""
    labels = {name: shortened(name, limit) for name in names}
    groups = _alike(labels)
    while any(len(group) > 1 for group in groups):
        for group in groups:
            if len(group) > 1:
                labels |= {name: shortened(label, limit) for name, label in _differences(group, limit).items()}
        # what differs within one group may be the same as in another: then the two groups are one
        label_of = {group[0]: {labels[name] for name in group} for group in groups}
        merged = _merged(groups, label_of)
        if len(merged) == len(groups):
            break
        groups = merged
    return labels


def _alike(labels: dict[str, str]) -> list[list[str]]:
    """Group names that have the same label."""
    alike: dict[str, list[str]] = {}
    for name, label in labels.items():
        alike.setdefault(label, []).append(name)
    return list(alike.values())


def _merged(groups: list[list[str]], label_of: dict[str, set[str]]) -> list[list[str]]:
    """Join groups that have a label in common."""
    merged: list[tuple[list[str], set[str]]] = []
    for group in groups:
        joined, labels = list(group), set(label_of[group[0]])
        apart = []
        for other, others in merged:
            if labels & others:
                joined, labels = other + joined, labels | others
            else:
                apart.append((other, others))
        merged = [*apart, (joined, labels)]
    return [group for group, _ in merged]


def _differences(names: Sequence[str], limit: int) -> dict[str, str]:
    """Return each name without most of the words that all names have in common, by name."""
    words = [_WORDS.findall(name) for name in names]
    common = words[0]
    for other in words[1:]:
        blocks = SequenceMatcher(None, common, other, autojunk=False).get_matching_blocks()
        common = [word for block in blocks for word in common[block.a : block.a + block.size]]
    parts = [_own_parts(own, common) for own in words]
    # between the words that all have: what each name has there, in columns
    columns = [list(column) for column in zip(*parts, strict=True)]
    inner = [word if len(word) <= 2 else ELLIPSIS for word in common]
    filled = [i for i, column in enumerate(columns) if any(column)]
    first, last = filled[0], filled[-1]
    between = [re.sub(f"{ELLIPSIS}+", ELLIPSIS, "".join(inner[i:j])) for i, j in pairwise(filled)]
    shown = _narrowed([columns[i] for i in filled], limit - len("".join(between)) - 2)
    bodies = ["".join(chain(*zip(row, [*between, ""], strict=True))) for row in zip(*shown, strict=True)]
    head, tail = "".join(common[:first]), "".join(common[last:])
    whole = [_with_ends(head, body, tail, limit) for body in bodies]
    return {name: re.sub(f"{ELLIPSIS}+", ELLIPSIS, label) for name, label in zip(names, whole, strict=True)}


def _own_parts(words: Sequence[str], common: Sequence[str]) -> list[str]:
    """Return the texts of a name before, between and after the words that all names have."""
    parts = [""]
    for word in words:
        if len(parts) <= len(common) and word == common[len(parts) - 1]:
            parts.append("")
        else:
            parts[-1] += word
    return parts


def _narrowed(columns: list[list[str]], room: int) -> list[list[str]]:
    """Shorten the texts in columns, the widest first, until a row fits; different texts stay different."""
    widths = [max(map(len, column)) for column in columns]
    shown = list(columns)
    stuck: set[int] = set()
    while sum(widths) > room and len(stuck) < len(columns):
        i = max((i for i in range(len(columns)) if i not in stuck), key=lambda i: widths[i])
        narrower = _narrower(columns[i], widths[i] - 1)
        if narrower is None:
            stuck.add(i)
        else:
            shown[i], widths[i] = narrower, widths[i] - 1
    return shown


def _narrower(column: list[str], width: int) -> list[str] | None:
    """Return the texts of a column with at most `width` characters, or None if different ones would be the same."""
    ways = (
        [text if len(text) <= width else text[: width - 1] + ELLIPSIS for text in column],
        [text if len(text) <= width else ELLIPSIS + text[len(text) - width + 1 :] for text in column],
        [shortened(text, width) for text in column],
    )
    # an ellipsis at an end may meet another one, so that it tells nothing apart
    n = len(set(column)) if width > 1 else len(column) + 1
    return next((way for way in ways if len({text.strip(ELLIPSIS) for text in way}) == n), None)


def _with_ends(head: str, body: str, tail: str, limit: int) -> str:
    """Add as much of a beginning and an end to a text as there is room for."""
    room = limit - len(body)
    at_tail = min(len(tail), max(room // 2, room - len(head)))
    at_head = room - at_tail
    if len(head) > at_head:
        head = head[: at_head - 1 if at_head > SHORTEST_END else 0] + ELLIPSIS
    if len(tail) > at_tail:
        tail = ELLIPSIS + tail[len(tail) - at_tail + 1 if at_tail > SHORTEST_END else len(tail) :]
    return f"{head}{body}{tail}"

LONGEST_WORD = 12
"""Words of at most so many characters are never broken."""

_PARTS = re.compile(r"…?[^-_…]*[-_…]+,?|…?[^-_…]+")
"""A part of a name up to a hyphen or the like, with a comma, after which a line may end."""


def in_lines(text: str, limit: int) -> str:
    """Return a text in lines of at most `limit` characters, broken at spaces."""
    lines = [""]
    for word in text.split():
        between = " " if lines[-1] else ""
        for piece in _pieces(word, max(limit, LONGEST_WORD)):
            if lines[-1] and width(lines[-1] + between + piece) > limit:
                lines.append(piece)
            else:
                lines[-1] += between + piece
            between = ""
    return "\n".join(lines)


def _pieces(word: str, limit: int) -> list[str]:
    """Return a word in pieces of at most `limit` characters, which end at its hyphens wherever that is possible."""
    pieces = [""]
    for part in [word] if width(word) <= limit else _PARTS.findall(word):
        # in pieces of equal length, so that no hyphen stands alone
        step = ceil(len(part) / ceil(width(part) / limit))
        for some in (part[at : at + step] for at in range(0, len(part), step)):
            if width(pieces[-1] + some) > limit:
                pieces.append("")
            pieces[-1] += some
    return pieces


def longest_part(text: str) -> int:
    """Return the width of the longest part of a text between spaces and hyphens."""
    return max((width(part) for word in text.split() for part in _PARTS.findall(word)), default=0)


def width(text: str) -> int:
    """Return the width of a text in characters; Chinese, Japanese and Korean ones have the width of two."""
    return sum(2 if east_asian_width(character) in "FW" else 1 for character in text)

LINE_DISTANCE = 1.17
"""Distance at which lines of text do not touch, as a multiple of their font size."""

SMALLEST = 0.8
"""Labels of places may be smaller than those of other ticks, down to this share, if that makes room for all."""

LABEL_SHARE = 0.3
"""The share of the figure's width or height that the labels of places may take."""

BOLD = 1.15
"""The width of a bold text, at most, as a multiple of its usual width."""


class Places(NamedTuple):
    """An axis with labels at 0, 1, ...; those with colours are bold, and never left out."""

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
            _move_tick(tick, (at - i) * distance, flat, colour)


def _move_tick(tick: Tick, distance: float, flat: bool, colour: str) -> None:
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
    """Choose every `step`-th of n places, the ends and some others, and return the position of each one's label."""
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

Point = tuple[float, float, str]
"""The place of a point, and its label."""

Place = tuple[tuple[float, float], str, str]
"""The distance of a label from its point, in points of a font, and its horizontal and vertical alignment."""

GAP = 0.4
"""Distance of a label from its point, as a multiple of the font size."""

CLEARANCE = 1.3
"""Least distance of a label from other points, as a multiple of that from its own."""

_LABELS = "_stdeval_point_labels"


class _Labels(NamedTuple):
    """The labels of the points of a panel, the most important first, and the font size of the figure in points."""

    axes: Axes
    labels: Sequence[Annotation]
    font: float


def label_points(figure: Figure, grid: Sequence[Axes], points: Sequence[Sequence[Point]], font: float) -> None:
    """Write labels beside points, the most important first; `place_point_labels` puts them where there is room."""
    names = list(dict.fromkeys(name for of_axes in points for _, _, name in of_axes))
    short = dict(zip(names, short_names(names, 10), strict=True))
    vars(figure)[_LABELS] = [
        _Labels(axes, [_write(axes, x, y, short[name], font) for x, y, name in of_axes], font)
        for axes, of_axes in zip(grid, points, strict=True)
    ]


def place_point_labels(figure: Figure) -> None:
    """Put the labels of points beside, above or below them, after the last layout."""
    written: list[_Labels] = vars(figure).pop(_LABELS, [])
    for axes, labels, font in written:
        dots = _drawn_points(axes)
        taken: list[Bbox] = []
        for label in labels:
            box = _placed(label, axes, taken, dots, font)
            if box is None:
                label.remove()
            else:
                taken.append(box)


def _write(axes: Axes, x: float, y: float, text: str, font: float) -> Annotation:
    """Write a label at a point, and return it; no room is made for it."""
    label = axes.annotate(text, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=0.8 * font)
    label.set_in_layout(False)
    return label


def _drawn_points(axes: Axes) -> Floats:
    """Return the places in pixels of the points that are drawn with markers."""
    drawn = [line.get_xydata() for line in axes.get_lines() if line.get_marker() != "None"]
    return axes.transData.transform(np.concatenate(drawn)) if drawn else np.empty((0, 2))


def _placed(label: Annotation, axes: Axes, taken: Sequence[Bbox], points: Floats, font: float) -> Bbox | None:
    """Put a label beside, above or below its point, and return where it is; None if there is no room for it."""
    gap = GAP * font
    left, right = ((-gap, 0), "right", "center"), ((gap, 0), "left", "center")
    room, point = axes.get_window_extent(), axes.transData.transform(label.xy)
    # first towards the middle
    beside = (right, left) if point[0] < (room.x0 + room.x1) / 2 else (left, right)
    for place in (*beside, ((0, gap), "center", "bottom"), ((0, -gap), "center", "top")):
        _move_label(label, place)
        box = label.get_window_extent()
        inside = room.x0 <= box.x0 and room.y0 <= box.y0 and box.x1 <= room.x1 and box.y1 <= room.y1
        if inside and not any(box.overlaps(other) for other in taken) and _is_own(box, point, points):
            return box
    return None


def _is_own(box: Bbox, point: Floats, points: Floats) -> bool:
    """Return True if a label is nearest to its own point; others at the same place count as its own."""

    def distances(to: Floats) -> Floats:
        beyond = np.maximum(np.array([box.x0, box.y0]) - to, to - np.array([box.x1, box.y1]))
        return np.asarray(np.hypot(*np.maximum(beyond, 0).T))

    others = points[np.abs(points - point).max(axis=1) > 1]
    return bool((distances(others) > CLEARANCE * distances(point)).all())


def _move_label(label: Annotation, place: Place) -> None:
    """Move a label from its point by some points of a font, with this side of it at the place."""
    offset, horizontal, vertical = place
    label.set(position=offset, ha=horizontal, va=vertical)

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

LONGEST, SHORTEST = 40, 20
"""Characters of a label: longer labels are shortened, down to the second number if that saves rows."""

SHORT = 28
"""Characters of labels that stay as they are: names of marked runs are short already, and must be told apart."""

MANY_ROWS, ENOUGH_ROWS = 6, 4
"""Labels of legends with as many rows as the first number are shortened, for more columns and fewer rows, but no
further than for the second number."""

_AROUND = 6.4
"""Width of the line beside a label and of the space around both, with some to spare, in sizes of the font."""


def legend_layout(where: Sheet, labels: Sequence[str]) -> tuple[list[str], int]:
    """Return the labels of a legend, shortened if need be, and the number of columns in which they fit."""
    choices, is_short = [], max(map(len, labels), default=0) <= SHORT
    for limit in range(LONGEST, SHORTEST - 1, -4):
        short = _short_labels(labels, limit)
        columns = _columns(where, short)
        rows = ceil(len(short) / columns)
        choices.append((rows, short, columns))
        if is_short or rows <= ENOUGH_ROWS or choices[0][0] < MANY_ROWS:
            break
    _, chosen, columns = min(choices, key=lambda choice: choice[0])
    return chosen, columns


def _short_labels(labels: Sequence[str], limit: int) -> list[str]:
    """Return labels of at most `limit` characters, with all of their fields if shorter fields suffice."""
    for longest in range(limit, 7, -1):
        texts = short_fields(labels, longest)
        if max(map(len, texts), default=0) <= limit:
            return texts
    return short_names(labels, limit)


def _columns(where: Sheet, labels: Sequence[str]) -> int:
    """Return the number of columns in which labels fit beside each other, in rows that are as full as possible."""
    import matplotlib

    settings: Any = matplotlib.rcParams
    size = float(settings["legend.fontsize"])
    widest = max((text_width(label, size) for label in labels), default=0.0) + _AROUND * size
    n = max(1, len(labels))
    fitting = max(1, int(where.width / MM_PER_INCH * POINTS_PER_INCH / widest))
    return ceil(n / ceil(n / fitting))


def legend_rows(where: Sheet, labels: Sequence[str]) -> int:
    """Return the number of rows of a legend below the axes; 0 without labels."""
    return ceil(len(labels) / legend_layout(where, labels)[1])


def legend_below(
    figure: Figure, where: Sheet, handles: Sequence[Artist], markerscale: float = 1.0, title: str = ""
) -> None:
    """Add a legend below the axes, where it covers no data."""
    labels, columns = legend_layout(where, [str(handle.get_label()) for handle in handles])
    figure.legend(
        handles=list(handles),
        labels=labels,
        loc="outside lower center",
        ncols=columns,
        markerscale=markerscale,
        title=title or None,
    )

BEST_SHAPE = 1.6
"""Width of panels over their height, where there is a choice."""

MOST_MEASURED = 50
"""The number of labels of places that the first layout measures."""


def shown(label: str, limit: int = 24) -> str:
    """Return a label that can be drawn: shortened in the middle, unprintable characters replaced."""
    return shortened(printable(label), limit)


def new_figure(where: Sheet, height: float, title: str | None = None, legend: Sequence[str] = ()) -> Figure:
    """Return an empty figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    lines = in_lines(shown(title or "", 300), where.fits(1.2)).splitlines()
    rows = legend_rows(where, legend) + 1.5 * len(lines)
    tall = where.height or min(MAX_AUTOMATIC_HEIGHT, height + rows * where.line)
    figure = Figure(figsize=(where.width / MM_PER_INCH, tall / MM_PER_INCH), layout="constrained")
    FigureCanvasAgg(figure)
    # Notebooks show a figure of matplotlib only if pyplot was imported; they call this for any other object.
    vars(figure)["_repr_png_"] = partial(notebook_png, figure)
    if lines:
        figure.suptitle("\n".join(lines))
    return figure


def balanced_columns(where: Sheet, n: int, characters: float, period: int = 1) -> int:
    """Return the number of columns of a grid of n panels whose rows are as full as possible."""
    limit = where.fits(characters)
    choices = [c for c in range(1, n + 1) if c % period == 0 or period % c == 0]
    columns = min((c for c in choices if c <= limit), key=lambda c: ceil(n / c))
    if where.height is not None:
        # each panel has a title of one line, and there are five lines around all panels
        room = where.height - 5 * where.line
        shapes = {c: where.width / c / max(1.0, room / ceil(n / c) - where.line) for c in choices}
        narrow = [c for c in choices if c <= where.fits(characters / 2)]
        columns = min(narrow, key=lambda c: abs(log(shapes[c] / BEST_SHAPE)) + (0.5 if n % c else 0.0))
    return 1 if (n, columns, limit) == (3, 2, 2) else columns


def row_height(figure: Figure, n: int) -> float:
    """Return the approximate height in points of each of n rows."""
    return 0.8 * figure.get_figheight() * POINTS_PER_INCH / n


def lowest(places: Sequence[int], columns: int) -> list[int]:
    """Return which of the panels at some places of a grid have no panel below them."""
    last = {place % columns: k for k, place in enumerate(places)}
    return sorted(last.values())


def panel_axes(
    figure: Figure, n: int, columns: int, places: Sequence[int] | None = None, **share: Any
) -> list[Axes]:
    """Add n panels to a figure, row by row or at the given places; those with none below keep their tick labels."""
    chosen = range(n) if places is None else places
    rows = ceil((max(chosen) + 1) / columns)
    grid = figure.subplots(rows, columns, squeeze=False, **share).ravel()
    for place, axes in enumerate(grid):
        if place not in chosen:
            axes.remove()
    panels = [grid[place] for place in chosen]
    for k in lowest(chosen, columns):
        panels[k].tick_params(labelbottom=True)
    for axes in panels:
        axes.locator_params(nbins=5 if columns > 1 else 7)
    return panels


def name_axes(
    figure: Figure,
    where: Sheet,
    grid: Sequence[Axes],
    columns: int,
    x: str,
    y: str = "",
    places: Sequence[int] | None = None,
) -> None:
    """Add one label for all vertical axes, and one below each column of panels."""
    # one label per column, because matplotlib would draw a legend outside the axes over figure.supxlabel
    for k in lowest(range(len(grid)) if places is None else places, columns):
        grid[k].set_xlabel(in_lines(x, where.fits(1.15 * columns)))
    if y:
        figure.supylabel(fill_height(figure, where, y))


def fill_height(figure: Figure, where: Sheet, text: str, rows: int = 1) -> str:
    """Break an upright label into lines that fit beside a panel, in a grid with this number of rows."""
    tall = figure.get_figheight() * MM_PER_INCH / where.width
    limit = max(10, int(0.65 * tall * where.fits(1) / rows))
    lines = [text] if len(text) <= limit else text.replace(" (", "\n(").split("\n")
    return "\n".join(in_lines(line, limit) for line in lines)


def fit_labels(
    figure: Figure, *named: tuple[Axis, Sequence[str]], colours: Mapping[int, str] | None = None
) -> None:
    """Label the places 0, 1, ... of axes, with as many labels as there is room for."""
    for i, (axis, labels) in enumerate(named):
        # some of them, to measure how much room the labels of places take
        some = range(0, len(labels), ceil(len(labels) / MOST_MEASURED) or 1)
        axis.set_ticks(some, [shown(labels[i], 8) for i in some])
        label_places(figure, Places(axis, labels, colours or {} if i == 0 else {}))


def padded(low: float, high: float) -> tuple[float, float]:
    """Limits of an axis of scores: about 0 to 1 if all scores lie there, otherwise a little beyond the scores."""
    if low >= 0 and high <= 1:
        return (-0.02, 1.02)
    margin = 0.03 * (high - low) or 0.5
    return (low - margin, high + margin)


def span(values: Any) -> tuple[float, float]:
    """Least and greatest of some values, ignoring NaN; 0 and 1 if there are none."""
    present = np.asarray(values)[~np.isnan(values)]
    return (float(present.min()), float(present.max())) if present.size else (0.0, 1.0)
