"""Numbers in the cells of CSV files, one by one and in columns."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.errors import InputError
from stdeval.formats.csv_rows import Row, parse_columns, parse_number, printed_decimals


@pytest.mark.parametrize("text", ["0", "1", "-1.5", "+.5", "1.", "1e-3", "1E+3", "007"])
def test_numbers(text: str):
    assert parse_number(text, "f", 1, "score") == float(text)


@pytest.mark.parametrize("text", ["", "NA", "NaN", "nan"])
def test_missing(text: str):
    assert math.isnan(parse_number(text, "f", 1, "score"))


@pytest.mark.parametrize("text", ["inf", "-inf", "1_0", "0x1", "1e999", "١", "1,5", "x", "-", "1 2", "None", "n/a"])
def test_no_numbers(text: str):
    with pytest.raises(InputError, match="f:7: score"):
        parse_number(text, "f", 7, "score")


def test_a_long_field_is_cut_where_it_can_be_seen():
    with pytest.raises(InputError, match=r"^f:7: score 'x0{39}\.\.\.', expected"):
        parse_number("x" + "0" * 60, "f", 7, "score")


def outcome(read: Callable[[], list[float]]) -> list[float] | str:
    """Numbers, or the error; NaN as None, which equals itself."""
    try:
        return [None if math.isnan(number) else number for number in read()]
    except InputError as error:
        return str(error)


@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.sampled_from(
                ["", "NA", "inf", "1_0", "1e999", "1e-999", f"1e{'0' * 30}1", "0" * 40, "\u0661", "+.5", "1."]
            ),
            st.text("0123456789.eE+-_", min_size=1, max_size=8),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_a_column_holds_the_numbers_of_its_cells(texts: list[str]):
    """Columns are converted at once where all cells are plain numbers, and cell by cell where one is not."""
    rows = [Row(line, [text]) for line, text in enumerate(texts, 2)]
    by_cell = outcome(lambda: [parse_number(row.cells[0], "f", row.line, "map") for row in rows])
    assert outcome(lambda: list(parse_columns(rows, {"map": 0}, parse_number, "f")[:, 0])) == by_cell


@pytest.mark.parametrize(
    ("numbers", "decimals"),
    [
        *((["1", "0"], 0), (["0.5000", "0.25", ""], 4), (["2.5e-3", "NA"], 4), (["25e2"], 0), ([], 0)),
        *((["0.5", "0.3535533905932738"], None), (["1.2345e-11"], None), (["12345.6789012345"], None)),
    ],
)
def test_printed_decimals(numbers: list[str], decimals: int | None):
    assert printed_decimals(numbers) == decimals
