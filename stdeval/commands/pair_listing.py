"""Compare pairs of systems, with warnings, and list them, one row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from stdeval.analysis.comparisons import compared_pairs
from stdeval.commands.messages import warn, warn_all
from stdeval.commands.residuals import Bounds
from stdeval.display import counted, shown_name
from stdeval.doubtful_scores.rounded_decisions import about_rounded_differences
from stdeval.doubtful_scores.significance import about_pairs
from stdeval.formats.listing import Cell, Field
from stdeval.noise import is_significant
from stdeval.stats.coverage import coverage, share_only_common, takes_part
from stdeval.stats.pairwise import Design, compare_measures
from stdeval.stats.residuals import is_decided
from stdeval.stats.significance import Comparison
from stdeval.table import Floats, Ints, ScoreTable

Compared = dict[str, tuple[Comparison, Floats]]
"""By measure, the comparisons of the pairs, and their adjusted p-values."""


def compare_pairs(table: ScoreTable, first: Ints, second: Ints, design: Design, alpha: float) -> Compared:
    """Compare pairs, with warnings of those that are compared on fewer topics, or on too few."""
    _warn_of_missing(table, first, second, design)
    compared = compare_measures(table, first, second, design)
    warn_all(about_pairs(compared, design, alpha))
    warn_all(about_rounded_differences(table, (first, second), compared, design, alpha))
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
    pair = f"'{shown_name(table.systems[first[fewest]])}' and '{shown_name(table.systems[second[fewest]])}'"
    n_partial = int(is_partial.any(axis=0).sum())
    are = "is" if n_partial == 1 else "are"
    warn(
        f"{n_partial} of {counted(len(first), 'pair')} {are} compared on their common topics only "
        f"(fewest: {pair} {common[k, fewest]} of {n_topics[k]})"
    )
    if design.correction == "tukey":
        _warn_of_topics_of_tukey(table, first, second, n_topics)


def _warn_of_topics_of_tukey(table: ScoreTable, first: Ints, second: Ints, n_topics: Ints) -> None:
    """Warn of topics, runs and pairs that Tukey's test leaves out; n_topics are the topics by each measure."""
    facts = coverage(table.values)
    used = facts.common.sum(axis=0)
    aside, pairs = int((~facts.ranked).sum()), _n_with_other_topics(table, first, second)
    without = [counted(aside, "incomplete run")] if aside else []
    without += [f"{counted(pairs, 'pair')} with more topics"] if pairs else []
    if without or (used < n_topics).any():
        least = int(np.argmin(used / np.maximum(n_topics, 1)))
        whose = "all complete runs" if aside else "all runs"
        have = "has" if aside + pairs == 1 else "have"
        told = f"; {' and '.join(without)} {have} no p_adjusted" if without else ""
        warn(f"tukey uses the topics that {whose} have: {used[least]} of {n_topics[least]}{told}")


def _n_with_other_topics(table: ScoreTable, first: Ints, second: Ints) -> int:
    """Return the number of pairs of complete runs that by some measure have more topics than Tukey's test."""
    have_others = np.zeros(len(first), dtype=bool)
    for scores in np.moveaxis(table.values, 2, 0):
        ranked = coverage(scores).ranked
        have_others |= (ranked[first] & ranked[second]) & ~share_only_common(scores, ranked)[first, second]
    return int(have_others.sum())


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
