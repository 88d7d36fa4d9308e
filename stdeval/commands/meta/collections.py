"""`stdeval meta collections`: whether the same systems score alike on different collections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, compress
from pathlib import PurePath
from typing import Any

import click
import numpy as np

from stdeval import notices
from stdeval.cli import experiments, scoring
from stdeval.cli.declarations import ALPHA, INPUT_FILE
from stdeval.cli.experiments import MISSING, Experiment, Tables, better_higher
from stdeval.cli.options import InputOptions, StandardizationOptions, gathered, jobs_option, measure_option, option
from stdeval.cli.standardizing import factors_of, raw_scores
from stdeval.errors import InputError, listed, shown_name, warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta.collections import CollectionComparison, compare_collections, repartition
from stdeval.table import Floats, ScoreTable

LABELS = ("measure", "scheme", "pair")
TOPICS = ("topics_first", "topics_second")
STATISTICS = tuple({"tau": "tau_b", "tau_ap": "tau_ap_b"}.get(name, name) for name in CollectionComparison._fields)
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
@option("--mean averaged", "Print the means over all pairs of collections instead.")
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
    rows, by_statistic, trials = (list[list[Cell]]() for _ in range(3))
    taus = []
    with experiment.mapper() as mapper:
        random: dict[str, Any] = {"n_trials": experiment.n_trials, "rng": experiment.seed, "mapper": mapper}
        for labels, first, second in _pairs(files, tables):
            parts = repartition(first, second, alpha=alpha, **random) if experiment.n_trials else None
            real = compare_collections(first, second, alpha=alpha) if parts is None else parts.real
            # Per statistic, the real value and its summaries over random re-partitions.
            columns: list[Iterable[Cell]] = [_cells(values[0] for values in real)]
            if parts is not None:
                taus.append(parts.trials.tau)
                columns += [[float(values[0]) for values in getattr(parts, part)] for part in OVER_REPARTITIONS]
                each_trial = enumerate(zip(*parts.trials, strict=True), 1)
                trials += [[*labels, number, *_cells(values)] for number, values in each_trial]
            cells = list(zip(*columns, strict=True))
            rows.append([*labels, *chain(*cells), first.shape[1], second.shape[1]])
            by_statistic += [[*labels, name, *row] for name, row in zip(STATISTICS, cells, strict=True)]
    over = [Field(part, form) for part, form in OVER_REPARTITIONS.items() if experiment.n_trials]
    fields = []
    for name in STATISTICS:
        # The summaries of dRMSE have no prefix in the names of columns.
        prefix = "" if name == "drmse" else f"{name}_"
        fields += [Field(name), *(Field(f"{prefix}{part.name}", part.form) for part in over)]
    listing = Listing([*map(Field, LABELS), *fields, *map(Field, TOPICS)], rows)
    text = [listing.only([*LABELS, *STATISTICS, *TOPICS])]
    if averaged:
        means: list[list[Cell]] = []
        for by in dict.fromkeys(tuple(row[:2]) for row in rows):
            chosen = [row[len(LABELS) : -len(TOPICS)] for row in rows if tuple(row[:2]) == by]
            means.append([*by, len(chosen), *(float(np.mean(values)) for values in zip(*chosen, strict=True))])
        listing = Listing([*map(Field, (*LABELS[:2], "pairs", *STATISTICS))], means)
        text = [listing]
    if experiment.n_trials:
        text.append(Listing([*map(Field, (*LABELS, "statistic", "real")), *over], by_statistic))
        experiments.warn_of_undefined(taus, "all systems have the same mean on one side")
    title, level = f"{len(files)} collections, alpha {alpha:g}", {"alpha": alpha}
    each = Listing([*map(Field, (*LABELS, "trial", *STATISTICS))], trials).with_constants(level)
    to = {} if trials_path is None else {trials_path: each}
    united = replace(tables[0], topics=tuple(chain(*(table.topics for table in tables))))
    experiment.write(title, united, listing, level, text=text, files=to)


def _collection_tables(experiment: Experiment) -> list[Tables]:
    """Return the scores of each collection, by the same measures and of the systems that all collections have."""
    files, measures = experiment.inputs.files, experiment.inputs.measures
    # Each collection has its own factors, if there are some.
    options = [StandardizationOptions((path,)) for path in experiment.standardization.factor_files]
    options = options or [StandardizationOptions()] * len(files)
    factors, raw = [], list[ScoreTable]()
    for path, own in zip(files, options, strict=True):
        try:
            factors.append(factors_of(own))
            raw.append(raw_scores(scoring.scores_input([path], measures), own, factors[-1], gaps="ignore"))
        except InputError as error:
            raise error.at(path) from None
        if set(raw[-1].measures) != set(raw[0].measures):
            expected = f"expected {listed(raw[0].measures)}, as in {files[0]}, or -m"
            raise InputError(f"scores by {listed(raw[-1].measures)}, {expected}", path)
    shared = [name for name in raw[0].systems if all(name in table.systems for table in raw)]
    if not shared:
        found = f"{files[0]} has '{shown_name(raw[0].systems[0])}', {files[1]} '{shown_name(raw[1].systems[0])}'"
        raise InputError(f"no system is in all collections: {found}")
    n_systems = len({name for table in raw for name in table.systems})
    warn(notices.other_systems(n_systems - len(shared), n_systems, "all collections"))
    has = [experiments.scored(table.select(systems=shared, measures=raw[0].measures)) for table in raw]
    n_topics = [len(table.topics) for table in raw]
    # A collection is to topics what a measure is: each has topics of its own.
    padded = [np.pad(each, ((0, 0), (0, max(n_topics) - each.shape[1]))) for each in has]
    kept, common = scoring.compared_runs(np.stack(padded, axis=2), shared, "left out", narrows=False)
    n_missing = sum(n_topics) - int(common.sum())
    warn(notices.left_out_topics(n_missing, sum(n_topics), MISSING))
    tables = []
    for table, own, known, where in zip(raw, options, factors, common.T, strict=True):
        topics = list(compress(table.topics, where[: len(table.topics)]))
        chosen = table.select(topics=topics, measures=raw[0].measures)
        compared = list(compress(shared, kept))
        tables.append(experiments.complete_tables(chosen, experiment.schemes, own, known, compared))
    return tables


def _pairs(paths: Sequence[str], tables: Sequence[Tables]) -> Iterator[tuple[tuple[str, str, str], Floats, Floats]]:
    """Yield the labels and the scores of every two collections by each measure and scheme; higher is better."""
    # Collections are named by their files up to the first dot, or by whole paths if such names are the same.
    short = [PurePath(path).name.partition(".")[0] or path for path in paths]
    names = short if len(set(short)) == len(short) else paths
    for (name_a, a), (name_b, b) in combinations(zip(names, tables, strict=True), 2):
        for (measure, scheme, first), (_, _, second) in zip(a.cells(), b.cells(), strict=True):
            labels = (measure, scheme, f"{name_a}/{name_b}")
            yield labels, better_higher(first, measure), better_higher(second, measure)


def _cells(values: Iterable[float]) -> list[Cell]:
    return [int(value) if name in COUNTS else float(value) for name, value in zip(STATISTICS, values, strict=True)]
