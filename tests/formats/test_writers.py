"""Writers of listings: every format tells the same cells."""

from __future__ import annotations

import csv
import io
import json
import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stdeval.display import displayed
from stdeval.formats.listing import DAGGER, DOUBLE_DAGGER, Field, Listing, exact_number
from stdeval.formats.writers import FORMATS, escape_latex, escape_markdown, write_aligned, write_listing

FIELDS = [Field("name"), Field("n"), Field("p", ".3g"), Field("seed", in_table=False)]
ROWS = [["a,b", 12, 1 / 3, 5], ["c", 7, np.nan, ""]]

# The ten characters that TeX gives a meaning (Lamport, LaTeX: A document preparation system, section 2.1).
SPECIAL = "&%$#_{}~^\\<>|"


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, 5e-324, 1.7976931348623157e308, -0.0, 2.0**53 + 2])
def test_exact_numbers_read_back(value: float):
    assert float(exact_number(value)) == value
    assert exact_number(np.float64(value)) == exact_number(value)


def test_missing_numbers_are_empty():
    assert exact_number(math.nan) == exact_number(math.nan, whole=True) == ""


def written(output_format: str, listing: Listing) -> str:
    out = io.StringIO()
    write_listing(out, output_format, listing)
    return out.getvalue()


def test_aligned_columns():
    out = io.StringIO()
    write_aligned(out, [["a", "bb"], ["ccc", "d"]])
    assert out.getvalue() == "a    bb\nccc   d\n"


@pytest.mark.parametrize(
    ("output_format", "text"),
    [
        ("text", "name\tn\tp\tseed\na,b\t12\t0.333\t5\nc\t7\t-\t-\n"),
        ("table", "name   n      p\na,b   12  0.333\nc      7      -\n"),
        ("csv", 'name,n,p,seed\n"a,b",12,0.3333333333333333,5\nc,7,,\n'),
        (
            "jsonl",
            '{"name": "a,b", "n": 12, "p": 0.3333333333333333, "seed": 5}\n'
            '{"name": "c", "n": 7, "p": null, "seed": null}\n',
        ),
        ("markdown", "| name | n | p |\n| --- | ---: | ---: |\n| a,b | 12 | 0.333 |\n| c | 7 | - |\n"),
        (
            "latex",
            "% needs the package booktabs\n\\begin{tabular}{lrr}\n\\toprule\nname & n & p \\\\\n\\midrule\n"
            "a,b & 12 & 0.333 \\\\\nc & 7 & -- \\\\\n\\bottomrule\n\\end{tabular}\n",
        ),
    ],
)
def test_listing(output_format: str, text: str):
    assert written(output_format, Listing(FIELDS, ROWS)) == text


def test_text_without_a_header_ends_lines_where_nothing_follows():
    fields = [Field("name"), Field("n", missing="")]
    assert written("text", Listing(fields, [["a", ""], ["b", 1]], headed=False)) == "a\nb\t1\n"


def test_a_cell_of_markdown_stays_one_cell_whatever_is_in_it():
    listing = Listing([Field("a|b")], [["c|d\\"], ["e\nf"]])
    assert written("markdown", listing) == "| a\\|b |\n| --- |\n| c\\|d\\\\ |\n| e\\\\nf |\n"


@given(st.text())
def test_no_character_has_a_meaning_in_markdown(name: str):
    """Without its escapes, which CommonMark defines for all punctuation of ASCII, no special character is left."""
    escaped = escape_markdown(name)
    assert not set(re.sub(r"\\[!-/:-@\[-`{-~]", "", escaped)) & set("\\`*_~[]<>&$@#|\n\r")
    assert re.sub(r"\\(.)", r"\1", escaped) == displayed(name)


def test_listing_in_csv_reads_back():
    (first, _) = csv.DictReader(io.StringIO(written("csv", Listing(FIELDS, ROWS))))
    assert float(first["p"]) == 1 / 3


MARKED = Listing(
    [Field("run"), Field("map"), Field("P_10")],
    [["a", 0.5, 0.1], ["b_1", 0.25, 0.3], ["c", math.nan, 0.9]],
    best=frozenset([(0, 1), (1, 2)]),
    signs={(1, 1): DAGGER, (1, 2): DAGGER + DOUBLE_DAGGER},
    n_below=1,
    notes=[f"{DAGGER}: differs from b_1", "n"],
)


