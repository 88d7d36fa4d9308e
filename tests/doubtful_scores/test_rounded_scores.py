"""Scores that are rounded, of which the exact ones can be told, and the order of their means."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval.doubtful_scores.rounded_scores import exact_scores
from tests.doubtful_scores.rounded import rounded_to, scores_of


@pytest.mark.parametrize("measure", ["P_3", "recip_rank", "Rprec"])
@pytest.mark.parametrize("digits", [4, 6, 32])
def test_exact_scores_are_found_from_rounded_ones(measure: str, digits: int):
    exact = scores_of(measure, (20, 50))
    exact[0, 0] = np.nan
    found, rounding = exact_scores(rounded_to(digits, exact), measure)
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12)
    assert rounding == ("32-bit floats" if digits == 32 else f"{digits} decimals")
    assert exact_scores(exact, measure)[1] == ""


@pytest.mark.parametrize(
    "command", ["eval -f markdown", "eval --sort P_3 -f csv", "compare", "meta rank --scheme raw", "topics"]
)
def test_ties_of_means_that_rounding_breaks_are_told(run, write, command: str):
    thirds = {"a": (1, 1, 2, 0), "b": (2, 2, 0, 0), "c": (3, 3, 3, 3)}
    told = "exact scores would change the order of 1 of 3 pairs of runs by mean P_3: the scores are rounded to 4"
    for form, is_told in ((".4f", True), (".17g", False)):
        rows = [f"{name},{t},{k / 3:{form}},0.{t}" for name, own in thirds.items() for t, k in enumerate(own)]
        done = run(*command.split(), "--scores", write("s.csv", ["run,topic,P_3,map", *rows]))
        assert (done.status, told in done.stderr) == (0, is_told)
