"""`stdeval meta within` and `between`: scores on random topics of one collection, and on two sets of topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from stdeval.cli import experiments
from stdeval.cli.declarations import Decorator, WholeRange, option
from stdeval.cli.experiments import CORRELATIONS, Experiment, better_higher
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta import topic_sets
from stdeval.meta.trials import deviation, over_known
from stdeval.meta.ttests import ALPHAS

TITLES = {
    "within": "within a collection, {} random topics, correlation with raw scores, paired t test",
    "between": "between two sets of {} random topics, Welch t test",
}
_LABELS = ("measure", "scheme")
_MOMENTS = tuple(f"{name}{part}" for name in CORRELATIONS for part in ("", "_sd"))


def _topic_set_command(name: str, topics: str) -> Decorator:
    meaning = f"{topics}.  [default: 50, or half the topics if that is fewer]"
    return experiments.experiment_command(
        name,
        "-m map --topics 25 --trials 100 qrels.gz references/*.run.gz",
        experiments.trials_options(10_000),
        option("--topics N n_topics", meaning, WholeRange(min=2)),
        experiments.alphas_option(default=(), show_default="19 levels: .001 to .009, .01 to .09, .1"),
        experiments.trials_out_option,
        schemes=("raw", "n"),
    )


@_topic_set_command("within", "Topics of a trial")
def within(**options: Any) -> None:
    """Standardized against raw scores on random topics of one collection."""
    _run("within", **options)


@_topic_set_command("between", "Topics of either set")
def between(**options: Any) -> None:
    """Scores on two disjoint random sets of topics."""
    _run("between", **options)


def _run(
    name: str, experiment: Experiment, n_topics: int | None, alphas: Sequence[float], trials_path: str | None
) -> None:
    """Run an experiment, and write a row per measure, scheme and level, and the trials."""
    levels = tuple(dict.fromkeys(alphas)) or ALPHAS
    tables = experiment.tables()
    how: dict[str, Any] = {"n_topics": n_topics, "n_trials": experiment.n_trials, "rng": experiment.seed}
    results = []
    with experiment.mapper() as mapper:
        how |= {"alphas": levels, "mapper": mapper}
        for measure, *scores in zip(tables.measures, tables.raw, tables.values, strict=True):
            raw, values = (better_higher(each, measure) for each in scores)
            found = topic_sets.within(raw, values, **how) if name == "within" else topic_sets.between(values, **how)
            results.append(found)
    experiments.warn_of_undefined([each.correlations.tau for each in results], "all systems have the same mean")
    rates, size = list(results[0].rates), results[0].n_topics
    rows, trials = (list[list[Cell]]() for _ in range(2))
    cells = product(results, range(len(tables.schemes)))
    for (measure, scheme, _), (result, j) in zip(tables.cells(), cells, strict=True):
        by_trial = [correlation[j] for correlation in result.correlations]
        moments = [over_known(part, each) for each in by_trial for part in (np.mean, deviation)]
        for k, alpha in enumerate(levels):
            rows.append([measure, scheme, alpha, *(float(rate[j, k]) for rate in result.rates.values()), *moments])
        for coefficient, each in zip(CORRELATIONS, by_trial, strict=True) if trials_path else ():
            trials += [[measure, scheme, coefficient, i, float(value)] for i, value in enumerate(each, 1)]
    listing = Listing([*map(Field, _LABELS), Field("alpha", "g"), *map(Field, (*rates, *_MOMENTS))], rows)
    text = [listing.only((*_LABELS, *_MOMENTS)), *(_rate_listing(listing, rate) for rate in rates)]
    of_trials = Listing([*map(Field, (*_LABELS, "coefficient", "trial", "value"))], trials)
    of_trials = of_trials.with_constants({"experiment": name, "trial_topics": size})
    files = {} if trials_path is None else {trials_path: of_trials}
    # The column topics has the number of all topics; a trial takes some of them.
    constants: dict[str, Cell] = {"test": "t" if name == "within" else "welch", "trial_topics": size}
    experiment.write(TITLES[name].format(size), tables, listing, constants, text=text, files=files)


def _rate_listing(listing: Listing, rate: str) -> Listing:
    """Return a rate of significance with one column per scheme."""
    cells: dict[tuple[Cell, Cell], dict[Cell, Cell]] = {}
    for measure, scheme, alpha, cell in listing.only((*_LABELS, "alpha", rate)).rows:
        cells.setdefault((measure, alpha), {})[scheme] = cell
    schemes = list(dict.fromkeys(str(scheme) for of_level in cells.values() for scheme in of_level))
    rows = [[rate, *labels, *(found.get(name, math.nan) for name in schemes)] for labels, found in cells.items()]
    return Listing([Field("rate"), Field("measure"), Field("alpha", "g"), *map(Field, schemes)], rows)
