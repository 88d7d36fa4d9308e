"""The columns of CSV files that say how scores were computed: judgments and options by topic, and signatures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stdeval.display import excerpt
from stdeval.errors import InputError
from stdeval.formats.csv_rows import MISSING
from stdeval.formats.listing import Field, Listing
from stdeval.measures.names import split_scheme
from stdeval.origins import (
    SIGNATURE,
    Origin,
    Origins,
    QrelsDigest,
    References,
    Standardization,
    are_other_qrels,
    common_origin,
    qrels_digest,
)
from stdeval.signature import SignedOrigin, have_other_factors, parse_signature

if TYPE_CHECKING:
    from stdeval.table import ScoreTable

NumberedCells = tuple[int, Sequence[str]]
"""A row of a CSV file: the line on which it begins, and its cells."""

ORIGIN = ("judgments", "options")
"""The columns that say from which judgments, and with which options, the scores of a topic were computed."""


_UNKNOWN = "unknown"
"""The cell of unknown options, if the judgments are known."""


def origin_of_row(
    row: NumberedCells, places: Mapping[str, int], file_name: str, signed_options: str | None = None
) -> Origin | None:
    """Return the origin of a row of scores or factors, from its cells or its signature; None if it is unknown."""
    line, cells = row
    judgments = cells[places["judgments"]] if "judgments" in places else ""
    if judgments and not re.fullmatch("[0-9a-f]{8}", judgments):
        what = f"judgments '{excerpt(judgments)}', expected 8 hexadecimal digits or nothing"
        raise InputError(what, file_name, line)
    named = cells[places["options"]] if "options" in places else _UNKNOWN
    if named == _UNKNOWN or not (judgments or named):
        return Origin(judgments, signed_options) if judgments or signed_options is not None else None
    # A program may write the empty field of the default options as a missing value.
    options = "" if named in MISSING else named
    if signed_options not in (None, options):
        found, signed = (each or "the default options" for each in (options, signed_options))
        both = f"{found} in column 'options', {signed} in the signature"
        raise InputError(f"{both}, expected the same", file_name, line)
    return Origin(judgments, options)


def signed_origin(rows: Sequence[NumberedCells], file_name: str) -> SignedOrigin:
    """Return the facts that the column `SIGNATURE` names; unknown ones without this column."""
    header = rows[0][1]
    if SIGNATURE not in header:
        return SignedOrigin(None, None)
    place = header.index(SIGNATURE)
    named: dict[str, SignedOrigin] = {}
    for line, cells in rows[1:]:
        text = cells[place]
        if text not in named:
            try:
                named[text] = parse_signature(text)
            except InputError as error:
                raise error.at(file_name, line) from None
        if len(set(named.values())) > 1:
            what = "signature with other judgments, options or factors than in the rows before"
            raise InputError(f"{what}, expected the same", file_name, line)
    return next(iter(named.values()), SignedOrigin(None, None))


def joined_origins(tables: Sequence[ScoreTable], file_names: Sequence[str]) -> Origins:
    """Return the origins of the topics of several tables, as far as all of them name it; refuse contradictions."""
    joined: dict[str, Origin] = {}
    for table, file_name in zip(tables, file_names, strict=True):
        for topic in table.topics:
            origin = table.origins.get(topic, Origin())
            common = common_origin(joined.get(topic, origin), origin)
            if common is None:
                what = f"topic '{topic}' has other judgments or options than in the files before"
                raise InputError(f"{what}, expected the same", file_name)
            joined[topic] = common
    return {topic: origin for topic, origin in joined.items() if origin != Origin()}


def joined_qrels(tables: Sequence[ScoreTable], file_names: Sequence[str]) -> QrelsDigest | None:
    """Return the judgments that all tables name; refuse tables that name different ones."""
    first = next((table.qrels for table in tables if table.qrels is not None), None)
    for table, file_name in zip(tables, file_names, strict=True):
        named = table.qrels or qrels_digest(table.origins)
        if are_other_qrels(named, first, are_whole=table.qrels is not None):
            what = f"scores from other judgments ({named}) than in the files before ({first})"
            raise InputError(f"{what}, expected the same", file_name)
    return first if all(table.qrels == first for table in tables) else None


def joined_standardization(tables: Sequence[ScoreTable], file_names: Sequence[str]) -> Standardization | None:
    """Return how the scores of several tables were standardized, as far as they agree; refuse contradictions."""
    for i, (table, file_name) in enumerate(zip(tables, file_names, strict=True)):
        if any(_have_other_factors(before, table) for before in tables[:i]):
            what = "scores standardized with other factors or parameters than in the files before"
            raise InputError(f"{what}, expected the same", file_name)
    return common_standardization(tables)


def common_standardization(tables: Sequence[ScoreTable]) -> Standardization | None:
    """Return how the scores of several tables were standardized, as far as they agree."""
    facts = [table.standardization for table in tables if table.standardization is not None]
    if not facts:
        return None
    first = facts[0]
    schemes = tuple(sorted({scheme for each in facts for scheme in each.schemes}))
    agreed = all(each._replace(schemes=()) == first._replace(schemes=()) for each in facts)
    if agreed and not any(map(_has_unknown_standardization, tables)):
        return first._replace(schemes=schemes)
    adjustments = dict.fromkeys(text for each in facts for text in each.adjustments)
    return Standardization(schemes, tuple(adjustments), References("", 0, 0))


def _has_unknown_standardization(table: ScoreTable) -> bool:
    return table.standardization is None and any(split_scheme(name)[0] for name in table.measures)


def _have_other_factors(one: ScoreTable, other: ScoreTable) -> bool | None:
    columns = set(one.measures) & set(other.measures)
    same = set(one.topics) == set(other.topics)
    return have_other_factors(one.standardization, other.standardization, columns, have_same_topics=same)


def with_origins(listing: Listing, origins: Origins) -> Listing:
    """Insert the columns `ORIGIN` after the run and the topic of a listing of scores."""
    if not origins:
        return listing
    rows = [[*row[:2], *origin_cells(str(row[1]), origins), *row[2:]] for row in listing.rows]
    fields = [*listing.fields[:2], *map(Field, ORIGIN), *listing.fields[2:]]
    return listing._replace(fields=fields, rows=rows, n_left=listing.n_left + len(ORIGIN))


def origin_cells(topic: str, origins: Origins) -> list[str]:
    """Return the cells of the columns `ORIGIN`; none if no topic has an origin, so that there are no columns."""
    if not origins:
        return []
    origin = origins.get(topic, Origin())
    # If there are no judgments, an empty cell means that the options are unknown.
    return [origin.judgments, _UNKNOWN if origin.judgments and origin.options is None else origin.options or ""]
