"""Pictures of the CSV files that the meta-evaluation commands write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from stdeval.cli.options import NAMED_INPUT, Choice, GroupedCommand, NamedFile
from stdeval.cli.pictures import Picture, picture_options
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.csv_rows import read_tidy
from stdeval.plots import experiments as meta_figures
from stdeval.plots import experiments as planning_figures
from stdeval.plots import experiments as trial_figures
from stdeval.plots.series import Rows

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
    """Draw the rows of CSV files by a function of `stdeval.plots`, and save the picture."""
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
    """Power by evaluation depth, one curve per pool depth."""
    _draw(meta_figures.depth, files, picture, value)


@click.command(
    "power",
    cls=GroupedCommand,
    epilog="Example: stdeval meta power -f csv --scores early.csv | stdeval plot power -o power.svg -",
)
@_files
@picture_options
def power(files: tuple[NamedFile, ...], picture: Picture) -> None:
    """Discriminative power over levels of significance."""
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
    """Densities of correlations over trials."""
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
    """Self-consistency over topic splits."""
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
    """Which aggregate is more self-consistent."""
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
    """Differences of collections."""
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
    """Rankings with fewer reference systems."""
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
    """Reliability over the number of topics."""
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
    """Differences that numbers of topics find."""
    _draw(planning_figures.plan, files, picture, value)
