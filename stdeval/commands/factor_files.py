"""Read factors, and the raw scores by their measures, and warn if the two do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click
import numpy as np

from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.inputs import read_table
from stdeval.commands.joined_files import report_missing_newlines
from stdeval.commands.judgments import origins_of, takes_scores
from stdeval.commands.messages import warn, warn_all
from stdeval.commands.score_files import about_stored_relevant, check_ranges, check_relevant
from stdeval.commands.selection import ranking_measure
from stdeval.commands.standardization_options import StandardizationOptions
from stdeval.comparability import (
    about_missing_factor_topics,
    difference_of_factors,
    difference_of_origins,
    signed_qrels,
    undecided_factors_origins,
)
from stdeval.display import counted, listed
from stdeval.doubtful_scores.depths import REFERENCES
from stdeval.doubtful_scores.rounded_scores import about_rounded
from stdeval.doubtful_scores.stored_scores import about_stored_scores
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.readers import read_factors
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.names import canonical, resolve, split_scheme
from stdeval.named_columns import about_same_measure
from stdeval.origins import qrels_digest
from stdeval.reference_factors import Factors
from stdeval.standardization.doubtful_factors import (
    about_doubtful_names,
    about_impossible_deviations,
    about_missing_references,
    about_relevant_of_references,
    about_spoiled_factors,
    about_uneven_references,
    about_used_references,
)
from stdeval.standardization.factors import common_measures, fit_factors
from stdeval.stats.rounding import as_printed
from stdeval.table import ScoreTable


def factors_of(options: StandardizationOptions, gaps: Gaps = "warn") -> Factors | None:
    """Read the factors; None if no file is named, and the runs are their own reference runs.

    Parameters
    ----------
    options : StandardizationOptions
    gaps : {"warn", "refuse"}
        The treatment of standard deviations that are impossible, and of files that may be truncated.

    Returns
    -------
    Factors, optional
        Those of rounded reference scores, if raw scores are to be rounded and the reference scores are known: equal
        scores are equal only if both are rounded.
    """
    if not options.factor_files:
        return None
    sources = [Input(path) for path in options.factor_files]
    factors = read_factors(sources)
    report_missing_newlines(sources, gaps)
    if options.digits is not None and factors.reference is not None:
        factors = fit_factors(round_scores(factors.reference, options))
    warn_of_doubtful_names(factors)
    warn_all(filter(None, (about_uneven_references(factors), about_missing_references(factors))))
    warn_all(about_spoiled_factors(factors))
    if factors.reference is not None:
        check_relevant(factors.reference, options.factor_files[0], gaps)
        check_ranges(factors.reference, options.factor_files[0], gaps)
        warn_all(about_stored_scores(factors.reference, factors.reference))
    message = about_impossible_deviations(factors)
    if message is not None and gaps == "refuse":
        raise InputError(message, options.factor_files[0])
    if message is not None:
        warn(message)
    return factors


def warn_of_doubtful_names(factors: Factors) -> None:
    """Warn of column names of a published file that other tools use for other measures."""
    for message in about_doubtful_names(factors):
        warn(message)


def warn_of_impossible(factors: Factors) -> None:
    """Warn of standard deviations that no scores in [0, 1] can have."""
    message = about_impossible_deviations(factors)
    if message is not None:
        warn(message)


def about_origins(made: Factors | ScoreTable, inputs: InputOptions, table: ScoreTable) -> str | None:
    """Return a message about factors or stored scores of other judgments or options than the runs, or None.

    Parameters
    ----------
    made : Factors or ScoreTable
        The factors or the stored scores.
    inputs : InputOptions
    table : ScoreTable
        The scores of the runs. Their origins are those that their files name, or those of the judgments.
    """
    if isinstance(made, ScoreTable) and (message := difference_of_factors(made, table)) is not None:
        return message
    signed = signed_qrels(made)
    is_known = bool(made.origins) or signed is not None
    if takes_scores(inputs):
        differences = (_difference_of_part(made, each, is_known=is_known) for each in table.parts)
        return next(filter(None, differences), None)
    if is_known:
        used = origins_of(inputs)
        # Single topics are compared anyway, so all of them need no comparison unless only a signature names them.
        qrels = qrels_digest(used) if signed else None
        if (difference := difference_of_origins(made, table.measures, used, qrels)) is not None:
            return difference
    if isinstance(made, Factors) and made.reference is not None:
        return about_stored_relevant(made.reference, inputs, " of the reference scores")
    if not isinstance(made, Factors) or is_known:
        return None
    # With -c, references may have different numbers; their mean is not the number of a topic.
    means = np.where(made.mean == np.round(made.mean), made.mean, np.nan)[np.newaxis]
    references = ScoreTable((REFERENCES,), made.topics, made.measures, means)
    return about_stored_relevant(references, inputs, " of the factors")


def _difference_of_part(made: Factors | ScoreTable, part: ScoreTable, *, is_known: bool) -> str | None:
    """Return a message if factors or a baseline have other judgments than part of the scores; otherwise None."""
    if is_known:
        return difference_of_origins(made, part.measures, part.origins, part.qrels)
    return next(about_relevant_of_references(part, made), None) if isinstance(made, Factors) else None


def warn_of_undecided_origins(factors: Factors, inputs: InputOptions, table: ScoreTable) -> None:
    """Warn if factors and scores cannot tell whether their judgments and options are the same."""
    if (message := about_undecided_origins(factors, inputs, table)) is not None:
        warn(message)
    warn_all(about_missing_factor_topics(factors, table, are_known=not takes_scores(inputs)))


def about_undecided_origins(factors: Factors, inputs: InputOptions, table: ScoreTable) -> str | None:
    """Return a message if only the factors or only the scores name their judgments and options, otherwise None."""
    return undecided_factors_origins(factors, table if takes_scores(inputs) else None)


def warn_of_rounded_references(table: ScoreTable, factors: Factors) -> None:
    """Warn if the scores, or the reference scores of the factors, are rounded and the others are not."""
    if factors.reference is not None:
        advice = "expected full precision, or --round N, which also rounds the reference scores"
        warn_all(about_rounded([table, factors.reference], f", {advice}"))


def raw_scores(
    inputs: InputOptions,
    options: StandardizationOptions,
    factors: Factors | None,
    gaps: Gaps = "warn",
    beside: Sequence[str] = (),
) -> ScoreTable:
    """Read the raw scores by the measures named; if none is named, by all that the factors have.

    A warning tells if the factors were made from other judgments or with other options than the scores.

    Parameters
    ----------
    inputs : InputOptions
    options : StandardizationOptions
    factors : Factors or None
        From `factors_of`.
    gaps : {"warn", "refuse", "ignore"}
        The treatment of runs without documents for some topics.
    beside : sequence of str
        Measures by which runs are evaluated as well; they come last, and need no factors.
    """
    computable = [] if factors is None else [name for name in factors.measures if _is_computable(name)]
    if factors is not None and not takes_scores(inputs) and not inputs.measures:
        strange = [name for name in factors.measures if name not in computable]
        if strange and not computable:
            what = f"no measure that stdeval computes, only {listed(strange)}"
            raise InputError(what, options.factor_files[0])
        if strange:
            warn(_about_strange(strange), is_caveat=False)
    # With factors, their measures are chosen below, where a message can name the measures of both.
    wanted = None if factors is None else lambda name: True
    asked = inputs
    if beside and not takes_scores(inputs):
        named = inputs.measures or tuple(computable) or DEFAULT_FACTORS
        asked = inputs._replace(measures=(*named, *beside))
    table = round_scores(read_table(asked, computable or DEFAULT_FACTORS, wanted=wanted, gaps=gaps), options)
    if factors is None:
        return table
    message = about_origins(factors, inputs, table)
    if message is not None:
        warn(message)
    warn_of_undecided_origins(factors, inputs, table)
    warn_of_rounded_references(table, factors)
    warn_all(about_used_references(table, factors, judged_only=inputs.judged_only))
    common = common_measures(table.measures, factors)
    if inputs.best is not None and (ranking := ranking_measure(inputs, table)) not in common:
        what = f"--best {inputs.best} ranks by {ranking}, which the factors do not have"
        raise InputError(f"{what}: expected -m with one of: {listed(common)}")
    extra = [name for name in beside if name in table.measures and name not in common]
    without = [name for name in table.measures if name not in (*common, *extra)]
    if (spelled := about_same_measure(without, factors.measures)) is not None:
        warn(f"{spelled}: left out", is_caveat=False)
    elif inputs.measures and without:
        warn(f"no factors for {counted(len(without), 'measure')} (e.g. '{without[0]}'): left out", is_caveat=False)
    return table.select(measures=[*common, *extra])


def _about_strange(measures: Sequence[str]) -> str:
    """Return a message about factors of measures that stdeval cannot compute by these names."""
    number = f"{counted(len(measures), 'measure')} of the factors"
    spelled = next((name for name in measures if canonical(name) != name), None)
    example = f"'{measures[0]}'" if spelled is None else f"'{spelled}', expected {canonical(spelled)}"
    return f"{number} cannot be computed here (e.g. {example}): left out"


def _is_computable(name: str) -> bool:
    """Return True if a name in a factors file means exactly one measure, so that runs can be evaluated by it."""
    try:
        return [measure.name for measure in resolve([name])] == [name]
    except InputError:
        return False


_FEW_DECIMALS = 3
"""Scores that are rounded to this number of decimals, or fewer, are often equal by chance."""


def round_scores(table: ScoreTable, options: StandardizationOptions) -> ScoreTable:
    """Round scores if the options say so, except those that were standardized before."""
    if options.digits is None:
        return table
    is_raw = np.array([not split_scheme(name)[0] for name in table.measures], dtype=bool)
    if not is_raw.any():
        raise click.UsageError(f"--round {options.digits} has no effect on scores that are standardized already")
    printed = np.where(is_raw, as_printed(table.values, options.digits), table.values)
    # Scores by P_10 have one decimal.
    if options.digits <= _FEW_DECIMALS and not np.allclose(printed, table.values, atol=1e-9, equal_nan=True):
        kept = counted(options.digits, "decimal")
        warn(f"--round {options.digits} leaves {kept} of the scores: differences smaller than that are lost")
    if not is_raw.all():
        standardized = [name for name, raw in zip(table.measures, is_raw, strict=True) if not raw]
        verb = "is" if len(standardized) == 1 else "are"
        warn(f"--round {options.digits} has no effect on {listed(standardized)}, which {verb} standardized already")
    return replace(table, values=printed)
