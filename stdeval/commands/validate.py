"""`stdeval validate`: all problems of runs before they are submitted."""

from __future__ import annotations

import re
from itertools import chain

import click

from stdeval.cli.declarations import INPUT_FILE, WholeRange, compiled, file_option, option, stdeval_command
from stdeval.cli.inputs import progress, refuse_repeated
from stdeval.cli.output import OutputOptions, format_options
from stdeval.display import excerpt
from stdeval.files import Input
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.trec import reading
from stdeval.validation import KINDS, MAX_DOCS, Expected, Problem, docnos_in, validate_run

FIELDS = [Field(name) for name in ("run", "severity", "problem", "count", "unit", "line", "detail")]


@stdeval_command("validate", "-f table --topics topics.txt new-a.run.gz")
@click.argument("run_files", nargs=-1, type=INPUT_FILE, required=True, metavar="RUN...")
@file_option("--topics FILE", "The topics that a run must have, and no others: TREC topics, or a topic a line.")
@file_option("--qrels QRELS", "Judgments of the topics that a run must have; other topics are a warning.")
@file_option("--docnos FILE", "All documents of the collection, a docno a line. The file may be very large.")
@option("--max-docs", "The greatest number of documents of a topic.", WholeRange(min=1), default=MAX_DOCS)
@option("--tag-form REGEX", "What the whole tag must match, such as '[A-Za-z0-9_.-]{1,20}'.", callback=compiled)
@option("--strict", "Exit status 1 for warnings too.")
@format_options("tabs between", digits=False)
def command(
    run_files: tuple[str, ...],
    topics: str | None,
    qrels: str | None,
    docnos: str | None,
    max_docs: int,
    tag_form: re.Pattern[str] | None,
    strict: bool,
    to: OutputOptions,
) -> int:
    """Find all problems of runs before they are submitted."""
    if topics is not None and qrels is not None:
        raise click.UsageError("expected --topics or --qrels, not both")
    refuse_repeated(run_files)
    runs = [Input(path) for path in run_files]
    judged = None if qrels is None else reading.read_qrels(qrels)
    known = reading.read_topic_ids(Input(topics)) if topics is not None else judged
    unlisted = set()
    if docnos is not None:
        # The docnos of the runs are in memory rather than those of the collection, which may have many more.
        unlisted = reading.unlisted_docnos(Input(docnos), chain.from_iterable(map(docnos_in, runs)))
    listed = None if known is None else frozenset(known)
    expected = Expected(max_docs, listed, qrels=judged, unlisted=unlisted, tag_form=tag_form)
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
