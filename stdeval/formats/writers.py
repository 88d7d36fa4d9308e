"""The table of output formats: a writer of listings for each.

Numbers are rounded where a listing is written, and nowhere else. `stdeval eval` runs through this module, so it
must not load numpy.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import IO

from stdeval.display import displayed, excerpt
from stdeval.errors import InputError
from stdeval.formats.listing import Cell, Field, Listing, is_missing
from stdeval.formats.markup import write_latex, write_markdown
from stdeval.provenance import SIGNATURE


def write_listing(out: IO[str], output_format: str, listing: Listing) -> None:
    """Write rows of cells under a header.

    Parameters
    ----------
    out : text file
    output_format : str
        One of `FORMATS`.
    listing : Listing
    """
    FORMATS[output_format](out, listing)


def refuse_breaks(names: Iterable[str]) -> None:
    """Refuse a name that would begin a line or a column of its own in text, where it could pass for a score."""
    for name in names:
        broken = "line break" if "\n" in name or "\r" in name else "tab" if "\t" in name else ""
        if broken:
            what = f"a {broken} in the name '{excerpt(name)}'"
            raise InputError(f"{what}, which text cannot hold; expected another name, or -f csv")


def _write_text(out: IO[str], listing: Listing) -> None:
    """Write cells separated by tabs, the notes below them; the signature is a column, or a line without header."""
    if listing.headed:
        listing = listing.with_signature_column()
        out.write("\t".join(field.name for field in listing.fields) + "\n")
    for row in listing.rows:
        cells = [field.rounded(cell) for field, cell in zip(listing.fields, row, strict=True)]
        refuse_breaks(cells)
        out.write("\t".join(cells).rstrip("\t") + "\n")
    if listing.signature and not listing.headed:
        out.write(f"{SIGNATURE}\t{listing.signature}\n")
    out.writelines(f"{displayed(note)}\n" for note in listing.notes)


def _write_table(out: IO[str], listing: Listing) -> None:
    """Write aligned columns, the notes and the signature below them."""
    shown = listing.shown
    rows = [[listing.fields[place].rounded(row[place]) for place in shown] for row in listing.rows]
    write_aligned(out, [[listing.fields[place].name for place in shown], *rows], listing.n_left)
    out.writelines(f"{displayed(note)}\n" for note in listing.notes)
    if listing.signature:
        out.write(f"{SIGNATURE}: {listing.signature}\n")


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


def _write_csv(out: IO[str], listing: Listing) -> None:
    """Write CSV in full precision."""
    listing = listing.with_signature_column()
    writer = csv.writer(out, lineterminator="\n")
    if listing.headed:
        writer.writerow([field.name for field in listing.fields])
    # csv writes text and finite numbers as `exact` does, but faster.
    exact = Field("").exact
    writer.writerows(
        [
            cell if type(cell) is str or (type(cell) is float and math.isfinite(cell)) else exact(cell)
            for cell in row
        ]
        for row in listing.rows
    )


def _write_jsonl(out: IO[str], listing: Listing) -> None:
    """Write an object per row, in full precision; missing cells are null."""
    # Only here, because loading json takes a tenth of the time that `--help` takes.
    import json

    listing = listing.with_signature_column()
    names = [field.name for field in listing.fields]
    for row in listing.rows:
        cells = {name: _json_value(cell) for name, cell in zip(names, row, strict=True)}
        text = json.dumps(cells, ensure_ascii=False, allow_nan=False)
        # Bytes of names that are not UTF-8 are surrogates, which JSON writes as escapes.
        out.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def _json_value(cell: Cell) -> Cell | None:
    """Return a cell for JSON: null if it is missing, and text for infinity, for which JSON has no number."""
    if is_missing(cell):
        return None
    return repr(float(cell)) if isinstance(cell, float) and math.isinf(cell) else cell


FORMATS: Mapping[str, Callable[[IO[str], Listing], None]] = MappingProxyType(
    {
        "text": _write_text,
        "table": _write_table,
        "csv": _write_csv,
        "jsonl": _write_jsonl,
        "markdown": write_markdown,
        "latex": write_latex,
    }
)
"""The writer of each format. A format that is added here is a choice of every command."""

EXACT = ("csv", "jsonl")
"""The formats in full precision, which have no notes and no columns that only readers need."""

MARKED = ("markdown", "latex")
"""The formats that mark cells, such as the best of a column."""