def test_latex_marks_cells_and_sets_rows_below_a_rule():
    lines = written("latex", MARKED).splitlines()
    assert lines[1:3] == [r"% dagger: differs from b\_1", "% n"]
    assert lines[7:13] == [
        r"a & \textbf{0.5000} & 0.1000 \\",
        r"b\_1 & 0.2500$^{\dagger}$ & \textbf{0.3000}$^{\dagger\ddagger}$ \\",
        r"\midrule",
        r"c & -- & 0.9000 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


@pytest.mark.parametrize("name", ["[tuned]", "*x", "[2pt]"])
def test_no_name_is_an_argument_of_the_row_before_it(name: str):
    listing = Listing([Field("run"), Field("map")], [["a", 0.5], [name, 0.25], ["b[", 0.1]])
    lines = written("latex", listing).splitlines()
    assert lines[5:8] == [r"a & 0.5000 \\", rf"{{}}{name} & 0.2500 \\", r"b[ & 0.1000 \\"]


def test_markdown_marks_cells_and_has_notes_below():
    assert written("markdown", MARKED).splitlines()[2:] == [
        "| a | **0.5000** | 0.1000 |",
        "| b\\_1 | 0.2500† | **0.3000**†‡ |",
        "| c | - | 0.9000 |",
        *("", "†: differs from b\\_1", "", "n"),
    ]


def test_digits_are_decimals_of_scores_and_leave_significant_digits_alone():
    listing = Listing([Field("map"), Field("p", ".3g"), Field("alpha", "g"), Field("n")], [[2 / 3, 2 / 3, 0.05, 7]])
    assert written("table", listing.with_digits(0)).splitlines()[1].split() == ["1", "0.667", "0.05", "7"]
    assert written("csv", listing.with_digits(1)) == written("csv", listing)


def test_json_has_no_numbers_that_json_lacks_and_is_utf8_whatever_a_name_holds():
    listing = Listing([Field("run"), Field("n"), Field("holds")], [["caf\udce9 \u00e9\n", math.inf, True]])
    (line,) = written("jsonl", listing).splitlines()
    assert json.loads(line.encode("utf-8")) == {"run": "caf\udce9 \u00e9\n", "n": "inf", "holds": True}
    assert "\u00e9" in line


CELLS = st.one_of(
    st.floats(allow_infinity=False, width=32),
    st.integers(-(10**9), 10**9),
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=6),
)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_all_formats_tell_the_same_cells(rows):
    """Exact formats agree with each other, and readable ones with each other."""
    fields = [Field("a"), Field("b")]
    texts = {name: written(name, Listing(fields, rows)) for name in FORMATS}
    from_csv = list(csv.reader(io.StringIO(texts["csv"], newline="")))[1:]
    from_json = [list(json.loads(line).values()) for line in texts["jsonl"].splitlines()]
    assert from_csv == [["" if cell is None else str(cell) for cell in row] for row in from_json]
    shown = [[field.rounded(cell) for field, cell in zip(fields, row, strict=True)] for row in rows]
    assert [line.split("\t") for line in texts["text"].split("\n")[1:-1]] == shown
    assert [line.split() for line in texts["table"].split("\n")[1:-1]] == shown
    # Without the escapes and their marks no bar is left in a cell.
    bars = [re.split(r"(?<!\\) \| ", line[2:-2]) for line in texts["markdown"].split("\n")[2:-1]]
    assert [[re.sub(r"\\(.)", r"\1", cell) for cell in row] for row in bars] == shown
    assert texts["latex"].count(" & ") == texts["latex"].count(r" \\") == len(rows) + 1


def test_latex_escapes_bytes_that_are_not_utf8():
    assert escape_latex("caf\udce9") == r"caf\textbackslash{}xe9"


@given(st.text())
@example(SPECIAL)
def test_no_character_of_a_name_has_a_meaning(name: str):
    text = escape_latex(name)
    for command in ("textasciitilde", "textasciicircum", "textbackslash", "textless", "textgreater", "textbar"):
        text = text.replace(f"\\{command}{{}}", "")
    for character in SPECIAL:
        text = text.replace(f"\\{character}", "")
    assert not set(text) & set(SPECIAL)
    assert "\n" not in text
