"""What is written: scores as trec_eval's text, a table or CSV, and listings; rounding happens here only."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from stdeval.table import Floats

    Rows = Sequence[Sequence[float]] | Floats
    Figures = Sequence[float] | Floats

SUMMARY = "all"

Cell = str | int | float
"""What stands in a listing; NaN and empty text are missing."""


class Column(NamedTuple):
    """A column of scores: its name, of which kind it is (see `Family`), its scheme's letter."""

    measure: str
    kind: str = "score"
    letter: str = ""

    @property
    def name(self) -> str:
        """The measure with the letter of its scheme before it."""
        return self.letter + self.measure

    @property
    def padded(self) -> str:
        """The name as wide as trec_eval prints it: the letter, then ``%-22s``."""
        return f"{self.letter}{self.measure:<22}"

    def shown(self, value: float) -> str:
        """A value as trec_eval prints it: a count as an integer, anything else with four decimals."""
        if self.kind == "count" or self.measure == "num_q":
            return f"{value:6.4f}" if self.letter else str(int(value))
        return f"{value:6.4f}"

    def exact(self, value: float) -> str:
        """A value in full: the shortest text that reads back as the same number; empty for missing."""
        if math.isnan(value):
            return ""
        whole = not self.letter and (self.kind == "count" or self.measure == "num_q")
        return str(int(value)) if whole else repr(float(value))


class Block(NamedTuple):
    """What is written of one run.

    Parameters
    ----------
    label : str
        The run's name.
    topics : sequence of str
        The topics of the rows of ``values``.
    values : ndarray or rows, shape (n_topics, n_columns)
    summaries : dict of str to ndarray or list, shape (n_columns,)
        Figures over all topics, by what stands in the topic field (``all``, ``all.gm``, ...).
    texts : dict
        What text measures say, by (topic, measure).
    unprinted : frozenset of str
        Topics that count but have no lines of their own in text (those that a run lacks, with -c).
    """

    label: str
    topics: Sequence[str]
    values: Rows
    summaries: dict[str, Figures]
    texts: Mapping[tuple[str, str], str] = MappingProxyType({})
    unprinted: frozenset[str] = frozenset()


def write_blocks(
    out: IO[str],
    style: str,
    columns: Sequence[Column],
    blocks: Iterable[Block],
    *,
    per_topic: bool,
    summary: bool,
) -> None:
    """Write the scores of runs as ``text``, ``table`` or ``csv``; CSV always has a row per topic."""
    everything = list(blocks)
    if style == "csv":
        _write_csv(out, columns, everything, summary)
    elif style == "table":
        _write_table(out, columns, everything, per_topic, summary)
    else:
        for block in everything:
            _write_text(out, columns, block, per_topic, summary, headed=len(everything) > 1)


def _write_text(
    out: IO[str], columns: Sequence[Column], block: Block, per_topic: bool, summary: bool, headed: bool
) -> None:
    """One run as trec_eval prints it; headed, its name comes first, whether asked for or not."""
    if headed:
        out.write(f"{Column('runid').padded}\t{SUMMARY}\t{block.label}\n")
    if per_topic:
        for row, topic in enumerate(block.topics):
            if topic not in block.unprinted:
                _write_topic(out, columns, block, row, topic)
    for where, figures in block.summaries.items() if summary else ():
        for place, column in enumerate(columns):
            if column.measure == "runid" and where == SUMMARY and not headed:
                out.write(f"{column.padded}\t{where}\t{block.label}\n")
            elif column.kind != "text" and not math.isnan(figures[place]):
                out.write(f"{column.padded}\t{where}\t{column.shown(figures[place])}\n")


def _write_topic(out: IO[str], columns: Sequence[Column], block: Block, row: int, topic: str) -> None:
    for place, column in enumerate(columns):
        if column.kind == "text" and (topic, column.measure) in block.texts:
            out.write(f"{column.padded}\t{topic}\t'{block.texts[topic, column.measure]}'\n")
        elif column.kind in ("score", "count") and not math.isnan(block.values[row][place]):
            out.write(f"{column.padded}\t{topic}\t{column.shown(block.values[row][place])}\n")


