"""`stdeval plot`: pictures of scores, of standardization, and of the results of the meta-evaluation commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click
import numpy as np

from stdeval.commands import Group
from stdeval.commands.completion import complete_file
from stdeval.commands.input_options import Gaps, InputOptions, input_options, measure_option
from stdeval.commands.inputs import common_topics_told, takes_scores, warn_of_set_aside
from stdeval.commands.options import baseline_option, interval_option
from stdeval.commands.parameter_types import NAMED_INPUT, Choice, NamedFile, WholeRange
from stdeval.commands.picture import Picture, picture_options
from stdeval.commands.schemes import factors_of, raw_scores, scores_by_scheme, tables_after_warning
from stdeval.commands.selection import system_index
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    default_schemes,
    factor_options,
    factor_options_without_leave_out,
    refuse_unused_parameters,
    scheme_option,
)
from stdeval.display import counted, listed
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.listing import topic_counts
from stdeval.formats.tables import read_tidy
from stdeval.mapping import mapping_curves
from stdeval.measures.names import resolve, split_prefix
from stdeval.measures.weights import rank_weights
from stdeval.meta.trials import overall_scores
from stdeval.plots import meta_figures, scatter_figures, scheme_figures, score_figures, weight_figures
from stdeval.plots.score_panels import check_drawable
from stdeval.plots.tidy_rows import Rows
from stdeval.standardization import fit_factors, needs_reference_scores
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.coverage import coverage
from stdeval.stats.intervals import t_interval
from stdeval.stats.significance import compare as compare_scores
from stdeval.stats.significance import topic_differences
from stdeval.table import Factors, ScoreTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_MEASURES = 4
"""Measures of a scatter plot; five would have ten panels."""

DEFAULT_WEIGHTS = ("dcg", "rbp_p=0.8", "rbp_p=0.95")


@click.group("plot", cls=Group)
def command() -> None:
    """Draw a picture: png, svg or pdf.

    heatmap, means, mapping, topics and compare draw scores, of one measure: map, or that of -m; scores and scatter
    of one or more. power, tau, split, aggregates, depth, drmse and references draw the CSV of the meta-evaluation
    command; with NAME=FILE each, several collections stand in one picture. The same input gives the same bytes, and
    no display is needed. Needs matplotlib: pip install 'stdeval[plot]'.
    """


class Scores(NamedTuple):
    """The raw scores by the one measure of a picture, the scores by each scheme, and the factors."""

    raw: ScoreTable
    tables: dict[str, ScoreTable]
    factors: Factors | None


def _scores(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    *,
    several: bool = False,
    gaps: Gaps = "warn",
) -> Scores:
    """Read and standardize the scores of a picture, which is of one measure, or of `several`.

    If the factors have no reference scores, schemes that need them are left out, unless there are no others.
    """
    refuse_unused_parameters(schemes)
    factors = factors_of(standardization)
    if factors is not None and factors.reference is None:
        schemes = tuple(scheme for scheme in schemes if not needs_reference_scores(scheme)) or schemes
    if not inputs.measures and not takes_scores(inputs):
        raw = raw_scores(inputs._replace(measures=("map",)), standardization, factors)
    else:
        raw = raw_scores(inputs, standardization, factors, gaps)
    if inputs.measures and len(raw.measures) > 1 and not several:
        raise click.UsageError(f"a picture is of one measure, expected one of: {listed(raw.measures)}")
    if not inputs.measures:
        first = split_prefix(raw.measures[0])[1]
        alike = [name for name in raw.measures if split_prefix(name)[1] == first]
        raw = raw.select(measures=alike if several else alike[:1])
    elif not several:
        raw = raw.select(measures=raw.measures[:1])
    return Scores(raw, tables_after_warning(scores_by_scheme(raw, schemes, standardization, factors)), factors)


_SIDE_BY_SIDE = (
    "What is shown side by side: raw scores, z score, normal, uniform, empirical, empirical with mid-ranks; "
    "repeatable."
)

_one_scheme_option = scheme_option(
    "Raw scores, or z score, normal, uniform, empirical, empirical with mid-ranks.",
    shown="raw, with -F n",
    multiple=False,
)


@command.command("heatmap")
@input_options
@factor_options
@scheme_option(_SIDE_BY_SIDE, shown="raw, n")
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
    raw, tables, _ = _scores(inputs, standardization, schemes or ("raw", "n"))
    check_drawable(raw)
    if sort in ("both", "systems"):
        warn_of_set_aside(coverage(next(iter(tables.values())).values[:, :, 0]), raw.systems)
    picture.save(score_figures.heatmap(tables, sort=sort, size=picture.size, title=picture.title))


@command.command("means")
@input_options
@factor_options
@_one_scheme_option
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
    table = _scores(inputs, standardization, (chosen,)).tables[chosen]
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


@command.command("scores")
@input_options
@factor_options
@scheme_option(_SIDE_BY_SIDE, shown="raw, n")
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
    raw, tables, _ = _scores(inputs, standardization, schemes or ("raw", "n"), several=True, gaps=gaps)
    for name in raw.measures:
        check_drawable(raw.select(measures=[name]))
    picture.save(score_figures.scores(tables, size=picture.size, title=picture.title))


@command.command("scatter")
@input_options
@factor_options
@_one_scheme_option
@picture_options
def scatter(
    inputs: InputOptions, standardization: StandardizationOptions, scheme: str | None, picture: Picture
) -> None:
    """Means of systems by every two measures.

    Of two to four measures, or of one measure in files joined by --scores NAME=FILE, such as the same runs at two
    depths (Webber 2010, Figure 2). Above each panel stands tau_b of the two rankings, the best first; 'stdeval meta
    rank' prints it too. Incomplete runs, without a topic that most runs have, are gray and not part of it.
    """
    (chosen,) = default_schemes((scheme,) if scheme else (), standardization)
    table = _scores(inputs, standardization, (chosen,), several=True).tables[chosen]
    if not 2 <= len(table.measures) <= MOST_MEASURES:
        what = f"{counted(len(table.measures), 'measure')} ({listed(table.measures)})"
        raise click.UsageError(f"{what}, expected 2 to {MOST_MEASURES}, by -m or as --scores NAME=FILE each")
    facts = coverage(table.values)
    warn_of_set_aside(facts, table.systems, "gray, and not part of tau")
    comparable = facts.comparable(table.values)
    means = [overall_scores(comparable[:, :, i], arithmetic_mean) for i in range(len(table.measures))]
    figure = scatter_figures.scatter(
        np.stack(means),
        table.measures,
        scheme=chosen,
        ranked=facts.ranked,
        size=picture.size,
        title=picture.title,
    )
    picture.save(figure)


@command.command("mapping")
@input_options
@factor_options_without_leave_out
@scheme_option(_SIDE_BY_SIDE, shown="n, u, e where reference scores are known", raw=False)
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
    raw, tables, factors = _scores(inputs, standardization, schemes or ("n", "u", "e"))
    check_drawable(raw)
    used = fit_factors(raw) if factors is None else factors
    A, B, censor = standardization.A, standardization.B, standardization.censor
    curves = {scheme: mapping_curves(raw, used, scheme, A=A, B=B, censor=censor) for scheme in tables}
    picture.save(scheme_figures.mapping(raw, tables, curves, size=picture.size, title=picture.title))


@command.command("topics")
@input_options
@factor_options
@scheme_option(_SIDE_BY_SIDE, shown="raw, n, u, e where reference scores are known")
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
    raw, tables, _ = _scores(inputs, standardization, schemes or ("raw", "n", "u", "e"))
    check_drawable(raw)
    picture.save(scheme_figures.topics(raw, tables, size=picture.size, title=picture.title))


@command.command("compare")
@input_options
@factor_options
@_one_scheme_option
@baseline_option
@click.option(
    "--run",
    "other",
    metavar="RUN",
    shell_complete=complete_file,
    help="The run that is compared, where there are several others.",
)
@interval_option(0.95, "Confidence of the t interval of the mean difference.")
@picture_options
def compare(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    scheme: str | None,
    baseline: str | None,
    other: str | None,
    confidence: float,
    picture: Picture,
) -> None:
    """Differences of two runs, topic by topic.

    Sorted, with the mean and its interval. The other runs that are given are references only.
    """
    (chosen,) = default_schemes((scheme,) if scheme else (), standardization)
    table = _scores(inputs, standardization, (chosen,)).tables[chosen]
    first, second = _two_systems(inputs, table.systems, other, baseline)
    a, b = table.values[[first, second], :, 0]
    comparison = compare_scores(a, b, level=confidence)
    figure = score_figures.compare(
        table.topics,
        topic_differences(a, b),
        (float(comparison.low), float(comparison.high)),
        measure=table.measures[0],
        scheme=chosen,
        systems=(table.systems[first], table.systems[second]),
        confidence=confidence,
        size=picture.size,
        title=picture.title,
    )
    picture.save(figure)


def _two_systems(
    inputs: InputOptions, systems: tuple[str, ...], other: str | None, baseline: str | None
) -> tuple[int, int]:
    """Return the indices of the run and the baseline; of two runs, the second is the baseline by default."""
    if len(systems) < 2 or (len(systems) > 2 and not (other and baseline)):
        raise click.UsageError(f"{len(systems)} runs, expected two, or --run RUN and --baseline RUN among more")
    named = [None if name is None else system_index(inputs, name, systems) for name in (other, baseline)]
    first = named[0] if named[0] is not None else 1 - named[1] if named[1] is not None else 0
    second = named[1] if named[1] is not None else 1 - first
    if first == second:
        raise click.UsageError(f"'{systems[first]}' is the run and the baseline, expected two runs")
    return first, second


@command.command("weights")
@measure_option
@click.option(
    "-k",
    "--depth",
    "depth",
    type=WholeRange(1, 100_000),
    default=100,
    show_default=True,
    metavar="DEPTH",
    help="Number of ranks, from 1 on.",
)
@picture_options
def weights(measures: tuple[str, ...], depth: int, picture: Picture) -> None:
    """Rank weights of measures.

    DCG at the right, RBP at the left (Webber 2010, Figure 1): dcg, jkdcg, rbp_p=P and their normalized forms.
    Without -m those of dcg, rbp_p=0.8 and rbp_p=0.95.
    """
    chosen = resolve(measures or DEFAULT_WEIGHTS)
    names = [measure.name for measure in chosen]
    values = np.stack([rank_weights(measure, depth) for measure in chosen])
    left = [measure.name for measure in chosen if measure.persistence is not None]
    right = [name for name in names if left and name not in left]
    picture.save(weight_figures.weights(names, values, right, size=picture.size, title=picture.title))


_files = click.argument("files", nargs=-1, type=NAMED_INPUT, required=True, metavar="FILE...")


@contextmanager
def _rows(files: tuple[NamedFile, ...]) -> Iterator[Rows]:
    """Yield the rows of CSV files; an error while they are drawn gets the file and the line of its row."""
    names = [file.name for file in files]
    if any(names) and not all(names):
        raise click.UsageError(f"some of the files have a name, such as {max(names)}=, expected NAME=FILE for all")
    rows, places = read_tidy([Input(file.path) for file in files], names if any(names) else ())
    try:
        yield rows
    except InputError as error:
        # a figure may repeat the rows, once per quantity that it draws; line 1 is the header
        place = (places[0][0], None) if error.line is None else places[(error.line - 2) % len(places)]
        raise error.at(*place) from None


def _draw(
    figure: Callable[..., Figure], files: tuple[NamedFile, ...], picture: Picture, *arguments: object
) -> None:
    """Draw the rows of CSV files by a function of `stdeval.plots.meta_figures`, and save the picture."""
    with _rows(files) as rows:
        picture.save(figure(rows, *arguments, size=picture.size, title=picture.title))


@command.command("depth")
@_files
@click.option("--value", default="power", show_default=True, metavar="COLUMN", help="What is drawn: power or mean.")
@picture_options
def depth(files: tuple[NamedFile, ...], value: str, picture: Picture) -> None:
    """Power by evaluation depth, a curve a pool depth.

    Reads what 'stdeval meta depth' writes: pool_depth, depth, power or mean, and where there are measure and form.
    One FILE may be - for standard input.
    """
    _draw(meta_figures.depth, files, picture, value)


@command.command("power")
@_files
@picture_options
def power(files: tuple[NamedFile, ...], picture: Picture) -> None:
    """Discriminative power over levels of significance.

    Reads what 'stdeval meta power', 'within' or 'between' writes: alpha, power, and where there are measure,
    scheme, test and type1, the rate of Type I errors. One level alone is drawn as a row a measure. One FILE may be
    - for standard input.
    """
    _draw(meta_figures.power, files, picture)


@command.command("tau")
@_files
@picture_options
def tau(files: tuple[NamedFile, ...], picture: Picture) -> None:
    """Densities of correlations over trials.

    Reads what 'stdeval meta within' or 'between' writes with --trials-out: value, and where there are coefficient,
    measure and scheme. One FILE may be - for standard input.
    """
    _draw(meta_figures.tau, files, picture)


@command.command("split")
@_files
@click.option(
    "--value",
    type=Choice(["tau", "tau_ap_b", "r"]),
    default="tau",
    show_default=True,
    help="The correlation that is drawn.",
)
@picture_options
def split(files: tuple[NamedFile, ...], value: str, picture: Picture) -> None:
    """Self-consistency over topic splits.

    Reads what 'stdeval meta split' writes: with --trials-out densities over the trials, else the mean over
    epsilon; by aggregate, measure and scheme (Ravana 2009, Figures 1 to 3, 5, 7 and 11). One FILE may be - for
    standard input.
    """
    _draw(meta_figures.split, files, picture, value)


@command.command("aggregates")
@_files
@picture_options
def aggregates(files: tuple[NamedFile, ...], picture: Picture) -> None:
    """Which aggregate is more self-consistent.

    Reads what 'stdeval meta split' writes with --pairs-out: for every two aggregates the difference of their mean
    tau, over the percentage of scores that are at most 0.1, a point per measure and scheme, and per collection
    if each has a NAME=FILE (Ravana 2009, Figures 9 and 10). One FILE may be - for standard input.
    """
    _draw(meta_figures.aggregates, files, picture)


@command.command("drmse")
@_files
@click.option(
    "--value",
    default="drmse",
    show_default=True,
    metavar="COLUMN",
    help="What is drawn: drmse, mean (its mean over re-partitions), false_positives_high or another column.",
)
@picture_options
def drmse(files: tuple[NamedFile, ...], value: str, picture: Picture) -> None:
    """Differences of collections.

    Reads what 'stdeval meta collections' writes: drmse, and where there are measure, scheme, pair, and low and
    high, the percentiles over re-partitions (Webber 2008, Figures 5 to 7). One FILE may be - for standard input.
    """
    _draw(meta_figures.drmse, files, picture, value)


@command.command("references")
@_files
@picture_options
def references(files: tuple[NamedFile, ...], picture: Picture) -> None:
    """Rankings with fewer reference systems.

    Reads what 'stdeval meta references' writes: size, median, and where there are p5 and p1; tau_raw and
    tau_collection are level lines (Webber 2008, Figure 4). One FILE may be - for standard input.
    """
    _draw(meta_figures.references, files, picture)
