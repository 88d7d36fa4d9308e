"""Groups are the maximal sets of neighbours without a significant difference."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stdeval.stats.corrections import significance_groups


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=8), st.floats(0.01, 0.6))
def test_systems_share_a_group_just_where_they_do_not_differ(means: list[float], threshold: float):
    scores = np.array(means)
    pvalues = np.where(np.abs(scores[:, None] - scores) > threshold, 0.01, 0.5)
    first, last = significance_groups(scores, pvalues)
    for i, j in combinations(range(len(means)), 2):
        share = max(first[i], first[j]) <= min(last[i], last[j])
        assert share == (pvalues[i, j] >= 0.05)
    groups = [{i for i in range(len(means)) if first[i] <= g <= last[i]} for g in range(1, last.max() + 1)]
    maximal = cliques(pvalues >= 0.05)
    assert sorted(map(sorted, groups)) == sorted(map(sorted, maximal))
    assert first[int(np.argmax(scores))] == 1


def cliques(same) -> list[set[int]]:
    """By looking at all subsets: those that agree among themselves, and are in no larger one."""
    n = len(same)
    subsets = [set(c) for size in range(1, n + 1) for c in combinations(range(n), size)]
    agreeing = [s for s in subsets if all(same[i, j] for i in s for j in s)]
    return [s for s in agreeing if not any(s < t for t in agreeing)]
