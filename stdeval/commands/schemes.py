"""Standardize the scores that a command works on, with the factors and schemes that its options name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from stdeval import notices
from stdeval.commands.standardization_options import LeaveOut, StandardizationOptions
from stdeval.display import excerpt, listed
from stdeval.errors import InputError, warn
from stdeval.formats.blocks import Column
from stdeval.measures.facts import kind_of
from stdeval.measures.names import split_scheme
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import fit_factors, numbers_of_references
from stdeval.standardization.leave_out import fit_others, groups_by_pattern, standardize_by_others, topics_left_out
from stdeval.standardization.schemes import needs_reference_scores, scheme_letter
from stdeval.standardization.standardizing import Facts, facts_about, left_out_topics, standardize
from stdeval.table import Bools, ScoreTable


class Standardized(NamedTuple):
    """Scores by scheme, and the scores and topics that are left out.

    Parameters
    ----------
    tables : dict of str to ScoreTable
        Scheme to scores, including ``"raw"`` if it is asked for.
    left_out : ndarray of bool, shape (n_topics,)
        Topics that some scheme leaves out by some measure, because the standard deviation of their factors is 0.
    facts : Facts or None
        None if nothing was standardized.
    few_others : tuple of str
        Runs for which fewer than two reference runs are left.
    """

    tables: dict[str, ScoreTable]
    left_out: Bools
    facts: Facts | None = None
    few_others: tuple[str, ...] = ()


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
        return Standardized({"raw": table}, np.zeros(len(table.topics), dtype=bool))
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
    numbers = numbers_of_references(used, table.topics, table.measures)
    return Standardized(tables, _somewhere(left_out), facts_about(table, tables, left_out, numbers))


def _somewhere(left_out: dict[str, Bools]) -> Bools:
    """Return True for the topics that some scheme leaves out by some measure."""
    return np.asarray(np.any(list(left_out.values()), axis=(0, 2)))


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
    n = others.n[others.groups]
    is_alone = (n < 2).all(axis=(1, 2))
    others_only = replace(table, values=np.where(is_alone[:, np.newaxis, np.newaxis], np.nan, table.values))
    facts = facts_about(others_only, tables, left_out, n[n > 1])
    few = tuple(system for system, alone in zip(table.systems, is_alone, strict=True) if alone)
    return Standardized(tables, _somewhere(left_out), facts, few)


def groups_of(leave_out: LeaveOut, systems: Sequence[str]) -> list[str] | None:
    """Return the group of each system; None if each is left out by itself."""
    if leave_out.groups is not None:
        return leave_out.groups.of(systems, leave_out.known)
    return None if leave_out.pattern is None else groups_by_pattern(leave_out.pattern, systems)


def tables_after_warning(standardized: Standardized) -> dict[str, ScoreTable]:
    """Return the scores by scheme, after the warnings about them."""
    tables, facts = standardized.tables, standardized.facts
    if facts is not None:
        first = next(iter(tables.values()))
        letters = [scheme_letter(scheme) for scheme in tables]
        warn(
            notices.topics_without_factors(facts.without, len(first.topics)),
            notices.few_references(facts.n_references, letters),
            notices.few_others(standardized.few_others, len(first.systems)),
            notices.equal_references(facts.equal, len(first.topics), facts.letters),
            notices.extreme_scores(*facts.extreme),
        )
    return tables


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
    return columns, ScoreTable(first.systems, first.topics, names, stacked)
