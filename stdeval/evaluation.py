"""Raw scores of runs: trec_eval's measures by pytrec_eval, without numpy, all others from relevance vectors."""

from __future__ import annotations

import math
import os
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add, index
from typing import TYPE_CHECKING, NamedTuple

from stdeval import notices, provenance
from stdeval.errors import InputError, warn
from stdeval.files import Input
from stdeval.measures import catalogue, papers
from stdeval.trec import exclusion, reading

if TYPE_CHECKING:
    from stdeval.measures.catalogue import Measure
    from stdeval.measures.papers import Precision
    from stdeval.trec.exclusion import Exclusion
    from stdeval.trec.reading import Documents, Judgments, Qrels, Run


class Options(NamedTuple):
    """Options of the evaluation of runs; the letters are those of trec_eval.

    Parameters
    ----------
    level : int
        ``-l``: a document is relevant if its judgment is at least this level.
    depth : int, optional
        ``-M``: number of documents of a topic that are kept; applied before ``judged_only``.
    judged_only : bool
        ``-J``: drop documents without a judgment.
    complete : bool
        ``-c``: score a topic that is missing from the run as if nothing had been retrieved: 0, but 1 by rbp_resid
        and unj.
    binary : bool
        Use binary gains for the DCG family: 1 if the judgment is at least ``level``.
    precision : {"single", "double"}
        Compare the scores of documents as 32-bit floats (trec_eval 9), or as 64-bit floats (trec_eval 10).
    exclude : mapping, optional
        ``--exclude``: topic to the docnos that are left out of judgments and runs, before ``depth``; may be qrels.
    exclude_self : bool
        Leave out documents that are named as their topic.

    Examples
    --------
    >>> Options(level=2, depth=100, complete=True).typed
    '-l 2 -M 100 -c'
    """

    level: int = 1
    depth: int | None = None
    judged_only: bool = False
    complete: bool = False
    binary: bool = False
    precision: Precision = "single"
    exclude: Mapping[str, Iterable[str]] | bytes = b""
    exclude_self: bool = False

    @property
    def exclusion(self) -> Exclusion | None:
        """The documents that are left out; None if there are none."""
        pairs = exclusion.packed_mapping(self.exclude) if self.exclude else b""
        return exclusion.Exclusion(pairs, bool(self.exclude_self)) if pairs or self.exclude_self else None

    @property
    def typed(self) -> str:
        """The options as they are typed, in a fixed order; empty for the defaults."""
        pairs = self.exclusion.pairs.decode("latin-1") if self.exclusion else ""
        options = {
            f"-l {self.level}": self.level != 1,
            f"--exclude {provenance.lines_digest([pairs], 'latin-1') if pairs else ''}": bool(pairs),
            "--exclude-self": self.exclude_self,
            f"-M {self.depth}": self.depth is not None,
            "-J": self.judged_only,
            "--binary": self.binary,
            f"--precision {self.precision}": self.precision != "single",
            "-c": self.complete,
        }
        return " ".join(option for option, given in options.items() if given)

    def checked(self) -> Options:
        """Return the options with Python's own numbers, which pytrec_eval needs; refuse others."""
        level = index(self.level)
        depth = self.depth if self.depth is None else index(self.depth)
        if not 1 <= level < 2**31:  # as a C int of pytrec_eval holds it
            raise InputError(f"level {level}, expected a whole number from 1 to {2**31 - 1}")
        if depth is not None and depth < 1:
            raise InputError(f"depth {depth}, expected a whole number from 1")
        if self.precision not in ("single", "double"):
            raise InputError(f"precision '{self.precision}', expected single or double")
        flags = bool(self.judged_only), bool(self.complete), bool(self.binary)
        return Options(level, depth, *flags, self.precision, *(self.exclusion or ()))


class RunScores(NamedTuple):
    """Raw scores of one run."""

    tag: str
    path: str
    topics: tuple[str, ...]
    scores: array[float]  # a row of all measures for each topic, one after the other
    texts: dict[tuple[str, str], str]
    summary: list[float]
    n_missing: int
    unretrieved: frozenset[str]
    is_judged: bool
    n_outside: int = 0
    rises: bool = False
    judged: float | None = None

    @property
    def rows(self) -> list[array[float]]:
        """The scores of each topic, shape (n_measures,)."""
        n = len(self.summary)
        return [self.scores[start : start + n] for start in range(0, len(self.scores), n)]


