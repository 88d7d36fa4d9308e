"""Compressed files of several members: read whole, or refused, as `bzip2` and `xz` do."""

from __future__ import annotations

import bz2
import lzma
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stdeval.errors import InputError
from stdeval.files import Input

PARTS = [b"1 0 d1 1\n" * 1000, b"2 0 d2 1\n" * 20_000, b"", b"3"]
COMPRESSORS = {"bzip2": bz2.compress, "xz": lzma.compress}
ZEROS = {"xz": bytes(4), "bzip2": b""}


def read_bytes(source: Input) -> bytes:
    with source.open() as stream:
        return stream.read()


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_members_are_read_one_after_the_other_and_again(write, kind: str):
    source = Input(write("f", ZEROS[kind].join(map(COMPRESSORS[kind], PARTS)) + ZEROS[kind] * 50_000))
    assert read_bytes(source) == read_bytes(source) == b"".join(PARTS)


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("end", range(5))
def test_a_member_may_end_anywhere_in_a_byte_order_mark_or_after_it(write, kind: str, end: int):
    content = b"\xef\xbb\xbfx"
    parts = [content[:end], content[end:]]
    assert read_bytes(Input(write("f", b"".join(map(COMPRESSORS[kind], parts))))) == b"x"


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("rest", [b"\n", b"text", b"BZh9", b"\xfd7zXZ\0", b"\0", b"\0" * 5, b"\0" * 6 + b"x"])
def test_what_follows_the_last_member_is_refused(write, kind: str, rest: bytes):
    with pytest.raises(InputError, match=f"f: (damaged|truncated) {kind} file"):
        read_bytes(Input(write("f", COMPRESSORS[kind](PARTS[0]) + rest)))


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_a_flipped_bit_in_the_header_of_the_second_member_is_noticed(write, kind: str):
    first, second = COMPRESSORS[kind](PARTS[0]), COMPRESSORS[kind](PARTS[1])
    for bit in range(8 * (4 if kind == "bzip2" else 12)):
        damaged = bytearray(first + second)
        damaged[len(first) + bit // 8] ^= 1 << bit % 8
        path = write("f", bytes(damaged))
        try:
            content = read_bytes(Input(path))
        except InputError:
            continue
        # a bit of bzip2's header is the size of its blocks, and a larger one does no harm
        assert content == PARTS[0] + PARTS[1]


@pytest.mark.parametrize("kind", COMPRESSORS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_refused_where_the_program_refuses_it(tmp_path: Path, kind: str, data: st.DataObject):
    """Any bytes are changed, removed or added in a file of two members and, for xz, padding."""
    program = shutil.which(kind)
    if program is None:
        pytest.skip(f"{kind} is not installed")
    whole = COMPRESSORS[kind](PARTS[0]) + ZEROS[kind] * 2 + COMPRESSORS[kind](PARTS[3]) + ZEROS[kind]
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(start + 6, len(whole))))
    path = tmp_path / "f"
    path.write_bytes(whole[:start] + data.draw(st.binary(max_size=5)) + whole[end:])
    done = subprocess.run([program, "-dc"], input=path.read_bytes(), capture_output=True, check=False)
    if not path.read_bytes().startswith((b"BZh", b"\xfd7zXZ\0")):
        return
    try:
        content = read_bytes(Input(path))
    except InputError:
        # bzip2 only warns of what follows the last member
        assert done.returncode != 0 or b"trailing garbage" in done.stderr
    else:
        assert (done.returncode, done.stdout) == (0, content)
