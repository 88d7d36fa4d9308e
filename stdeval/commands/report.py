"""`stdeval report`: an evaluation as one self-contained HTML page."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import click
import numpy as np

from stdeval.commands.inputs import Inputs
from stdeval.commands.options import (
    alpha_option,
    baseline_option,
    factor_options,
    interval_option,
    output_option,
    randomness_options,
    score_inputs,
)
from stdeval.commands.standardization import Standardization
from stdeval.errors import InputError
from stdeval.files import display_name, output
from stdeval.html import Evaluated, References, Settings, Sources, report
from stdeval.measures.names import kind_of
from stdeval.plots.style import require_matplotlib
from stdeval.standardization import align, fit_factors
from stdeval.table import Factors, ScoreTable

MEASURES = ("map", "P_10", "ndcg_cut_10")
"""The measures of a report when none is named, except those without factors."""


class _KeepArguments(click.Command):
    """A command that passes its arguments, as they were typed, to its function as the context's object."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.obj = tuple(args)
        return super().parse_args(ctx, args)


@click.command("report", cls=_KeepArguments)
@click.pass_obj
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
    arguments: tuple[str, ...],
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
    require_matplotlib()  # refuse now, not after a long computation
    settings = Settings(confidence, alpha, n_resamples, seed)
    asked = _with_default_measures(inputs, standardization)
    raw, standardized, messages = _scores(asked, standardization, scheme)
    factors = fit_factors(raw) if standardization.factors is None else standardization.factors
    evaluated = Evaluated(
        raw,
        standardized,
        scheme.upper(),
        reference_facts(factors, raw),
        _sources(arguments, asked, standardization, raw, messages),
        settings,
        None if baseline is None else inputs.system(baseline, raw.systems),
        # the score of a z score of 0
        neutral={"z": 0.0, "u": standardization.uniform["B"]}.get(scheme, 0.5),
    )
    page = report(evaluated, title, date)
    with output(output_path) as out:
        out.write(page)


def _with_default_measures(inputs: Inputs, standardization: Standardization) -> Inputs:
    """Return the inputs with the measures of a report, if runs are evaluated and no measure is named."""
    if inputs.measures or inputs.from_scores:
        return inputs
    factors = standardization.factors
    return replace(inputs, measures=tuple(name for name in MEASURES if factors is None or name in factors.measures))


def _scores(
    inputs: Inputs, standardization: Standardization, scheme: str
) -> tuple[ScoreTable, ScoreTable, tuple[str, ...]]:
    """Return raw scores, standardized scores, and the warnings about them."""
    with _captured_warnings() as messages:
        table = standardization.raw_scores(inputs)
        names = [name for name in table.measures if kind_of(name) == "score"]
        if not names:
            raise InputError(f"no measure that is a score, only {', '.join(table.measures)}")
        raw = table.select(measures=names)
        standardized = standardization.tables(raw, [scheme])[scheme]
    return raw, standardized, tuple(messages)


@contextmanager
def _captured_warnings() -> Iterator[list[str]]:
    """Collect warnings in a list, which the page shows, and issue them too."""
    messages: list[str] = []
    show = warnings.showwarning

    def collect(message: Warning | str, *rest: object, **more: object) -> None:
        messages.append(str(message))
        show(message, *rest, **more)  # type: ignore[arg-type]

    with warnings.catch_warnings():
        warnings.showwarning = collect
        yield messages


def reference_facts(factors: Factors, raw: ScoreTable) -> References:
    """Return facts about the reference systems on the topics of a table, whose first measure is the main one.

    Parameters
    ----------
    factors : Factors
        Factors of at least the measures of the table.
    raw : ScoreTable
    """
    main = raw.measures[:1]
    mean, sd = (align(array, factors, raw.topics, main)[:, 0] for array in (factors.mean, factors.sd))
    here = np.isin(factors.topics, raw.topics)
    n = factors.n[here]
    known = n[n > 0]
    return References(
        mean,
        sd,
        n_topics=int(here.sum()),
        n_systems=(int(known.min()), int(known.max())) if known.size else None,
        n_constant=int((factors.sd[here] == 0).any(axis=1).sum()),
    )


def _sources(
    arguments: tuple[str, ...],
    inputs: Inputs,
    standardization: Standardization,
    raw: ScoreTable,
    messages: tuple[str, ...],
) -> Sources:
    """Return the files, the options in words, and the numbers of judged documents."""
    options = {
        "-c, topics that a run lacks count 0": inputs.complete,
        f"-l {inputs.level}, relevant from judgment {inputs.level} on": inputs.level != 1,
        f"-M {inputs.depth}, the first {inputs.depth} documents": inputs.depth,
        "-J, judged documents only": inputs.judged_only,
        "--binary, gains of 0 and 1": inputs.binary,
        f"--round {standardization.digits}, raw scores rounded": standardization.digits is not None,
    }
    return Sources(
        shlex.join(["stdeval", "report", *arguments]),
        None if inputs.from_scores else display_name(inputs.files[0]),
        inputs.score_files if inputs.from_scores else inputs.files[1:],
        standardization.factor_files,
        "; ".join(option for option, given in options.items() if given),
        {} if inputs.from_scores else _judged(inputs, raw.topics),
        messages,
    )


def _judged(inputs: Inputs, topics: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Return the number of judged and of relevant documents of each topic."""
    qrels = inputs.qrels
    return {
        topic: (
            sum(judgment >= 0 for judgment in qrels[topic].values()),
            sum(judgment >= inputs.level for judgment in qrels[topic].values()),
        )
        for topic in topics
    }
