"""Scores as CSV: tables from elsewhere are read, and faults are reported with their lines."""

from __future__ import annotations

import re
from io import StringIO

import numpy as np
import pytest

from stdeval.errors import InputError, InputWarning
from stdeval.files import Input
from stdeval.formats.scores_csv import join_scores, read_scores, write_scores


def test_scores_from_elsewhere(write):
    """pandas writes such line ends and quotes; the measure has a name of its own."""
    text = 'run,topic,"my, measure"\r\n"a ""b""",1,0.5\r\n\r\n"a ""b""",2,NaN\r\n c ,1, .25 \r\n'
    table = read_scores(Input(write("s.csv", text)))
    assert (table.systems, table.topics, table.measures) == (('a "b"', "c"), ("1", "2"), ("my, measure",))
    np.testing.assert_array_equal(table.values[:, :, 0], [[0.5, np.nan], [0.25, np.nan]])


def test_a_column_without_scores_is_left_out(write):
    with pytest.warns(InputWarning, match="no scores for 1 measure"):
        table = read_scores(Input(write("s.csv", "run,topic,map,ndcg\na,1,.5,\na,2,.5,NA\n")))
    assert table.measures == ("map",)


def test_numbers_of_summaries_on_single_topics_are_no_scores(write):
    """pytrec_eval gives each topic a num_q of 1, and the logarithm of its average precision as gm_map."""
    text = "run,topic,map,num_q,gm_map,gm_bpref\na,1,.25,1,-1.3862944,\na,2,.5,1,-.6931472,\n"
    table = read_scores(Input(write("s.csv", text)))
    assert table.measures == ("map",)
    assert table.values.tolist() == [[[0.25], [0.5]]]


def test_topics_are_in_the_order_of_strcmp(write):
    text = "run,topic,map\n" + "".join(f"a,{topic},.5\n" for topic in ["9", "10", "b", "A", "é"])
    assert read_scores(Input(write("s.csv", text))).topics == ("10", "9", "A", "b", "é")


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
def test_options_of_a_topic_are_its_own_or_those_of_the_signature(write, cells, signed, options):
    """A program that drops empty columns drops the default options."""
    columns = "judgments,options" if "," in cells[0] else "judgments"
    rows = [f"a,{topic},{cell},0.5,{SIGNATURE.format(signed)}" for topic, cell in enumerate(cells)]
    text = "".join(f"{row}\n" for row in (f"run,topic,{columns},map,signature", *rows))
    table = read_scores(Input(write("s.csv", text)))
    judgments = [cell.partition(",")[0] for cell in cells]
    assert table.origin.judgments == {str(i): each for i, each in enumerate(judgments) if each}
    assert table.origin.options == {str(i): each for i, each in enumerate(options) if each is not None}
    written = StringIO()
    write_scores(written, table)
    again = read_scores(Input(write("again.csv", written.getvalue())))
    assert again.origin.judgments == table.origin.judgments
    assert not read_scores(Input(write("t.csv", "run,topic,map\na,1,0.5\n"))).origin


@pytest.mark.parametrize(("options", "signed"), [("-c", "-l 2"), ("", "-l 2"), ("-l 2", "default")])
def test_options_that_contradict_the_signature_are_refused(write, options: str, signed: str):
    rows = ["run,topic,judgments,options,map,signature", f"a,1,aaaaaaaa,{options},0.5,{SIGNATURE.format(signed)}"]
    with pytest.raises(InputError, match="in the signature, expected the same") as raised:
        read_scores(Input(write("s.csv", "".join(f"{row}\n" for row in rows))))
    assert raised.value.line == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "s.csv: no rows"),
        ("\n\n", "s.csv: no rows"),
        ("topic,run,map\n", "s.csv:1: header 'topic,run,map', expected run,topic,MEASURE"),
        ("run,topic\n", "s.csv:1: header 'run,topic', expected run,topic,MEASURE"),
        ("1 Q0 d1 1 9.5 bm25\n", "s.csv:1: header '1 Q0 d1 1 9.5 bm25', expected run,topic,MEASURE"),
        ("run,topic,map,map\n", "s.csv:1: column 'map' twice"),
        ("run,topic,\n", "s.csv:1: a column without name"),
        ("run,topic,map\n", "s.csv: no rows of topics"),
        ("run,topic,map\na,all,.5\n", "s.csv: no rows of topics"),
        ("run,topic,map\na,1,.5\nb,all,.5\n", "s.csv:3: run 'b' has a summary, but no scores of topics"),
        ("run,topic,map\na,1,.5\n\na,2\n", "s.csv:4: 2 columns, expected the 3 of the header"),
        ("run,topic,map\na,1,.5\na,1,.5\n", "s.csv:3: run 'a' and topic '1' appear twice"),
        ("run,topic,map\na,1,.5\na,,.5\n", "s.csv:3: a row without a topic, expected a name"),
        ("run,topic,map\n,1,.5\n", "s.csv:2: a row without a run, expected a name"),
        ("run,topic,map\na,1,x\n", "s.csv:2: score 'x'"),
        ("run,topic,map\na,1,inf\n", "s.csv:2: score 'inf'"),
        ('run,topic,map\n"a\nb",1,.5\na,2,x\n', "s.csv:4: score 'x'"),
        ('run,topic,map\na,1,".5\n', "s.csv:2: not CSV"),
        ("run,topic,map\na,1,\0\n", "s.csv:2: a NUL byte"),
    ],
)
def test_faults(write, text: str, words: str):
    with pytest.raises(InputError) as raised:
        read_scores(Input(write("s.csv", text)))
    assert words in str(raised.value)


