"""The types of values that options take, and the decorators that declare options, alone or gathered in a record."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from stdeval.display import excerpt
from stdeval.files import exists, is_same_file

if TYPE_CHECKING:
    pass


class FileName(click.Path):
    """The name of a file that a command reads or writes; it refuses a file that is also read, or written twice."""

    name = "file"

    def __init__(self, *, written: bool) -> None:
        super().__init__()
        self._written = written

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, after comparing it with those before it on the command line."""
        path: str = value
        named = {} if ctx is None else ctx.meta
        inputs: list[str] = named.setdefault("stdeval.inputs", [])
        outputs: list[tuple[str, str]] = named.setdefault("stdeval.outputs", [])
        if self._written:
            option = param.opts[0] if param else ""
            other = next((f"{each} {before}" for each, before in outputs if _are_same(path, before)), None)
            if other is not None:
                raise click.UsageError(f"{option} {path} and {other} would write to the same file, expected two")
            outputs.append((option, path))
        elif path == "-" and "-" in inputs:
            raise click.UsageError("standard input (-) can be read once only")
        else:
            inputs.append(path)
        for option, written in outputs[-1:] if self._written else outputs:
            read = inputs if self._written else inputs[-1:]
            if written != "-" and any(is_same_file(each, written) for each in read):
                raise click.UsageError(f"{option} {written}: the command reads this file, expected another")
        return path


def _are_same(output: str, other: str) -> bool:
    return output == other if "-" in (output, other) else is_same_file(output, other)


INPUT_FILE = FileName(written=False)
OUTPUT_FILE = FileName(written=True)


class NamedFile(NamedTuple):
    """A file that a command reads, and the name that the command line gives to its content; empty for none."""

    path: str
    name: str = ""


class NamedInput(FileName):
    """A file that a command reads, given as FILE or as NAME=FILE."""

    def convert(  # type: ignore[override]  # a file with its name
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> NamedFile:
        """Return the file and its name, after comparing the file with those before it on the command line."""
        if isinstance(value, NamedFile):
            return value
        named = re.fullmatch(r"(?P<name>[\w.+-]+)=(?P<path>.+)", value, flags=re.DOTALL)
        if named is None or exists(value):
            return NamedFile(super().convert(value, param, ctx))
        return NamedFile(super().convert(named["path"], param, ctx), named["name"])


NAMED_INPUT = NamedInput(written=False)


def compiled(_: click.Context, param: click.Parameter, text: str | None) -> re.Pattern[str] | None:
    """Compile the regular expression that an option is given: a callback."""
    try:
        return None if text is None else re.compile(text)
    except re.error as error:
        raise click.UsageError(f"{param.opts[0]} {text}: not a regular expression ({error})") from None


class Choice(click.Choice):  # type: ignore[type-arg]  # no generic type before click 8.2
    """One of several words, in upper or lower case; a command receives the word as the option lists it."""

    def __init__(self, choices: Collection[str]) -> None:
        super().__init__(list(choices), case_sensitive=False)


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


class JobsOrAddress(WholeRange):
    """A number of worker processes, or the address of a Dask scheduler, such as tcp://HOST:8786."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or the address unchanged."""
        is_address = isinstance(value, str) and "://" in value
        return value if is_address else super().convert(value, param, ctx)


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


# A level of 0.95 is a confidence that was meant for --ci, and a confidence of 0.05 a level meant for --alpha.
ALPHA = FiniteRange(0, 0.5, min_open=True, max_open=True)
CONFIDENCE = FiniteRange(0.5, 1, max_open=True)
PROBABILITY = FiniteRange(0, 1, min_open=True, max_open=True)


class NumberOrShare(click.ParamType):  # type: ignore[type-arg]  # no generic type before click 8.4
    """A whole number from 1, such as 10, or a percentage above 0 and below 100, such as 75%; kept as text."""

    name = "n"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text, after checking its form and range."""
        is_share = re.fullmatch(r"[0-9]+(\.[0-9]+)?%", value)
        if 0 < float(value[:-1]) < 100 if is_share else re.fullmatch(r"0*[1-9][0-9]*", value):
            return value
        return self.fail(
            f"'{value}', expected a number from 1, or a percentage above 0% and below 100%", param, ctx
        )


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


# --- declarations ---

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def option(declared: str, meaning: str, of: Any = None, metavar: str | None = None, **more: Any) -> Decorator:
    """Return an option, declared by its spellings, its VALUE (VALUE... if it is repeatable) and its parameter.

    Without a value it is a flag. A default is shown.
    """
    words = declared.split()
    value = next((word for word in words if word.isupper() and not word.startswith("-")), None)
    if value is not None:
        words.remove(value)
        metavar = value.removesuffix("...")
        more = {"multiple": value != metavar, **more}
    elif of is None and metavar is None:
        more = {"is_flag": True, **more}
    more = {"show_default": "default" in more, **more}
    return click.option(*words, type=of, metavar=metavar, help=meaning, **more)


file_option = functools.partial(option, of=INPUT_FILE)
"""An option that names a file to read."""


def completes(what: str) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    """Return a callback that completes a word by a function of `stdeval.cli.completion`."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[Any]:
        from stdeval.cli import completion

        found: list[Any] = getattr(completion, what)(incomplete)
        return found

    return complete


def stacked(*options: Decorator) -> Decorator:
    """Return a decorator that gives a command several options, in this order."""
    return lambda command: functools.reduce(lambda given, each: each(given), reversed(options), command)


def gathered(name: str, make: Callable[..., Any], *options: Decorator) -> Decorator:
    """Return a decorator that gives a command several options as one record, which `make` makes of their values."""
    own = inspect.signature(make).parameters

    def decorate(command: Command) -> Command:
        @stacked(*options)
        @functools.wraps(command)
        def with_record(**given: Any) -> Any:
            record = make(**{key: given.pop(key) for key in own if key in given})
            return command(**{name: record}, **given)

        return with_record

    return decorate
