"""Listings: rows of cells under a header, which all formats but trec_eval's text are made from; those of runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from stdeval import provenance
from stdeval.errors import listed
from stdeval.formats import EXACT, MARKED, SIGNATURE, SUMMARY, trec_eval_text
from stdeval.measures import names
from stdeval.noise import shown_pvalue
from stdeval.stats import ranking

if TYPE_CHECKING:
    from stdeval.formats.trec_eval_text import Block, Column
    from stdeval.provenance import Origin

Cell = str | int | float  # NaN and empty text are missing
DAGGER, DOUBLE_DAGGER = "†", "‡"  # signs that follow a cell; notes explain them


def is_missing(cell: Cell) -> bool:
    """Return True for NaN and empty text."""
    return math.isnan(cell) if isinstance(cell, float) else cell == ""


def exact(cell: Cell) -> str:
    """Return a cell in full precision: the shortest text that reads back as the same number, empty for NaN."""
    if isinstance(cell, float):
        # repr of numpy's own floats names their type
        return "" if math.isnan(cell) else repr(float(cell))
    # truth values as JSON has them
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


class Field(NamedTuple):
    """A column of a listing: its name, and how readable formats show its numbers, if at all."""

    name: str
    form: str = ".4f"
    in_table: bool = True
    missing: str = "-"
    alpha: float = math.nan

    def rounded(self, cell: Cell) -> str:
        """Return a cell for readers: decimals rounded, and a mark if it is missing."""
        if is_missing(cell):
            return self.missing
        if not isinstance(cell, float):
            return exact(cell)
        return format(cell, self.form) if math.isnan(self.alpha) else shown_pvalue(cell, self.alpha)


class Listing(NamedTuple):
    """Rows of cells under a header.

    The first `n_left` columns of readable formats are flush left, and the last `n_below` rows are not ranked. Cells
    that are the `best` of their column, or have `signs`, are named by row and column.
    """

    fields: Sequence[Field]
    rows: Sequence[Sequence[Cell]]
    n_left: int = 1
    headed: bool = True
    best: frozenset[tuple[int, int]] = frozenset()
    signs: Mapping[tuple[int, int], str] = MappingProxyType({})
    n_below: int = 0
    notes: Sequence[str] = ()
    signature: str = ""

    def with_digits(self, digits: int) -> Listing:
        """Return the listing with this number of decimals where the number is fixed."""
        form = f".{digits}f"
        return self._replace(fields=[f._replace(form=re.sub(r"\.[0-9]+f", form, f.form)) for f in self.fields])

    def only(self, columns: Sequence[str]) -> Listing:
        """Return these columns, with each row once, and without marks."""
        places = [[field.name for field in self.fields].index(name) for name in columns]
        rows = dict.fromkeys(tuple(row[place] for place in places) for row in self.rows)
        return Listing([self.fields[place] for place in places], list(rows))

    def with_constants(self, constants: Mapping[str, Cell]) -> Listing:
        """Return the listing with constant columns at its end."""
        rows = [[*row, *constants.values()] for row in self.rows]
        return self._replace(fields=[*self.fields, *map(Field, constants)], rows=rows)

    def with_signature_column(self) -> Listing:
        """Return the listing with the signature, if there is one, as a constant last column."""
        return self.with_constants({SIGNATURE: self.signature}) if self.signature else self


def origin_cells(topic: str, origin: Origin) -> list[str]:
    """Return the cells of the columns `ORIGIN`; none if no topic has an origin, so that there are no columns."""
    if not origin:
        return []
    judgments, options = origin.judgments.get(topic, ""), origin.options.get(topic)
    # if there are no judgments, an empty cell means that the options are unknown
    return [judgments, provenance.UNKNOWN if judgments and options is None else options or ""]


def with_origin(listing: Listing, origin: Origin) -> Listing:
    """Insert the columns `ORIGIN` after the run and the topic of a listing of scores."""
    if not origin:
        return listing
    rows = [[*row[:2], *origin_cells(str(row[1]), origin), *row[2:]] for row in listing.rows]
    fields = [*listing.fields[:2], *map(Field, provenance.ORIGIN), *listing.fields[2:]]
    return listing._replace(fields=fields, rows=rows, n_left=listing.n_left + len(provenance.ORIGIN))


def topic_numbers(counts: Iterable[int], n_topics: int) -> str:
    """Return the numbers of topics of means in words, or an empty text if all are over all judged topics."""
    numbers = set(counts)
    different = sorted(numbers - {0} or numbers)
    if not different or different[0] >= n_topics:
        return ""
    return f"{' to '.join(map(str, sorted({different[0], different[-1]})))} of {n_topics} topics"


def topic_counts(counts: Iterable[Sequence[int]]) -> list[str] | None:
    """Return the number of topics of each row of means, or None if all means are over the same number."""
    rows = [tuple(filter(None, row)) or (0,) for row in counts]
    if len({n for row in rows for n in row}) < 2:
        return None
    return ["-".join(map(str, sorted({min(row), max(row)}))) for row in rows]


# --- the scores of runs ---


def scored_topics(columns: Sequence[Column], block: Block, place: int) -> frozenset[str]:
    """Return the topics for which a run has a score by a column; for figures over all topics, by any column."""
    scores = [i for i, column in enumerate(columns) if column.kind == "score"]
    if not scores:
        return frozenset(block.topics)
    places = [place] if place in scores else scores
    rows = zip(block.topics, block.values, strict=True)
    return frozenset(topic for topic, row in rows if not all(math.isnan(row[i]) for i in places))


def summary_of(block: Block, topic: str, place: int) -> float:
    """Return the summary in a line by a column; NaN if the run has no such line."""
    return float(block.summaries[topic][place]) if topic in block.summaries else math.nan


def largest_value(blocks: Sequence[Block], place: int) -> float:
    """Return the largest absolute value of a column, of single topics and of summaries."""
    rows = (row for block in blocks for row in (*block.values, *block.summaries.values()))
    return max((abs(float(row[place])) for row in rows if not math.isnan(row[place])), default=0.0)


def listing_of_blocks(
    columns: Sequence[Column],
    blocks: Sequence[Block],
    output_format: str,
    *,
    order: Sequence[int],
    per_topic: bool,
    summary: bool,
    n_topics: int,
    unmarked: str,
    origin: Origin | None,
) -> Listing:
    """Return the scores of runs as rows of a run, a topic and the scores."""
    kept = [(place, columns[place]) for place in order if columns[place].measure != "runid"]
    fields = [Field("run"), Field("topic"), *(Field(column.name) for _, column in kept)]
    rows = [row for block in blocks for row in _rows(kept, block, per_topic, summary)]
    listing = Listing(fields, rows, n_left=2)
    if output_format in EXACT and per_topic and origin is not None:
        return with_origin(listing, origin)
    if output_format in EXACT or not summary:
        return listing
    # of a run with a topic that is called all, the later row is the summary
    row_of = {(str(row[0]), str(row[1])): i for i, row in enumerate(rows)}
    # if there are no means, the numbers of topics are those of the runs
    places = [place for place, column in kept if column.kind == "score"]
    numbers = [
        [sum(not math.isnan(row[place]) for row in block.values) for place in places] or [len(block.topics)]
        for block in blocks
    ]
    counts = topic_counts(numbers) if all(column.measure != "num_q" for _, column in kept) else None
    if counts is not None:
        n_of_row = {
            row_of[each.label, at]: n for each, n in zip(blocks, counts, strict=True) for at in each.summaries
        }
        fields, rows = [*fields, Field("n")], [[*row, n_of_row.get(i, "")] for i, row in enumerate(rows)]
    # A column that has "all" in every row is of no use, but "all.md" names the aggregate.
    n_left = 2 if per_topic or any(set(block.summaries) != {SUMMARY} for block in blocks) else 1
    if n_left == 1:
        fields, rows = [fields[0], *fields[2:]], [[row[0], *row[2:]] for row in rows]
    listing = Listing(fields, rows, n_left)
    notes = _notes_about_topics([column for _, column in kept], blocks, numbers, n_topics)
    if output_format in MARKED and len(blocks) > 1:
        cells = [(cell, place) for cell, (place, _) in enumerate(kept, n_left)]
        marked = [each for each in cells if not (unmarked and columns[each[1]].is_standardized)]
        best, why = _best_cells(columns, marked, blocks, row_of)
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


def _notes_about_topics(
    columns: Sequence[Column], blocks: Sequence[Block], numbers: Sequence[Sequence[int]], n_topics: int
) -> list[str]:
    """Return notes if no mean is over all judged topics (rows show where only some are not), and about sums."""
    distinct = {n for row in numbers for n in row}
    words = topic_numbers(distinct, n_topics) if columns and max(distinct, default=0) < n_topics else ""
    what = "Means" if any(column.can_be_best for column in columns) else "Sums"
    # Different numbers say by themselves that the topics differ.
    differ = len(distinct) == 1 and len({frozenset(block.topics) for block in blocks}) > 1
    notes = [f"{what} over {words}{', not the same ones for all runs' * differ}."] if words else []
    sums = [column.name for column in columns if column.kind == "sum"]
    if sums and any(SUMMARY in block.summaries for block in blocks):
        # they look like means
        notes.append(f"Summed over the topics, as by trec_eval -Z: {listed(sums)}.")
    return notes


def _best_cells(
    columns: Sequence[Column],
    marked: Sequence[tuple[int, int]],
    blocks: Sequence[Block],
    row_of: Mapping[tuple[str, str], int],
) -> tuple[frozenset[tuple[int, int]], list[str]]:
    """Return the rows and columns of the best means, and notes that say why some means are not marked.

    `marked` has the columns of the listing and of the blocks, and `row_of` the row of each run and topic.
    """
    best: set[tuple[int, int]] = set()
    some_left_out, none_bold, n_rivalries = False, [], 0
    for cell, place in marked:
        if not columns[place].can_be_best:
            continue
        scored = [scored_topics(columns, block, place) for block in blocks]
        fair = ranking.ranked_systems(scored)
        if sum(fair) < 2 or len({own for own, full in zip(scored, fair, strict=True) if full}) > 1:
            fair = [False] * len(blocks)
        # A run without a score by a measure needs no note.
        rivals = [full for own, full in zip(scored, fair, strict=True) if own]
        if len(rivals) > 1:
            n_rivalries += 1
            some_left_out |= any(rivals) and not all(rivals)
            none_bold += [] if any(rivals) else [columns[place].name]
        largest, higher = largest_value(blocks, place), names.is_better_higher(columns[place].name)
        for topic in filter(trec_eval_text.is_mean, blocks[0].summaries):
            means = [summary_of(block, topic, place) for block in blocks]
            # All geometric means may be 0, and then none of them is the best.
            if any(mean for mean, full in zip(means, fair, strict=True) if full):
                leaders = ranking.best_means(means, fair, largest, better_higher=higher)
                best |= {(row_of[blocks[i].label, topic], cell) for i in leaders}
    notes = ["Runs without topics that more than half of the runs have are never bold."] if some_left_out else []
    if none_bold:
        by = f" by {listed(none_bold)}" if len(none_bold) < n_rivalries else ""
        notes.append(f"No run is bold{by}, because the means are over different topics.")
    return frozenset(best), notes
