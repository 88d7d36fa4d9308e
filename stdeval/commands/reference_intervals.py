"""Intervals of mean standardized scores over references, as `standardize` prints them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdeval.commands.standardization_options import StandardizationOptions
from stdeval.commands.summary_options import SummaryOptions
from stdeval.errors import InputError
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.reference_intervals import ReferenceIntervals, reference_intervals
from stdeval.summary_rows import SUMMARY
from stdeval.table import Floats, ScoreTable


def intervals_over_references(
    table: ScoreTable,
    schemes: Sequence[str],
    standardization: StandardizationOptions,
    factors: Factors | None,
    options: SummaryOptions,
) -> dict[str, Floats] | None:
    """Return the ends of the intervals by topic field.

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
        _check_numbers(used, standardization)
    found = {
        scheme: _of_scheme(table, scheme, standardization, used, options, options.confidence)
        for scheme in dict.fromkeys(schemes)
    }
    field = f"{options.level_named}.of={options.interval_of}.resamples={options.n_resamples}.seed={options.seed}"
    ends = {
        "low": np.stack([each.low for each in found.values()], axis=-1),
        "high": np.stack([each.high for each in found.values()], axis=-1),
    }
    return {f"{SUMMARY}.ci_{end}{field}": x.reshape(len(table.systems), -1) for end, x in ends.items()}


def _check_numbers(factors: Factors, standardization: StandardizationOptions) -> None:
    """Refuse factors without numbers of reference runs."""
    if (factors.n[~np.isnan(factors.mean)] < 1).any():
        what = "no number of reference runs (n), expected it, or reference scores, for --ci-of references or both"
        raise InputError(what, standardization.factor_files[0])


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
        return ReferenceIntervals(unknown, unknown)
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
