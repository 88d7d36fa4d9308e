"""List systems, one row each, with their means: the best are bold, and signs mark differences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdeval.commands.difference_signs import Signs
from stdeval.display import counted
from stdeval.formats.blocks import Column
from stdeval.formats.listing import Field, Listing, topic_counts, topics_told
from stdeval.measures.facts import is_better_higher
from stdeval.noise import decimals, rounded
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.coverage import Coverage
from stdeval.table import Bools, Floats, ScoreTable


def system_listing(
    table: ScoreTable,
    columns: Sequence[Column],
    facts: Coverage,
    signs: Signs,
    notes: Sequence[str],
    output_format: str,
    unmarked: str = "",
) -> Listing:
    """Return a row per system, with its means, the best marked, and the differences from the baseline marked.

    If there is a reason why standardized means are not marked as the best, `unmarked` is this reason.
    """
    scores, ranked = facts.comparable(table.values), facts.ranked
    notes = [*notes, *_coverage_notes(facts, output_format)]
    n_topics = topic_counts((~np.isnan(scores)).sum(axis=1).tolist())
    if n_topics is not None:
        notes.append("n: number of topics of the means in a row; two numbers: the fewest and the most")
    means = rounded(arithmetic_mean(scores, axis=1), decimals(scores, axis=(0, 1)))
    # The runs that are not ranked are below the others.
    order = [*np.flatnonzero(ranked).tolist(), *np.flatnonzero(~ranked).tolist()]
    rows = [[table.systems[i], *means[i].tolist(), *(n_topics or [])[i : i + 1]] for i in order]
    at = {i: row for row, i in enumerate(order)}
    best = _best(means, ranked, [is_better_higher(column.measure) for column in columns])
    best = [(i, k) for i, k in best if columns[k].can_be_best]
    if unmarked and any(column.is_standardized for column in columns):
        best = [(i, k) for i, k in best if not columns[k].is_standardized]
        notes.append(f"no run is bold by standardized scores, because {unmarked}")
    return Listing(
        [Field(name) for name in ("", *table.measures, *(["n"] if n_topics else []))],
        rows,
        best=frozenset((at[i], k + 1) for i, k in best),
        signs={(at[i], k + 1): text for (i, k), text in signs.items()},
        n_below=int((~ranked).sum()),
        notes=notes,
    )


def _best(means: Floats, ranked: Bools, better_higher: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the row and column of the best of several means, which are rounded, so that noise makes no winner."""
    higher = np.where(better_higher, means, -means)
    rivals = np.where(ranked[:, np.newaxis], higher, np.nan)
    # If all means are 0, none is the best.
    is_best = (rivals == np.fmax.reduce(rivals, axis=0)) & np.any(np.nan_to_num(rivals) != 0, axis=0)
    places = np.argwhere(is_best & ((~np.isnan(rivals)).sum(axis=0) > 1))
    return [(int(i), int(k)) for i, k in places]


def notes_about_topics(table: ScoreTable, facts: Coverage, n_topics: int) -> list[str]:
    """Return a note if no mean is over all judged topics; another one tells of means over common topics."""
    numbers = (~np.isnan(facts.comparable(table.values))).sum(axis=1).ravel().tolist()
    told = topics_told(numbers, n_topics) if max(numbers) < n_topics and not facts.is_reduced else ""
    return [f"means over {told}"] if told else []


def _coverage_notes(facts: Coverage, output_format: str) -> list[str]:
    """Return the notes about runs and topics that are left out."""
    if not facts.ranked.any():
        told = "the runs have different topics" if facts.common.any() else "no topic is common to all runs"
        return [f"{told}: no run is bold"]
    runs = "runs" if facts.ranked.all() else "complete runs"
    over = f"means over the {counted(facts.n_common, 'topic')} that all {runs} have"
    notes = [over] if facts.is_reduced else []
    if not facts.ranked.all():
        # A table of Markdown has one rule only.
        n = int((~facts.ranked).sum())
        where = "the last row" if n == 1 else f"the last {n} rows"
        where = "below the second line" if output_format == "latex" else where
        what = "an incomplete run" if n == 1 else "incomplete runs"
        notes.append(f"{where}: {what}, without a topic that most runs have; never bold")
    return notes
