"""`stdeval meta references`: how many reference systems are needed, and how much another set of them changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from stdeval.commands.factor_files import about_origins, factors_of, warn_of_undecided_origins
from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.inputs import as_typed, read_table
from stdeval.commands.judgments import origins_of, takes_scores, warn_of_compared
from stdeval.commands.messages import warn, warn_all
from stdeval.commands.meta.complete_tables import COUNTED_BY_C, keep_complete, scored_systems, warn_of_repeated
from stdeval.commands.meta.experiment import (
    CORRELATIONS,
    NOTHING_RANDOM,
    Experiment,
    warn_of_standardized,
    warn_of_undefined,
)
from stdeval.commands.meta.experiment_options import table_format_options, trials_option
from stdeval.commands.options import OutputOptions, refuse_without_effect, seed_option
from stdeval.commands.parameter_types import INPUT_FILE, WholeRange
from stdeval.commands.schemes import about_scores, refuse_standardized, scores_by_scheme
from stdeval.commands.score_files import scores_input
from stdeval.commands.shared_topics import warn_of_shared_topics
from stdeval.commands.standardization_options import StandardizationOptions, scheme_option
from stdeval.comparability import about_other_options, undecided_joined_origins
from stdeval.doubtful_scores.depths import about_depths
from stdeval.doubtful_scores.judged_shares import about_judged
from stdeval.doubtful_scores.rankings import about_compared, about_few, about_unknown_direction, is_judged_only
from stdeval.doubtful_scores.rounded_scores import about_rounded
from stdeval.errors import InputError
from stdeval.files import Input, is_same_file
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.formats.readers import file_kind
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.facts import is_better_higher
from stdeval.meta.references import compare_references, reference_sizes, standardized_means
from stdeval.reference_factors import Factors
from stdeval.standardization.doubtful_factors import about_used_references
from stdeval.standardization.doubtful_references import about_shared_references
from stdeval.standardization.doubtful_standardization import about_left_out_topics
from stdeval.standardization.factors import common_measures, fit_factors
from stdeval.standardization.schemes import scheme_label
from stdeval.standardization.standardizing import left_out_topics
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
    """How many reference systems standardization needs.

    The reference runs are the runs given, or those of the file of -F. For each measure, scheme and size, random
    samples of them standardize the scores, and tau_b compares the ranking with that by all reference runs: its
    median, 5th and 1st percentile over the trials. tau_raw compares the ranking by raw scores with that by all
    reference runs (Webber 2008, Figure 4). With --collection, tau_collection compares the rankings by raw
    scores on two collections, over the collection_systems that both have. With --other instead, tau_b, tau_ap,b
    and Pearson's r compare the means by two whole sets of reference runs (Table 2).
    """
    if other is not None and sizes:
        raise click.UsageError("expected --references or --other, not both")
    if other is not None:
        refuse_without_effect(["n_trials", "seed", "collection"], "samples of references (not --other)")
    if reference_file is not None and evaluated:
        raise click.UsageError("expected -F or --evaluate, not both: with -F the runs given are ranked")
    labels = tuple(dict.fromkeys(map(scheme_label, schemes)))
    sources = _read(inputs, evaluated, other, reference_file, to.format)
    if set(labels) != {"raw"}:
        refuse_standardized(sources.scores.measures)
    else:
        warn_of_standardized(sources.scores.measures, "the rankings are by these scores, not by raw ones")
    _warn_of_repeated_runs(sources)
    _warn_of_compared(inputs, sources)
    drawn = n_trials if other is None else NOTHING_RANDOM
    experiment = Experiment(inputs, StandardizationOptions(), labels, seed, drawn, to)
    elsewhere = None if collection is None else _collection_cells(inputs, sources.scores, collection)
    if other is None:
        listing = _size_listing(experiment, sources, sizes, elsewhere)
    else:
        listing = _other_listing(sources, labels)
    _warn_of_references(sources, schemes)
    warn_all(sources.doubts)
    title = f"{len(sources.reference.systems)} references"
    experiment.write(title, len(sources.scores.systems), len(sources.scores.topics), listing)


@dataclass(frozen=True, eq=False)
class Sources:
    """Raw scores by the same measures on the same topics: of systems to rank, and of one or two reference sets.

    The doubts are sentences about files that may not belong together.
    """

    scores: ScoreTable
    reference: ScoreTable
    other: ScoreTable | None
    doubts: tuple[str, ...] = ()


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
        warn_all(about_used_references(scores, factors, judged_only=inputs.judged_only))
        warn_all(about_rounded([scores, reference]))
        message = about_origins(factors, inputs, scores)
        if message is not None:
            warn(message)
        warn_of_undecided_origins(factors, inputs, scores)
        measures = common_measures(scores.measures, factors)
        scores, reference = (table.select(measures=measures) for table in (scores, reference))
    if evaluated:
        scores = _evaluated(inputs, evaluated, reference.measures)
    others = None if other is None else _from_scores((other,), reference.measures)
    for beside in filter(None, (scores if evaluated else None, others)):
        retrieved, judged_only = (beside.retrieved, reference.retrieved), is_judged_only(beside)
        warn_all(about_depths(reference.measures, *retrieved, judged_only=judged_only))
        warn_all([] if judged_only else about_judged(reference.measures, *retrieved))
    sources = Sources(scores, reference, others)
    found = _on_common_topics(sources, "" if takes_scores(inputs) or inputs.complete else COUNTED_BY_C)
    doubts: list[str] = []
    if evaluated:
        doubts += _doubts_of_origins(evaluated, scores, inputs, reference)
    if others is not None:
        doubts += _doubts_of_origins((str(other),), others, inputs, reference if evaluated else scores)
    return replace(found, doubts=tuple(doubts))


def _doubts_of_origins(
    paths: Sequence[str], made: ScoreTable, inputs: InputOptions, table: ScoreTable
) -> Iterator[str]:
    """Yield sentences about scores files that were, or may have been, made from other judgments or options."""
    message = about_origins(made, inputs, table)
    if message is not None:
        yield f"{paths[0]}: {message}"
    if takes_scores(inputs) and not is_same_file(paths[0], path := inputs.score_files[0].path):
        undecided = undecided_joined_origins([table, made], [path, paths[0]], "both files")
        if undecided is not None:
            yield undecided


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


def _on_common_topics(sources: Sources, hint: str) -> Sources:
    """Keep the topics for which every system has a score in every table."""
    tables = [table for table in (sources.reference, sources.scores, sources.other) if table is not None]
    complete = []
    for table in tables:
        missing = np.any(np.isnan(table.values), axis=(0, 2))
        complete.append({topic for topic, lacks in zip(table.topics, missing, strict=True) if not lacks})
    topics = list(dict.fromkeys(topic for table in tables for topic in table.topics))
    everywhere = np.array([all(topic in each for each in complete) for topic in topics])
    if not everywhere.any():
        raise InputError("no topic that all systems have, expected references and systems on the same topics")
    # The ranked runs are last, unless they are the references.
    lacked_by_runs = any(topic not in complete[len(tables) > 1] for topic in topics)
    reason = f"some run{hint}" if lacked_by_runs else "some reference run"
    kept = keep_complete(topics, everywhere, f"they are missing from {reason}")
    reference, scores, *other = [table.select(topics=kept) for table in tables]
    return Sources(scores, reference, other[0] if other else None)


def _warn_of_repeated_runs(sources: Sources) -> None:
    """Warn of systems that have the scores of another one; `_warn_of_references` tells of other references."""
    are_own = sources.scores.systems == sources.reference.systems
    warn_of_repeated(sources.scores, "reference run" if are_own else "run")
    if sources.other is not None:
        warn_all(about_shared_references(sources.reference.values, sources.other.values))


def _warn_of_compared(inputs: InputOptions, sources: Sources) -> None:
    """Warn of both sets of references and of the systems to rank, as all commands that compare runs do."""
    tables = [table for table in (sources.reference, sources.other) if table is not None]
    if sources.scores.systems != sources.reference.systems:
        tables.append(sources.scores)
    for table in tables:
        warn_of_compared(inputs, table)


def _warn_of_references(sources: Sources, schemes: Sequence[str]) -> None:
    """Warn of references, of either set, that are few, score alike on a topic, or are unlike the ranked systems."""
    wanted = list(dict.fromkeys(scheme.lower() for scheme in schemes))
    for table in (sources.reference, sources.other):
        if table is None:
            continue
        factors = fit_factors(table)
        if table.systems != sources.scores.systems:
            warn_all(about_scores(scores_by_scheme(sources.scores, wanted, StandardizationOptions(), factors)))
            warn_all(about_rounded([sources.scores, table]))
            continue
        left_out = {scheme: left_out_topics(factors, table.topics, table.measures, scheme) for scheme in wanted}
        if np.any(list(left_out.values())):
            warn(about_left_out_topics(table, left_out, factors.rounded))


def _collection_cells(inputs: InputOptions, scores: ScoreTable, path: str) -> dict[str, list[Cell]]:
    """Return the cells of `COLLECTION` by measure: tau_b of the rankings by raw scores here and there, and its n.

    Both are on the systems that the two collections share, and on the topics that these have there.
    """
    there = _from_scores((path,), scores.measures)
    is_stored = takes_scores(inputs)
    origins = scores.origins if is_stored else origins_of(inputs)
    named = inputs.score_files[0].path if is_stored else inputs.files[1]
    warn_all(about_other_options([(origins, named), (there.origins, path)], scores.measures))
    collections = [(scores.topics, origins, named), (there.topics, there.origins, path)]
    warn_of_shared_topics(collections, "tau_collection is too high")
    shared = [name for name in scores.systems if name in there.systems]
    warn_all(about_few(len(shared), "run", "tau_collection"))
    if len(shared) < 2:
        raise InputError(f"{len(shared)} of the ranked systems, expected at least 2", path)
    if len(shared) < len(scores.systems):
        n = len(scores.systems) - len(shared)
        verb = "is" if n == 1 else "are"
        warn(f"{n} of {len(scores.systems)} systems {verb} not in {path}: left out of tau_collection")
    there, here = there.select(systems=shared), scores.select(systems=shared)
    warn_all(f"{path}: {message}" for message in about_compared(there))
    complete = ~np.any(np.isnan(there.values), axis=(0, 2))
    if not complete.any():
        raise InputError("no topic that all ranked systems have, expected some", path)
    there = there.select(topics=keep_complete(there.topics, complete, f"they are missing from some run in {path}"))
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
                for size, taus in zip(wanted, result.tau, strict=True):
                    by = f"{measure} {scheme}, {size} reference runs"
                    warn_of_undefined(by, taus, "trial", "all systems have the same mean")
                raw = float(tau_b(*(standardized_means(scores, reference, name) for name in (scheme, "raw"))))
                percentiles = zip(result.median, result.fifth, result.first, strict=True)
                for size, row in zip(wanted, percentiles, strict=True):
                    rows.append([measure, scheme, size, *map(float, row), raw, n])
                    rows[-1] += [] if elsewhere is None else elsewhere[measure]
    names = ["measure", "scheme", "size", "median", "p5", "p1", "tau_raw", "references"]
    names += [] if elsewhere is None else COLLECTION
    return Listing([*map(Field, names)], rows)


def _other_listing(sources: Sources, schemes: Sequence[str]) -> Listing:
    """Return a row per measure and scheme."""
    assert sources.other is not None
    warn_all(about_unknown_direction(sources.scores.measures))
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
