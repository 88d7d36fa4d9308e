"""Read bzip2 and xz files of several members, refusing anything that follows the last one.

The classes of Python's standard library ignore such data, and with it every member from a damaged header on.
"""

from __future__ import annotations

import bz2
import io
import lzma
from collections.abc import Callable
from typing import Any, BinaryIO

BLOCK = 1 << 16
"""Compressed bytes read at a time."""

_XZ_UNIT = 4
"""The number of zeros that may follow a member of an xz file is a multiple of this (.xz File Format 1.2.1, 2.2)."""

Decompressor = bz2.BZ2Decompressor | lzma.LZMADecompressor


def _xz_decompressor() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ)


def bzip2_stream(raw: BinaryIO) -> io.BufferedReader:
    """Return a stream of the content of a bzip2 file; damage raises OSError, a truncated file EOFError."""
    return io.BufferedReader(_Members(raw, bz2.BZ2Decompressor, padded=False), BLOCK)


def xz_stream(raw: BinaryIO) -> io.BufferedReader:
    """Return a stream of the content of an xz file; damage raises LZMAError, a truncated file EOFError."""
    return io.BufferedReader(_Members(raw, _xz_decompressor, padded=True), BLOCK)


class _Members(io.RawIOBase):
    """The content of compressed members, one after the other.

    Parameters
    ----------
    raw : binary file
    new : callable
        Returns a decompressor of one member.
    padded : bool
        True if zeros may follow a member.
    """

    def __init__(self, raw: BinaryIO, new: Callable[[], Decompressor], *, padded: bool) -> None:
        self._raw = raw
        self._new = new
        self._padded = padded
        self._position = -1
        self.seek(0)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True, for the beginning and the current position."""
        return True

    def tell(self) -> int:
        """Return the number of bytes of content before the current position."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go back to the beginning, or stay here; no other place can be sought."""
        if whence == io.SEEK_SET and offset == self._position:
            return offset
        if (offset, whence) != (0, io.SEEK_SET):
            raise io.UnsupportedOperation("seek")
        self._raw.seek(0)
        self._decompressor = self._new()
        self._unread = b""
        self._position = 0
        return 0

    def readinto(self, buffer: Any, /) -> int:
        """Read content into a buffer, and return the number of its bytes; 0 at the end."""
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
        return block or self._raw.read(BLOCK)

    def _next_member(self) -> bool:
        """Begin the next member, and return whether there is one."""
        self._unread = self._decompressor.unused_data
        n_zeros = 0
        while block := self._compressed():
            self._unread = block.lstrip(b"\0") if self._padded else block
            n_zeros += len(block) - len(self._unread)
            if self._unread:
                break
        if n_zeros % _XZ_UNIT:
            raise lzma.LZMAError("padding whose length is not a multiple of 4")
        self._decompressor = self._new() if self._unread else self._decompressor
        return bool(self._unread)
