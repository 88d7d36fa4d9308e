"""Shares of judged documents among the first ones of runs, and what they do to the scores by each measure."""

from __future__ import annotations

import pytest

from stdeval.documents.retrieved import Retrieved
from stdeval.doubtful_scores.judged_shares import about_judged


@pytest.mark.parametrize(
    ("shares", "is_told"),
    [
        ([0.9, 0.8], False),
        ([0.9, 0.79], True),
        ([0.49, 0.1], False),
        ([0.5, 0.1], True),
        ([float("nan"), 0.9], False),
        ([0.9], False),
        ([], False),
        ([0.9, 0.9, 0.79], True),
    ],
)
def test_shares_matter_if_they_differ_and_most_documents_of_a_run_are_judged(shares: list[float], is_told: bool):
    retrieved = {f"run{i}": Retrieved(10, share) for i, share in enumerate(shares)}
    told = list(about_judged(["map"], retrieved))
    assert len(told) == is_told
    if len(shares) > 2:
        assert "(the median of 3 runs is 90.0%)" in told[0]
        assert told[0].endswith("so runs with fewer may be better than their scores")


def test_shares_of_far_fewer_than_ten_documents_do_not_count():
    few = {"few": Retrieved(7, 0.9), "a": Retrieved(10, 0.5), "stored": Retrieved(judged=0.45)}
    assert list(about_judged(["map"], few)) == []
    assert len(list(about_judged(["map"], few | {"few": Retrieved(8, 0.9)}))) == 1


def test_a_short_run_with_fewer_judged_documents_is_told():
    """As the five documents of a new ranker that no pool has seen."""
    (told,) = about_judged(["map"], {"old": Retrieved(100, 0.95), "new": Retrieved(5, 0.25)})
    shares = "25.0% of 'new' are judged, and 95.0% of 'old'"
    assert told.startswith(
        f"of the first 10 documents or fewer, {shares}: unjudged documents count as not relevant"
    )


def test_a_short_run_of_judged_documents_only_is_told():
    """As if it was evaluated with -J, and the others not."""
    told = list(about_judged(["map"], {"J": Retrieved(5, 1.0), "a": Retrieved(100, 0.31)}))
    assert told == [
        "all first documents of 'J' are judged, and 31.0% of those of 'a': were unjudged ones removed, as by -J?"
    ]
    assert list(about_judged(["map"], {"J": Retrieved(5, 0.99), "a": Retrieved(100, 0.31)})) == []
    three = {"J": Retrieved(5, 1.0), "a": Retrieved(100, 0.31), "b": Retrieved(100, 0.95)}
    assert list(about_judged(["map"], three))[1:] == []


def test_shares_of_runs_that_are_all_cut_count():
    """As with -M 5: all of them have the shares of their first five documents."""
    (told,) = about_judged(["map"], {"a": Retrieved(5, 0.9), "b": Retrieved(4.9, 0.5)})
    assert told.startswith("of the first 5 documents, 50.0% of 'b' are judged, and 90.0% of 'a'")


def test_few_judged_documents_of_all_runs_are_told_if_the_judgments_are_of_a_pool():
    """Otherwise these are probably the relevant ones, and their share is the precision."""
    low = {"a": Retrieved(10, 0.02), "b": Retrieved(10, 0.2)}
    assert list(about_judged(["map"], low)) == []
    known = {name: each._replace(of_pool=True) for name, each in low.items()}
    (told,) = about_judged(["map"], known)
    assert told.startswith("of the first 10 documents, 2.0% of 'a' are judged, and 20.0% of 'b'")
    (told,) = about_judged(["map"], {"a": known["a"]})
    assert told == (
        "at most 2.0% of the first 10 documents of 'a' are judged: unjudged documents count as not relevant, "
        "so scores may be much too low"
    )
    (told,) = about_judged(["map"], {"a": known["a"], "b": Retrieved(10, 0.1, of_pool=True)})
    assert told.startswith("at most 10.0% of the first 10 documents of any run are judged")


@pytest.mark.parametrize(("measure", "is_told"), [("num_ret", False), ("judged_10", False), ("P_10", True)])
def test_unjudged_documents_do_not_matter_for_what_does_not_count_them(measure: str, is_told: bool):
    shares = {"a": Retrieved(100, 0.98), "b": Retrieved(100, 0.6)}
    messages = list(about_judged([measure], shares))
    assert any("unjudged documents count" in each for each in messages) == is_told


def test_shares_of_judged_documents_are_those_of_relevant_ones_if_no_others_are_judged():
    """As in a search for known items: the worse run would be told to be better than its scores."""
    unlike = {"a": Retrieved(1, 0.6, of_pool=False), "b": Retrieved(1, 0.2, of_pool=False)}
    assert list(about_judged(["success_1"], unlike)) == []
    unknown = {name: each._replace(of_pool=None) for name, each in unlike.items()}
    assert len(list(about_judged(["success_1"], unknown))) == 1


NOT_RELEVANT = "unjudged documents count as not relevant, so the first may be better than its scores"


@pytest.mark.parametrize(
    ("measures", "told"),
    [
        (["map"], NOT_RELEVANT),
        (["bpref"], "bpref leaves out unjudged documents, so the first may only seem good"),
        (["bpref_rel=2"], "bpref_rel=2 leaves out unjudged documents, so the first may only seem good"),
        (
            ["map", "bpref", "num_nonrel_judged_ret"],
            f"{NOT_RELEVANT}; bpref, num_nonrel_judged_ret leave out unjudged documents, so the first may only "
            "seem good",
        ),
        (["rbp_resid_p=0.8"], None),
        (["judged_10"], None),
    ],
)
def test_shares_of_judged_documents_matter_to_most_measures(measures: list[str], told: str | None):
    unlike = {"a": Retrieved(10, 0.5), "b": Retrieved(10, 0.9)}
    shares = "of the first 10 documents, 50.0% of 'a' are judged, and 90.0% of 'b'"
    assert list(about_judged(measures, unlike)) == ([f"{shares}: {told}"] if told else [])
