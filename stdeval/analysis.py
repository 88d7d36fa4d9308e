"""The functions behind commands and the Python API: aggregate, compare, topics, check and standardize.

They warn as the section WARNINGS of stdeval(1) lists; ``warnings.simplefilter("error", InputWarning)`` makes it an
error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stdeval import notices
from stdeval.display import counted
from stdeval.errors import InputError, warn
from stdeval.gate import (
    Condition,
    Outcome,
    refuse_limit_out_of_range,
    refuse_other_factors,
    refuse_unfit_measure,
    require_hits,
    require_judged_topics,
    require_same_topics,
    require_scores,
)
from stdeval.gate import check as check_condition
from stdeval.measures.names import is_better_higher, is_summed, kind_of, level_of, split_scheme
from stdeval.provenance import Standardization, factors_digest, fit, scheme_with_parameters, signed_measures
from stdeval.python_inputs import QrelsLike, qrels_of
from stdeval.results import Results
from stdeval.standardization.factors import (
    Factors,
    common_measures,
    differences_of,
    fit_factors,
    numbers_of_references,
)
from stdeval.standardization.schemes import facts_about, left_out_topics, scheme_letter
from stdeval.standardization.schemes import standardize as standardized
from stdeval.stats import aggregates
from stdeval.stats.difficulty import STATISTICS, check_grouping, topic_groups, topic_statistics
from stdeval.stats.intervals import t_interval
from stdeval.stats.paired_tests import Alternative
from stdeval.stats.pairwise import Design, compare_measures, smallest_possible
from stdeval.stats.ranking import coverage
from stdeval.stats.significance import Comparison, pairs
from stdeval.table import Floats, Ints, ScoreTable, measures_in, only_one, places, rows_for
from stdeval.trec.reading import Qrels


class SystemScore(NamedTuple):
    """The overall score of a system."""

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
        am (arithmetic mean), gm (geometric mean), egm (geometric mean of x + epsilon, minus epsilon), egm-trec
        (geometric mean of max(x, epsilon), as in trec_eval's gm_map), hm (harmonic mean), ehm (harmonic mean of
        x + epsilon, minus epsilon), md (median) or sd (sample standard deviation). With am, counts such as num_ret,
        and Znum_ret, are summed; with others they are left out.
    epsilon : float, optional
        Of egm and ehm (0.01 by default) and of egm-trec (1e-5 by default).
    confidence : float
        Confidence level of the interval of an arithmetic mean, in [0.5, 1).

    Returns
    -------
    Results of SystemScore
        A row per measure and system. Its fields are ``system``, ``measure`` and ``score``; ``low`` and ``high``,
        the *t* interval of an arithmetic mean, and otherwise NaN; and ``n``, the number of topics of the score. A
        topic that is missing from a run is left out.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.25], [0.5]], [[0.75], [0.5]]]))
    >>> [(row.system, row.score) for row in aggregate(table)]
    [('a', 0.375), ('b', 0.625)]
    >>> round(aggregate(table, "gm")[0].score, 4)
    0.3536
    """
    names = [*aggregates.AGGREGATES, "sd"]
    if name not in names:
        raise InputError(f"no aggregate '{name}', expected one of: {', '.join(names)}")
    if epsilon is not None and name not in ("egm", "egm-trec", "ehm"):
        raise InputError(f"epsilon has no effect on {name}, expected egm, egm-trec or ehm")
    rows: list[SystemScore] = []
    for measure in table.measures:
        values, is_count = table.measure(measure), is_summed(measure)
        if is_count and name != "am":
            continue
        ends = np.full((2, len(values)), np.nan)
        if is_count:
            overall = np.nansum(values, axis=1)
        elif name == "sd":
            overall = aggregates.standard_deviation(values)
        else:
            overall = aggregates.aggregate(values, name, epsilon=epsilon)
            ends = np.array(t_interval(values, level=confidence)) if name == "am" else ends
        columns = [*(column.tolist() for column in (overall, *ends)), np.sum(~np.isnan(values), axis=1).tolist()]
        rows += [SystemScore(system, measure, *row) for system, *row in zip(table.systems, *columns, strict=True)]
    if name == "hm":
        warn(notices.undefined_means(sum(row.n > 0 and math.isnan(row.score) for row in rows), len(rows)))
    return Results(SystemScore, rows)


