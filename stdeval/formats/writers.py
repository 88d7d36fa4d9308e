"""Writers of all that is printed: scores as trec_eval's text, a table or CSV, listings, and tables in LaTeX.

Numbers are rounded here and nowhere else. `stdeval eval` runs through this module, so it must not load numpy.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, NamedTuple

from stdeval.display import displayed, excerpt
from stdeval.errors import InputError

if TYPE_CHECKING:
    from stdeval.table import Bools, Floats

    Rows = Sequence[Sequence[float]] | Floats
    Figures = Sequence[float] | Floats

SUMMARY = "all"
"""The topic of lines and rows that summarize all topics, as trec_eval has it."""

Cell = str | int | float
"""A cell of a listing; NaN and empty text are missing."""


def exact_number(value: float, whole: bool = False) -> str:
    """Return the shortest text that reads back as the same number; empty for NaN.

    Parameters
    ----------
    value : float
    whole : bool
        Write a whole number without decimals, as counts are written.

    Examples
    --------
    >>> exact_number(1 / 3), exact_number(7.0), exact_number(7.0, whole=True), exact_number(float("nan"))
    ('0.3333333333333333', '7.0', '7', '')
    """
    if math.isnan(value):
        return ""
    # float() because repr of numpy's own floats names their type
    number = float(value)
    # a table from elsewhere may hold means of counts, which must keep their decimals
    return str(int(number)) if whole and number.is_integer() else repr(number)


class Column(NamedTuple):
    """A column of scores.

    Parameters
    ----------
    measure : str
    kind : str
        The kind of the measure, see `Family`.
    letter : str
        The letter of the scheme that standardized the scores; empty for raw scores.
    """

    measure: str
    kind: str = "score"
    letter: str = ""

    @property
    def name(self) -> str:
        """The measure, preceded by the letter of its scheme."""
        return self.letter + self.measure

    @property
    def padded(self) -> str:
        """The name as wide as trec_eval prints it: the letter, then ``%-22s``."""
        return f"{self.letter}{self.measure:<22}"

    @property
    def is_count(self) -> bool:
        """Whether the values are counts, which are written as integers; standardized ones no longer are."""
        # num_q has the kind "summary", because no single topic has it, but it counts topics
        return not self.letter and (self.kind == "count" or self.measure == "num_q")

    def rounded(self, value: float) -> str:
        """Return a value as trec_eval prints it: a count as an integer, anything else with four decimals."""
        return str(int(value)) if self.is_count else f"{value:6.4f}"

    def exact(self, value: float) -> str:
        """Return a value in full precision, see `exact_number`."""
        return exact_number(value, self.is_count)


class Block(NamedTuple):
    """The scores of one run, ready to be written.

    Parameters
    ----------
    label : str
        The run's name.
    topics : sequence of str
        The topics of the rows of ``values``.
    values : ndarray or rows, shape (n_topics, n_columns)
    summaries : dict of str to ndarray or list, shape (n_columns,)
        Figures over all topics; the keys stand in the topic field (``all``, ``all.gm``, ...).
    texts : dict
        The values of text measures, by (topic, measure).
    unprinted : frozenset of str
        Topics that count but have no lines of their own in text: with -c, those missing from the run.
    """

    label: str
    topics: Sequence[str]
    values: Rows
    summaries: dict[str, Figures]
    texts: Mapping[tuple[str, str], str] = MappingProxyType({})
    unprinted: frozenset[str] = frozenset()


def write_blocks(
    out: IO[str],
    output_format: str,
    columns: Sequence[Column],
    blocks: Iterable[Block],
    *,
    per_topic: bool,
    summary: bool,
) -> None:
    """Write the scores of runs.

    Parameters
    ----------
    out : text file
    output_format : {"text", "table", "csv"}
    columns : sequence of Column
    blocks : iterable of Block
        One per run.
    per_topic : bool
        Write the scores of single topics; CSV always has them.
    summary : bool
        Write the figures over all topics.
    """
    blocks = list(blocks)
    if output_format == "text":
        names = (name for block in blocks for name in (block.label, *block.topics))
        _refuse_breaks([*(column.name for column in columns), *names])
    if output_format == "csv":
        _write_csv(out, columns, blocks, summary)
    elif output_format == "table":
        _write_table(out, columns, blocks, per_topic, summary)
    else:
        for block in blocks:
            _write_text(out, columns, block, per_topic, summary, headed=len(blocks) > 1)


def _refuse_breaks(names: Iterable[str]) -> None:
    """Refuse a name that would begin a line or a column of its own in text, where it could pass for a score."""
    for name in names:
        broken = "line break" if "\n" in name or "\r" in name else "tab" if "\t" in name else ""
        if broken:
            what = f"a {broken} in the name '{excerpt(name)}'"
            raise InputError(f"{what}, which text cannot hold; expected another name, or -f csv")


def _write_text(
    out: IO[str], columns: Sequence[Column], block: Block, per_topic: bool, summary: bool, headed: bool
) -> None:
    """Write one run as trec_eval does; if `headed`, the runid line comes first, whether it was asked for or not."""
    if headed:
        out.write(f"{Column('runid').padded}\t{SUMMARY}\t{block.label}\n")
    if per_topic:
        for row, topic in enumerate(block.topics):
            if topic not in block.unprinted:
                _write_topic(out, columns, block, row, topic)
    for topic, figures in block.summaries.items() if summary else ():
        for column, figure in zip(columns, figures, strict=True):
            if column.measure == "runid" and topic == SUMMARY and not headed:
                out.write(f"{column.padded}\t{topic}\t{block.label}\n")
            elif column.kind != "text" and not math.isnan(figure):
                out.write(f"{column.padded}\t{topic}\t{column.rounded(figure)}\n")


def _write_topic(out: IO[str], columns: Sequence[Column], block: Block, row: int, topic: str) -> None:
    for column, value in zip(columns, block.values[row], strict=True):
        if column.kind == "text" and (topic, column.measure) in block.texts:
            out.write(f"{column.padded}\t{topic}\t'{block.texts[topic, column.measure]}'\n")
        elif column.kind in ("score", "count") and not math.isnan(value):
            out.write(f"{column.padded}\t{topic}\t{column.rounded(value)}\n")


def _write_csv(out: IO[str], columns: Sequence[Column], blocks: Sequence[Block], summary: bool) -> None:
    writer = csv.writer(out, lineterminator="\n")
    kept = _without_runid(columns)
    writer.writerow(["run", "topic", *(column.name for _, column in kept)])
    for block in blocks:
        for row, topic in enumerate(block.topics):
            writer.writerow([block.label, topic, *_topic_cells(kept, block, row, Column.exact)])
        for topic, figures in block.summaries.items() if summary else ():
            writer.writerow([block.label, topic, *(column.exact(figures[place]) for place, column in kept)])


def _write_table(
    out: IO[str], columns: Sequence[Column], blocks: Sequence[Block], per_topic: bool, summary: bool
) -> None:
    kept = _without_runid(columns)
    lines: list[tuple[str, str, list[str]]] = []
    for block in blocks:
        if per_topic:
            for row, topic in enumerate(block.topics):
                lines.append((block.label, topic, _topic_cells(kept, block, row, _aligned_cell)))
        for topic, figures in block.summaries.items() if summary else ():
            cells = [_aligned_cell(column, figures[place]) for place, column in kept]
            lines.append((block.label, topic, cells))
    names = [column.name for _, column in kept]
    counts = _topic_counts(kept, blocks) if summary else None
    if counts is not None:
        names.append("n")
        lines = [(label, topic, [*cells, counts.get((label, topic), "-")]) for label, topic, cells in lines]
    # one summary per run needs no column that says "all" in every row
    if per_topic or any(len(block.summaries) > 1 for block in blocks):
        rows = [[label, topic, *cells] for label, topic, cells in lines]
        write_aligned(out, [["run", "topic", *names], *rows], n_left=2)
    else:
        write_aligned(out, [["run", *names], *([label, *cells] for label, _, cells in lines)])


def _topic_counts(
    columns: Sequence[tuple[int, Column]], blocks: Sequence[Block]
) -> dict[tuple[str, str], str] | None:
    """Return the number of topics of each summary, by run and topic field, if it differs and num_q is not shown."""
    places = [place for place, column in columns if column.kind == "score"]
    if not places or any(column.measure == "num_q" for _, column in columns):
        return None
    told = topic_counts(
        [sum(not math.isnan(row[place]) for row in block.values) for place in places] for block in blocks
    )
    if told is None:
        return None
    return {(block.label, topic): n for block, n in zip(blocks, told, strict=True) for topic in block.summaries}


def _without_runid(columns: Sequence[Column]) -> list[tuple[int, Column]]:
    """Return the columns with their indices, except runid: rows begin with the name of the run anyway."""
    return [(place, column) for place, column in enumerate(columns) if column.measure != "runid"]


def _topic_cells(
    columns: Sequence[tuple[int, Column]], block: Block, row: int, write: Callable[[Column, float], str]
) -> list[str]:
    """Cells of one topic; measures that exist over all topics only are missing."""
    topic = block.topics[row]
    return [
        block.texts.get((topic, column.measure), "")
        if column.kind == "text"
        else write(column, math.nan if column.kind == "summary" else block.values[row][place])
        for place, column in columns
    ]


def _aligned_cell(column: Column, value: float) -> str:
    return "-" if math.isnan(value) else column.rounded(value).strip()


def topic_counts(counts: Iterable[Sequence[int]]) -> list[str] | None:
    """Return the number of topics of each row of means, or None if all means are over the same number.

    Parameters
    ----------
    counts : iterable of sequences of int, one per row
        The number of topics behind each mean of the row.

    Returns
    -------
    list of str, optional
        If the means of a row are over different numbers of topics, the smallest and the largest of them.

    Examples
    --------
    >>> topic_counts([[52, 52], [44, 44], [44, 40]])
    ['52', '44', '40-44']
    >>> topic_counts([[52, 52], [52, 52]])
    """
    rows = [tuple(row) for row in counts]
    if len({n for row in rows for n in row}) < 2:
        return None
    return ["-".join(map(str, sorted({min(row), max(row)}))) for row in rows]


def write_aligned(out: IO[str], rows: Sequence[Sequence[str]], n_left: int = 1) -> None:
    """Write rows of cells in aligned columns, the first ``n_left`` flush left, the others flush right.

    Control characters in names are escaped, so that each row is one line.
    """
    rows = [list(map(displayed, row)) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if i < n_left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        out.write("  ".join(cells).rstrip() + "\n")


class Field(NamedTuple):
    """A column of a listing.

    Parameters
    ----------
    name : str
    form : str
        The format specification of its decimals.
    in_table : bool
        Whether ``table`` and ``markdown`` have the column.
    missing : str
        The mark of a missing cell, for readers.
    """

    name: str
    form: str = ".4f"
    in_table: bool = True
    missing: str = "-"

    def rounded(self, cell: Cell) -> str:
        """Return a cell for readers: decimals rounded, and a mark if it is missing."""
        if isinstance(cell, float):
            return self.missing if math.isnan(cell) else format(cell, self.form)
        return str(cell) or self.missing

    def exact(self, cell: Cell) -> str:
        """Return a cell in full precision, see `exact_number`."""
        return exact_number(cell) if isinstance(cell, float) else str(cell)


class Listing(NamedTuple):
    """Rows of cells under a header.

    Parameters
    ----------
    fields : sequence of Field
        The columns.
    rows : iterable of sequences, one cell per field
        Text or numbers; NaN and empty text are missing.
    n_left : int
        Number of columns that are flush left where columns are aligned.
    headed : bool
        Whether ``text`` begins with the names of the columns.
    """

    fields: Sequence[Field]
    rows: Iterable[Sequence[Cell]]
    n_left: int = 1
    headed: bool = True

    def for_tables(self) -> tuple[list[str], list[list[str]]]:
        """Return the names and the rounded cells of the columns that tables have."""
        kept = [place for place, field in enumerate(self.fields) if field.in_table]
        cells = [[self.fields[place].rounded(row[place]) for place in kept] for row in self.rows]
        return [self.fields[place].name for place in kept], cells


def write_listing(
    out: IO[str],
    output_format: str,
    fields: Sequence[Field],
    rows: Iterable[Sequence[Cell]],
    n_left: int = 1,
    *,
    headed: bool = True,
) -> None:
    """Write rows of cells under a header.

    Parameters
    ----------
    out : text file
    output_format : str
        One of ``LISTING_FORMATS``.
    fields, rows, n_left, headed
        See `Listing`.
    """
    LISTING_FORMATS[output_format](out, Listing(fields, rows, n_left, headed))


def _write_text_listing(out: IO[str], listing: Listing) -> None:
    if listing.headed:
        out.write("\t".join(field.name for field in listing.fields) + "\n")
    for row in listing.rows:
        cells = [field.rounded(cell) for field, cell in zip(listing.fields, row, strict=True)]
        _refuse_breaks(cells)
        out.write("\t".join(cells).rstrip("\t") + "\n")


def _write_table_listing(out: IO[str], listing: Listing) -> None:
    names, rows = listing.for_tables()
    write_aligned(out, [names, *rows], listing.n_left)


def _write_csv_listing(out: IO[str], listing: Listing) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([field.name for field in listing.fields])
    writer.writerows(
        [field.exact(cell) for field, cell in zip(listing.fields, row, strict=True)] for row in listing.rows
    )


def _write_markdown_listing(out: IO[str], listing: Listing) -> None:
    """Write a table of GitHub Flavored Markdown."""
    names, rows = listing.for_tables()
    rule = ["---" if place < listing.n_left else "---:" for place in range(len(names))]
    for cells in ([escape_markdown(name) for name in names], rule, *(map(escape_markdown, row) for row in rows)):
        out.write(f"| {' | '.join(cells)} |\n")


LISTING_FORMATS: Mapping[str, Callable[[IO[str], Listing], None]] = MappingProxyType(
    {
        "text": _write_text_listing,
        "table": _write_table_listing,
        "csv": _write_csv_listing,
        "markdown": _write_markdown_listing,
    }
)
"""The writer of each format: cells separated by tabs, aligned columns, CSV in full precision, GitHub's Markdown."""

