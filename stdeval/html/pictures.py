"""The pictures of the page: figures of `stdeval.plots` as inline svg, and the forest plot beside the answer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from stdeval.html.comparisons import Claim, Compared
from stdeval.html.report_data import Evaluated
from stdeval.html.tables import pvalue
from stdeval.html.words import difference_shown, printable
from stdeval.plots import mean_figures, pair_figures, save_figure, scheme_figures, score_figures
from stdeval.stats.significance import topic_differences

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure

FOREST_ROWS = 8
"""The greatest number of rows of the forest plot beside the answer."""


@dataclass(frozen=True)
class Picture:
    """A figure of the page.

    Parameters
    ----------
    name : str
    svg : Markup
    title : str
        The caption.
    boxes : str
        The places of its panels, as JSON: left, top, width and height as shares of those of the picture.
    """

    name: str
    svg: Markup
    title: str
    boxes: str = "[]"


def picture(name: str, figure: Figure, title: str, description: str) -> Picture:
    """Return a figure as inline svg.

    Parameters
    ----------
    name : str
        Prefix of the ids in the picture, which would otherwise be those of other pictures too.
    figure : Figure
    title : str
        The caption.
    description : str
        The content of the picture in words, for readers who cannot see it.
    """
    image = BytesIO()
    save_figure(figure, image, "svg", dpi=150)
    svg = _inline(name, image.getvalue().decode("utf-8"), title, description)
    places = [axes.get_position() for axes in figure.axes if axes.images]
    boxes = [[round(x, 5) for x in (each.x0, 1 - each.y1, each.width, each.height)] for each in places]
    return Picture(name, svg, title, json.dumps(boxes))


def _inline(name: str, svg: str, title: str, description: str) -> Markup:
    """Return the part of an svg file of matplotlib's that belongs in a page, its ids with a prefix."""
    from markupsafe import Markup, escape  # optional, with Jinja2

    # the prolog, comments and style would be wrong or useless inside HTML
    drawn = re.sub(r"<!--.*?-->|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    drawn = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", drawn)
    head, body = drawn.split(">", 1)
    box = re.findall(r'viewBox="[0-9. ]+"', head)[0]
    width = re.findall(r'width="([0-9.]+pt)"', head)[0]
    told = f'role="img" aria-labelledby="{name}-title {name}-description"'
    words = (
        f'<title id="{name}-title">{escape(printable(title))}</title>'
        f'<desc id="{name}-description">{escape(printable(description))}</desc>'
    )
    # without line breaks and indentation, which would make up much of the page
    compact = re.sub(r"\s*\n\s*", " ", body).replace("> <", "><").rstrip()
    return Markup(f'<svg {box} {told} style="width:{width}">{words}{compact}')


def means_picture(evaluated: Evaluated) -> Picture:
    """Draw the runs by mean main score, with Tukey intervals or, if there are none, t intervals."""
    facts, main = evaluated.coverage, evaluated.main
    mean, low, high = evaluated.mean_intervals()[main.measure]
    test = evaluated.tukey[-1]
    half = np.inf if test is None else test.critical_difference(evaluated.settings.tukey_level) / 2
    is_tukey = bool(np.isfinite(half))
    level = evaluated.settings.tukey_level if is_tukey else evaluated.settings.confidence
    if is_tukey:
        low, high = (np.where(facts.ranked, end, np.nan) for end in (mean - half, mean + half))
    figure = mean_figures.means(
        evaluated.raw.systems,
        mean,
        low,
        high,
        ranked=facts.ranked,
        topics="topics that all of them have" if facts.is_reduced else "",
        measure=main.measure,
        scheme=main.scheme,
        confidence=level,
        interval="tukey" if is_tukey else "marginal",
        size="page",
    )
    best = evaluated.systems[evaluated.order[0]]
    told = f"A dot and a line for each run, from the best, {best}, at the top; the means are in the table above."
    kind = f"{100 * level:g}%{' Tukey' if is_tukey else ''} intervals"
    meaning = ": two runs whose intervals do not meet differ significantly" if is_tukey else ""
    return picture("means", figure, f"Runs by mean {main.name}, with {kind}{meaning}", told)


