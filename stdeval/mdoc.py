"""Show a page of the manual as text, without a program such as man: the macros of mdoc(7) that the pages use."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable

_STEP = 5
"""The indentation of text below a heading, as man has it."""
_TAG = 8
"""The indentation of the text of an item of a list."""
_FLAGGED = {"Fl": "-", "Ar": "", "Cm": "", "Li": "", "Pa": "", "Nm": "", "Sy": "", "No": "", "Sx": ""}
"""Macros that print each of their arguments, after these characters."""
_ENCLOSED = {"Ql": ("‘", "’"), "Op": ("[", "]"), "Pq": ("(", ")")}
"""Macros that enclose the rest of the line in these characters."""
_AUTHORS = "%A"
_CLOSING = frozenset(".,:;)]?!")
_ESCAPES = {r"\&": "", r"\-": "-", r"\(ha": "^", r"\('i": "í", r"\e": "\\"}
_JOINED = "\0"
"""Stands between two words that have no blank between them."""
_SPECIAL = {"Ns": _JOINED, "Oo": f"[{_JOINED}", "Oc": f"{_JOINED}]", **{mark: _JOINED + mark for mark in _CLOSING}}
_MACROS = frozenset([*_FLAGGED, *_ENCLOSED, "Xr", "Ns", "Oo", "Oc"])


def rendered(source: str, width: int = 80) -> str:
    """Return a page as plain text."""
    page = _Page(width)
    for line in source.splitlines():
        page.add(line)
    return page.text()


class _Page:
    """The lines of a page so far, and the lists and the paragraph that are open."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._lines: list[str] = []
        self._paragraph: list[str] = []
        self._hanging = 0
        self._lists: list[_List] = []
        self._literal = False
        self._synopsis = False
        self._name = ""
        self._reference: list[tuple[str, str]] = []

    def text(self) -> str:
        self._end_paragraph()
        return "\n".join(self._lines).strip("\n") + "\n"

    def add(self, line: str) -> None:
        if not line.startswith("."):
            self._add_text(_unescaped(line))
            return
        words = _split(line[1:])
        macro, rest = words[0], words[1:]
        if macro in _BLOCKS:
            _BLOCKS[macro](self, rest)
        elif macro.startswith("%"):
            self._reference.append((macro, " ".join(map(_unescaped, rest))))
        else:
            self._add_text(self._inline(words))

    def _add_text(self, text: str) -> None:
        if self._literal:
            self._lines.append(" " * (self._indent() + 6) + text if text else "")
        elif text:
            self._paragraph.append(text)

    def _indent(self) -> int:
        return _STEP + sum(each.indent for each in self._lists)

    def _end_paragraph(self) -> None:
        text = _closed_up(" ".join(self._paragraph))
        self._paragraph = []
        if text:
            later = " " * self._indent()
            marker = self._lists[-1].take_marker() if self._lists else ""
            first = later[len(marker) :] + marker
            self._lines += _wrapped(text, self._width, first, later + " " * self._hanging)

    def _blank(self) -> None:
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def _title(self, _: list[str]) -> None:
        """The date and the title of the page are not shown."""

    def _heading(self, words: list[str]) -> None:
        self._break_paragraph()
        self._hanging = 0
        self._synopsis = words == ["SYNOPSIS"]
        self._lines.append(" ".join(words))

    def _subheading(self, words: list[str]) -> None:
        self._break_paragraph()
        self._lines.append("   " + _unescaped(" ".join(words)))

    def _break_paragraph(self, _: list[str] | None = None) -> None:
        self._end_paragraph()
        self._blank()

    def _description(self, words: list[str]) -> None:
        self._paragraph.append(f"- {_unescaped(' '.join(words))}")

    def _command(self, words: list[str]) -> None:
        self._name = self._name or words[0]
        if self._synopsis:
            # Each command of a synopsis begins a line, and its options are below each other.
            self._end_paragraph()
            self._hanging = len(" ".join(words)) + 1
            self._paragraph.append(" ".join(words).replace(" ", "\u00a0"))
        else:
            self._add_text(self._inline(["Nm", *words]))

    def _literal_line(self, words: list[str]) -> None:
        self._end_paragraph()
        self._lines.append(" " * (self._indent() + 6) + _unescaped(" ".join(words)))

    def _begin_literal(self, _: list[str]) -> None:
        self._break_paragraph()
        self._literal = True

    def _end_literal(self, _: list[str]) -> None:
        self._literal = False

    def _begin_list(self, words: list[str]) -> None:
        self._end_paragraph()
        self._lists.append(_List(words))

    def _end_list(self, _: list[str]) -> None:
        self._end_paragraph()
        ended = self._lists.pop()
        self._lines += ended.table(self._indent())

    def _item(self, words: list[str]) -> None:
        self._end_paragraph()
        here = self._lists[-1]
        if here.kind == "-column":
            here.rows.append([_closed_up(self._inline(cell)) for cell in _cells(words)])
            return
        if not here.compact:
            self._blank()
        here.n_items += 1
        if here.kind == "-tag":
            before = " " * (self._indent() - here.indent)
            self._lines += _wrapped(_closed_up(self._inline(words)), self._width, before, before + " " * 4)
        else:
            here.marker = "*" if here.kind == "-bullet" else f"{here.n_items}."

    def _end_reference(self, _: list[str]) -> None:
        authors = [text for macro, text in self._reference if macro == _AUTHORS]
        others = [text for macro, text in self._reference if macro != _AUTHORS]
        self._reference = []
        self._paragraph.append(", ".join([_listed(authors), *others]) + ".")
        self._end_paragraph()

    def _inline(self, words: list[str]) -> str:
        """Return the text of macros within a line; a mark stands where there is no blank between two words."""
        texts = []
        while words:
            word, words = words[0], words[1:]
            if word in _ENCLOSED:
                inner, words = _without_closing(words)
                left, right = _ENCLOSED[word]
                texts.append(f"{left}{_JOINED}{self._inline(inner)}{_JOINED}{right}")
            elif word in _FLAGGED:
                given, words = _arguments(words)
                if word == "Nm" and (not given or given[0] in _CLOSING):
                    given.insert(0, self._name)
                texts += [_SPECIAL.get(name) or f"{_FLAGGED[word]}{_unescaped(name)}" for name in given]
            elif word == "Xr":
                texts.append(f"{words[0]}({words[1]})")
                words = words[2:]
            else:
                texts.append(_SPECIAL.get(word) or _unescaped(word))
        return " ".join(texts)


