"""Factors: the mean and spread of the scores of reference systems on each topic, which standardize scores."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from stdeval.arrays import Floats, Ints
from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.labels import checked_labels
from stdeval.provenance import Origin
from stdeval.results import html_table
from stdeval.table import ScoreTable, checked_numbers, listed_measures, set_fields


@dataclass(frozen=True, eq=False)
class Factors:
    """Standardization factors: mean and spread of the reference systems' scores on each topic.

    Parameters
    ----------
    topics, measures : tuple of str
        Labels of the two axes.
    mean, sd : ndarray, shape (n_topics, n_measures)
        Mean and sample standard deviation (divisor n - 1) of the reference scores; NaN where there are
        none. An sd of 0 means that the reference scores are all equal, unless numbers are rounded. An sd of at most
        1e-7 of its mean becomes 0 unless there are reference scores: programs that sum squares compute 1e-8 of
        equal ones.
    n : ndarray of int, shape (n_topics, n_measures)
        Number of reference systems; 0 if it is unknown.
    reference : ScoreTable, optional
        The reference scores themselves, which scheme E needs.
    decimals : int, optional
        Number of decimals of the means in the file from which the factors were read; None if they are in full
        precision.
    rounded : bool
        True if the standard deviations were rounded. A standard deviation of 0 may then have been a small one.
    origin : Origin
        The judgments and options of the reference scores, as far as they are known.

    Raises
    ------
    InputError
        If a label appears twice or is not text, a shape does not fit the labels, or a standard deviation is
        negative.

    Examples
    --------
    >>> factors = Factors(("301",), ("map",), np.array([[0.5]]), np.array([[0.25]]), np.array([[10]]))
    >>> factors
    Factors(1 topic, 1 measure: map, 10 reference systems)
    """

    topics: tuple[str, ...]
    measures: tuple[str, ...]
    mean: Floats
    sd: Floats
    n: Ints
    reference: ScoreTable | None = None
    decimals: int | None = None
    rounded: bool = False
    origin: Origin = field(default_factory=Origin)

    @property
    def known_sd(self) -> Floats:
        """The standard deviations, shape (n_topics, n_measures), NaN where rounding made them 0."""
        return np.where(self.sd == 0, np.nan, self.sd) if self.rounded else self.sd

    def __post_init__(self) -> None:
        set_fields(
            self, topics=checked_labels(self.topics, "topic"), measures=checked_labels(self.measures, "measure")
        )
        shape = (len(self.topics), len(self.measures))
        for name in ("mean", "sd", "n"):
            numbers = checked_numbers(getattr(self, name), f"factors ({name})")
            if numbers.shape != shape:
                raise InputError(f"factors ({name}) of shape {numbers.shape}, expected {shape}")
            set_fields(self, **{name: numbers if name != "n" else numbers.astype(np.int64)})
        self.n.flags.writeable = False
        if (self.sd < 0).any():
            raise InputError(f"standard deviation {self.sd[self.sd < 0][0]:g}, expected numbers from 0")
        if self.reference is None:
            set_fields(self, sd=np.where(self.sd <= _NOISE_OF_SQUARES * np.abs(self.mean), 0.0, self.sd))
            self.sd.flags.writeable = False

    def __repr__(self) -> str:
        most = int(self.n.max(initial=0))
        known = f", {counted(most, 'reference system')}" if most else ""
        scores = ", with their scores" if self.reference is not None else ""
        return f"Factors({counted(len(self.topics), 'topic')}, {listed_measures(self.measures)}{known}{scores})"

    def _repr_html_(self) -> str:
        """The factors, as notebooks show them."""
        header = ["topic", "n", *(f"{name}.{part}" for name in self.measures for part in ("mean", "sd"))]
        pairs = np.stack([self.mean, self.sd], axis=2).reshape(len(self.topics), -1).tolist()
        most = self.n.max(axis=1, initial=0).tolist()
        rows = [[topic, n or math.nan, *row] for topic, n, row in zip(self.topics, most, pairs, strict=True)]
        return html_table(header, rows, repr(self))


_NOISE_OF_SQUARES = 1e-7
