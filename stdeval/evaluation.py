"""Raw scores of runs: trec_eval's measures through pytrec_eval, the others from relevance vectors.

The only module that imports pytrec_eval; numpy is imported only where it is used, so that one run is scored
in an instant. Only names that `stdeval.measures.names` has checked reach pytrec_eval, and topics under names of our
own, because it aborts the process on some names and confuses a topic named "no_query".
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add, index
from typing import TYPE_CHECKING, NamedTuple

from pytrec_eval_ext import RelevanceEvaluator

from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.names import Measure, resolve
from stdeval.trec import Documents, Judgments, Qrels, Run, RunReader, sorted_topics

if TYPE_CHECKING:
    from stdeval.measures.papers import VectorScorer
    from stdeval.table import Floats, ScoreTable

LEAST_GEOMETRIC = 1e-5
"""trec_eval's least value of a topic in gm_map and gm_bpref."""

_ONE_AT_A_TIME = ("number", "numbers", "gains")
_SEVERAL = ("cutoff", "share")


class Options(NamedTuple):
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


class RunScores(NamedTuple):
    """Raw scores of one run.

    Parameters
    ----------
    tag : str
        The tag of the run, the first one if it changes.
    path : str
        The file that the run comes from, as messages name it.
    topics : tuple of str
        The topics scored, in trec_eval's order; with ``complete`` all topics of the qrels.
    rows : list of list of float
        The scores of each topic: counts and the terms of summary measures among them; NaN for text.
    texts : dict
        What text measures say, by (topic, name of the measure).
    summary : list of float
        The figures over all topics, as trec_eval averages or sums them.
    n_missing : int
        Number of topics of the qrels that the run lacks.
    retrieved : frozenset of str
        The topics scored that the run has.
    other_tag : (str, int), optional
        The first different tag and the number of its line, if the tag changes.
    """

    tag: str
    path: str
    topics: tuple[str, ...]
    rows: list[list[float]]
    texts: dict[tuple[str, str], str]
    summary: list[float]
    n_missing: int
    retrieved: frozenset[str]
    other_tag: tuple[str, int] | None = None

    @property
    def values(self) -> Floats:
        """The rows as an array, shape (n_topics, n_measures)."""
        import numpy as np

        return np.array(self.rows, dtype=np.float64)


class _Request:
    """What one pytrec_eval evaluator computes: places in the row of scores, by its names."""

    def __init__(self, level: int) -> None:
        self.level = level
        self.names: dict[str, set[str]] = {}
        self.places: list[tuple[int, str]] = []
        self.nonrelevant = False

    def takes(self, measure: Measure) -> bool:
        return measure.family.parameter not in _ONE_AT_A_TIME or measure.family.name not in self.names

    def add(self, place: int, measure: Measure) -> None:
        family = measure.family
        self.names.setdefault(family.name, set()).update([measure.parameter] if measure.parameter else [])
        plain = f"{family.name}_{measure.parameter}" if family.parameter in _SEVERAL else family.name
        self.places.append((place, plain))
        # gains may give one to judgment 0
        self.nonrelevant |= family.nonrelevant or (family.parameter == "gains" and measure.parameter != "")

    def arguments(self) -> set[str]:
        return {f"{name}.{','.join(sorted(given))}" if given else name for name, given in self.names.items()}


def _requests(measures: Sequence[Measure], level: int) -> list[_Request]:
    """As few evaluators as the measures need: one a relevance level, more where one name has two parameters."""
    requests: list[_Request] = []
    for place, measure in enumerate(measures):
        if measure.family.by == "trec_eval" and measure.family.name != "runid":
            wanted = measure.level or level
            request = next((r for r in requests if r.level == wanted and r.takes(measure)), None)
            if request is None:
                request = _Request(wanted)
                requests.append(request)
            request.add(place, measure)
    return requests


