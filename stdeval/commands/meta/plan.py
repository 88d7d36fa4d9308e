"""`stdeval meta plan`: how many topics a difference needs, and what difference a number of topics finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click
import numpy as np

from stdeval.cli.declarations import PROBABILITY, FiniteRange, WholeRange
from stdeval.cli.experiments import Experiment, experiment_command
from stdeval.cli.options import alpha_option, option
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta import planning

_positive = partial(option, of=FiniteRange(0, min_open=True))


@experiment_command("plan", "-m map --difference 0.05 qrels.gz references/*.run.gz")
@_positive("--difference D... differences", "Find how many topics a difference D of two means needs; repeatable.")
@option("--topics N... sizes", "Find what difference N topics show; repeatable.  [default: all]", WholeRange(min=2))
@_positive("--width W... widths", "Find how many topics make the interval of the difference W wide; repeatable.")
@option(
    "--systems M n_systems", "Plan an analysis of variance of M systems, D from best to worst.", WholeRange(min=2)
)
@_positive("--sd X", "The standard deviation of differences, or with --systems of scores, instead of runs.")
@alpha_option
@option("--power", "Probability that the test finds the difference.", PROBABILITY, default=0.8)
def command(
    experiment: Experiment,
    differences: Sequence[float],
    sizes: Sequence[int],
    widths: Sequence[float],
    n_systems: int | None,
    sd: float | None,
    alpha: float,
    power: float,
) -> None:
    """How many topics a difference needs, and what difference a number of topics finds."""
    if not power > alpha:
        raise click.UsageError(f"--power {power:g}: expected more than the {alpha:g} of --alpha")
    if n_systems is not None and widths:
        raise click.UsageError("--width is that of the difference between two runs, expected no --systems")
    if sd is None:
        tables = experiment.tables()
        cells = list(tables.cells())
        if not (differences or widths or sizes):
            sizes = (len(tables.topics),)
    else:
        if experiment.inputs.files or experiment.inputs.score_files:
            raise click.UsageError("expected --sd or QRELS RUN..., not both")
        if not (differences or widths or sizes):
            raise click.UsageError("expected --difference, --topics or --width beside --sd")
        tables, cells = None, [("", "", np.empty((0, 0)))]
    asked: list[tuple[str, Callable[[planning.PlannedTest, float, Any], planning.Plan], Sequence[float]]] = [
        ("difference", planning.plan_for_difference, differences),
        ("width", planning.plan_for_width, widths),
        ("n", planning.plan_for_topics, sizes),
    ]
    rows: list[list[Cell]] = []
    spreads_of = planning.paired_spreads if n_systems is None else planning.error_spreads
    for measure, scheme, scores in cells:
        for spread, deviation in (spreads_of(scores) if sd is None else {"given": sd}).items():
            # The residual mean square is the error of systems on the same topics.
            test = planning.PlannedTest(alpha, power, n_systems, n_systems is not None and spread == "residual")
            for given, plan_for, values in asked:
                for value in dict.fromkeys(values):
                    found = plan_for(test, deviation, value)
                    # The share of pairs of systems with such a difference.
                    pairs = planning.share_of_pairs(scores, found.difference) if sd is None else math.nan
                    rows.append([measure, scheme, spread, deviation, given, value, *found, pairs])
    names = ("measure", "scheme", "spread", "sd", "given", "value", *planning.Plan._fields, "pairs")
    forms = {"sd": ".4g", "value": "g", "difference": ".4g", "width": ".4g"}
    absent = {"measure", "scheme", "pairs"} if tables is None else set()
    absent |= {"width", "pairs"} if n_systems is not None else set()
    listing = Listing([Field(name, forms.get(name, ".4f")) for name in names], rows)
    shown = listing.only([name for name in names if name not in absent])
    kind = "paired t test, two-sided" if n_systems is None else f"analysis of variance of {n_systems} systems"
    # The column systems has the number of runs.
    test_name = "t" if n_systems is None else "anova"
    constants: dict[str, Cell] = {"test": test_name, "planned_systems": n_systems or 2, "alpha": alpha}
    experiment.write(f"{kind}, alpha {alpha:g}, power {power:g}", tables, shown, constants)
