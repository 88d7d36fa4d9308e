"""The labels of tables: names of systems, topics and measures, which are text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stdeval.display import excerpt, listed
from stdeval.errors import InputError


def check_label(label: object, kind: str) -> None:
    """Refuse a label that is not text, such as a topic given as a number.

    Parameters
    ----------
    label : object
    kind : str
        What it names, such as ``"topic"``; for the message.

    Examples
    --------
    >>> check_label(301, "topic")
    Traceback (most recent call last):
    ...
    stdeval.errors.InputError: topic 301 is of type int, expected text: '301'
    """
    if not isinstance(label, str):
        # which text is meant is clear only for a number
        likely = f": '{excerpt(str(label))}'" if hasattr(label, "__index__") else ""
        found = f"{kind} {excerpt(repr(label))} is of type {type(label).__name__}"
        raise InputError(f"{found}, expected text{likely}")


def several(labels: Sequence[str], kind: str) -> tuple[str, ...]:
    """Return labels as a tuple; refuse a single text, whose characters would be the labels, and anything else.

    Examples
    --------
    >>> several(["301", "302"], "topic")
    ('301', '302')
    """
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        example = f"['{excerpt(labels)}']" if isinstance(labels, str) else "('a', 'b')"
        raise InputError(f"{kind}s are {excerpt(repr(labels))}, expected several, such as {example}")
    return tuple(labels)


def checked_labels(labels: Sequence[str], kind: str) -> tuple[str, ...]:
    """Return labels as a tuple, refusing those that are not text or appear twice.

    Examples
    --------
    >>> checked_labels(["301", "301"], "topic")
    Traceback (most recent call last):
    ...
    stdeval.errors.InputError: topic '301' appears twice, expected each topic once
    """
    checked, seen = several(labels, kind), set[str]()
    for label in checked:
        check_label(label, kind)
        if label in seen:
            raise InputError(f"{kind} '{label}' appears twice, expected each {kind} once")
        seen.add(label)
    return checked


def places(labels: Sequence[str], wanted: Sequence[str], kind: str) -> list[int]:
    """Return the index of each wanted label; an `InputError` lists the labels if there is none of this name.

    Examples
    --------
    >>> places(["a", "b", "c"], ["c", "a"], "system")
    [2, 0]
    """
    where = {label: i for i, label in enumerate(labels)}
    for label in wanted:
        check_label(label, kind)
        if label not in where:
            raise InputError(f"no {kind} '{label}', expected one of: {listed(labels, 20)}")
    return [where[label] for label in wanted]
