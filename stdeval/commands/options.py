"""The options that commands share, each defined here and only here."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

Command = Callable[..., Any]

output_option = click.option(
    "-o", "--output", "output_path", metavar="FILE", help="Write to FILE, whole or not at all, instead of stdout."
)
_per_topic = click.option("-q", "per_topic", is_flag=True, help="Scores of each topic too.")
no_summary_option = click.option("-n", "no_summary", is_flag=True, help="No summary over all topics.")


def style_option(meaning: str, *more: str) -> Callable[[Command], Command]:
    """The option that names the format: text, table, csv, and ``more``; ``meaning`` is its help."""
    return click.option(
        "-f",
        "--format",
        "style",
        type=click.Choice(["text", "table", "csv", *more]),
        default="text",
        show_default=True,
        help=meaning,
    )


def _stacked(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


output_options = _stacked(
    _per_topic,
    no_summary_option,
    style_option("text: as trec_eval; table: a row per run, to read; csv: full precision, always per topic."),
    output_option,
)


class _Numbers(click.FloatRange):
    """A range of numbers; click's own lets NaN and infinities in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


baseline_option = click.option(
    "--baseline", metavar="RUN", help="The run to compare with: its name, or its file as it is given."
)
alpha_option = click.option(
    "--alpha",
    type=_Numbers(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance.",
)
seed_option = click.option(
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
randomness_options = _stacked(_resamples, seed_option)
test_option = click.option(
    "--test",
    type=click.Choice(["t", "wilcoxon", "sign", "permutation", "bootstrap"]),
    default="t",
    show_default=True,
    help="The paired test: Student's t, Wilcoxon's signed ranks, sign, Fisher's randomization, shifted bootstrap.",
)


def interval_option(default: float | None, meaning: str) -> Callable[[Command], Command]:
    """The option that gives the confidence of an interval, as ``confidence``."""
    return click.option(
        "--ci",
        "confidence",
        type=_Numbers(0, 1, min_open=True, max_open=True),
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

aggregate_option = click.option(
    "-a",
    "--aggregate",
    "aggregates",
    type=click.Choice(["am", "gm", "egm", "egm-trec", "hm", "ehm", "md"]),
    multiple=True,
    default=("am",),
    show_default=True,
    help="How scores are summarized over topics: arithmetic, geometric and harmonic mean, the last two also "
    "adjusted by epsilon, geometric as trec_eval's gm_map, median; repeatable.",
)
_summary_options = _stacked(
    aggregate_option,
    click.option(
        "--epsilon",
        type=_Numbers(0, min_open=True),
        metavar="E",
        help="Of egm, egm-trec and ehm.  [default: 0.01, of egm-trec 1e-5]",
    ),
    interval_option(None, "Print the confidence interval of the arithmetic mean too, as 0.95."),
    click.option(
        "--ci-method",
        "method",
        type=click.Choice(["t", "bootstrap"]),
        default="t",
        show_default=True,
        help="How the interval is computed.",
    ),
    randomness_options,
)


def _limits(_: click.Context, option: click.Parameter, texts: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """The pairs that MEASURE=VALUE means; a value is a plain number."""
    found = []
    for text in texts:
        measure, equals, number = text.rpartition("=")
        if not (measure and equals) or not re.fullmatch(r"-?([0-9]{1,9}(\.[0-9]{0,17})?|\.[0-9]{1,17})", number):
            raise click.BadParameter(f"'{text}', expected MEASURE=VALUE with a plain number, such as map=0.3")
        found.append((measure, float(number)))
    return tuple(found)


_condition_options = _stacked(
    click.option(
        "--min",
        "least",
        callback=_limits,
        multiple=True,
        metavar="MEASURE=VALUE",
        help="The mean is at least VALUE; repeatable.",
    ),
    baseline_option,
    click.option(
        "--max-drop",
        "drops",
        callback=_limits,
        multiple=True,
        metavar="MEASURE=VALUE",
        help="The mean is not lower than the baseline's by more than VALUE; repeatable.",
    ),
    click.option(
        "--not-worse",
        "not_worse",
        multiple=True,
        metavar="MEASURE",
        help="A one-tailed paired test does not find the run worse than the baseline; repeatable.",
    ),
    alpha_option,
)

_design_options = _stacked(
    test_option,
    click.option("--unpaired", is_flag=True, help="Runs of different topics: Student's t test for two samples."),
    click.option("--welch", is_flag=True, help="With --unpaired, variances may differ (Welch)."),
    click.option(
        "--alternative",
        type=click.Choice(["two-sided", "greater", "less"]),
        default="two-sided",
        show_default=True,
        help="greater: the first run of the pair is better.",
    ),
    click.option(
        "--correction",
        type=click.Choice(["none", "bonferroni", "holm", "bh", "tukey"]),
        default="none",
        show_default=True,
        help="How p is adjusted for the number of pairs, measure by measure; tukey: the randomised Tukey HSD.",
    ),
    interval_option(0.95, "Confidence of the t interval of the difference."),
    randomness_options,
)

jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Worker processes.  [default: all cores; 1 for little work]",
)

worker_options = _stacked(
    jobs_option,
    click.option("--dask", metavar="ADDRESS", help="Read runs on the Dask cluster whose scheduler is there."),
)

_source_options = _stacked(
    click.argument("files", nargs=-1, metavar="[QRELS RUN...]"),
    click.option(
        "--scores",
        "score_files",
        multiple=True,
        metavar="FILE",
        help="Take scores from a CSV instead of QRELS RUN...; repeatable.",
    ),
)
_evaluation_options = _stacked(
    click.option("-c", "complete", is_flag=True, help="Topics that a run lacks count 0, over all topics of QRELS."),
    click.option(
        "-l",
        "level",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="LEVEL",
        help="A document is relevant from judgment LEVEL on.",
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
        "--binary", is_flag=True, help="Gains of the DCG family are 1 from judgment LEVEL on, not the judgments."
    ),
    click.option(
        "--label",
        type=click.Choice(["tag", "file"]),
        default="tag",
        show_default=True,
        help="Name runs by their tag or their file.",
    ),
    worker_options,
)


def _collected(kind: str, to: str) -> Callable[[Command], Command]:
    """Give a command the options that are fields of a class ("module.Class") as one object, ``to``."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_object(*arguments: Any, **parameters: Any) -> Any:
            module, _, name = kind.rpartition(".")
            made = getattr(import_module(f"stdeval.{module}"), name)
            names = [field.name for field in dataclasses.fields(made) if field.name in parameters]
            given = made(**{option: parameters.pop(option) for option in names})
            return command(*arguments, **{to: given}, **parameters)

        return with_object

    return decorate


_inputs = _collected("commands.inputs.Inputs", "inputs")
_standardization = _collected("commands.standardization.Standardization", "standardization")
_design = _collected("stats.pairwise.Design", "design")

score_inputs = _stacked(_source_options, measure_option, _evaluation_options, _inputs)
"""Give a command the arguments and options that say which scores it works on, as ``inputs``."""

score_inputs_without_measures = _stacked(_source_options, _evaluation_options, _inputs)
"""The same for a command that learns the measures from somewhere else than ``-m``."""

summary_options = _stacked(_summary_options, _collected("commands.summaries.Summaries", "summaries"))
"""Give a command the options of aggregates and intervals, as ``summaries``."""

design_options = _stacked(_design_options, _design)
"""Give a command the options that say how systems are compared, as ``design``."""

gate_design_options = _stacked(test_option, randomness_options, _design)
"""The same where only the test is to be chosen."""

condition_options = _stacked(_condition_options, _collected("commands.conditions.Conditions", "conditions"))
"""Give a command the options that say what must hold, as ``conditions``."""

factor_options = _stacked(_factors, _affine, _uncensored, _rounding, _standardization)
"""Give a command the options of standardization but the scheme, as ``standardization``."""


def standardization_options(schemes: tuple[str, ...], *, raw: bool = True) -> Callable[[Command], Command]:
    """Give a command the options of standardization, as ``standardization``.

    Parameters
    ----------
    schemes : tuple of str
        The default schemes; none: raw, or n where there are factors.
    raw : bool
        Whether raw scores are one of the choices.
    """
    choices = ["z", "n", "u", "e"]
    scheme = click.option(
        "--scheme",
        "given_schemes",
        type=click.Choice(["raw", *choices] if raw else choices, case_sensitive=False),
        multiple=True,
        default=schemes,
        show_default=True if schemes else "raw, with -F n",
        help="How to standardize: z score, normal, uniform, empirical; repeatable.",
    )
    return _stacked(_factors, scheme, _affine, _uncensored, _rounding, _standardization)
