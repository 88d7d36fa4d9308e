"""`stdeval pool`: the judgments that a shallower pool would have left."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from stdeval.commands.options import output_option, style_option

if TYPE_CHECKING:
    from stdeval.pooling import Pool
    from stdeval.report import Cell
    from stdeval.trec import Qrels, RunReader


@click.command("pool")
@click.argument("qrels_file", metavar="QRELS")
@click.argument("run_files", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "-d",
    "--depth",
    type=click.IntRange(min=1),
    required=True,
    metavar="DEPTH",
    help="How many documents of a topic each run brings to the pool, from 1 on.",
)
@click.option("--report", is_flag=True, help="Print what the pool holds and loses instead of the judgments.")
@click.option(
    "-l",
    "level",
    type=click.IntRange(min=1),
    default=1,
    metavar="LEVEL",
    help="In the report, a document is relevant from judgment LEVEL on.  [default: 1]",
)
@style_option("Of the report. text: tabs between; table: to read; csv.")
@output_option
def command(
    qrels_file: str,
    run_files: tuple[str, ...],
    depth: int,
    report: bool,
    level: int,
    style: str,
    output_path: str | None,
) -> None:
    """Print the qrels that pooling the runs to DEPTH would have left.

    The lines of QRELS whose document is among the first DEPTH of its topic in some run, as trec_eval orders
    them; lines and their order stay as they are. With --report instead: per topic the number of documents in
    the pool, and of judged and relevant ones that it holds and loses; per run the number of documents that no
    other run brings (unique).
    """
    from stdeval.commands.inputs import refuse_repeated
    from stdeval.files import Input, output
    from stdeval.pooling import pool_runs
    from stdeval.report import Field, write_listing
    from stdeval.trec import RunReader, judgment_lines, read_qrels

    if not report and (style != "text" or level != 1):
        raise click.UsageError("-f and -l are of the report, expected --report with them")
    refuse_repeated([qrels_file, *run_files])
    source = Input(qrels_file)
    qrels = read_qrels(source)
    readers = [RunReader(Input(path)) for path in run_files]
    pool = pool_runs(_runs(readers, qrels), depth, qrels)
    with output(output_path) as out:
        if report:
            fields = [Field(name) for name in REPORT]
            write_listing(out, style, fields, _report(qrels, pool, readers, level), n_left=2)
        else:
            for line, topic, docno in judgment_lines(source):
                if docno in pool.get(topic, {}):
                    out.write(f"{line}\n")


REPORT = ("of", "name", "documents", "judged", "judged_lost", "relevant", "relevant_lost", "unique")
"""Columns of the report; those that say nothing of a topic, or of a run, are empty there."""


def _runs(
    readers: Sequence[RunReader], topics: Container[str]
) -> Iterator[Iterator[tuple[str, Mapping[str, float]]]]:
    from stdeval.commands.inputs import progress

    for reader in progress(readers, len(readers), "runs"):
        yield _documents(reader, topics)


def _documents(reader: RunReader, topics: Container[str]) -> Iterator[tuple[str, Mapping[str, float]]]:
    """The topics of a run; refuses one that has none of those wanted."""
    from stdeval.errors import InputError

    n_common = 0
    for topic, documents in reader:
        n_common += topic in topics
        yield topic, documents
    if not n_common:
        raise InputError("no topic in common with the qrels", reader.path)


def _report(qrels: Qrels, pool: Pool, readers: Sequence[RunReader], level: int) -> list[Sequence[Cell]]:
    from dataclasses import astuple

    from stdeval.commands.inputs import labels
    from stdeval.pooling import pool_report, unique_contributions
    from stdeval.report import SUMMARY

    by_topic = [astuple(row) for row in pool_report(qrels, pool, level)]
    total = [sum(numbers) for numbers in list(zip(*by_topic, strict=True))[1:]]
    unique = unique_contributions(pool, len(readers)).tolist()
    return [
        *(("topic", *row, "") for row in by_topic),
        ("topic", SUMMARY, *total, ""),
        *(("run", name, "", "", "", "", "", n) for name, n in zip(labels(readers, "tag"), unique, strict=True)),
    ]
