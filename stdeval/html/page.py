"""The page: its templates, filled with an evaluation, and a policy that lets it load nothing from elsewhere.

Jinja2, with markupsafe, is imported inside the functions that need it, since it is optional.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval import __version__
from stdeval.errors import InputError, counted, listed
from stdeval.html import tables
from stdeval.html.data import Claim, Compared, Evaluated, claims, compared
from stdeval.html.tables import difference_shown, printable, pvalue
from stdeval.measures.names import publication_name, split_scheme
from stdeval.noise import decimals, rounded
from stdeval.plots import save_figure, score_figures, systems
from stdeval.standardization.schemes import SCHEMES
from stdeval.stats.pairwise import topic_differences

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure


def require_libraries() -> None:
    """Refuse to make a page if Jinja2 or matplotlib is not installed."""
    if not all(map(find_spec, ("jinja2", "matplotlib"))):
        raise InputError("reports need Jinja2 and matplotlib: pip install 'stdeval[report]'")


def report(evaluated: Evaluated, title: str | None = None, date: str | None = None) -> str:
    """Return a self-contained HTML page of an evaluation."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("stdeval.html")
    blocks = dict.fromkeys(("trim_blocks", "lstrip_blocks", "keep_trailing_newline"), True)
    how: dict[str, Any] = {"finalize": printable, "undefined": StrictUndefined, **blocks}
    environment = Environment(loader=loader, autoescape=True, **how)
    shown = {"counted": counted, "listed": listed, "pvalue": pvalue, "printed": publication_name, "whole": _whole}
    environment.filters |= shown
    results = compared(evaluated)
    made = claims(evaluated, results)
    leading = next((each for each in results if made and each.kind is made[0].kind), None)
    style, script = (loader.get_source(environment, name)[0] for name in ("page.css", "report.js"))
    common = evaluated.common.sum(axis=0)
    facts = {
        "given_title": title,
        "note": f"stdeval {__version__}" + (f", {date}" if date else ""),
        "evaluated": evaluated,
        "tables": tables,
        "style": style,
        "script": script,
        "hashes": [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)],
        "island": island(evaluated, made),
        "claims": made,
        "leading": leading,
        "forest": None if leading is None else forest(evaluated, leading),
        "tested": [evaluated.ranked_scores(j).shape[1] for j in range(len(evaluated.kinds))],
        "results": results,
        "single_test": replace(evaluated.decided, correction="none").described,
        "ranked_runs": "all runs" if evaluated.ranked.all() else "all complete runs",
        "common": sorted({*common[common > 0].tolist()}),
        "has_gains": evaluated.standardized is not None or len(evaluated.systems) > 1,
        "stored": {name: letter for name in evaluated.raw.measures if (letter := split_scheme(name)[0])},
        "schemes": SCHEMES,
        "pictures": pictures(evaluated, made),
    }
    return environment.get_template("page.html").render(facts)


def _whole(text: str) -> Markup:
    """Return a text as HTML that is broken into lines at spaces, not at the hyphens of words such as N-AP."""
    from markupsafe import Markup, escape

    plain = str(escape(printable(text))).split(" ")
    joined = (re.sub(r"(?<=\w)-\w", r'<span class="whole">\g<0></span>', word) for word in plain)
    # a longer word is broken all the same
    return Markup(" ".join(b if len(a) <= 20 else a for a, b in zip(plain, joined, strict=True)))


