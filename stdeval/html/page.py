"""The page: its templates, filled with an evaluation, and a policy that lets it load nothing from elsewhere.

Jinja2, with markupsafe, is imported inside the functions that need it, since it is optional.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from io import BytesIO
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval import __version__
from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.html import tables
from stdeval.html import tables as words
from stdeval.html.data import Claim, Compared, Evaluated, claims, compared
from stdeval.html.tables import difference_shown, printable, pvalue
from stdeval.measures.names import publication_name
from stdeval.noise import decimals, rounded
from stdeval.plots import save_figure, score_figures
from stdeval.plots import schemes as scheme_figures
from stdeval.plots import systems as mean_figures
from stdeval.plots import systems as pair_figures
from stdeval.plots.style import require_matplotlib
from stdeval.stats.intervals import t_quantile
from stdeval.stats.significance import topic_differences
from stdeval.table import Floats

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup
    from matplotlib.figure import Figure


_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def island(evaluated: Evaluated, claim: Claim | None) -> Markup:
    """Return the scores by the main measure, and what the script needs to compare two systems."""
    from markupsafe import Markup  # optional, with Jinja2

    order = evaluated.order
    place = np.argsort(order)
    pair = None if claim is None else [int(place[claim.better]), int(place[claim.worse])]
    n = len(evaluated.topics)
    data = {
        "runs": [printable(evaluated.systems[i]) for i in order],
        "topics": [printable(evaluated.topics[t]) for t in evaluated.topic_order],
        "kinds": [_kind(evaluated, j) for j in range(len(evaluated.kinds))],
        "pair": pair,
        "shown": None if claim is None else claim.scheme,
        "ranked": int(evaluated.coverage.ranked.sum()),
        "confidence": evaluated.settings.confidence,
        "alpha": evaluated.settings.alpha,
        "quantiles": t_quantile(np.arange(1.0, n), evaluated.settings.confidence).round(6).tolist(),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.translate(_ESCAPES))


def _kind(evaluated: Evaluated, j: int) -> dict[str, Any]:
    kind = evaluated.kinds[j]
    places = int(decimals(kind.scores))
    scores = rounded(kind.scores, places)[np.ix_(evaluated.order, evaluated.topic_order)]
    common = evaluated.coverage.common[evaluated.topic_order, j, 0]
    return {
        "scheme": kind.scheme,
        "name": printable(kind.name),
        "decimals": places,
        "scores": [[x if isfinite(x) else None for x in row] for row in scores.tolist()],
        "tukey": _tukey(evaluated, j),
        "common": common.tolist() if evaluated.coverage.is_reduced else None,
    }


def _tukey(evaluated: Evaluated, j: int) -> list[list[float]]:
    """Return, for each ranked system but the first, the p-values with the systems before it in the order."""
    test = evaluated.tukey[j]
    if test is None:
        return []
    row = np.cumsum(evaluated.coverage.ranked) - 1
    ranked = row[[i for i in evaluated.order if evaluated.coverage.ranked[i]]]
    pvalues: Floats = test.pvalues[np.ix_(ranked, ranked)].round(5)
    return [pvalues[k, :k].tolist() for k in range(1, len(pvalues))]

FOREST_ROWS = 8
"""The greatest number of rows of the forest plot beside the answer."""


@dataclass(frozen=True)
class Picture:
    """A figure of the page."""

    name: str
    svg: Markup
    title: str
    boxes: str = "[]"


def picture(name: str, figure: Figure, title: str, description: str) -> Picture:
    """Return a figure as inline svg."""
    image = BytesIO()
    save_figure(figure, image, "svg", dpi=150)
    svg = _inline(name, image.getvalue().decode("utf-8"), title, description)
    places = [axes.get_position() for axes in figure.axes if axes.images]
    boxes = [[round(x, 5) for x in (each.x0, 1 - each.y1, each.width, each.height)] for each in places]
    return Picture(name, svg, title, json.dumps(boxes))


def _inline(name: str, svg: str, title: str, description: str) -> Markup:
    """Return the part of an svg file of matplotlib's that belongs in a page, its ids with a prefix."""
    from markupsafe import Markup, escape  # optional, with Jinja2

    # the prolog, comments and style would be wrong or useless inside HTML
    drawn = re.sub(r"<!--.*?-->|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    drawn = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", drawn)
    head, body = drawn.split(">", 1)
    box = re.findall(r'viewBox="[0-9. ]+"', head)[0]
    width = re.findall(r'width="([0-9.]+pt)"', head)[0]
    told = f'role="img" aria-labelledby="{name}-title {name}-description"'
    words = (
        f'<title id="{name}-title">{escape(printable(title))}</title>'
        f'<desc id="{name}-description">{escape(printable(description))}</desc>'
    )
    # without line breaks and indentation, which would make up much of the page
    compact = re.sub(r"\s*\n\s*", " ", body).replace("> <", "><").rstrip()
    return Markup(f'<svg {box} {told} style="width:{width}">{words}{compact}')


