"""`stdeval factors`: standardization factors from reference runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stdeval.commands.options import output_option, score_inputs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stdeval.commands.inputs import Inputs
    from stdeval.table import Factors


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
    from stdeval.commands.standardization import warn_about_references
    from stdeval.files import output
    from stdeval.formats.tables import write_factors, write_scores
    from stdeval.measures.catalogue import DEFAULT_FACTORS
    from stdeval.standardization import fit_factors

    table = inputs.table(DEFAULT_FACTORS) if inputs.from_scores or empirical else None
    factors = _run_by_run(inputs, DEFAULT_FACTORS) if table is None else fit_factors(table)
    warn_about_references(factors)
    with output(output_path) as out:
        if empirical and table is not None:
            write_scores(out, table)
        else:
            write_factors(out, factors)


def _run_by_run(inputs: Inputs, default: Sequence[str]) -> Factors:
    """Factors from runs of which one at a time is held."""
    import numpy as np

    from stdeval.errors import InputError
    from stdeval.evaluation import is_tabled
    from stdeval.standardization import check_references
    from stdeval.stats.moments import Moments
    from stdeval.table import Factors

    check_references(len(inputs.files) - 1)
    measures, topics, scored = inputs.scored(default)
    kept = [i for i, measure in enumerate(measures) if is_tabled(measure)]
    if not kept:
        raise InputError(f"no measure that is a score, only {', '.join(inputs.measures)}")
    row = {topic: i for i, topic in enumerate(topics)}
    running = Moments((len(topics), len(kept)))
    for run in scored:
        scores = np.full((len(topics), len(kept)), np.nan)
        scores[[row[topic] for topic in run.topics]] = run.values[:, kept]
        running.add(scores)
    mean, sd, n = running.result()
    some = np.flatnonzero(n.any(axis=1))
    names = tuple(measures[i].name for i in kept)
    return Factors(tuple(topics[i] for i in some), names, mean[some], sd[some], n[some])
