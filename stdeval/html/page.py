"""The page: its template, filled with an evaluation, and a policy that lets it load nothing from elsewhere.

Jinja2, with markupsafe, is imported inside the functions that need it, since it is optional.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from io import BytesIO
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval import __version__
from stdeval.errors import counted, listed
from stdeval.html import tables
from stdeval.measures import names
from stdeval.noise import decimals, rounded
from stdeval.plots import layout, score_figures, systems
from stdeval.standardization import schemes

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure

    from stdeval.html.data import Evaluated


def report(evaluated: Evaluated, title: str | None = None, date: str | None = None) -> str:
    """Return a self-contained HTML page of an evaluation."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    facts = _facts(evaluated)
    n_runs, n_topics = len(evaluated.systems), len(evaluated.topics)
    facts["title"] = title or f"Evaluation of {counted(n_runs, 'run')} on {counted(n_topics, 'topic')}"
    facts["note"] = f"stdeval {__version__}" + (f", {date}" if date else "")
    loader = PackageLoader("stdeval.html")
    blocks = dict.fromkeys(("trim_blocks", "lstrip_blocks", "keep_trailing_newline"), True)
    how: dict[str, Any] = {"finalize": _printable_lines, "undefined": StrictUndefined, **blocks}
    environment = Environment(loader=loader, autoescape=True, **how)
    filters = {"counted": counted, "listed": listed, "printed": names.publication_name, "whole": _whole}
    environment.filters |= {**filters, "pvalue": tables.pvalue, "difference": tables.difference_shown}
    texts = [loader.get_source(environment, name)[0] for name in ("page.css", "report.js")]
    facts["style"], facts["script"] = texts
    facts["hashes"] = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
    return environment.get_template("page.html").render(facts)


def _facts(evaluated: Evaluated) -> dict[str, Any]:
    """Return what the template lays out: the answer, tables, data of the script, and pictures."""
    results, claims = evaluated.results, evaluated.claims
    leading = next((each for each in results if claims and each.kind is claims[0].kind), None)
    has_gains = evaluated.standardized is not None or len(evaluated.systems) > 1
    common = evaluated.common.sum(axis=0)
    return {
        "evaluated": evaluated,
        "results": results,
        "claims": claims,
        "leading": leading,
        "has_groups": bool(results) and results[-1].groups is not None,
        "single_test": replace(evaluated.decided, correction="none").described,
        "ranked_runs": "all runs" if evaluated.ranked.all() else "all complete runs",
        "common": sorted({*common[common > 0].tolist()}),
        "stored": {name: letter for name in evaluated.raw.measures if (letter := names.split_scheme(name)[0])},
        "scheme": None if evaluated.standardized is None else schemes.SCHEMES[evaluated.scheme].title,
        "leaderboard": tables.leaderboard(evaluated),
        "comparisons": [tables.comparison_table(evaluated, each) for each in results],
        "topics": tables.topic_table(evaluated),
        "gains": tables.gains_table(evaluated) if has_gains else [],
        "forest": None if leading is None else tables.forest(evaluated, leading),
        "island": _island(evaluated),
        "pictures": pictures(evaluated),
    }


def _printable_lines(plain: object) -> object:
    """Return a text with unprintable characters replaced; anything else, and HTML, as it is."""
    return "\n".join(map(layout.printable, plain.split("\n"))) if type(plain) is str else plain


def _whole(text: str) -> Markup:
    """Return a text as HTML that is broken into lines at spaces, not at the hyphens of words such as N-AP."""
    from markupsafe import Markup, escape

    plain = str(escape(_printable_lines(text))).split(" ")
    joined = (re.sub(r"(?<=\w)-\w", r'<span class="whole">\g<0></span>', word) for word in plain)
    # a longer word is broken all the same
    return Markup(" ".join(b if len(a) <= 20 else a for a, b in zip(plain, joined, strict=True)))


