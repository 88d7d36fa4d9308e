"""The factors of TREC-COVID: well formed, of NIST's judgments, and those of the runs as far as cut runs show."""

from __future__ import annotations

import csv
import gzip
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from stdeval.formats.readers import read_factors
from tests.conftest import SAMPLE, Command
from tests.test_provenance import digests_of_bytes

FOLDER = SAMPLE / "trec-covid"
# topics and submitted runs of each round: NIST's leaderboards and qrels, see the README there
ROUNDS = {1: (30, 143), 2: (35, 136), 3: (40, 79), 4: (45, 72), 5: (50, 126)}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def official_means(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "official.tsv").open(newline="", encoding="utf-8") as file:
        return {row["run"]: row for row in csv.DictReader(file, delimiter="\t")}


@pytest.mark.parametrize("number", ROUNDS)
def test_every_topic_has_all_runs_and_every_measure(number: int):
    path = FOLDER / f"round{number}.csv"
    n_topics, n_runs = ROUNDS[number]
    factors = read_factors(path)
    assert sorted(map(int, factors.topics)) == list(range(1, n_topics + 1))
    assert np.all(factors.n == n_runs)
    assert len(factors.measures) == 15
    assert np.all(factors.mean > 0)
    assert np.all(factors.sd > 0)
    assert {row["options"] for row in rows_of(path)} == {""}


@pytest.mark.parametrize("number", [4, 5])
def test_judgments_are_those_that_nist_published(shared: Path, number: int):
    digests = digests_of_bytes(shared / f"trec-covid-r{number}" / "qrels.txt")
    assert {row["topic"]: row["judgments"] for row in rows_of(FOLDER / f"round{number}.csv")} == digests


def test_no_two_topics_or_rounds_have_the_same_judgments():
    digests = [row["judgments"] for number in ROUNDS for row in rows_of(FOLDER / f"round{number}.csv")]
    assert len(set(digests)) == len(digests) == 200


def test_factors_of_shallow_measures_are_those_of_the_runs_cut_at_100(run: Command, shared: Path, tmp_path: Path):
    folder, path = shared / "trec-covid-r5", tmp_path / "cut.csv"
    # the measures with which the README makes the factors
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    measures = shlex.split(re.search(r"stdeval factors (.*) -o ", readme)[1])
    runs = sorted((folder / "runs").iterdir())
    assert run("factors", *measures, "-o", path, folder / "qrels.txt", *runs).status == 0
    cut, held = rows_of(path), rows_of(FOLDER / "round5.csv")
    assert list(cut[0]) == list(held[0])
    for row, expected in zip(cut, held, strict=True):
        for measure in ("P_5", "P_10", "ndcg_cut_10", "ndcg_cut_20"):
            for moment in (f"{measure}.mean", f"{measure}.sd"):
                assert float(row[moment]) == pytest.approx(float(expected[moment]), rel=1e-12), row["topic"]
        # the weight below rank 100 is 0.8 ** 100
        assert float(row["rbp_p=0.8.mean"]) == pytest.approx(float(expected["rbp_p=0.8.mean"]), abs=1e-9)
        # what lies below rank 100 only adds
        assert float(row["map.mean"]) < float(expected["map.mean"])


@pytest.mark.parametrize(("number", "n"), [(4, 13), (5, 126)])
def test_graded_rank_biased_precision_is_the_official_one(run: Command, shared: Path, number: int, n: int):
    """NIST's rbp_p5 of every run: p = 0.5, and half a gain for partial relevance."""
    folder = shared / f"trec-covid-r{number}"
    official = {name: row["rbp_p5"] for name, row in official_means(folder).items()}
    runs = sorted((folder / "runs").iterdir())
    done = run("eval", "-f", "csv", "-m", "RBP(p=0.5,max=2)", folder / "qrels.txt", *runs)
    assert len(done.rows) == n
    assert {row["run"]: f"{float(row['rbp_p=0.5_max=2']):.4f}" for row in done.rows}.items() <= official.items()


def test_excluding_earlier_judgments_gives_the_official_means_again(run: Command, shared: Path, tmp_path: Path):
    """Runs of round 5 with all that round 4 judged above their documents, as by a system that knows round 4."""
    earlier, folder = shared / "trec-covid-r4" / "qrels.txt", shared / "trec-covid-r5"
    lines = [line.split() for line in earlier.read_text().splitlines()]
    known = "".join(f"{topic} Q0 {docno} 0 1e9 x\n" for topic, _, docno, _ in lines)
    paths = sorted((folder / "runs").iterdir())[::9]
    runs = [tmp_path / path.name.removesuffix(".run.gz") for path in paths]
    for path, full in zip(paths, runs, strict=True):
        full.write_text(known + gzip.decompress(path.read_bytes()).decode())
    # as in the README, where no document but those of round 4 is cut
    measures = ["-m", "P_20", "-m", "ndcg_cut_20", "-m", "RBP(p=0.5,max=2)", "-m", "map", "-f", "csv"]
    excluding = run("eval", *measures, "-M", "1000", "--exclude", earlier, folder / "qrels.txt", *runs)
    assert excluding.stdout == run("eval", *measures, folder / "qrels.txt", *paths).stdout
    official = official_means(folder)
    for row in excluding.rows:
        for name, measure in {"p@20": "P_20", "ndcg@20": "ndcg_cut_20", "rbp_p5": "rbp_p=0.5_max=2"}.items():
            assert f"{float(row[measure]):.4f}" == official[row["run"]][name]
    assert len(excluding.rows) == len(paths) == 14


def test_means_of_full_runs_are_the_official_ones(shared: Path):
    """NIST printed the mean of each run with four decimals."""
    official = official_means(shared / "trec-covid-r5").values()
    factors = read_factors(FOLDER / "round5.csv")
    for column, measure in {"map": "map", "bpref": "bpref", "ndcg@20": "ndcg_cut_20"}.items():
        expected = np.mean([float(row[column]) for row in official])
        mean = factors.mean[:, factors.measures.index(measure)].mean()
        assert mean == pytest.approx(expected, abs=0.00005), measure