def _write_csv(out: IO[str], columns: Sequence[Column], blocks: Sequence[Block], summary: bool) -> None:
    writer = csv.writer(out, lineterminator="\n")
    kept = [(place, column) for place, column in enumerate(columns) if column.measure != "runid"]
    writer.writerow(["run", "topic", *(column.name for _, column in kept)])
    for block in blocks:
        for row, topic in enumerate(block.topics):
            cells = _topic_cells(kept, block, row, topic, Column.exact)
            writer.writerow([block.label, topic, *cells])
        for where, figures in block.summaries.items() if summary else ():
            writer.writerow([block.label, where, *(column.exact(figures[place]) for place, column in kept)])


def _write_table(
    out: IO[str], columns: Sequence[Column], blocks: Sequence[Block], per_topic: bool, summary: bool
) -> None:
    kept = [(place, column) for place, column in enumerate(columns) if column.measure != "runid"]
    with_topic = per_topic or any(len(block.summaries) > 1 for block in blocks)
    rows = [["run", *(["topic"] if with_topic else []), *(column.name for _, column in kept)]]
    for block in blocks:
        lines: list[tuple[str, list[str]]] = []
        if per_topic:
            lines += [
                (topic, _topic_cells(kept, block, row, topic, _cell)) for row, topic in enumerate(block.topics)
            ]
        if summary:
            for where, figures in block.summaries.items():
                lines.append((where, [_cell(column, figures[place]) for place, column in kept]))
        rows += [[block.label, *([where] if with_topic else []), *cells] for where, cells in lines]
    write_aligned(out, rows, n_left=2 if with_topic else 1)


def _topic_cells(
    kept: Sequence[tuple[int, Column]], block: Block, row: int, topic: str, show: Callable[[Column, float], str]
) -> list[str]:
    return [
        block.texts.get((topic, column.measure), "")
        if column.kind == "text"
        else show(column, math.nan if column.kind == "summary" else block.values[row][place])
        for place, column in kept
    ]


def _cell(column: Column, value: float) -> str:
    return "-" if math.isnan(value) else column.shown(value).strip()


def write_aligned(out: IO[str], rows: Sequence[Sequence[str]], n_left: int = 1) -> None:
    """Rows of cells under each other: the first ``n_left`` columns flush left, the others flush right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if i < n_left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        out.write("  ".join(cells).rstrip() + "\n")


class Field(NamedTuple):
    """A column of a listing: its name, the format of its decimals, and whether ``table`` has it."""

    name: str
    form: str = ".4f"
    in_table: bool = True

    def shown(self, cell: Cell) -> str:
        """A cell to read: rounded, ``-`` for missing."""
        if isinstance(cell, float):
            return "-" if math.isnan(cell) else format(cell, self.form)
        return str(cell) or "-"

    def exact(self, cell: Cell) -> str:
        """A cell in full: the shortest text that reads back as the same number; empty for missing."""
        if isinstance(cell, float):
            return "" if math.isnan(cell) else repr(float(cell))
        return str(cell)


def write_listing(
    out: IO[str], style: str, fields: Sequence[Field], rows: Iterable[Sequence[Cell]], n_left: int = 1
) -> None:
    """Write rows of cells under a header: ``text`` with tabs between, ``table`` aligned, ``csv`` in full precision.

    Parameters
    ----------
    out : text file
    style : {"text", "table", "csv"}
    fields : sequence of Field
    rows : iterable of sequences, a cell a field
        Text or numbers; NaN and empty text are missing.
    n_left : int
        How many columns of the table are flush left.
    """
    if style == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([field.name for field in fields])
        writer.writerows([field.exact(cell) for field, cell in zip(fields, row, strict=True)] for row in rows)
    elif style == "table":
        kept = [place for place, field in enumerate(fields) if field.in_table]
        cells = [[fields[place].shown(row[place]) for place in kept] for row in rows]
        write_aligned(out, [[fields[place].name for place in kept], *cells], n_left)
    else:
        out.write("\t".join(field.name for field in fields) + "\n")
        for row in rows:
            out.write("\t".join(field.shown(cell) for field, cell in zip(fields, row, strict=True)) + "\n")
