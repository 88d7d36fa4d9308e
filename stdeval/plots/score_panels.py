"""Panels of a figure of scores: one score table per scheme."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.measures.facts import is_better_higher
from stdeval.measures.names import split_scheme
from stdeval.measures.publication import publication_name
from stdeval.plots.layout import shown
from stdeval.table import Floats, ScoreTable


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores by one measure and scheme.

    Parameters
    ----------
    scheme : {"raw", "z", "n", "u", "e", "m"}
        In either case of letters. That of the name, if the scores were standardized before, such as those by Nmap.
    label : str
        The measure with its unit.
    scores : ndarray, shape (n_systems, n_topics)
    """

    scheme: str
    label: str
    scores: Floats


def shown_scheme(measure: str, scheme: str = "raw") -> str:
    """Return the scheme of scores, which were standardized before they were read if the measure has such a name.

    Examples
    --------
    >>> shown_scheme("map"), shown_scheme("map", "n"), shown_scheme("Zmap")
    ('raw', 'n', 'Z')
    """
    return (split_scheme(measure)[0] or scheme) if scheme == "raw" else scheme


def score_label(measure: str, scheme: str = "raw") -> str:
    """Return the name of a measure, as it can be drawn, with its unit: standard deviations for scheme Z, or scores.

    Examples
    --------
    >>> score_label("map"), score_label("Nmap", "n"), score_label("Zmap"), score_label("round5:Nmap", "n")
    ('AP (score)', 'N-AP (score)', 'Z-AP (sd)', 'round5:N-AP (score)')
    """
    letter = shown_scheme(measure, scheme).upper()
    return f"{shown(publication_name(measure), 60)} ({'sd' if letter == 'Z' else 'score'})"


def with_direction(label: str, measure: str) -> str:
    """Return a label that says so if lower is better by the measure.

    Examples
    --------
    >>> with_direction("system, highest first", "map"), with_direction("Unj@10 (score)", "unj_10")
    ('system, highest first', 'Unj@10 (score), lower is better')
    """
    return label if is_better_higher(measure) else f"{label}, lower is better"


def score_panels(tables: Mapping[str, ScoreTable], raw: ScoreTable | None = None) -> list[Panel]:
    """Return one panel per scheme, in the order of the mapping.

    Parameters
    ----------
    tables : mapping of str to ScoreTable
        Scores by one measure, under ``"raw"`` or the letter of their scheme; all of the same systems and topics.
    raw : ScoreTable, optional
        Raw scores of the same systems and topics, if the figure needs them beside the panels.

    Raises
    ------
    InputError
        If there is no table, if a table has no measure or several, if the tables differ in systems or topics, or if
        raw scores cannot be drawn.
    """
    if not tables:
        raise InputError("no scores to draw")
    if raw is not None:
        check_drawable(raw)
    first = next(iter(tables.values())) if raw is None else raw
    panels = []
    for scheme, table in tables.items():
        check_one_measure(table)
        if (table.systems, table.topics) != (first.systems, first.topics):
            raise InputError(
                f"scores by scheme '{scheme}' of other systems or topics, expected the same in all panels"
            )
        # standardized scores may all be missing, for lack of factors: their panel is empty then
        if scheme == "raw":
            check_drawable(table)
        measure = table.measures[0]
        panels.append(Panel(shown_scheme(measure, scheme), score_label(measure, scheme), table.values[:, :, 0]))
    return panels


def check_one_measure(table: ScoreTable) -> None:
    """Refuse a table with no measure or with several."""
    if not table.measures:
        raise InputError("no measure to draw")
    if len(table.measures) > 1:
        raise InputError(f"scores by {len(table.measures)} measures, expected one: select(measures=[NAME])")


def check_drawable(raw: ScoreTable) -> None:
    """Refuse raw scores of which some are infinite or all are missing, and a table without exactly one measure."""
    check_one_measure(raw)
    if np.isinf(raw.values).any() or np.isnan(raw.values).all():
        raise InputError(f"no scores by '{raw.measures[0]}' that can be drawn, expected finite numbers")


def check_lengths(kind: str, n: int, *arrays: Floats) -> None:
    """Refuse arrays that do not have n values, and a first array without any value that is not NaN."""
    wrong = [array.shape for array in arrays if array.shape != (n,)]
    if wrong:
        raise InputError(f"an array of shape {wrong[0]} for {n} {kind}, expected ({n},)")
    if not n or np.isnan(arrays[0]).all():
        raise InputError(f"no {kind} to draw")