class PartScores(NamedTuple):
    """Raw scores of some topics of a run, and the facts that its lines show."""

    topics: list[str]
    rows: dict[str, array[float]]
    texts: dict[tuple[str, str], str]
    is_judged: bool
    first: dict[str, tuple[int, int]]
    tag: str = ""
    rising: int = 0


def summarize(kinds: Sequence[str], rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the sum over topics of each count, and the mean over topics of any other measure, ignoring NaN."""
    totals = [0.0] * len(kinds)
    for row in rows:
        # Not sum(): from Python 3.12 on it compensates for rounding, which trec_eval does not.
        totals = list(map(add, totals, row))
    figures = []
    for place, kind in enumerate(kinds):
        total, n = totals[place], len(rows)
        if math.isnan(total):
            present = [row[place] for row in rows if not math.isnan(row[place])]
            total, n = reduce(add, present) if present else math.nan, len(present)
        figures.append(total if kind in ("count", "sum") else total / n if n else math.nan)
    return figures


# --- levels and gains ---

_COMPARES_LEVELS = ("ndcg", "ndcg_rel", "Rndcg", "G")
"""Measures for which trec_eval compares each level from 0 to the highest judgment of a topic with all others."""

_MOST_LEVELS = 100_000
"""The highest judgment that these measures accept. A topic with it takes seconds; time grows with its square."""


def _check_gains(measures: Sequence[Measure], qrels: Qrels, binary: bool) -> None:
    """Refuse levels and gains that contradict each other, and judgments with which trec_eval would hardly end."""
    for measure in measures:
        if measure.level is not None and measure.family.has_gains and not binary:
            what = f"{measure.name}: gains are the judgments, whatever the level is"
            raise InputError(f"{what}, expected no level, or --binary for gains of 1 from level {measure.level} on")
        levels = [gain.partition("=")[0] for gain in measure.parameter.split(",")]
        if binary and measure.family.parameter == "gains" and not {"", "0", "1"}.issuperset(levels):
            raise InputError(f"{measure.name}: --binary makes all judgments 0 or 1, expected gains of 0 and 1 only")
    slow = next((measure.name for measure in measures if measure.family.name in _COMPARES_LEVELS), None)
    for topic, judgments in qrels.items() if slow and not binary else ():
        if _highest(judgments) > _MOST_LEVELS:
            docno = max(judgments, key=judgments.__getitem__)
            expected = f"expected at most {_MOST_LEVELS} for {slow}, or --binary"
            raise reading.JudgmentError(topic, docno, judgments[docno], expected)


def levels_without_relevant(qrels: Qrels, measures: Sequence[Measure], level: int) -> tuple[int, list[int]]:
    """Return the highest judgment, and the relevance levels at which no document is relevant."""
    highest = max(map(_highest, qrels.values()), default=0)
    levels = {measure.level or level for measure in measures}
    return highest, sorted(each for each in levels if each > highest)


def topics_without_relevant(qrels: Qrels, measures: Sequence[Measure], level: int, binary: bool) -> list[str]:
    """Return the topics that a level above 1 leaves without a relevant document; none if it changes no measure."""
    if level == 1 or not any(measure.depends_on_level(binary) for measure in measures):
        return []
    topics = [topic for topic, judgments in qrels.items() if _highest(judgments) < level]
    return topics if len(topics) < len(qrels) else []


def has_judged(documents: Collection[str], judgments: Judgments) -> bool:
    """Return whether any of the documents is judged; a negative judgment means that it is not."""
    # isdisjoint is fast, and enough unless judgments are negative
    return not judgments.keys().isdisjoint(documents) and any(judgments.get(docno, -1) >= 0 for docno in documents)


def _highest(judgments: Judgments) -> int:
    return max(judgments.values(), default=0)


def warn_of_runs(
    evaluator: Evaluator,
    runs: Mapping[str, RunScores],
    qrels: str = "the qrels",
    complete: str = "Options(complete=True)",
    *,
    of_missing: bool = True,
) -> None:
    """Warn of what the scores of all runs do not show; `complete` is how a missing topic is made to count 0."""
    measures, options, n_topics = evaluator.measures, evaluator.options, len(evaluator.topics)
    highest, levels = levels_without_relevant(evaluator.qrels, measures, options.level)
    without = topics_without_relevant(evaluator.qrels, measures, options.level, options.binary)
    counted = of_missing and not options.complete
    judged = {name: run.judged for name, run in runs.items() if run.judged is not None}
    warn(
        notices.unjudged_runs([name for name, run in runs.items() if not run.is_judged], len(runs), qrels),
        notices.no_relevant(qrels, levels, highest),
        notices.rising_scores([name for name, run in runs.items() if run.rises], len(runs)),
        notices.missing_topics(
            {name: run.n_missing for name, run in runs.items() if counted},
            n_topics,
            {name: run.n_outside for name, run in runs.items()},
            complete,
        ),
        notices.topics_without_relevant(without, n_topics, options.level),
        notices.unjudged_documents(judged, sorted(judged.values())[len(judged) // 2] if judged else 0),
        stacklevel=4,
    )


# --- runs ---

_LEAST_GEOMETRIC = 1e-5  # trec_eval's smallest value of a topic in gm_map and gm_bpref
_N_FIRST = 10  # documents at the top of a topic, among which judged ones are counted
_MOST_DOCUMENTS = 1000  # after which no further topic is scored in the same call of pytrec_eval


class Evaluator:
    """Scores runs against qrels; made once, and used for many runs."""

    def __init__(
        self, qrels: Qrels, measures: Sequence[Measure], options: Options | None = None, counts_judged: bool = False
    ) -> None:
        self.measures = tuple(measures)
        self.options = (options or Options()).checked()
        self._exclusion = self.options.exclusion
        qrels = qrels if self._exclusion is None else self._exclusion.left_of_qrels(qrels)
        _check_gains(self.measures, qrels, self.options.binary)
        self.qrels = qrels
        self.topics = reading.sorted_topics(qrels)
        self._counts_judged = counts_judged and not self.options.judged_only
        self._key = {topic: str(i) for i, topic in enumerate(self.topics)}
        keyed = {self._key[topic]: judgments for topic, judgments in qrels.items()}
        binary, judged_only, level = self.options.binary, self.options.judged_only, self.options.level
        self._trec_scorers = [
            (request.scorer(keyed, binary=binary, judged_only=judged_only), request.places)
            for request in catalogue.requests(self.measures, level)
        ]
        self._vector_scorer: papers.VectorScorer | None = None
        if any(measure.family.needs_vector for measure in self.measures):
            self._vector_scorer = papers.VectorScorer(
                qrels, self.measures, level=level, binary=binary, judged_only=judged_only
            )

    def score_file(self, path: str | os.PathLike[str] | Input) -> RunScores:
        """Score the run in a file, which is read topic by topic."""
        reader = reading.RunReader(path if isinstance(path, Input) else Input(path))
        return self.whole_run(self.score_part(reader), reader.source.name)

    def score_part(self, reader: reading.RunReader) -> PartScores:
        """Score the topics that a reader yields."""
        scores = self._score_topics(reader)
        # the tag and the order are known only after all topics were read
        return scores._replace(tag=reader.tag, rising=reader.rising)

    def score_run(self, run: Run) -> RunScores:
        """Score a run in memory, whose docnos and scores are as if read from a file."""
        return self.whole_run(self._score_topics(run.documents.items())._replace(tag=run.tag), run.tag)

    def _score_topics(self, topics: Iterable[tuple[str, Documents]]) -> PartScores:
        read: list[str] = []
        rows: dict[str, array[float]] = {}
        texts: dict[tuple[str, str], str] = {}
        first: dict[str, tuple[int, int]] = {}
        is_judged = False
        for some in self._batches(topics, read):
            # A reader may give a topic twice, the second time complete; the later row replaces the earlier one.
            rows |= self._rows(some, texts)
            judged = (has_judged(documents, self.qrels[topic]) for topic, documents in some.items())
            is_judged = is_judged or any(judged)
            if self._counts_judged:
                first |= {topic: self._first_judged(topic, documents) for topic, documents in some.items()}
        return PartScores(read, rows, texts, is_judged, first)

    def _first_judged(self, topic: str, documents: Documents) -> tuple[int, int]:
        """Return the number of judged documents among the first ten, and the number of all of these."""
        ordered, judgments = papers.at_precision(documents, self.options.precision), self.qrels[topic]
        first = papers.top_documents(ordered, min(_N_FIRST, self.options.depth or _N_FIRST))
        return sum(judgments.get(docno, -1) >= 0 for docno in first), len(first)

    def _batches(self, topics: Iterable[tuple[str, Documents]], read: list[str]) -> Iterator[dict[str, Documents]]:
        """Yield judged topics in batches of enough documents, and add the names of all topics to `read`."""
        batch: dict[str, Documents] = {}
        n = 0
        for topic, retrieved in topics:
            read.append(topic)
            documents = retrieved if self._exclusion is None else self._exclusion.left(topic, retrieved)
            # a topic of which nothing is left is missing
            if topic in self._key and documents:
                batch[topic] = documents
                n += len(documents)
                if n >= _MOST_DOCUMENTS:
                    yield batch
                    batch, n = {}, 0
        if batch:
            yield batch

    def whole_run(self, scored: PartScores, path: str) -> RunScores:
        """Return the scores of a run from the scores of all of its topics."""
        rows = scored.rows
        if not scored.topics:
            raise InputError("the run is empty, expected documents for topics of the qrels", path)
        if not rows and not self._key.keys().isdisjoint(scored.topics):
            raise InputError("all documents for judged topics are excluded, expected some that are not", path)
        if not rows:
            both = f"the run has '{scored.topics[0][:80]}', the qrels '{self.topics[0][:80]}'"
            raise InputError(f"no topic in common with the qrels: {both}", path)
        is_whole = self.options.complete or len(rows) == len(self.topics)
        topics = self.topics if is_whole else reading.sorted_topics(rows)
        all_rows = [rows[topic] if topic in rows else self._missing_row(topic) for topic in topics]
        n_judged, n_first = map(sum, zip(*scored.first.values(), strict=True)) if scored.first else (0, 0)
        return RunScores(
            scored.tag,
            path,
            topics,
            array("d", b"".join(all_rows)),
            scored.texts,
            self._summary(all_rows),
            n_missing=len(self.topics) - len(rows),
            unretrieved=frozenset(topic for topic in topics if topic not in rows),
            is_judged=scored.is_judged,
            n_outside=len({topic for topic in scored.topics if topic not in self._key}),
            rises=scored.rising > 0,
            judged=n_judged / n_first if n_first else None,
        )

    def _rows(self, topics: dict[str, Documents], texts: dict[tuple[str, str], str]) -> dict[str, array[float]]:
        """Scores of topics, shape (n_measures,) each; text measures are added to `texts`."""
        unscored = array("d", [math.nan]) * len(self.measures)
        rows: dict[str, array[float]] = {}
        keyed: dict[str, Documents] = {}
        depth, is_single = self.options.depth or sys.maxsize, self.options.precision == "single"
        for topic, retrieved in topics.items():
            rows[topic] = unscored[:]
            is_cut = len(retrieved) > depth
            plain = retrieved if is_single else papers.at_precision(retrieved, self.options.precision)
            documents = papers.top_documents(plain, depth) if is_cut else plain
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

    def _missing_row(self, topic: str) -> array[float]:
        """Scores of a topic that is missing from the run, as trec_eval -c counts it, shape (n_measures,)."""
        row = array("d", [0.0]) * len(self.measures)
        for place, measure in enumerate(self.measures):
            family = measure.family
            if family.name == "num_rel":
                row[place] = _n_relevant(measure, self.qrels[topic], self.options.level)
            elif family.kind == "text":
                row[place] = math.nan
            elif family.kind == "summary":
                row[place] = 1.0 if family.name == "num_q" else math.log(_LEAST_GEOMETRIC)
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
    return sum(rel >= (measure.level or level) for rel in judgments.values())
