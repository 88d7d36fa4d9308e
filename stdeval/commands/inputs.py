"""Read the raw scores that the input options name, from scores files or by evaluating runs with judgments."""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import click

from stdeval.commands.input_options import InputOptions
from stdeval.commands.options import refuse_without_effect
from stdeval.commands.parameter_types import NamedFile
from stdeval.display import counted, listed
from stdeval.errors import InputError, InputWarning
from stdeval.evaluation import Options, RunScores, levels_without_relevant, table_of
from stdeval.files import Input, display_name, plain_name
from stdeval.measures.names import (
    Measure,
    is_better_higher,
    is_in_unit_range,
    kind_of,
    prefixed,
    resolve,
    split_prefix,
)
from stdeval.measures.precision import Precision
from stdeval.trec import Qrels, Run
from stdeval.workers import QrelsFile, Task, evaluator_of, map_runs, score_all

# numpy, and modules that import it, are imported where they are used: `eval` prints the scores of runs without it.
if TYPE_CHECKING:
    from stdeval.stats.coverage import Coverage
    from stdeval.table import ScoreTable

Item = TypeVar("Item")

Gaps = Literal["warn", "refuse", "ignore"]
"""The treatment of runs that have no documents for some topics, unless such topics count 0 (-c).

`refuse` is for commands that pass or fail runs. They also refuse a run without a judged document, and judgments
without a relevant one.
"""

_WARNINGS = "stdeval.warnings"


def warn(message: str) -> None:
    """Warn, in one line, that input is used in a way that the user may not expect; the same line only once."""
    context = click.get_current_context(silent=True)
    if context is not None:
        if message in context.meta.setdefault(_WARNINGS, []):
            return
        context.meta[_WARNINGS].append(message)
    warnings.warn(message, InputWarning, stacklevel=2)


def warnings_so_far() -> tuple[str, ...]:
    """Return the warnings that the running command has printed."""
    return tuple(click.get_current_context().meta.get(_WARNINGS, ()))


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
                "-c, -l, -M, -J, --binary and --precision need QRELS RUN..., scores are there already"
            )
        refuse_without_effect(["max_grade"], "QRELS RUN... and a measure such as err_20")
        if options.label != "tag" or options.dask is not None:
            raise click.UsageError("--label and --dask need QRELS RUN..., expected neither with --scores")
    elif len(options.files) < 2:
        raise click.UsageError("expected QRELS and at least one RUN, or --scores FILE")
    if [*options.files, *(file.path for file in options.score_files)].count("-") > 1:
        raise click.UsageError("standard input (-) can be read once only")
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


class EvaluatedRuns(NamedTuple):
    """Runs evaluated by some measures, and the names by which they are shown."""

    measures: tuple[Measure, ...]
    runs: list[RunScores]
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
        kept = _best_runs(options, table_of(runs, names, measures))
        runs, names = [runs[i] for i in kept], [names[i] for i in kept]
    return EvaluatedRuns(measures, runs, names)


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
    return measures, evaluator.topics, _score_each(options, task, gaps)


def refuse_unused_grade(measures: Sequence[Measure]) -> None:
    """Refuse the highest grade of judgments if no measure depends on it."""
    if not any(measure.family.has_grades for measure in measures):
        refuse_without_effect(["max_grade"], "a measure such as err_20")


def report_levels(
    options: InputOptions, qrels: Qrels, measures: Sequence[Measure], *, refuse: bool = False
) -> None:
    """Warn of, or refuse, relevance levels at which no document is relevant: every score would be 0."""
    highest, levels = levels_without_relevant(qrels, measures, options.level)
    if not levels:
        return
    at = "" if levels == [1] else f" at level {', '.join(map(str, levels))}"
    found = f"no document is relevant{at}: the highest judgment is {highest}"
    if refuse:
        raise InputError(f"{found}, expected some relevant documents", display_name(options.files[0]))
    warn(f"{display_name(options.files[0])}: {found}")


def report_unjudged(options: InputOptions, names: Sequence[str], *, refuse: bool = False) -> None:
    """Warn of, or refuse, runs without a judged document; `names` are the names of their files."""
    if not names:
        return
    n_runs, qrels = len(options.files) - 1, display_name(options.files[0])
    if refuse:
        raise InputError(f"no document of the run is judged in {qrels}: qrels of another collection?", names[0])
    which = names[0] if n_runs == 1 else f"{len(names)} of {n_runs} runs (e.g. {names[0]})"
    warn(f"no document of {which} is judged in {qrels}: qrels of another collection?")