Compared = Mapping[str, tuple[Comparison, Floats]]
"""By measure, the comparisons of the pairs, and their adjusted p-values."""


class ComparedPair(NamedTuple):
    """Two systems compared by a measure; see `stdeval.stats.significance.Comparison`."""

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
    unpaired, welch : bool
        Compare the systems as if their topics were not the same, by the t test; with ``welch``, their variances may
        differ.
    alternative : {"two-sided", "greater", "less"}
        The alternative hypothesis: greater is that a is better than b, which by measures such as unj is lower.
    correction : {"none", "bonferroni", "holm", "bh", "tukey"}
        The correction of the p-values for the number of pairs, for each measure by itself.
    confidence : float
        Confidence level of the interval of the difference, in [0.5, 1); 1 minus it is the significance level.
    n_resamples, seed : int
        Number of resamples and seed of permutation, bootstrap and tukey. The same seed gives the same p-values.

    Returns
    -------
    Results of ComparedPair
        A row per measure and pair. Its fields are ``measure``; ``a`` and ``b``, the names of the systems;
        ``mean_a``, ``mean_b`` and ``difference``, a minus b; ``low`` and ``high``, the two-sided *t* interval of
        the difference; ``effect_size``, the difference divided by the standard deviation of the differences over
        topics (of the scores, if topics are not paired); ``wins``, ``ties`` and ``losses``, the numbers of topics
        on which a is better, equal and worse, or None if topics are not paired; ``n_a`` and ``n_b``, the numbers of
        topics, in a paired test of those that both systems have; ``statistic`` and ``pvalue`` of the test; and
        ``adjusted_pvalue``, after the correction. ``stdeval help 1 compare`` describes the tests and corrections.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[[0.1], [0.2], [0.4]], [[0.2], [0.4], [0.5]]])
    >>> table = ScoreTable(("a", "b"), ("1", "2", "3"), ("map",), scores)
    >>> pair = compare(table, baseline="a")[0]
    >>> pair.a, pair.b, round(pair.difference, 4), pair.wins, round(pair.pvalue, 4)
    ('b', 'a', 0.1333, 3, 0.0572)
    """
    at = None if baseline is None else places(table.systems, [baseline], "system")[0]
    first, second = pairs(len(table.systems), at)
    if not len(first):
        raise InputError(f"{counted(len(table.systems), 'system')}, expected at least two to compare")
    design = Design(test, unpaired, welch, alternative, correction, confidence, n_resamples, seed)
    names = [(table.systems[i], table.systems[j]) for i, j in zip(first, second, strict=True)]
    compared = compare_pairs(table, first, second, design, 1 - confidence)
    return Results(ComparedPair, list(compared_pairs(compared, names)))


def compare_pairs(table: ScoreTable, first: Ints, second: Ints, design: Design, alpha: float) -> Compared:
    """Compare pairs of systems, and warn if no p can be at most alpha."""
    compared = compare_measures(table, first, second, design)
    remedy = "more topics or resamples" if design.draws else "more topics"
    warn(notices.unreachable(smallest_possible(compared, len(table.systems), design), alpha, remedy))
    return compared


def compared_pairs(compared: Compared, names: Sequence[tuple[str, str]]) -> Iterator[ComparedPair]:
    """Yield a row for each measure and pair."""
    for measure, (c, adjusted) in compared.items():
        nothing = [None] * len(names)
        counts = [nothing if column is None else column.tolist() for column in (c.wins, c.ties, c.losses)]
        numbers = (c.mean_a, c.mean_b, c.difference, c.low, c.high, c.effect_size)
        tested = (c.n_a, c.n_b, c.statistic, c.pvalue, adjusted)
        columns = [*(each.tolist() for each in numbers), *counts, *(each.tolist() for each in tested)]
        for (a, b), *cells in zip(names, *columns, strict=True):
            yield ComparedPair(measure, a, b, *cells)


RELEVANT = "rel"
"""The column of the number of relevant documents of a topic."""


class TopicDifficulty(NamedTuple):
    """The scores of all systems on a topic, and its difficulty; see `stdeval.stats.difficulty`."""

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
        Group the topics by their surprise: ``hard-easy`` (halves), ``middle-rest`` (the middle half, and the rest),
        or a number of groups, as text, of which ``1`` is the hardest.
    level : int
        A document is relevant if its judgment is at least this level.

    Returns
    -------
    Results of TopicDifficulty
        A row per measure and topic. Its fields are ``measure`` and ``topic``; ``n``, the number of systems that
        have a score; ``mean``, ``sd``, ``min``, ``p25``, ``median``, ``p75`` and ``max`` of the scores; the
        difficulties ``one_minus_mean``, ``one_minus_max`` and ``surprise``, which is (max - mean) / sd; ``zero``
        and ``low``, the shares of scores that are 0 and at most 0.1; ``item_total``, the correlation of the scores
        with the systems' means over the other topics; ``rel``, the number of relevant documents, or NaN without
        qrels; and ``group``, which is empty without groups.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.2], [0.4]], [[0.4], [0.4]]]))
    >>> rows = topics(table, {"1": {"d": 1}, "2": {"d": 0}})
    >>> [(row.topic, round(row.one_minus_mean, 2), row.rel) for row in rows]
    [('1', 0.7, 1), ('2', 0.6, 0)]
    """
    judged = None if qrels is None else qrels_of(qrels)
    rows: list[TopicDifficulty] = []
    for measure, relevant in relevant_documents(judged, table.topics, table.measures, level).items():
        rows += topic_difficulties(measure, table.topics, table.measure(measure), relevant, groups)
    aside = coverage(table.values).set_aside(table.systems)
    warn(notices.incomplete_runs(aside, len(table.systems), "left out of item_total"))
    return Results(TopicDifficulty, rows)


