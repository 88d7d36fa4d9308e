"""The outcomes of conditions for the systems of a table, as `stdeval check` prints them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stdeval.analysis.comparisons import place_of_system
from stdeval.comparability import difference_of_factors, difference_of_origins, undecided_origins
from stdeval.display import counted
from stdeval.doubtful_scores.depths import about_cutoffs
from stdeval.doubtful_scores.impossible_scores import refuse_impossible_scores
from stdeval.doubtful_scores.rankings import (
    about_counted_zeros,
    about_ranked,
    about_retrieved,
    about_unknown_direction,
    is_judged_only,
)
from stdeval.doubtful_scores.rounded_scores import about_rounded
from stdeval.doubtful_scores.stored_scores import refuse_unjudged_systems, refuse_unscored_topics
from stdeval.errors import InputError, InputWarning
from stdeval.gate.conditions import Condition, refuse_unfit_measure, refuse_useless_limit
from stdeval.gate.outcomes import Outcome, about_tests, about_unseen_losses
from stdeval.gate.outcomes import check as check_condition
from stdeval.gate.scores import about_unretrieved, require_hits, require_same_topics, require_scores
from stdeval.measures.names import split_scheme
from stdeval.named_columns import measures_in, only_one
from stdeval.results import Results
from stdeval.standardization.doubtful_standardization import refuse_other_factors
from stdeval.stats.pairwise import Design
from stdeval.table import Floats, ScoreTable, check_scores_table, rows_for

OR_ZERO = ", or evaluate the runs with Options(complete=True), which counts missing topics as 0"
"""The end of the message about missing scores."""

WITHOUT_FACTORS = (
    ": the topics may be missing from the factors, or from the run (Options(complete=True) counts the latter as 0)"
)
"""The end of the message about missing standardized scores."""

CHOSEN = "; for a choice of topics, expected dataclasses.replace(table, qrels=None, n_signed=0)"
"""The end of the message about scores of only some of the judged topics."""


def check(
    table: ScoreTable,
    conditions: Condition | Sequence[Condition],
    baseline: str | ScoreTable | None = None,
    test: str = "t",
    *,
    n_resamples: int = 10_000,
    seed: int = 0,
    allow_other_judgments: bool = False,
) -> Results[Outcome]:
    """Return whether every system but the baseline fulfils each condition, as `stdeval check` does.

    Parameters
    ----------
    table : ScoreTable
        Raw or standardized scores, without missing topics in the measures of the conditions.
    conditions : Condition or sequence of Condition
        Their measures may be named in any form.
    baseline : str or ScoreTable, optional
        The name of a system of the table, or the scores of another system. All kinds but min need one.
    test, n_resamples, seed
        The test of not-worse and its resamples, as in `stdeval.compare`.
    allow_other_judgments : bool
        Accept a baseline whose scores were made from other judgments, or with other options.

    Returns
    -------
    Results of Outcome
        A row per system and condition. Its fields are ``system`` and ``condition``; ``holds``, which is True if the
        system fulfils the condition; ``figures``, the numbers that decide, in words; ``value``, the number that
        decides, and ``limit``, with which it is compared; ``mean`` of the system and ``baseline``, that of the
        baseline or NaN; ``n``, the number of topics; ``detectable``, the loss that a t test is likely to find,
        for not-worse, otherwise NaN; ``topics``, (topic, score or difference) of the topics to look at, the worst
        first, if the condition does not hold; ``unseen``, the largest share of all topics that may have another
        difference, for non-inferior if all or nearly all have the same one, otherwise NaN; and ``t_pvalue``, p of
        Student's t test if it finds a loss that the test of not-worse does not find, otherwise NaN.

    Raises
    ------
    InputError
        If a condition cannot be evaluated, so that a gate never passes by mistake: for example, if scores are
        missing, their measures cannot have them (such as percentages), no system has scores of some of the judged
        topics (which are known from `evaluate`, or from the signature of a file; topics that ``table.select``
        chooses from scores on all of them are accepted), none of the first documents of a system is judged, a
        baseline is the table itself, has scores on other topics, or all of its scores are 0.

    Warns
    -----
    InputWarning
        If a system is non-inferior only because hardly any topic differs, although with so few topics a loss of the
        margin is not ruled out; if a t test finds a loss that the test of not-worse does not find; if that test
        would miss even the loss of the whole mean; if the baseline finds hardly any relevant document, or has no
        documents for topics that count as 0; if it has another depth than the systems, and a measure looks beyond
        the end of one; if its scores, or those of the systems, do not name their judgments and options, or are
        rounded, and the others are not; or if it is not known whether higher scores are better. Unlike the command,
        it does not warn of a file that does not tell how many topics were judged: compare ``n`` with their number.

    Examples
    --------
    >>> import numpy as np
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.2], [0.4]], [[0.4], [0.6]]]))
    >>> [(row.system, row.holds) for row in check(table, Condition("min", "AP", 0.4))]
    [('a', False), ('b', True)]
    >>> check(table, Condition("max-drop", "AP", 0.1), baseline="b")[0].figures
    'mean 0.3000, baseline 0.5000 on 2 topics, drop 0.2000, expected at most 0.1'
    """
    check_scores_table(table)
    given = [conditions] if isinstance(conditions, Condition) else list(conditions)
    if not given or not all(isinstance(each, Condition) for each in given):
        raise InputError("expected conditions, such as stdeval.Condition('min', 'map', 0.3)")
    design = Design(test, n_resamples=n_resamples, seed=seed)
    asked = [_of_one_column(table, each) for each in given]
    if not (baseline is None or isinstance(baseline, ScoreTable)):
        place_of_system(table, baseline)
    checked = _others(table, baseline)
    if not checked:
        raise InputError(f"no system to check besides the baseline '{baseline}'")
    measures = list(dict.fromkeys(each.measure for each in asked))
    _refuse_doubtful(table, measures)
    if isinstance(baseline, ScoreTable) and not allow_other_judgments:
        difference = difference_of_factors(baseline, table) or difference_of_origins(
            baseline, table.measures, table.origins, table.qrels
        )
        if difference is not None:
            what = "judgments and options" if baseline.standardization is None else "judgments, options and factors"
            raise InputError(f"baseline: {difference}; expected the {what} of the runs")
    others = {each.measure: _baseline_scores(table, baseline, each) for each in asked}
    for message in _doubts(asked, table, baseline):
        warnings.warn(message, InputWarning, stacklevel=2)
    outcomes = []
    for system in checked:
        for each in asked:
            scores = table.measure(each.measure)[table.systems.index(system)]
            require_scores(scores, table.topics, system, each.measure, _hint(each.measure))
            outcomes.append(check_condition(each, system, scores, table.topics, others[each.measure], design))
    for message in (*about_unseen_losses(outcomes), *about_tests(outcomes, design)):
        warnings.warn(message, InputWarning, stacklevel=2)
    return Results(Outcome, outcomes)


def _doubts(asked: Sequence[Condition], table: ScoreTable, baseline: str | ScoreTable | None) -> Iterator[str]:
    """Yield messages about systems that are checked, or compared with a baseline."""
    measures = list(dict.fromkeys(condition.measure for condition in asked))
    compared = list(dict.fromkeys(condition.measure for condition in asked if condition.kind != "min"))
    names = baseline.systems if isinstance(baseline, ScoreTable) else (baseline,)
    yield from about_counted_zeros(table.select(systems=[name for name in table.systems if name not in names]))
    # about_ranked yields this message for the measures that are compared.
    yield from about_unknown_direction([measure for measure in measures if measure not in compared])
    if not compared or baseline is None:
        judged_only, several = is_judged_only(table), len(table.systems) > 1
        yield from about_retrieved(measures, table.retrieved, judged_only=judged_only, tell_shares=several)
        yield from about_rounded([table.select(measures=measures)])
        return
    yield from about_cutoffs([measure for measure in measures if measure not in compared], table.retrieved)
    if isinstance(baseline, str):
        before, checked = (table.select(systems=some) for some in ([baseline], _others(table, baseline)))
    else:
        before, checked = baseline, table
        undecided = undecided_origins(baseline, table)
        yield from () if undecided is None else (undecided,)
    unretrieved = about_unretrieved(before, checked)
    yield from () if unretrieved is None else (unretrieved,)
    yield from () if before.systems[0] in before.unretrieved else about_counted_zeros(before)
    yield from about_ranked(compared, checked, before)
    yield from about_rounded([each.select(measures=compared) for each in (checked, before)])


def _others(table: ScoreTable, baseline: str | ScoreTable | None) -> list[str]:
    return [system for system in table.systems if system != baseline]


def _of_one_column(table: ScoreTable, condition: Condition) -> Condition:
    """Return the condition with the name of the column that its measure means."""
    name = only_one(measures_in(table.measures, [condition.measure]), condition.measure)
    refuse_unfit_measure(name)
    meant = replace(condition, measure=name)
    refuse_useless_limit(meant, *split_scheme(name))
    return meant


def _refuse_doubtful(table: ScoreTable, measures: Sequence[str], where: str | None = None) -> None:
    """Refuse impossible scores, and those that lack a judged topic or judged documents, or have other factors."""
    refuse_unscored_topics(table, where, CHOSEN)
    refuse_other_factors(table, where)
    refuse_unjudged_systems(table, where)
    refuse_impossible_scores(table.select(measures=measures), where)


def _baseline_scores(table: ScoreTable, baseline: str | ScoreTable | None, condition: Condition) -> Floats | None:
    """Return the scores of the baseline on the topics of the table, shape (n_topics,)."""
    if baseline is None:
        return None
    measure = condition.measure
    scores: Floats
    if isinstance(baseline, ScoreTable):
        if len(baseline.systems) != 1:
            what = f"a baseline of {counted(len(baseline.systems), 'system')}"
            raise InputError(f"{what}, expected one: table.select(systems=[NAME])")
        if baseline is table:
            raise InputError("the baseline is the table that is checked, expected another")
        name, one = baseline.systems[0], baseline.select(measures=measures_in(baseline.measures, [measure])[:1])
        _refuse_doubtful(one, one.measures, "baseline")
        scores = rows_for(one.values[0, :, 0], one.topics, table.topics)
        require_scores(scores, table.topics, name, measure, _hint(measure))
        require_same_topics(one, table.topics, "the runs do")
    else:
        name, scores = baseline, table.measure(measure)[place_of_system(table, baseline)]
        require_scores(scores, table.topics, name, measure, _hint(measure))
    if condition.kind != "min":
        require_hits(baseline if isinstance(baseline, ScoreTable) else table.select(systems=[name]), [measure])
    return scores


def _hint(measure: str) -> str:
    """Return how the message about missing scores ends, for a raw or a standardized measure."""
    return WITHOUT_FACTORS if split_scheme(measure)[0] else OR_ZERO
