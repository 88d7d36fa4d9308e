"""Measures with their parameters, which have one canonical form each."""

from __future__ import annotations

import re
from typing import NamedTuple

from stdeval.errors import InputError
from stdeval.measures.catalogue import ORDER, Family

# Names come from the headers of files, too, so no expression may take more than linear time: where one part of a
# pattern can follow another, they never match the same character, and lists are split before they are matched.
# A number of more than 30 digits cannot be meant, and C prints some differently.
NUMBER = r"-?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})"

# Patterns are compiled when they are first used: most command lines need none, and compiling takes time.
_PERSISTENCE = rf"p=(?P<p>{NUMBER}(?:e-?[0-9]+)?)(?:_cut_(?P<cut>[0-9]+))?"

_LARGEST_CUTOFF = 10**9

_WITH_CUTOFF = ("cutoff", "optional cutoff", "length")
"""Kinds of parameters that are numbers of documents."""

_WITH_DECIMALS = ("recall", "multiple")
"""Kinds of parameters that are numbers with two decimals."""

EXPECTED_PARAMETERS = {
    "": "no parameter",
    "cutoff": "whole numbers from 1",
    "optional cutoff": "whole numbers from 1",
    "length": "a whole number from 1",
    "recall": "numbers from 0 to 1 with at most two decimals",
    "multiple": "numbers above 0 with at most two decimals",
    "number": "a number above 0",
    "recalls": "numbers from 0 to 1 with commas",
    "weights": "four numbers with commas",
    "gains": "level=gain pairs with commas, each level once",
    "persistence": "p=P with P in [0, 1), as in rbp_p=0.8, and for the first K documents _cut_K with K from 1",
}


class Measure(NamedTuple):
    """A measure with its parameter and level.

    Parameters
    ----------
    family : Family
        Its row in the table of measures.
    parameter : str
        The parameter in canonical form; ``""`` for none.
    level : int, optional
        A document is relevant if its judgment is at least this level; None for the level of the evaluation.
    """

    family: Family
    parameter: str = ""
    level: int | None = None

    @property
    def name(self) -> str:
        """The name in every output: trec_eval's, with ``_rel=LEVEL`` if the measure has a level of its own."""
        name = f"{self.family.name}_{self.parameter}" if self.parameter else self.family.name
        return name if self.level is None else f"{name}_rel={self.level}"

    @property
    def has_named_gains(self) -> bool:
        """Whether its name gives the gains, as in ``ndcg_1=3,2=7``; otherwise they are the judgments."""
        return self.family.parameter == "gains" and self.parameter != ""

    @property
    def range(self) -> str:
        """The range of its values; that of its family, unless a named gain is below 0."""
        return "unbounded" if self.has_named_gains and "=-" in self.parameter else self.family.range

    @property
    def better_higher(self) -> bool:
        """Whether a higher score is better.

        The coefficients of utility may be costs. They are those of retrieved documents, relevant and others, and
        those of documents that are not retrieved, relevant and others.
        """
        if self.family.name != "utility" or not self.parameter:
            return self.family.better_higher
        relevant, other, missed, rest = map(float, self.parameter.split(","))
        return relevant - missed >= other - rest

    @property
    def cutoff(self) -> int | None:
        """The number of documents after which the measure cuts the run; None if it does not."""
        if self.family.parameter in _WITH_CUTOFF:
            return int(self.parameter) if self.parameter else None
        match = re.fullmatch(_PERSISTENCE, self.parameter)
        return int(match["cut"]) if match and match["cut"] else None

    @property
    def persistence(self) -> float | None:
        """The p of rank-biased precision; None for other measures."""
        match = re.fullmatch(_PERSISTENCE, self.parameter)
        return float(match["p"]) if match else None

    def depends_on_level(self, binary: bool) -> bool:
        """Return True if the relevance level of the evaluation (``-l``) can change the score.

        Graded gains are the judgments, whatever the level is; binary gains are 1 from the level on.

        Examples
        --------
        >>> from stdeval.measures.names import resolve
        >>> [measure.depends_on_level(binary=False) for measure in resolve(["AP", "AP(rel=2)", "ndcg"])]
        [True, False, False]
        """
        family = self.family
        is_graded = family.has_gains and not binary and not family.needs_relevant
        return self.level is None and family.has_level and not is_graded

    @property
    def sort_key(self) -> tuple[int, int, float, int, str]:
        """A key that sorts measures in the order of trec_eval's output; parameters are sorted as numbers."""
        decimal = float(self.parameter) if self.family.parameter in _WITH_DECIMALS else self.persistence or 0.0
        return (ORDER[self.family.name], self.level or 0, decimal, self.cutoff or 0, self.parameter)