def _score_each(options: InputOptions, task: Task, gaps: Gaps) -> Iterator[RunScores]:
    paths = options.files[1:]
    incomplete: list[tuple[int, int, str]] = []
    unjudged: list[str] = []
    has_all = False
    for run in progress(score_all(task, paths, options.jobs, options.dask), len(paths), "runs"):
        _warn_of_changed_tag(run.path, run)
        if not run.is_judged:
            unjudged.append(run.path)
        has_all = has_all or "all" in run.topics
        if run.n_missing and not options.complete:
            n_topics = run.n_missing + len(run.topics)
            if gaps == "refuse":
                what = f"the run lacks {run.n_missing} of {n_topics} topics of the qrels"
                raise InputError(f"{what}, expected all, or -c: they count 0", run.path)
            incomplete.append((run.n_missing, n_topics, run.tag))
        yield run
    report_unjudged(options, unjudged, refuse=gaps == "refuse")
    if has_all:
        warn(f"{display_name(options.files[0])}: topic 'all' has the name of the summaries, expected another")
    if incomplete and gaps == "warn":
        n_missing, n_topics, tag = max(incomplete, key=lambda each: each[0])
        warn(
            f"{len(incomplete)} of {len(paths)} runs lack topics of the qrels (most: '{tag[:60]}' "
            f"{n_missing} of {n_topics}): left out there, -c counts them 0"
        )


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
    dask: str | None = None,
) -> Iterator[Run]:
    """Read runs one after the other, each topic only to a depth.

    Parameters
    ----------
    paths : sequence of str
    depth : int
        Number of documents kept of each topic, in trec_eval's order.
    topics : iterable of str
        Other topics are skipped.
    precision, jobs, dask
        See `InputOptions`.
    """
    from stdeval.measures.pooling import first_documents

    read = partial(first_documents, depth=depth, topics=frozenset(topics), precision=precision)
    runs = progress(map_runs(read, paths, jobs, dask), len(paths), "runs")
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
        return _table_of_files(options, wanted or (lambda name: kind_of(name) == "score"), gaps)
    if all(measure.family.kind in ("text", "summary") for measure in resolve(options.measures or default)):
        raise InputError(f"no measure that is a score, only {listed(options.measures)}")
    evaluated = evaluate_runs(options, default, gaps)
    return table_of(evaluated.runs, evaluated.names, evaluated.measures)


def _table_of_files(options: InputOptions, wanted: Callable[[str], bool], gaps: Gaps) -> ScoreTable:
    import numpy as np

    table, n_partial = _joined_files(options.score_files, gaps)
    missing = int(np.isnan(table.values).any(axis=2).sum()) - n_partial * len(table.topics)
    if missing and gaps == "warn":
        warn(f"{missing} of {table.values[:, :, 0].size} pairs of run and topic lack scores: left out")
    if options.best is not None:
        table = _without_empty_topics(table.select(systems=[table.systems[i] for i in _best_runs(options, table)]))
    if options.measures:
        table = table.select(measures=measures_in(table, options.measures))
    else:
        kept = [name for name in table.measures if wanted(name)]
        if not kept:
            names = listed(table.measures)
            raise InputError(f"no measure that is a score, only {names}", options.score_files[0].path)
        table = table.select(measures=kept)
    warn_of_rounded([table])
    _check_ranges(table, options.score_files[0].path, gaps)
    return table


def _check_ranges(table: ScoreTable, path: str, gaps: Gaps) -> None:
    """Warn of scores that their measure cannot have, such as percentages; refuse them where runs pass or fail."""
    unit = table.select(measures=[measure for measure in table.measures if is_in_unit_range(measure)])
    outside = (unit.values < 0) | (unit.values > 1 + 1e-9)
    if outside.any():
        run, _, measure = (int(places[0]) for places in outside.nonzero())
        value = unit.values[outside][0]
        told = (
            f"{counted(int(outside.sum()), 'score')} outside 0 to 1 (e.g. {value:g}, {unit.measures[measure]} of "
            f"'{unit.systems[run][:60]}')"
        )
        if gaps == "refuse":
            raise InputError(f"{told}, expected scores of the measure", path)
        warn(told)


