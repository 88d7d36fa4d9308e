"""`stdeval meta collections`: whether the same systems score alike on different collections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from pathlib import PurePath
from typing import NamedTuple

import click
import numpy as np

from stdeval import notices
from stdeval.cli import experiments
from stdeval.cli.experiments import MISSING, Experiment, Tables, better_higher
from stdeval.cli.helps import gathered, option
from stdeval.cli.options import InputOptions, StandardizationOptions, jobs_option, measure_option
from stdeval.cli.standardizing import factors_of, raw_scores
from stdeval.cli.tables import scores_input
from stdeval.cli.types import ALPHA, INPUT_FILE
from stdeval.display import listed, shown_name
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

scores_files = click.argument("files", nargs=-1, type=INPUT_FILE, metavar="SCORES SCORES...")


@experiments.experiment_command(
    "collections",
    "--trials 100 early.csv late.csv",
    experiments.trials_options(0, "Random re-partitions of the united topics."),
    inputs=gathered("inputs", InputOptions, scores_files, measure_option, jobs_option),
    schemes=("raw", "n"),
)
@option("--alpha", "Level of the one-tailed tests.", ALPHA, default=0.025)
@experiments.trials_out_option
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
        experiments.warn_of_undefined(taus, "all systems have the same mean on one side")
    title, level = f"{len(files)} collections, alpha {alpha:g}", {"alpha": alpha}
    trials = {} if trials_path is None else {trials_path: _trial_listing(pairs).with_constants(level)}
    n_topics = sum(len(table.topics) for table in tables)
    experiment.write(title, tables[0], listing, level, text=text, files=trials, n_topics=n_topics)


def _collection_tables(experiment: Experiment) -> list[Tables]:
    """Return the scores of each collection, by the same measures and of the systems that all collections have."""
    files, measures = experiment.inputs.files, experiment.inputs.measures
    # Each collection has its own factors, if there are some.
    factor_files = experiment.standardization.factor_files
    options = [StandardizationOptions((own,)) for own in factor_files] or [StandardizationOptions()] * len(files)
    factors, raw = [], list[ScoreTable]()
    for path, own in zip(files, options, strict=True):
        try:
            factors.append(factors_of(own))
            raw.append(raw_scores(scores_input([path], measures), own, factors[-1], gaps="ignore"))
        except InputError as error:
            raise error.at(path) from None
        if set(raw[-1].measures) != set(raw[0].measures):
            expected = f"expected {listed(raw[0].measures)}, as in {files[0]}, or -m"
            raise InputError(f"scores by {listed(raw[-1].measures)}, {expected}", path)
    systems = _shared_systems(raw, files)
    tables = [
        experiments.complete_tables(table.select(measures=raw[0].measures), experiment.schemes, own, known, systems)
        for table, own, known in zip(raw, options, factors, strict=True)
    ]
    n_missing, n_topics = sum(table.n_missing for table in tables), sum(len(table.topics) for table in raw)
    warn(notices.left_out_topics(n_missing, n_topics, MISSING))
    return tables


def _shared_systems(tables: Sequence[ScoreTable], paths: Sequence[str]) -> list[str]:
    """Return the systems that all collections have, and warn of the others."""
    shared = list(tables[0].systems)
    for table, path in zip(tables, paths, strict=True):
        shared = [name for name in shared if name in table.systems]
        if not shared:
            found = f"{paths[0]} has '{shown_name(tables[0].systems[0])}', {path} '{shown_name(table.systems[0])}'"
            raise InputError(f"no system is in all collections: {found}")
    n_systems = len({name for table in tables for name in table.systems})
    warn(notices.other_systems(n_systems - len(shared), n_systems, "all collections"))
    return shared


class Pair(NamedTuple):
    """The comparison of two collections, and of random re-partitions of them, by one measure and scheme."""

    labels: tuple[str, str, str]
    n_topics: tuple[int, int]
    real: CollectionComparison
    random: Repartition | None

    def by_statistic(self) -> Iterator[list[Cell]]:
        """Yield the real value of each statistic, and its summaries over random re-partitions, if there are any."""
        over = [getattr(self.random, part) for part in OVER_REPARTITIONS if self.random is not None]
        for name, real, *others in zip(STATISTICS, self.real, *over, strict=True):
            yield [int(real[0]) if name in COUNTS else float(real[0]), *(float(each[0]) for each in others)]


def _compared_pairs(experiment: Experiment, tables: Sequence[Tables], alpha: float, mapper: Mapper) -> list[Pair]:
    """Compare every two collections by every measure and scheme."""
    paths, n_trials = experiment.inputs.files, experiment.n_trials
    # Collections are named by their files up to the first dot, or by whole paths if such names are the same.
    short = [PurePath(path).name.partition(".")[0] or path for path in paths]
    names = short if len(set(short)) == len(short) else paths
    pairs = []
    for (name_a, table_a), (name_b, table_b) in combinations(zip(names, tables, strict=True), 2):
        for (measure, scheme, first), (_, _, second) in zip(table_a.cells(), table_b.cells(), strict=True):
            a, b = better_higher(first, measure), better_higher(second, measure)
            random = None
            if n_trials:
                random = repartition(a, b, n_trials=n_trials, rng=experiment.seed, alpha=alpha, mapper=mapper)
            real = compare_collections(a, b, alpha=alpha) if random is None else random.real
            pairs.append(Pair((measure, scheme, f"{name_a}/{name_b}"), (a.shape[1], b.shape[1]), real, random))
    return pairs


def _whole_listing(pairs: Sequence[Pair]) -> Listing:
    """Return a row per pair, measure and scheme; the summaries of dRMSE have no prefix in the names of columns."""
    parts = OVER_REPARTITIONS if pairs[0].random else {}
    fields = []
    for name in STATISTICS.values():
        prefix = "" if name == "drmse" else f"{name}_"
        fields += [Field(name), *(Field(f"{prefix}{part}", form) for part, form in parts.items())]
    rows = [[*pair.labels, *chain(*pair.by_statistic()), *pair.n_topics] for pair in pairs]
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
    rows: list[list[Cell]] = []
    for pair in pairs:
        named = zip(STATISTICS.values(), pair.by_statistic(), strict=True)
        rows += [[*pair.labels, name, *cells] for name, cells in named]
    parts = [Field(part, form) for part, form in OVER_REPARTITIONS.items()]
    return Listing([*map(Field, (*LABELS, "statistic", "real")), *parts], rows)


def _trial_listing(pairs: Sequence[Pair]) -> Listing:
    """Return a row per pair, measure, scheme and random re-partition, with the statistics of the re-partition."""
    rows: list[list[Cell]] = []
    for pair in pairs:
        assert pair.random is not None
        named = zip(STATISTICS, pair.random.trials, strict=True)
        columns = [(values.astype(int) if name in COUNTS else values).tolist() for name, values in named]
        rows += [[*pair.labels, i, *row] for i, row in enumerate(zip(*columns, strict=True), 1)]
    return Listing([*map(Field, (*LABELS, "trial", *STATISTICS.values()))], rows)
