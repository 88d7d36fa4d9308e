"""Files: inputs, compressed or not, read in chunks of whole lines; and outputs, written whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import IO, Any, BinaryIO, cast

from stdeval.errors import InputError, counted, displayed_lines, shown_name

CHUNK = 1 << 15  # bytes read at a time: enough for speed, and few enough to stay in the processor's cache
_BLOCK = 1 << 16  # bytes of a compressed file that are read at a time
# These limit the memory: lines of more bytes or cells are refused, and further columns are not separated.
LONGEST_LINE, MOST_CELLS, MOST_COLUMNS = 1 << 26, 1_000_000, 1000
counted_columns = partial(counted, noun="column", most=MOST_COLUMNS)

BLANKS = " \t\n\r\v\f"
"""The blanks that separate columns in every file, the ASCII ones, as in C; other blanks are parts of names."""

ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}
_FIRST_BYTES = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
_MODULES = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma"}  # none of them is loaded for plain files
_BOM = b"\xef\xbb\xbf"


def display_name(path: str) -> str:
    """Return the name of an input as messages show it."""
    return "<stdin>" if path == "-" else path


def plain_name(path: str) -> str:
    """Return the name of a file without the ending that says how it is compressed."""
    stem, ending = os.path.splitext(path)
    return stem if ending.lower() in ENDINGS else path


def file_name(path: str) -> str:
    """Return the name of a file without its folder and the ending that says how it is compressed: a run's name."""
    return plain_name(os.path.basename(display_name(path)))


def exists(path: str) -> bool:
    """Return whether there is a file or a device, such as a pipe, of this name."""
    return path != "-" and os.path.exists(path) and not os.path.isdir(path)


def is_rereadable(path: str) -> bool:
    """Return True for a regular file: a pipe or standard input can be read only once, and only in this process."""
    return os.path.isfile(path)


def is_same_file(one: str, other: str) -> bool:
    """Return whether two paths lead to the same file, which need not exist; devices and pipes are not files."""
    # standard input may be closed, absent or replaced by an object that is not a file
    with contextlib.suppress(OSError, ValueError, AttributeError):
        a, b = (os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path) for path in (one, other))
        return stat.S_ISREG(a.st_mode) and os.path.samestat(a, b)
    return os.path.realpath(one) == os.path.realpath(other)


class Input:
    """A file, or standard input for ``-``, that can be read more than once."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fsdecode(path)
        self.name = display_name(self.path)
        self.bom, self.checksum = "", 0
        self._kept: bytes | None = None

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the input for reading, decompressed."""
        kind = "plain"
        with contextlib.ExitStack() as stack:
            try:
                raw = self._raw(stack)
                kind = _kind_of(raw)
                yield _decompressed(kind, raw)
            except BrokenPipeError:
                # Raised by writing to standard output while the input is open, so the input is not at fault.
                raise
            except EOFError:
                raise InputError(f"truncated {kind} file, expected a complete one", self.name) from None
            except IsADirectoryError:
                raise InputError("a folder, expected a file", self.name) from None
            except (zlib.error, OSError) as error:
                problem = getattr(error, "strerror", None) or f"damaged {kind} file"
                raise InputError(problem[:1].lower() + problem[1:], self.name) from None

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        """Let other inputs of the same path read what this one has kept of a pipe, as long as the context lasts."""
        _SHARED[self.path] = self
        try:
            yield
        finally:
            del _SHARED[self.path]

    def _raw(self, stack: contextlib.ExitStack) -> BinaryIO:
        """Return the input as it is stored: a stream that can seek, at its beginning."""
        if self._kept is None and self.path in _SHARED:
            self._kept = _SHARED[self.path]._kept
        if self._kept is None:
            raw = sys.stdin.buffer if self.path == "-" else stack.enter_context(open(self.path, "rb"))
            if self.path != "-" and raw.seekable():
                return cast(BinaryIO, raw)
            self._kept = b"".join(_blocks_of_lines(raw, 1 << 20, self.name))
        return io.BytesIO(self._kept)


_SHARED: dict[str, Input] = {}  # by path, the inputs whose content others of the same path may read


def is_compressed(path: str) -> bool:
    """Return whether the content of a file is compressed, whatever its name."""
    with open(path, "rb") as raw:
        return _kind_of(raw) != "plain"


def _kind_of(raw: BinaryIO) -> str:
    """Return the kind of a file, which is left at its beginning."""
    start = raw.read(6)
    raw.seek(0)
    return next((kind for magic, kind in _FIRST_BYTES.items() if start.startswith(magic)), "plain")


def _decompressed(kind: str, raw: BinaryIO) -> IO[bytes]:
    """Return a stream of the content of a file; damage raises OSError or zlib.error, a cut EOFError."""
    if kind == "plain":
        return raw
    module = import_module(_MODULES[kind])
    if kind == "gzip":
        return cast(IO[bytes], module.GzipFile(fileobj=raw, mode="rb"))
    new = module.BZ2Decompressor if kind == "bzip2" else module.LZMADecompressor
    return io.BufferedReader(_Blocks(_members(raw, new, getattr(module, "LZMAError", OSError))), _BLOCK)


def _members(raw: BinaryIO, new: Callable[[], Any], damage: type[Exception]) -> Iterator[bytes]:
    """Yield the content of bzip2 or xz members, one after the other; zeros may follow each, as in gzip files."""
    # The modules of the standard library take a damaged second member for the end of the file.
    unread = b""
    while block := unread or raw.read(_BLOCK):
        unread, block = b"", block.lstrip(b"\0")
        if not block:
            continue
        decompressor = new()
        while not decompressor.eof:
            try:
                yield decompressor.decompress(block, _BLOCK)
            except damage:
                raise OSError from None
            block = raw.read(_BLOCK) if decompressor.needs_input else b""
            if decompressor.needs_input and not block:
                raise EOFError
        unread = decompressor.unused_data


