"""The three outputs of scores."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from stdeval.formats.writers import Block, Column, write_aligned, write_blocks

COLUMNS = [Column("num_ret", "count"), Column("map"), Column("map", letter="N"), Column("relstring", "text")]


def written(style: str, *labels: str, per_topic: bool = True, summary: bool = True) -> str:
    values = np.array([[3, 1 / 3, 0.75, np.nan], [2, np.nan, 0.25, np.nan]])
    summaries = {"all": np.array([5, 1 / 3, 0.5, np.nan])}
    texts = {("1", "relstring"): "1.-"}
    blocks = [Block(label, ("1", "2"), values, summaries, texts) for label in labels]
    out = io.StringIO()
    write_blocks(out, style, COLUMNS, blocks, per_topic=per_topic, summary=summary)
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
    assert lines[0].split() == ["run", "num_ret", "map", "Nmap", "relstring"]
    ends = [[line.index(cell) + len(cell) for cell in ("0.3333", "0.5000")] for line in lines[1:]]
    assert ends[0] == ends[1] == [lines[0].index(" map") + 4, lines[0].index("Nmap") + 4]


def test_aligned_columns():
    out = io.StringIO()
    write_aligned(out, [["a", "bb"], ["ccc", "d"]])
    assert out.getvalue() == "a    bb\nccc   d\n"
