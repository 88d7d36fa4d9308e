"""The options of the aggregates over topics and of their intervals. This module loads no numpy either."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import click

from stdeval.commands.options import Command, Decorator, interval_option, randomness_options, stacked
from stdeval.commands.parameter_types import Choice, FiniteRange
from stdeval.summary_rows import AVERAGES


def _aggregate_option(more: tuple[str, ...] = (), meaning: str = "") -> Decorator:
    return click.option(
        "-a",
        "--aggregate",
        "aggregates",
        type=Choice([*AVERAGES, *more]),
        multiple=True,
        default=("am",),
        show_default=True,
        help="Summary over the topics: am, gm, hm (arithmetic, geometric, harmonic mean), egm, ehm (gm and hm, "
        f"adjusted by epsilon), egm-trec (as gm_map of trec_eval), md (median){meaning}. Repeatable.",
    )


aggregate_option = _aggregate_option()
"""Names the aggregates by which systems are ranked."""


class SummaryOptions(NamedTuple):
    """How scores are summarized over topics: the aggregates, and the interval of the arithmetic mean.

    Parameters
    ----------
    aggregates : tuple of str
        Names in `stdeval.stats.aggregates.AGGREGATES`, and ``sd``.
    epsilon : float or None
        Epsilon of the aggregates that have one; None for their defaults.
    confidence : float or None
        Level of the interval of the arithmetic mean; None for no interval.
    interval_method : {"t", "bootstrap"}
    n_resamples, seed : int
        Of the bootstrap.
    interval_of : {"topics", "references", "both"}
        The sample that could have been another one: topics, references, or both.
    """

    aggregates: tuple[str, ...]
    epsilon: float | None
    confidence: float | None
    interval_method: str
    n_resamples: int
    seed: int
    interval_of: str = "topics"

    @property
    def level_named(self) -> str:
        """The level of the interval as the names of its lines have it: empty for 0.95, the usual one."""
        return "" if self.confidence in (None, 0.95) else f".level={self.confidence:g}"


_aggregate_options = stacked(
    _aggregate_option(("sd",), ", sd (standard deviation)"),
    click.option(
        "--epsilon",
        type=FiniteRange(0, min_open=True),
        metavar="E",
        help="Epsilon of egm, egm-trec and ehm.  [default: 0.01; 1e-5 for egm-trec]",
    ),
    interval_option(None, "Also print the confidence interval of the arithmetic mean at LEVEL, such as 0.95."),
)
_interval_method_options = stacked(
    click.option(
        "--ci-method",
        "interval_method",
        type=Choice(["t", "bootstrap"]),
        default="t",
        show_default=True,
        help="Interval by Student's t distribution (t) or by resampling the topics (bootstrap).",
    ),
    randomness_options,
)
_interval_of_option = click.option(
    "--ci-of",
    "interval_of",
    type=Choice(["topics", "references", "both"]),
    default="topics",
    show_default=True,
    help="Interval over other topics, other reference runs, or both (always by resampling).",
)


def _with_summary_options(options: Decorator) -> Decorator:
    def decorate(command: Command) -> Command:
        @options
        @functools.wraps(command)
        def with_summary_options(
            *,
            aggregates: tuple[str, ...],
            epsilon: float | None,
            confidence: float | None,
            interval_method: str,
            n_resamples: int,
            seed: int,
            interval_of: str = "topics",
            **others: Any,
        ) -> Any:
            given = SummaryOptions(aggregates, epsilon, confidence, interval_method, n_resamples, seed, interval_of)
            _check_summary_options(given)
            return command(summaries=given, **others)

        return with_summary_options

    return decorate


summary_options = _with_summary_options(stacked(_aggregate_options, _interval_method_options))
"""Give a command the options of aggregates and intervals, as ``summaries``."""

standardized_summary_options = _with_summary_options(
    stacked(_aggregate_options, _interval_of_option, _interval_method_options)
)
"""The same for a command that summarizes standardized scores, which depend on the references too."""


def _check_summary_options(options: SummaryOptions) -> None:
    """Refuse an interval of a mean that is not printed, or from too few resamples."""
    if options.confidence is not None and "am" not in options.aggregates:
        raise click.UsageError("--ci is the interval of the arithmetic mean, expected -a am too")
    if options.confidence is not None and (options.interval_of, options.interval_method) != ("topics", "t"):
        _check_resamples(options.n_resamples, options.confidence)


def _check_resamples(n: int, confidence: float) -> None:
    """Refuse fewer resamples than the quantiles at the ends of an interval need."""
    least = math.ceil(round(2 / (1 - confidence), 9)) - 1
    if n < least:
        expected = f"expected at least {least} for {100 * confidence:g}% intervals"
        raise click.UsageError(f"--resamples {n}: {expected}")
