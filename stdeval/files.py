"""Opening inputs, whatever packs them, and writing outputs whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import weakref
from collections.abc import Iterator
from typing import IO, Any, BinaryIO, cast

from stdeval.errors import InputError

CHUNK = 1 << 15
"""Bytes read at a time: large enough for speed, small enough to stay in the processor's cache."""

LONGEST_LINE = 1 << 26
SPOOL = 1 << 23

_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
"""How packed files begin."""

_TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}
_BOM = b"\xef\xbb\xbf"


def display_name(path: str) -> str:
    """The name that messages give to an input."""
    return "<stdin>" if path == "-" else path


class Input:
    """A file, or standard input for ``-``, that can be read more than once.

    What cannot be wound back (a pipe, standard input) is kept in a temporary file as it is read. Whether it
    is packed (gzip, bzip2, xz) is seen from its first bytes, whatever its name.

    Parameters
    ----------
    path : str
        A path, or ``-``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.name = display_name(self.path)
        self._spooled: BinaryIO | None = None

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """What is in the file, unpacked, after a byte-order mark if there is one.

        Raises
        ------
        InputError
            If the file cannot be opened, read or unpacked.
        """
        with contextlib.ExitStack() as stack:
            with self._explaining("file"):
                raw = self._raw(stack)
                kind, stream = _unpacked(raw)
            with self._explaining(kind):
                stream.seek(len(_BOM) if stream.read(len(_BOM)) == _BOM else 0)
                yield stream

    @contextlib.contextmanager
    def _explaining(self, kind: str) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except EOFError:
            raise InputError(f"truncated {kind} file, expected it whole", self.name) from None
        except _damages():
            raise InputError(f"damaged {kind} file", self.name) from None
        except OSError as error:
            what = error.strerror or f"damaged {kind} file"
            raise InputError(what[:1].lower() + what[1:], self.name) from None

    def _raw(self, stack: contextlib.ExitStack) -> BinaryIO:
        if self._spooled is None:
            raw = sys.stdin.buffer if self.path == "-" else stack.enter_context(open(self.path, "rb"))
            if self.path != "-" and raw.seekable():
                return cast(BinaryIO, raw)
            spool = tempfile.SpooledTemporaryFile(max_size=SPOOL)
            while block := raw.read(CHUNK):
                spool.write(block)
            weakref.finalize(self, spool.close)
            self._spooled = cast(BinaryIO, spool)
        self._spooled.seek(0)
        return self._spooled


def _unpacked(raw: BinaryIO) -> tuple[str, IO[bytes]]:
    start = raw.read(6)
    raw.seek(0)
    kind = next((kind for magic, kind in _PACKED.items() if start.startswith(magic)), "plain")
    return kind, _unpacker(kind, raw)


def _unpacker(kind: str, raw: BinaryIO) -> IO[bytes]:
    if kind == "gzip":
        import gzip

        return cast(IO[bytes], gzip.GzipFile(fileobj=raw, mode="rb"))
    if kind == "bzip2":
        import bz2

        return bz2.BZ2File(raw)
    if kind == "xz":
        import lzma

        return lzma.LZMAFile(raw)
    return raw


def _damages() -> tuple[type[Exception], ...]:
    """What unpacking raises, besides OSError."""
    import lzma
    import zlib

    return zlib.error, lzma.LZMAError


def read_bytes(source: Input) -> bytes:
    """All of an input, unpacked."""
    with source.open() as stream:
        return stream.read()


def whole_lines(source: Input, chunk: int | None = None) -> Iterator[bytes]:
    """An input in chunks that end at the end of a line; a last line without newline is given one.

    Raises
    ------
    InputError
        If a line is longer than 64 MiB: then it is no text.
    """
    with source.open() as stream:
        while block := stream.read(chunk or CHUNK):
            rest = stream.readline(LONGEST_LINE)
            if len(rest) == LONGEST_LINE:
                raise InputError("a line longer than 64 MiB, expected text in lines", source.name)
            lines = block + rest
            yield lines if lines.endswith(b"\n") else lines + b"\n"


def text_lines(source: Input) -> list[str]:
    """The lines of an input as text (UTF-8, other bytes kept as surrogates), without their ends."""
    text = read_bytes(source).decode("utf-8", "surrogateescape")
    if "\0" in text:
        raise InputError("a NUL byte, expected text", source.name, text.count("\n", 0, text.index("\0")) + 1)
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


@contextlib.contextmanager
def output(path: str | None) -> Iterator[IO[str]]:
    """A text file to write to, that comes to be whole when the block ends well, and not at all otherwise.

    Parameters
    ----------
    path : str or None
        None or ``-`` is standard output, to which nothing goes before the block has ended well. A path
        appears at once, by renaming a temporary file beside it.
    """
    if path is None or path == "-":
        with tempfile.SpooledTemporaryFile(SPOOL, "w+", **_TEXT) as spool:
            yield spool
            spool.seek(0)
            _copy_to_stdout(spool)
    elif os.path.exists(path) and not os.path.isfile(path):
        with _explaining_writes(path), open(path, "w", **_TEXT) as device:
            yield device
    else:
        with atomic_file(path) as raw, io.TextIOWrapper(raw, write_through=True, **_TEXT) as text:
            yield text


@contextlib.contextmanager
def atomic_file(path: str) -> Iterator[IO[bytes]]:
    """A binary file that appears under its name, whole, when the block ends well, and not at all otherwise."""
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    with _explaining_writes(path):
        handle, temporary = tempfile.mkstemp(prefix=f".{name[:100]}.", dir=folder)
    try:
        with _explaining_writes(path):
            with os.fdopen(handle, "wb") as raw:
                yield raw
            _take_permissions(temporary, target)
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _take_permissions(temporary: str, target: str) -> None:
    """Give the file the permissions of the one it replaces, or those a new file has."""
    if os.path.exists(target):
        mode = os.stat(target).st_mode & 0o7777
    else:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    os.chmod(temporary, mode)


@contextlib.contextmanager
def _explaining_writes(path: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", path) from None


def _copy_to_stdout(spool: IO[str]) -> None:
    stdout = getattr(sys.stdout, "buffer", None)
    while block := spool.read(CHUNK):
        if stdout is None:
            sys.stdout.write(block)
        else:
            stdout.write(block.encode("utf-8", "surrogateescape"))
    sys.stdout.flush()
