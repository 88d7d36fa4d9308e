"""Parsing chunks: reading a chunk at once and reading it line by line agree."""

from __future__ import annotations

from random import Random

import pytest

from stdeval.errors import InputError
from stdeval.formats.csv_tables import parse_number
from stdeval.trec.lines import _QRELS_FORMS, _RUN_FORMS, QRELS_FORM, RUN_FORM, read_columns
from stdeval.trec.reading import Lines, _at_once, _grouped, column_lines
from tests.fuzz.reading import QRELS, RUNS, content


def by_line(lines: Lines) -> object:
    """The topic, docno, value and number of each line, and the number of lines."""
    topics = [topic for topic, start, end in lines.groups for _ in range(start, end)]
    return topics, lines.docnos, lines.values, list(lines.numbers), lines.n_read


FORMS = dict(zip(RUNS + QRELS, [*_RUN_FORMS.values(), *_QRELS_FORMS.values()], strict=True))


@pytest.mark.parametrize("kind", FORMS)
def test_a_chunk_read_at_once_has_the_lines_that_reading_them_one_by_one_gives(kind: str):
    """None of them is refused."""
    rng, form, n_whole = Random(kind), FORMS[kind], 0
    for _ in range(500):
        chunk = content(rng, kind).removeprefix(b"\xef\xbb\xbf").rstrip(b"\n") + b"\n"
        whole = _at_once(chunk, 1, form)
        if whole is not None:
            n_whole += 1
            read = _grouped(read_columns(chunk, 1, "file", form, ""), chunk, form)
            assert by_line(whole) == by_line(read), chunk
            assert (whole.tag, whole.ranks) == (read.tag, read.ranks), chunk
    assert 200 < n_whole < 480


def test_zeros_in_front_of_a_judgment_do_not_change_it():
    zeros = b"0" * 30
    lines = b"1 0 d1 " + zeros + b"5\n1 0 d2 -" + zeros + b"1\n1 0 d3 +0\n"
    assert column_lines(lines, 1, "q", QRELS_FORM).values == [5, -1, 0]


@pytest.mark.parametrize("score", ["1" * 300_000, "1" * 300_000 + "x", "1e" + "1" * 300_000], ids=len)
def test_long_numbers_are_refused_in_linear_time(score: str):
    """In quadratic time, each would take most of an hour."""
    with pytest.raises(InputError, match="expected a finite decimal number"):
        column_lines(f"1 Q0 d1 1 {score} t\n".encode(), 1, "r", RUN_FORM)
    with pytest.raises(InputError, match="expected a finite decimal number"):
        parse_number(score, "s.csv", 2, "score")
