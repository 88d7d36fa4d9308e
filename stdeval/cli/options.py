"""The options of trec_eval that have another name here, or none."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from stdeval.cli.completion import complete_file, complete_measure
from stdeval.display import excerpt
from stdeval.files import Input, exists, is_same_file, output, plain_name
from stdeval.formats.listing import AVERAGES, Listing
from stdeval.formats.writers import EXACT, FORMATS, write_listing
from stdeval.measures.names import SCHEME_LETTERS, split_scheme
from stdeval.measures.relevance import Precision
from stdeval.standardization.leave_out import Groups, read_groups
from stdeval.workers import Cluster

if TYPE_CHECKING:
    from stdeval.table import ScoreTable


# Files


class FileName(click.ParamType):  # type: ignore[type-arg]  # no generic type before click 8.4
    """The name of a file that a command reads or writes; it refuses a file that is also read, or written twice."""

    name = "file"

    def __init__(self, *, written: bool) -> None:
        self._written = written

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, after comparing it with those before it on the command line."""
        named = {} if ctx is None else ctx.meta
        inputs: list[str] = named.setdefault("stdeval.inputs", [])
        outputs: list[Output] = named.setdefault("stdeval.files", [])
        if self._written:
            output = Output(param.opts[0] if param else "", value)
            for other in outputs:
                _refuse_same_output(output, other)
            outputs.append(output)
        else:
            if value == "-" and "-" in inputs:
                raise click.UsageError("standard input (-) can be read once only")
            inputs.append(value)
        for output in outputs[-1:] if self._written else outputs:
            for path in inputs if self._written else inputs[-1:]:
                if output.path != "-" and is_same_file(path, output.path):
                    raise click.UsageError(f"{output}: the command reads this file, expected another")
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell complete the name of a file."""
        return complete_file(ctx, param, incomplete)


class Output(NamedTuple):
    """An option that names an output, and the path that it is given."""

    option: str
    path: str

    def __str__(self) -> str:
        return f"{self.option} {self.path}"


def _refuse_same_output(one: Output, other: Output) -> None:
    if one.path == other.path == "-":
        both = f"{one.option} and {other.option}"
        raise click.UsageError(f"{both} would both write to stdout, expected a FILE for one of them")
    if "-" not in (one.path, other.path) and is_same_file(one.path, other.path):
        raise click.UsageError(f"{one} and {other} would write to the same file, expected two")


INPUT_FILE = FileName(written=False)
OUTPUT_FILE = FileName(written=True)


class NamedFile(NamedTuple):
    """A file that a command reads, and the name that the command line gives to its content; empty for none."""

    path: str
    name: str = ""


class NamedInput(click.ParamType):  # type: ignore[type-arg]  # no generic type before click 8.4
    """A file that a command reads, given as FILE or as NAME=FILE."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> NamedFile:
        """Return the file and its name, after comparing the file with those before it on the command line."""
        if isinstance(value, NamedFile):
            return value
        named = re.fullmatch(r"(?P<name>[\w.+-]+)=(?P<path>.+)", value, flags=re.DOTALL)
        if named is None or exists(value):
            return NamedFile(INPUT_FILE.convert(value, param, ctx))
        return NamedFile(INPUT_FILE.convert(named["path"], param, ctx), named["name"])

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell complete the name of a file."""
        return complete_file(ctx, param, incomplete)


NAMED_INPUT = NamedInput()


# Regular expressions


def compiled(_: click.Context, param: click.Parameter, text: str | None) -> re.Pattern[str] | None:
    """Compile the regular expression that an option is given: a callback."""
    try:
        return None if text is None else re.compile(text)
    except re.error as error:
        raise click.UsageError(f"{param.opts[0]} {text}: not a regular expression ({error})") from None


# Choices


class Choice(click.Choice):  # type: ignore[type-arg]  # no generic type before click 8.2
    """One of several words, in upper or lower case; a command receives the word as the option lists it."""

    def __init__(self, choices: Collection[str]) -> None:
        super().__init__(list(choices), case_sensitive=False)


# Numbers


def _limits(limits: click.IntRange | click.FloatRange) -> str:
    """Return the range of a number in words, with a blank before them; empty for any number."""
    low = "" if limits.min is None else f" {'above' if limits.min_open else 'from'} {limits.min:g}"
    if limits.max is None:
        return low
    return f"{low} {'and ' if low and limits.max_open else ''}{'below' if limits.max_open else 'to'} {limits.max}"


class WholeRange(click.IntRange):
    """A range of whole numbers, shown as N in helps; other values are refused in plain words."""

    name = "n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value as a whole number within the range."""
        with contextlib.suppress(click.BadParameter):
            # int() also takes "1_0" and the digits of other scripts
            if re.fullmatch(r"[+-]?[0-9]{1,18}", str(value)):
                return super().convert(value, param, ctx)
        digits = " of at most 18 digits" if re.fullmatch(r"[0-9]{19,}", str(value)) and self.max is None else ""
        return self.fail(f"'{excerpt(str(value))}', expected a whole number{_limits(self)}{digits}", param, ctx)


