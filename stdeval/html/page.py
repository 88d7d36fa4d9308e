"""The page: its templates, filled with an evaluation, and a policy that lets it load nothing from elsewhere.

Jinja2, with markupsafe, is imported inside the functions that need it, since it is optional.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from importlib.util import find_spec
from io import BytesIO
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stdeval import __version__
from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.html import tables
from stdeval.html.data import Claim, Compared, Evaluated, claims, compared
from stdeval.html.tables import difference_shown, printable, pvalue
from stdeval.measures.names import publication_name
from stdeval.noise import decimals, rounded
from stdeval.plots import save_figure, schemes, score_figures, systems
from stdeval.plots.style import require_matplotlib
from stdeval.stats.intervals import t_quantile, tails_of
from stdeval.stats.pairwise import topic_differences

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure

TEMPLATES = files("stdeval.html").joinpath("templates")

FOREST_ROWS = 8
"""The greatest number of rows of the forest plot beside the answer."""

FILES_LIMIT = 12
"""The greatest number of run files that are listed one by one."""

LONGEST_WHOLE = 20
"""Characters of the longest word that is not broken into lines at its hyphens."""


def require_libraries() -> None:
    """Refuse to make a page if Jinja2 or matplotlib is not installed."""
    names = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}
    missing = [name for library, name in names.items() if find_spec(library) is None]
    if missing:
        raise InputError(f"reports need {' and '.join(missing)}: pip install 'stdeval[report]'")
    require_matplotlib()


def report(evaluated: Evaluated, title: str | None = None, date: str | None = None) -> str:
    """Return a self-contained HTML page of an evaluation."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("stdeval.html"),
        autoescape=True,
        finalize=printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters = {"counted": counted, "pvalue": pvalue, "printed": publication_name, "whole": _whole}
    environment.filters.update(filters)
    results = compared(evaluated)
    made = claims(evaluated, results)
    leading = next((each for each in results if made and each.kind.scheme == made[0].scheme), None)
    n_runs, n_topics = counted(len(evaluated.systems), "run"), counted(len(evaluated.topics), "topic")
    judged = evaluated.sources.judged
    common = evaluated.coverage.common.sum(axis=0)
    facts = {
        "title": title or f"Evaluation of {n_runs} on {n_topics}",
        "note": f"stdeval {__version__}" + (f", {date}" if date else ""),
        "evaluated": evaluated,
        **_frame(),
        "island": island(evaluated, made[0] if made else None),
        # the answer
        "claims": made,
        "leading": leading,
        "forest": None if leading is None else forest(evaluated, leading),
        "difference_shown": difference_shown,
        # the other sections
        "leaderboard": tables.leaderboard(evaluated),
        "tested": [evaluated.ranked_scores(j).shape[1] for j in range(len(evaluated.kinds))],
        "means": means_picture(evaluated),
        "results": results,
        "differences": differences_picture(evaluated, made[0]) if made else None,
        "common": sorted({*common[common > 0].tolist()}),
        "comparison_tables": [tables.comparison_table(evaluated, each) for each in results],
        "topics": tables.topic_table(evaluated),
        "boxes": topics_picture(evaluated),
        "heatmap": scores_picture(evaluated),
        "gains": tables.gains_table(evaluated) if evaluated.standardized or len(evaluated.systems) > 1 else None,
        "judged": np.sum(list(judged.values()), axis=0) if judged else None,
        "files_limit": FILES_LIMIT,
        "scheme_told": tables.scheme_told(evaluated),
    }
    return environment.get_template("page.html").render(facts)


def _whole(text: str) -> Markup:
    """Return a text as HTML that is broken into lines at spaces, not at the hyphens of words such as N-AP."""
    from markupsafe import Markup, escape

    plain = str(escape(printable(text))).split(" ")
    joined = (re.sub(r"(?<=\w)-\w", r'<span class="whole">\g<0></span>', word) for word in plain)
    return Markup(" ".join(b if len(a) <= LONGEST_WHOLE else a for a, b in zip(plain, joined, strict=True)))


def _frame() -> dict[str, Markup]:
    """Return style, script, and the policy that allows these two, by their hashes, and nothing else."""
    from markupsafe import Markup

    style, script = (TEMPLATES.joinpath(name).read_text("utf-8") for name in ("page.css", "report.js"))
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    policy = (
        f"default-src 'none'; style-src-elem 'sha256-{hashes[0]}'; style-src-attr 'unsafe-inline'; img-src data:; "
        f"script-src 'sha256-{hashes[1]}'; base-uri 'none'; form-action 'none'"
    )
    return {"style": Markup(style), "script": Markup(script), "policy": Markup(policy)}


