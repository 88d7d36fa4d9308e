"""Files: inputs, compressed or not, read in chunks of whole lines; and outputs, written whole or not at all."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import shutil
import stat
import sys
import tempfile
import weakref
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, BinaryIO, cast

from stdeval.display import displayed_lines, shown_name
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

BLANKS = " \t\n\r\v\f"
"""The blanks that separate columns in every file, the ASCII ones, as in C; other blanks are parts of names."""

_LONG_BLANK = 1 << 18
"""Length of a stretch of blank lines, in bytes, beyond which they are left out of what is read as text."""

# --- names of files ---


def display_name(path: str) -> str:
    """Return the name of an input as messages show it."""
    return "<stdin>" if path == "-" else path


def plain_name(path: str) -> str:
    """Return the name of a file without the ending that says how it is compressed."""
    stem, ending = os.path.splitext(path)
    return stem if ending.lower() in ENDINGS else path


def exists(path: str) -> bool:
    """Return whether there is a file, folder or device of this name, however long it is."""
    return path != "-" and _status(path) is not None


def is_rereadable(path: str) -> bool:
    """Return True for a regular file: a pipe or standard input can be read only once, and only in this process."""
    return os.path.isfile(path)


def is_same_file(one: str, other: str) -> bool:
    """Return whether two paths lead to the same file, which need not exist; devices and pipes are not files."""
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


# --- inputs ---


class Input:
    """A file, or standard input for ``-``, that can be read more than once."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = _checked_path(path)
        self.name = display_name(self.path)
        self.has_bom = False
        self.has_inner_bom = False
        self._spooled: BinaryIO | None = None

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the input for reading, decompressed; a byte-order mark is skipped."""
        with contextlib.ExitStack() as stack:
            with self._explaining("file"):
                raw = self._raw(stack)
                kind = _kind_of(raw)
                if kind in _UNREAD.values():
                    expected = "UTF-8 text, plain or compressed by gzip, bzip2 or xz"
                    raise InputError(f"{kind}, expected {expected}", self.name)
                stream = _decompressed(kind, raw)
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
        except (zlib.error, lzma.LZMAError):
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
            shutil.copyfileobj(raw, spool)
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


def _decompressed(kind: str, raw: BinaryIO) -> IO[bytes]:
    """Return a stream of the content of a file; damage raises OSError or a decompressor's error, a cut EOFError."""
    if kind == "gzip":
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw, mode="rb"))
    if kind == "bzip2":
        return io.BufferedReader(_Members(raw, bz2.BZ2Decompressor, unit=1), _BLOCK)
    if kind == "xz":
        return io.BufferedReader(_Members(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), unit=4), _BLOCK)
    return raw


_BLOCK = 1 << 16
"""Compressed bytes read at a time."""


class _Members(io.RawIOBase):
    """The content of compressed members, one after the other.

    The modules of the standard library take anything after the first member for the end of the file. In xz files
    zeros may follow a member, a multiple of ``unit`` (.xz File Format 1.2.1, 2.2); in bzip2 files they may not.
    """

    def __init__(
        self, raw: BinaryIO, new: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor], unit: int
    ) -> None:
        self._raw, self._new, self._unit = raw, new, unit
        self._position = -1
        self.seek(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go back to the beginning, or stay here; no other place can be sought."""
        if whence == io.SEEK_SET and offset == self._position:
            return offset
        if (offset, whence) != (0, io.SEEK_SET):
            raise io.UnsupportedOperation("seek")
        self._raw.seek(0)
        self._decompressor, self._unread, self._position = self._new(), b"", 0
        return 0

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        data = b""
        while not data:
            if self._decompressor.eof and not self._next_member():
                return 0
            compressed = self._compressed() if self._decompressor.needs_input else b""
            if self._decompressor.needs_input and not compressed:
                raise EOFError
            data = self._decompressor.decompress(compressed, len(view))
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _compressed(self) -> bytes:
        """Return compressed data that no decompressor has had yet; empty at the end of the file."""
        block, self._unread = self._unread, b""
        return block or self._raw.read(_BLOCK)

    def _next_member(self) -> bool:
        """Begin the next member, and return whether there is one."""
        self._unread = self._decompressor.unused_data
        n_zeros = 0
        while block := self._compressed():
            self._unread = block.lstrip(b"\0") if self._unit > 1 else block
            n_zeros += len(block) - len(self._unread)
            if self._unread:
                break
        if n_zeros % self._unit:
            raise lzma.LZMAError("padding whose length is not a multiple of 4")
        self._decompressor = self._new() if self._unread else self._decompressor
        return bool(self._unread)


def whole_lines(source: Input, chunk: int | None = None) -> Iterator[bytes]:
    """Read an input in chunks of whole lines; a last line without a newline is given one."""
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


class LinesRead:
    """Lines of text (UTF-8, other bytes kept as surrogates) without newlines, read one chunk at a time.

    A few compressed kilobytes can hold gigabytes of blank lines; of a long stretch of them, most are left out.
    """

    def __init__(self, source: Input) -> None:
        self._source = source
        self._places = list[int]()
        self._left_out = [0]

    def number(self, index: int) -> int:
        """Return the number in the file of the line with this index, which may be one past the last line read."""
        return index + 1 + self._left_out[bisect_left(self._places, index)]

    def __iter__(self) -> Iterator[str]:
        n_lines = n_blank = 0
        for chunk in whole_lines(self._source):
            n_newlines = chunk.count(b"\n")
            n_blank = n_blank + len(chunk) if chunk.isspace() else 0
            if n_blank > _LONG_BLANK:
                # One blank line stands for those of the chunk.
                self._places.append(n_lines - 1)
                self._left_out.append(self._left_out[-1] + n_newlines - 1)
                n_lines += 1
                yield ""
                continue
            if b"\0" in chunk:
                at = self.number(n_lines + chunk.count(b"\n", 0, chunk.index(b"\0")))
                raise InputError("a NUL byte, expected text", self._source.name, at)
            n_lines += n_newlines
            yield from chunk.decode("utf-8", "surrogateescape").replace("\r\n", "\n")[:-1].split("\n")


class TextLines(list[str]):
    """Lines of text without newlines, and their numbers in the file, see `LinesRead`."""

    def __init__(self, lines: Iterable[str] = (), number: Callable[[int], int] = lambda index: index + 1) -> None:
        super().__init__(lines)
        self.number = number

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Yield each line with its number in the file."""
        return ((self.number(i), line) for i, line in enumerate(self))


def text_lines(source: Input) -> TextLines:
    """Read all lines of an input as text, see `LinesRead`."""
    lines = LinesRead(source)
    return TextLines(lines, lines.number)


def columns_of(line: str) -> list[str]:
    """Return the columns of a line of text, which are separated by `BLANKS`."""
    # unlike text, bytes are split at the blanks of ASCII only
    return [raw.decode("utf-8", "surrogatepass") for raw in line.encode("utf-8", "surrogatepass").split()]


# --- outputs ---

UNFINISHED: set[str] = set()
"""Paths of temporary files, which `stdeval.__main__` removes if a signal ends the process."""

_TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}


