"""The names that rows of summaries have in place of a topic, and columns of summaries in place of a run.

`stdeval eval` runs through this module, so it must not load numpy.
"""

from __future__ import annotations

import re

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
