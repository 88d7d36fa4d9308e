"""The options that several commands share, each defined here and only here, and the records that hold them.

A group of options reaches a command as one record. This module loads no numpy, since `eval` runs through it.
"""

from __future__ import annotations

import functools
import os
import re
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from stdeval.commands.parameter_types import (
    INPUT_FILE,
    NAMED_INPUT,
    OUTPUT_FILE,
    FiniteRange,
    NamedFile,
    NumberOrShare,
    WholeRange,
)
from stdeval.measures.precision import Precision

if TYPE_CHECKING:
    from stdeval.formats.groups import Groups

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]

SCHEME_CHOICES = ("z", "n", "u", "e", "m")
"""The schemes as they are typed; `stdeval.standardization.SCHEMES` says what they are."""


def stacked(*options: Decorator) -> Decorator:
    """Return a decorator that gives a command several options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def refuse_without_effect(names: Collection[str], expected: str) -> None:
    """Refuse options that the user gave although they have no effect.

    Parameters
    ----------
    names : collection of str
        The names of their parameters; names that the command does not have are ignored.
    expected : str
        The option or input without which they have no effect, for the message.

    Raises
    ------
    click.UsageError
        If one of them stands on the command line, even with its default value.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and parameter.name in names:
            raise click.UsageError(f"{parameter.opts[-1]} has no effect here, expected {expected} too")


# Output


output_option = click.option(
    "-o",
    "--output",
    "output_path",
    type=OUTPUT_FILE,
    default="-",
    metavar="FILE",
    help="Write to FILE, complete or not at all, instead of stdout; compressed if it ends in .gz, .bz2 or .xz.",
)
no_summary_option = click.option("-n", "no_summary", is_flag=True, help="No summary over all topics.")


def format_option(meaning: str, choices: tuple[str, ...] = ("text", "table", "csv")) -> Decorator:
    """Return the option that names the format of the output, as ``output_format``; ``meaning`` is its help."""
    return click.option(
        "-f",
        "--format",
        "output_format",
        type=click.Choice(choices),
        default="text",
        show_default=True,
        help=meaning,
    )


scores_output_options = stacked(
    click.option("-q", "per_topic", is_flag=True, help="Scores of each topic too."),
    no_summary_option,
    format_option("text: as trec_eval; table: a row per run, to read; csv: full precision, always per topic."),
    output_option,
)


# Statistics