_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def island(evaluated: Evaluated, claim: Claim | None) -> Markup:
    """Return the scores by the main measure, and what the script needs to compare two systems."""
    from markupsafe import Markup

    order, n = evaluated.order, len(evaluated.topics)
    place = np.argsort(order)
    data = {
        "runs": [printable(evaluated.systems[i]) for i in order],
        "topics": [printable(evaluated.topics[t]) for t in evaluated.topic_order],
        "kinds": [_kind(evaluated, j) for j in range(len(evaluated.kinds))],
        "pair": None if claim is None else [int(place[claim.better]), int(place[claim.worse])],
        "shown": None if claim is None else claim.scheme,
        "ranked": int(evaluated.coverage.ranked.sum()),
        "confidence": evaluated.settings.confidence,
        "alpha": evaluated.settings.alpha,
        "quantiles": t_quantile(np.arange(1.0, n), tails_of(evaluated.settings.confidence)[1]).round(6).tolist(),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.translate(_ESCAPES))


def _kind(evaluated: Evaluated, j: int) -> dict[str, Any]:
    """Return scores, and the p-values of Tukey's test of each ranked system with those before it in the order."""
    kind, test, facts = evaluated.kinds[j], evaluated.tukey[j], evaluated.coverage
    places = int(decimals(kind.scores))
    scores = rounded(kind.scores, places)[np.ix_(evaluated.order, evaluated.topic_order)]
    row = np.cumsum(facts.ranked) - 1
    ranked = row[[i for i in evaluated.order if facts.ranked[i]]]
    pvalues = np.empty((0, 0)) if test is None else test.pvalues[np.ix_(ranked, ranked)].round(5)
    return {
        "scheme": kind.scheme,
        "name": printable(kind.name),
        "decimals": places,
        "scores": [[x if isfinite(x) else None for x in row] for row in scores.tolist()],
        "tukey": [pvalues[k, :k].tolist() for k in range(1, len(pvalues))],
        "common": facts.common[evaluated.topic_order, j, 0].tolist() if facts.is_reduced else None,
    }


# --- pictures ---


class Picture(NamedTuple):
    """A figure of the page as inline svg, and the boxes of its images, relative to its size."""

    name: str
    svg: Markup
    title: str
    boxes: str = "[]"


def picture(name: str, figure: Figure, title: str, description: str) -> Picture:
    """Return a figure as inline svg, its ids with a prefix."""
    from markupsafe import Markup, escape

    image = BytesIO()
    save_figure(figure, image, "svg", dpi=150)
    svg = image.getvalue().decode("utf-8")
    # the prolog, comments and style would be wrong or useless inside HTML
    drawn = re.sub(r"<!--.*?-->|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    head, body = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", drawn).split(">", 1)
    box, width = (re.findall(pattern, head)[0] for pattern in (r'viewBox="[0-9. ]+"', r'width="([0-9.]+pt)"'))
    words = (
        f'<title id="{name}-title">{escape(printable(title))}</title>'
        f'<desc id="{name}-description">{escape(printable(description))}</desc>'
    )
    told = f'role="img" aria-labelledby="{name}-title {name}-description"'
    # without line breaks and indentation, which would make up much of the page
    compact = re.sub(r"\s*\n\s*", " ", body).replace("> <", "><").rstrip()
    places = [axes.get_position() for axes in figure.axes if axes.images]
    boxes = [[round(x, 5) for x in (each.x0, 1 - each.y1, each.width, each.height)] for each in places]
    inline = Markup(f'<svg {box} {told} style="width:{width}">{words}{compact}')
    return Picture(name, inline, title, json.dumps(boxes))