def relevant_documents(
    qrels: Qrels | None, topic_names: Sequence[str], measures: Sequence[str], level: int
) -> dict[str, Floats]:
    """Return the number of documents of each topic that are relevant for each measure; NaN if it is not known."""
    levels = {measure: level_of(measure, level) for measure in measures}
    counts = {each: np.full(len(topic_names), np.nan) for each in levels.values()}
    for i, topic in enumerate(topic_names):
        if qrels is not None and topic in qrels:
            for at_least, numbers in counts.items():
                numbers[i] = sum(judgment >= at_least for judgment in qrels[topic].values())
    return {measure: counts[each] for measure, each in levels.items()}


def topic_difficulties(
    measure: str, topic_names: Sequence[str], values: Floats, relevant: Floats, groups: str | None = None
) -> list[TopicDifficulty]:
    """Return a row for each topic, by one measure."""
    statistics = topic_statistics(values, better_higher=is_better_higher(measure))
    labels = [""] * len(topic_names)
    if groups:
        check_grouping(groups)
        try:
            labels = topic_groups(statistics["surprise"], groups)
        except InputError as error:
            raise InputError(f"{measure}: {error.message}") from None
    known = [rel if math.isnan(rel) else int(rel) for rel in relevant.tolist()]
    n, *columns = (statistics[name].tolist() for name in STATISTICS)
    rows = zip(topic_names, map(int, n), *columns, known, labels, strict=True)
    return [TopicDifficulty(measure, *row) for row in rows]


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
        A row per system and condition. Its fields are ``system`` and ``condition``; ``holds``, True if the system
        fulfils the condition; ``figures``, the numbers that decide, in words; ``value``, the number that decides,
        and ``limit``, with which it is compared; ``mean`` of the system and ``baseline``, that of the baseline or
        NaN; ``n``, the number of topics; ``detectable``, the loss that a t test is likely to find, for not-worse,
        otherwise NaN; and ``topics``, (topic, score or difference) of the topics to look at, the worst first, if
        the condition does not hold.

    Raises
    ------
    InputError
        If a condition cannot be evaluated, so that a gate never passes by mistake: for example, if scores are
        missing, or a baseline has scores on other topics. Topics chosen by ``table.select`` are accepted.

    Examples
    --------
    >>> import numpy as np
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.2], [0.4]], [[0.4], [0.6]]]))
    >>> [(row.system, row.holds) for row in check(table, Condition("min", "AP", 0.4))]
    [('a', False), ('b', True)]
    >>> check(table, Condition("max-drop", "AP", 0.1), baseline="b")[0].figures
    'mean 0.3000, baseline 0.5000 on 2 topics, drop 0.2000, expected at most 0.1'
    """
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
        if len(baseline.systems) != 1:
            number = counted(len(baseline.systems), "system")
            raise InputError(f"a baseline of {number}, expected one: table.select(systems=[NAME])")
        if baseline is table:
            raise InputError("the baseline is the table that is checked, expected another")
        require_judged_topics(baseline, "baseline", _CHOSEN)
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


def standardize(
    table: ScoreTable,
    factors: Factors | None = None,
    scheme: str = "n",
    *,
    A: float = 0.15,
    B: float = 0.5,
    censor: bool = True,
) -> ScoreTable:
    """Return the standardized scores of a table, with the scheme's letter before the names of measures: ``Nmap``.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    factors : Factors, optional
        The factors to use; None makes the table its own reference (self-standardized).
    scheme : {"n", "z", "u", "e", "m"}
        In lower or upper case. Let z be the distance of a score from the mean of the reference scores on the topic,
        in their standard deviations. Then ``"z"`` is z itself, ``"n"`` the normal distribution function of z, and
        ``"u"`` A z + B. ``"e"`` is the share of the reference scores that are at most as high (empirical), and
        ``"m"`` is the same with equal reference scores counted by half (mid-rank).
    A, B : float
        Of ``"u"``: A is the standard deviation and B the mean that the reference runs get.
    censor : bool
        Of ``"u"``: if True, scores below 0 become 0, and scores above 1 become 1.

    Returns
    -------
    ScoreTable
        The scores on all topics of the table, by those of its measures that the factors have. A score is NaN if
        it is missing, if its topic has no factors, or if it is not defined because all reference runs have the
        same score on the topic.

    Raises
    ------
    InputError
        If the scheme needs reference scores and the factors do not have them, if the table and the factors have no
        topic or no measure in common, or if the scores are standardized already.

    Examples
    --------
    >>> scores = [[[score / 10]] for score in range(10)]
    >>> table = ScoreTable(tuple("abcdefghij"), ("1",), ("map",), scores)
    >>> standardize(table).values.ravel().round(2)
    array([0.07, 0.12, 0.2 , 0.31, 0.43, 0.57, 0.69, 0.8 , 0.88, 0.93])
    """
    already = next((name for name in table.measures if split_scheme(name)[0]), None)
    if already is not None:
        raise InputError(f"{already} is standardized already, expected raw scores")
    used = fit_factors(table) if factors is None else factors
    scored = standardized(table, used, scheme, A=A, B=B, censor=censor)
    letter = scheme_letter(scheme)
    raw = table.select(measures=common_measures(table.measures, used))
    left_out = {letter: left_out_topics(used, raw.topics, raw.measures, letter, censor=censor)}
    numbers = numbers_of_references(used, raw.topics, raw.measures)
    facts = facts_about(raw, {letter: scored}, left_out, numbers)
    differing = [] if factors is None else differences_of(factors, table, table.origin)
    without = [name for name in table.measures if name not in raw.measures and kind_of(name) == "score"]
    warn(
        notices.other_origin(differing, "factors"),
        notices.topics_without_factors(facts.without, len(raw.topics)),
        notices.measures_without_factors(without),
        notices.few_references(facts.n_references, [letter]),
        notices.equal_references(facts.equal, len(raw.topics), facts.letters),
        notices.extreme_scores(*facts.extreme),
    )
    # all judged topics, so that systems with missing topics have the signature of those that have all
    topics = {*raw.topics, *raw.origin.judgments, *raw.origin.options}
    counted = numbers_of_references(used, tuple(topics), raw.measures)
    standardization = Standardization(
        (scheme_with_parameters(letter, A, B, censor),),
        () if factors is None else fit(differing, factors, table),
        factors_digest(used, topics, raw.measures),
        int(counted.min()),
        int(counted.max()),
        signed_measures(raw.measures),
    )
    return replace(scored, origin=replace(table.origin, standardization=standardization))
