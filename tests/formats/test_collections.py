"""Scores files joined to compare collections: which belong together, and what is known of the result."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stdeval.errors import InputError
from stdeval.formats.readers import collection_numbers, join_collections, join_scores, topics_of_other_collections
from stdeval.provenance import Origin, Standardization
from stdeval.table import ScoreTable


def table(system: str, judgments: str = "", **known) -> ScoreTable:
    """Scores of one system on two topics; `judgments` has a digest for each, of one character, or a blank."""
    by_topic = {topic: digest for topic, digest in zip("12", judgments, strict=False) if digest.strip()}
    return ScoreTable((system,), ("1", "2"), ("map",), [[[0.5], [0.5]]], Origin(by_topic, **known))


def joined(*tables: ScoreTable) -> ScoreTable:
    files, numbers = [f"{i}.csv" for i, _ in enumerate(tables)], collection_numbers(tables)
    return join_scores(tables, files) if {*numbers} == {1} else join_collections(tables, files, numbers)


def topics_of(both: ScoreTable, system: str) -> list[str]:
    scored = ~np.isnan(both.values[both.systems.index(system), :, 0])
    return [topic for topic, has in zip(both.topics, scored.tolist(), strict=True) if has]


def test_other_judgments_of_a_topic_or_in_the_signatures_are_another_collection():
    both = joined(table("a", "xx"), table("b", "xy"))
    assert (topics_of(both, "a"), topics_of(both, "b")) == (["1/1", "1/2"], ["2/1", "2/2"])
    a, b, c = (table(name, digest=each, n_judged=2) for name, each in zip("abc", "xyx", strict=True))
    both = joined(a, b, c)
    assert [topics_of(both, name)[0] for name in "abc"] == ["1/1", "2/1", "1/1"]
    assert (both.origin, joined(a, c).origin) == (Origin(), a.origin)


@pytest.mark.parametrize("order", list(permutations("abcd")))
def test_files_of_several_collections_are_found_in_any_order(order):
    judgments = {"a": "xx", "b": "yy", "c": "xx", "d": "zz"}
    both = joined(*(table(name, judgments[name]) for name in order))
    numbers = {name: topics_of(both, name)[0][0] for name in order}
    assert numbers["a"] == numbers["c"]
    assert len(set(numbers.values())) == 3
    assert numbers[order[0]] == "1"


@pytest.mark.parametrize(
    ("first", "second"), [("", "xx"), ("xx", ""), ("x ", " y"), ("xx", "xx"), ("x ", "xy"), ("xy", "x ")]
)
def test_unknown_judgments_are_no_other_ones(first: str, second: str):
    assert joined(table("a", first), table("b", second)).topics == ("1", "2")
    assert joined(table("a", digest="x", n_judged=2), table("b")).topics == ("1", "2")


def test_collections_may_be_standardized_by_other_factors():
    """Nothing is known of where the scores of all come from."""
    factors = [Standardization(("Z",), (), digest, 2, 10) for digest in ("0123abcd", "ffffffff")]
    both = joined(*(table(name, 2 * name, standardization=own) for name, own in zip("ab", factors, strict=True)))
    assert (len(both.topics), both.origin) == (4, Origin())


def test_a_run_that_two_files_of_other_collections_have_is_refused():
    with pytest.raises(InputError, match=r"2\.csv: run 'a' is also in 0\.csv, expected each name once"):
        joined(table("a", "xx"), table("b", "xx"), table("a", "yy"))


@given(hnp.arrays(np.bool_, st.tuples(st.integers(1, 5), st.integers(1, 5))))
def test_topics_of_other_collections_by_plain_loops(is_scored: np.ndarray):
    systems, topics = (range(n) for n in is_scored.shape)
    found = topics_of_other_collections(is_scored)
    for system, topic in product(systems, topics):
        related = [i for i in systems if any(is_scored[i, t] and is_scored[system, t] for t in topics)]
        assert found[system, topic] == (not any(is_scored[i, topic] for i in related))
