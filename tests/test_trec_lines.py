"""Parsing chunks: reading a chunk at once and reading it line by line agree."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.trec_lines import (
    Lines,
    _checked_judgment,
    _checked_score,
    _line_by_line,
    _neighbours,
    _qrels_chunk,
    _run_chunk,
)

words = st.text("ab1.\u00e9-", min_size=1, max_size=3)
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["1", "+.5", "1.", "-0", "1e3", "nan", "inf", "1_0", "0x1", "", "1e400", "\u0661", "x"]),
)
entries = st.tuples(words, st.just("Q0"), words, st.just("1"), numbers, st.text("ab c", max_size=4))
sound = st.from_regex(rb"([12] Q0 [abc] 1 0\.5 [st]\n){0,6}", fullmatch=True)
loose = st.lists(st.sampled_from(["1", "2", "0.5"]), max_size=8).map(tuple)
judgments = st.tuples(st.sampled_from("12"), st.just("0"), words, st.sampled_from(["0", "1", "2.0", "-1", "x", ""]))
blanks = st.sampled_from([" ", "\t", "  ", " \t"])
ends = st.sampled_from(["", "", "", "", " ", "\t", "\r", " \r", "\r ", "\x1c", "\xa0"])


def chunks(lines: st.SearchStrategy[tuple[str, ...]]) -> st.SearchStrategy[bytes]:
    """Lines of fields, between blanks of all kinds, as a file has them."""
    spaced = st.tuples(ends, lines, blanks, ends)
    return st.lists(spaced, max_size=6).map(
        lambda parts: "".join(f"{before}{b.join(line)}{after}\n" for before, line, b, after in parts).encode()
    )


def by_line(lines: Lines) -> object:
    """The topic, tag, docno, value and number of each line, and the number of lines."""
    topics = [topic for topic, start, end in lines.groups for _ in range(start, end)]
    tags = [
        max((line, tag) for tag, line in lines.tags if line <= number)[1] for number in lines.numbers if lines.tags
    ]
    return topics, tags, lines.tags[:1], lines.docnos, lines.values, list(lines.numbers), lines.n_read


def agree(whole: Lines | None, chunk: bytes, checked_value: Callable[[list[bytes], str, int], float]) -> None:
    """Check that a chunk read at once has the lines that reading them one by one gives, none of them refused."""
    if whole is not None:
        assert by_line(whole) == by_line(_line_by_line(chunk, 1, "file", checked_value))


@given(st.one_of(chunks(st.one_of(entries, loose)), sound))
def test_both_ways_of_reading_a_run_agree(chunk: bytes):
    agree(_run_chunk(chunk, 1), chunk, _checked_score)


@given(chunks(st.one_of(judgments, loose)))
def test_both_ways_of_reading_qrels_agree(chunk: bytes):
    agree(_qrels_chunk(chunk, 1), chunk, _checked_judgment)


@given(st.one_of(st.lists(st.sampled_from("ab")), st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 50)))))
def test_equal_neighbours_are_grouped(parts: list[str | tuple[str, int]]):
    keys = "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)
    grouped = _neighbours([key.encode() for key in keys])
    assert "".join(key.decode() * (end - start) for key, start, end in grouped) == keys
    assert [start for _, start, _ in grouped] == [0, *(end for _, _, end in grouped)][: len(grouped)]
    assert all(start < end for _, start, end in grouped)
    assert all(one[0] != next_one[0] for one, next_one in pairwise(grouped))


@pytest.mark.parametrize(
    "chunk",
    [
        b"1 Q0 d 1 0.5 t\n2 Q0 d 1 0.5 t\n",
        b"1\tQ0\td\t1\t0.5\tt\r\n1 Q0 e 2 -1e-3 t\r\n",
        b" 1 Q0 d 1 0.5 my_tag \n1 Q0 e 2 0.25 other\n",
    ],
)
def test_usual_chunks_of_a_run_are_read_at_once(chunk: bytes):
    assert _run_chunk(chunk, 1) is not None


def test_usual_chunks_of_qrels_are_read_at_once():
    assert _qrels_chunk(b"1 0 d 1\n1 0 e -1\n2 0 d 2.0 \n", 1) is not None
