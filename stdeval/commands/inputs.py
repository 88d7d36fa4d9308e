"""Read the raw scores that the input options name, from scores files or by evaluating runs with judgments."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import click

from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.messages import progress, warn
from stdeval.commands.options import refuse_without_effect
from stdeval.display import about_unscored, counted, listed
from stdeval.errors import InputError
from stdeval.evaluation_options import Options
from stdeval.files import Input, display_name, file_changed, plain_name
from stdeval.formats.blocks import is_summary
from stdeval.measures.names import kind_of, resolve, resolve_as_typed
from stdeval.measures.parameters import Measure
from stdeval.measures.precision import Precision
from stdeval.origins import Origins
from stdeval.raw_scores import origins_of_qrels, table_of
from stdeval.relevance_levels import levels_without_relevant, topics_without_relevant
from stdeval.run_scores import RunScores
from stdeval.trec import Qrels, Run, first_tag
from stdeval.workers import Cluster, QrelsFile, Task, evaluator_of, is_rereadable, map_runs, score_all

# numpy, and modules that import it, are imported where they are used: `eval` prints the scores of runs without it.
if TYPE_CHECKING:
    from stdeval.stats.coverage import Coverage
    from stdeval.table import ScoreTable

_OTHER_QRELS = "are these the qrels of another collection?"


def takes_scores(options: InputOptions) -> bool:
    """Return whether the scores come from scores files, and not from judgments and runs.

    Raises
    ------
    click.UsageError
        If neither or both are given, or options that do not apply to the one that is given.
    """
    if options.score_files:
        if options.files:
            raise click.UsageError("expected QRELS RUN... or --scores, not both")
        if evaluation_options(options) != Options(max_grade=options.max_grade):
            raise click.UsageError(
                "-c, -l, -M, -J, --binary and --precision have no effect on --scores, expected QRELS RUN..."
            )
        refuse_without_effect(["max_grade"], "QRELS RUN... and a measure such as err_20")
        if options.label != "tag" or options.cluster is not None:
            raise click.UsageError("--label and --dask need QRELS RUN..., expected neither with --scores")
    elif len(options.files) < 2:
        raise click.UsageError("expected QRELS and at least one RUN, or --scores FILE")
    return bool(options.score_files)


def _qrels_file(options: InputOptions) -> QrelsFile:
    return QrelsFile(options.files[0], options.cache_token)


def judgments(options: InputOptions) -> Qrels:
    """Return the judgments, which are read from their file only once."""
    return _qrels_file(options).read()


def evaluation_options(options: InputOptions) -> Options:
    """Return the options with which runs are evaluated."""
    return Options(
        options.level,
        options.depth,
        options.judged_only,
        options.complete,
        options.binary,
        options.max_grade,
        options.precision,
    )


@lru_cache(maxsize=1)
def origins_of(inputs: InputOptions) -> Origins:
    """Return the origin of each topic of the judgments; none if the scores come from files."""
    if takes_scores(inputs):
        return {}
    qrels = judgments(inputs)
    return origins_of_qrels(qrels, qrels, evaluation_options(inputs))


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
    return EvaluatedRuns(measures, _each_with_tag(scored, tags, options.label), _names(tags, paths, options.label))


def _each_with_tag(runs: Iterable[RunScores], tags: Sequence[str], label: str) -> Iterator[RunScores]:
    """Yield runs whose tags were read before; refuse one that has another tag now."""
    for run, tag in zip(runs, tags, strict=True):
        if run.tag != tag:
            raise file_changed(run.path)
        yield run
    _warn_of_shared_tags(tags, label)


def score_runs(
    options: InputOptions, default: Sequence[str], gaps: Gaps = "warn"
) -> tuple[tuple[Measure, ...], tuple[str, ...], Iterator[RunScores]]:
    """Return the measures named, the topics of the judgments, and an iterator that scores one run at a time.

    Parameters are those of `evaluate_runs`.
    """
    measures = resolve(options.measures or default)
    refuse_unused_grade(measures)
    refuse_repeated(options.files[1:])
    task = Task(_qrels_file(options), measures, evaluation_options(options))
    evaluator = evaluator_of(task)
    report_levels(options, evaluator.qrels, measures, refuse=gaps == "refuse")
    _warn_of_unused_level(options, measures)
    return measures, evaluator.topics, _score_each(options, task, gaps)


def refuse_unused_grade(measures: Sequence[Measure]) -> None:
    """Refuse the highest grade of judgments if no measure depends on it."""
    if not any(measure.family.has_grades for measure in measures):
        refuse_without_effect(["max_grade"], "a measure such as err_20")


def report_levels(
    options: InputOptions, qrels: Qrels, measures: Sequence[Measure], *, refuse: bool = False
) -> None:
    """Warn of, or refuse, relevance levels at which no document is relevant, and warn of topics without any."""
    highest, levels = levels_without_relevant(qrels, measures, options.level)
    if not levels:
        _warn_of_topics_without_relevant(options, qrels, measures)
        return
    at = "" if levels == [1] else f" at level {', '.join(map(str, levels))}"
    found = f"no document is relevant{at}: the highest judgment is {highest}"
    if refuse:
        raise InputError(f"{found}, expected some relevant documents", display_name(options.files[0]))
    warn(f"{display_name(options.files[0])}: {found}")


def _worth_a_warning(level: int) -> float:
    """Return the share of topics without a relevant document at a level that is worth a warning.

    Many collections have a few such topics. At a higher level there are more of them by choice.
    """
    return 0.25 if level == 1 else 0.1


def _warn_of_topics_without_relevant(options: InputOptions, qrels: Qrels, measures: Sequence[Measure]) -> None:
    """Warn of topics on which no run can score above 0, because no document is relevant at the level."""
    without = topics_without_relevant(qrels, measures, options.level, binary=options.binary)
    told = {
        level: topics for level, topics in without.items() if len(topics) >= _worth_a_warning(level) * len(qrels)
    }
    if told:
        level, topics = max(told.items())
        at = "" if level == 1 else f" at level {level}"
        verb = "has" if len(topics) == 1 else "have"
        number = f"{len(topics)} of {len(qrels)} topics (e.g. '{topics[0][:60]}')"
        warn(f"{number} {verb} no relevant document{at}: every run scores 0 there")


def _warn_of_unused_level(options: InputOptions, measures: Sequence[Measure]) -> None:
    """Warn of a relevance level on which no measure depends; trec_eval accepts it silently."""
    if options.level == 1 or any(measure.depends_on_level(options.binary) for measure in measures):
        return
    graded = [measure.name for measure in measures if measure.family.has_gains]
    why = f": the gains of {graded[0]} are the judgments (with --binary, 1 from the level on)" if graded else ""
    warn(f"-l {options.level} changes no score by {listed([measure.name for measure in measures])}{why}")


def report_unjudged(options: InputOptions, names: Sequence[str], *, refuse: bool = False) -> None:
    """Warn of, or refuse, runs without a judged document; `names` are the names of their files."""
    if not names:
        return
    n_runs, qrels = len(options.files) - 1, display_name(options.files[0])
    if refuse:
        raise InputError(f"no document of the run is judged in {qrels}: {_OTHER_QRELS}", names[0])
    which = names[0] if n_runs == 1 else f"{len(names)} of {n_runs} runs (e.g. {names[0]})"
    warn(f"no document of {which} is judged in {qrels}: {_OTHER_QRELS}")


def _score_each(options: InputOptions, task: Task, gaps: Gaps) -> Iterator[RunScores]:
    paths = options.files[1:]
    incomplete: list[tuple[int, int, str]] = []
    unjudged: list[str] = []
    ignored: list[tuple[int, int, str]] = []
    summaries: list[str] = []
    for run in progress(score_all(task, paths, options.jobs, options.cluster), len(paths), "runs"):
        _warn_of_changed_tag(run.path, run)
        if not run.is_judged:
            unjudged.append(run.path)
        elif run.n_ignored > len(run.retrieved):
            ignored.append((run.n_ignored, run.n_ignored + len(run.retrieved), run.tag))
        summaries += filter(is_summary, run.topics if not summaries else ())
        if run.n_missing and not options.complete:
            n_topics = run.n_missing + len(run.topics)
            if gaps == "refuse":
                what = f"no documents for {run.n_missing} of {n_topics} judged topics"
                raise InputError(f"{what}, expected all of them, or -c, which counts them as 0", run.path)
            incomplete.append((run.n_missing, n_topics, run.tag))
        yield run
    report_unjudged(options, unjudged, refuse=gaps == "refuse")
    if ignored:
        fact = "{n} of {n_topics} topics of '{tag}' are not in the qrels"
        of_several = "more topics outside the qrels than in them"
        warn(_about_topics(ignored, len(paths), fact, of_several, f"they are ignored: {_OTHER_QRELS}"))
    if summaries:
        found = f"topic '{summaries[0]}' has the name of the summaries"
        warn(f"{display_name(options.files[0])}: {found}, expected another")
    if incomplete and gaps == "warn":
        fact = "'{tag}' has no documents for {n} of {n_topics} judged topics"
        then = "they are excluded from its mean (-c would count them as 0)"
        warn(_about_topics(incomplete, len(paths), fact, "no documents for some judged topics", then))


def _about_topics(found: Sequence[tuple[int, int, str]], n_runs: int, fact: str, of_several: str, then: str) -> str:
    """Return a warning about topics that are missing from runs, or from the qrels.

    Parameters
    ----------
    found : sequence of (int, int, str)
        Of each run with such topics, their number, the number of all topics, and the tag.
    n_runs : int
        The number of all runs.
    fact : str
        A sentence about one run, with the fields ``tag``, ``n`` and ``n_topics``.
    of_several, then : str
        The rest of a sentence about several runs, and of either sentence.
    """
    n, n_topics, tag = max(found, key=lambda each: each[0])
    most = fact.format(tag=tag[:60], n=n, n_topics=n_topics)
    if n_runs == 1:
        return f"{most}; {then}"
    have = "has" if len(found) == 1 else "have"
    return f"{len(found)} of {n_runs} runs {have} {of_several} (most: {most}); {then}"


def _warn_of_changed_tag(name: str, run: RunScores | Run) -> None:
    if run.other_tag is not None:
        other, line = run.other_tag
        warn(f"{name}:{line}: the run tag changes from '{run.tag[:40]}' to '{other[:40]}', the first is used")


def read_first_documents(
    paths: Sequence[str],
    depth: int,
    topics: Iterable[str],
    precision: Precision,
    jobs: int | None,
    cluster: Cluster | None = None,
) -> Iterator[Run]:
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
    runs = progress(map_runs(read, paths, jobs, cluster), len(paths), "runs")
    for path, run in zip(paths, runs, strict=True):
        _warn_of_changed_tag(display_name(path), run)
        yield run


def read_table(
    options: InputOptions,
    default: Sequence[str] = (),
    *,
    wanted: Callable[[str], bool] | None = None,
    gaps: Gaps = "warn",
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
    """
    if takes_scores(options):
        from stdeval.commands.score_files import table_of_files

        return table_of_files(options, wanted or (lambda name: kind_of(name) == "score"), gaps)
    if all(measure.family.kind in ("text", "summary") for measure in resolve(options.measures or default)):
        raise InputError(about_unscored(options.measures))
    evaluated = evaluate_runs(options, default, gaps)
    return table_of(list(evaluated.runs), evaluated.names, evaluated.measures)


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