def scores_picture(evaluated: Evaluated) -> Picture:
    """Return a heat map of all scores by the main measure, raw beside standardized."""
    figure = score_figures.heatmap(evaluated.tables, sort="none", size="page")
    names = " and ".join(kind.name for kind in evaluated.kinds)
    told = (
        f"A panel for {names}, with a row for each run, the best at the top, and a column for each topic, the "
        "hardest at the left. Lighter raw scores are higher; standardized scores are blue above the middle and red "
        "below it."
    )
    return picture("heatmap", figure, f"All scores: {names}; hard topics at the left", told)


def topics_picture(evaluated: Evaluated) -> Picture:
    """Return boxes of the scores on each topic."""
    figure = scheme_figures.topics(evaluated.tables["raw"], evaluated.tables, size="page")
    names = " and ".join(kind.name for kind in evaluated.kinds)
    told = f"A panel for {names}, with a box for each topic, by rising mean; see the table below."
    whose = "run's" if len(evaluated.systems) == 1 else "runs'"
    return picture("boxes", figure, f"The {whose} scores on each topic: {names}", told)


def differences_picture(evaluated: Evaluated, claim: Claim) -> Picture:
    """Return the differences of the two systems of a claim, topic by topic."""
    j, kind = next((j, kind) for j, kind in enumerate(evaluated.kinds) if kind.scheme == claim.scheme)
    scores = evaluated.comparable[:, :, j, 0]
    systems = (evaluated.systems[claim.better], evaluated.systems[claim.worse])
    interval = (claim.low, claim.high) if np.isfinite([claim.low, claim.high]).all() else None
    figure = pair_figures.compare(
        evaluated.raw.topics,
        topic_differences(scores[claim.better], scores[claim.worse]),
        interval,
        measure=kind.measure,
        scheme=kind.scheme,
        systems=systems,
        confidence=claim.level,
        size="page",
    )
    title = f"{systems[0]} minus {systems[1]}: {kind.name}, topic by topic"
    return picture("differences", figure, title, "A bar for each topic, by falling difference, with the mean.")


@dataclass(frozen=True)
class ForestRow:
    """A difference and its interval, as positions from 0 at the left to 200 at the right."""

    system: str
    mark: float
    low: float
    high: float
    is_significant: bool
    told: str


@dataclass(frozen=True)
class Forest:
    """A small forest plot: the differences of the first systems in the order from one system.

    If they were not compared with the baseline but with the best system, the differences are those of the best one.
    """

    against: str
    is_best: bool
    measure: str
    zero: float
    rows: list[ForestRow]
    n_tested: int


def forest(evaluated: Evaluated, results: Compared) -> Forest:
    """Return the forest plot of the best systems that were compared with one."""
    is_best = evaluated.baseline is None
    difference, low, high = results.comparison.difference, results.low, results.high
    if is_best:
        # adding 0 turns -0 into 0
        difference, low, high = 0.0 - difference, 0.0 - high, 0.0 - low
    finite = np.isfinite(np.array([difference, low, high])).all(axis=0)
    place = {int(i): k for k, i in enumerate(results.others)}
    chosen = [k for i in evaluated.order if (k := place.get(int(i))) is not None and finite[k]][:FOREST_ROWS]
    ends = np.concatenate([low[chosen], high[chosen], [0.0]])
    left, width = ends.min(), float(np.ptp(ends)) or 1.0

    def at(value: float) -> float:
        return round(8 + 184 * float((value - left) / width), 1)

    rows = [
        ForestRow(
            evaluated.systems[results.others[k]],
            at(difference[k]),
            at(low[k]),
            at(high[k]),
            bool(results.significant[k]),
            _told(difference[k], low[k], high[k], pvalue(results.adjusted[k], results.alpha)),
        )
        for k in chosen
    ]
    name = evaluated.systems[results.against]
    return Forest(name, is_best, results.kind.name, at(0.0), rows, int(finite.sum()))


def _told(difference: float, low: float, high: float, adjusted: str) -> str:
    """Return a difference with its interval and its adjusted p-value, in words."""
    return f"{' '.join(filter(None, difference_shown(difference, low, high)))}, adjusted p {adjusted}"
