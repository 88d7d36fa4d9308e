"""`stdeval meta references`: how many reference systems are needed, and how much another set of them changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress, product
from pathlib import Path
from typing import Any

import click
import numpy as np

from stdeval import notices
from stdeval.cli import experiments, options, scoring, standardizing
from stdeval.cli.declarations import WholeRange
from stdeval.cli.experiments import CORRELATIONS, COUNTED_BY_C, MISSING, Experiment
from stdeval.cli.options import file_option, gathered, option, stacked
from stdeval.errors import InputError, warn
from stdeval.files import Input
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.formats.readers import file_kind
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.names import is_better_higher, scheme_label
from stdeval.meta.references import compare_references, reference_sizes, standardized_means
from stdeval.meta.trials import check_scores
from stdeval.standardization.factors import Factors, common_measures, differences_of, fit_factors
from stdeval.standardization.schemes import left_out_topics
from stdeval.stats import aggregates, correlation
from stdeval.table import ScoreTable

SIZES = (5, 10, 15, 20, 30, 40, 50, 75, 100)
"""Numbers of references that are sampled if none is named."""


_factors_option = file_option(
    "-F --factors FILE... factor_files", "Sample the scores of FILE ('stdeval factors --empirical') as references."
)


@experiments.experiment_command(
    "references",
    "-m map --references 10 --trials 100 qrels.gz references/*.run.gz",
    experiments.trials_options(2000),
    standardization=stacked(
        gathered("standardization", options.StandardizationOptions, _factors_option),
        options.scheme_option("How to standardize; repeatable.", default=("n",)),
    ),
)
@option(
    "--references N... sizes", "How many references to sample; repeatable.  [default: 5 to 100]", WholeRange(min=2)
)
@file_option("--evaluate FILE... ranked", "Rank the systems of this run or scores file instead; repeatable.")
@file_option("--other FILE", "Compare with the ranking by the reference runs of this scores file.")
@file_option("--collection FILE", "Also correlate the raw ranking with that by this scores file of other topics.")
def command(
    experiment: Experiment, sizes: Sequence[int], ranked: Sequence[str], other: str | None, collection: str | None
) -> None:
    """How many reference systems standardization needs."""
    if other is not None and (sizes or collection):
        raise click.UsageError(f"expected --{'references' if sizes else 'collection'} or --other, not both")
    if experiment.standardization.factor_files and ranked:
        raise click.UsageError("expected -F or --evaluate, not both: with -F the runs given are ranked")
    labels = tuple(dict.fromkeys(map(scheme_label, experiment.schemes)))
    scores, reference, *others = _read(experiment, ranked, other)
    if set(labels) != {"raw"}:
        standardizing.refuse_standardized(scores.measures)
    elsewhere = {} if collection is None else _collection_cells(scores, collection)
    n = len(reference.systems)
    wanted = sorted(set(sizes)) or [size for size in SIZES if size < n] or [max(2, n - 1)]
    names = ["measure", "scheme", "size", "median", "p5", "p1", "tau_raw", "references"]
    if others:
        names = ["measure", "scheme", "references", "other_references", *CORRELATIONS]
        experiment = replace(experiment, n_trials=0)
    rows: list[list[Cell]] = []
    taus = []
    with experiment.mapper() as mapper:
        given: dict[str, Any] = {"n_trials": experiment.n_trials, "rng": experiment.seed, "mapper": mapper}
        for measure, scheme in product(scores.measures, labels):
            pair = scores.measure(measure), reference.measure(measure)
            if others:
                third, higher = others[0].measure(measure), is_better_higher(measure)
                compared = compare_references(*pair, third, scheme=scheme, better_higher=higher)
                rows.append([measure, scheme, n, len(others[0].systems), *map(float, compared)])
                continue
            sampled = reference_sizes(*pair, wanted, scheme=scheme, **given)
            taus.append(sampled.tau)
            tau_raw = float(correlation.tau_b(*(standardized_means(*pair, name) for name in (scheme, "raw"))))
            for size, *row in zip(wanted, sampled.median, sampled.fifth, sampled.first, strict=True):
                rows.append([measure, scheme, size, *map(float, row), tau_raw, n, *elsewhere.get(measure, ())])
    if taus:
        experiments.warn_of_undefined(taus, "all systems have the same mean")
    # Topics where all references, of either set, have the same score.
    factors, axes = [fit_factors(table) for table in (reference, *others)], (scores.topics, scores.measures)
    found = [[left_out_topics(each, *axes, scheme) for each in factors] for scheme in labels]
    left_out = np.any(found, axis=(1, 3))  # shape (n_schemes, n_topics)
    equal, letters = compress(scores.topics, left_out.any(axis=0)), compress(labels, left_out.any(axis=1))
    warn(notices.equal_references(list(equal), len(scores.topics), list(letters)))
    names += ["tau_collection", "collection_systems"] if elsewhere else []
    experiment.write(f"{n} references", scores, Listing([*map(Field, names)], rows))


def _read(experiment: Experiment, evaluated: Sequence[str], other: str | None) -> list[ScoreTable]:
    """Read the systems to rank (the references, if no others are named), the references, and other references."""
    inputs = experiment.inputs
    read = scoring.read_table(inputs, DEFAULT_FACTORS, gaps="ignore")
    scores = scoring.as_typed(read, inputs, experiment.to.format)
    reference = scores
    from_scores = scoring.takes_scores(inputs)

    def warn_of_origins(path: str, made: Factors | ScoreTable, table: ScoreTable) -> None:
        found = differences_of(made, table, scoring.origin_of(inputs, table))
        warn(notices.other_origin(found, path))

    factors = standardizing.factors_of(experiment.standardization)
    if factors is not None:
        path = experiment.standardization.factor_files[0]
        if factors.reference is None:
            what = "means and standard deviations only, expected reference scores"
            raise InputError(f"{what} ('stdeval factors --empirical' writes them)", path)
        warn_of_origins(path, factors, scores)
        measures = common_measures(scores.measures, factors)
        scores, reference = scores.select(measures=measures), factors.reference.select(measures=measures)
    if evaluated:
        # Anything that can be read only once, such as a pipe, is taken for a run.
        if from_scores or (Path(evaluated[0]).is_file() and file_kind(Input(evaluated[0])) == "scores"):
            scores = _from_scores(evaluated, reference.measures)
        else:
            ranked = inputs._replace(files=(inputs.files[0], *evaluated), measures=reference.measures)
            scores = scoring.read_table(ranked, gaps="ignore").select(measures=reference.measures)
        warn_of_origins(evaluated[0], scores, reference)
    tables = [scores, reference]
    if other is not None:
        tables.append(_from_scores((other,), reference.measures))
        warn_of_origins(other, tables[2], reference if evaluated else scores)
    topics = list(dict.fromkeys(topic for table in (reference, *tables) for topic in table.topics))
    compared = {id(table): experiments.compared_table(table) for table in tables}
    tables = [compared[id(table)] for table in tables]
    shared = set.intersection(*(set(table.topics) for table in tables))
    kept = [topic for topic in topics if topic in shared]
    reason = MISSING if from_scores or inputs.evaluation.complete else COUNTED_BY_C
    warn(notices.left_out_topics(len(topics) - len(kept), len(topics), reason))
    tables = [table.select(topics=kept) for table in tables]
    for table in tables:
        check_scores(table.values.transpose(2, 0, 1))
    return tables


def _from_scores(paths: Sequence[str], measures: Sequence[str]) -> ScoreTable:
    try:
        return scoring.read_table(scoring.scores_input(paths, measures), gaps="ignore")
    except InputError as error:
        raise error.at(paths[0]) from None


def _collection_cells(scores: ScoreTable, path: str) -> dict[str, list[Cell]]:
    """Return by measure: tau_b of the two rankings by raw scores, and the number of systems of both collections."""
    whole = _from_scores((path,), scores.measures)
    there = experiments.compared_table(whole)
    shared = [name for name in scores.systems if name in there.systems]
    if len(shared) < 2:
        raise InputError(f"{len(shared)} of the ranked systems, expected at least 2", path)
    n_missing = len(whole.topics) - len(there.topics)
    warn(
        notices.other_systems(len(scores.systems) - len(shared), len(scores.systems), path),
        notices.left_out_topics(n_missing, len(whole.topics), f"{MISSING} in {path}"),
    )
    pair = scores.select(systems=shared), there.select(systems=shared)
    cells: dict[str, list[Cell]] = {}
    for measure in scores.measures:
        means = [aggregates.overall_scores(table.measure(measure), aggregates.arithmetic_mean) for table in pair]
        cells[measure] = [float(correlation.tau_b(*means)), len(shared)]
    return cells
