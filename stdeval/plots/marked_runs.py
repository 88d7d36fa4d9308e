"""The look of runs that a figure marks among the others.

matplotlib is imported by the callers, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.plots.layout import shown
from stdeval.plots.style import look
from stdeval.table import Ints

if TYPE_CHECKING:
    from matplotlib.axis import Axis


def marked_look(i: int) -> dict[str, Any]:
    """Colour, dashes and marker of the i-th marked run; the first colour is that of the other runs."""
    return look(i + 1)


def marked_colours(marked: Sequence[int], order: Ints) -> dict[int, str]:
    """Return the colours of marked runs by their places.

    Parameters
    ----------
    marked : sequence of int
        Indices of runs.
    order : ndarray of int
        The run at each place.

    Examples
    --------
    >>> marked_colours([2, 0], np.array([2, 1, 0]))
    {0: '#D55E00', 2: '#009E73'}
    """
    places = {run: place for place, run in enumerate(order.tolist())}
    return {places[run]: marked_look(i)["color"] for i, run in enumerate(marked)}


def mark_labels(axis: Axis, labels: Sequence[str], colours: Mapping[int, str]) -> None:
    """Draw the labels of marked places bold and in colour; if they have none, they replace those next to them."""
    if not colours:
        return
    ticks = axis.get_ticklocs().astype(int).tolist()
    texts = dict(zip(ticks, (label.get_text() for label in axis.get_ticklabels()), strict=True))
    step = int(min(np.diff(ticks), default=1))
    rotation = axis.get_ticklabels()[0].get_rotation() if ticks else 0
    longest = max(map(len, texts.values()), default=24)
    for place in colours:
        if place not in texts:
            texts = {at: text for at, text in texts.items() if at in colours or abs(at - place) >= step}
            texts[place] = shown(labels[place], longest)
    places = sorted(texts)
    axis.set_ticks(places, [texts[place] for place in places], rotation=rotation)
    for place, label in zip(places, axis.get_ticklabels(), strict=True):
        if place in colours:
            label.set(color=colours[place], fontweight="bold")
