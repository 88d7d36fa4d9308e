"""Listings: rows of cells under a header, which every format but trec_eval's text is written from.

`stdeval eval` runs through this module, so it must not load numpy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stdeval.display import shown_pvalue
from stdeval.provenance import SIGNATURE

Cell = str | int | float
"""A cell of a listing; NaN and empty text are missing."""

DAGGER, DOUBLE_DAGGER = "†", "‡"
"""Signs that follow a cell; notes explain them."""


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


class Field(NamedTuple):
    """A column of a listing.

    Parameters
    ----------
    name : str
    form : str
        The format specification of its decimals.
    in_table : bool
        True if the formats for people (table, markdown, latex) have the column.
    missing : str
        The mark of a missing cell, for readers.
    alpha : float
        The significance level if the cells are p-values, see `stdeval.display.shown_pvalue`; NaN otherwise.
    """

    name: str
    form: str = ".4f"
    in_table: bool = True
    missing: str = "-"
    alpha: float = math.nan

    def rounded(self, cell: Cell) -> str:
        """Return a cell for readers: decimals rounded, and a mark if it is missing."""
        if isinstance(cell, float):
            if math.isnan(cell):
                return self.missing
            return format(cell, self.form) if math.isnan(self.alpha) else shown_pvalue(cell, self.alpha)
        return _plain(cell) or self.missing

    def exact(self, cell: Cell) -> str:
        """Return a cell in full precision, see `exact_number`."""
        return exact_number(cell) if isinstance(cell, float) else _plain(cell)

    def with_digits(self, digits: int) -> Field:
        """Return the field with this number of decimals, if its form has a fixed number of decimals."""
        return self._replace(form=f".{digits}f") if re.fullmatch(r"\.[0-9]+f", self.form) else self


def _plain(cell: str | int) -> str:
    """Return text or a whole number as text; truth values in small letters, as JSON has them."""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def is_missing(cell: Cell) -> bool:
    """Return True for NaN and empty text."""
    return math.isnan(cell) if isinstance(cell, float) else cell == ""


class Listing(NamedTuple):
    """Rows of cells under a header.

    Parameters
    ----------
    fields : sequence of Field
        The columns.
    rows : sequence of sequences, one cell per field
        Text or numbers; NaN and empty text are missing.
    n_left : int
        Number of columns that are flush left where columns are aligned.
    headed : bool
        Whether ``text`` and ``csv`` begin with the names of the columns.
    best : frozenset of (int, int)
        Rows and columns of the cells that are bold in markdown and latex.
    signs : mapping of (int, int) to str
        Signs after cells in markdown and latex, such as `DAGGER`, by row and column.
    n_below : int
        Number of last rows that do not rank with the others: latex has them below another rule.
    notes : sequence of str
        Lines about the rows, for the formats to be read.
    signature : str
        The line to cite with the rows, see `stdeval.signature`; a last column where there are no notes.
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

    @property
    def shown(self) -> list[int]:
        """The indices of the columns that the formats to be read have."""
        return [place for place, field in enumerate(self.fields) if field.in_table]

    def with_digits(self, digits: int | None) -> Listing:
        """Return the listing with this number of decimals in table, markdown and latex; None changes nothing."""
        if digits is None:
            return self
        return self._replace(fields=[field.with_digits(digits) for field in self.fields])

    def only(self, names: Sequence[str]) -> Listing:
        """Return these columns, with each row once, and without marks."""
        places = [[field.name for field in self.fields].index(name) for name in names]
        rows = dict.fromkeys(tuple(row[place] for place in places) for row in self.rows)
        return Listing([self.fields[place] for place in places], list(rows))

    def with_signature_column(self) -> Listing:
        """Return the listing with the signature, if there is one, as a constant last column."""
        return self.with_constants({SIGNATURE: self.signature}) if self.signature else self

    def with_constants(self, constants: Mapping[str, Cell]) -> Listing:
        """Return the listing with constant columns at its end."""
        return self._replace(
            fields=[*self.fields, *map(Field, constants)],
            rows=[[*row, *constants.values()] for row in self.rows],
        )


def topics_told(counts: Iterable[int], n_topics: int) -> str:
    """Return the numbers of topics of means in words, or an empty text if all are over all judged topics.

    Parameters
    ----------
    counts : iterable of int
        The number of topics behind each mean; 0 where there is no mean, which is not told if there are others.
    n_topics : int
        The number of judged topics.

    Examples
    --------
    >>> topics_told([188, 0], 225), topics_told([58, 188], 225), topics_told([225, 225], 225)
    ('188 of 225 topics', '58 to 188 of 225 topics', '')
    """
    numbers = set(counts)
    different = sorted(numbers - {0} or numbers)
    if not different or different[0] >= n_topics:
        return ""
    return f"{' to '.join(map(str, dict.fromkeys([different[0], different[-1]])))} of {n_topics} topics"


def topic_counts(counts: Iterable[Sequence[int]]) -> list[str] | None:
    """Return the number of topics of each row of means, or None if all means are over the same number.

    Parameters
    ----------
    counts : iterable of sequences of int, one per row
        The number of topics behind each mean of the row; 0 where there is no mean, which does not count if the row
        has others.

    Returns
    -------
    list of str, optional
        If the means of a row are over different numbers of topics, the smallest and the largest of them.

    Examples
    --------
    >>> topic_counts([[52, 52], [44, 44], [44, 40]])
    ['52', '44', '40-44']
    >>> topic_counts([[52, 52], [0, 52]])
    """
    rows = [tuple(filter(None, row)) or (0,) for row in counts]
    if len({n for row in rows for n in row}) < 2:
        return None
    return ["-".join(map(str, sorted({min(row), max(row)}))) for row in rows]
