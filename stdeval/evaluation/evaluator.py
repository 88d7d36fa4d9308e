"""Raw scores of runs: trec_eval's measures through pytrec_eval, all others from relevance vectors.

numpy is imported inside the functions that need it: `stdeval eval` of trec_eval's measures runs without it, and so
starts in a fraction of the time.
"""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from stdeval.errors import InputError
from stdeval.evaluation.gains import check_gains
from stdeval.evaluation.options import Options, checked_options
from stdeval.evaluation.relevance_levels import check_levels
from stdeval.evaluation.run_scores import PartScores, RunScores, summarize
from stdeval.evaluation.trec_eval_scores import requests_for, trec_scorer
from stdeval.files import Input
from stdeval.measures.parameters import Measure
from stdeval.measures.precision import at_precision
from stdeval.trec.reading import Documents, Judgments, Qrels, Run, RunReader, has_judged, sorted_topics

if TYPE_CHECKING:
    from stdeval.measures.topic_scores import VectorScorer

LEAST_GEOMETRIC = 1e-5
"""trec_eval's smallest value of a topic in gm_map and gm_bpref."""

_N_FIRST = 10
"""The number of documents at the top of a topic among which judged ones are counted."""

_MOST_DOCUMENTS = 1000
"""Number of documents after which no further topic is scored in the same call of pytrec_eval."""


