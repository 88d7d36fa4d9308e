"""`stdeval pool`: the judgments that a shallower pool would have left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from stdeval.commands.options import output_option, style_option, worker_options

if TYPE_CHECKING:
    from stdeval.formats.writers import Cell
    from stdeval.measures.pooling import Pool
    from stdeval.trec import Documents, Qrels, Run


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
@worker_options
@output_option
def command(
    qrels_file: str,
    run_files: tuple[str, ...],
    depth: int,
    report: bool,
    level: int,
    style: str,
    jobs: int | None,
    dask: str | None,
    output_path: str | None,
) -> None:
    """Print the qrels that pooling the runs to DEPTH would have left.

    The lines of QRELS whose document is among the first DEPTH of its topic in some run, as trec_eval orders
    them; lines and their order stay as they are. With --report instead: per topic the number of documents in
    the pool, and of judged and relevant ones that it holds and loses; per run the number of documents that no
    other run brings (unique).
    """
    from functools import partial

    from stdeval.commands.inputs import labels, progress, refuse_repeated
    from stdeval.files import Input, output
    from stdeval.formats.writers import Field, write_listing
    from stdeval.measures.pooling import first_documents, pool_runs
    from stdeval.trec import judgment_lines, read_qrels
    from stdeval.workers import map_runs

    if not report and (style != "text" or level != 1):
        raise click.UsageError("-f and -l are of the report, expected --report with them")
    refuse_repeated([qrels_file, *run_files])
    source = Input(qrels_file)
    qrels = read_qrels(source)
    read = partial(first_documents, depth=depth, topics=frozenset(qrels))
    tags: list[str] = []
    runs = progress(map_runs(read, run_files, jobs, dask), len(run_files), "runs")
    pool = pool_runs(_contributions(runs, run_files, tags), depth)
    with output(output_path) as out:
        if report:
            fields = [Field(name) for name in REPORT]
            names = labels(tags, run_files, "tag")
            write_listing(out, style, fields, _report(qrels, pool, names, level), n_left=2)
        else:
            for line, topic, docno in judgment_lines(source):
                if docno in pool.get(topic, {}):
                    out.write(f"{line}\n")


def _contributions(
    runs: Iterable[Run], paths: Sequence[str], tags: list[str]
) -> Iterator[Iterable[tuple[str, Documents]]]:
    """Yield the documents of one run after the other; append its tag to `tags`, and warn if it changes."""
    from stdeval.commands.inputs import warn_of_changed_tag
    from stdeval.files import display_name

    for path, run in zip(paths, runs, strict=True):
        warn_of_changed_tag(display_name(path), run.tag, run.other_tag)
        tags.append(run.tag)
        yield run.documents.items()


REPORT = ("of", "name", "documents", "judged", "judged_lost", "relevant", "relevant_lost", "unique")
"""Columns of the report; those that say nothing of a topic, or of a run, are empty there."""


def _report(qrels: Qrels, pool: Pool, names: Sequence[str], level: int) -> list[Sequence[Cell]]:
    from dataclasses import astuple

    from stdeval.formats.writers import SUMMARY
    from stdeval.measures.pooling import pool_report, unique_contributions

    by_topic = [astuple(row) for row in pool_report(qrels, pool, level)]
    total = [sum(numbers) for numbers in list(zip(*by_topic, strict=True))[1:]]
    unique = unique_contributions(pool, len(names)).tolist()
    return [
        *(("topic", *row, "") for row in by_topic),
        ("topic", SUMMARY, *total, ""),
        *(("run", name, "", "", "", "", "", n) for name, n in zip(names, unique, strict=True)),
    ]
