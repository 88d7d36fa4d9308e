"""`stdeval meta plan`: how many topics a difference needs, and what difference a number of topics finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import click

from stdeval.cli.experiments import Experiment, Tables, experiment_command
from stdeval.cli.helps import option
from stdeval.cli.options import alpha_option
from stdeval.cli.types import FiniteRange, WholeRange
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta import plan
from stdeval.table import Floats


@experiment_command("plan", "-m map --difference 0.05 qrels.gz references/*.run.gz")
@option(
    "--difference differences",
    "Find the number of topics that a difference of D between two means needs; repeatable.",
    FiniteRange(0, min_open=True),
    "D",
    multiple=True,
)
@option(
    "--topics sizes",
    "Find the smallest difference that N topics show; repeatable.  [default: as many as the runs have]",
    WholeRange(min=2),
    "N",
    multiple=True,
)
@option(
    "--width widths",
    "Find the number of topics with which the confidence interval of the difference is W wide, from its lower to "
    "its upper limit; repeatable.",
    FiniteRange(0, min_open=True),
    "W",
    multiple=True,
)
@option(
    "--systems n_systems",
    "Plan an analysis of variance of M systems instead of paired t tests; D is the difference between the best and "
    "the worst of them.",
    WholeRange(min=2),
    "M",
)
@option(
    "--sd",
    "Use this standard deviation instead of runs: of the differences between two runs over topics, or with "
    "--systems of the scores of a run.",
    FiniteRange(0, min_open=True),
    "X",
)
@alpha_option
@option(
    "--power",
    "Probability that the test finds the difference.",
    FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.8,
)
def command(
    experiment: Experiment,
    differences: tuple[float, ...],
    sizes: tuple[int, ...],
    widths: tuple[float, ...],
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
    test = plan.PlannedTest(alpha, power, n_systems)
    tables = None
    if sd is None:
        tables = experiment.tables()
        sources = list(_sources(tables, test))
        if not (differences or widths or sizes):
            sizes = (len(tables.topics),)
    else:
        if experiment.inputs.files or experiment.inputs.score_files:
            raise click.UsageError("expected --sd or QRELS RUN..., not both")
        if not (differences or widths or sizes):
            raise click.UsageError("expected --difference, --topics or --width beside --sd")
        sources = [Source("", "", "given", sd, test)]
    asked: list[tuple[str, Callable[[plan.PlannedTest, float, Any], plan.Plan], Sequence[float]]] = [
        ("difference", plan.plan_for_difference, differences),
        ("width", plan.plan_for_width, widths),
        ("n", plan.plan_for_topics, sizes),
    ]
    rows: list[list[Cell]] = []
    for measure, scheme, spread, deviation, test_of, scores in sources:
        for given, plan_for, values in asked:
            for value in dict.fromkeys(values):
                found = plan_for(test_of, deviation, value)
                # The share of pairs of systems with such a difference.
                pairs = math.nan if scores is None else plan.share_of_pairs(scores, found.difference)
                rows.append([measure, scheme, spread, deviation, given, value, *found, pairs])
    names = ("measure", "scheme", "spread", "sd", "given", "value", *plan.Plan._fields, "pairs")
    forms = {"sd": ".4g", "value": "g", "difference": ".4g", "width": ".4g"}
    absent = {"measure", "scheme", "pairs"} if tables is None else set()
    absent |= {"width", "pairs"} if n_systems is not None else set()
    listing = Listing([Field(name, forms.get(name, ".4f")) for name in names], rows)
    shown = listing.only([name for name in names if name not in absent])
    kind = "paired t test, two-sided" if n_systems is None else f"analysis of variance of {n_systems} systems"
    # The column systems has the number of runs.
    constants: dict[str, Cell] = {"test": test.name, "planned_systems": n_systems or 2, "alpha": alpha}
    experiment.write(f"{kind}, alpha {alpha:g}, power {power:g}", tables, shown, constants)


class Source(NamedTuple):
    """A standard deviation: the measure and scheme of its scores, if there are scores, its kind, and its test."""

    measure: str
    scheme: str
    spread: str
    sd: float
    test: plan.PlannedTest
    scores: Floats | None = None


def _sources(tables: Tables, test: plan.PlannedTest) -> Iterator[Source]:
    for measure, scheme, scores in tables.cells():
        spreads = plan.paired_spreads(scores) if test.n_systems is None else plan.error_spreads(scores)
        for name, sd in spreads.items():
            # The residual mean square is the error of systems on the same topics.
            of_spread = replace(test, same_topics=test.n_systems is not None and name == "residual")
            yield Source(measure, scheme, name, sd, of_spread, scores)
