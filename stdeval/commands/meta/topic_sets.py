"""`stdeval meta split`, `within` and `between`: the rankings by halves and other sets of the topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from math import nan
from typing import Any

import numpy as np

from stdeval import notices
from stdeval.cli import experiments
from stdeval.cli.declarations import OUTPUT_FILE, Choice, WholeRange
from stdeval.cli.experiments import CORRELATIONS, Experiment, Method, Tables, better_higher
from stdeval.cli.options import Decorator, option
from stdeval.errors import warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.measures.names import is_better_higher
from stdeval.meta import topic_sets, ttests
from stdeval.meta.trials import Mapper, deviation, over_known
from stdeval.stats import correlation, difficulty

TITLES = {
    "within": "within a collection, {} random topics, correlation with raw scores, paired t test",
    "between": "between two sets of {} random topics, Welch t test",
}
_LABELS = ("measure", "scheme")
_MOMENTS = tuple(f"{name}{part}" for name in CORRELATIONS for part in ("", "_sd"))


def _topic_set_command(name: str, topics: str) -> Decorator:
    meaning = f"{topics}.  [default: 50, or half the topics if that is fewer]"
    return experiments.experiment_command(
        name,
        "-m map --topics 25 --trials 100 qrels.gz references/*.run.gz",
        experiments.trials_options(10_000),
        option("--topics N n_topics", meaning, WholeRange(min=2)),
        experiments.alphas_option(default=(), show_default="19 levels: .001 to .009, .01 to .09, .1"),
        experiments.trials_out_option,
        schemes=("raw", "n"),
    )


@_topic_set_command("within", "Topics of a trial")
def within(**options: Any) -> None:
    """Standardized against raw scores on random topics of one collection."""
    _run("within", **options)


@_topic_set_command("between", "Topics of either set")
def between(**options: Any) -> None:
    """Scores on two disjoint random sets of topics."""
    _run("between", **options)


def _run(
    name: str, experiment: Experiment, n_topics: int | None, alphas: Sequence[float], trials_path: str | None
) -> None:
    """Run an experiment, and write a row per measure, scheme and level, and the trials."""
    levels = tuple(dict.fromkeys(alphas)) or ttests.ALPHAS
    tables = experiment.tables()
    how: dict[str, Any] = {"n_topics": n_topics, "n_trials": experiment.n_trials, "rng": experiment.seed}
    results = []
    with experiment.mapper() as mapper:
        how |= {"alphas": levels, "mapper": mapper}
        for measure, *scores in zip(tables.measures, tables.raw, tables.values, strict=True):
            raw, values = (better_higher(each, measure) for each in scores)
            found = topic_sets.within(raw, values, **how) if name == "within" else topic_sets.between(values, **how)
            results.append(found)
    experiments.warn_of_undefined([each.correlations.tau for each in results], "all systems have the same mean")
    rates, size = list(results[0].rates), results[0].n_topics
    rows, trials = (list[list[Cell]]() for _ in range(2))
    cells = product(results, range(len(tables.schemes)))
    for (measure, scheme, _), (result, j) in zip(tables.cells(), cells, strict=True):
        by_trial = [correlation[j] for correlation in result.correlations]
        moments = [over_known(part, each) for each in by_trial for part in (np.mean, deviation)]
        for k, alpha in enumerate(levels):
            rows.append([measure, scheme, alpha, *(float(rate[j, k]) for rate in result.rates.values()), *moments])
        for coefficient, each in zip(CORRELATIONS, by_trial, strict=True) if trials_path else ():
            trials += [[measure, scheme, coefficient, i, float(value)] for i, value in enumerate(each, 1)]
    listing = Listing([*map(Field, _LABELS), Field("alpha", "g"), *map(Field, (*rates, *_MOMENTS))], rows)
    text = [listing.only((*_LABELS, *_MOMENTS)), *(_rate_listing(listing, rate) for rate in rates)]
    of_trials = Listing([*map(Field, (*_LABELS, "coefficient", "trial", "value"))], trials)
    of_trials = of_trials.with_constants({"experiment": name, "trial_topics": size})
    files = {} if trials_path is None else {trials_path: of_trials}
    # The column topics has the number of all topics; a trial takes some of them.
    constants: dict[str, Cell] = {"test": "t" if name == "within" else "welch", "trial_topics": size}
    experiment.write(TITLES[name].format(size), tables, listing, constants, text=text, files=files)


def _rate_listing(listing: Listing, rate: str) -> Listing:
    """Return a rate of significance with one column per scheme."""
    cells: dict[tuple[Cell, Cell], dict[Cell, Cell]] = {}
    for measure, scheme, alpha, cell in listing.only((*_LABELS, "alpha", rate)).rows:
        cells.setdefault((measure, alpha), {})[scheme] = cell
    schemes = list(dict.fromkeys(str(scheme) for of_level in cells.values() for scheme in of_level))
    rows = [[rate, *labels, *(found.get(name, nan) for name in schemes)] for labels, found in cells.items()]
    return Listing([Field("rate"), Field("measure"), Field("alpha", "g"), *map(Field, schemes)], rows)


_OF_SPLIT = [Field("how"), Field("measure"), Field("scheme"), Field("aggregate"), Field("epsilon", "g")]

PERCENTILES = {"p2.5": 2.5, "median": 50.0, "p97.5": 97.5}

_WAYS = "Random halves; the harder and the easier half; the middle half and the rest; repeatable."


@experiments.experiment_command(
    "split", "-m map -a am -a egm --trials 100 qrels.gz references/*.run.gz", experiments.trials_options(10_000)
)
@option("--split ways", _WAYS, Choice(["random", "hard-easy", "middle-rest"]), multiple=True, default=("random",))
@experiments.method_options
@experiments.trials_out_option
@option("--pairs-out FILE pairs_path", "Write the differences of every two methods to FILE, as CSV.", OUTPUT_FILE)
def split(
    experiment: Experiment, ways: list[str], methods: list[Method], trials_path: str | None, pairs_path: str | None
) -> None:
    """Self-consistency: the correlation of the system rankings on two halves of the topics."""
    if "random" not in ways:
        experiment = replace(experiment, n_trials=0)
    tables = experiment.tables()
    with experiment.mapper() as mapper:
        results = list(_splits(experiment, tables, list(dict.fromkeys(ways)), methods, mapper))
    why = "the aggregate of a system is undefined, or all systems have the same"
    experiments.warn_of_undefined([found.tau for _, found, _ in results], why)
    rows, trials, pairs = (list[list[Cell]]() for _ in range(3))
    firsts: dict[tuple[Cell, ...], correlation.Correlations] = {}
    for labels, found, _ in results:
        n = int((~np.isnan(found.tau)).sum())
        ranks = [over_known(partial(np.percentile, q=q), found.tau) if n > 1 else nan for q in PERCENTILES.values()]
        tau, *others = (over_known(np.mean, values) for values in found)
        # The se of the difference between the first method and this one on the same splits.
        first = firsts.setdefault(labels[:2], found)
        error = nan if first is found else topic_sets.monte_carlo_error(first.tau, found.tau)
        rows.append([*labels, tau, over_known(deviation, found.tau), *ranks, *others, n, error])
    names = ["tau", "sd", *PERCENTILES, "tau_ap_b", "r", "splits"]
    listing = Listing([*_OF_SPLIT, *map(Field, names), Field("se", ".2g")], rows)
    files = {}
    if trials_path is not None:
        for labels, found, _ in results:
            numbered = enumerate(zip(*found, strict=True), 1)
            trials += [[*labels, number, *map(float, values)] for number, values in numbered]
        files[trials_path] = Listing([*_OF_SPLIT, *map(Field, ("trial", "tau", "tau_ap_b", "r"))], trials)
    if pairs_path is not None:
        for (labels, found, low), (of_other, other, _) in combinations(results, 2):
            if labels[:2] == of_other[:2]:
                # Over the splits for which both methods have a tau_b.
                difference = over_known(np.mean, found.tau - other.tau)
                error = topic_sets.monte_carlo_error(found.tau, other.tau)
                pairs.append([*labels, *of_other[2:], difference, error, low])
        to_other = [Field(f"{field.name}_b", field.form) for field in _OF_SPLIT[2:]]
        files[pairs_path] = Listing([*_OF_SPLIT, *to_other, *map(Field, ("difference", "se", "low"))], pairs)
    experiment.write("correlation of two halves of the topics", tables, listing, files=files)


def _splits(
    experiment: Experiment, tables: Tables, ways: Sequence[str], methods: Sequence[Method], mapper: Mapper
) -> Iterator[tuple[tuple[Cell, ...], correlation.Correlations, float]]:
    """Yield labels, correlations over all splits, and the share of low scores, by each way to split and method."""
    surprises = None
    if ways != ["random"]:
        raw = zip(tables.measures, tables.raw, strict=True)
        surprises = np.stack([difficulty.surprise(better_higher(scores, measure)) for measure, scores in raw])
        n_unknown = int(np.isnan(surprises).any(axis=0).sum())
        warn(notices.left_out_topics(n_unknown, len(tables.topics), "with equal scores, they have no difficulty"))
    for (i, measure), how in product(enumerate(tables.measures), ways):
        # A split by difficulty is a single trial, not worth a worker.
        if how == "random" or surprises is None:
            topics, used = np.arange(len(tables.topics)), mapper
            halves = topic_sets.random_splits(len(topics), experiment.n_trials, experiment.seed)
        else:
            topics, used = np.flatnonzero(~np.isnan(surprises[i])), map
            halves = topic_sets.difficulty_split(surprises[i, topics], how)
        given: dict[str, Any] = {"better_higher": is_better_higher(measure), "mapper": used}
        for j, scheme in enumerate(tables.schemes_of(measure)):
            scores = tables.values[i, j][:, topics]
            low = float(difficulty.share_low(scores.ravel()))
            for aggregate, epsilon, function, transform in methods:
                found = topic_sets.split_correlations(scores, halves, transform or function, **given)
                yield (how, measure, scheme, aggregate, epsilon), found, low
