"""Names shortened to a number of characters can still be told apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stdeval.plots.layout import printable, short_names

words = st.sampled_from(["monot5", "base", "large", "doc2query", "rm3", "清华", "1", "12", "…", "\n", "(2)"])
families = st.lists(st.lists(words, max_size=9).map("-".join) | st.text(max_size=40), max_size=12)


@given(families, st.integers(8, 40))
def test_different_names_stay_different(names, limit):
    labels = short_names(names, limit)
    assert len(set(labels)) == len(set(names))
    assert [labels[names.index(name)] for name in names] == labels
    assert all(len(label) <= limit and label.isprintable() for label in labels)


@given(st.lists(st.text(max_size=8), max_size=9))
def test_short_names_stay_as_they_are(names):
    texts = {name: printable(name) for name in names}
    if len(set(texts.values())) == len(texts):
        assert short_names(names, 8) == [texts[name] for name in names]


def test_what_all_share_is_dropped_and_not_what_differs():
    names = [f"monot5-base-expansion-{depth}-title-expansion-rrf60" for depth in (10, 50, 100, 1000)]
    for label, depth in zip(short_names(names, 24), ("-10-", "-50-", "-100-", "-1000-"), strict=True):
        assert depth[1:] in label
        assert label.startswith("mono")
        assert label.endswith("rrf60")


def test_words_that_differ_in_several_places_all_stay():
    kinds = [(a, b) for a in ("base", "large") for b in ("rm3", "bo1")]
    names = [f"dense-model-{a}-with-a-long-middle-{b}-and-a-long-end" for a, b in kinds]
    for (a, b), label in zip(kinds, short_names(names, 20), strict=True):
        assert a in label
        assert b in label


def test_names_that_differ_in_nothing_that_can_be_shown_get_numbers():
    assert short_names(["a\x1b", "a\x1c", "a\x1b"], 8) == ["a\ufffd", "a\ufffd (2)", "a\ufffd"]


def test_a_name_that_is_short_enough_keeps_its_text_before_others_get_a_number():
    names = ["a\x1b", "a\ufffd"]
    assert short_names(names, 8) == ["a\ufffd (2)", "a\ufffd"]
