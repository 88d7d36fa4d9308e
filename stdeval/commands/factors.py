"""`stdeval factors`: standardization factors from reference runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.options import output_option, score_inputs

if TYPE_CHECKING:
    from stdeval.commands.inputs import Inputs


@click.command("factors")
@score_inputs
@click.option("--empirical", is_flag=True, help="Write the reference scores themselves, which scheme e needs.")
@output_option
def command(inputs: Inputs, empirical: bool, output_path: str | None) -> None:
    """Make standardization factors from reference runs.

    Writes a CSV with a row per topic: the number of runs, and the mean and sample standard deviation of
    their scores by each measure. A run that lacks a topic is left out of that topic's factors; with -c it
    counts 0.
    """
    from stdeval.csvio import write_factors, write_scores
    from stdeval.files import output
    from stdeval.measures import DEFAULT_FACTORS
    from stdeval.standardize import fit_factors, warn_about_references

    table = inputs.table(DEFAULT_FACTORS)
    factors = fit_factors(table, keep_reference=False)
    warn_about_references(factors)
    with output(output_path) as out:
        if empirical:
            write_scores(out, table)
        else:
            write_factors(out, factors)
