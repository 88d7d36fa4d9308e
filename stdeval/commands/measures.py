"""`stdeval measures`: the table of measures."""

from __future__ import annotations

import click

from stdeval.cli.declarations import stdeval_command
from stdeval.cli.options import completes
from stdeval.cli.output import OutputOptions, format_options
from stdeval.formats.listing import Field, Listing
from stdeval.measures import names as measure_names


@stdeval_command("measures", "-f table webber")
@click.argument("names", nargs=-1, metavar="[NAME...]", shell_complete=completes("measure"))
@format_options("a line per measure, tabs between", digits=False)
def command(names: tuple[str, ...], to: OutputOptions) -> None:
    """List the measures: name, other spellings, range, definition and source."""
    named = dict.fromkeys(measure.family for measure in measure_names.resolve(names))
    families = named or measure_names.families().values()
    fields = [Field(name) for name in ("measure", "also", "range", "definition", "source")]
    rows = [(row.form, " ".join(row.spellings), row.range, row.definition, row.source) for row in families]
    to.write(Listing(fields, rows, n_left=len(fields)))
