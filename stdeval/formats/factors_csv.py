"""Read and write factors as CSV, in full precision."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import repeat

import numpy as np

from stdeval.display import excerpt
from stdeval.errors import InputError
from stdeval.formats import csv_rows
from stdeval.formats.csv_rows import Row
from stdeval.formats.listing import ORIGIN, Cell, Field, Listing, origin_cells
from stdeval.standardization.factors import Factors

PARTS = ("mean", "sd")

_MANY_DEVIATIONS = 10
"""The number of standard deviations that all have few digits only if they are rounded."""


def is_factors_header(cells: Sequence[str]) -> bool:
    """Return whether a header is that of a factors CSV: ``topic,n,[judgments,options,]M.mean,M.sd,...``."""
    return cells[:1] == ["topic"] and any(cell.endswith((".mean", ".sd")) for cell in cells)


def factors_from_rows(rows: Sequence[Row], file_name: str) -> Factors:
    """Return the factors in the rows of a factors CSV."""
    (line, header), body = rows[0], rows[1:]
    csv_rows.check_names(header, repeat(line), "column", file_name)
    csv_rows.check_widths(body, len(header), file_name)
    measures = _measures_of(header, file_name, line)
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


def _measures_of(header: Sequence[str], file_name: str, line: int) -> list[str]:
    """Return the measures of a factors header; refuse one with missing or unknown columns."""
    measures = [column.removesuffix(".mean") for column in header if column.endswith(".mean")]
    needed = {f"{measure}.{part}" for measure in measures for part in PARTS}
    optional = {"n", *ORIGIN, *(f"{measure}.n" for measure in measures)}
    faults = [f"no column '{column}'" for column in sorted(needed - {*header})]
    faults += [f"column '{column}'" for column in header[1:] if column not in needed | optional]
    if faults:
        raise InputError(f"{faults[0]}, expected topic,n,MEASURE.mean,MEASURE.sd,...", file_name, line)
    return measures


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
    columns = factors.mean.tolist(), factors.sd.tolist(), factors.n.tolist()
    for topic, *numbers in zip(factors.topics, *columns, strict=True):
        cells: list[Cell] = [topic, max(numbers[2]) or "", *origin_cells(topic, factors.origin)]
        for mean, sd, n in zip(*numbers, strict=True):
            cells += [mean, sd, *([n or ""] if varied else [])]
        rows.append(cells)
    return Listing([Field(name) for name in names], rows)
