"""Read the raw scores that the input options name, from scores files or by evaluating runs with judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from stdeval import notices
from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.judgments import evaluation_options, qrels_file, takes_scores
from stdeval.commands.messages import progress
from stdeval.commands.run_names import (
    names_in_warnings,
    names_of_runs,
    refuse_repeated,
    run_names,
    warn_of_shared_tags,
)
from stdeval.display import excerpt, unscored
from stdeval.errors import InputError, warn
from stdeval.evaluation.raw_scores import is_tabled, table_of
from stdeval.evaluation.relevance_levels import levels_without_relevant, topics_without_relevant
from stdeval.evaluation.run_scores import RunScores
from stdeval.files import Input, display_name, is_rereadable
from stdeval.measures.facts import kind_of
from stdeval.measures.names import resolve, resolve_as_typed
from stdeval.measures.parameters import Measure
from stdeval.measures.precision import Precision
from stdeval.trec.reading import Qrels, Run, first_tag
from stdeval.workers import Cluster, Task, evaluator_of, map_runs, score_all

# numpy, and modules that import it, are imported where they are used: `eval` prints the scores of runs without it.
if TYPE_CHECKING:
    from stdeval.measures.pooling import FirstDocuments
    from stdeval.table import ScoreTable


class NamedQrels(NamedTuple):
    """Judgments, and the name of their file in messages."""

    qrels: Qrels
    name: str


class EvaluatedRuns(NamedTuple):
    """Runs evaluated by some measures, and the names by which they are shown."""

    measures: tuple[Measure, ...]
    runs: Iterable[RunScores]
    names: list[str]


def evaluate_runs(
    options: InputOptions, default: Sequence[str], gaps: Gaps = "warn", *, compares: bool = False
) -> EvaluatedRuns:
    """Evaluate the runs by the measures named.

    Parameters
    ----------
    options : InputOptions
    default : sequence of str
        The measures if none is named.
    gaps : {"warn", "refuse", "ignore"}
    compares : bool
        Warn of runs with fewer judged documents than the others.
    """
    measures, _, scored = score_runs(options, default, gaps, compares=compares)
    runs = list(scored)
    names = run_names([run.tag for run in runs], options.files[1:], options.label)
    if options.best is not None:
        from stdeval.commands.selection import best_runs

        kept = best_runs(options, table_of(runs, names, measures))
        runs, names = [runs[i] for i in kept], [names[i] for i in kept]
    return EvaluatedRuns(measures, runs, names)


def evaluate_one_by_one(options: InputOptions, default: Sequence[str]) -> EvaluatedRuns:
    """Evaluate runs as `evaluate_runs` does; if their names are known before, each only when it is needed.

    Names are known before if the runs can be read twice, and are not selected by their scores.
    """
    paths = options.files[1:]
    tags = [first_tag(Input(path)) for path in paths if is_rereadable(path)] if options.best is None else []
    if len(paths) < 2 or len(tags) < len(paths) or "" in tags:
        return evaluate_runs(options, default)
    measures, _, scored = score_runs(options, default)
    runs = _with_warning_of_shared_tags(scored, tags, options.label)
    return EvaluatedRuns(measures, runs, names_of_runs(tags, paths, options.label))


def _with_warning_of_shared_tags(runs: Iterable[RunScores], tags: Sequence[str], label: str) -> Iterator[RunScores]:
    # Unlike a loop, this does not hold a run while the next one is scored.
    yield from runs
    warn_of_shared_tags(tags, label)


def score_runs(
    options: InputOptions, default: Sequence[str], gaps: Gaps = "warn", *, compares: bool = False
) -> tuple[tuple[Measure, ...], tuple[str, ...], Iterator[RunScores]]:
    """Return the measures named, the topics of the judgments, and an iterator that scores one run at a time.

    Parameters are those of `evaluate_runs`.
    """
    measures = resolve(options.measures or default)
    refuse_repeated(options.files[1:])
    task = Task(qrels_file(options), measures, evaluation_options(options), compares)
    return measures, evaluator_of(task).topics, _score_each(options, task, gaps)


def _score_each(options: InputOptions, task: Task, gaps: Gaps) -> Iterator[RunScores]:
    paths, qrels = options.files[1:], display_name(options.files[0])
    evaluator = evaluator_of(task)
    highest, levels = levels_without_relevant(evaluator.qrels, task.measures, options.level)
    if levels and gaps == "refuse":
        found = f"no document is relevant at level {levels[0]}: the highest judgment is {highest}"
        raise InputError(f"{found}, expected some relevant documents", qrels)
    seen: list[RunScores] = []

    def checked(run: RunScores) -> RunScores:
        if gaps == "refuse":
            _refuse_unfit(run, evaluator.topics, qrels, complete=options.complete)
        # Only the facts about a run stay in memory.
        seen.append(run._replace(rows=[], texts={}, summary=[]))
        return run

    # Unlike a loop, map does not hold a run while the next one is scored.
    yield from map(checked, progress(score_all(task, paths, options.jobs, options.cluster), len(paths), "runs"))
    names = names_in_warnings([run.tag for run in seen], paths, options.label)
    runs = dict(zip(names, seen, strict=True))
    without = topics_without_relevant(evaluator.qrels, task.measures, options.level, binary=options.binary)
    tells_missing = gaps == "warn" and not options.complete
    judged = {name: run.judged for name, run in runs.items() if run.judged is not None}
    warn(
        notices.unjudged_runs([name for name, run in runs.items() if not run.is_judged], len(runs), qrels),
        notices.no_relevant(qrels, levels, highest),
        notices.rising_scores([name for name, run in runs.items() if run.rises], len(runs)),
        notices.missing_topics(
            {name: run.n_missing for name, run in runs.items() if tells_missing},
            len(evaluator.topics),
            {name: run.n_outside for name, run in runs.items()},
        ),
        notices.topics_without_relevant(without, len(evaluator.topics), options.level),
        notices.unjudged_documents(judged, sorted(judged.values())[len(judged) // 2] if judged else 0),
    )


def _refuse_unfit(run: RunScores, topics: Sequence[str], qrels: str, *, complete: bool) -> None:
    """Refuse a run that lacks judged topics, has no judged document, or has scores that rise with its ranks."""
    if run.n_missing and not complete:
        missing = next(topic for topic in topics if topic not in run.topics)
        number = f"{run.n_missing} of {len(topics)} judged topics"
        expected = f"expected documents for every topic of {qrels}, or -c to count missing ones as 0"
        raise InputError(f"no documents for {number} (e.g. '{excerpt(missing)}'), {expected}", run.path)
    if not run.is_judged:
        raise InputError(f"no document of the run is judged in {qrels}: another collection?", run.path)
    if run.rises:
        expected = "expected the highest score first (negate the scores if they are distances)"
        raise InputError(f"the scores rise with the ranks, {expected}", run.path)


def read_first_documents(
    paths: Sequence[str],
    depth: int,
    topics: Iterable[str],
    precision: Precision,
    jobs: int | None,
    cluster: Cluster | None = None,
) -> Iterator[FirstDocuments]:
    """Read runs one after the other, each topic only to a depth.

    Parameters
    ----------
    paths : sequence of str
    depth : int
        Number of documents kept of each topic, in trec_eval's order.
    topics : iterable of str
        Other topics are skipped.
    precision, jobs, cluster
        See `InputOptions`.
    """
    from stdeval.measures.pooling import first_documents

    read = partial(first_documents, depth=depth, topics=frozenset(topics), precision=precision)
    yield from progress(map_runs(read, paths, jobs, cluster), len(paths), "runs")


def read_pooled_runs(
    paths: Sequence[str],
    depth: int,
    judgments: NamedQrels,
    precision: Precision,
    jobs: int | None,
    cluster: Cluster | None = None,
) -> Iterator[Run]:
    """Read the first documents of runs one after the other, and warn of scores that rise with the ranks.

    The parameters are those of `read_first_documents`.
    """
    tags: list[str] = []
    rising: list[int] = []
    for each in read_first_documents(paths, depth, judgments.qrels, precision, jobs, cluster):
        rising += [len(tags)] if each.rises else []
        tags.append(each.run.tag)
        yield each.run
    names = names_in_warnings(tags, paths, "tag")
    warn(notices.rising_scores([names[i] for i in rising], len(names)))


def read_table(
    options: InputOptions,
    default: Sequence[str] = (),
    *,
    wanted: Callable[[str], bool] | None = None,
    gaps: Gaps = "warn",
    compares: bool = False,
) -> ScoreTable:
    """Read the raw scores of all runs by the measures named.

    Parameters
    ----------
    options : InputOptions
    default : sequence of str
        The measures by which runs are evaluated if none is named.
    wanted : callable, optional
        A predicate on names of measures. It selects the columns of scores files if no measure is named. None
        selects the measures that are scores.
    gaps : {"warn", "refuse", "ignore"}
    compares : bool
        Warn of runs with fewer judged documents than the others.
    """
    if takes_scores(options):
        from stdeval.commands.score_files import table_of_files

        return table_of_files(options, wanted or (lambda name: kind_of(name) == "score"), gaps)
    if all(measure.family.kind in ("text", "summary") for measure in resolve(options.measures or default)):
        raise InputError(unscored(options.measures))
    warn_of_untabled(options.measures)
    evaluated = evaluate_runs(options, default, gaps, compares=compares)
    return table_of(list(evaluated.runs), evaluated.names, evaluated.measures)


def warn_of_untabled(texts: Sequence[str]) -> None:
    """Warn of named measures that no single topic has; nicknames, such as official, may stand for some."""
    untabled = [text for text in texts if not any(map(is_tabled, resolve([text])))]
    warn(notices.unscored(untabled))


def typed_order(options: InputOptions, names: Sequence[str]) -> list[int]:
    """Return the indices of measures in the order in which they were typed, if runs were evaluated by them.

    Parameters
    ----------
    options : InputOptions
    names : sequence of str
        The names of measures; those that were not typed come last. Columns of scores files keep their order,
        which is the one typed already.
    """
    if options.score_files:
        return list(range(len(names)))
    rank = {measure.name: i for i, measure in enumerate(resolve_as_typed(options.measures))}
    return sorted(range(len(names)), key=lambda i: rank.get(names[i], len(rank)))


def as_typed(table: ScoreTable, options: InputOptions, output_format: str) -> ScoreTable:
    """Return a table with its measures in the order in which they were typed; for text in trec_eval's order."""
    if output_format == "text":
        return table
    return table.select(measures=[table.measures[i] for i in typed_order(options, table.measures)])
