"""The options of standardization, and the records that hold them."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from stdeval.commands.options import Command, Decorator, stacked
from stdeval.commands.parameter_types import INPUT_FILE, Choice, GivenOnce, WholeRange, compiled
from stdeval.files import Input
from stdeval.formats.groups import Groups, read_groups
from stdeval.measures.names import SCHEME_LETTERS, split_scheme

if TYPE_CHECKING:
    from stdeval.table import ScoreTable

SCHEME_CHOICES = tuple(SCHEME_LETTERS.lower())
"""The names of the schemes on the command line; `stdeval.standardization.schemes.SCHEMES` explains them."""


FLATTERING = "each group has other reference runs, which flatters a strong group"
"""The reason why --leave-out group does not show which run is the best."""


class LeaveOut(NamedTuple):
    """The runs that are left out of the reference runs of each run: the run itself, or all runs of its group.

    Parameters
    ----------
    groups : Groups or None
        From a file.
    pattern : re.Pattern or None
        Matches the group at the beginning of the names of runs. If both are None, only the run is left out.
    known : tuple of str
        Runs that the file of the groups may name, although they are not evaluated.
    """

    groups: Groups | None = None
    pattern: re.Pattern[str] | None = None
    known: tuple[str, ...] = ()


def why_no_best_run(leave_out: LeaveOut | None, table: ScoreTable) -> str:
    """Return the reason why standardized scores do not tell the best run; empty if there is none.

    Parameters
    ----------
    leave_out : LeaveOut or None
        The runs that are left out now; None if there are none.
    table : ScoreTable
        Raw scores, or stored scores that were standardized before.
    """
    by_group = leave_out is not None and leave_out != LeaveOut(known=leave_out.known)
    made, is_standardized = table.origin.standardization, any(split_scheme(name)[0] for name in table.measures)
    was_by_group = is_standardized and made is not None and "leave-out:group" in " ".join(made.adjustments)
    return FLATTERING if by_group or was_by_group else ""


class StandardizationOptions(NamedTuple):
    """How scores are standardized: the files of the factors, and the parameters of the schemes.

    Parameters
    ----------
    factor_files : tuple of str
        Empty if the runs are their own reference runs.
    A, B : float
        Slope and mean of scheme U.
    censor : bool
        Keep scores of scheme U within [0, 1].
    digits : int or None
        Number of decimals to which raw scores are rounded first; None for no rounding.
    leave_out : LeaveOut or None
        None if runs that are their own reference runs are standardized by all runs.
    """

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
    """Return the option that names schemes, as ``schemes``, or a single one, as ``scheme``.

    Parameters
    ----------
    meaning : str
        The help of the option.
    default : tuple of str or str
        If it is empty, the command decides.
    shown : str or bool
        The default in words; True to show it as it is.
    raw : bool
        True if raw scores are one of the choices.
    multiple : bool
        True if several schemes may be named.
    """
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
    """Return a decorator that gives a command ``standardization``, and ``schemes``, shown side by side.

    Parameters
    ----------
    default : tuple of str
        The default schemes; empty: those of `default_schemes`.
    raw : bool
        True if raw scores are one of the choices.
    """
    meaning = (
        "How to standardize: z (z score), n (normal), u (uniform), e (empirical), m (empirical with mid-ranks). "
        "Repeatable."
    )
    schemes = scheme_option(meaning, default=default, shown=True if default else "raw; n with -F", raw=raw)
    return _with_standardization_options(stacked(_factors_option, _leave_out_options, schemes, _parameter_options))
