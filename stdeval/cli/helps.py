"""The classes of commands: groups that load a command when it runs, helps, gone options and those of trec_eval."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from stdeval.cli.types import Decorator, did_you_mean
from stdeval.files import exists

MORE = {
    *("depth", "judged_only", "binary", "precision", "best", "jobs", "slope_and_mean", "no_censor", "digits"),
    *("leave_out", "groups_file", "epsilon", "epsilons", "interval_of", "interval_method", "n_resamples", "seed"),
    *("signed", "printed_digits", "title", "date", "dpi", "size"),
}
"""The names of the parameters that helps list last, under More."""

_STORED = "store the scores with 'stdeval eval' or 'standardize' (-q -f csv), and give --scores FILE"
_OF_SCORES = ("--best", "--binary", "--precision", "--leave-out", "--groups", "--ab", "--no-censor")
OLD_OPTIONS = {
    "--label": "name runs as NAME=RUN",
    "--group-by": "give --groups FILE",
    "--max-grade": "give it with the measure, as in -m 'ERR(max=3)@20'",
    "--dask": "give the address to -j, as in -j tcp://HOST:8786",
    "--round": "standardize, compare and check have it: store standardized scores, and give --scores FILE",
    **dict.fromkeys(_OF_SCORES, _STORED),
}
"""Options that are gone, everywhere or from some commands, and what does the same."""


def warnings_so_far() -> list[str]:
    """Return the warnings that the running command has printed; more may be appended."""
    context = click.get_current_context(silent=True)
    said: list[str] = [] if context is None else context.meta.setdefault("stdeval.warnings", [])
    return said


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
        self,
        package: str,
        helps: Mapping[str, str],
        modules: Mapping[str, str] | None = None,
        default: str = "",
        **attributes: Any,
    ) -> None:
        super().__init__(**attributes)
        self._package, self._helps, self._modules, self._default = package, helps, modules or {}, default

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
        if ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        return args[0], self.require_command(ctx, args), args[1:]

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
        if self._default and first == "man":
            meant = ["help", *(["1"] if rest and rest[0] in self._helps else []), *rest]
        elif self._default and (first.startswith("-") or "." in first or exists(first)):
            command = next((word for word in rest if word in self._helps), self._default)
            at = args.index(command) if command in rest else len(args)
            meant = [command, *args[:at], *args[at + 1 :]]
        else:
            return f", expected one of: {', '.join(self._helps)}"
        return f", did you mean: {' '.join(map(quote, [*ctx.command_path.split(), *meant]))}"

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Complete the name of a command, or an option, without importing the commands."""
        from click.shell_completion import CompletionItem

        # not Group's, which imports every command for its help
        options = click.Command.shell_complete(self, ctx, incomplete)
        names = [name for name in self._helps if name.startswith(incomplete)]
        return [*(CompletionItem(name, help=self._helps[name]) for name in names), *options]

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


def stdeval_command(path: str, example: str, kind: type[click.Command] = GroupedCommand) -> Decorator:
    """Return a decorator that makes a command of a function; its help ends with an example."""
    return click.command(path.rpartition(" ")[2], cls=kind, epilog=f"Example: stdeval {path} {example}")
