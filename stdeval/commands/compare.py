"""`stdeval compare`: pairs of systems, how much they differ, and whether significantly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import click
import numpy as np

from stdeval.analysis.comparisons import compared_pairs
from stdeval.commands.factor_files import factors_of, raw_scores
from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.inputs import as_typed
from stdeval.commands.messages import warn, warn_of_unknown_direction
from stdeval.commands.options import (
    DRAWING,
    OutputOptions,
    alpha_option,
    baseline_option,
    format_options,
    interval_option,
    randomness_options,
    refuse_without_effect,
    test_option,
    unpaired_option,
    welch_option,
)
from stdeval.commands.parameter_types import Choice
from stdeval.commands.residuals import Bounds, bounds_of_pairs, inputs_with_residuals, without_residuals
from stdeval.commands.schemes import scores_by_scheme, side_by_side, tables_after_warning
from stdeval.commands.selection import system_index
from stdeval.commands.set_aside import common_topics_told, warn_of_set_aside
from stdeval.commands.signatures import is_signed, signature_option, standardized_signature
from stdeval.commands.significance import warn_of_unreachable, warn_of_untested
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    default_schemes,
    refuse_unused_parameters,
    standardization_options,
)
from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.formats.blocks import Column
from stdeval.formats.listing import DAGGER, DOUBLE_DAGGER, Cell, Field, Listing, topic_counts, topics_told
from stdeval.formats.writers import MARKED
from stdeval.measures.names import is_better_higher
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.coverage import Coverage, coverage, coverage_of_unpaired, takes_part
from stdeval.stats.noise import decimals, is_significant, rounded
from stdeval.stats.paired_tests import Alternative
from stdeval.stats.pairwise import Design, compare_measures
from stdeval.stats.residuals import is_decided
from stdeval.stats.significance import Comparison, pairs
from stdeval.table import Bools, Floats, Ints, ScoreTable

Compared = dict[str, tuple[Comparison, Floats]]
"""By measure, the comparisons of the pairs, and their adjusted p-values."""

Signs = dict[tuple[int, int], str]
"""The signs after a mean, by the indices of its system and measure."""


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
    help="greater: the first run of the pair is better.",
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
@interval_option(0.95, "Confidence of the t interval of the difference.")
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
    _refuse_options_without_effect(shown, design, to.format, baseline)
    if residuals and inputs.best is not None:
        raise click.UsageError("expected --residuals or --best, not both")
    inputs = inputs._replace(collections=unpaired)
    asked = inputs_with_residuals(inputs, standardization, shown) if residuals else inputs
    factors = factors_of(standardization)
    evaluated = as_typed(raw_scores(asked, standardization, factors), asked, to.format)
    raw = without_residuals(evaluated, inputs) if residuals else evaluated
    columns, table = side_by_side(tables_after_warning(scores_by_scheme(raw, shown, standardization, factors)))
    at = None if baseline is None else system_index(inputs, baseline, table.systems)
    if len(table.systems) < 2:
        raise InputError(f"one run, '{table.systems[0]}', expected at least two to compare")
    warn_of_unknown_direction(column.measure for column in columns)
    wanted = is_signed(to, signed)
    signature = standardized_signature(inputs, raw, shown, standardization, factors) if wanted else None
    line = "" if signature is None else str(signature)
    if to.format in MARKED:
        facts = coverage_of_unpaired(table.values) if design.unpaired else coverage(table.values)
        warn_of_set_aside(facts, table.systems)
        signs, notes = _signs(inputs, table, facts, at, design, alpha, evaluated if residuals else None)
        notes += _notes_about_topics(table, facts, 0 if signature is None else signature.n_topics)
        systems = _system_listing(table, columns, facts, signs, notes, to.format)
        to.write(systems._replace(signature=line))
        return
    first, second = pairs(len(table.systems), at)
    compared = _compared(table, first, second, design, alpha)
    bounds = bounds_of_pairs(inputs, evaluated, first, second) if residuals else {}
    names = [(table.systems[i], table.systems[j]) for i, j in zip(first, second, strict=True)]
    rows = list(pair_rows(compared, names, design, alpha, bounds))
    notes = [f"* p_adjusted at most {alpha:g}; {design.described}", *_notes_about_bounds(bounds)]
    listing = Listing(pair_fields(design, residuals, alpha), rows, n_left=3, signature=line)
    to.write(listing._replace(notes=notes) if to.format == "table" else listing)


def _refuse_options_without_effect(
    schemes: Sequence[str], design: Design, output_format: str, baseline: str | None
) -> None:
    refuse_unused_parameters(schemes)
    if design.unpaired:
        refuse_without_effect(["residuals"], "paired topics (not --unpaired)")
    if not design.draws:
        refuse_without_effect(DRAWING, "--test permutation or bootstrap, or --correction tukey")
    if output_format in MARKED:
        others = "-f text, table, csv or jsonl"
        refuse_without_effect(["confidence"], others)
        if baseline is None:
            tests = ("residuals", "test", "unpaired", "welch", "alternative", "correction", "alpha")
            refuse_without_effect([*tests, *DRAWING], f"--baseline ({output_format} marks the differences from it)")
        elif design.correction == "tukey":
            refuse_without_effect(["test"], f"{others} (the daggers of {output_format} are those of tukey)")


def _compared(table: ScoreTable, first: Ints, second: Ints, design: Design, alpha: float) -> Compared:
    """Compare pairs, with warnings of those that are compared on fewer topics, or on too few."""
    _warn_of_missing(table, first, second, design)
    compared = compare_measures(table, first, second, design)
    warn_of_untested(np.isnan(np.concatenate([comparison.pvalue for comparison, _ in compared.values()])))
    warn_of_unreachable(compared.values(), design, alpha)
    return compared


def _warn_of_missing(table: ScoreTable, first: Ints, second: Ints, design: Design) -> None:
    """Warn of pairs that are not compared on all topics."""
    present = ~np.isnan(table.values)
    if design.unpaired or present.all():
        return
    # Measures of different collections have topics of their own.
    n_topics = present.any(axis=0).sum(axis=0)
    common = np.array([(present[first, :, k] & present[second, :, k]).sum(axis=1) for k in range(len(n_topics))])
    # Pairs with a run that has no score by a measure are not compared by it; another warning tells of such runs.
    scored = takes_part(table.values).T
    is_partial = (common < n_topics[:, np.newaxis]) & scored[:, first] & scored[:, second]
    if not is_partial.any():
        return
    shares = np.where(is_partial, common / np.maximum(n_topics, 1)[:, np.newaxis], np.inf)
    k, fewest = np.unravel_index(np.argmin(shares), shares.shape)
    pair = f"'{table.systems[first[fewest]][:60]}' and '{table.systems[second[fewest]][:60]}'"
    warn(
        f"{int(is_partial.any(axis=0).sum())} of {len(first)} pairs are compared on their common topics only "
        f"(fewest: {pair} {common[k, fewest]} of {n_topics[k]})"
    )
    if design.correction == "tukey":
        facts = coverage(table.values)
        aside = int((~facts.ranked).sum())
        without = f"; {aside} incomplete run{'s have' if aside > 1 else ' has'} no p_adjusted" if aside else ""
        whose = "all complete runs" if aside else "all runs"
        used = facts.common.sum(axis=0)
        if aside or (used < n_topics).any():
            least = int(np.argmin(used / np.maximum(n_topics, 1)))
            warn(f"tukey uses the topics that {whose} have: {used[least]} of {n_topics[least]}{without}")


def pair_fields(design: Design, residuals: bool = False, alpha: float = 0.05) -> list[Field]:
    """Return the columns of the listing; those of the design are left out of a table."""
    numbers = ["mean_a", "mean_b", "difference", "low", "high", "effect_size"]
    counts = ["n_a", "n_b"] if design.unpaired else ["wins", "ties", "losses", "n"]
    pvalues = [Field(name, ".3g", alpha=alpha) for name in ("p", "p_adjusted")]
    tests = [Field("statistic"), *pvalues, Field("significant")]
    bounds = [Field("residual_low"), Field("residual_high"), Field("decided")] if residuals else []
    constants = ("test", "alternative", "correction", "alpha", "resamples", "seed")
    return [
        *(Field(name) for name in ("measure", "a", "b", *numbers, *counts)),
        *(*tests, *bounds),
        *(Field(name, "g", in_table=False) for name in constants),
    ]


def pair_rows(
    compared: Compared, names: Sequence[tuple[str, str]], design: Design, alpha: float, bounds: Bounds | None = None
) -> Iterator[list[Cell]]:
    """Yield a row for each measure and pair, with the cells of `pair_fields`."""
    drawn: list[Cell] = [design.n_resamples, design.seed] if design.draws else ["", ""]
    constants = [design.name, design.alternative, design.correction, alpha, *drawn]
    bounded = {measure: iter(_bound_cells(*ends)) for measure, ends in (bounds or {}).items()}
    for pair in compared_pairs(compared, names):
        counts = (
            (pair.n_a, pair.n_b)
            if design.unpaired
            else (pair.wins or 0, pair.ties or 0, pair.losses or 0, pair.n_a)
        )
        numbers = (pair.mean_a, pair.mean_b, pair.difference, pair.low, pair.high, pair.effect_size)
        tested = (pair.statistic, pair.pvalue, pair.adjusted_pvalue)
        significant = "*" if is_significant(pair.adjusted_pvalue, alpha) else ""
        residuals = next(bounded[pair.measure]) if bounds else []
        yield [pair.measure, pair.a, pair.b, *numbers, *counts, *tested, significant, *residuals, *constants]


def _bound_cells(low: Floats, high: Floats) -> list[list[Cell]]:
    """Return the cells of the bounds of each pair."""
    decided = ["yes" if sure else "no" for sure in is_decided(low, high)]
    return [list(cells) for cells in zip(low.tolist(), high.tolist(), decided, strict=True)]


def _notes_about_bounds(bounds: Bounds) -> list[str]:
    """Return a line for each measure that says how many differences keep their signs."""
    return [
        f"decided, whatever the unjudged documents are: {int(is_decided(*ends).sum())} of {len(ends[0])} pairs "
        f"by {measure}"
        for measure, ends in bounds.items()
    ]


def _system_listing(
    table: ScoreTable,
    columns: Sequence[Column],
    facts: Coverage,
    signs: Signs,
    notes: Sequence[str],
    output_format: str,
) -> Listing:
    """Return a row per system, with its means, the best marked, and the differences from the baseline marked."""
    scores, ranked = facts.comparable(table.values), facts.ranked
    notes = [*notes, *_coverage_notes(facts, output_format)]
    n_topics = topic_counts((~np.isnan(scores)).sum(axis=1).tolist())
    if n_topics is not None:
        notes.append("n: number of topics of the means in a row; two numbers: the fewest and the most")
    means = rounded(arithmetic_mean(scores, axis=1), decimals(scores, axis=(0, 1)))
    # The runs that are not ranked are below the others.
    order = [*np.flatnonzero(ranked).tolist(), *np.flatnonzero(~ranked).tolist()]
    rows = [[table.systems[i], *means[i].tolist(), *(n_topics or [])[i : i + 1]] for i in order]
    at = {i: row for row, i in enumerate(order)}
    best = _best(means, ranked, [is_better_higher(column.measure) for column in columns])
    return Listing(
        [Field(name) for name in ("", *table.measures, *(["n"] if n_topics else []))],
        rows,
        best=frozenset((at[i], k + 1) for i, k in best),
        signs={(at[i], k + 1): text for (i, k), text in signs.items()},
        n_below=int((~ranked).sum()),
        notes=notes,
    )


def _best(means: Floats, ranked: Bools, better_higher: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the row and column of the best of several means, which are rounded, so that noise makes no winner."""
    higher = np.where(better_higher, means, -means)
    rivals = np.where(ranked[:, np.newaxis], higher, np.nan)
    is_best = rivals == np.fmax.reduce(rivals, axis=0)
    places = np.argwhere(is_best & ((~np.isnan(rivals)).sum(axis=0) > 1))
    return [(int(i), int(k)) for i, k in places]


