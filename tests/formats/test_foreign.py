"""Files that can hold scores or factors: their formats are detected, and round trips lose nothing."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import stdeval
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.csv_tables import factors_listing, scores_listing
from stdeval.formats.foreign import PUBLISHED, matrix_listing, write_published, write_zscores
from stdeval.formats.readers import file_kind, read_factors, read_scores_or_factors
from stdeval.formats.trec_eval_text import Block, Column, write_trec_eval
from stdeval.formats.writers import write_listing
from stdeval.standardization.factors import Factors, impossible_deviations
from stdeval.table import ScoreTable
from stdeval.trec.reading import sorted_topics

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
NO_SCORES = ("run", "topic", "runid", "num_q", "gm_map")
"""Names of columns that hold no scores of topics, as long as the names that are drawn may be."""

words = st.text(st.characters(min_codepoint=33, exclude_categories=["C", "Z"]), min_size=1, max_size=6)
topics = words.filter(lambda word: word not in ("all", "amean") and not word.startswith("all."))
blank_inside = st.text(st.sampled_from('ab",;. é'), min_size=1, max_size=5).filter(
    lambda text: text == text.strip()
)


def labels(texts: st.SearchStrategy[str], most: int = 4) -> st.SearchStrategy[list[str]]:
    return st.lists(texts, min_size=1, max_size=most, unique=True)


@st.composite
def tables(draw: st.DrawFn, systems=blank_inside, measures=words, missing: bool = True) -> ScoreTable:
    """Scores, at least one for every system, topic and measure."""
    axes = [draw(labels(systems)), sorted_topics(draw(labels(topics))), draw(labels(measures, 3))]
    shape = tuple(map(len, axes))
    values = draw(hnp.arrays(np.float64, shape, elements=finite))
    if missing:
        gone = draw(hnp.arrays(np.bool_, shape))
        assume(all((~gone).any(axis=axis).all() for axis in ((0, 1), (0, 2), (1, 2))))
        values = np.where(gone, np.nan, values)
    return ScoreTable(tuple(axes[0]), tuple(axes[1]), tuple(axes[2]), values)


@st.composite
def factors(draw: st.DrawFn, measures=words) -> Factors:
    rows, columns = sorted_topics(draw(labels(topics))), sorted(draw(labels(measures, 3)))
    shape = (len(rows), len(columns))
    mean = draw(hnp.arrays(np.float64, shape, elements=finite))
    sd = np.abs(draw(hnp.arrays(np.float64, shape, elements=finite)))
    n = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 200)))
    drawn = Factors(rows, tuple(columns), mean, sd, n)
    assume(not impossible_deviations(drawn).any() and not np.array_equal(mean, sd))
    return drawn


def text_of(write: Callable[..., None], *arguments: object) -> Input:
    out = io.StringIO()
    write(out, *arguments)
    return input_of(out.getvalue())


def input_of(text: str) -> Input:
    source = Input("-")
    source._kept = text.encode("utf-8", "surrogateescape")
    return source


def same_scores(table: ScoreTable, other: ScoreTable | Factors) -> None:
    assert isinstance(other, ScoreTable)
    assert (other.topics, set(other.systems)) == (table.topics, set(table.systems))
    again = other.select(systems=table.systems, measures=table.measures)
    np.testing.assert_array_equal(again.values, table.values)


def same_factors(one: Factors, other: Factors, counts: bool) -> None:
    assert (other.topics, other.measures) == (one.topics, one.measures)
    np.testing.assert_array_equal(other.mean, one.mean)
    np.testing.assert_array_equal(other.sd, one.sd)
    np.testing.assert_array_equal(other.n, one.n if counts else np.zeros_like(one.n))


@given(tables(measures=words.filter(lambda name: name.lower() not in (*NO_SCORES, "gmap"))))
def test_scores(table: ScoreTable):
    same_scores(table, read_scores_or_factors(text_of(write_listing, "csv", scores_listing(table))))


@given(tables(measures=st.just("map")))
def test_matrix(table: ScoreTable):
    same_scores(table, read_scores_or_factors(text_of(write_listing, "csv", matrix_listing(table)), "map"))


@given(factors())
def test_factors(given_: Factors):
    same_factors(given_, read_factors(text_of(write_listing, "csv", factors_listing(given_))), counts=True)


@given(factors())
def test_zscores_in_full(given_: Factors):
    same_factors(given_, read_factors(text_of(write_zscores, given_, 17)), counts=False)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("run,topic,map\na,1,.5\n", "scores"),
        ('\r\n"run","topic","map"\r\n"a","1",0.5\r\n', "scores"),
        ("topic,n,map.mean,map.sd\n1,2,.5,.1\n", "factors"),
        ("topic,AP,P@10\n1,.5,.1\n", "grid"),
        ("a,b\n1,2\n", "grid"),
        ('"unfinished,a\n', "grid"),
        ("301\tmap\t0.5\t0.1\n", "zscores"),
        ("301 ndcg_1=3,2=5 0.5 0.1\n", "zscores"),
        ("topic measure mean sd\n", "zscores"),
        ("map                   \t1\t0.5000\n", "trec_eval"),
        ("runid                 \tall\tmy run, the second\n", "trec_eval"),
        ("301 Q0 FT911-3 1 0.5 tag\n", "trec_eval"),
        ("a b\n", "unknown"),
        ("\n \n", "unknown"),
        ("", "unknown"),
    ],
)
def test_formats_are_detected_from_the_content(text: str, kind: str):
    assert file_kind(input_of(text)) == kind
    assert file_kind(input_of("\n" * 5000 + text)) == kind


def test_output_of_trec_eval_keeps_the_order_of_measures():
    """Lines may be sorted by measure, and a topic may have measures that the topics before it do not have."""
    text = "map\t1\t0.5\nRprec\t2\t0.25\nbpref\t1\t0.75\n"
    table = read_scores_or_factors(input_of(text))
    assert isinstance(table, ScoreTable)
    assert table.measures == ("map", "Rprec", "bpref")
    np.testing.assert_array_equal(table.values[0], [[0.5, np.nan, 0.75], [np.nan, 0.25, np.nan]])


@pytest.mark.parametrize("text", ["map R .5\n", "mine P .5\nmine 2 .5\n", "mine 1 .5\n", "P AP .5\n"])
def test_topics_may_be_named_like_measures(text: str):
    assert isinstance(read_scores_or_factors(input_of(text)), ScoreTable)


@pytest.mark.filterwarnings("ignore:.* published files mean the forms")
@given(factors(measures=st.sampled_from(sorted(PUBLISHED.values()))))
def test_published(given_: Factors):
    means, deviations = io.StringIO(), io.StringIO()
    write_published(means, deviations, given_)
    pair = [input_of(means.getvalue()), input_of(deviations.getvalue())]
    same_factors(given_, read_factors(*pair), counts=False)


tags = words.filter(lambda word: "\t" not in word)


@given(tables(systems=tags, measures=st.sampled_from(["map", "P_10", "bpref"]), missing=False))
def test_text_at_four_decimals(table: ScoreTable):
    """The output of `eval -q` comes back rounded, that is unchanged where scores have four decimals."""
    rounded = np.round(np.clip(table.values, -1e6, 1e6), 4)
    columns = [Column(measure) for measure in table.measures]
    blocks = [
        Block(system, table.topics, values, {"all": values.mean(axis=0)})
        for system, values in zip(table.systems, rounded, strict=True)
    ]
    write = partial(write_trec_eval, headed=len(blocks) > 1, per_topic=True, summary=True)
    read = read_scores_or_factors(text_of(write, columns, blocks))
    assert isinstance(read, ScoreTable)
    # without runid, the text of a single run does not say its name
    systems = table.systems if len(blocks) > 1 else read.systems
    same_scores(ScoreTable(systems, table.topics, table.measures, rounded), read)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("run,topic,map\na,1,.5\n", " one reference run, expected at least two"),
        ("1 Q0 d1 1 9.5 bm25\n", "1: 6 columns, expected 3: measure topic value (this looks like a run)"),
        ("301 0 FBIS3-10082 1\n", "1: mean 'FBIS3-10082', expected a finite decimal number"),
        ("1 0 12 1\n1 0 13 0\n", "2: topic '1' and measure '0' appear twice"),
        ("1 map .5 -1\n", "1: standard deviation '-1', expected a number from 0"),
        ("a b\n", " no factors or scores"),
        ("topic,AP\n1,.5\n", "1: neither scores"),
    ],
)
def test_other_files_in_place_of_factors_are_refused(write, content: str, words: str):
    path = write("other", content)
    with pytest.raises(InputError, match=re.escape(f"{path}:{words}")):
        read_factors(path)


# --- files that Python programs write ---

TABLE = ScoreTable(
    ("a", "b"), ("1", "2"), ("map", "P_10"), np.array([[[0.1, 0.2], [1 / 3, 0]], [[0.5, 1], [0.7, 0.4]]])
)


@pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz", "scores.csv.xz"])
def test_scores_in_and_out(tmp_path: Path, name: str):
    for system in TABLE.systems:
        stdeval.write_scores(TABLE.select(systems=[system]), tmp_path / (system + name))
    same_scores(TABLE, stdeval.read_scores(*(tmp_path / (system + name) for system in TABLE.systems)))
    stdeval.write_scores(TABLE, tmp_path / name, form="matrix", measure="AP")
    same_scores(TABLE.select(measures=["map"]), stdeval.read_scores(tmp_path / name, measure="AP"))


@pytest.mark.filterwarnings("ignore:.* cannot hold the number of reference runs")
@pytest.mark.parametrize(
    ("form", "names", "digits"), [("factors", ["f"], 4), ("zscores", ["z"], 17), ("published", ["m", "s"], 4)]
)
def test_factors_in_and_out(run, tmp_path: Path, form, names: list[str], digits: int):
    factors = replace(stdeval.fit_factors(TABLE), reference=None)
    paths = [tmp_path / name for name in names]
    stdeval.write_factors(factors, *paths, form=form, digits=digits)
    back = stdeval.read_factors(*paths)
    order = [back.measures.index(measure) for measure in factors.measures]
    np.testing.assert_array_equal(back.mean[:, order], factors.mean)
    np.testing.assert_array_equal(back.sd[:, order], factors.sd)
    # the command writes the same bytes
    stdeval.write_factors(factors, tmp_path / "source")
    outputs = [option for name in names for option in ("-o", tmp_path / f"{name}.converted")]
    width = ["--digits", str(digits)] if form == "zscores" else []
    assert run("convert", "--to", form, *width, *outputs, tmp_path / "source").status == 0
    for path in paths:
        assert Path(f"{path}.converted").read_bytes() == path.read_bytes()


def test_what_is_wrong_is_refused_and_nothing_is_written(tmp_path: Path):
    factors = replace(stdeval.fit_factors(TABLE), reference=None)
    path = tmp_path / "factors"
    stdeval.write_factors(factors, path)
    before = path.read_bytes()
    for words, call in {
        "factors, expected scores: read_factors reads factors": lambda: stdeval.read_scores(path),
        "1 file, expected 2 for published": lambda: stdeval.write_factors(factors, path, form="published"),
        "a matrix has one measure": lambda: stdeval.write_scores(TABLE, path, form="matrix"),
    }.items():
        with pytest.raises(InputError, match=words):
            call()
    with pytest.raises(KeyError):
        stdeval.write_scores(TABLE, path, form="csv")
    assert path.read_bytes() == before


def test_standardized_scores_keep_their_factors(tmp_path: Path):
    scores = np.random.default_rng(1).random((12, 5, 1))
    standardized = stdeval.standardize(ScoreTable(tuple("abcdefghijkl"), tuple("12345"), ("map",), scores))
    stdeval.write_scores(standardized, tmp_path / "n.csv")
    made = standardized.origin.standardization
    assert made is not None
    assert stdeval.read_scores(tmp_path / "n.csv").origin.standardization == made
