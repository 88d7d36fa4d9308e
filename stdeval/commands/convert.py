"""`stdeval convert`: between the file formats of the field."""

from __future__ import annotations

from typing import cast

import click

from stdeval.cli.helps import GroupedCommand
from stdeval.cli.types import INPUT_FILE, OUTPUT_FILE, Choice, GivenOnce, WholeRange, completes, option
from stdeval.errors import InputError
from stdeval.files import Input, display_name
from stdeval.formats.readers import FactorsFormat, ScoresFormat, read_content, write_factors, write_scores
from stdeval.table import ScoreTable, measures_in

TARGETS = ("scores", "factors", "published", "zscores", "matrix")


@click.command(
    "convert", cls=GroupedCommand, epilog="Example: stdeval convert factors.csv --to zscores -o zscores.txt"
)
@click.argument("files", nargs=-1, type=INPUT_FILE, required=True, metavar="FILE...")
@option("--to target", "Format to write.", Choice(TARGETS), required=True)
@option(
    "-m --measure",
    "When a matrix is read: the name of its measure. When one is written: the measure to write.",
    metavar="MEASURE",
    cls=GivenOnce,
    shell_complete=completes("measure"),
)
@option("--digits", "Decimals of a zscores_file; 17 is full precision.", WholeRange(0, 17), "DIGITS", default=4)
@option(
    "-o --output output_paths",
    "Write to FILE instead of stdout; for published, give it twice: means, then standard deviations.",
    OUTPUT_FILE,
    "FILE",
    multiple=True,
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
        if isinstance(content, ScoreTable):
            if target not in ("scores", "matrix"):
                what = "scores, expected factors"
                raise InputError(f"{what} for --to {target}: 'stdeval factors --scores' makes them")
            if measure is not None:
                content = content.select(measures=measures_in(content.measures, [measure]))
            write_scores(content, *paths, form=cast(ScoresFormat, target))
        else:
            if target in ("scores", "matrix"):
                what = "factors, expected scores"
                raise InputError(f"{what} for --to {target}: factors do not hold the scores of systems")
            write_factors(content, *paths, form=cast(FactorsFormat, target), digits=digits)
    except InputError as error:
        raise error.at(display_name(files[0])) from None
