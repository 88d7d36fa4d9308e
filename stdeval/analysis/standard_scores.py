"""The standardized scores of a table, as `stdeval standardize` prints them."""

from __future__ import annotations

from dataclasses import replace

from stdeval import notices
from stdeval.errors import InputError, warn
from stdeval.measures.facts import kind_of
from stdeval.measures.names import split_scheme
from stdeval.provenance import Standardization, factors_digest, fit, scheme_with_parameters, signed_measures
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import common_measures, differences_of, fit_factors, numbers_of_references
from stdeval.standardization.schemes import scheme_letter
from stdeval.standardization.standardizing import facts_about, left_out_topics
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
        See the section WARNINGS of stdeval(1). ``warnings.simplefilter("error", InputWarning)`` makes it an error.

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
    numbers = numbers_of_references(used, raw.topics, raw.measures)
    facts = facts_about(raw, {letter: scored}, left_out, numbers)
    differing = [] if factors is None else differences_of(factors, table, table.origin)
    without = [name for name in table.measures if name not in raw.measures and kind_of(name) == "score"]
    warn(
        notices.other_origin(differing, "factors"),
        notices.topics_without_factors(facts.without, len(raw.topics)),
        notices.measures_without_factors(without),
        notices.few_references(facts.n_references, [letter]),
        notices.equal_references(facts.equal, len(raw.topics), facts.letters),
        notices.extreme_scores(*facts.extreme),
    )
    # all judged topics, so that systems with missing topics have the signature of those that have all
    topics = {*raw.topics, *raw.origin.judgments, *raw.origin.options}
    counted = numbers_of_references(used, tuple(topics), raw.measures)
    standardization = Standardization(
        (scheme_with_parameters(letter, A, B, censor),),
        () if factors is None else fit(differing, factors, table),
        factors_digest(used, topics, raw.measures),
        int(counted.min()),
        int(counted.max()),
        signed_measures(raw.measures),
    )
    return replace(scored, origin=replace(table.origin, standardization=standardization))
