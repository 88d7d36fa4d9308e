"""Score standardization: each topic's scores on the scale of what reference systems achieved there.

The schemes are rows of ``SCHEMES``; every one is a pure function of arrays whose last two axes are
(topics, measures), or of anything that broadcasts.

References
----------
W. Webber, A. Moffat, J. Zobel. Score standardization for inter-collection comparison of retrieval
systems. SIGIR 2008. (Z, N)

T. Sakai. A simple and effective approach to score standardisation. ICTIR 2016. (U)

J. Urbano, H. Lima, A. Hanjalic. A new perspective on score standardization. SIGIR 2019. (E)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError, InputWarning
from stdeval.stats.moments import moments
from stdeval.table import Factors, Floats, ScoreTable

FEW_REFERENCES = 10
"""Below this number of reference systems, rankings by standardized scores are unreliable (Webber 2008, Fig. 4)."""


def zscores(scores: Floats, mean: Floats, sd: Floats) -> Floats:
    """(x - mean) / sd: Webber 2008, equation 1, and trec_eval -Z; unbounded.

    Where sd is 0 the reference scores are all equal: 0 for a score equal to them, NaN for any other.

    Examples
    --------
    >>> zscores(np.array([0.4, 0.2]), np.array([0.3, 0.2]), np.array([0.1, 0.0]))
    array([1., 0.])
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (scores - mean) / sd
    return np.where(sd == 0, np.where(scores == mean, 0.0, np.nan), z)


def normal_scores(scores: Floats, mean: Floats, sd: Floats) -> Floats:
    """Phi(z), the standard normal distribution function of the z score: Webber 2008, equation 2; in (0, 1)."""
    from scipy.special import ndtr

    result: Floats = ndtr(zscores(scores, mean, sd))
    return result


def uniform_scores(
    scores: Floats, mean: Floats, sd: Floats, A: float = 0.15, B: float = 0.5, censor: bool = True
) -> Floats:
    """A z + B, censored to [0, 1]: Sakai 2016.

    Parameters
    ----------
    scores, mean, sd : ndarray
        As for `zscores`.
    A, B : float
        Slope and mean of the standardized scores.
    censor : bool
        Whether what leaves [0, 1] is put back on its edge.
    """
    u = A * zscores(scores, mean, sd) + B
    return np.clip(u, 0.0, 1.0) if censor else u


def empirical_scores(scores: Floats, reference: Floats) -> Floats:
    """The share of reference scores that are at most x: Urbano 2019, equation 7; in [0, 1].

    Parameters
    ----------
    scores : ndarray, shape (n_systems, ...)
    reference : ndarray, shape (n_references, ...)
        NaN is missing, and not counted.

    Examples
    --------
    >>> empirical_scores(np.array([[0.2], [0.5]]), np.array([[0.1], [0.2], [0.4], [0.5]]))
    array([[0.5],
           [1. ]])
    """
    flat = scores.reshape(len(scores), -1)
    ordered = np.sort(reference.reshape(len(reference), -1), axis=0)
    n = np.sum(~np.isnan(ordered), axis=0)
    share = np.full_like(flat, np.nan)
    for t in np.flatnonzero(n):
        share[:, t] = np.searchsorted(ordered[: n[t], t], flat[:, t], side="right") / n[t]
    return np.where(np.isnan(flat), np.nan, share).reshape(scores.shape)


@dataclass(frozen=True)
class Scheme:
    """A standardization scheme: its letter, which names columns and lines, and what it is."""

    letter: str
    title: str
    moments_function: Callable[..., Floats] | None


SCHEMES = {
    scheme.letter: scheme
    for scheme in (
        Scheme("Z", "(x - mean) / sd", zscores),
        Scheme("N", "normal distribution function of the z score", normal_scores),
        Scheme("U", "A z + B, censored to [0, 1]", uniform_scores),
        Scheme("E", "share of reference scores at most x", None),
    )
}


