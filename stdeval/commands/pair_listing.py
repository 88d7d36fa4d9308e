"""Compare pairs of systems, with warnings, and list them, one row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stdeval import notices
from stdeval.analysis.comparisons import compared_pairs
from stdeval.commands.residuals import Bounds
from stdeval.commands.set_aside import warn_of_set_aside
from stdeval.display import counted
from stdeval.errors import warn
from stdeval.formats.listing import Cell, Field
from stdeval.noise import is_significant
from stdeval.stats.coverage import coverage
from stdeval.stats.pairwise import Design, compare_measures, smallest_possible
from stdeval.stats.residuals import is_decided
from stdeval.stats.significance import Comparison
from stdeval.table import Floats, Ints, ScoreTable

Compared = dict[str, tuple[Comparison, Floats]]
"""By measure, the comparisons of the pairs, and their adjusted p-values."""


def compare_pairs(table: ScoreTable, first: Ints, second: Ints, design: Design, alpha: float) -> Compared:
    """Compare pairs, and warn if no p can be at most alpha, or if Tukey's test leaves out runs or topics."""
    compared = compare_measures(table, first, second, design)
    if design.correction == "tukey":
        warn_of_set_aside(coverage(table.values), table.systems, "no p_adjusted")
    remedy = "more topics or resamples" if design.draws else "more topics"
    warn(notices.unreachable(smallest_possible(compared, len(table.systems), design), alpha, remedy))
    return compared


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