def means_picture(evaluated: Evaluated) -> Picture:
    """Draw the runs by mean main score, with Tukey intervals or, if there are none, t intervals."""
    facts, main, test = evaluated.coverage, evaluated.main, evaluated.tukey[-1]
    mean, low, high = evaluated.mean_intervals[main.measure]
    level = evaluated.settings.tukey_level
    half = np.inf if test is None else test.critical_difference(level) / 2
    is_tukey = bool(np.isfinite(half))
    if is_tukey:
        low, high = (np.where(facts.ranked, end, np.nan) for end in (mean - half, mean + half))
    else:
        level = evaluated.settings.confidence
    figure = systems.means(
        evaluated.raw.systems,
        mean,
        low,
        high,
        ranked=facts.ranked,
        topics="topics that all of them have" if facts.is_reduced else "",
        measure=main.measure,
        scheme=main.scheme,
        confidence=level,
        interval="tukey" if is_tukey else "marginal",
        size="page",
    )
    best = evaluated.systems[evaluated.order[0]]
    told = f"A dot and a line for each run, from the best, {best}, at the top; the means are in the table above."
    kind = f"{100 * level:g}%{' Tukey' if is_tukey else ''} intervals"
    meaning = ": two runs whose intervals do not meet differ significantly" if is_tukey else ""
    return picture("means", figure, f"Runs by mean {main.name}, with {kind}{meaning}", told)


def scores_picture(evaluated: Evaluated) -> Picture:
    """Return a heat map of all scores by the main measure, raw beside standardized."""
    figure = score_figures.heatmap(evaluated.tables, sort="none", size="page")
    names = " and ".join(kind.name for kind in evaluated.kinds)
    told = (
        f"A panel for {names}, with a row for each run, the best at the top, and a column for each topic, the "
        "hardest at the left. Lighter raw scores are higher; standardized scores are blue above the middle and red "
        "below it."
    )
    return picture("heatmap", figure, f"All scores: {names}; hard topics at the left", told)


def topics_picture(evaluated: Evaluated) -> Picture:
    """Return boxes of the scores on each topic."""
    figure = schemes.topics(evaluated.tables["raw"], evaluated.tables, size="page")
    names = " and ".join(kind.name for kind in evaluated.kinds)
    told = f"A panel for {names}, with a box for each topic, by rising mean; see the table below."
    whose = "run's" if len(evaluated.systems) == 1 else "runs'"
    return picture("boxes", figure, f"The {whose} scores on each topic: {names}", told)


def differences_picture(evaluated: Evaluated, claim: Claim) -> Picture:
    """Return the differences of the two systems of a claim, topic by topic."""
    j = [kind.scheme for kind in evaluated.kinds].index(claim.scheme)
    kind, scores = evaluated.kinds[j], evaluated.comparable[:, :, j, 0]
    pair = (evaluated.systems[claim.better], evaluated.systems[claim.worse])
    figure = systems.compare(
        evaluated.raw.topics,
        topic_differences(scores[claim.better], scores[claim.worse]),
        (claim.low, claim.high) if np.isfinite([claim.low, claim.high]).all() else None,
        measure=kind.measure,
        scheme=kind.scheme,
        systems=pair,
        confidence=claim.level,
        size="page",
    )
    title = f"{pair[0]} minus {pair[1]}: {kind.name}, topic by topic"
    return picture("differences", figure, title, "A bar for each topic, by falling difference, with the mean.")


class ForestRow(NamedTuple):
    """A difference and its interval, as positions from 0 at the left to 200 at the right."""

    system: str
    mark: float
    low: float
    high: float
    is_significant: bool
    told: str


class Forest(NamedTuple):
    """A small forest plot: the differences of the first systems in the order from one system."""

    zero: float
    rows: list[ForestRow]
    n_tested: int


def forest(evaluated: Evaluated, results: Compared) -> Forest:
    """Return the forest plot of the best systems that were compared with one."""
    points = np.array([results.comparison.difference, results.low, results.high])
    if evaluated.baseline is None:
        # the first system minus each; subtracting from 0 turns -0 into 0
        points = 0.0 - points[[0, 2, 1]]
    finite = np.isfinite(points).all(axis=0)
    place = {int(i): k for k, i in enumerate(results.others)}
    chosen = [k for i in evaluated.order if (k := place.get(int(i))) is not None and finite[k]][:FOREST_ROWS]
    shown = np.append(points[1:, chosen], 0.0)
    left, width = shown.min(), float(np.ptp(shown)) or 1.0
    rows, at = [], (8 + 184 * (points - left) / width).round(1)
    for k in chosen:
        words = " ".join(filter(None, difference_shown(*points[:, k])))
        told = f"{words}, adjusted p {pvalue(results.adjusted[k], results.alpha)}"
        system = evaluated.systems[results.others[k]]
        mark, low, high = at[:, k].tolist()
        rows.append(ForestRow(system, mark, low, high, bool(results.significant[k]), told))
    return Forest(round(8 - 184 * float(left / width), 1), rows, int(finite.sum()))
