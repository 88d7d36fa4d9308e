"""Relevance levels that no measure can use, or that leave topics without relevant or other documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stdeval.display import listed, shown_name
from stdeval.evaluation.gains import gains_named, highest_judgment
from stdeval.measures.names import resolve
from stdeval.measures.parameters import Measure
from stdeval.trec.reading import JudgmentError, Qrels

_COMPARES_LEVELS = ("ndcg", "ndcg_rel", "Rndcg", "G")
"""Measures for which trec_eval compares each level from 0 to the highest judgment of a topic with all others."""

_NEED_NONRELEVANT = ("bpref", "gm_bpref")
"""Measures of the ranks of relevant documents among those that are judged not relevant."""

_MANY = 0.1
"""A message tells if at least this share of the topics have no judgments of some kind."""

_MOST_LEVELS = 100_000
"""The highest judgment that these measures accept. A topic with it takes seconds; time grows with its square."""


def levels_without_relevant(qrels: Qrels, measures: Sequence[Measure], level: int) -> tuple[int, list[int]]:
    """Return the highest judgment, and the relevance levels at which no document is relevant.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    measures : sequence of Measure
    level : int
        The level of measures that have none of their own.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> levels_without_relevant({"1": {"a": 1, "b": 0}}, resolve(["AP", "AP(rel=2)"]), 1)
    (1, [2])
    """
    highest = highest_judgment(qrels)
    levels = {measure.level or level for measure in measures}
    return highest, sorted(each for each in levels if each > highest)


def about_levels(qrels: Qrels, measures: Sequence[Measure], level: int) -> str | None:
    """Return a message about the relevance levels at which no document is relevant; None if there are none.

    Parameters are those of `levels_without_relevant`.
    """
    highest, levels = levels_without_relevant(qrels, measures, level)
    if not levels:
        return None
    at = "" if levels == [1] else f" at level {', '.join(map(str, levels))}"
    return f"no document is relevant{at}: the highest judgment is {highest}"


def topics_without_relevant(
    qrels: Qrels, measures: Sequence[Measure], level: int, *, binary: bool = False
) -> dict[int, list[str]]:
    """Return the topics without a relevant document, on which every run scores 0, by relevance level.

    Parameters
    ----------
    qrels, measures, level
        As for `levels_without_relevant`.
    binary : bool
        True if gains are binary, so that they depend on the level.

    Returns
    -------
    dict of int to list of str
        Levels that have such topics, rising. Levels of measures that are not 0 there are left out, such as those
        of ``rbp_resid``, and so are levels at which no topic has a relevant document.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {"d": 0}}
    >>> topics_without_relevant(qrels, resolve(["AP", "AP(rel=2)", "AP(rel=3)", "Unj"]), 1)
    {1: ['3'], 2: ['1', '3']}
    """
    highest = {topic: max(judgments.values()) for topic, judgments in qrels.items()}
    levels = sorted({each for measure in measures if (each := _zero_level(measure, level, binary)) is not None})
    without = {each: [topic for topic, grade in highest.items() if grade < each] for each in levels}
    return {each: topics for each, topics in without.items() if 0 < len(topics) < len(qrels)}


def _zero_level(measure: Measure, level: int, binary: bool) -> int | None:
    """Return the level by which topics without relevant documents score 0; None if they do not by this measure."""
    family = measure.family
    is_share = family.kind in ("score", "summary") and family.range.startswith("0..")
    if not (is_share and family.has_level and family.better_higher):
        return None
    if measure.has_named_gains and not binary:
        return _lowest_gained(measure.parameter)
    return measure.level or (level if measure.depends_on_level(binary) else 1)


def _lowest_gained(gains: str) -> int:
    """Return the lowest judgment with a gain above 0; the gain of a judgment that is not named is the judgment.

    Examples
    --------
    >>> _lowest_gained("1=0,2=0,3=1"), _lowest_gained("1=0,2=0"), _lowest_gained("0=1")
    (3, 3, 0)
    """
    gain_of = gains_named(gains)
    unnamed = next(judgment for judgment in range(1, len(gain_of) + 2) if judgment not in gain_of)
    return min([unnamed, *(judgment for judgment, gain in gain_of.items() if gain > 0)])


def about_topics_without_relevant(
    qrels: Qrels, measures: Sequence[Measure], level: int, *, binary: bool, any_number: bool = False
) -> Iterator[str]:
    """Yield a message about topics on which no run can score above 0, because no document is relevant.

    Parameters
    ----------
    qrels, measures, level, binary
        As for `topics_without_relevant`.
    any_number : bool
        Tell of each topic at level 1, and not only of many.
    """
    without = topics_without_relevant(qrels, measures, level, binary=binary)
    told = {
        each: topics
        for each, topics in without.items()
        if (any_number and each == 1) or len(topics) >= _MANY * len(qrels)
    }
    if told:
        highest, topics = max(told.items())
        at, by = "", ""
        if highest > 1:
            at = f" at level {highest}"
            by = f" by {listed([each.name for each in measures if _zero_level(each, level, binary) == highest])}"
        verb = "has" if len(topics) == 1 else "have"
        number = f"{len(topics)} of {len(qrels)} topics (e.g. '{shown_name(topics[0])}')"
        yield f"{number} {verb} no relevant document{at}: every run scores 0 there{by}"


def topics_without_nonrelevant(qrels: Qrels, level: int) -> list[str]:
    """Return the topics that have relevant documents, and none that is judged not relevant.

    Examples
    --------
    >>> topics_without_nonrelevant({"1": {"a": 1, "b": -1}, "2": {"c": 1, "d": 0}, "3": {"e": -1}}, 1)
    ['1']
    """
    return [
        topic
        for topic, judgments in qrels.items()
        if any(judgment >= level for judgment in judgments.values())
        and not any(0 <= judgment < level for judgment in judgments.values())
    ]


def about_missing_nonrelevant(
    qrels: Qrels, measures: Sequence[Measure], level: int, *, judged_only: bool
) -> Iterator[str]:
    """Yield a message if many topics have no document that is judged not relevant, and a measure or -J needs some.

    Parameters are those of `levels_without_relevant`; measures are those that the user names.
    """
    named = [measure for measure in measures if measure.family.name in _NEED_NONRELEVANT]
    if not (named or judged_only):
        return
    without = topics_without_nonrelevant(qrels, max([measure.level or level for measure in named], default=level))
    if len(without) < _MANY * len(qrels):
        if not judged_only:
            yield from _about_few_nonrelevant(qrels, named, level)
        return
    number = f"{len(without)} of {len(qrels)} topics (e.g. '{shown_name(without[0])}')"
    where, there = ("", "") if len(without) == len(qrels) else (f" for {number}", " there")
    found = f"no document is judged not relevant{where}"
    if judged_only:
        yield f"{found}: -J leaves only relevant documents{there}"
    else:
        verb = "counts" if len(named) == 1 else "count"
        names = listed([measure.name for measure in named])
        yield f"{found}: {names} {verb} the relevant documents retrieved{there}, whatever their ranks"


def about_relevant_only(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[str]:
    """Yield a message if shares of judged documents are asked for, and only relevant documents are listed.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    measures : sequence of Measure
        Those that the user names.
    """
    named = [measure.name for measure in measures if measure.family.name in ("judged", "unj")]
    if named and all(judgment > 0 for judgments in qrels.values() for judgment in judgments.values()):
        verb = "counts" if len(named) == 1 else "count"
        found = "no document is judged not relevant"
        yield f"{found}: {listed(named)} {verb} only relevant documents as judged"


_HARDLY_NONRELEVANT = 4
"""Documents judged not relevant are few if there are more than this many relevant ones for each; in pools they are
many."""


def _about_few_nonrelevant(qrels: Qrels, named: Sequence[Measure], level: int) -> Iterator[str]:
    """Yield a message if, for most topics, few documents are judged not relevant, although a measure needs many."""
    few = [
        topic
        for topic, judgments in qrels.items()
        if _HARDLY_NONRELEVANT * sum(0 <= judgment < level for judgment in judgments.values())
        < sum(judgment >= level for judgment in judgments.values())
    ]
    if 2 * len(few) >= len(qrels):
        number = f"{len(few)} of {len(qrels)} topics (e.g. '{shown_name(few[0])}')"
        verb, names = ("depends" if len(named) == 1 else "depend"), listed([measure.name for measure in named])
        yield f"few documents are judged not relevant for {number}: {names} {verb} on the ranks of these few only"


def about_unsampled_pool(qrels: Qrels, texts: Sequence[str]) -> Iterator[str]:
    """Yield a message if infAP is asked for, but no judgment marks a document of the pool that was not judged.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    texts : sequence of str
        Measures as the user names them. Nobody asked for infAP by the name of a group of measures.

    Examples
    --------
    >>> print(*about_unsampled_pool({"1": {"a": 1, "b": 0}}, ["infAP", "P"]))  # doctest: +NORMALIZE_WHITESPACE
    infAP is nearly the same as map: no judgment is below 0, which marks documents of the pool that were not judged
    """
    named = [measures[0].family.name for text in texts if len(measures := resolve([text])) == 1]
    if "infAP" in named and not any(grade < 0 for judgments in qrels.values() for grade in judgments.values()):
        told = "no judgment is below 0, which marks documents of the pool that were not judged"
        yield f"infAP is nearly the same as map: {told}"


def about_unused_level(measures: Sequence[Measure], level: int, *, binary: bool) -> Iterator[str]:
    """Yield a message about a relevance level on which no measure depends; trec_eval accepts it silently."""
    if level == 1 or any(measure.depends_on_level(binary) for measure in measures):
        return
    graded = [measure.name for measure in measures if measure.family.has_gains and not measure.has_named_gains]
    why = f": the gains of {graded[0]} are the judgments (with --binary, 1 from the level on)" if graded else ""
    yield f"-l {level} changes no score by {listed([measure.name for measure in measures])}{why}"


def about_only_judged(measures: Sequence[Measure]) -> Iterator[str]:
    """Yield a message about measures of unjudged documents, which -J has removed before."""
    constant = [measure.name for measure in measures if measure.family.name in ("judged", "unj", "rbp_resid")]
    if constant:
        yield f"{listed(constant)}: -J removes unjudged documents, so no run can have any"


def check_levels(measures: Sequence[Measure], qrels: Qrels) -> None:
    """Refuse judgments so high that trec_eval would practically never end: its time grows with their square."""
    slow = next((measure.name for measure in measures if measure.family.name in _COMPARES_LEVELS), None)
    if slow is None:
        return
    for topic, judgments in qrels.items():
        docno = max(judgments, key=judgments.__getitem__, default="")
        if docno and judgments[docno] > _MOST_LEVELS:
            expected = f"expected at most {_MOST_LEVELS} for {slow}, or --binary"
            raise JudgmentError(topic, docno, judgments[docno], expected)