def _judged(judgments: Judgments, nonrelevant: bool) -> Judgments:
    """The judgments of a topic as pytrec_eval can take them, those of documents that are not relevant on request.

    It overruns its memory where none is 0 or more. A document that is not relevant, under a name that no
    run can hold, changes no measure.
    """
    if not nonrelevant:
        return {docno: judgment for docno, judgment in judgments.items() if judgment > 0} or {" ": 0}
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
        self._scorers = [(self._scorer(r), r.places) for r in _requests(self.measures, self.options.level)]
        self._vectors = self._vector_scorer()

    def _vector_scorer(self) -> VectorScorer | None:
        if all(measure.family.by == "trec_eval" for measure in self.measures):
            return None
        from stdeval.measures.papers import VectorScorer

        o = self.options
        return VectorScorer(self.qrels, self.measures, level=o.level, binary=o.binary, judged_only=o.judged_only)

    def _scorer(self, request: _Request) -> Callable[[str, Documents], dict[str, float]]:
        options, level = self.options, request.level
        qrels = {self._key[topic]: judgments for topic, judgments in self.qrels.items()}
        if options.binary:
            qrels, level = {key: _folded(judgments, level) for key, judgments in qrels.items()}, 1
        nonrelevant = request.nonrelevant or options.judged_only
        judged = {key: _judged(judgments, nonrelevant) for key, judgments in qrels.items()}
        return _scorer(judged, request.arguments(), level, options.judged_only)

    def score_file(self, path: str | os.PathLike[str] | Input) -> RunScores:
        """Scores of the run in a file, which is read topic by topic."""
        source = path if isinstance(path, Input) else Input(path)
        reader = RunReader(source)
        return self._score(reader, reader, source.name)

    def score_run(self, run: Run) -> RunScores:
        """Scores of a run in memory."""
        return self._score(run, _checked_run(run), run.tag)

    def _score(self, run: Run | RunReader, blocks: Iterable[tuple[str, Documents]], path: str) -> RunScores:
        rows: dict[str, list[float]] = {}
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
        scored = [rows[topic] if topic in rows else self._missing_row(topic) for topic in topics]
        return RunScores(
            run.tag,  # a reader knows it only now, after the iteration
            path,
            topics,
            scored,
            texts,
            self._summary(scored),
            len(self.topics) - len(rows),
            retrieved,
            run.other_tag,
        )

    def _row(self, topic: str, documents: Documents, texts: dict[tuple[str, str], str]) -> list[float]:
        ordered = self.options.depth is not None and len(documents) > self.options.depth
        if ordered:
            documents = _cut(documents, self.options.depth or 0)
        row = [math.nan] * len(self.measures)
        if self._vectors is not None:
            found, relstrings = self._vectors.score(topic, documents, ordered)
            for place, score in found:
                row[place] = score
            texts.update(((topic, name), text) for name, text in relstrings)
        key = self._key[topic]
        for scorer, places in self._scorers:
            scores = scorer(key, documents)
            for place, name in places:
                # iprec_at_recall divides by the number of documents, of which -J may leave none.
                row[place] = 0.0 if math.isnan(scores[name]) else scores[name]
        return row

    def _missing_row(self, topic: str) -> list[float]:
        judgments = self.qrels[topic]
        row = [_missing_value(measure, judgments) for measure in self.measures]
        for place, score in self._vectors.score(topic, {})[0] if self._vectors is not None else ():
            row[place] = score
        return row

    def _summary(self, rows: list[list[float]]) -> list[float]:
        summary = summarize([measure.family.kind for measure in self.measures], rows)
        for i, measure in enumerate(self.measures):
            if measure.family.name == "num_q":
                summary[i] = len(rows)
            elif measure.family.kind == "summary":
                summary[i] = math.exp(summary[i])
            elif measure.family.name == "num_rel" and self.options.complete:
                summary[i] = sum(_n_positive(judgments) for judgments in self.qrels.values())
        return summary


def summarize(kinds: Sequence[str], rows: Sequence[Sequence[float]]) -> list[float]:
    """The sum over topics of counts and the mean over topics of all else, of the values that are there.

    Sums go topic by topic, in order, so that the last digit printed is trec_eval's.

    Parameters
    ----------
    kinds : sequence of str, length n_measures
        ``Family.kind`` of each measure.
    rows : sequence of sequence of float, n_topics x n_measures
        NaN is missing.

    Examples
    --------
    >>> summarize(["score", "count"], [[0.5, 3.0], [math.nan, 4.0], [0.25, 5.0]])
    [0.375, 12.0]
    """
    figures = []
    for place, kind in enumerate(kinds):
        column = [row[place] for row in rows if row[place] == row[place]]
        # not sum(), which compensates for rounding from Python 3.12 on
        total = reduce(add, column, 0.0)
        figures.append(total if kind == "count" else total / len(column) if column else math.nan)
    return figures


def _cut(documents: Documents, depth: int) -> Documents:
    """The first documents in trec_eval's order."""
    from stdeval.measures.relevance import top_documents

    return top_documents(documents, depth)


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
        is_text = b"\0" not in joined.encode()
    except UnicodeEncodeError:
        is_text = False
    if not is_text:
        raise InputError(f"topic '{topic}' has a docno that is no text", name)


def is_tabled(measure: Measure) -> bool:
    """Whether a measure has a number for each topic, that a table can hold."""
    return measure.family.kind in ("score", "count")


def table_of(runs: Sequence[RunScores], systems: Sequence[str], measures: Sequence[Measure]) -> ScoreTable:
    """Return the scores and counts of runs as one table, on the topics that any of the runs has."""
    import numpy as np

    from stdeval.table import ScoreTable, rows_for

    topics = sorted_topics({topic for run in runs for topic in run.topics})
    keep = [i for i, measure in enumerate(measures) if is_tabled(measure)]
    values = np.empty((len(runs), len(topics), len(keep)))
    for i, run in enumerate(runs):
        values[i] = rows_for(run.values[:, keep], run.topics, topics)
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
