"""The forms of docnos: what programs change in them, and the judged docnos that changed ones stand for.

A spreadsheet takes zeros from 01690 or makes 1,690 of 1690, a library turns 1690 into 1690.0, file systems differ
in case and in the normal form of Unicode, file names have FT911_1 for FT911-1, a run of passages has D1690#2, and
an index of fields D1690_title. Whole numbers become floats or negative ones, and titles are escaped.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import filterfalse, product
from typing import Literal

from stdeval.trec import Judgments

_THOUSANDS = re.compile(r"[0-9]{1,3}(?:[,.'_][0-9]{3})+")
"""A number with separators of thousands."""

_ENDING = re.compile(r"\.(?:0|gz|html?|json|pdf|sgml?|txt|xml)$")
"""What programs write behind a docno."""

_PARTS = re.compile("[0-9]+|[a-z]+|.", re.DOTALL)
"""A number, a word, or a character between them."""

_SEPARATORS = re.compile(r"(?:%[0-9a-f]{2}|&(?:amp|lt|gt|quot|apos|#[0-9]+);|[\W_])+")
"""Characters between words and numbers, for which file names, addresses and identifiers have others."""

_BEYOND_ASCII = re.compile(
    r"[^\x00-\x7f]|%[89A-Fa-f][0-9A-Fa-f]|&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]+;|&#[0-9]{3,};|\?"
)
"""A byte beyond ASCII, its escape in an address or in HTML, or what programs write if they cannot convert it."""

_ADDRESS = re.compile(r"^https?:/+(?:www\.)?")
"""The beginning of an address, which may differ between two crawls."""

_INNER_ZEROS = re.compile("(?<![0-9])0+(?=[0-9])")
"""Zeros before a number that is not the first one of a docno."""


def plain_form(docno: str) -> str:
    """Return a docno without what programs change.

    That is its case, zeros before it, ``.0`` or the ending of a file behind it, separators of thousands, quotes and
    blanks around it, and its form of Unicode.

    Parameters
    ----------
    docno : str
        With a character for each byte, as readers of files return it.

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
    r"""Return a docno without what fewer programs change, and other docnos may differ in.

    In addition to what `plain_form` removes, these are the separators in it, zeros before its numbers and behind a
    decimal fraction, the scheme of an address, and a few bytes beyond ASCII, however they are escaped or replaced.

    Examples
    --------
    >>> loose_form("FBIS3_00948"), loose_form("hep-th%2F9901"), loose_form("1705.00510"), loose_form("https://a.b/7/")
    ('fbis3-948', 'hep-th-9901', '1705.0051', 'a-b-7-')
    >>> loose_form("Caf\xc3\xa9_12"), loose_form("Caf%C3%A9_12"), loose_form("Caf\xe9_12"), loose_form("Caf?_12")
    ('caf-12', 'caf-12', 'caf-12', 'caf-12')
    """
    if docno.isalnum() and docno.isascii():
        # the most frequent form, without anything else to look for
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
"""Different docnos that are shorter may have the same letters and digits, such as 1-23 and 12-3."""


