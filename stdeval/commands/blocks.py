"""From scores to what is written of them: the columns, and a block a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stdeval.evaluation import RunScores, summarize
from stdeval.formats.writers import SUMMARY, Block, Column
from stdeval.measures.names import Measure, kind_of

if TYPE_CHECKING:
    from stdeval.table import ScoreTable


def columns_of_measures(measures: Sequence[Measure]) -> list[Column]:
    """A column for each measure."""
    return [Column(measure.name, measure.family.kind) for measure in measures]


def columns_of_table(table: ScoreTable) -> list[Column]:
    """A column for each measure of a table of raw scores."""
    return [Column(name, kind_of(name)) for name in table.measures]


def blocks_of_runs(runs: Sequence[RunScores], names: Sequence[str]) -> list[Block]:
    """Raw scores as they were evaluated."""
    return [
        Block(
            name,
            run.topics,
            run.rows,
            {SUMMARY: run.summary},
            run.texts,
            frozenset(run.topics) - run.retrieved,
        )
        for run, name in zip(runs, names, strict=True)
    ]


def blocks_of_table(table: ScoreTable, kinds: Sequence[str] | None = None) -> list[Block]:
    """Scores of a table, a block for each system with the topics of which it has a score.

    Parameters
    ----------
    table : ScoreTable
    kinds : sequence of str, optional
        The kinds of the measures, where their names do not say them (standardized scores).
    """
    import numpy as np

    kinds = [kind_of(name) for name in table.measures] if kinds is None else kinds
    blocks = []
    for system, values in zip(table.systems, table.values, strict=True):
        here = np.flatnonzero(~np.isnan(values).all(axis=1))
        topics = [table.topics[i] for i in here]
        summary = summarize(kinds, values[here].tolist())
        blocks.append(Block(system, topics, values[here], {SUMMARY: summary}))
    return blocks
