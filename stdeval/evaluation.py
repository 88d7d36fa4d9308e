"""Raw scores of runs: trec_eval's measures through pytrec_eval, the others from relevance vectors.

The only module that imports pytrec_eval. Only names that `stdeval.names` has checked reach it, and topics
under names of our own, because it aborts the process on some names and confuses a topic named "no_query".
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index

import numpy as np
from pytrec_eval_ext import RelevanceEvaluator

from stdeval.aggregate import arithmetic_mean, total
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.gains import FUNCTIONS, OF_UNJUDGED, TopicRelevance
from stdeval.measures import DEFAULT_FACTORS
from stdeval.names import Measure, resolve
from stdeval.ranking import NOT_POOLED, UNJUDGED, relevance_vector, top_documents
from stdeval.table import Floats, Ints, ScoreTable, sorted_topics
from stdeval.trec import Documents, Judgments, Qrels, Run, RunReader

LEAST_GEOMETRIC = 1e-5
"""trec_eval's least value of a topic in gm_map and gm_bpref."""

_ONE_AT_A_TIME = ("number", "numbers", "gains")
_SEVERAL = ("cutoff", "share")
_RELSTRING_LENGTH = 10


@dataclass(frozen=True)
class Options:
    """How runs are evaluated: trec_eval's options of the same meaning.

    Parameters
    ----------
    level : int
        ``-l``: from which judgment on a document is relevant.
    depth : int, optional
        ``-M``: how many documents of a topic count; it comes before ``judged_only``.
    judged_only : bool
        ``-J``: documents without judgment are dropped.
    complete : bool
        ``-c``: topics that the run lacks count what retrieving nothing scores: 0, but for rbp_resid, 1.
    binary : bool
        The gains of the DCG family are 0 and 1, 1 from ``level`` on, and not the judgments.
    """

    level: int = 1
    depth: int | None = None
    judged_only: bool = False
    complete: bool = False
    binary: bool = False


@dataclass(frozen=True, eq=False)
class RunScores:
    """Raw scores of one run.

    Parameters
    ----------
    tag, path : str
        The run's tag, and the file that it comes from.
    topics : tuple of str
        The topics scored, in trec_eval's order; with ``complete`` all topics of the qrels.
    values : ndarray, shape (n_topics, n_measures)
        Counts and the terms of summary measures among them; NaN for text.
    texts : dict
        What text measures say, by (topic, name of the measure).
    summary : ndarray, shape (n_measures,)
        The figures over all topics, as trec_eval averages or sums them.
    n_missing : int
        Number of topics of the qrels that the run lacks.
    retrieved : frozenset of str
        The topics scored that the run has.
    """

    tag: str
    path: str
    topics: tuple[str, ...]
    values: Floats
    texts: dict[tuple[str, str], str]
    summary: Floats
    n_missing: int
    retrieved: frozenset[str]


@dataclass
class _Request:
    """What one pytrec_eval evaluator computes: places in the row of scores, by its names."""

    names: dict[str, set[str]] = field(default_factory=dict)
    places: list[tuple[int, str]] = field(default_factory=list)

    def takes(self, measure: Measure) -> bool:
        return measure.family.parameter not in _ONE_AT_A_TIME or measure.family.name not in self.names

    def add(self, place: int, measure: Measure) -> None:
        family = measure.family
        self.names.setdefault(family.name, set()).update([measure.parameter] if measure.parameter else [])
        plain = f"{family.name}_{measure.parameter}" if family.parameter in _SEVERAL else family.name
        self.places.append((place, plain))

    def arguments(self) -> set[str]:
        return {f"{name}.{','.join(sorted(given))}" if given else name for name, given in self.names.items()}


def _requests(measures: Sequence[Measure], level: int) -> list[tuple[int, _Request]]:
    """As few evaluators as the measures need: one a relevance level, more where one name has two parameters."""
    requests: list[tuple[int, _Request]] = []
    for place, measure in enumerate(measures):
        if measure.family.by == "trec_eval" and measure.family.name != "runid":
            wanted = measure.level or level
            fitting = (r for at, r in requests if at == wanted and r.takes(measure))
            request = next(fitting, None)
            if request is None:
                request = _Request()
                requests.append((wanted, request))
            request.add(place, measure)
    return requests


def _judged(judgments: Judgments) -> Judgments:
    """The judgments of a topic as pytrec_eval can take them.

    It overruns its memory where none is 0 or more. A document that is not relevant, under a name that no
    run can hold, changes no measure.
    """
    return judgments if any(judgment >= 0 for judgment in judgments.values()) else {**judgments, " ": 0}


def _scorer(
    judged: Qrels, arguments: set[str], level: int, judged_only: bool
) -> Callable[[str, Documents], dict[str, float]]:
    """What scores one topic's documents by pytrec_eval's names."""
    if any("=" in argument for argument in arguments):
        # pytrec_eval writes into the text of gains as it reads it, and aborts when it reads it a second time.
        return lambda key, documents: RelevanceEvaluator(
            {key: judged[key]}, arguments, level, judged_only
        ).evaluate({key: documents})[key]
    evaluator = RelevanceEvaluator(judged, arguments, level, judged_only)
    return lambda key, documents: evaluator.evaluate({key: documents})[key]


