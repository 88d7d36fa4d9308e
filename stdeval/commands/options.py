"""The options of output and of tests that several commands share, and the records that hold them.

A group of options reaches a command as one record. This module loads no numpy, since `eval` runs through it.
"""

from __future__ import annotations

import functools
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
    GivenOnce,
    WholeRange,
)
from stdeval.files import plain_name
from stdeval.formats.listing import Listing
from stdeval.formats.writers import EXACT, FORMATS, write_listing
from stdeval.outputs import output

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
