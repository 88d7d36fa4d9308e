"""The page: its sections, and the frame around them, which loads nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from stdeval import __version__
from stdeval.html.baseline_section import baseline_section
from stdeval.html.elements import Markup, count, element, join, paragraph, section, text
from stdeval.html.overview_sections import (
    evaluated_section,
    reading,
    reproduce_section,
    scores_section,
    summary_section,
)
from stdeval.html.report_data import Evaluated
from stdeval.html.topic_sections import gains_section, topics_section


def report(evaluated: Evaluated, title: str | None = None, date: str | None = None) -> str:
    """Return a self-contained HTML page of an evaluation.

    Parameters
    ----------
    evaluated : Evaluated
    title : str, optional
        The default says how many runs and topics there are.
    date : str, optional
        Stands below the title. There is no default, so that the same input gives the same bytes.

    Returns
    -------
    str
    """
    runs, topics = count(len(evaluated.raw.systems), "run"), count(len(evaluated.raw.topics), "topic")
    sections = [
        ("evaluated", "What was evaluated", evaluated_section(evaluated)),
        ("reading", "How to read standardized scores", paragraph(reading(evaluated))),
        ("summary", "Summary", summary_section(evaluated)),
        ("scores", "All scores", scores_section(evaluated)),
        ("topics", "Topics, hard first", topics_section(evaluated)),
        ("gains", "Where each run gains and loses", gains_section(evaluated)),
    ]
    if evaluated.baseline is not None:
        name = evaluated.systems[evaluated.baseline]
        sections.append(("baseline", f"Comparison with {name}", baseline_section(evaluated, evaluated.baseline)))
    sections.append(("reproduce", "To reproduce this", reproduce_section(evaluated)))
    note = f"stdeval {__version__}" + (f", {date}" if date else "")
    return framed(title or f"Evaluation of {runs} on {topics}", sections, note)


def framed(title: str, sections: Sequence[tuple[str, str, Markup]], note: str) -> str:
    """Return a whole HTML page.

    Parameters
    ----------
    title : str
    sections : sequence of (str, str, Markup)
        The name, heading and content of each section.
    note : str
        A line below the title.

    Returns
    -------
    str
        Its content security policy forbids all requests, and all scripts but its own, which makes tables sortable.
    """
    style, script = (files("stdeval.html").joinpath(name).read_text("utf-8") for name in ("page.css", "sort.js"))
    # the policy allows exactly this script, by its hash: a script that came in with the data would not run
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    head = join(
        [
            Markup('<meta charset="utf-8">'),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            # an empty icon keeps browsers from asking the server for one
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
