"""Measures that other programs define and trec_eval 9.0.8 does not have: gdeval, ir_measures and MS MARCO's script.

Each is a short function of one topic's relevance vector. ``k`` cuts the run after k documents; a ``k`` less than 1
raises `InputError`.

References
----------
gdeval.pl, version 1.2a of 2019, of the TREC Web track.

S. MacAvaney, C. Macdonald, I. Ounis. Streamlining evaluation with ir-measures. ECIR 2022.
"""

from __future__ import annotations

import numpy as np

from stdeval.measures.relevance import NOT_POOLED, TopicRelevance, first_ranks
from stdeval.trec.reading import JudgmentError, Qrels


def judged(topic: TopicRelevance, k: int | None = None) -> float:
    """Share of judged documents among the documents retrieved to rank k, as in ir_measures; in [0, 1].

    A document with a negative judgment counts as judged. If fewer than k documents are retrieved, the share is
    that of these; if there are none, it is 0.

    Examples
    --------
    The fourth document has no judgment, and the fifth a negative one:

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, -2]), np.array([1, 1, 0, 2, 1, -1]))
    >>> judged(topic, 4), judged(topic, 10)
    (0.75, 0.8)
    """
    seen = first_ranks(topic.vector, k)
    return int(np.count_nonzero(seen != NOT_POOLED)) / max(len(seen), 1)


def recip_rank_cut(topic: TopicRelevance, k: int) -> float:
    """Reciprocal rank of the first relevant document, if it is at rank k or above, otherwise 0. Binary.

    Examples
    --------
    >>> topic = TopicRelevance(np.array([0, -1, 2]), np.array([2, 0]))
    >>> recip_rank_cut(topic, 4), recip_rank_cut(topic, 2)
    (0.3333333333333333, 0.0)
    """
    ranks = np.flatnonzero(first_ranks(topic.relevant, k)) + 1
    return 1 / int(ranks[0]) if len(ranks) else 0.0


def err(topic: TopicRelevance, k: int | None = None) -> float:
    """Expected reciprocal rank by gdeval's formula: the mean of 1 / rank of the document at which the reader stops.

    The reader goes down the ranking and stops at a document of judgment g with probability
    (2^g - 1) / 2^max_grade; in [0, 1). Graded: neither the level nor binary gains apply. No judgment may be above
    max_grade, see `check_grades`.

    References
    ----------
    O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan. Expected reciprocal rank for graded relevance. CIKM 2009.

    Examples
    --------
    The reader stops with probability 1/16, 3/16, 1/16 at the ranks 1, 3, 5:
    1/16 + 15/16 3/16 / 3 + 15/16 13/16 1/16 / 5.

    >>> topic = TopicRelevance(np.array([1, 0, 2, -1, 1]), np.array([1, 1, 0, 2, 1]))
    >>> round(err(topic), 4), err(topic, 2)
    (0.1306, 0.0625)
    """
    grades = first_ranks(topic.vector, k)
    ranks = np.flatnonzero(grades > 0)
    stops = 2.0 ** (grades[ranks] - topic.max_grade) - 2.0**-topic.max_grade
    arrives = np.concatenate(([1.0], np.cumprod(1 - stops)[:-1]))
    return float((stops * arrives[: len(ranks)] / (ranks + 1)).sum())


def check_grades(qrels: Qrels, max_grade: int) -> None:
    """Refuse judgments above the highest grade, for which `err` has no probability.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    max_grade : int

    Raises
    ------
    JudgmentError
        If there is such a judgment.
    """
    for topic, judgments in qrels.items():
        for docno, rel in judgments.items():
            if rel > max_grade:
                raise JudgmentError(topic, docno, rel, f"expected at most {max_grade}, the --max-grade of err")
