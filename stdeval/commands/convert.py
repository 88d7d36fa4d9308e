"""`stdeval convert`: between the file formats of the field."""

from __future__ import annotations

from typing import cast

import click

from stdeval.cli.declarations import INPUT_FILE, OUTPUT_FILE, Choice, WholeRange, completes, option, stdeval_command
from stdeval.errors import InputError
from stdeval.files import Input, display_name
from stdeval.formats.readers import FactorsFormat, ScoresFormat, read_content, write_factors, write_scores
from stdeval.table import ScoreTable, measures_in

TARGETS = ("scores", "factors", "published", "zscores", "matrix")


@stdeval_command("convert", "factors.csv --to zscores -o zscores.txt")
@click.argument("files", nargs=-1, type=INPUT_FILE, required=True, metavar="FILE...")
@option("--to target", "Format to write.", Choice(TARGETS), required=True)
@option("-m --measure MEASURE", "The measure of the matrix.", shell_complete=completes("measure"))
@option("--digits DIGITS", "Decimals of a zscores_file; 17 is full precision.", WholeRange(0, 17), default=4)
@option(
    "-o --output FILE... output_paths", "Write to FILE; published: twice, means and then deviations.", OUTPUT_FILE
)
def command(
    files: tuple[str, ...], target: str, measure: str | None, digits: int, output_paths: tuple[str, ...]
) -> None:
    """Convert scores or factors between file formats."""
    if target == "published" and len(output_paths) != 2:
        raise click.UsageError("published is two files, expected -o MEANS -o DEVIATIONS")
    if target != "published" and len(output_paths) > 1:
        raise click.UsageError(f"{target} is one file, expected -o once")
    content, paths = read_content([Input(path) for path in files], measure), output_paths or ("-",)
    try:
        if isinstance(content, ScoreTable) != (target in ("scores", "matrix")):
            what = "scores, expected factors" if isinstance(content, ScoreTable) else "factors, expected scores"
            raise InputError(f"{what} for --to {target}")
        if isinstance(content, ScoreTable):
            if measure is not None:
                content = content.select(measures=measures_in(content.measures, [measure]))
            write_scores(content, *paths, form=cast(ScoresFormat, target))
        else:
            write_factors(content, *paths, form=cast(FactorsFormat, target), digits=digits)
    except InputError as error:
        raise error.at(display_name(files[0])) from None
