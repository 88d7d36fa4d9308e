"""Standardize the scores that a command reads, by factors or by the (other) runs, and sign them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval import notices, provenance
from stdeval import table as score_tables
from stdeval.cli import scoring
from stdeval.errors import InputError, excerpt, listed, warn
from stdeval.formats import SUMMARY, readers, trec_eval_text
from stdeval.measures import catalogue, names
from stdeval.standardization import factors as references
from stdeval.standardization import intervals, schemes
from stdeval.stats import ranking

if TYPE_CHECKING:
    from stdeval.cli.options import Gaps, InputOptions, StandardizationOptions, SummaryOptions
    from stdeval.standardization.factors import Factors
    from stdeval.standardization.schemes import Standardized
    from stdeval.table import Floats, ScoreTable


def default_schemes(schemes: tuple[str, ...], options: StandardizationOptions) -> tuple[str, ...]:
    """Return the schemes named, each once; if none is named, n if factors are given, and raw otherwise."""
    return tuple(dict.fromkeys(schemes)) or (("n",) if options.factor_files else ("raw",))


def shown_scores(
    table: ScoreTable, named: Sequence[str], options: StandardizationOptions, factors: Factors | None
) -> dict[str, ScoreTable]:
    """Standardize raw scores by each scheme, and warn of what has no score."""
    return {"raw": table} if {*named} == {"raw"} else scores_by_scheme(table, named, options, factors).warned()


def scores_by_scheme(
    table: ScoreTable, named: Sequence[str], options: StandardizationOptions, factors: Factors | None
) -> Standardized:
    """Standardize raw scores by each scheme."""
    wanted = list(dict.fromkeys(named))
    refuse_standardized(table.measures)
    if factors is None and len(table.systems) < 2:
        what = f"one run, '{excerpt(table.systems[0])}', and no factors to standardize it with"
        raise InputError(f"{what}, expected -F FILE, or at least two runs, which are then their own reference runs")
    if options.leave_out is not None:
        groups = options.groups and options.groups.of(table.systems)
        return schemes.standardize_without(table, groups, wanted, **options.of_u)
    used = references.fit_factors(table) if factors is None else factors
    counting = next(filter(schemes.needs_reference_scores, wanted), None)
    if counting is not None and used.reference is None:
        what = f"means and standard deviations only, expected reference scores for scheme {counting}"
        raise InputError(f"{what} ('stdeval factors --empirical' writes them)", options.factor_files[0])
    return schemes.standardize_all(table, used, wanted, **options.of_u)


def is_raw_by_default(table: ScoreTable, factors: Factors | None) -> bool:
    """Return whether complete runs are so few that scores standardized by them would be little more than signs."""
    return factors is None and int(ranking.comparable(~np.isnan(table.values))[0].sum()) < 5


def require_scores(table: ScoreTable, scheme: str) -> None:
    """Refuse a table of one scheme if no score by its first measure could be standardized: it cannot be drawn."""
    if scheme != "raw" and np.isnan(table.measure(table.measures[0])).all():
        found = f"no score can be standardized by {names.scheme_letter(scheme)}"
        expected = "reference runs with topics in common and different scores there, or -F FILE with other factors"
        raise InputError(f"{found}, expected {expected}")


def refuse_standardized(measures: Sequence[str]) -> None:
    """Refuse scores whose names begin with the letter of a scheme: they would be standardized a second time."""
    already = [name for name in measures if names.split_scheme(name)[0]]
    if already:
        raw = [name for name in measures if name not in already]
        expected = f"-m with one of: {listed(raw)}" if raw else "raw scores, or --scheme raw where a command has it"
        raise InputError(f"{already[0]} is standardized already, expected {expected}")


def side_by_side(tables: dict[str, ScoreTable]) -> tuple[list[trec_eval_text.Column], ScoreTable]:
    """Return the columns and the table of scores by all schemes, measure by measure."""
    first, letters = next(iter(tables.values())), [names.scheme_letter(scheme) for scheme in tables]
    measures = [names.split_scheme(name)[1] for name in first.measures] if letters[0] else first.measures
    kinds = [(name, names.kind_of_scores(letter, name), letter) for name in measures for letter in letters]
    columns = [trec_eval_text.Column(*each) for each in kinds]
    values = np.stack([table.values for table in tables.values()], axis=-1).reshape(*first.values.shape[:2], -1)
    axes = first.systems, first.topics, tuple(column.name for column in columns)
    return columns, score_tables.ScoreTable(*axes, values, unretrieved=first.unretrieved)


def factors_of(options: StandardizationOptions) -> Factors | None:
    """Read the factors; None if no file is named, and the runs are their own reference runs."""
    if not options.factor_files:
        return None
    factors = readers.read_factors(*options.factor_files)
    if options.digits is not None and factors.reference is not None:
        return references.fit_factors(round_scores(factors.reference, options.digits))
    return factors


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
    computable = [name for name in named if [each.name for each in names.known_measures(name)] == [name]]
    if factors is not None and not scoring.takes_scores(inputs) and not inputs.measures and not computable:
        what = f"no measure that stdeval computes, only {listed(factors.measures)}"
        raise InputError(what, options.factor_files[0])
    default, asked = computable or catalogue.DEFAULT_FACTORS, inputs
    if beside and not scoring.takes_scores(inputs):
        asked = inputs._replace(measures=(*(inputs.measures or default), *beside))
    # With factors, their measures are chosen below, where a message can name the measures of both.
    read = scoring.read_table(asked, default, every=factors is not None, gaps=gaps, compares=compares)
    table = read if options.digits is None else round_scores(read, options.digits)
    if factors is None:
        return table
    used = scoring.origin_of(inputs, table)
    common = references.common_measures(table.measures, factors)
    if inputs.best is not None and (by := scoring.ranking_measure(inputs, table)) not in common:
        what = f"--best {inputs.best} ranks by {by}, which the factors do not have"
        raise InputError(f"{what}: expected -m with one of: {listed(common)}")
    extra = [name for name in beside if name in table.measures and name not in common]
    without = [name for name in table.measures if name not in (*common, *extra)]
    warn(
        notices.other_origin(references.differences_of(factors, table, used), options.factor_files[0]),
        notices.measures_without_factors(without if inputs.measures else []),
    )
    return table.select(measures=[*common, *extra])


def round_scores(table: ScoreTable, digits: int) -> ScoreTable:
    """Round scores, except those that were standardized before."""
    is_raw = np.array([not names.split_scheme(name)[0] for name in table.measures], dtype=bool)
    # as they are read after they were printed with these decimals, as trec_eval prints four
    printed = [float(f"{score:.{digits}f}") for score in table.values.flat]
    return replace(table, values=np.where(is_raw, np.array(printed).reshape(table.values.shape), table.values))


def intervals_over_references(
    table: ScoreTable,
    named: Sequence[str],
    standardization: StandardizationOptions,
    factors: Factors | None,
    options: SummaryOptions,
) -> dict[str, Floats] | None:
    """Return the ends of intervals of means over other references, by topic field; None if none are asked for."""
    if options.confidence is None or options.interval_of == "topics":
        return None
    if standardization.leave_out is not None:
        raise InputError("--leave-out changes the references of each run, expected --ci-of topics")
    used = references.fit_factors(table) if factors is None else factors
    if used.reference is None and (used.n[~np.isnan(used.mean)] < 1).any():
        what = "no number of reference runs (n), expected it, or reference scores, for --ci-of references or both"
        raise InputError(what, standardization.factor_files[0])
    how: dict[str, Any] = {"level": options.confidence, "n_resamples": options.n_resamples, "seed": options.seed}
    how |= {"topics": options.interval_of == "both", **standardization.of_u}
    unknown = np.full((len(table.systems), len(table.measures)), np.nan)
    # Raw scores do not depend on the references.
    none = (unknown, unknown) if options.interval_of == "references" else None
    found = [
        none if none and scheme == "raw" else intervals.reference_intervals(table, used, scheme, **how)
        for scheme in dict.fromkeys(named)
    ]
    field = f"{options.level_named}.of={options.interval_of}.resamples={options.n_resamples}.seed={options.seed}"
    low, high = (np.stack(ends, axis=-1).reshape(len(table.systems), -1) for ends in zip(*found, strict=True))
    return {f"{SUMMARY}.ci_low{field}": low, f"{SUMMARY}.ci_high{field}": high}


def raw_signature(
    inputs: InputOptions, measures: Sequence[str], table: ScoreTable | None, rounding: Sequence[str] = ()
) -> str:
    """Return the signature of raw scores; the table has what it says if they come from files."""
    if table is None or not scoring.takes_scores(inputs):
        made = provenance.Standardization((), tuple(rounding))
        return provenance.signature(measures, scoring.origin_of(inputs, None), made=made)
    return provenance.stored_signature(measures, table.origin, table.topics, rounding)


def standardized_signature(
    inputs: InputOptions,
    table: ScoreTable,
    named: Sequence[str],
    options: StandardizationOptions,
    factors: Factors | None,
) -> str:
    """Return the signature of scores by several schemes."""
    rounding = [] if options.digits is None else [f"round:{options.digits}"]
    if set(named) <= {"raw"}:
        return raw_signature(inputs, table.measures, table, rounding)
    stored = table if scoring.takes_scores(inputs) else None
    origin, topics = scoring.origin_of(inputs, table), None if stored is None else table.topics
    used = references.fit_factors(table) if factors is None else factors
    # All topics of the judgments, so that a run with missing topics has the signature of one that has all.
    every = {*table.topics, *({} if stored else origin.judgments)}
    others = []
    if options.leave_out is None:
        numbers = references.numbers_of_references(used, every, table.measures).ravel().tolist()
    else:
        groups = options.groups and options.groups.of(table.systems)
        numbers = schemes.fit_others(table, groups).numbers_left
        grouped = [] if groups is None else zip(table.systems, groups, strict=True)
        digest = provenance.lines_digest(f"{system}\0{group}\n" for system, group in grouped)
        others = ["leave-out:run" if groups is None else f"leave-out:group({digest})"]
    fitted: tuple[str, ...] = ()
    if factors is not None:
        fitted = provenance.fit(references.differences_of(factors, table, origin), factors, stored)
    letters = sorted({*named} - {"raw"})
    made = provenance.Standardization(
        tuple(provenance.scheme_with_parameters(scheme, **options.of_u) for scheme in letters),
        (*rounding, *others, *fitted),
        provenance.factors_digest(used, every, table.measures),
        min(numbers, default=0),
        max(numbers, default=0),
    )
    return provenance.signature(table.measures, origin, topics, made=made, has_raw="raw" in named)
