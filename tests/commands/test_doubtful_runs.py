"""Distances, exchanged columns and scores that are too close: one warning in every command that reads runs."""

from __future__ import annotations

import gzip
import math
import warnings
from pathlib import Path

import pytest

import stdeval
from stdeval.errors import InputWarning

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
QRELS = SAMPLE / "qrels.gz"
SOUND = SAMPLE / "new-b.run.gz"
RISING, CLOSE = "that rise with the ranks", "that are equal as 32-bit floats"
EXCHANGED = "ranks in the column of scores"

COMMANDS = [
    "eval -m map",
    "eval -m map -q -f csv",
    "eval -m map -j 2",
    "standardize -m map --scheme z",
    "compare -m map",
    "compare -m rbp_p=0.8 --residuals",
    "factors -m map",
    "factors -m map --empirical",
    "topics -m map",
    "check --min map=.0001",
    "pool -d 10",
    "meta power -m map",
    "meta depth -m map --pool-depth 3 --eval-depth 3",
]


def scores_of(rank: int, score: float) -> dict[str, object]:
    """The score in each of the doubtful runs of a document of the sample."""
    return {"dist": 20 - score, "exp": math.exp(score - 120), "sound": score, "swap": rank}


@pytest.fixture(scope="module")
def doubtful(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """new-a of the sample, as distances, as probabilities, and with its columns of ranks and scores exchanged."""
    folder = tmp_path_factory.mktemp("runs")
    lines = [line.split() for line in gzip.decompress((SAMPLE / "new-a.run.gz").read_bytes()).decode().splitlines()]
    paths = {}
    for tag in scores_of(1, 1):
        paths[tag] = folder / f"{tag}.run"
        with paths[tag].open("w") as out:
            for topic, q0, docno, rank, score, _ in lines:
                shown = score if tag == "swap" else rank
                out.write(f"{topic} {q0} {docno} {shown} {scores_of(int(rank), float(score))[tag]!r} {tag}\n")
    return paths


def warnings_of(done) -> list[str]:
    assert done.status == 0, done.stderr
    lines = done.stderr.splitlines()
    return [line for line in lines if any(found in line for found in (RISING, EXCHANGED, CLOSE))]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_warns_once_of_distances(run, doubtful, command: str):
    references = sorted((SAMPLE / "references").glob("*.gz"))[:3]
    (line,) = warnings_of(run(*command.split(), QRELS, *references, doubtful["dist"]))
    assert line.startswith(
        "stdeval: warning: 1 of 4 runs has scores that rise with the ranks (e.g. 'dist', topic '304'"
    )
    assert not warnings_of(run(*command.split(), QRELS, *references, doubtful["sound"]))


@pytest.mark.parametrize("options", [[], ["-j", "2"], ["-j", "3"]], ids=["whole", "2 parts", "3 parts"])
@pytest.mark.parametrize(
    ("tag", "message"),
    [
        (
            "dist",
            "has scores that rise with the ranks (topic '304': score 10.0663 at rank 1, 12.397400000000001 at rank "
            "96); documents are ordered by score, highest first: negate the scores if they are distances",
        ),
        (
            "exp",
            "has different scores that are equal as 32-bit floats (topic '304': 100 scores become 1); they are "
            "ordered by docno: --precision double tells them apart",
        ),
        (
            "swap",
            "has ranks in the column of scores (topic '304': rank 9.9337, score 1); documents are ordered by "
            "score, highest first: expected lines of: topic Q0 docno rank score tag",
        ),
    ],
)
def test_one_run_is_named(run, doubtful, tag: str, message: str, options: list[str]):
    done = run("eval", "-m", "map", *options, QRELS, doubtful[tag])
    assert warnings_of(done) == [f"stdeval: warning: '{tag}' {message}"]
    assert done.stdout.split() == ["map", "all", {"exp": "0.1407"}.get(tag, "0.0823")]


def test_several_runs_are_counted(run, doubtful):
    lines = warnings_of(run("eval", "-m", "map", "-j", 2, QRELS, SOUND, *doubtful.values()))
    assert [line.split(" (")[0].removeprefix("stdeval: warning: 1 of 5 runs has ") for line in lines] == [
        f"scores {RISING}",
        EXCHANGED,
        f"different scores {CLOSE}",
    ]


@pytest.mark.parametrize("command", ["eval -m map", "pool -d 10"])
def test_64_bit_floats_tell_the_scores_apart(run, doubtful, command: str):
    sound, close = (
        run(*command.split(), "--precision", "double", QRELS, doubtful[tag]) for tag in ("sound", "exp")
    )
    assert close.stdout == sound.stdout
    assert close.stderr == ""
    assert len(warnings_of(run(*command.split(), QRELS, doubtful["exp"]))) == 1


def test_the_baseline_of_a_gate_is_looked_at(run, doubtful):
    done = run("check", "--baseline", doubtful["dist"], "--max-drop", "map=0", QRELS, SOUND)
    assert len(warnings_of(done)) == 1


def test_the_report_is_careful_about_it(run, doubtful, tmp_path):
    page = tmp_path / "page.html"
    done = run("report", "-m", "map", "-o", page, QRELS, SOUND, doubtful["dist"])
    assert len(warnings_of(done)) == 1
    assert "1 of 2 runs has scores that rise with the ranks" in page.read_text()


def test_validate_keeps_to_its_rows(run, doubtful):
    done = run("validate", "-f", "csv", "--qrels", QRELS, doubtful["dist"])
    assert (done.status, done.stderr) == (1, "")
    assert "rank-order" in {row["problem"] for row in done.rows}


def test_python_warns_too(doubtful):
    qrels = stdeval.read_qrels(QRELS)
    with pytest.warns(InputWarning, match="'dist' has scores that rise with the ranks"):
        stdeval.read_run(doubtful["dist"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        close, sound = stdeval.read_run(doubtful["exp"]), stdeval.read_run(doubtful["sound"])
        stdeval.evaluate(qrels, sound, "map")
        stdeval.evaluate(qrels, close, "map", stdeval.Options(precision="double"))
    told = r"1 of 2 runs has different .* \(e\.g\. 'x', .*: Options\(precision=\"double\"\) tells them apart"
    with pytest.warns(InputWarning, match=told):
        stdeval.evaluate(qrels, {"sound": sound, "x": close.documents}, "map")


@pytest.mark.parametrize("command", ["eval -m map", "compare -m map", "check --min map=0.1", "standardize -m map"])
def test_docnos_without_their_leading_zeros_are_told(run, write, command: str):
    docnos = [f"{n:04d}" for n in (17, 18, 219, 4000)]
    qrels = write("zeros.qrels", [f"{topic} 0 {docno} 1" for topic in (1, 2) for docno in docnos])
    runs = [
        write(
            tag,
            [f"{topic} Q0 {int(docno)} {i} {9 - i} {tag}" for topic in (1, 2) for i, docno in enumerate(docnos)],
        )
        for tag in ("x", "y")
    ]
    done = run(*command.split(), qrels, *runs)
    told = (
        "stdeval: warning: 2 of 2 runs have docnos in another form than the qrels (e.g. 'x', topic '1': '17' is "
        "judged as '0017'); such documents count as not judged: write docnos as the qrels do"
    )
    assert done.stderr.splitlines().count(told) == 1


@pytest.mark.parametrize(
    "command",
    [
        "eval -m map",
        "eval -m map --label file",
        "compare --residuals -m rbp_p=0.8",
        "pool -d 5",
    ],
)
def test_warnings_name_runs_as_the_output_does(run, write, command: str):
    """A re-ranked run keeps the tag of its first stage, and so both are named by their files."""
    qrels = write("qrels", [f"{t} 0 d{d} {d % 2}" for t in range(12) for d in range(30)])
    tags = {"first.run": ("d", "bm25"), "other.run": ("D", "bm25"), "third.run": ("d", "third")}
    runs = [
        write(name, [f"{t} Q0 {letter}{d} {d + 1} {99 - d} {tag}" for t in range(12) for d in range(30)])
        for name, (letter, tag) in tags.items()
    ]
    told = run(*command.split(), qrels, *runs).stderr
    assert "(e.g. 'other.run', topic '" in told
    assert "'bm25', topic" not in told
