"""`stdeval report`: an evaluation as one self-contained HTML page."""

from __future__ import annotations

import shlex
from dataclasses import replace

import click
import numpy as np

from stdeval import notices
from stdeval.cli.inputs import as_typed, judgments, ranking_measure, system_index, takes_scores, warn_of_set_aside
from stdeval.cli.messages import warnings_so_far
from stdeval.cli.options import (
    GroupedCommand,
    InputOptions,
    LeaveOut,
    StandardizationOptions,
    alpha_option,
    baseline_option,
    factor_options,
    input_options,
    interval_option,
    output_option,
    randomness_options,
    refuse_other_ending,
    scheme_option,
)
from stdeval.cli.standardizing import factors_of, raw_scores, require_scores, scores_by_scheme, tables_after_warning
from stdeval.cli.summaries import standardized_signature
from stdeval.display import listed, unscored
from stdeval.errors import InputError, warn
from stdeval.files import display_name, output
from stdeval.html import Evaluated, References, Settings, Sources, report, require_libraries
from stdeval.measures.names import is_better_higher, kind_of, level_of, resolve
from stdeval.provenance import used_options
from stdeval.standardization.factors import Factors, align, fit_factors
from stdeval.stats.pairwise import Design
from stdeval.table import Floats, ScoreTable, mean_over_topics

MEASURES = ("map", "P_10", "ndcg_cut_10")
"""The measures of a report when neither measures nor factors are named."""


JUDGED = ("judged_10", "num_ret")
"""The measures by which the page shows how many of the first documents are judged."""


