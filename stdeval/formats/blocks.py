"""Scores of runs, ready to be written.

`stdeval eval` runs through this module and all that write or order blocks, so none of them must load numpy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from stdeval.formats.listing import Cell, exact_number
from stdeval.measures.names import split_scheme, standardized_name

if TYPE_CHECKING:
    from stdeval.table import Floats

    Rows = Sequence[Sequence[float]] | Floats
    Figures = Sequence[float] | Floats


class Column(NamedTuple):
    """A column of scores.

    Parameters
    ----------
    measure : str
    kind : str
        The kind of the measure, see `Family`.
    letter : str
        The letter of the scheme that standardized the scores; empty for raw scores.
    """

    measure: str
    kind: str = "score"
    letter: str = ""

    @property
    def name(self) -> str:
        """The measure with the letter of its scheme."""
        return standardized_name(self.letter, self.measure)

    @property
    def padded(self) -> str:
        """The name as wide as trec_eval prints it: the letter, then ``%-22s``."""
        return f"{self.name:<{22 + len(self.letter)}}"

    @property
    def is_standardized(self) -> bool:
        """True if the scores are standardized, here or in the file that they were read from."""
        return bool(self.letter or split_scheme(self.measure)[0])

    @property
    def is_count(self) -> bool:
        """True if the values are counts, which are written as integers; standardized counts are not."""
        # num_q has the kind "summary", because no single topic has it, but it counts topics
        return not self.is_standardized and (self.kind == "count" or self.measure == "num_q")

    @property
    def can_be_best(self) -> bool:
        """True if runs are ranked by the values: by scores, but not by counts."""
        return self.kind in ("score", "summary") and not self.is_count

    def rounded(self, value: float, digits: int = 4) -> str:
        """Return a value as trec_eval prints it: a count as an integer, anything else with four decimals."""
        return str(int(value)) if self.is_count else f"{value:6.{digits}f}"

    def exact(self, value: float) -> str:
        """Return a value in full precision, see `exact_number`."""
        return exact_number(value, self.is_count)

    @property
    def cell(self) -> Callable[[float], Cell]:
        """A function that returns a value as the cell of a listing: whole counts as integers."""
        return _whole if self.is_count else float


def _whole(value: float) -> Cell:
    # a table from elsewhere may hold means of counts, which must keep their decimals
    return int(value) if not math.isnan(value) and float(value).is_integer() else float(value)


class Block(NamedTuple):
    """The scores of one run, ready to be written.

    Parameters
    ----------
    label : str
        The run's name.
    topics : sequence of str
        The topics of the rows of ``values``.
    values : ndarray or rows, shape (n_topics, n_columns)
    summaries : dict of str to ndarray or list, shape (n_columns,)
        Figures over all topics; the keys stand in the topic field (``all``, ``all.gm``, ...).
    texts : dict
        The values of text measures, by (topic, measure).
    unprinted : frozenset of str
        Topics that count but have no lines of their own in text: with -c, those missing from the run.
    """

    label: str
    topics: Sequence[str]
    values: Rows
    summaries: dict[str, Figures]
    texts: Mapping[tuple[str, str], str] = MappingProxyType({})
    unprinted: frozenset[str] = frozenset()


_PART = 1000
"""Topics of a run that are written together."""


def parts_of(block: Block) -> Iterator[Block]:
    """Yield a run in parts of some topics each, the last with the summaries, so that few rows are held as text."""
    last = (len(block.topics) - 1) // _PART * _PART
    for start in range(0, last, _PART):
        topics, values = block.topics[start : start + _PART], block.values[start : start + _PART]
        yield block._replace(topics=topics, values=values, summaries={})
    yield block._replace(topics=block.topics[max(0, last) :], values=block.values[max(0, last) :])
