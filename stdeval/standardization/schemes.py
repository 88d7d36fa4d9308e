"""The standardization schemes, which place a score on the scale of the reference systems' scores on the same topic.

The schemes are the rows of ``SCHEMES``. Each is a pure function of arrays whose last two axes are
(topics, measures), or of arrays that broadcast to these. stdeval/README.md lists
what a new scheme needs besides its row.

References
----------
W. Webber, A. Moffat, J. Zobel. Score standardization for inter-collection comparison of retrieval
systems. SIGIR 2008. (Z, N)

T. Sakai. A simple and effective approach to score standardisation. ICTIR 2016. (U)

J. Urbano, H. Lima, A. Hanjalic. A new perspective on score standardization. SIGIR 2019. (E; M is E with
mid-ranks for ties)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stdeval.errors import InputError
from stdeval.noise import decimals, rounded
from stdeval.table import Floats


def zscores(scores: Floats, mean: Floats, sd: Floats) -> Floats:
    """Return z scores (x - mean) / sd, which are unbounded (Webber 2008, equation 1, and trec_eval -Z).

    If sd is 0, all reference scores are equal, and every score is NaN, even one that equals them. So the choice of
    topics for a mean depends on the references only, and not on the scores of the runs.

    Examples
    --------
    >>> zscores(np.array([0.4, 0.2]), np.array([0.3, 0.2]), np.array([0.1, 0.0]))
    array([ 1., nan])
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(sd == 0, np.nan, (scores - mean) / sd)


def normal_scores(scores: Floats, mean: Floats, sd: Floats, places: int | None = None) -> Floats:
    """Return Phi(z), the standard normal distribution function of the z scores, in [0, 1].

    From Webber 2008, equation 2. If sd is 0, the score is the limit of Phi(z) for a small sd: 1 above the common
    value of the references, 0.5 at it, and 0 below.

    Parameters
    ----------
    scores, mean, sd : ndarray
        As for `zscores`.
    places : int, optional
        Number of decimals to which the means were rounded. If sd is 0, a score within half a unit of the last one
        counts as equal to the mean. In full precision (None), only arithmetic noise is ignored.
    """
    from scipy.special import ndtr  # slow to import, and factors can be fitted without it

    result: Floats = ndtr(zscores(scores, mean, sd))
    return _with_limits(result, scores, mean, sd, 0.5, places)


def uniform_scores(
    scores: Floats,
    mean: Floats,
    sd: Floats,
    A: float = 0.15,
    B: float = 0.5,
    censor: bool = True,
    places: int | None = None,
) -> Floats:
    """Return A z + B, censored to [0, 1] (Sakai 2016).

    If sd is 0, a censored score is the limit for a small sd: 1 above the common value of the references, B at it,
    and 0 below. An uncensored one is NaN, as a z score is.

    Parameters
    ----------
    scores, mean, sd : ndarray
        As for `zscores`.
    A, B : float
        Slope and intercept: standard deviation and mean of the references' standardized scores.
    censor : bool
        If True, scores below 0 become 0, and scores above 1 become 1.
    places : int, optional
        As for `normal_scores`.
    """
    u = A * zscores(scores, mean, sd) + B
    if not censor:
        return u
    return _with_limits(np.clip(u, 0.0, 1.0), scores, mean, sd, float(np.clip(B, 0.0, 1.0)), places)


def _with_limits(
    standardized: Floats, scores: Floats, mean: Floats, sd: Floats, middle: float, places: int | None
) -> Floats:
    """Return the standardized scores, replaced where sd is 0: by 1 above the mean, `middle` at it, and 0 below."""
    if not np.any(sd == 0):
        return standardized
    difference = scores - mean
    within = 0.5 * 10.0 ** -decimals(np.maximum(np.abs(scores), np.abs(mean)), axis=())
    if places is not None:
        # 0.33335 - 0.3333 is half a unit of the fourth decimal, but slightly more in binary
        within = np.maximum(within, 0.5 * 10.0**-places * (1 + 1e-9))
    limits = np.where(np.abs(difference) <= within, middle, np.where(difference > 0, 1.0, 0.0))
    return np.where((sd == 0) & ~np.isnan(difference), limits, standardized)


class ReferenceCounts(NamedTuple):
    """Numbers of reference scores in comparison with scores x, arrays of the same shape as the scores.

    Parameters
    ----------
    below, at_most : ndarray
        Number of reference scores below x, and of those that are at most x; NaN if x is missing.
    n : ndarray
        Number of reference scores; NaN if there are none.
    """

    below: Floats
    at_most: Floats
    n: Floats


def count_references(scores: Floats, reference: Floats) -> ReferenceCounts:
    """Count the reference scores below each score, and those at most as high, ignoring arithmetic noise.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, ...)
    reference : ndarray, shape (n_references, ...)
        Reference scores; NaN is missing and not counted.
    """
    places = decimals(reference, axis=0)
    # One row per topic and measure; NaN comes last, after the n reference scores.
    rows = np.ascontiguousarray(rounded(scores, places).reshape(len(scores), -1).T)
    ordered = np.sort(rounded(reference, places).reshape(len(reference), -1).T, axis=1)
    n = np.sum(~np.isnan(ordered), axis=1)
    below, at_most = np.full((2, *rows.shape), np.nan)
    for t in np.flatnonzero(n):
        below[t] = np.searchsorted(ordered[t, : n[t]], rows[t], side="left")
        at_most[t] = np.searchsorted(ordered[t, : n[t]], rows[t], side="right")
    missing = np.isnan(rows)
    below[missing] = at_most[missing] = np.nan
    known = np.broadcast_to(np.where(n, n, np.nan)[:, np.newaxis], rows.shape)
    return ReferenceCounts(
        *(np.ascontiguousarray(counts.T).reshape(scores.shape) for counts in (below, at_most, known))
    )


