"""The options that experiments share."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import click

from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.meta.experiment import NOTHING_RANDOM, Experiment
from stdeval.commands.options import (
    Command,
    Decorator,
    OutputOptions,
    format_options,
    seed_option,
    stacked,
)
from stdeval.commands.parameter_types import ALPHA, OUTPUT_FILE, FiniteRange, WholeRange
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    default_schemes,
    standardization_options,
)
from stdeval.commands.summary_options import aggregate_option
from stdeval.stats.aggregates import AGGREGATES, Transform
from stdeval.table import Floats

trials_out_option = click.option(
    "--trials-out",
    "trials_path",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write the result of each trial to FILE, as CSV; - is stdout, if -o names a file.",
)


def table_format_options(command: Command) -> Command:
    """Add the options for the output format and file, passed as ``to``. The format text is the same as table."""

    @format_options("as table")
    @functools.wraps(command)
    def with_table(*, to: OutputOptions, **others: Any) -> Any:
        return command(to=to._replace(format="table") if to.format == "text" else to, **others)

    return with_table


def trials_option(default: int) -> Decorator:
    """Return the option that gives the number of random trials, as ``n_trials``."""
    return click.option(
        "--trials",
        "n_trials",
        type=WholeRange(1, 10**7),
        default=default,
        show_default=True,
        metavar="N",
        help="Number of random trials.",
    )


def alphas_option(default: tuple[float, ...], shown: str) -> Decorator:
    """Return the option that names levels of significance, as ``alphas``; ``shown`` is the default in words."""
    return click.option(
        "--alpha",
        "alphas",
        type=ALPHA,
        multiple=True,
        default=default,
        show_default=shown,
        help="Level of significance; repeatable.",
    )


def experiment_options(
    default_trials: int, schemes: tuple[str, ...] = (), inputs: Decorator = input_options
) -> Decorator:
    """Give a command the options that all experiments have, as ``experiment``.

    Parameters
    ----------
    default_trials : int
        The default number of random trials; `NOTHING_RANDOM` if there are none, and so no options for them.
    schemes : tuple of str
        The default schemes; empty: those of `default_schemes`.
    inputs : decorator
        Gives the command the options of its input, as ``inputs``.
    """
    drawing: list[Decorator] = (
        [] if default_trials == NOTHING_RANDOM else [trials_option(default_trials), seed_option]
    )
    options = stacked(*drawing, table_format_options)
    input_decorator = inputs

    def decorate(command: Command) -> Command:
        @input_decorator
        @standardization_options(schemes)
        @options
        @functools.wraps(command)
        def with_experiment(
            *,
            inputs: InputOptions,
            standardization: StandardizationOptions,
            schemes: tuple[str, ...],
            to: OutputOptions,
            n_trials: int = NOTHING_RANDOM,
            seed: int = 0,
            **others: Any,
        ) -> Any:
            named = default_schemes(schemes, standardization)
            experiment = Experiment(inputs, standardization, named, seed, n_trials, to)
            return command(experiment=experiment, **others)

        return with_experiment

    return decorate


class Method(NamedTuple):
    """An aggregate with its epsilon, NaN if it has none."""

    aggregate: str
    epsilon: float
    function: Callable[[Floats], Floats]
    transform: Transform | None


def method_options(command: Command) -> Command:
    """Give a command the options that name aggregates, as ``methods``, a list of `Method`."""

    @aggregate_option
    @click.option(
        "--epsilon",
        "epsilons",
        type=FiniteRange(0, min_open=True),
        multiple=True,
        metavar="E",
        help="Of egm, egm-trec and ehm; repeatable.  [default: 0.01, of egm-trec 1e-5]",
    )
    @functools.wraps(command)
    def with_methods(*, aggregates: tuple[str, ...], epsilons: tuple[float, ...], **others: Any) -> Any:
        return command(methods=_methods(aggregates, epsilons), **others)

    return with_methods


def _methods(aggregates: Sequence[str], epsilons: Sequence[float]) -> list[Method]:
    """Return the aggregates; those with an epsilon once for each epsilon named, or once with their default."""
    methods = []
    for row in (AGGREGATES[name] for name in dict.fromkeys(aggregates)):
        if row.epsilon is None:
            transform = None if row.transform is None else row.transform()
            methods.append(Method(row.name, math.nan, row.function, transform))
        else:
            for epsilon in dict.fromkeys(epsilons or [row.epsilon]):
                transform = None if row.transform is None else row.transform(epsilon)
                methods.append(Method(row.name, epsilon, partial(row.function, epsilon=epsilon), transform))
    return methods
