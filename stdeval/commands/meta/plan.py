"""`stdeval meta plan`: how many topics a difference needs, and what difference a number of topics finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import click

from stdeval.cli.experiments import Experiment, Tables, experiment_command
from stdeval.cli.options import alpha_option
from stdeval.cli.types import FiniteRange, WholeRange, option
from stdeval.display import listed
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.measures.names import is_in_unit_range, split_scheme
from stdeval.meta.plan import (
    Plan,
    PlannedTest,
    error_spreads,
    paired_spreads,
    plan_for_difference,
    plan_for_topics,
    plan_for_width,
    share_of_pairs,
)
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
    test = PlannedTest(alpha, power, n_systems)
    asked: list[Question] = [
        *(("difference", value, plan_for_difference) for value in dict.fromkeys(differences)),
        *(("width", value, plan_for_width) for value in dict.fromkeys(widths)),
        *(("n", value, plan_for_topics) for value in dict.fromkeys(sizes)),
    ]
    tables = None
    if sd is None:
        tables = experiment.tables()
        _refuse_impossible(max(differences, default=0.0), max(widths, default=0.0), tables)
        listing = _listing(_sources(tables, test), asked or [("n", len(tables.topics), plan_for_topics)])
    else:
        if experiment.inputs.files or experiment.inputs.score_files:
            raise click.UsageError("expected --sd or QRELS RUN..., not both")
        if not asked:
            raise click.UsageError("expected --difference, --topics or --width beside --sd")
        listing = _listing([Source("", "", "given", sd, test)], asked)
    kind = "paired t test, two-sided" if n_systems is None else f"analysis of variance of {n_systems} systems"
    absent = {"measure", "scheme", "pairs"} if tables is None else set()
    absent |= {"width", "pairs"} if n_systems is not None else set()
    shown = listing.only([field.name for field in listing.fields if field.name not in absent])
    # The column systems has the number of runs.
    constants: dict[str, Cell] = {"test": test.name, "planned_systems": n_systems or 2, "alpha": alpha}
    experiment.write(f"{kind}, alpha {alpha:g}, power {power:g}", tables, shown, constants)


Question = tuple[str, float, Callable[[PlannedTest, float, Any], Plan]]
"""The quantity that is given, its value, and the function that plans for it."""


class Source(NamedTuple):
    """A standard deviation: the measure and scheme of its scores, if there are scores, its kind, and its test."""

    measure: str
    scheme: str
    spread: str
    sd: float
    test: PlannedTest
    scores: Floats | None = None


def _sources(tables: Tables, test: PlannedTest) -> Iterator[Source]:
    for measure, scheme, scores in tables.cells():
        spreads = paired_spreads(scores) if test.n_systems is None else error_spreads(scores)
        for name, sd in spreads.items():
            # The residual mean square is the error of systems on the same topics.
            of_spread = replace(test, same_topics=test.n_systems is not None and name == "residual")
            yield Source(measure, scheme, name, sd, of_spread, scores)


def _refuse_impossible(difference: float, width: float, tables: Tables) -> None:
    """Refuse a difference that no two means have, because all scores by a measure and scheme are in [0, 1]."""
    bounded = [
        f"{measure} {scheme}"
        for measure, scheme, _ in tables.cells()
        for letter, raw in [split_scheme(measure)]
        if is_in_unit_range(raw) and "Z" not in (letter, scheme)
    ]
    if difference >= 1 and bounded:
        what = f"--difference {difference:g}: scores by {listed(bounded)} are in [0, 1]"
        raise click.UsageError(f"{what}, expected a difference below 1")
    if width >= 2 and bounded:
        what = f"--width {width:g}: differences between scores by {listed(bounded)} are in [-1, 1]"
        raise click.UsageError(f"{what}, expected a width below 2")


def _listing(sources: Iterable[Source], asked: Sequence[Question]) -> Listing:
    """Return a row per standard deviation and question; pairs is the share of pairs with such a difference."""
    rows: list[list[Cell]] = []
    for each in sources:
        for given, value, plan_for in asked:
            plan = plan_for(each.test, each.sd, value)
            pairs = math.nan if each.scores is None else share_of_pairs(each.scores, plan.difference)
            rows.append([each.measure, each.scheme, each.spread, each.sd, given, value, *plan, pairs])
    names = ("measure", "scheme", "spread", "sd", "given", "value", *Plan._fields, "pairs")
    forms = {"sd": ".4g", "value": "g", "difference": ".4g", "width": ".4g"}
    return Listing([Field(name, forms.get(name, ".4f")) for name in names], rows)
