"""`stdeval convert`: between the file formats of the field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from stdeval.table import Factors, ScoreTable

TARGETS = ("scores", "factors", "published", "zscores", "matrix")


@click.command("convert")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--to", "target", type=click.Choice(TARGETS), required=True, help="What to write.")
@click.option(
    "-m", "--measure", metavar="NAME", help="The measure of a matrix: its name when read, which to write."
)
@click.option(
    "--digits",
    type=click.IntRange(min=0, max=17),
    default=4,
    show_default=True,
    metavar="DIGITS",
    help="Decimals of zscores; 17: all.",
)
@click.option(
    "-o",
    "--output",
    "output_paths",
    multiple=True,
    metavar="FILE",
    help="Write to FILE instead of stdout; for published twice: means, then standard deviations.",
)
def command(
    files: tuple[str, ...], target: str, measure: str | None, digits: int, output_paths: tuple[str, ...]
) -> None:
    """Convert scores or factors between file formats.

    Reads, by content: a scores CSV (run,topic,MEASURE,...), a factors CSV (topic,n,M.mean,M.sd,...),
    trec_eval's zscores_file, the output of trec_eval -q (one or many files), a score matrix of one measure
    (topics x systems, with --measure), and the published pair of factor files (means, then standard
    deviations). What a target cannot hold is refused.
    """
    _check_outputs(target, output_paths)
    found = _read(files, measure)
    _write(found, target, measure, digits, output_paths)


def _check_outputs(target: str, paths: tuple[str, ...]) -> None:
    if target == "published" and (len(paths) != 2 or paths[0] == paths[1]):
        raise click.UsageError("published is two files, expected -o MEANS -o DEVIATIONS")
    if target != "published" and len(paths) > 1:
        raise click.UsageError(f"{target} is one file, expected -o once")


def _read(files: tuple[str, ...], measure: str | None) -> ScoreTable | Factors:
    from stdeval.errors import InputError
    from stdeval.files import Input
    from stdeval.formats.foreign import is_plain_grid, read_factors, read_scores_or_factors
    from stdeval.formats.tables import join_scores
    from stdeval.measures.names import canonical
    from stdeval.table import ScoreTable

    sources = [Input(path) for path in files]
    if len(sources) == 2 and measure is None and all(is_plain_grid(source) for source in sources):
        return read_factors(sources)
    found = [read_scores_or_factors(source, measure and canonical(measure)) for source in sources]
    if len(found) == 1:
        return found[0]
    tables = [table for table in found if isinstance(table, ScoreTable)]
    if len(tables) != len(found):
        raise InputError("factors in more than one file, expected one file, or several of scores", sources[0].name)
    return join_scores(tables, [source.name for source in sources])


def _write(
    found: ScoreTable | Factors, target: str, measure: str | None, digits: int, paths: tuple[str, ...]
) -> None:
    from stdeval.errors import InputError
    from stdeval.table import ScoreTable

    if isinstance(found, ScoreTable):
        if target not in ("scores", "matrix"):
            raise InputError(f"scores, expected factors for --to {target}: 'stdeval factors --scores' makes them")
        _write_scores(found, target, measure, paths)
    elif target in ("scores", "matrix"):
        raise InputError(f"factors, expected scores for --to {target}: factors do not hold the scores of systems")
    else:
        _write_factors(found, target, digits, paths)


def _write_scores(table: ScoreTable, target: str, measure: str | None, paths: tuple[str, ...]) -> None:
    from stdeval.commands.inputs import named_in
    from stdeval.files import output
    from stdeval.formats.foreign import write_matrix
    from stdeval.formats.tables import write_scores

    if measure is not None:
        table = table.select(measures=named_in(table, [measure]))
    with output(next(iter(paths), None)) as out:
        if target == "scores":
            write_scores(out, table)
        else:
            write_matrix(out, table)


def _write_factors(factors: Factors, target: str, digits: int, paths: tuple[str, ...]) -> None:
    import numpy as np

    from stdeval.commands.inputs import warn
    from stdeval.files import output
    from stdeval.formats.foreign import EXACT, write_published, write_zscores
    from stdeval.formats.tables import write_factors

    lost = int(((factors.sd > 0) & (np.round(factors.sd, digits) == 0)).sum()) if target == "zscores" else 0
    if lost and digits < EXACT:
        warn(f"{lost} standard deviations above 0 are 0 with {digits} decimals, --digits {EXACT} keeps them")
    if target != "factors" and factors.n.any():
        warn(f"{target} has no place for the number of reference runs: not written")
    with output(next(iter(paths), None)) as out:
        if target == "factors":
            write_factors(out, factors)
        elif target == "zscores":
            write_zscores(out, factors, digits)
        else:
            with output(paths[1]) as deviations:
                write_published(out, deviations, factors)
