"""Inputs: compressed or not, read more than once, and refused if they are damaged."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import threading
from pathlib import Path

import pytest

from stdeval import files
from stdeval.errors import InputError
from stdeval.files import Input, display_name, whole_lines

TEXT = b"first\nsecond\n\nlast without end"

COMPRESSORS = [bytes, gzip.compress, bz2.compress, lzma.compress]


def read_bytes(source: Input) -> bytes:
    with source.open() as stream:
        return stream.read()


@pytest.mark.parametrize("compress", COMPRESSORS)
@pytest.mark.parametrize("content", [b"", b"x", TEXT, TEXT * 1000])
def test_compressed_content_is_decompressed_each_time(write, compress, content: bytes):
    source = Input(write("any.name", compress(content)))
    assert read_bytes(source) == read_bytes(source) == content


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_byte_order_mark_is_skipped(write, compress):
    assert read_bytes(Input(write("f", compress(b"\xef\xbb\xbf" + TEXT)))) == TEXT
    assert read_bytes(Input(write("f", compress(b"\xef\xbb")))) == b"\xef\xbb"


@pytest.mark.parametrize("chunk", [1, 8, 1000])
def test_byte_order_marks_of_joined_files_are_skipped(write, chunk: int):
    bom = b"\xef\xbb\xbf"
    source = Input(write("f", bom + b"a\n" + bom + bom + b"b" + bom + b"\n\xefc\n" + bom + b"d"))
    assert b"".join(whole_lines(source, chunk)) == b"a\n" + bom + b"b" + bom + b"\n\xefc\nd\n"
    assert (source.has_bom, source.has_inner_bom) == (True, True)
    source = Input(write("f", "é\n".encode()))
    assert (b"".join(whole_lines(source)), source.has_inner_bom) == ("é\n".encode(), False)


@pytest.mark.parametrize(
    ("compress", "kind"), [(gzip.compress, "gzip"), (bz2.compress, "bzip2"), (lzma.compress, "xz")]
)
def test_damaged_files_are_refused(write, compress, kind: str):
    compressed = compress(bytes(range(256)) * 500)
    with pytest.raises(InputError, match=f"f: truncated {kind} file"):
        read_bytes(Input(write("f", compressed[:-20])))
    middle = len(compressed) // 2
    with pytest.raises(InputError, match=f"f: damaged {kind} file"):
        read_bytes(Input(write("f", compressed[:middle] + b"\x00\xff" * 8 + compressed[middle + 16 :])))


def test_a_file_of_two_compressed_parts_is_read_whole(write):
    """`cat a.gz b.gz` is a gzip file too."""
    assert read_bytes(Input(write("f", gzip.compress(b"a\n") + gzip.compress(b"b\n")))) == b"a\nb\n"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"PK\x03\x04\x14\x00", "a zip archive"),
        (b"\x28\xb5\x2f\xfd\x04", "a zstd file"),
        ("301 0 a 1\n".encode("utf-16"), "UTF-16 text"),
    ],
)
def test_files_of_other_kinds_are_named(write, content: bytes, kind: str):
    with pytest.raises(
        InputError, match=f"f: {kind}, expected UTF-8 text, plain or compressed by gzip, bzip2 or xz"
    ):
        read_bytes(Input(write("f", content)))


@pytest.mark.parametrize(("name", "words"), [("absent", "no such file"), (".", "is a directory")])
def test_files_that_cannot_be_opened_are_refused(tmp_path: Path, name: str, words: str):
    with pytest.raises(InputError, match=words):
        read_bytes(Input(tmp_path / name))


def test_pipe_is_read_twice(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(TEXT),))
    writer.start()
    source = Input(pipe)
    assert read_bytes(source) == read_bytes(source) == TEXT
    writer.join()


def test_standard_input_is_read_twice(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    source = Input("-")
    assert source.name == display_name("-") == "<stdin>"
    assert read_bytes(source) == read_bytes(source) == TEXT


@pytest.mark.parametrize("chunk", [1, 2, 6, 7, 1000])
def test_chunks_end_with_lines(write, chunk: int):
    chunks = list(whole_lines(Input(write("f", TEXT)), chunk))
    assert b"".join(chunks) == TEXT + b"\n"
    assert all(part.endswith(b"\n") for part in chunks)


def test_endless_line_is_refused(write, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    with pytest.raises(InputError, match="a line longer than"):
        list(whole_lines(Input(write("f", b"x" * 5000)), 100))
