"""The look of runs that a figure marks among the others.

matplotlib is imported by the callers, so that `stdeval.plots` can be imported without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stdeval.plots.style import look
from stdeval.table import Ints


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
    >>> import numpy as np
    >>> marked_colours([2, 0], np.array([2, 1, 0]))
    {0: '#D55E00', 2: '#009E73'}
    """
    places = {run: place for place, run in enumerate(order.tolist())}
    return {places[run]: marked_look(i)["color"] for i, run in enumerate(marked)}
