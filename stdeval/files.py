"""Open inputs, compressed or not, and read them in chunks of whole lines."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
import weakref
from collections.abc import Iterator
from typing import IO, BinaryIO, cast

from stdeval.errors import InputError

CHUNK = 1 << 15
"""Bytes read at a time: enough for speed, and few enough to stay in the processor's cache."""

LONGEST_LINE = 1 << 26
"""A file with a line of this many bytes does not count as text; this limits the memory."""

SPOOL = 1 << 23
"""Size of temporary data, in bytes, beyond which it moves from memory to a file."""

ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}
"""The endings of file names for which an output is compressed."""

_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
"""The first bytes of compressed files."""

_UNREAD = {
    b"PK\x03\x04": "a zip archive",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"\x1f\x9d": "a file of compress",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
"""The first bytes of files that are refused, and what they are."""

_BOM = b"\xef\xbb\xbf"


def display_name(path: str) -> str:
    """Return the name of an input as messages show it."""
    return "<stdin>" if path == "-" else path


def plain_name(path: str) -> str:
    """Return the name of a file without the ending that says how it is compressed.

    Examples
    --------
    >>> plain_name("bm25.run.gz"), plain_name("bm25.run")
    ('bm25.run', 'bm25.run')
    """
    stem, ending = os.path.splitext(path)
    return stem if ending.lower() in ENDINGS else path


def exists(path: str) -> bool:
    """Return whether there is a file, folder or device of this name, however long it is."""
    return path != "-" and _status(path) is not None


def is_rereadable(path: str) -> bool:
    """Return True for a regular file: a pipe or standard input can be read only once, and only in this process."""
    return os.path.isfile(path)


def is_same_file(one: str, other: str) -> bool:
    """Return whether two paths lead to the same file, which need not exist; devices and pipes are not files.

    Parameters
    ----------
    one, other : str
        ``-`` is standard input.
    """
    statuses = [status for status in map(_status, (one, other)) if status is not None]
    if len(statuses) == 2:
        return stat.S_ISREG(statuses[0].st_mode) and os.path.samestat(*statuses)
    return os.path.realpath(one) == os.path.realpath(other)


def _status(path: str) -> os.stat_result | None:
    """Return the status of a file, or of standard input for ``-``; None if there is none."""
    try:
        return os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)
    except (OSError, ValueError, AttributeError):
        # Standard input may be closed, absent or replaced by an object that is not a file.
        return None


