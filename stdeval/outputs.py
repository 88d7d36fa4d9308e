"""Write outputs so that they appear complete or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from typing import IO, Any, cast

from stdeval.display import displayed_lines, shown_name
from stdeval.errors import InputError
from stdeval.files import CHUNK, ENDINGS, SPOOL
from stdeval.signals import UNFINISHED

_TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}


@contextlib.contextmanager
def output(path: str | None) -> Iterator[IO[str]]:
    """Open a text file for writing that appears complete when the block ends, or not at all if it raises.

    Parameters
    ----------
    path : str or None
        None or ``-`` is standard output. For any other path see `binary_output`. Nothing is written to standard
        output or a device before the block has ended. On a terminal, control characters are escaped.
    """
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
    """Open a binary file for writing that appears complete when the block ends, or not at all if it raises.

    Parameters
    ----------
    path : str
        ``-`` is standard output. A file appears at once, by renaming a temporary file in the same folder; a device
        is written to directly. Data is compressed if the name ends in .gz, .bz2 or .xz, and the same data always
        gives the same bytes.
    """
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
        import gzip

        # Without a name and a time in its header, the same data gives the same file.
        return cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=cast(Any, raw), mtime=0))
    if kind == "bzip2":
        import bz2

        return bz2.BZ2File(raw, "wb")
    if kind == "xz":
        import lzma

        return lzma.LZMAFile(raw, "wb")
    return contextlib.nullcontext(raw)


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
            with open(temporary, "xb", opener=_private_opener) as raw:
                yield raw
            _take_permissions(temporary, target)
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        UNFINISHED.discard(temporary)


def _private_opener(path: str, flags: int) -> int:
    """Open a file that nobody else may read before it is complete."""
    return os.open(path, flags, 0o600)


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
