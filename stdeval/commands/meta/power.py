"""`stdeval meta power`: discriminative power."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.meta.options import NOTHING_RANDOM, alphas_option, experiment_options, unpaired_option

if TYPE_CHECKING:
    from stdeval.commands.meta.experiment import Experiment
    from stdeval.commands.standardization import Standardization


@click.command("power")
@experiment_options(NOTHING_RANDOM)
@alphas_option((0.05,), "0.05")
@unpaired_option
def command(
    experiment: Experiment, standardization: Standardization, alphas: tuple[float, ...], unpaired: bool
) -> None:
    """Discriminative power: the share of system pairs that differ significantly.

    By measure, scheme and level of significance, with paired two-tailed t tests (Webber 2010, Table 1).
    """
    from stdeval.commands.meta.experiment import Listing
    from stdeval.formats.writers import Field
    from stdeval.meta.power import discriminative_power

    tables = experiment.tables(standardization)
    levels = list(dict.fromkeys(alphas))
    rows = []
    for measure, scheme, scores in tables.cells():
        found = discriminative_power(scores, levels, paired=not unpaired)
        rows += [
            (measure, scheme, alpha, float(power), found.n_pairs)
            for alpha, power in zip(levels, found.shares, strict=True)
        ]
    fields = [Field("measure"), Field("scheme"), Field("alpha", "g"), Field("power"), Field("pairs")]
    what = f"discriminative power, {'Welch' if unpaired else 'paired'} t test"
    experiment.write(what, len(tables.systems), len(tables.topics), Listing(fields, rows))
