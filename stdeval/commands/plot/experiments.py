"""Pictures of the CSV files that the meta-evaluation commands write."""

from __future__ import annotations

from typing import Any

import click

from stdeval import plots
from stdeval.cli.helps import GroupedCommand
from stdeval.cli.pictures import Picture, picture_options
from stdeval.cli.types import NAMED_INPUT, Choice, NamedFile
from stdeval.commands.plot import PICTURES
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.csv_rows import read_tidy
from stdeval.plots.experiments import PLANNED, QUANTITIES


def _command(name: str, example: str, **value: Any) -> click.Command:
    """Return the command of a picture; if it has a choice of columns, `value` describes the option --value."""

    @click.command(name, cls=GroupedCommand, help=PICTURES[name], epilog=f"Example: stdeval meta {example}")
    @click.argument("files", nargs=-1, type=NAMED_INPUT, required=True, metavar="FILE...")
    @picture_options
    def command(files: tuple[NamedFile, ...], picture: Picture, **chosen: str) -> None:
        names = [file.name for file in files]
        if any(names) and not all(names):
            raise click.UsageError(
                f"some of the files have a name, such as {max(names)}=, expected NAME=FILE for all"
            )
        rows, places = read_tidy([Input(file.path) for file in files], names if any(names) else ())
        try:
            picture.draw(getattr(plots, name), rows, **chosen)
        except InputError as error:
            # line 1 of the columns is the header
            place = (places[0][0], None) if error.line is None else places[error.line - 2]
            raise error.at(*place) from None

    if value:
        command.params.insert(1, click.Option(["--value"], show_default=True, **value))
    return command


depth = _command(
    "depth",
    "depth -m AP --eval-depth 5 -f csv qrels.gz references/*.gz | stdeval plot depth -o depth.png -",
    default="power",
    metavar="COLUMN",
    help="The column to draw: power or mean.",
)
power = _command("power", "power -f csv --scores early.csv | stdeval plot power -o power.svg -")
tau = _command(
    "tau",
    "within --topics 25 --trials 50 --trials-out - -o out.txt --scores early.csv | stdeval plot tau -o tau.png -",
)
split = _command(
    "split",
    "split --trials 50 --trials-out - -o out.txt --scores early.csv | stdeval plot split -o split.png -",
    type=Choice(["tau", "tau_ap_b", "r"]),
    default="tau",
    help="The correlation that is drawn.",
)
aggregates = _command(
    "aggregates",
    "split -a am -a egm --trials 50 --pairs-out - -o out.txt --scores early.csv "
    "| stdeval plot aggregates -o a.png -",
)
drmse = _command(
    "drmse",
    "collections -f csv early.csv late.csv | stdeval plot drmse -o drmse.png -",
    default="drmse",
    metavar="COLUMN",
    help="The column to draw: drmse, mean (its mean over re-partitions), false_positives_high or another one.",
)
references = _command(
    "references", "references --trials 50 -f csv --scores early.csv | stdeval plot references -o sizes.png -"
)
reliability = _command(
    "reliability",
    "reliability -f csv --scores early.csv | stdeval plot reliability -o reliability.png -",
    type=Choice(list(QUANTITIES)),
    default="erho2",
    help="The quantity that is drawn.",
)
plan = _command(
    "plan",
    "plan -f csv --scores early.csv | stdeval plot plan -o plan.png -",
    type=Choice(list(PLANNED)),
    default="difference",
    help="The column that is drawn.",
)