def empirical_scores(counts: ReferenceCounts) -> Floats:
    """Return the share of reference scores that are at most x, in [0, 1] (Urbano 2019, equation 7).

    Examples
    --------
    >>> empirical_scores(count_references(np.array([[0.2], [0.5]]), np.array([[0.1], [0.2], [0.4], [0.5]])))
    array([[0.5],
           [1. ]])
    """
    return counts.at_most / counts.n


def midrank_scores(counts: ReferenceCounts) -> Floats:
    """Return the share of reference scores below x plus half the share of those equal to x, in [0, 1].

    The mean of the references' own scores is exactly 1/2 on every topic, however many ties there are: their ranks,
    with mid-ranks for ties, are n times the score plus 1/2, and have the sum n (n + 1) / 2.

    Examples
    --------
    >>> midrank_scores(count_references(np.array([[0.2], [0.3]]), np.array([[0.1], [0.2], [0.2], [0.5]])))
    array([[0.5 ],
           [0.75]])
    """
    return (counts.below + counts.at_most) / (2 * counts.n)


@dataclass(frozen=True)
class Scheme:
    """A standardization scheme: its letter, which prefixes measures, its title, and its function.

    The function is one of the mean and the standard deviation of the reference scores, or one of the counts of
    reference scores, for which the reference scores themselves are needed.
    """

    letter: str
    title: str
    moments_function: Callable[..., Floats] | None = None
    counts_function: Callable[[ReferenceCounts], Floats] | None = None


SCHEMES = {
    scheme.letter: scheme
    for scheme in (
        Scheme("Z", "(x - mean) / sd", zscores),
        Scheme("N", "normal distribution function of the z score", normal_scores),
        Scheme("U", "A z + B, censored to [0, 1]", uniform_scores),
        Scheme("E", "share of reference scores at most x", counts_function=empirical_scores),
        Scheme("M", "share of reference scores below x, those equal to x by half", counts_function=midrank_scores),
    )
}


def check_scheme(scheme: object) -> None:
    """Raise an `InputError` unless this is the letter of a scheme, in upper or lower case."""
    if not (isinstance(scheme, str) and scheme.upper() in SCHEMES):
        raise InputError(f"no scheme '{scheme}', expected one of: {', '.join(SCHEMES).lower()}")


def needs_reference_scores(scheme: str) -> bool:
    """Return whether a scheme, or ``raw``, needs the reference scores themselves, not only their mean and sd.

    Examples
    --------
    >>> [needs_reference_scores(scheme) for scheme in ("raw", "N", "e", "m")]
    [False, False, True, True]
    """
    return scheme != "raw" and SCHEMES[scheme.upper()].counts_function is not None


def scheme_letter(scheme: str) -> str:
    """Return the letter that prefixes the names of measures: none for raw scores, else an upper-case letter.

    Examples
    --------
    >>> scheme_letter("raw"), scheme_letter("n")
    ('', 'N')
    """
    return "" if scheme == "raw" else scheme.upper()


def scheme_label(scheme: str) -> str:
    """Return the label of a scheme in listings and pictures: ``raw``, or an upper-case letter.

    Examples
    --------
    >>> scheme_label("raw"), scheme_label("n")
    ('raw', 'N')
    """
    return scheme_letter(scheme) or "raw"


def apply_scheme(
    letter: str,
    scores: Floats,
    mean: Floats,
    sd: Floats,
    reference: Floats | None = None,
    *,
    places: int | None = None,
    **parameters: float,
) -> Floats:
    """Return scores standardized by one scheme.

    Parameters
    ----------
    letter : {"Z", "N", "U", "E", "M"}
    scores : ndarray, shape (n_systems, ...)
        Raw scores.
    mean, sd : ndarray, shape (...)
        Moments of the reference scores.
    reference : ndarray, shape (n_references, ...), optional
        The reference scores themselves, which E and M need.
    places : int, optional
        Number of decimals of the means, see `normal_scores`.
    **parameters
        A, B and censor, see `uniform_scores`; the other schemes ignore them.

    Raises
    ------
    InputError
        If the scheme is E or M and there are no reference scores.
    """
    scheme = SCHEMES[letter]
    if scheme.moments_function is not None:
        limits = {} if letter == "Z" else {"places": places}
        return scheme.moments_function(scores, mean, sd, **limits, **(parameters if letter == "U" else {}))
    if reference is None or scheme.counts_function is None:
        what = f"scheme {letter.lower()} needs the reference scores themselves"
        raise InputError(f"{what}, not only their means and deviations")
    return scheme.counts_function(count_references(scores, reference))


def leaves_out_equal_references(scheme: str, censor: bool) -> bool:
    """Return whether a scheme, or ``raw``, has no score where references are equal: Z, and U unless it is censored.

    Examples
    --------
    >>> [leaves_out_equal_references(scheme, censor=True) for scheme in ("raw", "Z", "N", "U", "E")]
    [False, True, False, False, False]
    """
    letter = scheme_letter(scheme)
    return letter == "Z" or (letter == "U" and not censor)
