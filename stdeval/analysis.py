"""The functions of the Python API, which warn as the section WARNINGS of stdeval(1) lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import NamedTuple

import numpy as np

from stdeval import gate, notices
from stdeval.errors import InputError, counted, warn
from stdeval.gate import Condition, Outcome
from stdeval.measures.names import is_better_higher, kind_of, kind_of_scores, level_of, split_scheme
from stdeval.provenance import Standardization, factors_digest, fit, scheme_with_parameters, signed_measures
from stdeval.python_inputs import QrelsLike, qrels_of
from stdeval.results import Results
from stdeval.standardization import factors as references
from stdeval.standardization import schemes
from stdeval.standardization.factors import Factors
from stdeval.stats import aggregates
from stdeval.stats.difficulty import LOW, STATISTICS, topic_groups, topic_statistics
from stdeval.stats.paired_tests import Alternative
from stdeval.stats.pairwise import ComparedPair, Design, compared_pairs
from stdeval.stats.ranking import comparable
from stdeval.table import ScoreTable, places
from stdeval.trec.reading import Qrels


class SystemScore(NamedTuple):
    """The overall score of a system on ``n`` topics, and the *t* interval of an arithmetic mean, otherwise NaN."""

    system: str
    measure: str
    score: float
    low: float
    high: float
    n: int


def aggregate(
    table: ScoreTable, name: str = "am", *, epsilon: float | None = None, confidence: float = 0.95
) -> Results[SystemScore]:
    """Return the overall scores of systems, as `stdeval eval` prints them; missing topics are left out.

    Parameters
    ----------
    name : str
        am (arithmetic mean), gm (geometric mean), egm (geometric mean of x + epsilon, minus epsilon), egm-trec
        (geometric mean of max(x, epsilon)), hm (harmonic mean), ehm (harmonic mean of x + epsilon, minus epsilon),
        md (median) or sd (sample standard deviation). With am, counts are summed; with others they are left out.
    epsilon : float, optional
        Of egm and ehm (0.01 by default) and of egm-trec (1e-5 by default).
    """
    rows: list[SystemScore] = []
    for measure in table.measures:
        values, is_count = table.measure(measure), kind_of_scores(*split_scheme(measure)) in ("count", "sum")
        if is_count and name != "am":
            continue
        ends = np.full((2, len(values)), np.nan)
        if is_count:
            overall = np.nansum(values, axis=1)
        elif name == "sd":
            overall = aggregates.moments(values.T)[1]
        else:
            overall = aggregates.aggregate(values, name, epsilon=epsilon)
            ends = np.array(aggregates.t_interval(values, level=confidence)) if name == "am" else ends
        columns = [*(column.tolist() for column in (overall, *ends)), np.sum(~np.isnan(values), axis=1).tolist()]
        rows += [SystemScore(system, measure, *row) for system, *row in zip(table.systems, *columns, strict=True)]
    if name == "hm":
        warn(notices.undefined_means(sum(row.n > 0 and math.isnan(row.score) for row in rows), len(rows)))
    return Results(SystemScore, rows)


def compare(
    table: ScoreTable,
    baseline: str | None = None,
    test: str = "t",
    *,
    unpaired: bool = False,
    welch: bool = False,
    alternative: Alternative = "two-sided",
    correction: str = "default",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Results[ComparedPair]:
    """Compare every pair of systems, or all systems with a baseline, as `stdeval compare` does.

    Parameters
    ----------
    baseline : str, optional
        The system that is the second of each pair; None for all pairs.
    test : {"t", "wilcoxon", "sign", "permutation", "bootstrap"}
        ``stdeval help 1 compare`` describes the tests and corrections.
    unpaired, welch : bool
        Do not pair the topics, for the t test; with ``welch``, the variances may differ.
    alternative : {"two-sided", "greater", "less"}
        Greater: a is better than b, which by measures such as unj is lower.
    correction : {"default", "none", "bonferroni", "holm", "bh", "tukey", "hsd", "range"}
        For the number of pairs, for each measure by itself; ``default`` is that of the command.
    confidence : float
        Of the interval of the difference, in [0.5, 1); 1 minus it is the significance level.
    n_resamples, seed : int
        Of permutation, bootstrap, tukey and range. The same seed gives the same p-values.

    Examples
    --------
    >>> scores = np.array([[[0.1], [0.2], [0.4]], [[0.2], [0.4], [0.5]]])
    >>> table = ScoreTable(("a", "b"), ("1", "2", "3"), ("map",), scores)
    >>> pair = compare(table, baseline="a")[0]
    >>> pair.a, pair.b, round(pair.difference, 4), pair.wins, round(pair.pvalue, 4)
    ('b', 'a', 0.1333, 3, 0.0572)
    """
    if len(table.systems) < 2:
        raise InputError(f"{counted(len(table.systems), 'system')}, expected at least two to compare")
    at = None if baseline is None else places(table.systems, [baseline], "system")[0]
    design = Design(test, unpaired, welch, alternative, correction, confidence, n_resamples, seed)
    design = design.resolved(~np.isnan(table.values), with_baseline=at is not None)
    compared, smallest = compared_pairs(table, at, design)
    warn(notices.unreachable(smallest, 1 - confidence, draws=design.draws))
    return Results(ComparedPair, compared)


class TopicDifficulty(NamedTuple):
    """The scores of ``n`` systems on a topic, and its difficulty; see `stdeval.stats.difficulty`.

    ``surprise`` is (max - mean) / sd; ``zero`` and ``low`` are the shares of scores that are 0 and at most 0.1;
    ``item_total`` is the correlation of the scores with the systems' means over the other topics. ``rel`` is the
    number of relevant documents, NaN without qrels, and ``group`` is empty without groups.
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
    qrels : dict or data frame, optional
        Judgments, as for `stdeval.evaluate`, and the ``level`` from which they are relevant; for ``rel`` only.
    groups : str, optional
        Group the topics by their surprise: ``hard-easy`` (halves), ``middle-rest`` (the middle half, and the rest),
        or a number of groups, as text; group ``1`` is the hardest.
    """
    judged = {} if qrels is None else qrels_of(qrels)
    return Results(TopicDifficulty, topic_difficulties(table, judged, groups, level))


def topic_difficulties(
    table: ScoreTable, qrels: Qrels, groups: str | None, level: int, low: float = LOW
) -> list[TopicDifficulty]:
    """Return a row for each measure and topic, and warn of the systems that item_total leaves out."""
    judgments = [qrels[topic].values() if topic in qrels else None for topic in table.topics]
    levels = {measure: level_of(measure, level) for measure in table.measures}
    relevant = {
        least: [math.nan if of_topic is None else sum(j >= least for j in of_topic) for of_topic in judgments]
        for least in {*levels.values()}
    }
    rows: list[TopicDifficulty] = []
    for measure, least in levels.items():
        statistics = topic_statistics(table.measure(measure), better_higher=is_better_higher(measure), low=low)
        labels = topic_groups(statistics["surprise"], groups) if groups else [""] * len(table.topics)
        n, *columns = (statistics[name].tolist() for name in STATISTICS)
        cells = zip(table.topics, map(int, n), *columns, relevant[least], labels, strict=True)
        rows += [TopicDifficulty(measure, *row) for row in cells]
    kept, _ = comparable(~np.isnan(table.values))
    aside = list(compress(table.systems, ~kept))
    warn(notices.incomplete_runs(aside, len(table.systems), "left out of item_total"), stacklevel=4)
    return rows


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

    A condition that cannot be evaluated, for example without the scores of some judged topics, is an `InputError`.
    After a choice of topics otherwise than by ``table.select``, set ``origin=table.origin.by_topic()``.

    Parameters
    ----------
    baseline : str or ScoreTable, optional
        The name of a system of the table, or the scores of another system. All kinds but min need one.
    test, n_resamples, seed
        Of not-worse, as in `stdeval.compare`.
    allow_other_judgments : bool
        Only warn if the scores of a baseline were made from other judgments, or with other options.

    Examples
    --------
    >>> table = ScoreTable(("a", "b"), ("1", "2"), ("map",), np.array([[[0.2], [0.4]], [[0.4], [0.6]]]))
    >>> check(table, Condition("max-drop", "AP", 0.1), baseline="b")[0].figures
    'mean 0.3000, baseline 0.5000 on 2 topics, drop 0.2000, expected at most 0.1'
    """
    asked = [conditions] if isinstance(conditions, Condition) else conditions
    design = Design(test, n_resamples=n_resamples, seed=seed)
    if isinstance(baseline, ScoreTable):
        gate.refuse_other_origin(baseline, table, table.origin, "baseline", allowed=allow_other_judgments)
    return Results(Outcome, list(gate.outcomes(table, asked, baseline, design)))


