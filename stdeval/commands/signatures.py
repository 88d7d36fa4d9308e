"""The signature of the scores that a command prints: the facts about its inputs and options.

This module loads no numpy, since `eval` runs through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stdeval.commands.input_options import InputOptions
from stdeval.commands.judgments import evaluation_options, judgments, origins_of, takes_scores
from stdeval.commands.options import OutputOptions
from stdeval.formats.writers import MARKED
from stdeval.origins import References, lines_digest, qrels_digest
from stdeval.signature import Signature, factors_digest, scheme_with_parameters, stored_signature

if TYPE_CHECKING:
    from stdeval.commands.standardization_options import LeaveOut, StandardizationOptions
    from stdeval.reference_factors import Factors
    from stdeval.table import ScoreTable

signature_option = click.option(
    "--signature",
    "signed",
    is_flag=True,
    help="Print a line to cite with the scores: version, measures, options, judgments and references.",
)


def is_signed(to: OutputOptions, signed: bool) -> bool:
    """Return whether an output has the signature: if it is asked for, and always in markup."""
    return signed or to.format in MARKED


def raw_signature(inputs: InputOptions, measures: Sequence[str], table: ScoreTable | None = None) -> Signature:
    """Return the signature of raw scores.

    Parameters
    ----------
    inputs : InputOptions
    measures : sequence of str
    table : ScoreTable, optional
        The scores, if they come from files.
    """
    if table is None or not takes_scores(inputs):
        origins = origins_of(inputs)
        typed = evaluation_options(inputs).typed
        return Signature(tuple(measures), typed, qrels_digest(origins), len(origins))
    return stored_signature(table.select(measures=measures))


def number_of_topics(inputs: InputOptions, table: ScoreTable | None = None) -> int:
    """Return the number of topics for a signature: that of all judged topics, if it is known.

    Parameters are those of `raw_signature`.
    """
    if table is None or not takes_scores(inputs):
        return len(judgments(inputs))
    return stored_signature(table).n_topics


def standardized_signature(
    inputs: InputOptions,
    table: ScoreTable,
    schemes: Sequence[str],
    options: StandardizationOptions,
    factors: Factors | None,
) -> Signature:
    """Return the signature of scores by several schemes.

    Parameters
    ----------
    inputs : InputOptions
    table : ScoreTable
        The raw scores.
    schemes : sequence of str
        Names of schemes as they are typed, ``raw`` among them.
    options : StandardizationOptions
    factors : Factors or None
        None if the runs are their own reference runs.
    """
    raw = raw_signature(inputs, table.measures, table)
    rounding = [] if options.digits is None else [f"round:{options.digits}"]
    if set(schemes) <= {"raw"}:
        return raw._replace(adjustments=(*raw.adjustments, *rounding))
    leaving_out = [f"leave-out:{_left_out(options.leave_out, table.systems)}"] if options.leave_out else []
    return raw._replace(
        schemes=tuple(_scheme(scheme, options) for scheme in sorted(set(schemes), key=_raw_first)),
        adjustments=(*rounding, *leaving_out, *_fit_of_factors(inputs, table, factors)),
        references=_references(inputs, table, factors, options.leave_out),
    )


def _fit_of_factors(inputs: InputOptions, table: ScoreTable, factors: Factors | None) -> tuple[str, ...]:
    """Return the field of a signature which says that factors have, or may have, other judgments or options."""
    from stdeval.commands.factor_files import difference_of_inputs
    from stdeval.comparability import fit_of_factors, undecided_factors_origins

    if factors is None:
        return ()
    undecided = undecided_factors_origins(factors, table if takes_scores(inputs) else None)
    return fit_of_factors(difference_of_inputs(factors, inputs, table), undecided)


def _raw_first(scheme: str) -> tuple[bool, str]:
    return scheme != "raw", scheme


def _scheme(scheme: str, options: StandardizationOptions) -> str:
    return scheme if scheme == "raw" else scheme_with_parameters(scheme, options.A, options.B, options.censor)


def _left_out(leave_out: LeaveOut, systems: Sequence[str]) -> str:
    """Return ``run``, or ``group`` with a digest of the lines ``system NUL group LF``."""
    from stdeval.commands.schemes import groups_of

    groups = groups_of(leave_out, systems)
    if groups is None:
        return "run"
    lines = (f"{system}\0{group}\n" for system, group in zip(systems, groups, strict=True))
    return f"group({lines_digest(line.encode('utf-8', 'surrogateescape') for line in lines)})"


def _references(
    inputs: InputOptions, table: ScoreTable, factors: Factors | None, leave_out: LeaveOut | None
) -> References:
    """Return facts about the references of the measures of a table, and of the topics of the judgments.

    If runs are left out of their own references, the numbers are those of the others.
    """
    from stdeval.commands.schemes import groups_of
    from stdeval.standardization.factors import fit_factors, numbers_of_references
    from stdeval.standardization.leave_out import fit_others

    used = fit_factors(table) if factors is None else factors
    # All topics of the judgments, so that a run with missing topics has the signature of one that has all.
    topics = {*table.topics, *origins_of(inputs)}
    if leave_out is None:
        numbers = numbers_of_references(used, topics, table.measures).ravel().tolist()
    else:
        numbers = fit_others(table, groups_of(leave_out, table.systems)).numbers_left
    digest = factors_digest(used, tuple(topics), table.measures)
    return References(digest, min(numbers, default=0), max(numbers, default=0))