def warn_of_rounded(tables: Sequence[ScoreTable], advice: str = "") -> None:
    """Warn if the scores of some runs seem to be rounded, as in trec_eval's output, and those of others are not.

    Parameters
    ----------
    tables : sequence of ScoreTable
        Scores that are compared with each other.
    advice : str
        What to do, after a comma.
    """
    import numpy as np

    from stdeval.stats.noise import printed_decimals

    systems = [system for table in tables for system in table.systems]
    for measure in tables[0].measures:
        if not all(measure in table.measures for table in tables):
            continue
        printed = np.concatenate([printed_decimals(table.measure(measure)) for table in tables])
        some = np.flatnonzero(printed > 0)
        if len(some) and (printed == 0).any():
            number = f"{len(some)} of {len(systems)} runs (e.g. '{systems[some[0]][:60]}')"
            told = f"seem to be rounded to {printed[some].max()} decimals, and those of others not"
            warn(f"the {measure} scores of {number} {told}: equal scores may count as different{advice}")
            return


def _joined_files(files: Sequence[NamedFile], gaps: Gaps) -> tuple[ScoreTable, int]:
    """Return the scores of several files, and how many runs have scores in only some of the named ones."""
    from stdeval.formats.columns import join_columns
    from stdeval.formats.tables import join_scores, read_scores

    sources: dict[str, list[Input]] = {}
    for path, name in files:
        sources.setdefault(name, []).append(Input(path))
    tables = {
        name: join_scores([read_scores(source) for source in named], [source.name for source in named])
        for name, named in sources.items()
    }
    if list(tables) == [""]:
        return tables[""], 0
    table = join_columns(tables)
    lacking = {name: set(table.systems) - {*each.systems} for name, each in tables.items()}
    partial = set().union(*lacking.values())
    if partial and gaps == "warn":
        name, systems = next((name, systems) for name, systems in lacking.items() if systems)
        measure = prefixed(name, next(iter(tables[name].measures), "scores"))
        number = f"{len(partial)} of {len(table.systems)} runs (e.g. '{min(systems)[:60]}', without {measure})"
        warn(f"{number} are in only some of the scores files: their scores by the others are missing")
    return table, len(partial)


def _without_empty_topics(table: ScoreTable) -> ScoreTable:
    import numpy as np

    some = np.any(~np.isnan(table.values), axis=(0, 2)).tolist()
    return table.select(topics=[topic for topic, present in zip(table.topics, some, strict=True) if present])


def scores_input(paths: Sequence[str], measures: Sequence[str] = ()) -> InputOptions:
    """Return the options of a command that is given only scores files."""
    return InputOptions(score_files=tuple(map(NamedFile, paths)), measures=tuple(measures))


def measures_in(table: ScoreTable, texts: Iterable[str]) -> list[str]:
    """Return the measures of a table that the given names refer to.

    A name is that of a column, or any spelling of a measure that the table has. A name without prefix refers
    to the columns of all prefixes, unless there is a column without prefix.
    """
    chosen: dict[str, None] = {}
    for text in texts:
        present = _named_measures(table, text)
        if not present:
            raise InputError(f"no measure '{text}' in the scores, expected one of: {listed(table.measures, 20)}")
        chosen |= dict.fromkeys(present)
    return list(chosen)


def _named_measures(table: ScoreTable, text: str) -> list[str]:
    """Return the columns of the measures that a name refers to, which may have a prefix; none if there are none."""
    if text in table.measures:
        return [text]
    prefix, bare = split_prefix(text)
    known = {column: split_prefix(column) for column in table.measures}
    wanted = [bare] if bare in {name for _, name in known.values()} else [each.name for each in resolve([bare])]
    exact = [prefixed(prefix, name) for name in wanted if prefixed(prefix, name) in known]
    if exact or prefix:
        return exact
    return [column for name in wanted for column, (_, plain) in known.items() if plain == name]


