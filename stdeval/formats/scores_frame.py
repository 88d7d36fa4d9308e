"""Read scores from data frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdeval.display import excerpt, listed
from stdeval.errors import InputError
from stdeval.formats.scores_csv import refuse_summaries_only
from stdeval.frames import SYSTEM_COLUMNS, TOPIC_COLUMNS, Frame, column_names, column_of, identifier
from stdeval.provenance import SIGNATURE
from stdeval.summary_rows import is_summary
from stdeval.table import Floats, ScoreTable, checked_numbers
from stdeval.trec.reading import sorted_topics


def scores_of_frame(frame: Frame) -> ScoreTable:
    """Return the scores in a data frame with a row per system and topic, as `ScoreTable.to_frame` makes it.

    Rows of summaries (topic ``all``, ``all.sd`` and so on, or ``amean``) are skipped, as in a scores file.

    Parameters
    ----------
    frame : data frame
        Columns ``topic`` (or ``qid``, ``query_id``), optionally ``run`` (or ``name``, ``system``), and one per
        measure. Without a column of runs, the scores are those of a run named run.

    Raises
    ------
    InputError
        If there is no column of topics or of scores, a score is not a number, a system and topic have two rows, or
        there is a column of signatures.
    """
    names = column_names(frame)
    if SIGNATURE in names:
        expected = "expected scores only: stdeval.read_scores(FILE) reads them with their signature"
        raise InputError(f"the data frame has a column '{SIGNATURE}', {expected}")
    topics = [identifier(topic, "topic") for topic in column_of(frame, TOPIC_COLUMNS)]
    systems = _systems(frame) or ["run"] * len(topics)
    measures = [name for name in names if name not in (*TOPIC_COLUMNS, *SYSTEM_COLUMNS)]
    if not measures or not topics:
        what = f"a data frame with the columns {listed(names)}"
        raise InputError(f"{what}: no scores, expected a column per measure")
    columns = [checked_numbers(column_of(frame, [name]), name) for name in measures]
    kept = [i for i, topic in enumerate(topics) if not is_summary(topic)]
    if not kept:
        raise InputError("a data frame with summaries only, expected a row per system and topic")
    scored = [systems[i] for i in kept]
    refuse_summaries_only(dict.fromkeys(systems), {*scored}, "a data frame")
    rows = np.stack(columns, axis=1)[kept]
    return _table_of_rows(scored, [topics[i] for i in kept], measures, rows)


def _systems(frame: Frame) -> list[str]:
    """Return the names of the systems, from the first column that has them; none if there is no such column.

    Raises
    ------
    InputError
        If another such column has several names where the first column has one.
    """
    columns = [name for name in SYSTEM_COLUMNS if name in column_names(frame)]
    names = [[identifier(system, "run") for system in column_of(frame, [column])] for column in columns]
    for column, others in zip(columns[1:], names[1:], strict=True):
        if len({*zip(names[0], others, strict=True)}) > len({*names[0]}):
            what = f"a data frame with the columns {columns[0]} and {column}, which name different runs"
            raise InputError(f"{what}, expected one such column")
    return names[0] if names else []


def _table_of_rows(
    systems: Sequence[str], topics: Sequence[str], measures: Sequence[str], rows: Floats
) -> ScoreTable:
    """Return the table of scores in rows, shape (n_rows, n_measures)."""
    place = {system: i for i, system in enumerate(dict.fromkeys(systems))}
    ordered = sorted_topics(set(topics))
    column = {topic: j for j, topic in enumerate(ordered)}
    values = np.full((len(place), len(ordered), len(measures)), np.nan)
    seen = set[tuple[str, str]]()
    for system, topic, row in zip(systems, topics, rows, strict=True):
        if (system, topic) in seen:
            raise InputError(f"run '{excerpt(system)}' and topic '{excerpt(topic)}' appear twice")
        seen.add((system, topic))
        values[place[system], column[topic]] = row
    return ScoreTable(tuple(place), ordered, tuple(measures), values)
