"""The elements of the page.

Text from the input becomes `Markup` only through `text`, which escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from math import isnan
from typing import TYPE_CHECKING, NewType

from stdeval.plots import save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Markup = NewType("Markup", str)
"""HTML. The type keeps plain text, which has to be escaped, from being taken for it."""

MISSING = "–"
"""Stands in a cell that has no value."""


def text(plain: str) -> Markup:
    r"""Return text as HTML that shows it: escaped, with unprintable characters replaced.

    Examples
    --------
    >>> text("<b>&\udc80")
    '&lt;b&gt;&amp;�'
    """
    return Markup(escape("".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in plain)))


def count(n: int, noun: str) -> str:
    """Return a number with its noun, such as ``1 run`` and ``2 runs``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def join(parts: Iterable[Markup]) -> Markup:
    """Return elements one after the other."""
    return Markup("".join(parts))


def element(name: str, *content: Markup, **attributes: str) -> Markup:
    """Return an element.

    Names of attributes are written with ``_`` for ``-``, and ``class_`` for ``class``.

    Examples
    --------
    >>> element("p", text("a < b"), class_="note")
    '<p class="note">a &lt; b</p>'
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{given}>{join(content)}</{name}>")


def paragraph(plain: str) -> Markup:
    """Return a paragraph of text."""
    return element("p", text(plain))


def section(name: str, heading: str, *content: Markup) -> Markup:
    """Return a section with its heading; its name is the target of links."""
    return element("section", element("h2", text(heading), id=f"{name}-heading"), *content, id=name)


def unordered(items: Iterable[Markup]) -> Markup:
    """Return a list with bullets."""
    return element("ul", *(element("li", item) for item in items))


def facts(pairs: Iterable[tuple[str, Markup]]) -> Markup:
    """Return a list of names and their values."""
    return element(
        "dl", *(part for name, value in pairs for part in (element("dt", text(name)), element("dd", value)))
    )


@dataclass(frozen=True)
class Head:
    """The head of a column: its title, and whether the column holds numbers."""

    title: str
    numeric: bool = True


def table(caption: str, heads: Sequence[Head], rows: Iterable[Sequence[Markup]]) -> Markup:
    """Return a table that the page's script makes sortable; the first cell of each row is its head."""
    top = element("tr", *(element("th", text(h.title), scope="col", **_kind(h)) for h in heads))
    body = [
        element(
            "tr",
            element("th", row[0], scope="row", **_kind(heads[0])),
            *(element("td", cell, **_kind(head)) for head, cell in zip(heads[1:], row[1:], strict=True)),
        )
        for row in rows
    ]
    parts = (element("caption", text(caption)), element("thead", top), element("tbody", *body))
    inner = element("table", *parts, class_="sortable")
    return element("div", inner, class_="scroll", role="region", aria_label=caption, tabindex="0")


def _kind(head: Head) -> dict[str, str]:
    """Return the attribute by which style and script recognize a column of numbers."""
    return {"class_": "number"} if head.numeric else {}


def number(value: float, form: str = ".4f") -> Markup:
    """Return a number as it stands in a cell; NaN is a dash."""
    return text(MISSING if isnan(value) else format(value, form))


def with_interval(value: float, low: float, high: float, form: str = ".4f") -> Markup:
    """Return a number with its interval below it."""
    if isnan(low) or isnan(high):
        return number(value, form)
    return join([number(value, form), element("small", text(f"[{low:{form}}, {high:{form}}]"))])


def picture(name: str, figure: Figure, title: str, description: str) -> Markup:
    """Return a figure as inline svg.

    Parameters
    ----------
    name : str
        Prefix of the ids in the picture, which would otherwise be those of other pictures too.
    figure : Figure
    title : str
        The caption.
    description : str
        The content of the picture in words, for readers who cannot see it.
    """
    image = BytesIO()
    save_figure(figure, image, "svg", dpi=150)
    caption = element("figcaption", text(title))
    return element("figure", _inline(name, image.getvalue().decode("utf-8"), title, description), caption)


def _inline(name: str, svg: str, title: str, description: str) -> Markup:
    """Return the part of an svg file of matplotlib's that belongs in a page, its ids with a prefix."""
    # the prolog, comments and style would be wrong or useless inside HTML
    drawn = re.sub(r"<!--.*?-->|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    drawn = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", drawn)
    head, body = drawn.split(">", 1)
    box = re.findall(r'viewBox="[0-9. ]+"', head)[0]
    width = re.findall(r'width="([0-9.]+pt)"', head)[0]
    told = f'role="img" aria-labelledby="{name}-title {name}-description"'
    words = (
        element("title", text(title), id=f"{name}-title"),
        element("desc", text(description), id=f"{name}-description"),
    )
    # without line breaks and indentation, which would make up much of the page
    compact = re.sub(r"\s*\n\s*", " ", body).replace("> <", "><").rstrip()
    return Markup(f'<svg {box} {told} style="width:{width}">{join(words)}{compact}')
