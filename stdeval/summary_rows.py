"""The names that rows of summaries have in place of a topic, and columns of summaries in place of a run.

`stdeval eval` runs through this module, so it must not load numpy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

SUMMARY = "all"
"""The topic of lines and rows that summarize all topics, as trec_eval has it."""

MEANS = (SUMMARY, "amean")
"""The topics of rows of means over topics: those of trec_eval and of gdeval."""

AVERAGES = ("am", "gm", "egm", "egm-trec", "hm", "ehm", "md")
"""The names of the aggregates in the topic field, which `stdeval.stats.aggregates` computes with numpy."""

# Such as all, all.sd, all.egm.epsilon=1 and all.ci_low.resamples=1000.seed=0; gdeval calls its mean amean.
_SUMMARIES = re.compile(rf"amean|{SUMMARY}(?:\.(?:{'|'.join(AVERAGES)}|sd|ci_low|ci_high)(?:\.[a-z_]+=.*)?)?")


def is_summary(topic: str) -> bool:
    """Return True for the topic field of a summary; False for a topic, even if its name begins with ``all.``.

    Examples
    --------
    >>> [is_summary(topic) for topic in ("all", "all.sd", "all.ci_low.resamples=1000.seed=0", "amean")]
    [True, True, True, True]
    >>> [is_summary(topic) for topic in ("all.1", "301", "ameans")]
    [False, False, False]
    """
    return topic.startswith("a") and _SUMMARIES.fullmatch(topic) is not None


_MEANS = (
    "mean",
    "average",
    "averaged",
    "avg",
    "gmean",
    "gm",
    "geomean",
    "geometric",
    "arithmetic",
    "hmean",
    "harmonic",
)
_SUMS = ("all", "overall", "total", "sum", "summary", "aggregate", "agg", "macro", "micro", "map", "gmap")
_ABROAD = ("mittelwert", "gesamtergebnis", "gesamt", "moyenne", "media", "promedio", "gemiddelde")
_DESCRIBED = ("count", "sd", "se", "sem", "std", "stdev", "stddev", "var", "variance", "25%", "50%", "75%")
_EXTREMES = ("min", "minimum", "worst", "median", "med", "max", "maximum", "best", "oracle")
_WORDS = frozenset((*_MEANS, *_SUMS, *_ABROAD, *_DESCRIBED, *_EXTREMES))
"""Words, in lower case, by which other programs call summaries over all topics or runs."""

_SUMMARIZED = frozenset(
    ("ap", "grand", "result", "score", "scores", "topic", "topics", "query", "queries", "run", "runs", "of", "over")
)
"""Words that may stand beside them."""


def summary_words(name: str) -> list[str]:
    """Return the words for summaries in a name that has only such words and the names of what they summarize.

    Examples
    --------
    >>> summary_words("Avg."), summary_words("Best AP"), summary_words("geometric_mean"), summary_words("mean BM25")
    (['avg'], ['best'], ['geometric', 'mean'], [])
    """
    words = re.findall(r"[^\W_]+%?", name.lower())
    return [word for word in words if word in _WORDS] if all(word in _WORDS | _SUMMARIZED for word in words) else []


def about_summary_topics(topics: Sequence[str], where: str) -> str | None:
    """Return a message about topics that may be summaries of the others, by their names; None if there are none.

    They count as topics all the same. All other topics must have a digit in their names, because a collection of
    topics with plain words for names may have any word among them. Beside many numbers, any other name is told.

    Examples
    --------
    >>> about_summary_topics(["1", "Mean"], "s.csv")
    "topic 'Mean' of s.csv may be a summary of the others: it counts as a topic"
    >>> about_summary_topics([*map(str, range(301, 351)), "p (t-test)"], "s.csv")
    "topic 'p (t-test)' of s.csv may be a summary of the others: it counts as a topic"
    """
    named = [topic for topic in topics if summary_words(topic)]
    for is_usual in (_has_digit, str.isdigit):
        odd = [topic for topic in topics if not is_usual(topic)]
        if 0 < len(odd) <= _FEW_NAMES * len(topics):
            named = [topic for topic in topics if topic in {*named, *odd}]
    others = [topic for topic in topics if topic not in named] if named else []
    if not others or not all(map(_has_digit, others)):
        return None
    return _about(named, where, "topic")


_FEW_NAMES = 0.1
"""If no more than this share of the topics have another kind of name than all others, they may be no topics."""


def _has_digit(topic: str) -> bool:
    return any(map(str.isdigit, topic))


def about_summary_systems(systems: Sequence[str], where: str) -> str | None:
    """Return a message about columns of a matrix that may be summaries of the others; None if there are none.

    Parameters
    ----------
    systems : sequence of str
        The names of these columns.
    where : str
        The file.

    Examples
    --------
    >>> about_summary_systems(["mean", "std"], "m.csv")
    "runs 'mean', 'std' of m.csv may be summaries of the others: they count as runs"
    """
    return _about(systems, where, "run") if systems else None


def _about(named: Sequence[str], where: str, kind: str) -> str:
    """Return the message about topics or runs of these names."""
    if len(named) == 1:
        return f"{kind} '{named[0]}' of {where} may be a summary of the others: it counts as a {kind}"
    names = ", ".join(f"'{name}'" for name in named)
    return f"{kind}s {names} of {where} may be summaries of the others: they count as {kind}s"
