"""Analyses of a table of scores: means, comparisons, conditions and difficult topics, as rows with named fields.

Each function does for a Python program what the command of its name does, and the commands build on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stdeval.comparability import difference_of_factors, difference_of_origins
from stdeval.conditions import Condition, refuse_unfit_measure, refuse_useless_limit
from stdeval.display import counted, listed
from stdeval.errors import InputError
from stdeval.gate import Outcome, require_scores
from stdeval.gate import check as check_condition
from stdeval.measures.names import kind_of, level_of, split_scheme
from stdeval.named_columns import measures_in
from stdeval.python_inputs import QrelsLike, qrels_of
from stdeval.results import Results
from stdeval.stats import aggregates
from stdeval.stats.difficulty import STATISTICS, topic_groups, topic_statistics
from stdeval.stats.intervals import t_interval
from stdeval.stats.paired_tests import TESTS, Alternative
from stdeval.stats.pairwise import Design, compare_measures
from stdeval.stats.significance import Comparison, pairs
from stdeval.table import Floats, ScoreTable, check_scores_table, rows_for
from stdeval.trec import Judgments, Qrels

RELEVANT = "rel"
"""The column of the number of relevant documents of a topic."""


class SystemScore(NamedTuple):
    """The overall score of a system.

    Parameters
    ----------
    system, measure : str
    score : float
        The aggregate of the scores over the topics; NaN if it is undefined.
    low, high : float
        The t interval of an arithmetic mean; NaN for other aggregates and for counts.
    n : int
        Number of topics.
    """

    system: str
    measure: str
    score: float
    low: float
    high: float
    n: int


def aggregate(
    table: ScoreTable, name: str = "am", *, epsilon: float | None = None, confidence: float = 0.95
) -> Results[SystemScore]:
    """Return the overall scores of systems, as `stdeval eval` prints them.

    Parameters
    ----------
    table : ScoreTable
    name : str
        am, gm, egm, egm-trec, hm, ehm, md or sd, see `stdeval.stats.aggregates`. With am, counts such as num_ret
        are summed; with others they are left out.
    epsilon : float, optional
        Of egm, egm-trec and ehm; None for their defaults.
    confidence : float
        Confidence level of the interval of an arithmetic mean, in (0, 1).

    Raises
    ------
    InputError
        If there is no such aggregate, or the scores have none.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.25], [0.5]], [[0.75], [0.5]]]))
    >>> [(row.system, row.score) for row in aggregate(table)]
    [('a', 0.375), ('b', 0.625)]
    >>> round(aggregate(table, "gm")[0].score, 4)
    0.3536
    """
    check_scores_table(table)
    rows: list[SystemScore] = []
    for measure in table.measures:
        values = table.measure(measure)
        is_count = kind_of(measure) == "count"
        if is_count and name != "am":
            continue
        overall = _overall(values, name, epsilon, is_count=is_count)
        has_interval = name == "am" and not is_count
        ends = t_interval(values, level=confidence) if has_interval else np.full((2, len(values)), np.nan)
        columns = [*(column.tolist() for column in (overall, *ends)), np.sum(~np.isnan(values), axis=1).tolist()]
        rows += [SystemScore(system, measure, *row) for system, *row in zip(table.systems, *columns, strict=True)]
    return Results(SystemScore, rows)


def _overall(values: Floats, name: str, epsilon: float | None, *, is_count: bool) -> Floats:
    """Return one number per system, shape (n_systems,)."""
    if is_count:
        return np.asarray(np.nansum(values, axis=1))
    if name == "sd":
        return aggregates.standard_deviation(values)
    return aggregates.aggregate(values, name, epsilon=epsilon)


class ComparedPair(NamedTuple):
    """Two systems compared by a measure; see `stdeval.stats.significance.Comparison`.

    Parameters
    ----------
    measure, a, b : str
        The measure, and the names of the two systems.
    mean_a, mean_b, difference, low, high : float
        Means of a and of b, the first minus the second, and the t interval of the difference.
    effect_size : float
        The difference over a standard deviation.
    wins, ties, losses : int, optional
        Numbers of topics on which a is better, equal or worse; None if topics are not paired.
    n_a, n_b : int
        Numbers of topics.
    statistic, pvalue, adjusted_pvalue : float
        The result of the test, and p adjusted for the number of pairs; NaN with fewer than two topics.
    """

    measure: str
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    effect_size: float
    wins: int | None
    ties: int | None
    losses: int | None
    n_a: int
    n_b: int
    statistic: float
    pvalue: float
    adjusted_pvalue: float


def compare(
    table: ScoreTable,
    baseline: str | None = None,
    test: str = "t",
    *,
    unpaired: bool = False,
    welch: bool = False,
    alternative: Alternative = "two-sided",
    correction: str = "none",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Results[ComparedPair]:
    """Compare every pair of systems, or all systems with a baseline, as `stdeval compare` does.

    Parameters
    ----------
    table : ScoreTable
        Raw or standardized scores.
    baseline : str, optional
        The name of a system, which is the second of each pair; None for all pairs.
    test : str
        t, wilcoxon, sign, permutation or bootstrap.
    unpaired, welch, alternative, correction, confidence, n_resamples, seed
        See `stdeval.stats.pairwise.Design`. Each measure is a family of comparisons of its own.

    Raises
    ------
    InputError
        If there is no such system, test or correction, or if they do not fit together.

    Examples
    --------
    >>> scores = np.array([[[0.1], [0.2], [0.4]], [[0.2], [0.4], [0.5]]])
    >>> table = ScoreTable(("a", "b"), ("1", "2", "3"), ("map",), scores)
    >>> pair = compare(table, baseline="a")[0]
    >>> pair.a, pair.b, round(pair.difference, 4), pair.wins, round(pair.pvalue, 4)
    ('b', 'a', 0.1333, 3, 0.0572)
    """
    check_scores_table(table)
    if test not in TESTS:
        raise InputError(f"no test '{test}', expected one of: {', '.join(TESTS)}")
    at = None if baseline is None else _system_place(table, baseline)
    first, second = pairs(len(table.systems), at)
    if not len(first):
        raise InputError(f"{counted(len(table.systems), 'system')}, expected at least two to compare")
    design = Design(test, unpaired, welch, alternative, correction, confidence, n_resamples, seed)
    names = [(table.systems[i], table.systems[j]) for i, j in zip(first, second, strict=True)]
    return Results(ComparedPair, list(compared_pairs(compare_measures(table, first, second, design), names)))


def _system_place(table: ScoreTable, name: str) -> int:
    if name not in table.systems:
        raise InputError(f"no system '{name}', expected one of: {listed(table.systems, 20)}")
    return table.systems.index(name)


def compared_pairs(
    compared: Mapping[str, tuple[Comparison, Floats]], names: Sequence[tuple[str, str]]
) -> Iterator[ComparedPair]:
    """Yield a row for each measure and pair.

    Parameters
    ----------
    compared : mapping of str to (Comparison, ndarray)
        By measure, the comparisons of the pairs and their adjusted p-values, see `compare_measures`.
    names : sequence of (str, str)
        The systems of each pair.
    """
    for measure, (c, adjusted) in compared.items():
        nothing = [None] * len(names)
        counts = [nothing if column is None else column.tolist() for column in (c.wins, c.ties, c.losses)]
        numbers = (c.mean_a, c.mean_b, c.difference, c.low, c.high, c.effect_size)
        tested = (c.n_a, c.n_b, c.statistic, c.pvalue, adjusted)
        columns = [*(each.tolist() for each in numbers), *counts, *(each.tolist() for each in tested)]
        for (a, b), *cells in zip(names, *columns, strict=True):
            yield ComparedPair(measure, a, b, *cells)


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
        Raw or standardized scores, without gaps in the measures of the conditions.
    conditions : Condition or sequence of Condition
        Their measures may be named in any form.
    baseline : str or ScoreTable, optional
        The name of a system of the table, or the scores of another system. All kinds but min need one.
    test, n_resamples, seed
        The test of not-worse, see `compare`.
    allow_other_judgments : bool
        Accept a baseline whose scores were made from other judgments, or with other options.

    Returns
    -------
    Results of Outcome
        A row per system and condition; ``holds`` says whether the system fulfils it.

    Raises
    ------
    InputError
        If a condition cannot be evaluated, so that a gate never passes by mistake.

    Examples
    --------
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
    if test not in TESTS:
        raise InputError(f"no test '{test}', expected one of: {', '.join(TESTS)}")
    design = Design(test, n_resamples=n_resamples, seed=seed)
    asked = [_of_one_column(table, each) for each in given]
    checked = [system for system in table.systems if system != baseline]
    if not checked:
        raise InputError(f"no system to check besides the baseline '{baseline}'")
    if isinstance(baseline, ScoreTable) and not allow_other_judgments:
        difference = difference_of_factors(baseline, table) or difference_of_origins(
            baseline, table.measures, table.origins, table.qrels
        )
        if difference is not None:
            what = "judgments and options" if baseline.standardization is None else "judgments, options and factors"
            raise InputError(f"baseline: {difference}; expected the {what} of the runs")
    others = {each.measure: _baseline_scores(table, baseline, each.measure) for each in asked}
    outcomes = []
    for system in checked:
        for each in asked:
            scores = table.measure(each.measure)[table.systems.index(system)]
            require_scores(scores, table.topics, system, each.measure)
            outcomes.append(check_condition(each, system, scores, table.topics, others[each.measure], design))
    return Results(Outcome, outcomes)


def _of_one_column(table: ScoreTable, condition: Condition) -> Condition:
    """Return the condition with the name of the column that its measure means."""
    names = measures_in(table, [condition.measure])
    if len(names) > 1:
        raise InputError(f"'{condition.measure}' means {len(names)} measures, expected one, such as {names[0]}")
    refuse_unfit_measure(names[0])
    meant = replace(condition, measure=names[0])
    refuse_useless_limit(meant, *split_scheme(names[0]))
    return meant


def _baseline_scores(table: ScoreTable, baseline: str | ScoreTable | None, measure: str) -> Floats | None:
    """Return the scores of the baseline on the topics of the table, shape (n_topics,)."""
    if baseline is None:
        return None
    scores: Floats
    if isinstance(baseline, ScoreTable):
        if len(baseline.systems) != 1:
            what = f"a baseline of {counted(len(baseline.systems), 'system')}"
            raise InputError(f"{what}, expected one: table.select(systems=[NAME])")
        name, scores = baseline.systems[0], baseline.measure(measures_in(baseline, [measure])[0])[0]
        scores = rows_for(scores, baseline.topics, table.topics)
    else:
        name, scores = baseline, table.measure(measure)[_system_place(table, baseline)]
    require_scores(scores, table.topics, name, measure)
    return scores


class TopicDifficulty(NamedTuple):
    """The scores of all systems on a topic, and its difficulty; see `stdeval.stats.difficulty`.

    Parameters
    ----------
    measure, topic : str
    n : int
        Number of systems that have a score.
    mean, sd, min, p25, median, p75, max : float
        Statistics of their scores.
    one_minus_mean, one_minus_max, surprise : float
        Difficulties: 1 minus the mean and the maximum, and (max - mean) / sd.
    zero, low : float
        The shares of scores that are 0, and at most 0.1.
    item_total : float
        The correlation of the scores with the systems' means over the other topics.
    rel : int or float
        Number of relevant documents; NaN if it is not known.
    group : str
        The group of the topic by falling surprise; empty if topics are not grouped.
    """

    measure: str
    topic: str
    n: int
    mean: float
    sd: float
    min: float
    p25: float
    median: float
    p75: float
    max: float
    one_minus_mean: float
    one_minus_max: float
    surprise: float
    zero: float
    low: float
    item_total: float
    rel: int | float
    group: str


def topics(
    table: ScoreTable, qrels: QrelsLike | None = None, *, groups: str | None = None, level: int = 1
) -> Results[TopicDifficulty]:
    """Return the scores that systems achieve on each topic, and its difficulty, as `stdeval topics` does.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    qrels : dict or data frame, optional
        Judgments, as for `stdeval.evaluate`; they are needed for ``rel`` only.
    groups : str, optional
        ``hard-easy``, ``middle-rest`` or a number of groups, see `stdeval.stats.difficulty.topic_groups`.
    level : int
        A document is relevant if its judgment is at least this level.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.2], [0.4]], [[0.4], [0.4]]]))
    >>> rows = topics(table, {"1": {"d": 1}, "2": {"d": 0}})
    >>> [(row.topic, round(row.one_minus_mean, 2), row.rel) for row in rows]
    [('1', 0.7, 1), ('2', 0.6, 0)]
    """
    check_scores_table(table)
    judged = None if qrels is None else qrels_of(qrels)
    rows: list[TopicDifficulty] = []
    for measure, relevant in relevant_documents(judged, table.topics, table.measures, level).items():
        rows += topic_difficulties(measure, table.topics, table.measure(measure), relevant, groups)
    return Results(TopicDifficulty, rows)


def relevant_documents(
    qrels: Qrels | None, topic_names: Sequence[str], measures: Sequence[str], level: int
) -> dict[str, Floats]:
    """Return the number of documents of each topic that are relevant for each measure; NaN if it is not known.

    Parameters
    ----------
    qrels : dict, optional
        Topic to docno to judgment.
    topic_names, measures : sequence of str
    level : int
        The relevance level of measures that have none of their own.
    """
    if qrels is None:
        return dict.fromkeys(measures, np.full(len(topic_names), np.nan))
    levels = {measure: level_of(measure, level) for measure in measures}
    counts = {
        each: np.array([_n_relevant(qrels.get(topic), each) for topic in topic_names], dtype=np.float64)
        for each in set(levels.values())
    }
    return {measure: counts[each] for measure, each in levels.items()}


def _n_relevant(judgments: Judgments | None, level: int) -> float:
    """Return the number of relevant documents of a topic; NaN if it has no judgments."""
    return math.nan if judgments is None else float(sum(rel >= level for rel in judgments.values()))


def topic_difficulties(
    measure: str, topic_names: Sequence[str], values: Floats, relevant: Floats, groups: str | None = None
) -> list[TopicDifficulty]:
    """Return a row for each topic, by one measure.

    Parameters
    ----------
    measure : str
    topic_names : sequence of str
    values : ndarray, shape (n_systems, n_topics)
        Scores; NaN is missing.
    relevant : ndarray, shape (n_topics,)
        Numbers of relevant documents; NaN where they are not known.
    groups : str, optional
        How topics are grouped by their surprise, see `stdeval.stats.difficulty.topic_groups`.
    """
    statistics = topic_statistics(values)
    labels = topic_groups(statistics["surprise"], groups) if groups else [""] * len(topic_names)
    known = [rel if math.isnan(rel) else int(rel) for rel in relevant.tolist()]
    n, *columns = (statistics[name].tolist() for name in STATISTICS)
    rows = zip(topic_names, map(int, n), *columns, known, labels, strict=True)
    return [TopicDifficulty(measure, *row) for row in rows]
