"""Scores that follow from relevance vectors, of which one is made per topic and shared by all measures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdeval.gains import FUNCTIONS, OF_UNJUDGED, TopicRelevance
from stdeval.names import Measure
from stdeval.ranking import NOT_POOLED, UNJUDGED, relevance_vector
from stdeval.table import Ints
from stdeval.trec import Documents, Judgments, Qrels

_RELSTRING_LENGTH = 10


class VectorScorer:
    """Scores one topic after the other by the measures that pytrec_eval does not compute.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    measures : sequence of Measure
        All that are asked for; scores are given by their places here.
    level : int
        From which judgment on a document is relevant, for measures without a level of their own.
    binary : bool
        Whether the gains of the DCG family are 0 and 1.
    judged_only : bool
        Whether documents without judgment are dropped.
    """

    def __init__(
        self, qrels: Qrels, measures: Sequence[Measure], *, level: int, binary: bool, judged_only: bool
    ) -> None:
        self._qrels = qrels
        self._binary = binary
        self._judged_only = judged_only
        self._functions = [
            (i, FUNCTIONS[m.family.by], m.level or level, m.arguments)
            for i, m in enumerate(measures)
            if m.family.by in FUNCTIONS
        ]
        self._relstrings = [m for m in measures if m.family.by == "relstring"]
        tells_unjudged = any(m.family.by in ("relstring", *OF_UNJUDGED) for m in measures)
        self._all_judged = tells_unjudged or judged_only
        self._positive: dict[str, Judgments] = {}

    def score(
        self, topic: str, documents: Documents, ordered: bool = False
    ) -> tuple[list[tuple[int, float]], list[tuple[str, str]]]:
        """Scores by place, and relstrings by name, of what a run retrieved for a topic.

        Parameters
        ----------
        topic : str
        documents : dict
            Docno to score; empty for a topic that the run lacks.
        ordered : bool
            Whether the documents are in trec_eval's order already.
        """
        judged = self._qrels[topic] if self._all_judged else self._positive_of(topic)
        vector = relevance_vector(documents, judged, judged_only=self._judged_only, ordered=ordered)
        relevant = np.array(list(self._positive_of(topic).values()), dtype=np.int64)
        relevances: dict[int, TopicRelevance] = {}
        scores = []
        for place, function, level, arguments in self._functions:
            if level not in relevances:
                relevances[level] = TopicRelevance(vector, relevant, level, self._binary)
            scores.append((place, float(function(relevances[level], **arguments))))
        return scores, [(m.name, relstring(vector, m.cutoff or _RELSTRING_LENGTH)) for m in self._relstrings]

    def _positive_of(self, topic: str) -> Judgments:
        """The judgments above 0: few, hence quick to look up, and enough where the others are all alike."""
        if topic not in self._positive:
            self._positive[topic] = {docno: level for docno, level in self._qrels[topic].items() if level > 0}
        return self._positive[topic]


def relstring(vector: Ints, length: int) -> str:
    """The judgments of the first documents, a character each, as trec_eval writes them.

    Examples
    --------
    >>> relstring(np.array([1, -1, 0, 12, -2]), 4)
    '1-0>'
    """
    characters = {NOT_POOLED: "-", UNJUDGED: "."}
    return "".join(characters.get(rel, str(rel) if rel <= 9 else ">") for rel in vector[:length].tolist())
