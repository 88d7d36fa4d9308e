"""The scores that the options of a command name: of runs, evaluated here, or those in scores files."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeVar

import click
import numpy as np

from stdeval import evaluation, notices, provenance, workers
from stdeval import table as score_tables
from stdeval.cli.declarations import NamedFile
from stdeval.cli.options import InputOptions
from stdeval.errors import InputError, counted, excerpt, listed, unscored, warn
from stdeval.files import Input, display_name, file_name, is_rereadable
from stdeval.formats import csv_tables, readers
from stdeval.measures import names as measure_names
from stdeval.measures import pooling
from stdeval.standardization import factors as references
from stdeval.stats import ranking
from stdeval.trec import reading

if TYPE_CHECKING:
    from stdeval.cli.options import Gaps
    from stdeval.evaluation import RunScores
    from stdeval.measures.catalogue import Measure
    from stdeval.table import Bools, ScoreTable
    from stdeval.trec.reading import Qrels, Run
    from stdeval.workers import Jobs

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


def number_of_topics(inputs: InputOptions, table: ScoreTable | None) -> int:
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


def evaluate_runs(inputs: InputOptions, default: Sequence[str], gaps: Gaps = "warn", **how: bool) -> Evaluated:
    """Evaluate the runs by the measures named."""
    measures, _, scored = score_runs(inputs, default, gaps, **how)
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
    inputs: InputOptions,
    default: Sequence[str],
    gaps: Gaps = "warn",
    *,
    compares: bool = False,
    tabled: bool = False,
) -> tuple[tuple[Measure, ...], tuple[str, ...], Iterator[RunScores]]:
    """Return the measures named, the topics of the judgments, and an iterator that scores one run at a time.

    For a table, only measures with a score per topic are of use: without any, all are refused.
    """
    paths = inputs.files[1:]
    refuse_repeated(paths)
    judgments(inputs)  # first, as qrels of another kind explain why a measure is not known
    measures = measure_names.resolve(inputs.measures or default)
    if tabled and not all(measure.family.is_tabled for measure in measures):
        _refuse_untabled(measures, inputs.measures)
    task = workers.Task(inputs.files[0], measures, inputs.evaluation, compares, inputs.cache_token)
    evaluator = workers.evaluator_of(task)
    qrels = display_name(inputs.files[0])
    if gaps == "refuse":
        highest, levels = evaluation.levels_without_relevant(evaluator.qrels, measures, inputs.evaluation.level)
        if levels:
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


def _refuse_untabled(measures: Sequence[Measure], texts: Sequence[str]) -> None:
    """Refuse measures if no single topic has any; warn of the names of others; nicknames may stand for some."""
    if not any(measure.family.is_tabled for measure in measures):
        raise InputError(unscored(texts))
    named = [(text, measure_names.resolve([text])) for text in texts]
    warn(notices.unscored([text for text, meant in named if not any(each.family.is_tabled for each in meant)]))


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


# --- tables ---


def read_table(
    inputs: InputOptions,
    default: Sequence[str] = (),
    *,
    every: bool = False,
    gaps: Gaps = "warn",
    compares: bool = False,
) -> ScoreTable:
    """Read the raw scores of all runs by the measures named, or by all scores or ``every`` column of files."""
    if takes_scores(inputs):
        return _table_of_files(inputs, every, gaps)
    measures, runs, names = evaluate_runs(inputs, default, gaps, compares=compares, tabled=True)
    table = score_tables.table_of(list(runs), names, measures)
    return table if inputs.best is None else table.select(systems=best_runs(inputs, table))


def origin_of(inputs: InputOptions, table: ScoreTable | None) -> provenance.Origin:
    """Return the origin of the scores of a table: as the files have it, or that of scores of the judgments."""
    return table.origin if table is not None and takes_scores(inputs) else _origin_of_qrels(inputs)


@lru_cache(maxsize=1)
def _origin_of_qrels(inputs: InputOptions) -> provenance.Origin:
    return provenance.origin_of_qrels(judgments(inputs, as_read=True), inputs.evaluation.typed)


def evaluate_best(inputs: InputOptions, default: Sequence[str]) -> Evaluated:
    """Evaluate the runs by the measures named, and keep those that ``--best`` names."""
    measures, runs, names = evaluate_runs(inputs, default)
    kept = best_runs(inputs, score_tables.table_of(list(runs), names, measures))
    return measures, [run for run, name in zip(runs, names, strict=True) if name in kept], kept


def as_typed(table: ScoreTable, inputs: InputOptions, output_format: str) -> ScoreTable:
    """Return a table with its measures in the order in which they were typed; for text in trec_eval's order."""
    if output_format == "text":
        return table
    return table.select(measures=[table.measures[i] for i in typed_order(inputs, table.measures)])


