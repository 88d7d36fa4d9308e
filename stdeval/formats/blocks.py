"""Scores of runs, ready to be written: as trec_eval's text, or as a listing for any other format.

`stdeval eval` runs through this module, so it must not load numpy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, NamedTuple

from stdeval.display import listed
from stdeval.formats.listing import Cell, Field, Listing, exact_number, topic_counts, topics_told
from stdeval.formats.writers import EXACT, MARKED, refuse_breaks
from stdeval.measures.names import is_better_higher
from stdeval.signature import SIGNATURE
from stdeval.stats.leaders import best_means, complete_systems, order_by_means

if TYPE_CHECKING:
    from stdeval.table import Floats

    Rows = Sequence[Sequence[float]] | Floats
    Figures = Sequence[float] | Floats

SUMMARY = "all"
"""The topic of lines and rows that summarize all topics, as trec_eval has it."""

AVERAGES = ("am", "gm", "egm", "egm-trec", "hm", "ehm", "md")
"""The names of the aggregates in the topic field, which `stdeval.stats.aggregates` computes with numpy."""

# Such as all, all.sd, all.egm.epsilon=1 and all.ci_low.resamples=1000.seed=0.
_SUMMARIES = re.compile(rf"{SUMMARY}(?:\.(?:{'|'.join(AVERAGES)}|sd|ci_low|ci_high)(?:\.[a-z_]+=.*)?)?")


def is_summary(topic: str) -> bool:
    """Return True for the topic field of a summary; False for a topic, even if its name begins with ``all.``.

    Examples
    --------
    >>> [is_summary(topic) for topic in ("all", "all.sd", "all.ci_low.resamples=1000.seed=0", "all.1", "301")]
    [True, True, True, False, False]
    """
    return topic.startswith(SUMMARY) and _SUMMARIES.fullmatch(topic) is not None


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
        """The measure, preceded by the letter of its scheme."""
        return self.letter + self.measure

    @property
    def padded(self) -> str:
        """The name as wide as trec_eval prints it: the letter, then ``%-22s``."""
        return f"{self.letter}{self.measure:<22}"

    @property
    def is_count(self) -> bool:
        """True if the values are counts, which are written as integers; standardized counts are not."""
        # num_q has the kind "summary", because no single topic has it, but it counts topics
        return not self.letter and (self.kind == "count" or self.measure == "num_q")

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


def write_trec_eval(
    out: IO[str],
    columns: Sequence[Column],
    blocks: Iterable[Block],
    *,
    headed: bool,
    per_topic: bool,
    summary: bool,
    digits: int = 4,
    signature: str = "",
) -> None:
    """Write the scores of runs as trec_eval prints them, one run at a time.

    Parameters
    ----------
    out : text file
    columns : sequence of Column
    blocks : iterable of Block
        One per run.
    headed : bool
        Begin each run with its runid line, which tells several runs apart.
    per_topic : bool
        Write the scores of single topics.
    summary : bool
        Write the figures over all topics.
    digits : int
        Number of decimals; trec_eval has four.
    signature : str
        A last line; empty for none.
    """
    refuse_breaks(column.name for column in columns)
    for block in blocks:
        refuse_breaks([block.label, *block.topics])
        if headed:
            out.write(f"{Column('runid').padded}\t{SUMMARY}\t{block.label}\n")
        for row, topic in enumerate(block.topics if per_topic else ()):
            if topic not in block.unprinted:
                _write_topic(out, columns, block, row, topic, digits)
        if summary:
            _write_summaries(out, columns, block, digits, headed=headed)
    if signature:
        out.write(f"{Column(SIGNATURE).padded}\t{SUMMARY}\t{signature}\n")


def _write_topic(out: IO[str], columns: Sequence[Column], block: Block, row: int, topic: str, digits: int) -> None:
    for column, value in zip(columns, block.values[row], strict=True):
        if column.kind == "text" and (topic, column.measure) in block.texts:
            out.write(f"{column.padded}\t{topic}\t'{block.texts[topic, column.measure]}'\n")
        elif column.kind in ("score", "count") and not math.isnan(value):
            out.write(f"{column.padded}\t{topic}\t{column.rounded(value, digits)}\n")


def _write_summaries(out: IO[str], columns: Sequence[Column], block: Block, digits: int, *, headed: bool) -> None:
    """Write the lines of all topics, the runid among them unless it stands above the block already."""
    for topic, figures in block.summaries.items():
        for column, figure in zip(columns, figures, strict=True):
            if column.measure == "runid" and topic == SUMMARY and not headed:
                out.write(f"{column.padded}\t{topic}\t{block.label}\n")
            elif column.kind != "text" and not math.isnan(figure):
                out.write(f"{column.padded}\t{topic}\t{column.rounded(figure, digits)}\n")


def listing_of_blocks(
    columns: Sequence[Column],
    blocks: Sequence[Block],
    output_format: str,
    *,
    order: Sequence[int],
    per_topic: bool,
    summary: bool,
    n_topics: int = 0,
) -> Listing:
    """Return the scores of runs as rows of a run, a topic and the scores.

    Parameters
    ----------
    columns, blocks, per_topic, summary
        See `write_trec_eval`.
    output_format : str
        One of `FORMATS`. Formats for readers omit the topic if each run has only its arithmetic means, and show
        the number of topics if it differs between runs. Markdown and latex mark the best means.
    order : sequence of int
        The indices of the columns in their order in the listing.
    n_topics : int
        Number of judged topics; a note in markdown and latex tells if all means are over fewer.
    """
    kept = [(place, columns[place]) for place in order if columns[place].measure != "runid"]
    fields = [Field("run"), Field("topic"), *(Field(column.name) for _, column in kept)]
    rows = [row for block in blocks for row in _rows(kept, block, per_topic, summary)]
    if output_format in EXACT:
        return Listing(fields, rows, n_left=2)
    counts = _topic_counts(kept, blocks) if summary else None
    if counts is not None:
        fields.append(Field("n"))
        rows = [[*row, counts.get((str(row[0]), str(row[1])), "")] for row in rows]
    # A column that says "all" in every row tells nothing, but one that says "all.md" names the aggregate.
    n_left = 2 if per_topic or any(set(block.summaries) != {SUMMARY} for block in blocks) else 1
    listing = Listing([fields[0], *fields[3 - n_left :]], [[row[0], *row[3 - n_left :]] for row in rows], n_left)
    if output_format not in MARKED or not summary:
        return listing
    notes = _notes_about_topics(kept, blocks, n_topics)
    if len(blocks) > 1:
        comparable = {place: comparable_blocks(columns, blocks, place) for place, _ in kept}
        listing = listing._replace(best=_best_cells(kept, blocks, comparable, n_left, per_topic=per_topic))
        notes += _notes_about_bold(columns, blocks, comparable)
    return listing._replace(notes=notes)


def _notes_about_bold(
    columns: Sequence[Column], blocks: Sequence[Block], comparable: Mapping[int, Sequence[bool]]
) -> list[str]:
    """Return notes about means that are not bold; runs without any score by a measure have no mean to be bold."""
    some_left_out, none_bold, n_rivalries = False, [], 0
    for place, fair in comparable.items():
        rivals = [full for block, full in zip(blocks, fair, strict=True) if _scored_topics(columns, block, place)]
        if len(rivals) < 2 or not _can_be_bold(columns[place]):
            continue
        n_rivalries += 1
        some_left_out |= any(rivals) and not all(rivals)
        none_bold += [] if any(rivals) else [columns[place].name]
    notes = ["Runs without topics that more than half of the runs have are never bold."] if some_left_out else []
    if none_bold:
        by = f" by {listed(none_bold)}" if len(none_bold) < n_rivalries else ""
        notes.append(f"No run is bold{by}, because the means are over different topics.")
    return notes


def parts_of(block: Block) -> Iterator[Block]:
    """Yield a run in parts of some topics each, the last with the summaries, so that few rows are held as text."""
    last = (len(block.topics) - 1) // _PART * _PART
    for start in range(0, last, _PART):
        topics, values = block.topics[start : start + _PART], block.values[start : start + _PART]
        yield block._replace(topics=topics, values=values, summaries={})
    yield block._replace(topics=block.topics[max(0, last) :], values=block.values[max(0, last) :])


def _rows(
    columns: Sequence[tuple[int, Column]], block: Block, per_topic: bool, summary: bool
) -> Iterator[list[Cell]]:
    """Yield the rows of a run; measures that exist over all topics only are missing in those of single topics."""
    cells = [column.cell for _, column in columns]
    are_plain = all(column.kind in ("score", "count") for _, column in columns)
    places = [(place, cell) for (place, _), cell in zip(columns, cells, strict=True)]
    for row, topic in enumerate(block.topics if per_topic else ()):
        values = block.values[row]
        if are_plain:
            yield [block.label, topic, *[cell(values[place]) for place, cell in places]]
            continue
        yield [
            block.label,
            topic,
            *(
                block.texts.get((topic, column.measure), "")
                if column.kind == "text"
                else cell(math.nan if column.kind == "summary" else values[place])
                for (place, column), cell in zip(columns, cells, strict=True)
            ),
        ]
    for topic, figures in block.summaries.items() if summary else ():
        numbers = (cell(figures[place]) for (place, _), cell in zip(columns, cells, strict=True))
        yield [block.label, topic, *numbers]


def _topic_counts(
    columns: Sequence[tuple[int, Column]], blocks: Sequence[Block]
) -> dict[tuple[str, str], str] | None:
    """Return the number of topics of each summary, by run and topic field, if it differs and num_q is not shown."""
    places = [place for place, column in columns if column.kind == "score"]
    if not places or any(column.measure == "num_q" for _, column in columns):
        return None
    told = topic_counts(_numbers_of_topics(places, blocks))
    if told is None:
        return None
    return {(block.label, topic): n for block, n in zip(blocks, told, strict=True) for topic in block.summaries}


_PART = 1000
"""Topics of a run that are written together."""


def _numbers_of_topics(places: Sequence[int], blocks: Sequence[Block]) -> list[list[int]]:
    """Return the number of topics behind the mean of each run and column."""
    return [[sum(not math.isnan(row[place]) for row in block.values) for place in places] for block in blocks]


def _notes_about_topics(columns: Sequence[tuple[int, Column]], blocks: Sequence[Block], n_topics: int) -> list[str]:
    """Return a note if no mean is over all judged topics; if only some are not, their rows show the numbers."""
    places = [place for place, column in columns if column.kind == "score"]
    numbers = [n for row in _numbers_of_topics(places, blocks) for n in row]
    told = topics_told(numbers, n_topics) if max(numbers, default=0) < n_topics else ""
    return [f"Means over {told}."] if told else []


_RANKED = ("score", "summary")
"""The kinds of measures by which runs are ranked."""


def _is_mean(topic: str) -> bool:
    """Return True for the topic field of a mean; False for a spread or the end of an interval."""
    return not any(part in topic for part in (".sd", ".ci_"))


def _can_be_bold(column: Column) -> bool:
    return column.kind in _RANKED and not column.is_count


def _scored_topics(columns: Sequence[Column], block: Block, place: int) -> frozenset[str]:
    """Return the topics for which a run has a score by a column; for figures over all topics, by any column."""
    scores = [i for i, column in enumerate(columns) if column.kind == "score"]
    if not scores:
        return frozenset(block.topics)
    places = [place] if place in scores else scores
    return frozenset(
        topic
        for topic, row in zip(block.topics, block.values, strict=True)
        if any(not math.isnan(row[i]) for i in places)
    )


def comparable_blocks(columns: Sequence[Column], blocks: Sequence[Block], place: int) -> list[bool]:
    """Return True for each run whose mean by a column can be compared with those of the others.

    These are the runs that have all topics that more than half of the runs have, if there are two or more of them.
    If they also have other topics, and not the same ones, no run is comparable.
    """
    scored = [_scored_topics(columns, block, place) for block in blocks]
    complete = complete_systems(scored)
    different = {own for own, full in zip(scored, complete, strict=True) if full}
    return complete if sum(complete) > 1 and len(different) == 1 else [False] * len(blocks)


def _largest(blocks: Sequence[Block], place: int) -> float:
    """Return the largest absolute value of a column, of single topics and of summaries."""
    topics = (row[place] for block in blocks for row in block.values)
    summaries = (figures[place] for block in blocks for figures in block.summaries.values())
    return max((abs(float(value)) for value in (*topics, *summaries) if not math.isnan(value)), default=0.0)


def _best_cells(
    columns: Sequence[tuple[int, Column]],
    blocks: Sequence[Block],
    comparable: Mapping[int, Sequence[bool]],
    n_left: int,
    *,
    per_topic: bool,
) -> frozenset[tuple[int, int]]:
    """Return the rows and columns of the best means in the rows of a listing of these blocks."""
    ends = list(accumulate(len(block.summaries) + (len(block.topics) if per_topic else 0) for block in blocks))
    topics = list(blocks[0].summaries)
    best: set[tuple[int, int]] = set()
    for cell, (place, column) in enumerate(columns, n_left):
        if not _can_be_bold(column):
            continue
        largest, higher = _largest(blocks, place), is_better_higher(column.name)
        for at, topic in enumerate(topics, -len(topics)):
            if _is_mean(topic):
                means = [float(block.summaries[topic][place]) for block in blocks]
                leaders = best_means(means, comparable[place], largest, better_higher=higher)
                best |= {(ends[i] + at, cell) for i in leaders}
    return frozenset(best)


def mean_to_sort_by(columns: Sequence[Column], blocks: Sequence[Block], name: str) -> str | None:
    """Return the topic field of the first mean that any run has by a column; None if there is no mean."""
    place = [column.name for column in columns].index(name)
    topics = dict.fromkeys(topic for block in blocks for topic in block.summaries if _is_mean(topic))
    known = (topic for topic in topics if any(not math.isnan(_summary(block, topic, place)) for block in blocks))
    return next(known, None)


def sorted_blocks(columns: Sequence[Column], blocks: Sequence[Block], name: str) -> list[Block]:
    """Return the runs from the best to the worst by the mean of a column that `mean_to_sort_by` names.

    Parameters
    ----------
    columns : sequence of Column
    blocks : sequence of Block
    name : str
        The name of the column.

    Returns
    -------
    list of Block
        Equal runs keep their order. Those that `can_be_ranked` denies follow, and those without this mean are last.
        If there is no mean, the order is that of the arithmetic means.
    """
    place = [column.name for column in columns].index(name)
    topic = mean_to_sort_by(columns, blocks, name)
    means = [_mean_of_scores(block, place) if topic is None else _summary(block, topic, place) for block in blocks]
    complete = can_be_ranked(columns, blocks, name)
    higher = is_better_higher(name)
    return [blocks[i] for i in order_by_means(means, complete, _largest(blocks, place), better_higher=higher)]


def can_be_ranked(columns: Sequence[Column], blocks: Sequence[Block], name: str) -> list[bool]:
    """Return the runs that can be ranked by the mean of a column.

    False for runs without any score by this column, and for those without a topic that more than half of the other
    runs have, or that the other one of two has.
    """
    place = [column.name for column in columns].index(name)
    topics = [_scored_topics(columns, block, place) for block in blocks]
    if sum(map(bool, topics)) == 2:
        return [own == frozenset().union(*topics) for own in topics]
    return complete_systems(topics)


def _summary(block: Block, topic: str, place: int) -> float:
    return float(block.summaries[topic][place]) if topic in block.summaries else math.nan


def _mean_of_scores(block: Block, place: int) -> float:
    scores = [score for row in block.values if not math.isnan(score := float(row[place]))]
    return sum(scores) / len(scores) if scores else math.nan