def _signs(
    inputs: InputOptions,
    table: ScoreTable,
    facts: Coverage,
    baseline: int | None,
    design: Design,
    alpha: float,
    evaluated: ScoreTable | None,
) -> tuple[Signs, list[str]]:
    """Return the signs of each system and measure, and the notes that explain them.

    Systems are compared on the topics of the means that the table shows. Systems that are not ranked count for the
    correction, but in paired tests they are not marked: their means are over other topics. `evaluated` has the
    scores with residuals, to bound the differences, or is None.
    """
    if baseline is None:
        return {}, []
    name = table.systems[baseline]
    is_marked = facts.ranked | design.unpaired
    if not is_marked[baseline]:
        told = f"no daggers: the baseline {name} is not ranked"
        warn(f"{told}, so no difference from it is marked")
        return {}, [told]
    tested = np.flatnonzero(is_marked | (design.correction not in ("none", "tukey")))
    at = int(np.flatnonzero(tested == baseline)[0])
    first, second = pairs(len(tested), at)
    shown = _only(table, facts, tested)
    places, untested = _tested_measures(shown, at)
    if not places:
        return {}, untested
    compared = _compared(shown.select(measures=[table.measures[k] for k in places]), first, second, design, alpha)
    marked = {DAGGER: np.stack([is_significant(adjusted, alpha) for _, adjusted in compared.values()], axis=1)}
    notes = [f"{DAGGER}: differs from {name}, p at most {alpha:g}; {design.described}", *untested]
    if not is_marked.all():
        notes.append(f"incomplete runs have no dagger (-f table compares them with {name})")
    if not facts.common.any(axis=1).all() and not design.unpaired:
        notes.append("tests are on the topics that all ranked runs have (-f table: on those that both runs have)")
    if evaluated is not None:
        # A run misses a topic by all measures or by none.
        common = evaluated.select(topics=_common_topics(table, facts))
        bounds = bounds_of_pairs(inputs, common, tested[first], tested[second])
        marked[DOUBLE_DAGGER] = np.stack([~is_decided(*ends) for ends in bounds.values()], axis=1)
        notes.append(f"{DOUBLE_DAGGER}: the documents that are not judged or not retrieved may decide the sign")
    signs: Signs = {}
    for sign, where in marked.items():
        for i, k in np.argwhere(where).tolist():
            place = int(tested[first[i]]), places[k]
            if is_marked[place[0]]:
                signs[place] = signs.get(place, "") + sign
    return signs, notes