class FiniteRange(click.FloatRange):
    """A range of numbers, shown as X in helps; other values, NaN and infinities are refused in plain words."""

    name = "x"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value as a finite number within the range."""
        with contextlib.suppress(click.BadParameter):
            # float() also takes "0.0_5" and the digits of other scripts
            number = super().convert(value, param, ctx)
            if math.isfinite(number) and re.fullmatch(r"[0-9.eE+-]+", str(value)):
                return number
        return self.fail(f"'{value}', expected a number{_limits(self)}", param, ctx)


# A level of 0.95 is a confidence that was meant for --ci.
ALPHA = FiniteRange(0, 0.5, min_open=True, max_open=True)
"""The range of levels of significance."""


# A confidence of 0.05 is a level of significance that was meant for --alpha.
CONFIDENCE = FiniteRange(0.5, 1, max_open=True)
"""The range of confidence levels."""


class NumberOrShare(click.ParamType):  # type: ignore[type-arg]  # no generic type before click 8.4
    """A whole number from 1, such as 10, or a percentage above 0 and below 100, such as 75%; kept as text."""

    name = "n"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text, after checking its form and range."""
        if re.fullmatch(r"[0-9]+(\.[0-9]+)?%", value):
            valid = 0 < float(value[:-1]) < 100
        else:
            valid = bool(re.fullmatch(r"0*[1-9][0-9]*", value))
        if not valid:
            self.fail(f"'{value}', expected a number from 1, or a percentage above 0% and below 100%", param, ctx)
        return value


class GivenOnce(click.Option):
    """An option that is refused if it is given twice; otherwise the last value would silently replace the first."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser collect all values."""
        self.multiple = True
        super().add_to_parser(parser, ctx)
        self.multiple = False

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """Return the only value, and where it was given."""
        value, source = super().consume_value(ctx, opts)
        if not isinstance(value, list):
            return value, source
        if len(value) > 1:
            first, second = value[:2]
            raise click.UsageError(f"{self.opts[0]} is given twice ('{first}' and '{second}'), expected it once")
        return value[0], source

GROUPS = {
    "Input": (
        *("score_files", "evaluated", "other", "collection", "reference_file", "pool_list", "baseline", "best"),
        *("label", "topics_file", "qrels_file", "docnos_file"),
    ),
    "Measures": (
        *("measures", "measure", "complete", "level", "depth", "judged_only", "binary", "precision"),
        *("pool_depths", "eval_depths", "forms"),
    ),
    "Standardization": (
        *("factor_files", "schemes", "scheme", "slope_and_mean", "no_censor", "digits", "raw", "empirical"),
        *("leave_out", "groups_file", "group_pattern"),
    ),
    "Statistics": (
        *("aggregates", "epsilon", "epsilons", "confidence", "interval_of", "interval_method"),
        *("test", "alternative", "correction", "alpha", "alphas", "unpaired", "welch", "residuals", "by", "ways"),
        *("groups", "n_topics", "sizes", "targets", "differences", "widths", "n_systems", "sd", "power"),
        *("n_trials", "n_resamples", "seed"),
    ),
    "Output": (
        *("per_topic", "no_summary", "column", "sort", "signed", "output_format", "printed_digits"),
        *("output_path", "path", "output_paths", "junit_path", "trials_path", "pairs_path", "averaged", "report"),
        *("title", "date", "dpi", "size"),
    ),
    "Processes": ("jobs", "dask", "dask_timeout"),
}
"""The names of the parameters of each group. Other options are about the command itself, and come first."""


