"""Shorten names so that they fit into labels and can still be told apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import chain, count, pairwise

ELLIPSIS = "…"

SEPARATOR = ", "
"""Stands between the fields of a label."""

SHORTEST_END = 3
"""A common beginning or end that is cut to fewer characters than this is left out: it would tell nothing."""

_WORDS = re.compile(r"[^\W_]+[\W_]*|[\W_]+")
"""A word of a name, with the hyphens and so on behind it."""


def shortened(name: str, limit: int) -> str:
    """Return a name of at most `limit` characters: the middle of a longer name is replaced by an ellipsis.

    Examples
    --------
    >>> shortened("bm25", 11), shortened("a-very-long-run-tag-of-some-group", 11)
    ('bm25', 'a-ver…group')
    """
    tail = (limit - 1) // 2
    return name if len(name) <= limit else f"{name[: limit - 1 - tail]}{ELLIPSIS}{name[len(name) - tail :]}"


def printable(name: str) -> str:
    """Return a name with each unprintable character replaced by U+FFFD."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name)


def short_names(names: Sequence[str], limit: int) -> list[str]:
    r"""Return names of at most `limit` characters; different names stay different.

    A longer name loses its middle. If names would then be the same, they lose the words that all of them have
    instead, and keep those in which they differ.

    Parameters
    ----------
    names : sequence of str
    limit : int
        At least 8.

    Returns
    -------
    list of str
        Unprintable characters are replaced by U+FFFD. If names cannot be told apart in any other way, numbers tell
        them apart.

    Examples
    --------
    >>> short_names([f"monot5-base-{kind}-expansion-rrf60" for kind in ("title", "rm3")], 18)
    ['monot…title-…rrf60', 'monot5…rm3-…-rrf60']
    >>> short_names(["a\tb", "a\nb"], 8)
    ['a�b', 'a�b (2)']
    """
    texts = {name: printable(name) for name in names}
    labels = _labels(list(dict.fromkeys(texts.values())), limit)
    chosen: dict[str, str] = {}
    # names that were not shortened keep their text, and numbers go to the others
    for name in sorted(texts, key=lambda name: labels[texts[name]] != name):
        chosen[name] = _numbered(labels[texts[name]], set(chosen.values()), limit)
    return [chosen[name] for name in names]


def short_fields(labels: Sequence[str], longest: int) -> list[str]:
    """Return labels whose fields have at most `longest` characters; different labels stay different.

    Examples
    --------
    >>> short_fields(["monot5-base-title, raw", "monot5-base-title, N"], 12)
    ['monot5…title, raw', 'monot5…title, N']
    """
    fields = list(dict.fromkeys(field for label in labels for field in label.split(SEPARATOR)))
    short = dict(zip(fields, short_names(fields, longest), strict=True))
    return [SEPARATOR.join(short[field] for field in label.split(SEPARATOR)) for label in labels]


def _numbered(label: str, used: set[str], limit: int) -> str:
    """Return a label, with the least number that makes it a new one if it is used already."""
    numbers = (f" ({i})" for i in count(2))
    candidates = chain([label], (label[: limit - len(number)] + number for number in numbers))
    return next(candidate for candidate in candidates if candidate not in used)


def _labels(names: Sequence[str], limit: int) -> dict[str, str]:
    """Return the label of each name, at most `limit` characters."""
    labels = {name: shortened(name, limit) for name in names}
    groups = _alike(labels)
    while any(len(group) > 1 for group in groups):
        for group in groups:
            if len(group) > 1:
                labels |= {name: shortened(label, limit) for name, label in _differences(group, limit).items()}
        # what differs within one group may be the same as in another: then the two groups are one
        label_of = {group[0]: {labels[name] for name in group} for group in groups}
        merged = _merged(groups, label_of)
        if len(merged) == len(groups):
            break
        groups = merged
    return labels


def _alike(labels: dict[str, str]) -> list[list[str]]:
    """Group names that have the same label."""
    alike: dict[str, list[str]] = {}
    for name, label in labels.items():
        alike.setdefault(label, []).append(name)
    return list(alike.values())


