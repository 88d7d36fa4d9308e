"""`stdeval compare`: pairs of systems, how much they differ, and whether significantly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any

import click
import numpy as np

from stdeval.analysis import Compared, compare_pairs, compared_pairs
from stdeval.cli.helps import GroupedCommand
from stdeval.cli.inputs import judgments, number_of_topics
from stdeval.cli.options import (
    InputOptions,
    StandardizationOptions,
    alpha_option,
    baseline_option,
    default_schemes,
    input_options,
    interval_option,
    randomness_options,
    standardization_options,
    test_option,
    unpaired_option,
    welch_option,
    why_no_best_run,
)
from stdeval.cli.output import OutputOptions, format_options, is_signed, signature_option
from stdeval.cli.signatures import standardized_signature
from stdeval.cli.standardizing import factors_of, raw_scores, scores_by_scheme, side_by_side, tables_after_warning
from stdeval.cli.tables import as_typed, read_first_documents, system_index, warn_of_set_aside
from stdeval.cli.types import Choice
from stdeval.display import counted, listed
from stdeval.errors import InputError
from stdeval.files import display_name
from stdeval.formats.listing import DAGGER, DOUBLE_DAGGER, Field, Listing, topic_counts, topics_told
from stdeval.formats.trec_eval_text import Column
from stdeval.formats.writers import MARKED
from stdeval.measures.names import is_better_higher, resolve
from stdeval.measures.residuals import UnjudgedDocuments, needed_depth, residual_measure, weight_beyond_cutoff
from stdeval.noise import decimals, is_significant, rounded
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.pairwise import Design, is_decided, residual_bounds
from stdeval.stats.ranking import Coverage, best_means, coverage, coverage_of_unpaired, takes_part
from stdeval.stats.significance import pairs
from stdeval.table import Floats, Ints, ScoreTable

Bounds = dict[str, tuple[Floats, Floats]]
"""By measure, the least and the greatest mean difference of each pair, shape (n_pairs,)."""

Signs = dict[tuple[int, int], str]
"""The signs after a mean, by the indices of its system and measure."""


def inputs_with_residuals(
    inputs: InputOptions, standardization: StandardizationOptions, schemes: Sequence[str]
) -> InputOptions:
    """Return the options that evaluate runs by the residuals of their measures as well."""
    if inputs.score_files:
        raise click.UsageError("--residuals needs the documents of runs, expected QRELS RUN... without --scores")
    if inputs.judged_only:
        raise click.UsageError("--residuals needs the unjudged documents, expected it without -J")
    if standardization.digits is not None or standardization.factor_files or set(schemes) != {"raw"}:
        raise click.UsageError("--residuals needs raw scores, expected it without --scheme, -F and --round")
    measures = resolve(inputs.measures)
    others = [measure.name for measure in measures if measure.family.name != "rbp"]
    if others or not measures:
        found = f"not {others[0]}" if others else "but no measure is named"
        raise InputError(
            f"--residuals needs rank-biased precision, {found}; expected -m 'RBP(p=0.95)' or another p"
        )
    unreadable = [path for path in inputs.files[1:] if not Path(path).is_file()]
    if unreadable:
        raise InputError("--residuals reads runs twice, expected a file", display_name(unreadable[0]))
    return inputs._replace(measures=(*inputs.measures, *map(residual_measure, measures)))


def bounds_of_pairs(inputs: InputOptions, table: ScoreTable, first: Ints, second: Ints) -> Bounds:
    """Read the unjudged documents, and return the bounds of the differences of pairs of runs."""
    measures, judged = resolve(inputs.measures), judgments(inputs)
    qrels = {topic: judged[topic] for topic in table.topics}
    depth = max(map(needed_depth, measures))
    depth = depth if inputs.depth is None else min(depth, inputs.depth)
    unjudged = UnjudgedDocuments(qrels)
    how = inputs.precision, inputs.jobs
    for each in read_first_documents(inputs.files[1:], depth, qrels, *how):
        unjudged.add(each.run.documents)
    bounds = {}
    for measure in measures:
        residuals = table.measure(residual_measure(measure)) - weight_beyond_cutoff(measure)
        shared = unjudged.shared_weights(measure)
        bounds[measure.name] = residual_bounds(table.measure(measure.name), residuals, shared, first, second)
    return bounds


def compare_with_warnings(table: ScoreTable, first: Ints, second: Ints, design: Design, alpha: float) -> Compared:
    """Compare pairs, and also warn if Tukey's test leaves out runs or topics."""
    if design.correction == "tukey":
        warn_of_set_aside(coverage(table.values), table.systems, "no p_adjusted")
    return compare_pairs(table, first, second, design, alpha)


def pair_fields(design: Design, residuals: bool = False, alpha: float = 0.05) -> list[Field]:
    """Return the columns of the listing; those of the design are left out of a table."""
    numbers = ["mean_a", "mean_b", "difference", "low", "high", "effect_size"]
    counts = ["n_a", "n_b"] if design.unpaired else ["wins", "ties", "losses", "n"]
    pvalues = [Field(name, ".3g", alpha=alpha) for name in ("p", "p_adjusted")]
    bounds = ["residual_low", "residual_high", "decided"] if residuals else []
    constants = ("test", "alternative", "correction", "alpha", "resamples", "seed")
    return [
        *map(Field, ("measure", "a", "b", *numbers, *counts, "statistic")),
        *pvalues,
        *map(Field, ("significant", *bounds)),
        *(Field(name, "g", in_table=False) for name in constants),
    ]