# Punctuation that GitHub gives a meaning within a cell: emphasis, code, strikethrough, links, HTML, entities,
# mathematics, mentions, numbers of issues, and the bars between cells.
_MARKDOWN_SPECIAL = frozenset("\\`*_~[]<>&$@#|")


def escape_markdown(text: str) -> str:
    r"""Return text that Markdown shows as it stands; unprintable characters become question marks.

    Examples
    --------
    >>> print(escape_markdown("bm25_k1=0.9 | <b>"))
    bm25\_k1=0.9 \| \<b\>
    """
    return "".join(f"\\{c}" if c in _MARKDOWN_SPECIAL else c if c.isprintable() else "?" for c in text)


_LATEX_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints as it stands; unprintable characters become question marks.

    Examples
    --------
    >>> print(escape_latex("bm25_k1=0.9 & 50%"))
    bm25\_k1=0.9 \& 50\%
    """
    return "".join(_LATEX_SPECIAL.get(c, c) if c.isprintable() else "?" for c in text)


def latex_table(
    systems: Sequence[str],
    measures: Sequence[str],
    means: Rows,
    marked: Sequence[Sequence[bool]] | Bools,
    notes: Sequence[str] = (),
    *,
    undecided: Sequence[Sequence[bool]] | Bools | None = None,
    n_topics: Sequence[str] | None = None,
    ranked: Sequence[bool] | Bools | None = None,
    better_higher: Sequence[bool] | None = None,
) -> str:
    r"""Return a tabular with one row per system and one column per measure, the best of each column in bold.

    Parameters
    ----------
    systems, measures : sequence of str
    means : ndarray or rows, shape (n_systems, n_measures)
        NaN is missing.
    marked : ndarray or rows of bool, shape (n_systems, n_measures)
        The means that get a dagger.
    notes : sequence of str
        Lines that precede the table as comments.
    undecided : ndarray or rows of bool, shape (n_systems, n_measures), optional
        The means that get a double dagger.
    n_topics : sequence of str, optional
        The number of topics of each system, as a column n.
    ranked : sequence of bool, optional
        The systems whose means can be compared. The others are listed below them, and are never in bold.
    better_higher : sequence of bool, optional
        For each measure, False if the lowest mean is the best.

    Returns
    -------
    str
        LaTeX that needs the package booktabs, as its first line says.

    Examples
    --------
    >>> print(latex_table(["a", "b"], ["map"], [[0.5], [0.25]], [[False], [True]]))
    % needs the package booktabs
    \begin{tabular}{lr}
    \toprule
     & map \\
    \midrule
    a & \textbf{0.5000} \\
    b & 0.2500$^{\dagger}$ \\
    \bottomrule
    \end{tabular}
    """
    comparable = [True] * len(systems) if ranked is None else list(ranked)
    best = []
    for column, is_higher in zip(zip(*means, strict=True), better_higher or [True] * len(measures), strict=True):
        rivals = (mean for mean, counts in zip(column, comparable, strict=True) if counts and not math.isnan(mean))
        best.append((max if is_higher else min)(rivals, default=math.nan))
    daggers = [[r"\dagger" if each else "" for each in row] for row in marked]
    if undecided is not None:
        pairs = (zip(signs, row, strict=True) for signs, row in zip(daggers, undecided, strict=True))
        daggers = [[sign + (r"\ddagger" if each else "") for sign, each in row] for row in pairs]
    counted = [[] for _ in systems] if n_topics is None else [[n] for n in n_topics]
    lines = [f"% {escape_latex(note)}" for note in ("needs the package booktabs", *notes)]
    columns = [*map(escape_latex, measures), *([] if n_topics is None else ["n"])]
    lines += [rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", r"\toprule"]
    lines += [" & ".join(["", *columns]) + r" \\"]
    # the rows of comparable systems, and those of the others below another line
    sections: dict[bool, list[str]] = {True: [], False: []}
    for system, row, signs, n, counts in zip(systems, means, daggers, counted, comparable, strict=True):
        cells = [
            _latex_cell(mean, bool(counts) and mean == winner, sign)
            for mean, winner, sign in zip(row, best, signs, strict=True)
        ]
        sections[bool(counts)].append(" & ".join([escape_latex(system), *cells, *n]) + r" \\")
    for rows in filter(None, sections.values()):
        lines += [r"\midrule", *rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _latex_cell(mean: float, best: bool, signs: str) -> str:
    number = "--" if math.isnan(mean) else f"{mean:.4f}"
    return (rf"\textbf{{{number}}}" if best else number) + (f"$^{{{signs}}}$" if signs else "")
