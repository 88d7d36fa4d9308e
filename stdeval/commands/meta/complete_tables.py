"""The scores of an experiment, standardized, on the topics that all systems have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stdeval import notices
from stdeval.commands.schemes import scores_by_scheme, tables_after_warning
from stdeval.commands.standardization_options import StandardizationOptions
from stdeval.display import counted, listed
from stdeval.errors import InputError, warn
from stdeval.measures.facts import is_better_higher
from stdeval.measures.names import split_scheme
from stdeval.meta.trials import FEWEST_TOPICS, check_scores
from stdeval.reference_factors import Factors
from stdeval.standardization.schemes import scheme_label
from stdeval.table import Floats, ScoreTable

MISSING = "missing from some run"
COUNTED_BY_C = f"{MISSING}, -c counts them as 0"
"""Why topics are left out, in scores files and in evaluated runs."""


@dataclass(frozen=True, eq=False)
class Tables:
    """The scores of the same systems on the same topics by every measure and scheme, without gaps.

    Parameters
    ----------
    systems, topics, measures, schemes : tuple of str
        Schemes are ``raw`` and letters.
    values : ndarray, shape (n_measures, n_schemes, n_systems, n_topics)
    raw : ndarray, shape (n_measures, n_systems, n_topics)
    n_missing : int
        Number of topics that are left out because some system has no score there.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    schemes: tuple[str, ...]
    values: Floats
    raw: Floats
    n_missing: int

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
    """
    standardized = scores_by_scheme(table, ["raw", *schemes], options, factors)
    by_scheme = tables_after_warning(standardized)
    # topics that are left out because of their factors have been reported already
    kept = [topic for topic, out in zip(table.topics, standardized.left_out, strict=True) if not out]
    raw = by_scheme["raw"].select(systems=systems, topics=kept)
    values = np.stack([by_scheme[scheme].select(systems=systems, topics=kept).values for scheme in schemes])
    is_missing = np.any(np.isnan(raw.values), axis=(0, 2))
    complete = ~(np.any(np.isnan(values), axis=(0, 1, 3)) | is_missing)
    topics = tuple(topic for topic, keep in zip(raw.topics, complete, strict=True) if keep)
    by_measure = np.ascontiguousarray(raw.values[:, complete].transpose(2, 0, 1))
    if not complete.all() and len(topics) < FEWEST_TOPICS:
        number = counted(len(topics), "topic") if topics else "no topic"
        on = f"on which all runs have scores by {_all_of(raw.measures)}"
        raise InputError(f"{number} {on}, expected at least {FEWEST_TOPICS}")
    check_scores(by_measure)
    cells = np.ascontiguousarray(values[:, :, complete].transpose(3, 0, 1, 2))
    labels = tuple(map(scheme_label, schemes))
    return Tables(raw.systems, topics, raw.measures, labels, cells, by_measure, int(is_missing.sum()))


def better_higher(scores: Floats, measure: str) -> Floats:
    """Return the scores, negated if lower is better by the measure, so that the best systems come first."""
    return scores if is_better_higher(measure) else -scores


def scored_systems(table: ScoreTable) -> list[str]:
    """Return the systems that have scores by every measure, and warn of the others, which have no complete topic.

    Scores files that are joined by column may have different systems; if they have none in common, raise an
    `InputError`.
    """
    lacks = np.any(np.isnan(table.values).all(axis=1), axis=1)
    if lacks.all():
        raise InputError(f"no run has scores by {_all_of(table.measures)}, expected the same runs by each")
    warn(notices.unscored([name for name, lack in zip(table.systems, lacks, strict=True) if lack], "run"))
    return [name for name, lack in zip(table.systems, lacks, strict=True) if not lack]


def _all_of(measures: Sequence[str]) -> str:
    return measures[0] if len(measures) == 1 else f"all measures ({listed(measures)})"
