"""Scores and factors that other programs rounded or computed, where all reference scores are equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stdeval.reference_factors import Factors
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.standardizing import standardize
from stdeval.table import ScoreTable
from tests.standardization.test_standardizing import table_of


def computed_elsewhere(values: np.ndarray, how: str) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations over the first axis, as other programs compute them."""
    if how == "rows of topics":
        rows = np.ascontiguousarray(values.swapaxes(0, 1))
        return rows.mean(axis=1), rows.std(axis=1, ddof=1)
    if how == "32-bit floats":
        short = values.astype(np.float32)
        return short.mean(axis=0).astype(float), short.std(axis=0, ddof=1).astype(float)
    if how == "one by one":
        of_topics = [[[float(x) for x in cell] for cell in topic] for topic in values.transpose(1, 2, 0)]
        means = np.array([[sum(cell) / len(cell) for cell in topic] for topic in of_topics])
        squares = ((values - means) ** 2).sum(axis=0)
        return means, np.sqrt(squares / (len(values) - 1))
    return values.mean(axis=0), values.std(axis=0, ddof=1)


@pytest.mark.parametrize("how", ["columns of topics", "rows of topics", "one by one", "32-bit floats"])
@pytest.mark.parametrize("n", [12, 40])
def test_equal_reference_scores_have_sd_0_whatever_program_computes_the_factors(how: str, n: int):
    """The mean of twelve scores of 0.6 may be 0.5999999999999999 by numpy, and the standard deviation 1e-16."""
    rng = np.random.default_rng(0)
    values = np.array([k / 15 for k in range(16)] * 5)[np.newaxis, :, np.newaxis] * np.ones((n, 1, 1))
    values[:, ::2] = rng.integers(0, 16, (n, 40, 1)) / 15
    references, runs = table_of(values), table_of(rng.integers(0, 16, (3, 80, 1)) / 15)
    exact = fit_factors(references)
    mean, sd = computed_elsewhere(values, how)
    other = Factors(exact.topics, exact.measures, mean, sd, exact.n)
    np.testing.assert_array_equal(other.sd == 0, exact.sd == 0)
    for scheme in "ZNU":
        expected = standardize(runs, exact, scheme).values
        np.testing.assert_allclose(standardize(runs, other, scheme).values, expected, atol=1e-5)


@pytest.mark.parametrize("measure", ["P_5", "map"])
@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_factors_of_short_floats_equal_exact_scores(measure: str, kind: type):
    """Where all references have 0.6, as a 32-bit float 0.6000000238418579, so that 0.6 is not below it."""
    values = np.full((12, 3, 1), 0.6)
    values[::2, 0] = 0.4
    values[:, 2] = 1 / 3
    scores = np.array([[[0.6], [0.6], [1 / 3]], [[0.4], [0.8], [0.2]]])
    runs = ScoreTable(("a", "b"), ("0", "1", "2"), (measure,), scores)
    stored = values.astype(kind).astype(float)
    of_references = fit_factors(ScoreTable(tuple(map(str, range(12))), runs.topics, (measure,), stored))
    stored_factors = replace(of_references, mean=of_references.mean.astype(kind).astype(float), reference=None)
    for factors in (of_references, stored_factors):
        np.testing.assert_array_equal(standardize(runs, factors, "n").values[:, 1:, 0], [[0.5, 0.5], [1, 0]])


def test_tiny_scores_are_above_references_that_are_all_0():
    """Zeros are 32-bit floats, too, but say nothing of the digits of other scores."""
    axes, scores = (("1", "2", "3"), ("rbp_p=0.5",)), np.array([[[0.0], [0.5], [0.1]], [[0.0], [0.5], [0.2]]])
    references = ScoreTable(("x", "y"), *axes, scores)
    runs = ScoreTable(("a",), *axes, np.array([[[2.0**-40], [0.5 + 2.0**-33], [0.1]]]))
    assert standardize(runs, fit_factors(references)).values[0, :2, 0].tolist() == [1, 1]


FRACTIONS = np.array([1 / 3, 2 / 3, 1 / 7, 1 / 30, 0.6, 1.0, 0.0, 1 / 11] * 5)
"""Scores that all references share on every topic but each third one."""


def printed(numbers: np.ndarray, digits: int) -> np.ndarray:
    """The numbers as they are read after they were printed with some significant digits, as awk prints six."""
    return np.array([float(f"{number:.{digits}g}") for number in numbers.flat]).reshape(numbers.shape)


