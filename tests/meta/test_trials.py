"""Random samples: permutations, and the same whatever comes after them."""

from __future__ import annotations

import numpy as np
import pytest

from stdeval.errors import InputError
from stdeval.meta.trials import check_scores, check_sizes, membership, permutations

pytestmark = pytest.mark.oracle


def test_every_trial_is_a_permutation():
    order = np.concatenate(list(permutations(7, 230, np.random.default_rng(3))))
    assert order.shape == (230, 7)
    assert (np.sort(order, axis=1) == np.arange(7)).all()


def test_a_seed_stands_for_its_generator():
    for seed in (3, np.int64(3)):
        drawn, expected = (
            np.concatenate(list(permutations(5, 9, rng))) for rng in (seed, np.random.default_rng(3))
        )
        assert (drawn == expected).all()


@pytest.mark.parametrize("rng", [None, -1, 0.5, "0", np.random])
def test_anything_else_is_refused_with_what_is_expected(rng):
    expected = r"^rng .*, expected a seed from 0, such as 1, or a generator, such as numpy.random.default_rng\(1\)$"
    with pytest.raises(InputError, match=expected):
        list(permutations(5, 9, rng))


def test_a_longer_experiment_begins_with_the_trials_of_a_shorter_one():
    short, long = (np.concatenate(list(permutations(9, n, np.random.default_rng(3)))) for n in (130, 250))
    assert (long[:130] == short).all()


def test_every_position_is_equally_likely():
    order = np.concatenate(list(permutations(5, 5000, np.random.default_rng(3))))
    counts = np.array([np.bincount(column, minlength=5) for column in order.T])
    assert abs(counts - 1000).max() < 5 * np.sqrt(5000 * 0.2 * 0.8)


def test_membership_marks_the_members():
    order = np.concatenate(list(permutations(9, 20, np.random.default_rng(3))))
    rows = membership(order[:, :4], 9)
    assert all(set(np.flatnonzero(row)) == set(members[:4]) for row, members in zip(rows, order, strict=True))
    assert (rows.sum(axis=1) == 4).all()


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((1, 9)), "1 system, expected at least 3"),
        (np.zeros((2, 9)), "2 systems, expected at least 3"),
        (np.zeros((3, 1)), "1 topic, expected at least 4"),
        (np.zeros((3, 3)), "3 topics, expected at least 4"),
        (np.full((3, 4), np.nan), r"12 scores are missing, .*: table\.complete\(\) keeps only such topics"),
    ],
)
def test_scores_of_no_use_are_refused(scores, message):
    with pytest.raises(InputError, match=message):
        check_scores(scores)


def test_sizes_and_trials_out_of_range_are_refused():
    with pytest.raises(InputError, match="samples of 6 references, expected 2 to 5"):
        check_sizes([2, 5, 6], 5, "references")
    with pytest.raises(InputError, match="0 trials"):
        list(permutations(5, 0, np.random.default_rng(3)))