def pair_rows(
    compared: Compared, names: Sequence[tuple[str, str]], design: Design, alpha: float, bounds: Bounds | None = None
) -> Iterator[list[Any]]:
    """Yield a row for each measure and pair, with the cells of `pair_fields`."""
    drawn = [design.n_resamples, design.seed] if design.draws else ["", ""]
    constants = [design.name, design.alternative, design.correction, alpha, *drawn]
    bounded = {measure: zip(*ends, is_decided(*ends), strict=True) for measure, ends in (bounds or {}).items()}
    for pair in compared_pairs(compared, names):
        *before, wins, ties, losses, n_a, n_b, statistic, pvalue, adjusted = pair
        counts = (n_a, n_b) if design.unpaired else (wins, ties, losses, n_a)
        row = [*before, *counts, statistic, pvalue, adjusted, "*" if is_significant(adjusted, alpha) else ""]
        if bounds:
            low, high, decided = next(bounded[pair.measure])
            row += [float(low), float(high), "yes" if decided else "no"]
        yield [*row, *constants]


def pair_notes(n_pairs: int, design: Design, alpha: float, bounds: Bounds) -> list[str]:
    """Return the notes below a table: the test, the kind of its interval, and how many signs are decided."""
    notes = [f"* p_adjusted at most {alpha:g}; {design.described_for(n_pairs)}"]
    if design.correction == "tukey":
        notes.append(f"p: {replace(design, correction='none').described}, not corrected")
    is_one_tailed = design.alternative != "two-sided"
    if is_one_tailed or design.confidence != Design.confidence:
        contradiction = ", which may contain 0 although p is significant" if is_one_tailed else ""
        notes.append(f"low, high: the two-sided {100 * design.confidence:.10g}% t interval{contradiction}")
    for measure, ends in bounds.items():
        decided = f"{int(is_decided(*ends).sum())} of {counted(len(ends[0]), 'pair')} by {measure}"
        notes.append(f"decided, whatever the unjudged documents are: {decided}")
    return notes


def difference_signs(
    inputs: InputOptions,
    table: ScoreTable,
    facts: Coverage,
    baseline: int | None,
    design: Design,
    alpha: float,
    evaluated: ScoreTable | None,
) -> tuple[Signs, list[str]]:
    """Return the signs of each system and measure, and the notes that explain them."""
    if baseline is None:
        return {}, []
    name, is_marked = table.systems[baseline], facts.ranked | design.unpaired
    if not is_marked[baseline]:
        return {}, [f"no daggers: the baseline {name} is not ranked"]
    # A correction for the number of pairs counts those with runs that are not marked as well.
    tested = np.flatnonzero(is_marked | (design.correction not in ("none", "tukey")))
    has = takes_part(facts.comparable(table.values))[tested]
    is_tested = has[tested == baseline][0] & (has.sum(axis=0) > 1)
    measures, others = (list(compress(table.measures, kept)) for kept in (is_tested, ~is_tested))
    untested = [f"no dagger by {listed(others)}: {name} or all others have no scores"] if others else []
    if not measures:
        return {}, untested
    # The topics that all ranked systems have by some measure.
    common = list(compress(table.topics, facts.common.any(axis=1)))
    shown = replace(table, values=facts.comparable(table.values)).select(
        systems=[table.systems[i] for i in tested],
        topics=common if facts.ranked[tested].all() else table.topics,
        measures=measures,
    )
    first, second = pairs(len(tested), int(np.flatnonzero(tested == baseline)[0]))
    compared = compare_with_warnings(shown, first, second, design, alpha)
    marked = {DAGGER: [is_significant(adjusted, alpha) for _, adjusted in compared.values()]}
    differs = {"two-sided": "differs from", "greater": "is better than", "less": "is worse than"}
    described = design.described_for(len(table.systems) - 1)
    notes = [f"{DAGGER}: {differs[design.alternative]} {name}, p at most {alpha:g}; {described}", *untested]
    is_tukey = design.correction == "tukey"
    if not is_marked.all():
        elsewhere = "" if is_tukey else f" (-f table compares them with {name})"
        notes.append(f"incomplete runs have no dagger{elsewhere}")
    if len(common) < len(table.topics) and not design.unpaired:
        elsewhere = "" if is_tukey else " (-f table: on those that both runs have)"
        notes.append(f"tests are on the topics that all ranked runs have{elsewhere}")
    if evaluated is not None:
        # A run misses a topic by all measures or by none.
        bounds = bounds_of_pairs(inputs, evaluated.select(topics=common), tested[first], tested[second])
        marked[DOUBLE_DAGGER] = [~is_decided(*ends) for ends in bounds.values()]
        notes.append(f"{DOUBLE_DAGGER}: the documents that are not judged or not retrieved may decide the sign")
    signs: Signs = {}
    for sign, by_measure in marked.items():
        for k, where in zip(np.flatnonzero(is_tested).tolist(), by_measure, strict=True):
            for i in tested[first][where & is_marked[tested[first]]].tolist():
                signs[i, k] = signs.get((i, k), "") + sign
    return signs, notes