class Evaluator:
    """Scores runs against qrels; made once, used for many runs.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    measures : sequence of Measure
        What to compute.
    options : Options
    """

    def __init__(self, qrels: Qrels, measures: Sequence[Measure], options: Options | None = None) -> None:
        self.measures = tuple(measures)
        self.options = options or Options()
        self.qrels = qrels
        self.topics = sorted_topics(qrels)
        self._key = {topic: str(i) for i, topic in enumerate(self.topics)}
        judged = {self._key[topic]: _judged(judgments) for topic, judgments in qrels.items()}
        self._scorers = [
            (self._scorer(judged, r.arguments(), level), r.places)
            for level, r in _requests(self.measures, self.options.level)
        ]
        self._of_vectors = [
            (i, FUNCTIONS[m.family.by], m.level or self.options.level, m.arguments)
            for i, m in enumerate(self.measures)
            if m.family.by in FUNCTIONS
        ]
        self._relstrings = [m for m in self.measures if m.family.by == "relstring"]
        tells_unjudged = any(m.family.by in ("relstring", *OF_UNJUDGED) for m in self.measures)
        self._all_judged = tells_unjudged or self.options.judged_only
        self._positive: dict[str, Judgments] = {}

    def _scorer(
        self, judged: Qrels, arguments: set[str], level: int
    ) -> Callable[[str, Documents], dict[str, float]]:
        if self.options.binary:
            judged, level = {key: _folded(judgments, level) for key, judgments in judged.items()}, 1
        return _scorer(judged, arguments, level, self.options.judged_only)

    def score_file(self, path: str | os.PathLike[str] | Input) -> RunScores:
        """Scores of the run in a file, which is read topic by topic."""
        source = path if isinstance(path, Input) else Input(path)
        reader = RunReader(source)
        return self._score(reader, lambda: reader.tag, source.name)

    def score_run(self, run: Run) -> RunScores:
        """Scores of a run in memory."""
        return self._score(_checked_run(run), lambda: run.tag, run.tag)

    def _score(self, blocks: Iterable[tuple[str, Documents]], tag: object, path: str) -> RunScores:
        rows: dict[str, Floats] = {}
        texts: dict[tuple[str, str], str] = {}
        example = ""
        for topic, documents in blocks:
            example = example or topic
            if topic in self._key:
                rows[topic] = self._row(topic, documents, texts)
        if not rows:
            both = f"the run has '{example[:80]}', the qrels '{self.topics[0][:80]}'"
            raise InputError(f"no topic in common with the qrels: {both}", path)
        retrieved = frozenset(rows)
        topics = self.topics if self.options.complete else sorted_topics(rows)
        values = np.array([rows[t] if t in rows else self._missing_row(t) for t in topics])
        return RunScores(
            tag(),  # type: ignore[operator]
            path,
            topics,
            values,
            texts,
            self._summary(values),
            len(self.topics) - len(rows),
            retrieved,
        )

    def _row(self, topic: str, documents: Documents, texts: dict[tuple[str, str], str]) -> Floats:
        depth, ordered = self.options.depth, False
        if depth is not None and len(documents) > depth:
            documents, ordered = top_documents(documents, depth), True
        row = np.full(len(self.measures), np.nan)
        key = self._key[topic]
        if self._of_vectors or self._relstrings:
            judged = self.qrels[topic] if self._all_judged else self._positive_of(topic)
            vector = relevance_vector(documents, judged, judged_only=self.options.judged_only, ordered=ordered)
            self._score_vector(row, topic, vector)
            for measure in self._relstrings:
                texts[topic, measure.name] = relstring(vector, measure.cutoff or _RELSTRING_LENGTH)
        for scorer, places in self._scorers:
            scores = scorer(key, documents)
            for place, name in places:
                # iprec_at_recall divides by the number of documents, of which -J may leave none.
                row[place] = 0.0 if math.isnan(scores[name]) else scores[name]
        return row

    def _positive_of(self, topic: str) -> Judgments:
        """The judgments above 0: few, hence quick to look up, and enough where the others are all alike."""
        if topic not in self._positive:
            self._positive[topic] = {docno: level for docno, level in self.qrels[topic].items() if level > 0}
        return self._positive[topic]

    def _score_vector(self, row: Floats, topic: str, vector: Ints) -> None:
        """Put the scores that follow from a relevance vector into a row of scores."""
        judged = np.array(list(self._positive_of(topic).values()), dtype=np.int64)
        relevances: dict[int, TopicRelevance] = {}
        for place, function, level, arguments in self._of_vectors:
            if level not in relevances:
                relevances[level] = TopicRelevance(vector, judged, level, self.options.binary)
            row[place] = function(relevances[level], **arguments)

    def _missing_row(self, topic: str) -> Floats:
        judgments = self.qrels[topic]
        row = np.array([_missing_value(measure, judgments) for measure in self.measures])
        self._score_vector(row, topic, np.zeros(0, dtype=np.int64))
        return row

    def _summary(self, values: Floats) -> Floats:
        summary = summarize([measure.family.kind for measure in self.measures], values)
        for i, measure in enumerate(self.measures):
            if measure.family.name == "num_q":
                summary[i] = len(values)
            elif measure.family.kind == "summary":
                summary[i] = math.exp(summary[i])
            elif measure.family.name == "num_rel" and self.options.complete:
                summary[i] = sum(_n_positive(judgments) for judgments in self.qrels.values())
        return summary


