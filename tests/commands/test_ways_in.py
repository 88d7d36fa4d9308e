"""Every command tells of a mistake, whichever way the same data comes in: as runs, stored scores, or factors."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from stdeval import read_qrels, read_run
from tests.conftest import SAMPLE, Command

Rows = list[list[str]]
REFERENCES = [f"ref{n:02}" for n in range(1, 13)]
TOPICS = sorted(read_qrels(SAMPLE / "qrels.gz"))[:20]
BAD = ("ref02", "new-b")
"""The runs with a mistake: one of the references, and one that is compared with them."""


@pytest.fixture(scope="module")
def sound() -> dict[str, Rows]:
    """The lines of runs, in the order of the ranks, on 20 topics."""
    paths = [SAMPLE / f"references/{name}.run.gz" for name in REFERENCES]
    paths += [SAMPLE / f"{name}.run.gz" for name in ("new-a", "new-b")]
    return {path.name.split(".")[0]: ranked(path) for path in paths}


def ranked(path: Path) -> Rows:
    run = read_run(path)
    return [
        [topic, "Q0", docno, str(rank + 1), repr(score), run.tag]
        for topic in TOPICS
        for rank, (docno, score) in enumerate(sorted(run.documents[topic].items(), key=lambda each: -each[1])[:40])
    ]


def write_folder(run: Command, folder: Path, runs: dict[str, Rows], *options: str) -> None:
    """Write qrels, runs, and what is made of them: stored scores and factors."""
    (folder / "refs").mkdir()
    qrels = read_qrels(SAMPLE / "qrels.gz")
    lines = [f"{topic} 0 {docno} {rel}" for topic in TOPICS for docno, rel in qrels[topic].items()]
    (folder / "qrels").write_text("".join(f"{line}\n" for line in lines))
    for name, rows in runs.items():
        path = folder / ("refs" if name in REFERENCES else ".") / f"{name}.run"
        path.write_text("".join(" ".join(row) + "\n" for row in rows))
    measures = [part for name in ("map", "P_10", "num_ret", "num_rel", "judged_10") for part in ("-m", name)]
    stored = {"refs.csv": sorted((folder / "refs").iterdir()), "a.csv": [folder / "new-a.run"]}
    stored["b.csv"] = [folder / "new-b.run"]
    for name, paths in stored.items():
        typed = ["eval", *options, "-q", "-n", "-f", "csv", "-o", folder / name, *measures, folder / "qrels"]
        assert run(*typed, *paths).status == 0
    typed = ["factors", *options, "-m", "map", "-m", "P_10", "-o", folder / "factors.csv", folder / "qrels"]
    assert run(*typed, *stored["refs.csv"]).status == 0
    halves("refs", folder)


def halves(name: str, folder: Path) -> None:
    """Write scores on the first ten topics, and on all others, as those of two collections."""
    header, *rows = read_rows(folder / f"{name}.csv")
    write_rows(folder / "early.csv", [header, *(row for row in rows if row[1] <= TOPICS[9])])
    write_rows(folder / "late.csv", [header, *(row for row in rows if row[1] > TOPICS[9])])


def read_rows(path: Path) -> Rows:
    return list(csv.reader(path.read_text().splitlines()))


def write_rows(path: Path, rows: Rows) -> None:
    path.write_text("".join(",".join(row) + "\n" for row in rows))


def silent(run: Command, folder: Path, ways: str, told: str) -> list[str]:
    """The command lines that do not tell what the pattern says."""
    runs = [str(path) for path in sorted((folder / "refs").iterdir())]
    kept = []
    for way in filter(None, ways.splitlines()):
        typed = [part for word in way.split() for part in (runs if word == "REFS" else [word])]
        done = run(*typed)
        page = (folder / "page.html").read_text() if "page.html" in typed else ""
        if not re.search(told, done.stderr + page):
            kept.append(f"{way}: {done.stderr}")
    return kept


COMPARED = """
factors -m map qrels REFS
standardize -m map qrels REFS
standardize --leave-out run -m map qrels REFS
standardize -m map -F factors.csv qrels new-a.run new-b.run
topics -m map qrels REFS
compare -m map qrels new-a.run new-b.run
compare --best 11 -m map qrels REFS
check --baseline new-b.run --not-worse map qrels new-a.run
check --baseline new-a.run --not-worse map qrels new-b.run
report -m map -o page.html qrels REFS
plot means -o picture.svg qrels REFS
plot compare -o picture.svg qrels new-a.run new-b.run
meta power -m map qrels REFS
meta rank -m map -m P_10 qrels REFS
meta reliability -m map qrels REFS
meta plan -m map --topics 50 qrels REFS
meta split -m map --trials 10 qrels REFS
meta within -m map --trials 10 qrels REFS
meta between -m map --trials 10 qrels REFS
meta references -m map --references 5 --trials 10 qrels REFS
"""
"""Ways in which runs come in to be compared with each other, or with references."""

OF_RUNS = """
eval -m map qrels REFS
check --min map=0.1 qrels new-b.run
check -F factors.csv --min Nmap=0.1 qrels new-b.run
pool --pool-depth 10 qrels REFS
meta depth -m map --pool-depth 10 qrels REFS
"""
"""Other ways in which runs come in."""

COMPARED_SCORES = """
factors -m map --scores refs.csv
standardize -m map --scores refs.csv
topics -m map --scores refs.csv
compare -m map --scores refs.csv
compare -m map --scores x=refs.csv
compare --best 11 -m map --scores refs.csv
report -m map -o page.html --scores refs.csv
plot scatter -m map -m P_10 -o picture.svg --scores refs.csv
meta power -m map --scores refs.csv
meta rank -m map -m P_10 --scores refs.csv
meta reliability -m map --scores refs.csv
meta plan -m map --topics 50 --scores refs.csv
meta split -m map --trials 10 --scores refs.csv
meta within -m map --trials 10 --scores refs.csv
meta between -m map --trials 10 --scores refs.csv
meta references -m map --references 5 --trials 10 --scores refs.csv
standardize -m map -F refs.csv qrels new-a.run
check -F refs.csv --min Nmap=0.1 qrels new-a.run
"""
"""Ways in which stored scores come in to be compared."""

OF_SCORES = """
eval --scores refs.csv
eval --scores x=refs.csv --scores y=refs.csv
check --min map=0.01 --scores refs.csv
check --baseline b.csv --max-drop map=0.1 qrels new-a.run
convert --to matrix --measure map refs.csv
"""
"""Other ways in which stored scores come in."""

COLLECTIONS = "meta collections -m map --trials 10 early.csv late.csv"


def second_page(rows: Rows) -> Rows:
    return [row for row in rows if int(row[3]) > 10]


def one_list(rows: Rows) -> Rows:
    first = [row for row in rows if row[0] == TOPICS[0]]
    return [[topic, *row[1:]] for topic in TOPICS for row in first]


def ties(rows: Rows) -> Rows:
    return [[*row[:4], "1", row[5]] for row in rows]


def short(rows: Rows) -> Rows:
    return [row for row in rows if int(row[3]) <= 5]


def half_unjudged(rows: Rows) -> Rows:
    return [[*row[:2], f"x{row[2]}" if int(row[3]) % 2 else row[2], *row[3:]] for row in rows]


def missing_topics(rows: Rows) -> Rows:
    return [row for row in rows if row[0] > TOPICS[3]]


@pytest.mark.parametrize(
    ("spoil", "ways", "told"),
    [
        (second_page, COMPARED + OF_RUNS, "no documents at the first ranks"),
        (one_list, COMPARED + OF_RUNS, "the same first documents for several topics"),
        (ties, COMPARED + OF_RUNS, "equal scores for most documents"),
        (short, COMPARED, "5 documents per topic on average"),
        (
            half_unjudged,
            COMPARED,
            "% of '(ref02|new-b.*)' are judged|without a judgment",
        ),
        (missing_topics, COMPARED + OF_RUNS, "no documents for|missing from some run|fewer than 10 documents"),
    ],
)
def test_runs_with_a_mistake_are_told_of_by_every_command(
    run, sound: dict[str, Rows], tmp_path: Path, monkeypatch, spoil: Callable[[Rows], Rows], ways: str, told: str
):
    monkeypatch.chdir(tmp_path)
    write_folder(run, tmp_path, {name: spoil(rows) if name in BAD else rows for name, rows in sound.items()})
    assert silent(run, tmp_path, ways, told) == []


def test_topics_that_count_as_0_are_told_of_by_every_command(
    run, sound: dict[str, Rows], tmp_path: Path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    runs = {name: missing_topics(rows) if name in BAD else rows for name, rows in sound.items()}
    write_folder(run, tmp_path, runs, "-c")
    asked = (COMPARED + OF_RUNS.replace("eval -m map qrels REFS\n", "")).replace("qrels", "-c qrels")
    asked = asked.replace("pool --pool-depth 10 -c", "pool --pool-depth 10")
    told = "no documents for|fewer than 10 documents"
    assert silent(run, tmp_path, asked, told) == []
    assert silent(run, tmp_path, COMPARED_SCORES + COLLECTIONS, told) == []


def test_stored_scores_that_may_count_topics_as_0_are_told_of_by_every_command(
    run, sound: dict[str, Rows], tmp_path: Path, monkeypatch
):
    """Without num_ret, the options tell that topics without documents are 0, but not which these are."""
    monkeypatch.chdir(tmp_path)
    runs = {name: missing_topics(rows) if name in BAD else rows for name, rows in sound.items()}
    write_folder(run, tmp_path, runs, "-c")
    for name, paths in (("refs.csv", sorted((tmp_path / "refs").iterdir())), ("b.csv", [tmp_path / "new-b.run"])):
        typed = [
            "eval",
            "-c",
            "--signature",
            "-q",
            "-n",
            "-f",
            "csv",
            "-m",
            "map",
            "-m",
            "P_10",
            "-o",
            name,
            "qrels",
        ]
        assert run(*typed, *paths).status == 0
    halves("refs", tmp_path)
    assert silent(run, tmp_path, COMPARED_SCORES + COLLECTIONS, "do not tell which|count 0") == []


def is_bad(row: list[str]) -> bool:
    return row[0] in BAD


def filled(rows: Rows, place: int) -> Rows:
    last = next(row[place] for row in rows if is_bad(row) and row[1] == TOPICS[4])
    return [[*row[:place], last, *row[place + 1 :]] if is_bad(row) and row[1] > TOPICS[4] else row for row in rows]


def pasted(rows: Rows, place: int) -> Rows:
    """The scores by map stand in the column of P_10, too."""
    return [[*row[: place + 1], row[place], *row[place + 2 :]] if is_bad(row) else row for row in rows]


def lost(rows: Rows, place: int) -> Rows:
    return [[*row[:place], "0", *row[place + 1 :]] if is_bad(row) else row for row in rows]


def zeros(rows: Rows, place: int) -> Rows:
    return [[*row[:place], "0", "0", *row[place + 2 :]] if is_bad(row) else row for row in rows]


def percent(rows: Rows, place: int) -> Rows:
    return [[*row[:place], str(100 * float(row[place])), *row[place + 1 :]] if is_bad(row) else row for row in rows]


def other_level(rows: Rows, place: int) -> Rows:
    """num_rel, two columns after P_10, is that of other judgments."""
    at = place + 3
    return [[*row[:at], str(float(row[at]) + 1), *row[at + 1 :]] if is_bad(row) else row for row in rows]


def spelled_twice(rows: Rows, _: int) -> Rows:
    return [*rows, *([row[0], f"{row[1]}.0", *row[2:]] for row in rows)]


def rounded(rows: Rows, place: int) -> Rows:
    return [[*row[:place], f"{float(row[place]):.4f}", *row[place + 1 :]] if is_bad(row) else row for row in rows]


def coarse(rows: Rows, place: int) -> Rows:
    return [[*row[:place], f"{float(row[place]):.2f}", *row[place + 1 :]] for row in rows]


@pytest.mark.parametrize(
    ("spoil", "ways", "told"),
    [
        (coarse, COMPARED_SCORES + OF_SCORES, "map have at most 2 decimals|rounded to 2 decimals"),
        (filled, COMPARED_SCORES + OF_SCORES, "was the column filled down"),
        (lost, COMPARED_SCORES + OF_SCORES + COLLECTIONS, "contradict each other|every map score of the baseline"),
        (zeros, COMPARED_SCORES + OF_SCORES + COLLECTIONS, "every score of|every map score of the baseline"),
        (percent, COMPARED_SCORES + OF_SCORES + COLLECTIONS, "outside 0 to 1"),
        (other_level, COMPARED_SCORES + OF_SCORES + COLLECTIONS, "num_rel"),
        (spelled_twice, COMPARED_SCORES + OF_SCORES, "two spellings|differ|expected|topics"),
        (rounded, COMPARED_SCORES + COLLECTIONS, "seem to be rounded"),
        (pasted, OF_SCORES.replace("max-drop map", "max-drop P_10"), "are not multiples of 1/10"),
    ],
)
def test_stored_scores_with_a_mistake_are_told_of_by_every_command(
    run,
    sound: dict[str, Rows],
    tmp_path: Path,
    monkeypatch,
    spoil: Callable[[Rows, int], Rows],
    ways: str,
    told: str,
):
    monkeypatch.chdir(tmp_path)
    write_folder(run, tmp_path, sound)
    for name in ("refs.csv", "b.csv"):
        header, *rows = read_rows(tmp_path / name)
        write_rows(tmp_path / name, [header, *spoil(rows, header.index("map"))])
    halves("refs", tmp_path)
    assert silent(run, tmp_path, ways, told) == []