def test_of_several_rows_that_repeat_the_first_is_named(write):
    rows = ["a,2,.5", "b,1,.5", "b,2,.5", "a,1,.5", "b,2,.5", "b,1,.5", "a,2,.5"]
    with pytest.raises(InputError, match=r"s\.csv:6: run 'b' and topic '2' appear twice"):
        read_scores(Input(write("s.csv", "\n".join(["run,topic,map", *rows]))))


def test_joined_tables_have_all_labels(write):
    first = read_scores(Input(write("a.csv", "run,topic,map\na,1,.5\n")))
    second = read_scores(Input(write("b.csv", "run,topic,P_10\nb,2,.25\n")))
    both = join_scores([first, second], ["a.csv", "b.csv"])
    assert (both.systems, both.topics, both.measures) == (("a", "b"), ("1", "2"), ("map", "P_10"))
    expected = np.full((2, 2, 2), np.nan)
    expected[0, 0, 0], expected[1, 1, 1] = 0.5, 0.25
    np.testing.assert_array_equal(both.values, expected)


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_scores_are_the_same_however_many_rows_are_held(write, monkeypatch: pytest.MonkeyPatch, n_rows: int):
    lines = [
        "run,topic,judgments,map,P_10",
        "b,10,0123abcd,0.5,",
        "b,9,,0.25,1",
        "",
        "b,all,,0.4,1",
        "a,10,0123abcd,1,0",
    ]
    whole = read_scores(Input(write("whole.csv", lines)))
    monkeypatch.setattr("stdeval.formats.scores_csv._ROWS", n_rows)
    part = read_scores(Input(write("part.csv", lines)))
    assert (part.systems, part.topics, part.origin) == (whole.systems, whole.topics, whole.origin)
    np.testing.assert_array_equal(part.values, whole.values)
    # topic 10 comes before topic 9
    np.testing.assert_array_equal(part.values, [[[0.5, np.nan], [0.25, 1]], [[1, 0], [np.nan, np.nan]]])
    for row, problem in {
        "b,9,,0.5,1": "run 'b' and topic '9' appear twice",
        "c,10,ffffffff,0.5,1": "topic '10' with other judgments or options than in the rows of other runs",
        "c,10,0123abcd,0.5": "4 columns, expected the 5 of the header",
        "c,10,0123abcd,x,1": "score 'x', expected a finite decimal number",
    }.items():
        with pytest.raises(InputError, match=problem) as raised:
            read_scores(Input(write("wrong.csv", [*lines, row])))
        assert raised.value.line == 7


@pytest.mark.parametrize("n_systems", [1, 2, 3, 7])
def test_rows_in_any_order_are_read_and_none_counts_as_another(write, n_systems: int):
    rng = np.random.default_rng(n_systems)
    pairs = [(s, t) for s in range(n_systems) for t in range(5)]
    rows = [f"s{s},{t},{s + t / 10}" for s, t in rng.permutation(pairs).tolist()]
    table = read_scores(Input(write("s.csv", ["run,topic,map", *rows])))
    assert table.topics == ("0", "1", "2", "3", "4")
    expected = [[int(name[1:]) + t / 10 for t in range(5)] for name in table.systems]
    np.testing.assert_allclose(table.measure("map"), expected, rtol=1e-15)


def test_the_mean_of_gdeval_is_no_topic(run, write):
    """Its CSV has a row `amean`, and is read once its first column has the name that ours has."""
    lines = ["runid,topic,ndcg@20,err@20", "a,1,0.5,0.25", "a,2,0.25,0.75", "a,amean,0.375,0.5"]
    path = write("gdeval.csv", [lines[0].replace("runid", "run"), *lines[1:]])
    assert read_scores(Input(path)).topics == ("1", "2")
    done = run("eval", "--scores", path, "-q", "-f", "csv")
    assert [row["topic"] for row in done.rows] == ["1", "2", "all"]
    assert done.stderr == ""


def test_a_file_of_gdeval_is_read(run, write):
    path = write(
        "gdeval.csv", ["runid,topic,ndcg@20,err@20", "a,301,0.5,0.25", "a,302,0.75,0.125", "a,amean,0.625,0.1875"]
    )
    assert (
        run("eval", "--scores", path).stdout
        == "ndcg@20               \tall\t0.6250\nerr@20                \tall\t0.1875\n"
    )
    again = write("again.csv", [row.replace("a,", "b,", 1) for row in path.read_text().splitlines()])
    assert run("check", "--baseline", path, "--max-drop", "ndcg@20=0.1", "--scores", again).stdout.startswith(
        "PASS\tb"
    )


def test_a_signature_of_other_judgments_than_those_of_the_topics_is_refused(run, write):
    """As of a column that was copied from another file."""
    qrels = write("qrels", ["1 0 a 1", "2 0 a 1"])
    path = write("a.run", ["1 Q0 a 1 2 a", "2 Q0 b 1 2 a"])
    text = run("eval", "-q", "-n", "-f", "csv", "-m", "map", "--signature", qrels, path).stdout
    assert run("eval", "--scores", write("s.csv", text.splitlines())).status == 0
    digest = re.search("qrels:([0-9a-f]{8})", text)[1]
    spoiled = write("t.csv", text.replace(digest, "01234567").splitlines())
    done = run("eval", "--scores", spoiled)
    assert (done.status, done.raw) == (2, b"")
    assert f"{spoiled}: {digest} of 2 topics" in done.stderr
