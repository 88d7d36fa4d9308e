"""Read the raw scores that the input options name, from scores files or by evaluating runs with judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.judgments import evaluation_options, qrels_file, takes_scores
from stdeval.commands.messages import progress, warn, warn_all
from stdeval.commands.relevance_warnings import (
    refuse_unused_gains,
    report_levels,
    warn_of_judgments_and_options,
)
from stdeval.commands.run_names import (
    names_in_warnings,
    names_of_runs,
    refuse_repeated,
    run_names,
    warn_of_changed_tag,
    warn_of_shared_tags,
)
from stdeval.display import about_unscored, excerpt, listed
from stdeval.documents.changed_docnos import ENOUGH_DOCUMENTS
from stdeval.documents.doubtful_docnos import JudgedDocnos, doubts_of_same_documents
from stdeval.documents.judged_topics import judged_topics
from stdeval.documents.retrieved import checksums, leading_documents
from stdeval.documents.runs_and_judgments import (
    OTHER_QRELS,
    TopicCounts,
    about_missing_topics,
    about_run_topics,
    about_unjudged,
)
from stdeval.doubtful_scores.judged_shares import about_hardly_judged, about_unjudged_first
from stdeval.errors import InputError
from stdeval.evaluation.doubtful_judgments import about_judged_as_relevant
from stdeval.evaluation.raw_scores import is_tabled, table_of
from stdeval.evaluation.run_scores import RunScores
from stdeval.files import Input, display_name, file_changed
from stdeval.measures.facts import kind_of
from stdeval.measures.names import resolve, resolve_as_typed
from stdeval.measures.parameters import Measure
from stdeval.measures.precision import Precision
from stdeval.summary_rows import is_summary
from stdeval.trec.doubtful_runs import about_doubts, sampled
from stdeval.trec.doubts import Doubt
from stdeval.trec.reading import Qrels, Run, first_tag
from stdeval.workers import Cluster, Task, evaluator_of, is_rereadable, map_runs, score_all

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


def evaluate_runs(options: InputOptions, default: Sequence[str], gaps: Gaps = "warn") -> EvaluatedRuns:
    """Evaluate the runs by the measures named.

    Parameters
    ----------
    options : InputOptions
    default : sequence of str
        The measures if none is named.
    gaps : {"warn", "refuse", "ignore"}
    """
    measures, _, scored = score_runs(options, default, gaps)
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
    return EvaluatedRuns(
        measures, _each_with_tag(scored, tags, options.label), names_of_runs(tags, paths, options.label)
    )


def _each_with_tag(runs: Iterable[RunScores], tags: Sequence[str], label: str) -> Iterator[RunScores]:
    """Yield runs whose tags were read before; refuse one that has another tag now."""

    def with_its_tag(run: RunScores, tag: str) -> RunScores:
        if run.tag != tag:
            raise file_changed(run.path)
        return run

    # Unlike a loop, map does not hold a run while the next one is scored.
    yield from map(with_its_tag, runs, tags)
    warn_of_shared_tags(tags, label)


def score_runs(
    options: InputOptions, default: Sequence[str], gaps: Gaps = "warn"
) -> tuple[tuple[Measure, ...], tuple[str, ...], Iterator[RunScores]]:
    """Return the measures named, the topics of the judgments, and an iterator that scores one run at a time.

    Parameters are those of `evaluate_runs`.
    """
    measures = resolve(options.measures or default)
    refuse_unused_gains(measures)
    refuse_repeated(options.files[1:])
    task = Task(qrels_file(options), measures, evaluation_options(options))
    evaluator = evaluator_of(task)
    report_levels(options, evaluator.qrels, measures, refuse=gaps == "refuse")
    warn_of_judgments_and_options(options, evaluator.qrels, measures)
    return measures, evaluator.topics, _score_each(options, task, evaluator.topics, gaps)


def _score_each(options: InputOptions, task: Task, topics: Sequence[str], gaps: Gaps) -> Iterator[RunScores]:
    paths = options.files[1:]
    seen: list[RunScores] = []

    def checked(run: RunScores) -> RunScores:
        warn_of_changed_tag(run.path, run)
        if run.n_missing and not options.complete and gaps == "refuse":
            raise _missing_topics(run, topics, options.files[0])
        # Only the facts about a run stay in memory.
        seen.append(run._replace(rows=[], texts={}, summary=[]))
        return run

    # Unlike a loop, map does not hold a run while the next one is scored.
    yield from map(checked, progress(score_all(task, paths, options.jobs, options.cluster), len(paths), "runs"))
    _report_runs(options, task, seen, gaps)


def _report_runs(options: InputOptions, task: Task, runs: Sequence[RunScores], gaps: Gaps) -> None:
    """Warn of, or refuse, runs that do not fit the judgments or are probably wrong, after all were scored."""
    paths, qrels = options.files[1:], display_name(options.files[0])
    names = names_in_warnings([run.tag for run in runs], paths, options.label)
    counts = [run.topic_counts(name) for run, name in zip(runs, names, strict=True)]
    unjudged = [run.path for run in runs if not run.is_judged]
    if unjudged and gaps == "refuse":
        raise InputError(f"no document of the run is judged in {qrels}: {OTHER_QRELS}", unjudged[0])
    if unjudged:
        warn(about_unjudged(unjudged, len(paths), qrels))
    retrieved = {name: run.retrieved for run, name in zip(runs, names, strict=True)}
    for run, name in zip(runs, names, strict=True):
        if gaps == "refuse" and (found := about_unjudged_first({name: run.retrieved})) is not None:
            raise InputError(f"{found}: {OTHER_QRELS}", run.path)
    _warn_of_doubts([run.doubts for run in runs], names, options.precision)
    warn_all(about_run_topics(counts, is_gate=gaps == "refuse"))
    all_relevant = about_judged_as_relevant(
        evaluator_of(task).qrels, task.measures, options.level, retrieved, binary=options.binary
    )
    warn_all(f"{qrels}: {message}" for message in all_relevant)
    if gaps != "ignore" and not unjudged:
        warn_all(about_hardly_judged([each.name for each in task.measures], retrieved))
    summaries = [topic for run in runs for topic in run.topics if is_summary(topic)]
    if summaries:
        found = f"topic '{summaries[0]}' has the name of the summaries"
        warn(f"{qrels}: {found}, expected another")
    if gaps == "warn" and not options.complete:
        warn_all(about_missing_topics(counts, "-c"))


def _missing_topics(run: RunScores, topics: Sequence[str], qrels: str) -> InputError:
    """Return the error about a run without documents for some of the judged topics."""
    missing = next(topic for topic in topics if topic not in run.topics)
    number = f"{run.n_missing} of {len(topics)} judged topics"
    expected = f"expected documents for every topic of {display_name(qrels)}, or -c to count missing ones as 0"
    return InputError(f"no documents for {number} (e.g. '{excerpt(missing)}'), {expected}", run.path)


def _warn_of_doubts(doubts: Iterable[Sequence[Doubt]], names: Sequence[str], precision: Precision) -> None:
    """Warn of runs that may be wrong."""
    found = [(name, doubt) for name, of_run in zip(names, doubts, strict=True) for doubt in of_run]
    warn_all(about_doubts(found, len(names), None if precision == "double" else "--precision double"))


def read_first_documents(
    paths: Sequence[str],
    depth: int,
    topics: Iterable[str],
    precision: Precision,
    jobs: int | None,
    cluster: Cluster | None = None,
    label: str = "tag",
) -> Iterator[FirstDocuments]:
    """Read runs one after the other, each topic only to a depth.

    Parameters
    ----------
    paths : sequence of str
    depth : int
        Number of documents kept of each topic, in trec_eval's order.
    topics : iterable of str
        Other topics are skipped.
    precision, jobs, cluster, label
        See `InputOptions`.
    """
    from stdeval.measures.pooling import first_documents

    read = partial(first_documents, depth=depth, topics=frozenset(topics), precision=precision)
    runs = progress(map_runs(read, paths, jobs, cluster), len(paths), "runs")
    tags: list[str] = []
    doubts: list[tuple[Doubt, ...]] = []
    for path, each in zip(paths, runs, strict=True):
        warn_of_changed_tag(display_name(path), each.run)
        tags.append(each.run.tag)
        doubts.append(each.doubts)
        yield each
    _warn_of_doubts(doubts, names_in_warnings(tags, paths, label), precision)


def read_pooled_runs(
    paths: Sequence[str],
    depth: int,
    judgments: NamedQrels,
    precision: Precision,
    jobs: int | None,
    cluster: Cluster | None = None,
) -> Iterator[Run]:
    """Read the first documents of runs, and warn of runs whose topics or docnos are not those of the qrels.

    Runs are read to a depth that shows whether any documents should be judged, even if the pool is shallower. The
    other parameters are those of `read_first_documents`.
    """
    deepest = max(depth, ENOUGH_DOCUMENTS)
    counts: list[TopicCounts] = []
    unjudged: list[str] = []
    doubts: list[tuple[Doubt, ...]] = []
    judged, judged_docnos = judged_topics(judgments.qrels), JudgedDocnos(judgments.qrels)
    for path, each in zip(
        paths, read_first_documents(paths, deepest, judgments.qrels, precision, jobs, cluster), strict=True
    ):
        retrieved = each.retrieved(judged)
        counts.append(each.topic_counts(retrieved.values(), judged))
        unjudged.extend(() if counts[-1].is_judged else [display_name(path)])
        of_docnos = judged_docnos.doubts(sampled(each.run.documents))
        same = doubts_of_same_documents(checksums(retrieved), leading_documents(retrieved))
        doubts.append((*of_docnos, *same))
        yield each.run
    if unjudged:
        warn(about_unjudged(unjudged, len(paths), judgments.name))
    names = names_in_warnings([each.tag for each in counts], paths, "tag")
    _warn_of_doubts(doubts, names, precision)
    warn_all(about_run_topics([each._replace(tag=name) for each, name in zip(counts, names, strict=True)]))


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
        raise InputError(about_unscored(options.measures))
    warn_of_untabled(options.measures)
    evaluated = evaluate_runs(options, default, gaps)
    return table_of(list(evaluated.runs), evaluated.names, evaluated.measures)


def warn_of_untabled(texts: Sequence[str]) -> None:
    """Warn of named measures that no single topic has; nicknames, such as official, may stand for some."""
    untabled = [text for text in texts if not any(map(is_tabled, resolve([text])))]
    if untabled:
        verb = "has" if len(untabled) == 1 else "have"
        warn(f"{listed(untabled)} {verb} no score per topic: left out", is_caveat=False)


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
