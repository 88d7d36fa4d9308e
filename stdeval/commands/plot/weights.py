"""`stdeval plot weights`: the rank weights of measures."""

from __future__ import annotations

import numpy as np

from stdeval import plots
from stdeval.cli.declarations import WholeRange, option, stdeval_command
from stdeval.cli.options import measure_option
from stdeval.cli.pictures import Picture, picture_options
from stdeval.measures.names import resolve
from stdeval.measures.relevance import weights_of


@stdeval_command("plot weights", "-m jkdcg -m rbp_p=0.95 -k 100 -o weights.png")
@measure_option
@option("-k --depth DEPTH depth", "Number of ranks, from 1 on.", WholeRange(1, 100_000), default=100)
@picture_options
def weights(measures: tuple[str, ...], depth: int, picture: Picture) -> None:
    """Rank weights of measures."""
    chosen = resolve(measures or ("dcg", "rbp_p=0.8", "rbp_p=0.95"))
    values = np.stack([weights_of(measure, depth) for measure in chosen])
    picture.draw(plots.weights, [measure.name for measure in chosen], values)
