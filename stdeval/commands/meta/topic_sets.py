"""`stdeval meta within` and `between`: scores on random topics of one collection, and on two sets of topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import click
import numpy as np

from stdeval.cli.experiments import (
    CORRELATIONS,
    Experiment,
    alphas_option,
    better_higher,
    experiment_command,
    trials_options,
    trials_out_option,
    warn_of_undefined,
)
from stdeval.cli.types import Command, WholeRange, option
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta import topic_sets
from stdeval.meta.trials import TopicSetResult, deviation, over_known
from stdeval.meta.ttests import ALPHAS

_LABELS = ("measure", "scheme")
_MOMENTS = tuple(f"{name}{part}" for name in CORRELATIONS for part in ("", "_sd"))


def _topic_set_command(name: str, topics: str) -> Callable[[Command], click.Command]:
    """Return the decorator that makes a function the command of an experiment on random topics."""
    meaning = f"{topics}.  [default: 50, or half the topics if that is fewer]"
    size = option("--topics n_topics", meaning, WholeRange(min=2), "N")
    levels = alphas_option((), "19 levels: .001 to .009, .01 to .09, .1")
    return experiment_command(
        name,
        "-m map --topics 25 --trials 100 qrels.gz references/*.run.gz",
        *(trials_options(10_000), size, levels, trials_out_option),
        schemes=("raw", "n"),
    )


@_topic_set_command("within", "Topics of a trial")
def within(**options: Any) -> None:
    """Standardized against raw scores on random topics of one collection."""
    title = "within a collection, {} random topics, correlation with raw scores, paired t test"
    _run("within", "t", title, **options)


@_topic_set_command("between", "Topics of either set")
def between(**options: Any) -> None:
    """Scores on two disjoint random sets of topics."""
    _run("between", "welch", "between two sets of {} random topics, Welch t test", **options)


def _run(
    name: str,
    test: str,
    title: str,
    experiment: Experiment,
    n_topics: int | None,
    alphas: Sequence[float],
    trials_path: str | None,
) -> None:
    """Run an experiment, and write a row per measure, scheme and level, and the trials."""
    levels = tuple(dict.fromkeys(alphas)) or ALPHAS
    tables = experiment.tables()
    results: list[TopicSetResult] = []
    with experiment.mapper() as mapper:
        given: dict[str, Any] = {"n_topics": n_topics, "n_trials": experiment.n_trials, "alphas": levels}
        for measure, raw, values in zip(tables.measures, tables.raw, tables.values, strict=True):
            given |= {"rng": experiment.generator(), "mapper": mapper}
            scores = better_higher(values, measure)
            if name == "within":
                results.append(topic_sets.within(better_higher(raw, measure), scores, **given))
            else:
                results.append(topic_sets.between(scores, **given))
    warn_of_undefined([result.correlations.tau for result in results], "all systems have the same mean")
    rates = list(results[0].rates)
    rows: list[list[Cell]] = []
    trials: list[list[Cell]] = []
    for (measure, scheme, _), (result, j) in zip(
        tables.cells(), product(results, range(len(tables.schemes))), strict=True
    ):
        values = [correlation[j] for correlation in result.correlations]
        moments = [over_known(part, each) for each in values for part in (np.mean, deviation)]
        for k, alpha in enumerate(levels):
            of_level = [float(rate[j, k]) for rate in result.rates.values()]
            rows.append([measure, scheme, alpha, *of_level, *moments])
        for coefficient, each in zip(CORRELATIONS, values if trials_path else (), strict=False):
            trials += [[measure, scheme, coefficient, i, float(value)] for i, value in enumerate(each, 1)]
    fields = [*map(Field, _LABELS), Field("alpha", "g"), *map(Field, rates), *map(Field, _MOMENTS)]
    listing = Listing(fields, rows)
    # The column topics has the number of all topics, of which a trial takes some.
    size: dict[str, Cell] = {"trial_topics": results[0].n_topics}
    text = [listing.only((*_LABELS, *_MOMENTS)), *(_rate_listing(listing, rate) for rate in rates)]
    files = {}
    if trials_path is not None:
        of_trials = Listing([*map(Field, (*_LABELS, "coefficient", "trial", "value"))], trials)
        files[trials_path] = of_trials.with_constants({"experiment": name, **size})
    title = title.format(results[0].n_topics)
    experiment.write(title, tables, listing, {"test": test, **size}, text=text, files=files)


def _rate_listing(listing: Listing, rate: str) -> Listing:
    """Return a rate of significance with one column per scheme."""
    cells: dict[tuple[Cell, Cell], dict[Cell, Cell]] = {}
    for measure, scheme, alpha, cell in listing.only((*_LABELS, "alpha", rate)).rows:
        cells.setdefault((measure, alpha), {})[scheme] = cell
    schemes = list(dict.fromkeys(str(scheme) for of_level in cells.values() for scheme in of_level))
    rows = [[rate, *labels, *(found.get(name, math.nan) for name in schemes)] for labels, found in cells.items()]
    return Listing([Field("rate"), Field("measure"), Field("alpha", "g"), *map(Field, schemes)], rows)
