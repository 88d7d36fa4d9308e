"""The tables of the page: columns, rows and cells, as the templates take them, and how numbers are shown."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from stdeval.display import listed, shown_decimals, shown_pvalue
from stdeval.html.data import N_EXTREMES, Compared, Evaluated
from stdeval.measures.names import is_better_higher, publication_name, split_scheme
from stdeval.noise import decimals, rounded
from stdeval.plots import layout
from stdeval.standardization.schemes import SCHEMES
from stdeval.stats.aggregates import moments
from stdeval.table import Floats

MISSING = "–"
"""Stands in a cell that has no value."""

JUDGED_TITLE = "Judged@10"
"""The title of the column with the share of judged documents, which is also that of the measure judged_10."""

RUN_COLUMNS = 8
"""The greatest number of runs that have a column each in the table of topics."""

PRINTED_COLUMNS, PRINTED_MEANS = 11, 8
"""The greatest number of columns of a leaderboard on a printed page, and of means that stand beside names only."""


class Column(NamedTuple):
    """The head of a column; on paper, columns of means stand in several parts of the table."""

    title: str
    is_numeric: bool = True
    is_rising: bool = False
    sorted: str = ""
    run: str = ""
    part: int = 0


class Cell(NamedTuple):
    """A cell: names of runs or topics, each followed by some text, or a text, which an interval may follow."""

    text: str = ""
    interval: str = ""
    names: Sequence[tuple[str, str]] = ()


class Table(NamedTuple):
    """A table of runs or topics: the cells of each, the first of them its head, and its place in their order."""

    name: str
    of: str
    caption: str
    columns: list[Column]
    rows: list[tuple[int, list[Cell]]]


def printable(plain: object) -> object:
    """Return a text with unprintable characters replaced; anything else, and HTML, as it is."""
    return "\n".join(map(layout.printable, plain.split("\n"))) if type(plain) is str else plain


def named(name: str, after: str = "") -> Cell:
    """Return a cell with the name of a run or topic."""
    return Cell(names=((name, after),))


def number(value: float, form: str = ".4f", low: float = nan, high: float = nan) -> Cell:
    """Return a cell with a number, a dash if it is NaN, and with its interval, if that is finite."""
    interval = f"[{low:{form}}, {high:{form}}]" if np.isfinite([value, low, high]).all() else ""
    return Cell(MISSING if isnan(value) else format(value, form), interval)


def pvalue(value: float, alpha: float = 0.05) -> str:
    """Return a p-value with three significant digits, or with more until they show whether it is at most alpha."""
    return MISSING if isnan(value) else shown_pvalue(value, alpha).replace("e-0", "e-")


def difference_shown(difference: float, low: float, high: float) -> tuple[str, str]:
    """Return a difference and its interval, with signs; the interval is empty if unknown or one point."""
    digits = shown_decimals(difference)
    # adding 0 turns -0 into 0
    shown, *ends = (f"{round(number, digits) + 0.0:+.{digits}f}" for number in (difference, low, high))
    ends = [end if float(end) else end[1:] for end in ends]
    return shown, f"[{', '.join(ends)}]" if low != high and np.isfinite([low, high]).all() else ""


def scheme_told(evaluated: Evaluated) -> str:
    """Return the scheme in words, or the schemes by which the scores were standardized before they were read."""
    if evaluated.standardized is not None:
        cut = "censored to [0, 1]" if evaluated.censored else "not censored"
        line = f"{evaluated.slope:g} z + {evaluated.neutral:g}, {cut}"
        return f"{evaluated.scheme}: {line if evaluated.scheme == 'U' else SCHEMES[evaluated.scheme].title}"
    letters = {name: letter for name in evaluated.raw.measures if (letter := split_scheme(name)[0])}
    told = f"stored as standardized by {' and '.join(dict.fromkeys(letters.values()))}"
    if len(letters) == len(evaluated.raw.measures):
        return told
    return "none: scores are not standardized" + (f", except {listed(list(letters))}, {told}" if letters else "")


def leaderboard(evaluated: Evaluated) -> Table:
    """Return means with intervals by every measure, and significance groups by the main measure."""
    means, main = evaluated.mean_intervals, evaluated.main
    groups = {kind.name: evaluated.groups(j) for j, kind in enumerate(evaluated.kinds)}
    grouped = {name: each.tolist() for name, each in groups.items() if each is not None}
    # the share has a column already if it is a measure of the report
    judged = None if JUDGED_TITLE in map(publication_name, means) else evaluated.judged
    last = [Column(f"Group by {name}", is_rising=True) for name in grouped]
    last += [Column(JUDGED_TITLE)] if judged is not None else []
    # raw and standardized means stay together
    together = len(evaluated.kinds)
    first, later = (PRINTED_COLUMNS - 2 - len(last)) // together, PRINTED_MEANS // together
    columns = [Column("Run", False, True), Column("Topics")]
    for i, measure in enumerate(means):
        title = publication_name(measure) + ("" if is_better_higher(measure) else ", lower is better")
        part = max(0, (i // together - first) // later + 1)
        columns.append(Column(title, sorted="descending" if measure == main.measure else "", part=part))
    counts = (~np.isnan(evaluated.comparable)).sum(axis=1).reshape(len(evaluated.systems), -1)
    rows = [
        [
            named(evaluated.systems[i]),
            Cell(_span(min(counts[i][counts[i] > 0], default=0), max(counts[i]))),
            *(number(mean[i], ".4f", low[i], high[i]) for mean, low, high in means.values()),
            *(Cell(_span(low, high, "–") if low else MISSING) for low, high in (of[i] for of in grouped.values())),
            *([] if judged is None else [number(judged[i], ".3f")]),
        ]
        for i in evaluated.order
    ]
    percent = f"{100 * evaluated.confidence:g}%"
    caption = f"Means over topics with {percent} t intervals, by falling {main.name}."
    return Table("leaderboard", "run", caption, [*columns, *last], [*enumerate(rows)])


def _span(low: int, high: int, dash: str = "-") -> str:
    return f"{low}" if low == high else f"{low}{dash}{high}"


def comparison_table(evaluated: Evaluated, results: Compared) -> Table:
    """Return the comparisons by one kind of scores, in the order of the runs."""
    comparison, significant = results.comparison, results.significant
    differ = bool((comparison.n_a < len(evaluated.topics)).any())
    columns = [Column("Run", False, True), *([Column("Topics")] if differ else [])]
    columns += map(Column, ("Difference", "d", "Wins", "Ties", "Losses"))
    columns += [Column("p", is_rising=True), Column("p adjusted", is_rising=True)]
    counts = [n for n in (comparison.wins, comparison.ties, comparison.losses) if n is not None]
    rows = []
    for place, i in enumerate(evaluated.order):
        for k in np.flatnonzero(results.others == i):
            row = [
                named(evaluated.systems[i]),
                *([Cell(str(comparison.n_a[k]))] if differ else []),
                number(comparison.difference[k], "+.4f", results.low[k], results.high[k]),
                number(comparison.effect_size[k], "+.2f"),
                *(Cell(str(n[k])) for n in counts),
                Cell(pvalue(comparison.pvalue[k], results.alpha)),
                Cell(pvalue(results.adjusted[k], results.alpha) + (" *" if significant[k] else "")),
            ]
            rows.append((place, row))
    caption = f"{results.kind.name}: differences with adjusted {100 * results.level:g}% intervals."
    return Table(f"comparison-{results.kind.measure}", "run", caption, columns, rows)


def topic_table(evaluated: Evaluated) -> Table:
    """Return the scores of references and runs on each topic, hard topics first."""
    raw, is_alone, systems = evaluated.kinds[0], len(evaluated.systems) == 1, evaluated.systems
    judged, references = evaluated.sources.judged, evaluated.references
    means: dict[str, tuple[Floats, Floats]] = {} if is_alone else {"runs": moments(raw.scores)[:2]}
    if evaluated.sources.factors and references is not None:
        means["references"] = (references.mean, references.sd)
    # columns of single runs: of both kinds if there is one run
    single = [(kind, 0) for kind in evaluated.kinds] if is_alone else [(evaluated.main, i) for i in evaluated.order]
    single = single if len(systems) <= RUN_COLUMNS else []
    columns = [Column("Topic", False, True), *map(Column, ("Judged", "Relevant") if judged else ())]
    for whose in means:
        columns.append(Column(f"Mean {raw.name} of {whose}", sorted="ascending" if whose == "runs" else ""))
        columns.append(Column(f"sd of {whose}"))
    columns += [] if is_alone else [Column("Best run", False, True)]
    for kind, i in single:
        order = "ascending" if is_alone and kind is raw else ""
        columns.append(Column(f"{kind.name} of {systems[i]}", sorted=order, run=systems[i]))
    rows = [
        [
            named(evaluated.topics[t]),
            *(Cell(str(n)) for n in (judged[evaluated.raw.topics[t]] if judged else ())),
            *(number(column[t]) for pair in means.values() for column in pair),
            *([] if is_alone else [_best(systems, raw.scores[:, t])]),
            *(number(kind.scores[i, t]) for kind, i in single),
        ]
        for t in evaluated.topic_order
    ]
    lowest = f"the run has the lowest {raw.name}" if is_alone else f"the runs have the lowest mean {raw.name}"
    return Table("topics", "topic", f"Hard topics first: those on which {lowest}.", columns, [*enumerate(rows)])


def _best(systems: Sequence[str], scores: Floats) -> Cell:
    """Return the best run on one topic, or the number of the best runs if there are several, with their score."""
    if np.isnan(scores).all():
        return Cell(MISSING)
    free = rounded(scores, decimals(scores))
    best = np.flatnonzero(free == np.nanmax(free))
    score = f" ({scores[best[0]]:.4f})"
    return named(systems[best[0]], score) if len(best) == 1 else Cell(f"{len(best)} runs{score}")


def gains_table(evaluated: Evaluated) -> Table:
    """Return the topics on which each run is furthest above and furthest below the mean."""
    scores, name, is_raw = evaluated.main.scores, evaluated.main.name, evaluated.standardized is None
    middle = moments(scores)[0] if is_raw else evaluated.neutral
    than = "the mean of the runs" if is_raw else f"{evaluated.neutral:g}"
    caption = f"Topics with {name} above and below {than}, and those furthest from it."
    # differences from the mean of the runs, but standardized scores as they are
    form = "+.2f" if is_raw else ".2f"
    beyond = rounded(scores - middle, decimals(scores))

    rows = []
    for i in evaluated.order:
        row, far = [named(evaluated.systems[i])], scores[i] - middle if is_raw else scores[i]
        for signed in (beyond[i], -beyond[i]):
            furthest = [t for t in np.argsort(-np.nan_to_num(signed), kind="stable")[:N_EXTREMES] if signed[t] > 0]
            found = [(evaluated.topics[t], f" ({far[t]:{form}})") for t in furthest]
            row += [Cell(str(int(np.sum(signed > 0)))), Cell(names=found) if found else Cell(MISSING)]
        rows.append(row)
    columns = [Column("Run", False, True)]
    for count, topics in (("Topics above", "Gains most on"), ("Topics below", "Loses most on")):
        columns += [Column(count), Column(topics, False, True)]
    return Table("gains", "run", caption, columns, [*enumerate(rows)])
