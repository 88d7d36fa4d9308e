"""The options of output and of statistics that several commands share, and the records that hold them.

A group of options reaches a command as one record. This module loads no numpy, since `eval` runs through it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from stdeval.commands.completion import complete_file
from stdeval.commands.parameter_types import (
    ALPHA,
    CONFIDENCE,
    OUTPUT_FILE,
    Choice,
    FiniteRange,
    GivenOnce,
    WholeRange,
)
from stdeval.files import plain_name
from stdeval.formats.listing import Listing
from stdeval.formats.writers import EXACT, FORMATS, write_listing
from stdeval.outputs import output
from stdeval.summary_rows import AVERAGES

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


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
        name = parameter.name or ""
        # click 8.1 reports optional arguments as given on the command line even if they are not.
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE and context.params[name] != ()
        if given and name in names:
            raise click.UsageError(f"{parameter.opts[-1]} has no effect without {expected}")


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
    """The format of the output, its file, and the number of decimals in formats for people.

    Parameters
    ----------
    format : str
        One of `stdeval.formats.writers.FORMATS`.
    path : str or None
        ``-`` is stdout.
    digits : int or None
        None for the number of decimals that each column has.
    """

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
    """Return the options of the format and the file of the output, as ``to``, an `OutputOptions`.

    Parameters
    ----------
    text : str
        The form of the format ``text``, for the help.
    digits : bool
        True if the output has numbers with decimals.
    without : collection of str
        Formats that the command does not have.
    """
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
            if printed_digits is not None and chosen in EXACT:
                expected = "text, table, markdown or latex" if "text" in choices else "table, markdown or latex"
                raise click.UsageError(
                    f"--digits {printed_digits}: {chosen} is in full precision, expected another format: {expected}"
                )
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
    """Refuse a file whose ending names a format that the command does not write.

    Parameters
    ----------
    path : str, optional
    writes : str
        The format that the command writes, for the message.
    *allowed : str
        Endings of this format.
    """
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
DRAWING = ("n_resamples", "seed")
"""The parameters of `randomness_options`."""
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
        The sample that could have been another one: topics, references, or both.
    """

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
    """Refuse options that would have no effect."""
    if options.epsilon is not None and not {"egm", "egm-trec", "ehm"}.intersection(options.aggregates):
        raise click.UsageError("--epsilon has no effect without -a egm, egm-trec or ehm")
    if options.confidence is not None and "am" not in options.aggregates:
        raise click.UsageError("--ci is the interval of the arithmetic mean, expected -a am too")
    if options.confidence is None:
        refuse_without_effect(["interval_of", "interval_method", *DRAWING], "--ci LEVEL, such as --ci 0.95")
    if options.interval_of != "topics":
        refuse_without_effect(["interval_method"], "--ci-of topics")
    elif options.interval_method != "bootstrap":
        refuse_without_effect(DRAWING, "--ci-method bootstrap")
    if options.confidence is not None and (options.interval_of, options.interval_method) != ("topics", "t"):
        _check_resamples(options.n_resamples, options.confidence)


def _check_resamples(n: int, confidence: float) -> None:
    """Refuse fewer resamples than the quantiles at the ends of an interval need."""
    least = math.ceil(round(2 / (1 - confidence), 9)) - 1
    if n < least:
        expected = f"expected at least {least} for {100 * confidence:g}% intervals"
        raise click.UsageError(f"--resamples {n}: {expected}")
