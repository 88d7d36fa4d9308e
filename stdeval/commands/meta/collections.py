"""`stdeval meta collections`: whether the same systems score alike on different collections."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import PurePath
from typing import NamedTuple

import click
import numpy as np

from stdeval import notices
from stdeval.cli.experiments import (
    MISSING,
    Experiment,
    Tables,
    better_higher,
    complete_tables,
    experiment_command,
    scores_only,
    trials_options,
    trials_out_option,
    warn_of_undefined,
)
from stdeval.cli.options import StandardizationOptions
from stdeval.cli.standardizing import factors_of, raw_scores
from stdeval.cli.tables import scores_input
from stdeval.cli.types import ALPHA, option
from stdeval.display import shown_name
from stdeval.errors import InputError, warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta.collections import CollectionComparison, Repartition, compare_collections, repartition
from stdeval.meta.trials import Mapper
from stdeval.table import ScoreTable

LABELS = ("measure", "scheme", "pair")
TOPICS = ("topics_first", "topics_second")
STATISTICS = {name: {"tau": "tau_b", "tau_ap": "tau_ap_b"}.get(name, name) for name in CollectionComparison._fields}
"""The statistics of a comparison, and the names of their columns."""

COUNTS = ("first_better", "second_better", "false_positives")
"""The statistics that are numbers of systems."""

OVER_REPARTITIONS = {"mean": ".4f", "low": ".4f", "high": ".4f", "percentile": ".1f"}
"""The summaries of a statistic over random re-partitions, and their formats."""


@experiment_command(
    "collections",
    "--trials 100 early.csv late.csv",
    trials_options(0, "Random re-partitions of the united topics."),
    inputs=scores_only,
    schemes=("raw", "n"),
)
@option("--alpha", "Level of the one-tailed tests.", ALPHA, default=0.025)
@trials_out_option
@option("--mean averaged", "Print the means over all pairs of collections instead.", is_flag=True)
def command(experiment: Experiment, alpha: float, trials_path: str | None, averaged: bool) -> None:
    """Compare the scores of the same systems on different collections."""
    files, n_factors = experiment.inputs.files, len(experiment.standardization.factor_files)
    if len(files) < 2:
        raise click.UsageError("expected the scores files of at least two collections")
    if n_factors not in (0, len(files)):
        found = f"{n_factors} factors (-F) for {len(files)} collections"
        raise click.UsageError(f"{found}, expected one for each, or none")
    if trials_path is not None and not experiment.n_trials:
        raise click.UsageError("no trials for --trials-out, expected --trials N")
    if averaged and experiment.n_trials:
        raise click.UsageError("expected --mean or --trials, not both: a mean of percentiles is not a percentile")
    tables = _collection_tables(experiment)
    with experiment.mapper() as mapper:
        pairs = _compared_pairs(experiment, tables, alpha, mapper)
    listing = _mean_listing(pairs) if averaged else _whole_listing(pairs)
    text = [listing] if averaged else [listing.only([*LABELS, *STATISTICS.values(), *TOPICS])]
    if experiment.n_trials:
        text.append(_random_listing(pairs))
        taus = [pair.random.trials.tau for pair in pairs if pair.random is not None]
        warn_of_undefined(taus, "all systems have the same mean on one side")
    title, level = f"{len(files)} collections, alpha {alpha:g}", {"alpha": alpha}
    trials = {} if trials_path is None else {trials_path: _trial_listing(pairs).with_constants(level)}
    n_topics = sum(len(table.topics) for table in tables)
    experiment.write(title, tables[0], listing, level, text=text, files=trials, n_topics=n_topics)


def _collection_tables(experiment: Experiment) -> list[Tables]:
    """Return the scores of each collection, by the same measures and of the systems that all collections have."""
    files, measures = experiment.inputs.files, experiment.inputs.measures
    factor_files: list[tuple[str, ...]] = [(path,) for path in experiment.standardization.factor_files]
    options = [StandardizationOptions(factor_files=own) for own in factor_files or [()] * len(files)]
    factors, raw = [], []
    for path, own in zip(files, options, strict=True):
        try:
            factors.append(factors_of(own))
            raw.append(raw_scores(scores_input([path], measures), own, factors[-1], gaps="ignore"))
        except InputError as error:
            raise error.at(path) from None
    for table, path in zip(raw[1:], files[1:], strict=True):
        if differing := set(raw[0].measures) ^ set(table.measures):
            name = min(differing)
            without, having = (path, files[0]) if name in raw[0].measures else (files[0], path)
            raise InputError(f"no measure '{name}', expected those of {having}, or -m", without)
    systems = _shared_systems(raw, files)
    tables = [
        complete_tables(table.select(measures=raw[0].measures), experiment.schemes, own, reference, systems)
        for table, own, reference in zip(raw, options, factors, strict=True)
    ]
    n_missing, n_topics = sum(table.n_missing for table in tables), sum(len(table.topics) for table in raw)
    warn(notices.left_out_topics(n_missing, n_topics, MISSING))
    return tables


def _shared_systems(tables: Sequence[ScoreTable], paths: Sequence[str]) -> list[str]:
    """Return the systems that all collections have, and warn of the others."""
    for (a, path_a), (b, path_b) in combinations(zip(tables, paths, strict=True), 2):
        if not set(a.systems) & set(b.systems):
            raise InputError(
                f"{path_a} and {path_b} share no system: the first has '{shown_name(a.systems[0])}', "
                f"the second '{shown_name(b.systems[0])}'"
            )
    shared = [name for name in tables[0].systems if all(name in table.systems for table in tables)]
    n_systems = len({name for table in tables for name in table.systems})
    warn(notices.other_systems(n_systems - len(shared), n_systems, "all collections"))
    return shared


class Pair(NamedTuple):
    """The comparison of two collections, and of random re-partitions of them, by one measure and scheme."""

    labels: tuple[str, str, str]
    n_topics: tuple[int, int]
    real: CollectionComparison
    random: Repartition | None

    def value(self, statistic: str, part: str) -> Cell:
        """Return the cell of a statistic: the real one, or one of `OVER_REPARTITIONS`."""
        value = float(getattr(self.real if part == "real" else getattr(self.random, part), statistic)[0])
        return int(value) if part == "real" and statistic in COUNTS else value


def _compared_pairs(experiment: Experiment, tables: Sequence[Tables], alpha: float, mapper: Mapper) -> list[Pair]:
    """Compare every two collections by every measure and scheme."""
    paths, n_trials = experiment.inputs.files, experiment.n_trials
    # Collections are named by their files up to the first dot, or by whole paths if such names are the same.
    short = [PurePath(path).name.partition(".")[0] or path for path in paths]
    names = short if len(set(short)) == len(short) else paths
    pairs = []
    for i, j in combinations(range(len(tables)), 2):
        for (measure, scheme, first), (_, _, second) in zip(tables[i].cells(), tables[j].cells(), strict=True):
            a, b = better_higher(first, measure), better_higher(second, measure)
            random = None
            if n_trials:
                rng = experiment.generator()
                random = repartition(a, b, n_trials=n_trials, rng=rng, alpha=alpha, mapper=mapper)
            real = compare_collections(a, b, alpha=alpha) if random is None else random.real
            labels = (measure, scheme, f"{names[i]}/{names[j]}")
            pairs.append(Pair(labels, (a.shape[1], b.shape[1]), real, random))
    return pairs


def _whole_listing(pairs: Sequence[Pair]) -> Listing:
    """Return a row per pair, measure and scheme; the summaries of dRMSE have no prefix in the names of columns."""
    parts = OVER_REPARTITIONS if pairs[0].random else {}
    fields, columns = [], []
    for statistic, name in STATISTICS.items():
        prefix = "" if statistic == "drmse" else f"{name}_"
        fields += [Field(name), *(Field(f"{prefix}{part}", form) for part, form in parts.items())]
        columns += [(statistic, part) for part in ("real", *parts)]
    rows = [[*pair.labels, *(pair.value(*column) for column in columns), *pair.n_topics] for pair in pairs]
    return Listing([*map(Field, LABELS), *fields, *map(Field, TOPICS)], rows)


def _mean_listing(pairs: Sequence[Pair]) -> Listing:
    """Return a row per measure and scheme, with the means of the statistics over the pairs."""
    rows: list[list[Cell]] = []
    for labels in dict.fromkeys(pair.labels[:2] for pair in pairs):
        chosen = [pair.real for pair in pairs if pair.labels[:2] == labels]
        rows.append([*labels, len(chosen), *(float(np.mean(values)) for values in zip(*chosen, strict=True))])
    return Listing([*map(Field, (*LABELS[:2], "pairs", *STATISTICS.values()))], rows)


def _random_listing(pairs: Sequence[Pair]) -> Listing:
    """Return a row per pair, measure, scheme and statistic."""
    rows = [
        [*pair.labels, name, *(pair.value(statistic, part) for part in ("real", *OVER_REPARTITIONS))]
        for pair in pairs
        for statistic, name in STATISTICS.items()
    ]
    parts = [Field(part, form) for part, form in OVER_REPARTITIONS.items()]
    return Listing([*map(Field, (*LABELS, "statistic", "real")), *parts], rows)


def _trial_listing(pairs: Sequence[Pair]) -> Listing:
    """Return a row per pair, measure, scheme and random re-partition, with the statistics of the re-partition."""
    rows: list[list[Cell]] = []
    for pair in pairs:
        assert pair.random is not None
        columns = [
            list(map(int, values)) if name in COUNTS else values.tolist()
            for name, values in zip(STATISTICS, pair.random.trials, strict=True)
        ]
        rows += [[*pair.labels, i, *row] for i, row in enumerate(zip(*columns, strict=True), 1)]
    return Listing([*map(Field, (*LABELS, "trial", *STATISTICS.values()))], rows)
