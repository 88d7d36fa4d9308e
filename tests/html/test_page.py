"""The page as a whole: nothing from elsewhere, the same bytes for the same input, names of any length."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stdeval.html import report
from stdeval.standardization import fit_factors, standardize

pytest.importorskip("matplotlib")

NAMES = ("alpha", "beta", "gamma", "delta")


def test_same_input_same_bytes_and_no_date_unless_given(evaluation):
    evaluated = evaluation(NAMES)
    assert report(evaluated) == report(evaluated)
    assert "2026-01-02" in report(evaluated, date="2026-01-02")


def test_one_run_against_factors(evaluation):
    whole = evaluation(NAMES)
    alone = whole.raw.select(systems=["beta"])
    page = report(replace(whole, raw=alone, standardized=standardize(alone, fit_factors(whole.raw))))
    assert "Evaluation of 1 run on 12 topics" in page
    assert "There is no other run." in page


def test_long_names_are_shortened_and_kept_apart(evaluation):
    long = ("x" * 5000 + "1", "x" * 5000 + "2", "x" * 5000 + "3")
    page = report(evaluation(long))
    assert "x" * 81 not in page
    assert all(f"x{end}</th>" in page for end in "123")