def apply_scheme(
    letter: str, scores: Floats, mean: Floats, sd: Floats, reference: Floats | None = None, **parameters: float
) -> Floats:
    """Scores by the scheme of that letter; ``parameters`` are A, B and censor, of U alone."""
    scheme = SCHEMES[letter]
    if scheme.moments_function is not None:
        return scheme.moments_function(scores, mean, sd, **(parameters if letter == "U" else {}))
    if reference is None:
        raise InputError("scheme e needs the reference scores themselves, not only their means and deviations")
    return empirical_scores(scores, reference)


def fit_factors(table: ScoreTable) -> Factors:
    """Standardization factors from the scores of reference systems.

    Parameters
    ----------
    table : ScoreTable
        Scores of at least two systems, which the factors keep, for scheme E; a missing score is left out of
        its topic's factors.

    Raises
    ------
    InputError
        If there are fewer than two systems.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))
    >>> fit_factors(table).mean, fit_factors(table).sd.round(4)
    (array([[0.5]]), array([[0.3536]]))
    """
    check_references(len(table.systems))
    return Factors(table.topics, table.measures, *moments(table.values), table)


def check_references(n: int) -> None:
    """Refuse fewer than two reference systems."""
    if n < 2:
        raise InputError("one reference run, expected at least two: a standard deviation needs them")


def standardize(
    table: ScoreTable,
    factors: Factors | None = None,
    scheme: str = "N",
    *,
    A: float = 0.15,
    B: float = 0.5,
    censor: bool = True,
) -> ScoreTable:
    """Standardized scores of a table, measures named with the scheme's letter before them.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    factors : Factors, optional
        What to standardize with; None: the table is its own reference (self-standardized).
    scheme : {"Z", "N", "U", "E"}
        In either case of letters.
    A, B, censor
        Parameters of U, see `uniform_scores`.

    Returns
    -------
    ScoreTable
        The topics of the table, and those of its measures that the factors have. NaN where there is
        no score, no factor, or nothing but a reference without spread that the score does not equal.

    Raises
    ------
    InputError
        If the scheme is unknown, needs reference scores that the factors lack, or the table and the
        factors have no topic or no measure in common.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))
    >>> standardize(table, scheme="Z").values.ravel().round(4)
    array([-0.7071,  0.7071])
    """
    letter = scheme.upper()
    if letter not in SCHEMES:
        raise InputError(f"no scheme '{scheme}', expected one of: z, n, u, e")
    used = fit_factors(table) if factors is None else factors
    measures = common_measures(table.measures, used)
    values = table.select(measures=measures).values
    mean, sd = (align(array, used, table.topics, measures) for array in (used.mean, used.sd))
    reference = None
    if used.reference is not None:
        reference = align(used.reference.values, used, table.topics, measures)
    scored = apply_scheme(letter, values, mean, sd, reference, A=A, B=B, censor=censor)
    return ScoreTable(table.systems, table.topics, tuple(letter + name for name in measures), scored)


def common_measures(measures: Sequence[str], factors: Factors) -> tuple[str, ...]:
    """Those of the measures that the factors have, in their order; none is an `InputError`."""
    known = set(factors.measures)
    common = tuple(name for name in measures if name in known)
    if not common:
        raise InputError(
            f"no measure in common: the factors have {', '.join(factors.measures[:8])}, "
            f"the scores {', '.join(measures[:8])}"
        )
    return common


def align(array: Floats, factors: Factors, topics: Sequence[str], measures: Sequence[str]) -> Floats:
    """An array of the factors, (..., topics, measures), laid out for these topics; NaN where there are none."""
    row = {topic: i for i, topic in enumerate(factors.topics)}
    here = [(i, row[topic]) for i, topic in enumerate(topics) if topic in row]
    if not here:
        raise InputError(f"no topic in common: the factors have '{factors.topics[0]}', the scores '{topics[0]}'")
    columns = [factors.measures.index(name) for name in measures]
    laid = np.full((*array.shape[:-2], len(topics), len(measures)), np.nan)
    to, source = (list(side) for side in zip(*here, strict=True))
    laid[..., to, :] = array[..., source, :][..., columns]
    return laid