def _joined_files(inputs: InputOptions) -> ScoreTable:
    # Files of one name are joined by rows, and then those of all names by columns.
    sources: dict[str, list[Input]] = {}
    for path, name in inputs.score_files:
        sources.setdefault(name, []).append(Input(path))
    read = {name: [csv_tables.read_scores(source) for source in named] for name, named in sources.items()}
    every = [table for tables in read.values() for table in tables]
    # a collection has the same number in all names
    numbers = readers.collection_numbers(every) if inputs.collections else [1] * len(every)
    left, several, by_name = iter(numbers), {*numbers} != {1}, {}
    for name, tables in read.items():
        files, own = [source.name for source in sources[name]], [next(left) for _ in tables]
        joined = readers.join_collections(tables, files, own) if several else readers.join_scores(tables, files)
        by_name[name] = joined
    return by_name[""] if list(by_name) == [""] else readers.join_columns(by_name)


def _table_of_files(inputs: InputOptions, every: bool, gaps: Gaps) -> ScoreTable:
    table = _joined_files(inputs)
    # If there is only one file, a fault must be in it.
    where = inputs.score_files[0].path if len(inputs.score_files) == 1 else None
    try:
        references.refuse_huge(table.values)
    except InputError as error:
        raise (error if where is None else error.at(where)) from None
    kept = [name for name in table.measures if every or measure_names.kind_of(name) == "score"]
    if not kept and not inputs.measures:
        raise InputError(unscored(table.measures), where)
    measures = score_tables.measures_in(table.measures, inputs.measures) if inputs.measures else kept
    asked = table.select(measures=measures)
    if gaps == "refuse":
        references.refuse_unfit(asked, where)
    if gaps == "warn":
        is_scored = ~np.isnan(table.values).all(axis=2)
        others = readers.topics_of_other_collections(is_scored) if inputs.collections else None
        made = "factors from other judgments or options"
        factors = [provenance.Difference("factors", made=made)] if references.has_other_factors(asked) else []
        missing = score_tables.missing_scores(asked, others)
        warn(notices.other_origin(factors, where or "scores"), notices.missing_scores(*missing))
    if inputs.best is None:
        return asked
    best = table.select(systems=best_runs(inputs, table))
    topics = list(compress(best.topics, np.any(~np.isnan(best.values), axis=(0, 2))))
    return best.select(topics=topics, measures=asked.measures)


def scores_input(paths: Sequence[str], measures: Sequence[str]) -> InputOptions:
    """Return the options of a command that is given only scores files."""
    return InputOptions(score_files=tuple(map(NamedFile, paths)), measures=tuple(measures))


