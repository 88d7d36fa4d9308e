"""Read the scores files that the options name, and join them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stdeval.commands.input_options import InputOptions
from stdeval.files import Input
from stdeval.formats.collections import by_collection, collection_numbers, join_collections
from stdeval.formats.columns import join_columns
from stdeval.formats.scores_csv import join_scores, read_scores
from stdeval.table import ScoreTable


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
    """Join the tables of each name; a collection has the same number in all names.

    Scores of different collections may be standardized with factors of their own.
    """
    numbers = iter(collection_numbers([table for tables in read.values() for table in tables]))
    collections = {
        name: by_collection(tables, file_names[name], [next(numbers) for _ in tables])
        for name, tables in read.items()
    }
    if {each.number for of_name in collections.values() for each in of_name} == {1}:
        return {name: of_name[0].table for name, of_name in collections.items()}
    return {name: join_collections(of_name) for name, of_name in collections.items()}
