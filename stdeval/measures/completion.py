"""Complete the beginning of a measure's name, for shells."""

from __future__ import annotations

from collections.abc import Iterator

from stdeval.measures.catalogue import FAMILIES, NICKNAMES


def measures_beginning_with(text: str, letters: str = "") -> list[tuple[str, str]]:
    """Return names of measures that begin with a text, each with its definition, in the order of the table.

    Parameters
    ----------
    text : str
        Empty for all names.
    letters : str
        The letters of schemes, one of which may stand before the name.

    Returns
    -------
    list of (str, str)
        Nicknames and the names in the output, with the usual parameters. If none of them begins with the text,
        the names in the style of ir_measures that do, or those with the letter of a scheme.

    Examples
    --------
    >>> measures_beginning_with("recip")[0]
    ('recip_rank', '1 / rank of the first relevant document')
    >>> [name for name, _ in measures_beginning_with("MA")][:2]
    ['MAP', 'MAP@5']
    >>> [name for name, _ in measures_beginning_with("Nma", "ZN")][:2]
    ['Nmap', 'Nmap_cut_5']
    """
    for names in (_output_names(), _ir_names()):
        found = {name: definition for name, definition in names if name.startswith(text)}
        if found:
            return list(found.items())
    if text and text[0] in letters:
        return [(text[0] + name, definition) for name, definition in measures_beginning_with(text[1:])]
    return []


def _output_names() -> Iterator[tuple[str, str]]:
    for family in FAMILIES:
        for parameter in family.defaults:
            yield f"{family.name}_{parameter}" if parameter else family.name, family.definition
    yield from ((nickname, "several measures") for nickname in NICKNAMES)


def _ir_names() -> Iterator[tuple[str, str]]:
    for family in FAMILIES:
        # Shells need quotation marks around parentheses.
        aliases = [alias for alias in family.aliases if "(" not in alias]
        for parameter in family.defaults if family.parameter in ("", "cutoff", "optional cutoff", "gains") else ():
            suffix = f"@{parameter}" if parameter else ""
            yield from ((alias + suffix, family.definition) for alias in aliases)
