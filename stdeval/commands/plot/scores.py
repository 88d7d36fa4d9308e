"""Pictures of the scores of all runs: heatmap, means, scores, mapping and topics."""

from __future__ import annotations

import click
import numpy as np

from stdeval.commands.input_options import Gaps, InputOptions, input_options
from stdeval.commands.inputs import common_topics_told, warn_of_set_aside
from stdeval.commands.options import interval_option
from stdeval.commands.parameter_types import Choice
from stdeval.commands.picture import Picture, picture_options
from stdeval.commands.plot.inputs import SIDE_BY_SIDE, one_scheme_option, read_scores
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    default_schemes,
    factor_options,
    factor_options_without_leave_out,
    scheme_option,
)
from stdeval.formats.listing import topic_counts
from stdeval.mapping import mapping_curves
from stdeval.plots import scheme_figures, score_figures
from stdeval.plots.score_panels import check_drawable
from stdeval.standardization import fit_factors
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.coverage import coverage
from stdeval.stats.intervals import t_interval


@click.command("heatmap")
@input_options
@factor_options
@scheme_option(SIDE_BY_SIDE, shown="raw, n")
@click.option(
    "--sort",
    type=Choice(["both", "systems", "topics", "none"]),
    default="both",
    show_default=True,
    help="What is in the order of its mean raw score.",
)
@picture_options
def heatmap(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    sort: str,
    picture: Picture,
) -> None:
    """All scores: systems x topics, lighter is higher.

    The panels are in the order of the first one (Webber 2008, Figure 1). Incomplete runs, without a topic that most
    runs have, stand below the others, under a line; if the numbers of topics differ, they are given.
    """
    raw, tables, _ = read_scores(inputs, standardization, schemes or ("raw", "n"))
    check_drawable(raw)
    if sort in ("both", "systems"):
        warn_of_set_aside(coverage(next(iter(tables.values())).values[:, :, 0]), raw.systems)
    picture.save(score_figures.heatmap(tables, sort=sort, size=picture.size, title=picture.title))


@click.command("means")
@input_options
@factor_options
@one_scheme_option
@interval_option(0.95, "Confidence of the t intervals.")
@picture_options
def means(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    scheme: str | None,
    confidence: float,
    picture: Picture,
) -> None:
    """Systems by mean, with confidence intervals.

    The highest mean is at the top (Webber 2008, Figure 2). Incomplete runs, without a topic that most runs have,
    stand below the others, in gray; if the numbers of topics differ, they are given.
    """
    (chosen,) = default_schemes((scheme,) if scheme else (), standardization)
    table = read_scores(inputs, standardization, (chosen,)).tables[chosen]
    facts = coverage(table.values[:, :, 0])
    warn_of_set_aside(facts, table.systems)
    values = facts.comparable(table.values[:, :, 0])
    counts = topic_counts((~np.isnan(values)).sum(axis=1, keepdims=True).tolist())
    figure = score_figures.means(
        table.systems
        if counts is None
        else [f"{system} (n={n})" for system, n in zip(table.systems, counts, strict=True)],
        arithmetic_mean(values),
        *t_interval(values, level=confidence),
        measure=table.measures[0],
        scheme=chosen,
        confidence=confidence,
        ranked=facts.ranked,
        topics=common_topics_told(facts) if facts.is_reduced else "",
        size=picture.size,
        title=picture.title,
    )
    picture.save(figure)


@click.command("scores")
@input_options
@factor_options
@scheme_option(SIDE_BY_SIDE, shown="raw, n")
@picture_options
def scores(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    picture: Picture,
) -> None:
    """How all scores of all runs are distributed.

    Raw against standardized, by each measure named (Webber 2008, Figure 3; Ravana 2009, Figures 6 and 8). Several
    collections stand in one picture as --scores NAME=FILE each, whatever their runs and topics (Figure 4).
    """
    # files of different names may be of collections that have nothing in common
    gaps: Gaps = "ignore" if any(file.name for file in inputs.score_files) else "warn"
    raw, tables, _ = read_scores(inputs, standardization, schemes or ("raw", "n"), several=True, gaps=gaps)
    for name in raw.measures:
        check_drawable(raw.select(measures=[name]))
    picture.save(score_figures.scores(tables, size=picture.size, title=picture.title))


@click.command("mapping")
@input_options
@factor_options_without_leave_out
@scheme_option(SIDE_BY_SIDE, shown="n, u, e where reference scores are known", raw=False)
@picture_options
def mapping(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    picture: Picture,
) -> None:
    """Raw to standardized scores, a curve a topic.

    The observed scores are points (Urbano 2019, Figure 1 top).
    """
    raw, tables, factors = read_scores(inputs, standardization, schemes or ("n", "u", "e"))
    check_drawable(raw)
    used = fit_factors(raw) if factors is None else factors
    A, B, censor = standardization.A, standardization.B, standardization.censor
    curves = {scheme: mapping_curves(raw, used, scheme, A=A, B=B, censor=censor) for scheme in tables}
    picture.save(scheme_figures.mapping(raw, tables, curves, size=picture.size, title=picture.title))


@click.command("topics")
@input_options
@factor_options
@scheme_option(SIDE_BY_SIDE, shown="raw, n, u, e where reference scores are known")
@picture_options
def topics(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    picture: Picture,
) -> None:
    """A box of scores for each topic.

    In the order of the mean raw score; means are marked (Urbano 2019, Figure 1 bottom).
    """
    raw, tables, _ = read_scores(inputs, standardization, schemes or ("raw", "n", "u", "e"))
    check_drawable(raw)
    picture.save(scheme_figures.topics(raw, tables, size=picture.size, title=picture.title))
