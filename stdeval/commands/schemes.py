"""Standardize the scores that a command works on, with the factors and schemes that its options name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from stdeval.commands.messages import warn_all
from stdeval.commands.standardization_options import LeaveOut, StandardizationOptions, why_no_best_run
from stdeval.display import excerpt, listed
from stdeval.errors import InputError
from stdeval.formats.blocks import Column
from stdeval.measures.facts import kind_of
from stdeval.measures.names import split_scheme
from stdeval.reference_factors import Factors
from stdeval.standardization.doubtful_factors import (
    about_ends_of_scale,
    about_extreme_scores,
    about_uneven_references,
)
from stdeval.standardization.doubtful_references import (
    about_copies,
    about_few_references,
    about_groups_of_one,
    about_repeated_references,
    about_repeated_runs,
    about_similar_groups,
    numbers_of_topics,
)
from stdeval.standardization.doubtful_standardization import (
    about_left_out_topics,
    about_standardized,
    about_undefined,
    about_unusual_scale,
)
from stdeval.standardization.factors import fit_factors, n_repeated_systems
from stdeval.standardization.leave_out import fit_others, groups_by_pattern, standardize_by_others, topics_left_out
from stdeval.standardization.schemes import needs_reference_scores, scheme_letter
from stdeval.standardization.standardizing import left_out_topics, standardize
from stdeval.table import Bools, ScoreTable


class Standardized(NamedTuple):
    """Scores by scheme, and the scores and topics that are left out.

    Parameters
    ----------
    tables : dict of str to ScoreTable
        Scheme to scores, including ``"raw"`` if it is asked for.
    messages : list of str
        About scores that are left out.
    left_out : ndarray of bool, shape (n_topics,)
        Topics that some scheme leaves out by some measure, because the standard deviation of their factors is 0.
    B : float
        The score by U at the reference mean.
    """

    tables: dict[str, ScoreTable]
    messages: list[str]
    left_out: Bools
    B: float


def warn_of_repeated_runs(raw: ScoreTable, schemes: Sequence[str], factors: Factors | None) -> None:
    """Warn of runs with the scores of another one, unless they are reference runs, of which other warnings tell."""
    are_references = factors is None and any(scheme != "raw" for scheme in schemes)
    if not are_references:
        warn_all(about_copies(raw))


def scores_by_scheme(
    table: ScoreTable, schemes: Sequence[str], options: StandardizationOptions, factors: Factors | None
) -> Standardized:
    """Standardize raw scores by each scheme.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    schemes : sequence of str
        Schemes as they are typed, ``raw`` among them.
    options : StandardizationOptions
    factors : Factors or None
        From `factors_of`; None for a table that is its own reference.

    Raises
    ------
    InputError
        If scheme e or m is asked for and the factors have no reference scores, or if scores are standardized
        already.
    """
    wanted = list(dict.fromkeys(schemes))
    if wanted == ["raw"]:
        return Standardized({"raw": table}, [], np.zeros(len(table.topics), dtype=bool), options.B)
    refuse_standardized(table.measures)
    if factors is None and len(table.systems) < 2:
        what = f"one run, '{excerpt(table.systems[0])}', and no factors to standardize it with"
        raise InputError(f"{what}, expected -F FILE, or at least two runs, which are then their own reference runs")
    if options.leave_out is not None:
        return _scores_by_others(table, wanted, options, options.leave_out)
    used = fit_factors(table) if factors is None else factors
    counting = next(filter(needs_reference_scores, wanted), None)
    if counting is not None and used.reference is None:
        what = f"means and standard deviations only, expected reference scores for scheme {counting}"
        raise InputError(f"{what} ('stdeval factors --empirical' writes them)", options.factor_files[0])
    tables = {
        scheme: table
        if scheme == "raw"
        else standardize(table, used, scheme, A=options.A, B=options.B, censor=options.censor)
        for scheme in wanted
    }
    left_out = {
        scheme: left_out_topics(used, table.topics, table.measures, scheme, censor=options.censor)
        for scheme in wanted
    }
    messages = about_unusual_scale(wanted, options.A, options.B, censor=options.censor)
    messages += about_standardized(table, used, tables, left_out, is_own=factors is None)
    return Standardized(tables, messages, np.any(list(left_out.values()), axis=(0, 2)), options.B)


def require_scores(table: ScoreTable, scheme: str) -> None:
    """Refuse a table of one scheme if no score by its first measure could be standardized: it cannot be drawn."""
    if scheme != "raw" and np.isnan(table.measure(table.measures[0])).all():
        found = f"no score can be standardized by {scheme_letter(scheme)}"
        expected = "reference runs with topics in common and different scores there, or -F FILE with other factors"
        raise InputError(f"{found}, expected {expected}")


def refuse_standardized(measures: Sequence[str]) -> None:
    """Refuse scores whose names begin with the letter of a scheme: they would be standardized a second time."""
    already = [name for name in measures if split_scheme(name)[0]]
    if already:
        raw = [name for name in measures if name not in already]
        expected = f"-m with one of: {listed(raw)}" if raw else "raw scores, or --scheme raw where a command has it"
        raise InputError(f"{already[0]} is standardized already, expected {expected}")


def _scores_by_others(
    table: ScoreTable, schemes: Sequence[str], options: StandardizationOptions, leave_out: LeaveOut
) -> Standardized:
    """Standardize each run of a table by the others, without its group if groups are given."""
    groups = groups_of(leave_out, table.systems)
    others = fit_others(table, groups)
    parameters: dict[str, Any] = {"A": options.A, "B": options.B, "censor": options.censor}
    tables = {
        scheme: table if scheme == "raw" else standardize_by_others(others, scheme, **parameters)
        for scheme in schemes
    }
    left_out = {scheme: topics_left_out(others, scheme, censor=options.censor) for scheme in schemes}
    somewhere: Bools = np.any(list(left_out.values()), axis=(0, 2))
    messages = about_unusual_scale(schemes, options.A, options.B, censor=options.censor)
    messages += about_few_references(np.array([[others.n_left]]), schemes)
    if (uneven := about_uneven_references(fit_factors(table))) is not None:
        messages.append(uneven)
    flattered = why_no_best_run(leave_out, table)
    about_repeated = about_repeated_references if flattered else about_repeated_runs
    messages += about_repeated(n_repeated_systems(table.values), len(table.systems))
    if groups is not None:
        messages += about_groups_of_one(groups) + about_similar_groups(groups)
    if flattered:
        messages.append(f"--leave-out group: {flattered}")
    equal: Bools = np.any(others.sd == 0, axis=0)
    whose = "the reference scores of some runs"
    if somewhere.any():
        messages.append(about_left_out_topics(table, left_out, rounded=False, whose=whose))
    elif equal.any():
        messages.append(
            f"{whose} are all equal for {numbers_of_topics(table.topics, table.measures, equal)}: kept with sd 0"
        )
    present = ~np.isnan(table.values)
    messages += about_undefined(present, tables, left_out, "fewer than two reference runs are left")
    return Standardized(tables, messages, somewhere, options.B)


def groups_of(leave_out: LeaveOut, systems: Sequence[str]) -> list[str] | None:
    """Return the group of each system; None if each is left out by itself."""
    if leave_out.groups is not None:
        return leave_out.groups.of(systems, leave_out.known)
    return None if leave_out.pattern is None else groups_by_pattern(leave_out.pattern, systems)


def about_scores(standardized: Standardized) -> Iterator[str]:
    """Yield messages about scores that are left out or at the ends of a scale, and topics that decide a mean."""
    yield from standardized.messages
    # Warnings about scores that were standardized before come when they are read.
    tables = [table for scheme, table in standardized.tables.items() if scheme != "raw"]
    for table in tables:
        yield from about_ends_of_scale(table)
    for table in tables:
        yield from about_extreme_scores(table, standardized.B)


def tables_after_warning(standardized: Standardized) -> dict[str, ScoreTable]:
    """Return the scores by scheme, after the warnings about them."""
    warn_all(about_scores(standardized))
    return standardized.tables


def _kind(measure: str, letter: str) -> str:
    """Return the kind of a measure, standardized by the scheme of this letter or raw."""
    kind = kind_of(measure)
    # A standardized count is a score, which has a mean. trec_eval -Z nevertheless prints its sum.
    return "score" if kind == "count" and letter not in ("", "Z") else kind


def side_by_side(tables: dict[str, ScoreTable]) -> tuple[list[Column], ScoreTable]:
    """Return the columns and the table of scores by all schemes, measure by measure.

    Parameters
    ----------
    tables : dict of str to ScoreTable
        Scheme to scores, all of the same systems, topics and raw measures, which are taken from the first.
    """
    first = next(iter(tables.values()))
    letters = [scheme_letter(scheme) for scheme in tables]
    measures = first.measures if not letters[0] else tuple(split_scheme(name)[1] for name in first.measures)
    columns = [Column(name, _kind(name, letter), letter) for name in measures for letter in letters]
    values = np.stack([table.values for table in tables.values()], axis=-1)
    stacked = values.reshape(*first.values.shape[:2], -1)
    names = tuple(column.name for column in columns)
    return columns, ScoreTable(first.systems, first.topics, names, stacked, retrieved=first.retrieved)
