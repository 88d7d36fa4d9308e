"""The words of the page on schemes, references and names."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from stdeval.html.tables import groups_told, printable, reading, references_told, scheme_told

NAMES = ("alpha", "beta", "gamma", "delta")


def test_references_are_told_as_they_are_known(evaluation):
    evaluated = evaluation(NAMES)
    for n_systems, n_constant, n_topics, words in (
        (None, 0, 12, "an unknown number of systems on 12 topics"),
        ((3, 4), 0, 12, "3–4 systems on 12 topics"),
        ((4, 4), 1, 12, "4 systems on 12 topics; on 1 topic all equal by some measure"),
        ((4, 4), 0, 10, "4 systems on 10 topics; 2 topics without factors"),
    ):
        references = replace(evaluated.references, n_systems=n_systems, n_constant=n_constant, n_topics=n_topics)
        assert references_told(references, 12) == words


@pytest.mark.parametrize("scheme", ["Z", "N", "U", "E", "M"])
def test_scores_are_explained_in_four_sentences(evaluation, scheme: str):
    assert len(re.findall(r"[.](?: |$)", reading(replace(evaluation(NAMES), scheme=scheme)))) == 4


@pytest.mark.parametrize("censored, words", [(True, "censored to [0, 1]"), (False, "not censored")])
def test_line_of_scheme_u_is_told(evaluation, censored: bool, words: str):
    evaluated = replace(evaluation(NAMES), scheme="U", slope=0.5, neutral=0.25, censored=censored)
    assert scheme_told(evaluated) == f"U: 0.5 z + 0.25, {words}"
    assert f"U is 0.5 z + 0.25, {words}, where z is" in reading(evaluated)
    assert "0.25 is what they achieve on average" in reading(evaluated)


def test_raw_scores_are_not_explained_as_standardized(evaluation):
    evaluated = replace(evaluation(NAMES), standardized=None, scheme="raw", references=None)
    assert scheme_told(evaluated) == "none: scores are not standardized"
    assert "standardized" not in reading(evaluated)


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        (("Nmap", "NP_10"), "stored as standardized by N"),
        (("Zmap", "NP_10"), "stored as standardized by Z and N"),
        (("map", "Nmap"), "none: scores are not standardized, except Nmap, stored as standardized by N"),
    ],
)
def test_scores_that_are_stored_as_standardized_are_told_by_their_scheme(evaluation, measures, words: str):
    evaluated = evaluation(NAMES)
    raw = replace(evaluated.raw, measures=measures)
    assert scheme_told(replace(evaluated, raw=raw, standardized=None, scheme="raw", references=None)) == words


def test_unprintable_characters_are_replaced():
    # bytes that are no UTF-8 are surrogates inside; a NUL is not allowed in HTML, an override turns text around
    assert printable("a\udcffb\0c\u202ed") == "a\ufffdb\ufffdc\ufffdd"


def test_the_topics_of_the_groups_are_told(evaluation, with_gaps):
    evaluated = evaluation(NAMES)
    assert "seed 0, on all 12 topics (Carterette 2012)." in groups_told(evaluated)
    gaps = {i: slice(i, i + 1) for i in range(3)}
    assert "on the 9 of 12 topics that all runs have (" in groups_told(with_gaps(evaluated, gaps))


def test_two_tests_on_a_page_with_a_baseline_are_told_apart(evaluation):
    told = "may differ significantly from the baseline and yet share a group with it"
    assert told in groups_told(evaluation(NAMES, baseline=0))
    assert told not in groups_told(evaluation(NAMES, baseline=None))
