"""Judgments that are probably shifted, coded, copied from topic to topic, or removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from stdeval.display import counted, listed, shown_name
from stdeval.documents.doubtful_docnos import about_twins
from stdeval.documents.retrieved import N_FIRST, Retrieved
from stdeval.measures.parameters import Measure
from stdeval.origins import about_repeated_judgments
from stdeval.trec.reading import Qrels

_DEEP = 100
"""Pools often have this many judged documents per topic, lists of relevant documents hardly ever."""

_HARDLY_ANY = 0.01
"""So few judgments are exceptions."""

_MANY = 0.1
"""If fewer topics than this share are unlike the others, there may be a reason in each."""


def about_shifted_judgments(
    qrels: Qrels, measures: Sequence[Measure], level: int, *, binary: bool = False
) -> Iterator[str]:
    """Yield a message about judgments of a pool that seem to be all too high or too low by 1.

    Parameters are those of `about_all_relevant`.
    """
    shifted = about_all_relevant(qrels, measures, level, binary=binary), about_mostly_negative(qrels, measures)
    yield from filter(None, shifted)
    yield from filter(None, [about_mixed_judgments(qrels), about_codes(qrels, measures)])
    yield from filter(None, [about_a_rare_code(qrels, measures)])


def about_all_relevant(
    qrels: Qrels, measures: Sequence[Measure], level: int, *, binary: bool = False
) -> str | None:
    """Return a message if nearly all judged documents count as relevant, although they seem to be those of a pool.

    By measures whose gains are the judgments, they also do at a level that only the highest ones reach.

    Grades may begin with 1 for documents that are not relevant. Such qrels cannot be told for certain from those
    that list relevant documents only. There is a message if at least half of the judged documents have one grade,
    at most one in a hundred has a lower one, there are higher ones, and a topic has 100 judged documents or more on
    average.

    Parameters
    ----------
    qrels, measures, level
        As for `levels_without_relevant`.
    binary : bool
        Gains are 1 from the level on.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> qrels = {"301": {f"d{i}": 1 + (i % 4 == 0) for i in range(200)}}
    >>> print(about_all_relevant(qrels, resolve(["AP"]), 1))  # doctest: +NORMALIZE_WHITESPACE
    the lowest judgment is 1, that of 75.0% of the documents: all judged documents count as relevant, expected 0 for
    documents that are not relevant, or -l 2
    >>> print(about_all_relevant(qrels, resolve(["AP", "ndcg"]), 2))  # doctest: +NORMALIZE_WHITESPACE
    the lowest judgment is 1, that of 75.0% of the documents: all judged documents have a gain by ndcg, whatever the
    level is, expected 0 for documents that are not relevant
    """
    numbers = Counter(grade for judgments in qrels.values() for grade in judgments.values())
    n = numbers.total()
    grade = max(numbers, key=lambda each: (numbers[each], -each), default=0)
    n_usual = numbers[grade]
    n_lower = sum(number for other, number in numbers.items() if other < grade)
    if n < _DEEP * len(qrels) or n_usual < n / 2 or n_lower > _HARDLY_ANY * n or grade == max(numbers, default=0):
        return None
    graded = graded_measures(measures, binary=binary)
    are_relevant = any((each.level or level) <= grade for each in measures if each.family.has_level)
    if grade < 1 or not (are_relevant or graded):
        return None
    lowest = "the lowest judgment" if not n_lower else f"the lowest judgment but of {counted(n_lower, 'document')}"
    found = f"{lowest} is {grade}, that of {n_usual / n:.1%} of the documents"
    so = "count as relevant" if are_relevant else f"have a gain by {listed(graded)}, whatever the level is"
    expected = f"expected 0 for documents that are not relevant{'' if graded else f', or -l {grade + 1}'}"
    return f"{found}: {'nearly ' if n_lower else ''}all judged documents {so}, {expected}"


def graded_measures(measures: Sequence[Measure], *, binary: bool) -> list[str]:
    """Return the names of the measures whose gains are the judgments, so that no level changes them."""
    return [
        each.name
        for each in measures
        if each.family.has_grades or (each.family.has_gains and not each.has_named_gains and not binary)
    ]


_MOSTLY_JUDGED = 0.7
"""So many of the first documents of a run are judged if the judgments are those of a pool, whatever their grades.

