"""Write the scores of runs as trec_eval prints them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, NamedTuple

from stdeval.display import listed
from stdeval.formats.listing import SUMMARY, Cell, Field, Listing, exact_number, topic_counts, topics_told
from stdeval.formats.writers import EXACT, MARKED, refuse_breaks
from stdeval.measures.names import is_better_higher, split_scheme, standardized_name
from stdeval.provenance import SIGNATURE
from stdeval.stats.ranking import best_means, complete_systems, order_by_means, ranked_systems

if TYPE_CHECKING:
    from stdeval.table import Floats
    Rows = Sequence[Sequence[float]] | Floats
    Figures = Sequence[float] | Floats



class Column(NamedTuple):
    """A column of scores."""

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
    """The scores of one run, ready to be written."""

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

_NUMBER_OF_TOPICS = "num_q"


def arithmetic_mean(scores: Sequence[float]) -> float:
    """Return the arithmetic mean without numpy; NaN if there are no scores."""
    return sum(scores) / len(scores) if scores else math.nan


def scored_topics(columns: Sequence[Column], block: Block, place: int) -> frozenset[str]:
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
    """Return True for each run whose mean by a column can be compared with those of the others."""
    scored = [scored_topics(columns, block, place) for block in blocks]
    complete = complete_systems(scored)
    different = {own for own, full in zip(scored, complete, strict=True) if full}
    return complete if sum(complete) > 1 and len(different) == 1 else [False] * len(blocks)


def can_be_ranked(columns: Sequence[Column], blocks: Sequence[Block], name: str) -> list[bool]:
    """Return True for each run that can be ranked by a column, see `ranked_systems`; all can be by their num_q."""
    if name == _NUMBER_OF_TOPICS:
        return [True] * len(blocks)
    place = [column.name for column in columns].index(name)
    return ranked_systems([scored_topics(columns, block, place) for block in blocks])


def topics_to_rank_on(columns: Sequence[Column], blocks: Sequence[Block], name: str) -> frozenset[str] | None:
    """Return the topics that all runs ranked by a column have; None if all of these runs have the same topics."""
    place = [column.name for column in columns].index(name)
    ranked = [block for block, fair in zip(blocks, can_be_ranked(columns, blocks, name), strict=True) if fair]
    topics = {scored_topics(columns, block, place) for block in ranked}
    return None if len(topics) < 2 or name == _NUMBER_OF_TOPICS else frozenset.intersection(*topics)


def mean_to_sort_by(columns: Sequence[Column], blocks: Sequence[Block], name: str) -> str | None:
    """Return the topic field of the first mean that any run has by a column; None if there is no mean."""
    place = [column.name for column in columns].index(name)
    topics = dict.fromkeys(topic for block in blocks for topic in block.summaries if is_mean(topic))
    known = (topic for topic in topics if any(not math.isnan(_summary(block, topic, place)) for block in blocks))
    return next(known, None)


def sorted_blocks(
    columns: Sequence[Column],
    blocks: Sequence[Block],
    name: str,
    average: Callable[[Sequence[float]], float] = arithmetic_mean,
) -> list[Block]:
    """Return the runs from the best to the worst by the mean of a column that `mean_to_sort_by` names."""
    place = [column.name for column in columns].index(name)
    topic = mean_to_sort_by(columns, blocks, name)
    common = topics_to_rank_on(columns, blocks, name)
    mean = average if columns[place].kind == "score" else arithmetic_mean
    means = [
        mean(_scores(block, place, common)) if topic is None or common else _summary(block, topic, place)
        for block in blocks
    ]
    ranked = can_be_ranked(columns, blocks, name)
    higher = is_better_higher(name)
    return [blocks[i] for i in order_by_means(means, ranked, largest_value(blocks, place), better_higher=higher)]


def is_mean(topic: str) -> bool:
    """Return True for the topic field of a mean; False for a spread or the end of an interval."""
    return not any(part in topic for part in (".sd", ".ci_"))


def _summary(block: Block, topic: str, place: int) -> float:
    return float(block.summaries[topic][place]) if topic in block.summaries else math.nan


def _scores(block: Block, place: int, among: frozenset[str] | None) -> list[float]:
    """Return the scores of some topics by a column; of all if they are None, or if there is no score there."""
    rows = zip(block.topics, block.values, strict=True)
    known = {topic: score for topic, row in rows if not math.isnan(score := float(row[place]))}
    scores = [score for topic, score in known.items() if topic in among] if among else []
    return scores or list(known.values())


def largest_value(blocks: Sequence[Block], place: int) -> float:
    """Return the largest absolute value of a column, of single topics and of summaries."""
    topics = (row[place] for block in blocks for row in block.values)
    summaries = (figures[place] for block in blocks for figures in block.summaries.values())
    return max((abs(float(value)) for value in (*topics, *summaries) if not math.isnan(value)), default=0.0)


def listing_of_blocks(
    columns: Sequence[Column],
    blocks: Sequence[Block],
    output_format: str,
    *,
    order: Sequence[int],
    per_topic: bool,
    summary: bool,
    n_topics: int = 0,
    unmarked: str = "",
) -> Listing:
    """Return the scores of runs as rows of a run, a topic and the scores."""
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
    notes = [*_notes_about_topics(kept, blocks, n_topics), *_notes_about_sums(kept, blocks)] if summary else []
    if output_format in MARKED and summary and len(blocks) > 1:
        marked = [place for place, column in kept if not (unmarked and column.is_standardized)]
        comparable = {place: comparable_blocks(columns, blocks, place) for place in marked}
        listing = listing._replace(best=_best_cells(kept, blocks, comparable, n_left, per_topic=per_topic))
        notes += _notes_about_bold(columns, blocks, comparable)
        notes += [f"No run is bold by standardized scores, because {unmarked}."] if len(marked) < len(kept) else []
    return listing._replace(notes=notes)


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
    if any(column.measure == "num_q" for _, column in columns):
        return None
    told = topic_counts(_numbers_of_topics(columns, blocks))
    if told is None:
        return None
    return {(block.label, topic): n for block, n in zip(blocks, told, strict=True) for topic in block.summaries}


def _notes_about_topics(columns: Sequence[tuple[int, Column]], blocks: Sequence[Block], n_topics: int) -> list[str]:
    """Return a note if no mean is over all judged topics; if only some are not, their rows show the numbers."""
    numbers = [n for row in _numbers_of_topics(columns, blocks) for n in row]
    told = topics_told(numbers, n_topics) if max(numbers, default=0) < n_topics else ""
    what = "Means" if any(column.can_be_best for _, column in columns) else "Sums"
    # Different numbers say by themselves that the topics differ.
    differ = len({*numbers}) == 1 and len({frozenset(block.topics) for block in blocks}) > 1
    others = ", not the same ones for all runs" if differ else ""
    return [f"{what} over {told}{others}."] if told and columns else []


def _notes_about_sums(columns: Sequence[tuple[int, Column]], blocks: Sequence[Block]) -> list[str]:
    """Return a note about standardized counts that are summed, which look like means."""
    names = [column.name for _, column in columns if column.is_standardized and column.kind == "count"]
    has_sums = any(SUMMARY in block.summaries for block in blocks)
    return [f"Summed over the topics, as by trec_eval -Z: {listed(names)}."] if names and has_sums else []


def _numbers_of_topics(columns: Sequence[tuple[int, Column]], blocks: Sequence[Block]) -> list[list[int]]:
    """Return the number of topics behind each mean of each run; if there are no means, those of the runs."""
    places = [place for place, column in columns if column.kind == "score"]
    if not places:
        return [[len(block.topics)] for block in blocks]
    return [[sum(not math.isnan(row[place]) for row in block.values) for place in places] for block in blocks]


def _notes_about_bold(
    columns: Sequence[Column], blocks: Sequence[Block], comparable: Mapping[int, Sequence[bool]]
) -> list[str]:
    """Return notes that say why some means are not bold; a run without a score by a measure needs none."""
    some_left_out, none_bold, n_rivalries = False, [], 0
    for place, fair in comparable.items():
        rivals = [full for block, full in zip(blocks, fair, strict=True) if scored_topics(columns, block, place)]
        if len(rivals) < 2 or not columns[place].can_be_best:
            continue
        n_rivalries += 1
        some_left_out |= any(rivals) and not all(rivals)
        none_bold += [] if any(rivals) else [columns[place].name]
    notes = ["Runs without topics that more than half of the runs have are never bold."] if some_left_out else []
    if none_bold:
        by = f" by {listed(none_bold)}" if len(none_bold) < n_rivalries else ""
        notes.append(f"No run is bold{by}, because the means are over different topics.")
    return notes


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
        if place not in comparable or not column.can_be_best:
            continue
        largest, higher = largest_value(blocks, place), is_better_higher(column.name)
        for at, topic in enumerate(topics, -len(topics)):
            if is_mean(topic):
                means = [float(block.summaries[topic][place]) for block in blocks]
                leaders = best_means(means, comparable[place], largest, better_higher=higher)
                # All geometric means may be 0, and then none of them is the best.
                all_zero = not any(mean for mean, fair in zip(means, comparable[place], strict=True) if fair)
                best |= {(ends[i] + at, cell) for i in leaders if not all_zero}
    return frozenset(best)


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
    """Write the scores of runs as trec_eval prints them, one run at a time."""
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
        # Otherwise the loop would hold the run while the next one is scored.
        del block
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
