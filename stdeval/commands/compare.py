"""`stdeval compare`: pairs of systems, how much they differ, and whether significantly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any

import click
import numpy as np

from stdeval.analysis import ComparedPair, compared_pairs
from stdeval.cli import options
from stdeval.cli.helps import stdeval_command
from stdeval.cli.inputs import judgments, number_of_topics
from stdeval.cli.options import InputOptions, StandardizationOptions
from stdeval.cli.output import OutputOptions, format_options, is_signed, signature_option
from stdeval.cli.signatures import standardized_signature
from stdeval.cli.standardizing import factors_of, raw_scores, scores_by_scheme, side_by_side, tables_after_warning
from stdeval.cli.tables import as_typed, read_first_documents, system_index, warn_of_set_aside
from stdeval.cli.types import Choice, option
from stdeval.display import counted, listed
from stdeval.errors import InputError
from stdeval.files import display_name
from stdeval.formats.listing import DAGGER, DOUBLE_DAGGER, Cell, Field, Listing, topic_counts, topics_told
from stdeval.formats.trec_eval_text import Column
from stdeval.formats.writers import MARKED
from stdeval.measures.names import is_better_higher, resolve
from stdeval.measures.residuals import UnjudgedDocuments, needed_depth, residual_measure, weight_beyond_cutoff
from stdeval.noise import decimals, is_significant, rounded
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.pairwise import Design, is_decided, pairs, residual_bounds
from stdeval.stats.ranking import Coverage, best_means, coverage
from stdeval.table import Floats, Ints, ScoreTable

Bounds = dict[str, tuple[Floats, Floats]]
"""By measure, the least and the greatest mean difference of each pair, shape (n_pairs,)."""


def inputs_with_residuals(inputs: InputOptions) -> InputOptions:
    """Return the options that evaluate runs by the residuals of their measures as well."""
    measures = resolve(inputs.measures)
    if not measures or any(measure.family.name != "rbp" for measure in measures):
        expected = "expected -m 'RBP(p=0.95)' or another p, and no other measure"
        raise InputError(f"--residuals needs rank-biased precision; {expected}")
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


def compare_with_warnings(table: ScoreTable, at: int | None, design: Design, alpha: float) -> list[ComparedPair]:
    """Compare pairs, and also warn if Tukey's test leaves out runs or topics."""
    if design.correction == "tukey":
        warn_of_set_aside(coverage(table.values), table.systems, "no p_adjusted")
    return compared_pairs(table, at, design, alpha)


def pair_listing(
    compared: Sequence[ComparedPair], n_pairs: int, design: Design, alpha: float, bounds: Bounds
) -> Listing:
    """Return a row for each measure and pair; the design is in the notes of a table, and in columns elsewhere."""
    counts = ["n_a", "n_b"] if design.unpaired else ["wins", "ties", "losses", "n"]
    fields = [*map(Field, (*ComparedPair._fields[:9], *counts, "statistic"))]
    fields += [Field(name, ".3g", alpha=alpha) for name in ("p", "p_adjusted")]
    fields += map(Field, ("significant", *(["residual_low", "residual_high", "decided"] if bounds else [])))
    how: list[Cell] = [design.name, design.alternative, design.correction, alpha]
    constants = [*how, *([design.n_resamples, design.seed] if design.draws else ["", ""])]
    names = ("test", "alternative", "correction", "alpha", "resamples", "seed")
    fields += [Field(name, "g", in_table=False) for name in names]
    bounded = {measure: zip(*ends, is_decided(*ends), strict=True) for measure, ends in bounds.items()}
    rows: list[list[Any]] = []
    for pair in compared:
        *before, wins, ties, losses, n_a, n_b, statistic, pvalue, adjusted = pair
        numbers = (n_a, n_b) if design.unpaired else (wins, ties, losses, n_a)
        row = [*before, *numbers, statistic, pvalue, adjusted, "*" if is_significant(adjusted, alpha) else ""]
        if bounds:
            low, high, decided = next(bounded[pair.measure])
            row += [float(low), float(high), "yes" if decided else "no"]
        rows.append([*row, *constants])
    notes = [f"* p_adjusted at most {alpha:g}; {design.described_for(n_pairs)}"]
    if design.correction == "tukey":
        notes.append(f"p: {replace(design, correction='none').described}, not corrected")
    is_one_tailed = design.alternative != "two-sided"
    if is_one_tailed or design.confidence != Design.confidence:
        contradiction = ", which may contain 0 although p is significant" if is_one_tailed else ""
        notes.append(f"low, high: the two-sided {100 * design.confidence:.10g}% t interval{contradiction}")
    for measure, ends in bounds.items():
        n_decided = f"{int(is_decided(*ends).sum())} of {counted(n_pairs, 'pair')} by {measure}"
        notes.append(f"decided, whatever the unjudged documents are: {n_decided}")
    return Listing(fields, rows, n_left=3, notes=notes)


