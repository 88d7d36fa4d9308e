"""Read factors, and the raw scores by their measures, and warn if the two do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stdeval import notices
from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.inputs import read_table
from stdeval.commands.judgments import origin_of, takes_scores
from stdeval.commands.selection import ranking_measure
from stdeval.commands.standardization_options import StandardizationOptions
from stdeval.display import listed
from stdeval.errors import InputError, warn
from stdeval.formats.readers import read_factors
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.names import resolve, split_scheme
from stdeval.provenance import Difference
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import common_measures, differences_of, fit_factors
from stdeval.table import Floats, ScoreTable


def factors_of(options: StandardizationOptions) -> Factors | None:
    """Read the factors; None if no file is named, and the runs are their own reference runs.

    Parameters
    ----------
    options : StandardizationOptions

    Returns
    -------
    Factors, optional
        Those of rounded reference scores, if raw scores are to be rounded and the reference scores are known: equal
        scores are equal only if both are rounded.
    """
    if not options.factor_files:
        return None
    factors = read_factors(options.factor_files)
    if options.digits is not None and factors.reference is not None:
        return fit_factors(round_scores(factors.reference, options))
    return factors


def differences_of_inputs(made: Factors | ScoreTable, inputs: InputOptions, table: ScoreTable) -> list[Difference]:
    """Return how the origin of factors or stored scores differs from that of the runs.

    Parameters
    ----------
    made : Factors or ScoreTable
    inputs : InputOptions
    table : ScoreTable
        The scores of the runs. Their origin is what their files name, or that of the judgments.
    """
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
    """Read the raw scores by the measures named; if none is named, by all that the factors have.

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
    compares : bool
        Warn of runs with fewer judged documents than the others.
    """
    computable = [] if factors is None else [name for name in factors.measures if _is_computable(name)]
    if factors is not None and not takes_scores(inputs) and not inputs.measures and not computable:
        what = f"no measure that stdeval computes, only {listed(factors.measures)}"
        raise InputError(what, options.factor_files[0])
    # With factors, their measures are chosen below, where a message can name the measures of both.
    wanted = None if factors is None else lambda name: True
    asked = inputs
    if beside and not takes_scores(inputs):
        named = inputs.measures or tuple(computable) or DEFAULT_FACTORS
        asked = inputs._replace(measures=(*named, *beside))
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


def _is_computable(name: str) -> bool:
    """Return True if a name in a factors file means exactly one measure, so that runs can be evaluated by it."""
    try:
        return [measure.name for measure in resolve([name])] == [name]
    except InputError:
        return False


def round_scores(table: ScoreTable, options: StandardizationOptions) -> ScoreTable:
    """Round scores if the options say so, except those that were standardized before."""
    if options.digits is None:
        return table
    is_raw = np.array([not split_scheme(name)[0] for name in table.measures], dtype=bool)
    return replace(table, values=np.where(is_raw, as_printed(table.values, options.digits), table.values))


def as_printed(scores: Floats, digits: int) -> Floats:
    """Return scores as they are read after they were printed with some decimals, as trec_eval prints four.

    numpy.round multiplies scores by a power of ten first, and so rounds 0.08125 to 0.0812. It is printed as 0.0813,
    because the 64-bit float is a little larger.

    Examples
    --------
    >>> as_printed(np.array([[0.08125, np.nan]]), 4)
    array([[0.0813,    nan]])
    """
    printed: Floats = np.array([float(f"{score:.{digits}f}") for score in scores.flat]).reshape(scores.shape)
    return printed