baseline_option = click.option(
    "--baseline", metavar="RUN", help="The run to compare with: its name, or its file as it is given."
)
alpha_option = click.option(
    "--alpha",
    # A level of 0.95 is a confidence that was meant for --ci.
    type=FiniteRange(0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance: p is significant if it is at most this.",
)
seed_option = click.option(
    "--seed", type=WholeRange(min=0), default=0, show_default=True, help="Seed of the random number generator."
)
randomness_options = stacked(
    click.option(
        "--resamples",
        "n_resamples",
        type=WholeRange(1, 10**7),
        default=10_000,
        show_default=True,
        help="Number of random resamples.",
    ),
    seed_option,
)
unpaired_option = click.option(
    "--unpaired", is_flag=True, help="Do not pair topics: Student's t test for two samples, with pooled variances."
)
welch_option = click.option(
    "--welch", is_flag=True, help="With --unpaired: Welch's t test, which lets the variances differ."
)
DRAWING = ("n_resamples", "seed")
"""The parameters of `randomness_options`."""
test_option = click.option(
    "--test",
    type=click.Choice(["t", "wilcoxon", "sign", "permutation", "bootstrap"]),
    default="t",
    show_default=True,
    help="The paired test: Student's t, Wilcoxon's signed ranks, sign, Fisher's randomization, "
    "studentized bootstrap.",
)


def interval_option(default: float | None, meaning: str) -> Decorator:
    """Return the option that gives the confidence of an interval, as ``confidence``."""
    return click.option(
        "--ci",
        "confidence",
        type=FiniteRange(0, 1, min_open=True, max_open=True),
        default=default,
        show_default=default is not None,
        metavar="LEVEL",
        help=meaning,
    )


_AVERAGES = ("am", "gm", "egm", "egm-trec", "hm", "ehm", "md")


def _aggregate_option(more: tuple[str, ...] = (), meaning: str = "") -> Decorator:
    return click.option(
        "-a",
        "--aggregate",
        "aggregates",
        type=click.Choice([*_AVERAGES, *more]),
        multiple=True,
        default=("am",),
        show_default=True,
        help="How scores are summarized over topics: arithmetic, geometric and harmonic mean, the last two also "
        f"adjusted by epsilon, geometric as trec_eval's gm_map, median{meaning}; repeatable.",
    )


aggregate_option = _aggregate_option()
"""Names the aggregates by which systems are ranked."""


class SummaryOptions(NamedTuple):
    """How scores are summarized over topics: the aggregates, and the interval of the arithmetic mean.

    Parameters
    ----------
    aggregates : tuple of str
        Names in `stdeval.stats.aggregates.AGGREGATES`, and ``sd``.
    epsilon : float or None
        Epsilon of the aggregates that have one; None for their defaults.
    confidence : float or None
        Level of the interval of the arithmetic mean; None for no interval.
    interval_method : {"t", "bootstrap"}
    n_resamples, seed : int
        Of the bootstrap.
    interval_of : {"topics", "references", "both"}
        What another sample of would change the mean.
    """

    aggregates: tuple[str, ...]
    epsilon: float | None
    confidence: float | None
    interval_method: str
    n_resamples: int
    seed: int
    interval_of: str = "topics"


_aggregate_options = stacked(
    _aggregate_option(("sd",), ", standard deviation"),
    click.option(
        "--epsilon",
        type=FiniteRange(0, min_open=True),
        metavar="E",
        help="Of egm, egm-trec and ehm.  [default: 0.01, of egm-trec 1e-5]",
    ),
    interval_option(None, "Print the confidence interval of the arithmetic mean too, as 0.95."),
)
_interval_method_options = stacked(
    click.option(
        "--ci-method",
        "interval_method",
        type=click.Choice(["t", "bootstrap"]),
        default="t",
        show_default=True,
        help="How the interval is computed.",
    ),
    randomness_options,
)
_interval_of_option = click.option(
    "--ci-of",
    "interval_of",
    type=click.Choice(["topics", "references", "both"]),
    default="topics",
    show_default=True,
    help="The sample that the interval allows for: topics, references, or both (always by resampling).",
)


def _with_summary_options(options: Decorator) -> Decorator:
    def decorate(command: Command) -> Command:
        @options
        @functools.wraps(command)
        def with_summary_options(
            *,
            aggregates: tuple[str, ...],
            epsilon: float | None,
            confidence: float | None,
            interval_method: str,
            n_resamples: int,
            seed: int,
            interval_of: str = "topics",
            **others: Any,
        ) -> Any:
            given = SummaryOptions(aggregates, epsilon, confidence, interval_method, n_resamples, seed, interval_of)
            _check_summary_options(given)
            return command(summaries=given, **others)

        return with_summary_options

    return decorate


summary_options = _with_summary_options(stacked(_aggregate_options, _interval_method_options))
"""Give a command the options of aggregates and intervals, as ``summaries``."""

standardized_summary_options = _with_summary_options(
    stacked(_aggregate_options, _interval_of_option, _interval_method_options)
)
"""The same for a command that summarizes standardized scores, which depend on the references too."""


def _check_summary_options(options: SummaryOptions) -> None:
    """Refuse options that would have no effect."""
    if options.epsilon is not None and not {"egm", "egm-trec", "ehm"}.intersection(options.aggregates):
        raise click.UsageError("--epsilon is of the aggregates egm, egm-trec and ehm, expected one of them")
    if options.confidence is not None and "am" not in options.aggregates:
        raise click.UsageError("--ci is the interval of the arithmetic mean, expected -a am too")
    if options.confidence is None:
        refuse_without_effect(["interval_of", "interval_method", *DRAWING], "--ci LEVEL, such as --ci 0.95,")
    if options.interval_of != "topics":
        refuse_without_effect(["interval_method"], "--ci-of topics")
    elif options.interval_method != "bootstrap":
        refuse_without_effect(DRAWING, "--ci-method bootstrap")


# Input: judgments and runs, or scores files


measure_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure, as map, P.5,10, P_10, nDCG@10 or official; repeatable.",
)
jobs_option = click.option(
    "-j",
    "--jobs",
    type=WholeRange(min=1),
    metavar="N",
    help="Worker processes.  [default: all cores; 1 for little work]",
)
worker_options = stacked(
    jobs_option,
    click.option("--dask", metavar="ADDRESS", help="Read runs on the Dask cluster whose scheduler is there."),
)


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
        How runs are evaluated: see `stdeval.evaluation.Options`.
    label : {"tag", "file"}
        Name runs by their tags or by their files.
    jobs : int or None
        Number of worker processes.
    dask : str or None
        Address of a Dask scheduler.
    cache_token : str
        Different for each command, because judgments are cached by file and token: without it, a second command
        in the same process would get the old judgments of a file that has changed.
    best : str or None
        The runs to keep: a number, or a percentage; see `stdeval.stats.best.number_of_best`. None for all.
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
    dask: str | None = None
    cache_token: str = ""
    best: str | None = None


