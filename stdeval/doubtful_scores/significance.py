"""Tests of differences that may mislead: those that cannot be significant, or that other tests contradict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from math import comb, log2

import numpy as np

from stdeval.display import counted, listed, shown_pvalue
from stdeval.doubtful_scores.intervals import about_equal_scores
from stdeval.measures.facts import is_better_higher, kind_of
from stdeval.measures.names import split_scheme
from stdeval.noise import is_significant
from stdeval.stats.corrections import TukeyTest, bonferroni
from stdeval.stats.pairwise import Design, compare_systems
from stdeval.stats.significance import Comparison, pairs
from stdeval.table import Bools, Floats, Ints, ScoreTable


def about_pairs(compared: Mapping[str, tuple[Comparison, Floats]], design: Design, alpha: float) -> Iterator[str]:
    """Yield messages about comparisons of pairs.

    Parameters
    ----------
    compared : mapping of str to (Comparison, ndarray)
        By measure, the comparisons of the pairs and their adjusted p-values, see
        `stdeval.stats.pairwise.compare_measures`.
    design : Design
    alpha : float
    """
    comparisons = [comparison for comparison, _ in compared.values()]
    yield from about_untested(np.isnan(np.concatenate([comparison.pvalue for comparison in comparisons])))
    yield from about_unreachable(compared, design, alpha)
    yield from about_drawn_pvalues(compared, design, alpha)
    if design.test in ("t", "bootstrap"):
        yield from about_few_topics(comparisons, alpha, [adjusted for _, adjusted in compared.values()])
    yield from about_equal_scores(comparisons, design.confidence)
    yield from about_contradicted_means(compared, design, alpha)
    if design.correction == "tukey":
        pvalues = (
            (comparison.pvalue, adjusted, float(np.asarray(comparison.smallest, dtype=float).min()))
            for comparison, adjusted in compared.values()
        )
        yield from about_disagreement(pvalues, design.test, alpha)


def about_unpaired_topics(table: ScoreTable, first: Ints, second: Ints) -> Iterator[str]:
    """Yield messages about unpaired tests of runs with common topics, or of raw scores on different topics.

    Parameters
    ----------
    table : ScoreTable
    first, second : ndarray of int, shape (n_pairs,)
        The indices of the systems of each pair.

    Examples
    --------
    >>> scores = np.array([[[0.5], [0.25]], [[0.1], [np.nan]]])
    >>> table, first, second = ScoreTable(("a", "b"), ("1", "2"), ("map",), scores), np.array([0]), np.array([1])
    >>> print(*about_unpaired_topics(table, first, second))  # doctest: +ELLIPSIS
    1 of 1 pair has topics in common (at most 1 of 2 topics), which an unpaired test treats ...
    """
    is_scored = ~np.isnan(table.values)
    # Files that are joined by column may have different topics.
    common = np.sum(is_scored[first] & is_scored[second], axis=1).max(axis=1, initial=0)
    if sharing := int((common > 0).sum()):
        of_pairs = (
            f"{sharing} of {counted(len(common), 'pair')} {'has' if sharing == 1 else 'have'} topics in common"
        )
        number = f"at most {common.max()} of {counted(len(table.topics), 'topic')}"
        harm = "a paired test of the same topics finds smaller differences"
        yield f"{of_pairs} ({number}), which an unpaired test treats as different: {harm}"
    raw = [measure for measure in table.measures if kind_of(measure) == "score" and not split_scheme(measure)[0]]
    n_topics = is_scored.any(axis=2).sum(axis=1)
    are_apart = 2 * common < np.maximum(n_topics[first], n_topics[second])
    if raw and (apart := int(are_apart.sum())):
        its = "its" if apart == 1 else "their"
        share = f"less than half of {its} topics" if common[are_apart].any() else "no topic"
        of_pairs = f"{apart} of {counted(len(common), 'pair')} {'has' if apart == 1 else 'have'} {share} in common"
        harm = "a difference may be due to the topics, and not to the runs; compare standardized scores"
        yield f"{of_pairs}, and the scores by {listed(raw)} are raw: {harm}"


def about_contradicted_means(
    compared: Mapping[str, tuple[Comparison, Floats]], design: Design, alpha: float
) -> Iterator[str]:
    """Yield a message if a test of signs or ranks is significant, and the worse mean is that with more wins.

    Parameters are those of `about_pairs`.
    """
    n, n_pairs = 0, 0
    for measure, (comparison, adjusted) in compared.items():
        if design.test not in ("sign", "wilcoxon") or comparison.wins is None or comparison.losses is None:
            continue
        better = comparison.difference if is_better_higher(measure) else -comparison.difference
        more_wins = comparison.wins - comparison.losses
        n += int((is_significant(adjusted, alpha) & (better * more_wins < 0)).sum())
        n_pairs += adjusted.size
    if n:
        verb = "is" if n == 1 else "are"
        found = f"{n} of {counted(n_pairs, 'comparison')} {verb} significant by the {design.test} test"
        yield f"{found}, although the run with the worse mean wins more topics: the test is not about means"


def about_untested(untested: Bools) -> Iterator[str]:
    """Yield a message about comparisons that are not tested, because they have too few topics."""
    n = int(untested.sum())
    if n:
        few = "has fewer than two topics; it is" if n == 1 else "have fewer than two topics; they are"
        yield f"{n} of {untested.size} comparisons {few} not tested"


def about_few_topics(
    comparisons: Sequence[Comparison], alpha: float, adjusted: Iterable[Floats | None] = repeat(None)
) -> Iterator[str]:
    """Yield messages about t or bootstrap tests that are significant, but rest on too few topics with a difference.

    Parameters
    ----------
    comparisons : sequence of Comparison
    alpha : float
    adjusted : iterable of ndarray or None
        The p-values that decide, if these are not those of the comparisons.
    """
    yield from about_equal_differences(comparisons, alpha)
    yield from about_few_differences(comparisons, alpha, adjusted)


def about_few_differences(
    comparisons: Iterable[Comparison], alpha: float, adjusted: Iterable[Floats | None] = repeat(None)
) -> Iterator[str]:
    """Yield a message about paired tests that are significant although few topics, at most half, have a difference.

    By a permutation test, k topics with a difference are significant only if 2 of 2^k permutations are.
    """
    numbers, n_pairs = list[int](), 0
    for comparison, decisive in zip(comparisons, adjusted, strict=False):
        pvalues = comparison.pvalue if decisive is None else decisive
        if comparison.ties is not None:
            n_different = comparison.n_a - comparison.ties
            few = (2 * n_different <= comparison.n_a) & ~is_significant(2.0 / 2.0**n_different, alpha)
            numbers += n_different[few & is_significant(pvalues, alpha)].tolist()
            n_pairs += n_different.size
    if numbers:
        are = (
            f"{len(numbers)} of {counted(n_pairs, 'comparison')} {'is' if len(numbers) == 1 else 'are'} significant"
        )
        found = f"{are} although hardly any topic has a difference (fewest: {min(numbers)})"
        yield f"{found}, too few for a permutation test: expected a measure that tells more rankings apart"


def about_equal_differences(comparisons: Iterable[Comparison], alpha: float) -> Iterator[str]:
    """Yield a message about t or bootstrap tests of nearly equal differences that are too few to prove anything.

    If all differences are equal, or each of two unpaired runs has the same score on all topics, p is as small as it
    can be, even for two topics.
    """
    numbers, n_pairs, what, nearly = list[int](), 0, "difference", ""
    for comparison in comparisons:
        is_paired = comparison.wins is not None
        what = what if is_paired else "score by each run"
        for n_a, n_b in np.stack([comparison.n_a, comparison.n_b], axis=-1)[
            np.abs(comparison.effect_size) >= _NEARLY_EQUAL
        ].tolist():
            # The p of a permutation test: only two of so many permutations are as extreme.
            n_permutations = 2**n_a if is_paired else comb(n_a + n_b, n_a)
            if not is_significant(2 / n_permutations, alpha):
                numbers.append(min(n_a, n_b))
                nearly = nearly if np.isinf(comparison.effect_size).any() else "nearly "
        n_pairs += comparison.effect_size.size
    if numbers:
        has = f"{len(numbers)} of {counted(n_pairs, 'comparison')} {'has' if len(numbers) == 1 else 'have'}"
        found = f"{has} {nearly}the same {what} on all topics (fewest: {min(numbers)})"
        yield f"{found}, so p is very small even for two topics; expected more topics"


_NEARLY_EQUAL = 100
"""Differences are nearly equal if their mean is at least a hundred times their standard deviation."""


def about_unreachable(
    compared: Mapping[str, tuple[Comparison, Floats]], design: Design, alpha: float
) -> Iterator[str]:
    """Yield a message about pairs that cannot differ significantly, because there are too few resamples or topics.

    Parameters
    ----------
    compared : mapping of str to (Comparison, ndarray)
        By measure, the comparisons of the pairs, and their adjusted p-values.
    design : Design
    alpha : float
    """
    smallest, stuck, n_pairs, is_drawn = dict[str, float](), 0, 0, False
    for measure, (comparison, adjusted) in compared.items():
        if comparison.smallest is None or comparison.ties is None:
            continue
        differing = (comparison.ties < comparison.n_a) & ~np.isnan(adjusted)
        possible = comparison.smallest[differing]
        cannot = ~is_significant(np.minimum(possible, adjusted[differing]), alpha)
        smallest |= {measure: float(possible.min())} if cannot.all() and cannot.size else {}
        stuck, n_pairs = stuck + int(cannot.sum()), n_pairs + cannot.size
        is_drawn |= design.draws and not _are_exact(comparison, design)[differing].all()
    if smallest:
        by = f" by {listed(list(smallest))}" if len(smallest) < len(compared) else ""
        least = list(smallest.values())
        yield _about_smallest(f"p_adjusted{by}", least, alpha, _remedies(design, min(least), is_drawn=is_drawn))
    elif stuck:
        have = "comparisons has" if stuck == 1 else "comparisons have"
        few = f"too few topics with different scores for a p_adjusted of at most {alpha:g}"
        yield f"{stuck} of {n_pairs} {have} {few}"


def about_drawn_pvalues(
    compared: Mapping[str, tuple[Comparison, Floats]], design: Design, alpha: float
) -> Iterator[str]:
    """Yield a message about p-values that are nearer to alpha than the error of the resamples drawn for them.

    Parameters
    ----------
    compared, design, alpha
        As for `about_unreachable`.
    """
    if not design.draws:
        return
    drawn = [
        adjusted[:, np.newaxis] * [1, 1]
        if design.correction == "tukey"
        else np.stack([comparison.pvalue, adjusted], axis=1)[~_are_exact(comparison, design)]
        for comparison, adjusted in compared.values()
    ]
    n_pairs = sum(len(adjusted) for _, adjusted in compared.values())
    pvalues, of_pairs = np.concatenate(drawn).T
    yield from about_near_alpha(pvalues, of_pairs, n_pairs, design.n_resamples, alpha)


def _are_exact(comparison: Comparison, design: Design) -> Bools:
    """Return True for pairs whose permutations are all enumerated, because few topics differ."""
    ties = 0 if comparison.ties is None else comparison.ties
    return np.asarray((comparison.n_a - ties <= log2(design.n_resamples)) & (design.test == "permutation"))


def about_near_alpha(
    pvalues: Floats, adjusted: Floats, n_pairs: int, n_resamples: int, alpha: float
) -> Iterator[str]:
    """Yield a message about p-values that are nearer to alpha than twice their Monte Carlo standard error.

    Parameters
    ----------
    pvalues, adjusted : ndarray, shape (n_drawn,)
        Those from resamples that were drawn at random, and adjusted for the number of pairs; NaN is missing.
    n_pairs : int
        The number of all pairs.
    n_resamples : int
    alpha : float

    Examples
    --------
    >>> pvalues = np.array([0.047, 0.3])
    >>> print(*about_near_alpha(pvalues, pvalues, 2, 10_000, 0.05))  # doctest: +NORMALIZE_WHITESPACE
    p of 1 of 2 comparisons (e.g. 0.047, error 0.0042) is too near to 0.05 for 10000 resamples: another seed
    may decide otherwise, more resamples tell
    """
    error = 2 * np.sqrt(pvalues * (1 - pvalues) / n_resamples) * adjusted / pvalues
    near = np.flatnonzero(np.abs(adjusted - alpha) <= error)
    if len(near):
        is_or_are = "is" if len(near) == 1 else "are"
        example = f"e.g. {shown_pvalue(adjusted[near[0]], alpha)}, error {error[near[0]]:.2g}"
        found = (
            f"p of {len(near)} of {counted(n_pairs, 'comparison')} ({example}) {is_or_are} too near to {alpha:g}"
        )
        yield f"{found} for {n_resamples} resamples: another seed may decide otherwise, more resamples tell"


def about_chosen_baseline(n_ranked: int, instead: str) -> Iterator[str]:
    """Yield a message about a baseline that is the best of several runs by the scores that are compared with it.

    Parameters
    ----------
    n_ranked : int
        The number of runs from which it was chosen. A two-sided test of two runs does not depend on the choice.
    instead : str
        The option of a test that holds for all pairs of runs.

    Examples
    --------
    >>> print(*about_chosen_baseline(40, "--correction tukey"))  # doctest: +NORMALIZE_WHITESPACE
    the baseline is the best of 40 runs by the scores that are compared with it: equally good runs differ from it
    more often than the level says (expected --baseline, or --correction tukey)
    """
    if n_ranked > 2:
        found = f"the baseline is the best of {n_ranked} runs by the scores that are compared with it"
        often = "equally good runs differ from it more often than the level says"
        yield f"{found}: {often} (expected --baseline, or {instead})"


def about_unreachable_by_tukey(tests: Iterable[TukeyTest], alpha: float) -> Iterator[str]:
    """Yield a message if no two runs can differ significantly by Tukey's test, for the same reasons."""
    unreachable = [test for test in tests if test.ranges[-1] > 0 and not is_significant(test.smallest, alpha)]
    if unreachable:
        smallest = [test.smallest for test in unreachable]
        # On few topics, many permutations have the largest range, however many are drawn.
        are_few_draws = any(test.smallest < 2 / (len(test.ranges) + 1) for test in unreachable)
        more = "more --resamples or " if are_few_draws else ""
        told = _about_smallest("p of Tukey's test", smallest, alpha, f"{more}more topics")
        # If there are few different ranges, no quantile is greater than the greatest of them.
        yield f"{told}; its {100 * (1 - alpha):g}% intervals hold the true difference less often than that"


