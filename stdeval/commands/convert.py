"""`stdeval convert`: between the file formats of the field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import click

from stdeval.cli.declarations import INPUT_FILE, OUTPUT_FILE, Choice, WholeRange, stdeval_command
from stdeval.cli.options import completes, option
from stdeval.errors import InputError
from stdeval.files import Input, columns_of, display_name, file_name, output
from stdeval.formats import readers
from stdeval.measures import papers
from stdeval.table import ScoreTable, measures_in
from stdeval.trec import reading

TARGETS = ("qrels", "run", "scores", "csv", "factors", "published", "zscores", "matrix")
NAMED = ("qrels", "run", "csv")  # by the end of the name of FILE


@stdeval_command("convert", "factors.csv --to zscores -o zscores.txt")
@click.argument("files", nargs=-1, type=INPUT_FILE, required=True, metavar="FILE...")
@option(
    "--to target",
    "Format to write; csv means scores. Without it, the ending of -o FILE, .qrels, .run or .csv, says which.",
    Choice(TARGETS),
)
@option("-m --measure MEASURE", "The measure of the matrix.", shell_complete=completes("measure"))
@option("--digits DIGITS", "Decimals of a zscores_file; 17 is full precision.", WholeRange(0, 17), default=4)
@option(
    "-o --output FILE... output_paths", "Write to FILE; published: twice, means and then deviations.", OUTPUT_FILE
)
def command(
    files: tuple[str, ...], target: str | None, measure: str | None, digits: int, output_paths: tuple[str, ...]
) -> None:
    """Convert qrels, runs, scores or factors between file formats."""
    ending = file_name(output_paths[0]).lower().rpartition(".")[2] if output_paths else ""
    target = target or (ending if ending in NAMED else None)
    if target is None:
        raise click.UsageError("expected --to FORMAT, or -o FILE that ends in .qrels, .run or .csv")
    target = "scores" if target == "csv" else target
    if target == "published" and len(output_paths) != 2:
        raise click.UsageError("published is two files, expected -o MEANS -o DEVIATIONS")
    if target != "published" and len(output_paths) > 1:
        raise click.UsageError(f"{target} is one file, expected -o once")
    sources, paths = [Input(path) for path in files], output_paths or ("-",)
    if target in ("qrels", "run"):
        if len(sources) > 1:
            raise click.UsageError(f"--to {target} takes one FILE")
        with output(paths[0]) as out:
            out.writelines((_qrels_lines if target == "qrels" else _run_lines)(sources[0]))
        return
    content = readers.read_content(sources, measure)
    try:
        is_of_scores = target in ("scores", "matrix")
        if isinstance(content, ScoreTable) != is_of_scores:
            what = "factors, expected scores" if is_of_scores else "scores, expected factors"
            raise InputError(f"{what} for --to {target}")
        if isinstance(content, ScoreTable):
            if measure is not None:
                content = content.select(measures=measures_in(content.measures, [measure]))
            readers.write_scores(content, *paths, form=cast(readers.ScoresFormat, target))
        else:
            readers.write_factors(content, *paths, form=cast(readers.FactorsFormat, target), digits=digits)
    except InputError as error:
        raise error.at(display_name(files[0])) from None


def _qrels_lines(source: Input) -> Iterator[str]:
    """Yield the lines of qrels in TREC's form, in the order of the file."""
    reading.read_qrels(source)  # refuses a document that is judged twice
    for _, line, _, _ in reading.judgment_lines(source):
        yield f"{line}\n"


def _run_lines(source: Input) -> Iterator[str]:
    """Yield the lines of a run in TREC's form, with the ranks that trec_eval gives to the documents of a topic."""
    run = reading.read_run(source)
    tag = "_".join(columns_of(run.tag))
    for topic, documents in run.documents.items():
        for rank, (docno, score) in enumerate(papers.top_documents(documents, len(documents)).items(), 1):
            yield f"{topic} Q0 {reading.decode(docno.encode('latin-1'))} {rank} {score!r} {tag}\n"
