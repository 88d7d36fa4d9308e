"""Scores of runs as a listing: rows of a run, a topic and the scores, with the best means and notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from stdeval.display import listed
from stdeval.formats.block_ranks import comparable_blocks, is_mean, largest_value, scored_topics
from stdeval.formats.blocks import Block, Column
from stdeval.formats.listing import Cell, Field, Listing, topic_counts, topics_told
from stdeval.formats.writers import EXACT, MARKED
from stdeval.measures.facts import is_better_higher
from stdeval.stats.leaders import best_means
from stdeval.summary_rows import SUMMARY


def listing_of_blocks(
    columns: Sequence[Column],
    blocks: Sequence[Block],
    output_format: str,
    *,
    order: Sequence[int],
    per_topic: bool,
    summary: bool,
    n_topics: int = 0,
    unmarked: str = "",
) -> Listing:
    """Return the scores of runs as rows of a run, a topic and the scores.

    Parameters
    ----------
    columns, blocks, per_topic, summary
        See `write_trec_eval`.
    output_format : str
        One of `FORMATS`. Formats for readers omit the topic if each run has only its arithmetic means, and show
        the number of topics if it differs between runs. Markdown and latex mark the best means.
    order : sequence of int
        The indices of the columns in their order in the listing.
    n_topics : int
        Number of judged topics; in formats for readers, a note tells if all means are over fewer.
    unmarked : str
        The reason why no standardized mean is marked as the best, for a note; empty if there is none.
    """
    kept = [(place, columns[place]) for place in order if columns[place].measure != "runid"]
    fields = [Field("run"), Field("topic"), *(Field(column.name) for _, column in kept)]
    rows = [row for block in blocks for row in _rows(kept, block, per_topic, summary)]
    if output_format in EXACT:
        return Listing(fields, rows, n_left=2)
    counts = _topic_counts(kept, blocks) if summary else None
    if counts is not None:
        fields.append(Field("n"))
        rows = [[*row, counts.get((str(row[0]), str(row[1])), "")] for row in rows]
    # A column that says "all" in every row tells nothing, but one that says "all.md" names the aggregate.
    n_left = 2 if per_topic or any(set(block.summaries) != {SUMMARY} for block in blocks) else 1
    listing = Listing([fields[0], *fields[3 - n_left :]], [[row[0], *row[3 - n_left :]] for row in rows], n_left)
    notes = [*_notes_about_topics(kept, blocks, n_topics), *_notes_about_sums(kept, blocks)] if summary else []
    if output_format in MARKED and summary and len(blocks) > 1:
        marked = [place for place, column in kept if not (unmarked and column.is_standardized)]
        comparable = {place: comparable_blocks(columns, blocks, place) for place in marked}
        listing = listing._replace(best=_best_cells(kept, blocks, comparable, n_left, per_topic=per_topic))
        notes += _notes_about_bold(columns, blocks, comparable)
        notes += [f"No run is bold by standardized scores, because {unmarked}."] if len(marked) < len(kept) else []
    return listing._replace(notes=notes)


def _rows(
    columns: Sequence[tuple[int, Column]], block: Block, per_topic: bool, summary: bool
) -> Iterator[list[Cell]]:
    """Yield the rows of a run; measures that exist over all topics only are missing in those of single topics."""
    cells = [column.cell for _, column in columns]
    are_plain = all(column.kind in ("score", "count") for _, column in columns)
    places = [(place, cell) for (place, _), cell in zip(columns, cells, strict=True)]
    for row, topic in enumerate(block.topics if per_topic else ()):
        values = block.values[row]
        if are_plain:
            yield [block.label, topic, *[cell(values[place]) for place, cell in places]]
            continue
        yield [
            block.label,
            topic,
            *(
                block.texts.get((topic, column.measure), "")
                if column.kind == "text"
                else cell(math.nan if column.kind == "summary" else values[place])
                for (place, column), cell in zip(columns, cells, strict=True)
            ),
        ]
    for topic, figures in block.summaries.items() if summary else ():
        numbers = (cell(figures[place]) for (place, _), cell in zip(columns, cells, strict=True))
        yield [block.label, topic, *numbers]


def _topic_counts(
    columns: Sequence[tuple[int, Column]], blocks: Sequence[Block]
) -> dict[tuple[str, str], str] | None:
    """Return the number of topics of each summary, by run and topic field, if it differs and num_q is not shown."""
    if any(column.measure == "num_q" for _, column in columns):
        return None
    told = topic_counts(_numbers_of_topics(columns, blocks))
    if told is None:
        return None
    return {(block.label, topic): n for block, n in zip(blocks, told, strict=True) for topic in block.summaries}


def _notes_about_topics(columns: Sequence[tuple[int, Column]], blocks: Sequence[Block], n_topics: int) -> list[str]:
    """Return a note if no mean is over all judged topics; if only some are not, their rows show the numbers."""
    numbers = [n for row in _numbers_of_topics(columns, blocks) for n in row]
    told = topics_told(numbers, n_topics) if max(numbers, default=0) < n_topics else ""
    what = "Means" if any(column.can_be_best for _, column in columns) else "Sums"
    # Different numbers say by themselves that the topics differ.
    differ = len({*numbers}) == 1 and len({frozenset(block.topics) for block in blocks}) > 1
    others = ", not the same ones for all runs" if differ else ""
    return [f"{what} over {told}{others}."] if told and columns else []


def _notes_about_sums(columns: Sequence[tuple[int, Column]], blocks: Sequence[Block]) -> list[str]:
    """Return a note about standardized counts that are summed, which look like means."""
    names = [column.name for _, column in columns if column.is_standardized and column.kind == "count"]
    has_sums = any(SUMMARY in block.summaries for block in blocks)
    return [f"Summed over the topics, as by trec_eval -Z: {listed(names)}."] if names and has_sums else []


def _numbers_of_topics(columns: Sequence[tuple[int, Column]], blocks: Sequence[Block]) -> list[list[int]]:
    """Return the number of topics behind each mean of each run; if there are no means, those of the runs."""
    places = [place for place, column in columns if column.kind == "score"]
    if not places:
        return [[len(block.topics)] for block in blocks]
    return [[sum(not math.isnan(row[place]) for row in block.values) for place in places] for block in blocks]


def _notes_about_bold(
    columns: Sequence[Column], blocks: Sequence[Block], comparable: Mapping[int, Sequence[bool]]
) -> list[str]:
    """Return notes that say why some means are not bold; a run without a score by a measure needs none."""
    some_left_out, none_bold, n_rivalries = False, [], 0
    for place, fair in comparable.items():
        rivals = [full for block, full in zip(blocks, fair, strict=True) if scored_topics(columns, block, place)]
        if len(rivals) < 2 or not columns[place].can_be_best:
            continue
        n_rivalries += 1
        some_left_out |= any(rivals) and not all(rivals)
        none_bold += [] if any(rivals) else [columns[place].name]
    notes = ["Runs without topics that more than half of the runs have are never bold."] if some_left_out else []
    if none_bold:
        by = f" by {listed(none_bold)}" if len(none_bold) < n_rivalries else ""
        notes.append(f"No run is bold{by}, because the means are over different topics.")
    return notes


def _best_cells(
    columns: Sequence[tuple[int, Column]],
    blocks: Sequence[Block],
    comparable: Mapping[int, Sequence[bool]],
    n_left: int,
    *,
    per_topic: bool,
) -> frozenset[tuple[int, int]]:
    """Return the rows and columns of the best means in the rows of a listing of these blocks."""
    ends = list(accumulate(len(block.summaries) + (len(block.topics) if per_topic else 0) for block in blocks))
    topics = list(blocks[0].summaries)
    best: set[tuple[int, int]] = set()
    for cell, (place, column) in enumerate(columns, n_left):
        if place not in comparable or not column.can_be_best:
            continue
        largest, higher = largest_value(blocks, place), is_better_higher(column.name)
        for at, topic in enumerate(topics, -len(topics)):
            if is_mean(topic):
                means = [float(block.summaries[topic][place]) for block in blocks]
                leaders = best_means(means, comparable[place], largest, better_higher=higher)
                # All geometric means may be 0, and then none of them is the best.
                all_zero = not any(mean for mean, fair in zip(means, comparable[place], strict=True) if fair)
                best |= {(ends[i] + at, cell) for i in leaders if not all_zero}
    return frozenset(best)