def about_tukey(tests: Iterable[tuple[Floats, TukeyTest]], alpha: float) -> Iterator[str]:
    """Yield messages about pairs of systems for which another seed, or the t test, may give another decision.

    Parameters
    ----------
    tests : iterable of (ndarray, TukeyTest)
        Scores of the systems that are tested, shape (n_systems, n_topics), and their test.
    alpha : float
    """
    pvalues, n_resamples = [], 0
    for scores, test in tests:
        first, second = pairs(len(scores))
        comparison, _ = compare_systems(scores, first, second, Design())
        pvalues.append((comparison.pvalue, test.pvalues[first, second], test.smallest))
        n_resamples = len(test.ranges)
    reachable = [of_pairs for _, of_pairs, smallest in pvalues if is_significant(smallest, alpha)]
    if reachable:
        joint = np.concatenate(reachable)
        yield from about_near_alpha(joint, joint, len(joint), n_resamples, alpha)
    yield from about_disagreement(pvalues, "t", alpha)


def about_disagreement(pvalues: Iterable[tuple[Floats, Floats, float]], test: str, alpha: float) -> Iterator[str]:
    """Yield a message about pairs about which Tukey's test and each pair's own test disagree.

    Tukey's test compares every difference with the range of all systems, however much or little the differences of
    a pair vary over topics. So its decision depends on the systems that stand beside the pair.

    Parameters
    ----------
    pvalues : iterable of (ndarray, ndarray, float)
        By each measure, the p-values of the pairs by their own test and by Tukey's, with NaN for missing ones, and
        the smallest p that Tukey's test can have. If that is above alpha, the tests are not compared.
    test : str
        The name of the pairs' own test.
    alpha : float
    """
    n_missed, n_only, n_pairs = 0, 0, 0
    for every_own, every_joint, smallest in pvalues:
        tested = ~(np.isnan(every_own) | np.isnan(every_joint))
        own, joint = every_own[tested], is_significant(every_joint[tested], alpha)
        if own.size < 2 or not is_significant(smallest, alpha):
            continue
        n_missed += int((is_significant(bonferroni(own), alpha) & ~joint).sum())
        n_only += int((joint & ~is_significant(own, alpha)).sum())
        n_pairs += own.size
    unlike = {
        f"by the {test} test with the Bonferroni correction, but not by Tukey's test": n_missed,
        f"by Tukey's test, but not by the {test} test alone": n_only,
    }
    for found, n in unlike.items():
        if n:
            verb = "is" if n == 1 else "are"
            why = "Tukey's compares each with the range of all runs, so that a run unlike the others changes it"
            yield f"{n} of {counted(n_pairs, 'comparison')} {verb} significant {found}: {why}"


def _about_smallest(p: str, smallest: Sequence[float], alpha: float, expected: str) -> str:
    told = f"the smallest possible {p} is {shown_pvalue(min(smallest), alpha)}, above alpha {alpha:g}"
    return f"{told}: expected {expected}"


def _remedies(design: Design, smallest: float, *, is_drawn: bool) -> str:
    """Return the changes with which pairs could differ significantly, if p is at least the smallest now."""
    # On few topics, many permutations have the largest range of Tukey's test, however many are drawn.
    are_few_draws = design.correction != "tukey" or smallest < 2 / (design.n_resamples + 1)
    more = ["more --resamples"] if is_drawn and are_few_draws else []
    fewer = ["fewer pairs"] if design.correction not in ("none", "tukey") else []
    other = "test" if design.correction == "none" else "correction"
    return f"{', '.join([*more, *fewer, 'more topics'])} or another {other}"
