"""`stdeval report`: an evaluation as one self-contained HTML page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

import click
import numpy as np

from stdeval.commands.factor_files import factors_of, raw_scores
from stdeval.commands.help_groups import GroupedCommand
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.inputs import as_typed
from stdeval.commands.judgments import judgments, takes_scores, warn_of_ranked
from stdeval.commands.messages import caveats_so_far, warn, warn_all, warnings_so_far
from stdeval.commands.options import (
    alpha_option,
    baseline_option,
    interval_option,
    output_option,
    randomness_options,
    refuse_other_ending,
)
from stdeval.commands.schemes import require_scores, scores_by_scheme, tables_after_warning, warn_of_repeated_runs
from stdeval.commands.selection import ranking_measure, system_index
from stdeval.commands.set_aside import warn_of_set_aside
from stdeval.commands.signatures import standardized_signature
from stdeval.commands.standardization_options import (
    LeaveOut,
    StandardizationOptions,
    factor_options,
    refuse_unused_parameters,
    scheme_option,
)
from stdeval.comparability import options_named
from stdeval.display import about_unscored, listed, shown_name
from stdeval.documents.retrieved import Retrieved
from stdeval.doubtful_scores.difficulty import about_order_of_topics
from stdeval.doubtful_scores.intervals import about_equal_topics, about_no_width
from stdeval.doubtful_scores.judged_shares import about_first_ranks
from stdeval.doubtful_scores.rankings import about_unknown_direction, is_judged_only
from stdeval.doubtful_scores.rounded_decisions import about_rounded_tukey
from stdeval.doubtful_scores.significance import (
    about_few_topics,
    about_pairs,
    about_tukey,
    about_unreachable_by_tukey,
)
from stdeval.doubtful_scores.stored_scores import ABOUT_UNKNOWN_TOPICS
from stdeval.errors import InputError
from stdeval.files import display_name
from stdeval.html import Evaluated, References, Settings, Sources, report, require_libraries
from stdeval.html.comparisons import compared
from stdeval.measures.facts import is_better_higher, kind_of, leaves_out_unjudged, level_of, score_of_missing
from stdeval.measures.names import resolve
from stdeval.outputs import output
from stdeval.reference_factors import Factors
from stdeval.standardization.factors import align, fit_factors
from stdeval.table import Bools, Floats, ScoreTable

MEASURES = ("map", "P_10", "ndcg_cut_10")
"""The measures of a report when neither measures nor factors are named."""


RETRIEVED = "num_ret"
"""The number of documents; with -J, of judged ones. It is 0 for a topic that counts 0 for want of documents."""


MOST_TOLD = 3
"""The greatest number of runs of which a caveat of their own tells how many topics count 0."""


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
    """Report an evaluation as one HTML page.

    The answer comes first: which run is better, how sure that is, on which topics it loses, and the caveats. It is
    about the best run and --baseline, or about the two best runs. Below are the leaderboard with intervals and
    significance groups, the comparison of the other runs with that one, the topics, all scores, where each run
    gains and loses, and the provenance. Runs are in the order of their mean standardized scores, and hard topics
    come first. The page is one file that needs no network. Its script sorts and filters tables, compares any two
    runs, opens all scores of a topic, saves tables as CSV, and prints a leaderboard of many measures in parts.
    Pictures and comparisons are by the first measure. Without -m the measures are those of the factors, or without
    -F map, P_10 and ndcg_cut_10. Incomplete runs, without a topic that most runs have, stand below the others,
    without a group. Unjudged documents are a caveat if they are at least 20% of a run's first ten, or if their
    shares in two runs differ by more than 10 points. Needs Jinja2 and matplotlib: pip install 'stdeval[report]'.
    """
    refuse_other_ending(output_path, "HTML")
    require_libraries()  # refuse now, not after a long computation
    settings = Settings(confidence, alpha, n_resamples, seed)
    refuse_unused_parameters([scheme or "n"])
    factors = factors_of(standardization)
    asked = _with_default_measures(inputs, factors)
    everything = raw_scores(asked, standardization, factors, beside=(RETRIEVED,))
    read = _without_retrieved(asked, everything, () if factors is None else factors.measures)
    raw = _only_scores(as_typed(read, asked, "csv"))
    # The answer is by the first measure: of several files joined by column, the one that has it counts.
    (main,) = (part for part in everything.parts if raw.measures[0] in part.measures)
    # The page itself shows the shares of judged documents, and says that unjudged ones count as not relevant.
    warn_of_ranked(inputs, raw.measures, raw, tell_shares=any(map(leaves_out_unjudged, raw.measures)))
    warn_all(about_first_ranks(raw.measures[:1], *(part.retrieved for part in raw.parts)))
    scheme = scheme or ("raw" if factors is None and len(raw.systems) == 1 else "n")
    warn_of_repeated_runs(raw, [scheme], factors)
    warn_all(about_order_of_topics(raw.measures[0]))
    standardized = None if scheme == "raw" else _standardized(raw, scheme, standardization, factors)
    signed = standardized_signature(asked, raw, ["raw", scheme], standardization, factors)
    evaluated = Evaluated(
        raw,
        standardized,
        scheme if scheme == "raw" else scheme.upper(),
        None if scheme == "raw" else reference_facts(fit_factors(raw) if factors is None else factors, raw),
        replace(_sources(arguments, asked, standardization, raw), signature=str(signed)),
        settings,
        None if baseline is None else system_index(inputs, baseline, raw.systems),
        _judged_shares(main, raw.systems),
        neutral=_neutral_score(scheme, standardization),
        slope=standardization.A,
        censored=standardization.censor,
    )
    _warn_of_tests(evaluated)
    zeros, unknown = _zeros_told(inputs, main), _unknown_told(inputs, main)
    evaluated = evaluated.with_warnings(warnings_so_far(), (*zeros, *caveats_so_far(), *unknown))
    # The page tells of these runs in its own words.
    warn_of_set_aside(evaluated.coverage, raw.systems)
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
        raise InputError(about_unscored(others))
    if others:
        nouns = "measure is" if len(others) == 1 else "measures are"
        warn(f"{len(others)} {nouns} left out: no score per topic (e.g. '{others[0]}')", is_caveat=False)
    if not is_better_higher(names[0]):
        found = f"runs are ranked by the first measure, but {names[0]} is better if it is lower"
        raise InputError(f"{found}; expected a measure that is better if it is higher")
    if len(table.systems) > 1:
        warn_all(about_unknown_direction(names[:1]))
    return table.select(measures=names)


def _judged_shares(table: ScoreTable, systems: Sequence[str]) -> Floats | None:
    """Return the share of judged documents among the first ones of each system, or None if no share is known."""
    shares = np.array([table.retrieved.get(system, Retrieved()).judged for system in systems])
    return None if np.isnan(shares).all() else shares


def _without_retrieved(inputs: InputOptions, table: ScoreTable, of_factors: Sequence[str]) -> ScoreTable:
    """Return the table without the number of documents, unless it is named or the factors have it."""
    if takes_scores(inputs) or RETRIEVED in (*(each.name for each in resolve(inputs.measures)), *of_factors):
        return table
    return table.select(measures=[name for name in table.measures if name != RETRIEVED])


def _zeros_told(inputs: InputOptions, table: ScoreTable) -> list[str]:
    """Return caveats about topics that count 0 because a run has no documents, or with -J no judged ones."""
    if takes_scores(inputs):
        what, why = "documents", ""
        numbers = [len(table.unretrieved.get(system, ())) for system in table.systems]
        options = " ".join(options_named(table.origins, table.measures))
        if not any(numbers) and "-c" in options.split():
            unknown = "topics without documents count 0, and the files do not tell which"
            return [f"the scores were computed with -c: {unknown}"]
    else:
        what = "judged documents" if inputs.judged_only else "documents"
        why = f" ({', '.join(['-c'] * inputs.complete + ['-J'] * inputs.judged_only)})"
        numbers = (table.measure(RETRIEVED) == 0).sum(axis=1).tolist()
    found = [(n, system) for n, system in zip(numbers, table.systems, strict=True) if n]
    score = score_of_missing(name for name in table.measures if name != RETRIEVED)
    n_topics = len(table.topics)
    told = [
        f"'{shown_name(system)}' has no {what} for {n} of {n_topics} judged topics: they count as {score}{why}"
        for n, system in found[:MOST_TOLD]
    ]
    if len(found) > MOST_TOLD:
        more = len(found) - MOST_TOLD
        verb = "run has" if more == 1 else "runs have"
        told.append(f"{more} more {verb} no {what} for some judged topics, which count as {score}")
    return told


def _unknown_told(inputs: InputOptions, table: ScoreTable) -> list[str]:
    """Return caveats about facts that scores from files do not tell."""
    if not takes_scores(inputs):
        return []
    told = []
    if not table.origins and table.qrels is None:
        stored = "the scores do not name their judgments and options (--signature stores them)"
        told.append(f"{stored}: those of the runs may differ, and judged topics may be missing from all runs")
    elif table.qrels is None:
        told.append(ABOUT_UNKNOWN_TOPICS)
    shares = _judged_shares(table, table.systems)
    unjudged = np.ones(len(table.systems), dtype=bool) if shares is None else np.isnan(shares)
    if unjudged.any() and not is_judged_only(table):
        whose = "" if unjudged.all() else f" of {_counted_runs(table.systems, unjudged)}"
        unknown = f"the scores{whose} were stored without judged_10, so the number of unjudged documents is unknown"
        told.append(f"{unknown}; such documents count as not relevant")
    return told


def _counted_runs(systems: Sequence[str], chosen: Bools) -> str:
    """Return the number of chosen runs and the name of the first, in words."""
    return f"{chosen.sum()} of {len(systems)} runs (e.g. '{shown_name(systems[int(chosen.argmax())])}')"


def _warn_of_tests(evaluated: Evaluated) -> None:
    """Warn of runs that are not tested, and of tests and groups that may mislead."""
    results, settings = compared(evaluated), evaluated.settings
    if evaluated.baseline is None:
        comparisons = [each.comparison for each in results]
        warn_all(about_few_topics(comparisons, settings.alpha, [each.adjusted for each in results]))
        numbers = [n for each in results for n in each.comparison.n_a[each.low == each.high]]
        n_intervals = sum(len(each.low) for each in results)
        warn_all(about_no_width(np.array(numbers), n_intervals, "differences", settings.tukey_level))
    elif results:
        compared_by = {each.kind.measure: (each.comparison, each.adjusted) for each in results}
        warn_all(about_pairs(compared_by, settings.with_baseline, settings.alpha))
    warn_all(about_equal_topics(evaluated.scores_of_means().values(), settings.confidence))
    tests = [(evaluated.ranked_scores(j), test) for j, test in enumerate(evaluated.tukey) if test is not None]
    warn_all(about_unreachable_by_tukey([test for _, test in tests], settings.alpha))
    warn_all(about_tukey(tests, settings.alpha))
    for j, test in enumerate(evaluated.tukey):
        if test is not None:
            scores, measure = evaluated.ranked_scores(j), evaluated.kinds[j].measure
            warn_all(about_rounded_tukey(measure, scores, test, settings.seed, settings.alpha))


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
    named = listed(sorted(text or "the default options" for text in options_named(raw.origins, raw.measures)))
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