def means_picture(evaluated: Evaluated) -> Picture:
    """Draw the runs by mean main score, with Tukey intervals or, if there are none, t intervals."""
    facts, main = evaluated.coverage, evaluated.main
    mean, low, high = evaluated.mean_intervals()[main.measure]
    test = evaluated.tukey[-1]
    half = np.inf if test is None else test.critical_difference(evaluated.settings.tukey_level) / 2
    is_tukey = bool(np.isfinite(half))
    level = evaluated.settings.tukey_level if is_tukey else evaluated.settings.confidence
    if is_tukey:
        low, high = (np.where(facts.ranked, end, np.nan) for end in (mean - half, mean + half))
    figure = mean_figures.means(
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
    figure = scheme_figures.topics(evaluated.tables["raw"], evaluated.tables, size="page")
    names = " and ".join(kind.name for kind in evaluated.kinds)
    told = f"A panel for {names}, with a box for each topic, by rising mean; see the table below."
    whose = "run's" if len(evaluated.systems) == 1 else "runs'"
    return picture("boxes", figure, f"The {whose} scores on each topic: {names}", told)


def differences_picture(evaluated: Evaluated, claim: Claim) -> Picture:
    """Return the differences of the two systems of a claim, topic by topic."""
    j, kind = next((j, kind) for j, kind in enumerate(evaluated.kinds) if kind.scheme == claim.scheme)
    scores = evaluated.comparable[:, :, j, 0]
    systems = (evaluated.systems[claim.better], evaluated.systems[claim.worse])
    interval = (claim.low, claim.high) if np.isfinite([claim.low, claim.high]).all() else None
    figure = pair_figures.compare(
        evaluated.raw.topics,
        topic_differences(scores[claim.better], scores[claim.worse]),
        interval,
        measure=kind.measure,
        scheme=kind.scheme,
        systems=systems,
        confidence=claim.level,
        size="page",
    )
    title = f"{systems[0]} minus {systems[1]}: {kind.name}, topic by topic"
    return picture("differences", figure, title, "A bar for each topic, by falling difference, with the mean.")


@dataclass(frozen=True)
class ForestRow:
    """A difference and its interval, as positions from 0 at the left to 200 at the right."""

    system: str
    mark: float
    low: float
    high: float
    is_significant: bool
    told: str


@dataclass(frozen=True)
class Forest:
    """A small forest plot: the differences of the first systems in the order from one system."""

    against: str
    is_best: bool
    measure: str
    zero: float
    rows: list[ForestRow]
    n_tested: int


def forest(evaluated: Evaluated, results: Compared) -> Forest:
    """Return the forest plot of the best systems that were compared with one."""
    is_best = evaluated.baseline is None
    difference, low, high = results.comparison.difference, results.low, results.high
    if is_best:
        # adding 0 turns -0 into 0
        difference, low, high = 0.0 - difference, 0.0 - high, 0.0 - low
    finite = np.isfinite(np.array([difference, low, high])).all(axis=0)
    place = {int(i): k for k, i in enumerate(results.others)}
    chosen = [k for i in evaluated.order if (k := place.get(int(i))) is not None and finite[k]][:FOREST_ROWS]
    ends = np.concatenate([low[chosen], high[chosen], [0.0]])
    left, width = ends.min(), float(np.ptp(ends)) or 1.0

    def at(value: float) -> float:
        return round(8 + 184 * float((value - left) / width), 1)

    rows = [
        ForestRow(
            evaluated.systems[results.others[k]],
            at(difference[k]),
            at(low[k]),
            at(high[k]),
            bool(results.significant[k]),
            _told(difference[k], low[k], high[k], pvalue(results.adjusted[k], results.alpha)),
        )
        for k in chosen
    ]
    name = evaluated.systems[results.against]
    return Forest(name, is_best, results.kind.name, at(0.0), rows, int(finite.sum()))


def _told(difference: float, low: float, high: float, adjusted: str) -> str:
    """Return a difference with its interval and its adjusted p-value, in words."""
    return f"{' '.join(filter(None, difference_shown(difference, low, high)))}, adjusted p {adjusted}"

TEMPLATES = files("stdeval.html").joinpath("templates")

FILES_LIMIT = 12
"""The greatest number of run files that are listed one by one."""

LONGEST_WHOLE = 20
"""Characters of the longest word that is not broken into lines at its hyphens."""


def report(evaluated: Evaluated, title: str | None = None, date: str | None = None) -> str:
    """Return a self-contained HTML page of an evaluation."""
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
    """Refuse to make a page if Jinja2 or matplotlib is not installed."""
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
    """Return a text as HTML that is broken into lines at spaces, not at the hyphens of words such as N-AP."""
    from markupsafe import Markup, escape

    plain = str(escape(words.printable(text))).split(" ")
    joined = (re.sub(r"(?<=\w)-\w", r'<span class="whole">\g<0></span>', word) for word in plain)
    return Markup(" ".join(b if len(a) <= LONGEST_WHOLE else a for a, b in zip(plain, joined, strict=True)))


def _frame() -> dict[str, Markup]:
    """Return style, script, and the policy that allows these two, by their hashes, and nothing else."""
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
        "forest": None if leading is None else forest(evaluated, leading),
        "common_told": words.common_told,
        "difference_shown": words.difference_shown,
        "island": island(evaluated, made[0] if made else None),
        "differences": differences_picture(evaluated, made[0]) if made else None,
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
        "means": means_picture(evaluated),
        "boxes": topics_picture(evaluated),
        "topics": tables.topic_table(evaluated),
        "heatmap": scores_picture(evaluated),
        "gains": tables.gains_table(evaluated) if evaluated.standardized or len(evaluated.systems) > 1 else None,
        "judged": judged,
        "scheme_told": words.scheme_told(evaluated),
        "references_told": references and words.references_told(references, len(evaluated.topics)),
        "reading": words.reading(evaluated),
        "files_limit": FILES_LIMIT,
    }