def compared_runs(
    has: Bools, systems: Sequence[str], treated: str = "not ranked", *, narrows: bool = True, paired: bool = True
) -> tuple[Bools, Bools]:
    """Return the runs that are compared, and their common topics, as `comparable` does; warn if these are not all.

    Paired runs need half of the topics that any run has; runs that are not paired are compared if all are common.
    """
    kept, common = ranking.comparable(has)
    n_common, n_topics = (each.sum(axis=0).ravel() for each in (common, has.any(axis=0)))
    worst, is_reduced = int(np.argmin(2 * n_common - n_topics)), (has[kept] & ~common).any()
    if is_reduced and not paired:
        return kept & False, common
    if paired and 2 * n_common[worst] < n_topics[worst]:
        parts = (np.delete(has, place, axis=0) for place in range(len(systems)))
        surplus = [
            np.min(2 * ranking.comparable(part)[1].sum(axis=0) - part.any(axis=0).sum(axis=0)) for part in parts
        ]
        found = f"{n_common[worst]} of {counted(n_topics[worst], 'topic')} are common to all runs that are compared"
        remedy = f"leave out runs (e.g. '{excerpt(systems[int(np.argmax(surplus))])}')"
        raise InputError(f"{found}, expected at least half: {remedy}, or count missing topics as 0 (-c)")
    if treated and not kept.all():
        warn(notices.incomplete_runs(list(compress(systems, ~kept)), len(systems), treated))
    elif treated and is_reduced and narrows:
        warn(notices.common_topics(int(n_common[n_common > 0].min()), len(common)))
    return kept, common


def best_runs(inputs: InputOptions, table: ScoreTable) -> list[str]:
    """Return the names of the best runs."""
    measure = ranking_measure(inputs, table)
    scores = table.measure(measure)
    kept, common = compared_runs(~np.isnan(scores), table.systems, f"left out by --best {inputs.best}")
    scores = ranking.on_common_topics(scores, kept, common)
    better_higher = measure_names.is_better_higher(measure)
    best = ranking.best_systems(scores, kept, str(inputs.best), better_higher=better_higher)
    return list(compress(table.systems, best))


def ranking_measure(inputs: InputOptions, table: ScoreTable) -> str:
    """Return the measure of ``--best``: the first score of those named, in their order, or of the table."""
    named = (score_tables.named_measures(table.measures, text) for text in inputs.measures)
    names = [name for found in named for name in found] or table.measures
    score = next((name for name in names if measure_names.kind_of(name) == "score"), None)
    if score is None:
        raise InputError(f"--best {inputs.best}: {unscored(names)}")
    return score


def system_index(inputs: InputOptions, name: str, systems: Sequence[str]) -> int:
    """Return the index of the system of this name, or of the run whose file was given by this name."""
    runs = inputs.files[1:]
    named = list(systems).index(name) if name in systems else None
    # Without the runs that --best leaves out, the places of the files are not those of the systems.
    given = runs.index(name) if name in runs and inputs.best is None else None
    if named is not None and given not in (None, named):
        expected = f"expected '{runs[named]}' for the one, or NAME=RUN for the other"
        raise InputError(f"'{name}' is the name of a run and the file of another, {expected}")
    found = given if named is None else named
    if found is None:
        among = "" if inputs.best is None else f" among those that --best {inputs.best} keeps"
        raise InputError(f"no run '{name}'{among}, expected one of: {listed(systems, 20)}")
    return found


def read_first_documents(
    paths: Sequence[str], topics: Iterable[str], jobs: Jobs, **how: Any
) -> Iterator[tuple[Run, bool]]:
    """Read runs one after the other, each topic only to a depth, as `pooling.first_documents` does."""
    read = partial(pooling.first_documents, topics=frozenset(topics), **how)
    yield from progress(workers.map_runs(read, paths, jobs), len(paths), "runs")


def read_pooled_runs(paths: Sequence[str], topics: Iterable[str], jobs: Jobs, **how: Any) -> Iterator[Run]:
    """Read the first documents of runs one after the other, and warn of scores that rise with the ranks."""
    tags: list[str] = []
    rising: list[int] = []
    for run, rises in read_first_documents(paths, topics, jobs, **how):
        rising += [len(tags)] if rises else []
        tags.append(run.tag)
        yield run
    names = run_names(tags, paths, warns=False)
    warn(notices.rising_scores([names[i] for i in rising], len(names)))


def is_shallow(run: Run, depth: int, topics: Collection[str]) -> bool:
    """Return whether more than a tenth of the topics have fewer documents than a pool is deep."""
    return sum(len(run.documents.get(topic, ())) < depth for topic in topics) > 0.1 * len(topics)
