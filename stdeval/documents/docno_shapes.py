"""The shape of docnos: their lengths, and the kinds of their characters. Foreign docnos differ in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class DocnoShape(NamedTuple):
    """The shape that many docnos have in common.

    Parameters
    ----------
    n : int
        The number of docnos.
    shortest, longest : int
        The lengths of the shortest and of the longest one.
    kinds : frozenset of str
        The kinds of characters in any of them, see `_kind`.
    """

    n: int
    shortest: int
    longest: int
    kinds: frozenset[str]


def shape_of(docnos: Iterable[str]) -> DocnoShape:
    """Return the shape that docnos have in common.

    Examples
    --------
    >>> shape_of(["LA-17", "FT-8"]) == DocnoShape(2, 4, 5, frozenset("a-0"))
    True
    """
    different = set(docnos)
    lengths = [*map(len, different)]
    return DocnoShape(len(different), min(lengths, default=0), max(lengths, default=0), _kinds("".join(different)))


def is_foreign(docno: str, shape: DocnoShape) -> bool:
    """Return whether a docno is longer or shorter than all docnos of a shape, or has other kinds of characters.

    Examples
    --------
    >>> chapters = shape_of(["2-14", "10-144"])
    >>> is_foreign("14-Feb", chapters), is_foreign("3-15", chapters), is_foreign("7", shape_of(["08", "09"]))
    (True, False, True)
    """
    return not shape.shortest <= len(docno) <= shape.longest or not _kinds(docno) <= shape.kinds


def are_unexpected(n_foreign: int, n: int, shape: DocnoShape) -> bool:
    """Return whether the judged documents would include some like these if a collection had them.

    Parameters
    ----------
    n_foreign : int
        The number of foreign docnos.
    n : int
        The number of docnos among which they were found.
    shape : DocnoShape
        The shape of the judged docnos.

    Examples
    --------
    >>> shape = DocnoShape(1000, 8, 8, frozenset("a0"))
    >>> are_unexpected(3, 100, shape), are_unexpected(3, 200, shape), are_unexpected(2, 2, shape)
    (True, False, False)
    """
    return n_foreign >= _FEWEST and n_foreign * shape.n >= _EXPECTED * n


_FEWEST, _EXPECTED = 3, 20
"""If 20 such docnos are expected, none is found with a probability of 2e-9."""


def _kinds(text: str) -> frozenset[str]:
    return frozenset(map(_kind, set(text)))


def _kind(character: str) -> str:
    """Return ``a`` for a letter, ``0`` for a digit, an empty text beyond ASCII, and any other character itself."""
    if not character.isascii():
        return ""
    return "0" if character.isdigit() else "a" if character.isalpha() else character
