"""Evaluate the runs that the options of a command name, one at a time or all; loads no numpy."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from stdeval import evaluation, notices, workers
from stdeval.cli.declarations import NamedFile
from stdeval.cli.options import Gaps, InputOptions
from stdeval.errors import InputError, excerpt, warn
from stdeval.files import Input, display_name, file_name, is_rereadable
from stdeval.measures import names as measure_names
from stdeval.trec import reading

if TYPE_CHECKING:
    from stdeval.evaluation import RunScores
    from stdeval.measures.catalogue import Measure
    from stdeval.table import ScoreTable
    from stdeval.trec.reading import Qrels

    # measures, and the runs evaluated by them, and their names
    Evaluated = tuple[tuple[Measure, ...], Iterable[RunScores], list[str]]

Item = TypeVar("Item")


def takes_scores(inputs: InputOptions) -> bool:
    """Return whether the scores come from scores files, and not from judgments and runs."""
    if inputs.score_files:
        if inputs.files:
            raise click.UsageError("expected QRELS RUN... or --scores, not both")
        if inputs.evaluation != evaluation.Options():
            named = "-c, -l, -M, -J, --exclude, --exclude-self, --binary and --precision"
            raise click.UsageError(f"{named} need QRELS RUN..., not --scores")
    elif len(inputs.files) < 2:
        raise click.UsageError("expected QRELS and at least one RUN, or --scores FILE")
    return bool(inputs.score_files)


def judgments(inputs: InputOptions, *, as_read: bool = False) -> Qrels:
    """Return the judgments that are left, or as they were read, of the topics that are left; read only once."""
    read, _ = workers.qrels_of(inputs.files[0], inputs.cache_token)
    left_out = inputs.evaluation.exclusion
    left = read if left_out is None else left_out.left_of_qrels(read, display_name(inputs.files[0]))
    return {topic: read[topic] for topic in left} if as_read else left


def number_of_topics(inputs: InputOptions, table: ScoreTable | None = None) -> int:
    """Return the number of all judged topics or, if it is unknown, of topics with scores."""
    if table is None or not takes_scores(inputs):
        return len(judgments(inputs))
    return max(table.origin.n_judged, len(table.topics))


def typed_order(inputs: InputOptions, names: Sequence[str]) -> list[int]:
    """Return the indices of measures in the order in which they were typed, if runs were evaluated by them."""
    if inputs.score_files:
        return list(range(len(names)))
    rank = {measure.name: i for i, measure in enumerate(measure_names.resolve_as_typed(inputs.measures))}
    return sorted(range(len(names)), key=lambda i: rank.get(names[i], len(rank)))


def progress(items: Iterable[Item], n: int, what: str) -> Iterator[Item]:
    """Yield the n items, with a progress bar if stderr is a terminal and there are several."""
    if n < 2 or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=n, label=what, file=sys.stderr, show_pos=True) as bar:
        yield from bar


def refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice, also if it is spelled otherwise: ``a.run`` and ``./a.run``."""
    n_files = Counter(map(os.path.abspath, paths))
    repeated = next((path for path in reversed(paths) if n_files[os.path.abspath(path)] > 1), None)
    if repeated is not None:
        raise InputError("given twice, expected each run once", repeated)


def run_names(
    tags: Sequence[str], paths: Sequence[str], named: Sequence[NamedFile] = (), *, warns: bool = True
) -> list[str]:
    """Return the names given to runs, their tags, or their files if several have the tag; they all differ."""
    given = {file.path: file.name for file in named}
    n_runs = Counter(tag for tag, path in zip(tags, paths, strict=True) if path not in given)
    shared = [tag for tag, n in n_runs.items() if n > 1 and warns]
    if shared:
        warn(notices.shared_tags(shared, n_runs[shared[0]]))
    # the names of files without the ending of a compressed file; whole paths for names that would be the same
    files = list(map(file_name, paths)) if max(n_runs.values(), default=0) > 1 else []
    n_files = Counter(files)
    names: list[str] = []
    for i, (tag, path) in enumerate(zip(tags, paths, strict=True)):
        file = "" if n_runs[tag] < 2 else files[i] if n_files[files[i]] == 1 else display_name(path)
        name = given.get(path) or file or tag
        if name in names:
            found = f"'{excerpt(name)}' is the name of another run too"
            raise InputError(f"{found}, expected names that differ: NAME=RUN names a run", display_name(path))
        names.append(name)
    return names


