"""The frame of the page: its head, navigation, style and script, with nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from stdeval.html.elements import Markup, element, join, section, text


def page(title: str, sections: Sequence[tuple[str, str, Markup]], note: str) -> str:
    """A whole HTML page.

    Parameters
    ----------
    title : str
    sections : sequence of (str, str, Markup)
        The name, heading and content of each.
    note : str
        A line below the title.

    Returns
    -------
    str
        Its policy forbids every request, and every script but its own, which makes tables sortable.
    """
    style, script = (files("stdeval.html").joinpath(name).read_text("utf-8") for name in ("page.css", "sort.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    head = join(
        [
            Markup('<meta charset="utf-8">'),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Markup('<link rel="icon" href="data:,">'),
            element("title", text(title)),
            Markup(f"<style>\n{style}</style>"),
        ]
    )
    links = [element("li", element("a", text(heading), href=f"#{name}")) for name, heading, _ in sections]
    body = join(
        [
            element("header", element("h1", text(title)), element("p", text(note))),
            element("nav", element("ul", *links), aria_label="Sections"),
            element("main", *(section(*each) for each in sections)),
            Markup(f"<script>{script}</script>"),
        ]
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>{body}</body>\n</html>\n'