def warn_of_set_aside(
    facts: Coverage, systems: Sequence[str], shown: str = "not ranked, and listed below the others"
) -> None:
    """Warn if incomplete runs are not ranked, or if all runs are ranked on fewer topics.

    Parameters
    ----------
    facts : Coverage
    systems : sequence of str
    shown : str
        How the output shows runs that are not ranked.
    """
    if not facts.ranked.any():
        told = "the runs have different topics" if facts.common.any() else "no topic is common to all runs"
        warn(f"{told}, so no run is ranked")
        return
    incomplete = [name for name, complete in zip(systems, facts.complete, strict=True) if not complete]
    if incomplete:
        verb = "is missing" if len(incomplete) == 1 else "are missing"
        number = f"{len(incomplete)} of {len(systems)} runs (e.g. '{incomplete[0][:60]}')"
        treated = shown
        if (facts.ranked & ~facts.complete).any():
            which = "all" if facts.ranked.all() else "those with scores"
            treated = f"{which} are ranked, because fewer than two runs are complete"
        warn(f"{number} {verb} topics that more than half of the runs have: {treated}")
    if facts.is_reduced:
        warn(f"means are over the {common_topics_told(facts)}")


def common_topics_told(facts: Coverage) -> str:
    """Return the number of topics that all ranked runs have, in words; the smallest number of any measure."""
    runs = "runs" if facts.ranked.all() else "complete runs"
    return f"{counted(facts.n_common, 'topic')} that all {runs} have"


def refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice."""
    repeated = next((path for path, n in Counter(paths).items() if n > 1), None)
    if repeated is not None:
        raise InputError("given twice, expected each run once", repeated)


def run_names(tags: Sequence[str], paths: Sequence[str], label: str) -> list[str]:
    """Return names of runs, see `_names`, and warn of shared tags."""
    _warn_of_shared_tags(tags, label)
    return _names(tags, paths, label)


def _names(tags: Sequence[str], paths: Sequence[str], label: str) -> list[str]:
    """Return names of runs, all different: their tags, or their files if ``label`` says so or tags are shared."""
    file_names, n_runs = _file_names([display_name(path) for path in paths]), Counter(tags)
    by_file = label == "file"
    return [name if by_file or n_runs[tag] > 1 else tag for tag, name in zip(tags, file_names, strict=True)]


def _warn_of_shared_tags(tags: Sequence[str], label: str) -> None:
    """Warn of tags that several runs share, since these runs are named by their files."""
    shared = [(tag, n) for tag, n in Counter(tags).items() if n > 1]
    if shared and label != "file":
        tag, n = shared[0]
        more = f" (and {len(shared) - 1} more tags are shared)" if len(shared) > 1 else ""
        warn(f"{n} runs have the tag '{tag[:60]}'{more}: they are named by their files")


def _file_names(paths: Sequence[str]) -> list[str]:
    """File names without the ending of a compressed file; whole paths for names that would be the same."""
    names = [os.path.basename(path) for path in paths]
    bare = [plain_name(name) for name in names]
    counts = Counter(bare)
    return [path if counts[name] > 1 else name for path, name in zip(paths, bare, strict=True)]
