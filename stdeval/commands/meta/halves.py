"""What `split` computes by each method, and what it writes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

import numpy as np

from stdeval.commands.inputs import warn
from stdeval.commands.meta.experiment import Experiment, Listing, Tables
from stdeval.commands.meta.methods import Method
from stdeval.formats.writers import Cell, Field
from stdeval.meta.split import Split, difficulty_split, random_splits, split_correlations
from stdeval.meta.trials import Mapper, check_scores
from stdeval.meta.ttests import paired_pvalues
from stdeval.stats.correlation import Correlations
from stdeval.stats.difficulty import surprise
from stdeval.table import Floats, Ints

PERCENTILES = {"p2.5": 2.5, "median": 50.0, "p97.5": 97.5}

_LABELS = [Field("how"), Field("measure"), Field("scheme"), Field("aggregate"), Field("epsilon", "g")]


@dataclass(frozen=True, eq=False)
class Halves:
    """The correlations over all splits of one kind, by one method; ``trials`` of shape (n_splits,)."""

    how: str
    measure: str
    scheme: str
    method: Method
    trials: Correlations

    @property
    def labels(self) -> list[Cell]:
        """What tells this from others, in the order of the columns."""
        return [self.how, self.measure, self.scheme, self.method.aggregate, self.method.epsilon]


def method_rows(
    experiment: Experiment, tables: Tables, ways: Sequence[str], chosen: Sequence[Method], mapper: Mapper
) -> Iterator[Halves]:
    """Every measure, way to split, scheme and aggregate; those of one measure and way on the same splits."""
    for i, measure in enumerate(tables.measures):
        difficulty = None if set(ways) == {"random"} else _difficulty(measure, tables.raw[i])
        for how in ways:
            topics, split = _split(experiment, how, tables.raw.shape[2], difficulty)
            for j, scheme in enumerate(tables.schemes):
                scores = tables.values[i, j][:, topics]
                for method in chosen:
                    mapped = mapper if how == "random" else map
                    found = split_correlations(scores, split, method.function, mapper=mapped)
                    yield Halves(how, measure, scheme, method, found)


def _difficulty(measure: str, raw: Floats) -> Floats:
    """The difficulty of each topic; NaN, and not split, where all scores are equal."""
    difficulty = surprise(raw)
    known = ~np.isnan(difficulty)
    if not known.all():
        warn(f"{measure}: {int((~known).sum())} topics with equal scores have no difficulty: not split by it")
        check_scores(raw[:, known])
    return difficulty


def _split(experiment: Experiment, how: str, n_topics: int, difficulty: Floats | None) -> tuple[Ints, Split]:
    """Which topics are split, and how."""
    if how == "random" or difficulty is None:
        return np.arange(n_topics), random_splits(n_topics, experiment.n_trials, experiment.generator())
    topics = np.flatnonzero(~np.isnan(difficulty))
    return topics, difficulty_split(difficulty[topics], how)


def summary_listing(found: Sequence[Halves]) -> Listing:
    """A row a method: mean, sd and percentiles of tau_b, means of the others, p against the first method."""
    rows: list[list[Cell]] = []
    for _, group in groupby(found, lambda halves: (halves.how, halves.measure)):
        methods = list(group)
        for halves in methods:
            rows.append([*halves.labels, *_summary(halves.trials), _pvalue(methods[0], halves)])
    names = ["tau", "sd", *PERCENTILES, "tau_ap_b", "r", "splits"]
    return Listing([*_LABELS, *map(Field, names), Field("p", ".3g")], rows)


def _summary(trials: Correlations) -> list[Cell]:
    """Over the splits where tau is defined, whose number comes last."""
    tau = trials.tau[~np.isnan(trials.tau)]
    if not len(tau):
        return [*[float("nan")] * (len(PERCENTILES) + 4), 0]
    sd = float(tau.std(ddof=1)) if len(tau) > 1 else float("nan")
    percentiles = np.percentile(tau, list(PERCENTILES.values())) if len(tau) > 1 else [np.nan] * len(PERCENTILES)
    others = [float(np.nanmean(values)) for values in (trials.tau_ap, trials.r)]
    return [float(tau.mean()), sd, *map(float, percentiles), *others, len(tau)]


def _pvalue(first: Halves, second: Halves) -> float:
    """Of the paired t test over the splits where both are defined; NaN of a method with itself."""
    both = np.stack([first.trials.tau, second.trials.tau])
    both = both[:, ~np.isnan(both).any(axis=0)]
    return float("nan") if first is second or both.shape[1] < 2 else float(paired_pvalues(both)[0])


def trial_listing(found: Sequence[Halves]) -> Listing:
    """A row per method and trial."""
    rows: list[list[Cell]] = [
        [*halves.labels, number, *map(float, values)]
        for halves in found
        for number, values in enumerate(
            zip(halves.trials.tau, halves.trials.tau_ap, halves.trials.r, strict=True), 1
        )
    ]
    return Listing([*_LABELS, *map(Field, ("trial", "tau", "tau_ap_b", "r"))], rows)


def pair_listing(found: Sequence[Halves]) -> Listing:
    """A row for every two methods on the same splits of the topics: mean difference of tau_b, and p."""
    rows = [
        [*a.labels, *b.labels[2:], float(np.nanmean(a.trials.tau - b.trials.tau)), _pvalue(a, b)]
        for a, b in combinations(found, 2)
        if (a.how, a.measure) == (b.how, b.measure)
    ]
    others = [Field(f"{field.name}_b", field.form) for field in _LABELS[2:]]
    return Listing([*_LABELS, *others, Field("difference"), Field("p")], rows)
