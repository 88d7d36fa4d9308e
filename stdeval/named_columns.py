"""Find the columns of a table of scores that the name of a measure means."""

from __future__ import annotations

from collections.abc import Iterable

from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.measures.names import prefixed, resolve, split_prefix
from stdeval.table import ScoreTable


def measures_in(table: ScoreTable, texts: Iterable[str]) -> list[str]:
    """Return the measures of a table that the given names refer to.

    A name is that of a column, or any spelling of a measure that the table has. A name without prefix refers
    to the columns of all prefixes, unless there is a column without prefix.

    Examples
    --------
    >>> import numpy as np
    >>> table = ScoreTable(("a",), ("1",), ("map", "deep:P_10"), np.zeros((1, 1, 2)))
    >>> measures_in(table, ["P@10", "AP"])
    ['deep:P_10', 'map']
    """
    chosen: dict[str, None] = {}
    for text in texts:
        present = named_measures(table, text)
        if not present:
            raise InputError(f"no measure '{text}' in the scores, expected one of: {listed(table.measures, 20)}")
        chosen |= dict.fromkeys(present)
    return list(chosen)


def named_measures(table: ScoreTable, text: str) -> list[str]:
    """Return the columns of the measures that a name refers to, which may have a prefix; none if there are none."""
    if text in table.measures:
        return [text]
    prefix, bare = split_prefix(text)
    known = {column: split_prefix(column) for column in table.measures}
    wanted = [bare] if bare in {name for _, name in known.values()} else [each.name for each in resolve([bare])]
    exact = [prefixed(prefix, name) for name in wanted if prefixed(prefix, name) in known]
    if exact or prefix:
        return exact
    return [column for name in wanted for column, (_, plain) in known.items() if plain == name]
