"""Read the scores that the options of a command name: of runs, which are evaluated here, or of scores files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import click

from stdeval import notices
from stdeval.cli.messages import progress
from stdeval.cli.options import Gaps, InputOptions
from stdeval.cli.types import NamedFile
from stdeval.display import excerpt, listed, unscored
from stdeval.errors import InputError, warn
from stdeval.evaluation import Options, RunScores, levels_without_relevant, topics_without_relevant
from stdeval.files import Input, display_name, is_rereadable, plain_name
from stdeval.measures.catalogue import Measure
from stdeval.measures.names import is_better_higher, kind_of, resolve, resolve_as_typed
from stdeval.provenance import Origin, origin_of_qrels
from stdeval.python_inputs import is_tabled, table_of
from stdeval.stats.ranking import Coverage, best_systems, coverage
from stdeval.trec.reading import Qrels, Run, first_tag
from stdeval.workers import Jobs, Task, evaluator_of, map_runs, qrels_of, score_all

if TYPE_CHECKING:
    from stdeval.measures.pooling import FirstDocuments
    from stdeval.table import ScoreTable
    from stdeval.trec.reading import Precision


def takes_scores(options: InputOptions) -> bool:
    """Return whether the scores come from scores files, and not from judgments and runs."""
    if options.score_files:
        if options.files:
            raise click.UsageError("expected QRELS RUN... or --scores, not both")
        if evaluation_options(options) != Options():
            raise click.UsageError("-c, -l, -M, -J, --binary and --precision need QRELS RUN..., not --scores")
    elif len(options.files) < 2:
        raise click.UsageError("expected QRELS and at least one RUN, or --scores FILE")
    return bool(options.score_files)


def judgments(options: InputOptions) -> Qrels:
    """Return the judgments, which are read from their file only once."""
    return qrels_of(options.files[0], options.cache_token)


def evaluation_options(options: InputOptions) -> Options:
    """Return the options with which runs are evaluated."""
    o = options
    return Options(o.level, o.depth, o.judged_only, o.complete, o.binary, o.precision)


@lru_cache(maxsize=1)
def origin_of(inputs: InputOptions) -> Origin:
    """Return the origin of scores of the judgments; an empty one if the scores come from files."""
    if takes_scores(inputs):
        return Origin()
    return origin_of_qrels(judgments(inputs), evaluation_options(inputs).typed)


def refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice, also if it is spelled otherwise: ``a.run`` and ``./a.run``."""
    n_files = Counter(map(os.path.abspath, paths))
    repeated = next((path for path in reversed(paths) if n_files[os.path.abspath(path)] > 1), None)
    if repeated is not None:
        raise InputError("given twice, expected each run once", repeated)


def run_names(tags: Sequence[str], paths: Sequence[str], named: Sequence[NamedFile] = ()) -> list[str]:
    """Return names of runs, see `names_of_runs`, and warn of shared tags."""
    warn_of_shared_tags(tags, paths, named)
    return names_of_runs(tags, paths, named)


def names_of_runs(tags: Sequence[str], paths: Sequence[str], named: Sequence[NamedFile] = ()) -> list[str]:
    """Return names of runs, all different: those given, their tags, or their files if several have the tag."""
    names = names_in_warnings(tags, paths, named)
    n_named = Counter(names)
    for name, path in zip(names, paths, strict=True):
        if n_named[name] > 1:
            found = f"'{excerpt(name)}' is the name of another run too"
            raise InputError(f"{found}, expected names that differ: NAME=RUN names a run", display_name(path))
    return names


def names_in_warnings(tags: Sequence[str], paths: Sequence[str], named: Sequence[NamedFile] = ()) -> list[str]:
    """Return the names of `names_of_runs`, but do not refuse ambiguous ones."""
    given = {file.path: file.name for file in named}
    n_runs = Counter(tag for tag, path in zip(tags, paths, strict=True) if path not in given)
    # the names of files without the ending of a compressed file; whole paths for names that would be the same
    bare = [plain_name(os.path.basename(display_name(path))) for path in paths]
    n_files = Counter(bare)
    files = [display_name(path) if n_files[name] > 1 else name for path, name in zip(paths, bare, strict=True)]
    return [
        given.get(path) or (file if n_runs[tag] > 1 else tag)
        for tag, path, file in zip(tags, paths, files, strict=True)
    ]


