"""Tables in markup: GitHub Flavored Markdown, and LaTeX with the package booktabs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO

from stdeval.display import displayed, with_escaped_bytes
from stdeval.formats.listing import DAGGER, DOUBLE_DAGGER, Cell, Field, Listing, is_missing
from stdeval.provenance import SIGNATURE

# Punctuation that GitHub gives a meaning within a cell: emphasis, code, strikethrough, links, HTML, entities,
# mathematics, mentions, numbers of issues, and the bars between cells.
_MARKDOWN_SPECIAL = frozenset("\\`*_~[]<>&$@#|")

_LATEX_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}

_LATEX_SIGNS = {DAGGER: r"\dagger", DOUBLE_DAGGER: r"\ddagger"}


def escape_markdown(text: str) -> str:
    r"""Return text that Markdown shows as it stands, with control characters escaped, see `displayed`.

    Examples
    --------
    >>> print(escape_markdown("bm25_k1=0.9 | <b>"))
    bm25\_k1=0.9 \| \<b\>
    """
    return "".join(f"\\{c}" if c in _MARKDOWN_SPECIAL else c for c in displayed(text))


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints as it stands, with control characters escaped, and bytes that are not UTF-8.

    Examples
    --------
    >>> print(escape_latex("bm25_k1=0.9 & 50%"))
    bm25\_k1=0.9 \& 50\%
    """
    return "".join(_LATEX_SPECIAL.get(c, c) for c in with_escaped_bytes(displayed(text)))


def write_markdown(out: IO[str], listing: Listing) -> None:
    """Write a table of GitHub Flavored Markdown, the notes below it.

    Examples
    --------
    >>> import sys
    >>> write_markdown(sys.stdout, Listing([Field("run"), Field("map")], [["a", 0.5]], best=frozenset([(0, 1)])))
    | run | map |
    | --- | ---: |
    | a | **0.5000** |
    """
    shown = listing.shown
    rule = ["---" if at < listing.n_left else "---:" for at in range(len(shown))]
    names = [escape_markdown(listing.fields[place].name) for place in shown]
    for cells in (names, rule, *_marked_rows(listing, shown, _markdown_cell)):
        out.write(f"| {' | '.join(cells)} |\n")
    for note in listing.notes:
        # A line right below a table would be another row of it, and one below another line its continuation.
        out.write(f"\n{escape_markdown(note)}\n")
    if listing.signature:
        out.write(f"\n{SIGNATURE}: `{listing.signature}`\n")


def _markdown_cell(field: Field, cell: Cell, best: bool, signs: str) -> str:
    text = escape_markdown(field.rounded(cell))
    return (f"**{text}**" if best else text) + signs


def write_latex(out: IO[str], listing: Listing) -> None:
    r"""Write a tabular with the rules of booktabs, the notes above it as comments.

    Examples
    --------
    >>> import sys
    >>> write_latex(sys.stdout, Listing([Field("run"), Field("map")], [["a", 0.5]], signs={(0, 1): DAGGER}))
    % needs the package booktabs
    \begin{tabular}{lr}
    \toprule
    run & map \\
    \midrule
    a & 0.5000$^{\dagger}$ \\
    \bottomrule
    \end{tabular}
    """
    shown = listing.shown
    for note in ("needs the package booktabs", *listing.notes):
        out.write(f"% {escape_latex(_signs_in_words(note))}\n")
    if listing.signature:
        out.write(f"% {SIGNATURE}: {listing.signature}\n")
    columns = "".join("l" if at < listing.n_left else "r" for at in range(len(shown)))
    names = [escape_latex(listing.fields[place].name) for place in shown]
    out.write(f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{' & '.join(names)} \\\\\n")
    # a row that begins with * or [ would be read as an argument of the command before it
    rows = [
        ("{}" if cells[0].startswith(("*", "[")) else "") + " & ".join(cells) + " \\\\\n"
        for cells in _marked_rows(listing, shown, _latex_cell)
    ]
    ranked = len(rows) - listing.n_below
    for part in filter(None, (rows[:ranked], rows[ranked:])):
        out.write("\\midrule\n")
        out.writelines(part)
    out.write("\\bottomrule\n\\end{tabular}\n")


def _signs_in_words(text: str) -> str:
    for sign, command in _LATEX_SIGNS.items():
        text = text.replace(sign, command.removeprefix("\\"))
    return text


def _latex_cell(field: Field, cell: Cell, best: bool, signs: str) -> str:
    text = escape_latex(field.rounded(cell))
    if is_missing(cell) and field.missing:
        text = "--"
    commands = "".join(_LATEX_SIGNS[sign] for sign in signs)
    return (rf"\textbf{{{text}}}" if best else text) + (f"$^{{{commands}}}$" if commands else "")


def _marked_rows(
    listing: Listing, shown: Sequence[int], marked: Callable[[Field, Cell, bool, str], str]
) -> list[list[str]]:
    """Return the cells of the columns that are shown, with their marks."""
    return [
        [
            marked(listing.fields[place], cells[place], at in listing.best, listing.signs.get(at, ""))
            for place in shown
            for at in [(row, place)]
        ]
        for row, cells in enumerate(listing.rows)
    ]
