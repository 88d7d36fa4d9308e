"""`stdeval plot`: pictures of scores, of standardization, and of the results of the meta-evaluation commands."""

from __future__ import annotations

import click

from stdeval.commands import Group
from stdeval.commands.plot import experiments, pairs, scores
from stdeval.commands.plot.forest import forest
from stdeval.commands.plot.means import means
from stdeval.commands.plot.weights import weights


@click.group("plot", cls=Group)
def command() -> None:
    """Draw a picture: png, svg or pdf.

    heatmap, means, mapping, topics, compare and forest draw the scores of one measure, by default map; scores and
    scatter draw one measure or more. power, tau, split, aggregates, depth, drmse, references, reliability and plan
    draw the CSV of the meta-evaluation commands; several collections, each given as NAME=FILE, share one picture.
    The same input gives the same bytes, and no display is needed. Needs matplotlib: pip install 'stdeval[plot]'.
    """


for picture in (
    scores.heatmap,
    means,
    scores.scores,
    scores.mapping,
    scores.topics,
    pairs.compare,
    forest,
    pairs.scatter,
    weights,
    experiments.power,
    experiments.tau,
    experiments.split,
    experiments.aggregates,
    experiments.depth,
    experiments.drmse,
    experiments.references,
    experiments.reliability,
    experiments.plan,
):
    command.add_command(picture)
