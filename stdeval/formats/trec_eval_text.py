"""Write the scores of runs as trec_eval prints them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import IO

from stdeval.formats.blocks import Block, Column
from stdeval.formats.writers import refuse_breaks
from stdeval.provenance import SIGNATURE
from stdeval.summary_rows import SUMMARY


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
