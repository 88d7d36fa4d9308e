"""What `references` reads, computes and writes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stdeval.commands.inputs import Inputs, scores_inputs, warn
from stdeval.commands.meta.experiment import Experiment, Listing, correlation_fields, without_gap_warnings
from stdeval.errors import GapWarning, InputError
from stdeval.files import Input, whole_lines
from stdeval.formats.foreign import read_factors
from stdeval.formats.tables import is_scores_header
from stdeval.formats.writers import Cell, Field
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.meta.references import compare_references, reference_sizes, standardized_means
from stdeval.standardization import common_measures, fit_factors
from stdeval.stats.correlation import tau_b
from stdeval.table import ScoreTable

SIZES = (5, 10, 15, 20, 30, 40, 50, 75, 100)
"""Numbers of references that are sampled when none is named."""

_START = 4096


@dataclass(frozen=True, eq=False)
class Samples:
    """Raw scores by the same measures on the same topics: of systems to rank, and of one or two reference sets."""

    scores: ScoreTable
    reference: ScoreTable
    other: ScoreTable | None


def read_samples(
    inputs: Inputs, evaluated: Sequence[str], other: str | None, reference_file: str | None = None
) -> Samples:
    """The references, the systems to rank (the references, where no others are named), and other references."""
    with without_gap_warnings():
        scores = inputs.table(DEFAULT_FACTORS)
        reference = scores if reference_file is None else _references(reference_file)
        if reference_file is not None:
            measures = common_measures(scores.measures, fit_factors(reference))
            scores, reference = (table.select(measures=measures) for table in (scores, reference))
        if evaluated:
            scores = _evaluated(inputs, evaluated, reference.measures)
        others = None if other is None else _from_scores(inputs, (other,), reference.measures)
    return _aligned(Samples(scores, reference, others))


def _references(path: str) -> ScoreTable:
    """The reference scores of a factors file."""
    factors = read_factors([Input(path)])
    if factors.reference is None:
        what = "means and standard deviations only, expected reference scores"
        raise InputError(f"{what} ('stdeval factors --empirical' writes them)", path)
    return factors.reference


def _evaluated(inputs: Inputs, paths: Sequence[str], measures: Sequence[str]) -> ScoreTable:
    if inputs.from_scores or _is_scores(paths[0]):
        return _from_scores(inputs, paths, measures)
    same = dataclasses.replace(inputs, files=(inputs.files[0], *paths), measures=tuple(measures))
    return same.table(()).select(measures=measures)


def _is_scores(path: str) -> bool:
    """Whether a file is a scores CSV and not a run; what can be read once only is taken for a run."""
    if not Path(path).is_file():
        return False
    start = next(whole_lines(Input(path), _START), b"").decode("utf-8", "replace")
    first = next((line for line in start.splitlines() if line.strip()), "")
    return is_scores_header([cell.strip() for cell in first.split(",")])


def _from_scores(inputs: Inputs, paths: Sequence[str], measures: Sequence[str]) -> ScoreTable:
    files = scores_inputs(paths, measures, inputs.jobs)
    try:
        return files.table(())
    except InputError as error:
        raise error if error.path else InputError(error.message, paths[0]) from None


def _aligned(samples: Samples) -> Samples:
    """All on the topics that none of their systems lacks, with one warning of the others."""
    tables = [table for table in (samples.reference, samples.scores, samples.other) if table is not None]
    lacking = [np.any(np.isnan(table.values), axis=(0, 2)).tolist() for table in tables]
    complete = [
        {topic for topic, lacks in zip(table.topics, row, strict=True) if not lacks}
        for table, row in zip(tables, lacking, strict=True)
    ]
    topics = [topic for topic in samples.reference.topics if all(topic in some for some in complete)]
    n_all = len({topic for table in tables for topic in table.topics})
    if not topics:
        raise InputError("no topic that all systems have, expected references and systems on the same topics")
    if len(topics) < n_all:
        warn(f"{n_all - len(topics)} of {n_all} topics left out: some run lacks them, -c counts them 0", GapWarning)
    reference, scores, *other = [table.select(topics=topics) for table in tables]
    return Samples(scores, reference, other[0] if other else None)


def size_listing(experiment: Experiment, samples: Samples, sizes: Sequence[int], schemes: Sequence[str]) -> Listing:
    """A row per measure, scheme and size."""
    n = len(samples.reference.systems)
    wanted = sorted(set(sizes)) or [size for size in SIZES if size < n] or [max(2, n - 1)]
    rows: list[list[Cell]] = []
    with experiment.mapper() as mapper:
        for measure in samples.scores.measures:
            scores, reference = samples.scores.measure(measure), samples.reference.measure(measure)
            for scheme in schemes:
                found = reference_sizes(
                    scores,
                    reference,
                    wanted,
                    scheme=scheme,
                    n_trials=experiment.n_trials,
                    rng=experiment.generator(),
                    mapper=mapper,
                )
                raw = float(tau_b(standardized_means(scores, reference, scheme), scores.mean(axis=1)))
                percentiles = zip(found.median, found.fifth, found.first, strict=True)
                for size, row in zip(wanted, percentiles, strict=True):
                    rows.append([measure, scheme, size, *map(float, row), raw, n])
    names = ("measure", "scheme", "size", "median", "p5", "p1", "tau_raw", "references")
    return Listing([*map(Field, names)], rows)


def other_listing(samples: Samples, schemes: Sequence[str]) -> Listing:
    """A row per measure and scheme."""
    assert samples.other is not None
    rows: list[list[Cell]] = []
    for measure in samples.scores.measures:
        tables = (samples.scores, samples.reference, samples.other)
        for scheme in schemes:
            found = compare_references(*(table.measure(measure) for table in tables), scheme=scheme)
            counts = (len(samples.reference.systems), len(samples.other.systems))
            rows.append([measure, scheme, *counts, *map(float, (found.tau, found.tau_ap, found.r))])
    names = ("measure", "scheme", "references", "other_references")
    return Listing([*map(Field, names), *correlation_fields()], rows)
