"""`stdeval weights`: how much a relevant document at each rank is worth."""

from __future__ import annotations

import re

import click

from stdeval.cli.declarations import WholeRange, stdeval_command
from stdeval.cli.options import measure_option, option
from stdeval.cli.output import OutputOptions, format_options
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.measures import names, papers

Ranges = list[tuple[int, int]]


def _ranges(_: click.Context, __: click.Parameter, text: str | None) -> Ranges | None:
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}-[0-9]{1,9}(,[0-9]{1,9}-[0-9]{1,9})*", text):
        raise click.BadParameter(f"'{text}', expected FIRST-LAST,... such as 1-100,101-1000")
    return [(int(first), int(last)) for first, last in (part.split("-") for part in text.split(","))]


@stdeval_command("weights", "-k 10 -m jkdcg -m rbp_p=0.8")
@measure_option
@option("-k --depth DEPTH n_ranks", "Number of ranks, from 1 on.", WholeRange(1, 10**6), default=1000)
@option("--ranges", "The share of each range in the weight of all ranks.", None, "FIRST-LAST,...", callback=_ranges)
@format_options("cells with tabs between")
def command(measures: tuple[str, ...], n_ranks: int, ranges: Ranges | None, to: OutputOptions) -> None:
    """Print how much a relevant document at each rank is worth."""
    if not measures:
        raise click.UsageError("expected -m MEASURE, such as -m jkdcg or -m 'RBP(p=0.8)'")
    named = names.resolve(measures) if to.format == "text" else names.resolve_as_typed(measures)
    columns, labels = [papers.weights_of(measure, n_ranks) for measure in named], list[Cell](range(1, n_ranks + 1))
    if ranges is not None:
        columns = [papers.weight_shares(weights, ranges) for weights in columns]
        labels = [f"{first}-{last}" for first, last in ranges]
    fields = [Field("ranks" if ranges else "rank"), *(Field(measure.name, ".6f") for measure in named)]
    to.write(Listing(fields, [*zip(labels, *(column.tolist() for column in columns), strict=True)]))
