"""`stdeval compare`: pairs of systems, how much they differ, and whether significantly."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import click

from stdeval.commands.options import (
    alpha_option,
    baseline_option,
    design_options,
    output_option,
    score_inputs,
    standardization_options,
    style_option,
)

if TYPE_CHECKING:
    from stdeval.commands.inputs import Inputs
    from stdeval.commands.standardization import Standardization
    from stdeval.stats.pairwise import Design
    from stdeval.stats.significance import Comparison
    from stdeval.table import Floats, Ints, ScoreTable

    Compared = dict[str, tuple[Comparison, Floats]]


@click.command("compare")
@score_inputs
@standardization_options(schemes=())
@baseline_option
@design_options
@alpha_option
@style_option(
    "text: a line per measure and pair, tabs between; table: to read, * where p_adjusted is below alpha; csv: full "
    "precision; latex: a row a run, a column a measure.",
    "latex",
)
@output_option
def command(
    inputs: Inputs,
    standardization: Standardization,
    baseline: str | None,
    design: Design,
    alpha: float,
    style: str,
    output_path: str | None,
) -> None:
    """Compare every pair of runs, or all runs with a baseline.

    Per measure: the means of a and b on the topics that both have, their difference with its t interval, the
    effect size (the difference over the standard deviation of the differences), on how many topics a wins, ties
    and loses, the statistic, p, p adjusted for the number of pairs, and the number of topics. In latex the best
    is bold, and daggers mark what differs significantly from the baseline.
    """
    from stdeval.files import output
    from stdeval.stats.pairwise import compare_measures
    from stdeval.stats.significance import pairs

    _, table = standardization.side_by_side(standardization.raw_scores(inputs))
    at = None if baseline is None else inputs.system(baseline, table.systems)
    first, second = pairs(len(table.systems), at)
    _check_systems(table, first, second, design)
    found = compare_measures(table, first, second, design)
    with output(output_path) as out:
        if style == "latex":
            _write_latex(out, table, found, at, design, alpha)
        else:
            names = [(table.systems[i], table.systems[j]) for i, j in zip(first, second, strict=True)]
            _write_pairs(out, style, names, found, design, alpha)


def _check_systems(table: ScoreTable, first: Ints, second: Ints, design: Design) -> None:
    """Refuse a run alone, and say how many topics are left where runs do not have all."""
    import numpy as np

    from stdeval.commands.inputs import warn
    from stdeval.errors import InputError

    if not len(first):
        raise InputError(f"one run, '{table.systems[0]}', expected at least two to compare")
    there = ~np.isnan(table.values)
    if design.unpaired or there.all():
        return
    common = np.min([(there[first, :, k] & there[second, :, k]).sum(axis=1) for k in range(there.shape[2])], axis=0)
    fewest, n_topics = int(np.argmin(common)), len(table.topics)
    pair = f"'{table.systems[first[fewest]][:60]}' and '{table.systems[second[fewest]][:60]}'"
    warn(
        f"{int(np.sum(common < n_topics))} of {len(first)} pairs are compared on their common topics only "
        f"(fewest: {pair} {common[fewest]} of {n_topics})"
    )
    if design.correction == "tukey":
        warn(f"tukey uses the topics that all runs have: {int(there.all(axis=(0, 2)).sum())} of {n_topics}")


def _write_pairs(
    out: IO[str], style: str, names: list[tuple[str, str]], found: Compared, design: Design, alpha: float
) -> None:
    from stdeval.formats.writers import write_listing
    from stdeval.stats.pairwise import pair_fields, pair_rows

    rows = (row for measure, each in found.items() for row in pair_rows(measure, names, *each, design, alpha))
    write_listing(out, style, pair_fields(design), rows, n_left=3)
    if style == "table":
        out.write(f"* p_adjusted < {alpha:g}; {design.described}\n")


def _write_latex(
    out: IO[str], table: ScoreTable, found: Compared, baseline: int | None, design: Design, alpha: float
) -> None:
    import numpy as np

    from stdeval.formats.writers import latex_table
    from stdeval.stats.aggregates import arithmetic_mean

    marked = np.zeros((len(table.systems), len(table.measures)), dtype=bool)
    notes = []
    if baseline is not None:
        significant = np.stack([adjusted < alpha for _, adjusted in found.values()], axis=1)
        marked = np.insert(significant, baseline, False, axis=0)
        notes = [f"dagger: differs from {table.systems[baseline]}, p below {alpha:g}; {design.described}"]
    means = arithmetic_mean(table.values, axis=1)
    out.write(latex_table(table.systems, table.measures, means, marked, notes) + "\n")
