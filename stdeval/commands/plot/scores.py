"""Pictures of the scores of all runs: heatmap, scores, mapping and topics."""

from __future__ import annotations

from stdeval.cli.options import Gaps, InputOptions, StandardizationOptions
from stdeval.cli.pictures import (
    Picture,
    marked_indices,
    picture_of_scores,
    read_scores,
    runs_option,
    schemes_option,
)
from stdeval.cli.tables import warn_of_set_aside
from stdeval.cli.types import Choice, option
from stdeval.plots import schemes as scheme_figures
from stdeval.plots import score_figures
from stdeval.plots.score_figures import check_drawable
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.schemes import mapping_curves
from stdeval.stats.ranking import coverage
from stdeval.table import rows_for

_sort_option = option(
    "--sort",
    "The axes that are sorted by mean, in the first panel.",
    Choice(list(score_figures.SORTS)),
    default="both",
)


@picture_of_scores(
    "heatmap",
    "-m map -o heatmap.png qrels.gz references/*.run.gz",
    schemes_option(shown="raw, n"),
    runs_option,
    _sort_option,
)
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
    picture.draw(score_figures.heatmap, tables, sort=sort, marked=marked_indices(inputs, runs, raw.systems))


@picture_of_scores(
    "scores",
    "-m map -o scores.png qrels.gz references/*.run.gz",
    schemes_option(shown="raw, n"),
    runs_option,
)
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
    picture.draw(score_figures.scores, tables, marked=marked_indices(inputs, runs, raw.systems))


@picture_of_scores(
    "mapping",
    "-m map -o mapping.png qrels.gz references/*.run.gz",
    schemes_option(shown="n, u, e where reference scores are known", raw=False),
)
def mapping(
    inputs: InputOptions, standardization: StandardizationOptions, schemes: tuple[str, ...], picture: Picture
) -> None:
    """Raw to standardized scores, a curve per topic."""
    raw, tables, factors = read_scores(inputs, standardization, schemes or ("n", "u", "e"))
    check_drawable(raw)
    used = fit_factors(raw) if factors is None else factors
    curves = {scheme: mapping_curves(raw, used, scheme) for scheme in tables}
    means = None
    if factors is not None:
        of_measure = factors.mean[:, factors.measures.index(raw.measures[0])]
        means = rows_for(of_measure, factors.topics, raw.topics)
    picture.draw(scheme_figures.mapping, raw, tables, curves, topic_means=means)


@picture_of_scores(
    "topics",
    "-m map -o topics.svg qrels.gz references/*.run.gz",
    schemes_option(shown="raw, n, u; with --run or -F also e where reference scores are known"),
    runs_option,
)
def topics(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    runs: tuple[str, ...],
    picture: Picture,
) -> None:
    """A box of scores for each topic."""
    # runs that are their own reference runs have the same scores by E on every topic
    usual = ("raw", "n", "u", "e") if runs or standardization.factor_files else ("raw", "n", "u")
    raw, tables, _ = read_scores(inputs, standardization, schemes or usual)
    check_drawable(raw)
    picture.draw(scheme_figures.topics, raw, tables, marked=marked_indices(inputs, runs, raw.systems))
