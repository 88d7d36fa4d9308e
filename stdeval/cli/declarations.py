"""The types of the values of options, the classes of commands, and what commands print on standard error."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import click

from stdeval.errors import InputError, displayed, excerpt, with_escaped_bytes
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
        named = re.fullmatch(r"(?P<name>[\w.+-]+)=(?P<path>.+)", value, flags=re.DOTALL)
        path, name = (value, "") if named is None or exists(value) else (named["path"], named["name"])
        return NamedFile(super().convert(path, param, ctx), name)


NAMED_INPUT = NamedInput(written=False)


class _Choice(click.Choice):  # type: ignore[type-arg]  # no generic type before click 8.2
    """One of several words; another one is refused with those that are similar, such as jsonl for json."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            likely = did_you_mean(str(value), self.choices) or "."
            return self.fail(error.message.removesuffix(".") + likely, param, ctx)


Choice = partial(_Choice, case_sensitive=False)
"""One of several words, in upper or lower case; a command receives the word as the option lists it."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a refusal, which names similar words; empty if there are none."""
    from difflib import get_close_matches  # it takes time to load, and few words are wrong

    close = get_close_matches(word, known, cutoff=0.7)
    return f", did you mean {' or '.join(close)}?" if close else ""


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

    def _describe_range(self) -> str:
        # click shows x<=None for a range without limits
        return "" if self.min is self.max is None else super()._describe_range()


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


# --- commands ---

MORE = {
    *("depth", "judged_only", "binary", "precision", "best", "jobs", "slope_and_mean", "no_censor", "digits"),
    *("leave_out", "groups_file", "epsilon", "epsilons", "interval_of", "interval_method", "n_resamples", "seed"),
    *("exclude", "exclude_self", "signed", "printed_digits", "title", "date", "dpi", "size"),
}
"""The names of the parameters that helps list last, under More."""

_STORED = "store the scores with 'stdeval eval' or 'standardize' (-q -f csv), and give --scores FILE"
_OF_RUNS = ("--best", "--binary", "--exclude", "--exclude-self", "--precision")
_OF_SCHEMES = ("--leave-out", "--groups", "--ab", "--no-censor")
OLD_OPTIONS = {
    "--label": "name runs as NAME=RUN",
    "--quiet": "give it before the command, as in stdeval --quiet COMMAND",
    "--group-by": "give --groups FILE",
    "--max-grade": "give it with the measure, as in -m 'ERR(max=3)@20'",
    "--dask": "give the address to -j, as in -j tcp://HOST:8786",
    "--round": "standardize, compare and check have it: store standardized scores, and give --scores FILE",
    **dict.fromkeys((*_OF_RUNS, *_OF_SCHEMES), _STORED),
}
"""Options that are gone, everywhere or from some commands, and what does the same."""


def warnings_so_far() -> list[str]:
    """Return the warnings of the running command, printed or not; more may be appended."""
    context = click.get_current_context(silent=True)
    said: list[str] = [] if context is None else context.meta.setdefault("stdeval.warnings", [])
    return said


def show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning, once per command."""
    text, said = str(message), warnings_so_far()
    if text in said:
        return
    said.append(text)
    context = click.get_current_context(silent=True)
    if context is not None and context.find_root().params.get("quiet"):
        return
    try:
        print_to_stderr(displayed(f"stdeval: warning: {text}"))
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", "<stderr>") from None


def print_to_stderr(text: str) -> None:
    """Print a line, or lines, for the user."""
    # names in files may hold bytes that are not UTF-8, and names that are typed may hold any surrogate
    click.echo(with_escaped_bytes(text).encode("utf-8", "backslashreplace"), err=True)


class NoCommandError(click.UsageError):
    """The command line is empty; the message is the help."""


class _WithManualPage(click.Command):
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example, and how to read the page of the command, or of the group that it belongs to."""
        super().format_epilog(ctx, formatter)
        while ctx.parent is not None and ctx.parent.parent is not None:
            ctx = ctx.parent
        if ctx.parent is not None:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(f"The manual has more: stdeval help 1 {ctx.info_name}")


