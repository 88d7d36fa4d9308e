"""`stdeval compare`: pairs of systems, how much they differ, and whether significantly."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from stdeval import noise, notices
from stdeval.cli import options, output, scoring, standardizing
from stdeval.cli.declarations import Choice, stdeval_command
from stdeval.cli.options import option
from stdeval.cli.output import OutputOptions, format_options, is_signed, signature_option
from stdeval.errors import InputError, counted, listed, warn
from stdeval.files import display_name, is_rereadable
from stdeval.formats import MARKED, listing, trec_eval_text
from stdeval.measures import names as measure_names
from stdeval.measures import pooling
from stdeval.stats import aggregates, pairwise, ranking

if TYPE_CHECKING:
    from stdeval.formats.listing import Cell
    from stdeval.stats.pairwise import ComparedPair, Design
    from stdeval.table import Bools, Floats, Ints, ScoreTable

    # by measure, the least and the greatest mean difference of each pair, shape (n_pairs,)
    Bounds = dict[str, tuple[Floats, Floats]]
    # returns the bounds on some topics of the pairs of first and second runs
    BoundsOf = Callable[[Sequence[str], Ints, Ints], Bounds]

ALTERNATIVES = Choice(["two-sided", "greater", "less"])


def with_residuals(inputs: options.InputOptions) -> options.InputOptions:
    """Return the inputs of runs that can be read twice, evaluated also by the residuals of measures, all RBP."""
    measures = measure_names.resolve(inputs.measures)
    if not measures or any(measure.family.name != "rbp" for measure in measures):
        expected = "expected -m 'RBP(p=0.95)' or another p, and no other measure"
        raise InputError(f"--residuals needs rank-biased precision; {expected}")
    unreadable = [path for path in inputs.files[1:] if not is_rereadable(path)]
    if unreadable:
        raise InputError("--residuals reads runs twice, expected a file", display_name(unreadable[0]))
    return inputs._replace(measures=(*inputs.measures, *map(pooling.residual_measure, measures)))


def bounds_of_pairs(
    inputs: options.InputOptions, evaluated: ScoreTable, topics: Sequence[str], first: Ints, second: Ints
) -> Bounds:
    """Read the unjudged documents, and return the bounds of the differences of pairs of runs."""
    measures, judged = measure_names.resolve(inputs.measures), scoring.judgments(inputs)
    table = evaluated.select(topics=topics)
    qrels = {topic: judged[topic] for topic in topics}
    depth = min(max(map(pooling.needed_depth, measures)), inputs.evaluation.depth or sys.maxsize)
    unjudged = pooling.UnjudgedDocuments(qrels)
    how = {"precision": inputs.evaluation.precision, "left_out": inputs.evaluation.exclusion}
    for run, _ in scoring.read_first_documents(inputs.files[1:], qrels, inputs.jobs, depth=depth, **how):
        unjudged.add(run.documents)
    bounds = {}
    for measure in measures:
        scores = table.measure(measure.name)
        # the weight of the ranks beyond the cutoff, which residuals include and the measure ignores
        beyond = (measure.persistence or 0.0) ** measure.cutoff if measure.cutoff else 0.0
        residuals = table.measure(pooling.residual_measure(measure)) - beyond
        bounds[measure.name] = pooling.residual_bounds(
            scores, residuals, unjudged.shared_weights(measure), first, second
        )
    return bounds


def pair_listing(
    compared: Sequence[ComparedPair], n_pairs: int, design: Design, alpha: float, bounds: Bounds
) -> listing.Listing:
    """Return a row for each measure and pair; the design is in the notes of a table, and in columns elsewhere."""
    counts = ["n_a", "n_b"] if design.unpaired else ["wins", "ties", "losses", "n"]
    fields = [*map(listing.Field, (*pairwise.ComparedPair._fields[:9], *counts, "statistic"))]
    fields += [listing.Field(name, ".3g", alpha=alpha) for name in ("p", "p_adjusted")]
    fields += map(listing.Field, ("significant", *(["residual_low", "residual_high", "decided"] if bounds else [])))
    drawn: list[Cell] = [design.n_resamples, design.seed] if design.draws else ["", ""]
    names = ("test", "alternative", "correction", "alpha", "resamples", "seed")
    fields += [listing.Field(name, "g", in_table=False) for name in names]
    bounded = {measure: zip(*ends, pooling.is_decided(*ends), strict=True) for measure, ends in bounds.items()}
    rows: list[list[Any]] = []
    for pair in compared:
        *before, wins, ties, losses, n_a, n_b, statistic, pvalue, adjusted = pair
        numbers = (n_a, n_b) if design.unpaired else (wins, ties, losses, n_a)
        row = [*before, *numbers, statistic, pvalue, adjusted, "*" if noise.is_significant(adjusted, alpha) else ""]
        if bounds:
            low, high, decided = next(bounded[pair.measure])
            row += [float(low), float(high), "yes" if decided else "no"]
        rows.append([*row, design.name, design.alternative, design.correction, alpha, *drawn])
    notes = [f"* p_adjusted at most {alpha:g}; {design.described_for(n_pairs)}"]
    if design.is_joint:
        notes.append(f"p: {replace(design, correction='none').described}, not corrected")
    contradiction = "" if design.alternative == "two-sided" else ", which may contain 0 although p is significant"
    if contradiction or design.confidence != pairwise.Design.confidence:
        notes.append(f"low, high: the two-sided {100 * design.confidence:.10g}% t interval{contradiction}")
    for measure, ends in bounds.items():
        n_decided = f"{int(pooling.is_decided(*ends).sum())} of {counted(n_pairs, 'pair')} by {measure}"
        notes.append(f"decided, whatever the unjudged documents are: {n_decided}")
    return listing.Listing(fields, rows, n_left=3, notes=notes)


def difference_signs(
    table: ScoreTable, ranked: Bools, baseline: int, design: Design, alpha: float, bounds_of: BoundsOf | None
) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Return the signs after means, by system and measure, for differences from the baseline, and their notes."""
    name, is_marked = table.systems[baseline], ranked | design.unpaired
    if not is_marked[baseline]:
        return {}, [f"no daggers: the baseline {name} is not ranked"]
    # A correction for the number of pairs counts those with runs that are not marked as well.
    tested = np.flatnonzero(is_marked | (design.correction != "none" and not design.is_joint))
    has = ~np.isnan(table.values)
    scored = has[tested].any(axis=1)
    is_tested = scored[tested == baseline][0] & (scored.sum(axis=0) > 1)
    measures, others = (list(compress(table.measures, kept)) for kept in (is_tested, ~is_tested))
    untested = [f"no dagger by {listed(others)}: {name} or all others have no scores"] if others else []
    if not measures:
        return {}, untested
    # The topics that all ranked systems have by some measure.
    common = list(compress(table.topics, has[ranked].any(axis=(0, 2))))
    topics, systems = common if ranked[tested].all() else table.topics, [table.systems[i] for i in tested]
    at = systems.index(name)
    compared, smallest = pairwise.compared_pairs(table.select(systems, topics, measures), at, design)
    warn(notices.unreachable(smallest, alpha, draws=design.draws))
    differing = [row for row in compared if noise.is_significant(row.adjusted_pvalue, alpha)]
    signs = {(row.a, row.measure): listing.DAGGER for row in differing}
    differs = {"two-sided": "differs from", "greater": "is better than", "less": "is worse than"}
    described = design.described_for(len(table.systems) - 1)
    notes = [f"{listing.DAGGER}: {differs[design.alternative]} {name}, p at most {alpha:g}; {described}", *untested]
    elsewhere = ["", ""]
    if not design.is_joint:
        elsewhere = [f" (-f table compares them with {name})", " (-f table: on those that both runs have)"]
    if not is_marked.all():
        notes.append(f"incomplete runs have no dagger{elsewhere[0]}")
    if len(common) < len(table.topics) and not design.unpaired:
        notes.append(f"tests are on the topics that all ranked runs have{elsewhere[1]}")
    if bounds_of is not None:
        first, second = (tested[side] for side in pairwise.pairs(len(tested), at))
        # A run misses a topic by all measures or by none.
        for measure, ends in bounds_of(common, first, second).items():
            for i in first[~pooling.is_decided(*ends)]:
                key = table.systems[i], measure
                signs[key] = signs.get(key, "") + listing.DOUBLE_DAGGER
        why = "the documents that are not judged or not retrieved may decide the sign"
        notes.append(f"{listing.DOUBLE_DAGGER}: {why}")
    marked = {*compress(table.systems, is_marked)}
    return {key: sign for key, sign in signs.items() if key[0] in marked}, notes


