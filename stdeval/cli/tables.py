"""Read the table of scores that the options of a command name: of runs, evaluated here, or of scores files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from stdeval import notices, provenance, workers
from stdeval.cli.declarations import NamedFile
from stdeval.cli.inputs import evaluate_runs, judgments, progress, run_names, takes_scores, typed_order
from stdeval.cli.options import Gaps, InputOptions
from stdeval.errors import InputError, counted, excerpt, listed, unscored, warn
from stdeval.files import Input
from stdeval.formats import csv_tables, readers
from stdeval.measures import pooling
from stdeval.measures.names import is_better_higher, kind_of, resolve
from stdeval.standardization.factors import has_other_factors, refuse_huge, refuse_unfit
from stdeval.stats import ranking
from stdeval.table import Bools, ScoreTable, is_tabled, measures_in, missing_scores, named_measures, table_of
from stdeval.trec.reading import Run

if TYPE_CHECKING:
    from stdeval.cli.inputs import Evaluated
    from stdeval.workers import Jobs


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
    if all(measure.family.kind in ("text", "summary") for measure in resolve(inputs.measures or default)):
        raise InputError(unscored(inputs.measures))
    warn_of_untabled(inputs.measures)
    measures, runs, names = evaluate_runs(inputs, default, gaps, compares=compares)
    table = table_of(list(runs), names, measures)
    return table if inputs.best is None else table.select(systems=best_runs(inputs, table))


@lru_cache(maxsize=1)
def origin_of(inputs: InputOptions) -> provenance.Origin:
    """Return the origin of scores of the judgments; an empty one if the scores come from files."""
    return (
        provenance.Origin()
        if takes_scores(inputs)
        else provenance.origin_of_qrels(judgments(inputs, as_read=True), inputs.evaluation.typed)
    )


def evaluate_best(inputs: InputOptions, default: Sequence[str]) -> Evaluated:
    """Evaluate the runs by the measures named, and keep those that ``--best`` names."""
    measures, runs, names = evaluate_runs(inputs, default)
    kept = best_runs(inputs, table_of(list(runs), names, measures))
    return measures, [run for run, name in zip(runs, names, strict=True) if name in kept], kept


def warn_of_untabled(texts: Sequence[str]) -> None:
    """Warn of named measures that no single topic has; nicknames, such as official, may stand for some."""
    warn(notices.unscored([text for text in texts if not any(map(is_tabled, resolve([text])))]))


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
        by_name[name] = (
            readers.join_collections(tables, files, own) if several else readers.join_scores(tables, files)
        )
    return by_name[""] if list(by_name) == [""] else readers.join_columns(by_name)


def _table_of_files(inputs: InputOptions, every: bool, gaps: Gaps) -> ScoreTable:
    table = _joined_files(inputs)
    # If there is only one file, a fault must be in it.
    where = inputs.score_files[0].path if len(inputs.score_files) == 1 else None
    try:
        refuse_huge(table.values)
    except InputError as error:
        raise (error if where is None else error.at(where)) from None
    kept = [name for name in table.measures if every or kind_of(name) == "score"]
    if not kept and not inputs.measures:
        raise InputError(unscored(table.measures), where)
    measures = measures_in(table.measures, inputs.measures) if inputs.measures else kept
    asked = table.select(measures=measures)
    if gaps == "refuse":
        refuse_unfit(asked, where)
    if gaps == "warn":
        is_scored = ~np.isnan(table.values).all(axis=2)
        others = readers.topics_of_other_collections(is_scored) if inputs.collections else None
        factors = [
            provenance.Difference("factors", made="factors from other judgments or options")
        ] * has_other_factors(asked)
        missing = missing_scores(asked, others)
        warn(notices.other_origin(factors, where or "scores"), notices.missing_scores(*missing))
    if inputs.best is None:
        return asked
    best = table.select(systems=best_runs(inputs, table))
    topics = list(compress(best.topics, np.any(~np.isnan(best.values), axis=(0, 2))))
    return best.select(topics=topics, measures=asked.measures)


def scores_input(paths: Sequence[str], measures: Sequence[str] = ()) -> InputOptions:
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
    best = ranking.best_systems(scores, kept, str(inputs.best), better_higher=is_better_higher(measure))
    return list(compress(table.systems, best))


def ranking_measure(inputs: InputOptions, table: ScoreTable) -> str:
    """Return the measure of ``--best``: the first score of those named, in their order, or of the table."""
    names = [name for text in inputs.measures for name in named_measures(table.measures, text)] or table.measures
    score = next((name for name in names if kind_of(name) == "score"), None)
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