@contextlib.contextmanager
def output(path: str | None) -> Iterator[IO[str]]:
    """Open a text file for writing that appears complete when the block ends, or not at all if it raises."""
    target = "-" if path is None else path
    if target != "-" and not _is_device(target):
        with _text_output(target) as text:
            yield text
        return
    with tempfile.SpooledTemporaryFile(SPOOL, "w+", **_TEXT) as spool:
        yield spool
        spool.seek(0)
        if target == "-":
            _copy_to_stdout(spool)
        else:
            with _text_output(target) as text:
                shutil.copyfileobj(spool, text)


@contextlib.contextmanager
def _text_output(path: str) -> Iterator[IO[str]]:
    with binary_output(path) as raw:
        wrapper = _TerminalText if raw.isatty() else io.TextIOWrapper
        with wrapper(raw, write_through=True, **_TEXT) as text:
            yield text


def _is_device(path: str) -> bool:
    """Return whether there is something other than a file, such as a pipe, which is written to directly."""
    return os.path.exists(path) and not os.path.isfile(path)


class _TerminalText(io.TextIOWrapper):
    """Text that escapes the control characters written to it."""

    def write(self, text: str, /) -> int:
        return super().write(displayed_lines(text))


@contextlib.contextmanager
def binary_output(path: str) -> Iterator[IO[bytes]]:
    """Open a binary file for writing that appears complete when the block ends, or not at all if it raises."""
    if path == "-":
        with tempfile.SpooledTemporaryFile(SPOOL) as spool:
            yield cast(IO[bytes], spool)
            spool.seek(0)
            shutil.copyfileobj(spool, sys.stdout.buffer)
            sys.stdout.flush()
    elif _is_device(path):
        with _explaining_writes(path), open(path, "wb") as device, _compressor(path, device) as stream:
            yield stream
    else:
        with _atomic_file(path) as raw, _compressor(path, raw) as stream:
            yield stream


def _compressor(path: str, raw: IO[bytes]) -> contextlib.AbstractContextManager[IO[bytes]]:
    """Return a stream that compresses data written to it, if the ending of the path asks for compression."""
    kind = ENDINGS.get(os.path.splitext(path)[1].lower())
    if kind == "gzip":
        # Without a name and a time in its header, the same data gives the same file.
        return cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=cast(Any, raw), mtime=0))
    if kind == "bzip2":
        return bz2.BZ2File(raw, "wb")
    return lzma.LZMAFile(raw, "wb") if kind == "xz" else contextlib.nullcontext(raw)


@contextlib.contextmanager
def _atomic_file(path: str) -> Iterator[IO[bytes]]:
    """Open a temporary file that takes the place of a file when the block ends, or is removed if it raises."""
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{shown_name(name)}.{os.urandom(6).hex()}")
    # Added before the file exists, so that a signal at any moment removes it.
    UNFINISHED.add(temporary)
    try:
        with _explaining_writes(path):
            # nobody else may read the file before it is complete
            with open(temporary, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as raw:
                yield raw
            _take_permissions(temporary, target)
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        UNFINISHED.discard(temporary)


def _take_permissions(temporary: str, target: str) -> None:
    """Give a temporary file the permissions of the file it replaces, or those of a new file."""
    if os.path.exists(target):
        mode = os.stat(target).st_mode & 0o7777
    else:
        # The umask can only be read by setting it.
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    os.chmod(temporary, mode)


@contextlib.contextmanager
def _explaining_writes(path: str) -> Iterator[None]:
    """Turn errors of writing into an `InputError` with the path."""
    try:
        yield
    except BrokenPipeError:
        # The reader of a pipe has gone, which ends the command quietly, as it does for standard output.
        raise
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", path) from None


def _copy_to_stdout(spool: IO[str]) -> None:
    """Write the rest of a temporary file to standard output."""
    # Written as bytes, so that surrogates become the bytes they stand for; a replaced stdout may take only text.
    stdout = getattr(sys.stdout, "buffer", None)
    on_terminal = sys.stdout.isatty()
    while block := spool.read(CHUNK):
        block = displayed_lines(block) if on_terminal else block
        if stdout is None:
            sys.stdout.write(block)
        else:
            stdout.write(block.encode("utf-8", "surrogateescape"))
    sys.stdout.flush()
