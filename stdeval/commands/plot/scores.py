"""Pictures of the scores of all runs: heatmap, scores, mapping and topics; and of rank weights."""

from __future__ import annotations

import numpy as np

from stdeval import plots
from stdeval.cli import scoring
from stdeval.cli.declarations import Choice, WholeRange, stdeval_command
from stdeval.cli.options import Gaps, measure_option, option
from stdeval.cli.pictures import Given, Picture, picture_of_scores, picture_options, runs_option, schemes_option
from stdeval.measures import names, papers
from stdeval.standardization import factors as references
from stdeval.standardization import schemes as scaling


@picture_of_scores(
    "heatmap",
    "-m map -o heatmap.png qrels.gz references/*.run.gz",
    schemes_option(),
    runs_option,
    option("--sort", "Axes to sort by mean.", Choice(["both", "systems", "topics", "none"]), default="both"),
)
def heatmap(given: Given, sort: str) -> None:
    """All scores, systems x topics."""
    raw, tables, _ = given.read("raw", "n")
    if sort in ("both", "systems"):
        scoring.compared_runs(~np.isnan(next(iter(tables.values())).values[:, :, 0]), raw.systems)
    given.picture.draw(plots.heatmap, tables, sort=sort, marked=given.marked(raw.systems))


@picture_of_scores(
    "scores",
    "-m map -o scores.png qrels.gz references/*.run.gz",
    schemes_option(),
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
    used = references.fit_factors(raw) if factors is None else factors
    curves = {scheme: scaling.mapping_curves(raw, used, scheme) for scheme in tables}
    means = None if factors is None else references.align(factors.mean, factors, raw.topics, raw.measures)[:, 0]
    given.picture.draw(plots.mapping, raw, tables, curves, topic_means=means)


@picture_of_scores(
    "topics",
    "-m map -o topics.svg qrels.gz references/*.run.gz",
    schemes_option(),
    runs_option,
)
def topics(given: Given) -> None:
    """A box of scores for each topic."""
    raw, tables, _ = given.read("raw", "n")
    given.picture.draw(plots.topics, raw, tables, marked=given.marked(raw.systems))


@stdeval_command("plot weights", "-m jkdcg -m rbp_p=0.95 -k 100 -o weights.png")
@measure_option
@option("-k --depth DEPTH n_ranks", "Number of ranks, from 1 on.", WholeRange(1, 100_000), default=100)
@picture_options
def weights(measures: tuple[str, ...], n_ranks: int, picture: Picture) -> None:
    """Rank weights of measures."""
    chosen = names.resolve(measures or ("dcg", "rbp_p=0.8", "rbp_p=0.95"))
    values = np.stack([papers.weights_of(measure, n_ranks) for measure in chosen])
    picture.draw(plots.weights, [measure.name for measure in chosen], values)
