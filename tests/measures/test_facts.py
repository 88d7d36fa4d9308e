"""Facts about measures by their names."""

from __future__ import annotations

import pytest

from stdeval.measures.names import is_better_higher, kind_of
from tests.conftest import SAMPLE

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize(
    ("name", "kind"),
    [("map", "score"), ("num_ret", "count"), ("gm_map", "summary"), ("runid", "text"), ("x y", "score")],
)
def test_kinds(name: str, kind: str):
    assert kind_of(name) == kind


def test_standardized_scores_are_better_in_the_same_direction() -> None:
    assert [is_better_higher(name) for name in ("unj_20", "Nunj_20", "deep:unj_20", "Nmap", "NumRet")] == [
        *(False, False, False, True, True),
    ]


@pytest.mark.parametrize("name", ["rbp_p=0", "rbp_p=0_cut_3", "nrbp_p=0"])
def test_runs_can_be_compared_by_the_first_document(run, name: str):
    files = [SAMPLE / each for each in ("qrels.gz", "new-a.run.gz", "new-b.run.gz")]
    (row,) = run("compare", "-f", "csv", "-m", name, *files).rows
    (first,) = run("compare", "-f", "csv", "-m", "P_1", *files).rows
    assert [row[key] for key in ("mean_a", "mean_b", "p")] == [first[key] for key in ("mean_a", "mean_b", "p")]
