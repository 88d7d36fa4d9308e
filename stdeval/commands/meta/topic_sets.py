"""What `within` and `between` write: correlations over trials, and rates of significance."""

from __future__ import annotations

from collections.abc import Sequence

from stdeval.commands.meta.experiment import TAU, Experiment, Listing, Tables
from stdeval.formats.writers import Cell, Field
from stdeval.meta.trials import TopicSetResult

_LABELS = ("measure", "scheme")
_MOMENTS = tuple(f"{name}{part}" for name in TAU for part in ("", "_sd"))


def write_results(
    experiment: Experiment,
    what: str,
    tables: Tables,
    levels: Sequence[float],
    results: Sequence[TopicSetResult],
    trials_path: str | None,
) -> None:
    """Write the result of each measure: one row per scheme and level, and every trial if a path is given."""
    names = list(results[0].rates)
    rows: list[Sequence[Cell]] = [
        (measure, scheme, alpha, *(float(rate[j, k]) for rate in result.rates.values()), *_moments(result, j))
        for measure, result in zip(tables.measures, results, strict=True)
        for j, scheme in enumerate(tables.schemes)
        for k, alpha in enumerate(levels)
    ]
    listing = Listing([*map(Field, _LABELS), Field("alpha", "g"), *map(Field, names), *map(Field, _MOMENTS)], rows)
    text = [listing.only((*_LABELS, *_MOMENTS)), *(_by_scheme(listing, tables, name) for name in names)]
    experiment.write(what, len(tables.systems), len(tables.topics), listing, text)
    experiment.write_trials(trials_path, _trial_listing(tables, results))


def _moments(result: TopicSetResult, place: int) -> list[float]:
    """Mean and sample standard deviation over the trials of each correlation, by one scheme."""
    trials = result.correlations
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


def _trial_listing(tables: Tables, results: Sequence[TopicSetResult]) -> Listing:
    rows = [
        (measure, scheme, name, number, float(value))
        for measure, result in zip(tables.measures, results, strict=True)
        for j, scheme in enumerate(tables.schemes)
        for name, values in zip(
            TAU, (result.correlations.tau, result.correlations.tau_ap, result.correlations.r), strict=True
        )
        for number, value in enumerate(values[j], 1)
    ]
    return Listing([*map(Field, (*_LABELS, "coefficient", "trial")), Field("value")], rows)