def warn_of_shared_tags(tags: Sequence[str], paths: Sequence[str], named: Sequence[NamedFile]) -> None:
    """Warn of tags that several runs without a given name share, since these runs are named by their files."""
    given = {file.path for file in named}
    n_runs = Counter(tag for tag, path in zip(tags, paths, strict=True) if path not in given)
    shared = [tag for tag, n in n_runs.items() if n > 1]
    warn(notices.shared_tags(shared, n_runs[shared[0]] if shared else 0))


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
    """Evaluate the runs by the measures named."""
    measures, _, scored = score_runs(options, default, gaps, compares=compares)
    runs = list(scored)
    names = run_names([run.tag for run in runs], options.files[1:], options.names)
    if options.best is not None:
        kept = best_runs(options, table_of(runs, names, measures))
        runs, names = [runs[i] for i in kept], [names[i] for i in kept]
    return EvaluatedRuns(measures, runs, names)


def evaluate_one_by_one(options: InputOptions, default: Sequence[str]) -> EvaluatedRuns:
    """Evaluate runs as `evaluate_runs` does; if their names are known before, each only when it is needed."""
    paths = options.files[1:]
    tags = [first_tag(Input(path)) for path in paths if is_rereadable(path)] if options.best is None else []
    if len(paths) < 2 or len(tags) < len(paths) or "" in tags:
        return evaluate_runs(options, default)
    measures, _, scored = score_runs(options, default)

    def scored_with_warning() -> Iterator[RunScores]:
        # Unlike a loop, this does not hold a run while the next one is scored.
        yield from scored
        warn_of_shared_tags(tags, paths, options.names)

    return EvaluatedRuns(measures, scored_with_warning(), names_of_runs(tags, paths, options.names))


