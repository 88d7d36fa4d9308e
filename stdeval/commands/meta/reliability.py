"""`stdeval meta reliability`: how surely the topics tell the systems apart, by generalizability theory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from stdeval import notices
from stdeval.cli.experiments import NOTHING_RANDOM, Experiment, Tables, experiment_options
from stdeval.cli.options import FiniteRange, GroupedCommand, WholeRange, interval_option
from stdeval.errors import warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta.reliability import (
    EFFECTS,
    FROM_ERHO2,
    FROM_PHI,
    Estimate,
    VarianceComponents,
    absolute_signal,
    coefficient,
    expected,
    relative_signal,
    topics_needed,
    variance_components,
)

_LABELS = (Field("measure"), Field("scheme"))
_UNKNOWN = Estimate(math.nan, math.nan, math.nan)


@click.command(
    "reliability",
    cls=GroupedCommand,
    epilog="Example: stdeval meta reliability -m map --topics 100 --target 0.9 qrels.gz references/*.run.gz",
)
@experiment_options(NOTHING_RANDOM)
@click.option(
    "--topics",
    "sizes",
    type=WholeRange(min=1),
    multiple=True,
    metavar="N",
    help="Reliability with N topics like these; repeatable.  [default: as many as there are]",
)
@click.option(
    "--target",
    "targets",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    multiple=True,
    default=(0.95,),
    show_default="0.95",
    metavar="LEVEL",
    help="The reliability for which the topics needed are computed; repeatable.",
)
@interval_option(0.95, "Confidence of the intervals.")
def command(experiment: Experiment, sizes: tuple[int, ...], targets: tuple[float, ...], confidence: float) -> None:
    """Reliability: how surely the topics tell the systems apart, and how many topics it takes."""
    tables = experiment.tables()
    numbers = list(dict.fromkeys(sizes)) or [len(tables.topics)]
    results = list(_results(tables, confidence))
    negative = [f"{effect} ({' '.join(each.labels)})" for each in results for effect in each.components.negative]
    warn(notices.negative_variances(negative))
    levels = list(dict.fromkeys(targets))
    text = [_component_listing(results), _coefficient_listing(results, numbers), _topic_listing(results, levels)]
    title = f"reliability, {100 * confidence:g}% intervals"
    cells = _cell_listing(results, numbers, levels).with_constants({"confidence": confidence})
    experiment.write(title, len(tables.systems), len(tables.topics), cells, text)


@dataclass(frozen=True, eq=False)
class Result:
    """The variance components by one measure and scheme, and the ratios of signal to noise, NaN if unknown."""

    measure: str
    scheme: str
    components: VarianceComponents
    relative: Estimate
    absolute: Estimate

    @property
    def labels(self) -> tuple[str, str]:
        """The cells of the columns `_LABELS`."""
        return self.measure, self.scheme

    def coefficients(self, n_topics: int) -> dict[str, Estimate]:
        """Return E rho^2 and Phi of a number of topics, each followed by the statistics that are expected of it."""
        erho2, phi = coefficient(self.relative, n_topics), coefficient(self.absolute, n_topics)
        from_erho2 = {name: expected(name, erho2) for name in FROM_ERHO2}
        return {"erho2": erho2, **from_erho2, "phi": phi, **{name: expected(name, phi) for name in FROM_PHI}}

    def topics(self, target: float) -> dict[str, Estimate]:
        """Return the numbers of topics needed for a target."""
        return {
            "topics_erho2": topics_needed(self.relative, target),
            "topics_phi": topics_needed(self.absolute, target),
        }


def _results(tables: Tables, confidence: float) -> Iterator[Result]:
    for measure, scheme, scores in tables.cells():
        components = variance_components(scores)
        absolute = absolute_signal(components, confidence) if scheme == "raw" else _UNKNOWN
        yield Result(measure, scheme, components, relative_signal(components, confidence), absolute)


def _component_listing(results: Sequence[Result]) -> Listing:
    """Return the analyses of variance, one row per effect."""
    rows: list[list[Cell]] = []
    for result in results:
        parts = result.components
        columns = (parts.df.tolist(), parts.mean_squares.tolist(), parts.variances.tolist(), parts.shares.tolist())
        rows += [[*result.labels, *row] for row in zip(EFFECTS, *columns, strict=True)]
    numbers = (Field("df"), Field("mean_square", ".5g"), Field("variance", ".5g"), Field("share"))
    return Listing([*_LABELS, Field("effect"), *numbers], rows)


def _coefficient_listing(results: Sequence[Result], numbers: Sequence[int]) -> Listing:
    """Return E rho^2, Phi, their limits, and the statistics expected from them, one row per number of topics."""
    rows: list[list[Cell]] = []
    for result in results:
        for n in numbers:
            found = result.coefficients(n)
            erho2 = [*found["erho2"], *(found[name].value for name in FROM_ERHO2)]
            phi = [*found["phi"], *(found[name].value for name in FROM_PHI)]
            rows.append([*result.labels, n, *erho2, *phi])
    names = ("n", "erho2", "low", "high", *FROM_ERHO2, "phi", "low", "high", *FROM_PHI)
    return Listing([*_LABELS, *map(Field, names)], rows)


def _topic_listing(results: Sequence[Result], targets: Sequence[float]) -> Listing:
    """Return the numbers of topics needed with their limits, one row per target."""
    rows: list[list[Cell]] = [
        [*result.labels, target, *(number for found in result.topics(target).values() for number in found)]
        for result in results
        for target in targets
    ]
    names = ("topics_erho2", "low", "high", "topics_phi", "low", "high")
    return Listing([*_LABELS, Field("target", "g"), *map(Field, names)], rows)


def _cell_listing(results: Sequence[Result], numbers: Sequence[int], targets: Sequence[float]) -> Listing:
    """Return every quantity in a row of its own: ``at`` is the number of topics, or the target."""
    rows: list[list[Cell]] = []
    for result in results:
        parts = result.components
        columns = {"mean_square": parts.mean_squares, "variance": parts.variances, "share": parts.shares}
        for name, values in columns.items():
            for effect, value in zip(EFFECTS, values.tolist(), strict=True):
                rows.append([*result.labels, f"{name}_{effect}", "", value, "", ""])
        found = [(n, result.coefficients(n)) for n in numbers] + [
            (level, result.topics(level)) for level in targets
        ]
        for at, estimates in found:
            rows += [[*result.labels, name, at, *estimate] for name, estimate in estimates.items()]
    return Listing([*_LABELS, *map(Field, ("quantity", "at", "value", "low", "high"))], rows)