class Group(_WithManualPage, click.Group):
    """A group that imports a command when it is run, and suggests one if there is none of a name."""

    def __init__(
        self, package: str, helps: Mapping[str, str], modules: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(**more)
        self._package, self._helps, self._modules = package, helps, modules or {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: D102
        return list(self._helps)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: D102
        if cmd_name not in self._helps:
            return None
        module = import_module(f"{self._package}.{self._modules.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name if cmd_name in self._modules else "command")
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments before the command; an option of a command is refused there."""
        if not args and not ctx.resilient_parsing:
            # click 8.1 prints the help on stdout and exits with 0, later versions print it on stderr.
            raise NoCommandError(ctx.get_help(), ctx)
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            problem = f"no option '{error.option_name}' before a command"
            raise click.UsageError(problem + self._suggestion(ctx, given), ctx) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names."""
        command = self.get_command(ctx, args[0]) if ctx.resilient_parsing else self.require_command(ctx, args)
        return args[0], command, args[1:]

    def require_command(self, ctx: click.Context, words: list[str]) -> click.Command:
        """Return the command that the first word names; another word is refused with what was probably meant."""
        command = self.get_command(ctx, words[0])
        if command is None:
            likely = did_you_mean(words[0], self._helps) or self._suggestion(ctx, words)
            raise click.UsageError(f"no command '{words[0]}'{likely}", ctx)
        return command

    def _suggestion(self, ctx: click.Context, args: list[str]) -> str:
        """Return the command line that was probably meant by one without a command; else, all commands."""
        from shlex import quote

        first, *rest = args
        is_program = "eval" in self._helps
        if is_program and first == "man":
            meant = ["help", *(["1"] if rest and rest[0] in self._helps else []), *rest]
        elif is_program and (first.startswith("-") or "." in first or exists(first)):
            command = next((word for word in rest if word in self._helps), "eval")
            meant = [command, *(word for word in args if word != command)]
        else:
            return f", expected one of: {', '.join(self._helps)}"
        return f", did you mean: {' '.join(map(quote, [*ctx.command_path.split(), *meant]))}"

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Complete the name of a command, or an option; imports no command."""
        # not Group's, which imports every command for its help
        options = click.Command.shell_complete(self, ctx, incomplete)
        names = [name for name in self._helps if name.startswith(incomplete)]
        return [*(click.shell_completion.CompletionItem(name, help=self._helps[name]) for name in names), *options]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: D102
        with formatter.section("Commands"):
            formatter.write_dl(list(self._helps.items()))


class GroupedCommand(_WithManualPage):
    """A command whose help lists the ordinary options first, and the others under More."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an option that is gone is refused with what does the same."""
        ctx.obj = tuple(args)  # for `stdeval report`, which shows them as they were typed
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            gone = error.option_name
            if gone not in OLD_OPTIONS:
                raise
            raise click.UsageError(f"no option {gone}: {OLD_OPTIONS[gone]}", ctx) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, the ordinary ones first."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], "More": []}
        for param in self.get_params(ctx):
            # Newer versions of click have records of arguments too.
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections["More" if param.name in MORE else "Options"].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


_FORMATS = "qrels and runs have the formats of trec_eval 9; leave the option out"
_NOT_HERE = {
    "-v --version": "'stdeval --version' prints the version",
    "-D --Debug_level": "nothing prints how a score is computed; -q prints the scores of each topic",
    "-N --Number_docs_in_coll": "only utility depends on it, and only if its fourth parameter is not 0",
    "-R --Rel_info_format -T --Results_format --Output_old_results_format": _FORMATS,
    "-Z --Zscore": "'stdeval standardize --scheme z -F FILE QRELS RUN' prints z scores",
}
_TREC_EVAL = {
    "--help": "--help",
    "--query_eval_wanted": "-q",
    "--measure": "-m",
    "--complete_rel_info_wanted": "-c",
    "--level_for_rel": "-l",
    "--nosummary": "-n",
    "--Judged_docs_only": "-J",
    "--Max_retrieved_per_topic": "-M",
    **{name: advice for names, advice in _NOT_HERE.items() for name in names.split()},
}
"""The options of trec_eval 9.0.8 (``long_options`` in trec_eval.c): their counterparts here, or advice."""


class TrecEvalCommand(GroupedCommand):
    """A command that also takes trec_eval's long options, whole or abbreviated; its help does not list them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an option that is unknown here is replaced if trec_eval has it."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            typed = error.option_name
            # abbreviated as getopt_long takes it
            meant = [typed] if typed in _TREC_EVAL else [name for name in _TREC_EVAL if name.startswith(typed)]
            if len(meant) != 1:
                raise
            here = _TREC_EVAL[meant[0]]
            if not here.startswith("-"):
                raise click.UsageError(f"trec_eval's {typed} is not an option here: {here}", ctx) from None
            place = next(i for i, word in enumerate(given) if word.partition("=")[0] == typed)
            _, *value = given[place].split("=", 1)
            return self.parse_args(ctx, [*given[:place], here, *value, *given[place + 1 :]])


def stdeval_command(path: str, example: str, kind: type[click.Command] = GroupedCommand) -> Callable[[Any], Any]:
    """Return a decorator that makes a command of a function; its help ends with an example."""
    return click.command(path.rpartition(" ")[2], cls=kind, epilog=f"Example: stdeval {path} {example}")
