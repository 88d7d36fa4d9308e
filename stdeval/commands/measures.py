"""`stdeval measures`: the table of measures."""

from __future__ import annotations

import click

from stdeval.commands.completion import complete_measure
from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.options import OutputOptions, format_options
from stdeval.formats.listing import Field, Listing
from stdeval.measures.catalogue import FAMILIES
from stdeval.measures.names import resolve


@click.command("measures", cls=GroupedCommand, epilog="Example: stdeval measures -f table webber")
@click.argument("names", nargs=-1, metavar="[NAME...]", shell_complete=complete_measure)
@format_options("a line per measure, tabs between", digits=False)
def command(names: tuple[str, ...], to: OutputOptions) -> None:
    """List the measures: name, other spellings, range, definition and source.

    NAME is a measure in any spelling, or one of the nicknames official, set, all_trec and webber; without it
    all measures are listed. In names, K stands for a cutoff and P for a persistence in [0, 1); parts in
    brackets are optional. trec_eval's -m form, such as P.5,10, is a spelling too. RBP(resid=R)@K sets P to
    R^(1/K).

    R in a range is the number of relevant documents. A gain is the judgment, or with --binary 0 or 1. A topic
    without relevant documents scores 0, except by unj, judged and rbp_resid. With -c, a topic that is missing
    from a run also scores 0, except by unj and rbp_resid: lower is better by them, so they are 1 if nothing is
    retrieved.
    """
    families = dict.fromkeys(measure.family for measure in resolve(names)) if names else FAMILIES
    fields = [Field(name) for name in ("measure", "also", "range", "definition", "source")]
    rows = [(row.form, " ".join(row.spellings), row.range, row.definition, row.source) for row in families]
    to.write(Listing(fields, rows, n_left=len(fields)))
