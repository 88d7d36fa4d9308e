"""`stdeval validate`: all problems of runs before they are submitted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

import click

from stdeval.cli.inputs import refuse_repeated
from stdeval.cli.messages import progress
from stdeval.cli.options import INPUT_FILE, GroupedCommand, OutputOptions, WholeRange, compiled, format_options
from stdeval.files import Input
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.trec.reading import Qrels, read_qrels, read_topic_ids, unlisted_docnos
from stdeval.validation import MAX_DOCS, Expected, Problem, docnos_in, shared_tags, validate_run

FIELDS = tuple(Field(name) for name in ("run", "severity", "problem", "count", "unit", "line", "detail"))


@click.command(
    "validate", cls=GroupedCommand, epilog="Example: stdeval validate -f table --topics topics.txt new-a.run.gz"
)
@click.argument("run_files", nargs=-1, type=INPUT_FILE, required=True, metavar="RUN...")
@click.option(
    "--topics", "topics_file", type=INPUT_FILE, metavar="FILE",
    help="The topics that a run must have; it may have no others. The file has TREC topics, or lines that "
    "begin with an identifier.",
)
@click.option(
    "--qrels", "qrels_file", type=INPUT_FILE, metavar="QRELS",
    help="Judgments of the topics that a run must have; other topics are a warning.",
)
@click.option(
    "--docnos", "docnos_file", type=INPUT_FILE, metavar="FILE",
    help="The documents of the collection: lines that begin with a docno. The file may be very large.",
)
@click.option(
    "--max-docs", type=WholeRange(min=1), default=MAX_DOCS, show_default=True,
    help="The greatest number of documents of a topic.",
)
@click.option(
    "--tag-form", callback=compiled, metavar="REGEX",
    help="A regular expression that must match the whole tag, such as '[A-Za-z0-9_.-]{1,20}'.",
)
@click.option("--strict", is_flag=True, help="Exit status 1 for warnings too.")
@format_options("tabs between", digits=False)
def command(
    run_files: tuple[str, ...], topics_file: str | None, qrels_file: str | None, docnos_file: str | None,
    max_docs: int, tag_form: re.Pattern[str] | None, strict: bool, to: OutputOptions,
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
    expected = Expected(
        max_docs, _topics(topics_file, qrels), qrels=qrels, unlisted=_unlisted(docnos_file, runs), tag_form=tag_form
    )
    problems = list(_problems(runs, expected))
    to.write(Listing(FIELDS, [_cells(*each) for each in problems], n_left=len(FIELDS)))
    return int(any(strict or problem.severity == "error" for _, problem in problems))


def _topics(topics_file: str | None, qrels: Qrels | None) -> frozenset[str] | None:
    if topics_file is not None:
        return frozenset(read_topic_ids(Input(topics_file)))
    return None if qrels is None else frozenset(qrels)


def _unlisted(docnos_file: str | None, runs: Sequence[Input]) -> set[str]:
    """Return the docnos of all runs that the collection does not have."""
    if docnos_file is None:
        return set()
    # The docnos of the runs are in memory rather than those of the collection, which may have many more.
    return unlisted_docnos(Input(docnos_file), chain.from_iterable(map(docnos_in, runs)))


def _problems(runs: Sequence[Input], expected: Expected) -> Iterator[tuple[str, Problem]]:
    """Yield the problems of each run, with its name."""
    validated = {run.name: validate_run(run, expected) for run in progress(runs, len(runs), "runs")}
    shared = shared_tags(validated)
    for name, (_, problems) in validated.items():
        yield from ((name, problem) for problem in problems)
        if name in shared:
            yield name, shared[name]


def _cells(name: str, problem: Problem) -> list[Cell]:
    line = "" if problem.line is None else problem.line
    return [name, problem.severity, problem.kind, problem.count, problem.unit, line, problem.detail]