class Evaluator:
    """Scores runs against qrels; made once, and used for many runs.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    measures : sequence of Measure
        The measures to compute.
    options : Options, optional
    counts_judged : bool
        Count the judged documents among the first ten of each topic.

    Raises
    ------
    InputError
        If a judgment is above the highest grade, and a measure depends on the highest grade; or if a level or
        gains in the name of a measure have no effect.
    """

    def __init__(
        self,
        qrels: Qrels,
        measures: Sequence[Measure],
        options: Options | None = None,
        *,
        counts_judged: bool = False,
    ) -> None:
        self.measures = tuple(measures)
        self.options = checked_options(options)
        check_gains(self.measures, self.options.binary)
        if not self.options.binary:
            check_levels(self.measures, qrels)
        self.qrels = qrels
        self.topics = sorted_topics(qrels)
        self._counts_judged = counts_judged and not self.options.judged_only
        self._key = {topic: str(i) for i, topic in enumerate(self.topics)}
        keyed = {self._key[topic]: judgments for topic, judgments in qrels.items()}
        self._trec_scorers = [
            (trec_scorer(request, keyed, self.options), request.places)
            for request in requests_for(self.measures, self.options.level)
        ]
        self._vector_scorer: VectorScorer | None = None
        if any(measure.family.provider != "trec_eval" for measure in self.measures):
            from stdeval.measures.topic_scores import VectorScorer

            o = self.options
            self._vector_scorer = VectorScorer(
                qrels,
                self.measures,
                level=o.level,
                binary=o.binary,
                judged_only=o.judged_only,
                max_grade=o.max_grade,
            )

    def score_file(self, path: str | os.PathLike[str] | Input) -> RunScores:
        """Score the run in a file, which is read topic by topic.

        Raises
        ------
        InputError
            If the file is not a run, or has no topic in common with the qrels.
        """
        source = path if isinstance(path, Input) else Input(path)
        reader = RunReader(source)
        scored = self.score_topics(reader)
        # known only after all topics were read
        return self.whole_run(scored, reader.tag, source.name, rises=reader.order.rises)

    def score_run(self, run: Run, *, as_read: bool = False) -> RunScores:
        """Score a run in memory.

        Parameters
        ----------
        run : Run
        as_read : bool
            Convert its docnos to the form that files are read in; those of the qrels must have this form already.

        Raises
        ------
        InputError
            If the run has no topic in common with the qrels, a docno that is not text, or a score that is not
            finite.
        """
        # not loaded by `stdeval eval`, which reads files
        from stdeval.evaluation.python_inputs import checked_topics

        return self.whole_run(self.score_topics(checked_topics(run, as_read=as_read)), run.tag, run.tag)

    def score_topics(self, topics: Iterable[tuple[str, Documents]]) -> PartScores:
        """Score some topics of a run."""
        read: list[str] = []
        rows: dict[str, array[float]] = {}
        texts: dict[tuple[str, str], str] = {}
        first: dict[str, tuple[int, int]] = {}
        is_judged = False
        for some in self._batches(topics, read):
            # A reader may give a topic twice, the second time complete; the later row replaces the earlier one.
            rows |= self._rows(some, texts)
            is_judged = is_judged or any(has_judged(docs, self.qrels[topic]) for topic, docs in some.items())
            if self._counts_judged:
                first |= {topic: self._first_judged(topic, documents) for topic, documents in some.items()}
        return PartScores(read, rows, texts, is_judged, first)

    def _first_judged(self, topic: str, documents: Documents) -> tuple[int, int]:
        """Return the number of judged documents among the first ten, and the number of all of these."""
        from stdeval.measures.relevance import top_documents

        judgments = self.qrels[topic]
        depth = min(_N_FIRST, self.options.depth or _N_FIRST)
        first = top_documents(at_precision(documents, self.options.precision), depth)
        return sum(judgments.get(docno, -1) >= 0 for docno in first), len(first)

    def _batches(self, topics: Iterable[tuple[str, Documents]], read: list[str]) -> Iterator[dict[str, Documents]]:
        """Yield judged topics in batches of enough documents, and add the names of all topics to `read`."""
        batch: dict[str, Documents] = {}
        n = 0
        for topic, documents in topics:
            read.append(topic)
            if topic in self._key:
                batch[topic] = documents
                n += len(documents)
                if n >= _MOST_DOCUMENTS:
                    yield batch
                    batch, n = {}, 0
        if batch:
            yield batch

    def whole_run(self, scored: PartScores, tag: str, path: str, *, rises: bool = False) -> RunScores:
        """Return the scores of a run from those of all of its topics.

        Raises
        ------
        InputError
            If the run is empty, or has no topic in common with the qrels.
        """
        rows = scored.rows
        if not scored.topics:
            raise InputError("the run is empty, expected documents for topics of the qrels", path)
        if not rows:
            both = f"the run has '{scored.topics[0][:80]}', the qrels '{self.topics[0][:80]}'"
            raise InputError(f"no topic in common with the qrels: {both}", path)
        is_whole = self.options.complete or len(rows) == len(self.topics)
        topics = self.topics if is_whole else sorted_topics(rows)
        all_rows = [rows[topic] if topic in rows else self._missing_row(topic) for topic in topics]
        n_judged, n_first = map(sum, zip(*scored.first.values(), strict=True)) if scored.first else (0, 0)
        return RunScores(
            tag,
            path,
            topics,
            all_rows,
            scored.texts,
            self._summary(all_rows),
            len(self.topics) - len(rows),
            frozenset(topic for topic in topics if topic not in rows),
            scored.is_judged,
            len({topic for topic in scored.topics if topic not in rows}),
            rises,
            n_judged / n_first if n_first else None,
        )

    def _rows(self, topics: dict[str, Documents], texts: dict[tuple[str, str], str]) -> dict[str, array[float]]:
        """Scores of topics, shape (n_measures,) each; text measures are added to `texts`."""
        unscored = array("d", [math.nan]) * len(self.measures)
        rows: dict[str, array[float]] = {}
        keyed: dict[str, Documents] = {}
        for topic, retrieved in topics.items():
            rows[topic] = unscored[:]
            documents, is_cut = self._considered(retrieved)
            keyed[self._key[topic]] = documents
            if self._vector_scorer is not None:
                # Documents that were cut are in trec_eval's order already.
                vector_scores, relstrings = self._vector_scorer.score(topic, documents, ordered=is_cut)
                for place, score in vector_scores:
                    rows[topic][place] = score
                texts.update(((topic, name), text) for name, text in relstrings)
        for scorer, places in self._trec_scorers:
            scores = scorer(keyed)
            for key, row in zip(keyed, rows.values(), strict=True):
                own = scores[key]
                for place, name in places:
                    score = own[name]
                    # NaN: iprec_at_recall divides by the number of documents, which is 0 if -J leaves none.
                    row[place] = 0.0 if math.isnan(score) else score
        return rows

    def _considered(self, documents: Documents) -> tuple[Documents, bool]:
        """Return the documents as they are scored, and whether they were cut at the depth."""
        documents = at_precision(documents, self.options.precision)
        depth = self.options.depth
        if depth is None or len(documents) <= depth:
            return documents, False
        from stdeval.measures.relevance import top_documents

        return top_documents(documents, depth), True

    def _missing_row(self, topic: str) -> array[float]:
        """Scores of a topic that is missing from the run, shape (n_measures,)."""
        judgments = self.qrels[topic]
        level = self.options.level
        row = array("d", (_missing_value(measure, judgments, level) for measure in self.measures))
        if self._vector_scorer is not None:
            for place, score in self._vector_scorer.score(topic, {})[0]:
                row[place] = score
        return row

    def _summary(self, rows: list[array[float]]) -> list[float]:
        """The values over all topics, as trec_eval computes them, shape (n_measures,)."""
        summary = summarize([measure.family.kind for measure in self.measures], rows)
        for i, measure in enumerate(self.measures):
            if measure.family.name == "num_q":
                summary[i] = len(rows)
            elif measure.family.kind == "summary":
                # pytrec_eval returns the logarithm of each topic's score; their mean gives the geometric mean.
                summary[i] = math.exp(summary[i])
            elif measure.family.name == "num_rel" and self.options.complete:
                # With -c trec_eval counts the relevant documents of all topics, always at level 1, even with -l.
                summary[i] = sum(_n_relevant(measure, judgments, 1) for judgments in self.qrels.values())
        return summary


def _n_relevant(measure: Measure, judgments: Judgments, level: int) -> int:
    """Count the relevant documents of a topic, at a level or at that in the name of the measure."""
    return sum(rel >= (measure.level or level) for rel in judgments.values())


def _missing_value(measure: Measure, judgments: Judgments, level: int) -> float:
    """Return the score of a topic that is missing from the run, as trec_eval -c counts it."""
    if measure.family.kind == "text":
        return math.nan
    if measure.family.name == "num_rel":
        return float(_n_relevant(measure, judgments, level))
    if measure.family.kind == "summary":
        return 1.0 if measure.family.name == "num_q" else math.log(LEAST_GEOMETRIC)
    return 0.0