def _checked_path(path: object) -> str:
    """Return a path as text, refusing other objects and text that no file can be named by."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise InputError(f"a path of type {type(path).__name__}, expected text or pathlib.Path")
    try:
        name = os.fsdecode(path)
        is_name = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise InputError(f"{path!a} is not the name of a file")
    return name


class Input:
    """A file, or standard input for ``-``, that can be read more than once.

    An input that cannot be rewound (a pipe, standard input) is kept in a temporary file as it is read. Compression
    (gzip, bzip2, xz) is detected from the first bytes, whatever the name.

    Parameters
    ----------
    path : str
        A path, or ``-``.

    Attributes
    ----------
    has_bom : bool
        True if the content begins with a byte-order mark; known once the input has been opened.
    has_inner_bom : bool
        True if a later line does, because files with byte-order marks were joined; known once `whole_lines` has
        read it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = _checked_path(path)
        self.name = display_name(self.path)
        self.has_bom = False
        self.has_inner_bom = False
        self._spooled: BinaryIO | None = None

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the input for reading, decompressed; a byte-order mark is skipped.

        Raises
        ------
        InputError
            If the file cannot be opened, read or decompressed.
        """
        with contextlib.ExitStack() as stack:
            with self._explaining("file"):
                raw = self._raw(stack)
                kind, stream = _decompressed(raw)
                if kind in _UNREAD.values():
                    expected = "UTF-8 text, plain or compressed by gzip, bzip2 or xz"
                    raise InputError(f"{kind}, expected {expected}", self.name)
            with self._explaining(kind):
                self.has_bom = stream.read(len(_BOM)) == _BOM
                stream.seek(len(_BOM) if self.has_bom else 0)
                yield stream

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        """Let other inputs of the same path read what this one has kept of a pipe, as long as the context lasts."""
        _SHARED[self.path] = self
        try:
            yield
        finally:
            del _SHARED[self.path]

    @contextlib.contextmanager
    def _explaining(self, kind: str) -> Iterator[None]:
        """Turn errors of reading into an `InputError` with the name of the file."""
        try:
            yield
        except BrokenPipeError:
            # Raised by writing to standard output while the input is open, so the input is not at fault.
            raise
        except EOFError:
            raise InputError(f"truncated {kind} file, expected a complete one", self.name) from None
        except _decompression_errors():
            raise InputError(f"damaged {kind} file", self.name) from None
        except OSError as error:
            problem = error.strerror or f"damaged {kind} file"
            raise InputError(problem[:1].lower() + problem[1:], self.name) from None

    def _raw(self, stack: contextlib.ExitStack) -> BinaryIO:
        """Return the input as it is stored: a stream that can seek, at its beginning."""
        if self._spooled is None and self.path in _SHARED:
            self._spooled = _SHARED[self.path]._spooled
        if self._spooled is None:
            raw = sys.stdin.buffer if self.path == "-" else stack.enter_context(open(self.path, "rb"))
            if self.path != "-" and raw.seekable():
                return cast(BinaryIO, raw)
            spool = tempfile.SpooledTemporaryFile(max_size=SPOOL)
            while block := raw.read(CHUNK):
                spool.write(block)
            # Without this, a spool that is garbage-collected while it is open gives a ResourceWarning.
            weakref.finalize(self, spool.close)
            self._spooled = cast(BinaryIO, spool)
        self._spooled.seek(0)
        return self._spooled


_SHARED: dict[str, Input] = {}
"""The inputs whose content others of the same path may read, by path."""


def is_compressed(path: str) -> bool:
    """Return whether the content of a file is compressed, whatever its name."""
    with open(path, "rb") as raw:
        return _kind_of(raw) != "plain"


def _kind_of(raw: BinaryIO) -> str:
    """Return the kind of a file, which is left at its beginning."""
    start = raw.read(6)
    raw.seek(0)
    return next((kind for magic, kind in (_COMPRESSED | _UNREAD).items() if start.startswith(magic)), "plain")


def _decompressed(raw: BinaryIO) -> tuple[str, IO[bytes]]:
    """Return the kind of a file and a stream of its decompressed content."""
    kind = _kind_of(raw)
    return kind, _decompressor(kind, raw)


def _decompressor(kind: str, raw: BinaryIO) -> IO[bytes]:
    # Imported when needed, because starting the command is faster without them.
    if kind == "gzip":
        import gzip

        return cast(IO[bytes], gzip.GzipFile(fileobj=raw, mode="rb"))
    if kind == "bzip2":
        from stdeval.compressed import bzip2_stream

        return bzip2_stream(raw)
    if kind == "xz":
        from stdeval.compressed import xz_stream

        return xz_stream(raw)
    return raw


def _decompression_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions, other than OSError, that decompressors raise on damaged data."""
    import lzma
    import zlib

    return zlib.error, lzma.LZMAError


def whole_lines(source: Input, chunk: int | None = None) -> Iterator[bytes]:
    """Read an input in chunks of whole lines; a last line without a newline is given one.

    A byte-order mark at the beginning of a line is skipped: it would be part of the topic.

    Parameters
    ----------
    source : Input
    chunk : int, optional
        Bytes per chunk, to which the rest of the last line is added; None: `CHUNK`.

    Raises
    ------
    InputError
        If a line is longer than 64 MiB, because then the input is not text.
    """
    with source.open() as stream:
        while block := stream.read(chunk or CHUNK):
            rest = stream.readline(LONGEST_LINE)
            if len(rest) == LONGEST_LINE:
                raise InputError("a line longer than 64 MiB, expected text in lines", source.name)
            lines = block + rest
            # the first test is much faster, and enough for ASCII
            if _BOM[:1] in lines and (lines.startswith(_BOM) or b"\n" + _BOM in lines):
                source.has_inner_bom = True
                lines = lines.removeprefix(_BOM).replace(b"\n" + _BOM, b"\n")
            if not lines.endswith(b"\n"):
                lines += b"\n"
            yield lines
