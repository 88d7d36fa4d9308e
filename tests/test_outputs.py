"""Outputs appear complete or not at all, compressed by their endings."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from pathlib import Path

import pytest

from stdeval.errors import InputError
from stdeval.files import output


@pytest.mark.parametrize("name", ["out", "out.gz"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, InputError])
def test_output_appears_complete_or_not_at_all(tmp_path: Path, name: str, error: type[BaseException]):
    target = tmp_path / name
    target.write_text("old")
    target.chmod(0o640)

    def failing() -> None:
        with output(str(target)) as out:
            out.write("new" * 100_000)
            assert target.read_text() == "old"
            raise error("stop")

    with pytest.raises(error):
        failing()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: "old"}
    with output(str(target)) as out:
        out.write("new\udcff\n")
    (written,) = tmp_path.iterdir()
    content = written.read_bytes()
    assert (gzip.decompress(content) if name == "out.gz" else content) == b"new\xff\n"
    assert written.stat().st_mode & 0o777 == 0o640


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
    # RFC 1952, section 2.3: no flags in byte 4, and 0 in the four bytes of the time
    assert ending.lower() != ".gz" or contents[0][:8] == b"\x1f\x8b\x08" + bytes(5)


def test_a_terminal_shows_no_control_characters():
    """Newlines and tabs stay; a pipe gets the bytes as they are (see the tests of stdout above)."""
    primary, secondary = os.openpty()
    with output(os.ttyname(secondary)) as out:
        out.write("map\tall\x1b[2J\u202e\n")
    os.close(secondary)
    assert os.read(primary, 1000).replace(b"\r\n", b"\n") == b"map\tall" + rb"\x1b[2J\u202e" + b"\n"
    os.close(primary)