def ascii_form(docno: str) -> str:
    r"""Return a docno without escapes, accents and punctuation, which programs change in titles.

    What is neither a letter nor a digit is left out between letters and at the ends, and a hyphen elsewhere.

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


_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])[\W_]+(?=[^\W\d_])")
_NO_LETTERS = re.compile(r"[\W_]+")

_ESCAPES = re.compile(r"(?:\\x|%)([0-9a-f]{2})|\\u([0-9a-f]{4})", re.IGNORECASE)
"""A byte in an address or in Python, or a character in JSON."""

_LAYERS = 3
"""Programs escape what others have escaped, hardly ever more often than this."""


def _unescaped(docno: str) -> str:
    """Return a docno as text, without the escapes of addresses, HTML, JSON and Python."""
    for _ in range(_LAYERS):
        docno = _ESCAPES.sub(lambda escape: chr(int(escape[1] or escape[2], 16)), docno)
        if "&" in docno:
            from html import unescape  # it is slow to import, and hardly ever needed

            docno = unescape(docno)
        with suppress(UnicodeError):
            docno = docno.encode("latin-1").decode()
    return docno


def bare_form(docno: str) -> str:
    """Return the plain form of a docno without a short prefix of letters and other characters before its number.

    Examples
    --------
    >>> bare_form("D486"), bare_form("docs/486_title"), bare_form("FT911-3"), bare_form("Category_1990")
    ('486', '486_title', '911-3', 'category_1990')
    """
    return _PREFIX.sub("", plain_form(docno))


_PREFIX = re.compile(r"^[^0-9]{1,5}(?=[0-9])")


def unsigned_form(docno: str) -> str:
    """Return a whole number as an unsigned one of 32 or 64 bits; an empty text for other docnos.

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
    """Return a docno with another number at its end, of as many digits if the first one is 0.

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
    """Return the number of decimals of a number with an exponent, as of floats in C; -1 for other docnos.

    Examples
    --------
    >>> exponent_decimals("2.18813e+06"), exponent_decimals("3E+06"), exponent_decimals("2188130")
    (5, 0, -1)
    """
    number = _EXPONENT.fullmatch(docno)
    return -1 if number is None else len(number[1] or "")


def with_exponent(docno: str, decimals: int) -> str:
    """Return a number with an exponent and so many decimals; an empty text for other docnos.

    Examples
    --------
    >>> with_exponent("2188133", 5), with_exponent("2.18813E06", 5), with_exponent("LA-17", 5)
    ('2.18813e+06', '2.18813e+06', '')
    """
    is_whole = docno.isdecimal() and len(docno) <= _LONGEST_NUMBER
    return f"{float(docno):.{decimals}e}" if is_whole or exponent_decimals(docno) >= 0 else ""


def last_part(docno: str) -> str:
    """Return the last part of a docno that is a path, or has a prefix.

    Examples
    --------
    >>> last_part("news/2004/D17.txt"), last_part("D17.txt")
    ('D17.txt', 'D17.txt')
    """
    return re.split(r"[/\\:]", docno)[-1]


def _as_float(docno: str, kind: Literal["f", "d"]) -> str:
    (number,) = struct.unpack(kind, struct.pack(kind, int(docno)))
    return str(int(number))


def as_single(docno: str) -> str:
    """Return a whole number as programs print it that held it as a float of 32 bits.

    Examples
    --------
    >>> as_single("20000001"), as_double("20000001"), in_spreadsheet("12345678901234567")
    ('20000000', '20000001', '12345678901234500')
    """
    return _as_float(docno, "f") if len(docno) <= _LONGEST_NUMBER else docno


def as_double(docno: str) -> str:
    """Return a whole number as programs print it that held it as a float of 64 bits."""
    return _as_float(docno, "d") if len(docno) <= _LONGEST_NUMBER else docno


def in_spreadsheet(docno: str) -> str:
    """Return a whole number with zeros from the 16th digit on."""
    return docno[:15] + "0" * (len(docno) - 15)


INEXACT_FORMS = {as_single: 8, as_double: 16, in_spreadsheet: 16}
"""The forms of whole numbers that lose digits, and the fewest digits of numbers that do."""


class TopicDocnos:
    """The judged docnos of a topic, by their plain forms."""

    def __init__(self, judgments: Judgments) -> None:
        self._judged = judgments.keys()
        self._forms = {plain_form(docno): docno for docno in judgments}
        self._shortest = min(map(len, judgments), default=0)
        # Runs have many unjudged documents in common.
        self._known: dict[str, list[tuple[str, str]]] = {}
        self._cut: dict[int, dict[str, str]] = {}
        self._ends: dict[int, dict[str, str]] = {}
        self._with_exponent: dict[int, dict[str, str]] = {}
        self._moved: dict[int, set[str]] = {}
        self._decimals = max(map(exponent_decimals, judgments), default=-1)

    def in_other_form(self, docno: str) -> list[tuple[str, str]]:
        """Return the judged docnos that an unjudged one means or contains, each with the text around it."""
        known = self._known.get(docno)
        if known is None:
            plain = plain_form(docno)
            judged = self._forms.get(plain) or self._loose_forms.get(loose_form(docno)) or self._changed(docno)
            parts = self._parts(plain) if judged is None else [(judged, "")]
            known = self._known[docno] = list(parts) or self._with_other_prefix(plain)
        return known

    def _changed(self, docno: str) -> str | None:
        """Return the judged docno of which a program made another one; None if there is none."""
        for form, judged in (
            (ascii_form, self._ascii_forms),
            (compact_form, self._compact_forms),
            (unsigned_form, self._unsigned_forms),
        ):
            if (found := judged.get(form(docno))) is not None:
                return found
        if (decimals := max(exponent_decimals(docno), self._decimals)) >= 0:
            return self._by_rounded_number(decimals).get(with_exponent(docno, decimals))
        found = self._last_parts.get(last_part(docno))
        if found is not None and (last_part(found) == found) != (last_part(docno) == docno):
            return found
        if not FEWEST_CUT <= len(docno) < self._shortest:
            return None
        return self.by_beginning(len(docno)).get(docno) or self._by_end(len(docno)).get(docno)

    def _with_other_prefix(self, plain: str) -> list[tuple[str, str]]:
        """Return the judged docno that differs only in a short prefix, which one of them has, with the prefix."""
        bare = bare_form(plain)
        judged = self._bare_forms.get(plain) if bare == plain else self._forms.get(bare)
        if not plain or judged is None:
            return []
        return [(judged, max(plain, plain_form(judged), key=len).removesuffix(bare))]

    @cached_property
    def _bare_forms(self) -> dict[str, str]:
        return self._by_form(bare_form)

    @cached_property
    def _loose_forms(self) -> dict[str, str]:
        return self._by_form(loose_form)

    @cached_property
    def _ascii_forms(self) -> dict[str, str]:
        return self._by_form(ascii_form)

    @cached_property
    def _compact_forms(self) -> dict[str, str]:
        return self._by_form(compact_form)

    @cached_property
    def _unsigned_forms(self) -> dict[str, str]:
        return self._by_form(unsigned_form)

    @cached_property
    def _last_parts(self) -> dict[str, str]:
        return self._by_form(last_part)

    def _by_rounded_number(self, decimals: int) -> dict[str, str]:
        if decimals not in self._with_exponent:
            self._with_exponent[decimals] = self._by_form(lambda docno: with_exponent(docno, decimals))
        return self._with_exponent[decimals]

    def with_numbers_moved(self, step: int) -> set[str]:
        """Return the judged docnos after a number was added to those that end in one."""
        if step not in self._moved:
            self._moved[step] = {with_number_moved(docno, step) for docno in self._judged}
        return self._moved[step]

    def by_beginning(self, length: int) -> dict[str, str]:
        """Return judged docnos by their beginnings of this length, without those that several docnos have."""
        if length not in self._cut:
            self._cut[length] = self._by_form(lambda docno: docno[:length])
        return self._cut[length]

    def _by_end(self, length: int) -> dict[str, str]:
        if length not in self._ends:
            self._ends[length] = self._by_form(lambda docno: docno[-length:])
        return self._ends[length]

    def _by_form(self, form_of: Callable[[str], str]) -> dict[str, str]:
        """Return the judged docnos by a form, without those that several documents have."""
        forms = {docno: form_of(docno) for docno in self._forms.values()}
        counts = Counter(forms.values())
        return {form: docno for docno, form in forms.items() if form and counts[form] == 1}

    @cached_property
    def _shapes(self) -> set[str]:
        return set(map(_shape, self._forms))

    def _parts(self, plain: str) -> Iterator[tuple[str, str]]:
        """Yield the judged docnos that a longer docno contains, each with the text around it.

        A docno of the same shape as judged ones is not searched: it is probably that of another document.
        """
        if len(plain) <= self._shortest or plain.isdecimal():
            return
        ends = [match.end() for match in _PARTS.finditer(plain)]
        starts = [0, *ends[:-1]]
        for start, end in {*product([0], ends), *product(starts, ends[-1:]), *zip(starts, ends, strict=True)}:
            part = plain[start:end].lstrip("0")
            if part in self._forms and re.search("[0-9]", part) and _shape(plain) not in self._shapes:
                yield self._forms[part], re.sub("[0-9]+", "0", f"{plain[:start]} {plain[end:]}")


FEWEST_CUT = 6
"""Shorter docnos may be the beginnings of others by chance."""


def _shape(docno: str) -> str:
    """Return a docno with 0 for each number and a for each word."""
    return re.sub("[a-z]+", "a", re.sub("[0-9]+", "0", docno))
