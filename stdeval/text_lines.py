"""Lines of text, which know their numbers in the file, and the columns of a line."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from stdeval.errors import InputError
from stdeval.files import CHUNK, Input, whole_lines

_LONG_BLANK = 1 << 18
"""Length of a stretch of blanks, in bytes, the rest of which is left out of a file that is read as a whole.

A cell of a CSV file cannot be that long, so no cell is read shortened.
"""

BLANKS = " \t\n\r\v\f"
"""The blanks that separate columns in every file: those of ASCII, as in C; other blanks are parts of names."""


class _LineNumbers:
    """The numbers in the file of the lines that were kept, while others were left out."""

    def __init__(self) -> None:
        self._places = list[int]()
        self._left_out = [0]

    def leave_out(self, place: int, n: int) -> None:
        """Record that n lines were left out after the line with this index; indices ascend from call to call."""
        self._places.append(place)
        self._left_out.append(self._left_out[-1] + n)

    def number(self, index: int) -> int:
        """Return the number of the line with this index, which may be one past the last line."""
        return index + 1 + self._left_out[bisect_left(self._places, index)]


class TextLines(list[str]):
    """Lines of text without newlines; of a long stretch of blank lines, some may be left out.

    Parameters
    ----------
    lines : iterable of str
    gaps : sequence of (int, int)
        The index of each line after which lines were left out, in ascending order, and how many.

    Examples
    --------
    >>> lines = TextLines(["run,topic,map", "", "bm25,301,0.5"], [(1, 1000)])
    >>> [number for number, _ in lines.numbered()]
    [1, 2, 1003]
    """

    def __init__(self, lines: Iterable[str] = (), gaps: Sequence[tuple[int, int]] = ()) -> None:
        super().__init__(lines)
        self._numbers = _LineNumbers()
        self._has_gaps = bool(gaps)
        for place, n in gaps:
            self._numbers.leave_out(place, n)

    def number(self, index: int) -> int:
        """Return the number in the file of the line with this index, which may be one past the last line."""
        return self._numbers.number(index)

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Yield each line with its number in the file."""
        if not self._has_gaps:
            return enumerate(self, 1)
        return ((self.number(i), line) for i, line in enumerate(self))


class LinesRead:
    """The lines of an input as `text_lines` returns them, read one chunk at a time.

    Parameters
    ----------
    source : Input
    """

    def __init__(self, source: Input) -> None:
        self._source = source
        self._numbers = _LineNumbers()

    def number(self, index: int) -> int:
        """Return the number in the file of the line with this index, which may be one past the last line read."""
        return self._numbers.number(index)

    def __iter__(self) -> Iterator[str]:
        n_lines = n_blank = 0
        for chunk in whole_lines(self._source):
            n_newlines = chunk.count(b"\n")
            n_blank = n_blank + len(chunk) if chunk.isspace() else 0
            if n_blank > _LONG_BLANK:
                # One blank line stands for those of the chunk.
                self._numbers.leave_out(n_lines - 1, n_newlines - 1)
                n_lines += 1
                yield ""
                continue
            if b"\0" in chunk:
                at = self.number(n_lines + chunk.count(b"\n", 0, chunk.index(b"\0")))
                raise InputError("a NUL byte, expected text", self._source.name, at)
            n_lines += n_newlines
            yield from chunk.decode("utf-8", "surrogateescape").replace("\r\n", "\n")[:-1].split("\n")


def text_lines(source: Input) -> TextLines:
    """Read the lines of an input as text (UTF-8, other bytes kept as surrogates), without newlines."""
    raw, gaps = _bytes_and_gaps(source)
    text = raw.decode("utf-8", "surrogateescape")
    lines = TextLines(text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else [], gaps)
    if "\0" in text:
        at = lines.number(text.count("\n", 0, text.index("\0")))
        raise InputError("a NUL byte, expected text", source.name, at)
    return lines


def _bytes_and_gaps(source: Input) -> tuple[bytes, list[tuple[int, int]]]:
    """Return an input with long stretches of blanks shortened, and the gaps for its `TextLines`.

    A small compressed file can hold billions of blank lines.
    """
    blocks = list[bytes]()
    left_out = dict[int, int]()
    n_blank = n_newlines = 0
    blank = b""
    with source.open() as stream:
        while block := stream.read(CHUNK):
            # most blocks of a stretch are equal: comparing two takes a tenth of the time of searching one
            if block != blank and block.isspace():
                blank, n_newlines = block, block.count(b"\n")
            n_blank = n_blank + len(block) if block == blank else 0
            if n_blank <= _LONG_BLANK:
                blocks.append(block)
            else:
                left_out[len(blocks)] = left_out.get(len(blocks), 0) + n_newlines
    gaps = []
    start = n_lines = 0
    for end, n in left_out.items():
        # one newline stays, because text may follow a stretch that has one
        blocks[end - 1] += b"\n" * min(n, 1)
        n_lines += sum(block.count(b"\n") for block in blocks[start:end])
        gaps.append((n_lines - 1, max(n - 1, 0)))
        start = end
    return b"".join(blocks), gaps


def columns_of(line: str) -> list[str]:
    r"""Return the columns of a line of text, which are separated by `BLANKS`.

    Examples
    --------
    >>> columns_of(" 1\tbm25\xa0plus ")
    ['1', 'bm25\xa0plus']
    """
    # unlike text, bytes are split at the blanks of ASCII only
    return [raw.decode("utf-8", "surrogatepass") for raw in line.encode("utf-8", "surrogatepass").split()]
