"""`stdeval meta between`: whether standardized scores agree between collections."""

from __future__ import annotations

import math
from collections.abc import Sequence

import click
import numpy as np

from stdeval.cli.experiments import (
    CORRELATIONS,
    Experiment,
    Tables,
    alphas_option,
    better_higher,
    experiment_options,
    trials_out_option,
    warn_of_undefined,
)
from stdeval.cli.options import GroupedCommand, WholeRange
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta import topic_sets
from stdeval.meta.trials import TopicSetResult, deviation, over_known, usual_size
from stdeval.meta.ttests import ALPHAS
from stdeval.table import Floats

_LABELS = ("measure", "scheme")
_MOMENTS = tuple(f"{name}{part}" for name in CORRELATIONS for part in ("", "_sd"))


@click.command(
    "within",
    cls=GroupedCommand,
    epilog="Example: stdeval meta within -m map --topics 25 --trials 100 qrels.gz references/*.run.gz",
)
@experiment_options(10_000, schemes=("raw", "n"))
@click.option(
    "--topics",
    "n_topics",
    type=WholeRange(min=2),
    metavar="N",
    help="Topics of a trial.  [default: 50, or half the topics if that is fewer]",
)
@alphas_option((), "19 levels: .001 to .009, .01 to .09, .1")
@trials_out_option
def within(
    experiment: Experiment, n_topics: int | None, alphas: tuple[float, ...], trials_path: str | None
) -> None:
    """Standardized against raw scores on random topics of one collection."""
    tables = experiment.tables()
    levels = tuple(dict.fromkeys(alphas)) or ALPHAS
    size = usual_size(len(tables.topics)) if n_topics is None else n_topics
    with experiment.mapper() as mapper:
        results = [
            topic_sets.within(
                better_higher(raw, measure),
                better_higher(scores, measure),
                n_topics=size,
                n_trials=experiment.n_trials,
                rng=experiment.generator(),
                alphas=levels,
                mapper=mapper,
            )
            for measure, raw, scores in zip(tables.measures, tables.raw, tables.values, strict=True)
        ]
    title = f"within a collection, {size} random topics, correlation with raw scores, paired t test"
    write_results("within", experiment, title, tables, levels, results, trials_path)


def write_results(
    name: str,
    experiment: Experiment,
    title: str,
    tables: Tables,
    levels: Sequence[float],
    results: Sequence[TopicSetResult],
    trials_path: str | None,
) -> None:
    """Write the results of `within` or `between`, the name: a row per measure, scheme and level, and the trials."""
    warn_of_undefined([result.correlations.tau for result in results], "all systems have the same mean")
    rates = list(results[0].rates)
    rows: list[Sequence[Cell]] = [
        (measure, scheme, alpha, *(float(rate[j, k]) for rate in result.rates.values()), *_moments(result, j))
        for measure, result in zip(tables.measures, results, strict=True)
        for j, scheme in enumerate(tables.schemes_of(measure))
        for k, alpha in enumerate(levels)
    ]
    fields = [*map(Field, _LABELS), Field("alpha", "g"), *map(Field, rates), *map(Field, _MOMENTS)]
    listing = Listing(fields, rows)
    # The column topics has the number of all topics, of which a trial takes some.
    conditions: dict[str, Cell] = {"trial_topics": results[0].n_topics}
    test: dict[str, Cell] = {"test": "welch" if name == "between" else "t"}
    text = [listing.only((*_LABELS, *_MOMENTS)), *(_rate_listing(listing, tables, rate) for rate in rates)]
    files: dict[str | None, Listing] = {}
    if trials_path is not None:
        files[trials_path] = _trial_listing(tables, results).with_constants({"experiment": name, **conditions})
    whole = listing.with_constants(test | conditions)
    experiment.write(title, len(tables.systems), len(tables.topics), whole, text, files)


def _trials(result: TopicSetResult, scheme: int) -> list[Floats]:
    """Return the values of each of `CORRELATIONS` in the trials, by one scheme."""
    return [
        values[scheme] for values in (result.correlations.tau, result.correlations.tau_ap, result.correlations.r)
    ]


def _moments(result: TopicSetResult, scheme: int) -> list[float]:
    """Return the mean and the standard deviation of each correlation over the trials that have one."""
    return [over_known(part, values) for values in _trials(result, scheme) for part in (np.mean, deviation)]


def _rate_listing(listing: Listing, tables: Tables, rate: str) -> Listing:
    """Return a rate of significance with one column per scheme."""
    cells: dict[tuple[Cell, ...], Cell] = {
        (measure, alpha, scheme): cell
        for measure, scheme, alpha, cell in listing.only((*_LABELS, "alpha", rate)).rows
    }
    schemes = list(dict.fromkeys(scheme for measure in tables.measures for scheme in tables.schemes_of(measure)))
    rows = [
        [rate, measure, alpha, *(cells.get((measure, alpha, scheme), math.nan) for scheme in schemes)]
        for measure, alpha in dict.fromkeys((measure, alpha) for measure, alpha, _ in cells)
    ]
    return Listing([Field("rate"), Field("measure"), Field("alpha", "g"), *map(Field, schemes)], rows)


def _trial_listing(tables: Tables, results: Sequence[TopicSetResult]) -> Listing:
    rows = [
        (measure, scheme, name, number, float(value))
        for measure, result in zip(tables.measures, results, strict=True)
        for j, scheme in enumerate(tables.schemes_of(measure))
        for name, values in zip(CORRELATIONS, _trials(result, j), strict=True)
        for number, value in enumerate(values, 1)
    ]
    return Listing([*map(Field, (*_LABELS, "coefficient", "trial")), Field("value")], rows)


@click.command(
    "between",
    cls=GroupedCommand,
    epilog="Example: stdeval meta between -m map --topics 25 --trials 100 qrels.gz references/*.run.gz",
)
@experiment_options(10_000, schemes=("raw", "n"))
@click.option(
    "--topics",
    "n_topics",
    type=WholeRange(min=2),
    metavar="N",
    help="Topics of either set.  [default: 50, or half the topics if that is fewer]",
)
@alphas_option((), "19 levels: .001 to .009, .01 to .09, .1")
@trials_out_option
def between(
    experiment: Experiment, n_topics: int | None, alphas: tuple[float, ...], trials_path: str | None
) -> None:
    """Scores on two disjoint random sets of topics."""
    tables = experiment.tables()
    levels = tuple(dict.fromkeys(alphas)) or ALPHAS
    with experiment.mapper() as mapper:
        results = [
            topic_sets.between(
                better_higher(scores, measure),
                n_topics=n_topics,
                n_trials=experiment.n_trials,
                rng=experiment.generator(),
                alphas=levels,
                mapper=mapper,
            )
            for measure, scores in zip(tables.measures, tables.values, strict=True)
        ]
    title = f"between two sets of {results[0].n_topics} random topics, Welch t test"
    write_results("between", experiment, title, tables, levels, results, trials_path)
