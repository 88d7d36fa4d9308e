"""Inputs: compressed or not, in one part or several, read more than once, and refused if they are damaged."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stdeval import files
from stdeval.errors import InputError
from stdeval.files import Input, numbered_lines, whole_lines

TEXT = b"first\nsecond\n\nlast\n"
BOM = b"\xef\xbb\xbf"
PARTS = [b"1 0 d1 1\n" * 1000, b"2 0 d2 1\n" * 20_000, b"", b"3\n"]
COMPRESSORS = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
KINDS = [kind for kind in COMPRESSORS if kind != "plain"]


def content(source: Input) -> bytes:
    return b"".join(whole_lines(source))


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("text", [b"", b"\n", TEXT, TEXT * 1000])
def test_compressed_content_is_decompressed_each_time(write, kind: str, text: bytes):
    source = Input(write("any.name", COMPRESSORS[kind](text)))
    assert content(source) == content(source) == text


@pytest.mark.parametrize("kind", KINDS)
def test_members_are_read_one_after_the_other_and_zeros_may_follow(write, kind: str):
    """`cat a.gz b.gz` is a gzip file too."""
    source = Input(write("f", bytes(4).join(map(COMPRESSORS[kind], PARTS)) + bytes(200_000)))
    assert content(source) == content(source) == b"".join(PARTS)


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("end", range(5))
def test_byte_order_mark_is_skipped(write, kind: str, end: int):
    """A member may end anywhere in it."""
    parts = [(BOM + b"x\n")[:end], (BOM + b"x\n")[end:]]
    assert content(Input(write("f", b"".join(map(COMPRESSORS[kind], parts))))) == b"x\n"


@pytest.mark.parametrize("chunk", [1, 8, 1000])
def test_byte_order_marks_of_joined_files_are_skipped(write, chunk: int):
    source = Input(write("f", BOM + b"a\n" + BOM + BOM + b"b" + BOM + b"\n\xefc\n" + BOM + b"d"))
    assert b"".join(whole_lines(source, chunk)) == b"a\n" + BOM + b"b" + BOM + b"\n\xefc\nd\n"
    assert source.bom == "the file"


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_refused(write, kind: str):
    compressed = COMPRESSORS[kind](bytes(range(1, 256)) * 500)
    with pytest.raises(InputError, match=f"f: truncated {kind} file"):
        content(Input(write("f", compressed[:-20])))
    middle = len(compressed) // 2
    with pytest.raises(InputError, match=f"f: damaged {kind} file"):
        content(Input(write("f", compressed[:middle] + b"\x00\xff" * 8 + compressed[middle + 16 :])))
    for rest in (b"text", b"BZh9", b"\xfd7zXZ\0", bytes(6) + b"x"):
        with pytest.raises(InputError, match=f"f: (damaged|truncated) {kind} file"):
            content(Input(write("f", COMPRESSORS[kind](PARTS[0]) + rest)))


@pytest.mark.parametrize("kind", ["bzip2", "xz"])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_refused_where_the_program_refuses_it(tmp_path: Path, kind: str, data: st.DataObject):
    """Any bytes are changed, removed or added in a file of two members."""
    program = shutil.which(kind)
    if program is None:
        pytest.skip(f"{kind} is not installed")
    whole = COMPRESSORS[kind](PARTS[0]) + COMPRESSORS[kind](PARTS[3])
    start = data.draw(st.integers(1, len(whole)))
    end = data.draw(st.integers(start, min(start + 6, len(whole))))
    path = tmp_path / "f"
    path.write_bytes(whole[:start] + data.draw(st.binary(max_size=5)) + whole[end:])
    damaged = path.read_bytes().rstrip(b"\0")
    done = subprocess.run([program, "-dc"], input=damaged, capture_output=True, check=False)
    if not damaged.startswith((b"BZh", b"\xfd7zXZ\0")):
        return
    try:
        found = content(Input(path))
    except InputError:
        # bzip2 only warns of what follows the last member
        assert done.returncode != 0 or b"trailing garbage" in done.stderr
    else:
        assert b"\0" in damaged or (done.returncode, done.stdout) == (0, found)


@pytest.mark.parametrize(("name", "words"), [("absent", "no such file"), (".", "a folder, expected a file")])
def test_files_that_cannot_be_opened_are_refused(tmp_path: Path, name: str, words: str):
    with pytest.raises(InputError, match=words):
        content(Input(tmp_path / name))


def test_pipe_is_read_twice(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(TEXT),))
    writer.start()
    source = Input(pipe)
    assert content(source) == content(source) == TEXT
    writer.join()


def test_standard_input_is_read_twice(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    source = Input("-")
    assert source.name == "<stdin>"
    assert content(source) == content(source) == TEXT


def test_endless_line_is_refused(write, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    with pytest.raises(InputError, match="a line longer than"):
        list(whole_lines(Input(write("f", b"x" * 5000)), 100))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\r\nb\n", ["a", "b"]),
        (b"\xff\n", ["\udcff"]),
        (b"a\n\nb\n\n", ["a", "", "b", ""]),
    ],
)
def test_lines_are_numbered(write, text: bytes, lines: list[str]):
    assert list(numbered_lines(Input(write("f", text)))) == list(enumerate(lines, 1))
    with pytest.raises(InputError, match=f"f:{len(lines) + 1}: a NUL byte"):
        list(numbered_lines(Input(write("f", b"".join(b"x\n" for _ in lines) + b"\0"))))


def test_many_blank_lines_in_a_small_file_are_only_counted(write):
    n = 1 << 19
    source = Input(write("f", gzip.compress(b"a\n" + b" \t \n" * n + b"b\n")))
    assert sum(1 for _ in numbered_lines(source)) < n / 8
    assert list(numbered_lines(source))[-1] == (n + 2, "b")
