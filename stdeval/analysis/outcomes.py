"""The outcomes of conditions for the systems of a table, as `stdeval check` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stdeval import notices
from stdeval.display import counted
from stdeval.errors import InputError, warn
from stdeval.gate.conditions import Condition, refuse_limit_out_of_range, refuse_unfit_measure
from stdeval.gate.outcomes import Outcome
from stdeval.gate.outcomes import check as check_condition
from stdeval.gate.scores import (
    refuse_other_factors,
    require_hits,
    require_judged_topics,
    require_same_topics,
    require_scores,
)
from stdeval.named_columns import measures_in, only_one
from stdeval.results import Results
from stdeval.standardization.factors import differences_of
from stdeval.stats.pairwise import Design
from stdeval.table import Floats, ScoreTable, check_scores_table, rows_for

_OR_ZERO = ", or evaluate the runs with Options(complete=True), which counts missing topics as 0"
"""The end of the message about missing scores."""

_CHOSEN = "; for a choice of topics, expected dataclasses.replace(table, origin=table.origin.by_topic())"
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
        Only warn if the scores of a baseline were made from other judgments, or with other options.

    Returns
    -------
    Results of Outcome
        A row per system and condition. Its fields are ``system`` and ``condition``; ``holds``, which is True if the
        system fulfils the condition; ``figures``, the numbers that decide, in words; ``value``, the number that
        decides, and ``limit``, with which it is compared; ``mean`` of the system and ``baseline``, that of the
        baseline or NaN; ``n``, the number of topics; ``detectable``, the loss that a t test is likely to find,
        for not-worse, otherwise NaN; and ``topics``, (topic, score or difference) of the topics to look at, the
        worst first, if the condition does not hold.

    Raises
    ------
    InputError
        If a condition cannot be evaluated, so that a gate never passes by mistake: for example, if scores are
        missing, no system has scores of some of the judged topics (which are known from `evaluate`, or from the
        signature of a file; topics that ``table.select`` chooses from scores on all of them are accepted), or a
        baseline is the table itself, has scores on other topics, or all of its scores are 0.

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
    before = baseline if baseline is None or isinstance(baseline, ScoreTable) else table.select(systems=[baseline])
    checked = [system for system in table.systems if system != baseline]
    if not checked:
        raise InputError(f"no system to check besides the baseline '{baseline}'")
    require_judged_topics(table, otherwise=_CHOSEN)
    refuse_other_factors(table.select(measures=list(dict.fromkeys(each.measure for each in asked))))
    if isinstance(baseline, ScoreTable):
        _refuse_unfit(baseline, table)
        found = differences_of(baseline, table, table.origin)
        if found and not allow_other_judgments:
            raise InputError(f"{notices.other_origin(found, 'baseline')}; expected those of the runs")
        warn(notices.other_origin(found, "baseline"))
    others = {each.measure: None if before is None else _baseline_scores(before, table, each) for each in asked}
    outcomes = []
    for system in checked:
        for each in asked:
            scores = table.measure(each.measure)[table.systems.index(system)]
            require_scores(scores, table.topics, system, each.measure, _OR_ZERO)
            outcomes.append(check_condition(each, system, scores, table.topics, others[each.measure], design))
    return Results(Outcome, outcomes)


def _refuse_unfit(baseline: ScoreTable, table: ScoreTable) -> None:
    """Refuse a baseline that cannot be compared with."""
    if len(baseline.systems) != 1:
        what = f"a baseline of {counted(len(baseline.systems), 'system')}"
        raise InputError(f"{what}, expected one: table.select(systems=[NAME])")
    if baseline is table:
        raise InputError("the baseline is the table that is checked, expected another")
    require_judged_topics(baseline, "baseline", _CHOSEN)


def _of_one_column(table: ScoreTable, condition: Condition) -> Condition:
    """Return the condition with the name of the column that its measure means."""
    name = only_one(measures_in(table.measures, [condition.measure]), condition.measure)
    refuse_unfit_measure(name)
    meant = replace(condition, measure=name)
    refuse_limit_out_of_range(meant)
    return meant


def _baseline_scores(baseline: ScoreTable, table: ScoreTable, condition: Condition) -> Floats:
    """Return the scores of the baseline on the topics of the table, shape (n_topics,)."""
    one = baseline.select(measures=measures_in(baseline.measures, [condition.measure])[:1])
    require_same_topics(one, table.topics, "the runs do")
    if condition.kind != "min":
        require_hits(one, one.measures)
    return rows_for(one.values[0, :, 0], one.topics, table.topics)
