"""The sections that look at single topics, by the main measure, each from an `Evaluated`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stdeval.html.elements import MISSING, Head, Markup, join, number, picture, table, text
from stdeval.html.report_data import Evaluated
from stdeval.plots import scheme_figures
from stdeval.stats.moments import moments
from stdeval.stats.noise import decimals, rounded
from stdeval.table import Floats, Ints

RUN_COLUMNS = 8
"""Runs up to which each one has a column in the table of topics."""

N_EXTREMES = 3
"""Topics shown of each run, on which it gains or loses the most."""


def topics_section(evaluated: Evaluated) -> Markup:
    """Return the scores of references and runs on each topic, the topics that are hard for the references first."""
    tables = evaluated.main_tables
    figure = scheme_figures.topics(tables["raw"], tables, size="page")
    names = f"{evaluated.raw_name} and {evaluated.standardized_name}"
    told = f"Two panels, {names}, with a box for each topic, by rising mean; see the table below."
    drawn = picture("boxes", figure, f"The runs' scores on each topic: {names}", told)
    return join([drawn, _topic_table(evaluated)])


def _topic_table(evaluated: Evaluated) -> Markup:
    few = evaluated.order[: RUN_COLUMNS if len(evaluated.order) <= RUN_COLUMNS else 0]
    judged = ["Judged", "Relevant"] if evaluated.sources.judged else []
    means = (f"Mean {evaluated.raw_name}", "sd")
    heads = [
        Head("Topic", False),
        *map(Head, judged),
        *(Head(f"{column} of {whose}") for whose in _topic_moments(evaluated) for column in means),
        Head("Best run", False),
        *(Head(f"{evaluated.standardized_name} of {evaluated.systems[i]}") for i in few),
    ]
    caption = "Hard topics first: those on which the references achieve the least."
    return table(caption, heads, _topic_rows(evaluated, few))


def _topic_moments(evaluated: Evaluated) -> dict[str, tuple[Floats, Floats]]:
    """Return mean and sd of the raw scores on each topic: of the references, and of the runs if they are others."""
    by_owner = {"references": (evaluated.references.mean, evaluated.references.sd)}
    if evaluated.sources.factors:
        mean, sd, _ = moments(evaluated.raw_scores)
        by_owner["runs"] = (mean, sd)
    return by_owner


def _topic_rows(evaluated: Evaluated, few: Ints) -> Iterator[list[Markup]]:
    """Yield the row of each topic, with the standardized scores of a few runs."""
    columns = [column for pair in _topic_moments(evaluated).values() for column in pair]
    judged = evaluated.sources.judged
    # argsort puts NaN, topics without factors, last
    means = evaluated.references.mean
    for t in np.argsort(rounded(means, decimals(means)), kind="stable"):
        yield [
            text(evaluated.topics[t]),
            *(text(str(n)) for n in (judged[evaluated.raw.topics[t]] if judged else ())),
            *(number(column[t]) for column in columns),
            _best(evaluated.systems, evaluated.raw_scores[:, t]),
            *(number(evaluated.standardized_scores[i, t]) for i in few),
        ]


def _best(systems: tuple[str, ...], scores: Floats) -> Markup:
    """Return the best run on one topic, or the number of the best runs if there are several, with their score."""
    if np.isnan(scores).all():
        return text(MISSING)
    free = rounded(scores, decimals(scores))
    best = np.flatnonzero(free == np.nanmax(free))
    named = systems[best[0]] if len(best) == 1 else f"{len(best)} runs"
    return text(f"{named} ({scores[best[0]]:.4f})")


def gains_section(evaluated: Evaluated) -> Markup:
    """Return the topics on which each run is furthest above and furthest below the mean of the references."""
    scores, neutral = evaluated.standardized_scores, evaluated.neutral
    beyond = rounded(scores - neutral, decimals(scores))
    rows = [
        [
            text(evaluated.systems[i]),
            text(str(int(np.sum(beyond[i] > 0)))),
            text(_furthest(evaluated.topics, scores[i], beyond[i])),
            text(str(int(np.sum(beyond[i] < 0)))),
            text(_furthest(evaluated.topics, scores[i], -beyond[i])),
        ]
        for i in evaluated.order
    ]
    heads = [
        Head("Run", False),
        Head("Topics above"),
        Head("Gains most on", False),
        Head("Topics below"),
        Head("Loses most on", False),
    ]
    name = evaluated.standardized_name
    return table(f"Topics with {name} above and below {neutral:g}, and those furthest from it.", heads, rows)


def _furthest(names: tuple[str, ...], scores: Floats, beyond: Floats) -> str:
    """Return the topics that are furthest beyond the neutral score, with their scores."""
    order = np.argsort(-np.nan_to_num(beyond), kind="stable")[:N_EXTREMES]
    return ", ".join(f"{names[t]} ({scores[t]:.2f})" for t in order if beyond[t] > 0) or MISSING