If they list relevant documents only, this is the precision, which is hardly ever so high.
"""


_SURELY_JUDGED = 0.9
"""No run has so many relevant documents among its first ones, so that the qrels do not list these only."""


def about_judged_as_relevant(
    qrels: Qrels, measures: Sequence[Measure], level: int, runs: Mapping[str, Retrieved], *, binary: bool = False
) -> Iterator[str]:
    """Yield a message if nearly all judged documents are relevant, although the judgments seem to be of a pool.

    Grades probably begin with 1 for documents that are not relevant, or are on a finer scale. There is no message
    if `about_all_relevant` has one.

    Parameters
    ----------
    qrels, measures, level, binary
        As for `about_all_relevant`.
    runs : mapping of str to Retrieved
        What each run retrieved. Runs of fewer than five documents do not count.

    Examples
    --------
    >>> qrels = {"301": {f"d{i}": 1 + (i % 4 == 0) for i in range(20)}}
    >>> runs = {"a": Retrieved(100, 0.86)}
    >>> print(*about_judged_as_relevant(qrels, [], 1, runs))  # doctest: +NORMALIZE_WHITESPACE
    100.0% of all judged documents count as relevant, and 86.0% of the first 10 documents of 'a' are judged:
    expected 0 for documents that are not relevant, or -l with the lowest grade that is
    """
    judged = {name: run.judged for name, run in runs.items() if run.depth >= _FEWEST_FIRST}
    name = max(judged, key=lambda each: judged[each], default="")
    is_told = about_all_relevant(qrels, measures, level, binary=binary) is not None
    if is_told or not name or not judged[name] >= _MOSTLY_JUDGED:
        return
    graded = graded_measures(measures, binary=binary)
    least = 1 if graded else level
    grades = Counter(grade for judgments in qrels.values() for grade in judgments.values())
    relevant = [grade for grade in grades if grade >= least]
    n_relevant = sum(grades[grade] for grade in relevant)
    has_grades = len(relevant) > 1
    if not has_grades and (judged[name] < _SURELY_JUDGED or len(grades) > 1):
        return
    if n_relevant >= _NEARLY_ALL * grades.total() and least <= max(1, min(relevant)):
        n_first = round(min(N_FIRST, runs[name].depth))
        share = f"{judged[name]:.1%} of the first {n_first} documents of '{shown_name(name)}' are judged"
        so = "count as relevant" if level <= min(relevant) else f"have a gain by {listed(graded)}"
        found = f"{n_relevant / grades.total():.1%} of all judged documents {so}, and {share}"
        otherwise = ", or -l with the lowest grade that is" if has_grades and not graded else ""
        yield f"{found}: expected 0 for documents that are not relevant{otherwise}"


_FEWEST_FIRST = 5
"""The precision of fewer documents may be as high."""

_NEARLY_ALL = 0.9
"""In pools, at most this share of the judged documents are relevant."""


def about_mostly_negative(qrels: Qrels, measures: Sequence[Measure]) -> str | None:
    """Return a message if most judgments are below 0 and others are 0, as if all were too low by 1; otherwise None.

    Negative judgments mean various things, but hardly any pool has more of them than of all others. By infAP, they
    mark the documents of a pool that were not judged, so that there is no message if no other measure is asked for.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> qrels = {"301": {f"d{i}": -1 + (i % 4 == 0) for i in range(200)}}
    >>> print(about_mostly_negative(qrels, resolve(["map"])))  # doctest: +NORMALIZE_WHITESPACE
    75.0% of the judgments are below 0, and others are 0: expected 0 for documents that are not relevant, and 1 or
    more for those that are
    >>> print(about_mostly_negative(qrels, resolve(["infAP", "map"])))  # doctest: +NORMALIZE_WHITESPACE
    75.0% of the judgments are below 0, and others are 0: by infAP these documents were not judged, and by all
    other measures they are not relevant
    """
    numbers = Counter(grade for judgments in qrels.values() for grade in judgments.values())
    n, n_negative = numbers.total(), sum(number for grade, number in numbers.items() if grade < 0)
    if n < _DEEP * len(qrels) or 2 * n_negative <= n or not numbers[0]:
        return None
    are_inferred = [measure.family.name == "infAP" for measure in measures]
    if any(are_inferred) and all(are_inferred):
        return None
    told = "expected 0 for documents that are not relevant, and 1 or more for those that are"
    if any(are_inferred):
        told = "by infAP these documents were not judged, and by all other measures they are not relevant"
    return f"{n_negative / n:.1%} of the judgments are below 0, and others are 0: {told}"


def about_mixed_judgments(qrels: Qrels) -> str | None:
    """Return a message if some topics of a pool have hardly any judgment below 1, as if only theirs were too high.

    Examples
    --------
    >>> usual = {f"d{i}": int(i % 4 == 0) for i in range(200)}
    >>> high = {docno: judgment + 1 for docno, judgment in usual.items()}
    >>> print(about_mixed_judgments({"1": usual, "2": high, "3": usual}))  # doctest: +NORMALIZE_WHITESPACE
    1 of 3 topics (e.g. '2') has hardly any judgment below 1, although others have many: expected 0 for documents
    that are not relevant
    """
    low = {
        topic: sum(judgment < 1 for judgment in judgments.values()) / len(judgments)
        for topic, judgments in qrels.items()
        if len(judgments) >= _DEEP
    }
    high = [topic for topic, share in low.items() if share <= _HARDLY_ANY]
    if not high or len(high) < _MANY * len(low) or not any(share >= 0.2 for share in low.values()):
        return None
    has = "has" if len(high) == 1 else "have"
    found = f"{len(high)} of {len(qrels)} topics (e.g. '{shown_name(high[0])}') {has} hardly any judgment below 1"
    return f"{found}, although others have many: expected 0 for documents that are not relevant"


def about_codes(qrels: Qrels, measures: Sequence[Measure]) -> str | None:
    """Return a message if judgments that a measure uses as gains may be codes, the lowest of which is the best.

    The original judgments of Cranfield are 1 for a complete answer, 4 for a document of minimum interest, and -1.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> print(about_codes({"1": {"184": 2, "29": 1, "31": 4, "5": -1}}, resolve(["nDCG"])))
    the judgments are -1, 1, 2 and 4, and none is 0: are they codes? For ndcg, the highest is the best
    """
    grades = sorted({grade for judgments in qrels.values() for grade in judgments.values()})
    graded = [each.name for each in measures if each.family.has_gains or each.family.has_grades]
    if not graded or 0 in grades or grades[0] > 0 or sum(grade > 0 for grade in grades) < _SEVERAL_GRADES:
        return None
    told = f"the judgments are {', '.join(map(str, grades[:-1]))} and {grades[-1]}, and none is 0: are they codes?"
    return f"{told} For {graded[0]}, the highest is the best"


_SEVERAL_GRADES = 3
"""Judgments with fewer positive grades are probably not codes."""


def about_a_rare_code(qrels: Qrels, measures: Sequence[Measure]) -> str | None:
    """Return a message if the highest judgments are probably no grades.

    Data of surveys have codes such as 9 for no answer, and -1 becomes 255 in an unsigned byte. There is a message
    if the judgments above 0 begin with 1, 2 and so on, and the others are at least 8, at least four times the grade
    before the gap, and at most twice each other. If a measure uses judgments as gains, there is also a message if
    the others are at least 5, more than twice the grade before the gap, and those of at most a tenth of the
    documents above 0.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> qrels = {"301": {f"d{i}": i % 3 for i in range(90)} | {"d90": 9}}
    >>> print(about_a_rare_code(qrels, resolve(["nDCG"])))
    the highest judgment is 9 (1 document), and the next one is 2: is it a code? For ndcg, the highest is the best
    """
    graded = [each.name for each in measures if each.family.has_gains or each.family.has_grades]
    numbers = Counter(grade for judgments in qrels.values() for grade in judgments.values() if grade > 0)
    grades = sorted(numbers)
    usual = [grade for place, grade in enumerate(grades, 1) if grade == place]
    high = grades[len(usual) :]
    # Gains may be powers, as 1, 10 and 100.
    if not usual or not high or high[-1] > 2 * high[0]:
        return None
    n = sum(numbers[grade] for grade in high)
    is_rare_gain = bool(graded) and n <= _RARE * numbers.total() and high[0] > max(_HIGH_GRADE - 1, 2 * usual[-1])
    if high[0] < max(_FAR_GRADE, 4 * usual[-1]) and not is_rare_gain:
        return None
    are, is_code = ("judgment is", "is it a code") if len(high) == 1 else ("judgments are", "are they codes")
    found = f"the highest {are} {listed(list(map(str, high)))} ({counted(n, 'document')})"
    use = f"For {graded[0]}, the highest is the best" if graded else "They count as relevant"
    return f"{found}, and the next one is {usual[-1]}: {is_code}? {use}"


_HIGH_GRADE, _FAR_GRADE = 5, 8
"""Grades on scales with gaps, such as 0, 1 and 4, or 0, 1, 3 and 7, are lower than this."""

_RARE = 0.1
"""At most this share of the documents have a code, but hardly ever the highest grade."""


def about_repetitions(qrels: Qrels) -> Iterator[str]:
    """Yield messages about topics that share their relevant documents, and documents with two docnos.

    See `stdeval.origins.about_repeated_judgments` and `stdeval.documents.doubtful_docnos.about_twins`.
    """
    yield from about_twins(qrels)
    # Other judgments may be sampled anew for each wording of a need.
    relevant_only = {
        topic: [(docno, judgment) for docno, judgment in judgments.items() if judgment > 0]
        for topic, judgments in qrels.items()
    }
    yield from about_repeated_judgments(
        {topic: hash(frozenset(relevant)) for topic, relevant in relevant_only.items() if relevant},
        "relevant documents",
    )
