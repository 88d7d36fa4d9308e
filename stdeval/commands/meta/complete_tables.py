"""The scores of an experiment, standardized, on the topics that all systems have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stdeval.commands.messages import warn
from stdeval.commands.schemes import scores_by_scheme, tables_after_warning
from stdeval.commands.standardization_options import StandardizationOptions
from stdeval.display import counted, listed, shown_name
from stdeval.errors import InputError
from stdeval.measures.facts import is_better_higher
from stdeval.measures.names import split_scheme
from stdeval.meta.trials import FEWEST_TOPICS, check_scores
from stdeval.reference_factors import Factors
from stdeval.standardization.doubtful_references import about_repeated_references
from stdeval.standardization.factors import n_repeated_systems
from stdeval.standardization.schemes import scheme_label
from stdeval.stats.coverage import coverage
from stdeval.table import Bools, Floats, ScoreTable

COUNTED_BY_C = ", -c counts them as 0"
"""How to keep topics that are missing from a run; a hint for evaluated runs, not for scores files."""


@dataclass(frozen=True, eq=False)
class Tables:
    """The scores of the same systems on the same topics by every measure and scheme, without gaps.

    Parameters
    ----------
    systems, topics, measures, schemes : tuple of str
        Schemes are ``raw`` and letters.
    values : ndarray, shape (n_measures, n_schemes, n_systems, n_topics)
    raw : ndarray, shape (n_measures, n_systems, n_topics)
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    schemes: tuple[str, ...]
    values: Floats
    raw: Floats

    def cells(self) -> Iterator[tuple[str, str, Floats]]:
        """Yield each measure and scheme with its scores, shape (n_systems, n_topics)."""
        for i, measure in enumerate(self.measures):
            for j, scheme in enumerate(self.schemes_of(measure)):
                yield measure, scheme, self.values[i, j]

    def schemes_of(self, measure: str) -> tuple[str, ...]:
        """Return the schemes of the scores by a measure, which may be standardized already, such as Nmap."""
        stored = split_scheme(measure)[0]
        return tuple(stored if stored and scheme == "raw" else scheme for scheme in self.schemes)


def complete_tables(
    table: ScoreTable,
    schemes: Sequence[str],
    options: StandardizationOptions,
    factors: Factors | None,
    systems: Sequence[str] | None = None,
    *,
    from_scores: bool,
) -> Tables:
    """Standardize raw scores by every scheme, and keep the topics where no score is missing by any of them.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    schemes : sequence of str
    options : StandardizationOptions
    factors : Factors or None
        None for a table that is its own reference.
    systems : sequence of str, optional
        The systems to keep. If the table is its own reference, the others still count as references.
    from_scores : bool
        True if the scores come from scores files.
    """
    standardized = scores_by_scheme(table, ["raw", *schemes], options, factors)
    by_scheme = tables_after_warning(standardized)
    # topics that are left out because of their factors have been reported already
    kept = [topic for topic, out in zip(table.topics, standardized.left_out, strict=True) if not out]
    raw = by_scheme["raw"].select(systems=systems, topics=kept)
    values = np.stack([by_scheme[scheme].select(systems=systems, topics=kept).values for scheme in schemes])
    complete = ~(np.any(np.isnan(values), axis=(0, 1, 3)) | np.any(np.isnan(raw.values), axis=(0, 2)))
    topics = keep_complete(raw.topics, complete, _reason(raw, "" if from_scores else COUNTED_BY_C))
    by_measure = np.ascontiguousarray(raw.values[:, complete].transpose(2, 0, 1))
    if not complete.all() and len(topics) < FEWEST_TOPICS:
        number = counted(len(topics), "topic") if topics else "no topic"
        on = f"on which all runs have scores by {_all_of(raw.measures)}"
        raise InputError(f"{number} {on}, expected at least {FEWEST_TOPICS}")
    check_scores(by_measure)
    # Runs that are their own references have been counted by standardization.
    if factors is not None or {*schemes} == {"raw"}:
        warn_of_repeated(raw, "run")
    cells = np.ascontiguousarray(values[:, :, complete].transpose(3, 0, 1, 2))
    return Tables(raw.systems, topics, raw.measures, tuple(map(scheme_label, schemes)), cells, by_measure)


def better_higher(scores: Floats, measure: str) -> Floats:
    """Return the scores, negated if lower is better by the measure, so that the best systems come first."""
    return scores if is_better_higher(measure) else -scores


def scored_systems(table: ScoreTable) -> list[str]:
    """Return the systems that have scores by every measure, and warn of the others, which have no complete topic.

    Scores files that are joined by column may have different systems; if they have none in common, raise an
    `InputError`.
    """
    without = np.asarray(np.isnan(table.values).all(axis=1))
    partial = np.asarray(without.any(axis=1))
    if partial.all():
        raise InputError(f"no run has scores by {_all_of(table.measures)}, expected the same runs by each")
    if partial.any():
        first = int(np.argmax(partial))
        measure = table.measures[int(np.argmax(without[first]))]
        example = f"(e.g. '{shown_name(table.systems[first])}' by {measure})"
        verb = "has" if partial.sum() == 1 else "have"
        warn(f"{int(partial.sum())} of {len(partial)} runs {verb} no score by some measure {example}: left out")
    return [name for name, lacks in zip(table.systems, partial, strict=True) if not lacks]


def warn_of_repeated(table: ScoreTable, noun: str) -> None:
    """Warn of many runs with the scores of another one, which narrow intervals and make shares of pairs wrong.

    Parameters
    ----------
    table : ScoreTable
    noun : str
        The runs: "run" or "reference run".
    """
    for message in about_repeated_references(n_repeated_systems(table.values), len(table.systems), noun):
        warn(message)


def _all_of(measures: Sequence[str]) -> str:
    return measures[0] if len(measures) == 1 else f"all measures ({listed(measures)})"


def _reason(raw: ScoreTable, hint: str) -> str:
    """Return why topics are left out: measures or runs without scores there, or undefined standardized scores."""
    is_missing: Bools = np.isnan(raw.values)
    # The topics of one scores file may be missing from the other.
    unscored: Bools = np.all(is_missing, axis=0)
    by = [f"{name} ({n})" for name, n in zip(raw.measures, unscored.sum(axis=0).tolist(), strict=True) if n]
    told = [f"no run has scores there by {' or by '.join(by[:5])}"] if by else []
    missing = np.any(is_missing[:, ~np.any(unscored, axis=1)], axis=2).sum(axis=1)
    most = int(np.argmax(missing))
    if missing[most]:
        n_complete = int(coverage(raw.values).complete.sum())
        if 1 < n_complete < len(raw.systems):
            hint += f", --best {n_complete} keeps only the complete runs"
        they = "others are" if told else "they are"
        told.append(f"{they} missing from some run (most: '{shown_name(raw.systems[most])}' {missing[most]}){hint}")
    return "; ".join(told) or "some standardized score is undefined there"


def keep_complete(topics: Sequence[str], complete: Bools, reason: str) -> tuple[str, ...]:
    """Return the topics that all runs have, and warn of the others, which experiments leave out."""
    if not complete.all():
        warn(f"{int((~complete).sum())} of {len(complete)} topics left out: {reason}")
    return tuple(topic for topic, keep in zip(topics, complete, strict=True) if keep)
