"""Published means and standard deviations in the wrong order, against the bound in exact fractions."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest

UNBOUNDED = ("SP", "DCG", "VDCG")


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture(scope="module", params=["cranfield", "cisi", "trec-covid-r5"])
def published(run, shared: Path, tmp_path_factory, request) -> tuple[Path, Path]:
    """The published pair of a real collection, by measures within [0, 1] and by some that are not."""
    folder, track = tmp_path_factory.mktemp("published"), shared / request.param
    factors, means, deviations = (folder / f"{name}.csv" for name in ("factors", "means", "deviations"))
    runs = sorted((track / "runs").iterdir())[:40]
    names = [word for name in ("map", "P_10", "recip_rank", "ndcg", "sp", "jkdcg", "dcg") for word in ("-m", name)]
    assert run("factors", *names, "-o", factors, track / "qrels.txt", *runs).status == 0
    assert run("convert", factors, "--to", "published", "-o", means, "-o", deviations).status == 0
    return means, deviations


def impossible_topics(means: Path, deviations: Path) -> list[str]:
    """The topics beyond the bound for two systems or more, in exact arithmetic."""
    topics = []
    for mean, sd in zip(rows_of(means), rows_of(deviations), strict=True):
        pairs = [(Fraction(mean[m]), Fraction(sd[m])) for m in mean if m not in ("topic", *UNBOUNDED)]
        if any(s**2 > 2 * m * (1 - m) + Fraction(1, 10**9) for m, s in pairs):
            topics.append(mean["topic"])
    return topics


def test_swapped_files_are_refused(run, published, tmp_path):
    means, deviations = published
    assert impossible_topics(deviations, means)
    assert impossible_topics(means, deviations) == []
    scores = tmp_path / "scores.csv"
    scores.write_text(f"run,topic,map\na,{rows_of(means)[0]['topic']},0.5\n")
    for command in ("standardize", "check --min Nmap=.0001"):
        swapped = run(*command.split(), "-F", deviations, "-F", means, "--scores", scores)
        assert (swapped.status, swapped.raw, swapped.stderr.count("\n")) == (2, b"", 1)
        assert "standard deviations are too large for scores from 0 to 1" in swapped.stderr
        assert run(*command.split(), "-F", means, "-F", deviations, "--scores", scores).raw
    assert run("convert", deviations, means, "--to", "factors").status == 2
