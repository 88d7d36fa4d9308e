"""`stdeval plot weights`: the rank weights of measures."""

from __future__ import annotations

import click
import numpy as np

from stdeval.cli.helps import GroupedCommand
from stdeval.cli.options import measure_option
from stdeval.cli.pictures import Picture, picture_options
from stdeval.cli.types import WholeRange, option
from stdeval.measures.names import resolve
from stdeval.measures.papers import rank_weights
from stdeval.plots import experiments as weight_figures

DEFAULT_WEIGHTS = ("dcg", "rbp_p=0.8", "rbp_p=0.95")


@click.command(
    "weights",
    cls=GroupedCommand,
    epilog="Example: stdeval plot weights -m jkdcg -m rbp_p=0.95 -k 100 -o weights.png",
)
@measure_option
@option("-k --depth depth", "Number of ranks, from 1 on.", WholeRange(1, 100_000), "DEPTH", default=100)
@picture_options
def weights(measures: tuple[str, ...], depth: int, picture: Picture) -> None:
    """Rank weights of measures."""
    chosen = resolve(measures or DEFAULT_WEIGHTS)
    names = [measure.name for measure in chosen]
    values = np.stack([rank_weights(measure, depth) for measure in chosen])
    left = [measure.name for measure in chosen if measure.persistence is not None]
    right = [name for name in names if left and name not in left]
    picture.draw(weight_figures.weights, names, values, right)
