"""Stored scores with a signature: standardized by which factors, and with which options."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from stdeval import (
    Condition,
    InputError,
    check,
    evaluate,
    read_factors,
    read_qrels,
    read_run,
    read_scores,
    standardize,
    write_scores,
)
from tests.conftest import SAMPLE

QRELS, FACTORS = SAMPLE / "qrels.gz", SAMPLE / "factors.csv"
RUNS = ("ref01", "ref02", "ref03")
SIGNED = ("-q", "-n", "-f", "csv", "--signature")


def runs(*tags: str) -> list[Path]:
    return [SAMPLE / "references" / f"{tag}.run.gz" for tag in tags]


@pytest.fixture
def stored(run, tmp_path) -> Callable[..., Path]:
    """A file of standardized scores with a signature, of one run or of several."""

    def standardized(*options: object, tags=RUNS[:1]) -> Path:
        path = tmp_path / f"scores{len(list(tmp_path.iterdir()))}.csv"
        typed = ["standardize", "-m", "map", *SIGNED, "-o", path, *options]
        assert run(*typed, QRELS, *runs(*tags)).status == 0
        return path

    return standardized


@pytest.fixture
def weak(run, tmp_path) -> Path:
    path = tmp_path / "weak.csv"
    made = runs(*(f"ref{i:02d}" for i in range(1, 13)))
    assert run("factors", "-m", "map", "-m", "P_10", "-o", path, QRELS, *made).status == 0
    return path


def test_scores_by_other_factors_are_refused(run, stored, weak):
    strong, other = stored("-F", FACTORS), stored("-F", weak, tags=RUNS[1:2])
    joined, against = ["--scores", strong, "--scores", other], ["--scores", strong, "--baseline", other]
    drop = ["check", "--max-drop", "Nmap=0.5"]
    for typed in (["eval", *joined], ["check", "--min", "Nmap=.0001", *joined], [*drop, *against]):
        done = run(*typed)
        assert (done.status, done.stdout) == (2, "")
        assert f"{other}: " in done.stderr
        assert "other factors or parameters" in done.stderr
    assert run(*drop, *against, "--allow-other-judgments").status in (0, 1)


def test_scores_by_the_same_factors_keep_them_in_the_signature(run, stored):
    first, second = (stored("-F", FACTORS, tags=[tag]) for tag in RUNS[:2])
    done = run("eval", "--signature", "--scores", first, "--scores", second)
    assert (done.status, done.stderr) == (0, "")
    signed = first.read_text().splitlines()[1].rpartition(",")[2]
    assert done.stdout.rstrip().endswith(signed)
    assert re.search(r"\|scheme:N\|.*\|factors:\w{8}\|references:40$", signed)
    assert run("convert", first, "--to", "scores").stdout == first.read_text()
    # also beside the raw scores of the runs
    raw = first.with_name("raw.csv")
    assert run("eval", "-m", "map", *SIGNED, "-o", raw, QRELS, *runs("ref03")).status == 0
    beside = run("eval", "--signature", "--scores", first, "--scores", raw).stdout
    assert beside.rstrip().endswith(signed.partition("|scheme:")[2].replace("N", "raw N", 1))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["--scheme", "u"], ["--scheme", "u", "--ab", "0.5,0.5"]),
        (["--scheme", "u"], ["--scheme", "u", "--no-censor"]),
        (["--round", "2"], []),
        (["--leave-out", "run"], []),
    ],
)
def test_other_parameters_are_refused(run, stored, one, other):
    """Without -F the runs are their own reference runs; the two files hold different runs."""
    factors = [] if "--leave-out" in one else ["-F", FACTORS]
    first, second = stored(*factors, *one, tags=RUNS), stored(*factors, *other, tags=["ref04", "ref05", "ref06"])
    done = run("eval", "--scores", first, "--scores", second)
    assert (done.status, done.stdout) == (2, "")
    assert "other factors or parameters" in done.stderr


def test_different_schemes_are_joined(run, stored, weak):
    files = [stored("-F", weak), stored("-F", FACTORS, "--scheme", "z", tags=RUNS[1:2])]
    assert run("eval", "--scores", files[0], "--scores", files[1]).status == 0


def test_a_run_without_some_topics_has_the_factors_of_the_others(run, write):
    """The runs of a Makefile are standardized one by one, and joined."""
    topics = {*map(str, range(301, 346))}
    files = []
    for tag, kept in (("one", topics), ("two", {*topics, "350"})):
        made = write(f"{tag}.run", [f"{topic} Q0 x 1 1 {tag}" for topic in kept])
        scores = run("standardize", "-F", FACTORS, "-m", "map", *SIGNED, QRELS, made).stdout
        files.append(write(f"{tag}.csv", scores))
    signed = {line.rpartition(",")[2] for path in files for line in path.read_text().splitlines()[1:]}
    assert len(signed) == 1
    assert run("eval", "--scores", files[0], "--scores", files[1]).status == 0


def test_a_signature_counts_the_topics_with_scores(run, write):
    partial = write("part.run", [f"{topic} Q0 x 1 1 part" for topic in range(301, 322)])
    path = write("part.csv", run("eval", "-m", "map", *SIGNED, QRELS, partial).stdout)
    done = run("eval", "--signature", "--scores", path)
    assert "29 of 50 pairs" in done.stderr
    assert done.stdout.rstrip().endswith("|topics:50|scored:21")


def test_the_file_that_differs_is_named(run, write):
    """Whether its judgments are named by topic or by a signature."""
    first, second = write("q", ["301 0 x 1"]), write("other", ["301 0 x 2"])
    made = [write(f"{tag}.run", [f"301 Q0 x 1 1 {tag}"]) for tag in "abc"]
    references = write("references.csv", run("factors", "--empirical", "-m", "map", first, *made[:2]).stdout)
    scores = write("scores.csv", run("eval", "-m", "map", *SIGNED, second, made[2]).stdout)
    for one, other in ((references, scores), (scores, references)):
        done = run("eval", "--scores", one, "--scores", other)
        assert (done.status, done.stdout) == (2, "")
        assert f"{other}: " in done.stderr


def test_scores_that_are_standardized_already(run, stored):
    path = stored("-F", FACTORS, tags=RUNS)
    done = run("standardize", "-m", "Nmap", "--scores", path)
    assert (done.status, done.stdout) == (2, "")
    assert "Nmap is standardized already" in done.stderr
    for experiment in ("power", "within --scheme raw --topics 20 --trials 3", "split --trials 3 -a am"):
        done = run("meta", *experiment.split(), "-m", "Nmap", "-f", "csv", "--scores", path)
        assert {row["scheme"] for row in done.rows} == {"N"}, done.stderr
    rows = run("meta", "reliability", "-m", "Nmap", "-f", "csv", "--scores", path).rows
    assert {row["scheme"] for row in rows} == {"N"}
    assert all(row["value"] for row in rows if row["quantity"] == "erho2")
    assert not any(row["value"] for row in rows if row["quantity"] == "phi")


def without_column(path: Path, *names: str) -> Path:
    """Write a copy of a CSV file without some columns, as a program that drops empty columns does."""
    rows = list(csv.DictReader(path.read_text().splitlines()))
    kept = [name for name in rows[0] if name not in names]
    copy = path.with_suffix(".dropped.csv")
    copy.write_text(
        "".join(",".join(cells) + "\n" for cells in [kept, *([row[name] for name in kept] for row in rows)])
    )
    return copy


@pytest.fixture
def by_level(run, tmp_path) -> dict[str, Path]:
    """Scores of two runs, each at both levels."""
    paths = {}
    for tag, level in ((tag, level) for tag in RUNS[:2] for level in "12"):
        paths[f"{tag}{level}"] = path = tmp_path / f"{tag}-{level}.csv"
        assert run("eval", *SIGNED, "-l", level, "-m", "map", "-o", path, QRELS, *runs(tag)).status == 0
    return paths


def options_in(path: Path) -> set[str]:
    return {row["options"] for row in csv.DictReader(path.read_text().splitlines())}


def test_options_that_only_the_signature_names_count(run, by_level, tmp_path):
    one, other = RUNS[:2]
    baseline = without_column(by_level[f"{one}1"], "options")
    typed = ["check", "--max-drop", "map=0.1", "--baseline", baseline, QRELS, *runs(other)]
    refused = run(*typed, "-l", 2)
    assert (refused.status, "-l 2" in refused.stderr) == (2, True)
    assert run(*typed).status == 0
    joined = run("compare", "--scores", baseline, "--scores", by_level[f"{other}2"])
    assert (joined.status, "options" in joined.stderr) == (2, True)
    factors = tmp_path / "factors.csv"
    both = [without_column(by_level[f"{tag}2"], "options") for tag in (one, other)]
    assert run("factors", "--scores", both[0], "--scores", both[1], "-o", factors).status == 0
    assert options_in(factors) == {"-l 2"}


@pytest.mark.parametrize("level", [1, 2])
def test_unknown_options_stay_unknown(run, by_level, tmp_path, level: int):
    """Also in factors that are made from such scores: an empty field would mean the default options."""
    scores = [without_column(by_level[f"{tag}{level}"], "options", "signature") for tag in RUNS[:2]]
    factors, again = tmp_path / "factors.csv", tmp_path / "again.csv"
    assert run("factors", *(f"--scores={path}" for path in scores), "-o", factors).status == 0
    assert run("convert", *scores, "--to", "scores", "-o", again).status == 0
    assert options_in(factors) == options_in(again) == {"unknown"}


def test_stored_scores_by_factors_of_other_judgments_are_refused_by_the_gate(run, write):
    """As `check -F` refuses such factors."""
    changed = write("q", run("pool", "-d", 5, QRELS, *sorted((SAMPLE / "references").glob("*.gz"))[:9]).stdout)
    made = ["standardize", "-F", FACTORS, "-m", "map", *SIGNED]
    stored = write("n.csv", run(*made, changed, SAMPLE / "new-a.run.gz").stdout)
    assert "|scheme:N|factors-from:other|" in stored.read_text()
    assert f"{stored}: other factors" in run("eval", "--scores", stored).stderr
    done = run("check", "--scores", stored, "--min", "Nmap=0.001")
    assert (done.status, done.stdout, "other judgments" in done.stderr) == (2, "", True)
    with pytest.raises(InputError, match="other judgments"):
        check(read_scores(stored), Condition("min", "Nmap", 0.001))
    assert "factors-from" not in run(*made, QRELS, SAMPLE / "new-a.run.gz").stdout


def test_the_signature_says_that_factors_name_no_judgments(run, write, tmp_path):
    references, new = sorted((SAMPLE / "references").glob("*.gz"))[:13], SAMPLE / "new-a.run.gz"
    unsigned = run("eval", "-q", "-n", "-f", "csv", "-m", "map", QRELS, *references).stdout
    factors = write("f.csv", run("factors", "--scores", write("s.csv", unsigned)).stdout)
    stored = write("n.csv", run("standardize", "-F", factors, "-m", "map", *SIGNED, QRELS, new).stdout)
    assert "|scheme:N|factors-from:unknown|" in stored.read_text()
    assert run("check", "--min", "Nmap=0.001", "--scores", stored).status == 0
    table = evaluate(read_qrels(QRELS), read_run(new), ["map"])
    write_scores(standardize(table, read_factors(factors)), tmp_path / "p.csv")
    assert "|factors-from:unknown|" in (tmp_path / "p.csv").read_text()
