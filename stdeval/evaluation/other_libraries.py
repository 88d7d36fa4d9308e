"""Judgments and runs as other libraries hold them, recognized without importing these libraries.

They are data frames (of PyTerrier, trectools and others), the Qrels and Run of ranx, and the rows of ir_measures
and ir_datasets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeGuard

from stdeval.display import excerpt, listed
from stdeval.errors import InputError
from stdeval.frames import (
    TOPIC_COLUMNS,
    Frame,
    column_names,
    column_of,
    first_column,
    identifier,
    is_frame,
    system_of,
)

_DOCNO_COLUMNS = ("docno", "doc_id", "docid")

Values = tuple[str, tuple[str, ...]]
"""The kind of numbers that documents have, for messages, and the names that libraries give to their column."""

JUDGMENTS: Values = ("judgments", ("label", "relevance", "rel", "judgment", "score"))
SCORES: Values = ("scores", ("score",))

_COLUMNS_OF_QRELS = (
    ("qid", "docno", "label"),
    ("query_id", "doc_id", "relevance"),
    ("query", "docid", "rel"),
    ("q_id", "doc_id", "score"),
)
"""The columns of topics, docnos and judgments in data frames of PyTerrier, ir_measures, trectools and ranx."""

_SEVERAL_RUNS = "; a data frame holds one run: for several, pass a dict of name to data frame"
"""A hint behind the message that a document appears twice in a data frame."""


class HasDict(Protocol):
    """Judgments or a run of ranx."""

    def to_dict(self) -> Any:
        """Return topic to docno to number."""


class Row(Protocol):
    """A judgment (with ``relevance``) or a retrieved document (with ``score``) of ir_measures or ir_datasets."""

    @property
    def query_id(self) -> str:
        """The topic."""

    @property
    def doc_id(self) -> str:
        """The docno."""


def as_sequence(given: object) -> object:
    """Return the items of an iterator as a list, since it can be read only once, and any other object itself."""
    return list(given) if isinstance(given, Iterator) else given


def are_rows(given: object) -> TypeGuard[Sequence[Row]]:
    """Return whether an object is a sequence of rows that each have a topic and a docno.

    Examples
    --------
    >>> from collections import namedtuple
    >>> ScoredDoc = namedtuple("ScoredDoc", ["query_id", "doc_id", "score"])
    >>> are_rows([ScoredDoc("301", "a", 1.5)]), are_rows([("301", "a", 1.5)]), are_rows("301")
    (True, False, False)
    """
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)) or not given:
        return False
    return all(hasattr(row, "query_id") and hasattr(row, "doc_id") for row in given)


def is_of_ranx(given: object) -> TypeGuard[HasDict]:
    """Return whether an object is a Qrels or a Run of ranx, which can be made a dict."""
    return hasattr(given, "to_dict") and not isinstance(given, Mapping) and not is_frame(given)


def by_topic(given: object, values: Values) -> object:
    """Return topic to docno to number, of what another library holds; any other object itself.

    Parameters
    ----------
    given : object
    values : Values
        `JUDGMENTS` or `SCORES`.

    Raises
    ------
    InputError
        If it is of another library but without topics, documents or numbers, or with a document twice.

    Examples
    --------
    >>> from collections import namedtuple
    >>> Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance"])
    >>> by_topic([Qrel("301", "a", 1), Qrel("301", "b", 0)], JUDGMENTS)
    {'301': {'a': 1, 'b': 0}}
    """
    if is_frame(given):
        names = _names_of_judgments(given) if values is JUDGMENTS else values[1]
        columns = (column_of(given, each) for each in (TOPIC_COLUMNS, _DOCNO_COLUMNS, names))
        # a frame of several runs has rows of the same document
        return _grouped(zip(*columns, strict=True), _SEVERAL_RUNS if values is SCORES else "")
    if are_rows(given):
        return _grouped((row.query_id, row.doc_id, _number(row, values)) for row in given)
    return given.to_dict() if is_of_ranx(given) else given


def _names_of_judgments(frame: Frame) -> Sequence[str]:
    """Return the possible names of the column of judgments; refuse a data frame that has two such columns.

    If it has all columns of one library, that library's column is meant, whatever other columns were added.
    """
    present = set(column_names(frame))
    of_library = next((columns for columns in _COLUMNS_OF_QRELS if present.issuperset(columns)), None)
    if of_library is not None:
        return of_library[-1:]
    names = JUDGMENTS[1]
    several = [name for name in names if name in present and name != "score"]
    if len(several) > 1:
        raise InputError(f"columns {listed(several)}, expected one column of judgments")
    return names


def ranks_by_topic(given: object) -> dict[str, list[Any]]:
    """Return topic to the ranks of its documents, in the order of `by_topic`; empty if they have no ranks.

    Only data frames have ranks: the columns ``rank`` of PyTerrier and trectools.
    """
    if not is_frame(given) or first_column(given, ["rank"]) is None:
        return {}
    ranks: dict[str, list[Any]] = {}
    for topic, rank in zip(column_of(given, TOPIC_COLUMNS), column_of(given, ["rank"]), strict=True):
        ranks.setdefault(identifier(topic, "topic"), []).append(rank)
    return ranks


def own_name(given: object) -> str | None:
    """Return the name that a run of another library has; None if it has none.

    Raises
    ------
    InputError
        If it is a data frame of several runs.
    """
    if is_frame(given):
        return system_of(given)
    return getattr(given, "name", None) if is_of_ranx(given) else None


def _number(row: Row, values: Values) -> Any:
    kind, names = values
    name = next((name for name in names if hasattr(row, name)), None)
    if name is None:
        raise InputError(f"{excerpt(repr(row))} among {kind}, expected rows with {listed(names)}")
    return getattr(row, name)


def _grouped(rows: Iterable[Sequence[Any]], advice: str = "") -> dict[str, dict[str, Any]]:
    """Return topic to docno to number of rows with a topic, a document and a number.

    Parameters
    ----------
    rows : iterable of (topic, docno, number)
    advice : str
        Ends the message about a document that a topic has twice.
    """
    grouped: dict[str, dict[str, Any]] = {}
    for topic, docno, number in rows:
        documents = grouped.setdefault(identifier(topic, "topic"), {})
        name = identifier(docno, "docno")
        if name in documents:
            found = f"document '{excerpt(name)}' appears twice in topic '{excerpt(str(topic))}'"
            raise InputError(f"{found}{advice}")
        documents[name] = number
    return grouped
