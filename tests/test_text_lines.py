"""Lines of text: their numbers, also after long stretches of blank lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from stdeval.errors import InputError
from stdeval.files import Input, text_lines
from stdeval.formats.readers import read_factor_files as read_factors
from stdeval.formats.readers import read_scores_or_factors
from stdeval.formats.scores_csv import read_scores


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\r\nb\n", ["a", "b"]),
        (b"\xff\n", ["\udcff"]),
        (b"a\n\n", ["a", ""]),
    ],
)
def test_text_lines(write, content: bytes, lines: list[str]):
    assert text_lines(Input(write("f", content))) == lines


def test_nul_in_text_is_refused_at_its_line(write):
    with pytest.raises(InputError, match="f:2: a NUL byte"):
        text_lines(Input(write("f", b"a\nb\0\n")))


BLANK = {"newlines": b"\n", "lines of blanks": b" \t \n", "newlines of Windows": b"\r\n"}


@pytest.mark.parametrize("blank", BLANK.values(), ids=BLANK)
@pytest.mark.parametrize(
    ("read", "header", "row"),
    [
        (read_scores, b"run,topic,map\n", b"%s,1,0.5\n"),
        (lambda source: read_factors([source]), b"", b"1 %s 0.5 0.1\n"),
        (read_scores_or_factors, b"runid\tall\tx\n", b"%s\t1\t0.5\n"),
    ],
)
def test_millions_of_blank_lines_in_a_small_file_take_no_memory_and_count(
    tmp_path: Path, read, header: bytes, row: bytes, blank: bytes
):
    path = tmp_path / "s.csv.gz"
    long, longer = (blank * ((n << 20) // len(blank)) for n in (2, 3))
    text = header + row % b"map" + long + row % b"P_10" + longer
    n = text.count(b"\n")
    path.write_bytes(gzip.compress(text, 1))
    assert len(text_lines(Input(path))) < 1 << 20
    read(Input(path))
    path.write_bytes(gzip.compress(text + row % b"map", 1))
    with pytest.raises(InputError, match=rf"s\.csv\.gz:{n + 1}: .* appear twice"):
        read(Input(path))
    path.write_bytes(gzip.compress(text + b"\n\0", 1))
    with pytest.raises(InputError, match=rf"s\.csv\.gz:{n + 2}: a NUL byte"):
        read(Input(path))


def test_a_long_stretch_of_blanks_within_a_line_is_not_taken_for_the_end_of_the_line(write):
    blanks = b" " * (1 << 20)
    assert len(text_lines(Input(write("f", b"a" + blanks + b"b\n\nc\n")))) == 3
    with pytest.raises(InputError, match="f:2: not CSV: a field of more than 131,072 characters"):
        read_scores(Input(write("f", b'run,topic,map\n"a' + blanks + b'b",1,0.5\n')))
