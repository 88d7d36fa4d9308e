"""`stdeval compare`: pairs of systems, how much they differ, and whether significantly."""

from __future__ import annotations

import click

from stdeval.commands.difference_signs import difference_signs
from stdeval.commands.factor_files import factors_of, raw_scores
from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.inputs import as_typed
from stdeval.commands.options import (
    OutputOptions,
    alpha_option,
    baseline_option,
    format_options,
    interval_option,
    randomness_options,
    test_option,
    unpaired_option,
    welch_option,
)
from stdeval.commands.pair_listing import compare_pairs, pair_fields, pair_notes, pair_rows
from stdeval.commands.parameter_types import Choice
from stdeval.commands.residuals import Bounds, bounds_of_pairs, inputs_with_residuals, without_residuals
from stdeval.commands.schemes import scores_by_scheme, side_by_side, tables_after_warning
from stdeval.commands.selection import system_index
from stdeval.commands.set_aside import warn_of_set_aside
from stdeval.commands.signatures import is_signed, number_of_topics, signature_option, standardized_signature
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    default_schemes,
    standardization_options,
    why_no_best_run,
)
from stdeval.commands.system_listing import notes_about_topics, system_listing
from stdeval.errors import InputError
from stdeval.formats.listing import Listing
from stdeval.formats.writers import MARKED
from stdeval.stats.coverage import coverage, coverage_of_unpaired
from stdeval.stats.paired_tests import Alternative
from stdeval.stats.pairwise import Design
from stdeval.stats.significance import pairs
from stdeval.table import Ints, ScoreTable


@click.command(
    "compare",
    cls=GroupedCommand,
    epilog="Example: stdeval compare -f table -m map --correction holm qrels.gz references/ref0*.run.gz",
)
@input_options
@standardization_options()
@baseline_option
@test_option
@unpaired_option
@welch_option
@click.option(
    "--alternative",
    type=Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="greater: the first run of the pair is better. The interval stays two-sided.",
)
@click.option(
    "--correction",
    type=Choice(["none", "bonferroni", "holm", "bh", "tukey"]),
    default="none",
    show_default=True,
    help="Adjust p for the number of pairs of each measure; tukey: the randomised Tukey HSD.",
)
@click.option(
    "--residuals",
    is_flag=True,
    help="Also print the bounds of the difference by RBP, whatever the unjudged documents are, and whether its "
    "sign is decided.",
)
@interval_option(0.95, "Confidence of the two-sided t interval of the difference.")
@randomness_options
@alpha_option
@signature_option
@format_options("a line per measure and pair, tabs between")
def command(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    baseline: str | None,
    test: str,
    unpaired: bool,
    welch: bool,
    alternative: Alternative,
    correction: str,
    residuals: bool,
    confidence: float,
    n_resamples: int,
    seed: int,
    alpha: float,
    signed: bool,
    to: OutputOptions,
) -> None:
    """Compare every pair of runs, or all runs with a baseline.

    Prints for each measure and pair: the means of a and b on the topics that both have, their difference with
    its t interval, the effect size (the difference over the standard deviation of the differences), on how many
    topics a wins, ties and loses (by unj, rbp_resid and num_nonrel_judged_ret the lower score wins), the
    statistic, p, p adjusted for the number of pairs, and the number of topics. Markdown and latex have a row per
    run and a column per measure instead. The best mean is bold, and a dagger marks a run that differs
    significantly from the baseline on the topics of the means. Incomplete runs, without a topic that most runs
    have, stand below the others; they are never bold, and have a dagger only with --unpaired. If the numbers of
    topics differ, a column n gives them. With --unpaired every run keeps its own topics.
    """
    design = Design(test, unpaired, welch, alternative, correction, confidence, n_resamples, seed)
    shown = default_schemes(schemes, standardization)
    if residuals and (unpaired or inputs.best is not None):
        raise click.UsageError(f"expected --residuals or {'--unpaired' if unpaired else '--best'}, not both")
    # A file of factors belongs to one collection.
    inputs = inputs._replace(collections=unpaired and not standardization.factor_files)
    asked = inputs_with_residuals(inputs, standardization, shown) if residuals else inputs
    factors = factors_of(standardization)
    evaluated = as_typed(raw_scores(asked, standardization, factors, compares=True), asked, to.format)
    raw = without_residuals(evaluated, inputs) if residuals else evaluated
    columns, table = side_by_side(tables_after_warning(scores_by_scheme(raw, shown, standardization, factors)))
    at = None if baseline is None else system_index(inputs, baseline, table.systems)
    if len(table.systems) < 2:
        raise InputError(f"one run, '{table.systems[0]}', expected at least two to compare")
    wanted = is_signed(to, signed)
    signature = standardized_signature(inputs, raw, shown, standardization, factors) if wanted else ""
    if to.format in MARKED:
        facts = coverage_of_unpaired(table.values) if design.unpaired else coverage(table.values)
        # If no run is ranked, a note in the table says why.
        if facts.ranked.any():
            warn_of_set_aside(facts, table.systems)
        signs, notes = difference_signs(inputs, table, facts, at, design, alpha, evaluated if residuals else None)
        notes += notes_about_topics(table, facts, number_of_topics(inputs, raw) if wanted else 0)
        unmarked = why_no_best_run(standardization.leave_out, raw)
        systems = system_listing(table, columns, facts, signs, notes, to.format, unmarked)
        to.write(systems._replace(signature=signature))
        return
    first, second = pairs(len(table.systems), at)
    bounds = bounds_of_pairs(inputs, evaluated, first, second) if residuals else {}
    listing = _pair_listing(table, first, second, design, alpha, bounds)._replace(signature=signature)
    notes = pair_notes(len(first), design, alpha, bounds)
    to.write(listing._replace(notes=notes) if to.format == "table" else listing)


def _pair_listing(
    table: ScoreTable, first: Ints, second: Ints, design: Design, alpha: float, bounds: Bounds
) -> Listing:
    """Return a row per measure and pair; without residuals, there are no `bounds`."""
    compared = compare_pairs(table, first, second, design, alpha)
    names = [(table.systems[i], table.systems[j]) for i, j in zip(first, second, strict=True)]
    rows = list(pair_rows(compared, names, design, alpha, bounds))
    return Listing(pair_fields(design, bool(bounds), alpha), rows, n_left=3)
