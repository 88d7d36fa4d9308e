"""`stdeval validate`: all problems of runs before they are submitted."""

from __future__ import annotations

import re
from itertools import chain

import click

from stdeval.cli.helps import stdeval_command
from stdeval.cli.inputs import progress, refuse_repeated
from stdeval.cli.output import OutputOptions, format_options
from stdeval.cli.types import INPUT_FILE, WholeRange, compiled, option
from stdeval.display import excerpt
from stdeval.files import Input
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.trec.reading import read_qrels, read_topic_ids, unlisted_docnos
from stdeval.validation import KINDS, MAX_DOCS, Expected, Problem, docnos_in, validate_run

FIELDS = [Field(name) for name in ("run", "severity", "problem", "count", "unit", "line", "detail")]


@stdeval_command("validate", "-f table --topics topics.txt new-a.run.gz")
@click.argument("run_files", nargs=-1, type=INPUT_FILE, required=True, metavar="RUN...")
@option(
    "--topics FILE topics_file",
    "The topics that a run must have; it may have no others. The file has TREC topics, or lines that begin with an "
    "identifier.",
    INPUT_FILE,
)
@option(
    "--qrels QRELS qrels_file",
    "Judgments of the topics that a run must have; other topics are a warning.",
    INPUT_FILE,
)
@option(
    "--docnos FILE docnos_file",
    "The documents of the collection: lines that begin with a docno. The file may be very large.",
    INPUT_FILE,
)
@option("--max-docs", "The greatest number of documents of a topic.", WholeRange(min=1), default=MAX_DOCS)
@option(
    "--tag-form REGEX",
    "A regular expression that must match the whole tag, such as '[A-Za-z0-9_.-]{1,20}'.",
    callback=compiled,
)
@option("--strict", "Exit status 1 for warnings too.")
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
    if topics_file is not None and qrels_file is not None:
        raise click.UsageError("expected --topics or --qrels, not both")
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
    owners: dict[str, str] = {}
    rows: list[list[Cell]] = []
    for run in progress(runs, len(runs), "runs"):
        tag, problems = validate_run(run, expected)
        owner = owners.setdefault(tag, run.name)
        if tag and owner != run.name:
            problems.append(Problem("same-tag", 1, None, f"tag '{excerpt(tag)}', as of '{owner}'"))
        for kind, n, line, detail in problems:
            severity, unit = KINDS[kind]
            rows.append([run.name, severity, kind, n, unit, line or "", detail])
    to.write(Listing(FIELDS, rows, n_left=len(FIELDS)))
    return int(any(strict or severity == "error" for _, severity, *_ in rows))
