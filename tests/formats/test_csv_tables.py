"""Scores and factors as CSV: tables from elsewhere are read, and faults are reported with their lines."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest

from stdeval.errors import InputError, InputWarning
from stdeval.files import Input
from stdeval.formats.csv_tables import factors_from_rows, read_rows, read_scores, scores_listing
from stdeval.formats.readers import join_scores
from stdeval.formats.writers import write_listing
from stdeval.table import ScoreTable


@pytest.fixture
def read(write):
    """Read the scores in a text."""

    def read_text(text: str) -> ScoreTable:
        return read_scores(Input(write("s.csv", text)))

    return read_text


def test_scores_from_elsewhere(read):
    """pandas writes such line ends and quotes; the measure has a name of its own."""
    table = read('run,topic,"my, measure"\r\n"a ""b""",1,0.5\r\n\r\n"a ""b""",2,NaN\r\n c ,1, .25 \r\n')
    assert (table.systems, table.topics, table.measures) == (('a "b"', "c"), ("1", "2"), ("my, measure",))
    np.testing.assert_array_equal(table.values[:, :, 0], [[0.5, np.nan], [0.25, np.nan]])


def test_a_column_without_scores_is_left_out(read):
    with pytest.warns(InputWarning, match="no scores for 1 measure"):
        assert read("run,topic,map,ndcg\na,1,.5,\na,2,.5,NA\n").measures == ("map",)


def test_numbers_of_summaries_on_single_topics_are_no_scores(read):
    """pytrec_eval gives each topic a num_q of 1, and the logarithm of its average precision as gm_map."""
    table = read("run,topic,map,num_q,gm_map,gm_bpref\na,1,.25,1,-1.3862944,\na,2,.5,1,-.6931472,\n")
    assert (table.measures, table.values.tolist()) == (("map",), [[[0.25], [0.5]]])


SIGNATURE = "stdeval:0.1.0|measures:map|options:{}|scheme:raw|qrels:8cb288ab|topics:2"


@pytest.mark.parametrize(
    ("cells", "signed", "options"),
    [
        (["aaaaaaaa,-l 2", ","], "-l 2", ["-l 2", "-l 2"]),
        (["aaaaaaaa,unknown", "bbbbbbbb,unknown"], "-l 2", ["-l 2", "-l 2"]),
        (["aaaaaaaa,unknown", "bbbbbbbb,unknown"], "unknown", [None, None]),
        (["aaaaaaaa,", "bbbbbbbb,NA"], "default", ["", ""]),
        (["aaaaaaaa,", "bbbbbbbb,-l 2"], "unknown", ["", "-l 2"]),
        (["aaaaaaaa", "bbbbbbbb"], "-l 2", ["-l 2", "-l 2"]),
        (["aaaaaaaa", "bbbbbbbb"], "unknown", [None, None]),
    ],
)
def test_options_of_a_topic_are_its_own_or_those_of_the_signature(read, cells, signed, options):
    """A program that drops empty columns drops the default options."""
    columns = "judgments,options" if "," in cells[0] else "judgments"
    rows = [f"a,{topic},{cell},0.5,{SIGNATURE.format(signed)}" for topic, cell in enumerate(cells)]
    table = read("".join(f"{row}\n" for row in (f"run,topic,{columns},map,signature", *rows)))
    judgments = [cell.partition(",")[0] for cell in cells]
    assert table.origin.judgments == {str(i): each for i, each in enumerate(judgments) if each}
    assert table.origin.options == {str(i): each for i, each in enumerate(options) if each is not None}
    written = StringIO()
    write_listing(written, "csv", scores_listing(table))
    assert read(written.getvalue()).origin.judgments == table.origin.judgments


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "s.csv: no rows"),
        ("\n\n", "s.csv: no rows"),
        ("topic,run,map\n", "s.csv:1: header 'topic,run,map', expected run,topic,MEASURE"),
        ("run,topic,\n", "s.csv:1: a column without name"),
        ("run,topic,map\n", "s.csv: no rows of topics"),
        ("run,topic,map\na,1,.5\nb,all,.5\n", "s.csv:3: run 'b' has a summary, but no scores of topics"),
        ("run,topic,map\na,1,.5\n\na,2\n", "s.csv:4: 2 columns, expected the 3 of the header"),
        ("run,topic,map\na,2,.5\nb,1,.5\nb,2,.5\nb,2,.5\na,2,.5\n", "s.csv:5: run 'b' and topic '2' appear twice"),
        ("run,topic,map\na,1,.5\na,,.5\n", "s.csv:3: a row without a run or a topic"),
        ('run,topic,map\n"a\nb",1,.5\na,2,x\n', "s.csv:4: score 'x'"),
        (f'run,topic,map\n"a{" " * (1 << 20)}b",1,0.5\n', "s.csv:2: not CSV"),
        ("run,topic,map\na,1,\0\n", "s.csv:2: a NUL byte"),
    ],
)
def test_faults(read, text: str, words: str):
    with pytest.raises(InputError) as raised:
        read(text)
    assert words in str(raised.value)