class _Blocks(io.RawIOBase):
    """A stream of blocks of bytes."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._rest = blocks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        self._rest = self._rest or next(filter(None, self._blocks), b"")
        data, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def _blocks_of_lines(stream: IO[bytes], size: int, name: str) -> Iterator[bytes]:
    """Read blocks of so many bytes, and then up to the end of the line; refuse a line that does not end."""
    longest = 0
    while block := stream.read(size):
        # A file that begins with { may be one object of JSON, in a line of any length.
        longest = longest or (-1 if block.removeprefix(_BOM).lstrip().startswith(b"{") else LONGEST_LINE)
        rest = stream.readline(longest)
        if len(rest) == longest:
            raise InputError("a line longer than 64 MiB, expected text in lines", name)
        yield block + rest


def whole_lines(source: Input, chunk: int | None = None) -> Iterator[bytes]:
    """Read an input in chunks of whole lines, without byte-order marks; the last line is given a newline."""
    with source.open() as stream:
        for i, block in enumerate(_blocks_of_lines(stream, chunk or CHUNK, source.name)):
            lines = block if block.endswith(b"\n") else block + b"\n"
            # The first test is much faster, and enough for ASCII. Files that were joined have marks inside.
            if _BOM[:1] in lines and (lines.startswith(_BOM) or b"\n" + _BOM in lines):
                source.bom = source.bom or ("a later line" if i or not lines.startswith(_BOM) else "the file")
                lines = lines.removeprefix(_BOM).replace(b"\n" + _BOM, b"\n")
            yield lines


def numbered_lines(source: Input) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text (UTF-8, other bytes kept as surrogates) with their numbers, without newlines."""
    first = 1
    for chunk in whole_lines(source):
        n_lines = chunk.count(b"\n")
        if (place := chunk.find(b"\0")) >= 0:
            raise InputError("a NUL byte, expected text", source.name, first + chunk.count(b"\n", 0, place))
        # A few compressed kilobytes can hold gigabytes of blank lines.
        if not chunk.isspace():
            text = chunk.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
            yield from enumerate(text[:-1].split("\n"), first)
        first += n_lines


def columns_of(line: str) -> list[str]:
    """Return the columns of a line of text, which are separated by `BLANKS`; `MOST_COLUMNS`, and then the rest."""
    # unlike text, bytes are split at the blanks of ASCII only
    columns = line.encode("utf-8", "surrogatepass").split(None, MOST_COLUMNS)
    return [raw.decode("utf-8", "surrogatepass") for raw in columns]


UNFINISHED: set[str] = set()  # temporary files, which `stdeval.__main__` removes if a signal ends the process


@contextlib.contextmanager
def output(path: str | None) -> Iterator[IO[str]]:
    """Open a text file for writing that appears complete when the block ends, or not at all if it raises."""
    path = "-" if path is None else path
    if path != "-" and not _is_device(path):
        with binary_output(path) as raw, io.TextIOWrapper(raw, "utf-8", "surrogateescape", newline="") as stream:
            yield stream
        return
    # a StringIO takes four bytes for each character
    held = io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape", newline="")
    yield held
    held.seek(0)
    if path == "-" and not hasattr(sys.stdout, "buffer"):
        sys.stdout.write(held.read())  # to an object that takes only text
        return
    with binary_output(path) as raw:
        # On a terminal, control characters are escaped. Surrogates become the bytes they stand for.
        while text := held.read(CHUNK):
            raw.write((displayed_lines(text) if raw.isatty() else text).encode("utf-8", "surrogateescape"))


@contextlib.contextmanager
def binary_output(path: str) -> Iterator[IO[bytes]]:
    """Open a binary file for writing that appears complete when the block ends, or not at all if it raises."""
    # Standard output and devices are written to directly.
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    try:
        with open(path, "wb") if _is_device(path) else _atomic_file(path) as raw, _compressor(path, raw) as stream:
            yield stream
    except BrokenPipeError:
        # The reader of a pipe has gone, which ends the command quietly, as it does for standard output.
        raise
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", path) from None


def _is_device(path: str) -> bool:
    """Return whether there is something other than a file, such as a pipe, which is written to directly."""
    return os.path.exists(path) and not os.path.isfile(path)


def _compressor(path: str, raw: IO[bytes]) -> contextlib.AbstractContextManager[IO[bytes]]:
    """Return a stream that compresses data written to it, if the ending of the path asks for compression."""
    kind = ENDINGS.get(os.path.splitext(path)[1].lower())
    if kind is None:
        return contextlib.nullcontext(raw)
    module = import_module(_MODULES[kind])
    if kind == "gzip":
        # Without a name and a time in its header, the same data gives the same file.
        return cast(IO[bytes], module.GzipFile("", "wb", fileobj=raw, mtime=0))
    return cast(IO[bytes], module.open(raw, "wb"))


@contextlib.contextmanager
def _atomic_file(path: str) -> Iterator[IO[bytes]]:
    """Open a temporary file that takes the place of a file when the block ends, or is removed if it raises."""
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{shown_name(name)}.{os.urandom(6).hex()}")
    # Added before the file exists, so that a signal at any moment removes it.
    UNFINISHED.add(temporary)
    try:
        with open(temporary, "xb") as raw:
            if os.path.exists(target):
                os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
            yield raw
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        UNFINISHED.discard(temporary)
