"""`stdeval meta reliability`: how surely the topics separate the systems, by generalizability theory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain

from stdeval import notices
from stdeval.cli.experiments import Experiment, experiment_command
from stdeval.cli.options import interval_option
from stdeval.cli.types import FiniteRange, WholeRange, option
from stdeval.errors import warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta.reliability import (
    EFFECTS,
    FROM_ERHO2,
    FROM_PHI,
    Estimate,
    absolute_signal,
    coefficient,
    expected,
    relative_signal,
    topics_needed,
    variance_components,
)
from stdeval.table import Floats


@experiment_command("reliability", "-m map --topics 100 --target 0.9 qrels.gz references/*.run.gz")
@option(
    "--topics sizes",
    "Reliability with N topics like these; repeatable.  [default: as many as there are]",
    WholeRange(min=1),
    "N",
    multiple=True,
)
@option(
    "--target targets",
    "The reliability for which the topics needed are computed; repeatable.",
    FiniteRange(0, 1, min_open=True, max_open=True),
    "LEVEL",
    multiple=True,
    default=(0.95,),
    show_default="0.95",
)
@interval_option(0.95, "Confidence of the intervals.")
def command(experiment: Experiment, sizes: tuple[int, ...], targets: tuple[float, ...], confidence: float) -> None:
    """Reliability: how surely the topics tell the systems apart, and how many topics it takes."""
    tables = experiment.tables()
    numbers = list(dict.fromkeys(sizes)) or [len(tables.topics)]
    levels = list(dict.fromkeys(targets))
    results = [Result(measure, scheme, scores, confidence) for measure, scheme, scores in tables.cells()]
    negative = [f"{effect} ({each.measure} {each.scheme})" for each in results for effect in each.parts.negative]
    warn(notices.negative_variances(negative))
    needed: list[list[Cell]] = [
        [each.measure, each.scheme, level, *chain(*each.topics(level).values())]
        for each in results
        for level in levels
    ]
    columns = (Field("target", "g"), "topics_erho2", "low", "high", "topics_phi", "low", "high")
    text = [_component_listing(results), _coefficient_listing(results, numbers), _listing(columns, needed)]
    title = f"reliability, {100 * confidence:g}% intervals"
    cells = _cell_listing(results, numbers, levels)
    experiment.write(title, tables, cells, {"confidence": confidence}, text=text)


class Result:
    """The variance components by one measure and scheme, and the ratios of signal to noise, NaN if unknown."""

    def __init__(self, measure: str, scheme: str, scores: Floats, confidence: float) -> None:
        self.measure, self.scheme = measure, scheme
        self.parts = variance_components(scores)
        self.relative = relative_signal(self.parts, confidence)
        unknown = Estimate(math.nan, math.nan, math.nan)
        self.absolute = absolute_signal(self.parts, confidence) if scheme == "raw" else unknown

    def by_effect(self) -> dict[str, list[float]]:
        """Return the columns of the analysis of variance, except the degrees of freedom."""
        parts = self.parts
        columns = {"mean_square": parts.mean_squares, "variance": parts.variances, "share": parts.shares}
        return {name: column.tolist() for name, column in columns.items()}

    def coefficients(self, n_topics: int) -> dict[str, Estimate]:
        """Return E rho^2 and Phi of a number of topics, each followed by the statistics that are expected of it."""
        erho2, phi = coefficient(self.relative, n_topics), coefficient(self.absolute, n_topics)
        from_erho2 = {name: expected(name, erho2) for name in FROM_ERHO2}
        return {"erho2": erho2, **from_erho2, "phi": phi, **{name: expected(name, phi) for name in FROM_PHI}}

    def topics(self, target: float) -> dict[str, Estimate]:
        """Return the numbers of topics needed for a target."""
        signals = {"topics_erho2": self.relative, "topics_phi": self.absolute}
        return {name: topics_needed(signal, target) for name, signal in signals.items()}


def _listing(columns: Sequence[Field | str], rows: Iterable[Sequence[Cell]]) -> Listing:
    """Return a listing whose first two columns are measure and scheme."""
    names = ("measure", "scheme", *columns)
    return Listing([name if isinstance(name, Field) else Field(name) for name in names], list(rows))


def _component_listing(results: Sequence[Result]) -> Listing:
    """Return the analyses of variance, one row per effect."""
    columns = ("effect", "df", Field("mean_square", ".5g"), Field("variance", ".5g"), "share")
    rows = [
        [each.measure, each.scheme, *row]
        for each in results
        for row in zip(EFFECTS, each.parts.df.tolist(), *each.by_effect().values(), strict=True)
    ]
    return _listing(columns, rows)


def _coefficient_listing(results: Sequence[Result], numbers: Sequence[int]) -> Listing:
    """Return E rho^2, Phi, their limits, and the statistics expected from them, one row per number of topics."""
    rows: list[list[Cell]] = []
    for each in results:
        for n in numbers:
            found = each.coefficients(n)
            # Only the coefficients themselves have limits here.
            cells = [found[name] if name in ("erho2", "phi") else found[name][:1] for name in found]
            rows.append([each.measure, each.scheme, n, *chain(*cells)])
    return _listing(("n", "erho2", "low", "high", *FROM_ERHO2, "phi", "low", "high", *FROM_PHI), rows)


def _cell_listing(results: Sequence[Result], numbers: Sequence[int], targets: Sequence[float]) -> Listing:
    """Return every quantity in a row of its own: ``at`` is the number of topics, or the target."""
    rows: list[list[Cell]] = []
    for each in results:
        labels = (each.measure, each.scheme)
        for name, values in each.by_effect().items():
            by_effect = zip(EFFECTS, values, strict=True)
            rows += [[*labels, f"{name}_{effect}", "", value, "", ""] for effect, value in by_effect]
        for n in numbers:
            rows += [[*labels, name, n, *estimate] for name, estimate in each.coefficients(n).items()]
        for level in targets:
            rows += [[*labels, name, level, *estimate] for name, estimate in each.topics(level).items()]
    return _listing(("quantity", "at", "value", "low", "high"), rows)
