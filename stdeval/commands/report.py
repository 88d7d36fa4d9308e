"""`stdeval report`: an evaluation as one self-contained HTML page."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from stdeval.commands.options import (
    alpha_option,
    baseline_option,
    factor_options,
    interval_option,
    output_option,
    randomness_options,
    score_inputs,
)

if TYPE_CHECKING:
    from stdeval.commands.inputs import Inputs
    from stdeval.commands.standardization import Standardization
    from stdeval.html import Evaluated, Settings, Sources
    from stdeval.table import ScoreTable

MEASURES = ("map", "P_10", "ndcg_cut_10")
"""What a report is about when no measure is named, as far as there are factors."""


class _Remembering(click.Command):
    """A command that remembers its arguments as they were given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["stdeval.arguments"] = tuple(args)
        return super().parse_args(ctx, args)


@click.command("report", cls=_Remembering)
@score_inputs
@factor_options
@click.option(
    "--scheme",
    type=click.Choice(["z", "n", "u", "e"], case_sensitive=False),
    default="n",
    show_default=True,
    help="How to standardize: z score, normal, uniform, empirical.",
)
@baseline_option
@interval_option(0.95, "Confidence of the t intervals.")
@alpha_option
@randomness_options
@click.option("--title", metavar="TEXT", help="The title of the page.")
@click.option("--date", metavar="TEXT", help="Stands below the title; no date is shown by itself.")
@output_option
def command(
    inputs: Inputs,
    standardization: Standardization,
    scheme: str,
    baseline: str | None,
    confidence: float,
    alpha: float,
    n_resamples: int,
    seed: int,
    title: str | None,
    date: str | None,
    output_path: str | None,
) -> None:
    """Report an evaluation as one HTML page.

    What was evaluated, means raw and standardized with their intervals and significance groups, all scores, the
    topics, where each run gains and loses, and with --baseline how the others compare. The page is one file
    that needs no network. Pictures and the closer look are by the first measure; without -m the measures are map,
    P_10 and ndcg_cut_10. Needs matplotlib: pip install 'stdeval[plot]'.
    """
    from stdeval.files import output
    from stdeval.html import Settings, report
    from stdeval.plots.style import sheet, style

    with style(sheet("page").font):
        pass  # without matplotlib refused now, not after a long computation
    settings = Settings(confidence, alpha, n_resamples, seed)
    page = report(_evaluated(inputs, standardization, scheme, baseline, settings), title, date)
    with output(output_path) as out:
        out.write(page)


def _evaluated(
    inputs: Inputs, standardization: Standardization, scheme: str, baseline: str | None, settings: Settings
) -> Evaluated:
    from stdeval.html import Evaluated
    from stdeval.standardization import fit_factors

    asked = _with_measures(inputs, standardization)
    told: list[str] = []
    with _overheard(told):
        raw = _scores_of(standardization.raw_scores(asked))
        standardized = standardization.tables(raw, [scheme])[scheme]
    factors = fit_factors(raw) if standardization.factors is None else standardization.factors
    return Evaluated(
        raw,
        standardized,
        scheme.upper(),
        factors,
        _sources(asked, standardization, raw, told),
        settings,
        None if baseline is None else inputs.system(baseline, raw.systems),
        standardization.uniform,
    )


def _with_measures(inputs: Inputs, standardization: Standardization) -> Inputs:
    """The inputs with the measures of a report, where none are named and runs are evaluated."""
    if inputs.measures or inputs.from_scores:
        return inputs
    factors = standardization.factors
    known = [name for name in MEASURES if factors is None or name in factors.measures]
    return replace(inputs, measures=tuple(known))


def _scores_of(table: ScoreTable) -> ScoreTable:
    """Those of the measures that are scores."""
    from stdeval.errors import InputError
    from stdeval.measures.names import kind_of

    scores = [name for name in table.measures if kind_of(name) == "score"]
    if not scores:
        raise InputError(f"no measure that is a score, only {', '.join(table.measures)}")
    return table.select(measures=scores)


@contextmanager
def _overheard(told: list[str]) -> Iterator[None]:
    """Warnings go to a list too."""
    show = warnings.showwarning

    def listen(message: Warning | str, *rest: object, **more: object) -> None:
        told.append(str(message))
        show(message, *rest, **more)  # type: ignore[arg-type]

    with warnings.catch_warnings():
        warnings.showwarning = listen
        yield


def _sources(inputs: Inputs, standardization: Standardization, raw: ScoreTable, told: list[str]) -> Sources:
    import shlex

    from stdeval.files import display_name
    from stdeval.html import Sources

    options = {
        "-c, topics that a run lacks count 0": inputs.complete,
        f"-l {inputs.level}, relevant from judgment {inputs.level} on": inputs.level != 1,
        f"-M {inputs.depth}, the first {inputs.depth} documents": inputs.depth,
        "-J, judged documents only": inputs.judged_only,
        "--binary, gains of 0 and 1": inputs.binary,
        f"--round {standardization.digits}, raw scores rounded": standardization.digits is not None,
    }
    arguments = click.get_current_context().meta["stdeval.arguments"]
    return Sources(
        shlex.join(["stdeval", "report", *arguments]),
        None if inputs.from_scores else display_name(inputs.files[0]),
        inputs.score_files if inputs.from_scores else inputs.files[1:],
        standardization.factor_files,
        "; ".join(option for option, given in options.items() if given),
        {} if inputs.from_scores else _judged(inputs, raw.topics),
        tuple(told),
    )


def _judged(inputs: Inputs, topics: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Numbers of judged and of relevant documents of each topic."""
    qrels = inputs.qrels
    return {
        topic: (
            sum(judgment >= 0 for judgment in qrels[topic].values()),
            sum(judgment >= inputs.level for judgment in qrels[topic].values()),
        )
        for topic in topics
    }
