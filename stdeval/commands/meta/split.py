"""`stdeval meta split`: how alike two halves of the topics rank the systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from math import nan
from typing import Any

import numpy as np

from stdeval import notices
from stdeval.cli import experiments
from stdeval.cli.declarations import OUTPUT_FILE, Choice, option
from stdeval.cli.experiments import Experiment, Method, Tables
from stdeval.errors import warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.measures.names import is_better_higher
from stdeval.meta.topic_sets import difficulty_split, monte_carlo_error, random_splits, split_correlations
from stdeval.meta.trials import Mapper, deviation, over_known
from stdeval.stats.correlation import Correlations
from stdeval.stats.difficulty import share_low, surprise

LABELS = [Field("how"), Field("measure"), Field("scheme"), Field("aggregate"), Field("epsilon", "g")]

PERCENTILES = {"p2.5": 2.5, "median": 50.0, "p97.5": 97.5}

_WAYS = "Random halves; the harder and the easier half; the middle half and the rest; repeatable."


@experiments.experiment_command(
    "split", "-m map -a am -a egm --trials 100 qrels.gz references/*.run.gz", experiments.trials_options(10_000)
)
@option("--split ways", _WAYS, Choice(["random", "hard-easy", "middle-rest"]), multiple=True, default=("random",))
@experiments.method_options
@experiments.trials_out_option
@option("--pairs-out FILE pairs_path", "Write the differences of every two methods to FILE, as CSV.", OUTPUT_FILE)
def command(
    experiment: Experiment, ways: list[str], methods: list[Method], trials_path: str | None, pairs_path: str | None
) -> None:
    """Self-consistency: the correlation of the system rankings on two halves of the topics."""
    if "random" not in ways:
        experiment = replace(experiment, n_trials=0)
    tables = experiment.tables()
    with experiment.mapper() as mapper:
        results = list(_results(experiment, tables, list(dict.fromkeys(ways)), methods, mapper))
    why = "the aggregate of a system is undefined, or all systems have the same"
    experiments.warn_of_undefined([found.tau for _, found, _ in results], why)
    rows, trials, pairs = (list[list[Cell]]() for _ in range(3))
    firsts: dict[tuple[Cell, ...], Correlations] = {}
    for labels, found, _ in results:
        n = int((~np.isnan(found.tau)).sum())
        ranks = [over_known(partial(np.percentile, q=q), found.tau) if n > 1 else nan for q in PERCENTILES.values()]
        tau, *others = (over_known(np.mean, values) for values in found)
        # The se of the difference between the first method and this one on the same splits.
        first = firsts.setdefault(labels[:2], found)
        error = nan if first is found else monte_carlo_error(first.tau, found.tau)
        rows.append([*labels, tau, over_known(deviation, found.tau), *ranks, *others, n, error])
    names = ["tau", "sd", *PERCENTILES, "tau_ap_b", "r", "splits"]
    listing = Listing([*LABELS, *map(Field, names), Field("se", ".2g")], rows)
    files = {}
    if trials_path is not None:
        for labels, found, _ in results:
            numbered = enumerate(zip(*found, strict=True), 1)
            trials += [[*labels, number, *map(float, values)] for number, values in numbered]
        files[trials_path] = Listing([*LABELS, *map(Field, ("trial", "tau", "tau_ap_b", "r"))], trials)
    if pairs_path is not None:
        for (labels, found, low), (of_other, other, _) in combinations(results, 2):
            if labels[:2] == of_other[:2]:
                # Over the splits for which both methods have a tau_b.
                difference = over_known(np.mean, found.tau - other.tau)
                error = monte_carlo_error(found.tau, other.tau)
                pairs.append([*labels, *of_other[2:], difference, error, low])
        to_other = [Field(f"{field.name}_b", field.form) for field in LABELS[2:]]
        files[pairs_path] = Listing([*LABELS, *to_other, *map(Field, ("difference", "se", "low"))], pairs)
    experiment.write("correlation of two halves of the topics", tables, listing, files=files)


def _results(
    experiment: Experiment, tables: Tables, ways: Sequence[str], methods: Sequence[Method], mapper: Mapper
) -> Iterator[tuple[tuple[Cell, ...], Correlations, float]]:
    """Yield labels, correlations over all splits, and the share of low scores, by each way to split and method."""
    difficulty = None
    if ways != ["random"]:
        raw = zip(tables.measures, tables.raw, strict=True)
        difficulty = np.stack([surprise(experiments.better_higher(scores, measure)) for measure, scores in raw])
        n_unknown = int(np.isnan(difficulty).any(axis=0).sum())
        warn(notices.left_out_topics(n_unknown, len(tables.topics), "with equal scores, they have no difficulty"))
    for (i, measure), how in product(enumerate(tables.measures), ways):
        # A split by difficulty is a single trial, not worth a worker.
        if how == "random" or difficulty is None:
            topics, used = np.arange(len(tables.topics)), mapper
            split = random_splits(len(topics), experiment.n_trials, experiment.seed)
        else:
            topics, used = np.flatnonzero(~np.isnan(difficulty[i])), map
            split = difficulty_split(difficulty[i, topics], how)
        given: dict[str, Any] = {"better_higher": is_better_higher(measure), "mapper": used}
        for j, scheme in enumerate(tables.schemes_of(measure)):
            scores = tables.values[i, j][:, topics]
            low = float(share_low(scores.ravel()))
            for aggregate, epsilon, function, transform in methods:
                found = split_correlations(scores, split, transform or function, **given)
                yield (how, measure, scheme, aggregate, epsilon), found, low
