"""Pairs of systems compared by several measures, as rows of a listing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.stats.corrections import adjust, tukey_pvalues
from stdeval.stats.paired_tests import TESTS, Alternative
from stdeval.stats.significance import Comparison, compare, compare_unpaired
from stdeval.table import Floats, Ints, ScoreTable


@dataclass(frozen=True)
class Design:
    """How systems are compared: the test, what p is corrected by, and what is drawn at random.

    Parameters
    ----------
    test : str
        One of `stdeval.stats.paired_tests.TESTS`; with ``unpaired`` t only.
    unpaired, welch : bool
        Whether topics are not paired, and whether the variances may then differ.
    alternative : {"two-sided", "greater", "less"}
        With tukey two-sided only.
    correction : str
        One of `stdeval.stats.corrections.CORRECTIONS`; with ``unpaired`` not tukey.
    confidence : float
        Of the interval of the difference, in (0, 1).
    n_resamples, seed : int
        Of what is drawn at random.

    Raises
    ------
    InputError
        If these do not go together.
    """

    test: str = "t"
    unpaired: bool = False
    welch: bool = False
    alternative: Alternative = "two-sided"
    correction: str = "none"
    confidence: float = 0.95
    n_resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.unpaired and self.test != "t":
            raise InputError(f"the {self.test} test is of paired topics, expected the t test of unpaired ones")
        if self.welch and not self.unpaired:
            raise InputError("Welch's test is of unpaired topics, expected --unpaired too")
        if self.correction == "tukey" and (self.unpaired or self.alternative != "two-sided"):
            raise InputError(
                "tukey compares all systems on the same topics, two-sided: expected neither "
                "unpaired topics nor an alternative"
            )

    @property
    def draws(self) -> bool:
        """Whether anything is drawn at random."""
        return TESTS[self.test].draws or self.correction == "tukey"

    @property
    def name(self) -> str:
        """The test by name."""
        return ("welch" if self.welch else "student") if self.unpaired else self.test

    @property
    def described(self) -> str:
        """The whole design in words."""
        kind = "Welch's t test, unpaired" if self.welch else "Student's t test, unpaired"
        title = kind if self.unpaired else f"{TESTS[self.test].title}, paired"
        drawn = f"; {self.n_resamples} resamples, seed {self.seed}" if self.draws else ""
        corrected = f"; correction {self.correction}" if self.correction != "none" else ""
        tails = "two-sided" if self.alternative == "two-sided" else f"one-tailed ({self.alternative})"
        return f"{title}, {tails}{corrected}{drawn}"

    def generator(self) -> np.random.Generator:
        """A generator at its start, so that what is drawn does not depend on what was drawn before."""
        return np.random.default_rng(self.seed)


def compare_systems(scores: Floats, first: Ints, second: Ints, design: Design) -> tuple[Comparison, Floats]:
    """Pairs of systems by one measure.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_topics)
        NaN is missing.
    first, second : ndarray of int, shape (n_pairs,)
        Which systems make the pairs.
    design : Design

    Returns
    -------
    comparison : Comparison
        Arrays of shape (n_pairs,).
    adjusted : ndarray, shape (n_pairs,)
        p adjusted for the number of pairs.

    Raises
    ------
    InputError
        If in no pair there are two topics to compare on, or with tukey no topic that all systems have.

    Examples
    --------
    >>> scores = np.array([[0.1, 0.2, 0.4], [0.2, 0.4, 0.5], [0.5, 0.3, 0.9]])
    >>> found, adjusted = compare_systems(scores, *map(np.array, ([0, 0], [1, 2])), Design(correction="holm"))
    >>> found.pvalue.round(3), adjusted.round(3)
    (array([0.057, 0.109]), array([0.114, 0.114]))
    """
    a, b = scores[first], scores[second]
    if design.unpaired:
        found = compare_unpaired(a, b, welch=design.welch, alternative=design.alternative, level=design.confidence)
    else:
        found = compare(
            a,
            b,
            design.test,
            alternative=design.alternative,
            level=design.confidence,
            rng=design.generator(),
            n_resamples=design.n_resamples,
        )
    if design.correction == "tukey":
        return found, tukey_pvalues(scores, design.generator(), design.n_resamples)[first, second]
    return found, adjust(found.pvalue, design.correction)


def compare_measures(
    table: ScoreTable, first: Ints, second: Ints, design: Design
) -> dict[str, tuple[Comparison, Floats]]:
    """Pairs of systems by every measure of a table, each measure a family of its own.

    Parameters and what is returned for each measure as for `compare_systems`.

    Raises
    ------
    InputError
        With the measure by which there is too little to compare.
    """
    results = {}
    for measure in table.measures:
        try:
            results[measure] = compare_systems(table.measure(measure), first, second, design)
        except InputError as error:
            raise InputError(f"{measure}: {error.message}") from None
    return results
