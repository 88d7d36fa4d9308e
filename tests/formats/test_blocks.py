"""Scores of runs, as trec_eval's text and as listings."""

from __future__ import annotations

import csv
import functools
import io
import math
import operator

import numpy as np
import pytest

from stdeval.formats.trec_eval_text import (
    Block,
    Column,
    listing_of_blocks,
    sorted_blocks,
    topics_to_rank_on,
    write_trec_eval,
)
from stdeval.formats.writers import write_listing

COLUMNS = [Column("num_ret", "count"), Column("map"), Column("map", letter="N"), Column("relstring", "text")]


def blocks(*labels: str) -> list[Block]:
    values = np.array([[3, 1 / 3, 0.75, np.nan], [2, np.nan, 0.25, np.nan]])
    summaries = {"all": np.array([5, 1 / 3, 0.5, np.nan])}
    return [Block(label, ("1", "2"), values, summaries, {("1", "relstring"): "1.-"}) for label in labels]


def text(*labels: str, per_topic: bool = True, summary: bool = True, digits: int = 4) -> str:
    out = io.StringIO()
    write_trec_eval(
        out, COLUMNS, blocks(*labels), headed=len(labels) > 1, per_topic=per_topic, summary=summary, digits=digits
    )
    return out.getvalue()


def listed(output_format: str, *labels: str, per_topic: bool, summary: bool = True) -> str:
    out = io.StringIO()
    asked = {"order": range(len(COLUMNS)), "per_topic": per_topic, "summary": summary}
    write_listing(out, output_format, listing_of_blocks(COLUMNS, blocks(*labels), output_format, **asked))
    return out.getvalue()