def system_listing(
    table: ScoreTable,
    columns: Sequence[Column],
    facts: Coverage,
    signs: Signs,
    notes: Sequence[str],
    output_format: str,
    unmarked: str = "",
) -> Listing:
    """Return a row per system, with its means, the best marked, and the differences from the baseline marked."""
    scores, ranked = facts.comparable(table.values), facts.ranked
    notes = [*notes, *_coverage_notes(facts, output_format)]
    n_topics = topic_counts((~np.isnan(scores)).sum(axis=1).tolist())
    if n_topics is not None:
        notes.append("n: number of topics of the means in a row; two numbers: the fewest and the most")
    if unmarked and any(column.is_standardized for column in columns):
        notes.append(f"no run is bold by standardized scores, because {unmarked}")
    means = rounded(arithmetic_mean(scores, axis=1), decimals(scores, axis=(0, 1)))
    # The runs that are not ranked are below the others.
    order = np.argsort(~ranked, kind="stable").tolist()
    at = {i: row for row, i in enumerate(order)}
    best: set[tuple[int, int]] = set()
    for k, column in enumerate(columns):
        rivals = means[ranked & ~np.isnan(means[:, k]), k]
        # If all means are 0, none is the best.
        if column.can_be_best and len(rivals) > 1 and rivals.any() and not (unmarked and column.is_standardized):
            largest, higher = float(np.nanmax(np.abs(scores[:, :, k]))), is_better_higher(column.measure)
            leaders = best_means(means[:, k].tolist(), ranked.tolist(), largest, better_higher=higher)
            best |= {(at[i], k + 1) for i in leaders}
    return Listing(
        [Field(name) for name in ("", *table.measures, *(["n"] if n_topics else []))],
        [[table.systems[i], *means[i].tolist(), *(n_topics or [])[i : i + 1]] for i in order],
        best=frozenset(best),
        signs={(at[i], k + 1): text for (i, k), text in signs.items()},
        n_below=int((~ranked).sum()),
        notes=notes,
    )


def _coverage_notes(facts: Coverage, output_format: str) -> list[str]:
    """Return the notes about runs and topics that are left out."""
    if not facts.ranked.any():
        why = "the runs have different topics" if facts.common.any() else "no topic is common to all runs"
        return [f"{why}: no run is bold"]
    n_aside = int((~facts.ranked).sum())
    runs = "complete runs" if n_aside else "runs"
    notes = [f"means over the {counted(facts.n_common, 'topic')} that all {runs} have"] if facts.is_reduced else []
    if n_aside:
        # A table of Markdown has one rule only.
        last = "the last row" if n_aside == 1 else f"the last {n_aside} rows"
        where = "below the second line" if output_format == "latex" else last
        what = "an incomplete run" if n_aside == 1 else "incomplete runs"
        notes.append(f"{where}: {what}, without a topic that most runs have; never bold")
    return notes


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
    residuals: bool,
    alpha: float,
    signed: bool,
    to: OutputOptions,
    **of_design: Any,
) -> None:
    """Compare every pair of runs, or all runs with a baseline."""
    design, shown = Design(**of_design), default_schemes(schemes, standardization)
    if residuals and (design.unpaired or inputs.best is not None):
        raise click.UsageError(f"expected --residuals or {'--unpaired' if design.unpaired else '--best'}, not both")
    # A file of factors belongs to one collection.
    inputs = inputs._replace(collections=design.unpaired and not standardization.factor_files)
    asked = inputs_with_residuals(inputs, standardization, shown) if residuals else inputs
    factors = factors_of(standardization)
    evaluated = as_typed(raw_scores(asked, standardization, factors, compares=True), asked, to.format)
    raw = evaluated.select(measures=[each.name for each in resolve(inputs.measures)]) if residuals else evaluated
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
        numbers = (~np.isnan(facts.comparable(table.values))).sum(axis=1).ravel().tolist()
        n_topics = number_of_topics(inputs, raw)
        if max(numbers) < n_topics and not facts.is_reduced:
            notes.append(f"means over {topics_told(numbers, n_topics)}")
        unmarked = why_no_best_run(standardization.leave_out, raw)
        listing = system_listing(table, columns, facts, signs, notes, to.format, unmarked)
    else:
        first, second = pairs(len(table.systems), at)
        bounds = bounds_of_pairs(inputs, evaluated, first, second) if residuals else {}
        compared = compare_with_warnings(table, first, second, design, alpha)
        names = [(table.systems[i], table.systems[j]) for i, j in zip(first, second, strict=True)]
        rows = list(pair_rows(compared, names, design, alpha, bounds))
        notes = pair_notes(len(first), design, alpha, bounds) if to.format == "table" else []
        listing = Listing(pair_fields(design, residuals, alpha), rows, n_left=3, notes=notes)
    to.write(listing._replace(signature=signature))
