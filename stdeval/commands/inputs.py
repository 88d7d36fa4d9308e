"""What commands read: the scores of runs, from QRELS RUN... or from scores files."""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import click

from stdeval.errors import GapWarning, InputError, InputWarning
from stdeval.evaluation import Options, RunScores, table_of
from stdeval.files import Input, display_name
from stdeval.measures.names import Measure, kind_of, resolve
from stdeval.trec import Qrels
from stdeval.workers import QrelsFile, Task, evaluator_of, score_all

if TYPE_CHECKING:
    from stdeval.table import ScoreTable

Item = TypeVar("Item")


@dataclass(frozen=True)
class Inputs:
    """The arguments and options that say which scores a command works on."""

    files: tuple[str, ...] = ()
    score_files: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    complete: bool = False
    level: int = 1
    depth: int | None = None
    judged_only: bool = False
    binary: bool = False
    label: str = "tag"
    jobs: int | None = None
    dask: str | None = None
    strict: bool = False
    """Whether a run that lacks topics is refused, unless they count 0 (`complete`)."""

    @property
    def from_scores(self) -> bool:
        """Whether the scores come from scores files; refuses what is neither one nor the other."""
        if self.score_files:
            if self.files:
                raise click.UsageError("expected QRELS RUN... or --scores, not both")
            if self.complete or self.level != 1 or self.depth or self.judged_only or self.binary:
                raise click.UsageError("-c, -l, -M, -J and --binary need QRELS RUN..., scores are there already")
        elif len(self.files) < 2:
            raise click.UsageError("expected QRELS and at least one RUN, or --scores FILE")
        if [*self.files, *self.score_files].count("-") > 1:
            raise click.UsageError("standard input (-) can be read once only")
        return bool(self.score_files)

    @cached_property
    def _qrels_file(self) -> QrelsFile:
        return QrelsFile(self.files[0])

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self._qrels_file.read()

    def evaluated(self, default: Sequence[str]) -> tuple[tuple[Measure, ...], list[RunScores], list[str]]:
        """The measures asked for, the scores of each run by them, and the runs' names.

        Parameters
        ----------
        default : sequence of str
            What is computed when no measure is asked for.
        """
        measures, _, scored = self.scored(default)
        runs = list(scored)
        return measures, runs, labels([run.tag for run in runs], self.files[1:], self.label)

    def scored(self, default: Sequence[str]) -> tuple[tuple[Measure, ...], tuple[str, ...], Iterator[RunScores]]:
        """The measures asked for, the topics of the qrels, and the scores of one run after the other."""
        measures = resolve(self.measures or default)
        paths = self.files[1:]
        refuse_repeated(paths)
        options = Options(self.level, self.depth, self.judged_only, self.complete, self.binary)
        task = Task(self._qrels_file, measures, options)
        return measures, evaluator_of(task).topics, self._scores(task, paths)

    def _scores(self, task: Task, paths: Sequence[str]) -> Iterator[RunScores]:
        worst, n_lacking = None, 0
        for run in progress(score_all(task, paths, self.jobs, self.dask), len(paths), "runs"):
            warn_of_changed_tag(run.path, run.tag, run.other_tag)
            if run.n_missing and not self.complete:
                if self.strict:
                    raise _lacks_topics(run)
                n_lacking += 1
                worst = run if worst is None or run.n_missing > worst.n_missing else worst
            yield run
        if worst is not None:
            warn(
                f"{n_lacking} of {len(paths)} runs lack topics of the qrels (most: '{worst.tag[:60]}' "
                f"{worst.n_missing} of {worst.n_missing + len(worst.topics)}): left out there, -c counts them 0",
                GapWarning,
            )

    def table(self, default: Sequence[str], *, wanted: Callable[[str], bool] | None = None) -> ScoreTable:
        """The scores asked for, of all runs.

        Parameters
        ----------
        default : sequence of str
            What is computed from QRELS RUN... when no measure is asked for.
        wanted : callable, optional
            Which measures are taken from scores files when none is asked for; None: those that are scores.
        """
        if not self.from_scores:
            if all(measure.family.kind in ("text", "summary") for measure in resolve(self.measures or default)):
                raise InputError(f"no measure that is a score, only {', '.join(self.measures)}")
            measures, runs, names = self.evaluated(default)
            return table_of(runs, names, measures)
        table = self._read_scores()
        if self.measures:
            return table.select(measures=named_in(table, self.measures))
        keep = [name for name in table.measures if (wanted or _is_score)(name)]
        if not keep:
            raise InputError(f"no measure that is a score, only {', '.join(table.measures)}", self.score_files[0])
        return table.select(measures=keep)

    def system(self, name: str, systems: Sequence[str]) -> int:
        """The index of the system of that name, or of the run file that is given as that."""
        if name in systems:
            return list(systems).index(name)
        if name in self.files[1:]:
            return self.files[1:].index(name)
        raise InputError(f"no run '{name}', expected one of: {', '.join(systems[:20])}")

    def _read_scores(self) -> ScoreTable:
        import numpy as np

        from stdeval.formats.tables import join_scores, read_scores

        sources = [Input(path) for path in self.score_files]
        table = join_scores([read_scores(source) for source in sources], [source.name for source in sources])
        missing = int(np.isnan(table.values).any(axis=2).sum())
        if missing and not self.strict:
            n_pairs = table.values[:, :, 0].size
            warn(f"{missing} of {n_pairs} pairs of run and topic lack scores: left out", GapWarning)
        return table


