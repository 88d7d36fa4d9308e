"""`stdeval convert`: between the file formats of the field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import click

from stdeval.cli.completion import complete_measure
from stdeval.cli.options import INPUT_FILE, OUTPUT_FILE, Choice, GivenOnce, GroupedCommand, WholeRange
from stdeval.errors import InputError
from stdeval.files import Input, display_name
from stdeval.formats.readers import FactorsFormat, ScoresFormat, read_content, write_factors, write_scores
from stdeval.standardization.factors import Factors
from stdeval.table import ScoreTable, measures_in

TARGETS = ("scores", "factors", "published", "zscores", "matrix")


@click.command(
    "convert", cls=GroupedCommand, epilog="Example: stdeval convert factors.csv --to zscores -o zscores.txt"
)
@click.argument("files", nargs=-1, type=INPUT_FILE, required=True, metavar="FILE...")
@click.option("--to", "target", type=Choice(TARGETS), required=True, help="Format to write.")
@click.option(
    "-m", "--measure", cls=GivenOnce, metavar="MEASURE", shell_complete=complete_measure,
    help="When a matrix is read: the name of its measure. When one is written: the measure to write.",
)
@click.option(
    "--digits", type=WholeRange(min=0, max=17), default=4, show_default=True, metavar="DIGITS",
    help="Decimals of a zscores_file; 17 is full precision.",
)
@click.option(
    "-o", "--output", "output_paths", type=OUTPUT_FILE, multiple=True, metavar="FILE",
    help="Write to FILE instead of stdout; for published, give it twice: means, then standard deviations.",
)
def command(
    files: tuple[str, ...], target: str, measure: str | None, digits: int, output_paths: tuple[str, ...]
) -> None:
    """Convert scores or factors between file formats."""
    _check_outputs(target, output_paths)
    sources = [Input(path) for path in files]
    content = read_content(sources, measure)
    try:
        if isinstance(content, ScoreTable):
            _write_scores(content, target, measure, output_paths)
        else:
            _write_factors(content, target, digits, output_paths)
    except InputError as error:
        raise error.at(display_name(files[0])) from None


def _check_outputs(target: str, paths: Sequence[str]) -> None:
    if target == "published" and len(paths) != 2:
        raise click.UsageError("published is two files, expected -o MEANS -o DEVIATIONS")
    if target != "published" and len(paths) > 1:
        raise click.UsageError(f"{target} is one file, expected -o once")


def _write_scores(table: ScoreTable, target: str, measure: str | None, paths: Sequence[str]) -> None:
    if target not in ("scores", "matrix"):
        raise InputError(f"scores, expected factors for --to {target}: 'stdeval factors --scores' makes them")
    if measure is not None:
        table = table.select(measures=measures_in(table.measures, [measure]))
    write_scores(table, *(paths or ["-"]), form=cast(ScoresFormat, target))


def _write_factors(factors: Factors, target: str, digits: int, paths: Sequence[str]) -> None:
    if target in ("scores", "matrix"):
        raise InputError(f"factors, expected scores for --to {target}: factors do not hold the scores of systems")
    write_factors(factors, *(paths or ["-"]), form=cast(FactorsFormat, target), digits=digits)