def system_listing(
    table: ScoreTable,
    columns: Sequence[trec_eval_text.Column],
    ranked: Bools,
    is_reduced: bool,
    signs: dict[tuple[str, str], str],
    notes: list[str],
    n_judged: int,
    unmarked: str,
    output_format: str,
) -> listing.Listing:
    """Return a row per system, with its means, the best marked, and the differences from the baseline marked.

    The ranked systems have scores for common topics only; the table is reduced if they have others, too.
    """
    scores, counts = table.values, (~np.isnan(table.values)).sum(axis=1)
    if counts.max() < n_judged and not is_reduced:
        notes.append(f"means over {listing.topic_numbers(counts.ravel().tolist(), n_judged)}")
    n_aside = int((~ranked).sum())
    if not ranked.any():
        notes.append("the runs have different topics: no run is bold")
    elif is_reduced:
        runs, n_common = "complete runs" if n_aside else "runs", counts[ranked]
        notes.append(f"means over the {counted(n_common[n_common > 0].min(), 'topic')} that all {runs} have")
    if n_aside and ranked.any():
        last, what = "the last row", "an incomplete run"
        if n_aside > 1:
            last, what = f"the last {n_aside} rows", "incomplete runs"
        # A table of Markdown has one rule only.
        where = "below the second line" if output_format == "latex" else last
        notes.append(f"{where}: {what}, without a topic that most runs have; never bold")
    n_topics = listing.topic_counts(counts.tolist())
    if n_topics is not None:
        notes.append("n: number of topics of the means in a row; two numbers: the fewest and the most")
    if unmarked and any(column.is_standardized for column in columns):
        notes.append(f"no run is bold by standardized scores, because {unmarked}")
    means = noise.rounded(aggregates.arithmetic_mean(scores, axis=1), noise.decimals(scores, axis=(0, 1)))
    # The runs that are not ranked are below the others.
    order = np.argsort(~ranked, kind="stable").tolist()
    row_of = {table.systems[i]: row for row, i in enumerate(order)}
    column_of = {measure: k for k, measure in enumerate(table.measures, 1)}
    best: set[tuple[int, int]] = set()
    for k, column in enumerate(columns):
        rivals = means[ranked & ~np.isnan(means[:, k]), k]
        # If all means are 0, none is the best.
        if column.can_be_best and len(rivals) > 1 and rivals.any() and not (unmarked and column.is_standardized):
            largest = float(np.nanmax(np.abs(scores[:, :, k])))
            higher = measure_names.is_better_higher(column.measure)
            leaders = ranking.best_means(means[:, k].tolist(), ranked.tolist(), largest, better_higher=higher)
            best |= {(row_of[table.systems[i]], k + 1) for i in leaders}
    rows: list[list[Cell]] = [[table.systems[i], *means[i].tolist(), *(n_topics or [])[i : i + 1]] for i in order]
    return listing.Listing(
        [listing.Field(name) for name in ("", *table.measures, *(["n"] if n_topics else []))],
        rows,
        best=frozenset(best),
        signs={(row_of[system], column_of[measure]): text for (system, measure), text in signs.items()},
        n_below=n_aside,
        notes=notes,
    )


