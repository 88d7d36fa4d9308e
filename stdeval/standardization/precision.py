"""How many digits of scores and factors are exact, which decides whether a score is that of all references."""

from __future__ import annotations

import math

import numpy as np

from stdeval.doubtful_scores.rounded_scores import exact_scores, is_rank_biased
from stdeval.measures.facts import has_long_scores
from stdeval.noise import DIGITS, MEAN_NOISE, SINGLE_DIGITS, Precision, are_single, have_few_digits
from stdeval.reference_factors import Factors
from stdeval.standardization.schemes import is_tiny
from stdeval.stats.exact_digits import exact_digits, without_float_noise
from stdeval.stats.rounding import are_all_short, few_decimals, few_digits, printed_decimals_of_all
from stdeval.table import Floats


def precision_of(factors: Factors, measure: str, scores: Floats) -> Precision:
    """Return the precision with which the scores of each system can be compared with the factors' means.

    It is needed where all reference scores are equal: 0.3333 then equals a mean of 1/3, and 1/3 one of 0.3333.

    Parameters
    ----------
    factors : Factors
    measure : str
    scores : ndarray, shape (n_systems, n_topics)
        Scores by the measure.

    Returns
    -------
    Precision
        That of the scores or of the factors, the lower one, in arrays of shape (n_systems,).

    Examples
    --------
    >>> factors = Factors(("1",), ("P_3",), np.array([[1 / 3]]), np.array([[0.0]]), np.array([[12]]))
    >>> precision_of(factors, "P_3", np.array([[0.3333, 1.0], [1 / 3, 1.0]]))
    Precision(decimals=array([ 4., inf]), digits=array([ 4, 12]))
    """
    k = factors.measures.index(measure)
    mean, sd = factors.mean[:, k], factors.sd[:, k]
    # A mean of equal scores has as many digits as they have.
    common = mean[is_tiny(mean, sd)][np.newaxis]
    decimals, digits = (np.full(len(scores), number) for number in factors.precision)
    for known in (common, scores) if common.size else ():
        own = _precision_of_systems(measure, known)
        decimals, digits = np.minimum(decimals, own.decimals), np.minimum(digits, own.digits)
    return Precision(decimals, digits)


def _precision_of_systems(measure: str, scores: Floats) -> Precision:
    """Return how many digits of each system's scores are exact; other systems make no difference.

    Parameters
    ----------
    measure : str
    scores : ndarray, shape (n_systems, n_topics)
        Scores by the measure; NaN is missing.

    Returns
    -------
    Precision
        Arrays of shape (n_systems,).

    Examples
    --------
    >>> _precision_of_systems("map", np.array([[0.3333, 0.1429, 1.0], [1 / 3, 1 / 7, 1.0]]))
    Precision(decimals=array([ 4., inf]), digits=array([ 4, 12]))
    >>> _precision_of_systems("map", np.array([[1 / 3, 1 / 7]], dtype=np.float32).astype(float))
    Precision(decimals=array([inf]), digits=array([6]))
    """
    places, digits = np.full(len(scores), np.inf), np.full(len(scores), DIGITS)
    # Most systems have at least one long score, and need no closer look.
    few = np.all(have_few_digits(scores) | np.isnan(scores), axis=1)
    for system in np.flatnonzero(few | are_all_short(scores)):
        places[system], digits[system] = _precision_of_one(measure, scores[system][np.newaxis])
    return Precision(places, digits)


def _precision_of_one(measure: str, given: Floats) -> tuple[float, int]:
    """Return how many decimals, and how many significant digits, of one system's scores are exact.

    Parameters
    ----------
    measure : str
    given : ndarray, shape (1, n_topics)
        Scores that are all short, or nearly so; NaN is missing.
    """
    scores = without_float_noise(given)
    are_floats = are_single(scores[~np.isnan(scores)]).all()
    if is_rank_biased(measure) and not are_floats and len(np.unique(scores)) < _FEW_SCORES:
        return math.inf, DIGITS
    digits = exact_digits(scores, may_be_halves=is_rank_biased(measure))
    if not np.allclose(given, scores, rtol=MEAN_NOISE, atol=0, equal_nan=True):
        digits = min(digits, SINGLE_DIGITS)
    if has_long_scores(measure):
        digits = few_digits(scores) or digits
    if places := printed_decimals_of_all(scores) or (few_decimals(scores) if has_long_scores(measure) else 0):
        return float(places), digits
    # Scores by P, success and recip_rank show that they are rounded, whatever their number of decimals.
    exact, _ = exact_scores(scores, measure)
    error = float(np.nanmax(np.abs(exact - scores), initial=0))
    return -math.log10(2 * error) if error and digits == DIGITS else math.inf, digits


_FEW_SCORES = 10
"""By rank-biased precision, fewer different scores may all be short by nature: 0.2 times 0.8^3 is 0.1024."""
