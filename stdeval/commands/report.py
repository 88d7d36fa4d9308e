"""`stdeval report`: an evaluation as one self-contained HTML page."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from stdeval import html, notices, provenance
from stdeval.cli import options, scoring, standardizing
from stdeval.cli.declarations import stdeval_command, warnings_so_far
from stdeval.cli.options import option
from stdeval.cli.output import ENDINGS, output_option
from stdeval.errors import InputError, unscored, warn
from stdeval.files import display_name, output, plain_name
from stdeval.measures import names as measure_names
from stdeval.standardization import factors as references
from stdeval.stats import aggregates, pairwise

if TYPE_CHECKING:
    from stdeval.standardization.factors import Factors
    from stdeval.table import ScoreTable

MEASURES = ("map", "P_10", "ndcg_cut_10")
"""The measures of a report when neither measures nor factors are named."""

JUDGED = ("judged_10", "num_ret")
"""The measures that show how many of the first documents are judged."""


@stdeval_command("report", "-F factors.csv --baseline new-b -o report.html qrels.gz new-*.run.gz")
@options.input_options
@options.factor_options(options.leave_out_options, options.parameters_of_u)
@options.scheme_option(
    "As 'stdeval standardize'.", show_default="n; raw of fewer than five runs without -F", multiple=False
)
@options.baseline_option
@options.test_option
@options.correction_option
@options.interval_option("Confidence of the t intervals of means; that of differences is 1 - alpha.", default=0.95)
@options.alpha_option
@options.randomness_options
@option("--title TEXT", "The title of the page.")
@option("--date TEXT", "The date below the title; without it there is none.")
@output_option
@click.pass_obj
def command(
    arguments: tuple[str, ...],
    /,
    inputs: options.InputOptions,
    standardization: options.StandardizationOptions,
    scheme: str | None,
    baseline: str | None,
    title: str | None,
    date: str | None,
    output_path: str,
    confidence: float,
    alpha: float,
    **of_design: Any,
) -> None:
    """Report an evaluation as one HTML page."""
    ending = next(filter(plain_name(output_path).lower().endswith, ENDINGS), None)
    if ending is not None:
        raise click.UsageError(f"-o {output_path}: HTML is written, expected a name that does not end in {ending}")
    # refuse now, not after a long computation
    if not all(map(find_spec, ("jinja2", "matplotlib"))):
        raise InputError("reports need Jinja2 and matplotlib: pip install 'stdeval[report]'")
    design, factors = pairwise.Design(**of_design), standardizing.factors_of(standardization)
    is_unnamed = factors is None and not inputs.measures and not scoring.takes_scores(inputs)
    asked = inputs._replace(measures=MEASURES) if is_unnamed else inputs
    # With -J, all documents that count are judged.
    beside = () if inputs.evaluation.judged_only else JUDGED
    everything = standardizing.raw_scores(asked, standardization, factors, beside=beside, compares=True)
    judged, n_documents = (everything.measure(each) if each in everything.measures else None for each in JUDGED)
    # Topics without documents have no share: with -c, they are scored, too.
    if judged is not None and n_documents is not None:
        judged = np.where(n_documents > 0, judged, np.nan)
    raw = _scores_of_report(asked, everything, factors)
    scheme = scheme or ("raw" if standardizing.is_raw_by_default(raw, factors) else "n")
    standardized = standardizing.shown_scores(raw, [scheme], standardization, factors)[scheme]
    standardizing.require_scores(standardized, scheme)
    is_raw = scheme == "raw"
    A, B, is_censored = standardization.of_u.values()
    sources = _sources(arguments, asked, standardization, raw)
    evaluated = html.Evaluated(
        raw,
        None if is_raw else standardized,
        scheme if is_raw else scheme.upper(),
        None if is_raw else _references(references.fit_factors(raw) if factors is None else factors, raw),
        sources,
        None if baseline is None else scoring.system_index(inputs, baseline, raw.systems),
        design,
        None if judged is None else aggregates.arithmetic_mean(judged),
        # the score of a system whose z score is 0
        neutral={"z": 0.0, "u": B}.get(scheme, 0.5),
        slope=A,
        censored=is_censored,
        confidence=confidence,
        alpha=alpha,
    )
    scoring.compared_runs(evaluated.has, raw.systems)
    compared = {each.kind.measure: each.tests[2:4] for each in evaluated.results}
    smallest = pairwise.smallest_possible(compared, int(evaluated.ranked.sum()), evaluated.decided)
    warn(notices.unreachable(smallest, alpha))
    shown = ["raw", scheme]
    sources.signature = standardizing.standardized_signature(asked, raw, shown, standardization, factors)
    sources.warnings = tuple(warnings_so_far())
    with output(output_path) as out:
        out.write(html.report(evaluated, title, date))


def _scores_of_report(inputs: options.InputOptions, table: ScoreTable, factors: Factors | None) -> ScoreTable:
    """Return the measures of the report, as typed: without counts, and without judged documents that none named."""
    known = table.measures if factors is None else factors.measures
    named = [] if scoring.takes_scores(inputs) else [each.name for each in measure_names.resolve(inputs.measures)]
    kept = {name for name in named or known if name in known}
    shown = [name for name in scoring.as_typed(table, inputs, "csv").measures if name in kept or name not in JUDGED]
    names = [name for name in shown if measure_names.kind_of(name) == "score"]
    others = [name for name in shown if name not in names]
    if not names:
        raise InputError(unscored(others))
    warn(notices.unscored(others))
    if not measure_names.is_better_higher(names[0]):
        found = f"runs are ranked by the first measure, but {names[0]} is better if it is lower"
        raise InputError(f"{found}; expected a measure that is better if it is higher")
    return table.select(measures=names)


def _references(factors: Factors, raw: ScoreTable) -> html.References:
    """Return facts about the reference systems on the topics of a table, whose first measure is the main one."""
    align, main = references.align, raw.measures[:1]
    mean, sd = (align(array, factors, raw.topics, main)[:, 0] for array in (factors.mean, factors.sd))
    here = np.isin(factors.topics, raw.topics)
    known = factors.n[here][factors.n[here] > 0]
    numbers = (int(known.min()), int(known.max())) if known.size else None
    return html.References(mean, sd, int(here.sum()), numbers, int((factors.sd[here] == 0).any(axis=1).sum()))


def _sources(
    arguments: tuple[str, ...], inputs: options.InputOptions, how: options.StandardizationOptions, raw: ScoreTable
) -> html.Sources:
    is_stored = scoring.takes_scores(inputs)
    used = provenance.used_options(scoring.origin_of(inputs, raw), raw.measures)
    named = ", ".join(sorted(text or "the default options" for text in used))
    shown = [f"scores computed with {named}" if is_stored else named] if used - {""} else []
    if inputs.best is not None:
        shown.append(f"--best {inputs.best} by {scoring.ranking_measure(inputs, raw)}")
    if how.leave_out is not None:
        shown.append(f"--leave-out {how.leave_out}")
    judged = {}
    if not is_stored:
        # relevant for the first measure
        qrels, level = scoring.judgments(inputs), measure_names.level_of(raw.measures[0], inputs.evaluation.level)
        for topic in raw.topics:
            levels = qrels[topic].values()
            judged[topic] = sum(each >= 0 for each in levels), sum(each >= level for each in levels)
    return html.Sources(
        shlex.join(["stdeval", "report", *arguments]),
        None if is_stored else display_name(inputs.files[0]),
        tuple(file.path for file in inputs.score_files) or inputs.files[1:],
        how.factor_files,
        "; ".join(shown),
        judged,
    )
