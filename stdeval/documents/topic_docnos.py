"""Find the judged docno of a topic that a docno in another form stands for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import product

from stdeval.documents.docno_forms import (
    FEWEST_CUT,
    ascii_form,
    bare_form,
    beginning,
    compact_form,
    end,
    exponent_decimals,
    last_part,
    loose_form,
    plain_form,
    unsigned_form,
    with_exponent,
)
from stdeval.trec.reading import Judgments

_FORMS = (loose_form, ascii_form, compact_form, unsigned_form)
"""The forms by which a docno is found if its plain form is not judged, in this order."""

_PARTS = re.compile("[0-9]+|[a-z]+|.", re.DOTALL)
"""A number, a word, or a character between them."""


class TopicDocnos:
    """The judged docnos of a topic.

    Parameters
    ----------
    judgments : mapping of str to int
        Docno to judgment.

    Examples
    --------
    >>> docnos = TopicDocnos({"17": 1, "18": 0})
    >>> docnos.in_other_form("0017"), docnos.in_other_form("18#2"), docnos.in_other_form("19")
    ([('17', '')], [('18', ' #0')], [])
    """

    def __init__(self, judgments: Judgments) -> None:
        self._plain = {plain_form(docno): docno for docno in judgments}
        self._shortest = min(map(len, judgments), default=0)
        self._decimals = max(map(exponent_decimals, judgments), default=-1)
        self._by_form: dict[tuple[object, ...], dict[str, str]] = {}
        # Runs have many unjudged documents in common.
        self._found: dict[str, list[tuple[str, str]]] = {}

    def by_form(self, form: Callable[..., str], *arguments: int) -> dict[str, str]:
        """Return the judged docnos by a form, without those that share it.

        Parameters
        ----------
        form : callable
            A function of `stdeval.documents.docno_forms`.
        *arguments : int
            Its arguments after the docno.
        """
        key = (form, *arguments)
        if key not in self._by_form:
            forms = {docno: form(docno, *arguments) for docno in self._plain.values()}
            counts = Counter(forms.values())
            self._by_form[key] = {text: docno for docno, text in forms.items() if text and counts[text] == 1}
        return self._by_form[key]

    def in_other_form(self, docno: str) -> list[tuple[str, str]]:
        """Return the judged docnos that an unjudged one stands for or contains, each with the text around it.

        In the text around it, every number is 0. The text is empty if the two docnos have the same form.
        """
        found = self._found.get(docno)
        if found is None:
            plain = plain_form(docno)
            judged = self._judged(docno, plain)
            parts = self._parts(plain) if judged is None else [(judged, "")]
            found = self._found[docno] = list(parts) or self._with_other_prefix(plain)
        return found

    def _judged(self, docno: str, plain: str) -> str | None:
        """Return the judged docno that has a form of this one, or of which this one is a part; otherwise None."""
        if plain in self._plain:
            return self._plain[plain]
        for form in _FORMS:
            if (judged := self.by_form(form).get(form(docno))) is not None:
                return judged
        return self._rounded(docno) or self._in_other_folder(docno) or self._whole(docno)

    def _rounded(self, docno: str) -> str | None:
        """Return the judged number that this one is with an exponent, or the reverse."""
        decimals = max(exponent_decimals(docno), self._decimals)
        return self.by_form(with_exponent, decimals).get(with_exponent(docno, decimals)) if decimals >= 0 else None

    def _in_other_folder(self, docno: str) -> str | None:
        """Return the judged docno that has the same last part, if only one of the two has a folder or a prefix."""
        judged = self.by_form(last_part).get(last_part(docno))
        has_other = judged is not None and (last_part(judged) == judged) != (last_part(docno) == docno)
        return judged if has_other else None

    def _whole(self, docno: str) -> str | None:
        """Return the judged docno from which the end or the beginning was cut, if all judged ones are longer."""
        length = len(docno)
        if not FEWEST_CUT <= length < self._shortest:
            return None
        return self.by_form(beginning, length).get(docno) or self.by_form(end, length).get(docno)

    def _parts(self, plain: str) -> Iterator[tuple[str, str]]:
        """Yield the judged docnos that a longer docno contains, each with the text around it.

        A docno of the same shape as judged ones is not searched, because it is probably that of another document.
        """
        if len(plain) <= self._shortest or plain.isdecimal():
            return
        ends = [match.end() for match in _PARTS.finditer(plain)]
        starts = [0, *ends[:-1]]
        for start, stop in {*product([0], ends), *product(starts, ends[-1:]), *zip(starts, ends, strict=True)}:
            part = plain[start:stop].lstrip("0")
            if part in self._plain and re.search("[0-9]", part) and _shape(plain) not in self._shapes:
                yield self._plain[part], re.sub("[0-9]+", "0", f"{plain[:start]} {plain[stop:]}")

    def _with_other_prefix(self, plain: str) -> list[tuple[str, str]]:
        """Return the judged docno that differs only in a short prefix that one of the two has, with the prefix."""
        bare = bare_form(plain)
        judged = self.by_form(bare_form).get(plain) if bare == plain else self._plain.get(bare)
        if not plain or judged is None:
            return []
        return [(judged, max(plain, plain_form(judged), key=len).removesuffix(bare))]

    @cached_property
    def _shapes(self) -> set[str]:
        return set(map(_shape, self._plain))


def _shape(docno: str) -> str:
    """Return a docno with 0 for each number and a for each word."""
    return re.sub("[a-z]+", "a", re.sub("[0-9]+", "0", docno))
