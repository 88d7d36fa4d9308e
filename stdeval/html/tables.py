"""The tables of the page: columns, rows and cells, as the templates take them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from stdeval.display import shown_pvalue
from stdeval.html.comparisons import N_EXTREMES, Compared
from stdeval.html.report_data import Evaluated, Kind
from stdeval.measures.facts import is_better_higher
from stdeval.measures.publication import publication_name
from stdeval.noise import decimals, rounded
from stdeval.stats.moments import moments
from stdeval.table import Floats, Ints

MISSING = "–"
"""Stands in a cell that has no value."""

JUDGED_TITLE = "Judged@10"
"""The title of the column with the share of judged documents, which is also that of the measure judged_10."""

RUN_COLUMNS = 8
"""The greatest number of runs that have a column each in the table of topics."""

PRINTED_COLUMNS, PRINTED_MEANS = 11, 8
"""The greatest number of columns of a leaderboard on a printed page, and of means that stand beside names only."""


@dataclass(frozen=True)
class Column:
    """The head of a column.

    Parameters
    ----------
    title : str
    is_numeric : bool
    is_rising : bool
        The first click sorts in ascending order, as for names and p-values.
    sorted : {"", "ascending", "descending"}
        The order of the rows, if it is that of this column.
    run : str
        The run with whose name the title ends.
    part : int
        The part of the table that the column is in if the table is too wide for a printed page; the column of
        names is in each part.
    """

    title: str
    is_numeric: bool = True
    is_rising: bool = False
    sorted: str = ""
    run: str = ""
    part: int = 0


@dataclass(frozen=True)
class Cell:
    """A cell: names of runs or topics, each followed by some text, or a text, which an interval may follow."""

    text: str = ""
    interval: str = ""
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Row:
    """A row, whose first cell is its head; the place of its run or topic in the order of the page."""

    place: int
    cells: list[Cell]


@dataclass(frozen=True)
class Table:
    """A table; `of` says whether its rows are runs or topics."""

    name: str
    of: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]


def named(name: str, after: str = "") -> Cell:
    """Return a cell with the name of a run or topic."""
    return Cell(names=((name, after),))


def number(value: float, form: str = ".4f") -> Cell:
    """Return a cell with a number; NaN is a dash."""
    return Cell(MISSING if isnan(value) else format(value, form))


def with_interval(value: float, low: float, high: float, form: str = ".4f") -> Cell:
    """Return a cell with a number and its interval."""
    if not np.isfinite([value, low, high]).all():
        return number(value, form)
    return Cell(format(value, form), f"[{low:{form}}, {high:{form}}]")


def pvalue(value: float, alpha: float = 0.05) -> str:
    """Return a p-value with three significant digits, or with more until they show whether it is at most alpha.

    Examples
    --------
    >>> pvalue(7.12345e-7, 0.05), pvalue(0.25, 0.05)
    ('7.12e-7', '0.25')
    """
    return MISSING if isnan(value) else shown_pvalue(value, alpha).replace("e-0", "e-")


def leaderboard(evaluated: Evaluated) -> Table:
    """Return means with intervals by every measure, and significance groups by the main measure."""
    means = evaluated.mean_intervals()
    groups = {kind.name: evaluated.groups(j) for j, kind in enumerate(evaluated.kinds)}
    grouped = {name: each for name, each in groups.items() if each is not None}
    main = evaluated.main
    # the share has a column already if it is a measure of the report
    judged = None if JUDGED_TITLE in map(publication_name, means) else evaluated.judged
    last = [Column(f"Group by {name}", is_rising=True) for name in grouped]
    last += [Column(JUDGED_TITLE)] if judged is not None else []
    parts = _parts(len(means), len(evaluated.kinds), PRINTED_COLUMNS - 2 - len(last))
    columns = [
        Column("Run", False, True),
        Column("Topics"),
        *(
            Column(_with_direction(measure), sorted="descending" if measure == main.measure else "", part=part)
            for measure, part in zip(means, parts, strict=True)
        ),
        *last,
    ]
    rows = [
        [
            named(evaluated.systems[i]),
            Cell(evaluated.topic_counts[i]),
            *(with_interval(*(each[i] for each in column)) for column in means.values()),
            *(Cell(_group_span(each, i)) for each in grouped.values()),
            *([] if judged is None else [number(judged[i], ".3f")]),
        ]
        for i in evaluated.order
    ]
    percent = f"{100 * evaluated.settings.confidence:g}%"
    caption = f"Means over topics with {percent} t intervals, by falling {main.name}."
    return Table("leaderboard", "run", caption, columns, [Row(k, row) for k, row in enumerate(rows)])


def _parts(n: int, width: int, room: int) -> list[int]:
    """Return the part of each of n columns of means, if the first part has room for so many of them.

    The columns of one measure, `width` of them, stay together.

    Examples
    --------
    >>> _parts(8, 2, 6)
    [0, 0, 0, 0, 0, 0, 1, 1]
    """
    first, later = room // width, PRINTED_MEANS // width
    return [max(0, (i // width - first) // later + 1) for i in range(n)]


def _with_direction(measure: str) -> str:
    """Return the name of a measure; it says so if lower is better."""
    name = publication_name(measure)
    return name if is_better_higher(measure) else f"{name}, lower is better"


def _group_span(groups: tuple[Ints, Ints], i: int) -> str:
    """Return the groups of the i-th system, such as ``2`` or ``1–3``."""
    first, last = groups[0][i], groups[1][i]
    if not first:
        return MISSING
    return f"{first}" if first == last else f"{first}–{last}"


def comparison_table(evaluated: Evaluated, results: Compared) -> Table:
    """Return the comparisons by one kind of scores, in the order of the runs."""
    differ = bool((results.comparison.n_a < len(evaluated.topics)).any())
    columns = [Column("Run", False, True), *([Column("Topics")] if differ else []), Column("Difference")]
    columns += [Column("d"), Column("Wins"), Column("Ties"), Column("Losses")]
    columns += [Column("p", is_rising=True), Column("p adjusted", is_rising=True)]
    rows = [
        Row(place, _comparison_row(evaluated, results, int(np.flatnonzero(results.others == i)[0]), differ))
        for place, i in enumerate(evaluated.order)
        if i != results.against
    ]
    caption = f"{results.kind.name}: differences with adjusted {100 * results.level:g}% intervals."
    return Table(f"comparison-{results.kind.measure}", "run", caption, columns, rows)


def _comparison_row(evaluated: Evaluated, results: Compared, k: int, with_topics: bool) -> list[Cell]:
    comparison = results.comparison
    counts = (comparison.wins, comparison.ties, comparison.losses)
    star = " *" if results.significant[k] else ""
    return [
        named(evaluated.systems[results.others[k]]),
        *([Cell(str(comparison.n_a[k]))] if with_topics else []),
        with_interval(comparison.difference[k], results.low[k], results.high[k], "+.4f"),
        number(comparison.effect_size[k], "+.2f"),
        *(Cell(str(n[k])) for n in counts if n is not None),
        Cell(pvalue(comparison.pvalue[k], results.alpha)),
        Cell(pvalue(results.adjusted[k], results.alpha) + star),
    ]


def topic_table(evaluated: Evaluated) -> Table:
    """Return the scores of references and runs on each topic, hard topics first."""
    judged = ["Judged", "Relevant"] if evaluated.sources.judged else []
    raw, is_alone = evaluated.kinds[0].name, len(evaluated.systems) == 1
    columns = [Column("Topic", False, True), *map(Column, judged)]
    for whose in _topic_moments(evaluated):
        columns.append(Column(f"Mean {raw} of {whose}", sorted="ascending" if whose == "runs" else ""))
        columns.append(Column(f"sd of {whose}"))
    columns += [] if is_alone else [Column("Best run", False, True)]
    for kind, i in _single_runs(evaluated):
        order = "ascending" if is_alone and kind.scheme == "raw" else ""
        columns.append(Column(f"{kind.name} of {evaluated.systems[i]}", sorted=order, run=evaluated.systems[i]))
    lowest = f"the run has the lowest {raw}" if is_alone else f"the runs have the lowest mean {raw}"
    rows = [Row(place, row) for place, row in enumerate(_topic_rows(evaluated))]
    return Table("topics", "topic", f"Hard topics first: those on which {lowest}.", columns, rows)


def _single_runs(evaluated: Evaluated) -> list[tuple[Kind, int]]:
    """Return the runs that have columns in the table of topics, with the scores: both kinds if there is one run."""
    if len(evaluated.order) == 1:
        return [(kind, 0) for kind in evaluated.kinds]
    return [(evaluated.main, i) for i in evaluated.order] if len(evaluated.order) <= RUN_COLUMNS else []


def _topic_moments(evaluated: Evaluated) -> dict[str, tuple[Floats, Floats]]:
    """Return mean and sd of the raw scores on each topic: of the runs, and of the references if they are others."""
    by_owner = {}
    if len(evaluated.systems) > 1:
        mean, sd, _ = moments(evaluated.kinds[0].scores)
        by_owner["runs"] = (mean, sd)
    if evaluated.sources.factors and evaluated.references is not None:
        by_owner["references"] = (evaluated.references.mean, evaluated.references.sd)
    return by_owner


def _topic_rows(evaluated: Evaluated) -> Iterator[list[Cell]]:
    """Yield the row of each topic, with the scores of single runs."""
    moments_shown = [column for pair in _topic_moments(evaluated).values() for column in pair]
    judged, single = evaluated.sources.judged, _single_runs(evaluated)
    for t in evaluated.topic_order:
        best = [_best(evaluated.systems, evaluated.kinds[0].scores[:, t])] if len(evaluated.systems) > 1 else []
        yield [
            named(evaluated.topics[t]),
            *(Cell(str(n)) for n in (judged[evaluated.raw.topics[t]] if judged else ())),
            *(number(column[t]) for column in moments_shown),
            *best,
            *(number(kind.scores[i, t]) for kind, i in single),
        ]


def _best(systems: tuple[str, ...], scores: Floats) -> Cell:
    """Return the best run on one topic, or the number of the best runs if there are several, with their score."""
    if np.isnan(scores).all():
        return Cell(MISSING)
    free = rounded(scores, decimals(scores))
    best = np.flatnonzero(free == np.nanmax(free))
    score = f" ({scores[best[0]]:.4f})"
    return named(systems[best[0]], score) if len(best) == 1 else Cell(f"{len(best)} runs{score}")


def gains_table(evaluated: Evaluated) -> Table:
    """Return the topics on which each run is furthest above and furthest below the mean.

    The mean is that of the references or, by raw scores, that of the runs.
    """
    scores, name = evaluated.main.scores, evaluated.main.name
    if evaluated.standardized is None:
        caption = f"Topics with {name} above and below the mean of the runs, and those furthest from it."
        beyond, form = scores - moments(scores)[0], "+.2f"
        shown = beyond
    else:
        caption = f"Topics with {name} above and below {evaluated.neutral:g}, and those furthest from it."
        beyond, form = scores - evaluated.neutral, ".2f"
        shown = scores
    beyond = rounded(beyond, decimals(scores))
    rows = [
        [
            named(evaluated.systems[i]),
            Cell(str(int(np.sum(beyond[i] > 0)))),
            _furthest(evaluated.topics, shown[i], beyond[i], form),
            Cell(str(int(np.sum(beyond[i] < 0)))),
            _furthest(evaluated.topics, shown[i], -beyond[i], form),
        ]
        for i in evaluated.order
    ]
    columns = [Column("Run", False, True), Column("Topics above"), Column("Gains most on", False, True)]
    columns += [Column("Topics below"), Column("Loses most on", False, True)]
    return Table("gains", "run", caption, columns, [Row(k, row) for k, row in enumerate(rows)])


def _furthest(names: tuple[str, ...], shown: Floats, beyond: Floats, form: str) -> Cell:
    """Return the topics that are furthest beyond the mean, with the numbers to show."""
    order = np.argsort(-np.nan_to_num(beyond), kind="stable")[:N_EXTREMES]
    found = tuple((names[t], f" ({shown[t]:{form}})") for t in order if beyond[t] > 0)
    return Cell(names=found) if found else Cell(MISSING)
