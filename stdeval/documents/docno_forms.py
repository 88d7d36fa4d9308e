"""The forms of docnos: each leaves out something that programs change.

A spreadsheet takes zeros from 01690 or makes 1,690 of 1690, a library turns 1690 into 1690.0, file systems differ
in case and in the normal form of Unicode, file names have FT911_1 for FT911-1, a run of passages has D1690#2, and
an index of fields D1690_title. Whole numbers become floats or negative ones, and titles are escaped.

Readers of files return a docno with a character for each of its bytes.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from contextlib import suppress
from itertools import filterfalse
from typing import Literal

_THOUSANDS = re.compile(r"[0-9]{1,3}(?:[,.'_][0-9]{3})+")
"""A number with separators of thousands."""

_ENDING = re.compile(r"\.(?:0|gz|html?|json|pdf|sgml?|txt|xml)$")
"""Endings that programs add to a docno."""

_SEPARATORS = re.compile(r"(?:%[0-9a-f]{2}|&(?:amp|lt|gt|quot|apos|#[0-9]+);|[\W_])+")
"""Characters between words and numbers. They differ between file names, addresses and identifiers."""

_BEYOND_ASCII = re.compile(
    r"[^\x00-\x7f]|%[89A-Fa-f][0-9A-Fa-f]|&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]+;|&#[0-9]{3,};|\?"
)
"""A byte beyond ASCII, its escape in an address or in HTML, or the mark of a character that was not converted."""

_ADDRESS = re.compile(r"^https?:/+(?:www\.)?")
"""The beginning of an address, which may differ between two crawls."""

_INNER_ZEROS = re.compile("(?<![0-9])0+(?=[0-9])")
"""Zeros at the beginning of a number."""


def plain_form(docno: str) -> str:
    """Return a docno in lower case, without leading zeros, the ending of a file, and separators of thousands.

    Quotes and blanks around it and ``.0`` at its end are left out, too. Characters beyond ASCII are composed (NFC).

    Examples
    --------
    >>> plain_form("01690"), plain_form("1690.0"), plain_form("1,690"), plain_form("FT911-1")
    ('1690', '1690', '1690', 'ft911-1')
    """
    if not docno.isascii():
        try:
            docno = unicodedata.normalize("NFC", docno.encode("latin-1").decode())
        except UnicodeError:
            return docno
    docno = docno.strip().strip("'\"").lower()
    if docno[:1].isdecimal() and _THOUSANDS.fullmatch(docno):
        return re.sub("[,.'_]", "", docno)
    return (_ENDING.sub("", docno) if "." in docno else docno).lstrip("0")


def loose_form(docno: str) -> str:
    r"""Return the plain form of a docno with a hyphen for any separators, and without more zeros.

    The zeros are those before its numbers and at the end of a decimal fraction. The scheme of an address is left
    out, and so are a few bytes beyond ASCII, whether they are escaped, replaced or neither. Different docnos may
    have the same loose form.

    Examples
    --------
    >>> loose_form("FBIS3_00948"), loose_form("hep-th%2F9901"), loose_form("1705.00510"), loose_form("https://a.b/7/")
    ('fbis3-948', 'hep-th-9901', '1705.0051', 'a-b-7-')
    >>> loose_form("Caf\xc3\xa9_12"), loose_form("Caf%C3%A9_12"), loose_form("Caf\xe9_12"), loose_form("Caf?_12")
    ('caf-12', 'caf-12', 'caf-12', 'caf-12')
    """
    if docno.isalnum() and docno.isascii():
        # Most docnos are so, and a faster way suffices for them.
        return _INNER_ZEROS.sub("", plain_form(docno)) if "0" in docno else plain_form(docno)
    ascii_only, n_beyond = _BEYOND_ASCII.subn("", docno)
    plain = _ADDRESS.sub("", plain_form(docno if 2 * n_beyond > len(ascii_only) else ascii_only))
    whole, point, fraction = plain.partition(".")
    if fraction.isdecimal() and whole.isdecimal():
        return whole + point + fraction.rstrip("0")
    return _INNER_ZEROS.sub("", _SEPARATORS.sub("-", plain))


def compact_form(docno: str) -> str:
    """Return the letters and digits of a long docno, such as a UUID; an empty text for a short one.

    Examples
    --------
    >>> compact_form("{0F8FAD5B-D9CB-469F-A165-70867728950E}"), compact_form("LA-17")
    ('0f8fad5bd9cb469fa16570867728950e', '')
    """
    compact = re.sub(r"[\W_]+", "", docno).lower()
    return compact if len(compact) >= _FEWEST_COMPACT else ""


_FEWEST_COMPACT = 16
"""Shorter docnos may have the same letters and digits although they differ, such as 1-23 and 12-3."""


def ascii_form(docno: str) -> str:
    r"""Return a docno such as a title without escapes, accents and punctuation.

    Other characters than letters and digits are left out between letters and at the ends. Elsewhere, a hyphen
    replaces them.

    Examples
    --------
    >>> ascii_form("O&#x27;Hara_(film)"), ascii_form("o\u2019hara (film)"), ascii_form("Caf%C3%A9_12!")
    ('oharafilm', 'oharafilm', 'cafe-12')
    """
    if docno.isascii() and docno.isalnum():
        return docno.lower()
    decomposed = unicodedata.normalize("NFKD", _unescaped(docno)).lower()
    without_accents = "".join(filterfalse(unicodedata.combining, decomposed))
    return _NO_LETTERS.sub("-", _BETWEEN_LETTERS.sub("", without_accents)).strip("-")


_NO_LETTERS = re.compile(r"[\W_]+")
"""Characters that are neither letters nor digits."""

_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])[\W_]+(?=[^\W\d_])")

_ESCAPES = re.compile(r"(?:\\x|%)([0-9a-f]{2})|\\u([0-9a-f]{4})", re.IGNORECASE)
"""A byte in an address or in Python, or a character in JSON."""

_LAYERS = 3
"""The number of times that text may have been escaped, by one program after another."""


def _unescaped(docno: str) -> str:
    """Return a docno as text, without the escapes of addresses, HTML, JSON and Python."""
    for _ in range(_LAYERS):
        docno = _ESCAPES.sub(lambda escape: chr(int(escape[1] or escape[2], 16)), docno)
        if "&" in docno:
            from html import unescape  # slow to import, and hardly ever needed

            docno = unescape(docno)
        with suppress(UnicodeError):
            docno = docno.encode("latin-1").decode()
    return docno


def bare_form(docno: str) -> str:
    """Return the plain form of a docno without up to five characters before its first digit.

    Examples
    --------
    >>> bare_form("D486"), bare_form("docs/486_title"), bare_form("FT911-3"), bare_form("Category_1990")
    ('486', '486_title', '911-3', 'category_1990')
    """
    return _PREFIX.sub("", plain_form(docno))


_PREFIX = re.compile(r"^[^0-9]{1,5}(?=[0-9])")


def unsigned_form(docno: str) -> str:
    """Return a whole number as an unsigned one of 32 or 64 bits; an empty text for any other docno.

    Examples
    --------
    >>> unsigned_form("-1294967296"), unsigned_form("3000000000"), unsigned_form("LA-17")
    ('3000000000', '3000000000', '')
    """
    if not docno.removeprefix("-").isdecimal() or len(docno) > _LONGEST_NUMBER:
        return ""
    number = int(docno)
    return str(number % (2**32 if -(2**31) <= number < 2**32 else 2**64))


_LONGEST_NUMBER = 20
"""The number of digits of the largest whole number of 64 bits."""


_NUMBERED = re.compile(r"(.*?)([0-9]{1,18})", re.DOTALL)
"""A docno that ends in a number."""


def with_number_moved(docno: str, step: int) -> str:
    """Return a docno after adding to the number at its end; the docno itself if it does not end in a digit.

    A number that begins with 0 keeps its digits, as in 0099 and 0100.

    Examples
    --------
    >>> with_number_moved("LA-0099", 1), with_number_moved("10", -1), with_number_moved("LA", 1)
    ('LA-0100', '9', 'LA')
    """
    numbered = _NUMBERED.fullmatch(docno)
    if numbered is None:
        return docno
    before, number = numbered.groups()
    width = len(number) if number[0] == "0" else 0
    return f"{before}{max(0, int(number) + step):0{width}d}"


_EXPONENT = re.compile(r"[0-9](?:\.([0-9]+))?e\+?[0-9]{1,2}", re.IGNORECASE)


def exponent_decimals(docno: str) -> int:
    """Return the number of decimals of a number with an exponent; -1 for any other docno.

    Examples
    --------
    >>> exponent_decimals("2.18813e+06"), exponent_decimals("3E+06"), exponent_decimals("2188130")
    (5, 0, -1)
    """
    number = _EXPONENT.fullmatch(docno)
    return -1 if number is None else len(number[1] or "")


def with_exponent(docno: str, decimals: int) -> str:
    """Return a number with an exponent and this number of decimals; an empty text for any other docno.

    Examples
    --------
    >>> with_exponent("2188133", 5), with_exponent("2.18813E06", 5), with_exponent("LA-17", 5)
    ('2.18813e+06', '2.18813e+06', '')
    """
    is_whole = docno.isdecimal() and len(docno) <= _LONGEST_NUMBER
    return f"{float(docno):.{decimals}e}" if is_whole or exponent_decimals(docno) >= 0 else ""


def last_part(docno: str) -> str:
    """Return the part of a docno after its last slash, backslash or colon.

    Examples
    --------
    >>> last_part("news/2004/D17.txt"), last_part("wiki:D17"), last_part("D17.txt")
    ('D17.txt', 'D17', 'D17.txt')
    """
    return re.split(r"[/\\:]", docno)[-1]


def _as_float(docno: str, kind: Literal["f", "d"]) -> str:
    (number,) = struct.unpack(kind, struct.pack(kind, int(docno)))
    return str(int(number))


def as_single(docno: str) -> str:
    """Return a whole number rounded to a float of 32 bits.

    Examples
    --------
    >>> as_single("20000001"), as_double("20000001"), in_spreadsheet("12345678901234567")
    ('20000000', '20000001', '12345678901234500')
    """
    return _as_float(docno, "f") if len(docno) <= _LONGEST_NUMBER else docno


def as_double(docno: str) -> str:
    """Return a whole number rounded to a float of 64 bits."""
    return _as_float(docno, "d") if len(docno) <= _LONGEST_NUMBER else docno


def in_spreadsheet(docno: str) -> str:
    """Return a whole number with 0 for each digit after the 15th."""
    return docno[:15] + "0" * (len(docno) - 15)


INEXACT_FORMS = {as_single: 8, as_double: 16, in_spreadsheet: 16}
"""The forms in which whole numbers lose digits, and the number of digits from which they do."""


def beginning(docno: str, length: int) -> str:
    """Return the first characters of a docno."""
    return docno[:length]


def end(docno: str, length: int) -> str:
    """Return the last characters of a docno."""
    return docno[-length:]


FEWEST_CUT = 6
"""Docnos of fewer characters may be the beginnings or ends of others by chance."""
