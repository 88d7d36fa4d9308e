"""Messages about scores that standardization leaves out, scales that lose differences, and stored scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from stdeval.display import shown_name
from stdeval.doubtful_scores.rankings import FLATTERING, leaves_out_groups
from stdeval.errors import InputError
from stdeval.measures.names import split_scheme
from stdeval.origins import USUAL_SCALE
from stdeval.reference_factors import Factors
from stdeval.standardization.doubtful_factors import (
    about_ends_of_scale,
    about_extreme_scores,
    about_uneven_references,
)
from stdeval.standardization.doubtful_references import (
    about_ends_of_references,
    about_equal_references,
    about_few_references,
    about_few_signed_references,
    about_own_references,
    about_repeated_references,
    numbers_of_topics,
)
from stdeval.standardization.factors import n_repeated_systems, numbers_of_references
from stdeval.standardization.schemes import scheme_letter
from stdeval.table import Bools, ScoreTable

ABOUT_OTHER_FACTORS = "the scores were standardized with factors from other judgments or options than theirs"
"""The message about stored scores whose signature names such factors."""

_ABOUT_UNKNOWN_FACTORS = (
    "the scores were standardized with factors, and it was not known whether both have the same judgments and "
    "options"
)


def refuse_other_factors(table: ScoreTable, where: str | None = None) -> None:
    """Refuse stored scores that factors from other judgments or options standardized."""
    made = (part.standardization for part in table.parts if any(split_scheme(name)[0] for name in part.measures))
    if any(each is not None and each.has_other_factors for each in made):
        raise InputError(f"{ABOUT_OTHER_FACTORS}, expected factors from the same judgments and options", where)


def about_stored_standardization(table: ScoreTable) -> Iterator[str]:
    """Yield messages about scores that were standardized before they were stored.

    They are those of `stdeval standardize` about few reference runs, groups that are left out, the scale of U,
    scores at the ends of a scale, and topics that decide a mean, as far as the scores and their signature tell.
    """
    for part in table.parts:
        made = part.standardization
        letters = sorted({split_scheme(name)[0] for name in part.measures} - {""})
        A, B, censor = USUAL_SCALE if made is None else made.scale
        if letters and made is not None:
            yield from (ABOUT_OTHER_FACTORS,) if made.has_other_factors else ()
            yield from (_ABOUT_UNKNOWN_FACTORS,) if made.has_unknown_factors else ()
            yield from about_few_signed_references(made.references, letters)
            yield from about_unusual_scale(letters, A, B, censor=censor)
        yield from about_ends_of_scale(part, ("Z", "N", "U", "E", "M"))
        yield from about_extreme_scores(part, B)
    if leaves_out_groups(table):
        yield f"the scores were standardized with --leave-out group: {FLATTERING}"


def about_standardized(
    table: ScoreTable, used: Factors, tables: dict[str, ScoreTable], left_out: dict[str, Bools], *, is_own: bool
) -> list[str]:
    """Return messages about few or equal references, and about scores that standardization leaves out.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    used : Factors
        The factors that standardized them.
    tables : dict of str to ScoreTable
        By scheme, the standardized scores by the same measures.
    left_out : dict of str to ndarray of bool, shape (n_topics, n_measures)
        By scheme, see `stdeval.standardization.standardizing.left_out_topics`.
    is_own : bool
        The systems are their own references.
    """
    messages = about_few_references(numbers_of_references(used, table.topics, table.measures), list(tables))
    if used.reference is not None:
        reference = used.reference
        messages += [] if is_own else about_own_references(table, reference)
        counting = [scheme_letter(scheme) for scheme in tables if scheme_letter(scheme) in ("E", "M")]
        messages += about_ends_of_references(table, reference, counting)
        # With several collections, the reference runs of a topic are only those of its collection.
        messages += about_repeated_references(n_repeated_systems(reference.values), int(used.n.max(initial=0)))
    if np.any(list(left_out.values())):
        messages.append(about_left_out_topics(table, left_out, used.rounded))
    else:
        messages += about_equal_references(used, table.topics, table.measures)
    # Of factors that are read, a message tells when they are.
    if is_own and (uneven := about_uneven_references(used)) is not None:
        messages.append(uneven)
    return messages + about_left_out(table, used, tables, left_out)


_STEEPEST, _FLATTEST = 1, 10
"""The usual range of the distance from the reference mean to the nearer end of the scale of U, in standard
deviations: it is 3.3 if A is 0.15 and B is 0.5."""


def about_unusual_scale(schemes: Sequence[str], A: float, B: float, *, censor: bool) -> list[str]:
    """Return a message if U censors scores near the reference mean, or if all scores by U are nearly the same.

    Examples
    --------
    >>> about_unusual_scale(["U"], 0.15, 0.5, censor=True)
    []
    >>> print(*about_unusual_scale(["U"], 0.5, 0.15, censor=True))  # doctest: +NORMALIZE_WHITESPACE
    A 0.5 and B 0.15: scores by U are all 0 from 0.3 standard deviations below the reference mean on, and all 1 from
    1.7 above it on; expected A to be at most B and 1 - B, such as 0.15 and 0.5
    >>> print(*about_unusual_scale(["U"], 0.015, 0.5, censor=True))  # doctest: +NORMALIZE_WHITESPACE
    A 0.015 and B 0.5: scores by U change by only 0.015 per standard deviation, so that most are near 0.5; expected
    A to be at least a tenth of B and of 1 - B, such as 0.15 and 0.5
    """
    if "U" not in map(scheme_letter, schemes):
        return []
    found = f"A {A:g} and B {B:g}: scores by U"
    if 0 < _FLATTEST * A < min(B, 1 - B):
        change = f"change by only {A:g} per standard deviation, so that most are near {B:g}"
        return [f"{found} {change}; expected A to be at least a tenth of B and of 1 - B, such as 0.15 and 0.5"]
    if not censor or min(B, 1 - B) >= _STEEPEST * A:
        return []
    below, above = f"{B / A:.2g} standard deviations below the reference mean on", f"{(1 - B) / A:.2g} above it on"
    found = f"{found} are all 0 from {below}, and all 1 from {above}"
    return [f"{found}; expected A to be at most B and 1 - B, such as 0.15 and 0.5"]


def about_left_out_topics(
    table: ScoreTable, left_out: Mapping[str, Bools], rounded: bool, whose: str = "the reference scores"
) -> str:
    """Return the message about topics that schemes leave out because a standard deviation is 0.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    left_out : mapping of str to ndarray of bool, shape (n_topics, n_measures)
        By scheme, where scores are left out; by some scheme there are any.
    rounded : bool
        True if the standard deviations were rounded.
    whose : str
        The scores that are equal.
    """
    somewhere: Bools = np.any(list(left_out.values()), axis=0)
    number = numbers_of_topics(table.topics, table.measures, somewhere)
    if rounded:
        return f"the factors have sd 0 for {number}, which may be a small sd that was rounded: left out of the mean"
    by, kept = (
        " and ".join(
            filter(None, (scheme_letter(scheme) for scheme, where in left_out.items() if where.any() == left))
        )
        for left in (True, False)
    )
    told = f"{whose} are all equal for {number}: left out of the mean by {by}"
    return f"{told}, kept with sd 0 by {kept}" if kept else told


def about_left_out(
    table: ScoreTable, factors: Factors, tables: dict[str, ScoreTable], told: dict[str, Bools]
) -> list[str]:
    """Return messages about topics without factors, and about other scores that are undefined.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    factors : Factors
    tables : dict of str to ScoreTable
        By scheme.
    told : dict of str to ndarray of bool, shape (n_topics, n_measures)
        By scheme, where scores are undefined for a reason that another message gives.
    """
    messages = []
    known = np.isin(table.topics, factors.topics)
    if not known.all():
        n, example = int((~known).sum()), table.topics[int(np.argmin(known))]
        verb = "has" if n == 1 else "have"
        messages.append(
            f"{n} of {len(table.topics)} topics {verb} no factors (e.g. '{example}'): left out of the mean"
        )
    present = ~np.isnan(table.values) & known[np.newaxis, :, np.newaxis]
    return messages + about_undefined(present, tables, told, "no factor, or only one reference run")


def about_undefined(
    present: Bools, tables: dict[str, ScoreTable], told: dict[str, Bools], reason: str
) -> list[str]:
    """Return a message about standardized scores that are undefined although their raw scores are known, if any.

    Parameters
    ----------
    present : ndarray of bool, shape (n_systems, n_topics, n_measures)
        The raw scores that are counted.
    tables, told
        As for `about_left_out`.
    reason : str
    """
    undefined = [
        present & np.isnan(each.values) & ~told[scheme] for scheme, each in tables.items() if scheme != "raw"
    ]
    worst = max(undefined, key=np.sum, default=np.zeros(present.shape, dtype=bool))
    if not worst.any():
        return []
    topic = next(iter(tables.values())).topics[int(np.argmax(worst.any(axis=(0, 2))))]
    number = f"{int(worst.sum())} of {int(present.sum())} scores (e.g. on topic '{shown_name(topic)}')"
    return [f"{number} cannot be standardized ({reason}): left out of the mean"]