def _best_runs(options: InputOptions, table: ScoreTable) -> list[int]:
    """Return the indices of the best runs, and say how many are left out."""
    from stdeval.stats.best import best_systems
    from stdeval.stats.coverage import coverage

    assert options.best is not None
    measure = _first_score(options, table)
    scores = table.measure(measure)
    facts = coverage(scores)
    if not facts.ranked.any():
        raise InputError(
            f"no topic is common to all runs, expected one by which --best {options.best} can rank them"
        )
    kept = best_systems(scores, facts, options.best, better_higher=is_better_higher(measure))
    incomplete = int((~facts.ranked).sum())
    told = f" ({incomplete} of them incomplete: without topics that most runs have)" if incomplete else ""
    warn(f"--best {options.best} by mean {measure}: {int((~kept).sum())} of {len(kept)} runs left out{told}")
    return [i for i, keep in enumerate(kept) if keep]


def _first_score(options: InputOptions, table: ScoreTable) -> str:
    """Return the first measure that is a score: of those named, in their order, or of the table."""
    names = [name for text in options.measures for name in _named_measures(table, text)] or table.measures
    score = next((name for name in names if kind_of(name) == "score"), None)
    if score is None:
        raise InputError(
            f"no measure that is a score, only {listed(names)}: expected one for --best {options.best}"
        )
    return score


def warn_of_set_aside(
    facts: Coverage, systems: Sequence[str], shown: str = "not ranked, and listed below the others"
) -> None:
    """Warn of incomplete runs: they are not ranked, or all runs are ranked on fewer topics.

    Parameters
    ----------
    facts : Coverage
    systems : sequence of str
    shown : str
        How the output shows runs that are not ranked.
    """
    if not facts.ranked.any():
        warn("no topic is common to all runs: they are not ranked")
        return
    incomplete = [name for name, complete in zip(systems, facts.complete, strict=True) if not complete]
    if incomplete:
        verb = "lacks" if len(incomplete) == 1 else "lack"
        number = f"{len(incomplete)} of {len(systems)} runs (e.g. '{incomplete[0][:60]}')"
        treated = "fewer than two runs are complete, so all are ranked" if facts.ranked.all() else shown
        warn(f"{number} {verb} topics that more than half of the runs have: {treated}")
    if facts.is_reduced:
        warn(f"means are over the {common_topics_told(facts)}")


def common_topics_told(facts: Coverage) -> str:
    """Return how many topics all ranked runs have, by the measure with fewest: ``5 topics that all runs have``."""
    runs = "runs" if facts.ranked.all() else "complete runs"
    return f"{counted(int(facts.common.sum(axis=0).min()), 'topic')} that all {runs} have"


def system_index(options: InputOptions, name: str, systems: Sequence[str]) -> int:
    """Return the index of the system of this name, or of the run whose file was given by this name."""
    if name in systems:
        return list(systems).index(name)
    # Without the runs that --best leaves out, the places of the files are not those of the systems.
    if name in options.files[1:] and options.best is None:
        return options.files[1:].index(name)
    among = "" if options.best is None else f" among those that --best {options.best} keeps"
    raise InputError(f"no run '{name}'{among}, expected one of: {listed(systems, 20)}")


def refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice."""
    repeated = next((path for path, n in Counter(paths).items() if n > 1), None)
    if repeated is not None:
        raise InputError("given twice, expected each run once", repeated)


def run_names(tags: Sequence[str], paths: Sequence[str], label: str) -> list[str]:
    """Return names of runs, all different: their tags, or their files if ``label`` says so or tags are shared."""
    file_names = _file_names([display_name(path) for path in paths])
    shared = {tag: n for tag, n in Counter(tags).items() if n > 1}
    if label == "file":
        return file_names
    if shared:
        tag, n = next(iter(shared.items()))
        more = f" (and {len(shared) - 1} more tags are shared)" if len(shared) > 1 else ""
        warn(f"{n} runs have the tag '{tag[:60]}'{more}: they are named by their files")
    return [name if tag in shared else tag for tag, name in zip(tags, file_names, strict=True)]


def _file_names(paths: Sequence[str]) -> list[str]:
    """File names without the ending of a compressed file; whole paths for names that would be the same."""
    names = [os.path.basename(path) for path in paths]
    bare = [plain_name(name) for name in names]
    counts = Counter(bare)
    return [path if counts[name] > 1 else name for path, name in zip(paths, bare, strict=True)]


def progress(items: Iterable[Item], n: int, what: str) -> Iterator[Item]:
    """Yield the n items, with a progress bar if stderr is a terminal and there are several."""
    if n < 2 or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=n, label=what, file=sys.stderr, show_pos=True) as bar:
        yield from bar
