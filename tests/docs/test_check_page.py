"""The manual page of `stdeval check`: what gives status 2, and the figures that it names."""

from __future__ import annotations

import csv
import gzip
import re
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from tests.docs.transcripts import pages, shell

PAGE = pages()["stdeval-check.1"]
BREAK = {
    "a judgment was changed": r"sed -i '1s/ [0-9]*$/ 2/' qrels",
    "a topic was added to the qrels": "echo 351 0 x 1 >> qrels",
    "a topic was removed from the qrels": "sed -i '/^301 /d' qrels",
    "the run has no documents for a topic": "sed -i '/^301 /d' new.run",
    "the run is empty": ": > new.run",
    "a compressed run was cut off": "gzip -c new.run | head -c 20000 > cut && mv cut new.run",
    "the run was cut off within a line": "echo 1 2 3 >> new.run",
    "the baseline was cut off within a line": "echo new,301 >> baseline.csv",
    "a file does not exist": "rm new.run",
    "the docnos are those of another collection": "sed -i 's/ Q0 / Q0 other-/' new.run",
    "the baseline was made from a run of another collection": (
        "sed 's/ Q0 / Q0 other-/' new.run > other.run && "
        "stdeval eval -q -f csv --signature -m map -o baseline.csv qrels other.run"
    ),
}


@pytest.fixture
def gate(sample: Path) -> str:
    """A command that passes, in a folder with a signed baseline."""
    Path("qrels").write_bytes(gzip.decompress((sample / "qrels.gz").read_bytes()))
    Path("new.run").write_bytes(gzip.decompress((sample / "new-a.run.gz").read_bytes()))
    stored = shell("stdeval eval -q -f csv --signature -m map -o baseline.csv qrels new.run")
    assert (stored.returncode, stored.stdout) == (0, "")
    return "stdeval check --baseline baseline.csv --max-drop map=2% qrels new.run"


@pytest.mark.parametrize("situation", BREAK)
def test_what_breaks_between_two_checks(gate: str, situation: str):
    assert shell(gate).returncode == 0
    assert shell(BREAK[situation]).returncode == 0
    done = shell(gate)
    assert (done.returncode, "PASS" in done.stdout) == (2, False)


def test_a_run_cut_off_between_two_lines_is_not_noticed_unless_it_is_compressed(gate: str):
    assert shell("head -n -3 new.run > cut && mv cut new.run").returncode == 0
    assert shell(gate).returncode == 0
    assert shell("gzip -c new.run | head -c -1 > cut && mv cut new.run").returncode == 0
    assert shell(gate).returncode == 2


def test_a_baseline_of_another_version_is_valid(gate: str):
    stored = Path("baseline.csv").read_text()
    changed = re.sub(r"stdeval:[^|]+", "stdeval:9.9", stored)
    assert changed != stored
    Path("baseline.csv").write_text(changed)
    assert shell(gate).returncode == 0


@pytest.mark.usefixtures("sample")
def test_noise_of_fifty_topics(shared: Path):
    """Relative standard errors of differences between good runs of one team, and chances to lose by noise."""
    folder = shared / "trec-covid-r5"
    command = f"stdeval eval -c -q -n -f csv -m map -m nDCG@10 {folder}/qrels.txt {folder}/runs/*.run.gz"
    assert shell(f"{command} -o scores.csv").returncode == 0
    scores: dict[str, list[list[float]]] = defaultdict(list)
    with Path("scores.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            scores[row["run"]].append([float(row["map"]), float(row["ndcg_cut_10"])])
    with (folder / "official.tsv").open(encoding="utf-8") as file:
        team = {row["run"]: row["team"] for row in csv.DictReader(file, delimiter="\t")}
    found = []
    for k in range(2):
        values = {run: np.array(rows)[:, k] for run, rows in scores.items()}
        least = np.median([each.mean() for each in values.values()])
        good = [run for run, each in values.items() if each.mean() >= least]
        pairs = [(values[a], values[b]) for a, b in combinations(good, 2) if team[a] == team[b]]
        differing = [(a, b) for a, b in pairs if (a != b).any()]
        errors = np.array([np.std(a - b, ddof=1) / np.sqrt(len(a)) / max(a.mean(), b.mean()) for a, b in differing])
        chances = [float(np.median(norm.sf(limit / errors))) for limit in (0.02, 0.05)]
        found.append((len(errors), f"{np.median(errors):.1%}", [f"{chance:.0%}" for chance in chances]))
    assert found[0] == (122, "2.7%", ["23%", "3%"])
    assert found[1][:2] == (111, "2.0%")
    page = " ".join(PAGE.split())
    assert "of 2.7% of the mean in map of the first 100 documents, and of 2.0% in nDCG@10" in page
    assert "These are medians of 122 and 111 pairs" in page
    assert "with a probability of 23%, and more than 5% lower with a probability of 3%" in page
