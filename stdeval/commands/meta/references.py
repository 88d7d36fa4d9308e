"""`stdeval meta references`: how many reference systems are needed, and how much another set of them changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
import numpy as np

from stdeval import notices
from stdeval.cli.experiments import (
    CORRELATIONS,
    COUNTED_BY_C,
    MISSING,
    Experiment,
    experiment_command,
    trials_options,
    warn_of_undefined,
    with_all_scores,
)
from stdeval.cli.inputs import takes_scores
from stdeval.cli.options import InputOptions, StandardizationOptions, scheme_option
from stdeval.cli.standardizing import differences_of_inputs, factors_of, refuse_standardized
from stdeval.cli.tables import as_typed, read_table, scores_input
from stdeval.cli.types import INPUT_FILE, WholeRange, gathered, option, stacked
from stdeval.errors import InputError, warn
from stdeval.files import Input
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.formats.readers import file_kind
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.names import is_better_higher
from stdeval.meta.references import compare_references, reference_sizes, standardized_means
from stdeval.standardization.factors import Factors, common_measures, fit_factors
from stdeval.standardization.schemes import left_out_topics, scheme_label
from stdeval.stats.aggregates import arithmetic_mean, overall_scores
from stdeval.stats.correlation import tau_b
from stdeval.table import ScoreTable

SIZES = (5, 10, 15, 20, 30, 40, 50, 75, 100)
"""Numbers of references that are sampled if none is named."""

COLLECTION = ("tau_collection", "collection_systems")
"""The columns of another collection: tau with its ranking, and the number of systems that both collections have."""


@experiment_command(
    "references",
    "-m map --references 10 --trials 100 qrels.gz references/*.run.gz",
    trials_options(2000),
    standardization=stacked(
        gathered(
            "standardization",
            StandardizationOptions,
            option(
                "-F --factors factor_files",
                "Sample the reference scores of FILE ('stdeval factors --empirical'), and rank the runs given.",
                INPUT_FILE,
                "FILE",
                multiple=True,
            ),
        ),
        scheme_option("How to standardize; repeatable.", default=("n",)),
    ),
)
@option(
    "--references sizes",
    "Number of reference systems to sample; repeatable.  [default: 5, 10, 15, 20, 30, 40, 50, 75, 100]",
    WholeRange(min=2),
    "N",
    multiple=True,
)
@option(
    "--evaluate evaluated",
    "Rank the systems of this run or scores file instead of the reference runs; repeatable.",
    INPUT_FILE,
    "FILE",
    multiple=True,
)
@option("--other", "Compare with the ranking by the reference runs of this scores file.", INPUT_FILE, "FILE")
@option(
    "--collection",
    "Also compare the rankings by raw scores here and in this scores file, of the same systems on another "
    "collection.",
    INPUT_FILE,
    "FILE",
)
def command(
    experiment: Experiment,
    sizes: tuple[int, ...],
    evaluated: tuple[str, ...],
    other: str | None,
    collection: str | None,
) -> None:
    """How many reference systems standardization needs."""
    if other is not None and (sizes or collection):
        raise click.UsageError(f"expected --{'references' if sizes else 'collection'} or --other, not both")
    if experiment.standardization.factor_files and evaluated:
        raise click.UsageError("expected -F or --evaluate, not both: with -F the runs given are ranked")
    labels = tuple(dict.fromkeys(map(scheme_label, experiment.schemes)))
    scores, reference, *others = _read(experiment, evaluated, other)
    if set(labels) != {"raw"}:
        refuse_standardized(scores.measures)
    if others:
        experiment = replace(experiment, n_trials=0)
        listing = _other_listing(scores, reference, others[0], labels)
    else:
        elsewhere = None if collection is None else _collection_cells(scores, collection)
        listing = _size_listing(experiment, scores, reference, labels, sizes, elsewhere)
    _warn_of_equal_references([reference, *others], scores, labels)
    experiment.write(f"{len(reference.systems)} references", scores, listing)


def _read(experiment: Experiment, evaluated: Sequence[str], other: str | None) -> list[ScoreTable]:
    """Read the systems to rank (the references, if no others are named), the references, and other references."""
    inputs = experiment.inputs
    scores = as_typed(read_table(inputs, DEFAULT_FACTORS, gaps="ignore"), inputs, experiment.to.format)
    scores = reference = with_all_scores(scores)
    factors = factors_of(experiment.standardization)
    if factors is not None:
        path = experiment.standardization.factor_files[0]
        if factors.reference is None:
            what = "means and standard deviations only, expected reference scores"
            raise InputError(f"{what} ('stdeval factors --empirical' writes them)", path)
        _warn_of_origins(path, factors, inputs, scores)
        measures = common_measures(scores.measures, factors)
        scores, reference = scores.select(measures=measures), factors.reference.select(measures=measures)
    if evaluated:
        scores = _evaluated(inputs, evaluated, reference.measures)
    others = [] if other is None else [_from_scores((other,), reference.measures)]
    if evaluated:
        _warn_of_origins(evaluated[0], scores, inputs, reference)
    if other is not None:
        _warn_of_origins(other, others[0], inputs, reference if evaluated else scores)
    is_whole = takes_scores(inputs) or inputs.complete
    return _on_common_topics([scores, reference, *others], MISSING if is_whole else COUNTED_BY_C)


def _warn_of_origins(path: str, made: Factors | ScoreTable, inputs: InputOptions, table: ScoreTable) -> None:
    """Warn of a file of scores or factors that was made from other judgments or with other options."""
    warn(notices.other_origin(differences_of_inputs(made, inputs, table), path))


def _evaluated(inputs: InputOptions, paths: Sequence[str], measures: Sequence[str]) -> ScoreTable:
    # Anything that can be read only once, such as a pipe, is taken for a run.
    if takes_scores(inputs) or (Path(paths[0]).is_file() and file_kind(Input(paths[0])) == "scores"):
        return _from_scores(paths, measures)
    same = inputs._replace(files=(inputs.files[0], *paths), measures=tuple(measures))
    return read_table(same, gaps="ignore").select(measures=measures)


def _from_scores(paths: Sequence[str], measures: Sequence[str]) -> ScoreTable:
    try:
        return read_table(scores_input(paths, measures), gaps="ignore")
    except InputError as error:
        raise error.at(paths[0]) from None


def _complete_topics(table: ScoreTable) -> list[str]:
    """Return the topics for which every system has a score by every measure."""
    missing = np.any(np.isnan(table.values), axis=(0, 2))
    return [topic for topic, lacks in zip(table.topics, missing, strict=True) if not lacks]


def _on_common_topics(tables: Sequence[ScoreTable], reason: str) -> list[ScoreTable]:
    """Keep the topics for which every system has a score in every table; `reason` is why others are left out."""
    # The topics of the references come first.
    topics = list(dict.fromkeys(topic for i in (1, 0, *range(2, len(tables))) for topic in tables[i].topics))
    shared = set.intersection(*(set(_complete_topics(table)) for table in tables))
    kept = [topic for topic in topics if topic in shared]
    if not kept:
        raise InputError("no topic that all systems have, expected references and systems on the same topics")
    warn(notices.left_out_topics(len(topics) - len(kept), len(topics), reason))
    return [table.select(topics=kept) for table in tables]


def _warn_of_equal_references(references: Sequence[ScoreTable], scores: ScoreTable, schemes: Sequence[str]) -> None:
    """Warn of topics that a scheme leaves out because all references, of either set, have the same score there."""
    sets = [fit_factors(table) for table in references]
    axes = scores.topics, scores.measures
    left_out = {
        scheme: np.any([left_out_topics(each, *axes, scheme) for each in sets], axis=(0, 2)) for scheme in schemes
    }
    equal = [topic for topic, *out in zip(scores.topics, *left_out.values(), strict=True) if any(out)]
    letters = [scheme for scheme, out in left_out.items() if out.any()]
    warn(notices.equal_references(equal, len(scores.topics), letters))


def _collection_cells(scores: ScoreTable, path: str) -> dict[str, list[Cell]]:
    """Return by measure the cells of `COLLECTION`: tau_b of the two rankings by raw scores, and its n."""
    there = _from_scores((path,), scores.measures)
    shared = [name for name in scores.systems if name in there.systems]
    if len(shared) < 2:
        raise InputError(f"{len(shared)} of the ranked systems, expected at least 2", path)
    warn(notices.other_systems(len(scores.systems) - len(shared), len(scores.systems), path))
    there, here = there.select(systems=shared), scores.select(systems=shared)
    complete = _complete_topics(there)
    if not complete:
        raise InputError("no topic that all ranked systems have, expected some", path)
    n_missing = len(there.topics) - len(complete)
    warn(notices.left_out_topics(n_missing, len(there.topics), f"{MISSING} in {path}"))
    pair = (here, there.select(topics=complete))
    overall = partial(overall_scores, aggregate=arithmetic_mean)
    return {
        measure: [float(tau_b(*(overall(table.measure(measure)) for table in pair))), len(shared)]
        for measure in scores.measures
    }


def _size_listing(
    experiment: Experiment,
    table: ScoreTable,
    references: ScoreTable,
    schemes: Sequence[str],
    sizes: Sequence[int],
    elsewhere: dict[str, list[Cell]] | None,
) -> Listing:
    """Return a row per measure, scheme and size; `elsewhere` has the cells of another collection by measure."""
    n = len(references.systems)
    wanted = sorted(set(sizes)) or [size for size in SIZES if size < n] or [max(2, n - 1)]
    rows: list[list[Cell]] = []
    every_tau = []
    with experiment.mapper() as mapper:
        for measure in table.measures:
            scores, reference = table.measure(measure), references.measure(measure)
            for scheme in schemes:
                rng, n_trials = experiment.generator(), experiment.n_trials
                found = reference_sizes(
                    scores, reference, wanted, scheme=scheme, n_trials=n_trials, rng=rng, mapper=mapper
                )
                every_tau.append(found.tau)
                raw = float(tau_b(*(standardized_means(scores, reference, name) for name in (scheme, "raw"))))
                percentiles = zip(found.median, found.fifth, found.first, strict=True)
                for size, row in zip(wanted, percentiles, strict=True):
                    other = [] if elsewhere is None else elsewhere[measure]
                    rows.append([measure, scheme, size, *map(float, row), raw, n, *other])
    warn_of_undefined(every_tau, "all systems have the same mean")
    names = ("measure", "scheme", "size", "median", "p5", "p1", "tau_raw", "references")
    return Listing([*map(Field, names), *map(Field, COLLECTION if elsewhere else ())], rows)


def _other_listing(scores: ScoreTable, reference: ScoreTable, other: ScoreTable, schemes: Sequence[str]) -> Listing:
    """Return a row per measure and scheme."""
    rows: list[list[Cell]] = []
    for measure in scores.measures:
        tables = [table.measure(measure) for table in (scores, reference, other)]
        for scheme in schemes:
            found = compare_references(*tables, scheme=scheme, better_higher=is_better_higher(measure))
            rows.append([measure, scheme, len(reference.systems), len(other.systems), *map(float, found)])
    names = ("measure", "scheme", "references", "other_references")
    return Listing([*map(Field, (*names, *CORRELATIONS))], rows)
