"""The types of options and arguments: files that are read or written, choices, and ranges of numbers."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from stdeval.commands.completion import complete_file
from stdeval.display import excerpt
from stdeval.files import exists, is_same_file

# Files


class FileName(click.ParamType):  # type: ignore[type-arg]  # no generic type before click 8.4
    """The name of a file that a command reads or writes; it refuses a file that is also read, or written twice.

    The names of one command line are compared as they are parsed, before anything is read or computed.

    Parameters
    ----------
    written : bool
        True if the command writes the file, False if it reads it.
    """

    name = "file"

    def __init__(self, *, written: bool) -> None:
        self._written = written

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, after comparing it with those before it on the command line."""
        named = {} if ctx is None else ctx.meta
        inputs: list[str] = named.setdefault("stdeval.inputs", [])
        outputs: list[Output] = named.setdefault("stdeval.outputs", [])
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
    """A file that a command reads, given as FILE or as NAME=FILE.

    A text that is the name of an existing file is that file, even with an equals sign in it. A NAME has only
    letters, digits and ``_.+-``, so ``./a=b.csv`` is always a file.
    """

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
    """A range of whole numbers, shown as N in helps; other values are refused in plain words.

    Numbers of more than 18 digits are refused, too, because arrays of integers cannot hold them.
    """

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
