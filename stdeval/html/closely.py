"""The sections that look at single topics and runs, by the first measure."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stdeval.html.elements import Head, Markup, join, number, paragraph, picture, table, text, with_interval
from stdeval.html.evaluated import Evaluated
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.moments import moments
from stdeval.stats.significance import Comparison
from stdeval.table import Floats, Ints

FEW = 8
"""Runs of which each has a column in the table of topics."""

EXTREMES = 3
"""Topics shown of each run, on which it gains or loses the most."""


def topics(evaluated: Evaluated) -> Markup:
    """What references and runs achieve on each topic, those first on which the references achieve least."""
    from stdeval import plots

    raw, standardized = evaluated.main
    figure = plots.topics(
        evaluated.raw,
        evaluated.measure,
        ["raw", evaluated.scheme],
        evaluated.factors,
        uniform=evaluated.uniform,
        size="page",
    )
    told = f"Two panels, {raw} and {standardized}, with a box for each topic, by rising mean; see the table below."
    return join(
        [
            picture("boxes", figure, f"The runs' scores on each topic: {raw} and {standardized}", told),
            _topic_table(evaluated),
        ]
    )


def _topic_table(evaluated: Evaluated) -> Markup:
    raw, standardized = evaluated.main
    few = evaluated.order[: FEW if len(evaluated.order) <= FEW else 0]
    judged = ["Judged", "Relevant"] if evaluated.sources.judged else []
    heads = [
        Head("Topic", False),
        *map(Head, judged),
        *(Head(f"{column} of {whose}") for whose in _averaged(evaluated) for column in (f"Mean {raw}", "sd")),
        Head("Best run", False),
        *(Head(f"{standardized} of {evaluated.systems[i]}") for i in few),
    ]
    caption = "Hard topics first: those on which the references achieve the least."
    return table(caption, heads, _topic_rows(evaluated, few))


def _averaged(evaluated: Evaluated) -> dict[str, tuple[Floats, Floats]]:
    """Mean and sd of the raw scores on each topic: of the references, and of the runs where these are others."""
    found = {"references": evaluated.reference_moments}
    if evaluated.sources.factors:
        mean, sd, _ = moments(evaluated.raw.values[:, :, 0])
        found["runs"] = (mean, sd)
    return found


def _topic_rows(evaluated: Evaluated, few: Ints) -> Iterator[list[Markup]]:
    scores, standardized = evaluated.main.values()
    columns = [column for pair in _averaged(evaluated).values() for column in pair]
    judged = evaluated.sources.judged
    for t in np.argsort(columns[0], kind="stable"):
        topic = evaluated.raw.topics[t]
        yield [
            text(evaluated.topics[t]),
            *(text(str(n)) for n in (judged[topic] if judged else ())),
            *(number(column[t]) for column in columns),
            _best(evaluated.systems, scores[:, t]),
            *(number(standardized[i, t]) for i in few),
        ]


def _best(systems: tuple[str, ...], scores: Floats) -> Markup:
    if np.isnan(scores).all():
        return text("–")
    best = int(np.nanargmax(scores))
    return text(f"{systems[best]} ({scores[best]:.4f})")


def gains_and_losses(evaluated: Evaluated) -> Markup:
    """The topics on which each run is most above and most below what the references achieve on average."""
    name, scores = list(evaluated.main.items())[1]
    neutral = evaluated.neutral
    above = [int(np.sum(row > neutral)) for row in scores]
    rows = [
        [
            text(evaluated.systems[i]),
            text(str(above[i])),
            text(_extremes(evaluated.topics, scores[i], neutral, 1)),
            text(str(int(np.sum(scores[i] < neutral)))),
            text(_extremes(evaluated.topics, scores[i], neutral, -1)),
        ]
        for i in evaluated.order
    ]
    heads = [Head("Run", False), Head("Topics above"), Head("Gains most on", False), Head("Topics below")]
    caption = f"Topics with {name} above and below {neutral:g}, and those furthest from it."
    return table(caption, [*heads, Head("Loses most on", False)], rows)


def _extremes(names: tuple[str, ...], scores: Floats, neutral: float, sign: int) -> str:
    """Topics on one side, the furthest first, with their scores."""
    beyond = np.nan_to_num(sign * (scores - neutral))
    order = np.argsort(-beyond, kind="stable")[:EXTREMES]
    return ", ".join(f"{names[t]} ({scores[t]:.2f})" for t in order if beyond[t] > 0) or "–"


def against_baseline(evaluated: Evaluated, baseline: int) -> Markup:
    """The other runs against the baseline, by raw and standardized scores."""
    alpha, name = evaluated.settings.alpha, evaluated.systems[baseline]
    if len(evaluated.systems) < 2:
        return paragraph("There is no other run.")
    tables = [_comparison_table(evaluated, kind, scores, baseline) for kind, scores in evaluated.main.items()]
    told = (
        f"Differences are those of the run less {name}, on the topics that both have; d is the mean difference "
        "over the standard deviation of the differences. p is of Student's paired t test, two-sided, and adjusted "
        f"for the number of runs by Holm's method; * marks what is below {alpha:g}."
    )
    return join([paragraph(told), *tables, _differences(evaluated, baseline)])


def _comparison_table(evaluated: Evaluated, kind: str, scores: Floats, baseline: int) -> Markup:
    others, found, adjusted = evaluated.compared(scores, baseline)
    heads = [Head("Run", False), Head("Difference"), Head("d"), *map(Head, ("Wins", "Ties", "Losses"))]
    order = np.argsort(-found.difference, kind="stable")
    rows = [_comparison_row(evaluated, others, found, adjusted, k) for k in order]
    caption = f"{kind}: differences with {100 * evaluated.settings.confidence:g}% t intervals."
    return table(caption, [*heads, Head("p"), Head("p adjusted")], rows)


def _comparison_row(
    evaluated: Evaluated, others: Ints, found: Comparison, adjusted: Floats, k: int
) -> list[Markup]:
    star = " *" if adjusted[k] < evaluated.settings.alpha else ""
    counts = (found.wins, found.ties, found.losses)
    return [
        text(evaluated.systems[others[k]]),
        with_interval(found.difference[k], found.low[k], found.high[k], "+.4f"),
        number(found.effect_size[k], "+.2f"),
        *(text(str(n[k])) for n in counts if n is not None),
        number(found.pvalue[k], ".3g"),
        join([number(adjusted[k], ".3g"), text(star)]),
    ]


def _differences(evaluated: Evaluated, baseline: int) -> Markup:
    """Topic by topic, the best of the other runs less the baseline."""
    from stdeval import plots

    name, scores = list(evaluated.main.items())[1]
    means = arithmetic_mean(np.delete(scores, baseline, axis=0))
    if np.isnan(means).all():
        return Markup("")
    best = int(np.delete(np.arange(len(scores)), baseline)[np.nanargmax(means)])
    others, found, _ = evaluated.compared(scores, baseline)
    k = int(np.flatnonzero(others == best)[0])
    systems = (evaluated.systems[best], evaluated.systems[baseline])
    figure = plots.compare(
        evaluated.raw.topics,
        scores[best] - scores[baseline],
        (float(found.low[k]), float(found.high[k])),
        measure=evaluated.measure,
        scheme=evaluated.scheme,
        systems=systems,
        confidence=evaluated.settings.confidence,
        size="page",
    )
    title = f"{systems[0]} less {systems[1]}: {name}, topic by topic"
    told = "A bar for each topic, by falling difference, with the mean and its interval."
    return picture("differences", figure, title, told)
