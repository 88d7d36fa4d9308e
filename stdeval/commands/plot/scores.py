"""Pictures of the scores of all runs: heatmap, means, scores, mapping and topics."""

from __future__ import annotations

import click

from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import Gaps, InputOptions, input_options
from stdeval.commands.parameter_types import Choice
from stdeval.commands.picture import Picture, picture_options
from stdeval.commands.plot.inputs import SIDE_BY_SIDE, marked_indices, read_scores, runs_option
from stdeval.commands.set_aside import warn_of_set_aside
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    factor_options,
    factor_options_without_leave_out,
    scheme_option,
)
from stdeval.plots import scheme_figures, score_figures
from stdeval.plots.score_panels import check_drawable
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.mapping import mapping_curves
from stdeval.stats.coverage import coverage
from stdeval.table import Floats, rows_for


@click.command(
    "heatmap",
    cls=GroupedCommand,
    epilog="Example: stdeval plot heatmap -m map -o heatmap.png qrels.gz references/*.run.gz",
)
@input_options
@factor_options
@scheme_option(SIDE_BY_SIDE, shown="raw, n")
@runs_option
@click.option(
    "--sort",
    type=Choice(["both", "systems", "topics", "none"]),
    default="both",
    show_default=True,
    help="The axes that are sorted by mean, in the first panel.",
)
@picture_options
def heatmap(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    runs: tuple[str, ...],
    sort: str,
    picture: Picture,
) -> None:
    """All scores, systems x topics.

    The panels are in the order of the first one (Webber 2008, Figure 1). Lighter is higher for raw scores;
    standardized scores are blue above the middle and red below it. Incomplete runs, without a topic that most runs
    have, stand below the others, under a line. A number of topics that is not that of most runs stands beside the
    name. The rows of --run are marked.
    """
    raw, tables, _ = read_scores(inputs, standardization, schemes or ("raw", "n"))
    check_drawable(raw)
    if sort in ("both", "systems"):
        warn_of_set_aside(coverage(next(iter(tables.values())).values[:, :, 0]), raw.systems)
    marked = marked_indices(inputs, runs, raw.systems)
    picture.save(score_figures.heatmap(tables, sort=sort, marked=marked, size=picture.size, title=picture.title))


@click.command(
    "scores",
    cls=GroupedCommand,
    epilog="Example: stdeval plot scores -m map -o scores.png qrels.gz references/*.run.gz",
)
@input_options
@factor_options
@scheme_option(SIDE_BY_SIDE, shown="raw, n")
@runs_option
@picture_options
def scores(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    runs: tuple[str, ...],
    picture: Picture,
) -> None:
    """How all scores of all runs are distributed.

    Raw against standardized, by each measure named (Webber 2008, Figure 3; Ravana 2009, Figures 6 and 8). Several
    collections stand in one picture as --scores NAME=FILE each, whatever their runs and topics (Figure 4). The runs
    of --run have curves of their own.
    """
    # files of different names may be of collections that have nothing in common
    gaps: Gaps = "ignore" if any(file.name for file in inputs.score_files) else "warn"
    raw, tables, _ = read_scores(inputs, standardization, schemes or ("raw", "n"), several=True, gaps=gaps)
    for name in raw.measures:
        check_drawable(raw.select(measures=[name]))
    marked = marked_indices(inputs, runs, raw.systems)
    picture.save(score_figures.scores(tables, marked=marked, size=picture.size, title=picture.title))


@click.command(
    "mapping",
    cls=GroupedCommand,
    epilog="Example: stdeval plot mapping -m map -o mapping.png qrels.gz references/*.run.gz",
)
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
    """Raw to standardized scores, a curve per topic.

    The observed scores are points (Urbano 2019, Figure 1 top). The colour is the mean of the reference scores.
    """
    raw, tables, factors = read_scores(inputs, standardization, schemes or ("n", "u", "e"))
    check_drawable(raw)
    used = fit_factors(raw) if factors is None else factors
    A, B, censor = standardization.A, standardization.B, standardization.censor
    curves = {scheme: mapping_curves(raw, used, scheme, A=A, B=B, censor=censor) for scheme in tables}
    means = None if factors is None else rows_for(_means_of(factors, raw.measures[0]), factors.topics, raw.topics)
    shown = scheme_figures.mapping(raw, tables, curves, topic_means=means, size=picture.size, title=picture.title)
    picture.save(shown)


def _means_of(factors: Factors, measure: str) -> Floats:
    return factors.mean[:, factors.measures.index(measure)]


@click.command(
    "topics",
    cls=GroupedCommand,
    epilog="Example: stdeval plot topics -m map -o topics.svg qrels.gz references/*.run.gz",
)
@input_options
@factor_options
@scheme_option(SIDE_BY_SIDE, shown="raw, n, u; with --run or -F also e where reference scores are known")
@runs_option
@picture_options
def topics(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    runs: tuple[str, ...],
    picture: Picture,
) -> None:
    """A box of scores for each topic.

    In the order of the mean raw score; means are marked (Urbano 2019, Figure 1 bottom). With --run, the boxes are
    those of the other runs, with their median and best score, and the scores of the run are points over them.
    """
    # runs that are their own reference runs have the same scores by E on every topic
    known = bool(runs or standardization.factor_files or standardization.leave_out)
    usual = ("raw", "n", "u", "e") if known else ("raw", "n", "u")
    raw, tables, _ = read_scores(inputs, standardization, schemes or usual)
    check_drawable(raw)
    marked = marked_indices(inputs, runs, raw.systems)
    picture.save(scheme_figures.topics(raw, tables, marked=marked, size=picture.size, title=picture.title))
