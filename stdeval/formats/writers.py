"""The table of output formats, and the function that writes a listing in each; numbers are rounded only here."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator
from typing import IO

from stdeval.errors import displayed, with_escaped_bytes
from stdeval.formats import SIGNATURE
from stdeval.formats.listing import DAGGER, DOUBLE_DAGGER, Cell, Listing, exact, is_missing
from stdeval.formats.trec_eval_text import refuse_breaks


def write_listing(out: IO[str], output_format: str, listing: Listing, digits: int | None = None) -> None:
    """Write rows of cells under a header, where the number of decimals is fixed with this one, if it is given."""
    FORMATS[output_format](out, listing if digits is None else listing.with_digits(digits))


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
    rows = list(_marked_rows(listing, displayed, "{}", str))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for texts in rows:
        sized = list(zip(texts, widths, strict=True))
        cells = [cell.ljust(n) for cell, n in sized[: listing.n_left]]
        cells += [cell.rjust(n) for cell, n in sized[listing.n_left :]]
        out.write("  ".join(cells).rstrip() + "\n")
    out.writelines(f"{displayed(note)}\n" for note in listing.notes)
    if listing.signature:
        out.write(f"{SIGNATURE}: {listing.signature}\n")


def _write_csv(out: IO[str], listing: Listing) -> None:
    """Write CSV in full precision."""
    listing = listing.with_signature_column()
    writer = csv.writer(out, lineterminator="\n")
    if listing.headed:
        writer.writerow([field.name for field in listing.fields])
    # csv writes text and finite numbers as `exact` does, but faster
    writer.writerows(
        [
            cell if type(cell) is str or (type(cell) is float and math.isfinite(cell)) else exact(cell)
            for cell in row
        ]
        for row in listing.rows
    )


def _write_jsonl(out: IO[str], listing: Listing) -> None:
    """Write an object per row, in full precision; missing cells are null."""
    listing = listing.with_signature_column()
    names = [field.name for field in listing.fields]
    for row in listing.rows:
        text = json.dumps(dict(zip(names, map(_json_value, row), strict=True)), ensure_ascii=False, allow_nan=False)
        # bytes of names that are not UTF-8 are surrogates, which JSON writes as escapes
        out.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def _json_value(cell: Cell) -> Cell | None:
    """Return a cell for JSON: null if it is missing, and text for infinity, for which JSON has no number."""
    if is_missing(cell):
        return None
    return repr(float(cell)) if isinstance(cell, float) and math.isinf(cell) else cell


# Punctuation that GitHub gives a meaning within a cell: emphasis, code, strikethrough, links, HTML, entities,
# mathematics, mentions, numbers of issues, and the bars between cells.
_MARKDOWN_SPECIAL = frozenset("\\`*_~[]<>&$@#|")


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as it stands, with control characters escaped, see `displayed`."""
    return "".join(f"\\{c}" if c in _MARKDOWN_SPECIAL else c for c in displayed(text))


def _marked_rows(
    listing: Listing, escape: Callable[[str], str], best: str, signed: Callable[[str], str]
) -> Iterator[list[str]]:
    """Yield the names of the columns that are shown, and their cells, with the marks of a format."""
    shown = [(place, field) for place, field in enumerate(listing.fields) if field.in_table]
    yield [escape(field.name) for _, field in shown]
    for i, row in enumerate(listing.rows):
        texts = [(place, escape(field.rounded(row[place]))) for place, field in shown]
        yield [
            (best.format(text) if (i, place) in listing.best else text) + signed(listing.signs.get((i, place), ""))
            for place, text in texts
        ]


def _write_markdown(out: IO[str], listing: Listing) -> None:
    """Write a table of GitHub Flavored Markdown, the notes below it."""
    names, *rows = _marked_rows(listing, escape_markdown, "**{}**", str)
    rule = ["---" if at < listing.n_left else "---:" for at, _ in enumerate(names)]
    out.writelines(f"| {' | '.join(cells)} |\n" for cells in (names, rule, *rows))
    # a line right below a table would be another row of it, and one below another line its continuation
    out.writelines(f"\n{escape_markdown(note)}\n" for note in listing.notes)
    if listing.signature:
        out.write(f"\n{SIGNATURE}: `{listing.signature}`\n")


_LATEX_NAMES = {"~": "asciitilde", "^": "asciicircum", "\\": "backslash", "<": "less", ">": "greater", "|": "bar"}
_LATEX_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"}
_LATEX_SPECIAL |= {character: f"\\text{name}{{}}" for character, name in _LATEX_NAMES.items()}
_LATEX_SIGNS = {DAGGER: "dagger", DOUBLE_DAGGER: "ddagger"}


def escape_latex(text: str) -> str:
    """Return text that LaTeX prints as it stands, with control characters escaped, and bytes that are not UTF-8."""
    return "".join(_LATEX_SPECIAL.get(c, c) for c in with_escaped_bytes(displayed(text)))


def _write_latex(out: IO[str], listing: Listing) -> None:
    """Write a tabular with the rules of booktabs, the notes above it as comments."""
    in_words = str.maketrans(_LATEX_SIGNS)
    for note in ("needs the package booktabs", *listing.notes):
        out.write(f"% {escape_latex(note.translate(in_words))}\n")
    if listing.signature:
        out.write(f"% {SIGNATURE}: {listing.signature}\n")
    listing = listing._replace(fields=[each._replace(missing=each.missing and "--") for each in listing.fields])
    names, *rows = [
        # a row that begins with * or [ would be read as an argument of the command before it
        ("{}" if cells[0].startswith(("*", "[")) else "") + " & ".join(cells) + " \\\\\n"
        for cells in _marked_rows(listing, escape_latex, r"\textbf{{{}}}", _latex_signs)
    ]
    n_right = sum(each.in_table for each in listing.fields) - listing.n_left
    columns = "l" * listing.n_left + "r" * n_right
    out.write(f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{names}")
    ranked = len(rows) - listing.n_below
    for part in filter(None, (rows[:ranked], rows[ranked:])):
        out.write("\\midrule\n")
        out.writelines(part)
    out.write("\\bottomrule\n\\end{tabular}\n")


def _latex_signs(signs: str) -> str:
    commands = "".join(f"\\{_LATEX_SIGNS[sign]}" for sign in signs)
    return f"$^{{{commands}}}$" if commands else ""


FORMATS: dict[str, Callable[[IO[str], Listing], None]] = {
    "text": _write_text,
    "table": _write_table,
    "csv": _write_csv,
    "jsonl": _write_jsonl,
    "markdown": _write_markdown,
    "latex": _write_latex,
}
"""The writer of each format; `stdeval.cli.output.format_options` names them for users."""
