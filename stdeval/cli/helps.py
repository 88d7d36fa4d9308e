"""Commands whose helps list ordinary options first, and that know options that are gone and those of trec_eval."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]

MORE = {
    *("depth", "judged_only", "binary", "precision", "best", "jobs", "slope_and_mean", "no_censor", "digits"),
    *("leave_out", "groups_file", "epsilon", "epsilons", "interval_of", "interval_method", "n_resamples", "seed"),
    *("signed", "printed_digits", "title", "date", "dpi", "size"),
}
"""The names of the parameters that helps list last, under More."""

_STORED = "store the scores with 'stdeval eval' or 'standardize' (-q -f csv), and give --scores FILE"
OLD_OPTIONS = {
    "--label": "name runs as NAME=RUN",
    "--group-by": "give --groups FILE",
    "--max-grade": "give it with the measure, as in -m 'ERR(max=3)@20'",
    "--dask": "give the address to -j, as in -j tcp://HOST:8786",
    "--dask-timeout": "leave it out",
    "--round": "standardize, compare and check have it: store standardized scores, and give --scores FILE",
    **dict.fromkeys(
        ("--best", "--binary", "--precision", "--leave-out", "--groups", "--ab", "--no-censor"), _STORED
    ),
}
"""Options that are gone, everywhere or from some commands, and what does the same."""


def write_manual_page(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write how to read the page of the manual: that of a command, or of the group that it belongs to."""
    while ctx.parent is not None and ctx.parent.parent is not None:
        ctx = ctx.parent
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(f"The manual has more: stdeval help 1 {ctx.info_name}")


class GroupedCommand(click.Command):
    """A command whose help lists the ordinary options first, and the others under More."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an option that is gone is refused with what does the same."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            advice = OLD_OPTIONS.get(error.option_name)
            if advice is None:
                raise
            raise click.UsageError(f"no option {error.option_name}: {advice}", ctx) from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example, and how to read the page of the manual."""
        super().format_epilog(ctx, formatter)
        write_manual_page(ctx, formatter)

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


def option(flags: str, meaning: str, of: Any = None, metavar: str | None = None, **more: Any) -> Decorator:
    """Return an option; `flags` are its spellings and its parameter, and its default is shown if it has one."""
    more = {"show_default": "default" in more, **more}
    return click.option(*flags.split(), type=of, metavar=metavar, help=meaning, **more)


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


_LONG_OPTIONS = {
    "--help": "--help",
    "--query_eval_wanted": "-q",
    "--measure": "-m",
    "--complete_rel_info_wanted": "-c",
    "--level_for_rel": "-l",
    "--nosummary": "-n",
    "--Judged_docs_only": "-J",
    "--Max_retrieved_per_topic": "-M",
}
"""The long options of trec_eval 9.0.8 (``long_options`` in trec_eval.c) that have a counterpart here."""

_FORMATS = "qrels and runs have the formats of trec_eval 9; leave the option out"
_ADVICE = {
    "-v --version": "'stdeval --version' prints the version",
    "-D --Debug_level": "nothing prints how a score is computed; -q prints the scores of each topic",
    "-N --Number_docs_in_coll": "only utility depends on it, and only if its fourth parameter is not 0",
    "-R --Rel_info_format -T --Results_format --Output_old_results_format": _FORMATS,
    "-Z --Zscore": "'stdeval standardize --scheme z -F FILE QRELS RUN' prints z scores",
}
"""Advice for options of trec_eval without a counterpart."""


class TrecEvalCommand(GroupedCommand):
    """A command that also takes trec_eval's long options, whole or abbreviated; its help does not list them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an option that is unknown here is replaced if trec_eval has it."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            typed = error.option_name
            advice = {option: text for options, text in _ADVICE.items() for option in options.split()}
            # abbreviated as getopt_long takes it
            meant = [name for name in (*_LONG_OPTIONS, *advice) if name.startswith(typed)]
            name = typed if typed in meant else meant[0] if len(meant) == 1 and typed.startswith("--") else ""
            if name in advice:
                raise click.UsageError(f"trec_eval's {typed} is not an option here: {advice[name]}", ctx) from None
            if not name:
                raise
            place = next(i for i, word in enumerate(given) if word.partition("=")[0] == typed)
            _, *value = given[place].split("=", 1)
            return self.parse_args(ctx, [*given[:place], _LONG_OPTIONS[name], *value, *given[place + 1 :]])
