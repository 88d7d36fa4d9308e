"""Raw scores as one table: those of runs that a program holds, and those that were computed run by run.

numpy is imported inside the functions that need it, since `stdeval eval` runs through this module.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from stdeval.display import about_unscored, shown_name
from stdeval.documents.runs_and_judgments import about_missing_topics, about_run_topics, about_unjudged
from stdeval.doubtful_scores.depths import about_depth
from stdeval.doubtful_scores.judged_shares import about_hardly_judged
from stdeval.errors import InputError, InputWarning
from stdeval.evaluation.doubtful_judgments import (
    about_judged_as_relevant,
    about_repetitions,
    about_shifted_judgments,
)
from stdeval.evaluation.evaluator import Evaluator
from stdeval.evaluation.gains import (
    about_exponential_gains,
    about_named_gains,
    about_unused_gains,
    about_unused_grades,
)
from stdeval.evaluation.options import Options
from stdeval.evaluation.relevance_levels import (
    about_levels,
    about_missing_nonrelevant,
    about_only_judged,
    about_relevant_only,
    about_topics_without_relevant,
    about_unsampled_pool,
    about_unused_level,
)
from stdeval.evaluation.run_scores import RunScores
from stdeval.measures.names import resolve
from stdeval.measures.parameters import Measure
from stdeval.origins import Origin, Origins, judgments_digest, qrels_digest
from stdeval.trec.doubtful_runs import about_doubts, doubts_of_documents
from stdeval.trec.reading import Qrels, sorted_topics

if TYPE_CHECKING:
    from stdeval.evaluation.python_inputs import MeasuresLike, NamedRun, QrelsLike, RunsLike
    from stdeval.table import ScoreTable


def is_tabled(measure: Measure) -> bool:
    """Return True if a measure has a number for each topic, which a table can hold."""
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
    unretrieved = {name: run.unretrieved for name, run in zip(systems, runs, strict=True)}
    names = tuple(measures[i].name for i in keep)
    retrieved = {name: run.retrieved for name, run in zip(systems, runs, strict=True)}
    return ScoreTable(tuple(systems), topics, names, values, unretrieved=unretrieved, retrieved=retrieved)


def evaluate(
    qrels: QrelsLike, runs: RunsLike, measures: MeasuresLike = ("official",), options: Options | None = None
) -> ScoreTable:
    """Return the raw scores of runs.

    Parameters
    ----------
    qrels : dict, data frame, Qrels of ranx, or qrels of ir_measures
        Topic to docno to judgment, as from `stdeval.read_qrels`; a data frame with the columns ``qid``, ``docno``
        and ``label`` (PyTerrier), ``query_id``, ``doc_id`` and ``relevance`` (ir_measures), or ``query``, ``docid``
        and ``rel`` (trectools), whatever other columns it has; or rows with the fields ``query_id``, ``doc_id`` and
        ``relevance``.
    runs : Run, dict, data frame, Run of ranx, run of ir_measures, or several of them
        One run, a list of runs, or name to run. A run is a `stdeval.Run`, or of the same kinds as the qrels, with
        ``score`` for the number. The keys of a dict name the systems. Otherwise, the tag of a `stdeval.Run` and the
        column ``run``, ``name`` or ``system`` of a data frame do. A run without a name is called ``run``, and in a
        list ``run1``, ``run2`` and so on. For a data frame of several runs, pass
        ``dict(list(frame.groupby("name")))``.
    measures : str, measure of ir_measures, or several of them
        Names in any form that the command line takes; trec_eval's official measures by default.
    options : Options, optional

    Returns
    -------
    ScoreTable
        Scores and counts: one row of scores for every judged topic that at least one run has, with NaN for the runs
        without it. Topics are text, sorted as text, whatever they were in a data frame. Measures have trec_eval's
        names; the methods of the table take other spellings, too.

    Raises
    ------
    InputError
        If a measure is unknown, a run is empty or has no topic in common with the qrels, two runs have the same
        name, a data frame holds several runs, has no column of topics, documents or numbers, or several columns
        that may be judgments (unless it has all columns of one library), a docno is not text, a score is not
        finite, a judgment is above the highest grade of err, or an argument is of another type.

    Warns
    -----
    InputWarning
        If a run has no documents for some judged topics. These topics are left out of its means: the field ``n`` of
        the rows of `stdeval.aggregate` tells how many topics a mean has. With ``Options(complete=True)``, they
        count as 0 and there is no warning. Other warnings are about

        - runs without a judged document, which may be of another collection than the qrels, or without one for at
          least a tenth of their topics;
        - options that change no score by the measures;
        - qrels without a relevant document, or in which all judged documents are relevant although they seem to be
          those of a pool;
        - documents that are probably in the wrong order: a column ``rank`` of a data frame, or else the order of
          the documents, contradicts the scores, or many different scores are equal as 32-bit floats;
        - docnos in another form than the qrels, such as 17 for 0017;
        - topics with a document of their own name, which may be the query, and with the same first documents.

        ``warnings.simplefilter("ignore", stdeval.InputWarning)`` turns them off.

    Notes
    -----
    Documents are ordered by descending score, and ties by descending docno, as in trec_eval. A column or field
    ``rank`` makes no difference, except for a warning if it contradicts the scores. A data frame of qrels that has
    all columns of one library is read by these, whatever other columns it has.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    >>> run = {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 0.5}}
    >>> evaluate(qrels, run, "AP").values.ravel()
    array([0.5, 1. ])
    >>> evaluate(qrels, {"bm25": run, "tuned": run}, ["AP", "P@10"])
    ScoreTable(2 systems, 2 topics, 2 measures: map, P_10)
    """
    from dataclasses import replace

    from stdeval.evaluation.python_inputs import measure_names, qrels_of, runs_of

    asked = measure_names(measures)
    wanted = resolve(asked)
    if not any(map(is_tabled, wanted)):
        raise InputError(about_unscored([each.name for each in wanted]))
    checked, named = qrels_of(qrels), runs_of(runs)
    evaluator = Evaluator(checked, wanted, options)
    # the official measures are asked for by nobody by name
    by_name = () if asked == ["official"] else wanted
    scored = [evaluator.score_run(each.run, as_read=True) for each in named]
    names = [each.name for each in named]
    doubts = _doubts(evaluator, scored, names, by_name)
    beyond = about_depth(asked, evaluator.options.depth)
    unsampled = (f"the qrels: {message}" for message in about_unsampled_pool(checked, asked))
    for message in (*doubts, *unsampled, *beyond, *_about_documents(named, scored, evaluator.options)):
        warnings.warn(message, InputWarning, stacklevel=2)
    table = table_of(scored, names, evaluator.measures)
    origins = origins_of_qrels(checked, evaluator.options)
    # With the digest, `check` refuses a table that lacks judged topics. A table on all topics has none, so that a
    # choice of its topics is accepted.
    digest = qrels_digest(origins) if len(table.topics) < len(origins) else None
    return replace(table, origins=origins, qrels=digest)


def _doubts(
    evaluator: Evaluator, runs: Sequence[RunScores], names: Sequence[str], named: Sequence[Measure]
) -> Iterator[str]:
    """Yield messages about judgments, options and topics with which runs do not fit, or measures do not.

    The named measures are those that the user asked for by name.
    """
    yield from (f"the qrels: {message}" for message in _about_judgments(evaluator, named))
    yield from about_unused_level(evaluator.measures, evaluator.options.level, binary=evaluator.options.binary)
    options = evaluator.options
    yield from about_unused_gains(evaluator.measures, binary=options.binary, max_grade=options.max_grade)
    if options.judged_only:
        yield from about_only_judged(evaluator.measures)
    unjudged = [f"'{shown_name(name)}'" for name, run in zip(names, runs, strict=True) if not run.is_judged]
    if unjudged:
        yield about_unjudged(unjudged, len(runs), "the qrels")
    counts = [run.topic_counts(name) for name, run in zip(names, runs, strict=True)]
    yield from about_run_topics(counts)
    retrieved = {name: run.retrieved for name, run in zip(names, runs, strict=True)}
    for message in about_judged_as_relevant(
        evaluator.qrels, evaluator.measures, options.level, retrieved, binary=options.binary
    ):
        yield f"the qrels: {message}"
    if not unjudged:
        yield from about_hardly_judged([each.name for each in evaluator.measures], retrieved)
    if not evaluator.options.complete:
        yield from about_missing_topics(counts, "Options(complete=True)")


def _about_judgments(evaluator: Evaluator, named: Sequence[Measure]) -> Iterator[str]:
    """Yield messages about judgments that leave no document relevant, or none not relevant."""
    qrels, measures, options = evaluator.qrels, evaluator.measures, evaluator.options
    levels = about_levels(qrels, measures, options.level)
    if levels is not None:
        yield levels
    else:
        yield from about_topics_without_relevant(qrels, measures, options.level, binary=options.binary)
    yield from about_shifted_judgments(qrels, measures, options.level, binary=options.binary)
    yield from about_missing_nonrelevant(qrels, named, options.level, judged_only=options.judged_only)
    yield from about_relevant_only(qrels, named)
    yield from about_unused_grades(qrels, measures, options.max_grade)
    yield from about_named_gains(qrels, measures, binary=options.binary)
    yield from about_exponential_gains(qrels, measures, binary=options.binary)
    yield from about_repetitions(qrels)


def _about_documents(runs: Sequence[NamedRun], scored: Sequence[RunScores], options: Options) -> Iterator[str]:
    """Yield messages about runs whose documents are in the wrong order, or named otherwise than judged ones."""
    found = [
        (each.name, doubt)
        for each, scores in zip(runs, scored, strict=True)
        for doubt in (*doubts_of_documents(each.run.documents, each.ranks), *scores.doubts)
        # in memory, a run that was read has no ranks
        if not (each.run.is_read and doubt.kind in ("rising lines", "low"))
    ]
    double = None if options.precision == "double" else 'Options(precision="double")'
    yield from about_doubts(found, len(runs), double)


def origins_of_qrels(qrels: Qrels, options: Options) -> Origins:
    """Return the origin of the scores of each judged topic: a digest of its judgments, and the options."""
    return {topic: Origin(judgments_digest(judgments), options.typed) for topic, judgments in qrels.items()}