def scores_inputs(paths: Sequence[str], measures: Sequence[str] = (), jobs: int | None = None) -> Inputs:
    """What a command works on when it is given nothing but scores files."""
    return Inputs(score_files=tuple(paths), measures=tuple(measures), jobs=jobs)


def _is_score(name: str) -> bool:
    return kind_of(name) == "score"


def named_in(table: ScoreTable, texts: Iterable[str]) -> list[str]:
    """The measures of a table that names mean: one of its columns as it stands, or any form that means one."""
    found: dict[str, None] = {}
    for text in texts:
        names = [text] if text in table.measures else [measure.name for measure in resolve([text])]
        here = [name for name in names if name in table.measures]
        if not here:
            raise InputError(
                f"no measure '{text}' in the scores, expected one of: {', '.join(table.measures[:20])}"
            )
        found |= dict.fromkeys(here)
    return list(found)


def warn(message: str, category: type[InputWarning] = InputWarning) -> None:
    """One line about input that is used, but perhaps not as its owner thinks."""
    warnings.warn(message, category, stacklevel=2)


def warn_of_changed_tag(path: str, tag: str, other_tag: tuple[str, int] | None) -> None:
    """Warn if the tag of a run changes.

    Parameters
    ----------
    path : str
        The run, as messages name it.
    tag : str
        The tag of its first line.
    other_tag : (str, int) or None
        The first different tag and the number of its line, if there is one.
    """
    if other_tag is not None:
        other, line = other_tag
        warn(f"{path}:{line}: the run tag changes from '{tag[:40]}' to '{other[:40]}', the first is used")


def _lacks_topics(run: RunScores) -> InputError:
    n_topics = run.n_missing + len(run.topics)
    expected = "expected all, or -c: they count 0"
    return InputError(f"the run lacks {run.n_missing} of {n_topics} topics of the qrels, {expected}", run.path)


def refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice."""
    twice = next((path for path, n in Counter(paths).items() if n > 1), None)
    if twice is not None:
        raise InputError("given twice, expected each run once", twice)


def labels(tags: Sequence[str], paths: Sequence[str], how: str) -> list[str]:
    """Names of runs, all different: their tags, and their files where that is asked for or tags are shared."""
    names = [display_name(path) for path in paths]
    if how == "file":
        return _file_names(names)
    shared = {tag: n for tag, n in Counter(tags).items() if n > 1}
    if not shared:
        return list(tags)
    tag, n = next(iter(shared.items()))
    more = f" (and {len(shared) - 1} more tags are shared)" if len(shared) > 1 else ""
    warn(f"{n} runs have the tag '{tag[:60]}'{more}: they are named by their files")
    return [name if tag in shared else tag for tag, name in zip(tags, _file_names(names), strict=True)]


def _file_names(paths: Sequence[str]) -> list[str]:
    """File names without what says how they are packed, whole paths where these are the same."""
    names = [os.path.basename(path) for path in paths]
    bare = [os.path.splitext(name)[0] if name.endswith((".gz", ".bz2", ".xz")) else name for name in names]
    counts = Counter(bare)
    return [path if counts[name] > 1 else name for path, name in zip(paths, bare, strict=True)]


def progress(items: Iterable[Item], n: int, what: str) -> Iterator[Item]:
    """The items, of which there are n, with a progress bar on a terminal when there are several."""
    if n < 2 or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=n, label=what, file=sys.stderr, show_pos=True) as bar:
        yield from bar
