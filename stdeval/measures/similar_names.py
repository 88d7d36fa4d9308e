"""Errors for names that stand for no measure, which suggest similar names."""

from __future__ import annotations

import re
from difflib import get_close_matches

from stdeval.errors import InputError
from stdeval.measures.catalogue import FAMILIES, NICKNAMES, Family
from stdeval.measures.parameters import EXPECTED_PARAMETERS, canonical_parameters

_STEM_AND_PARAMETER = r"(?P<stem>[A-Za-z](?:[A-Za-z_]*[A-Za-z])?)[._@(]*(?P<parameter>[0-9][0-9.,]*)?"

_OTHER_SPELLINGS = {"R_precision": "Rprec"}
"""Usual names of measures that are not names here."""

_MOST_SUGGESTED = 40
"""No similar name is suggested for a name, or a parameter, with more characters than this."""


def refusal(text: str, family: Family | None = None) -> InputError:
    """Return the error for a name that stands for no measure, with suggestions.

    Parameters
    ----------
    text : str
    family : Family, optional
        The family that is named, if only the parameter is wrong.
    """
    if family is None:
        problem = f"no measure '{text[:80]}'"
    else:
        problem = f"measure '{text[:80]}': {family.name} takes {EXPECTED_PARAMETERS[family.parameter]}"
    # The message about a persistence shows an example of a name already.
    has_example = family is not None and family.parameter == "persistence"
    hints = [] if has_example else [hint for hint in _nearest(text) if hint != text]
    if hints:
        return InputError(f"{problem}, did you mean {' or '.join(hints)}?")
    return InputError(problem + (", expected one that 'stdeval measures' lists" if family is None else ""))


def _nearest(text: str) -> list[str]:
    """Return up to three valid names similar to a text, with its parameter if some family takes it."""
    # A minus sign stays a sign, as in P_-1.
    text = re.sub(r"(?<=[A-Za-z0-9])-", "_", text)
    match = re.match(_STEM_AND_PARAMETER, text)
    stem, parameter = (match["stem"], (match["parameter"] or "").rstrip(".,")) if match else (text, "")
    if len(stem) > _MOST_SUGGESTED:
        return []
    parameter = parameter if len(parameter) <= _MOST_SUGGESTED else ""
    spellings = _spellings(parameter)
    folded = _folded(stem)
    # The reasons for a mistake, the likeliest first: the wrong form of the parameter (P10), a part of a longer name
    # (ndcg_10 for ndcg_cut_10), the wrong case or hyphens, a typing error.
    names = (
        [name for name in spellings if name == stem]
        or [name for name in spellings if stem and name.startswith(f"{stem}_")]
        or [name for name in spellings if _folded(name) == folded]
        or get_close_matches(stem, list(spellings), n=3, cutoff=0.6)
    )
    return list(dict.fromkeys(spellings[name] for name in names))[:3]


def _spellings(parameter: str) -> dict[str, str]:
    """Return each name that takes a parameter, with its spelling with the parameter; all names if none takes it."""
    families = [row for row in FAMILIES if parameter and canonical_parameters(row, parameter) is not None]
    if families:
        spellings = {alias: f"{alias}@{parameter}" for row in families for alias in row.aliases}
        return spellings | {row.name: f"{row.name}.{parameter}" for row in families}
    names = [name for row in FAMILIES for name in (row.name, *row.aliases)]
    return {name: name for name in (*names, *NICKNAMES)} | _OTHER_SPELLINGS


def _folded(name: str) -> str:
    return name.lower().replace("_", "")