def difference_signs(
    table: ScoreTable,
    facts: Coverage,
    baseline: int,
    design: Design,
    alpha: float,
    residuals: tuple[InputOptions, ScoreTable] | None,
) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Return the signs after means, by system and measure, for differences from the baseline, and their notes."""
    name, is_marked = table.systems[baseline], facts.ranked | design.unpaired
    if not is_marked[baseline]:
        return {}, [f"no daggers: the baseline {name} is not ranked"]
    # A correction for the number of pairs counts those with runs that are not marked as well.
    tested = np.flatnonzero(is_marked | (design.correction not in ("none", "tukey")))
    has = ~np.isnan(facts.comparable(table.values)).all(axis=1)[tested]
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
    at = int(np.flatnonzero(tested == baseline)[0])
    compared = compare_with_warnings(shown, at, design, alpha)
    signs = {(row.a, row.measure): DAGGER for row in compared if is_significant(row.adjusted_pvalue, alpha)}
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
    if residuals is not None:
        inputs, evaluated = residuals
        first, second = (tested[side] for side in pairs(len(tested), at))
        # A run misses a topic by all measures or by none.
        for measure, ends in bounds_of_pairs(inputs, evaluated.select(topics=common), first, second).items():
            for i in first[~is_decided(*ends)]:
                key = table.systems[i], measure
                signs[key] = signs.get(key, "") + DOUBLE_DAGGER
        notes.append(f"{DOUBLE_DAGGER}: the documents that are not judged or not retrieved may decide the sign")
    marked = {*compress(table.systems, is_marked)}
    return {key: sign for key, sign in signs.items() if key[0] in marked}, notes


def system_listing(
    table: ScoreTable,
    columns: Sequence[Column],
    facts: Coverage,
    signs: Mapping[tuple[str, str], str],
    notes: list[str],
    n_judged: int,
    unmarked: str,
    output_format: str,
) -> Listing:
    """Return a row per system, with its means, the best marked, and the differences from the baseline marked."""
    scores, ranked = facts.comparable(table.values), facts.ranked
    counts = (~np.isnan(scores)).sum(axis=1)
    if counts.max() < n_judged and not facts.is_reduced:
        notes.append(f"means over {topics_told(counts.ravel().tolist(), n_judged)}")
    notes += _coverage_notes(facts, output_format)
    n_topics = topic_counts(counts.tolist())
    if n_topics is not None:
        notes.append("n: number of topics of the means in a row; two numbers: the fewest and the most")
    if unmarked and any(column.is_standardized for column in columns):
        notes.append(f"no run is bold by standardized scores, because {unmarked}")
    means = rounded(arithmetic_mean(scores, axis=1), decimals(scores, axis=(0, 1)))
    # The runs that are not ranked are below the others.
    order = np.argsort(~ranked, kind="stable").tolist()
    row_of = {table.systems[i]: row for row, i in enumerate(order)}
    column_of = {measure: k for k, measure in enumerate(table.measures, 1)}
    best: set[tuple[int, int]] = set()
    for k, column in enumerate(columns):
        rivals = means[ranked & ~np.isnan(means[:, k]), k]
        # If all means are 0, none is the best.
        if column.can_be_best and len(rivals) > 1 and rivals.any() and not (unmarked and column.is_standardized):
            largest, higher = float(np.nanmax(np.abs(scores[:, :, k]))), is_better_higher(column.measure)
            leaders = best_means(means[:, k].tolist(), ranked.tolist(), largest, better_higher=higher)
            best |= {(row_of[table.systems[i]], k + 1) for i in leaders}
    rows: list[list[Cell]] = [[table.systems[i], *means[i].tolist(), *(n_topics or [])[i : i + 1]] for i in order]
    return Listing(
        [Field(name) for name in ("", *table.measures, *(["n"] if n_topics else []))],
        rows,
        best=frozenset(best),
        signs={(row_of[system], column_of[measure]): text for (system, measure), text in signs.items()},
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


@stdeval_command("compare", "-f table -m map --correction holm qrels.gz references/ref0*.run.gz")
@options.input_options
@options.standardization_options()
@options.baseline_option
@options.test_option
@options.unpaired_option
@options.welch_option
@option(
    "--alternative",
    "greater: the first run of the pair is better. The interval stays two-sided.",
    Choice(["two-sided", "greater", "less"]),
    default="two-sided",
)
@option(
    "--correction",
    "Adjust p for the number of pairs of each measure; tukey: the randomised Tukey HSD.",
    Choice(["none", "bonferroni", "holm", "bh", "tukey"]),
    default="none",
)
@option(
    "--residuals",
    "Also print the bounds of the difference by RBP, whatever the unjudged documents are, and whether its sign is "
    "decided.",
)
@options.interval_option(0.95, "Confidence of the two-sided t interval of the difference.")
@options.randomness_options
@options.alpha_option
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
    design, shown = Design(**of_design), options.default_schemes(schemes, standardization)
    is_raw = set(shown) == {"raw"} and standardization.digits is None and not standardization.factor_files
    other = design.unpaired or inputs.best or inputs.score_files or inputs.judged_only or not is_raw
    if residuals and other:
        without = "--scores, --best, -J, --unpaired, --scheme, -F and --round"
        raise click.UsageError(
            f"--residuals needs raw scores and the documents of runs, expected none of {without}"
        )
    # A file of factors belongs to one collection.
    inputs = inputs._replace(collections=design.unpaired and not standardization.factor_files)
    factors = factors_of(standardization)
    asked = inputs_with_residuals(inputs) if residuals else inputs
    evaluated = as_typed(raw_scores(asked, standardization, factors, compares=True), asked, to.format)
    raw = evaluated.select(measures=[each.name for each in resolve(inputs.measures)]) if residuals else evaluated
    columns, table = side_by_side(tables_after_warning(scores_by_scheme(raw, shown, standardization, factors)))
    at = None if baseline is None else system_index(inputs, baseline, table.systems)
    if len(table.systems) < 2:
        raise InputError(f"one run, '{table.systems[0]}', expected at least two to compare")
    signature = ""
    if is_signed(to, signed):
        signature = standardized_signature(inputs, raw, shown, standardization, factors)
    if to.format in MARKED:
        facts = coverage(table.values, unpaired=design.unpaired)
        # If no run is ranked, a note in the table says why.
        if facts.ranked.any():
            warn_of_set_aside(facts, table.systems)
        with_documents = (inputs, evaluated) if residuals else None
        signs, notes = ({}, []) if at is None else difference_signs(table, facts, at, design, alpha, with_documents)
        n_judged, unmarked = number_of_topics(inputs, raw), options.why_no_best_run(standardization.leave_out, raw)
        listing = system_listing(table, columns, facts, signs, notes, n_judged, unmarked, to.format)
    else:
        first, second = pairs(len(table.systems), at)
        bounds = bounds_of_pairs(inputs, evaluated, first, second) if residuals else {}
        compared = compare_with_warnings(table, at, design, alpha)
        listing = pair_listing(compared, len(first), design, alpha, bounds)
        listing = listing if to.format == "table" else listing._replace(notes=[])
    to.write(listing._replace(signature=signature))
