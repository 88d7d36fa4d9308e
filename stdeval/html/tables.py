"""The tables of the page: columns, rows and cells, as the templates take them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from stdeval.display import counted, listed, shown_decimals, shown_pvalue
from stdeval.html.data import N_EXTREMES, Compared, Evaluated, Kind, References
from stdeval.measures.names import is_better_higher, publication_name, split_scheme
from stdeval.noise import decimals, rounded
from stdeval.plots import layout as short_names
from stdeval.standardization.schemes import SCHEMES
from stdeval.stats.aggregates import moments
from stdeval.table import Floats, Ints

SCALES = {
    "Z": "Z is the distance from the references' mean in their standard deviations: 0 is what they achieve on "
    "average, and 1 is one standard deviation above.",
    "N": "N is the share of a normal distribution below it, by the references' mean and standard deviation: 0.5 is "
    "what they achieve on average, 0.84 is one standard deviation above, and 0.16 one below.",
    "U": "U is {line}, where z is the distance from the references' mean in their standard deviations: {neutral:g} "
    "is what they achieve on average.",
    "E": "E is the share of the reference scores that are no greater: 0.9 is reached or exceeded by few of them, "
    "and 0.5 is their median.",
    "M": "M is the share of the reference scores that are lower, plus half the share of those that are equal: 0.9 "
    "is reached by few of them, and 0.5 is their average, however many of them are equal.",
}


def printable(plain: object) -> object:
    """Return a text with unprintable characters replaced; anything else, and HTML, as it is."""
    if type(plain) is not str:
        return plain
    return "\n".join(short_names.printable(line) for line in plain.split("\n"))


def difference_shown(difference: float, low: float, high: float) -> tuple[str, str]:
    """Return a difference and its interval, with signs; the interval is empty if unknown or one point."""
    digits = shown_decimals(difference)
    # adding 0 turns -0 into 0
    shown, *ends = (f"{round(number, digits) + 0.0:+.{digits}f}" for number in (difference, low, high))
    ends = [end if float(end) else end[1:] for end in ends]
    return shown, f"[{', '.join(ends)}]" if low != high and np.isfinite([low, high]).all() else ""


def differences_told(n_better: int, n_worse: int, n_similar: int, n_untested: int) -> str:
    """Return in words how many runs differ significantly from one; numbers that are 0 are left out."""
    outcomes = (
        (n_better, "is", "are", "significantly better"),
        (n_worse, "is", "are", "significantly worse"),
        (n_similar, "does", "do", "not differ significantly"),
        (n_untested, "is", "are", "not tested (incomplete)"),
    )
    told = [f"{n} {one if n == 1 else many} {outcome}" for n, one, many, outcome in outcomes if n]
    return " and ".join(filter(None, [", ".join(told[:-1]), told[-1]]))


def adjusted_told(n_tested: int, *, with_baseline: bool) -> str:
    """Return in words for how many comparisons the answer is adjusted, if n other runs are tested."""
    if with_baseline:
        return f"adjusted for {n_tested} comparisons with the baseline"
    return f"adjusted for {n_tested * (n_tested + 1) // 2:,} pairs of {n_tested + 1} runs"


def ranked_told(evaluated: Evaluated) -> str:
    """Return in words which runs are ranked."""
    facts = evaluated.coverage
    if facts.ranked.all():
        return "all runs"
    return "all runs with scores" if (facts.ranked & ~facts.complete).any() else "all complete runs"


def common_told(evaluated: Evaluated) -> str:
    """Return in words how many topics the ranked runs have in common."""
    numbers = evaluated.coverage.common.sum(axis=0)
    low, high = int(numbers[numbers > 0].min()), int(numbers.max())
    told = counted(low, "topic") if low == high else f"{low} to {high} topics, depending on the measure,"
    return f"the {told} that {ranked_told(evaluated)} have, not all {len(evaluated.topics)}"


def scheme_told(evaluated: Evaluated) -> str:
    """Return the scheme in words."""
    if evaluated.standardized is None:
        return _stored_schemes_told(evaluated.raw.measures)
    told = _line_told(evaluated) if evaluated.scheme == "U" else SCHEMES[evaluated.scheme].title
    return f"{evaluated.scheme}: {told}"


def _stored_schemes_told(measures: Sequence[str]) -> str:
    """Return in words the schemes by which scores were standardized before they were read."""
    letters = {name: split_scheme(name)[0] for name in measures}
    stored = [name for name in measures if letters[name]]
    told = f"stored as standardized by {' and '.join(dict.fromkeys(letters[name] for name in stored))}"
    if len(stored) == len(measures):
        return told
    return "none: scores are not standardized" + (f", except {listed(stored)}, {told}" if stored else "")


def _line_told(evaluated: Evaluated) -> str:
    """Return the line of scheme U, in words."""
    cut = "censored to [0, 1]" if evaluated.censored else "not censored"
    return f"{evaluated.slope:g} z + {evaluated.neutral:g}, {cut}"


def references_told(references: References, n_topics: int) -> str:
    """Return how many references there are on how many topics, in words."""
    n = references.n_systems
    numbers = "an unknown number of" if n is None else "–".join(map(str, sorted(set(n))))
    told = [f"{numbers} systems on {counted(references.n_topics, 'topic')}"]
    if references.n_topics < n_topics:
        told.append(f"{counted(n_topics - references.n_topics, 'topic')} without factors")
    if references.n_constant:
        told.append(f"on {counted(references.n_constant, 'topic')} all equal by some measure")
    return "; ".join(told)


def reading(evaluated: Evaluated) -> str:
    """Return sentences on how to read the scores, their intervals and groups."""
    on_intervals = "An interval says how much a mean depends on the choice of topics"
    if any(evaluated.tukey):
        on_intervals += ", and runs that share a significance group should not be ranked by their means"
    if evaluated.standardized is None:
        return f"{on_intervals}."
    scale = SCALES[evaluated.scheme].format(line=_line_told(evaluated), neutral=evaluated.neutral)
    return (
        "A standardized score says where a run stands among the reference systems on the same topic, so that "
        f"easy and hard topics weigh the same in a mean. {scale} "
        f"Means over different topics or collections are comparable to the extent that their references are. "
        f"{on_intervals}."
    )


def groups_told(evaluated: Evaluated) -> str:
    """Return the test behind the significance groups, in words."""
    settings = evaluated.settings
    whose = ranked_told(evaluated)
    counts = [evaluated.ranked_scores(j).shape[1] for j in range(len(evaluated.kinds))]
    of_all = f"of {counted(len(evaluated.topics), 'topic')}"
    where = f"on the {counts[0]} {of_all} that {whose} have"
    if set(counts) == {len(evaluated.topics)}:
        where = f"on {'all ' if counts[0] > 1 else ''}{counted(counts[0], 'topic')}"
    elif len(set(counts)) > 1:
        # Without factors for some topics, raw and standardized scores are compared on different topics.
        names = [kind.name for kind in evaluated.kinds]
        by_kind = " and ".join(f"{n} by {name}" for n, name in zip(counts, names, strict=True))
        where = f"on the topics that {whose} have: {by_kind}, {of_all}"
    # A run may beat the baseline by Holm's method although both are in one group, which looks like a contradiction.
    other_test = (
        " The comparison with the baseline is another test, of the pairs with the baseline only: a run may differ "
        "significantly from the baseline and yet share a group with it."
    )
    return (
        "Runs that share a significance group do not differ significantly: randomised Tukey HSD test of all pairs, "
        f"alpha {settings.alpha:g}, {settings.n_resamples} permutations, seed {settings.seed}, "
        f"{where} (Carterette 2012)." + ("" if evaluated.baseline is None else other_test)
    )


def comparison_told(evaluated: Evaluated) -> str:
    """Return how the systems were compared, in words that follow the name of the one system."""
    settings = evaluated.settings
    of_tukey = f"randomised Tukey HSD test, {settings.n_resamples} permutations, seed {settings.seed}"
    family = (
        f"p adjusted and the intervals are adjusted for all pairs of runs: {of_tukey}"
        if evaluated.baseline is None
        else "p adjusted is by Holm's method, and the intervals, which hold together, are by Bonferroni's"
    )
    excludes = "; the interval then excludes 0" if evaluated.baseline is None else ""
    return (
        "d is the mean difference over the standard deviation of the differences. p is of Student's paired t test, "
        f"two-sided; {family}. * marks an adjusted p of at most {settings.alpha:g}{excludes}."
    )

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
    """The head of a column."""

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
    """Return a p-value with three significant digits, or with more until they show whether it is at most alpha."""
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
    """Return the part of each of n columns of means, if the first part has room for so many of them."""
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
    """Return the topics on which each run is furthest above and furthest below the mean."""
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
