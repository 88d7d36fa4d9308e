"""Pictures of the CSV files that the meta-evaluation commands write."""

from __future__ import annotations

import click

from stdeval import plots
from stdeval.cli.declarations import NAMED_INPUT, Choice, GroupedCommand, NamedFile
from stdeval.cli.options import Decorator, option, stacked
from stdeval.cli.pictures import Picture, picture_options
from stdeval.commands.plot import PICTURES
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.csv_tables import read_tidy
from stdeval.plots.experiments import PLANNED, QUANTITIES


def _command(name: str, experiment: str, *value: Decorator) -> click.Command:
    """Return the command of a picture; an example makes its input by an experiment, and `value` is its --value."""
    example = f"Example: stdeval meta {experiment} | stdeval plot {name} -o {name}.png -"

    @click.command(name, cls=GroupedCommand, help=PICTURES[name], epilog=example)
    @click.argument("files", nargs=-1, type=NAMED_INPUT, required=True, metavar="FILE...")
    @stacked(*value)
    @picture_options
    def command(files: tuple[NamedFile, ...], picture: Picture, **chosen: str) -> None:
        names = [file.name for file in files]
        if any(names) and not all(names):
            found = f"some of the files have a name, such as {max(names)}="
            raise click.UsageError(f"{found}, expected NAME=FILE for all")
        rows, places = read_tidy([Input(file.path) for file in files], names if any(names) else ())
        try:
            picture.draw(getattr(plots, name), rows, **chosen)
        except InputError as error:
            # line 1 of the columns is the header
            place = (places[0][0], None) if error.line is None else places[error.line - 2]
            raise error.at(*place) from None

    return command


depth = _command(
    "depth",
    "depth -m AP --eval-depth 5 -f csv qrels.gz references/*.gz",
    option("--value COLUMN", "The column to draw: power or mean.", default="power"),
)
power = _command("power", "power -f csv --scores early.csv")
tau = _command("tau", "within --topics 25 --trials 50 --trials-out - -o out.txt --scores early.csv")
split = _command(
    "split",
    "split --trials 50 --trials-out - -o out.txt --scores early.csv",
    option("--value", "The correlation that is drawn.", Choice(["tau", "tau_ap_b", "r"]), default="tau"),
)
aggregates = _command("aggregates", "split -a am -a egm --trials 50 --pairs-out - -o out.txt --scores early.csv")
drmse = _command(
    "drmse",
    "collections -f csv early.csv late.csv",
    option("--value COLUMN", "The column to draw, such as mean (over re-partitions) or tau_b.", default="drmse"),
)
references = _command("references", "references --trials 50 -f csv --scores early.csv")
reliability = _command(
    "reliability",
    "reliability -f csv --scores early.csv",
    option("--value", "The quantity that is drawn.", Choice(list(QUANTITIES)), default="erho2"),
)
plan = _command(
    "plan",
    "plan -f csv --scores early.csv",
    option("--value", "The column that is drawn.", Choice(list(PLANNED)), default="difference"),
)
