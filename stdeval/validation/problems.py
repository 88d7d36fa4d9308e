"""The kinds of problems that a run can have, and the problems that are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, NamedTuple

from stdeval.trec.lines import RUN_FORM


class Kind(NamedTuple):
    """A kind of problem.

    Parameters
    ----------
    severity : {"error", "warning"}
        An error is refused by TREC, or surely not meant; a warning may be meant.
    unit : {"files", "topics", "lines"}
        The unit of the count.
    meaning : str
    """

    severity: Literal["error", "warning"]
    unit: str
    meaning: str


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "empty": Kind("error", "files", "no line can be read"),
        "byte-order-mark": Kind("error", "files", "the first topic has three bytes more for other programs"),
        "columns": Kind("error", "lines", f"not six columns: {RUN_FORM}"),
        "score": Kind("error", "lines", "the score is not a finite decimal number"),
        "characters": Kind("error", "lines", "a NUL byte, or a carriage return inside the line"),
        "q0": Kind("error", "lines", "the second column is not Q0"),
        "rank": Kind("error", "lines", "the rank is not a whole number"),
        "tag-form": Kind("error", "files", "--tag-form does not match the tag"),
        "tag-changes": Kind("error", "lines", "the tag is not that of the first line"),
        "duplicates": Kind("error", "lines", "the topic has the document already"),
        "max-docs": Kind("error", "topics", "more than --max-docs documents"),
        "missing-topics": Kind("error", "topics", "no documents for a topic of --topics or --qrels"),
        "unknown-topics": Kind("error", "topics", "not in --topics"),
        "unknown-docnos": Kind("error", "lines", "the document is not in --docnos"),
        "unjudged": Kind(
            "error", "files", "no document is judged in --qrels: docnos of another collection or form"
        ),
        "rank-order": Kind("error", "lines", "a higher score than the document at the rank above"),
        "repeated-ranks": Kind("warning", "lines", "the topic has the rank already"),
        "rank-gaps": Kind("warning", "topics", "ranks do not begin with 0 or 1, or leave some out"),
        "ties": Kind("warning", "lines", "another document of the topic has the same score"),
        "collisions": Kind("warning", "lines", "the score differs from another only as a 64-bit float"),
        "reordered": Kind("warning", "lines", "trec_eval orders documents with equal 32-bit scores in another way"),
        "same-documents": Kind("warning", "topics", "the first ten documents are those of an earlier topic"),
        "own-name": Kind("warning", "topics", "a document has the name of the topic: the query itself?"),
        "split-topics": Kind("warning", "topics", "lines of other topics stand between those of the topic"),
        "unjudged-topics": Kind("warning", "topics", "not in --qrels"),
        "non-ascii": Kind("warning", "lines", "a topic, docno or tag is not ASCII"),
        "same-tag": Kind("warning", "files", "another run has the tag"),
    }
)
"""The kinds of problems in the order in which they are reported: errors first."""


@dataclass(frozen=True)
class Problem:
    """All problems of one kind in a run.

    Parameters
    ----------
    kind : str
        A key of `KINDS`.
    count : int
        Number of lines, topics or files, see `Kind`.
    line : int or None
        The first line, from 1; None for what is missing or concerns the whole file.
    detail : str
        The first of the problems, in words.
    """

    kind: str
    count: int
    line: int | None
    detail: str

    @property
    def severity(self) -> str:
        """``error`` or ``warning``."""
        return KINDS[self.kind].severity

    @property
    def unit(self) -> str:
        """The unit of ``count``."""
        return KINDS[self.kind].unit


class Findings:
    """Counts of problems by kind, with the first problem of each kind."""

    def __init__(self) -> None:
        self._problems: dict[str, Problem] = {}

    def add(self, kind: str, line: int | None, detail: str, count: int = 1) -> None:
        """Add problems of a kind, of which the first has this line and detail."""
        known = self._problems.get(kind)
        if known is None:
            self._problems[kind] = Problem(kind, count, line, detail)
        elif line is not None and known.line is not None and line < known.line:
            self._problems[kind] = Problem(kind, known.count + count, line, detail)
        else:
            self._problems[kind] = replace(known, count=known.count + count)

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems so far, in the order of `KINDS`."""
        return tuple(self._problems[kind] for kind in KINDS if kind in self._problems)
