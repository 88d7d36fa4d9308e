"""Files of scores and factors that Python programs read and write: those of `stdeval convert`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import stdeval
from stdeval import Factors, InputError, InputWarning, ScoreTable, write_factors, write_scores
from stdeval.provenance import Origin

TABLE = ScoreTable(
    ("a", "b"), ("1", "2"), ("map", "P_10"), np.array([[[0.1, 0.2], [1 / 3, 0]], [[0.5, 1], [0.7, 0.4]]])
)


def assert_same(one: ScoreTable, other: ScoreTable) -> None:
    assert (one.systems, one.topics, one.measures) == (other.systems, other.topics, other.measures)
    np.testing.assert_array_equal(one.values, other.values)


@pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz", "scores.csv.xz"])
def test_scores_in_and_out(tmp_path: Path, name: str):
    for system in TABLE.systems:
        stdeval.write_scores(TABLE.select(systems=[system]), tmp_path / (system + name))
    assert_same(stdeval.read_scores(*(tmp_path / (system + name) for system in TABLE.systems)), TABLE)
    stdeval.write_scores(TABLE, tmp_path / name, form="matrix", measure="AP")
    assert_same(stdeval.read_scores(tmp_path / name, measure="AP"), TABLE.select(measures=["map"]))


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


def test_what_a_format_cannot_hold_is_told(tmp_path):
    table = ScoreTable(("a",), ("1",), ("map",), [[[0.25]]], Origin({"1": "0123abcd"}, {"1": "-l 2"}))
    with pytest.warns(InputWarning, match="^matrix cannot hold the judgments"):
        write_scores(table, tmp_path / "m.csv", form="matrix")
    factors = Factors(("1",), ("map",), [[0.5]], [[0.25]], [[12]], origin=table.origin)
    with pytest.warns(InputWarning, match="^zscores cannot hold the number of reference runs and the judgments"):
        write_factors(factors, tmp_path / "z", form="zscores")
