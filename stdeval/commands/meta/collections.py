"""`stdeval meta collections`: whether the same systems score alike on different collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from pathlib import PurePath

import click
import numpy as np

from stdeval import notices
from stdeval.cli.experiments import (
    MISSING,
    Experiment,
    Tables,
    better_higher,
    complete_tables,
    table_format_options,
    trials_out_option,
    warn_of_undefined,
)
from stdeval.cli.inputs import best_runs
from stdeval.cli.options import (
    ALPHA,
    INPUT_FILE,
    GroupedCommand,
    InputOptions,
    OutputOptions,
    StandardizationOptions,
    WholeRange,
    best_option,
    jobs_option,
    measure_option,
    seed_option,
    standardization_options,
)
from stdeval.cli.score_files import scores_input
from stdeval.cli.standardizing import factors_of, raw_scores
from stdeval.display import shown_name
from stdeval.errors import InputError, warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta.collections import CollectionComparison, Repartition, compare_collections, repartition
from stdeval.meta.trials import Mapper
from stdeval.table import ScoreTable


@click.command(
    "collections",
    cls=GroupedCommand,
    epilog="Example: stdeval meta collections --trials 100 early.csv late.csv",
)
@click.argument("files", nargs=-1, type=INPUT_FILE, metavar="SCORES SCORES...")
@measure_option
@best_option
@standardization_options(("raw", "n"))
@click.option(
    "--alpha",
    type=ALPHA,
    default=0.025,
    show_default=True,
    help="Level of the one-tailed tests.",
)
@click.option(
    "--trials",
    "n_trials",
    type=WholeRange(0, 10**7),
    default=0,
    metavar="N",
    help="Random re-partitions of the united topics.",
)
@seed_option
@trials_out_option
@click.option("--mean", "averaged", is_flag=True, help="Print the means over all pairs of collections instead.")
@jobs_option
@table_format_options
def command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    best: str | None,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    alpha: float,
    n_trials: int,
    seed: int,
    trials_path: str | None,
    averaged: bool,
    jobs: int | None,
    to: OutputOptions,
) -> None:
    """Compare the scores of the same systems on different collections."""
    _check_options(files, standardization, n_trials, trials_path, averaged=averaged)
    named = tuple(dict.fromkeys(schemes))
    tables = _collection_tables(files, measures, best, standardization, named)
    inputs = scores_input(files, measures)._replace(jobs=jobs)
    experiment = Experiment(inputs, standardization, named, seed, n_trials, to)
    with experiment.mapper() as mapper:
        pairs = _compared_pairs(experiment, files, tables, alpha, mapper)
    n_topics = sum(len(table.topics) for table in tables)
    listing = _mean_listing(pairs) if averaged else _whole_listing(pairs)
    text = [listing] if averaged else [listing.only([*LABELS, *STATISTICS.values(), *TOPICS])]
    if pairs[0].random:
        text.append(_random_listing(pairs))
        taus = [pair.random.trials.tau for pair in pairs if pair.random is not None]
        warn_of_undefined(taus, "all systems have the same mean on one side")
    title, systems = f"{len(files)} collections, alpha {alpha:g}", tables[0].systems
    level: dict[str, Cell] = {"alpha": alpha}
    trials: dict[str | None, Listing] = {}
    if trials_path is not None:
        trials[trials_path] = _trial_listing(pairs).with_constants(level)
    experiment.write(title, len(systems), n_topics, listing.with_constants(level), text, trials)


def _check_options(
    files: Sequence[str],
    standardization: StandardizationOptions,
    n_trials: int,
    trials_path: str | None,
    *,
    averaged: bool,
) -> None:
    if len(files) < 2:
        raise click.UsageError("expected the scores files of at least two collections")
    if len(standardization.factor_files) not in (0, len(files)):
        raise click.UsageError(
            f"{len(standardization.factor_files)} factors (-F) for {len(files)} collections, "
            "expected one for each, or none"
        )
    if trials_path is not None and not n_trials:
        raise click.UsageError("no trials for --trials-out, expected --trials N")
    if averaged and n_trials:
        raise click.UsageError("expected --mean or --trials, not both: a mean of percentiles is not a percentile")


def _collection_tables(
    files: Sequence[str],
    measures: Sequence[str],
    best: str | None,
    standardization: StandardizationOptions,
    schemes: Sequence[str],
) -> list[Tables]:
    """Return the scores of each collection, by the same measures and of the systems that all collections have."""
    factor_files: list[tuple[str, ...]] = [(path,) for path in standardization.factor_files] or [()] * len(files)
    options = [standardization._replace(factor_files=paths) for paths in factor_files]
    factors, raw = [], []
    for path, own in zip(files, options, strict=True):
        try:
            factors.append(factors_of(own))
            raw.append(raw_scores(scores_input([path], measures), own, factors[-1], gaps="ignore"))
        except InputError as error:
            raise error.at(path) from None
    _check_measures(raw, files)
    systems = _shared_systems(raw, files)
    if best is not None:
        first = raw[0].select(systems=systems)
        kept = [systems[i] for i in best_runs(InputOptions(measures=tuple(measures), best=best), first)]
        # as if no others were given, so that they are not reference runs either
        raw, systems = [table.select(systems=kept) for table in raw], kept
    if standardization.leave_out is not None:
        known = tuple({name for table in raw for name in table.systems})
        options = [own._replace(leave_out=standardization.leave_out._replace(known=known)) for own in options]
    tables = [
        complete_tables(table.select(measures=raw[0].measures), schemes, own, reference, systems)
        for table, own, reference in zip(raw, options, factors, strict=True)
    ]
    n_missing, n_topics = sum(table.n_missing for table in tables), sum(len(table.topics) for table in raw)
    warn(notices.left_out_topics(n_missing, n_topics, MISSING))
    return tables


def _check_measures(tables: Sequence[ScoreTable], paths: Sequence[str]) -> None:
    for table, path in zip(tables[1:], paths[1:], strict=True):
        differing = set(tables[0].measures) ^ set(table.measures)
        if differing:
            name = min(differing)
            without, having = (path, paths[0]) if name in tables[0].measures else (paths[0], path)
            raise InputError(f"no measure '{name}', expected those of {having}, or -m", without)


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


@dataclass(frozen=True, eq=False)
class Pair:
    """The comparison of two collections, and of random re-partitions of them, by one measure and scheme."""

    labels: tuple[str, str, str]
    n_topics: tuple[int, int]
    real: CollectionComparison
    random: Repartition | None

    def value(self, statistic: str, part: str) -> Cell:
        """Return the cell of a statistic: the real one, or one of `OVER_REPARTITIONS`."""
        comparison = self.real if part == "real" else getattr(self.random, part)
        value = float(getattr(comparison, statistic)[0])
        return int(value) if part == "real" and statistic in COUNTS else value


def _compared_pairs(
    experiment: Experiment, paths: Sequence[str], tables: Sequence[Tables], alpha: float, mapper: Mapper
) -> list[Pair]:
    """Compare every two collections by every measure and scheme."""
    names = _short_names(paths)
    pairs = []
    for i, j in combinations(range(len(tables)), 2):
        for (measure, scheme, first), (_, _, second) in zip(tables[i].cells(), tables[j].cells(), strict=True):
            a, b = better_higher(first, measure), better_higher(second, measure)
            random = None
            if experiment.n_trials:
                rng, n_trials = experiment.generator(), experiment.n_trials
                random = repartition(a, b, n_trials=n_trials, rng=rng, alpha=alpha, mapper=mapper)
            real = compare_collections(a, b, alpha=alpha) if random is None else random.real
            labels = (measure, scheme, f"{names[i]}/{names[j]}")
            pairs.append(Pair(labels, (a.shape[1], b.shape[1]), real, random))
    return pairs


def _short_names(paths: Sequence[str]) -> list[str]:
    """Return file names up to their first dot; whole paths if such names are the same."""
    short = [PurePath(path).name.partition(".")[0] or path for path in paths]
    return short if len(set(short)) == len(short) else list(paths)


LABELS = ("measure", "scheme", "pair")
STATISTICS = {
    field.name: {"tau": "tau_b", "tau_ap": "tau_ap_b"}.get(field.name, field.name)
    for field in fields(CollectionComparison)
}
"""The statistics of a comparison, and the names of their columns."""

COUNTS = ("first_better", "second_better", "false_positives")
"""The statistics that are numbers of systems."""

OVER_REPARTITIONS = {"mean": ".4f", "low": ".4f", "high": ".4f", "percentile": ".1f"}
"""The summaries of a statistic over random re-partitions, and their formats."""

TOPICS = ("topics_first", "topics_second")


def _whole_listing(pairs: Sequence[Pair]) -> Listing:
    """Return a row per pair, measure and scheme."""
    parts = ["real", *(OVER_REPARTITIONS if pairs[0].random else ())]
    columns = [(statistic, part) for statistic in STATISTICS for part in parts]
    rows = [[*pair.labels, *(pair.value(*column) for column in columns), *pair.n_topics] for pair in pairs]
    return Listing([*map(Field, LABELS), *(_field(*column) for column in columns), *map(Field, TOPICS)], rows)


def _mean_listing(pairs: Sequence[Pair]) -> Listing:
    """Return a row per measure and scheme, with the means of the statistics over the pairs."""
    rows: list[list[Cell]] = []
    for measure, scheme in dict.fromkeys(pair.labels[:2] for pair in pairs):
        chosen = [pair.real for pair in pairs if pair.labels[:2] == (measure, scheme)]
        means = [float(np.mean([getattr(real, statistic) for real in chosen])) for statistic in STATISTICS]
        rows.append([measure, scheme, len(chosen), *means])
    return Listing([*map(Field, (*LABELS[:2], "pairs", *STATISTICS.values()))], rows)


def _trial_listing(pairs: Sequence[Pair]) -> Listing:
    """Return a row per pair, measure, scheme and random re-partition, with the statistics of the re-partition."""
    rows: list[list[Cell]] = []
    for pair in pairs:
        assert pair.random is not None
        columns = [
            list(map(int, values)) if statistic in COUNTS else values.tolist()
            for statistic, values in ((name, getattr(pair.random.trials, name)) for name in STATISTICS)
        ]
        rows += [[*pair.labels, i, *row] for i, row in enumerate(zip(*columns, strict=True), 1)]
    return Listing([*map(Field, (*LABELS, "trial", *STATISTICS.values()))], rows)


def _field(statistic: str, part: str) -> Field:
    """Return the column of a statistic, or of a summary of it; summaries of dRMSE have no prefix in their names."""
    name = STATISTICS[statistic]
    if part == "real":
        return Field(name)
    return Field(part if statistic == "drmse" else f"{name}_{part}", OVER_REPARTITIONS[part])


def _random_listing(pairs: Sequence[Pair]) -> Listing:
    """Return a row per pair, measure, scheme and statistic."""
    rows = [
        [*pair.labels, name, *(pair.value(statistic, part) for part in ("real", *OVER_REPARTITIONS))]
        for pair in pairs
        for statistic, name in STATISTICS.items()
    ]
    parts = [Field(part, form) for part, form in OVER_REPARTITIONS.items()]
    return Listing([*map(Field, (*LABELS, "statistic")), Field("real"), *parts], rows)
