"""The scores of one topic by the measures that pytrec_eval does not compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from stdeval.measures import papers, programs
from stdeval.measures.catalogue import FAMILIES, TREC_EVAL
from stdeval.measures.parameters import Measure
from stdeval.measures.programs import check_grades
from stdeval.measures.relevance import Discount, TopicRelevance, relevance_vector, relstring
from stdeval.trec.reading import Documents, Judgments, Qrels


def _function(provider: str) -> Callable[..., float]:
    function: Callable[..., float] = getattr(papers if hasattr(papers, provider) else programs, provider)
    return function


FUNCTIONS = {
    family.provider: _function(family.provider)
    for family in FAMILIES
    if family.provider not in {TREC_EVAL, "relstring"}
}
"""The functions by name; the table of measures has this name as the provider of a measure.

Each takes a `TopicRelevance`, and p and k as keyword arguments if the measure has them, see `keyword_arguments`.
"""

_RELSTRING_LENGTH = 10


def keyword_arguments(measure: Measure) -> dict[str, float]:
    """Return the keyword arguments of a measure's function: p and k, if it has them."""
    given = {"p": measure.persistence, "k": measure.cutoff}
    return {name: value for name, value in given.items() if value is not None}


class VectorScorer:
    """Scores topics by the measures that pytrec_eval does not compute.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    measures : sequence of Measure
        All measures of the evaluation; scores are returned with their places in this sequence.
    level : int
        A document is relevant if its judgment is at least this level, for measures without a level of their own.
    binary : bool
        Use binary gains for the DCG family.
    judged_only : bool
        Drop documents without a judgment.
    max_grade : int
        The highest grade of judgments, for err.

    Raises
    ------
    InputError
        If err is among the measures, and a judgment is above the highest grade.
    """

    def __init__(
        self,
        qrels: Qrels,
        measures: Sequence[Measure],
        *,
        level: int,
        binary: bool,
        judged_only: bool,
        max_grade: int,
    ) -> None:
        if any(measure.family.has_grades for measure in measures):
            check_grades(qrels, max_grade)
        self._qrels = qrels
        self._binary = binary
        self._max_grade = max_grade
        self._judged_only = judged_only
        self._functions: list[tuple[int, int, Callable[[TopicRelevance], float]]] = [
            (i, m.level or level, partial(FUNCTIONS[m.family.provider], **keyword_arguments(m)))
            for i, m in enumerate(measures)
            if m.family.provider in FUNCTIONS
        ]
        self._relstrings = [m for m in measures if m.family.provider == "relstring"]
        self._needs_nonrelevant = judged_only or any(
            m.family.needs_nonrelevant for m in measures if m.family.provider != "trec_eval"
        )
        self._positive: dict[str, Judgments] = {}
        self._ideal_sums: dict[tuple[str, int], dict[tuple[Discount, int | None], float]] = {}

    def score(
        self, topic: str, documents: Documents, ordered: bool = False
    ) -> tuple[list[tuple[int, float]], list[tuple[str, str]]]:
        """Score the documents that a run retrieved for a topic.

        Parameters
        ----------
        topic : str
            A topic of the qrels.
        documents : dict
            Docno to score; empty for a topic that is missing from the run.
        ordered : bool
            True if the documents are in trec_eval's order already.

        Returns
        -------
        scores : list of (int, float)
            The place of each measure, and its score.
        relstrings : list of (str, str)
            The name of each relstring, and its text.
        """
        positive = self._positive_of(topic)
        judged = self._qrels[topic] if self._needs_nonrelevant else positive
        vector = relevance_vector(documents, judged, judged_only=self._judged_only, ordered=ordered)
        judgments = np.array(list(positive.values()), dtype=np.int64)
        # One object per level, because it caches the values that all measures with this level use.
        relevances: dict[int, TopicRelevance] = {}
        scores = []
        for place, level, function in self._functions:
            if level not in relevances:
                sums = self._ideal_sums.setdefault((topic, level), {})
                relevances[level] = TopicRelevance(vector, judgments, level, self._binary, self._max_grade, sums)
            scores.append((place, float(function(relevances[level]))))
        return scores, [(m.name, relstring(vector, m.cutoff or _RELSTRING_LENGTH)) for m in self._relstrings]

    def _positive_of(self, topic: str) -> Judgments:
        """Return the judgments above 0; they are few, so looking up documents in them is fast."""
        if topic not in self._positive:
            self._positive[topic] = {docno: rel for docno, rel in self._qrels[topic].items() if rel > 0}
        return self._positive[topic]
