"""The signs of means that differ significantly from the baseline's, and the notes that explain them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stdeval.commands.input_options import InputOptions
from stdeval.commands.pair_listing import compare_pairs
from stdeval.commands.residuals import bounds_of_pairs
from stdeval.display import listed
from stdeval.formats.listing import DAGGER, DOUBLE_DAGGER
from stdeval.noise import is_significant
from stdeval.stats.coverage import Coverage, takes_part
from stdeval.stats.pairwise import Design
from stdeval.stats.residuals import is_decided
from stdeval.stats.significance import pairs
from stdeval.table import Bools, Ints, ScoreTable

Signs = dict[tuple[int, int], str]
"""The signs after a mean, by the indices of its system and measure."""


def difference_signs(
    inputs: InputOptions,
    table: ScoreTable,
    facts: Coverage,
    baseline: int | None,
    design: Design,
    alpha: float,
    evaluated: ScoreTable | None,
) -> tuple[Signs, list[str]]:
    """Return the signs of each system and measure, and the notes that explain them.

    Systems are compared on the topics of the means that the table shows. Systems that are not ranked count for the
    correction, but in paired tests they are not marked: their means are over other topics. `evaluated` has the
    scores with residuals, to bound the differences, or is None.
    """
    if baseline is None:
        return {}, []
    name = table.systems[baseline]
    is_marked = facts.ranked | design.unpaired
    if not is_marked[baseline]:
        return {}, [f"no daggers: the baseline {name} is not ranked"]
    tested = np.flatnonzero(is_marked | (design.correction not in ("none", "tukey")))
    at = int(np.flatnonzero(tested == baseline)[0])
    first, second = pairs(len(tested), at)
    shown = _only(table, facts, tested)
    places, untested = _tested_measures(shown, at)
    if not places:
        return {}, untested
    compared = compare_pairs(
        shown.select(measures=[table.measures[k] for k in places]), first, second, design, alpha
    )
    marked = {DAGGER: np.stack([is_significant(adjusted, alpha) for _, adjusted in compared.values()], axis=1)}
    told = design.described_for(len(table.systems) - 1)
    differs = {"two-sided": "differs from", "greater": "is better than", "less": "is worse than"}
    notes = [f"{DAGGER}: {differs[design.alternative]} {name}, p at most {alpha:g}; {told}", *untested]
    notes += _notes_about_tests(facts, is_marked, design, name)
    if evaluated is not None:
        # A run misses a topic by all measures or by none.
        common = evaluated.select(topics=_common_topics(table, facts))
        bounds = bounds_of_pairs(inputs, common, tested[first], tested[second])
        marked[DOUBLE_DAGGER] = np.stack([~is_decided(*ends) for ends in bounds.values()], axis=1)
        notes.append(f"{DOUBLE_DAGGER}: the documents that are not judged or not retrieved may decide the sign")
    systems = tested[first]
    shown_signs = {sign: where & is_marked[systems, np.newaxis] for sign, where in marked.items()}
    return _placed(shown_signs, systems, places), notes


def _notes_about_tests(facts: Coverage, is_marked: Bools, design: Design, baseline: str) -> list[str]:
    """Return notes about the systems that are not marked, and about the topics of the tests."""
    notes, is_tukey = [], design.correction == "tukey"
    if not is_marked.all():
        elsewhere = "" if is_tukey else f" (-f table compares them with {baseline})"
        notes.append(f"incomplete runs have no dagger{elsewhere}")
    if not facts.common.any(axis=1).all() and not design.unpaired:
        elsewhere = "" if is_tukey else " (-f table: on those that both runs have)"
        notes.append(f"tests are on the topics that all ranked runs have{elsewhere}")
    return notes


def _placed(marked: dict[str, Bools], systems: Ints, measures: Sequence[int]) -> Signs:
    """Return the signs by system and measure; `systems` and `measures` are the indices of rows and columns."""
    signs: Signs = {}
    for sign, where in marked.items():
        for i, k in np.argwhere(where).tolist():
            place = int(systems[i]), measures[k]
            signs[place] = signs.get(place, "") + sign
    return signs


def _tested_measures(table: ScoreTable, baseline: int) -> tuple[list[int], list[str]]:
    """Return the indices of the measures by which the baseline and another system have scores.

    Notes about the other measures follow.
    """
    has = takes_part(table.values)
    is_tested = has[baseline] & (has.sum(axis=0) > 1)
    others = [table.measures[k] for k in np.flatnonzero(~is_tested)]
    told = f"no dagger by {listed(others)}: {table.systems[baseline]} or all others have no scores"
    return [int(k) for k in np.flatnonzero(is_tested)], [told] if others else []


def _only(table: ScoreTable, facts: Coverage, systems: Ints) -> ScoreTable:
    """Return the scores of some systems; those that their means leave out are missing."""
    shown = replace(table, values=facts.comparable(table.values))
    topics = _common_topics(table, facts) if facts.ranked[systems].all() else table.topics
    return shown.select(systems=[table.systems[i] for i in systems], topics=topics)


def _common_topics(table: ScoreTable, facts: Coverage) -> list[str]:
    """Return the topics that all ranked systems have, by some measure."""
    return [table.topics[i] for i in np.flatnonzero(facts.common.any(axis=1))]
