"""The figures in stdeval-standardization(7) are those of the real runs."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from pathlib import Path

import pytest

from tests.conftest import Command, Covid
from tests.docs.transcripts import pages

PAGE = pages()["stdeval-standardization.7"]
SCHEMES = ("raw", "z", "n", "u", "e", "m")


def powers_of(row: str) -> list[float]:
    """The numbers in the row of the table on schemes that begins so."""
    (line,) = (line for line in PAGE.splitlines() if line.startswith(f".It power, {row} Ta "))
    return [float(cell) for cell in line.split(" Ta ")[1:]]


def rates(run: Command, *options: object) -> dict[str, list[float]]:
    """What an experiment prints as power, by measure; a rate for each scheme."""
    schemes = [word for scheme in SCHEMES for word in ("--scheme", scheme)]
    rows = run("meta", *options, "--alpha", 0.05, "-m", "map", "-m", "nDCG@10", *schemes, "-f", "csv").rows
    measures = dict.fromkeys(row["measure"] for row in rows)
    return {name: [float(row["power"]) for row in rows if row["measure"] == name] for name in measures}


def check_table_on_schemes(run: Command, scores: Path, collection: str, tolerance: float):
    same = rates(run, "power", "--scores", scores)
    # the page has 1000 trials
    other = rates(run, "between", "--trials", 100, "--scores", scores)
    for measure, shown in (("map", "map"), ("ndcg_cut_10", "nDCG@10")):
        assert [round(rate, 3) for rate in same[measure]] == powers_of(f"same topics, {collection} {shown}")
        assert other[measure] == pytest.approx(powers_of(f"other topics, {collection} {shown}"), abs=tolerance)


def test_table_on_schemes_of_a_round_of_trec_covid(run: Command, covid: Covid):
    check_table_on_schemes(run, covid.scores, "TREC\\-COVID", 0.01)


def test_table_on_schemes_of_cranfield(run: Command, shared: Path, tmp_path: Path):
    folder, scores = shared / "cranfield", tmp_path / "cranfield.csv"
    runs = sorted((folder / "runs").iterdir())
    measures = ("-m", "map", "-m", "nDCG@10")
    made = run("eval", "-q", "-n", "-c", "-f", "csv", *measures, "-o", scores, folder / "qrels.txt", *runs)
    assert (made.status, len(runs)) == (0, 48)
    check_table_on_schemes(run, scores, "Cranfield", 0.02)


def taus_of(references: str) -> list[float]:
    """The numbers by nDCG@10, on both collections, in the row of the table on references that begins so."""
    (row,) = (line for line in PAGE.splitlines() if line.startswith(f".It {references}"))
    cells = row.split(" Ta ")[1:]
    return [float(number) for cell in cells[::2] for number in re.findall(r"\d\.\d+", cell)]


def tau_by(run: Command, scores: Path, names: Collection[str], part: Path) -> float:
    """Kendall's tau of the rankings by all runs of the scores, and by those of these names."""
    lines = scores.read_text(encoding="utf-8").splitlines(keepends=True)
    part.write_text("".join(line for line in lines if line.partition(",")[0] in {"run", *names}), encoding="utf-8")
    options = ("-m", "nDCG@10", "-f", "csv", "--scores", scores, "--other", part)
    (row,) = run("meta", "references", *options).rows
    assert row["other_references"] == str(len(names))
    return round(float(row["tau_b"]), 3)


def test_table_on_references_of_one_team_and_of_the_best(run: Command, covid: Covid, tmp_path: Path):
    with (covid.qrels.parent / "official.tsv").open(newline="", encoding="utf-8") as file:
        team_of = {row["run"]: row["team"] for row in csv.DictReader(file, delimiter="\t")}
    teams = [[run for run in team_of if team_of[run] == team] for team in set(team_of.values())]
    taus = [tau_by(run, covid.scores, team, tmp_path / "team.csv") for team in teams if len(team) == 8]
    assert taus_of("8 of one team") == [min(taus), max(taus)]
    assert sum(tau < taus_of("5 at random")[0] for tau in taus) == 5
    assert len(taus) == 6
    best = run("eval", "-f", "csv", "--best", 10, "-m", "nDCG@10", "--scores", covid.scores).rows
    tau = tau_by(run, covid.scores, {row["run"] for row in best}, tmp_path / "best.csv")
    assert taus_of("the 10 best")[0] == tau


def test_table_on_references_at_random(run: Command, covid: Covid):
    sizes = [word for size in (2, 10, 40) for word in ("--references", size)]
    options = ("-m", "nDCG@10", *sizes, "--trials", 200, "-f", "csv", "--scores", covid.scores)
    for row in run("meta", "references", *options).rows:
        # the page has 1000 samples
        drawn = [float(row["median"]), float(row["p5"])]
        assert taus_of(f"{row['size']} at random")[:2] == pytest.approx(drawn, abs=0.01), row["size"]
        assert taus_of("none: ranking by raw")[0] == round(float(row["tau_raw"]), 3)