@stdeval_command("compare", "-f table -m map qrels.gz references/ref0*.run.gz")
@options.input_options
@options.standardization_options()
@options.baseline_option
@options.test_option
@options.unpaired_option
@options.welch_option
@option("--alternative", "greater: the first run is better.", ALTERNATIVES, default="two-sided")
@options.correction_option
@option("--residuals", "Bound the difference by RBP, whatever the unjudged documents are: is its sign decided?")
@options.interval_option("Confidence of the two-sided t interval of the difference.", default=0.95)
@options.randomness_options
@options.alpha_option
@signature_option
@format_options("a line per measure and pair, tabs between")
def command(
    inputs: options.InputOptions,
    standardization: options.StandardizationOptions,
    schemes: tuple[str, ...],
    baseline: str | None,
    residuals: bool,
    alpha: float,
    signed: bool,
    to: OutputOptions,
    **of_design: Any,
) -> None:
    """Compare every pair of runs, or all runs with a baseline."""
    design, shown = pairwise.Design(**of_design), standardizing.default_schemes(schemes, standardization)
    is_raw = set(shown) == {"raw"} and standardization.digits is None and not standardization.factor_files
    other = design.unpaired or inputs.best or inputs.score_files or inputs.evaluation.judged_only or not is_raw
    if residuals and other:
        without = "expected none of --scores, --best, -J, --unpaired, --scheme, -F and --round"
        raise click.UsageError(f"--residuals needs raw scores and the documents of runs, {without}")
    # A file of factors belongs to one collection.
    inputs = inputs._replace(collections=design.unpaired and not standardization.factor_files)
    factors = standardizing.factors_of(standardization)
    asked = with_residuals(inputs) if residuals else inputs
    read = standardizing.raw_scores(asked, standardization, factors, compares=True)
    raw = evaluated = scoring.as_typed(read, asked, to.format)
    bounds_of = None
    if residuals:
        raw = evaluated.select(measures=[each.name for each in measure_names.resolve(inputs.measures)])
        bounds_of = partial(bounds_of_pairs, inputs, evaluated)
    by_scheme = standardizing.shown_scores(raw, shown, standardization, factors)
    columns, table = standardizing.side_by_side(by_scheme)
    at = None if baseline is None else scoring.system_index(inputs, baseline, table.systems)
    if len(table.systems) < 2:
        raise InputError(f"one run, '{table.systems[0]}', expected at least two to compare")
    has = ~np.isnan(table.values)
    design = design.resolved(has, with_baseline=at is not None)
    treated = "not ranked" if to.format in MARKED else "no p_adjusted" if design.is_joint else ""
    ranked, common = scoring.compared_runs(has, table.systems, treated, paired=not design.unpaired)
    if to.format in MARKED:
        alike = replace(table, values=ranking.on_common_topics(table.values, ranked, common))
        is_reduced = bool((has[ranked] & ~common).any())
        signs, notes = ({}, []) if at is None else difference_signs(alike, ranked, at, design, alpha, bounds_of)
        n_judged = scoring.number_of_topics(inputs, raw)
        unmarked = output.why_no_best_run(standardization.leave_out, raw)
        printed = system_listing(alike, columns, ranked, is_reduced, signs, notes, n_judged, unmarked, to.format)
    else:
        first, second = pairwise.pairs(len(table.systems), at)
        are_alike = design.is_joint and ranked.all()
        topics = list(compress(table.topics, common.any(axis=1))) if are_alike else table.topics
        bounds = {} if bounds_of is None else bounds_of(topics, first, second)
        compared, smallest = pairwise.compared_pairs(table, at, design)
        warn(notices.unreachable(smallest, alpha, draws=design.draws))
        printed = pair_listing(compared, len(first), design, alpha, bounds)
        printed = printed if to.format == "table" else printed._replace(notes=[])
    signature = ""
    if is_signed(to, signed):
        signature = standardizing.standardized_signature(inputs, raw, shown, standardization, factors)
    to.write(printed._replace(signature=signature))