_BLOCKS: dict[str, Callable[[_Page, list[str]], None]] = {
    "Dd": _Page._title,
    "Dt": _Page._title,
    "Os": _Page._title,
    "Sh": _Page._heading,
    "Ss": _Page._subheading,
    "Pp": _Page._break_paragraph,
    "Nd": _Page._description,
    "Nm": _Page._command,
    "Dl": _Page._literal_line,
    "Bd": _Page._begin_literal,
    "Ed": _Page._end_literal,
    "Bl": _Page._begin_list,
    "El": _Page._end_list,
    "It": _Page._item,
    "Rs": _Page._break_paragraph,
    "Re": _Page._end_reference,
}
"""Macros that stand alone on their lines."""


class _List:
    """A list that is open: of items with a tag or a bullet, or the rows of a table."""

    def __init__(self, words: list[str]) -> None:
        self.kind = words[0]
        self.compact = "-compact" in words
        self.indent = {"-tag": _TAG, "-bullet": 4, "-enum": 4, "-column": 0}[self.kind]
        self.n_items = 0
        self.marker = ""
        self.rows: list[list[str]] = []

    def take_marker(self) -> str:
        """Return the marker of an item, for the first line of its text only."""
        taken, self.marker = self.marker.ljust(self.indent) if self.marker else "", ""
        return taken

    def table(self, indent: int) -> list[str]:
        if not self.rows:
            return []
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        rows = ("  ".join(map(str.ljust, row, widths)) for row in self.rows)
        return [" " * indent + row.rstrip() for row in rows]


def _split(line: str) -> list[str]:
    """Split the words of a macro line, in which double quotes hold words together."""
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"(?=\s|$)|(\S+)', line)]


def _unescaped(text: str) -> str:
    for escape, meant in _ESCAPES.items():
        text = text.replace(escape, meant)
    return text


def _arguments(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the words up to the next macro, and the rest."""
    end = next((i for i, word in enumerate(words) if word in _MACROS), len(words))
    return words[:end], words[end:]


def _without_closing(words: list[str]) -> tuple[list[str], list[str]]:
    """Return words without the punctuation at their end, and that punctuation."""
    end = len(words)
    while end and words[end - 1] in _CLOSING:
        end -= 1
    return words[:end], words[end:]


def _cells(words: list[str]) -> list[list[str]]:
    cells: list[list[str]] = [[]]
    for word in words:
        if word == "Ta":
            cells.append([])
        else:
            cells[-1].append(word)
    return cells


def _listed(names: list[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _closed_up(text: str) -> str:
    return re.sub(rf" ?{_JOINED} ?", "", text)


def _wrapped(text: str, width: int, first: str, later: str) -> list[str]:
    lines = textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\u00a0", " ") for line in lines]
