"""Pictures of runs or measures against each other: compare and scatter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import numpy as np

from stdeval.commands.completion import complete_file
from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.options import baseline_option, interval_option
from stdeval.commands.parameter_types import GivenOnce
from stdeval.commands.picture import Picture, picture_options
from stdeval.commands.plot.inputs import n_judged_topics, one_scheme_option, read_scores, topics_of_means
from stdeval.commands.selection import system_index
from stdeval.commands.set_aside import warn_of_set_aside
from stdeval.commands.standardization_options import StandardizationOptions, default_schemes, factor_options
from stdeval.display import counted, listed
from stdeval.plots import pair_figures, scatter_figures
from stdeval.stats.aggregates import arithmetic_mean, overall_scores
from stdeval.stats.coverage import coverage, takes_part
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.stats.significance import topic_differences
from stdeval.table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_MEASURES = 4
"""The greatest number of measures of a scatter plot; five would have ten panels."""


_other_option = click.option(
    "--run",
    "other",
    cls=GivenOnce,
    metavar="RUN",
    shell_complete=complete_file,
    help="The run to compare with the baseline, if there are more than two runs.",
)


@click.command(
    "compare",
    cls=GroupedCommand,
    epilog="Example: stdeval plot compare -m map --baseline new-b -o compare.pdf qrels.gz new-*.run.gz",
)
@input_options
@factor_options
@one_scheme_option
@baseline_option
@_other_option
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

    Draws the differences, sorted, with their mean and its interval, the number of topics n, p of the paired t
    test, and the effect size d. The other runs that are given are only reference runs.
    """
    (chosen,) = default_schemes((scheme,) if scheme else (), standardization)
    table = read_scores(inputs, standardization, (chosen,)).tables[chosen]
    first, second = _two_systems(inputs, table.systems, other, baseline)
    scores, design = table.values[:, :, 0], Design(confidence=confidence)
    pair, _ = compare_systems(scores, np.array([first]), np.array([second]), design)
    figure = pair_figures.compare(
        table.topics,
        topic_differences(scores[first], scores[second]),
        (float(pair.low[0]), float(pair.high[0])),
        measure=table.measures[0],
        scheme=chosen,
        systems=(table.systems[first], table.systems[second]),
        confidence=confidence,
        pvalue=float(pair.pvalue[0]),
        effect_size=float(pair.effect_size[0]),
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


@click.command(
    "scatter",
    cls=GroupedCommand,
    epilog="Example: stdeval plot scatter -m map -m P_10 -o scatter.png qrels.gz references/*.run.gz",
)
@input_options
@factor_options
@one_scheme_option
@baseline_option
@_other_option
@picture_options
def scatter(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    scheme: str | None,
    baseline: str | None,
    other: str | None,
    picture: Picture,
) -> None:
    """Means of systems by every two measures, or two runs by topic.

    Draws two to four measures, or one measure of files joined by --scores NAME=FILE, such as the same runs at
    two depths (Webber 2010, Figure 2). Above each panel stands tau_b of the two rankings, the best first;
    'stdeval meta rank' prints it too. Incomplete runs, without a topic that most runs have, are gray and do not
    count in it. If the means are over fewer topics than are judged, the labels have their number. With --run or
    --baseline, draws the scores of two runs topic by topic instead, by one to four measures.
    """
    (chosen,) = default_schemes((scheme,) if scheme else (), standardization)
    raw, tables, _ = read_scores(inputs, standardization, (chosen,), several=True)
    table = tables[chosen]
    by_topic = other is not None or baseline is not None
    least = 1 if by_topic else 2
    if not least <= len(table.measures) <= MOST_MEASURES:
        what = f"{counted(len(table.measures), 'measure')} ({listed(table.measures)})"
        pair = "" if by_topic else ", or --run RUN and --baseline RUN"
        raise click.UsageError(
            f"{what}, expected {least} to {MOST_MEASURES}, by -m or as --scores NAME=FILE each{pair}"
        )
    if by_topic:
        first, second = _two_systems(inputs, table.systems, other, baseline)
        figure = pair_figures.topic_scatter(
            table.values[first],
            table.values[second],
            table.topics,
            measures=table.measures,
            scheme=chosen,
            systems=(table.systems[first], table.systems[second]),
            size=picture.size,
            title=picture.title,
        )
    else:
        figure = _scatter_of_means(table, chosen, n_judged_topics(inputs, raw), picture)
    picture.save(figure)


def _scatter_of_means(table: ScoreTable, scheme: str, n_topics: int, picture: Picture) -> Figure:
    # A run without a mean by some measure is not drawn, and so is not part of tau.
    facts = coverage(table.values, among=np.all(takes_part(table.values), axis=1))
    warn_of_set_aside(facts, table.systems, "gray, and not part of tau")
    comparable = facts.comparable(table.values)
    means = [overall_scores(comparable[:, :, i], arithmetic_mean) for i in range(len(table.measures))]
    return scatter_figures.scatter(
        np.stack(means),
        table.measures,
        scheme=scheme,
        ranked=facts.ranked,
        topics=topics_of_means(table.values, facts, n_topics),
        size=picture.size,
        title=picture.title,
    )
