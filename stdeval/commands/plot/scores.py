"""Pictures of the scores of all runs: heatmap, scores, mapping and topics."""

from __future__ import annotations

import numpy as np

from stdeval import plots
from stdeval.cli.declarations import Choice, option
from stdeval.cli.options import Gaps
from stdeval.cli.pictures import Given, picture_of_scores, runs_option, schemes_option
from stdeval.cli.tables import compared_runs
from stdeval.standardization.factors import align, fit_factors
from stdeval.standardization.schemes import mapping_curves


@picture_of_scores(
    "heatmap",
    "-m map -o heatmap.png qrels.gz references/*.run.gz",
    schemes_option(show_default="raw, n; raw of fewer than five runs without -F"),
    runs_option,
    option("--sort", "Axes to sort by mean.", Choice(["both", "systems", "topics", "none"]), default="both"),
)
def heatmap(given: Given, sort: str) -> None:
    """All scores, systems x topics."""
    raw, tables, _ = given.read("raw", "n")
    if sort in ("both", "systems"):
        compared_runs(~np.isnan(next(iter(tables.values())).values[:, :, 0]), raw.systems)
    given.picture.draw(plots.heatmap, tables, sort=sort, marked=given.marked(raw.systems))


@picture_of_scores(
    "scores",
    "-m map -o scores.png qrels.gz references/*.run.gz",
    schemes_option(show_default="raw, n; raw of fewer than five runs without -F"),
    runs_option,
)
def scores(given: Given) -> None:
    """How all scores of all runs are distributed."""
    # files of different names may be of collections that have nothing in common
    gaps: Gaps = "ignore" if any(file.name for file in given.inputs.score_files) else "warn"
    raw, tables, _ = given.read("raw", "n", several=True, gaps=gaps)
    given.picture.draw(plots.scores, tables, marked=given.marked(raw.systems))


@picture_of_scores(
    "mapping",
    "-m map -o mapping.png qrels.gz references/*.run.gz",
    schemes_option(show_default="n, u, e where reference scores are known", raw=False),
)
def mapping(given: Given) -> None:
    """Raw to standardized scores, a curve per topic."""
    raw, tables, factors = given.read("n", "u", "e")
    used = fit_factors(raw) if factors is None else factors
    curves = {scheme: mapping_curves(raw, used, scheme) for scheme in tables}
    means = None if factors is None else align(factors.mean, factors, raw.topics, raw.measures)[:, 0]
    given.picture.draw(plots.mapping, raw, tables, curves, topic_means=means)


@picture_of_scores(
    "topics",
    "-m map -o topics.svg qrels.gz references/*.run.gz",
    schemes_option(show_default="raw, n; raw of fewer than five runs without -F"),
    runs_option,
)
def topics(given: Given) -> None:
    """A box of scores for each topic."""
    raw, tables, _ = given.read("raw", "n")
    given.picture.draw(plots.topics, raw, tables, marked=given.marked(raw.systems))
