"""`stdeval plot`: pictures of scores, of standardization, and of what the meta-evaluation commands compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from stdeval.commands.options import (
    baseline_option,
    factor_options,
    interval_option,
    measure_option,
    schemes_option,
    score_inputs,
)
from stdeval.commands.pictures import picture_options

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stdeval.commands.inputs import Inputs
    from stdeval.commands.pictures import Picture
    from stdeval.commands.standardization import Standardization
    from stdeval.table import Floats, ScoreTable

DEFAULT_WEIGHTS = ("dcg", "rbp_p=0.8", "rbp_p=0.95")

CURVES = {
    "power": (
        "Discriminative power over levels of significance.",
        "Reads what 'stdeval meta power', 'within' or 'between' writes: alpha, power, and where there are measure, "
        "scheme and type1, the rate of Type I errors. One level alone is drawn as a row a measure.",
    ),
    "tau": (
        "Densities of correlations over trials.",
        "Reads what 'stdeval meta within' or 'between' writes with --trials-out: value, and where there are "
        "coefficient, measure and scheme.",
    ),
    "split": (
        "Self-consistency over topic splits.",
        "Reads what 'stdeval meta split' writes: with --trials-out densities over the trials, else mean tau over "
        "epsilon; by aggregate, measure and scheme.",
    ),
    "drmse": (
        "Differences of collections.",
        "Reads what 'stdeval meta collections' writes: drmse, and where there are measure, scheme, pair, and low "
        "and high, the percentiles over re-partitions.",
    ),
    "references": (
        "Rankings with fewer reference systems.",
        "Reads what 'stdeval meta references' writes: size, median, and where there are p5 and p1.",
    ),
}


@click.group("plot")
def command() -> None:
    """Draw a picture: png, svg or pdf.

    heatmap, means, scores, mapping, topics and compare draw scores, of one measure: map, or that of -m. power,
    tau, split, depth, drmse and references draw the CSV of the meta-evaluation command. The same input gives
    the same bytes, and no display is needed. Needs matplotlib: pip install 'stdeval[plot]'.
    """


def _one_measure(inputs: Inputs, standardization: Standardization) -> ScoreTable:
    """The raw scores by the measure asked for."""
    from dataclasses import replace

    asked = inputs if inputs.measures or inputs.from_scores else replace(inputs, measures=("map",))
    table = standardization.raw_scores(asked)
    if inputs.measures and len(table.measures) > 1:
        raise click.UsageError(f"a picture is of one measure, expected one of: {', '.join(table.measures)}")
    return table.select(measures=table.measures[:1])


def _draw_schemes(
    draw: Callable[..., Figure],
    inputs: Inputs,
    standardization: Standardization,
    schemes: tuple[str, ...],
    picture: Picture,
    **parameters: Any,
) -> None:
    """A picture of one measure by some schemes; e is left out where the factors do not have it."""
    factors = standardization.factors
    shown = [s for s in schemes if s != "e" or factors is None or factors.reference is not None] or list(schemes)
    table = _one_measure(inputs, standardization)
    standardization.tables(table, shown)  # warns of what has no factors
    picture.save(draw, table, schemes=shown, factors=factors, uniform=standardization.uniform, **parameters)


def _one_scheme(
    inputs: Inputs, standardization: Standardization, scheme: str | None
) -> tuple[str, str, ScoreTable]:
    """Measure, scheme, and the scores by it: raw, or with factors n, where none is named."""
    chosen = scheme or ("n" if standardization.factor_files else "raw")
    table = _one_measure(inputs, standardization)
    return table.measures[0], chosen, standardization.tables(table, [chosen])[chosen]


_scheme = click.option(
    "--scheme",
    type=click.Choice(["raw", "z", "n", "u", "e"], case_sensitive=False),
    show_default="raw, with -F n",
    help="Raw scores, or z score, normal, uniform, empirical.",
)


@command.command("heatmap")
@score_inputs
@factor_options
@schemes_option("raw, n")
@click.option(
    "--sort",
    type=click.Choice(["both", "systems", "topics", "none"]),
    default="both",
    show_default=True,
    help="What is in the order of its mean raw score.",
)
@picture_options
def heatmap(
    inputs: Inputs, standardization: Standardization, schemes: tuple[str, ...], sort: str, picture: Picture
) -> None:
    """All scores: systems x topics, lighter is higher.

    The panels are in the order of the first one (Webber 2008, Figure 1).
    """
    from stdeval import plots

    _draw_schemes(plots.heatmap, inputs, standardization, schemes or ("raw", "n"), picture, sort=sort)


@command.command("means")
@score_inputs
@factor_options
@_scheme
@interval_option(0.95, "Confidence of the t intervals.")
@picture_options
def means(
    inputs: Inputs, standardization: Standardization, scheme: str | None, confidence: float, picture: Picture
) -> None:
    """Systems by mean, with confidence intervals.

    The best is at the top (Webber 2008, Figure 2).
    """
    from stdeval import plots
    from stdeval.stats.aggregates import arithmetic_mean
    from stdeval.stats.intervals import t_interval

    measure, chosen, table = _one_scheme(inputs, standardization, scheme)
    values = table.values[:, :, 0]
    figures = arithmetic_mean(values), *t_interval(values, level=confidence)
    picture.save(plots.means, table.systems, *figures, measure=measure, scheme=chosen, confidence=confidence)


@command.command("scores")
@score_inputs
@factor_options
@schemes_option("raw, n")
@picture_options
def scores(inputs: Inputs, standardization: Standardization, schemes: tuple[str, ...], picture: Picture) -> None:
    """How all scores of all runs are distributed.

    Raw against standardized (Webber 2008, Figure 3; Ravana 2009, Figure 4).
    """
    from stdeval import plots

    _draw_schemes(plots.scores, inputs, standardization, schemes or ("raw", "n"), picture)


@command.command("mapping")
@score_inputs
@factor_options
@schemes_option("n, u, e where reference scores are known", raw=False)
@picture_options
def mapping(inputs: Inputs, standardization: Standardization, schemes: tuple[str, ...], picture: Picture) -> None:
    """Raw to standardized scores, a curve a topic.

    The observed scores are points (Urbano 2019, Figure 1 top).
    """
    from stdeval import plots

    _draw_schemes(plots.mapping, inputs, standardization, schemes or ("n", "u", "e"), picture)


@command.command("topics")
@score_inputs
@factor_options
@schemes_option("raw, n, u, e where reference scores are known")
@picture_options
def topics(inputs: Inputs, standardization: Standardization, schemes: tuple[str, ...], picture: Picture) -> None:
    """A box of scores for each topic.

    In the order of the mean raw score; means are marked (Urbano 2019, Figure 1 bottom).
    """
    from stdeval import plots

    _draw_schemes(plots.topics, inputs, standardization, schemes or ("raw", "n", "u", "e"), picture)


@command.command("compare")
@score_inputs
@factor_options
@_scheme
@baseline_option
@click.option("--run", "other", metavar="RUN", help="The run that is compared, where there are several others.")
@interval_option(0.95, "Confidence of the t interval of the mean difference.")
@picture_options
def compare(
    inputs: Inputs,
    standardization: Standardization,
    scheme: str | None,
    baseline: str | None,
    other: str | None,
    confidence: float,
    picture: Picture,
) -> None:
    """Differences of two runs, topic by topic.

    Sorted, with the mean and its interval. The other runs that are given are references only.
    """
    from stdeval import plots
    from stdeval.stats.significance import compare as compare_scores

    measure, chosen, table = _one_scheme(inputs, standardization, scheme)
    first, second = _two_systems(inputs, table.systems, other, baseline)
    a, b = table.values[[first, second], :, 0]
    found = compare_scores(a, b, level=confidence)
    picture.save(
        plots.compare,
        table.topics,
        a - b,
        (float(found.low), float(found.high)),
        measure=measure,
        scheme=chosen,
        systems=(table.systems[first], table.systems[second]),
        confidence=confidence,
    )


def _two_systems(
    inputs: Inputs, systems: tuple[str, ...], other: str | None, baseline: str | None
) -> tuple[int, int]:
    """The run compared and the baseline; of two runs the last is the baseline if none is named."""
    if len(systems) < 2 or (len(systems) > 2 and not (other and baseline)):
        raise click.UsageError(f"{len(systems)} runs, expected two, or --run RUN and --baseline RUN among more")
    named = [None if name is None else inputs.system(name, systems) for name in (other, baseline)]
    first = named[0] if named[0] is not None else 1 - named[1] if named[1] is not None else 0
    second = named[1] if named[1] is not None else 1 - first
    if first == second:
        raise click.UsageError(f"'{systems[first]}' is the run and the baseline, expected two runs")
    return first, second


@command.command("weights")
@measure_option
@click.option(
    "-k",
    "depth",
    type=click.IntRange(1, 100_000),
    default=100,
    show_default=True,
    metavar="K",
    help="Number of ranks.",
)
@picture_options
def weights(measures: tuple[str, ...], depth: int, picture: Picture) -> None:
    """Rank weights of measures.

    DCG at the right, RBP at the left (Webber 2010, Figure 1): dcg, jkdcg, rbp_p=P and their normalized forms.
    Without -m those of dcg, rbp_p=0.8 and rbp_p=0.95.
    """
    import numpy as np

    from stdeval import plots
    from stdeval.measures.names import resolve
    from stdeval.measures.weights import rank_weights

    chosen = resolve(measures or DEFAULT_WEIGHTS)
    values: Floats = np.stack([rank_weights(measure, depth) for measure in chosen])
    left = [measure.name for measure in chosen if measure.persistence is not None]
    right = [measure.name for measure in chosen if left and measure.name not in left]
    picture.save(plots.weights, [measure.name for measure in chosen], values, right)


_files = click.argument("files", nargs=-1, required=True, metavar="FILE...")


@command.command("depth")
@_files
@click.option("--value", default="power", show_default=True, metavar="COLUMN", help="What is drawn: power or mean.")
@picture_options
def depth(files: tuple[str, ...], value: str, picture: Picture) -> None:
    """Power by evaluation depth, a curve a pool depth.

    Reads what 'stdeval meta depth' writes: pool_depth, depth, power or mean, and where there are measure and form.
    One FILE may be - for standard input.
    """
    _draw_rows("depth", files, picture, value=value)


def _draw_rows(kind: str, files: tuple[str, ...], picture: Picture, **parameters: Any) -> None:
    """A picture of the rows of CSV files; what is wrong in a row is told with its place."""
    from stdeval import plots
    from stdeval.errors import InputError
    from stdeval.files import Input
    from stdeval.formats.tables import read_tidy

    if files.count("-") > 1:
        raise click.UsageError("standard input (-) can be read once only")
    rows, places = read_tidy([Input(path) for path in files])
    try:
        picture.save(getattr(plots, kind), rows, **parameters)
    except InputError as error:
        if error.path is not None:
            raise
        place = (places[0][0], None) if error.line is None else places[(error.line - 2) % len(places)]
        raise InputError(error.message, *place) from None


def _curves(kind: str, short: str, read: str) -> click.Command:
    @click.command(kind, help=f"{short}\n\n{read} One FILE may be - for standard input.")
    @_files
    @picture_options
    def curves(files: tuple[str, ...], picture: Picture) -> None:
        _draw_rows(kind, files, picture)

    return curves


for _kind, _texts in CURVES.items():
    command.add_command(_curves(_kind, *_texts))
