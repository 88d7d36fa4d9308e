"""`stdeval validate`: all problems of runs before they are submitted."""

from __future__ import annotations

import re
from itertools import chain

import click

from stdeval import validation
from stdeval.cli import scoring
from stdeval.cli.declarations import INPUT_FILE, WholeRange, stdeval_command
from stdeval.cli.options import file_option, option
from stdeval.cli.output import OutputOptions, format_options
from stdeval.errors import excerpt
from stdeval.files import Input
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.trec import id_lists, reading


@stdeval_command("validate", "-f table --topics topics.txt new-a.run.gz")
@click.argument("run_files", nargs=-1, type=INPUT_FILE, required=True, metavar="RUN...")
@file_option("--topics FILE", "The topics that a run must have, and no others: a list, TREC topics or JSON lines.")
@file_option("--qrels QRELS", "Judgments, which are checked too; without --topics, a run must have their topics.")
@file_option("--docnos FILE", "All documents of the collection: a list or JSON lines. It may be very large.")
@option("--max-docs", "The greatest number of documents of a topic.", WholeRange(min=1), default=1000)
@option("--tag-form REGEX", "What the whole tag must match, such as '[A-Za-z0-9_.-]{1,20}'.")
@option("--strict", "Exit status 1 for warnings too.")
@format_options("tabs between", digits=False)
def command(
    run_files: tuple[str, ...],
    topics: str | None,
    qrels: str | None,
    docnos: str | None,
    max_docs: int,
    tag_form: str | None,
    strict: bool,
    to: OutputOptions,
) -> int:
    """Find all problems of runs before they are submitted."""
    try:
        form = None if tag_form is None else re.compile(tag_form)
    except re.error as error:
        raise click.UsageError(f"--tag-form {tag_form}: not a regular expression ({error})") from None
    scoring.refuse_repeated(run_files)
    runs, judged = [Input(path) for path in run_files], [Input(path) for path in [qrels] if path is not None]
    listed = None if topics is None else frozenset(id_lists.read_topic_ids(Input(topics)))
    unlisted: set[str] = set()
    if docnos is not None:
        # The docnos of these files are in memory rather than those of the collection, which may have many more.
        of_qrels = (docno.encode("latin-1") for source in judged for _, _, docno, _ in reading.judgments_in(source))
        unlisted = id_lists.unlisted_docnos(Input(docnos), chain(of_qrels, *map(validation.docnos_in, runs)))
    expected = validation.Expected(max_docs, listed, None, unlisted, form)
    found: list[tuple[str, validation.Problem]] = []
    for source in judged:
        known, problems = validation.validate_qrels(source, expected)
        expected = expected._replace(qrels=known)
        found += [(source.name, each) for each in problems]
    owners: dict[str, str] = {}
    for run in scoring.progress(runs, len(runs), "runs"):
        tag, problems = validation.validate_run(run, expected)
        owner = owners.setdefault(tag, run.name)
        if tag and owner != run.name:
            problems.append(validation.Problem("same-tag", 1, None, f"tag '{excerpt(tag)}', as of '{owner}'"))
        found += [(run.name, each) for each in problems]
    rows: list[list[Cell]] = []
    for name, (kind, n, line, detail) in found:
        severity, unit = validation.KINDS[kind]
        rows.append([name, severity, kind, n, unit, line or "", detail])
    fields = [*map(Field, ("run", "severity", "problem", "count", "unit", "line", "detail"))]
    to.write(Listing(fields, rows, n_left=len(fields)))
    return int(any(strict or severity == "error" for _, severity, *_ in rows))
