"""Messages about reference runs: too few, repeated, equal, among the runs, or unlike them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from stdeval.display import counted, listed, shown_name
from stdeval.doubtful_scores.rankings import about_compared
from stdeval.noise import decimals, rounded
from stdeval.origins import References
from stdeval.reference_factors import Factors
from stdeval.standardization.doubtful_factors import about_uneven_references
from stdeval.standardization.factors import are_telling, n_repeated_systems
from stdeval.standardization.schemes import FEW_REFERENCES, SCHEMES, scheme_letter
from stdeval.table import Bools, Floats, Ints, ScoreTable


def about_references(factors: Factors, schemes: Sequence[str], n_repeated: int = 0) -> list[str]:
    """Return messages about few, uneven or repeated references, and about topics where their scores are all equal.

    Parameters
    ----------
    factors : Factors
    schemes : sequence of str
        The schemes for which the factors are meant.
    n_repeated : int
        Number of references with the scores of another one.
    """
    most = int(factors.n.max(initial=0))
    uneven = about_uneven_references(factors)
    return [
        *([] if uneven is None else [uneven]),
        *about_few_references(factors.n, schemes),
        *about_repeated_references(n_repeated, most),
        *about_equal_references(factors),
    ]


def about_fitted(factors: Factors, references: ScoreTable) -> Iterator[str]:
    """Yield messages about factors of means and standard deviations, and about the references that they are of."""
    yield from about_compared(references)
    schemes = [letter for letter, scheme in SCHEMES.items() if scheme.moments_function is not None]
    yield from about_references(factors, schemes, n_repeated_systems(references.values))


def about_repeated_references(n: int, n_references: int, noun: str = "reference run") -> list[str]:
    """Return a warning if more than a few runs, such as reference runs, have the scores of another run."""
    # Real tracks have a few pairs of runs that differ only in documents that no measure tells apart.
    if n < max(1, 0.1 * n_references):
        return []
    verb = "has" if n == 1 else "have"
    return [f"{n} of {n_references} {noun}s {verb} the scores of another one: they count several times"]


def about_copies(table: ScoreTable) -> list[str]:
    """Return a warning if compared runs have the scores of another run; for two runs, the comparison shows it.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    """
    n_runs = len(table.systems)
    return about_repeated_references(n_repeated_systems(table.values), n_runs, "run") if n_runs > 2 else []


def about_shared_references(reference: Floats, other: Floats) -> list[str]:
    """Return a message if two sets of references, each of shape (n_references, ...), share runs by their scores."""
    own = n_repeated_systems(reference) + n_repeated_systems(other)
    n = n_repeated_systems([*reference, *other]) - own
    if n == 0:
        return []
    are = "is" if n == 1 else "are"
    return [f"{counted(n, 'reference run')} {are} in both sets, by the scores: expected two sets of different runs"]


def about_own_references(table: ScoreTable, reference: ScoreTable) -> list[str]:
    """Return a message if systems have the scores of a reference run, or most scores of the one of their name.

    Such a system raises or lowers its own scale a little, so that it is not measured as the others are.

    Examples
    --------
    >>> scores = np.linspace(0.1, 0.9, 36).reshape(3, 12, 1)
    >>> topics = tuple(map(str, range(12)))
    >>> table, reference = (ScoreTable(tuple(runs), topics, ("map",), scores[:2]) for runs in ("ab", "xy"))
    >>> about_own_references(table, reference)
    []
    >>> print(*about_own_references(table.select(systems=["b"]), reference))
    1 of 1 run (e.g. 'b') has the scores of a reference run: its own scores are part of its scale
    """
    runs, others = _in_common(table, reference)
    exact = [
        system
        for system, scores in zip(runs.systems, runs.values, strict=True)
        if are_telling(scores) and any(np.array_equal(scores, other, equal_nan=True) for other in others.values)
    ]
    own = [system for system in runs.systems if system in exact or _is_another_version(system, runs, others)]
    if not own or len(own) == len(table.systems) == len(reference.systems):
        return []
    number = f"{len(own)} of {counted(len(table.systems), 'run')} (e.g. '{shown_name(own[0])}')"
    which = "the" if own == exact else "most"
    found = f"{number} {'has' if len(own) == 1 else 'have'} {which} scores of a reference run"
    whose = "its" if len(own) == 1 else "their"
    unlike = "" if len(own) == len(table.systems) else ", unlike those of the others"
    return [f"{found}: {whose} own scores are part of {whose} scale{unlike}"]


def _is_another_version(system: str, runs: ScoreTable, others: ScoreTable) -> bool:
    """Return True if most scores of a system are those of the reference run of its name."""
    if system not in others.systems:
        return False
    scores, other = (table.select(systems=[system]).values for table in (runs, others))
    equal = scores == other
    return bool(equal.sum() > equal.size / 2 and are_telling(scores[equal]))


_MANY_OUTSIDE = 0.2
"""A message tells if more than this share of the scores are outside the range of the reference scores."""


def about_ends_of_references(table: ScoreTable, reference: ScoreTable, letters: Sequence[str]) -> list[str]:
    """Return a message if many scores are outside the range of the reference scores, so that E and M are 0 or 1.

    Examples
    --------
    >>> scores = np.linspace(0.1, 0.9, 12).reshape(3, 4, 1)
    >>> names = ("a", "b", "c"), ("1", "2", "3", "4"), ("map",)
    >>> table, reference = ScoreTable(*names, scores + 0.3), ScoreTable(*names, scores)
    >>> print(*about_ends_of_references(table, reference, ["E"]))  # doctest: +NORMALIZE_WHITESPACE
    67% of the map scores are outside the range of the reference scores, where E is 0 or 1 and large differences are
    lost: the references are unlike the systems
    """
    runs, others = _in_common(table, reference)
    if not letters or not runs.values.size:
        return []
    places = decimals(np.concatenate([runs.values, others.values]))
    scores, references = (rounded(each.values, places) for each in (runs, others))
    known = ~np.isnan(scores) & ~np.isnan(references).all(axis=0)
    outside = (scores > np.fmax.reduce(references, axis=0)) | (scores < np.fmin.reduce(references, axis=0))
    shares = (known & outside).sum(axis=(0, 1)) / np.maximum(1, known.sum(axis=(0, 1)))
    if shares.max(initial=0) <= _MANY_OUTSIDE:
        return []
    where = f"{shares.max():.0%} of the {runs.measures[int(shares.argmax())]} scores are outside the range"
    by = f"{' and '.join(letters)} {'is' if len(letters) == 1 else 'are'} 0 or 1"
    why = "large differences are lost: the references are unlike the systems"
    return [f"{where} of the reference scores, where {by} and {why}"]


def _in_common(table: ScoreTable, reference: ScoreTable) -> tuple[ScoreTable, ScoreTable]:
    """Return two tables with the topics and measures that both have."""
    common = reference.select_known(reference.systems, table.topics, table.measures)
    return table.select(topics=common.topics, measures=common.measures), common


def about_repeated_runs(n: int, n_runs: int) -> list[str]:
    """Return a warning if runs have the scores of another run, although each is left out of its own references."""
    if not n:
        return []
    found = f"{n} of {counted(n_runs, 'run')} {'has' if n == 1 else 'have'} the scores of another one"
    so = "it is among its" if n == 1 else "they are among their"
    return [f"{found}: {so} own reference runs under another name (--leave-out group leaves out both)"]


_FEW_GROUPED = 0.1
"""If fewer than this share of the runs are in groups with other runs, the groups are probably wrong."""


def about_groups_of_one(groups: Sequence[str]) -> list[str]:
    """Return a warning if nearly every run is alone in its group, so that only the run itself is left out.

    Examples
    --------
    >>> print(*about_groups_of_one(["a", "b", "c"]))  # doctest: +NORMALIZE_WHITESPACE
    3 of 3 runs are alone in their groups: each is standardized by all other runs, as with --leave-out run; are
    the groups right?
    """
    n_runs = Counter(groups)
    alone = sum(n == 1 for n in n_runs.values())
    if len(groups) - alone >= _FEW_GROUPED * len(groups):
        return []
    others = "each is standardized by all other runs, as with --leave-out run"
    return [f"{alone} of {len(groups)} runs are alone in their groups: {others}; are the groups right?"]


def about_similar_groups(groups: Sequence[str]) -> list[str]:
    """Return a warning if names of groups differ only in case or punctuation: one team may count as two groups.

    Examples
    --------
    >>> print(*about_similar_groups(["UH_UAQ", "uh-uaq", "CMU"]))
    groups 'UH_UAQ' and 'uh-uaq' differ only in case or punctuation: are they one group?
    """
    spellings: dict[str, list[str]] = {}
    for group in sorted(set(groups)):
        spellings.setdefault(re.sub(r"[\W_]", "", group.casefold()), []).append(group)
    similar = [names for letters, names in spellings.items() if letters and len(names) > 1]
    if not similar:
        return []
    names = " and ".join(f"'{shown_name(name)}'" for name in similar[0])
    others = "" if len(similar) == 1 else f", and {counted(len(similar) - 1, 'other name')} too,"
    return [f"groups {names}{others} differ only in case or punctuation: are they one group?"]


def about_few_references(n: Ints, schemes: Sequence[str]) -> list[str]:
    """Return warnings about few reference runs, on all topics or on some.

    Parameters
    ----------
    n : ndarray of int, shape (n_topics, n_measures)
        The number of reference runs; 0 where there are no factors.
    schemes : sequence of str

    Examples
    --------
    >>> print(*about_few_references(np.array([[40], [9]]), ["n"]))
    1 of 2 topics has fewer than 10 reference runs (fewest: 9): scores standardized there are unreliable
    """

    def topics_with_fewer(limit: int) -> str:
        few = int(np.any((n > 0) & (n < limit), axis=1).sum())
        return f"{few} of {counted(len(n), 'topic')} {'has' if few == 1 else 'have'}"

    known = n[n > 0]
    return _about_few(int(known.min()), int(known.max()), schemes, topics_with_fewer) if known.size else []


def about_few_signed_references(references: References, schemes: Sequence[str]) -> list[str]:
    """Return warnings about few reference runs, by the numbers in a signature.

    Examples
    --------
    >>> print(*about_few_signed_references(References("fa61a204", 8, 40), ["n"]))
    some topics or runs have fewer than 10 reference runs (fewest: 8): scores standardized there are unreliable
    >>> print(*about_few_signed_references(References("fa61a204", 14, 40), ["n"]))  # doctest: +ELLIPSIS
    some topics or runs have at most half as many reference runs as others (14, up to 40): ...
    """
    fewest, most = references.fewest, references.most
    if not most:
        return []
    messages = _about_few(fewest, most, schemes, lambda _limit: "some topics or runs have")
    if not messages and 2 * fewest <= most:
        found = f"some topics or runs have at most half as many reference runs as others ({fewest}, up to {most})"
        messages = [f"{found}: their standardized scores are not on the scale of the others"]
    return messages


def _about_few(
    fewest: int, most: int, schemes: Sequence[str], topics_with_fewer: Callable[[int], str]
) -> list[str]:
    used = [SCHEMES[scheme_letter(scheme)] for scheme in schemes if scheme != "raw"]
    everywhere: list[str] = []
    somewhere: list[str] = []
    for limit in sorted({scheme.few_references for scheme in used}):
        is_least = limit == FEW_REFERENCES
        letters = " and ".join(scheme.letter for scheme in used if scheme.few_references == limit)
        if most < limit:
            by = "standardized scores" if is_least else letters
            rankings = f"those by {by}" if everywhere else f"rankings by {by} are reliable"
            everywhere.append(f"{rankings} from about {limit} on{' (Webber 2008, Figure 4)' if is_least else ''}")
        elif fewest < limit:
            found = f"{topics_with_fewer(limit)} fewer than {limit} reference runs (fewest: {fewest})"
            somewhere.append(
                f"{found}: scores standardized {'' if is_least else f'by {letters} '}there are unreliable"
            )
    number = counted(most, "reference run") if fewest == most else f"{fewest} to {most} reference runs"
    return [*([f"{number}: {', '.join(everywhere)}"] if everywhere else []), *somewhere]


def about_equal_references(
    factors: Factors, topics: Sequence[str] | None = None, measures: Sequence[str] | None = None
) -> list[str]:
    """Return a message about topics where all reference scores are equal, if there are any.

    Parameters
    ----------
    factors : Factors
    topics, measures : sequence of str, optional
        The topics and measures of the scores that are standardized; None for all of the factors.
    """
    asked = {*(factors.topics if topics is None else topics)}
    of_topics = np.array([topic in asked for topic in factors.topics], dtype=bool)
    of_measures = np.array([measures is None or name in measures for name in factors.measures], dtype=bool)
    constant = (factors.sd == 0) & of_topics[:, np.newaxis] & of_measures
    if not constant.any():
        return []
    found = numbers_of_topics(factors.topics, factors.measures, constant)
    return [f"the reference scores are all equal for {found}: kept with sd 0"]


def numbers_of_topics(topics: Sequence[str], measures: Sequence[str], chosen: Bools) -> str:
    """Return how many topics are chosen by each measure, with an example; measures without any are left out.

    Parameters
    ----------
    topics, measures : sequence of str
    chosen : ndarray of bool, shape (n_topics, n_measures)
    """
    return listed(
        [
            f"{number_of_topics(topics, of_measure)} by {measure}"
            for measure, of_measure in zip(measures, chosen.T, strict=True)
            if of_measure.any()
        ]
    )


def number_of_topics(topics: Sequence[str], chosen: Bools) -> str:
    """Return how many topics are chosen, and the first of them as an example."""
    return f"{int(chosen.sum())} of {len(topics)} topics (e.g. '{topics[int(np.argmax(chosen))]}')"
