"""Scores as text, table and CSV; listings; tables in LaTeX; exact numbers."""

from __future__ import annotations

import csv
import io
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.formats.writers import (
    Block,
    Column,
    Field,
    escape_latex,
    escape_markdown,
    exact_number,
    latex_table,
    write_aligned,
    write_blocks,
    write_listing,
)

COLUMNS = [Column("num_ret", "count"), Column("map"), Column("map", letter="N"), Column("relstring", "text")]


FIELDS = [Field("name"), Field("n"), Field("p", ".3g"), Field("seed", in_table=False)]
ROWS = [["a,b", 12, 1 / 3, 5], ["c", 7, np.nan, ""]]

# The ten characters that TeX gives a meaning (Lamport, LaTeX: A document preparation system, section 2.1).
SPECIAL = "&%$#_{}~^\\"


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, 5e-324, 1.7976931348623157e308, -0.0, 2.0**53 + 2])
def test_exact_numbers_read_back(value: float):
    assert float(exact_number(value)) == value
    assert exact_number(np.float64(value)) == exact_number(value)


def test_missing_numbers_are_empty():
    assert exact_number(math.nan) == exact_number(math.nan, whole=True) == ""


def written(output_format: str, *labels: str, per_topic: bool = True, summary: bool = True) -> str:
    values = np.array([[3, 1 / 3, 0.75, np.nan], [2, np.nan, 0.25, np.nan]])
    summaries = {"all": np.array([5, 1 / 3, 0.5, np.nan])}
    texts = {("1", "relstring"): "1.-"}
    blocks = [Block(label, ("1", "2"), values, summaries, texts) for label in labels]
    out = io.StringIO()
    write_blocks(out, output_format, COLUMNS, blocks, per_topic=per_topic, summary=summary)
    return out.getvalue()


def test_text():
    assert written("text", "a").splitlines() == [
        "num_ret               \t1\t3",
        "map                   \t1\t0.3333",
        "Nmap                   \t1\t0.7500",
        "relstring             \t1\t'1.-'",
        "num_ret               \t2\t2",
        "Nmap                   \t2\t0.2500",
        "num_ret               \tall\t5",
        "map                   \tall\t0.3333",
        "Nmap                   \tall\t0.5000",
    ]


@pytest.mark.parametrize(
    ("per_topic", "summary", "topics"), [(True, False, "12"), (False, True, "a"), (False, False, "")]
)
def test_text_has_what_is_asked_for(per_topic: bool, summary: bool, topics: str):
    lines = written("text", "a", per_topic=per_topic, summary=summary).splitlines()
    assert {line.split("\t")[1][0] for line in lines} == set(topics)


def test_several_runs_are_headed():
    text = written("text", "a", "b")
    assert [line.split("\t")[2] for line in text.splitlines() if line.startswith("runid  ")] == ["a", "b"]


@pytest.mark.parametrize("per_topic", [True, False])
def test_csv_has_every_topic_in_full(per_topic: bool):
    rows = list(csv.reader(io.StringIO(written("csv", 'a "x", y', per_topic=per_topic))))
    assert rows == [
        ["run", "topic", "num_ret", "map", "Nmap", "relstring"],
        ['a "x", y', "1", "3", "0.3333333333333333", "0.75", "1.-"],
        ['a "x", y', "2", "2", "", "0.25", ""],
        ['a "x", y', "all", "5", "0.3333333333333333", "0.5", ""],
    ]


def test_table_is_aligned():
    lines = written("table", "a", "longer", per_topic=False).splitlines()
    # Nmap has no score on one of the topics, so the number of topics differs
    assert lines[0].split() == ["run", "num_ret", "map", "Nmap", "relstring", "n"]
    ends = [[line.index(cell) + len(cell) for cell in ("0.3333", "0.5000")] for line in lines[1:]]
    assert ends[0] == ends[1] == [lines[0].index(" map") + 4, lines[0].index("Nmap") + 4]


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
        ("markdown", "| name | n | p |\n| --- | ---: | ---: |\n| a,b | 12 | 0.333 |\n| c | 7 | - |\n"),
    ],
)
def test_listing(output_format: str, text: str):
    out = io.StringIO()
    write_listing(out, output_format, FIELDS, ROWS)
    assert out.getvalue() == text


def test_text_without_a_header_ends_lines_where_nothing_follows():
    out = io.StringIO()
    fields = [Field("name"), Field("n", missing="")]
    write_listing(out, "text", fields, [["a", ""], ["b", 1]], headed=False)
    assert out.getvalue() == "a\nb\t1\n"


def test_a_cell_of_markdown_stays_one_cell_whatever_is_in_it():
    out = io.StringIO()
    write_listing(out, "markdown", [Field("a|b")], [["c|d\\"], ["e\nf"]])
    assert out.getvalue() == "| a\\|b |\n| --- |\n| c\\|d\\\\ |\n| e?f |\n"


@given(st.text())
def test_no_character_has_a_meaning_in_markdown(name: str):
    """Without its escapes, which CommonMark defines for all punctuation of ASCII, no special character is left."""
    escaped = escape_markdown(name)
    assert not set(re.sub(r"\\[!-/:-@\[-`{-~]", "", escaped)) & set("\\`*_~[]<>&$@#|\n\r")
    assert re.sub(r"\\(.)", r"\1", escaped) == "".join(c if c.isprintable() else "?" for c in name)


def test_listing_in_csv_reads_back():
    out = io.StringIO()
    write_listing(out, "csv", FIELDS, ROWS)
    assert float(next(csv.DictReader(io.StringIO(out.getvalue())))["p"]) == 1 / 3


def test_best_of_every_column_is_bold_and_marks_are_daggers():
    means = np.array([[0.5, 0.1], [0.25, 0.3], [np.nan, 0.3]])
    marked = np.array([[False, True], [True, False], [False, True]])
    rows = latex_table(["a", "b_1", "c"], ["map", "P_10"], means, marked, ["how"]).splitlines()
    assert rows[1] == "% how"
    assert rows[4] == r" & map & P\_10 \\"
    assert rows[6:9] == [
        r"a & \textbf{0.5000} & 0.1000$^{\dagger}$ \\",
        r"b\_1 & 0.2500$^{\dagger}$ & \textbf{0.3000} \\",
        r"c & -- & \textbf{0.3000}$^{\dagger}$ \\",
    ]


@given(st.text())
def test_no_character_of_a_name_has_a_meaning(name: str):
    text = escape_latex(name)
    for command in ("textasciitilde", "textasciicircum", "textbackslash", "textless", "textgreater"):
        text = text.replace(f"\\{command}{{}}", "")
    for character in SPECIAL:
        text = text.replace(f"\\{character}", "")
    assert not set(text) & set(SPECIAL)
    assert "\n" not in text
