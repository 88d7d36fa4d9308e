"""The weight that two runs both give to unjudged documents by rank-biased precision (Moffat & Zobel, TOIS 2008).

A document without a judgment, or with a negative one, may be relevant or not. If both runs retrieve it, it is
relevant for both or for neither, and so can change their difference only by the difference of its weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from stdeval.measures.catalogue import Measure
from stdeval.measures.relevance import rank_weights
from stdeval.table import Floats, Ints
from stdeval.trec.reading import Qrels


def residual_measure(measure: Measure) -> str:
    """Return the name of the residual of a measure of rank-biased precision."""
    return measure.name.replace("rbp", "rbp_resid", 1)


def needed_depth(measure: Measure) -> int:
    """Return the number of ranks of a run that matter for a measure of rank-biased precision."""
    p = measure.persistence or 0.0
    # All deeper ranks together have too little weight to change a score in [0, 1].
    depth = math.ceil(math.log(1e-16) / math.log(p)) if p else 1
    return depth if measure.cutoff is None else min(depth, measure.cutoff)


class UnjudgedDocuments:
    """The unjudged documents of many runs, with their ranks."""

    def __init__(self, qrels: Qrels) -> None:
        self._qrels = qrels
        self._numbers: dict[str, dict[str, int]] = {topic: {} for topic in qrels}
        self._runs: list[dict[str, Ints]] = []

    def add(self, documents: Mapping[str, Iterable[str]]) -> None:
        """Add a run: for each topic, the numbers of its unjudged documents, and their ranks from 0 on."""
        run = {}
        for topic, docnos in documents.items():
            judgments, numbers = self._qrels[topic], self._numbers[topic]
            unjudged = ((rank, docno) for rank, docno in enumerate(docnos) if judgments.get(docno, -1) < 0)
            found = [(numbers.setdefault(docno, len(numbers)), rank) for rank, docno in unjudged]
            run[topic] = np.array(found, dtype=np.int64).reshape(-1, 2).T
        self._runs.append(run)

    def shared_weights(self, measure: Measure) -> Floats:
        """Return the weight that two runs both give to unjudged documents, added over topics."""
        shared = np.zeros((len(self._runs), len(self._runs)))
        for topic, numbers in self._numbers.items():
            having = [i for i, run in enumerate(self._runs) if topic in run]
            if not having or not numbers:
                continue
            runs = np.repeat(having, [self._runs[i][topic].shape[1] for i in having])
            documents, ranks = np.concatenate([self._runs[i][topic] for i in having], axis=1)
            depth = int(ranks.max()) + 1
            weights = rank_weights("rbp", depth, measure.persistence or 0.0)[ranks]
            weights[ranks >= (measure.cutoff or depth)] = 0
            for i in having:
                own = np.zeros(len(numbers))
                own[documents[runs == i]] = weights[runs == i]
                shared[i] += np.bincount(runs, np.minimum(own[documents], weights), minlength=len(shared))
        return shared
