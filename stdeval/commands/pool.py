"""`stdeval pool`: the judgments that a shallower pool would have left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

import click

from stdeval import evaluation, notices, workers
from stdeval.cli import options, scoring
from stdeval.cli.declarations import INPUT_FILE, WholeRange, stdeval_command
from stdeval.cli.options import option
from stdeval.cli.output import OutputOptions, format_options
from stdeval.errors import warn
from stdeval.files import Input, output
from stdeval.formats import SUMMARY
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.measures import names, papers, pooling
from stdeval.trec import exclusion, reading

COLUMNS = ("of", "name", "documents", "judged", "judged_lost", "relevant", "relevant_lost", "unique")


@stdeval_command("pool", "-d 10 -o shallow.qrels qrels.gz references/*.run.gz")
@click.argument("qrels_file", type=INPUT_FILE, metavar="QRELS")
@click.argument("run_files", nargs=-1, type=INPUT_FILE, required=True, metavar="RUN...")
@option("-d --pool-depth DEPTH", "Documents per topic that each run adds.", WholeRange(1), required=True)
@option("--report", "Print counts of the documents in the pool instead of the judgments.")
@option("-l LEVEL level", "With --report: the least judgment of a relevant document.", WholeRange(1), default=1)
@options.exclusion_options
@options.precision_option
@format_options("with --report, cells with tabs between", digits=False)
@options.jobs_or_address_option
def command(
    qrels_file: str,
    run_files: tuple[str, ...],
    pool_depth: int,
    report: bool,
    level: int,
    exclude: bytes,
    exclude_self: bool,
    precision: papers.Precision,
    to: OutputOptions,
    jobs: workers.Jobs,
) -> None:
    """Print the qrels that a shallower pool of the runs would have left."""
    scoring.refuse_repeated([qrels_file, *run_files])
    source = Input(qrels_file)
    left_out = exclusion.Exclusion(exclude, exclude_self)
    qrels = left_out.left_of_qrels(reading.read_qrels(source), source.name)
    tags: list[str] = []
    is_aside: list[bool] = []

    def contributions() -> Iterator[Iterable[tuple[str, reading.Documents]]]:
        # Nothing else of earlier runs is kept in memory.
        how = {"depth": pool_depth, "precision": precision, "left_out": left_out}
        for run in scoring.read_pooled_runs(run_files, qrels, jobs, **how):
            tags.append(run.tag)
            is_aside.append(scoring.is_shallow(run, pool_depth, qrels))
            yield run.documents.items()

    pool = pooling.pool_runs(contributions(), pool_depth)
    labels = scoring.run_names(tags, run_files, warns=report)
    shallow = list(compress(labels, is_aside))
    kept = pooling.pooled_qrels(qrels, pool)
    lost = [topic for topic in reading.sorted_topics(qrels) if topic not in kept]
    treated = f"a pool of depth {pool_depth} has none of their judged documents"
    warn(notices.unpooled_topics(lost, len(qrels), treated))
    warn(notices.shallow_runs(shallow, len(run_files), pool_depth))
    if report:
        highest, levels = evaluation.levels_without_relevant(qrels, names.resolve(["num_rel"]), level)
        warn(notices.no_relevant(source.name, levels, highest))
        by_topic = pooling.pool_report(qrels, pool, level)
        total = [sum(numbers) for numbers in list(zip(*by_topic, strict=True))[1:]]
        unique = pooling.unique_contributions(pool, len(labels)).tolist()
        rows: list[Sequence[Cell]] = [("topic", *row, "") for row in [*by_topic, (SUMMARY, *total)]]
        rows += [("run", name, "", "", "", "", "", n) for name, n in zip(labels, unique, strict=True)]
        to.write(Listing([Field(name) for name in COLUMNS], rows, n_left=2))
        return
    with output(to.path) as out:
        for _, line, topic, docno in reading.judgment_lines(source):
            if docno in pool.get(topic, {}):
                out.write(f"{line}\n")
