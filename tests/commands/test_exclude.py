"""`--exclude` and `--exclude-self`: each command prints what it prints of files without these lines."""

from __future__ import annotations

import csv
import io
import random
import re
from html import unescape
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import Command, Done

TOPICS = [f"t{i}" for i in range(8)]
EMPTIED, MISSING = "t6", "t7"  # without a judgment left, and without a document left in one run


class Files(NamedTuple):
    """Judgments and runs, as they are and without the excluded lines, and the options that exclude these."""

    given: list[Path]
    filtered: list[Path]
    options: list[object]


@pytest.fixture
def files(write) -> Files:
    rng = random.Random(1)
    docnos = [*TOPICS, *(f"d{i}" for i in range(12))]
    qrels = [(t, d, rng.choice([-1, 0, 1, 2])) for t in TOPICS for d in rng.sample(docnos, 9)]
    runs = [[(t, d) for t in TOPICS for d in rng.sample(docnos, 12)] for _ in range(6)]
    some = [(t, d) for t in TOPICS for d in rng.sample(docnos, 3)]
    some += [(t, d) for t, d, _ in qrels if t == EMPTIED] + [each for each in runs[0] if each[0] == MISSING]
    pairs, judged = some[::2], some[1::2]
    left_out = {*some, *((t, t) for t in TOPICS)}

    def written(folder: str, is_left) -> list[Path]:
        paths = [write(f"{folder}qrels", [f"{t} 0 {d} {rel}" for t, d, rel in qrels if is_left((t, d))])]
        for i, lines in enumerate(runs):
            kept = [f"{t} Q0 {d} 0 {99 - n} r{i}" for n, (t, d) in enumerate(lines) if is_left((t, d))]
            paths.append(write(f"{folder}r{i}", kept))
        return paths

    listed = write("pairs", ["", *(f"{t}\t{d} " for t, d in pairs)])
    as_qrels = write("judged", [f"{t} 0 {d} {i % 3 - 1}" for i, (t, d) in enumerate(dict.fromkeys(judged))])
    options = ["--exclude", listed, "--exclude", as_qrels, "--exclude-self"]
    return Files(written("", lambda _: True), written("left-", lambda pair: pair not in left_out), options)


def without_origin(done: Done) -> str:
    """What was printed without the digest of the judgments, the options and the names of files."""
    text = re.sub(r"left-|--exclude \S+ --exclude-self ?|--exclude \S+ ", "", done.stdout + done.stderr)
    rows = list(csv.reader(io.StringIO(text)))
    if rows and "judgments" in rows[0]:
        at = rows[0].index("judgments")
        return "\n".join(",".join(row[:at] + row[at + 2 :]) for row in rows)
    return text


@pytest.mark.parametrize(
    "command",
    [
        "eval -q -m all_trec",
        "eval -q -f csv -c -M 3 -J -m webber -m judged.3 -m rbp_resid",
        "eval -f csv -j 2 -m map",
        "factors -m map -m P.5",
        "factors --empirical -c -m map",
        "standardize -q -f csv -m map",
        "compare -f table -m ndcg -m bpref",
        "compare -f csv --residuals -m RBP(p=0.8)",
        "compare -f csv --residuals -M 2 -m RBP(p=0.8)",
        "check -c --baseline r1 --min map=0.1 --max-drop P_5=1%",
        "pool -d 2",
        "pool -d 3 --report",
    ],
)
def test_each_command_prints_what_it_prints_of_filtered_files(run: Command, files: Files, command: str):
    words = command.split()
    excluding = run(*words, *files.options, *files.given)
    filtered = run(*words, *files.filtered)
    assert filtered.status in (0, 1)
    assert excluding.status == filtered.status
    assert without_origin(excluding) == without_origin(filtered)
    assert without_origin(run(*words, *files.given)) != without_origin(filtered)


def test_report(run: Command, files: Files):
    pages = []
    for arguments in ([*files.options, *files.given], files.filtered):
        page = unescape(run("report", "-c", *arguments).stdout)
        named = "<dt>Options</dt><dd>.*|options:[^|]*|qrels:[^|]*|<pre.*stdeval report.*|<code>.*|<li><bdi>.*"
        pages.append([line for line in re.sub(named, "", page.replace("left-", "")).splitlines() if line])
    assert pages[0] == pages[1]
    assert len(pages[0]) > 500


def test_parts_of_a_run(run: Command, files: Files):
    one = run("eval", "-q", "-j", 3, "-m", "map", *files.options, *files.given[:2])
    assert one.stdout == run("eval", "-q", "-j", 1, "-m", "map", *files.filtered[:2]).stdout


def test_stored_scores_say_what_was_left_out(run: Command, files: Files, tmp_path: Path):
    stored, given = tmp_path / "stored.csv", files.given[:2]
    storing = ["-q", "-f", "csv", "--signature", "-m", "map", "-o", stored]
    assert run("eval", "-c", *storing, *files.options, *given).status == 0
    check = ["check", "-c", "--baseline", stored, "--max-drop", "map=0"]
    assert run("check", "--scores", stored, "--min", "map=0").status == 0
    for options, status in ((files.options, 0), ([], 2), (["--exclude-self"], 2)):
        done = run(*check, *options, *given)
        assert done.status == status
        assert ("topics have --exclude" in done.stderr) == (status == 2)
