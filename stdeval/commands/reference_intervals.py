"""Intervals of mean standardized scores over references, as `standardize` prints them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdeval.commands.messages import warn, warn_all
from stdeval.commands.standardization_options import StandardizationOptions
from stdeval.commands.summary_options import SummaryOptions
from stdeval.display import counted, shown_name
from stdeval.doubtful_scores.intervals import about_few_resampled, about_resampled_references
from stdeval.errors import InputError
from stdeval.measures.names import standardized_name
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.reference_intervals import ReferenceIntervals, reference_intervals
from stdeval.standardization.schemes import scheme_letter
from stdeval.summary_rows import SUMMARY
from stdeval.table import Floats, ScoreTable


def intervals_over_references(
    table: ScoreTable,
    schemes: Sequence[str],
    standardization: StandardizationOptions,
    factors: Factors | None,
    options: SummaryOptions,
) -> dict[str, Floats] | None:
    """Return the ends of the intervals by topic field, and warn if they cannot be trusted.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    schemes : sequence of str
        As they are typed, ``raw`` among them.
    standardization : StandardizationOptions
    factors : Factors or None
        None for a table that is its own reference.
    options : SummaryOptions

    Returns
    -------
    dict of str to ndarray, shape (n_systems, n_measures x n_schemes), or None
        Measure by measure, as from `stdeval.commands.schemes.side_by_side`; empty for raw scores where only
        references are resampled. None if no such interval is asked for.

    Raises
    ------
    InputError
        If the factors have neither reference scores nor their number.
    """
    if options.confidence is None or options.interval_of == "topics":
        return None
    if standardization.leave_out is not None:
        raise InputError("--leave-out changes the references of each run, expected --ci-of topics")
    used = fit_factors(table) if factors is None else factors
    if used.reference is None:
        _check_moments(used, standardization)
    found = {
        scheme: _of_scheme(table, scheme, standardization, used, options, options.confidence)
        for scheme in dict.fromkeys(schemes)
    }
    if used.reference is not None and {*schemes} != {"raw"}:
        n = len(used.reference.systems)
        warn_all(about_resampled_references(n, options.confidence, options.n_resamples))
    if options.interval_of == "both":
        warn_all(about_few_resampled(table.values, options.confidence, options.n_resamples))
    _warn_of_undefined(table, found, options.n_resamples)
    _warn_of_no_width(list(found.values()))
    field = f"{options.level_named}.of={options.interval_of}.resamples={options.n_resamples}.seed={options.seed}"
    ends = {
        "low": np.stack([each.low for each in found.values()], axis=-1),
        "high": np.stack([each.high for each in found.values()], axis=-1),
    }
    return {f"{SUMMARY}.ci_{end}{field}": x.reshape(len(table.systems), -1) for end, x in ends.items()}


def _check_moments(factors: Factors, standardization: StandardizationOptions) -> None:
    """Refuse factors without numbers of reference runs; warn if there are no reference scores."""
    if (factors.n[~np.isnan(factors.mean)] < 1).any():
        what = "no number of reference runs (n), expected it, or reference scores, for --ci-of references or both"
        raise InputError(what, standardization.factor_files[0])
    warn(
        "the factors have no reference scores: the interval assumes independent topics, and is too narrow if "
        "systems that are good on one topic are good on others ('stdeval factors --empirical' writes the scores)"
    )


def _of_scheme(
    table: ScoreTable,
    scheme: str,
    standardization: StandardizationOptions,
    factors: Factors,
    options: SummaryOptions,
    level: float,
) -> ReferenceIntervals:
    if scheme == "raw" and options.interval_of == "references":
        unknown = np.full((len(table.systems), len(table.measures)), np.nan)
        return ReferenceIntervals(unknown, unknown, np.zeros_like(unknown))
    return reference_intervals(
        table,
        factors,
        scheme,
        topics=options.interval_of == "both",
        level=level,
        n_resamples=options.n_resamples,
        seed=options.seed,
        A=standardization.A,
        B=standardization.B,
        censor=standardization.censor,
    )


def _warn_of_no_width(intervals: Sequence[ReferenceIntervals]) -> None:
    """Warn of means that are the same in all resamples, such as the mean by E of a run above all references."""
    n_equal = sum(int((each.low == each.high).sum()) for each in intervals)
    if n_equal:
        n = sum(int((~np.isnan(each.low)).sum()) for each in intervals)
        found = f"{n_equal} of {counted(n, 'interval')} {'has' if n_equal == 1 else 'have'} no width"
        warn(f"{found}, because all resamples give the same mean: other reference runs may give another one")


def _warn_of_undefined(table: ScoreTable, found: dict[str, ReferenceIntervals], n_resamples: int) -> None:
    """Warn of resamples that leave a mean without any topic."""
    scheme, most = max(found.items(), key=lambda item: float(item[1].undefined.max()))
    if not most.undefined.any():
        return
    system, measure = np.unravel_index(int(np.argmax(most.undefined)), most.undefined.shape)
    n = round(float(most.undefined.max()) * n_resamples)
    name = standardized_name(scheme_letter(scheme), table.measures[measure])
    which = f"'{shown_name(table.systems[system])}' by {name}"
    affected = sum(int((each.undefined > 0).sum()) for each in found.values())
    warn(
        "in some resamples no topic has a score: they are not used for the intervals of "
        f"{counted(affected, 'mean')} (most: {which}, {n} of {n_resamples})"
    )
