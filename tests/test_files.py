"""Inputs can be read again, and outputs appear complete or not at all."""

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
from stdeval.files import Input, binary_output, display_name, output, read_bytes, text_lines, whole_lines
from stdeval.formats.readers import read_factors, read_scores_or_factors
from stdeval.formats.scores_csv import read_scores

TEXT = b"first\nsecond\n\nlast without end"
COMPRESSORS = [bytes, gzip.compress, bz2.compress, lzma.compress]


@pytest.mark.parametrize("compress", COMPRESSORS)
@pytest.mark.parametrize("content", [b"", b"x", TEXT, TEXT * 1000])
def test_compressed_content_is_decompressed_each_time(write, compress, content: bytes):
    source = Input(write("any.name", compress(content)))
    assert read_bytes(source) == read_bytes(source) == content


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_byte_order_mark_is_skipped(write, compress):
    assert read_bytes(Input(write("f", compress(b"\xef\xbb\xbf" + TEXT)))) == TEXT
    assert read_bytes(Input(write("f", compress(b"\xef\xbb")))) == b"\xef\xbb"


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


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, InputError])
def test_output_appears_complete_or_not_at_all(tmp_path: Path, error: type[BaseException]):
    target = tmp_path / "out"
    target.write_text("old")

    def failing() -> None:
        with output(str(target)) as out:
            out.write("new" * 100_000)
            assert target.read_text() == "old"
            raise error("stop")

    with pytest.raises(error):
        failing()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out": "old"}
    with output(str(target)) as out:
        out.write("new\udcff\n")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out": b"new\xff\n"}


def test_nothing_goes_to_stdout_before_the_end(capfdbinary):
    def failing() -> None:
        with output(None) as out:
            out.write("new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert capfdbinary.readouterr().out == b""
    with output("-") as out:
        out.write("new\udcff\n")
    assert capfdbinary.readouterr().out == b"new\xff\n"


@pytest.mark.parametrize(
    ("ending", "decompress"),
    [(".gz", gzip.decompress), (".bz2", bz2.decompress), (".xz", lzma.decompress), (".GZ", gzip.decompress)],
)
def test_outputs_are_compressed_by_their_ending(tmp_path: Path, ending: str, decompress):
    """The same text gives the same bytes, whatever the name and the time."""
    contents = []
    for name in ("one", "two"):
        with output(str(tmp_path / (name + ending))) as out:
            out.write("new\udcff\n" * 100_000)
        contents.append((tmp_path / (name + ending)).read_bytes())
    assert contents[0] == contents[1]
    assert decompress(contents[0]) == b"new\xff\n" * 100_000
    assert len(contents[0]) < 10_000


def test_a_gzip_file_has_neither_name_nor_time(tmp_path: Path):
    """RFC 1952, section 2.3: no flags in byte 4, and 0 in the four bytes of the time."""
    with output(str(tmp_path / "a.gz")) as out:
        out.write("text")
    assert (tmp_path / "a.gz").read_bytes()[:8] == b"\x1f\x8b\x08" + bytes(5)


def test_compressed_output_appears_complete_or_not_at_all(tmp_path: Path):
    target = tmp_path / "out.gz"
    target.write_bytes(b"old")

    def failing() -> None:
        with output(str(target)) as out:
            out.write("new" * 100_000)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out.gz": b"old"}


def test_a_binary_device_is_written_to_directly():
    with binary_output("/dev/null") as out:
        out.write(b"x")
    assert Path("/dev/null").is_char_device()


def test_a_terminal_shows_no_control_characters():
    """Newlines and tabs stay; a pipe gets the bytes as they are (see the tests of stdout above)."""
    primary, secondary = os.openpty()
    with output(os.ttyname(secondary)) as out:
        out.write("map\tall\x1b[2J\u202e\n")
    os.close(secondary)
    assert (
        os.read(primary, 1000).replace(b"\r\n", b"\n") == rb"map	all\x1b[2J\u202e".replace(rb"\t", b"\t") + b"\n"
    )
    os.close(primary)


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
    with pytest.raises(InputError, match=rf"s\.csv\.gz:{n + 1}: .* a second time"):
        read(Input(path))
    path.write_bytes(gzip.compress(text + b"\n\0", 1))
    with pytest.raises(InputError, match=rf"s\.csv\.gz:{n + 2}: a NUL byte"):
        read(Input(path))


def test_a_long_stretch_of_blanks_within_a_line_is_not_taken_for_the_end_of_the_line(write):
    blanks = b" " * (1 << 20)
    assert len(text_lines(Input(write("f", b"a" + blanks + b"b\n\nc\n")))) == 3
    with pytest.raises(InputError, match="f:2: not CSV: field larger"):
        read_scores(Input(write("f", b'run,topic,map\n"a' + blanks + b'b",1,0.5\n')))
