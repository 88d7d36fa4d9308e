"""`stdeval meta split`: how alike two halves of the topics rank the systems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from stdeval import notices
from stdeval.cli.experiments import (
    Experiment,
    Method,
    Tables,
    experiment_command,
    method_options,
    trials_options,
    trials_out_option,
    warn_of_undefined,
)
from stdeval.cli.types import OUTPUT_FILE, Choice, option
from stdeval.display import counted
from stdeval.errors import InputError, warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.measures.names import is_better_higher
from stdeval.meta.split import difficulty_split, monte_carlo_error, random_splits, split_correlations
from stdeval.meta.trials import FEWEST_TOPICS, Aggregate, Mapper, deviation, over_known
from stdeval.stats.aggregates import Transform
from stdeval.stats.correlation import Correlations
from stdeval.stats.difficulty import share_low, surprise
from stdeval.table import Floats

WAYS = ("random", "hard-easy", "middle-rest")

LABELS = [Field("how"), Field("measure"), Field("scheme"), Field("aggregate"), Field("epsilon", "g")]

PERCENTILES = {"p2.5": 2.5, "median": 50.0, "p97.5": 97.5}


@experiment_command(
    "split", "-m map -a am -a egm --trials 100 qrels.gz references/*.run.gz", trials_options(10_000)
)
@option(
    "--split ways",
    "Random halves; the harder and the easier half; the middle half and the rest; repeatable.",
    Choice(WAYS),
    multiple=True,
    default=("random",),
)
@method_options
@trials_out_option
@option(
    "--pairs-out pairs_path",
    "Write the differences of every two methods on the same random halves to FILE, as CSV.",
    OUTPUT_FILE,
    "FILE",
)
def command(
    experiment: Experiment,
    ways: tuple[str, ...],
    methods: list[Method],
    trials_path: str | None,
    pairs_path: str | None,
) -> None:
    """Self-consistency: the correlation of the system rankings on two halves of the topics."""
    if "random" not in ways:
        experiment = replace(experiment, n_trials=0)
    tables = experiment.tables()
    difficulty = None if set(ways) == {"random"} else _difficulty(tables)
    with experiment.mapper() as mapper:
        results = list(_results(experiment, tables, list(dict.fromkeys(ways)), methods, difficulty, mapper))
    why = "the aggregate of a system is undefined, or all systems have the same"
    warn_of_undefined([each.correlations.tau for each in results], why)
    files = {}
    if trials_path is not None:
        files[trials_path] = _trial_listing(results)
    if pairs_path is not None:
        files[pairs_path] = _pair_listing(results)
    experiment.write("correlation of two halves of the topics", tables, _summary_listing(results), files=files)


class SplitResult(NamedTuple):
    """The correlations over all splits of one kind, by one method; arrays of shape (n_splits,)."""

    how: str
    measure: str
    scheme: str
    method: Method
    correlations: Correlations
    low: float

    @property
    def labels(self) -> list[Cell]:
        """The cells of the columns `LABELS`."""
        return [self.how, self.measure, self.scheme, self.method.aggregate, self.method.epsilon]


def _results(
    experiment: Experiment,
    tables: Tables,
    ways: Sequence[str],
    methods: Sequence[Method],
    difficulty: Floats | None,
    mapper: Mapper,
) -> Iterator[SplitResult]:
    """Yield the result by every measure, way to split, scheme and method."""
    for i, measure in enumerate(tables.measures):
        for how in ways:
            if how == "random" or difficulty is None:
                topics = np.arange(len(tables.topics))
                split = random_splits(len(topics), experiment.n_trials, experiment.generator())
            else:
                topics = np.flatnonzero(~np.isnan(difficulty[i]))
                split = difficulty_split(difficulty[i, topics], how)
            # A split by difficulty is a single trial, not worth a worker.
            mapped = mapper if how == "random" else map
            for j, scheme in enumerate(tables.schemes_of(measure)):
                scores = tables.values[i, j][:, topics]
                low = float(share_low(scores.ravel()))
                for method in methods:
                    correlations = split_correlations(scores, split, _ranking(method, measure), mapper=mapped)
                    yield SplitResult(how, measure, scheme, method, correlations, low)


def _ranking(method: Method, measure: str) -> Aggregate | Transform:
    """Return the aggregate, negated if lower is better by the measure: the best systems come first."""
    if is_better_higher(measure):
        return method.transform or method.function
    if method.transform is not None:
        return replace(method.transform, back=partial(_negated, method.transform.back))
    return partial(_negated, method.function)


def _negated(function: Aggregate, scores: Floats) -> Floats:
    return -function(scores)


def _difficulty(tables: Tables) -> Floats:
    """Return the difficulty of each topic by each measure; NaN, with a warning, if all its scores are equal."""
    raw = zip(tables.measures, tables.raw, strict=True)
    difficulty = np.stack([surprise(scores, better_higher=is_better_higher(measure)) for measure, scores in raw])
    is_unknown = np.isnan(difficulty)
    n_unknown = int(is_unknown.any(axis=0).sum())
    warn(notices.left_out_topics(n_unknown, len(tables.topics), "with equal scores, they have no difficulty"))
    for measure, n in zip(tables.measures, (~is_unknown).sum(axis=1).tolist(), strict=True):
        if n < FEWEST_TOPICS:
            found = f"{measure}: {counted(n, 'topic')} with a difficulty"
            raise InputError(f"{found}, expected at least {FEWEST_TOPICS} to split them by it")
    return difficulty


def _summary_listing(results: Sequence[SplitResult]) -> Listing:
    """Return a row per method: tau_b over the splits, means of the other correlations, se of the difference."""
    rows: list[list[Cell]] = []
    first: dict[tuple[str, str], SplitResult] = {}
    for each in results:
        tau, tau_ap, r = each.correlations
        n = int((~np.isnan(tau)).sum())
        ranks = [over_known(partial(np.percentile, q=q), tau) if n > 1 else math.nan for q in PERCENTILES.values()]
        spread = [over_known(np.mean, tau), over_known(deviation, tau), *ranks]
        others = [over_known(np.mean, tau_ap), over_known(np.mean, r)]
        error = _error(first.setdefault((each.how, each.measure), each), each)
        rows.append([*each.labels, *spread, *others, n, error])
    names = ["tau", "sd", *PERCENTILES, "tau_ap_b", "r", "splits"]
    return Listing([*LABELS, *map(Field, names), Field("se", ".2g")], rows)


def _error(first: SplitResult, second: SplitResult) -> float:
    """Return the standard error of the mean difference of tau_b; NaN for a method and itself."""
    return math.nan if first is second else monte_carlo_error(first.correlations.tau, second.correlations.tau)


def _trial_listing(results: Sequence[SplitResult]) -> Listing:
    """Return a row per method and trial."""
    rows: list[list[Cell]] = []
    for each in results:
        trials = enumerate(zip(*each.correlations, strict=True), 1)
        rows += [[*each.labels, number, *map(float, values)] for number, values in trials]
    return Listing([*LABELS, *map(Field, ("trial", "tau", "tau_ap_b", "r"))], rows)


def _pair_listing(results: Sequence[SplitResult]) -> Listing:
    """Return a row for every two methods on the same splits of the topics: mean difference of tau_b, and its se."""
    rows: list[list[Cell]] = []
    for a, b in combinations(results, 2):
        if (a.how, a.measure) == (b.how, b.measure):
            # Over the splits for which both methods have a tau_b.
            difference = over_known(np.mean, a.correlations.tau - b.correlations.tau)
            rows.append([*a.labels, *b.labels[2:], difference, _error(a, b), a.low])
    others = [Field(f"{field.name}_b", field.form) for field in LABELS[2:]]
    return Listing([*LABELS, *others, *map(Field, ("difference", "se", "low"))], rows)
