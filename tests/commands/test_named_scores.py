"""Scores files of the same runs, joined by column: `--scores deep=d100.csv --scores shallow=d5.csv`."""

from __future__ import annotations

from pathlib import Path

import pytest

DEEP = ["run,topic,map,P_10", *(f"s{i},{t},0.{i}{t}07,0.{9 - i}" for i in range(5) for t in range(1, 7))]
SHALLOW = ["run,topic,map,P_10", *(f"s{i},{t},0.{(2 * i) % 5}{7 - t}03,0.3" for i in range(5) for t in range(1, 7))]


@pytest.fixture
def named(write) -> list[str]:
    """Two files of five runs on six topics, as options."""
    return [f"--scores=deep={write('d100.csv', DEEP)}", f"--scores=shallow={write('d5.csv', SHALLOW)}"]


def test_factors_of_each_column_standardize_it(run, named, tmp_path: Path):
    factors = tmp_path / "factors.csv"
    assert run("factors", *named, "-m", "map", "-o", factors).status == 0
    typed = ["standardize", *named, "-m", "map", "-q", "-f", "csv"]
    given = run(*typed, "-F", factors)
    assert list(given.rows[0])[2:] == ["deep:Nmap", "shallow:Nmap"]
    assert given == run(*typed)


def test_topics_of_two_collections_are_the_same_ones_in_files_of_other_names(run, write):
    """A file with more measures of one collection neither doubles its topics nor changes what its runs have."""

    def stored(name: str, measure: str) -> Path:
        pairs = [(topic, rank) for topic in range(9) for rank in range(5)]
        qrels = write(f"{name}.qrels", [f"{topic} 0 {name}{rank} {rank % 2}" for topic, rank in pairs])
        line = "{0} Q0 {1}{2} {3} {4} {1}{5}".format
        lines = [[line(t, name, (r + i * t) % 5, r, 9 - r, i) for t, r in pairs] for i in range(3)]
        runs = [write(f"{name}{i}.run", own) for i, own in enumerate(lines)]
        done = run("eval", "-q", "-n", "-f", "csv", "--signature", "-m", measure, qrels, *runs)
        return write(f"{name}.{measure}.csv", done.stdout)

    typed = ["compare", "--unpaired", "-m", "map", "--scheme", "n", "-f", "csv", "--signature"]
    typed += ["--scores", stored("early", "map"), "--scores", stored("late", "map")]
    two = run(*typed)
    assert "|topics:18|" in two.rows[0]["signature"]
    assert run(*typed, "--scores", f"x={stored('early', 'P_5')}").rows == two.rows