def _merged(groups: list[list[str]], label_of: dict[str, set[str]]) -> list[list[str]]:
    """Join groups that have a label in common."""
    merged: list[tuple[list[str], set[str]]] = []
    for group in groups:
        joined, labels = list(group), set(label_of[group[0]])
        apart = []
        for other, others in merged:
            if labels & others:
                joined, labels = other + joined, labels | others
            else:
                apart.append((other, others))
        merged = [*apart, (joined, labels)]
    return [group for group, _ in merged]


def _differences(names: Sequence[str], limit: int) -> dict[str, str]:
    """Return each name without most of the words that all names have in common, by name."""
    words = [_WORDS.findall(name) for name in names]
    common = words[0]
    for other in words[1:]:
        blocks = SequenceMatcher(None, common, other, autojunk=False).get_matching_blocks()
        common = [word for block in blocks for word in common[block.a : block.a + block.size]]
    parts = [_own_parts(own, common) for own in words]
    # between the words that all have: what each name has there, in columns
    columns = [list(column) for column in zip(*parts, strict=True)]
    inner = [word if len(word) <= 2 else ELLIPSIS for word in common]
    filled = [i for i, column in enumerate(columns) if any(column)]
    first, last = filled[0], filled[-1]
    between = [re.sub(f"{ELLIPSIS}+", ELLIPSIS, "".join(inner[i:j])) for i, j in pairwise(filled)]
    shown = _narrowed([columns[i] for i in filled], limit - len("".join(between)) - 2)
    bodies = ["".join(chain(*zip(row, [*between, ""], strict=True))) for row in zip(*shown, strict=True)]
    head, tail = "".join(common[:first]), "".join(common[last:])
    whole = [_with_ends(head, body, tail, limit) for body in bodies]
    return {name: re.sub(f"{ELLIPSIS}+", ELLIPSIS, label) for name, label in zip(names, whole, strict=True)}


def _own_parts(words: Sequence[str], common: Sequence[str]) -> list[str]:
    """Return the texts of a name before, between and after the words that all names have."""
    parts = [""]
    for word in words:
        if len(parts) <= len(common) and word == common[len(parts) - 1]:
            parts.append("")
        else:
            parts[-1] += word
    return parts


def _narrowed(columns: list[list[str]], room: int) -> list[list[str]]:
    """Shorten the texts in columns, the widest first, until a row fits; different texts stay different."""
    widths = [max(map(len, column)) for column in columns]
    shown = list(columns)
    stuck: set[int] = set()
    while sum(widths) > room and len(stuck) < len(columns):
        i = max((i for i in range(len(columns)) if i not in stuck), key=lambda i: widths[i])
        narrower = _narrower(columns[i], widths[i] - 1)
        if narrower is None:
            stuck.add(i)
        else:
            shown[i], widths[i] = narrower, widths[i] - 1
    return shown


def _narrower(column: list[str], width: int) -> list[str] | None:
    """Return the texts of a column with at most `width` characters, or None if different ones would be the same."""
    ways = (
        [text if len(text) <= width else text[: width - 1] + ELLIPSIS for text in column],
        [text if len(text) <= width else ELLIPSIS + text[len(text) - width + 1 :] for text in column],
        [shortened(text, width) for text in column],
    )
    # an ellipsis at an end may meet another one, so that it tells nothing apart
    n = len(set(column)) if width > 1 else len(column) + 1
    return next((way for way in ways if len({text.strip(ELLIPSIS) for text in way}) == n), None)


def _with_ends(head: str, body: str, tail: str, limit: int) -> str:
    """Add as much of a beginning and an end to a text as there is room for."""
    room = limit - len(body)
    at_tail = min(len(tail), max(room // 2, room - len(head)))
    at_head = room - at_tail
    if len(head) > at_head:
        head = head[: at_head - 1 if at_head > SHORTEST_END else 0] + ELLIPSIS
    if len(tail) > at_tail:
        tail = ELLIPSIS + tail[len(tail) - at_tail + 1 if at_tail > SHORTEST_END else len(tail) :]
    return f"{head}{body}{tail}"
