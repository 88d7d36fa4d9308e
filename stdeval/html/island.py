"""The scores as JSON in the page, for its script: systems and topics in the order of the page."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval.html.comparisons import Claim
from stdeval.html.report_data import Evaluated
from stdeval.html.words import printable
from stdeval.noise import decimals, rounded
from stdeval.stats.intervals import t_quantile
from stdeval.table import Floats

if TYPE_CHECKING:
    from markupsafe import Markup

_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def island(evaluated: Evaluated, claim: Claim | None) -> Markup:
    """Return the scores by the main measure, and what the script needs to compare two systems.

    Parameters
    ----------
    evaluated : Evaluated
    claim : Claim, optional
        The comparison that the page shows first.

    Returns
    -------
    Markup
        ``runs`` and ``topics`` are names in the order of the page. Of each of the ``kinds``, ``scores`` has a row
        for each run, rounded as `stdeval.noise` says to ``decimals``; ``tukey`` has the adjusted p-values of
        each ranked run with those before it. Two of the ``ranked`` runs, which come first, are compared on the
        topics that are ``common``, or null if these are all that they have. ``quantiles`` are those of t for 1, 2,
        ... degrees of freedom.
    """
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