class _KeepArguments(GroupedCommand):
    """A command that passes its arguments, as they were typed, to its function as the context's object."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.obj = tuple(args)
        return super().parse_args(ctx, args)


@click.command(
    "report",
    cls=_KeepArguments,
    epilog="Example: stdeval report -F factors.csv --baseline new-b -o report.html qrels.gz new-*.run.gz",
)
@input_options
@factor_options
@scheme_option(
    "How to standardize: z score, normal, uniform, empirical, empirical with mid-ranks; raw: do not standardize.",
    shown="n; raw for one run without -F",
    multiple=False,
)
@baseline_option
@interval_option(0.95, "Confidence of the t intervals; that of Tukey's intervals is 1 - alpha.")
@alpha_option
@randomness_options
@click.option("--title", metavar="TEXT", help="The title of the page.")
@click.option("--date", metavar="TEXT", help="The date below the title; without it there is none.")
@output_option
@click.pass_obj
def command(
    arguments: tuple[str, ...],
    inputs: InputOptions,
    standardization: StandardizationOptions,
    scheme: str | None,
    baseline: str | None,
    confidence: float,
    alpha: float,
    n_resamples: int,
    seed: int,
    title: str | None,
    date: str | None,
    output_path: str | None,
) -> None:
    """Report an evaluation as one HTML page."""
    refuse_other_ending(output_path, "HTML")
    require_libraries()  # refuse now, not after a long computation
    settings = Settings(confidence, alpha, n_resamples, seed)
    factors = factors_of(standardization)
    asked = _with_default_measures(inputs, factors)
    # With -J, all documents that count are judged.
    beside = () if inputs.judged_only else JUDGED
    everything = raw_scores(asked, standardization, factors, beside=beside, compares=True)
    raw = _only_scores(as_typed(_without_judged(asked, everything, factors), asked, "csv"))
    scheme = scheme or ("raw" if factors is None and len(raw.systems) == 1 else "n")
    standardized = None if scheme == "raw" else _standardized(raw, scheme, standardization, factors)
    signed = standardized_signature(asked, raw, ["raw", scheme], standardization, factors)
    evaluated = Evaluated(
        raw,
        standardized,
        scheme if scheme == "raw" else scheme.upper(),
        None if scheme == "raw" else reference_facts(fit_factors(raw) if factors is None else factors, raw),
        replace(_sources(arguments, asked, standardization, raw), signature=signed),
        settings,
        None if baseline is None else system_index(inputs, baseline, raw.systems),
        _judged_shares(everything),
        neutral=_neutral_score(scheme, standardization),
        slope=standardization.A,
        censored=standardization.censor,
    )
    warn_of_set_aside(evaluated.coverage, raw.systems)
    _warn_of_tests(evaluated)
    evaluated.sources.warnings = tuple(warnings_so_far())
    page = report(evaluated, title, date)
    with output(output_path) as out:
        out.write(page)


def _standardized(
    raw: ScoreTable, scheme: str, standardization: StandardizationOptions, factors: Factors | None
) -> ScoreTable:
    """Return the standardized scores, after the warnings about them; refuse if there are none."""
    table = tables_after_warning(scores_by_scheme(raw, [scheme], standardization, factors))[scheme]
    require_scores(table, scheme)
    return table


def _with_default_measures(inputs: InputOptions, factors: Factors | None) -> InputOptions:
    """Return the inputs with the measures of a report, unless they, the factors or the files have their own."""
    has_measures = factors is not None or inputs.measures or takes_scores(inputs)
    return inputs if has_measures else inputs._replace(measures=MEASURES)


def _neutral_score(scheme: str, standardization: StandardizationOptions) -> float:
    """Return the standardized score of a system whose z score is 0."""
    return {"z": 0.0, "u": standardization.B}.get(scheme, 0.5)


def _only_scores(table: ScoreTable) -> ScoreTable:
    names = [name for name in table.measures if kind_of(name) == "score"]
    others = [name for name in table.measures if name not in names]
    if not names:
        raise InputError(unscored(others))
    warn(notices.unscored(others))
    if not is_better_higher(names[0]):
        found = f"runs are ranked by the first measure, but {names[0]} is better if it is lower"
        raise InputError(f"{found}; expected a measure that is better if it is higher")
    return table.select(measures=names)


def _judged_shares(table: ScoreTable) -> Floats | None:
    """Return the mean share of judged documents among the first ten of each system; None if it is not known."""
    if JUDGED[0] not in table.measures:
        return None
    judged = table.measure(JUDGED[0])
    # Topics without documents have no share: with -c, they are scored, too.
    has_documents = table.measure(JUDGED[1]) > 0 if JUDGED[1] in table.measures else ~np.isnan(judged)
    return mean_over_topics(np.where(has_documents, judged, np.nan))


def _without_judged(inputs: InputOptions, table: ScoreTable, factors: Factors | None) -> ScoreTable:
    """Return the table without the measures of judged documents, unless they are measures of the report."""
    known = table.measures if factors is None else factors.measures
    named = [] if takes_scores(inputs) else [each.name for each in resolve(inputs.measures)]
    kept = {name for name in named or known if name in known}
    return table.select(measures=[name for name in table.measures if name in kept or name not in JUDGED])


def _warn_of_tests(evaluated: Evaluated) -> None:
    """Warn if no pair of runs can differ significantly, so that all are in one group."""
    settings = evaluated.settings
    design = Design(correction="tukey", n_resamples=settings.n_resamples)
    shapes = [evaluated.ranked_scores(j).shape for j, test in enumerate(evaluated.tukey) if test is not None]
    smallest = min((design.smallest_pvalue(n_topics, n, 1) for n, n_topics in shapes), default=0.0)
    warn(notices.unreachable(smallest, settings.alpha, "more topics or resamples"))


def reference_facts(factors: Factors, raw: ScoreTable) -> References:
    """Return facts about the reference systems on the topics of a table, whose first measure is the main one."""
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
    inputs: InputOptions,
    standardization: StandardizationOptions,
    raw: ScoreTable,
) -> Sources:
    """Return the files, the options in words, and the numbers of judged documents; the warnings come later."""
    options = {
        "-c, missing topics count as 0": inputs.complete,
        f"-l {inputs.level}, relevant from judgment {inputs.level} on": inputs.level != 1,
        f"-M {inputs.depth}, the first {inputs.depth} documents": inputs.depth,
        "-J, judged documents only": inputs.judged_only,
        "--binary, gains of 0 and 1": inputs.binary,
        f"--max-grade {inputs.max_grade}, the highest grade": inputs.max_grade != 4,
        "--precision double, scores compared as 64-bit floats": inputs.precision == "double",
        _best_told(inputs, raw): inputs.best is not None,
        _left_out_told(standardization): standardization.leave_out is not None,
        f"--round {standardization.digits}, raw scores rounded": standardization.digits is not None,
    }
    # The options of stored scores are those that the files name.
    named = listed(sorted(text or "the default options" for text in used_options(raw.origin, raw.measures)))
    options[f"scores computed with {named}"] = takes_scores(inputs) and named not in ("", "the default options")
    return Sources(
        shlex.join(["stdeval", "report", *arguments]),
        None if takes_scores(inputs) else display_name(inputs.files[0]),
        tuple(file.path for file in inputs.score_files) or inputs.files[1:],
        standardization.factor_files,
        "; ".join(option for option, given in options.items() if given),
        {} if takes_scores(inputs) else _judged(inputs, raw),
    )


def _best_told(inputs: InputOptions, raw: ScoreTable) -> str:
    """Describe the runs that ``--best`` keeps, if it is given."""
    if inputs.best is None:
        return ""
    return f"--best {inputs.best}, the best runs by mean {ranking_measure(inputs, raw)}"


def _left_out_told(standardization: StandardizationOptions) -> str:
    """Describe the runs that are left out of the references of each run."""
    if standardization.leave_out in (None, LeaveOut()):
        return "--leave-out run, each run is standardized by the others"
    return "--leave-out group, each run is standardized by the runs of other groups"


def _judged(inputs: InputOptions, table: ScoreTable) -> dict[str, tuple[int, int]]:
    """Return the number of judged documents of each topic, and of those relevant for the first measure."""
    qrels, level = judgments(inputs), level_of(table.measures[0], inputs.level)
    return {
        topic: (
            sum(judgment >= 0 for judgment in qrels[topic].values()),
            sum(judgment >= level for judgment in qrels[topic].values()),
        )
        for topic in table.topics
    }
