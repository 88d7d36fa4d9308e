"""Runs of different depths; what the commands say of them is tested with the commands."""

from __future__ import annotations

import pytest

from stdeval.documents.retrieved import Retrieved
from stdeval.doubtful_scores.depths import REFERENCES, about_cutoffs, about_depths


def test_documents_beyond_the_last_cutoff_change_no_advice():
    """Of five runs, one has two documents, and all others have more than the ten that count."""
    depths = dict(zip("abcde", (2, 150, 150, 1000, 1000), strict=True))
    (told,) = about_depths(
        ["ndcg_cut_10"], {name: Retrieved(depth, 1) for name, depth in depths.items()}, judged_only=False
    )
    assert "(the median of 5 runs is 10 or more, 1 at most half of it)" in told
    assert told.endswith("(leave out the shorter ones; -M 2 cuts the longer ones)")


def test_a_cutoff_is_told_of_a_measure_that_gives_most_weight_to_the_first_rank():
    (told,) = about_cutoffs(["recip_rank_cut_100", "recip_rank"], {"a": Retrieved(10)})
    assert told.endswith("average: recip_rank_cut_100 looks at fewer documents than its name says")


def test_references_are_no_run_of_the_median():
    runs = {"a": Retrieved(10), "b": Retrieved(90), "c": Retrieved(100)}
    (told,) = about_depths(["map"], runs, {REFERENCES: Retrieved(70)}, judged_only=False)
    assert "(the median of 3 runs is 90, 1 at most half of it)" in told


@pytest.mark.parametrize(
    ("depth", "told"),
    [
        (10, "the run has 10 documents per topic on average: rbp_p=0.99 gives most of its weight to ranks beyond"),
        (35, ""),
    ],
)
def test_weights_that_are_mostly_beyond_the_runs_are_told(depth: int, told: str):
    """By rank-biased precision with p = 0.99, half of the weight is beyond rank 69."""
    measures = ["rbp_p=0.8", "rbp_p=0.99", "rbp_p=0.99_cut_10"]
    assert "".join(about_cutoffs(measures, {"a": Retrieved(depth)})) == told
