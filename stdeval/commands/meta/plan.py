"""`stdeval meta plan`: how many topics a difference needs, and what difference a number of topics finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import click

from stdeval.cli.experiments import NOTHING_RANDOM, Experiment, Tables, experiment_options
from stdeval.cli.options import FiniteRange, GroupedCommand, WholeRange, alpha_option
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


@click.command(
    "plan",
    cls=GroupedCommand,
    epilog="Example: stdeval meta plan --best 40 -m map --difference 0.05 qrels.gz references/*.run.gz",
)
@experiment_options(NOTHING_RANDOM)
@click.option(
    "--difference",
    "differences",
    type=FiniteRange(0, min_open=True),
    multiple=True,
    metavar="D",
    help="Find the number of topics that a difference of D between two means needs; repeatable.",
)
@click.option(
    "--topics",
    "sizes",
    type=WholeRange(min=2),
    multiple=True,
    metavar="N",
    help="Find the smallest difference that N topics show; repeatable.  [default: as many as the runs have]",
)
@click.option(
    "--width",
    "widths",
    type=FiniteRange(0, min_open=True),
    multiple=True,
    metavar="W",
    help="Find the number of topics with which the confidence interval of the difference is W wide, from its lower "
    "to its upper limit; repeatable.",
)
@click.option(
    "--systems",
    "n_systems",
    type=WholeRange(min=2),
    metavar="M",
    help="Plan an analysis of variance of M systems instead of paired t tests; D is the difference between the "
    "best and the worst of them.",
)
@click.option(
    "--sd",
    type=FiniteRange(0, min_open=True),
    metavar="X",
    help="Use this standard deviation instead of runs: of the differences between two runs over topics, or with "
    "--systems of the scores of a run.",
)
@alpha_option
@click.option(
    "--power",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="Probability that the test finds the difference.",
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
    asked = _questions(differences, widths, sizes)
    if sd is not None:
        _refuse_scores(experiment, asked)
        answers = _answers([Source((), "given", sd, test)], asked)
        _write(experiment, None, answers, test)
        return
    tables = experiment.tables()
    _refuse_impossible(differences, widths, tables, experiment.standardization.censor)
    answers = _answers(_sources(tables, test), asked or _questions((), (), (len(tables.topics),)))
    _write(experiment, tables, answers, test)


class Question(NamedTuple):
    """The quantity that is given, its value, and the function that plans for it."""

    given: str
    value: float
    plan: Callable[[PlannedTest, float, Any], Plan]


def _questions(differences: Sequence[float], widths: Sequence[float], sizes: Sequence[int]) -> list[Question]:
    return [
        *(Question("difference", value, plan_for_difference) for value in dict.fromkeys(differences)),
        *(Question("width", value, plan_for_width) for value in dict.fromkeys(widths)),
        *(Question("n", value, plan_for_topics) for value in dict.fromkeys(sizes)),
    ]


class Source(NamedTuple):
    """A standard deviation: the measure and scheme of its scores, if there are scores, its kind, and its test."""

    labels: tuple[str, ...]
    spread: str
    sd: float
    test: PlannedTest
    scores: Floats | None = None


class Answer(NamedTuple):
    """The plan for a question by a standard deviation."""

    source: Source
    question: Question
    plan: Plan

    @property
    def pairs(self) -> float:
        """The share of the pairs of systems that differ by at least the difference of the plan; NaN if unknown."""
        scores = self.source.scores
        return math.nan if scores is None else share_of_pairs(scores, self.plan.difference)


def _refuse_scores(experiment: Experiment, asked: Sequence[Question]) -> None:
    """Refuse scores beside --sd, and --sd without a question."""
    if experiment.inputs.files or experiment.inputs.score_files:
        raise click.UsageError("expected --sd or QRELS RUN..., not both")
    if not asked:
        raise click.UsageError("expected --difference, --topics or --width beside --sd")


def _refuse_impossible(differences: Sequence[float], widths: Sequence[float], tables: Tables, censor: bool) -> None:
    """Refuse a difference that no two means have, because all scores by a measure and scheme are in [0, 1]."""
    greatest, widest = max(differences, default=0.0), max(widths, default=0.0)
    bounded = [
        f"{measure} {scheme}"
        for measure, scheme, _ in tables.cells()
        for letter, raw in [split_scheme(measure)]
        if is_in_unit_range(raw) and "Z" not in (letter, scheme) and (censor or scheme != "U")
    ]
    if greatest >= 1 and bounded:
        what = f"--difference {greatest:g}: scores by {listed(bounded)} are in [0, 1]"
        raise click.UsageError(f"{what}, expected a difference below 1")
    if widest >= 2 and bounded:
        what = f"--width {widest:g}: differences between scores by {listed(bounded)} are in [-1, 1]"
        raise click.UsageError(f"{what}, expected a width below 2")


def _sources(tables: Tables, test: PlannedTest) -> Iterator[Source]:
    for measure, scheme, scores in tables.cells():
        spreads = paired_spreads(scores) if test.n_systems is None else error_spreads(scores)
        for name, sd in spreads.items():
            # The residual mean square is the error of systems on the same topics.
            of_spread = replace(test, same_topics=test.n_systems is not None and name == "residual")
            yield Source((measure, scheme), name, sd, of_spread, scores)


def _answers(sources: Iterable[Source], asked: Sequence[Question]) -> list[Answer]:
    """Return the plan for each standard deviation and question."""
    return [
        Answer(source, question, question.plan(source.test, source.sd, question.value))
        for source in sources
        for question in asked
    ]


def _write(experiment: Experiment, tables: Tables | None, answers: Sequence[Answer], test: PlannedTest) -> None:
    """Write the plans; the test and its level are columns of CSV and JSON, and stand above tables."""
    n_systems, n_topics = (None, None) if tables is None else (len(tables.systems), len(tables.topics))
    listing = _listing(answers, test)
    # The column systems has the number of runs.
    constants: dict[str, Cell] = {"test": test.name, "planned_systems": test.n_systems or 2, "alpha": test.alpha}
    experiment.write(_title(test), n_systems, n_topics, listing.with_constants(constants), [listing])


def _title(test: PlannedTest) -> str:
    kind = "paired t test, two-sided"
    if test.n_systems is not None:
        kind = f"analysis of variance of {test.n_systems} systems"
    return f"{kind}, alpha {test.alpha:g}, power {test.power:g}"


def _listing(answers: Sequence[Answer], test: PlannedTest) -> Listing:
    """Return one row per plan, without the columns that do not apply."""
    rows: list[list[Cell]] = []
    for answer in answers:
        source, question = answer.source, answer.question
        asked: list[Cell] = [source.spread, source.sd, question.given, question.value]
        rows.append([*(source.labels or ("", "")), *asked, *answer.plan, answer.pairs])
    labels = (Field("measure"), Field("scheme"), Field("spread"))
    numbers = (Field("sd", ".4g"), Field("given"), Field("value", "g"), Field("n"))
    plan = (Field("difference", ".4g"), Field("power"), Field("width", ".4g"), Field("pairs"))
    listing = Listing([*labels, *numbers, *plan], rows)
    without = {"measure", "scheme", "pairs"} if not answers[0].source.labels else set()
    without |= {"width", "pairs"} if test.n_systems is not None else set()
    return listing.only([field.name for field in listing.fields if field.name not in without])