def persistence(resid: float, depth: int) -> float:
    """Return the p for which rank-biased precision has a given residual beyond a depth: resid^(1 / depth).

    Parameters
    ----------
    resid : float
        The weight of all ranks beyond ``depth``, in (0, 1).
    depth : int
        Number of ranks; at least 1.

    Raises
    ------
    InputError
        If ``resid`` or ``depth`` is outside its range.

    References
    ----------
    W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability. EVIA 2010,
    equation 7.

    Examples
    --------
    Section 3.1 of the paper has 0.8, 0.977 and 0.9977:

    >>> [round(persistence(0.1, depth), 4) for depth in (10, 100, 1000)]
    [0.7943, 0.9772, 0.9977]
    """
    if not 0 < resid < 1:
        raise InputError(f"residual {resid:g}, expected a number above 0 and below 1")
    if depth < 1:
        raise InputError(f"depth {depth}, expected at least 1")
    return float(resid ** (1 / depth))


def canonical_parameters(family: Family, text: str) -> list[str] | None:
    """Return the parameters listed in a text, as they stand in output names; None if one of them is not valid."""
    if family.parameter in (*_WITH_CUTOFF, *_WITH_DECIMALS):
        # trec_eval's relstring takes one length, the others several parameters.
        items = text.split(",") if family.parameter != "length" else [text]
        canonical = [canonical_number(family.parameter, item) for item in items]
        return None if None in canonical else [item for item in canonical if item is not None]
    if family.parameter == "persistence":
        p_and_cut = _canonical_persistence(text)
        return None if p_and_cut is None else [p_and_cut]
    return [text] if _is_valid_verbatim(family.parameter, text) else None


def canonical_number(kind: str, item: str) -> str | None:
    """Return a cutoff, length, recall or multiple as trec_eval prints it; None if it is not valid."""
    if kind in _WITH_DECIMALS:
        is_number = bool(re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{0,2})?|\.[0-9]{1,2}", item))
        # Precision at a recall above 1, or of no document, is always 0.
        is_valid = is_number and (float(item) <= 1 if kind == "recall" else float(item) > 0)
        return f"{float(item):.2f}" if is_valid else None
    if not re.fullmatch(r"[0-9]{1,12}", item) or not 1 <= int(item) <= _LARGEST_CUTOFF:
        return None
    return str(int(item))


def _canonical_persistence(text: str) -> str | None:
    match = re.fullmatch(_PERSISTENCE, text)
    if match is None or not 0 <= float(match["p"]) < 1:
        return None
    # repr() is the shortest text that reads back as the same number; abs() because -0 is 0.
    p = repr(abs(float(match["p"]))).removesuffix(".0")
    if match["cut"] is None:
        return f"p={p}"
    cut = canonical_number("cutoff", match["cut"])
    return cut and f"p={p}_cut_{cut}"


def _is_valid_verbatim(kind: str, text: str) -> bool:
    """Return True for a parameter that pytrec_eval accepts, and repeats in its output, exactly as it is written."""
    if kind == "gains":
        pairs = text.split(",")
        levels = {pair.partition("=")[0].lstrip("0") for pair in pairs}
        return len(levels) == len(pairs) and all(re.fullmatch(rf"[0-9]{{1,9}}={NUMBER}", pair) for pair in pairs)
    numbers = text.split(",")
    if not all(re.fullmatch(NUMBER, number) for number in numbers):
        return False
    if kind == "recalls":
        return all(0 <= float(number) <= 1 for number in numbers)
    if kind == "weights":
        return len(numbers) == 4
    return kind == "number" and len(numbers) == 1 and float(text) > 0
