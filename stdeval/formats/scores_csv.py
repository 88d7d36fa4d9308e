"""Read and write scores as CSV, in full precision."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import IO

import numpy as np

from stdeval import notices
from stdeval.display import excerpt, listed
from stdeval.errors import InputError, warn
from stdeval.files import Input, LinesRead
from stdeval.formats.csv_rows import (
    ORIGIN,
    Row,
    check_header,
    check_names,
    check_widths,
    iter_rows,
    origin_of_row,
    origin_of_topics,
    parse_columns,
    parse_number,
    with_origin,
)
from stdeval.formats.factors_csv import is_factors_header
from stdeval.formats.listing import MEANS, Cell, Field, Listing, is_summary
from stdeval.formats.trec_eval_text import Column
from stdeval.formats.writers import write_listing
from stdeval.measures.names import kind_of
from stdeval.provenance import (
    SIGNATURE,
    Origin,
    Signed,
    agreed,
    have_other_qrels,
    other_factors,
    parse_same,
    stored_signature,
)
from stdeval.results import SYSTEM_COLUMNS, TOPIC_COLUMNS, Frame, column_names, column_of, identifier
from stdeval.table import Bools, Floats, Ints, ScoreTable, checked_numbers
from stdeval.trec.reading import sorted_topics


def is_scores_header(cells: Sequence[str]) -> bool:
    """Return whether a header is that of a scores CSV: ``run,topic,[judgments,options,]MEASURE,...``."""
    return list(cells[:2]) in (["run", "topic"], ["runid", "topic"])


def read_scores(source: Input) -> ScoreTable:
    """Return the scores of a scores CSV.

    Rows of summaries (topic ``all``, ``all.sd`` and so on, or ``amean`` as gdeval has it), columns of text measures
    and empty columns are skipped. An `InputError` has the line of a row that is ragged, holds anything else than
    numbers, or repeats a run and topic.
    """
    return scores_from_rows(iter_rows(LinesRead(source), source.name), source.name)


_ROWS = 10_000
"""Rows of scores that are held as text."""


def scores_from_rows(rows: Iterable[Row], file_name: str) -> ScoreTable:
    """Return the scores in the rows of a scores CSV, see `read_scores`; few rows are held at a time."""
    remaining = iter(rows)
    first = next(remaining)
    header = first.cells
    _check_scores_header(first, file_name)
    origin_places = {name: i for i, name in enumerate(header[:4]) if i > 1 and name in ORIGIN}
    others = {0, 1, *origin_places.values()}
    places = [i for i, name in enumerate(header) if i not in others and name != SIGNATURE]
    columns = {header[i]: i for i in places if kind_of(header[i]) != "text"}
    cells, origins, made_without_q = Cells(), dict[str, tuple[str | None, str | None]](), ""
    signed: Signed | None = None
    signatures: set[str] = set()
    summaries: dict[str, None] = {}
    summarized: dict[str, int] = {}
    while some := list(islice(remaining, _ROWS)):
        made_without_q = "; made without -q?"
        check_widths(some, len(header), file_name)
        for place, kind in enumerate(("run", "topic")):
            check_names([row.cells[place] for row in some], some, kind, file_name)
        if SIGNATURE in header:
            signed = _signed(some, header.index(SIGNATURE), signed, signatures, file_name)
        body = []
        for row in some:
            if is_summary(row.cells[1]):
                summaries[row.cells[1]] = None
                summarized.setdefault(row.cells[0], row.line)
            else:
                body.append(row)
        if body:
            systems, topics = ([row.cells[place] for row in body] for place in (0, 1))
            numbers = parse_columns(body, columns, parse_number, file_name, "score")
            cells.add(systems, topics, numbers, [row.line for row in body])
        if origin_places or signed is not None:
            _add_origins(origins, body, origin_places, signed and signed[0], file_name)
    if not cells.systems:
        raise InputError(f"no rows of topics, expected a row per run and topic{made_without_q}", file_name)
    refuse_summaries_only(summarized, cells.systems, file_name)
    named = origin_of_topics(origins)
    origin = replace(signed[1] if signed else Origin(), judgments=named.judgments, options=named.options)
    whole = named.whole()
    if origin.digest and whole.n_judged == origin.n_judged and whole.digest != origin.digest:
        both = f"{whole.shown} by the column 'judgments', {origin.shown} in the signature"
        raise InputError(f"{both}, expected the same", file_name)
    table = cells.table(list(columns), file_name)
    # The means of `stdeval eval` and of gdeval are in every file.
    warn(notices.summary_rows(file_name, [topic for topic in summaries if topic not in MEANS]))
    return replace(table, origin=origin)


def _check_scores_header(first: Row, file_name: str) -> None:
    header = first.cells
    if not is_scores_header(header) or len(header) < 3:
        hint = " (these are factors, which -F takes)" if is_factors_header(header) else ""
        found = f"header '{excerpt(','.join(header))}'"
        raise InputError(f"{found}, expected run,topic,MEASURE,...{hint}", file_name, first.line)
    check_header(header, file_name, first.line)


def _signed(
    rows: Sequence[Row], place: int, before: Signed | None, seen: set[str], file_name: str
) -> Signed | None:
    """Return the facts that signatures name, which are added to those seen; refuse one that contradicts others."""
    for row in rows:
        text = row.cells[place]
        if text not in seen:
            seen.add(text)
            try:
                before = parse_same(text, before)
            except InputError as error:
                raise error.at(file_name, row.line) from None
    return before


def _add_origins(
    origins: dict[str, tuple[str | None, str | None]],
    rows: Sequence[Row],
    places: Mapping[str, int],
    signed_options: str | None,
    file_name: str,
) -> None:
    """Add the judgments and options of the topics of rows; refuse a topic whose rows differ."""
    for row in rows:
        topic = row.cells[1]
        origin = origin_of_row(row, places, file_name, signed_options)
        if origins.setdefault(topic, origin) != origin:
            what = f"topic '{topic}' with other judgments or options than in the rows of other runs"
            raise InputError(f"{what}, expected the same", file_name, row.line)


def refuse_summaries_only(summarized: Mapping[str, int | None], scored: Collection[str], file_name: str) -> None:
    """Refuse a run with a summary, whose line is given, but without scores of topics: they would be missing."""
    for run, line in summarized.items():
        if run not in scored and not is_summary(run):
            found = f"run '{excerpt(run)}' has a summary, but no scores of topics"
            raise InputError(f"{found}, expected those of each topic; made without -q?", file_name, line)


class Cells:
    """Rows of numbers, with the places of their systems and topics."""

    def __init__(self) -> None:
        self.systems: dict[str, int] = {}
        self.topics: dict[str, int] = {}
        self._values: deque[Floats] = deque()
        self._places: deque[Ints] = deque()

    def add(self, systems: Sequence[str], topics: Sequence[str], values: Floats, lines: Sequence[int]) -> None:
        """Add rows, each of a system and a topic; `values` has the shape (n_rows, n_columns)."""
        of_systems = [self.systems.setdefault(system, len(self.systems)) for system in systems]
        of_topics = [self.topics.setdefault(topic, len(self.topics)) for topic in topics]
        self._places.append(np.array([of_systems, of_topics, lines], dtype=np.int64))
        self._values.append(values)

    def table(self, columns: Sequence[str], file_name: str | None = None) -> ScoreTable:
        """Return the rows as a table, see `table_of_scores`; refuse a second row of a system and topic."""
        topics = sorted_topics(self.topics)
        place = np.empty(len(topics), dtype=np.int64)  # of the topics in the order in which they first appear
        place[[self.topics[topic] for topic in topics]] = np.arange(len(topics))
        shape = len(self.systems), len(self.topics)
        values, is_given = np.full((*shape, len(columns)), np.nan), np.zeros(shape, dtype=np.bool_)
        while self._values:
            # Numbers are dropped as soon as they stand in the table, so that they are held only once.
            (systems, found, lines), numbers = self._places.popleft(), self._values.popleft()
            at = place[found]
            pairs = systems * len(topics) + at
            is_repeated = is_given[systems, at]
            is_repeated[np.setdiff1d(np.arange(len(pairs)), np.unique(pairs, return_index=True)[1])] = True
            if is_repeated.any():
                row = int(np.argmax(is_repeated))
                system, topic = excerpt(list(self.systems)[systems[row]]), excerpt(topics[at[row]])
                line = None if file_name is None else int(lines[row])
                raise InputError(f"run '{system}' and topic '{topic}' appear twice", file_name, line)
            is_given[systems, at], values[systems, at] = True, numbers
        return table_of_scores(list(self.systems), topics, columns, values)


def table_of_scores(
    systems: Sequence[str], topics: Sequence[str], measures: Sequence[str], values: Floats
) -> ScoreTable:
    """Return a table without measures that have no score or, as gm_map, only one for all topics."""
    has_numbers: Bools = np.asarray(~np.isnan(values).all(axis=(0, 1)))
    is_summary_of_topics = [kind_of(name) == "summary" for name in measures]
    facts = list(zip(measures, has_numbers.tolist(), is_summary_of_topics, strict=True))
    # A summary has an empty column in the files of `stdeval eval`.
    warn(notices.unscored([name for name, some, summary in facts if not some and not summary]))
    kept = [i for i, (_, some, summary) in enumerate(facts) if some and not summary]
    # Usually all columns are kept, and then they need no copy, which may be large.
    scores = values if len(kept) == len(measures) else values[:, :, kept]
    return ScoreTable(tuple(systems), tuple(topics), tuple(measures[i] for i in kept), scores)


def join_scores(tables: Sequence[ScoreTable], file_names: Sequence[str]) -> ScoreTable:
    """Return tables of different systems as one."""
    if len(tables) == 1:
        return tables[0]
    file_of: dict[str, str] = {}
    for table, file_name in zip(tables, file_names, strict=True):
        for system in table.systems:
            if system in file_of:
                found = f"run '{system}' is also in {file_of[system]}"
                expected = "expected each name once: rename one of them ('eval' takes NAME=RUN)"
                raise InputError(f"{found}, {expected}", file_name)
            file_of[system] = file_name
    origin = _joined_origin(tables, file_names)
    topics = sorted_topics({topic for table in tables for topic in table.topics})
    measures = tuple(dict.fromkeys(measure for table in tables for measure in table.measures))
    values = np.full((len(file_of), len(topics), len(measures)), np.nan)
    places = ({name: i for i, name in enumerate(names)} for names in (file_of, topics, measures))
    of_systems, of_topics, of_measures = places
    for table in tables:
        at = (
            [of_systems[system] for system in table.systems],
            [of_topics[topic] for topic in table.topics],
            [of_measures[measure] for measure in table.measures],
        )
        values[np.ix_(*at)] = table.values
    return ScoreTable(tuple(file_of), topics, measures, values, origin)


def _joined_origin(tables: Sequence[ScoreTable], file_names: Sequence[str]) -> Origin:
    """Return the origin of several tables, as far as they agree; refuse contradictions."""
    judgments, options = dict[str, str](), dict[str, str]()
    for i, (table, file_name) in enumerate(zip(tables, file_names, strict=True)):
        what, origin, before = "", table.origin, [each.origin for each in tables[:i]]
        known = [*((judgments, *each) for each in origin.judgments.items())]
        known += [*((options, *each) for each in origin.options.items())]
        other = next((topic for of, topic, each in known if of.setdefault(topic, each) != each), None)
        apart = next((each for each in before if have_other_qrels(each, origin)), None)
        if other is not None:
            what = f"topic '{other}' has other judgments or options than in the files before"
        elif apart is not None:
            named, others = origin.whole().shown, apart.whole().shown
            what = f"scores from other judgments ({named}) than in the files before ({others})"
        elif any(_have_other_factors(each, table) for each in tables[:i]):
            what = "scores standardized with other factors or parameters than in the files before"
        if what:
            raise InputError(f"{what}, expected the same", file_name)
    return agreed(tables)


def _have_other_factors(one: ScoreTable, other: ScoreTable) -> bool | None:
    common, same_topics = {*one.measures} & {*other.measures}, {*one.topics} == {*other.topics}
    return other_factors(one.origin, other.origin, common, same_topics=same_topics)


def write_scores(out: IO[str], table: ScoreTable) -> None:
    """Write a scores CSV, see `scores_listing`."""
    write_listing(out, "csv", scores_listing(table))


def scores_listing(table: ScoreTable) -> Listing:
    """Return the rows of a scores CSV: one per run and topic, except where every score is missing."""
    names = ("run", "topic", *table.measures)
    cells = [Column(measure, kind_of(measure)).cell for measure in table.measures]
    rows: list[list[Cell]] = [
        [system, topic, *(cell(score) for cell, score in zip(cells, row, strict=True))]
        for system, scores in zip(table.systems, table.values, strict=True)
        for topic, row in zip(table.topics, scores.tolist(), strict=True)
        if not all(map(math.isnan, row))
    ]
    listing = with_origin(Listing([Field(name) for name in names], rows, n_left=2), table.origin)
    if not (table.origin.n_judged or table.origin.standardization):
        return listing
    return listing._replace(signature=stored_signature(table.measures, table.origin, table.topics))


def scores_of_frame(frame: Frame) -> ScoreTable:
    """Return the scores in a data frame with a row per system and topic, as `ScoreTable.to_frame` makes it."""
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
    rows = np.stack([checked_numbers(column_of(frame, [name]), name) for name in measures], axis=1)
    kept = [i for i, topic in enumerate(topics) if not is_summary(topic)]
    if not kept:
        raise InputError("a data frame with summaries only, expected a row per system and topic")
    scored = [systems[i] for i in kept]
    refuse_summaries_only(dict.fromkeys(systems), {*scored}, "a data frame")
    cells = Cells()
    cells.add(scored, [topics[i] for i in kept], rows[kept], kept)
    return cells.table(measures)


def _systems(frame: Frame) -> list[str]:
    """Return the names of the systems, from the first column that has them; none if there is no such column."""
    columns = [name for name in SYSTEM_COLUMNS if name in column_names(frame)]
    names = [[identifier(system, "run") for system in column_of(frame, [column])] for column in columns]
    for column, others in zip(columns[1:], names[1:], strict=True):
        if len({*zip(names[0], others, strict=True)}) > len({*names[0]}):
            what = f"a data frame with the columns {columns[0]} and {column}, which name different runs"
            raise InputError(f"{what}, expected one such column")
    return names[0] if names else []
