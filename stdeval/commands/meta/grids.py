"""What `depth` reads, computes and writes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from stdeval.commands.inputs import progress, refuse_repeated, warn, warn_of_changed_tag
from stdeval.commands.meta.experiment import Experiment, Listing
from stdeval.commands.standardization import Standardization
from stdeval.errors import GapWarning
from stdeval.evaluation import Options
from stdeval.files import display_name
from stdeval.formats.writers import Cell, Field
from stdeval.measures.pooling import first_documents
from stdeval.meta.depth import depth_grid
from stdeval.meta.pooled import DEPTH_MEASURES, RAW, DepthMeasure, depth_measure, pooled_scores
from stdeval.table import Floats, ScoreTable
from stdeval.trec import Qrels, Run, read_qrels, sorted_topics
from stdeval.workers import map_runs

STANDARDIZED = "standardized"


@dataclass(frozen=True, eq=False)
class DepthScores:
    """Raw scores of the same systems and topics by pool depth and evaluation depth."""

    measures: list[DepthMeasure]
    pool_depths: list[int]
    eval_depths: list[int]
    tables: dict[tuple[int, int], ScoreTable]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of systems and topics."""
        table = next(iter(self.tables.values()))
        return len(table.systems), len(table.topics)


def depth_scores(experiment: Experiment, pool_depths: list[int], eval_depths: list[int]) -> DepthScores:
    """The scores of the runs at every two depths, on the topics that all of them have."""
    inputs = experiment.inputs
    measures = [depth_measure(text) for text in inputs.measures] or list(DEPTH_MEASURES.values())
    measures = list({measure.name: measure for measure in measures}.values())
    qrels, runs = _read(experiment, max(*pool_depths, *eval_depths))
    options = Options(inputs.level, None, inputs.judged_only, complete=True, binary=inputs.binary)
    at_pool = partial(pooled_scores, qrels, runs, measures, eval_depths, options)
    with experiment.mapper(len(pool_depths), "pool depths") as mapper:
        found = list(mapper(at_pool, pool_depths))
    tables = {
        (pool, depth): table
        for pool, row in zip(pool_depths, found, strict=True)
        for depth, table in zip(eval_depths, row, strict=True)
    }
    return DepthScores(measures, pool_depths, eval_depths, tables)


def _read(experiment: Experiment, deepest: int) -> tuple[Qrels, list[Run]]:
    """The runs to the depth that is needed, and the judgments of the topics that all have; with -c of all."""
    inputs = experiment.inputs
    path, *paths = inputs.files
    refuse_repeated(paths)
    qrels = read_qrels(path)
    read = partial(first_documents, depth=deepest, topics=frozenset(qrels))
    runs = []
    arriving = progress(map_runs(read, paths, inputs.jobs, inputs.dask), len(paths), "runs")
    for path, run in zip(paths, arriving, strict=True):
        warn_of_changed_tag(display_name(path), run.tag, run.other_tag)
        runs.append(run)
    topics = sorted_topics(qrels)
    if not inputs.complete:
        shared = tuple(topic for topic in topics if all(topic in run.documents for run in runs))
        if len(shared) < len(topics):
            n = len(topics) - len(shared)
            warn(f"{n} of {len(topics)} topics left out: some run lacks them, -c counts them 0", GapWarning)
        topics = shared
    return {topic: qrels[topic] for topic in topics}, runs


def grid_listing(
    standardization: Standardization, scores: DepthScores, forms: Sequence[str], alphas: Sequence[float]
) -> Listing:
    """A row per measure, form, scheme, pool depth, evaluation depth and level of significance."""
    rows: list[list[Cell]] = []
    for measure in scores.measures:
        for form, scheme, cells in _cells(standardization, scores, measure, forms):
            grid = depth_grid(
                lambda pool, depth, cells=cells: cells[pool, depth],  # type: ignore[misc]
                scores.pool_depths,
                scores.eval_depths,
                alphas,
            )
            for (i, j, k), power in np.ndenumerate(grid.power):
                depths = (scores.pool_depths[i], scores.eval_depths[j])
                rows.append([measure.name, form, scheme, *depths, alphas[k], float(power), float(grid.mean[i, j])])
    names = ("measure", "form", "scheme", "pool_depth", "depth")
    return Listing([*map(Field, names), Field("alpha", "g"), Field("power"), Field("mean")], rows)


def _cells(
    standardization: Standardization, scores: DepthScores, measure: DepthMeasure, forms: Sequence[str]
) -> Iterator[tuple[str, str, dict[tuple[int, int], Floats]]]:
    """Form, scheme, and by pool depth and evaluation depth the scores, shape (n_systems, n_topics)."""
    for form in dict.fromkeys(forms):
        if form in measure.forms:
            yield (
                form,
                RAW,
                {at: table.measure(measure.named(form, at[1])) for at, table in scores.tables.items()},
            )
        elif form == STANDARDIZED:
            raw = {at: table.select(measures=[measure.named(RAW, at[1])]) for at, table in scores.tables.items()}
            with warnings.catch_warnings(record=True) as caught:
                every = {at: standardization.tables(table) for at, table in raw.items()}
            _announce_first(measure.name, [str(warning.message) for warning in caught])
            for scheme in standardization.schemes:
                letter = scheme if scheme == RAW else scheme.upper()
                yield form, letter, {at: found[scheme].values[:, :, 0] for at, found in every.items()}


def _announce_first(measure: str, messages: Sequence[str]) -> None:
    """One warning of those that standardizing at each pair of depths gave."""
    if messages:
        more = f" (and {len(messages) - 1} more such warnings at other depths)" if len(messages) > 1 else ""
        warn(f"{measure}: {messages[0]}{more}")
