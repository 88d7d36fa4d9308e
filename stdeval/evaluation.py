"""Raw scores of runs: trec_eval's measures through pytrec_eval, all others from relevance vectors.

This is the only module that imports pytrec_eval, which trusts its caller: it crashes the process on input that it
does not expect. So only names that `stdeval.measures.names` has checked reach it, and each guard below says what
it prevents. Topics are passed by their position in the qrels, because pytrec_eval confuses a topic named
"no_query".

numpy is imported inside the functions that need it: `stdeval eval` of trec_eval's measures runs without it, and so
starts in a fraction of the time.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, NamedTuple, cast

from pytrec_eval_ext import RelevanceEvaluator

from stdeval.errors import InputError
from stdeval.evaluation_options import Options, checked_options
from stdeval.files import Input
from stdeval.measures.parameters import Measure
from stdeval.measures.precision import at_precision
from stdeval.trec import Documents, JudgmentError, Judgments, Qrels, Run, RunReader, has_judged, sorted_topics

if TYPE_CHECKING:
    from stdeval.measures.topic_scores import VectorScorer
    from stdeval.table import Floats

LEAST_GEOMETRIC = 1e-5
"""trec_eval's smallest value of a topic in gm_map and gm_bpref."""

_NO_DOCUMENT = " "
"""A docno that no run can have: fields of files end at blanks, and `stdeval.python_inputs` refuses it."""

_ONE_PARAMETER = ("number", "numbers", "gains")
"""Kinds of parameters for which a pytrec_eval evaluator accepts only one value."""

_PARAMETER_IN_NAME = ("cutoff", "share")
"""Kinds of parameters that are part of the names under which pytrec_eval returns scores."""

_COMPARES_LEVELS = ("ndcg", "ndcg_rel", "Rndcg", "G")
"""Measures for which trec_eval compares each level from 0 to the highest judgment of a topic with all others."""

_MOST_LEVELS = 100_000
"""The highest judgment for these: a topic takes some seconds at this level, and days at a thousand times more."""

_MOST_DOCUMENTS = 1000
"""Documents from which on no further topic is scored in the same call of pytrec_eval."""