def table_of_references() -> ScoreTable:
    values = np.ones((12, 1, 1)) * FRACTIONS[:, np.newaxis]
    values[:, ::3, 0] = np.random.default_rng(0).integers(0, 31, (12, 14)) / 30
    return table_of(values)


@pytest.mark.parametrize("digits", [4, 5, 6, 7, 9, 17])
def test_factors_of_awk(digits: int):
    """The sum of squares less the square of the sum leaves 1e-8 where all scores are equal."""
    references = replace(table_of_references(), measures=("map",))
    n, total = len(references.systems), references.values.sum(axis=0)
    squares = (references.values**2).sum(axis=0)
    sd = np.sqrt(np.maximum(squares - total**2 / n, 0) / (n - 1))
    axes, numbers = (references.topics, references.measures), np.full(sd.shape, n)
    factors = Factors(*axes, printed(total / n, digits), printed(sd, digits), numbers)
    run = references.select(systems=["s0"])
    shared = np.arange(len(FRACTIONS)) % 3 != 0
    np.testing.assert_allclose(standardize(run, factors, "n").values.ravel()[shared], 0.5, atol=1e-6)
    np.testing.assert_array_equal(np.isnan(standardize(run, factors, "z").values.ravel()), shared)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_factors_of_scores_that_trec_eval_printed(kind: type):
    """Their mean may be 0.13330000000000003, or a 32-bit float, and its noise tells nothing of the scores."""
    references = table_of_references()
    short = np.round(references.values, 4).astype(kind)
    mean, sd = (each.astype(float) for each in (short.mean(axis=0), short.std(axis=0, ddof=1)))
    factors = Factors(references.topics, references.measures, mean, sd, np.full(sd.shape, len(short)))
    scores = standardize(references.select(systems=["s0"]), factors, "n").values.ravel()
    np.testing.assert_allclose(scores[np.arange(len(FRACTIONS)) % 3 != 0], 0.5, atol=1e-6)


@pytest.mark.parametrize("digits", [3, 4, 5, 6, 9])
@pytest.mark.parametrize("noise", [0, 1e-8])
def test_scores_printed_with_some_digits_equal_the_common_score(digits: int, noise: float):
    references = replace(table_of_references(), measures=("map",))
    runs = replace(references, values=printed(references.values, digits)).select(systems=["s0"])
    factors = fit_factors(references)
    scores = standardize(runs, replace(factors, sd=factors.sd + noise * factors.mean)).values.ravel()
    np.testing.assert_array_equal(scores[np.arange(len(FRACTIONS)) % 3 != 0], 0.5)


def test_short_scores_by_rank_biased_precision_are_exact():
    """A relevant document at rank 4 alone has the score 0.2 0.8^3, and 0.2 0.8^49 is less than its last decimal."""
    axes = (("1", "2"), ("rbp_p=0.8",))
    references = ScoreTable(("x", "y"), *axes, np.array([[[0.1024], [0.2]], [[0.1024], [0.36]]]))
    runs = ScoreTable(("a",), *axes, np.array([[[0.1024 + 0.2 * 0.8**49], [0.2]]]))
    assert standardize(runs, fit_factors(references)).values[0, 0, 0] == 1


@pytest.mark.parametrize("form", ["32-bit floats", "means of 32-bit floats", "16-bit floats", ".9g", ".8f"])
def test_short_scores_equal_the_common_score_however_it_is_stored(form: str):
    """By P_10 all scores of a run are short, and say nothing of the precision of the factors."""
    common = np.arange(1, 11) / 10
    kind = np.float16 if "16" in form else np.float32
    stored = common.astype(kind).astype(float)
    if form == "means of 32-bit floats":
        stored = np.array([np.full(14, score).cumsum()[-1] / 14 for score in stored])
    elif form.startswith("."):
        stored = np.array([float(format(score, form)) for score in stored])
    topics = tuple(map(str, range(11)))
    mean, sd = np.append(stored, 0.123456789)[:, np.newaxis], np.append(0 * stored, 0.1234)[:, np.newaxis]
    factors = Factors(topics, ("P_10",), mean, sd, np.full((11, 1), 14))
    own = np.append(common, 0.3)[:, np.newaxis]
    scores = standardize(ScoreTable(("a", "b"), topics, ("P_10",), np.stack([own, own + 0.1])), factors)
    np.testing.assert_array_equal(scores.values[:, :10, 0], [[0.5] * 10, [1] * 10])
