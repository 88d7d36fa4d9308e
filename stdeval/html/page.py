"""The page: its templates, filled with an evaluation, and a policy that lets it load nothing from elsewhere.

Jinja2, with markupsafe, is imported inside the functions that need it, since it is optional.
"""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval import __version__
from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.html import pictures, tables, words
from stdeval.html.comparisons import claims, compared
from stdeval.html.island import island
from stdeval.html.report_data import Evaluated
from stdeval.measures.publication import publication_name
from stdeval.plots.style import require_matplotlib

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = files("stdeval.html").joinpath("templates")

FILES_LIMIT = 12
"""The greatest number of run files that are listed one by one."""

LONGEST_WHOLE = 20
"""Characters of the longest word that is not broken into lines at its hyphens."""


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
    runs = counted(len(evaluated.raw.systems), "run")
    topics = counted(len(evaluated.raw.topics), "topic")
    facts = {
        "title": title or f"Evaluation of {runs} on {topics}",
        "note": f"stdeval {__version__}" + (f", {date}" if date else ""),
        "evaluated": evaluated,
        **_frame(),
        **_answer(evaluated),
        **_sections(evaluated),
    }
    return _environment().get_template("page.html").render(facts)


def require_libraries() -> None:
    """Refuse to make a page if Jinja2 or matplotlib is not installed.

    Raises
    ------
    InputError
        Its message says how to install them.
    """
    missing = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    if missing:
        names = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}
        wanted = " and ".join(names[name] for name in missing)
        raise InputError(f"reports need {wanted}: pip install 'stdeval[report]'")
    require_matplotlib()


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("stdeval.html"),
        autoescape=True,
        finalize=words.printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["counted"] = counted
    environment.filters["pvalue"] = tables.pvalue
    environment.filters["printed"] = publication_name
    environment.filters["whole"] = whole
    return environment


def whole(text: str) -> Markup:
    """Return a text as HTML that is broken into lines at spaces, not at the hyphens of words such as N-AP.

    Examples
    --------
    >>> whole("by N-AP")
    Markup('by N<span class="whole">-A</span>P')
    """
    from markupsafe import Markup, escape

    plain = str(escape(words.printable(text))).split(" ")
    joined = (re.sub(r"(?<=\w)-\w", r'<span class="whole">\g<0></span>', word) for word in plain)
    return Markup(" ".join(b if len(a) <= LONGEST_WHOLE else a for a, b in zip(plain, joined, strict=True)))


def _frame() -> dict[str, Markup]:
    """Return style, script, and the policy that allows these two, by their hashes, and nothing else.

    A script or style sheet that came in with the data would not be used. Attributes with a style, which the
    pictures have, are allowed: they can load nothing.
    """
    from markupsafe import Markup

    style, script = (Markup(TEMPLATES.joinpath(name).read_text("utf-8")) for name in ("page.css", "report.js"))
    policy = (
        f"default-src 'none'; style-src-elem {_hash(style)}; style-src-attr 'unsafe-inline'; img-src data:; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    return {"style": style, "script": script, "policy": Markup(policy)}


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _answer(evaluated: Evaluated) -> dict[str, Any]:
    """Return the comparison that matters most, how many others differ, and the forest plot."""
    results = compared(evaluated)
    made = claims(evaluated, results)
    leading = next((each for each in results if made and each.kind.scheme == made[0].scheme), None)
    n_tested = 0 if leading is None else sum(leading.outcomes[:3])
    return {
        "claims": made,
        "results": results,
        "leading": leading,
        "numbers_told": "" if leading is None else words.differences_told(*leading.outcomes),
        "adjusted_told": words.adjusted_told(n_tested, with_baseline=evaluated.baseline is not None),
        "n_tested": n_tested,
        "forest": None if leading is None else pictures.forest(evaluated, leading),
        "common_told": words.common_told,
        "difference_shown": words.difference_shown,
        "island": island(evaluated, made[0] if made else None),
        "differences": pictures.differences_picture(evaluated, made[0]) if made else None,
        "comparison_told": words.comparison_told(evaluated),
        "comparison_tables": [tables.comparison_table(evaluated, each) for each in results],
    }


def _sections(evaluated: Evaluated) -> dict[str, Any]:
    """Return the tables and pictures of the other sections, and the origin of the scores in words."""
    sources, references = evaluated.sources, evaluated.references
    judged = np.sum(list(sources.judged.values()), axis=0) if sources.judged else None
    return {
        "leaderboard": tables.leaderboard(evaluated),
        "groups_told": words.groups_told(evaluated) if any(evaluated.tukey) else "",
        "means": pictures.means_picture(evaluated),
        "boxes": pictures.topics_picture(evaluated),
        "topics": tables.topic_table(evaluated),
        "heatmap": pictures.scores_picture(evaluated),
        "gains": tables.gains_table(evaluated) if evaluated.standardized or len(evaluated.systems) > 1 else None,
        "judged": judged,
        "scheme_told": words.scheme_told(evaluated),
        "references_told": references and words.references_told(references, len(evaluated.topics)),
        "reading": words.reading(evaluated),
        "files_limit": FILES_LIMIT,
    }
