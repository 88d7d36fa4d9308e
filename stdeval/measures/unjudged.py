"""The unjudged documents of runs, and the weight that two runs both give to them by rank-biased precision.

A document without a judgment, or with a negative one, may be relevant or not. If both runs retrieve it, it is
relevant for both or for neither, and so can change their difference only by the difference of its weights.

References
----------
A. Moffat, J. Zobel. Rank-biased precision for measurement of retrieval effectiveness. TOIS 27(1), 2008. (residuals)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from stdeval.arrays import Floats, Ints
from stdeval.measures.parameters import Measure
from stdeval.measures.weights import rbp_weights
from stdeval.trec.reading import Qrels

_NEGLIGIBLE = 1e-16
"""Weight of all deeper ranks together that changes no score in [0, 1]."""


def residual_measure(measure: Measure) -> str:
    """Return the name of the residual of a measure of rank-biased precision.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> residual_measure(resolve(["RBP(p=0.8, rel=2)@10"])[0])
    'rbp_resid_p=0.8_cut_10_rel=2'
    """
    return measure.name.replace("rbp", "rbp_resid", 1)


def needed_depth(measure: Measure) -> int:
    """Return the number of ranks of a run that matter for a measure of rank-biased precision.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> [needed_depth(measure) for measure in resolve(["RBP(p=0.8)", "RBP(p=0.8)@10"])]
    [166, 10]
    """
    p = measure.persistence or 0.0
    depth = math.ceil(math.log(_NEGLIGIBLE) / math.log(p)) if p else 1
    return depth if measure.cutoff is None else min(depth, measure.cutoff)


def weight_beyond_cutoff(measure: Measure) -> float:
    """Return the weight of the ranks beyond the cutoff: residuals include it, the measure ignores these ranks.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> [weight_beyond_cutoff(measure) for measure in resolve(["RBP(p=0.5)", "RBP(p=0.5)@3"])]
    [0.0, 0.125]
    """
    return 0.0 if measure.cutoff is None else (measure.persistence or 0.0) ** measure.cutoff


class UnjudgedDocuments:
    """The unjudged documents of many runs, with their ranks.

    A docno is held only once, however many runs have it: documents are numbered topic by topic.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.

    Examples
    --------
    Both runs have ``x`` unjudged, at rank 2 with weight 0.25, and at rank 1 with weight 0.5:

    >>> from stdeval.measures.names import resolve
    >>> unjudged = UnjudgedDocuments({"1": {"a": 1}})
    >>> unjudged.add({"1": ["a", "x"]})
    >>> unjudged.add({"1": ["x", "a", "y"]})
    >>> unjudged.shared_weights(resolve(["RBP(p=0.5)"])[0])
    array([[0.25 , 0.25 ],
           [0.25 , 0.625]])
    """

    def __init__(self, qrels: Qrels) -> None:
        self._judged = {
            topic: {docno for docno, judgment in judgments.items() if judgment >= 0}
            for topic, judgments in qrels.items()
        }
        self._numbers: dict[str, dict[str, int]] = {topic: {} for topic in qrels}
        self._runs: list[dict[str, tuple[Ints, Ints]]] = []

    def add(self, documents: Mapping[str, Iterable[str]]) -> None:
        """Add a run.

        Parameters
        ----------
        documents : mapping of topic to docnos
            In the order of their ranks, from the first rank on; all topics are those of the qrels.
        """
        self._runs.append({topic: self._numbered(topic, docnos) for topic, docnos in documents.items()})

    def _numbered(self, topic: str, docnos: Iterable[str]) -> tuple[Ints, Ints]:
        """Return the numbers of the unjudged documents, and their ranks from 0 on."""
        judged, numbers = self._judged[topic], self._numbers[topic]
        found = [
            (numbers.setdefault(docno, len(numbers)), rank)
            for rank, docno in enumerate(docnos)
            if docno not in judged
        ]
        documents, ranks = np.array(found, dtype=np.int32).reshape(-1, 2).T.astype(np.int64)
        return documents, ranks

    def shared_weights(self, measure: Measure) -> Floats:
        """Return the weight that two runs both give to unjudged documents, added over topics.

        Parameters
        ----------
        measure : Measure
            Of rank-biased precision.

        Returns
        -------
        ndarray, shape (n_runs, n_runs)
            The sum of the smaller of the two weights of each document; on the diagonal the weight of all unjudged
            documents of a run.
        """
        shared = np.zeros((len(self._runs), len(self._runs)))
        for topic, numbers in self._numbers.items():
            self._add_shared_weights(shared, topic, len(numbers), measure)
        return shared

    def _add_shared_weights(self, shared: Floats, topic: str, n_documents: int, measure: Measure) -> None:
        having = [i for i, run in enumerate(self._runs) if topic in run]
        if not having or not n_documents:
            return
        runs = np.repeat(having, [len(self._runs[i][topic][0]) for i in having])
        documents, ranks = np.concatenate([self._runs[i][topic] for i in having], axis=1)
        depth = int(ranks.max()) + 1
        weights = np.where(
            ranks < (measure.cutoff or depth), rbp_weights(depth, measure.persistence or 0.0)[ranks], 0
        )
        for i in having:
            own = np.zeros(n_documents)
            own[documents[runs == i]] = weights[runs == i]
            both = np.minimum(own[documents], weights)
            shared[i] += np.bincount(runs, both, minlength=len(shared))