def test_joined_tables_have_all_labels(read):
    tables = [read("run,topic,map\na,1,.5\n"), read("run,topic,P_10\nb,2,.25\n")]
    both = join_scores(tables, ["a.csv", "b.csv"])
    assert (both.systems, both.topics, both.measures) == (("a", "b"), ("1", "2"), ("map", "P_10"))
    expected = np.full((2, 2, 2), np.nan)
    expected[0, 0, 0], expected[1, 1, 1] = 0.5, 0.25
    np.testing.assert_array_equal(both.values, expected)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 10_000])
def test_scores_are_the_same_however_many_rows_are_held(read, monkeypatch: pytest.MonkeyPatch, n_rows: int):
    monkeypatch.setattr("stdeval.formats.csv_tables._ROWS", n_rows)
    rows = ["b,10,0123abcd,0.5,", "b,9,,0.25,1", "", "b,all,,0.4,1", "a,10,0123abcd,1,0"]
    text = "".join(f"{row}\n" for row in ("run,topic,judgments,map,P_10", *rows))
    table = read(text)
    assert (table.systems, table.topics, table.origin.judgments) == (("b", "a"), ("10", "9"), {"10": "0123abcd"})
    np.testing.assert_array_equal(table.values, [[[0.5, np.nan], [0.25, 1]], [[1, 0], [np.nan, np.nan]]])
    for row, problem in {
        "b,9,,0.5,1": "run 'b' and topic '9' appear twice",
        "c,10,ffffffff,0.5,1": "topic '10' with other judgments or options than in the rows of other runs",
        "c,10,0123abcd,0.5": "4 columns, expected the 5 of the header",
        "c,10,0123abcd,x,1": "score 'x', expected a finite decimal number",
    }.items():
        with pytest.raises(InputError, match=problem) as raised:
            read(f"{text}{row}\n")
        assert raised.value.line == 7


def test_rows_in_any_order_are_read_and_none_counts_as_another(read):
    pairs = np.random.default_rng(7).permutation([(s, t) for s in range(7) for t in range(5)]).tolist()
    table = read("run,topic,map\n" + "".join(f"s{s},{t},{s + t / 10}\n" for s, t in pairs))
    assert table.topics == ("0", "1", "2", "3", "4")
    expected = [[int(name[1:]) + t / 10 for t in range(5)] for name in table.systems]
    np.testing.assert_allclose(table.measure("map"), expected, rtol=1e-15)


def test_a_file_of_gdeval_is_read(run, write):
    lines = ["runid,topic,ndcg@20,err@20", "a,301,0.5,0.25", "a,302,0.75,0.125", "a,amean,0.625,0.1875"]
    path = write("gdeval.csv", lines)
    printed = "ndcg@20               \tall\t0.6250\nerr@20                \tall\t0.1875\n"
    assert run("eval", "--scores", path).stdout == printed
    again = write("again.csv", [row.replace("a,", "b,", 1) for row in lines])
    done = run("check", "--baseline", path, "--max-drop", "ndcg@20=0.1", "--scores", again)
    assert done.stdout.startswith("PASS\tb")


@pytest.mark.parametrize(
    ("deviations", "decimals", "rounded"),
    [
        # written in full, though short: 0.25 is the sd of 0.25, 0.5 and 0.75
        (["0.25", "0.0"], 2, False),
        (["0.2500", "0.0000"], 4, True),
        # ten do not all happen to have four decimals
        (["0.1237"] * 10 + ["0"], 4, True),
        (["0.1237"] * 9 + ["0"], 4, False),
        (["0.3535533905932738", "0.0"], None, False),
    ],
)
def test_factors_that_are_rounded(write, deviations: list[str], decimals: int | None, rounded: bool):
    rows = [f"{topic},9,0.5,{sd}\n" for topic, sd in enumerate(deviations)]
    text = "topic,n,map.mean,map.sd\n" + "".join(rows)
    factors = factors_from_rows(read_rows(Input(write("f.csv", text))), "f.csv")
    assert (factors.decimals, factors.rounded) == (decimals, rounded)
    assert np.isnan(factors.laid_out(factors.topics, factors.measures)[1][-1, 0]) == rounded