def write_manual_page(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write how to read the page of the manual: that of a command, or of the group that it belongs to."""
    while ctx.parent is not None and ctx.parent.parent is not None:
        ctx = ctx.parent
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(f"The manual has more: stdeval help 1 {ctx.info_name}")


class GroupedCommand(click.Command):
    """A command whose help lists its options in groups."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example, and how to read the page of the manual."""
        super().format_epilog(ctx, formatter)
        write_manual_page(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, first those that only this command has."""
        grouped = {name: title for title, names in GROUPS.items() for name in names}
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], **{title: [] for title in GROUPS}}
        for param in self.get_params(ctx):
            # Newer versions of click have records of arguments too.
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections[grouped.get(param.name or "", "Options")].append(record)
        # --help is among the first options only if there are others.
        *own, help_record = sections["Options"]
        sections["Options"] = own
        sections["Other"] = [help_record]
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def stacked(*options: Decorator) -> Decorator:
    """Return a decorator that gives a command several options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


# Output


output_option = click.option(
    "-o",
    "--output",
    "output_path",
    type=OUTPUT_FILE,
    default="-",
    metavar="FILE",
    help="Write to FILE instead of standard output. It appears complete or not at all, and is compressed if its "
    "name ends in .gz, .bz2 or .xz.",
)
no_summary_option = click.option("-n", "no_summary", is_flag=True, help="Omit the summary over all topics.")
digits_option = click.option(
    "--digits",
    "printed_digits",
    type=WholeRange(0, 17),
    metavar="N",
    help="Print N decimals instead of 4; csv and jsonl are always in full precision.",
)

ENDINGS = {".csv": "csv", ".jsonl": "jsonl", ".md": "markdown", ".tex": "latex"}
"""The endings of file names that choose a format."""


class OutputOptions(NamedTuple):
    """The format of the output, its file, and the number of decimals in formats for people."""

    format: str = "text"
    path: str | None = "-"
    digits: int | None = None

    def write(self, listing: Listing) -> None:
        """Write a listing, and nothing else, to the file."""
        with output(self.path) as out:
            write_listing(out, self.format, listing.with_digits(self.digits))

    def write_parts(self, parts: Iterator[Listing]) -> None:
        """Write the rows of several listings with the same fields; exact formats take one listing at a time."""
        first = next(parts)
        if self.format not in EXACT:
            self.write(first._replace(rows=[*first.rows, *(row for part in parts for row in part.rows)]))
            return
        with output(self.path) as out:
            write_listing(out, self.format, first)
            for part in parts:
                write_listing(out, self.format, part._replace(headed=False))


def format_options(text: str, *, digits: bool = True, without: Collection[str] = ()) -> Decorator:
    """Return the options of the format and the file of the output, as ``to``, an `OutputOptions`."""
    choices = [name for name in FORMATS if name not in without]
    forms = {
        "text": text,
        "table": "aligned columns",
        "csv, jsonl": "full precision",
        "markdown": "for GitHub",
        "latex": "for the package booktabs",
    }
    told = "; ".join(f"{names}: {form}" for names, form in forms.items() if names.split(", ")[0] in choices)
    format_option = click.option(
        "-f",
        "--format",
        "output_format",
        type=Choice(choices),
        default=choices[0] if "text" in choices else "csv",
        show_default=True,
        help=f"{told}. Without -f, a FILE that ends in .csv, .jsonl, .md or .tex chooses the format.",
    )
    options = stacked(format_option, *([digits_option] if digits else []), output_option)

    def decorate(command: Command) -> Command:
        @options
        @functools.wraps(command)
        def with_output(
            *, output_format: str, output_path: str | None, printed_digits: int | None = None, **others: Any
        ) -> Any:
            chosen = _chosen_format(output_format, output_path, choices)
            return command(to=OutputOptions(chosen, output_path, printed_digits), **others)

        return with_output

    return decorate


def _chosen_format(typed: str, path: str | None, choices: Collection[str]) -> str:
    """Return the format typed; if none is typed, the one that the ending of the file chooses."""
    source = click.get_current_context().get_parameter_source("output_format")
    if source is ParameterSource.COMMANDLINE:
        return typed
    name = plain_name(path or "").lower()
    chosen = next((each for ending, each in ENDINGS.items() if name.endswith(ending)), typed)
    return chosen if chosen in choices else typed


def refuse_other_ending(path: str | None, writes: str, *allowed: str) -> None:
    """Refuse a file whose ending names a format that the command does not write."""
    name = plain_name(path or "").lower()
    for ending in ENDINGS:
        if name.endswith(ending) and ending not in allowed:
            raise click.UsageError(f"-o {path}: {writes} is written, expected a name that does not end in {ending}")


# Statistics


baseline_option = click.option(
    "--baseline",
    cls=GivenOnce,
    metavar="RUN",
    shell_complete=complete_file,
    help="Compare with RUN, which is one of the runs given: its name or its file. No other file is read.",
)
alpha_option = click.option(
    "--alpha",
    type=ALPHA,
    default=0.05,
    show_default=True,
    help="Significance level: p is significant if it is at most this.",
)
seed_option = click.option(
    "--seed",
    type=WholeRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the random numbers. Results are reproducible with it.",
)
randomness_options = stacked(
    click.option(
        "--resamples",
        "n_resamples",
        type=WholeRange(1, 10**7),
        default=10_000,
        show_default=True,
        metavar="N",
        help="Number of random resamples.",
    ),
    seed_option,
)
unpaired_option = click.option(
    "--unpaired", is_flag=True, help="Do not pair the topics: use Student's t test for two samples."
)
welch_option = click.option(
    "--welch", is_flag=True, help="With --unpaired: use Welch's t test, for different variances."
)
test_option = click.option(
    "--test",
    type=Choice(["t", "wilcoxon", "sign", "permutation", "bootstrap"]),
    default="t",
    show_default=True,
    help="Paired test: t (Student), wilcoxon (signed ranks), sign, permutation (Fisher's randomization), bootstrap "
    "(studentized).",
)


def interval_option(default: float | None, meaning: str) -> Decorator:
    """Return the option that gives the confidence of an interval, as ``confidence``."""
    return click.option(
        "--ci",
        "confidence",
        type=CONFIDENCE,
        default=default,
        show_default=default is not None,
        metavar="LEVEL",
        help=meaning,
    )

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
    """The scores that a command works on: those of runs, evaluated with judgments, or those in scores files."""

    files: tuple[str, ...] = ()
    score_files: tuple[NamedFile, ...] = ()
    measures: tuple[str, ...] = ()
    complete: bool = False
    level: int = 1
    depth: int | None = None
    judged_only: bool = False
    binary: bool = False
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
            evaluated = (complete, level, depth, judged_only, binary, precision)
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

SCHEME_CHOICES = tuple(SCHEME_LETTERS.lower())
"""The names of the schemes on the command line; `stdeval.standardization.schemes.SCHEMES` explains them."""


FLATTERING = "each group has other reference runs, which flatters a strong group"
"""The reason why --leave-out group does not show which run is the best."""


class LeaveOut(NamedTuple):
    """The runs that are left out of the reference runs of each run: the run itself, or all runs of its group."""

    groups: Groups | None = None
    pattern: re.Pattern[str] | None = None
    known: tuple[str, ...] = ()


def why_no_best_run(leave_out: LeaveOut | None, table: ScoreTable) -> str:
    """Return the reason why standardized scores do not tell the best run; empty if there is none."""
    by_group = leave_out is not None and leave_out != LeaveOut(known=leave_out.known)
    made, is_standardized = table.origin.standardization, any(split_scheme(name)[0] for name in table.measures)
    was_by_group = is_standardized and made is not None and "leave-out:group" in " ".join(made.adjustments)
    return FLATTERING if by_group or was_by_group else ""


class StandardizationOptions(NamedTuple):
    """How scores are standardized: the files of the factors, and the parameters of the schemes."""

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
    """Return the option that names schemes, as ``schemes``, or a single one, as ``scheme``."""
    return click.option(
        "--scheme",
        "schemes" if multiple else "scheme",
        cls=click.Option if multiple else GivenOnce,
        type=Choice(["raw", *SCHEME_CHOICES] if raw else SCHEME_CHOICES),
        multiple=multiple,
        default=default or None,
        show_default=shown,
        help=meaning,
    )


def default_schemes(schemes: tuple[str, ...], options: StandardizationOptions) -> tuple[str, ...]:
    """Return the schemes named, each once; if none is named, n if factors are given, and raw otherwise."""
    return tuple(dict.fromkeys(schemes)) or (("n",) if options.factor_files else ("raw",))


def _slope_and_mean(_: click.Context, __: click.Parameter, text: str) -> tuple[float, float]:
    number = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
    if not re.fullmatch(rf"{number},{number}", text):
        raise click.UsageError(f"--ab {text}: expected two numbers with a comma between, such as 0.15,0.5")
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
    help="Standardize by the factors in FILE: a CSV of stdeval factors, a zscores_file, reference scores, or, "
    "given twice, the published means and standard deviations.",
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
    click.option("--no-censor", is_flag=True, help="Do not censor scores of scheme u to [0, 1]."),
    click.option(
        "--round",
        "digits",
        type=WholeRange(min=0, max=15),
        metavar="N",
        help="Round raw scores, and reference scores of -F, to N decimals first. Use it if some of them were "
        "rounded.",
    ),
)


_leave_out_options = stacked(
    click.option(
        "--leave-out",
        type=Choice(["run", "group"]),
        help="Without -F: standardize each run by all other runs (run), or by the runs of other groups (group).",
    ),
    click.option(
        "--groups",
        "groups_file",
        type=INPUT_FILE,
        metavar="FILE",
        help="For --leave-out group: a CSV with the columns run (or tag) and group (or team).",
    ),
    click.option(
        "--group-by",
        "group_pattern",
        metavar="REGEX",
        callback=compiled,
        help="For --leave-out group: the group of a run is the part of its name that REGEX, or its first "
        "parenthesis, matches at the beginning.",
    ),
)


def _what_is_left_out(
    leave_out: str | None, groups_file: str | None, pattern: re.Pattern[str] | None, factor_files: Collection[str]
) -> LeaveOut | None:
    """Return the runs that the options leave out; the file of the groups is read here."""
    if leave_out is not None and factor_files:
        raise click.UsageError("--leave-out with -F, expected runs that are their own reference runs")
    if leave_out != "group":
        return None if leave_out is None else LeaveOut()
    if (groups_file is None) == (pattern is None):
        raise click.UsageError("--leave-out group: expected --groups FILE or --group-by REGEX, one of them")
    if groups_file is None:
        return LeaveOut(pattern=pattern)
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
    """Return a decorator that gives a command ``standardization``, and ``schemes``, shown side by side."""
    meaning = (
        "How to standardize: z (z score), n (normal), u (uniform), e (empirical), m (empirical with mid-ranks). "
        "Repeatable."
    )
    schemes = scheme_option(meaning, default=default, shown=True if default else "raw; n with -F", raw=raw)
    return _with_standardization_options(stacked(_factors_option, _leave_out_options, schemes, _parameter_options))


def _aggregate_option(more: tuple[str, ...] = (), meaning: str = "") -> Decorator:
    return click.option(
        "-a",
        "--aggregate",
        "aggregates",
        type=Choice([*AVERAGES, *more]),
        multiple=True,
        default=("am",),
        show_default=True,
        help="Summary over the topics: am, gm, hm (arithmetic, geometric, harmonic mean), egm, ehm (gm and hm, "
        f"adjusted by epsilon), egm-trec (as gm_map of trec_eval), md (median){meaning}. Repeatable.",
    )


aggregate_option = _aggregate_option()
"""Names the aggregates by which systems are ranked."""


class SummaryOptions(NamedTuple):
    """How scores are summarized over topics: the aggregates, and the interval of the arithmetic mean."""

    aggregates: tuple[str, ...]
    epsilon: float | None
    confidence: float | None
    interval_method: str
    n_resamples: int
    seed: int
    interval_of: str = "topics"

    @property
    def level_named(self) -> str:
        """The level of the interval as the names of its lines have it: empty for 0.95, the usual one."""
        return "" if self.confidence in (None, 0.95) else f".level={self.confidence:g}"


_aggregate_options = stacked(
    _aggregate_option(("sd",), ", sd (standard deviation)"),
    click.option(
        "--epsilon",
        type=FiniteRange(0, min_open=True),
        metavar="E",
        help="Epsilon of egm, egm-trec and ehm.  [default: 0.01; 1e-5 for egm-trec]",
    ),
    interval_option(None, "Also print the confidence interval of the arithmetic mean at LEVEL, such as 0.95."),
)
_interval_method_options = stacked(
    click.option(
        "--ci-method",
        "interval_method",
        type=Choice(["t", "bootstrap"]),
        default="t",
        show_default=True,
        help="Interval by Student's t distribution (t) or by resampling the topics (bootstrap).",
    ),
    randomness_options,
)
_interval_of_option = click.option(
    "--ci-of",
    "interval_of",
    type=Choice(["topics", "references", "both"]),
    default="topics",
    show_default=True,
    help="Interval over other topics, other reference runs, or both (always by resampling).",
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
    """Refuse an interval of a mean that is not printed, or from too few resamples."""
    if options.confidence is not None and "am" not in options.aggregates:
        raise click.UsageError("--ci is the interval of the arithmetic mean, expected -a am too")
    if options.confidence is not None and (options.interval_of, options.interval_method) != ("topics", "t"):
        _check_resamples(options.n_resamples, options.confidence)


def _check_resamples(n: int, confidence: float) -> None:
    """Refuse fewer resamples than the quantiles at the ends of an interval need."""
    least = math.ceil(round(2 / (1 - confidence), 9)) - 1
    if n < least:
        expected = f"expected at least {least} for {100 * confidence:g}% intervals"
        raise click.UsageError(f"--resamples {n}: {expected}")

LONG_OPTIONS = MappingProxyType(
    {
        "help": "--help",
        "version": "",
        "query_eval_wanted": "-q",
        "measure": "-m",
        "complete_rel_info_wanted": "-c",
        "level_for_rel": "-l",
        "nosummary": "-n",
        "Debug_level": "",
        "Judged_docs_only": "-J",
        "Number_docs_in_coll": "",
        "Max_retrieved_per_topic": "-M",
        "Rel_info_format": "",
        "Results_format": "",
        "Output_old_results_format": "",
        "Zscore": "",
    }
)
"""The long options of trec_eval 9.0.8 (``long_options`` in trec_eval.c), with the option here, or an empty text."""

_TAKES_VALUE = ("-m", "-l", "-M")

_ADVICE = MappingProxyType(
    {
        "version": "'stdeval --version' prints the version",
        "Debug_level": "nothing prints how a score is computed; -q prints the scores of each topic",
        "Number_docs_in_coll": "only the measure utility depends on it, and only if its fourth parameter is not 0",
        "Rel_info_format": "judgments have the format qrels; leave the option out",
        "Results_format": "runs have the format trec_results; leave the option out",
        "Output_old_results_format": "trec_eval no longer has another output; leave the option out",
        "Zscore": "'stdeval standardize --scheme z -F FILE QRELS RUN' prints z scores",
    }
)
"""Advice for options without a counterpart."""

_SHORT = MappingProxyType(
    {
        "-v": "version",
        "-D": "Debug_level",
        "-N": "Number_docs_in_coll",
        "-R": "Rel_info_format",
        "-T": "Results_format",
        "-Z": "Zscore",
    }
)
"""The letters of options without counterpart."""


class TrecEvalCommand(GroupedCommand):
    """A command that also takes trec_eval's long options, whole or abbreviated; its help does not list them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an option that is unknown here is replaced if trec_eval has it."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            return self.parse_args(ctx, _in_own_words(given, error))


def _in_own_words(args: Sequence[str], error: click.NoSuchOption) -> list[str]:
    """Return the arguments with an unknown option replaced by the one here; raise if there is none."""
    typed = error.option_name
    name = _SHORT.get(typed) or (_long_option(typed[2:], error) if typed.startswith("--") else None)
    if name is None:
        raise error
    own = LONG_OPTIONS[name]
    if not own:
        raise click.UsageError(f"trec_eval's {typed} is not an option here: {_ADVICE[name]}", error.ctx)
    place = next(i for i, word in enumerate(args) if word.partition("=")[0] == typed)
    _, equals, value = args[place].partition("=")
    if equals and own not in _TAKES_VALUE:
        raise click.UsageError(f"option {typed} takes no value, found '{value}'", error.ctx)
    return [*args[:place], own, *([value] if equals else []), *args[place + 1 :]]


def _long_option(typed: str, error: click.NoSuchOption) -> str | None:
    """Return the option of trec_eval that is typed, whole or abbreviated as getopt_long takes it; None for none."""
    if typed in LONG_OPTIONS:
        return typed
    meant = [name for name in LONG_OPTIONS if name.startswith(typed)]
    if len(meant) > 1:
        possible = " or ".join(f"--{name}" for name in meant)
        raise click.UsageError(f"option --{typed} is ambiguous, expected {possible}", error.ctx)
    return meant[0] if meant else None
