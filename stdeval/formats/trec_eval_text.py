"""The scores of runs as trec_eval prints them; and the topics of lines that summarize."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from stdeval import evaluation
from stdeval.errors import InputError, excerpt
from stdeval.formats import AVERAGES, SIGNATURE, SUMMARY
from stdeval.measures.names import split_scheme, standardized_name

if TYPE_CHECKING:
    from stdeval.evaluation import RunScores
    from stdeval.table import Floats, ScoreTable


# Such as all, all.sd, all.egm.epsilon=1 and all.ci_low.resamples=1000.seed=0; gdeval calls its mean amean.
_SUMMARIES = rf"amean|{SUMMARY}(?:\.(?:{'|'.join(AVERAGES)}|sd|ci_low|ci_high)(?:\.[a-z_]+=.*)?)?"


def is_summary(topic: str) -> bool:
    """Return True for the topic field of a summary; False for a topic, even if its name begins with ``all.``."""
    return topic.startswith("a") and re.fullmatch(_SUMMARIES, topic) is not None


def is_mean(topic: str) -> bool:
    """Return True for the topic field of a mean; False for a spread or the end of an interval."""
    return ".sd" not in topic and ".ci_" not in topic


def refuse_breaks(names: Iterable[str]) -> None:
    """Refuse a name that would begin a line or a column of its own in text, where it could pass for a score."""
    for name in names:
        broken = "line break" if "\n" in name or "\r" in name else "tab" if "\t" in name else ""
        if broken:
            what = f"a {broken} in the name '{excerpt(name)}'"
            raise InputError(f"{what}, which text cannot hold; expected another name, or -f csv")


class Column(NamedTuple):
    """A column of scores, and the letter of the scheme by which they were standardized here."""

    measure: str
    kind: str = "score"
    letter: str = ""

    @property
    def name(self) -> str:
        """The measure with the letter."""
        return standardized_name(self.letter, self.measure) if self.letter else self.measure

    @property
    def is_standardized(self) -> bool:
        """True if the scores are standardized, here or in the file that they were read from."""
        return bool(self.letter or split_scheme(self.measure)[0])

    @property
    def is_count(self) -> bool:
        """True if the values are counts, which are written as integers; standardized counts are not."""
        # num_q has the kind "summary", because no single topic has it, but it counts topics
        return self.kind == "count" or (self.measure == "num_q" and not self.letter)

    @property
    def can_be_best(self) -> bool:
        """True if runs are ranked by the values: by scores, but not by counts."""
        return self.kind in ("score", "summary") and not self.is_count

    @property
    def cell(self) -> Callable[[float], float]:
        """A function that returns a value as the cell of a listing: whole counts as integers."""
        return _count if self.is_count else float


def _count(value: float) -> float:
    # a table from elsewhere may hold means of counts, which must keep their decimals
    return int(value) if float(value).is_integer() else float(value)


class Block(NamedTuple):
    """The scores of one run, ready to be written: a row per topic, and a line per summary."""

    label: str
    topics: Sequence[str]
    values: Sequence[Sequence[float]] | Floats
    summaries: dict[str, Sequence[float] | Floats]
    texts: Mapping[tuple[str, str], str] = MappingProxyType({})
    unprinted: frozenset[str] = frozenset()


def block_of_run(run: RunScores, name: str) -> Block:
    """Return the block of a run as it was evaluated."""
    return Block(name, run.topics, run.rows, {SUMMARY: run.summary}, run.texts, run.unretrieved)


def blocks_of_table(table: ScoreTable, columns: Sequence[Column]) -> Iterator[Block]:
    """Yield a block for each system, with the topics for which it has any score."""
    for system, values in zip(table.systems, table.values, strict=True):
        scored = np.flatnonzero(~np.isnan(values).all(axis=1))
        summary = evaluation.summarize([column.kind for column in columns], values[scored].tolist())
        topics, unretrieved = [table.topics[i] for i in scored], table.unretrieved.get(system, frozenset())
        yield Block(system, topics, values[scored], {SUMMARY: summary}, {}, unretrieved)


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
    # computed once, not for each line; the letter of a scheme comes before trec_eval's %-22s
    shown = [(each, f"{each.name:<{22 + len(each.letter)}}", each.is_count) for each in columns]

    def lines(block: Block) -> Iterator[str]:
        refuse_breaks([block.label, *block.topics])
        if headed:
            yield f"{'runid':<22}\t{SUMMARY}\t{block.label}\n"
        quoted = {key: f"'{text}'" for key, text in block.texts.items()}
        runid = {} if headed else {(SUMMARY, "runid"): block.label}
        scored = zip(block.topics, block.values, strict=True) if per_topic else ()
        rows = [(*row, quoted, "score count sum") for row in scored if row[0] not in block.unprinted]
        if summary:
            rows += [(*row, runid, "score count sum summary") for row in block.summaries.items()]
        for topic, values, texts, kinds in rows:
            for (column, name, is_count), value in zip(shown, values, strict=True):
                if (topic, column.measure) in texts:
                    yield f"{name}\t{topic}\t{texts[topic, column.measure]}\n"
                elif column.kind in kinds and not math.isnan(value):
                    yield f"{name}\t{topic}\t{int(value) if is_count else f'{value:6.{digits}f}'}\n"

    for block in blocks:
        out.writelines(lines(block))
        # Otherwise the loop would hold the run while the next one is scored.
        del block
    if signature:
        out.write(f"{SIGNATURE:<22}\t{SUMMARY}\t{signature}\n")
