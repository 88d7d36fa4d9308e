"""The comparison with a baseline, against scipy and a Holm correction by hand."""

from __future__ import annotations

import pytest
from scipy import stats

from stdeval.html.baseline_section import baseline_section

pytest.importorskip("matplotlib")

NAMES = ("alpha", "beta", "gamma", "delta")


def test_comparison_is_scipys(evaluation, cells):
    evaluated = evaluation(NAMES, baseline=1)
    rows = cells(baseline_section(evaluated, 1))[0][1:]
    assert len(rows) == 3
    scores = dict(zip(NAMES, evaluated.raw.values[:, :, 0], strict=True))
    expected = {name: stats.ttest_rel(scores[name], scores["beta"]) for name in NAMES if name != "beta"}
    holm = dict(zip(sorted(expected, key=lambda n: expected[n].pvalue), (3, 2, 1), strict=True))
    least = 0.0
    adjusted = {}
    for name in sorted(expected, key=lambda n: expected[n].pvalue):  # Holm 1979, by hand
        least = adjusted[name] = max(least, min(1.0, holm[name] * expected[name].pvalue))
    for name, difference, _, wins, ties, losses, p, p_adjusted in rows:
        other = scores[name] - scores["beta"]
        low, high = expected[name].confidence_interval()
        assert difference == f"{other.mean():+.4f}[{low:+.4f}, {high:+.4f}]"
        assert (int(wins), int(ties), int(losses)) == ((other > 0).sum(), 0, (other < 0).sum())
        assert p == f"{expected[name].pvalue:.3g}"
        assert p_adjusted == f"{adjusted[name]:.3g}" + (" *" if adjusted[name] < 0.05 else "")
