"""Read and write scores as CSV, in full precision."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice, repeat
from typing import IO

import numpy as np

from stdeval import notices
from stdeval.display import excerpt
from stdeval.errors import InputError, warn
from stdeval.files import Input, numbered_lines
from stdeval.formats import csv_rows
from stdeval.formats.csv_rows import TopicOrigin
from stdeval.formats.factors_csv import is_factors_header
from stdeval.formats.listing import MEANS, ORIGIN, Cell, Field, Listing, is_summary, with_origin
from stdeval.formats.trec_eval_text import Column
from stdeval.formats.writers import write_listing
from stdeval.measures.names import kind_of
from stdeval.provenance import SIGNATURE, Origin, Signed, parse, stored_signature
from stdeval.results import SYSTEM_COLUMNS, TOPIC_COLUMNS, Frame, column_names, column_of, identifier
from stdeval.table import Floats, ScoreTable, checked_numbers
from stdeval.trec.reading import sorted_topics


def is_scores_header(cells: Sequence[str]) -> bool:
    """Return whether a header is that of a scores CSV: ``run,topic,[judgments,options,]MEASURE,...``."""
    return list(cells[:2]) in (["run", "topic"], ["runid", "topic"])


_ROWS = 10_000
"""Rows of scores that are held as text."""


def read_scores(source: Input) -> ScoreTable:
    """Return the scores of a scores CSV.

    Rows of summaries (topic ``all``, ``all.sd`` and so on, or ``amean`` as gdeval has it), columns of text measures
    and empty columns are skipped.
    """
    rows, file_name = csv_rows.iter_rows(numbered_lines(source), source.name), source.name
    first = next(rows)
    header = first.cells
    if not is_scores_header(header) or len(header) < 3:
        found = f"header '{excerpt(','.join(header))}', expected run,topic,MEASURE,..."
        hint = " (these are factors, which -F takes)" if is_factors_header(header) else ""
        raise InputError(found + hint, file_name, first.line)
    csv_rows.check_names(header, repeat(first.line), "column", file_name)
    origin_places = {name: i for i, name in enumerate(header[2:4], 2) if name in ORIGIN}
    signature_place = header.index(SIGNATURE) if SIGNATURE in header else None
    others = {0, 1, *origin_places.values(), signature_place}
    columns = {name: i for i, name in enumerate(header) if i not in others and kind_of(name) != "text"}
    systems, topics, lines, values = list[str](), list[str](), list[int](), list[Floats]()
    origins: dict[str, TopicOrigin] = {}
    signed: Signed | None = None
    signatures, summaries, summarized, hint = set[str](), dict[str, None](), dict[str, int](), ""
    while some := list(islice(rows, _ROWS)):
        hint = "; made without -q?"
        csv_rows.check_widths(some, len(header), file_name)
        body = []
        for row in some:
            run, topic = row.cells[:2]
            if not (run and topic):
                raise InputError("a row without a run or a topic, expected both", file_name, row.line)
            if signature_place is not None and row.cells[signature_place] not in signatures:
                signatures.add(row.cells[signature_place])
                signed = parse_signature(row.cells[signature_place], signed, file_name, row.line)
            if is_summary(topic):
                summaries[topic] = None
                summarized.setdefault(run, row.line)
                continue
            body.append(row)
            if origin_places or signed is not None:
                origin = csv_rows.origin_of_row(row, origin_places, signed and signed[0])
                if origins.setdefault(topic, origin) != origin:
                    what = f"topic '{topic}' with other judgments or options than in the rows of other runs"
                    raise InputError(f"{what}, expected the same", file_name, row.line)
        if body:
            systems += [row.cells[0] for row in body]
            topics += [row.cells[1] for row in body]
            lines += [row.line for row in body]
            values.append(csv_rows.parse_columns(body, columns, file_name, "score"))
    if not values:
        raise InputError(f"no rows of topics, expected a row per run and topic{hint}", file_name)
    refuse_summaries_only(summarized, {*systems}, file_name)
    table = table_of_rows(systems, topics, list(columns), np.concatenate(values), file_name, lines)
    # The means of `stdeval eval` and of gdeval are in every file.
    warn(notices.summary_rows(file_name, [topic for topic in summaries if topic not in MEANS]))
    known = csv_rows.origin_of_topics(origins)
    facts = signed[1] if signed else Origin()
    return replace(table, origin=replace(facts, judgments=known.judgments, options=known.options))


def parse_signature(text: str, before: Signed | None, file_name: str, line: int) -> Signed:
    """Return the facts that a signature names; refuse one that contradicts the one before it in the file."""
    try:
        return parse(text, before)
    except InputError as error:
        raise error.at(file_name, line) from None


def refuse_summaries_only(summarized: Mapping[str, int | None], scored: Collection[str], file_name: str) -> None:
    """Refuse a run with a summary, whose line is given, but without scores of topics: they would be missing."""
    for run, line in summarized.items():
        if run not in scored and not is_summary(run):
            found = f"run '{excerpt(run)}' has a summary, but no scores of topics"
            raise InputError(f"{found}, expected those of each topic; made without -q?", file_name, line)


def table_of_rows(
    systems: Sequence[str],
    topics: Sequence[str],
    measures: Sequence[str],
    rows: Floats,
    file_name: str | None = None,
    lines: Sequence[int] | None = None,
) -> ScoreTable:
    """Return rows of scores, shape (n_rows, n_measures), each of a system and a topic, as a table.

    Measures that have no score, or as gm_map only one for all topics, are left out.
    """
    system_of = {name: i for i, name in enumerate(dict.fromkeys(systems))}
    topic_of = {name: i for i, name in enumerate(sorted_topics({*topics}))}
    at = np.array([[system_of[name] for name in systems], [topic_of[name] for name in topics]])
    _, first = np.unique(at[0] * len(topic_of) + at[1], return_index=True)
    if len(first) < len(systems):
        again = int(np.setdiff1d(np.arange(len(systems)), first)[0])
        found = f"run '{excerpt(systems[again])}' and topic '{excerpt(topics[again])}' appear twice"
        raise InputError(found, file_name, None if lines is None else lines[again])
    scored = ~np.isnan(rows).all(axis=0)
    # A summary has an empty column in the files of `stdeval eval`.
    of_topics = [kind_of(name) != "summary" for name in measures]
    facts = list(zip(measures, scored.tolist(), of_topics, strict=True))
    warn(notices.unscored([name for name, some, of_each in facts if of_each and not some]))
    kept = [i for i, (_, some, of_each) in enumerate(facts) if of_each and some]
    values = np.full((len(system_of), len(topic_of), len(kept)), np.nan)
    values[tuple(at)] = rows[:, kept]
    return ScoreTable(tuple(system_of), tuple(topic_of), tuple(measures[i] for i in kept), values)


def write_scores(out: IO[str], table: ScoreTable) -> None:
    """Write a scores CSV, see `scores_listing`."""
    write_listing(out, "csv", scores_listing(table))


def scores_listing(table: ScoreTable) -> Listing:
    """Return the rows of a scores CSV: one per run and topic, except where every score is missing."""
    cells = [Column(measure, kind_of(measure)).cell for measure in table.measures]
    rows: list[list[Cell]] = [
        [system, topic, *(cell(score) for cell, score in zip(cells, row, strict=True))]
        for system, scores in zip(table.systems, table.values, strict=True)
        for topic, row in zip(table.topics, scores.tolist(), strict=True)
        if not all(map(math.isnan, row))
    ]
    fields = [Field(name) for name in ("run", "topic", *table.measures)]
    listing = with_origin(Listing(fields, rows, n_left=2), table.origin)
    if not (table.origin.n_judged or table.origin.standardization):
        return listing
    return listing._replace(signature=stored_signature(table.measures, table.origin, table.topics))


def scores_of_frame(frame: Frame) -> ScoreTable:
    """Return the scores in a data frame with a row per system and topic, as `ScoreTable.to_frame` makes it."""
    names = column_names(frame)
    topics = [identifier(topic, "topic") for topic in column_of(frame, TOPIC_COLUMNS)]
    has_systems = any(name in names for name in SYSTEM_COLUMNS)
    systems = column_of(frame, SYSTEM_COLUMNS) if has_systems else ["run"] * len(topics)
    measures = [name for name in names if name not in (*TOPIC_COLUMNS, *SYSTEM_COLUMNS)]
    scores = np.stack([checked_numbers(column_of(frame, [name]), name) for name in measures], axis=1)
    kept = [i for i, topic in enumerate(topics) if not is_summary(topic)]
    runs = [identifier(systems[i], "run") for i in kept]
    return table_of_rows(runs, [topics[i] for i in kept], measures, scores[kept])
