"""Scores and factors as CSV, in full precision: the two forms that stdeval writes for itself."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice, repeat
from sys import intern

import numpy as np

from stdeval import notices
from stdeval.display import excerpt
from stdeval.errors import InputError, warn
from stdeval.files import Input, numbered_lines
from stdeval.formats import csv_rows
from stdeval.formats.csv_rows import Row, TopicOrigin
from stdeval.formats.listing import ORIGIN, Cell, Field, Listing, origin_cells, with_origin
from stdeval.formats.trec_eval_text import MEANS, SIGNATURE, Column, is_summary
from stdeval.measures.names import kind_of
from stdeval.provenance import Origin, Signed, parse, stored_signature
from stdeval.results import SYSTEM_COLUMNS, TOPIC_COLUMNS, Frame, column_names, column_of, identifier
from stdeval.standardization.factors import Factors
from stdeval.table import Floats, ScoreTable, checked_numbers
from stdeval.trec.reading import sorted_topics


def is_scores_header(cells: Sequence[str]) -> bool:
    """Return whether a header is that of a scores CSV: ``run,topic,[judgments,options,]MEASURE,...``."""
    return list(cells[:2]) in (["run", "topic"], ["runid", "topic"])


_ROWS = 10_000  # rows of scores that are held as text


def read_scores(source: Input) -> ScoreTable:
    """Return the scores of a scores CSV; rows of summaries, columns of text and empty columns are skipped."""
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
    systems, topics, lines, values = list[str](), list[str](), array("q"), list[Floats]()
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
            systems += [intern(row.cells[0]) for row in body]  # one string for each name, not for each row
            topics += [intern(row.cells[1]) for row in body]
            lines.extend(row.line for row in body)
            values.append(csv_rows.parse_columns(body, columns, file_name, "score"))
    if not values:
        raise InputError(f"no rows of topics, expected a row per run and topic{hint}", file_name)
    refuse_summaries_only(summarized, {*systems}, file_name)
    table = table_of_rows(systems, topics, list(columns), np.concatenate(values), file_name, lines)
    # The means of `stdeval eval` and of gdeval are in every file.
    warn(notices.summary_rows(file_name, [topic for topic in summaries if topic not in MEANS]))
    known, facts = csv_rows.origin_of_topics(origins), signed[1] if signed else Origin()
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
    """Return rows of scores, each of a system and a topic, as a table without the measures that no topic has."""
    system_of = {name: i for i, name in enumerate(dict.fromkeys(systems))}
    topic_of = {name: i for i, name in enumerate(sorted_topics({*topics}))}
    at = np.array([[system_of[name] for name in systems], [topic_of[name] for name in topics]])
    cell = at[0] * len(topic_of) + at[1]
    if (np.bincount(cell) > 1).any():
        _, first = np.unique(cell, return_index=True)
        again = int(np.setdiff1d(np.arange(len(systems)), first)[0])
        found = f"run '{excerpt(systems[again])}' and topic '{excerpt(topics[again])}' appear twice"
        raise InputError(found, file_name, None if lines is None else lines[again])
    is_empty = np.isnan(rows).all(axis=0)
    # A summary has an empty column in the files of `stdeval eval`.
    of_topics = [i for i, name in enumerate(measures) if kind_of(name) != "summary"]
    warn(notices.unscored([measures[i] for i in of_topics if is_empty[i]]))
    kept = [i for i in of_topics if not is_empty[i]]
    values = np.full((len(system_of), len(topic_of), len(kept)), np.nan)
    values[tuple(at)] = rows[:, kept]
    return ScoreTable(tuple(system_of), tuple(topic_of), tuple(measures[i] for i in kept), values)


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
    systems = column_of(frame, SYSTEM_COLUMNS) if {*names} & {*SYSTEM_COLUMNS} else ["run"] * len(topics)
    measures = [name for name in names if name not in (*TOPIC_COLUMNS, *SYSTEM_COLUMNS)]
    scores = np.stack([checked_numbers(column_of(frame, [name]), name) for name in measures], axis=1)
    kept = [i for i, topic in enumerate(topics) if not is_summary(topic)]
    runs = [identifier(systems[i], "run") for i in kept]
    return table_of_rows(runs, [topics[i] for i in kept], measures, scores[kept])


PARTS = ("mean", "sd")
_MANY_DEVIATIONS = 10  # the number of standard deviations that all have few digits only if they are rounded


def is_factors_header(cells: Sequence[str]) -> bool:
    """Return whether a header is that of a factors CSV: ``topic,n,[judgments,options,]M.mean,M.sd,...``."""
    return cells[:1] == ["topic"] and any(cell.endswith((".mean", ".sd")) for cell in cells)


def factors_from_rows(rows: Sequence[Row], file_name: str) -> Factors:
    """Return the factors in the rows of a factors CSV."""
    (line, header), body = rows[0], rows[1:]
    csv_rows.check_names(header, repeat(line), "column", file_name)
    csv_rows.check_widths(body, len(header), file_name)
    measures = [column.removesuffix(".mean") for column in header if column.endswith(".mean")]
    needed = {f"{measure}.{part}" for measure in measures for part in PARTS}
    optional = {"n", *ORIGIN, *(f"{measure}.n" for measure in measures)}
    faults = [f"no column '{column}'" for column in sorted(needed - {*header})]
    faults += [f"column '{column}'" for column in header[1:] if column not in needed | optional]
    if faults:
        raise InputError(f"{faults[0]}, expected topic,n,MEASURE.mean,MEASURE.sd,...", file_name, line)
    topics = [row.cells[0] for row in body]
    csv_rows.check_names(topics, [row.line for row in body], "topic", file_name)
    if not topics:
        raise InputError("no topics, expected a row per topic", file_name)
    places = {column: i for i, column in enumerate(header)}
    means, deviations = ({f"{each}.{part}": places[f"{each}.{part}"] for each in measures} for part in PARTS)
    mean = csv_rows.parse_columns(body, means, file_name)
    sd = csv_rows.parse_columns(body, deviations, file_name, least=0)
    n = np.array([_counts(row, places, measures, file_name) for row in body], dtype=np.int64)
    of_means, printed = ([row.cells[i] for row in body for i in of.values()] for of in (means, deviations))
    decimals = csv_rows.printed_decimals([*of_means, *printed])
    # In full precision, decimals never end in 0, as in 0.2500, but for the one of 0.0.
    fixed = any(re.search(r"\.[0-9]+0$", text) for text in printed)
    rounded = decimals is not None and (fixed or int((sd > 0).sum()) >= _MANY_DEVIATIONS)
    origin = csv_rows.origin_of_topics({row.cells[0]: csv_rows.origin_of_row(row, places) for row in body})
    return Factors(tuple(topics), tuple(measures), mean, sd, n, decimals=decimals, rounded=rounded, origin=origin)


def _counts(row: Row, places: Mapping[str, int], measures: Sequence[str], file_name: str) -> list[int]:
    """Return the number of reference systems of one topic by each measure; 0 where it is not known."""
    columns = [f"{measure}.n" if f"{measure}.n" in places else "n" for measure in measures]
    texts = [row.cells[places[column]] if column in places else "" for column in columns]
    for column, text in zip(columns, texts, strict=True):
        if text and not re.fullmatch("[0-9]{1,12}", text):
            raise InputError(f"{column} '{excerpt(text)}', expected a whole number from 0", file_name, row.line)
    return [int(text or 0) for text in texts]


def factors_listing(factors: Factors) -> Listing:
    """Return the rows of a factors CSV, one per topic."""
    varied = bool((factors.n != factors.n[:, :1]).any())
    names = ["topic", "n", *(ORIGIN if factors.origin else ())]
    for measure in factors.measures:
        names += [f"{measure}.mean", f"{measure}.sd", *([f"{measure}.n"] if varied else [])]
    rows: list[list[Cell]] = []
    # an unknown number of systems, 0, is written as an empty field
    for topic, *arrays in zip(factors.topics, factors.mean, factors.sd, factors.n, strict=True):
        numbers = [each.tolist() for each in arrays]
        cells: list[Cell] = [topic, max(numbers[2]) or "", *origin_cells(topic, factors.origin)]
        for mean, sd, n in zip(*numbers, strict=True):
            cells += [mean, sd, *([n or ""] if varied else [])]
        rows.append(cells)
    return Listing([Field(name) for name in names], rows)
