"""What `collections` computes of every two collections, and what it writes of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import PurePath

from stdeval.commands.inputs import Inputs, warn
from stdeval.commands.meta.experiment import Experiment, Listing, Tables, standardized_tables, without_gap_warnings
from stdeval.commands.standardization import Standardization
from stdeval.errors import InputError
from stdeval.formats.writers import Cell, Field
from stdeval.meta.collections import CollectionComparison, Repartition, compare_collections, repartition
from stdeval.meta.trials import Mapper
from stdeval.table import ScoreTable

_NAMES = {"tau": "tau_b", "tau_ap": "tau_ap_b"}
_PARTS = ("mean", "low", "high", "percentile")
_MAIN = "drmse"
_LABELS = ("measure", "scheme", "pair")
_TOPICS = ("topics_first", "topics_second")


@dataclass(frozen=True, eq=False)
class Pair:
    """Two collections by one measure and scheme: how they compare, and how random re-partitions of them do."""

    labels: tuple[str, str, str]
    n_topics: tuple[int, int]
    real: CollectionComparison
    random: Repartition | None


def collection_tables(sources: Sequence[Inputs], standardization: Standardization) -> list[Tables]:
    """The scores of each collection by the same measures, of the systems that all have, in the same order."""
    each = [
        dataclasses.replace(standardization, factor_files=files)
        for files in _factor_files(standardization, len(sources))
    ]
    with without_gap_warnings():
        raw = [_raw_scores(source, own) for source, own in zip(sources, each, strict=True)]
    paths = [source.score_files[0] for source in sources]
    _check_measures(raw, paths)
    systems = _shared_systems(raw, paths)
    return [
        standardized_tables(table.select(measures=raw[0].measures), own, systems)
        for table, own in zip(raw, each, strict=True)
    ]


def _factor_files(standardization: Standardization, n: int) -> list[tuple[str, ...]]:
    return [(path,) for path in standardization.factor_files] or [()] * n


def _raw_scores(source: Inputs, standardization: Standardization) -> ScoreTable:
    try:
        return standardization.raw_scores(source)
    except InputError as error:
        raise error if error.path else InputError(error.message, source.score_files[0]) from None


def _check_measures(tables: Sequence[ScoreTable], paths: Sequence[str]) -> None:
    for table, path in zip(tables[1:], paths[1:], strict=True):
        differing = set(tables[0].measures) ^ set(table.measures)
        if differing:
            name = min(differing)
            lacking, having = (path, paths[0]) if name in tables[0].measures else (paths[0], path)
            raise InputError(f"no measure '{name}', expected those of {having}, or -m", lacking)


def _shared_systems(tables: Sequence[ScoreTable], paths: Sequence[str]) -> list[str]:
    for (a, path_a), (b, path_b) in combinations(zip(tables, paths, strict=True), 2):
        if not set(a.systems) & set(b.systems):
            raise InputError(
                f"{path_a} and {path_b} share no system: the first has '{a.systems[0][:60]}', "
                f"the second '{b.systems[0][:60]}'"
            )
    shared = [name for name in tables[0].systems if all(name in table.systems for table in tables)]
    everything = {name for table in tables for name in table.systems}
    if len(shared) < len(everything):
        warn(f"{len(everything) - len(shared)} of {len(everything)} systems are not in all collections: left out")
    return shared


def compare_pairs(
    experiment: Experiment, paths: Sequence[str], tables: Sequence[Tables], alpha: float, mapper: Mapper
) -> list[Pair]:
    """Every two collections by every measure and scheme."""
    names = _short_names(paths)
    found = []
    for i, j in combinations(range(len(tables)), 2):
        for (measure, scheme, a), (_, _, b) in zip(tables[i].cells(), tables[j].cells(), strict=True):
            random = None
            if experiment.n_trials:
                random = repartition(
                    a, b, n_trials=experiment.n_trials, rng=experiment.generator(), alpha=alpha, mapper=mapper
                )
            real = compare_collections(a, b, alpha=alpha) if random is None else random.real
            found.append(Pair((measure, scheme, f"{names[i]}/{names[j]}"), (a.shape[1], b.shape[1]), real, random))
    return found


def _short_names(paths: Sequence[str]) -> list[str]:
    """File names without what follows the first dot; whole paths where these are the same."""
    short = [PurePath(path).name.partition(".")[0] or path for path in paths]
    return short if len(set(short)) == len(short) else list(paths)


def listings(found: Sequence[Pair]) -> tuple[Listing, list[Listing]]:
    """For CSV a row per pair, measure and scheme; for reading that, and a row a statistic of re-partitions."""
    statistics = [field.name for field in dataclasses.fields(CollectionComparison)]
    names = [(name, part) for name in statistics for part in ("real", *(_PARTS if found[0].random else ()))]
    fields = [Field(name) for name in _LABELS] + [_field(name, part) for name, part in names]
    rows: list[list[Cell]] = [
        [*pair.labels, *(_value(pair, name, part) for name, part in names), *pair.n_topics] for pair in found
    ]
    listing = Listing([*fields, *map(Field, _TOPICS)], rows)
    text = [listing.only([*_LABELS, *(_NAMES.get(name, name) for name in statistics), *_TOPICS])]
    return listing, [*text, _random_listing(found, statistics)] if found[0].random else text


def _field(statistic: str, part: str) -> Field:
    """A column: a statistic as it is, or over re-partitions, where those of dRMSE have the bare names."""
    name = _NAMES.get(statistic, statistic)
    form = ".1f" if part == "percentile" else ".4f"
    if part == "real":
        return Field(name)
    return Field(part if statistic == _MAIN else f"{name}_{part}", form)


def _value(pair: Pair, statistic: str, part: str) -> Cell:
    comparison = pair.real if part == "real" else getattr(pair.random, part)
    value = float(getattr(comparison, statistic)[0])
    return int(value) if part == "real" and statistic.endswith("better") else value


def _random_listing(found: Sequence[Pair], statistics: Sequence[str]) -> Listing:
    rows = [
        [*pair.labels, _NAMES.get(name, name), *(_value(pair, name, part) for part in ("real", *_PARTS))]
        for pair in found
        for name in statistics
    ]
    fields = [Field("real"), *(Field(part, ".1f" if part == "percentile" else ".4f") for part in _PARTS)]
    return Listing([*map(Field, (*_LABELS, "statistic")), *fields], rows)
