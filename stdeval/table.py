"""Labelled arrays: the scores of systems, and the factors that standardize them.

A missing value is always NaN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.origins import Origins, QrelsDigest

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def rows_for(values: Floats, labels: Sequence[str], wanted: Sequence[str]) -> Floats:
    """Rows of `values` in the order of `wanted`, NaN where `labels` has no such row.

    Parameters
    ----------
    values : ndarray, shape (len(labels), ...)
        One row per label.
    labels : sequence of str
        The labels of the rows, each without repetition.
    wanted : sequence of str
        The labels of the rows to return.

    Returns
    -------
    ndarray, shape (len(wanted), ...)
        A new array of float64.

    Examples
    --------
    >>> rows_for(np.array([0.25, 0.75]), ["a", "b"], ["b", "c", "a"])
    array([0.75,  nan, 0.25])
    """
    row_of = {label: i for i, label in enumerate(labels)}
    places = [i for i, label in enumerate(wanted) if label in row_of]
    rows = np.full((len(wanted), *values.shape[1:]), np.nan)
    rows[places] = values[[row_of[wanted[i]] for i in places]]
    return rows


def _positions(labels: Sequence[str], wanted: Sequence[str], kind: str) -> list[int]:
    where = {label: i for i, label in enumerate(labels)}
    for label in wanted:
        if label not in where:
            raise InputError(f"no {kind} '{label}', expected one of: {listed(labels, 20)}")
    return [where[label] for label in wanted]


def _check_labels(labels: Sequence[str], kind: str) -> None:
    seen = set[str]()
    for label in labels:
        if label in seen:
            raise InputError(f"{kind} '{label}' appears twice, expected each {kind} once")
        seen.add(label)


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of systems on topics by measures.

    Parameters
    ----------
    systems, topics, measures : tuple of str
        Labels of the three axes, each without repetition.
    values : ndarray, shape (n_systems, n_topics, n_measures)
        Scores as float64; NaN where a system has no score for the topic.
    origins : mapping of str to Origin, optional
        Topic to origin, for scores from a file that gives their origin.
    unscored : tuple of str
        Measures of the file that the scores come from by which no system has a score. They are not in ``measures``.
    unretrieved : mapping of str to frozenset of str, optional
        System to the topics for which it retrieved no document, where they are known and have scores nevertheless.
    qrels : QrelsDigest, optional
        The judgments of all topics, for scores from a file with a signature.

    Raises
    ------
    InputError
        If a label appears twice or the shape does not fit the labels.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    origins: Origins = field(default_factory=dict)
    unscored: tuple[str, ...] = ()
    unretrieved: Mapping[str, frozenset[str]] = field(default_factory=dict)
    qrels: QrelsDigest | None = None

    def __post_init__(self) -> None:
        for labels, kind in ((self.systems, "system"), (self.topics, "topic"), (self.measures, "measure")):
            _check_labels(labels, kind)
        shape = (len(self.systems), len(self.topics), len(self.measures))
        if self.values.shape != shape:
            raise InputError(f"scores of shape {self.values.shape}, expected {shape}")

    def measure(self, name: str) -> Floats:
        """Scores by one measure, shape (n_systems, n_topics)."""
        return self.values[:, :, _positions(self.measures, [name], "measure")[0]]

    def select(
        self,
        systems: Sequence[str] | None = None,
        topics: Sequence[str] | None = None,
        measures: Sequence[str] | None = None,
    ) -> ScoreTable:
        """Return the table of the given labels, in the order given; None keeps an axis as it is."""
        keep_s = list(self.systems if systems is None else systems)
        keep_t = list(self.topics if topics is None else topics)
        keep_m = list(self.measures if measures is None else measures)
        rows = np.ix_(
            _positions(self.systems, keep_s, "system"),
            _positions(self.topics, keep_t, "topic"),
            _positions(self.measures, keep_m, "measure"),
        )
        labels = tuple(keep_s), tuple(keep_t), tuple(keep_m)
        return ScoreTable(*labels, self.values[rows], self.origins, unretrieved=self.unretrieved, qrels=self.qrels)


@dataclass(frozen=True, eq=False)
class Factors:
    """Standardization factors: mean and spread of the reference systems' scores on each topic.

    Parameters
    ----------
    topics, measures : tuple of str
        Labels of the two axes.
    mean, sd : ndarray, shape (n_topics, n_measures)
        Mean and sample standard deviation (divisor n - 1) of the reference scores; NaN where there are
        none. An sd of exactly 0 means that the reference scores are all equal, unless numbers are rounded.
    n : ndarray of int, shape (n_topics, n_measures)
        Number of reference systems; 0 if it is unknown.
    reference : ScoreTable, optional
        The reference scores themselves, which scheme E needs.
    decimals : int, optional
        Number of decimals of the means in the file from which the factors were read; None if they are in full
        precision.
    rounded : bool
        True if the standard deviations were rounded. A standard deviation of 0 may then have been a small one.
    origins : mapping of str to Origin, optional
        Topic to the origin of its factors, where it is known.

    Raises
    ------
    InputError
        If a label appears twice or a shape does not fit the labels.
    """

    topics: tuple[str, ...]
    measures: tuple[str, ...]
    mean: Floats
    sd: Floats
    n: Ints
    reference: ScoreTable | None = None
    decimals: int | None = None
    rounded: bool = False
    origins: Origins = field(default_factory=dict)

    @property
    def known_sd(self) -> Floats:
        """The standard deviations, shape (n_topics, n_measures), NaN where rounding made them 0."""
        return np.where(self.sd == 0, np.nan, self.sd) if self.rounded else self.sd

    def __post_init__(self) -> None:
        _check_labels(self.topics, "topic")
        _check_labels(self.measures, "measure")
        shape = (len(self.topics), len(self.measures))
        for name in ("mean", "sd", "n"):
            if getattr(self, name).shape != shape:
                raise InputError(f"factors ({name}) of shape {getattr(self, name).shape}, expected {shape}")
