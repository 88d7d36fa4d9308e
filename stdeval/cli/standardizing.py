"""Standardize the scores that a command reads, by factors from a file, by the runs, or by the other runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from stdeval import notices
from stdeval.cli.inputs import takes_scores
from stdeval.cli.options import Gaps, InputOptions, LeaveOut, StandardizationOptions, SummaryOptions
from stdeval.cli.tables import origin_of, ranking_measure, read_table
from stdeval.display import excerpt, listed
from stdeval.errors import InputError, warn
from stdeval.formats.listing import SUMMARY
from stdeval.formats.readers import read_factors
from stdeval.formats.trec_eval_text import Column
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.names import kind_of, measure_named, split_scheme
from stdeval.provenance import Difference
from stdeval.standardization.factors import (
    Factors,
    common_measures,
    differences_of,
    fit_factors,
    numbers_of_references,
)
from stdeval.standardization.intervals import reference_intervals
from stdeval.standardization.leave_out import fit_others, standardize_by_others, topics_left_out
from stdeval.standardization.schemes import (
    Facts,
    facts_about,
    left_out_topics,
    needs_reference_scores,
    scheme_letter,
    standardize,
)
from stdeval.table import Bools, Floats, ScoreTable


class Standardized(NamedTuple):
    """Scores by scheme, and the scores and topics that are left out."""

    tables: dict[str, ScoreTable]
    left_out: Bools
    facts: Facts | None = None
    few_others: tuple[str, ...] = ()


def scores_by_scheme(
    table: ScoreTable, schemes: Sequence[str], options: StandardizationOptions, factors: Factors | None
) -> Standardized:
    """Standardize raw scores by each scheme."""
    wanted = list(dict.fromkeys(schemes))
    if wanted == ["raw"]:
        return Standardized({"raw": table}, np.zeros(len(table.topics), dtype=bool))
    refuse_standardized(table.measures)
    if factors is None and len(table.systems) < 2:
        what = f"one run, '{excerpt(table.systems[0])}', and no factors to standardize it with"
        raise InputError(f"{what}, expected -F FILE, or at least two runs, which are then their own reference runs")
    of_u: dict[str, Any] = {"A": options.A, "B": options.B, "censor": options.censor}
    alone: tuple[str, ...] = ()
    if options.leave_out is None:
        used = fit_factors(table) if factors is None else factors
        counting = next(filter(needs_reference_scores, wanted), None)
        if counting is not None and used.reference is None:
            what = f"means and standard deviations only, expected reference scores for scheme {counting}"
            raise InputError(f"{what} ('stdeval factors --empirical' writes them)", options.factor_files[0])
        tables = {each: table if each == "raw" else standardize(table, used, each, **of_u) for each in wanted}
        topics, measures = table.topics, table.measures
        left_out = {each: left_out_topics(used, topics, measures, each, censor=options.censor) for each in wanted}
        facts = facts_about(table, tables, left_out, numbers_of_references(used, topics, measures))
    else:
        others = fit_others(table, groups_of(options.leave_out, table.systems))
        tables = {each: table if each == "raw" else standardize_by_others(others, each, **of_u) for each in wanted}
        left_out = {each: topics_left_out(others, each, censor=options.censor) for each in wanted}
        n = others.n[others.groups]
        is_alone = (n < 2).all(axis=(1, 2))
        others_only = replace(table, values=np.where(is_alone[:, np.newaxis, np.newaxis], np.nan, table.values))
        facts = facts_about(others_only, tables, left_out, n[n > 1])
        alone = tuple(system for system, by_itself in zip(table.systems, is_alone, strict=True) if by_itself)
    # the topics that some scheme leaves out by some measure
    somewhere = np.asarray(np.any(list(left_out.values()), axis=(0, 2)))
    return Standardized(tables, somewhere, facts, alone)


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


def groups_of(leave_out: LeaveOut, systems: Sequence[str]) -> list[str] | None:
    """Return the group of each system; None if each is left out by itself."""
    return None if leave_out.groups is None else leave_out.groups.of(systems)


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


def side_by_side(tables: dict[str, ScoreTable]) -> tuple[list[Column], ScoreTable]:
    """Return the columns and the table of scores by all schemes, measure by measure."""
    first = next(iter(tables.values()))
    letters = [scheme_letter(scheme) for scheme in tables]
    measures = first.measures if not letters[0] else tuple(split_scheme(name)[1] for name in first.measures)

    def kind(measure: str, letter: str) -> str:
        found = kind_of(measure)
        # A standardized count is a score, which has a mean. trec_eval -Z nevertheless prints its sum.
        return "score" if found == "count" and letter not in ("", "Z") else found

    columns = [Column(name, kind(name, letter), letter) for name in measures for letter in letters]
    values = np.stack([table.values for table in tables.values()], axis=-1)
    stacked = values.reshape(*first.values.shape[:2], -1)
    names = tuple(column.name for column in columns)
    return columns, ScoreTable(first.systems, first.topics, names, stacked)


def factors_of(options: StandardizationOptions) -> Factors | None:
    """Read the factors; None if no file is named, and the runs are their own reference runs."""
    if not options.factor_files:
        return None
    factors = read_factors(*options.factor_files)
    if options.digits is not None and factors.reference is not None:
        return fit_factors(round_scores(factors.reference, options))
    return factors


def differences_of_inputs(made: Factors | ScoreTable, inputs: InputOptions, table: ScoreTable) -> list[Difference]:
    """Return how the origin of factors or stored scores differs from that of the runs."""
    return differences_of(made, table, table.origin if takes_scores(inputs) else origin_of(inputs))


def raw_scores(
    inputs: InputOptions,
    options: StandardizationOptions,
    factors: Factors | None,
    gaps: Gaps = "warn",
    beside: Sequence[str] = (),
    *,
    compares: bool = False,
) -> ScoreTable:
    """Read the raw scores by the measures named; if none is named, by all that the factors have."""
    # Runs can be evaluated by the names in a factors file that mean exactly one measure.
    named = () if factors is None else factors.measures
    computable = [name for name in named if (meant := measure_named(name)) is not None and meant.name == name]
    if factors is not None and not takes_scores(inputs) and not inputs.measures and not computable:
        what = f"no measure that stdeval computes, only {listed(factors.measures)}"
        raise InputError(what, options.factor_files[0])
    # With factors, their measures are chosen below, where a message can name the measures of both.
    wanted = None if factors is None else lambda name: True
    asked = inputs
    if beside and not takes_scores(inputs):
        asked = inputs._replace(measures=(*(inputs.measures or tuple(computable) or DEFAULT_FACTORS), *beside))
    read = read_table(asked, computable or DEFAULT_FACTORS, wanted=wanted, gaps=gaps, compares=compares)
    table = round_scores(read, options)
    if factors is None:
        return table
    common = common_measures(table.measures, factors)
    if inputs.best is not None and (ranking := ranking_measure(inputs, table)) not in common:
        what = f"--best {inputs.best} ranks by {ranking}, which the factors do not have"
        raise InputError(f"{what}: expected -m with one of: {listed(common)}")
    extra = [name for name in beside if name in table.measures and name not in common]
    without = [name for name in table.measures if name not in (*common, *extra)]
    warn(
        notices.other_origin(differences_of_inputs(factors, inputs, table), options.factor_files[0]),
        notices.measures_without_factors(without if inputs.measures else []),
    )
    return table.select(measures=[*common, *extra])


def round_scores(table: ScoreTable, options: StandardizationOptions) -> ScoreTable:
    """Round scores if the options say so, except those that were standardized before."""
    if options.digits is None:
        return table
    is_raw = np.array([not split_scheme(name)[0] for name in table.measures], dtype=bool)
    # as they are read after they were printed with these decimals, as trec_eval prints four
    printed = [float(f"{score:.{options.digits}f}") for score in table.values.flat]
    return replace(table, values=np.where(is_raw, np.array(printed).reshape(table.values.shape), table.values))


def intervals_over_references(
    table: ScoreTable,
    schemes: Sequence[str],
    standardization: StandardizationOptions,
    factors: Factors | None,
    options: SummaryOptions,
) -> dict[str, Floats] | None:
    """Return the ends of intervals of means over other references, by topic field; None if none are asked for."""
    if options.confidence is None or options.interval_of == "topics":
        return None
    if standardization.leave_out is not None:
        raise InputError("--leave-out changes the references of each run, expected --ci-of topics")
    used = fit_factors(table) if factors is None else factors
    if used.reference is None and (used.n[~np.isnan(used.mean)] < 1).any():
        what = "no number of reference runs (n), expected it, or reference scores, for --ci-of references or both"
        raise InputError(what, standardization.factor_files[0])
    unknown = np.full((len(table.systems), len(table.measures)), np.nan)
    found = [
        (unknown, unknown)
        if scheme == "raw" and options.interval_of == "references"
        else reference_intervals(
            table,
            used,
            scheme,
            topics=options.interval_of == "both",
            level=options.confidence,
            n_resamples=options.n_resamples,
            seed=options.seed,
            A=standardization.A,
            B=standardization.B,
            censor=standardization.censor,
        )
        for scheme in dict.fromkeys(schemes)
    ]
    field = f"{options.level_named}.of={options.interval_of}.resamples={options.n_resamples}.seed={options.seed}"
    return {
        f"{SUMMARY}.ci_{end}{field}": np.stack(values, axis=-1).reshape(len(table.systems), -1)
        for end, values in zip(("low", "high"), zip(*found, strict=True), strict=True)
    }