def summarize(kinds: Sequence[str], values: Floats) -> Floats:
    """The sum over topics of counts and the mean over topics of all else, of the values that are there.

    Parameters
    ----------
    kinds : sequence of str, length n_measures
        ``Family.kind`` of each measure.
    values : ndarray, shape (n_topics, n_measures)
    """
    counted = np.array([kind == "count" for kind in kinds], dtype=bool)
    return np.where(counted, total(values, axis=0), arithmetic_mean(values, axis=0))


def relstring(vector: Ints, length: int) -> str:
    """The judgments of the first documents, a character each, as trec_eval writes them."""
    characters = {NOT_POOLED: "-", UNJUDGED: "."}
    return "".join(characters.get(rel, str(rel) if rel <= 9 else ">") for rel in vector[:length].tolist())


def _folded(judgments: Judgments, level: int) -> Judgments:
    """Judgments that say relevant (1) or not (0); negative ones stay."""
    return {docno: int(judgment >= level) if judgment >= 0 else judgment for docno, judgment in judgments.items()}


def _n_positive(judgments: Judgments) -> int:
    return sum(judgment > 0 for judgment in judgments.values())


def _missing_value(measure: Measure, judgments: Judgments) -> float:
    """What a topic that the run lacks counts, as in trec_eval -c."""
    if measure.family.kind == "text":
        return math.nan
    if measure.family.name == "num_rel":
        return float(_n_positive(judgments))
    if measure.family.kind == "summary":
        return 1.0 if measure.family.name == "num_q" else math.log(LEAST_GEOMETRIC)
    return 0.0


def _checked_run(run: Run) -> Iterator[tuple[str, Documents]]:
    """The topics of a run in memory, as the reader of files gives them; refuses what would crash in C."""
    for topic, documents in run.documents.items():
        _check_docnos(topic, documents, run.tag)
        if not documents or not all(map(math.isfinite, documents.values())):
            raise InputError(f"topic '{topic}' has no documents or a score that is not finite", run.tag)
        yield topic, {docno: float(score) for docno, score in documents.items()}


def _checked_qrels(qrels: Qrels) -> Qrels:
    for topic, judgments in qrels.items():
        _check_docnos(topic, judgments, "qrels")
    if not qrels:
        raise InputError("no judgments, expected topic to docno to judgment", "qrels")
    return {t: {docno: index(judgment) for docno, judgment in given.items()} for t, given in qrels.items()}


def _check_docnos(topic: str, docnos: Iterable[str], name: str) -> None:
    joined = "\n".join(docnos)
    try:
        joined.encode()
    except UnicodeEncodeError:
        joined = "\0"
    if "\0" in joined:
        raise InputError(f"topic '{topic}' has a docno that is no text", name)


def is_tabled(measure: Measure) -> bool:
    """Whether a measure has a number for each topic, that a table can hold."""
    return measure.family.kind in ("score", "count")


def table_of(runs: Sequence[RunScores], systems: Sequence[str], measures: Sequence[Measure]) -> ScoreTable:
    """The scores and counts of some runs as one table, on the topics that any of them has."""
    topics = sorted_topics({topic for run in runs for topic in run.topics})
    keep = [i for i, measure in enumerate(measures) if is_tabled(measure)]
    row = {topic: i for i, topic in enumerate(topics)}
    values = np.full((len(runs), len(topics), len(keep)), np.nan)
    for i, run in enumerate(runs):
        values[i, [row[topic] for topic in run.topics]] = run.values[:, keep]
    return ScoreTable(tuple(systems), topics, tuple(measures[i].name for i in keep), values)


def evaluate(
    qrels: Qrels,
    runs: Iterable[Run] | Mapping[str, Run],
    measures: Iterable[str] = DEFAULT_FACTORS,
    options: Options | None = None,
) -> ScoreTable:
    """Raw scores of runs.

    Parameters
    ----------
    qrels : dict
        As `stdeval.read_qrels` gives them.
    runs : iterable of Run, or mapping of name to Run
        As `stdeval.read_run` gives them; without names the tags are the names.
    measures : iterable of str
        In any form that the command line takes.
    options : Options, optional

    Returns
    -------
    ScoreTable

    Raises
    ------
    InputError
        If a measure is not known, a run has no topic in common with the qrels, two have one name, a docno
        is no text, or a score is not finite.
    """
    named = list(runs.items()) if isinstance(runs, Mapping) else [(run.tag, run) for run in runs]
    evaluator = Evaluator(_checked_qrels(qrels), resolve(measures), options)
    scored = [evaluator.score_run(run) for _, run in named]
    return table_of(scored, [name for name, _ in named], evaluator.measures)
