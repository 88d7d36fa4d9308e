"""The aggregates that experiments compare, each with its epsilon."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from stdeval.commands.options import Command, aggregate_option

if TYPE_CHECKING:
    from stdeval.table import Floats


@dataclass(frozen=True)
class Method:
    """An aggregate with its epsilon, NaN where it has none."""

    aggregate: str
    epsilon: float
    function: Callable[[Floats], Floats]


def methods(aggregates: Sequence[str], epsilons: Sequence[float]) -> list[Method]:
    """Every aggregate, those that have an epsilon once with each, or with their own if none is given."""
    from stdeval.errors import InputError
    from stdeval.stats.aggregates import AGGREGATES

    for epsilon in epsilons:
        if not 0 < epsilon < float("inf"):
            raise InputError(f"epsilon {epsilon}, expected a number above 0")
    found = []
    for row in (AGGREGATES[name] for name in dict.fromkeys(aggregates)):
        if row.epsilon is None:
            found.append(Method(row.name, float("nan"), row.function))
        else:
            for epsilon in dict.fromkeys(epsilons or [row.epsilon]):
                found.append(Method(row.name, epsilon, partial(row.function, epsilon=epsilon)))
    return found


def method_options(command: Command) -> Command:
    """Give a command the options that name aggregates, as ``chosen``, a list of `Method`."""

    @aggregate_option
    @click.option(
        "--epsilon",
        "epsilons",
        type=float,
        multiple=True,
        metavar="E",
        help="Of egm, egm-trec and ehm; repeatable.  [default: 0.01, of egm-trec 1e-5]",
    )
    @functools.wraps(command)
    def with_methods(*arguments: Any, aggregates: tuple[str, ...], epsilons: tuple[float, ...], **rest: Any) -> Any:
        return command(*arguments, chosen=methods(aggregates, epsilons), **rest)

    return with_methods
