"""Listings: rows of cells under a header, which every format but trec_eval's text is written from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stdeval import provenance
from stdeval.display import shown_pvalue
from stdeval.formats import trec_eval_text

Cell = str | int | float  # NaN and empty text are missing
DAGGER, DOUBLE_DAGGER = "†", "‡"  # signs that follow a cell; notes explain them

# the columns that say from which judgments, and with which options, the scores of a topic were computed
ORIGIN = ("judgments", "options")
UNKNOWN = "unknown"  # the cell of unknown options, if the judgments are known


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

    def with_digits(self, digits: int | None) -> Listing:
        """Return the listing with this number of decimals where the number is fixed; None changes nothing."""
        if digits is None:
            return self
        form = re.compile(r"\.[0-9]+f")
        return self._replace(fields=[f._replace(form=form.sub(f".{digits}f", f.form)) for f in self.fields])

    def only(self, names: Sequence[str]) -> Listing:
        """Return these columns, with each row once, and without marks."""
        places = [[field.name for field in self.fields].index(name) for name in names]
        rows = dict.fromkeys(tuple(row[place] for place in places) for row in self.rows)
        return Listing([self.fields[place] for place in places], list(rows))

    def with_constants(self, constants: Mapping[str, Cell]) -> Listing:
        """Return the listing with constant columns at its end."""
        rows = [[*row, *constants.values()] for row in self.rows]
        return self._replace(fields=[*self.fields, *map(Field, constants)], rows=rows)

    def with_signature_column(self) -> Listing:
        """Return the listing with the signature, if there is one, as a constant last column."""
        return self.with_constants({trec_eval_text.SIGNATURE: self.signature}) if self.signature else self


def origin_cells(topic: str, origin: provenance.Origin) -> list[str]:
    """Return the cells of the columns `ORIGIN`; none if no topic has an origin, so that there are no columns."""
    if not origin:
        return []
    judgments, options = origin.judgments.get(topic, ""), origin.options.get(topic)
    # if there are no judgments, an empty cell means that the options are unknown
    return [judgments, UNKNOWN if judgments and options is None else options or ""]


def with_origin(listing: Listing, origin: provenance.Origin) -> Listing:
    """Insert the columns `ORIGIN` after the run and the topic of a listing of scores."""
    if not origin:
        return listing
    rows = [[*row[:2], *origin_cells(str(row[1]), origin), *row[2:]] for row in listing.rows]
    fields = [*listing.fields[:2], *map(Field, ORIGIN), *listing.fields[2:]]
    return listing._replace(fields=fields, rows=rows, n_left=listing.n_left + len(ORIGIN))


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
