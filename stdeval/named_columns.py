"""Find the columns of a table of scores that the name of a measure means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.labels import check_label
from stdeval.measures.names import canonical, is_known, prefixed, resolve, split_prefix, split_scheme


def measures_in(columns: Sequence[str], texts: Iterable[str]) -> list[str]:
    """Return the measures of a table, which are its columns, that the given names refer to.

    A name is that of a column, or any spelling of a measure that the table has, standardized or not. A name
    without prefix refers to the columns of all prefixes, unless there is a column without prefix. A name of several
    measures refers to those that the table has; a list of parameters, such as ``P.5,10``, to all of them.

    Examples
    --------
    >>> measures_in(["map", "deep:P_10", "Nmap"], ["P@10", "AP", "NAP", "P"])
    ['deep:P_10', 'map', 'Nmap']
    """
    chosen: dict[str, None] = {}
    for text in (each for given in texts for each in _one_by_one(columns, given)):
        present = named_measures(columns, text)
        if not present:
            raise InputError(f"no measure '{text}' in the scores, expected one of: {listed(columns, 20)}")
        chosen |= dict.fromkeys(present)
    return list(chosen)


def _one_by_one(columns: Sequence[str], text: str) -> list[str]:
    """Return one name per parameter, such as P_5 and P_10 for P.5,10; a name without a list stays alone."""
    check_label(text, "measure")
    prefix, bare = split_prefix(text)
    if "," not in bare or any(bare == split_prefix(column)[1] for column in columns):
        return [text]
    return [prefixed(prefix, name) for name in _canonical_names(bare)]


def named_measures(columns: Sequence[str], text: str) -> list[str]:
    """Return the columns of the measures that a name refers to, which may have a prefix; none if there are none."""
    check_label(text, "measure")
    if text in columns:
        return [text]
    prefix, bare = split_prefix(text)
    known = {column: split_prefix(column) for column in columns}
    wanted = [bare] if bare in {name for _, name in known.values()} else _canonical_names(bare)
    exact = [prefixed(prefix, name) for name in wanted if prefixed(prefix, name) in known]
    if exact:
        return exact
    of_prefix = {column: plain for column, (own, plain) in known.items() if not prefix or own == prefix}
    alike = [column for name in wanted for column, plain in of_prefix.items() if plain == name]
    return alike or [
        column for name in wanted for column, plain in of_prefix.items() if _with_canonical_measure(plain) == name
    ]


def _with_canonical_measure(name: str) -> str:
    """Return the name of a column with the canonical name of its measure: Nmap for NAP."""
    scheme, raw = split_scheme(name)
    return scheme + canonical(raw)


def _canonical_names(text: str) -> list[str]:
    """Return the names of the measures that a text means, with its scheme if it begins with one."""
    scheme, raw = split_scheme(text, is_typed=True)
    return [scheme + measure.name for measure in resolve([raw])]


def only_one(names: Sequence[str], text: str) -> str:
    """Return the only measure that a text means; an `InputError` says that it means several.

    A text of several measures is refused even if a table has only one of them, unless it is the name of a column.

    Examples
    --------
    >>> only_one(measures_in(["map", "P_10"], ["P@10"]), "P@10")
    'P_10'
    """
    bare = split_prefix(text)[1]
    n_meant = 1 if text in names or not is_known(bare) else len(_canonical_names(bare))
    n = max(len(names), n_meant)
    if n > 1:
        raise InputError(f"'{text}' means {n} measures, expected one, such as {names[0]}")
    return names[0]
