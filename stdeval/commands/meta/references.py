"""`stdeval meta references`: how many reference systems are needed, and how much another set of them changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from stdeval import notices
from stdeval.cli.experiments import (
    CORRELATIONS,
    COUNTED_BY_C,
    MISSING,
    NOTHING_RANDOM,
    Experiment,
    scored_systems,
    table_format_options,
    trials_option,
    warn_of_undefined,
)
from stdeval.cli.inputs import as_typed, read_table, takes_scores
from stdeval.cli.options import (
    INPUT_FILE,
    GroupedCommand,
    InputOptions,
    OutputOptions,
    StandardizationOptions,
    WholeRange,
    input_options,
    scheme_option,
    seed_option,
)
from stdeval.cli.score_files import scores_input
from stdeval.cli.standardizing import differences_of_inputs, factors_of, refuse_standardized
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


@click.command(
    "references",
    cls=GroupedCommand,
    epilog="Example: stdeval meta references -m map --references 10 --trials 100 qrels.gz references/*.run.gz",
)
@input_options
@scheme_option("How to standardize; repeatable.", default=("n",))
@click.option(
    "-F",
    "--factors",
    "reference_file",
    type=INPUT_FILE,
    metavar="FILE",
    help="Sample the reference scores of FILE ('stdeval factors --empirical'), and rank the runs given.",
)
@click.option(
    "--references",
    "sizes",
    type=WholeRange(min=2),
    multiple=True,
    metavar="N",
    help="Number of reference systems to sample; repeatable.  [default: 5, 10, 15, 20, 30, 40, 50, 75, 100]",
)
@click.option(
    "--evaluate",
    "evaluated",
    type=INPUT_FILE,
    multiple=True,
    metavar="FILE",
    help="Rank the systems of this run or scores file instead of the reference runs; repeatable.",
)
@click.option(
    "--other",
    type=INPUT_FILE,
    metavar="FILE",
    help="Compare with the ranking by the reference runs of this scores file.",
)
@click.option(
    "--collection",
    type=INPUT_FILE,
    metavar="FILE",
    help="Also compare the rankings by raw scores here and in this scores file, of the same systems on another "
    "collection.",
)
@trials_option(2000)
@seed_option
@table_format_options
def command(
    inputs: InputOptions,
    schemes: tuple[str, ...],
    reference_file: str | None,
    sizes: tuple[int, ...],
    evaluated: tuple[str, ...],
    other: str | None,
    collection: str | None,
    n_trials: int,
    seed: int,
    to: OutputOptions,
) -> None:
    """How many reference systems standardization needs."""
    if other is not None and (sizes or collection):
        raise click.UsageError(f"expected --{'references' if sizes else 'collection'} or --other, not both")
    if reference_file is not None and evaluated:
        raise click.UsageError("expected -F or --evaluate, not both: with -F the runs given are ranked")
    labels = tuple(dict.fromkeys(map(scheme_label, schemes)))
    sources = _read(inputs, evaluated, other, reference_file, to.format)
    if set(labels) != {"raw"}:
        refuse_standardized(sources.scores.measures)
    drawn = n_trials if other is None else NOTHING_RANDOM
    experiment = Experiment(inputs, StandardizationOptions(), labels, seed, drawn, to)
    elsewhere = None if collection is None else _collection_cells(inputs, sources.scores, collection)
    if other is None:
        listing = _size_listing(experiment, sources, sizes, elsewhere)
    else:
        listing = _other_listing(sources, labels)
    _warn_of_equal_references(sources, labels)
    title = f"{len(sources.reference.systems)} references"
    experiment.write(title, len(sources.scores.systems), len(sources.scores.topics), listing)


@dataclass(frozen=True, eq=False)
class Sources:
    """Raw scores by the same measures on the same topics: of systems to rank, and of one or two reference sets."""

    scores: ScoreTable
    reference: ScoreTable
    other: ScoreTable | None


def _read(
    inputs: InputOptions,
    evaluated: Sequence[str],
    other: str | None,
    reference_file: str | None,
    output_format: str,
) -> Sources:
    """Read the references, the systems to rank (the references, if no others are named), and other references."""
    scores = as_typed(read_table(inputs, DEFAULT_FACTORS, gaps="ignore"), inputs, output_format)
    scores = scores.select(systems=scored_systems(scores))
    reference = scores
    if reference_file is not None:
        factors, reference = _reference_factors(reference_file)
        _warn_of_origins(reference_file, factors, inputs, scores)
        measures = common_measures(scores.measures, factors)
        scores, reference = (table.select(measures=measures) for table in (scores, reference))
    if evaluated:
        scores = _evaluated(inputs, evaluated, reference.measures)
    others = None if other is None else _from_scores((other,), reference.measures)
    if evaluated:
        _warn_of_origins(evaluated[0], scores, inputs, reference)
    if other is not None and others is not None:
        _warn_of_origins(other, others, inputs, reference if evaluated else scores)
    sources = Sources(scores, reference, others)
    return _on_common_topics(sources, MISSING if takes_scores(inputs) or inputs.complete else COUNTED_BY_C)


def _warn_of_origins(path: str, made: Factors | ScoreTable, inputs: InputOptions, table: ScoreTable) -> None:
    """Warn of a file of scores or factors that was made from other judgments or with other options."""
    warn(notices.other_origin(differences_of_inputs(made, inputs, table), path))


def _reference_factors(path: str) -> tuple[Factors, ScoreTable]:
    """Return the factors and the reference scores of a file, which must have them."""
    factors = factors_of(StandardizationOptions(factor_files=(path,)))
    if factors is None or factors.reference is None:
        what = "means and standard deviations only, expected reference scores"
        raise InputError(f"{what} ('stdeval factors --empirical' writes them)", path)
    return factors, factors.reference


def _evaluated(inputs: InputOptions, paths: Sequence[str], measures: Sequence[str]) -> ScoreTable:
    # Anything that can be read only once, such as a pipe, is taken for a run.
    if takes_scores(inputs) or (Path(paths[0]).is_file() and file_kind(Input(paths[0])) == "scores"):
        return _from_scores(paths, measures)
    same = inputs._replace(files=(inputs.files[0], *paths), measures=tuple(measures), best=None)
    return read_table(same, gaps="ignore").select(measures=measures)


def _from_scores(paths: Sequence[str], measures: Sequence[str]) -> ScoreTable:
    try:
        return read_table(scores_input(paths, measures), gaps="ignore")
    except InputError as error:
        raise error.at(paths[0]) from None


def _on_common_topics(sources: Sources, reason: str) -> Sources:
    """Keep the topics for which every system has a score in every table; `reason` is why others are left out."""
    tables = [table for table in (sources.reference, sources.scores, sources.other) if table is not None]
    complete = []
    for table in tables:
        missing = np.any(np.isnan(table.values), axis=(0, 2))
        complete.append({topic for topic, lacks in zip(table.topics, missing, strict=True) if not lacks})
    topics = list(dict.fromkeys(topic for table in tables for topic in table.topics))
    kept = [topic for topic in topics if all(topic in each for each in complete)]
    if not kept:
        raise InputError("no topic that all systems have, expected references and systems on the same topics")
    warn(notices.left_out_topics(len(topics) - len(kept), len(topics), reason))
    reference, scores, *other = [table.select(topics=kept) for table in tables]
    return Sources(scores, reference, other[0] if other else None)


def _warn_of_equal_references(sources: Sources, schemes: Sequence[str]) -> None:
    """Warn of topics that a scheme leaves out because all references, of either set, have the same score there."""
    topics, measures = sources.scores.topics, sources.scores.measures
    sets = [fit_factors(table) for table in (sources.reference, sources.other) if table is not None]
    left_out = {
        scheme: np.any([left_out_topics(each, topics, measures, scheme) for each in sets], axis=(0, 2))
        for scheme in schemes
    }
    equal = [topic for topic, *out in zip(topics, *left_out.values(), strict=True) if any(out)]
    letters = [scheme for scheme, out in left_out.items() if out.any()]
    warn(notices.equal_references(equal, len(topics), letters))


def _collection_cells(inputs: InputOptions, scores: ScoreTable, path: str) -> dict[str, list[Cell]]:
    """Return by measure the cells of `COLLECTION`: tau_b of the two rankings by raw scores, and its n."""
    there = _from_scores((path,), scores.measures)
    shared = [name for name in scores.systems if name in there.systems]
    if len(shared) < 2:
        raise InputError(f"{len(shared)} of the ranked systems, expected at least 2", path)
    warn(notices.other_systems(len(scores.systems) - len(shared), len(scores.systems), path))
    there, here = there.select(systems=shared), scores.select(systems=shared)
    complete = ~np.any(np.isnan(there.values), axis=(0, 2))
    if not complete.any():
        raise InputError("no topic that all ranked systems have, expected some", path)
    n_missing = int((~complete).sum())
    warn(notices.left_out_topics(n_missing, len(complete), f"{MISSING} in {path}"))
    there = there.select(topics=[topic for topic, keep in zip(there.topics, complete, strict=True) if keep])
    return {
        measure: [
            float(tau_b(*(overall_scores(table.measure(measure), arithmetic_mean) for table in (here, there)))),
            len(shared),
        ]
        for measure in scores.measures
    }


def _size_listing(
    experiment: Experiment, sources: Sources, sizes: Sequence[int], elsewhere: dict[str, list[Cell]] | None
) -> Listing:
    """Return a row per measure, scheme and size; `elsewhere` has the cells of another collection by measure."""
    n = len(sources.reference.systems)
    wanted = sorted(set(sizes)) or [size for size in SIZES if size < n] or [max(2, n - 1)]
    rows: list[list[Cell]] = []
    every_tau = []
    with experiment.mapper() as mapper:
        for measure in sources.scores.measures:
            scores, reference = sources.scores.measure(measure), sources.reference.measure(measure)
            for scheme in experiment.schemes:
                result = reference_sizes(
                    scores,
                    reference,
                    wanted,
                    scheme=scheme,
                    n_trials=experiment.n_trials,
                    rng=experiment.generator(),
                    mapper=mapper,
                )
                every_tau.append(result.tau)
                raw = float(tau_b(*(standardized_means(scores, reference, name) for name in (scheme, "raw"))))
                percentiles = zip(result.median, result.fifth, result.first, strict=True)
                for size, row in zip(wanted, percentiles, strict=True):
                    rows.append([measure, scheme, size, *map(float, row), raw, n])
                    rows[-1] += [] if elsewhere is None else elsewhere[measure]
    warn_of_undefined(every_tau, "all systems have the same mean")
    names = ["measure", "scheme", "size", "median", "p5", "p1", "tau_raw", "references"]
    names += [] if elsewhere is None else COLLECTION
    return Listing([*map(Field, names)], rows)


def _other_listing(sources: Sources, schemes: Sequence[str]) -> Listing:
    """Return a row per measure and scheme."""
    assert sources.other is not None
    rows: list[list[Cell]] = []
    counts = (len(sources.reference.systems), len(sources.other.systems))
    for measure in sources.scores.measures:
        tables = [table.measure(measure) for table in (sources.scores, sources.reference, sources.other)]
        higher = is_better_higher(measure)
        for scheme in schemes:
            result = compare_references(*tables, scheme=scheme, better_higher=higher)
            rows.append([measure, scheme, *counts, *map(float, (result.tau, result.tau_ap, result.r))])
    names = ("measure", "scheme", "references", "other_references")
    return Listing([*map(Field, (*names, *CORRELATIONS))], rows)
