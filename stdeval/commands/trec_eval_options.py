"""The options of trec_eval that have another name here, or none."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import click

from stdeval.commands.help_groups import GroupedCommand

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
