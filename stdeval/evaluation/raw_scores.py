"""Raw scores as one table: those of runs that a program holds, and those that were computed run by run.

numpy is imported inside the functions that need it, since `stdeval eval` runs through this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stdeval import notices
from stdeval.display import unscored
from stdeval.errors import InputError, warn
from stdeval.evaluation.evaluator import Evaluator
from stdeval.evaluation.options import Options
from stdeval.evaluation.relevance_levels import levels_without_relevant, topics_without_relevant
from stdeval.evaluation.run_scores import RunScores
from stdeval.measures.names import resolve
from stdeval.measures.parameters import Measure
from stdeval.provenance import origin_of_qrels
from stdeval.trec.reading import sorted_topics

if TYPE_CHECKING:
    from stdeval.evaluation.python_inputs import MeasuresLike, QrelsLike, RunsLike
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
    return ScoreTable(tuple(systems), topics, names, values, unretrieved=unretrieved)


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
        See the section WARNINGS of stdeval(1). ``warnings.simplefilter("ignore", stdeval.InputWarning)`` turns all
        warnings off.

    Notes
    -----
    Documents are ordered by descending score, and ties by descending docno, as in trec_eval. A column or field
    ``rank`` makes no difference, except for a warning if scores rise with it. A data frame of qrels that has
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

    wanted = resolve(measure_names(measures))
    if not any(map(is_tabled, wanted)):
        raise InputError(unscored([each.name for each in wanted]))
    checked, named = qrels_of(qrels), runs_of(runs)
    evaluator = Evaluator(checked, wanted, options)
    scored = [evaluator.score_run(each.run, as_read=True) for each in named]
    names = [each.name for each in named]
    table = table_of(scored, names, evaluator.measures)
    seen = dict(zip(names, scored, strict=True))
    level, complete, n_topics = evaluator.options.level, evaluator.options.complete, len(evaluator.topics)
    highest, levels = levels_without_relevant(checked, wanted, level)
    without = topics_without_relevant(checked, wanted, level, binary=evaluator.options.binary)
    warn(
        notices.unjudged_runs([name for name, run in seen.items() if not run.is_judged], len(seen), "the qrels"),
        notices.no_relevant("the qrels", levels, highest),
        notices.rising_scores([each.name for each in named if each.rises], len(seen)),
        notices.missing_topics(
            {name: run.n_missing for name, run in seen.items() if not complete},
            n_topics,
            {name: run.n_outside for name, run in seen.items()},
            "Options(complete=True)",
        ),
        notices.topics_without_relevant(without, n_topics, level),
    )
    origin = origin_of_qrels(checked, evaluator.options.typed)
    # With the digest, `check` refuses a table that lacks judged topics. A table on all topics has none, so that a
    # choice of its topics is accepted.
    is_whole = len(table.topics) == origin.n_judged
    return replace(table, origin=origin.by_topic() if is_whole else origin)