def evaluate_runs(
    inputs: InputOptions, default: Sequence[str], gaps: Gaps = "warn", *, compares: bool = False
) -> Evaluated:
    """Evaluate the runs by the measures named."""
    measures, _, scored = score_runs(inputs, default, gaps, compares=compares)
    runs = list(scored)
    return measures, runs, run_names([run.tag for run in runs], inputs.files[1:], inputs.names)


def evaluate_one_by_one(inputs: InputOptions, default: Sequence[str]) -> Evaluated:
    """Evaluate runs as `evaluate_runs` does; if their names are known before, each only when it is needed."""
    paths = inputs.files[1:]
    tags = [reading.first_tag(Input(path)) for path in paths if is_rereadable(path)] if len(paths) > 1 else []
    if not tags or len(tags) < len(paths) or "" in tags:
        return evaluate_runs(inputs, default)
    measures, _, scored = score_runs(inputs, default)
    names = run_names(tags, paths, inputs.names, warns=False)

    def scored_with_warning() -> Iterator[RunScores]:
        # Unlike a loop, this does not hold a run while the next one is scored.
        yield from scored
        run_names(tags, paths, inputs.names)

    return measures, scored_with_warning(), names


def score_runs(
    inputs: InputOptions, default: Sequence[str], gaps: Gaps = "warn", *, compares: bool = False
) -> tuple[tuple[Measure, ...], tuple[str, ...], Iterator[RunScores]]:
    """Return the measures named, the topics of the judgments, and an iterator that scores one run at a time."""
    paths = inputs.files[1:]
    refuse_repeated(paths)
    judgments(inputs)  # first, as qrels of another kind explain why a measure is not known
    measures = measure_names.resolve(inputs.measures or default)
    task = workers.Task(inputs.files[0], measures, inputs.evaluation, compares, inputs.cache_token)
    evaluator = workers.evaluator_of(task)
    qrels = display_name(inputs.files[0])
    highest, levels = evaluation.levels_without_relevant(evaluator.qrels, measures, inputs.evaluation.level)
    if levels and gaps == "refuse":
        found = f"no document is relevant at level {levels[0]}: the highest judgment is {highest}"
        raise InputError(f"{found}, expected some relevant documents", qrels)
    seen: list[RunScores] = []

    def checked(run: RunScores) -> RunScores:
        if gaps == "refuse":
            _refuse_gaps(run, evaluator.topics, qrels, inputs.evaluation.complete)
        # Only the facts about a run stay in memory.
        seen.append(run._replace(scores=run.scores[:0], texts={}, summary=[]))
        return run

    def scored() -> Iterator[RunScores]:
        # Unlike a loop, map does not hold a run while the next one is scored.
        yield from map(checked, progress(workers.score_all(task, paths, inputs.jobs), len(paths), "runs"))
        names = run_names([run.tag for run in seen], paths, inputs.names, warns=False)
        facts = dict(zip(names, seen, strict=True))
        evaluation.warn_of_runs(evaluator, facts, qrels, "-c", of_missing=gaps == "warn")
        workers.evaluator_of.cache_clear()  # it holds another copy of the judgments

    return measures, evaluator.topics, scored()


def _refuse_gaps(run: RunScores, topics: Sequence[str], qrels: str, complete: bool) -> None:
    """Refuse a run that cannot decide anything: see `Gaps`."""
    if not run.is_judged:
        raise InputError(f"no document of the run is judged in {qrels}: another collection?", run.path)
    if run.rises:
        expected = "expected the highest score first (negate the scores if they are distances)"
        raise InputError(f"the scores rise with the ranks, {expected}", run.path)
    # Last: -c would not mend the others.
    if run.n_missing and not complete:
        missing = next(topic for topic in topics if topic not in run.topics)
        number = f"{run.n_missing} of {len(topics)} judged topics (e.g. '{excerpt(missing)}')"
        expected = f"expected documents for every topic of {qrels}, or -c to count missing ones as 0"
        raise InputError(f"no documents for {number}, {expected}", run.path)
