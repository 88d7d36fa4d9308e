"""Read the scores that the scores files of the options have by the measures that are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from stdeval import notices
from stdeval.cli.inputs import best_runs
from stdeval.cli.options import Gaps, InputOptions
from stdeval.cli.types import NamedFile
from stdeval.display import unscored
from stdeval.errors import InputError, warn
from stdeval.files import Input
from stdeval.formats.joined import (
    by_collection,
    collection_numbers,
    join_collections,
    join_columns,
    join_scores,
    topics_of_other_collections,
)
from stdeval.formats.scores_csv import read_scores
from stdeval.gate import has_other_factors, refuse_other_factors, require_judged_topics
from stdeval.provenance import Difference
from stdeval.standardization.factors import refuse_huge
from stdeval.table import ScoreTable, measures_in, missing_scores


def joined_files(options: InputOptions) -> ScoreTable:
    """Return the scores of all files: those of one name are joined by rows, then those of all names by columns."""
    sources: dict[str, list[Input]] = {}
    for path, name in options.score_files:
        sources.setdefault(name, []).append(Input(path))
    read = {name: [read_scores(source) for source in named] for name, named in sources.items()}
    file_names = {name: [source.name for source in named] for name, named in sources.items()}
    if options.collections:
        by_name = _joined_collections(read, file_names)
    else:
        by_name = {name: join_scores(tables, file_names[name]) for name, tables in read.items()}
    return by_name[""] if list(by_name) == [""] else join_columns(by_name)


def _joined_collections(
    read: Mapping[str, Sequence[ScoreTable]], file_names: Mapping[str, Sequence[str]]
) -> dict[str, ScoreTable]:
    """Join the tables of each name; a collection has the same number in all names."""
    numbers = iter(collection_numbers([table for tables in read.values() for table in tables]))
    collections = {
        name: by_collection(tables, file_names[name], [next(numbers) for _ in tables])
        for name, tables in read.items()
    }
    if {each.number for of_name in collections.values() for each in of_name} == {1}:
        return {name: of_name[0].table for name, of_name in collections.items()}
    return {name: join_collections(of_name) for name, of_name in collections.items()}


def table_of_files(options: InputOptions, wanted: Callable[[str], bool], gaps: Gaps) -> ScoreTable:
    """Return the scores of the files by the measures named, or by those that are wanted."""
    table = joined_files(options)
    # If there is only one file, a fault must be in it.
    where = options.score_files[0].path if len(options.score_files) == 1 else None
    try:
        refuse_huge(table.values)
    except InputError as error:
        raise (error if where is None else error.at(where)) from None
    kept = [name for name in table.measures if wanted(name)]
    if not kept and not options.measures:
        raise InputError(unscored(table.measures), where)
    measures = measures_in(table.measures, options.measures) if options.measures else kept
    asked = table.select(measures=measures)
    if gaps == "refuse":
        require_judged_topics(table, where)
        refuse_other_factors(asked, where)
    if gaps == "warn":
        is_scored = ~np.isnan(table.values).all(axis=2)
        others = topics_of_other_collections(is_scored) if options.collections else None
        factors = [Difference("factors", made="factors from other judgments or options")] * has_other_factors(asked)
        warn(
            notices.other_origin(factors, where or "scores"), notices.missing_scores(*missing_scores(asked, others))
        )
    if options.best is None:
        return asked
    best = table.select(systems=[table.systems[i] for i in best_runs(options, table)])
    has_scores = np.any(~np.isnan(best.values), axis=(0, 2)).tolist()
    topics = [topic for topic, present in zip(best.topics, has_scores, strict=True) if present]
    return best.select(topics=topics, measures=asked.measures)


def scores_input(paths: Sequence[str], measures: Sequence[str] = ()) -> InputOptions:
    """Return the options of a command that is given only scores files."""
    return InputOptions(score_files=tuple(map(NamedFile, paths)), measures=tuple(measures))