def warn_about_references(factors: Factors) -> None:
    """One `InputWarning` each for few references and for topics without spread."""
    most = int(factors.n.max(initial=0))
    if 0 < most < FEW_REFERENCES:
        warnings.warn(
            f"{most} reference runs: rankings by standardized scores are reliable from about "
            f"{FEW_REFERENCES} on (Webber 2008, Figure 4)",
            InputWarning,
            stacklevel=2,
        )
    constant = factors.sd == 0
    if constant.any():
        example = factors.topics[int(np.flatnonzero(constant.any(axis=1))[0])]
        warnings.warn(
            f"the reference scores are all equal for {int(constant.any(axis=1).sum())} of "
            f"{len(factors.topics)} topics (e.g. '{example}', {int(constant.sum())} factors in all): "
            "kept with sd 0",
            InputWarning,
            stacklevel=2,
        )


MAPPING_POINTS = 101
"""Raw scores at which `mapping_curves` evaluates a scheme."""


def mapping_curves(
    table: ScoreTable, factors: Factors, scheme: str, *, A: float = 0.15, B: float = 0.5, censor: bool = True
) -> list[Floats]:
    """Return the mapping of each topic from raw to standardized scores, by the one measure of a table.

    Parameters
    ----------
    table : ScoreTable
        Raw scores. Their range is mapped; it is 0 to 1 if all scores lie there.
    factors : Factors
    scheme : {"Z", "N", "U", "E"}
        In either case of letters.
    A, B, censor
        Parameters of U, see `uniform_scores`.

    Returns
    -------
    list of n_topics ndarrays, shape (n_points, 2)
        Raw and standardized scores, in ascending order. E is a step function, drawn with upright steps.

    Raises
    ------
    InputError
        If the scheme is unknown, or needs reference scores that the factors do not have.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))
    >>> mapping_curves(table, fit_factors(table), "Z")[0][[0, 50, 100]].round(3)
    array([[ 0.   , -1.414],
           [ 0.5  ,  0.   ],
           [ 1.   ,  1.414]])
    """
    letter = scheme.upper()
    if letter not in SCHEMES:
        raise InputError(f"no scheme '{scheme}', expected one of: z, n, u, e")
    mean, sd = (align(array, factors, table.topics, table.measures) for array in (factors.mean, factors.sd))
    present = table.values[~np.isnan(table.values)]
    in_unit = bool(((present >= 0) & (present <= 1)).all())
    ends = (0.0, 1.0) if in_unit else (float(present.min()), float(present.max()))
    raw = np.broadcast_to(np.linspace(*ends, MAPPING_POINTS)[:, None, None], (MAPPING_POINTS, *mean.shape))
    reference = None
    if factors.reference is not None:
        reference = align(factors.reference.values, factors, table.topics, table.measures)
        raw = _step_points(reference, ends) if letter == "E" else raw
    mapped = apply_scheme(letter, raw, mean, sd, reference, A=A, B=B, censor=censor)
    return list(np.stack([raw[:, :, 0].T, mapped[:, :, 0].T], axis=-1))


def _step_points(reference: Floats, ends: tuple[float, float]) -> Floats:
    """Return both sides of each step of the empirical distribution, in ascending order, between the ends."""
    edges = np.broadcast_to(np.array(ends)[:, None, None], (2, *reference.shape[1:]))
    # missing scores are no steps: they are put on the lower end, where a point is anyway
    known = np.where(np.isnan(reference), ends[0], reference)
    below = np.maximum(np.nextafter(known, -np.inf), ends[0])
    return np.sort(np.concatenate([edges, known, below]), axis=0)