def _island(evaluated: Evaluated) -> str:
    """Return the scores by the main measure, and what the script needs to compare two systems, as JSON."""
    order, claims, alpha = evaluated.order, evaluated.claims, evaluated.alpha
    place = np.argsort(order)
    kinds = []
    for j, kind in enumerate(evaluated.kinds):
        places = int(decimals(kind.scores))
        scores = rounded(kind.scores, places)[np.ix_(order, evaluated.topic_order)].tolist()
        # p and half the interval of each system with those before it in the order; None if not tested
        tests = []
        for each in evaluated.results[j : j + 1]:
            pvalues, halves = (values[np.ix_(order, order)].tolist() for values in (each.pvalues, each.halves))
            for k in range(1, len(order)):
                row: list[tuple[str, float | None] | None] = []
                for p, half in zip(pvalues[k][:k], halves[k][:k], strict=True):
                    known = round(half, 6) if isfinite(half) else None
                    row.append(None if isnan(p) else (tables.pvalue(p, alpha), known))
                tests.append(row)
        of_kind = {
            "scheme": kind.scheme,
            "name": _printable_lines(kind.name),
            "decimals": places,
            "scores": [[x if isfinite(x) else None for x in row] for row in scores],
            "tests": tests,
            "common": evaluated.common[evaluated.topic_order, j, 0].tolist() if evaluated.is_reduced else None,
        }
        kinds.append(of_kind)
    data = {
        "runs": [evaluated.systems[i] for i in order],
        "topics": [evaluated.topics[t] for t in evaluated.topic_order],
        "kinds": kinds,
        "pair": [int(place[claims[0].better]), int(place[claims[0].worse])] if claims else None,
        "shown": claims[0].kind.scheme if claims else None,
        "ranked": int(evaluated.ranked.sum()),
        "adjusted": "" if evaluated.decided.correction == "none" else "adjusted ",
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate({ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def _picture(name: str, figure: Figure) -> dict[str, Any]:
    """Return the parts of a figure as inline svg, its ids with a prefix, and the boxes of its images."""
    image = BytesIO()
    layout.save_figure(figure, image, "svg", dpi=150)
    svg = image.getvalue().decode("utf-8")
    # the prolog, comments and style would be wrong or useless inside HTML
    drawn = re.sub(r"<!--.*?-->|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    head, body = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", drawn).split(">", 1)
    box, width = (re.findall(pattern, head)[0] for pattern in (r'viewBox="([0-9. ]+)"', r'width="([0-9.]+pt)"'))
    # without line breaks and indentation, which would make up much of the page
    compact = re.sub(r"\s*\n\s*", " ", body).replace("> <", "><").rstrip()
    places = [axes.get_position() for axes in figure.axes if axes.images]
    # relative to the size of the figure
    boxes = [[round(x, 5) for x in (each.x0, 1 - each.y1, each.width, each.height)] for each in places]
    return {"name": name, "box": box, "width": width, "drawn": compact, "boxes": json.dumps(boxes)}


def pictures(evaluated: Evaluated) -> dict[str, dict[str, Any]]:
    """Draw the runs by their means, the first claim, the scores on each topic, and all scores."""
    main, half = evaluated.main, np.nan
    # the joint correction's intervals or, if there are none, t intervals
    mean, low, high = evaluated.mean_intervals[main.measure]
    if evaluated.results and evaluated.results[-1].groups is not None:
        # all are the same
        half = float(np.nanmax(evaluated.results[-1].halves / 2))
    is_joint = isfinite(half)
    if is_joint:
        low, high = (np.where(evaluated.ranked, end, np.nan) for end in (mean - half, mean + half))
    level = evaluated.decided.confidence if is_joint else evaluated.confidence
    how: dict[str, Any] = {"measure": main.measure, "scheme": main.scheme, "ranked": evaluated.ranked}
    how["topics"] = "topics that all of them have" if evaluated.is_reduced else ""
    how |= {"interval": "all-pairs", "test": evaluated.decided.short} if is_joint else {}
    figure = systems.means(evaluated.raw.systems, mean, low, high, confidence=level, size="page", **how)
    drawn = {"means": {**_picture("means", figure), "level": level, "is_joint": is_joint}}
    for claim in evaluated.claims[:1]:
        how = {"measure": claim.kind.measure, "scheme": claim.kind.scheme}
        how["confidence"] = evaluated.decided.confidence
        how["systems"] = evaluated.systems[claim.better], evaluated.systems[claim.worse]
        ends = (claim.low, claim.high)
        figure = systems.compare(evaluated.raw.topics, claim.by_topic, ends, size="page", **how)
        drawn["differences"] = _picture("differences", figure)
    runs = [evaluated.raw.systems[i] for i in evaluated.order]
    topics = [evaluated.raw.topics[t] for t in evaluated.topic_order]
    ordered = {kind.scheme: kind.table.select(runs, topics, [kind.measure]) for kind in evaluated.kinds}
    drawn["boxes"] = _picture("boxes", score_figures.topics(ordered["raw"], ordered, size="page"))
    drawn["heatmap"] = _picture("heatmap", score_figures.heatmap(ordered, sort="none", size="page"))
    return drawn
