"""Standardized scores of tables: what they must equal, and what must not change them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.errors import InputError
from stdeval.standardization.factors import Factors, fit_factors
from stdeval.standardization.schemes import standardize
from stdeval.table import ScoreTable

pytestmark = pytest.mark.oracle

# as scores of effectiveness are: four decimals, many ties
scores = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(1, 5), st.integers(1, 2)),
    elements=st.integers(0, 10_000).map(lambda i: i / 10_000),
)


def table_of(values: np.ndarray) -> ScoreTable:
    systems, topics, measures = (
        tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("stm", values.shape, strict=True)
    )
    return ScoreTable(systems, topics, measures, values)


@given(scores, st.data())
def test_affine_rescaling_of_topics_changes_nothing(values: np.ndarray, data: st.DataObject):
    """Z, N, U, E and M of a x + b are those of x, with a > 0 and b of each topic: AP or SP, it is the same."""
    shape = (1, values.shape[1], 1)
    # powers of two, and scores with few digits, keep equal scores equal
    a = 2.0 ** data.draw(hnp.arrays(np.int64, shape, elements=st.integers(-20, 20)))
    b = a * data.draw(hnp.arrays(np.int64, shape, elements=st.integers(-3, 3)))
    short = np.round(values * 2**14)
    for scheme in "ZNUEM":
        expected = standardize(table_of(short), scheme=scheme).values
        rescaled = standardize(table_of(a * short + b), scheme=scheme).values
        np.testing.assert_allclose(rescaled, expected, rtol=1e-9, atol=1e-9)


@given(scores)
def test_self_standardized_moments(values: np.ndarray):
    spread = values.max(axis=0) > values.min(axis=0)
    z = standardize(table_of(values), scheme="Z").values
    u = standardize(table_of(values), scheme="U", censor=False).values
    for scored, mean, sd in ((z, 0, 1), (u, 0.5, 0.15)):
        np.testing.assert_allclose(scored.mean(axis=0)[spread], mean, atol=1e-9)
        np.testing.assert_allclose(scored.std(axis=0, ddof=1)[spread], sd, atol=1e-9)
        assert np.isnan(scored[:, ~spread]).all()


def test_references_that_differ_by_noise_alone_are_equal():
    table = table_of(np.array([0.1 + 0.2, 0.3, 0.3]).reshape(3, 1, 1))
    assert fit_factors(table).sd == 0
    assert standardize(table, scheme="N").values.ravel().tolist() == [0.5] * 3


# few levels, so that many topics have references that are all equal
levels = st.integers(0, 2).map(lambda i: i / 5)


@st.composite
def yardsticks(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Scores of references, and of two systems of which the second is at least as good on every topic."""
    n_topics = draw(st.integers(1, 6))
    references = draw(hnp.arrays(np.float64, (draw(st.integers(2, 4)), n_topics, 1), elements=levels))
    worse = draw(hnp.arrays(np.float64, (n_topics, 1), elements=levels))
    gains = draw(hnp.arrays(np.float64, (n_topics, 1), elements=levels))
    return references, np.stack([worse, worse + gains])


@given(yardsticks(), st.sampled_from("ZNUEM"), st.booleans(), st.sampled_from([None, 1, 4]), st.booleans())
def test_a_system_at_least_as_good_on_every_topic_never_has_the_lower_mean(
    drawn, scheme: str, censor: bool, decimals: int | None, rounded: bool
):
    references, systems = drawn
    factors = replace(fit_factors(table_of(references)), decimals=decimals, rounded=rounded)
    scored = standardize(table_of(systems), factors, scheme, censor=censor).values[:, :, 0]
    missing = np.isnan(scored)
    np.testing.assert_array_equal(missing[0], missing[1])
    if not missing.all():
        worse, better = np.nanmean(scored, axis=1)
        assert better >= worse - 1e-12


def test_topics_without_factors_are_missing():
    table = ScoreTable(("a",), ("1", "2"), ("map",), np.array([[[0.5], [0.5]]]))
    known = Factors(("2",), ("map",), np.array([[0.4]]), np.array([[0.1]]), np.array([[9]]))
    np.testing.assert_allclose(standardize(table, known, "z").values.ravel(), [np.nan, 1])


@pytest.mark.parametrize(
    ("scheme", "topics", "measures", "words"),
    [
        ("x", ("1",), ("map",), "no scheme 'x', expected one of: z, n, u, e, m"),
        ("E", ("1",), ("map",), "scheme e needs the reference scores themselves"),
        ("Z", ("7",), ("map",), "no topic in common: the factors have '7', the scores '1'"),
        ("Z", ("1",), ("bpref",), "no measure in common: the factors have bpref, the scores map"),
    ],
)
def test_refused(scheme: str, topics: tuple[str, ...], measures: tuple[str, ...], words: str):
    table = ScoreTable(("a",), ("1",), ("map",), np.array([[[0.5]]]))
    one = np.ones((1, 1))
    with pytest.raises(InputError) as raised:
        standardize(table, Factors(topics, measures, one, one, one.astype(np.int64)), scheme)
    assert words in str(raised.value)