TrecScorer = Callable[[dict[str, Documents]], dict[str, dict[str, float]]]
"""A function of keys of topics and their documents that returns scores by key and pytrec_eval's name."""


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
    rows : list of list of float, n_topics x n_measures
        One row per topic. It includes counts, and each topic's contribution to the summary measures; NaN for text.
    texts : dict
        The values of text measures, by (topic, name of the measure).
    summary : list of float, length n_measures
        The values over all topics, as trec_eval averages or sums them.
    n_missing : int
        Number of topics of the qrels that are missing from the run.
    retrieved : frozenset of str
        Those of the topics for which the run has documents.
    is_judged : bool
        True if any document of these topics is judged. If none is, the judgments are probably of other documents.
    other_tag : (str, int), optional
        The first different tag and the number of its line, if the tag changes.
    n_ignored : int
        Number of topics of the run that are not in the qrels.
    """

    tag: str
    path: str
    topics: tuple[str, ...]
    rows: list[list[float]]
    texts: dict[tuple[str, str], str]
    summary: list[float]
    n_missing: int
    retrieved: frozenset[str]
    is_judged: bool
    other_tag: tuple[str, int] | None = None
    n_ignored: int = 0

    @property
    def values(self) -> Floats:
        """The rows as an array, shape (n_topics, n_measures)."""
        import numpy as np

        return np.array(self.rows, dtype=np.float64)


class PartScores(NamedTuple):
    """Raw scores of some topics of a run.

    Parameters
    ----------
    topics : list of str
        All topics that were read, in their order, judged or not.
    rows : dict of str to list of float
        Judged topic to its scores, one per measure.
    texts, is_judged
        As in `RunScores`.
    """

    topics: list[str]
    rows: dict[str, list[float]]
    texts: dict[tuple[str, str], str]
    is_judged: bool


class _Request:
    """The measures that one pytrec_eval evaluator computes, at one relevance level.

    Attributes
    ----------
    parameters : dict
        The parameters asked for, by pytrec_eval's name of the measure.
    places : list of (int, str)
        For each measure its place in the row of scores, and the name under which pytrec_eval returns its score.
    needs_nonrelevant : bool
        Whether a measure tells documents judged not relevant from unjudged ones.
    """

    def __init__(self, level: int) -> None:
        self.level = level
        self.parameters: dict[str, set[str]] = {}
        self.places: list[tuple[int, str]] = []
        self.needs_nonrelevant = False

    def takes(self, measure: Measure) -> bool:
        """Return False if pytrec_eval takes only one parameter of the measure, and one was added already."""
        return measure.family.parameter not in _ONE_PARAMETER or measure.family.name not in self.parameters

    def add(self, place: int, measure: Measure) -> None:
        """Add a measure, whose score belongs at `place` in the row."""
        family, parameter = measure.family, measure.parameter
        self.parameters.setdefault(family.name, set()).update([parameter] if parameter else [])
        name = f"{family.name}_{parameter}" if family.parameter in _PARAMETER_IN_NAME else family.name
        self.places.append((place, name))
        # Explicit gains may give judgment 0 a gain; then documents judged not relevant count too.
        self.needs_nonrelevant |= family.needs_nonrelevant or (family.parameter == "gains" and parameter != "")

    def arguments(self) -> set[str]:
        """The measures as pytrec_eval takes them, as in ``P.5,10``."""
        return {f"{name}.{','.join(sorted(given))}" if given else name for name, given in self.parameters.items()}


def _requests(measures: Sequence[Measure], level: int) -> list[_Request]:
    """Distribute trec_eval's measures over as few evaluators as possible.

    One evaluator serves one relevance level. If a measure has several parameters, it may need several evaluators.
    """
    requests: list[_Request] = []
    for place, measure in enumerate(measures):
        # runid is not a score: writers print the tag.
        if measure.family.provider == "trec_eval" and measure.family.name != "runid":
            own_level = measure.level or level
            request = next((r for r in requests if r.level == own_level and r.takes(measure)), None)
            if request is None:
                request = _Request(own_level)
                requests.append(request)
            request.add(place, measure)
    return requests


def _trec_scorer(request: _Request, qrels: Qrels, options: Options) -> TrecScorer:
    """Return a function that scores topics by the measures of a request.

    Parameters
    ----------
    request : _Request
    qrels : dict
        Key of the topic to docno to judgment.
    options : Options
    """
    judged = _judgments_for(request, qrels, options)
    level = 1 if options.binary else request.level
    # pytrec_eval counts judgments below the level in an array that ends at the highest judgment of the topic, and
    # crashes if the level is far beyond. If nothing is relevant, no measure depends on how far.
    levels = {key: min(level, max(judgments.values()) + 1) for key, judgments in judged.items()}
    arguments = request.arguments()
    if any("=" in argument for argument in arguments):
        # pytrec_eval overwrites the text of the gains while parsing it, and aborts when it parses the text again
        # for the next call: an evaluator with gains can be used only once.
        return lambda topics: {
            key: RelevanceEvaluator({key: judged[key]}, arguments, levels[key], options.judged_only).evaluate(
                {key: documents}
            )[key]
            for key, documents in topics.items()
        }
    evaluators = {
        each: RelevanceEvaluator(
            {key: judged[key] for key in judged if levels[key] == each}, arguments, each, options.judged_only
        )
        for each in set(levels.values())
    }

    def scored(topics: dict[str, Documents]) -> dict[str, dict[str, float]]:
        if len(evaluators) == 1:
            return cast(dict[str, dict[str, float]], next(iter(evaluators.values())).evaluate(topics))
        return {key: evaluators[levels[key]].evaluate({key: topics[key]})[key] for key in topics}

    return scored


def _judgments_for(request: _Request, qrels: Qrels, options: Options) -> Qrels:
    """Return the judgments of each topic that the measures of a request need: at least one, the highest from 0."""
    if options.binary:
        # A judgment becomes 1 or 0, relevant or not; a negative one, which means unjudged, stays.
        qrels = {
            key: {docno: int(rel >= request.level) if rel >= 0 else rel for docno, rel in judgments.items()}
            for key, judgments in qrels.items()
        }
    # pytrec_eval sorts all judgments when an evaluator is made, and compares them with every document. Most judged
    # documents are not relevant, and few measures need them; without them, a run is scored in clearly less time.
    if not (request.needs_nonrelevant or options.judged_only):
        qrels = {
            key: {docno: rel for docno, rel in judgments.items() if rel > 0} for key, judgments in qrels.items()
        }
    # pytrec_eval overruns its memory if no judgment of a topic is 0 or more. A document that is not relevant, and
    # that no run can hold, changes no measure.
    return {
        key: judgments if any(rel >= 0 for rel in judgments.values()) else {**judgments, _NO_DOCUMENT: 0}
        for key, judgments in qrels.items()
    }


class Evaluator:
    """Scores runs against qrels; made once, and used for many runs.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    measures : sequence of Measure
        The measures to compute.
    options : Options, optional

    Raises
    ------
    InputError
        If a judgment is above the highest grade, and a measure depends on the highest grade; or if a level or
        gains in the name of a measure have no effect.
    """

    def __init__(self, qrels: Qrels, measures: Sequence[Measure], options: Options | None = None) -> None:
        self.measures = tuple(measures)
        self.options = checked_options(options)
        _check_gains(self.measures, self.options.binary)
        if not self.options.binary:
            _check_levels(self.measures, qrels)
        self.qrels = qrels
        self.topics = sorted_topics(qrels)
        self._key = {topic: str(i) for i, topic in enumerate(self.topics)}
        keyed = {self._key[topic]: judgments for topic, judgments in qrels.items()}
        self._trec_scorers = [
            (_trec_scorer(request, keyed, self.options), request.places)
            for request in _requests(self.measures, self.options.level)
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
        return self._score(reader, reader, source.name)

    def score_run(self, run: Run, *, as_read: bool = False) -> RunScores:
        """Score a run in memory.

        Parameters
        ----------
        run : Run
        as_read : bool
            Bring its docnos into the form of those that are read from files; those of the qrels must be in it.

        Raises
        ------
        InputError
            If the run has no topic in common with the qrels, a docno that is not text, or a score that is not
            finite.
        """
        # not loaded by `stdeval eval`, which reads files
        from stdeval.python_inputs import checked_topics

        return self._score(checked_topics(run, as_read=as_read), run, run.tag)

    def score_topics(self, topics: Iterable[tuple[str, Documents]]) -> PartScores:
        """Score some topics of a run."""
        read: list[str] = []
        rows: dict[str, list[float]] = {}
        texts: dict[tuple[str, str], str] = {}
        is_judged = False
        for some in self._batches(topics, read):
            # Most often the first document is judged, and then no other is looked up.
            is_judged = is_judged or any(has_judged(some[topic], self.qrels[topic]) for topic in some)
            # A reader may give a topic twice, the second time complete; the later row replaces the earlier one.
            rows |= self._rows(some, texts)
        return PartScores(read, rows, texts, is_judged)

    def _batches(self, topics: Iterable[tuple[str, Documents]], read: list[str]) -> Iterator[dict[str, Documents]]:
        """Yield judged topics, several together if they have few documents; names of all are added to `read`."""
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

    def _score(self, topics: Iterable[tuple[str, Documents]], tagged: Run | RunReader, path: str) -> RunScores:
        """Score the topics of a run; `tagged` has the tags, and may know them only after all topics were read."""
        scored = self.score_topics(topics)
        return self.whole_run(scored, tagged.tag, path, tagged.other_tag)

    def whole_run(
        self, scored: PartScores, tag: str, path: str, other_tag: tuple[str, int] | None = None
    ) -> RunScores:
        """Return the scores of a run from those of all of its topics.

        Raises
        ------
        InputError
            If the run has no topic in common with the qrels.
        """
        rows = scored.rows
        if not rows:
            found = scored.topics[0] if scored.topics else ""
            both = f"the run has '{found[:80]}', the qrels '{self.topics[0][:80]}'"
            raise InputError(f"no topic in common with the qrels: {both}", path)
        is_whole = self.options.complete or len(rows) == len(self.topics)
        topics = self.topics if is_whole else sorted_topics(rows)
        all_rows = [rows[topic] if topic in rows else self._missing_row(topic) for topic in topics]
        return RunScores(
            tag,
            path,
            topics,
            all_rows,
            scored.texts,
            self._summary(all_rows),
            len(self.topics) - len(rows),
            frozenset(rows),
            scored.is_judged,
            other_tag,
            len(set(scored.topics)) - len(rows),
        )

    def _rows(self, topics: dict[str, Documents], texts: dict[tuple[str, str], str]) -> dict[str, list[float]]:
        """Scores of topics, shape (n_measures,) each; text measures are added to `texts`."""
        rows = {topic: [math.nan] * len(self.measures) for topic in topics}
        keyed: dict[str, Documents] = {}
        for topic, retrieved in topics.items():
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
                    # iprec_at_recall divides by the number of documents, which is 0 if -J leaves none.
                    row[place] = 0.0 if math.isnan(own[name]) else own[name]
        return rows

    def _considered(self, documents: Documents) -> tuple[Documents, bool]:
        """Return the documents as they are scored, and whether they were cut at the depth."""
        documents = at_precision(documents, self.options.precision)
        depth = self.options.depth
        if depth is None or len(documents) <= depth:
            return documents, False
        from stdeval.measures.relevance import top_documents

        return top_documents(documents, depth), True

    def _missing_row(self, topic: str) -> list[float]:
        """Scores of a topic that is missing from the run, shape (n_measures,)."""
        judgments = self.qrels[topic]
        row = [_missing_value(measure, judgments) for measure in self.measures]
        if self._vector_scorer is not None:
            for place, score in self._vector_scorer.score(topic, {})[0]:
                row[place] = score
        return row

    def _summary(self, rows: list[list[float]]) -> list[float]:
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
                summary[i] = sum(_n_relevant(measure, judgments) for judgments in self.qrels.values())
        return summary


def summarize(kinds: Sequence[str], rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the sum over topics of each count, and the mean over topics of any other measure, ignoring NaN.

    Values are added topic by topic, in order, so that even the last digit printed is trec_eval's.

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
        # Not sum(): from Python 3.12 on it compensates for rounding, which trec_eval does not.
        total = reduce(add, column, 0.0)
        figures.append(total if kind == "count" else total / len(column) if column else math.nan)
    return figures


def levels_without_relevant(qrels: Qrels, measures: Sequence[Measure], level: int) -> tuple[int, list[int]]:
    """Return the highest judgment, and the relevance levels at which no document is relevant.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    measures : sequence of Measure
    level : int
        The level of measures that have none of their own.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> levels_without_relevant({"1": {"a": 1, "b": 0}}, resolve(["AP", "AP(rel=2)"]), 1)
    (1, [2])
    """
    highest = max(max(judgments.values()) for judgments in qrels.values())
    levels = {measure.level or level for measure in measures}
    return highest, sorted(each for each in levels if each > highest)


def topics_without_relevant(
    qrels: Qrels, measures: Sequence[Measure], level: int, *, binary: bool = False
) -> dict[int, list[str]]:
    """Return the topics without a relevant document, on which every run scores 0, by relevance level.

    Parameters
    ----------
    qrels, measures, level
        As for `levels_without_relevant`.
    binary : bool
        True if gains are binary, so that they depend on the level.

    Returns
    -------
    dict of int to list of str
        Levels that have such topics, rising. Levels of measures that are not 0 there are left out, such as those
        of ``rbp_resid``, and so are levels at which no topic has a relevant document.

    Examples
    --------
    >>> from stdeval.measures.names import resolve
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {"d": 0}}
    >>> topics_without_relevant(qrels, resolve(["AP", "AP(rel=2)", "AP(rel=3)", "Unj"]), 1)
    {1: ['3'], 2: ['1', '3']}
    """
    highest = {topic: max(judgments.values()) for topic, judgments in qrels.items()}
    levels = {
        measure.level or (level if measure.depends_on_level(binary) else 1)
        for measure in measures
        if measure.family.kind in ("score", "summary") and measure.family.range.startswith("0..")
        if measure.family.has_level and measure.family.better_higher
    }
    without = {each: [topic for topic, grade in highest.items() if grade < each] for each in sorted(levels)}
    return {each: topics for each, topics in without.items() if 0 < len(topics) < len(qrels)}


def _n_relevant(measure: Measure, judgments: Judgments) -> int:
    """Count the relevant documents as num_rel does for a topic that is missing from the run.

    trec_eval counts them at level 1, even with -l. A level in the name of the measure is respected.
    """
    return sum(rel >= (measure.level or 1) for rel in judgments.values())


def _check_gains(measures: Sequence[Measure], binary: bool) -> None:
    """Refuse a level where gains are the judgments, and gains of judgments above 1 where all become 0 or 1."""
    for measure in measures:
        if measure.level is not None and measure.family.has_gains and not binary:
            what = f"{measure.name}: gains are the judgments, whatever the level"
            raise InputError(f"{what}, expected no level, or --binary for gains of 1 from level {measure.level} on")
        levels = [gain.partition("=")[0] for gain in measure.parameter.split(",")]
        if binary and measure.family.parameter == "gains" and not {"", "0", "1"}.issuperset(levels):
            raise InputError(f"{measure.name}: --binary makes all judgments 0 or 1, expected gains of these only")


def _check_levels(measures: Sequence[Measure], qrels: Qrels) -> None:
    """Refuse judgments so high that trec_eval, whose time grows with their square, would practically never end."""
    slow = next((measure.name for measure in measures if measure.family.name in _COMPARES_LEVELS), None)
    if slow is None:
        return
    for topic, judgments in qrels.items():
        docno = max(judgments, key=judgments.__getitem__, default="")
        if docno and judgments[docno] > _MOST_LEVELS:
            expected = f"expected at most {_MOST_LEVELS} for {slow}, or --binary"
            raise JudgmentError(topic, docno, judgments[docno], expected)


def _missing_value(measure: Measure, judgments: Judgments) -> float:
    """Return the score of a topic that is missing from the run, as trec_eval -c counts it."""
    if measure.family.kind == "text":
        return math.nan
    if measure.family.name == "num_rel":
        return float(_n_relevant(measure, judgments))
    if measure.family.kind == "summary":
        return 1.0 if measure.family.name == "num_q" else math.log(LEAST_GEOMETRIC)
    return 0.0
