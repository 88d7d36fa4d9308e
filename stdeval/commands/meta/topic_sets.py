"""What `within` and `between` write: correlations over trials, and rates of significance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stdeval.commands.meta.experiment import TAU, Experiment, Listing, Tables
from stdeval.formats.writers import Cell, Field
from stdeval.stats.correlation import Correlations
from stdeval.table import Floats

_LABELS = ("measure", "scheme")
_MOMENTS = tuple(f"{name}{part}" for name in TAU for part in ("", "_sd"))


@dataclass(frozen=True, eq=False)
class Finding:
    """Of one measure: correlations of each scheme and trial, and by name the rates of each scheme and level."""

    correlations: Correlations
    rates: dict[str, Floats]


def write_findings(
    experiment: Experiment,
    what: str,
    tables: Tables,
    levels: Sequence[float],
    findings: Sequence[Finding],
    trials_path: str | None,
) -> None:
    """Write what was found by each measure: a row per scheme and level, and if asked for each trial."""
    names = list(findings[0].rates)
    rows: list[Sequence[Cell]] = [
        (measure, scheme, alpha, *(float(rate[j, k]) for rate in found.rates.values()), *_moments(found, j))
        for measure, found in zip(tables.measures, findings, strict=True)
        for j, scheme in enumerate(tables.schemes)
        for k, alpha in enumerate(levels)
    ]
    listing = Listing([*map(Field, _LABELS), Field("alpha", "g"), *map(Field, names), *map(Field, _MOMENTS)], rows)
    text = [listing.only((*_LABELS, *_MOMENTS)), *(_by_scheme(listing, tables, name) for name in names)]
    experiment.write(what, len(tables.systems), len(tables.topics), listing, text)
    experiment.write_trials(trials_path, _trial_listing(tables, findings))


def _moments(found: Finding, place: int) -> list[float]:
    """Mean and sample standard deviation over the trials of each correlation, by one scheme."""
    trials = found.correlations
    columns = [values[place] for values in (trials.tau, trials.tau_ap, trials.r)]
    return [float(part) for values in columns for part in (values.mean(), values.std(ddof=min(1, len(values) - 1)))]


def _by_scheme(found: Listing, tables: Tables, rate: str) -> Listing:
    """A rate with a column a scheme."""
    cells: dict[tuple[Cell, ...], Cell] = {
        (measure, alpha, scheme): cell
        for measure, scheme, alpha, cell in found.only((*_LABELS, "alpha", rate)).rows
    }
    rows = [
        [rate, measure, alpha, *(cells[measure, alpha, scheme] for scheme in tables.schemes)]
        for measure, alpha in dict.fromkeys((measure, alpha) for measure, alpha, _ in cells)
    ]
    return Listing([Field("rate"), Field("measure"), Field("alpha", "g"), *map(Field, tables.schemes)], rows)


def _trial_listing(tables: Tables, findings: Sequence[Finding]) -> Listing:
    rows = [
        (measure, scheme, name, number, float(value))
        for measure, found in zip(tables.measures, findings, strict=True)
        for j, scheme in enumerate(tables.schemes)
        for name, values in zip(
            TAU, (found.correlations.tau, found.correlations.tau_ap, found.correlations.r), strict=True
        )
        for number, value in enumerate(values[j], 1)
    ]
    return Listing([*map(Field, (*_LABELS, "coefficient", "trial")), Field("value")], rows)
