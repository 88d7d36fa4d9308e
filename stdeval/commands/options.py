"""The options that commands share, each defined here and only here."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]

_output = click.option(
    "-o", "--output", "output_path", metavar="FILE", help="Write to FILE, whole or not at all, instead of stdout."
)
_style = click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(["text", "table", "csv"]),
    default="text",
    show_default=True,
    help="text: as trec_eval; table: a row per run, to read; csv: full precision, always per topic.",
)
_per_topic = click.option("-q", "per_topic", is_flag=True, help="Scores of each topic too.")
_no_summary = click.option("-n", "no_summary", is_flag=True, help="No summary over all topics.")


def _stacked(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


output_option = _output
output_options = _stacked(_per_topic, _no_summary, _style, _output)
baseline_option = click.option(
    "--baseline", metavar="RUN", help="The run to compare with: its name, or its file as it is given."
)
alpha_option = click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance.",
)
_seed = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of what is drawn at random."
)
_resamples = click.option(
    "--resamples",
    "n_resamples",
    type=click.IntRange(1, 10**7),
    default=10_000,
    show_default=True,
    help="Number of resamples of what is drawn at random.",
)
randomness_options = _stacked(_resamples, _seed)


def interval_option(default: float | None, meaning: str) -> Callable[[Command], Command]:
    """The option that gives the confidence of an interval, as ``confidence``."""
    return click.option(
        "--ci",
        "confidence",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=default,
        show_default=default is not None,
        metavar="LEVEL",
        help=meaning,
    )


def schemes_option(shown: str, *, raw: bool = True) -> Callable[[Command], Command]:
    """The option that names the schemes shown side by side, as ``schemes``; the default, in words, is empty."""
    return click.option(
        "--scheme",
        "schemes",
        type=click.Choice([*(["raw"] if raw else []), "z", "n", "u", "e"], case_sensitive=False),
        multiple=True,
        show_default=shown,
        help="What is shown side by side: raw scores, z score, normal, uniform, empirical; repeatable.",
    )


measure_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure, as map, P.5,10, P_10, nDCG@10 or official; repeatable.",
)

_factors = click.option(
    "-F",
    "--factors",
    "factor_files",
    multiple=True,
    metavar="FILE",
    help="Standardization factors: our CSV, a zscores_file, reference scores; or, given twice, the published "
    "means, then standard deviations.",
)
_affine = click.option(
    "--ab", metavar="A,B", default="0.15,0.5", show_default=True, help="Slope and mean of scheme u."
)
_uncensored = click.option("--no-censor", is_flag=True, help="Let scores of scheme u leave [0, 1].")
_rounding = click.option(
    "--round",
    "digits",
    type=click.IntRange(min=0, max=15),
    metavar="DIGITS",
    help="Round raw scores first, for factors made from rounded scores.",
)

_score_options = _stacked(
    click.argument("files", nargs=-1, metavar="[QRELS RUN...]"),
    click.option(
        "--scores",
        "score_files",
        multiple=True,
        metavar="FILE",
        help="Take scores from a CSV instead of QRELS RUN...; repeatable.",
    ),
    measure_option,
    click.option("-c", "complete", is_flag=True, help="Topics that a run lacks count 0, over all topics of QRELS."),
    click.option(
        "-l",
        "level",
        type=click.IntRange(min=1),
        default=1,
        metavar="LEVEL",
        help="A document is relevant from judgment LEVEL on.  [default: 1]",
    ),
    click.option(
        "-M",
        "depth",
        type=click.IntRange(min=1),
        metavar="DEPTH",
        help="Only the first DEPTH documents of a topic.",
    ),
    click.option("-J", "judged_only", is_flag=True, help="Only judged documents."),
    click.option(
        "--label",
        type=click.Choice(["tag", "file"]),
        default="tag",
        show_default=True,
        help="Name runs by their tag or their file.",
    ),
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Worker processes.  [default: all cores; 1 for few or small runs]",
    ),
    click.option("--dask", metavar="ADDRESS", help="Score runs on the Dask cluster whose scheduler is there."),
)


def score_inputs(command: Command) -> Command:
    """Give a command the arguments and options that say which scores it works on, as ``inputs``."""

    @functools.wraps(command)
    def with_inputs(**parameters: Any) -> Any:
        from stdeval.commands.inputs import Inputs

        names = [field.name for field in dataclasses.fields(Inputs)]
        return command(Inputs(**{name: parameters.pop(name) for name in names}), **parameters)

    return _score_options(with_inputs)


def standardization_options(schemes: tuple[str, ...]) -> Callable[[Command], Command]:
    """Give a command the options of standardization, as ``standardization``.

    Parameters
    ----------
    schemes : tuple of str
        The default schemes; with ``raw`` among them, raw scores are one of the choices.
    """
    choices = ["raw", "z", "n", "u", "e"] if "raw" in schemes else ["z", "n", "u", "e"]
    scheme = click.option(
        "--scheme",
        "schemes",
        type=click.Choice(choices, case_sensitive=False),
        multiple=True,
        default=schemes,
        show_default=True,
        help="How to standardize: z score, normal, uniform, empirical; repeatable.",
    )

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_standardization(*arguments: Any, **parameters: Any) -> Any:
            from stdeval.commands.standardization import Standardization

            names = [field.name for field in dataclasses.fields(Standardization)]
            given = Standardization(**{name: parameters.pop(name) for name in names})
            return command(*arguments, standardization=given, **parameters)

        return _stacked(_factors, scheme, _affine, _uncensored, _rounding)(with_standardization)

    return decorate


def factor_options(command: Command) -> Command:
    """The same for a command that learns the schemes from somewhere else than ``--scheme``."""

    @functools.wraps(command)
    def with_factors(*arguments: Any, **parameters: Any) -> Any:
        from stdeval.commands.standardization import Standardization

        names = [field.name for field in dataclasses.fields(Standardization) if field.name != "schemes"]
        given = Standardization(**{name: parameters.pop(name) for name in names})
        return command(*arguments, standardization=given, **parameters)

    return _stacked(_factors, _affine, _uncensored, _rounding)(with_factors)
