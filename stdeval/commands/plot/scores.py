"""Pictures of the scores of all runs: heatmap, means, scores, mapping and topics."""

from __future__ import annotations

import click

from stdeval.cli.inputs import warn_of_set_aside
from stdeval.cli.options import (
    Choice,
    Gaps,
    GroupedCommand,
    InputOptions,
    StandardizationOptions,
    factor_options,
    factor_options_without_leave_out,
    input_options,
    scheme_option,
)
from stdeval.cli.pictures import SIDE_BY_SIDE, Picture, marked_indices, picture_options, read_scores, runs_option
from stdeval.plots import schemes as scheme_figures
from stdeval.plots import score_figures
from stdeval.plots.score_figures import check_drawable
from stdeval.standardization.factors import Factors, fit_factors
from stdeval.standardization.schemes import mapping_curves
from stdeval.stats.ranking import coverage
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
    """All scores, systems x topics."""
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
    """How all scores of all runs are distributed."""
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
    """Raw to standardized scores, a curve per topic."""
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
    """A box of scores for each topic."""
    # runs that are their own reference runs have the same scores by E on every topic
    known = bool(runs or standardization.factor_files or standardization.leave_out)
    usual = ("raw", "n", "u", "e") if known else ("raw", "n", "u")
    raw, tables, _ = read_scores(inputs, standardization, schemes or usual)
    check_drawable(raw)
    marked = marked_indices(inputs, runs, raw.systems)
    picture.save(scheme_figures.topics(raw, tables, marked=marked, size=picture.size, title=picture.title))