def standardize(
    table: ScoreTable,
    factors: Factors | None = None,
    scheme: str = "n",
    *,
    A: float = 0.15,
    B: float = 0.5,
    censor: bool = True,
) -> ScoreTable:
    """Return the standardized scores of raw ones, with the scheme's letter before the names of measures: ``Nmap``.

    A score is NaN if it is missing, if its topic has no factors, or if it is not defined because all reference runs
    have the same score on the topic. Measures that the factors do not have are left out.

    Parameters
    ----------
    factors : Factors, optional
        The factors to use; None makes the table its own reference (self-standardized).
    scheme : {"n", "z", "u", "e", "m"}
        Let z be the distance of a score from the mean of the reference scores on the topic, in their standard
        deviations. Then ``"z"`` is z itself, ``"n"`` the normal distribution function of z, and ``"u"`` A z + B,
        which ``censor`` cuts to [0, 1]. ``"e"`` is the share of the reference scores that are at most as high,
        and ``"m"`` is the same with equal reference scores counted by half.

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
    schemes.check_scheme(scheme)
    letter, used = scheme.upper(), references.fit_factors(table) if factors is None else factors
    raw = table.select(measures=references.common_measures(table.measures, used))
    found = schemes.standardize_all(raw, used, [letter], A=A, B=B, censor=censor)
    differing = [] if factors is None else references.differences_of(factors, table, table.origin)
    without = [name for name in table.measures if name not in raw.measures and kind_of(name) == "score"]
    warn(notices.other_origin(differing, "factors"), notices.measures_without_factors(without))
    scored = found.warned()[letter]
    # all judged topics, so that systems with missing topics have the signature of those that have all
    topics = {*raw.topics, *raw.origin.judgments, *raw.origin.options}
    numbers = references.numbers_of_references(used, topics, raw.measures)
    named, digest = scheme_with_parameters(letter, A, B, censor), factors_digest(used, topics, raw.measures)
    fitted = () if factors is None else fit(differing, factors, table)
    ends = int(numbers.min()), int(numbers.max())
    made = Standardization((named,), fitted, digest, *ends, signed_measures(raw.measures))
    return replace(scored, origin=replace(table.origin, standardization=made))