_source_options = stacked(
    click.argument("files", nargs=-1, type=INPUT_FILE, metavar="[QRELS RUN...]"),
    click.option(
        "--scores",
        "score_files",
        type=NAMED_INPUT,
        multiple=True,
        metavar="FILE",
        help="Take scores from a CSV instead of QRELS RUN...; repeatable. As NAME=FILE its measures become "
        "NAME:MEASURE, and files of different names may have the same runs.",
    ),
)
_best_option = click.option(
    "--best",
    type=NumberOrShare(),
    metavar="N|N%",
    help="Take only the N or N% best runs by their means, by the first measure, as if the others were not given.",
)
_complete_and_level_options = stacked(
    click.option("-c", "complete", is_flag=True, help="Topics that a run lacks count 0, over all topics of QRELS."),
    click.option(
        "-l",
        "level",
        type=WholeRange(min=1),
        default=1,
        show_default=True,
        metavar="LEVEL",
        help="A document is relevant from judgment LEVEL on.",
    ),
)
_judgment_options = stacked(
    click.option("-J", "judged_only", is_flag=True, help="Only judged documents."),
    click.option(
        "--binary", is_flag=True, help="Gains of the DCG family are 1 from judgment LEVEL on, not the judgments."
    ),
    click.option(
        "--max-grade",
        type=WholeRange(min=1),
        default=4,
        show_default=True,
        metavar="GRADE",
        help="The highest grade of judgments, for err; a higher judgment is an error.",
    ),
)
precision_option = click.option(
    "--precision",
    type=click.Choice(["single", "double"]),
    default="single",
    show_default=True,
    help="Compare scores of documents as 32-bit floats, as trec_eval 9 does, or as 64-bit floats, as trec_eval 10.",
)
_evaluation_options = stacked(
    _complete_and_level_options,
    click.option(
        "-M",
        "depth",
        type=WholeRange(min=1),
        metavar="DEPTH",
        help="Only the first DEPTH documents of a topic.",
    ),
    _judgment_options,
    precision_option,
    click.option(
        "--label",
        type=click.Choice(["tag", "file"]),
        default="tag",
        show_default=True,
        help="Name runs by their tag or their file.",
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
            dask: str | None = None,
            measures: tuple[str, ...] = (),
            best: str | None = None,
            **others: Any,
        ) -> Any:
            evaluated = (complete, level, depth, judged_only, binary, max_grade, precision)
            token = f"{os.getpid()}-{time.monotonic_ns()}"
            given = InputOptions(files, score_files, measures, *evaluated, label, jobs, dask, token, best)
            return command(inputs=given, **others)

        return with_input_options

    return decorate


input_options = _with_input_options(stacked(_source_options, measure_option, _best_option, _evaluation_options))
"""Give a command the arguments and options that say which scores it works on, as ``inputs``."""

input_options_without_measures = _with_input_options(stacked(_source_options, _evaluation_options))
"""The same for a command whose measures are not named by ``-m``."""

uncut_run_options = _with_input_options(
    stacked(
        click.argument("files", nargs=-1, type=INPUT_FILE, metavar="QRELS RUN..."),
        measure_option,
        _complete_and_level_options,
        _judgment_options,
        precision_option,
        jobs_option,
    )
)
"""The same for a command that needs the runs themselves, and decides how deep it evaluates them."""


# Standardization


class LeaveOut(NamedTuple):
    """What is left out of the references of each run: the run itself, or all runs of its group.

    Parameters
    ----------
    groups : Groups or None
        From a file.
    pattern : re.Pattern or None
        Matches the group at the beginning of the names of runs. If both are None, only the run is left out.
    known : tuple of str
        Runs that the file of the groups may name, although they are not evaluated.
    """

    groups: Groups | None = None
    pattern: re.Pattern[str] | None = None
    known: tuple[str, ...] = ()


class StandardizationOptions(NamedTuple):
    """How scores are standardized: the files of the factors, and the parameters of the schemes.

    Parameters
    ----------
    factor_files : tuple of str
        Empty if the runs are their own reference.
    A, B : float
        Slope and mean of scheme U.
    censor : bool
        Keep scores of scheme U within [0, 1].
    digits : int or None
        Number of decimals to which raw scores are rounded first; None for no rounding.
    leave_out : LeaveOut or None
        None if runs that are their own reference are standardized by all runs.
    """

    factor_files: tuple[str, ...] = ()
    A: float = 0.15
    B: float = 0.5
    censor: bool = True
    digits: int | None = None
    leave_out: LeaveOut | None = None


def scheme_option(
    meaning: str,
    *,
    default: tuple[str, ...] | str = (),
    shown: str | bool = True,
    raw: bool = True,
    multiple: bool = True,
) -> Decorator:
    """Return the option that names schemes, as ``schemes``, or a single one, as ``scheme``.

    Parameters
    ----------
    meaning : str
        The help of the option.
    default : tuple of str or str
        If it is empty, the command decides.
    shown : str or bool
        The default in words; True to show it as it is.
    raw : bool
        True if raw scores are one of the choices.
    multiple : bool
        True if several schemes may be named.
    """
    return click.option(
        "--scheme",
        "schemes" if multiple else "scheme",
        type=click.Choice(["raw", *SCHEME_CHOICES] if raw else SCHEME_CHOICES, case_sensitive=False),
        multiple=multiple,
        default=default or None,
        show_default=shown,
        help=meaning,
    )


def default_schemes(schemes: tuple[str, ...], options: StandardizationOptions) -> tuple[str, ...]:
    """Return the schemes named, each once; if none is named, n if factors are given, and raw otherwise."""
    return tuple(dict.fromkeys(schemes)) or (("n",) if options.factor_files else ("raw",))


def refuse_unused_parameters(schemes: Collection[str]) -> None:
    """Refuse the parameters of scheme U if it is not among the schemes, and of references if all are raw."""
    if set(schemes) <= {"raw"}:
        refuse_without_effect(LEAVING_OUT, "a standardized --scheme, such as n,")
    if "u" not in schemes:
        refuse_without_effect(["slope_and_mean", "no_censor"], "scheme u")


def _slope_and_mean(_: click.Context, __: click.Parameter, text: str) -> tuple[float, float]:
    number = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
    if not re.fullmatch(rf"{number},{number}", text):
        raise click.UsageError(f"--ab {text}: expected two numbers with a comma between, as 0.15,0.5")
    A, B = map(float, text.split(","))
    if A <= 0:
        raise click.UsageError(f"--ab {text}: expected a slope A above 0")
    if not 0 <= B <= 1:
        raise click.UsageError(f"--ab {text}: expected a mean B from 0 to 1")
    return A, B


_factors_option = click.option(
    "-F",
    "--factors",
    "factor_files",
    type=INPUT_FILE,
    multiple=True,
    metavar="FILE",
    help="Standardization factors: our CSV, a zscores_file, reference scores; or, given twice, the published "
    "means, then standard deviations.",
)
_parameter_options = stacked(
    click.option(
        "--ab",
        "slope_and_mean",
        metavar="A,B",
        default="0.15,0.5",
        show_default=True,
        callback=_slope_and_mean,
        help="Slope and mean of scheme u.",
    ),
    click.option("--no-censor", is_flag=True, help="Let scores of scheme u leave [0, 1]."),
    click.option(
        "--round",
        "digits",
        type=WholeRange(min=0, max=15),
        metavar="DIGITS",
        help="Round raw scores first, for factors made from rounded scores.",
    ),
)


LEAVING_OUT = ("leave_out", "groups_file", "group_pattern")
"""The parameters of the options that make a `LeaveOut`."""


def _pattern(_: click.Context, __: click.Parameter, text: str | None) -> re.Pattern[str] | None:
    try:
        return None if text is None else re.compile(text)
    except re.error as error:
        raise click.UsageError(f"--group-by {text}: not a regular expression ({error})") from None


_leave_out_options = stacked(
    click.option(
        "--leave-out",
        type=click.Choice(["run", "group"]),
        help="Without -F: standardize each run by the others only, without itself or without its group.",
    ),
    click.option(
        "--groups",
        "groups_file",
        type=INPUT_FILE,
        metavar="FILE",
        help="The groups of the runs for --leave-out group: CSV with the columns run and group.",
    ),
    click.option(
        "--group-by",
        "group_pattern",
        metavar="REGEX",
        callback=_pattern,
        help="The group is what REGEX, or its first parenthesis, matches at the beginning of the run's name.",
    ),
)


def _what_is_left_out(
    leave_out: str | None, groups_file: str | None, pattern: re.Pattern[str] | None, factor_files: Collection[str]
) -> LeaveOut | None:
    """Return what the options leave out, after reading the file of the groups."""
    if leave_out is not None and factor_files:
        raise click.UsageError("--leave-out has no effect with -F, expected runs that are their own reference")
    if leave_out != "group":
        refuse_without_effect(LEAVING_OUT[1:], "--leave-out group")
        return None if leave_out is None else LeaveOut()
    if (groups_file is None) == (pattern is None):
        raise click.UsageError("--leave-out group: expected --groups FILE or --group-by REGEX, one of them")
    if groups_file is None:
        return LeaveOut(pattern=pattern)
    # Imported here, because reading CSV loads numpy.
    from stdeval.files import Input
    from stdeval.formats.groups import read_groups

    return LeaveOut(groups=read_groups(Input(groups_file)))


def _with_standardization_options(options: Decorator) -> Decorator:
    def decorate(command: Command) -> Command:
        @options
        @functools.wraps(command)
        def with_standardization_options(
            *,
            factor_files: tuple[str, ...],
            slope_and_mean: tuple[float, float],
            no_censor: bool,
            digits: int | None,
            leave_out: str | None = None,
            groups_file: str | None = None,
            group_pattern: re.Pattern[str] | None = None,
            **others: Any,
        ) -> Any:
            left_out = _what_is_left_out(leave_out, groups_file, group_pattern, factor_files)
            given = StandardizationOptions(factor_files, *slope_and_mean, not no_censor, digits, left_out)
            return command(standardization=given, **others)

        return with_standardization_options

    return decorate


factor_options = _with_standardization_options(stacked(_factors_option, _leave_out_options, _parameter_options))
"""Give a command the options of standardization except the scheme, as ``standardization``."""

factor_options_without_leave_out = _with_standardization_options(stacked(_factors_option, _parameter_options))
"""The same for a command whose runs all have the same references."""


def standardization_options(default: tuple[str, ...] = (), *, raw: bool = True) -> Decorator:
    """Return a decorator that gives a command ``standardization``, and ``schemes``, shown side by side.

    Parameters
    ----------
    default : tuple of str
        The default schemes; empty: those of `default_schemes`.
    raw : bool
        True if raw scores are one of the choices.
    """
    meaning = "How to standardize: z score, normal, uniform, empirical, empirical with mid-ranks; repeatable."
    schemes = scheme_option(meaning, default=default, shown=True if default else "raw, with -F n", raw=raw)
    return _with_standardization_options(stacked(_factors_option, _leave_out_options, schemes, _parameter_options))
