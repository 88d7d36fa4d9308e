"""Pictures of the CSV files that the meta-evaluation commands write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.parameter_types import NAMED_INPUT, Choice, NamedFile
from stdeval.commands.picture import Picture, picture_options
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.csv_rows import read_tidy
from stdeval.plots import meta_figures, planning_figures, trial_figures
from stdeval.plots.tidy_rows import Rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_files = click.argument("files", nargs=-1, type=NAMED_INPUT, required=True, metavar="FILE...")


@contextmanager
def _rows(files: tuple[NamedFile, ...]) -> Iterator[Rows]:
    """Yield the rows of CSV files; an error while they are drawn gets the file and the line of its row."""
    names = [file.name for file in files]
    if any(names) and not all(names):
        raise click.UsageError(f"some of the files have a name, such as {max(names)}=, expected NAME=FILE for all")
    rows, places = read_tidy([Input(file.path) for file in files], names if any(names) else ())
    try:
        yield rows
    except InputError as error:
        # a figure may repeat the rows, once per quantity that it draws; line 1 is the header
        place = (places[0][0], None) if error.line is None else places[(error.line - 2) % len(places)]
        raise error.at(*place) from None


def _draw(
    figure: Callable[..., Figure], files: tuple[NamedFile, ...], picture: Picture, value: str | None = None
) -> None:
    """Draw the rows of CSV files by a function of `stdeval.plots`, and save the picture.

    ``value`` is the column to draw, if the function has a choice.
    """
    with _rows(files) as rows:
        drawn = () if value is None else (value,)
        picture.save(figure(rows, *drawn, size=picture.size, title=picture.title))


@click.command(
    "depth",
    cls=GroupedCommand,
    epilog="Example: stdeval meta depth -m AP --eval-depth 5 -f csv qrels.gz references/*.gz "
    "| stdeval plot depth -o depth.png -",
)
@_files
@click.option(
    "--value", default="power", show_default=True, metavar="COLUMN", help="The column to draw: power or mean."
)
@picture_options
def depth(files: tuple[NamedFile, ...], value: str, picture: Picture) -> None:
    """Power by evaluation depth, one curve per pool depth.

    Reads the CSV of 'stdeval meta depth': the columns pool_depth, depth, and power or mean; measure and form are
    optional. One FILE may be - for standard input.
    """
    _draw(meta_figures.depth, files, picture, value)


@click.command(
    "power",
    cls=GroupedCommand,
    epilog="Example: stdeval meta power -f csv --scores early.csv | stdeval plot power -o power.svg -",
)
@_files
@picture_options
def power(files: tuple[NamedFile, ...], picture: Picture) -> None:
    """Discriminative power over levels of significance.

    Reads the CSV of 'stdeval meta power', 'within' or 'between': the columns alpha and power; measure, scheme, test
    and type1, the rate of Type I errors, are optional. If there is only one level, each measure has a row. One FILE
    may be - for standard input.
    """
    _draw(meta_figures.power, files, picture)


@click.command(
    "tau",
    cls=GroupedCommand,
    epilog="Example: stdeval meta within --topics 25 --trials 50 --trials-out - -o out.txt --scores early.csv "
    "| stdeval plot tau -o tau.png -",
)
@_files
@picture_options
def tau(files: tuple[NamedFile, ...], picture: Picture) -> None:
    """Densities of correlations over trials.

    Reads the CSV that 'stdeval meta within' or 'between' writes with --trials-out: the column value; coefficient,
    measure and scheme are optional. One FILE may be - for standard input.
    """
    _draw(trial_figures.tau, files, picture)


@click.command(
    "split",
    cls=GroupedCommand,
    epilog="Example: stdeval meta split --trials 50 --trials-out - -o out.txt --scores early.csv "
    "| stdeval plot split -o split.png -",
)
@_files
@click.option(
    "--value",
    type=Choice(["tau", "tau_ap_b", "r"]),
    default="tau",
    show_default=True,
    help="The correlation that is drawn.",
)
@picture_options
def split(files: tuple[NamedFile, ...], value: str, picture: Picture) -> None:
    """Self-consistency over topic splits.

    Reads the CSV of 'stdeval meta split', and draws means over epsilon; from the CSV of --trials-out, densities
    over the trials (Ravana 2009, Figures 1 to 3, 5, 7 and 11). Each aggregate, measure and scheme is drawn by
    itself. One FILE may be - for standard input.
    """
    _draw(trial_figures.split, files, picture, value)


@click.command(
    "aggregates",
    cls=GroupedCommand,
    epilog="Example: stdeval meta split -a am -a egm --trials 50 --pairs-out - -o out.txt --scores early.csv "
    "| stdeval plot aggregates -o a.png -",
)
@_files
@picture_options
def aggregates(files: tuple[NamedFile, ...], picture: Picture) -> None:
    """Which aggregate is more self-consistent.

    Reads the CSV that 'stdeval meta split' writes with --pairs-out. For every two aggregates, the difference of
    their mean tau is drawn over the percentage of scores that are at most 0.1, with one point per measure, scheme
    and collection, given as NAME=FILE (Ravana 2009, Figures 9 and 10). One FILE may be - for standard input.
    """
    _draw(trial_figures.aggregates, files, picture)


@click.command(
    "drmse",
    cls=GroupedCommand,
    epilog="Example: stdeval meta collections -f csv early.csv late.csv | stdeval plot drmse -o drmse.png -",
)
@_files
@click.option(
    "--value",
    default="drmse",
    show_default=True,
    metavar="COLUMN",
    help="The column to draw: drmse, mean (its mean over re-partitions), false_positives_high or another one.",
)
@picture_options
def drmse(files: tuple[NamedFile, ...], value: str, picture: Picture) -> None:
    """Differences of collections.

    Reads the CSV of 'stdeval meta collections': the column drmse; measure, scheme, pair, and low and high, the
    percentiles over re-partitions, are optional (Webber 2008, Figures 5 to 7). One FILE may be - for standard
    input.
    """
    _draw(meta_figures.drmse, files, picture, value)


@click.command(
    "references",
    cls=GroupedCommand,
    epilog="Example: stdeval meta references --trials 50 -f csv --scores early.csv "
    "| stdeval plot references -o sizes.png -",
)
@_files
@picture_options
def references(files: tuple[NamedFile, ...], picture: Picture) -> None:
    """Rankings with fewer reference systems.

    Reads the CSV of 'stdeval meta references': the columns size and median; p5, p1, tau_raw and tau_collection are
    optional, and the last two are horizontal lines (Webber 2008, Figure 4). One FILE may be - for standard input.
    """
    _draw(meta_figures.references, files, picture)


@click.command(
    "reliability",
    cls=GroupedCommand,
    epilog="Example: stdeval meta reliability -f csv --scores early.csv "
    "| stdeval plot reliability -o reliability.png -",
)
@_files
@click.option(
    "--value",
    type=Choice(list(planning_figures.QUANTITIES)),
    default="erho2",
    show_default=True,
    help="The quantity that is drawn.",
)
@picture_options
def reliability(files: tuple[NamedFile, ...], value: str, picture: Picture) -> None:
    """Reliability over the number of topics.

    Reads the CSV of 'stdeval meta reliability': the columns quantity, at and value; low, high, measure and scheme
    are optional. If there is only one number of topics, each measure has a row. One FILE may be - for standard
    input.
    """
    _draw(planning_figures.reliability, files, picture, value)


@click.command(
    "plan",
    cls=GroupedCommand,
    epilog="Example: stdeval meta plan -f csv --scores early.csv | stdeval plot plan -o plan.png -",
)
@_files
@click.option(
    "--value",
    type=Choice(list(planning_figures.PLANNED)),
    default="difference",
    show_default=True,
    help="The column that is drawn.",
)
@picture_options
def plan(files: tuple[NamedFile, ...], value: str, picture: Picture) -> None:
    """Differences that numbers of topics find.

    Reads the CSV of 'stdeval meta plan': the columns n, and difference, width or pairs; measure, scheme and spread,
    the standard deviation of the plan, are optional. One FILE may be - for standard input.
    """
    _draw(planning_figures.plan, files, picture, value)
