"""Gains of judgments: those that have no effect, and those that reverse or exaggerate the grades."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.evaluation.options import Options
from stdeval.measures.parameters import Measure
from stdeval.trec.reading import Qrels


def gains_named(gains: str) -> dict[int, float]:
    """Return judgment to gain, as the parameter of a measure names them: {2: 5.0} of ``2=5``."""
    return {int(judgment): float(gain) for judgment, gain in (pair.split("=") for pair in gains.split(","))}


def check_gains(measures: Sequence[Measure], binary: bool) -> None:
    """Refuse a level where gains are the judgments, and gains of judgments above 1 where all become 0 or 1."""
    for measure in measures:
        if measure.level is not None and measure.family.has_gains and not binary:
            what = f"{measure.name}: gains are the judgments, whatever the level is"
            raise InputError(f"{what}, expected no level, or --binary for gains of 1 from level {measure.level} on")
        levels = [gain.partition("=")[0] for gain in measure.parameter.split(",")]
        if binary and measure.family.parameter == "gains" and not {"", "0", "1"}.issuperset(levels):
            raise InputError(f"{measure.name}: --binary makes all judgments 0 or 1, expected gains of 0 and 1 only")


def about_unused_gains(measures: Sequence[Measure], *, binary: bool, max_grade: int) -> Iterator[str]:
    """Yield messages if binary gains, or a highest grade, change no score by the measures."""
    names = listed([measure.name for measure in measures])
    if binary and not any(measure.family.has_gains for measure in measures):
        yield f"binary gains change no score by {names}: expected a measure with gains, such as ndcg"
    if max_grade != Options().max_grade and not any(measure.family.has_grades for measure in measures):
        yield f"a highest grade of {max_grade} changes no score by {names}: expected a measure such as err_20"


def highest_judgment(qrels: Qrels) -> int:
    """Return the highest judgment of all topics, 0 if there is none."""
    return max((max(judgments.values(), default=0) for judgments in qrels.values()), default=0)


_UNUSED_GRADES = 2
"""One unused grade is usual: a collection may have no document of the highest one."""


def about_unused_grades(qrels: Qrels, measures: Sequence[Measure], max_grade: int) -> Iterator[str]:
    """Yield a message if all judgments are far below the highest grade, on which a measure depends.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> print(*about_unused_grades({"1": {"a": 2, "b": 0}}, resolve(["err"]), 4))  # doctest: +NORMALIZE_WHITESPACE
    no judgment is above 2, and err takes 4 for the highest grade: expected --max-grade 2 if this is the highest
    grade of the scale
    """
    graded = [measure.name for measure in measures if measure.family.has_grades]
    highest = highest_judgment(qrels)
    if graded and 0 < highest <= max_grade - _UNUSED_GRADES:
        verb = "takes" if len(graded) == 1 else "take"
        found = f"no judgment is above {highest}, and {listed(graded)} {verb} {max_grade} for the highest grade"
        yield f"{found}: expected --max-grade {highest} if this is the highest grade of the scale"


def about_named_gains(qrels: Qrels, measures: Sequence[Measure], *, binary: bool = False) -> Iterator[str]:
    """Yield messages about gains in the names of measures that cannot be meant with these judgments."""
    named = [measure for measure in measures if measure.has_named_gains]
    if not named:
        return
    found = {grade for judgments in qrels.values() for grade in judgments.values() if grade > 0}
    # binary gains make all judgments 0 or 1
    grades = [1] if binary else sorted(found)
    for measure in named:
        gain_of = gains_named(measure.parameter)
        yield from _about_close_gains(measure, gain_of, grades)
        yield from _about_reversed_gains(measure, gain_of, grades)
        yield from _about_gains_of_no_judgment(measure, gain_of, grades)


def _about_close_gains(measure: Measure, gain_of: dict[int, float], grades: Sequence[int]) -> Iterator[str]:
    """Yield a message about gains that differ by less than 1, which trec_eval puts in a wrong order.

    It compares their differences cut to whole numbers, so its ideal ranking may not be the best one.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> measures = resolve(["ndcg_1=0.5", "ndcg_1=5,2=20"])
    >>> print(*about_named_gains({"1": {"a": 2, "b": 1}}, measures))  # doctest: +NORMALIZE_WHITESPACE
    ndcg_1=0.5: gains that differ by less than 1 (0 and 0.5) may be in the wrong order in trec_eval's ideal ranking:
    expected all gains multiplied, such as by 10
    """
    usual = (float(grade) for grade in range(max(grades, default=0) + 1) if grade not in gain_of)
    gains = sorted({*gain_of.values(), *usual})
    close = next(((one, other) for one, other in pairwise(gains) if other - one < 1), None)
    if close is not None:
        found = f"gains that differ by less than 1 ({close[0]:g} and {close[1]:g})"
        wrong = "may be in the wrong order in trec_eval's ideal ranking"
        yield f"{measure.name}: {found} {wrong}: expected all gains multiplied, such as by 10"


def _about_reversed_gains(measure: Measure, gain_of: dict[int, float], grades: Sequence[int]) -> Iterator[str]:
    """Yield a message if a judgment has a lower gain than a lower judgment, and one of the two gains is not named.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> print(*about_named_gains({"1": {"a": 1, "b": 2, "c": 3}}, resolve(["ndcg_1=3,2=9"])))
    ndcg_1=3,2=9: no gain of 3, so that it is 3, below the gain of 2 (9): expected a gain of each judgment
    """
    gains = [gain_of.get(grade, float(grade)) for grade in grades]
    for (low, gain), (grade, own) in pairwise(zip(grades, gains, strict=True)):
        if own < gain and not {low, grade} <= gain_of.keys():
            if grade in gain_of:
                found = f"no gain of {low}, so that it is {low}, above the gain of {grade} ({own:g})"
            else:
                found = f"no gain of {grade}, so that it is {grade}, below the gain of {low} ({gain:g})"
            yield f"{measure.name}: {found}: expected a gain of each judgment"
            return


def _about_gains_of_no_judgment(
    measure: Measure, gain_of: dict[int, float], grades: Sequence[int]
) -> Iterator[str]:
    """Yield a message if none of the gains is that of a judgment.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> print(*about_named_gains({"1": {"a": 2, "b": 1}}, resolve(["ndcg_7=3"])))
    ndcg_7=3: no judgment is 7, so that the gains are the judgments: expected gains of 1, 2
    """
    named = [grade for grade in gain_of if grade > 0]
    if grades and named and not set(named).intersection(grades):
        found = f"no judgment is {listed([str(grade) for grade in named])}"
        expected = f"expected gains of {listed([str(grade) for grade in grades])}"
        yield f"{measure.name}: {found}, so that the gains are the judgments: {expected}"


_HIGHEST_OF_SCALES = 10
"""Scales of relevance end here at the latest; percentages are higher."""


def about_exponential_gains(qrels: Qrels, measures: Sequence[Measure], *, binary: bool = False) -> Iterator[str]:
    """Yield a message if judgments are so high that only the highest ones count by exponential gains.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> print(*about_exponential_gains({"1": {"a": 100, "b": 25}}, resolve(["ndcg_exp"])))
    ndcg_exp: the highest judgment is 100, and its gain 2^100 - 1: expected grades, such as 0 to 4
    """
    exponential = [measure.name for measure in measures if measure.family.name in ("ndcg_exp", "ndcg_exp_cut")]
    highest = highest_judgment(qrels) if exponential and not binary else 0
    if highest > _HIGHEST_OF_SCALES:
        found = f"the highest judgment is {highest}, and its gain 2^{highest} - 1"
        yield f"{listed(exponential)}: {found}: expected grades, such as 0 to 4"
