"""The elements of the page. What comes from the input becomes `Markup` through `text` only, which escapes it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from math import isnan
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Markup = NewType("Markup", str)
"""HTML."""

MISSING = "–"


def text(plain: str) -> Markup:
    r"""Text as HTML that shows it: escaped, and what cannot be shown replaced.

    Examples
    --------
    >>> text("<b>&\udc80")
    '&lt;b&gt;&amp;�'
    """
    return Markup(escape("".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in plain)))


def join(parts: Iterable[Markup]) -> Markup:
    """Elements one after the other."""
    return Markup("".join(parts))


def element(name: str, *content: Markup, **attributes: str) -> Markup:
    """An element; ``class_`` is its class, and - in names of attributes is written _.

    Examples
    --------
    >>> element("p", text("a < b"), class_="note")
    '<p class="note">a &lt; b</p>'
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{given}>{join(content)}</{name}>")


def paragraph(plain: str) -> Markup:
    """A paragraph of text."""
    return element("p", text(plain))


def section(name: str, heading: str, *content: Markup) -> Markup:
    """A section with its heading, to which links can lead by its name."""
    return element("section", element("h2", text(heading), id=f"{name}-heading"), *content, id=name)


def unordered(items: Iterable[Markup]) -> Markup:
    """A list."""
    return element("ul", *(element("li", item) for item in items))


def facts(pairs: Iterable[tuple[str, Markup]]) -> Markup:
    """A list of names and what they are."""
    return element(
        "dl", *(part for name, what in pairs for part in (element("dt", text(name)), element("dd", what)))
    )


@dataclass(frozen=True)
class Head:
    """The head of a column: what it says, and whether numbers stand below it."""

    title: str
    numeric: bool = True


def table(caption: str, heads: Sequence[Head], rows: Iterable[Sequence[Markup]]) -> Markup:
    """A table that a script can make sortable; the first cell of each row names it."""
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
    return {"class_": "number"} if head.numeric else {}


def number(value: float, form: str = ".4f") -> Markup:
    """A number in a cell; a dash where there is none."""
    return text(MISSING if isnan(value) else format(value, form))


def with_interval(value: float, low: float, high: float, form: str = ".4f") -> Markup:
    """A number with its interval below it."""
    if isnan(low) or isnan(high):
        return number(value, form)
    return join([number(value, form), element("small", text(f"[{low:{form}}, {high:{form}}]"))])


def picture(name: str, figure: Figure, title: str, description: str) -> Markup:
    """A figure as inline svg with what it shows in words; ``name`` keeps its ids apart from other pictures'."""
    from stdeval.plots import save_figure

    image = BytesIO()
    save_figure(figure, image, "svg", dpi=150)
    caption = element("figcaption", text(title))
    return element("figure", _inline(name, image.getvalue().decode("utf-8"), title, description), caption)


def _inline(name: str, svg: str, title: str, description: str) -> Markup:
    """What remains of a file of matplotlib's inside a page: no prolog, comments or style, ids with a prefix."""
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
    return Markup(f'<svg {box} {told} style="width:{width}">{join(words)}{_compact(body)}')


def _compact(svg: str) -> str:
    """The same without what matplotlib indents and wraps."""
    return re.sub(r"\s*\n\s*", " ", svg).replace("> <", "><").rstrip()
