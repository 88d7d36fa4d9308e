"""The columns of the tables of the page, as the template takes them, the forest plot, and how numbers are shown.

The names of the runs or topics are in the first column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stdeval.html.data import N_EXTREMES, Compared, Evaluated
from stdeval.measures.names import is_better_higher, publication_name
from stdeval.noise import decimals, rounded, shown_decimals, shown_pvalue
from stdeval.stats.aggregates import moments

if TYPE_CHECKING:
    from stdeval.table import Floats

MISSING = "–"
JUDGED_TITLE = "Judged@10"

PRINTED_COLUMNS, PRINTED_MEANS = 11, 8
"""The greatest number of columns of a leaderboard on a printed page, and of means that stand beside names only."""


class Cell(NamedTuple):
    """A cell: names of runs or topics, each followed by some text, or a text, which an interval may follow."""

    text: str = ""
    interval: str = ""
    names: Sequence[tuple[str, str]] = ()


class Column(NamedTuple):
    """A column; on paper, columns of means stand in several parts of the table."""

    title: str
    cells: list[Cell]
    is_numeric: bool = True
    is_rising: bool = False
    sorted: str = ""
    run: str = ""
    part: int = 0


def _named(title: str, names: Iterable[str]) -> Column:
    """Return a column of names of runs or topics."""
    return Column(title, [Cell(names=[(name, "")]) for name in names], False, True)


def _texts(title: str, texts: Iterable[object], *, is_rising: bool = False) -> Column:
    """Return a column of numbers, or of texts that begin with numbers."""
    return Column(title, [Cell(str(text)) for text in texts], is_rising=is_rising)


def _number(value: float, form: str = ".4f", low: float = nan, high: float = nan) -> Cell:
    """Return a cell with a number, a dash if it is NaN, and with its interval, if that is finite."""
    interval = f"[{low:{form}}, {high:{form}}]" if np.isfinite([value, low, high]).all() else ""
    return Cell(MISSING if isnan(value) else format(value, form), interval)


def pvalue(value: float, alpha: float) -> str:
    """Return a p-value with three significant digits, or with more until they show whether it is at most alpha."""
    return MISSING if isnan(value) else shown_pvalue(value, alpha).replace("e-0", "e-")


def difference_shown(difference: float, low: float, high: float) -> tuple[str, str]:
    """Return a difference and its interval, with signs; the interval is empty if unknown or one point."""
    digits = shown_decimals(difference)
    # adding 0 turns -0 into 0
    shown, *ends = (f"{round(number, digits) + 0.0:+.{digits}f}" for number in (difference, low, high))
    ends = [end if float(end) else end[1:] for end in ends]
    return shown, f"[{', '.join(ends)}]" if low != high and np.isfinite([low, high]).all() else ""


def leaderboard(evaluated: Evaluated) -> list[Column]:
    """Return means with intervals by every measure, and significance groups by the main measure."""
    means, main, order = evaluated.mean_intervals, evaluated.main, evaluated.order
    last = []
    for each in evaluated.results:
        if each.groups is not None:
            spans = [_span(low, high, "–") if low else MISSING for low, high in each.groups[order].tolist()]
            last.append(_texts(f"Group by {each.kind.name}", spans, is_rising=True))
    # the share has a column already if it is a measure of the report
    if evaluated.judged is not None and JUDGED_TITLE not in map(publication_name, means):
        last.append(Column(JUDGED_TITLE, [_number(share, ".3f") for share in evaluated.judged[order]]))
    # raw and standardized means stay together
    together = len(evaluated.kinds)
    first, later = (PRINTED_COLUMNS - 2 - len(last)) // together, PRINTED_MEANS // together
    counts = (~np.isnan(evaluated.comparable)).sum(axis=1).reshape(len(order), -1)
    spans = [_span(min(row[row > 0], default=0), max(row)) for row in counts[order]]
    columns = [_named("Run", [evaluated.systems[i] for i in order]), _texts("Topics", spans)]
    for i, (measure, ends) in enumerate(means.items()):
        title = publication_name(measure) + ("" if is_better_higher(measure) else ", lower is better")
        part = max(0, (i // together - first) // later + 1)
        cells = [_number(mean, ".4f", low, high) for mean, low, high in np.stack(ends, axis=1)[order]]
        columns.append(Column(title, cells, sorted="descending" if measure == main.measure else "", part=part))
    return [*columns, *last]


def _span(low: int, high: int, dash: str = "-") -> str:
    return f"{low}" if low == high else f"{low}{dash}{high}"


def comparison_table(evaluated: Evaluated, results: Compared) -> list[Column]:
    """Return the comparisons by one kind of scores, in the order of the runs."""
    place = {system: k for k, system in enumerate(results.others.tolist())}
    these = [place[system] for system in evaluated.order.tolist() if system in place]
    found = results.comparison
    intervals = zip(found.difference[these], results.low[these], results.high[these], strict=True)
    columns = [_named("Run", [evaluated.systems[results.others[k]] for k in these])]
    if (found.n_a < len(evaluated.topics)).any():
        columns.append(_texts("Topics", found.n_a[these]))
    columns.append(Column("Difference", [_number(mean, "+.4f", low, high) for mean, low, high in intervals]))
    columns.append(Column("d", [_number(effect, "+.2f") for effect in found.effect_size[these]]))
    for title, counts in (("Wins", found.wins), ("Ties", found.ties), ("Losses", found.losses)):
        assert counts is not None  # topics are paired
        columns.append(_texts(title, counts[these]))
    columns.append(_texts("p", [pvalue(p, evaluated.alpha) for p in found.pvalue[these]], is_rising=True))
    stars = np.where(results.significant[these], " *", "")
    marked = [pvalue(p, evaluated.alpha) + star for p, star in zip(results.adjusted[these], stars, strict=True)]
    return [*columns, _texts("p adjusted", marked, is_rising=True)]


def topic_table(evaluated: Evaluated) -> list[Column]:
    """Return the scores of references and runs on each topic, hard topics first."""
    raw, systems, order = evaluated.kinds[0], evaluated.systems, evaluated.topic_order
    is_alone = len(systems) == 1
    judged, references = evaluated.sources.judged, evaluated.references
    columns = [_named("Topic", [evaluated.topics[t] for t in order])]
    for k, title in enumerate(("Judged", "Relevant") if judged else ()):
        columns.append(_texts(title, [judged[evaluated.raw.topics[t]][k] for t in order]))
    means: dict[str, tuple[Floats, Floats]] = {} if is_alone else {"runs": moments(raw.scores)[:2]}
    if evaluated.sources.factors and references is not None:
        means["references"] = (references.mean, references.sd)
    for whose, (mean, sd) in means.items():
        sorted_by = "ascending" if whose == "runs" else ""
        columns.append(Column(f"Mean {raw.name} of {whose}", [_number(x) for x in mean[order]], sorted=sorted_by))
        columns.append(Column(f"sd of {whose}", [_number(x) for x in sd[order]]))
    if not is_alone:
        columns.append(Column("Best run", [_best(systems, scores) for scores in raw.scores.T[order]], False, True))
    # columns of up to eight single runs: of both kinds if there is one run
    single = [(kind, 0) for kind in evaluated.kinds] if is_alone else [(evaluated.main, i) for i in evaluated.order]
    for kind, i in single if len(systems) <= 8 else []:
        sorted_by = "ascending" if is_alone and kind is raw else ""
        cells = [_number(x) for x in kind.scores[i, order]]
        columns.append(Column(f"{kind.name} of {systems[i]}", cells, sorted=sorted_by, run=systems[i]))
    return columns


def _best(systems: Sequence[str], scores: Floats) -> Cell:
    """Return the best run on one topic, or the number of the best runs if there are several, with their score."""
    if np.isnan(scores).all():
        return Cell(MISSING)
    free = rounded(scores, decimals(scores))
    best = np.flatnonzero(free == np.nanmax(free))
    score = f" ({scores[best[0]]:.4f})"
    return Cell(names=[(systems[best[0]], score)]) if len(best) == 1 else Cell(f"{len(best)} runs{score}")


def gains_table(evaluated: Evaluated) -> list[Column]:
    """Return the topics on which each run is furthest above and furthest below the mean."""
    scores, order, is_raw = evaluated.main.scores, evaluated.order, evaluated.standardized is None
    middle = moments(scores)[0] if is_raw else evaluated.neutral
    # differences from the mean of the runs, but standardized scores as they are
    form, far = ("+.2f", scores - middle) if is_raw else (".2f", scores)
    beyond = rounded(scores - middle, decimals(scores))[order]
    columns = [_named("Run", [evaluated.systems[i] for i in order])]
    sides = ((beyond, "Topics above", "Gains most on"), (-beyond, "Topics below", "Loses most on"))
    for signed, count, title in sides:
        furthest = np.argsort(-np.nan_to_num(signed), axis=1, kind="stable")[:, :N_EXTREMES]
        cells = []
        for row, i, topics in zip(signed, order, furthest, strict=True):
            names = [(evaluated.topics[t], f" ({far[i, t]:{form}})") for t in topics if row[t] > 0]
            cells.append(Cell(names=names) if names else Cell(MISSING))
        columns += [_texts(count, np.sum(signed > 0, axis=1)), Column(title, cells, False, True)]
    return columns


def forest(evaluated: Evaluated, results: Compared) -> dict[str, Any]:
    """Return the forest plot of the eight best systems that were compared with one: positions from 0 to 200."""
    points = np.array([results.comparison.difference, results.low, results.high])
    if evaluated.baseline is None:
        # the first system minus each; subtracting from 0 turns -0 into 0
        points = 0.0 - points[[0, 2, 1]]
    finite = np.isfinite(points).all(axis=0)
    place = {int(i): k for k, i in enumerate(results.others)}
    chosen = [k for i in evaluated.order if (k := place.get(int(i))) is not None and finite[k]][:8]
    shown = np.append(points[1:, chosen], 0.0)
    left, width = shown.min(), float(np.ptp(shown)) or 1.0
    at = (8 + 184 * (points - left) / width).round(1)
    rows = [
        {
            "system": evaluated.systems[results.others[k]],
            **dict(zip(("mark", "low", "high"), at[:, k].tolist(), strict=True)),
            "is_significant": bool(results.significant[k]),
            "difference": " ".join(filter(None, difference_shown(*points[:, k]))),
            "pvalue": pvalue(results.adjusted[k], evaluated.alpha),
        }
        for k in chosen
    ]
    return {"zero": round(8 - 184 * float(left / width), 1), "rows": rows, "n_tested": int(finite.sum())}
