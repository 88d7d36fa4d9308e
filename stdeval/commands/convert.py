"""`stdeval convert`: between the file formats of the field."""

from __future__ import annotations

from collections.abc import Sequence

import click
import numpy as np

from stdeval.commands.messages import warn
from stdeval.commands.options import refuse_without_effect
from stdeval.commands.parameter_types import INPUT_FILE, OUTPUT_FILE, Choice, WholeRange
from stdeval.commands.schemes import warn_of_impossible
from stdeval.commands.selection import measures_in
from stdeval.errors import InputError
from stdeval.files import Input, output
from stdeval.formats.foreign import EXACT_DIGITS, write_matrix, write_published, write_zscores
from stdeval.formats.readers import file_kind, read_factors, read_scores_or_factors
from stdeval.formats.tables import join_scores, write_factors, write_scores
from stdeval.measures.names import canonical
from stdeval.table import Factors, ScoreTable

_ORIGIN = "the judgments and options"

TARGETS = ("scores", "factors", "published", "zscores", "matrix")


@click.command("convert")
@click.argument("files", nargs=-1, type=INPUT_FILE, required=True, metavar="FILE...")
@click.option("--to", "target", type=Choice(TARGETS), required=True, help="What to write.")
@click.option(
    "-m", "--measure", metavar="MEASURE", help="The measure of a matrix: its name when read, which to write."
)
@click.option(
    "--digits",
    type=WholeRange(min=0, max=17),
    default=4,
    show_default=True,
    metavar="DIGITS",
    help="Decimals of zscores; 17: all.",
)
@click.option(
    "-o",
    "--output",
    "output_paths",
    type=OUTPUT_FILE,
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
    if target != "zscores":
        refuse_without_effect(["digits"], "--to zscores")
    content = _read([Input(path) for path in files], measure)
    if isinstance(content, ScoreTable):
        _write_scores(content, target, measure, output_paths)
    else:
        refuse_without_effect(["measure"], "scores or a matrix (not factors)")
        warn_of_impossible(content)
        _write_factors(content, target, digits, output_paths)


def _check_outputs(target: str, paths: Sequence[str]) -> None:
    if target == "published" and len(paths) != 2:
        raise click.UsageError("published is two files, expected -o MEANS -o DEVIATIONS")
    if target != "published" and len(paths) > 1:
        raise click.UsageError(f"{target} is one file, expected -o once")


def _read(sources: Sequence[Input], measure: str | None) -> ScoreTable | Factors:
    """Return the content of the files: of a published pair, of one file, or of several scores files, joined."""
    # a matrix looks like one file of a published pair, but is read with --measure only
    if len(sources) == 2 and measure is None:
        grids = [source for source in sources if file_kind(source) == "grid"]
        if len(grids) == 2:
            return read_factors(sources)
        if grids:
            other = sources[1 - sources.index(grids[0])]
            raise InputError(f"expected the other file of a published pair, beside {grids[0].name}", other.name)
    contents = [read_scores_or_factors(source, measure and canonical(measure)) for source in sources]
    if len(contents) == 1:
        return contents[0]
    tables = [content for content in contents if isinstance(content, ScoreTable)]
    if len(tables) != len(contents):
        raise InputError("factors in more than one file, expected one file, or several of scores", sources[0].name)
    return join_scores(tables, [source.name for source in sources])


def _write_scores(table: ScoreTable, target: str, measure: str | None, paths: Sequence[str]) -> None:
    if target not in ("scores", "matrix"):
        raise InputError(f"scores, expected factors for --to {target}: 'stdeval factors --scores' makes them")
    if measure is not None:
        table = table.select(measures=measures_in(table, [measure]))
    if target == "matrix" and table.origins:
        warn(f"matrix has no place for {_ORIGIN}: not written")
    with output(next(iter(paths), None)) as out:
        if target == "scores":
            write_scores(out, table)
        else:
            write_matrix(out, table)


def _write_factors(factors: Factors, target: str, digits: int, paths: Sequence[str]) -> None:
    if target in ("scores", "matrix"):
        raise InputError(f"factors, expected scores for --to {target}: factors do not hold the scores of systems")
    if target == "zscores" and digits < EXACT_DIGITS:
        _warn_of_zeros(factors, digits)
    lost = ["the number of reference runs"] * bool(factors.n.any()) + [_ORIGIN] * bool(factors.origins)
    if target != "factors" and lost:
        warn(f"{target} has no place for {' and '.join(lost)}: not written")
    with output(next(iter(paths), None)) as out:
        if target == "factors":
            write_factors(out, factors)
        elif target == "zscores":
            write_zscores(out, factors, digits)
        else:
            with output(paths[1]) as deviations:
                write_published(out, deviations, factors)


def _warn_of_zeros(factors: Factors, digits: int) -> None:
    """Warn of standard deviations that rounding turns into 0, because such topics cannot be standardized."""
    n_zeros = int(((factors.sd > 0) & (np.round(factors.sd, digits) == 0)).sum())
    if n_zeros:
        zeros = f"{n_zeros} standard deviations above 0 are 0 with {digits} decimals"
        warn(f"{zeros}, --digits {EXACT_DIGITS} keeps them")
