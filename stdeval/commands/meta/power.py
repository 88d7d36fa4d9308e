"""`stdeval meta power`: discriminative power."""

from __future__ import annotations

from stdeval.cli.experiments import Experiment, alphas_option, experiment_command
from stdeval.cli.options import unpaired_option, welch_option
from stdeval.formats.listing import Field, Listing
from stdeval.meta.rank import discriminative_power
from stdeval.stats.pairwise import Design


@experiment_command("power", "-m map --scheme raw --scheme n qrels.gz references/*.run.gz")
@alphas_option((0.05,), "0.05")
@unpaired_option
@welch_option
def command(experiment: Experiment, alphas: tuple[float, ...], unpaired: bool, welch: bool) -> None:
    """Discriminative power: the share of system pairs that differ significantly."""
    design = Design(unpaired=unpaired, welch=welch)
    tables = experiment.tables()
    levels = list(dict.fromkeys(alphas))
    rows = []
    for measure, scheme, scores in tables.cells():
        found = discriminative_power(scores, levels, unpaired=unpaired, welch=welch)
        shares = zip(levels, found.shares.tolist(), strict=True)
        rows += [(measure, scheme, alpha, power, found.n_pairs) for alpha, power in shares]
    fields = [Field("measure"), Field("scheme"), Field("alpha", "g"), Field("power"), Field("pairs")]
    title = f"discriminative power, {design.described}"
    experiment.write(title, tables, Listing(fields, rows), {"test": design.name})
