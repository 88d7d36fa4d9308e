"""The types of values that options take, and the decorators that declare options, alone or gathered in a record."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import click

from stdeval.display import excerpt
from stdeval.files import exists, is_same_file


class FileName(click.Path):
    """The name of a file that a command reads or writes; it refuses a file that is also read, or written twice."""

    name = "file"

    def __init__(self, *, written: bool) -> None:
        super().__init__()
        self._written = written

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, after comparing it with those before it on the command line."""
        path, option = str(value), param.opts[0] if param else ""
        before: list[tuple[str, str, bool]] = [] if ctx is None else ctx.meta.setdefault("stdeval.files", [])
        for other_option, other, is_written in before:
            if self._written and is_written:
                if path == other if "-" in (path, other) else is_same_file(path, other):
                    both = f"{option} {path} and {other_option} {other}"
                    raise click.UsageError(f"{both} would write to the same file, expected two")
            elif self._written or is_written:
                read, by, written = (other, option, path) if self._written else (path, other_option, other)
                if written != "-" and is_same_file(read, written):
                    raise click.UsageError(f"{by} {written}: the command reads this file, expected another")
            elif path == other == "-":
                raise click.UsageError("standard input (-) can be read once only")
        before.append((option, path, self._written))
        return path


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


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a refusal, which names similar words; empty if there are none."""
    from difflib import get_close_matches  # it takes time to load, and few words are wrong

    close = get_close_matches(word, known)
    return f", did you mean {' or '.join(close)}?" if close else ""


class Choice(click.Choice):  # type: ignore[type-arg]  # no generic type before click 8.2
    """One of several words, in upper or lower case; a command receives the word as the option lists it."""

    def __init__(self, choices: Iterable[str]) -> None:
        super().__init__([*choices], case_sensitive=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word; another one is refused with those that are similar, such as jsonl for json."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            meant = did_you_mean(str(value).lower(), self.choices)
            return self.fail(error.message.removesuffix(".") + (meant or "."), param, ctx)


class _Number(click.ParamType):  # type: ignore[type-arg]  # no generic type before click 8.4
    """A range of numbers; others, NaN and infinities are refused in plain words."""

    def convert(self: Any, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value as a finite number within the range."""
        with contextlib.suppress(click.BadParameter):
            # int() and float() also take "1_0" and the digits of other scripts
            if re.fullmatch(self.form, str(value)):
                number = super().convert(value, param, ctx)
                if math.isfinite(number):
                    return number
        low = "" if self.min is None else f" {'above' if self.min_open else 'from'} {self.min:g}"
        high = "" if self.max is None else f" {'below' if self.max_open else 'to'} {self.max}"
        limits = f"{low} and{high}" if low and high and self.max_open else low + high
        return self.fail(f"'{excerpt(str(value))}', expected {self.what}{limits}", param, ctx)


class WholeRange(_Number, click.IntRange):
    """A range of whole numbers, shown as N in helps."""

    name, form, what = "n", "[+-]?[0-9]{1,18}", "a whole number"


class FiniteRange(_Number, click.FloatRange):
    """A range of numbers, shown as X in helps."""

    name, form, what = "x", "[0-9.eE+-]+", "a number"


# A level of 0.95 is a confidence that was meant for --ci, and a confidence of 0.05 a level meant for --alpha.
ALPHA = FiniteRange(0, 0.5, min_open=True, max_open=True)
CONFIDENCE = FiniteRange(0.5, 1, max_open=True)
PROBABILITY = FiniteRange(0, 1, min_open=True, max_open=True)


class JobsOrAddress(WholeRange):
    """A number of worker processes, or the address of a Dask scheduler, such as tcp://HOST:8786."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: D102
        return value if "://" in str(value) else super().convert(value, param, ctx)


def number_or_share(text: str) -> str:
    """Return a whole number from 1, such as 10, or a percentage above 0 and below 100, such as 75%, as text."""
    is_share = re.fullmatch(r"[0-9]+(\.[0-9]+)?%", text)
    if 0 < float(text[:-1]) < 100 if is_share else re.fullmatch(r"0*[1-9][0-9]*", text):
        return text
    raise click.BadParameter(f"'{text}', expected a number from 1, or a percentage above 0% and below 100%")


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
    more = {"show_default": more.get("default") is not None, **more}
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
