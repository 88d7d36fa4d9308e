"""The options that select the input, judgments and runs or scores files, and the record that holds them."""

from __future__ import annotations

import functools
import os
import time
from typing import Any, Literal, NamedTuple

import click

from stdeval.commands.completion import complete_measure
from stdeval.commands.options import Command, Decorator, stacked
from stdeval.commands.parameter_types import (
    INPUT_FILE,
    NAMED_INPUT,
    Choice,
    FiniteRange,
    NamedFile,
    NumberOrShare,
    WholeRange,
)
from stdeval.measures.precision import Precision
from stdeval.workers import Cluster

measure_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    shell_complete=complete_measure,
    help="Measure, such as map, P.5,10, P_10, nDCG@10 or official. Repeatable.",
)
jobs_option = click.option(
    "-j",
    "--jobs",
    type=WholeRange(min=1),
    metavar="N",
    help="Use N worker processes.  [default: all cores; 1 for little work]",
)
_cluster_options = stacked(
    click.option("--dask", metavar="ADDRESS", help="Read runs on the Dask cluster at ADDRESS."),
    click.option(
        "--dask-timeout",
        type=FiniteRange(min=0, min_open=True),
        default=60,
        show_default=True,
        metavar="SECONDS",
        help="Give up if the Dask cluster has no workers for SECONDS.",
    ),
)


def worker_options(command: Command) -> Command:
    """Add the options of worker processes and of a Dask cluster; a command receives ``jobs`` and ``cluster``."""

    @jobs_option
    @_cluster_options
    @functools.wraps(command)
    def with_worker_options(*, dask: str | None, dask_timeout: float, **others: Any) -> Any:
        return command(cluster=None if dask is None else Cluster(dask, dask_timeout), **others)

    return with_worker_options


Gaps = Literal["warn", "refuse", "ignore"]
"""The treatment of runs that have no documents for some topics, unless such topics count 0 (-c).

`refuse` is for commands that pass or fail runs. They also refuse a run without a judged document, or whose scores
rise with its ranks, and judgments without a relevant document.
"""


class InputOptions(NamedTuple):
    """The scores that a command works on: those of runs, evaluated with judgments, or those in scores files.

    Parameters
    ----------
    files : tuple of str
        The file of the judgments and those of the runs; empty with ``score_files``.
    score_files : tuple of NamedFile
        Files of one name are joined by rows; files of different names by columns, NAME:MEASURE.
    measures : tuple of str
        Names as they are typed; empty for the command's default.
    complete, level, depth, judged_only, binary, max_grade, precision
        How runs are evaluated: see `stdeval.evaluation.options.Options`.
    label : {"tag", "file"}
        Name runs by their tags or by their files.
    jobs : int or None
        Number of worker processes.
    cluster : Cluster or None
        A Dask cluster to use instead of worker processes.
    cache_token : str
        Different for each command, because judgments are cached by file and token: without it, a second command
        in the same process would get the old judgments of a file that has changed.
    best : str or None
        The runs to keep: a number, or a percentage; see `stdeval.stats.best.number_of_best`. None for all.
    collections : bool
        True if scores files may be of different collections, whose topics are different even if their names are
        equal.
    """

    files: tuple[str, ...] = ()
    score_files: tuple[NamedFile, ...] = ()
    measures: tuple[str, ...] = ()
    complete: bool = False
    level: int = 1
    depth: int | None = None
    judged_only: bool = False
    binary: bool = False
    max_grade: int = 4
    precision: Precision = "single"
    label: str = "tag"
    jobs: int | None = None
    cluster: Cluster | None = None
    cache_token: str = ""
    best: str | None = None
    collections: bool = False


_source_options = stacked(
    click.argument("files", nargs=-1, type=INPUT_FILE, metavar="[QRELS RUN...]"),
    click.option(
        "--scores",
        "score_files",
        type=NAMED_INPUT,
        multiple=True,
        metavar="FILE",
        help="Read scores from a CSV file instead of QRELS RUN... Repeatable. As NAME=FILE, its measures become "
        "NAME:MEASURE.",
    ),
)
best_option = click.option(
    "--best",
    type=NumberOrShare(),
    metavar="N|N%",
    help="Keep only the N or N% of the runs with the best means by the first measure.",
)
_complete_and_level_options = stacked(
    click.option(
        "-c", "complete", is_flag=True, help="Average over all topics of QRELS; a missing topic scores 0."
    ),
    click.option(
        "-l",
        "level",
        type=WholeRange(min=1),
        default=1,
        show_default=True,
        metavar="LEVEL",
        help="Documents are relevant if their judgment is at least LEVEL. Gains, such as those of ndcg, stay "
        "the judgments unless --binary is given.",
    ),
)
_judgment_options = stacked(
    click.option("-J", "judged_only", is_flag=True, help="Ignore documents without a judgment."),
    click.option(
        "--binary", is_flag=True, help="Use binary gains for DCG measures: 1 if the judgment is at least LEVEL."
    ),
    click.option(
        "--max-grade",
        type=WholeRange(min=1),
        default=4,
        show_default=True,
        metavar="GRADE",
        help="Highest grade of the judgments, for err. A higher judgment is an error.",
    ),
)
precision_option = click.option(
    "--precision",
    type=Choice(["single", "double"]),
    default="single",
    show_default=True,
    help="Compare the scores of documents as 32-bit floats (single, as trec_eval 9) or as 64-bit floats (double, "
    "as trec_eval 10).",
)
_evaluation_options = stacked(
    _complete_and_level_options,
    click.option(
        "-M",
        "--eval-depth",
        "depth",
        type=WholeRange(min=1),
        metavar="DEPTH",
        help="Evaluate only the first DEPTH documents of each topic.",
    ),
    _judgment_options,
    precision_option,
    click.option(
        "--label",
        type=Choice(["tag", "file"]),
        default="tag",
        show_default=True,
        help="Name runs by their tags or by their files: new-b.run.gz is new-b.run.",
    ),
    worker_options,
)


def _with_input_options(options: Decorator) -> Decorator:
    def decorate(command: Command) -> Command:
        @options
        @functools.wraps(command)
        def with_input_options(
            *,
            files: tuple[str, ...],
            complete: bool,
            level: int,
            judged_only: bool,
            binary: bool,
            max_grade: int,
            precision: Precision,
            jobs: int | None,
            score_files: tuple[NamedFile, ...] = (),
            depth: int | None = None,
            label: str = "tag",
            cluster: Cluster | None = None,
            measures: tuple[str, ...] = (),
            best: str | None = None,
            **others: Any,
        ) -> Any:
            evaluated = (complete, level, depth, judged_only, binary, max_grade, precision)
            token = f"{os.getpid()}-{time.monotonic_ns()}"
            given = InputOptions(files, score_files, measures, *evaluated, label, jobs, cluster, token, best)
            return command(inputs=given, **others)

        return with_input_options

    return decorate


input_options = _with_input_options(stacked(_source_options, measure_option, best_option, _evaluation_options))
"""Add the arguments and options that select the input scores; a command receives them as ``inputs``."""

input_options_without_measures = _with_input_options(stacked(_source_options, _evaluation_options))
"""The same for a command whose measures are not named by ``-m``."""

uncut_run_options = _with_input_options(
    stacked(
        click.argument("files", nargs=-1, type=INPUT_FILE, metavar="QRELS RUN..."),
        measure_option,
        best_option,
        _complete_and_level_options,
        _judgment_options,
        precision_option,
        jobs_option,
    )
)
"""The same for a command that needs the runs themselves, and decides how deep it evaluates them."""
