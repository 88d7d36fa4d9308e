"""The standardized scores of a table, as `stdeval standardize` prints them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stdeval.comparability import (
    about_missing_factor_topics,
    difference_of_origins,
    fit_of_factors,
    undecided_factors_origins,
)
from stdeval.display import counted
from stdeval.doubtful_scores.rankings import about_counted_zeros, about_ranked, is_judged_only
from stdeval.doubtful_scores.rounded_scores import about_rounded
from stdeval.errors import InputError, InputWarning
from stdeval.measures.facts import kind_of
from stdeval.measures.names import split_scheme
from stdeval.origins import USUAL_SCALE, References, Standardization
from stdeval.reference_factors import Factors
from stdeval.signature import factors_digest, named_measures, scheme_with_parameters
from stdeval.standardization.doubtful_factors import (
    about_ends_of_scale,
    about_extreme_scores,
    about_uneven_references,
    about_used_references,
)
from stdeval.standardization.doubtful_standardization import about_standardized, about_unusual_scale
from stdeval.standardization.factors import common_measures, fit_factors, numbers_of_references
from stdeval.standardization.schemes import scheme_letter
from stdeval.standardization.standardizing import left_out_topics
from stdeval.standardization.standardizing import standardize as standardized
from stdeval.table import ScoreTable, check_scores_table


def standardize(
    table: ScoreTable,
    factors: Factors | None = None,
    scheme: str = "n",
    *,
    A: float = 0.15,
    B: float = 0.5,
    censor: bool = True,
) -> ScoreTable:
    """Return the standardized scores of a table, with the scheme's letter before the names of measures: ``Nmap``.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    factors : Factors, optional
        The factors to use; None makes the table its own reference (self-standardized).
    scheme : {"n", "z", "u", "e", "m"}
        In lower or upper case. Let z be the distance of a score from the mean of the reference scores on the topic,
        in their standard deviations. Then ``"z"`` is z itself, ``"n"`` the normal distribution function of z, and
        ``"u"`` A z + B. ``"e"`` is the share of the reference scores that are at most as high (empirical), and
        ``"m"`` is the same with equal reference scores counted by half (mid-rank).
    A, B : float
        Of ``"u"``: A is the standard deviation and B the mean that the reference runs get.
    censor : bool
        Of ``"u"``: if True, scores below 0 become 0, and scores above 1 become 1.

    Returns
    -------
    ScoreTable
        The scores on all topics of the table, by those of its measures that the factors have. A score is NaN if
        it is missing, if its topic has no factors, or if it is not defined because all reference runs have the
        same score on the topic.

    Raises
    ------
    InputError
        If the scheme is unknown, if it needs reference scores and the factors do not have them, if the table
        and the factors have no topic or no measure in common, or if the scores are standardized already.

    Warns
    -----
    InputWarning
        If the factors were made from other judgments, or with other options, than the scores; if only the factors
        or only the scores name them; if many topics of the factors are not in the scores; if scores by some
        measures have no factors; if the scores or the reference scores seem to be rounded, and the others do not;
        if a measure looks beyond the end of a system that is shorter than others, or of all systems; if the
        systems, or the references, have different or small shares of judged documents; if there are few or equal
        references; if scores are left out, such as those on topics without factors; or if many scores by N or U are
        at the ends of the scale.
        ``warnings.simplefilter("error", InputWarning)`` makes warnings errors.

    Examples
    --------
    >>> scores = [[[score / 10]] for score in range(10)]
    >>> table = ScoreTable(tuple("abcdefghij"), ("1",), ("map",), scores)
    >>> standardize(table).values.ravel().round(2)
    array([0.07, 0.12, 0.2 , 0.31, 0.43, 0.57, 0.69, 0.8 , 0.88, 0.93])
    """
    check_scores_table(table)
    already = next((name for name in table.measures if split_scheme(name)[0]), None)
    if already is not None:
        raise InputError(f"{already} is standardized already, expected raw scores")
    used = fit_factors(table) if factors is None else factors
    scored = standardized(table, used, scheme, A=A, B=B, censor=censor)
    letter = scheme_letter(scheme)
    raw = table.select(measures=common_measures(table.measures, used))
    left_out = {letter: left_out_topics(used, raw.topics, raw.measures, letter, censor=censor)}
    for message in (
        *_about_table(table, factors),
        *_about_unused_scale(letter, A, B, censor=censor),
        *about_unusual_scale([scheme], A, B, censor=censor),
        *about_standardized(raw, used, {letter: scored}, left_out, is_own=factors is None),
        *about_ends_of_scale(scored),
        *about_extreme_scores(scored, B),
    ):
        warnings.warn(message, InputWarning, stacklevel=2)
    scheme_used = scheme_with_parameters(letter, A, B, censor)
    standardization = Standardization(
        (scheme_used,), _fit_of_factors(table, factors), _references(raw, used), named_measures(raw.measures)
    )
    told = replace(scored, origins=table.origins, qrels=table.qrels, n_signed=table.n_signed)
    return replace(told, standardization=standardization)


def _references(raw: ScoreTable, factors: Factors) -> References:
    """Return the references of the factors that standardized raw scores, as a signature names them."""
    # all judged topics, so that systems with missing topics have the signature of those that have all
    topics = tuple({*raw.topics, *raw.origins})
    numbers = numbers_of_references(factors, topics, raw.measures)
    digest = factors_digest(factors, topics, raw.measures)
    return References(digest, int(numbers.min()), int(numbers.max()))


def _about_unused_scale(letter: str, A: float, B: float, *, censor: bool) -> Iterator[str]:
    """Yield a message if A, B or censor is given although the scheme does not use it."""
    if letter != "U" and (A, B, censor) != USUAL_SCALE:
        yield f"A, B and censor change only scores by U, and these scores are by {letter}"


def _about_table(table: ScoreTable, factors: Factors | None) -> Iterator[str]:
    """Yield messages about scores whose standardized scores may mislead."""
    yield from about_ranked(table.measures, table)
    yield from about_counted_zeros(table)
    if factors is None:
        yield from about_rounded([table])
    else:
        different = _about_origins(table, factors)
        unknown = undecided_factors_origins(factors, table)
        without = _without_factors(table.measures, factors)
        yield from filter(None, (different, unknown, without, about_uneven_references(factors)))
        yield from about_missing_factor_topics(factors, table)
        yield from about_used_references(table, factors, judged_only=is_judged_only(table))
        if factors.reference is not None:
            yield from about_rounded([table, factors.reference])


def _fit_of_factors(table: ScoreTable, factors: Factors | None) -> tuple[str, ...]:
    """Return the field of a signature which says that factors have, or may have, other judgments or options."""
    if factors is None:
        return ()
    return fit_of_factors(_about_origins(table, factors), undecided_factors_origins(factors, table))


def _about_origins(table: ScoreTable, factors: Factors) -> str | None:
    return difference_of_origins(factors, table.measures, table.origins, table.qrels)


def _without_factors(measures: Sequence[str], factors: Factors) -> str | None:
    """Return a sentence about measures without factors, except counts; None if there are none."""
    without = [name for name in measures if name not in factors.measures and kind_of(name) == "score"]
    return f"no factors for {counted(len(without), 'measure')} (e.g. '{without[0]}'): left out" if without else None
