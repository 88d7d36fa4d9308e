"""The options that the experiments share, as one object."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from stdeval.commands.options import Command, output_option, score_inputs, seed_option, standardization_options

if TYPE_CHECKING:
    from stdeval.commands.inputs import Inputs

NOTHING_RANDOM = 0
"""Trials of an experiment that draws nothing at random."""

style_option = click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(["text", "csv"]),
    default="text",
    show_default=True,
    help="text: aligned, to read; csv: full precision, one row per cell.",
)
trials_out_option = click.option(
    "--trials-out", "trials_path", metavar="FILE", help="Write the result of each trial to FILE, as CSV."
)
unpaired_option = click.option("--unpaired", is_flag=True, help="Welch's t test instead of the paired one.")


def trials_option(default: int) -> Callable[[Command], Command]:
    """The option that says how many random trials there are, as ``n_trials``."""
    return click.option(
        "--trials",
        "n_trials",
        type=click.IntRange(1, 10**7),
        default=default or None,
        show_default=bool(default),
        metavar="N",
        help="Number of random trials." if default else "Taken as elsewhere; nothing is drawn at random here.",
    )


def alphas_option(default: tuple[float, ...], shown: str) -> Callable[[Command], Command]:
    """The option that names levels of significance, as ``alphas``; ``shown`` is the default in words."""
    return click.option(
        "--alpha",
        "alphas",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        multiple=True,
        default=default,
        show_default=shown,
        metavar="LEVEL",
        help="Level of significance; repeatable.",
    )


def experiment_options(trials: int, schemes: tuple[str, ...] = ("raw",)) -> Callable[[Command], Command]:
    """Give a command what all experiments take, as ``experiment`` and ``standardization``.

    Parameters
    ----------
    trials : int
        The default number of random trials; `NOTHING_RANDOM` where there are none.
    schemes : tuple of str
        The default schemes.
    """

    def decorate(command: Command) -> Command:
        @score_inputs
        @standardization_options(schemes)
        @trials_option(trials)
        @seed_option
        @style_option
        @output_option
        @functools.wraps(command)
        def with_experiment(
            inputs: Inputs,
            n_trials: int | None,
            seed: int,
            style: str,
            output_path: str | None,
            **parameters: Any,
        ) -> Any:
            from stdeval.commands.meta.experiment import Experiment

            drawn = (n_trials or 0) if trials else NOTHING_RANDOM
            return command(experiment=Experiment(inputs, seed, drawn, style, output_path), **parameters)

        return with_experiment

    return decorate
