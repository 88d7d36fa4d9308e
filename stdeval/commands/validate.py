"""`stdeval validate`: all problems of runs before they are submitted."""

from __future__ import annotations

import re
from itertools import chain

import click

from stdeval.cli.helps import GroupedCommand
from stdeval.cli.inputs import progress, refuse_repeated
from stdeval.cli.output import OutputOptions, format_options
from stdeval.cli.types import INPUT_FILE, WholeRange, compiled, option
from stdeval.files import Input
from stdeval.formats.listing import Field, Listing
from stdeval.trec.reading import read_qrels, read_topic_ids, unlisted_docnos
from stdeval.validation import MAX_DOCS, Expected, docnos_in, shared_tags, validate_run

FIELDS = tuple(Field(name) for name in ("run", "severity", "problem", "count", "unit", "line", "detail"))


@click.command(
    "validate", cls=GroupedCommand, epilog="Example: stdeval validate -f table --topics topics.txt new-a.run.gz"
)
@click.argument("run_files", nargs=-1, type=INPUT_FILE, required=True, metavar="RUN...")
@option(
    "--topics topics_file",
    "The topics that a run must have; it may have no others. The file has TREC topics, or lines that begin with an "
    "identifier.",
    INPUT_FILE,
    "FILE",
)
@option(
    "--qrels qrels_file",
    "Judgments of the topics that a run must have; other topics are a warning.",
    INPUT_FILE,
    "QRELS",
)
@option(
    "--docnos docnos_file",
    "The documents of the collection: lines that begin with a docno. The file may be very large.",
    INPUT_FILE,
    "FILE",
)
@option("--max-docs", "The greatest number of documents of a topic.", WholeRange(min=1), default=MAX_DOCS)
@option(
    "--tag-form",
    "A regular expression that must match the whole tag, such as '[A-Za-z0-9_.-]{1,20}'.",
    metavar="REGEX",
    callback=compiled,
)
@option("--strict", "Exit status 1 for warnings too.", is_flag=True)
@format_options("tabs between", digits=False)
def command(
    run_files: tuple[str, ...],
    topics_file: str | None,
    qrels_file: str | None,
    docnos_file: str | None,
    max_docs: int,
    tag_form: re.Pattern[str] | None,
    strict: bool,
    to: OutputOptions,
) -> int:
    """Find all problems of runs before they are submitted."""
    files = [path for path in (topics_file, qrels_file, docnos_file, *run_files) if path is not None]
    if topics_file is not None and qrels_file is not None:
        raise click.UsageError("expected --topics or --qrels, not both")
    if files.count("-") > 1:
        raise click.UsageError("standard input (-) can be read once only")
    refuse_repeated(run_files)
    runs = [Input(path) for path in run_files]
    qrels = None if qrels_file is None else read_qrels(qrels_file)
    topics = read_topic_ids(Input(topics_file)) if topics_file is not None else qrels
    unlisted = set()
    if docnos_file is not None:
        # The docnos of the runs are in memory rather than those of the collection, which may have many more.
        unlisted = unlisted_docnos(Input(docnos_file), chain.from_iterable(map(docnos_in, runs)))
    known = None if topics is None else frozenset(topics)
    expected = Expected(max_docs, known, qrels=qrels, unlisted=unlisted, tag_form=tag_form)
    validated = {run.name: validate_run(run, expected) for run in progress(runs, len(runs), "runs")}
    shared = shared_tags(validated)
    found = [
        (name, problem)
        for name, (_, problems) in validated.items()
        for problem in (*problems, *([shared[name]] if name in shared else []))
    ]
    rows = [
        [name, x.severity, x.kind, x.count, x.unit, "" if x.line is None else x.line, x.detail] for name, x in found
    ]
    to.write(Listing(FIELDS, rows, n_left=len(FIELDS)))
    return int(any(strict or problem.severity == "error" for _, problem in found))