def test_text():
    assert text("a").splitlines() == [
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
    lines = text("a", per_topic=per_topic, summary=summary).splitlines()
    assert {line.split("\t")[1][0] for line in lines} == set(topics)


def test_several_runs_are_headed():
    runids = [line.split("\t")[2] for line in text("a", "b").splitlines() if line.startswith("runid  ")]
    assert runids == ["a", "b"]


def test_digits_of_text():
    assert text("a", per_topic=False, digits=2).splitlines()[1] == "map                   \tall\t  0.33"


def test_csv_has_what_is_asked_for_in_full():
    header = ["run", "topic", "num_ret", "map", "Nmap", "relstring"]
    topics = [["1", "3", "0.3333333333333333", "0.75", "1.-"], ["2", "2", "", "0.25", ""]]
    summary = ["all", "5", "0.3333333333333333", "0.5", ""]
    run = 'a "x", y'
    for per_topic, with_summary in ((True, True), (True, False), (False, True)):
        rows = list(csv.reader(io.StringIO(listed("csv", run, per_topic=per_topic, summary=with_summary))))
        expected = [*(topics if per_topic else []), *([summary] if with_summary else [])]
        assert rows == [header, *([run, *row] for row in expected)]


def test_table_is_aligned():
    lines = listed("table", "a", "longer", per_topic=False).splitlines()
    # Nmap has no score on one of the topics, so the number of topics differs
    assert lines[0].split() == ["run", "num_ret", "map", "Nmap", "relstring", "n"]
    ends = [[line.index(cell) + len(cell) for cell in ("0.3333", "0.5000")] for line in lines[1:]]
    assert ends[0] == ends[1] == [lines[0].index(" map") + 4, lines[0].index("Nmap") + 4]


NAN = float("nan")


def scored(label: str, *scores: float) -> Block:
    present = [score for score in scores if not math.isnan(score)]
    # not sum(), which has no arithmetic noise since Python 3.12
    total = functools.reduce(operator.add, present)
    topics = [str(i) for i in range(len(scores))]
    return Block(label, topics, [[score] for score in scores], {"all": [total / len(present)]})


def bold(runs: list[Block], column: Column, output_format: str = "markdown") -> list[str]:
    listing = listing_of_blocks([column], runs, output_format, order=[0], per_topic=False, summary=True)
    return [str(listing.rows[row][0]) for row, _ in sorted(listing.best)]


def test_all_runs_that_tie_are_bold_even_if_noise_tells_them_apart():
    runs = [scored("a", 0.1, 0.2, 0.3), scored("b", 0.3, 0.2, 0.1), scored("c", 0.1, 0.1, 0.1)]
    assert runs[0].summaries["all"] != runs[1].summaries["all"]
    assert bold(runs, Column("map")) == ["a", "b"]
    assert bold(runs, Column("map"), "table") == []


def test_the_best_by_a_measure_that_is_better_the_lower_is_the_lowest():
    runs = [scored("a", 0.1, 0.2), scored("b", 0.3, 0.3)]
    assert bold(runs, Column("rbp_resid_p=0.8")) == ["a"]
    assert [block.label for block in sorted_blocks([Column("unj_10")], runs[::-1], "unj_10")] == ["a", "b"]


def test_an_incomplete_run_is_not_bold_and_is_sorted_last():
    runs = [scored("a", 0.1, 0.2), scored("easy", 0.9, NAN), scored("b", 0.3, 0.2)]
    assert bold(runs, Column("map")) == ["b"]
    assert [block.label for block in sorted_blocks([Column("map")], runs, "map")] == ["b", "a", "easy"]


def test_runs_with_different_topics_are_sorted_by_those_that_all_have():
    """Half of four runs lack the first topic, which is hard; of two runs, both lack one."""
    runs = [
        scored("a", 0.1, 0.5, 0.5),
        scored("b", 0.1, 0.3, 0.4),
        scored("c", NAN, 0.4, 0.4),
        scored("d", NAN, 0.2, 0.2),
    ]
    assert topics_to_rank_on([Column("map")], runs, "map") == {"1", "2"}
    assert [block.label for block in sorted_blocks([Column("map")], runs, "map")] == ["a", "c", "b", "d"]
    two = [scored("a", 0.9, 0.1, NAN), scored("b", NAN, 0.2, 0.3)]
    assert [block.label for block in sorted_blocks([Column("map")], two, "map")] == ["b", "a"]
    apart = [scored("a", 0.1, NAN), scored("b", NAN, 0.2)]
    assert [block.label for block in sorted_blocks([Column("map")], apart, "map")] == ["b", "a"]


def test_no_run_is_bold_if_no_two_have_the_same_topics():
    assert bold([scored("a", 0.1, NAN), scored("b", NAN, 0.2)], Column("map")) == []
    # The first topic is not usual, and yet a mean is over it.
    runs = [scored("a", 0.9, 0.2, 0.2), scored("b", NAN, 0.3, 0.3), scored("c", NAN, 0.3, 0.3)]
    assert bold(runs, Column("map")) == []


def test_counts_and_single_runs_have_no_best():
    runs = [scored("a", 1), scored("b", 2)]
    assert bold(runs, Column("num_ret", "count")) == []
    assert bold(runs[:1], Column("map")) == []


def test_equal_runs_keep_their_order_when_sorted():
    runs = [scored("a", 0.1, 0.2, 0.3), scored("b", 0.3, 0.2, 0.1), scored("c", 0.9, 0.1, 0.3)]
    assert [block.label for block in sorted_blocks([Column("map")], runs, "map")] == ["c", "a", "b"]


def test_a_run_without_a_measure_is_ranked_by_the_others():
    columns = [Column("map"), Column("P_10")]
    rows = {"a": [0.3, 0.5], "b": [0.2, 0.6], "other": [0.4, NAN]}
    runs = [Block(name, ["1", "2"], [row, row], {"all": row}) for name, row in rows.items()]
    listing = listing_of_blocks(columns, runs, "markdown", order=[0, 1], per_topic=False, summary=True)
    assert {(listing.rows[row][0], cell) for row, cell in listing.best} == {("other", 1), ("b", 2)}
    assert [field.name for field in listing.fields] == ["run", "map", "P_10"]
    assert not listing.notes
    assert [block.label for block in sorted_blocks(columns, runs, "map")] == ["other", "a", "b"]
    assert [block.label for block in sorted_blocks(columns, runs, "P_10")] == ["b", "a", "other"]


def test_notes_about_bold_are_about_the_columns_without_any():
    columns = [Column("map"), Column("P_10")]
    scores = {"a": [[0.3, 0.5], [0.3, NAN]], "b": [[0.2, NAN], [0.2, 0.6]], "c": [[0.1, NAN], [0.1, NAN]]}
    runs = [Block(name, ["1", "2"], rows, {"all": rows[0]}) for name, rows in scores.items()]
    listing = listing_of_blocks(columns, runs, "markdown", order=[0, 1], per_topic=False, summary=True)
    assert listing.notes == ["No run is bold by P_10, because the means are over different topics."]
