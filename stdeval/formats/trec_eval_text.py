"""Write the scores of runs as trec_eval prints them, and put them in rows of a listing.

`stdeval eval` runs through this module, so it must not load numpy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, NamedTuple

from stdeval.display import listed
from stdeval.formats.listing import SUMMARY, Cell, Field, Listing, topic_counts, topics_told
from stdeval.formats.writers import EXACT, MARKED, refuse_breaks
from stdeval.measures.names import is_better_higher, split_scheme, standardized_name
from stdeval.provenance import SIGNATURE

if TYPE_CHECKING:
    from stdeval.table import Floats


class Column(NamedTuple):
    """A column of scores."""

    measure: str
    kind: str = "score"
    letter: str = ""

    @property
    def name(self) -> str:
        """The measure with the letter of its scheme."""
        return standardized_name(self.letter, self.measure)

    @property
    def padded(self) -> str:
        """The name as wide as trec_eval prints it: the letter, then ``%-22s``."""
        return f"{self.name:<{22 + len(self.letter)}}"

    @property
    def is_standardized(self) -> bool:
        """True if the scores are standardized, here or in the file that they were read from."""
        return bool(self.letter or split_scheme(self.measure)[0])

    @property
    def is_count(self) -> bool:
        """True if the values are counts, which are written as integers; standardized counts are not."""
        # num_q has the kind "summary", because no single topic has it, but it counts topics
        return not self.is_standardized and (self.kind == "count" or self.measure == "num_q")

    @property
    def can_be_best(self) -> bool:
        """True if runs are ranked by the values: by scores, but not by counts."""
        return self.kind in ("score", "summary") and not self.is_count

    @property
    def cell(self) -> Callable[[float], Cell]:
        """A function that returns a value as the cell of a listing: whole counts as integers."""
        return _whole if self.is_count else float


def _whole(value: float) -> Cell:
    # a table from elsewhere may hold means of counts, which must keep their decimals
    return int(value) if not math.isnan(value) and float(value).is_integer() else float(value)


class Block(NamedTuple):
    """The scores of one run, ready to be written: a row per topic, and a line per summary."""

    label: str
    topics: Sequence[str]
    values: Sequence[Sequence[float]] | Floats
    summaries: dict[str, Sequence[float] | Floats]
    texts: Mapping[tuple[str, str], str] = MappingProxyType({})
    unprinted: frozenset[str] = frozenset()


# --- trec_eval's text ---


def write_trec_eval(
    out: IO[str],
    columns: Sequence[Column],
    blocks: Iterable[Block],
    *,
    headed: bool,
    per_topic: bool,
    summary: bool,
    digits: int = 4,
    signature: str = "",
) -> None:
    """Write the scores of runs as trec_eval prints them, one run at a time."""
    refuse_breaks(column.name for column in columns)
    # computed once, not for each line
    shown = [(column, column.padded, column.is_count) for column in columns]

    def write_lines(
        topic: str, values: Sequence[float] | Floats, texts: Mapping[tuple[str, str], str], kinds: str
    ) -> None:
        for (column, name, is_count), value in zip(shown, values, strict=True):
            if (topic, column.measure) in texts:
                out.write(f"{name}\t{topic}\t{texts[topic, column.measure]}\n")
            elif column.kind in kinds and not math.isnan(value):
                out.write(f"{name}\t{topic}\t{int(value) if is_count else f'{value:6.{digits}f}'}\n")

    def write_block(block: Block) -> None:
        refuse_breaks([block.label, *block.topics])
        if headed:
            out.write(f"{Column('runid').padded}\t{SUMMARY}\t{block.label}\n")
        quoted = {key: f"'{text}'" for key, text in block.texts.items()}
        for topic, values in zip(block.topics, block.values, strict=True) if per_topic else ():
            if topic not in block.unprinted:
                write_lines(topic, values, quoted, "score count")
        runid = {} if headed else {(SUMMARY, "runid"): block.label}
        for topic, figures in block.summaries.items() if summary else ():
            write_lines(topic, figures, runid, "score count summary")

    for block in blocks:
        write_block(block)
        # Otherwise the loop would hold the run while the next one is scored.
        del block
    if signature:
        out.write(f"{Column(SIGNATURE).padded}\t{SUMMARY}\t{signature}\n")


# --- figures of blocks ---


def scored_topics(columns: Sequence[Column], block: Block, place: int) -> frozenset[str]:
    """Return the topics for which a run has a score by a column; for figures over all topics, by any column."""
    scores = [i for i, column in enumerate(columns) if column.kind == "score"]
    if not scores:
        return frozenset(block.topics)
    places = [place] if place in scores else scores
    rows = zip(block.topics, block.values, strict=True)
    return frozenset(topic for topic, row in rows if not all(math.isnan(row[i]) for i in places))


def is_mean(topic: str) -> bool:
    """Return True for the topic field of a mean; False for a spread or the end of an interval."""
    return ".sd" not in topic and ".ci_" not in topic


def summary_of(block: Block, topic: str, place: int) -> float:
    """Return the summary in a line by a column; NaN if the run has no such line."""
    return float(block.summaries[topic][place]) if topic in block.summaries else math.nan


def largest_value(blocks: Sequence[Block], place: int) -> float:
    """Return the largest absolute value of a column, of single topics and of summaries."""
    rows = (row for block in blocks for row in (*block.values, *block.summaries.values()))
    return max((abs(float(row[place])) for row in rows if not math.isnan(row[place])), default=0.0)


# --- listings ---


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
    """Return the scores of runs as rows of a run, a topic and the scores."""
    kept = [(place, columns[place]) for place in order if columns[place].measure != "runid"]
    fields = [Field("run"), Field("topic"), *(Field(column.name) for _, column in kept)]
    rows = [row for block in blocks for row in _rows(kept, block, per_topic, summary)]
    if output_format in EXACT:
        return Listing(fields, rows, n_left=2)
    numbers = _numbers_of_topics(kept, blocks)
    counts = topic_counts(numbers) if summary and all(column.measure != "num_q" for _, column in kept) else None
    if counts is not None:
        fields.append(Field("n"))
        n_of_run = {block.label: n for block, n in zip(blocks, counts, strict=True)}
        summaries = {(block.label, topic) for block in blocks for topic in block.summaries}
        rows = [[*row, n_of_run[str(row[0])] if (*row[:2],) in summaries else ""] for row in rows]
    # A column that has "all" in every row is of no use, but "all.md" names the aggregate.
    n_left = 2 if per_topic or any(set(block.summaries) != {SUMMARY} for block in blocks) else 1
    if n_left == 1:
        fields, rows = [fields[0], *fields[2:]], [[row[0], *row[2:]] for row in rows]
    listing = Listing(fields, rows, n_left)
    if not summary:
        return listing
    notes = _notes_about_topics(kept, blocks, numbers, n_topics)
    sums = [column.name for _, column in kept if column.is_standardized and column.kind == "count"]
    if sums and any(SUMMARY in block.summaries for block in blocks):
        # they look like means
        notes.append(f"Summed over the topics, as by trec_eval -Z: {listed(sums)}.")
    if output_format in MARKED and len(blocks) > 1:
        cells = [(cell, place) for cell, (place, _) in enumerate(kept, n_left)]
        marked = [each for each in cells if not (unmarked and columns[each[1]].is_standardized)]
        n_rows = [len(block.summaries) + (len(block.topics) if per_topic else 0) for block in blocks]
        best, why = _best_cells(columns, marked, blocks, n_rows)
        listing, notes = listing._replace(best=best), notes + why
        notes += [f"No run is bold by standardized scores, because {unmarked}."] if len(marked) < len(kept) else []
    return listing._replace(notes=notes)


def _rows(
    columns: Sequence[tuple[int, Column]], block: Block, per_topic: bool, summary: bool
) -> Iterator[list[Cell]]:
    """Yield the rows of a run; measures that exist over all topics only are missing in those of single topics."""
    places = [(place, column, column.cell) for place, column in columns]
    for topic, values in zip(block.topics, block.values, strict=True) if per_topic else ():
        cells = [
            block.texts.get((topic, column.measure), "")
            if column.kind == "text"
            else cell(math.nan if column.kind == "summary" else values[place])
            for place, column, cell in places
        ]
        yield [block.label, topic, *cells]
    for topic, figures in block.summaries.items() if summary else ():
        yield [block.label, topic, *(cell(figures[place]) for place, _, cell in places)]


def _numbers_of_topics(columns: Sequence[tuple[int, Column]], blocks: Sequence[Block]) -> list[list[int]]:
    """Return the number of topics behind each mean of each run; if there are no means, those of the runs."""
    places = [place for place, column in columns if column.kind == "score"]
    if not places:
        return [[len(block.topics)] for block in blocks]
    return [[sum(not math.isnan(row[place]) for row in block.values) for place in places] for block in blocks]


def _notes_about_topics(
    columns: Sequence[tuple[int, Column]], blocks: Sequence[Block], numbers: Sequence[Sequence[int]], n_topics: int
) -> list[str]:
    """Return a note if no mean is over all judged topics; if only some are not, their rows show the numbers."""
    distinct = {n for row in numbers for n in row}
    told = topics_told(distinct, n_topics) if max(distinct, default=0) < n_topics else ""
    what = "Means" if any(column.can_be_best for _, column in columns) else "Sums"
    # Different numbers say by themselves that the topics differ.
    differ = len(distinct) == 1 and len({frozenset(block.topics) for block in blocks}) > 1
    return [f"{what} over {told}{', not the same ones for all runs' * differ}."] if told and columns else []


# --- the best mean of a column ---


def _best_cells(
    columns: Sequence[Column], marked: Sequence[tuple[int, int]], blocks: Sequence[Block], n_rows: Sequence[int]
) -> tuple[frozenset[tuple[int, int]], list[str]]:
    """Return the rows and columns of the best means, and notes that say why some means are not marked.

    `marked` has the columns of the listing and of the blocks, and `n_rows` the number of rows of each block.
    """
    # only markup has marks, and most evaluations print text
    from stdeval.stats.ranking import best_means, complete_systems

    best: set[tuple[int, int]] = set()
    some_left_out, none_bold, n_rivalries = False, [], 0
    summaries = list(enumerate(blocks[0].summaries, -len(blocks[0].summaries)))
    for cell, place in marked:
        if not columns[place].can_be_best:
            continue
        scored = [scored_topics(columns, block, place) for block in blocks]
        fair = complete_systems(scored)
        if sum(fair) < 2 or len({own for own, full in zip(scored, fair, strict=True) if full}) > 1:
            fair = [False] * len(blocks)
        # A run without a score by a measure needs no note.
        rivals = [full for own, full in zip(scored, fair, strict=True) if own]
        if len(rivals) > 1:
            n_rivalries += 1
            some_left_out |= any(rivals) and not all(rivals)
            none_bold += [] if any(rivals) else [columns[place].name]
        largest, higher = largest_value(blocks, place), is_better_higher(columns[place].name)
        for at, topic in summaries:
            means = [summary_of(block, topic, place) for block in blocks]
            # All geometric means may be 0, and then none of them is the best.
            if is_mean(topic) and any(mean for mean, full in zip(means, fair, strict=True) if full):
                leaders = best_means(means, fair, largest, better_higher=higher)
                best |= {(end + at, cell) for i, end in enumerate(accumulate(n_rows)) if i in leaders}
    notes = ["Runs without topics that more than half of the runs have are never bold."] if some_left_out else []
    if none_bold:
        by = f" by {listed(none_bold)}" if len(none_bold) < n_rivalries else ""
        notes.append(f"No run is bold{by}, because the means are over different topics.")
    return frozenset(best), notes