def _tested_measures(table: ScoreTable, baseline: int) -> tuple[list[int], list[str]]:
    """Return the indices of the measures by which the baseline and another system have scores.

    Notes about the other measures follow.
    """
    has = takes_part(table.values)
    is_tested = has[baseline] & (has.sum(axis=0) > 1)
    others = [table.measures[k] for k in np.flatnonzero(~is_tested)]
    told = f"no dagger by {listed(others)}: {table.systems[baseline]} or all others have no scores"
    return [int(k) for k in np.flatnonzero(is_tested)], [told] if others else []


def _only(table: ScoreTable, facts: Coverage, systems: Ints) -> ScoreTable:
    """Return the scores of some systems; those that their means leave out are missing."""
    shown = replace(table, values=facts.comparable(table.values))
    topics = _common_topics(table, facts) if facts.ranked[systems].all() else table.topics
    return shown.select(systems=[table.systems[i] for i in systems], topics=topics)


def _common_topics(table: ScoreTable, facts: Coverage) -> list[str]:
    """Return the topics that all ranked systems have, by some measure."""
    return [table.topics[i] for i in np.flatnonzero(facts.common.any(axis=1))]


def _notes_about_topics(table: ScoreTable, facts: Coverage, n_topics: int) -> list[str]:
    """Return a note if no mean is over all judged topics; another one tells of means over common topics."""
    numbers = (~np.isnan(facts.comparable(table.values))).sum(axis=1).ravel().tolist()
    told = topics_told(numbers, n_topics) if max(numbers) < n_topics and not facts.is_reduced else ""
    return [f"means over {told}"] if told else []


def _coverage_notes(facts: Coverage, output_format: str) -> list[str]:
    """Return the notes about runs and topics that are left out."""
    if not facts.ranked.any():
        told = "the runs have different topics" if facts.common.any() else "no topic is common to all runs"
        return [f"{told}: no run is bold"]
    notes = [f"means over the {common_topics_told(facts)}"] if facts.is_reduced else []
    if not facts.ranked.all():
        # A table of Markdown has one rule only.
        n = int((~facts.ranked).sum())
        where = "the last row" if n == 1 else f"the last {n} rows"
        where = "below the second line" if output_format == "latex" else where
        what = "an incomplete run" if n == 1 else "incomplete runs"
        notes.append(f"{where}: {what}, without a topic that most runs have; never bold")
    return notes