def island(evaluated: Evaluated, made: Sequence[Claim]) -> str:
    """Return the scores by the main measure, and what the script needs to compare two systems, as JSON."""
    order = evaluated.order
    place = np.argsort(order)
    kinds = []
    for j, kind in enumerate(evaluated.kinds):
        places = int(decimals(kind.scores))
        scores = rounded(kind.scores, places)[np.ix_(order, evaluated.topic_order)].tolist()
        of_kind = {
            "scheme": kind.scheme,
            "name": printable(kind.name),
            "decimals": places,
            "scores": [[x if isfinite(x) else None for x in row] for row in scores],
            "tests": _tests(evaluated, j) if evaluated.tests else [],
            "common": evaluated.common[evaluated.topic_order, j, 0].tolist() if evaluated.is_reduced else None,
        }
        kinds.append(of_kind)
    data = {
        "runs": [printable(evaluated.systems[i]) for i in order],
        "topics": [printable(evaluated.topics[t]) for t in evaluated.topic_order],
        "kinds": kinds,
        "pair": [int(place[made[0].better]), int(place[made[0].worse])] if made else None,
        "shown": made[0].kind.scheme if made else None,
        "ranked": int(evaluated.ranked.sum()),
        "adjusted": "" if evaluated.decided.correction == "none" else "adjusted ",
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate({ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def _tests(evaluated: Evaluated, j: int) -> list[list[tuple[str, float | None] | None]]:
    """Return p and half the interval of each system with those before it in the order; None if not tested."""
    tests, n, order = evaluated.tests[j], len(evaluated.systems), np.ix_(evaluated.order, evaluated.order)
    pvalues, halves = evaluated.adjusted(j)[order], tests.square((tests.high - tests.low) / 2, n)[order]

    def shown(p: float, half: float) -> tuple[str, float | None] | None:
        return None if np.isnan(p) else (pvalue(p, evaluated.alpha), round(half, 6) if isfinite(half) else None)

    return [[*map(shown, pvalues[k, :k].tolist(), halves[k, :k].tolist())] for k in range(1, len(pvalues))]


def picture(name: str, figure: Figure) -> dict[str, Any]:
    """Return the parts of a figure as inline svg, its ids with a prefix, and the boxes of its images."""
    image = BytesIO()
    save_figure(figure, image, "svg", dpi=150)
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


def pictures(evaluated: Evaluated, made: Sequence[Claim]) -> dict[str, dict[str, Any]]:
    """Draw the runs by their means, the first claim, the scores on each topic, and all scores."""
    main, half = evaluated.main, np.nan
    # the joint correction's intervals or, if there are none, t intervals
    mean, low, high = evaluated.mean_intervals[main.measure]
    if evaluated.groups(-1) is not None:
        # all are the same
        half = float(np.nanmax((evaluated.tests[-1].high - evaluated.tests[-1].low) / 4))
    is_joint = isfinite(half)
    if is_joint:
        low, high = (np.where(evaluated.ranked, end, np.nan) for end in (mean - half, mean + half))
    level = evaluated.decided.confidence if is_joint else evaluated.confidence
    how: dict[str, Any] = {"measure": main.measure, "scheme": main.scheme, "ranked": evaluated.ranked}
    how["topics"] = "topics that all of them have" if evaluated.is_reduced else ""
    how |= {"interval": "all-pairs", "test": evaluated.decided.short} if is_joint else {}
    figure = systems.means(evaluated.raw.systems, mean, low, high, confidence=level, size="page", **how)
    drawn = {"means": {**picture("means", figure), "level": level, "is_joint": is_joint}}
    for claim in made[:1]:
        pair = [claim.better, claim.worse]
        differences = topic_differences(*evaluated.comparable[pair, :, evaluated.kinds.index(claim.kind), 0])
        how = {"measure": claim.kind.measure, "scheme": claim.kind.scheme, "confidence": claim.level}
        how["systems"] = tuple(evaluated.systems[i] for i in pair)
        ends = (claim.low, claim.high)
        figure = systems.compare(evaluated.raw.topics, differences, ends, size="page", **how)
        drawn["differences"] = picture("differences", figure)
    names = [evaluated.raw.systems[i] for i in evaluated.order]
    topics = [evaluated.raw.topics[t] for t in evaluated.topic_order]
    ordered = {kind.scheme: kind.table.select(names, topics, [kind.measure]) for kind in evaluated.kinds}
    drawn["boxes"] = picture("boxes", score_figures.topics(ordered["raw"], ordered, size="page"))
    drawn["heatmap"] = picture("heatmap", score_figures.heatmap(ordered, sort="none", size="page"))
    return drawn


def forest(evaluated: Evaluated, results: Compared) -> dict[str, Any]:
    """Return the forest plot of the eight best systems that were compared with one: positions from 0 to 200."""
    points = np.array([results.comparison.difference, results.low, results.high])
    if evaluated.baseline is None:
        # the first system minus each; subtracting from 0 turns -0 into 0
        points = 0.0 - points[[0, 2, 1]]
    finite = np.isfinite(points).all(axis=0)
    place = {int(i): k for k, i in enumerate(results.others)}
    chosen = [k for i in evaluated.order if (k := place.get(int(i))) is not None and finite[k]][:8]
    shown = np.append(points[1:, chosen], 0.0)
    left, width = shown.min(), float(np.ptp(shown)) or 1.0
    at = (8 + 184 * (points - left) / width).round(1)
    rows = [
        {
            "system": evaluated.systems[results.others[k]],
            **dict(zip(("mark", "low", "high"), at[:, k].tolist(), strict=True)),
            "is_significant": bool(results.significant[k]),
            "difference": " ".join(filter(None, difference_shown(*points[:, k]))),
            "pvalue": pvalue(results.adjusted[k], results.alpha),
        }
        for k in chosen
    ]
    return {"zero": round(8 - 184 * float(left / width), 1), "rows": rows, "n_tested": int(finite.sum())}
