"""Read the scores that the scores files of the options have by the measures that are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stdeval import notices
from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.joined_files import joined_files
from stdeval.commands.parameter_types import NamedFile
from stdeval.commands.selection import best_runs
from stdeval.display import unscored
from stdeval.errors import InputError, warn
from stdeval.formats.collections import topics_of_other_collections
from stdeval.gate.scores import has_other_factors, refuse_other_factors, require_judged_topics
from stdeval.named_columns import measures_in
from stdeval.provenance import Difference
from stdeval.standardization.factors import refuse_huge
from stdeval.table import ScoreTable, missing_scores

_OTHER = "factors from other judgments or options"


def table_of_files(options: InputOptions, wanted: Callable[[str], bool], gaps: Gaps) -> ScoreTable:
    """Return the scores of the files by the measures named, or by those that are wanted.

    Parameters are those of `stdeval.commands.inputs.read_table`.
    """
    table = joined_files(options)
    where = _only_file(options)
    try:
        refuse_huge(table.values)
    except InputError as error:
        raise (error if where is None else error.at(where)) from None
    asked = table.select(measures=_measures_of(table, options, wanted))
    if gaps == "refuse":
        require_judged_topics(table, where)
        refuse_other_factors(asked, where)
    if gaps == "warn":
        is_scored = ~np.isnan(table.values).all(axis=2)
        others = topics_of_other_collections(is_scored) if options.collections else None
        warn(
            notices.other_origin(
                [Difference("factors", made=_OTHER)] * has_other_factors(asked), where or "scores"
            ),
            notices.missing_scores(*missing_scores(asked, others)),
        )
    if options.best is None:
        return asked
    best = table.select(systems=[table.systems[i] for i in best_runs(options, table)])
    return _without_empty_topics(best).select(measures=asked.measures)


def _only_file(options: InputOptions) -> str | None:
    """Return the path of the scores file if there is only one, so that a fault must be in it; otherwise None."""
    paths = [each.path for each in options.score_files]
    return paths[0] if len(paths) == 1 else None


def _measures_of(table: ScoreTable, options: InputOptions, wanted: Callable[[str], bool]) -> list[str]:
    """Return the measures of the table that are named, or those that are wanted; refuse if there are none."""
    if options.measures:
        return measures_in(table.measures, options.measures)
    kept = [name for name in table.measures if wanted(name)]
    if not kept:
        raise InputError(unscored(table.measures), _only_file(options))
    return kept


def _without_empty_topics(table: ScoreTable) -> ScoreTable:
    some = np.any(~np.isnan(table.values), axis=(0, 2)).tolist()
    return table.select(topics=[topic for topic, present in zip(table.topics, some, strict=True) if present])


def scores_input(paths: Sequence[str], measures: Sequence[str] = ()) -> InputOptions:
    """Return the options of a command that is given only scores files."""
    return InputOptions(score_files=tuple(map(NamedFile, paths)), measures=tuple(measures))