def score_runs(
    options: InputOptions, default: Sequence[str], gaps: Gaps = "warn", *, compares: bool = False
) -> tuple[tuple[Measure, ...], tuple[str, ...], Iterator[RunScores]]:
    """Return the measures named, the topics of the judgments, and an iterator that scores one run at a time."""
    measures = resolve(options.measures or default)
    refuse_repeated(options.files[1:])
    evaluated = evaluation_options(options)
    task = Task(options.files[0], measures, evaluated, compares, options.cache_token)
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
        if gaps == "refuse" and run.n_missing and not options.complete:
            missing = next(topic for topic in evaluator.topics if topic not in run.topics)
            number = f"{run.n_missing} of {len(evaluator.topics)} judged topics (e.g. '{excerpt(missing)}')"
            expected = f"expected documents for every topic of {qrels}, or -c to count missing ones as 0"
            raise InputError(f"no documents for {number}, {expected}", run.path)
        if gaps == "refuse" and not run.is_judged:
            raise InputError(f"no document of the run is judged in {qrels}: another collection?", run.path)
        if gaps == "refuse" and run.rises:
            expected = "expected the highest score first (negate the scores if they are distances)"
            raise InputError(f"the scores rise with the ranks, {expected}", run.path)
        # Only the facts about a run stay in memory.
        seen.append(run._replace(rows=[], texts={}, summary=[]))
        return run

    # Unlike a loop, map does not hold a run while the next one is scored.
    yield from map(checked, progress(score_all(task, paths, options.jobs), len(paths), "runs"))
    names = names_in_warnings([run.tag for run in seen], paths, options.names)
    runs = dict(zip(names, seen, strict=True))
    without = topics_without_relevant(evaluator.qrels, task.measures, options.level, binary=options.binary)
    warns = gaps == "warn" and not options.complete
    judged = {name: run.judged for name, run in runs.items() if run.judged is not None}
    warn(
        notices.unjudged_runs([name for name, run in runs.items() if not run.is_judged], len(runs), qrels),
        notices.no_relevant(qrels, levels, highest),
        notices.rising_scores([name for name, run in runs.items() if run.rises], len(runs)),
        notices.missing_topics(
            {name: run.n_missing for name, run in runs.items() if warns},
            len(evaluator.topics),
            {name: run.n_outside for name, run in runs.items()},
        ),
        notices.topics_without_relevant(without, len(evaluator.topics), options.level),
        notices.unjudged_documents(judged, sorted(judged.values())[len(judged) // 2] if judged else 0),
    )


def read_first_documents(
    paths: Sequence[str],
    depth: int,
    topics: Iterable[str],
    precision: Precision,
    jobs: Jobs,
) -> Iterator[FirstDocuments]:
    """Read runs one after the other, each topic only to a depth."""
    from stdeval.measures.pooling import first_documents

    read = partial(first_documents, depth=depth, topics=frozenset(topics), precision=precision)
    yield from progress(map_runs(read, paths, jobs), len(paths), "runs")


def read_pooled_runs(
    paths: Sequence[str], depth: int, judgments: NamedQrels, precision: Precision, jobs: Jobs
) -> Iterator[Run]:
    """Read the first documents of runs one after the other, and warn of scores that rise with the ranks."""
    tags: list[str] = []
    rising: list[int] = []
    for each in read_first_documents(paths, depth, judgments.qrels, precision, jobs):
        rising += [len(tags)] if each.rises else []
        tags.append(each.run.tag)
        yield each.run
    names = names_in_warnings(tags, paths)
    warn(notices.rising_scores([names[i] for i in rising], len(names)))


def read_table(
    options: InputOptions,
    default: Sequence[str] = (),
    *,
    wanted: Callable[[str], bool] | None = None,
    gaps: Gaps = "warn",
    compares: bool = False,
) -> ScoreTable:
    """Read the raw scores of all runs by the measures named."""
    if takes_scores(options):
        from stdeval.cli.score_files import table_of_files

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
    """Return the indices of measures in the order in which they were typed, if runs were evaluated by them."""
    if options.score_files:
        return list(range(len(names)))
    rank = {measure.name: i for i, measure in enumerate(resolve_as_typed(options.measures))}
    return sorted(range(len(names)), key=lambda i: rank.get(names[i], len(rank)))


def as_typed(table: ScoreTable, options: InputOptions, output_format: str) -> ScoreTable:
    """Return a table with its measures in the order in which they were typed; for text in trec_eval's order."""
    if output_format == "text":
        return table
    return table.select(measures=[table.measures[i] for i in typed_order(options, table.measures)])


def warn_of_set_aside(facts: Coverage, systems: Sequence[str], treated: str = "not ranked") -> None:
    """Warn if incomplete runs are treated otherwise than the others, or if all runs are ranked on fewer topics."""
    if aside := facts.set_aside(systems):
        warn(notices.incomplete_runs(aside, len(systems), treated))
    elif facts.is_reduced or not facts.n_common:
        warn(notices.common_topics(facts.n_common, len(facts.common)))


def best_runs(options: InputOptions, table: ScoreTable) -> list[int]:
    """Return the indices of the best runs."""
    measure = ranking_measure(options, table)
    scores = table.measure(measure)
    facts = coverage(scores)
    if not facts.ranked.any() or not facts.complete[facts.ranked].all():
        found = "fewer than two runs have all topics that more than half of the runs have"
        or_c = "" if options.score_files else ", or -c, which counts missing topics as 0"
        raise InputError(f"--best {options.best}: {found}, expected complete runs{or_c}")
    warn_of_set_aside(facts, table.systems, f"left out by --best {options.best}")
    kept = best_systems(scores, facts, str(options.best), better_higher=is_better_higher(measure))
    return [i for i, keep in enumerate(kept) if keep]


def ranking_measure(options: InputOptions, table: ScoreTable) -> str:
    """Return the measure of ``--best``: the first score of those named, in their order, or of the table."""
    from stdeval.table import named_measures

    names = [name for text in options.measures for name in named_measures(table.measures, text)] or table.measures
    score = next((name for name in names if kind_of(name) == "score"), None)
    if score is None:
        raise InputError(f"--best {options.best}: {unscored(names)}")
    return score


def system_index(options: InputOptions, name: str, systems: Sequence[str]) -> int:
    """Return the index of the system of this name, or of the run whose file was given by this name."""
    runs = options.files[1:]
    named = list(systems).index(name) if name in systems else None
    # Without the runs that --best leaves out, the places of the files are not those of the systems.
    given = runs.index(name) if name in runs and options.best is None else None
    if named is not None and given not in (None, named):
        expected = f"expected '{runs[named]}' for the one, or NAME=RUN for the other"
        raise InputError(f"'{name}' is the name of a run and the file of another, {expected}")
    found = given if named is None else named
    if found is not None:
        return found
    among = "" if options.best is None else f" among those that --best {options.best} keeps"
    raise InputError(f"no run '{name}'{among}, expected one of: {listed(systems, 20)}")
