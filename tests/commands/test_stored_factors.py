"""Stored scores with a signature: standardized by which factors, and of how many topics of the judgments."""

from __future__ import annotations

import csv
import re
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

RUNS = ("ref01", "ref02", "ref03")


@pytest.fixture(scope="module")
def sample() -> Path:
    return Path(__file__).resolve().parent.parent.parent / "sample_data"


@pytest.fixture
def stored(run, sample, tmp_path):
    """A file of standardized scores with a signature, of one run or of several."""

    def standardized(*options: object, tags=RUNS[:1], measures=("map",)) -> Path:
        path = tmp_path / f"scores{len(list(tmp_path.iterdir()))}.csv"
        runs = [sample / "references" / f"{tag}.run.gz" for tag in tags]
        named = [word for measure in measures for word in ("-m", measure)]
        typed = ["standardize", *named, "-q", "-f", "csv", "--signature", "-o", path, *options]
        assert run(*typed, sample / "qrels.gz", *runs).status == 0
        return path

    return standardized


@pytest.fixture
def weak(run, sample, tmp_path) -> Path:
    path = tmp_path / "weak.csv"
    runs = [sample / "references" / f"ref{i:02d}.run.gz" for i in range(1, 13)]
    assert run("factors", "-m", "map", "-m", "P_10", "-o", path, sample / "qrels.gz", *runs).status == 0
    return path


REFUSED = "scores standardized with other factors or parameters than in the files before, expected the same"


@pytest.mark.parametrize("command", ["eval", "compare", "report", "check --min Nmap=.0001"])
def test_scores_by_other_factors_are_refused(run, sample, stored, weak, command):
    strong, other = stored("-F", sample / "factors.csv"), stored("-F", weak, tags=RUNS[1:2])
    done = run(*command.split(), "--scores", strong, "--scores", other)
    assert (done.status, done.stdout, done.stderr) == (2, "", f"stdeval: {other}: {REFUSED}\n")


def test_scores_by_the_same_factors_keep_them_in_the_signature(run, sample, stored):
    first, second = (stored("-F", sample / "factors.csv", tags=[tag]) for tag in RUNS[:2])
    done = run("eval", "--signature", "--scores", first, "--scores", second)
    assert (done.status, done.stderr) == (0, "")
    signed = first.read_text().splitlines()[1].rpartition(",")[2]
    assert done.stdout.rstrip().endswith(signed)
    assert "|scheme:N|" in signed
    assert re.search(r"\|factors:\w{8}\|references:40$", signed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["--scheme", "u"], ["--scheme", "u", "--ab", "0.5,0.5"]),
        (["--scheme", "u"], ["--scheme", "u", "--no-censor"]),
        (["--round", "2"], []),
        (["--leave-out", "run"], []),
    ],
)
def test_other_parameters_are_refused(run, sample, stored, one, other):
    """Without -F the runs are their own reference runs; the two files hold different runs."""
    factors = [] if "--leave-out" in one else ["-F", sample / "factors.csv"]
    files = [
        stored(*factors, *options, tags=tags)
        for options, tags in ((one, ["ref01", "ref02", "ref03"]), (other, ["ref04", "ref05", "ref06"]))
    ]
    done = run("eval", "--scores", files[0], "--scores", files[1])
    assert (done.status, done.stdout) == (2, "")
    assert REFUSED in done.stderr


def test_different_schemes_and_raw_scores_are_joined(run, sample, stored, weak):
    files = [stored("-F", weak), stored("-F", sample / "factors.csv", "--scheme", "z", tags=RUNS[1:2])]
    assert run("eval", "--scores", files[0], "--scores", files[1]).status == 0


def test_a_baseline_by_other_factors_is_refused(run, sample, stored, weak):
    strong, other = stored("-F", sample / "factors.csv"), stored("-F", weak, tags=RUNS[1:2])
    typed = ["check", "--max-drop", "Nmap=0.5", "--baseline", other, "--scores", strong]
    done = run(*typed)
    assert (done.status, done.stdout) == (2, "")
    assert (
        f"stdeval: {other}: scores were standardized with other factors or parameters than the runs; expected a "
        "baseline of the same judgments, options and factors as the runs, or --allow-other-judgments\n"
    ) == done.stderr
    assert run(*typed, "--allow-other-judgments").status in (0, 1)


def test_a_run_without_some_topics_has_the_factors_of_the_others(run, sample, write, tmp_path):
    """The runs of a Makefile are standardized one by one, and joined."""
    topics = {f"{topic}" for topic in range(301, 346)}
    files = []
    for tag, kept in (("one", topics), ("two", {*topics, "350"})):
        path, made = tmp_path / f"{tag}.csv", write(f"{tag}.run", [f"{topic} Q0 x 1 1 {tag}" for topic in kept])
        typed = ["standardize", "-F", sample / "factors.csv", "-m", "map", "-q", "-f", "csv", "--signature"]
        assert run(*typed, "-o", path, sample / "qrels.gz", made).status == 0
        files.append(path)
    signed = {line.rpartition(",")[2] for path in files for line in path.read_text().splitlines()[1:]}
    assert len(signed) == 1
    done = run("eval", "--scores", files[0], "--scores", files[1])
    assert (done.status, "cannot tell" in done.stderr) == (0, False)


def test_scores_of_only_some_topics_do_not_pass_the_gate(run, sample, write, tmp_path):
    partial, path = (
        write("part.run", [f"{topic} Q0 x 1 1 part" for topic in range(301, 322)]),
        tmp_path / "part.csv",
    )
    typed = ["eval", "-m", "map", "-q", "-f", "csv", "--signature", "-o", path]
    assert run(*typed, sample / "qrels.gz", partial).status == 0
    told = "scores of 21 of the 50 topics"
    gate = run("check", "--min", "map=.0001", "--scores", path)
    assert (gate.status, gate.stdout) == (2, "")
    assert gate.stderr.startswith(f"stdeval: {path}: {told} of the judgments, expected scores of all of them\n")
    done = run("eval", "--signature", "--scores", path)
    assert "29 of 50 pairs of run and topic have no score" in done.stderr
    assert done.stdout.rstrip().endswith("|topics:50|scored:21")
    assert run(*typed, "-c", sample / "qrels.gz", partial).status == 0
    done = run("check", "--min", "map=.0001", "--scores", path)
    assert (done.status, "mean 0.0000 on 50 topics" in done.stdout) == (1, True)


def test_factors_of_other_judgments_of_more_topics_are_noticed(run, sample, write, tmp_path):
    """The digest of all judgments cannot tell it, since the scores have fewer topics; that of each topic can."""
    lines = [f"{topic} 0 x 0" for topic in range(301, 311)]
    path = tmp_path / "scores.csv"
    made = write("a.run", [f"{topic} Q0 x 1 1 a" for topic in range(301, 311)])
    typed = ["eval", "-m", "map", "-q", "-f", "csv", "--signature", "-o", path]
    assert run(*typed, write("ten.qrels", lines), made).status == 0
    gate = run("check", "-F", sample / "factors.csv", "--min", "Nmap=.0001", "--scores", path)
    assert (gate.status, gate.stdout) == (2, "")
    assert "factors of 10 of 10 topics were made from other judgments" in gate.stderr


def test_convert_and_factors_keep_the_origin(run, sample, stored):
    path = stored("-F", sample / "factors.csv", "-n", tags=RUNS[:2])
    assert run("convert", path, "--to", "scores").stdout == path.read_text()
    raw = ["eval", "-q", "-n", "-f", "csv", "--signature", "-m", "map", "-o", path.with_name("raw.csv")]
    assert run(*raw, sample / "qrels.gz", *sorted((sample / "references").glob("*.gz"))[:2]).status == 0
    rows = run("factors", "--scores", path.with_name("raw.csv")).rows
    assert {len(row["judgments"]) for row in rows} == {8}


def test_reference_scores_of_other_judgments_are_not_joined(run, sample, write, tmp_path):
    references, scores = tmp_path / "references.csv", tmp_path / "scores.csv"
    first, made = write("q", ["301 0 x 1"]), [write(f"{tag}.run", [f"301 Q0 x 1 1 {tag}"]) for tag in "abc"]
    assert run("factors", "--empirical", "-m", "map", "-o", references, first, *made[:2]).status == 0
    typed = ["eval", "-m", "map", "-q", "-f", "csv", "--signature", "-o", scores]
    assert run(*typed, write("other", ["301 0 x 2"]), made[2]).status == 0
    done = run("eval", "--scores", references, "--scores", scores)
    assert (done.status, done.stdout) == (2, "")
    assert f"{scores}: topic '301' has other judgments or options than in the files before" in done.stderr


def test_scores_that_are_standardized_already(run, sample, stored):
    path = stored("-F", sample / "factors.csv", tags=RUNS)
    done = run("standardize", "-m", "Nmap", "--scores", path)
    assert (done.status, done.stdout) == (2, "")
    assert "Nmap is standardized already" in done.stderr
    for experiment in ("power", "within --scheme raw --topics 20 --trials 3", "split --trials 3 -a am"):
        done = run("meta", *experiment.split(), "-m", "Nmap", "-f", "csv", "--scores", path)
        assert {row["scheme"] for row in done.rows} == {"N"}, done.stderr
        assert run("meta", *experiment.split(), "-m", "Nmap", "--scores", path).status == 0
    rows = run("meta", "reliability", "-m", "Nmap", "-f", "csv", "--scores", path).rows
    assert {row["scheme"] for row in rows} == {"N"}
    values = {
        quantity: [row["value"] for row in rows if row["quantity"] == quantity] for quantity in ("erho2", "phi")
    }
    assert all(values["erho2"])
    assert not any(values["phi"])


def without_column(path: Path, name: str) -> Path:
    """Write a copy of a CSV file without a column, as a program that drops empty columns does."""
    rows = list(csv.reader(path.read_text().splitlines()))
    place = rows[0].index(name)
    copy = path.with_suffix(".dropped.csv")
    copy.write_text("".join(",".join([*row[:place], *row[place + 1 :]]) + "\n" for row in rows))
    return copy


@pytest.fixture
def by_level(run, sample, tmp_path) -> dict[str, Path]:
    """Scores of two runs, each at both levels."""
    paths = {}
    for tag, level in ((tag, level) for tag in RUNS[:2] for level in "12"):
        paths[f"{tag}{level}"] = path = tmp_path / f"{tag}-{level}.csv"
        typed = ["eval", "-q", "-f", "csv", "--signature", "-l", level, "-m", "map", "-o", path]
        assert run(*typed, sample / "qrels.gz", sample / "references" / f"{tag}.run.gz").status == 0
    return paths


def test_options_that_only_the_signature_names_count(run, sample, by_level, tmp_path):
    one, other = RUNS[:2]
    baseline = without_column(by_level[f"{one}1"], "options")
    new = [sample / "qrels.gz", sample / "references" / f"{other}.run.gz"]
    typed = ["check", "--max-drop", "map=0.1", "--baseline", baseline]
    refused = run(*typed, "-l", 2, *new)
    told = "were made with the default options, the runs are evaluated with -l 2"
    assert (refused.status, told in refused.stderr) == (2, True)
    assert run(*typed, *new).status == 0
    joined = run("compare", "--scores", baseline, "--scores", by_level[f"{other}2"])
    assert (joined.status, "other judgments or options" in joined.stderr) == (2, True)
    factors = tmp_path / "factors.csv"
    both = [without_column(by_level[f"{tag}2"], "options") for tag in (one, other)]
    assert run("factors", "--scores", both[0], "--scores", both[1], "-o", factors).status == 0
    assert {row["options"] for row in csv.DictReader(factors.read_text().splitlines())} == {"-l 2"}


@pytest.mark.parametrize("level", [1, 2])
def test_unknown_options_stay_unknown(run, sample, by_level, tmp_path, level: int):
    """Also in factors that are made from such scores: an empty field would mean the default options."""
    scores = [without_column(without_column(by_level[f"{tag}{level}"], "options"), "signature") for tag in RUNS[:2]]
    factors, again = tmp_path / "factors.csv", tmp_path / "again.csv"
    given = [word for path in scores for word in ("--scores", path)]
    assert run("factors", *given, "-o", factors).status == 0
    assert {row["options"] for row in csv.DictReader(factors.read_text().splitlines())} == {"unknown"}
    run("convert", *scores, "--to", "scores", "-o", again)
    assert {row["options"] for row in csv.DictReader(again.read_text().splitlines())} == {"unknown"}


def test_the_signature_counts_the_reference_runs_that_are_left(run, sample):
    runs = [sample / f"references/ref0{n}.run.gz" for n in range(1, 6)]
    done = run(
        "standardize", "-f", "table", "--signature", "-m", "map", "--leave-out", "run", sample / "qrels.gz", *runs
    )
    assert done.stdout.endswith("|references:4\n")


def test_stored_scores_by_factors_of_other_judgments_are_told_and_refused_by_the_gate(run, sample, write):
    """As `check -F` refuses such factors."""
    changed = run("pool", "-d", 5, sample / "qrels.gz", *sorted((sample / "references").glob("*.gz"))[:9]).stdout
    made = ["standardize", "-F", sample / "factors.csv", "-m", "map", "-q", "-n", "-f", "csv", "--signature"]
    stored = write("n.csv", run(*made, write("shallow.qrels", changed), sample / "new-a.run.gz").stdout)
    told = "standardized with factors from other judgments or options than theirs"
    assert "|scheme:N|factors-from:other|" in stored.read_text()
    for command in (["eval"], ["topics"], ["report", "--scheme", "raw", "-o", stored.with_name("r.html")]):
        assert told in run(*command, "--scores", stored).stderr
    done = run("check", "--scores", stored, "--min", "Nmap=0.001")
    assert (done.status, done.stdout, told in done.stderr) == (2, "", True)
    with pytest.raises(InputError, match=told):
        check(read_scores(stored), Condition("min", "Nmap", 0.001))
    same = run(*made, sample / "qrels.gz", sample / "new-a.run.gz").stdout
    assert "factors-from" not in same


def test_the_signature_says_that_factors_name_no_judgments(run, sample, write, tmp_path):
    runs = sorted((sample / "references").glob("*.gz"))[:13]
    unsigned = run("eval", "-q", "-n", "-f", "csv", "-m", "map", sample / "qrels.gz", *runs).stdout
    factors = write("f.csv", run("factors", "--scores", write("s.csv", unsigned)).stdout)
    made = ["-m", "map", "-q", "-n", "-f", "csv", "--signature", sample / "qrels.gz", sample / "new-a.run.gz"]
    stored = write("n.csv", run("standardize", "-F", factors, *made).stdout)
    assert "|scheme:N|factors-from:unknown|" in stored.read_text()
    assert run("check", "--min", "Nmap=0.001", "--scores", stored).status == 0
    table = evaluate(read_qrels(sample / "qrels.gz"), read_run(sample / "new-a.run.gz"), ["map"])
    write_scores(standardize(table, read_factors(factors)), tmp_path / "p.csv")
    assert "|factors-from:unknown|" in (tmp_path / "p.csv").read_text()


def test_scores_of_other_topics_by_the_same_factors_are_not_refused(run, write, sample):
    """Their digests differ, because each is over the topics of its scores."""
    qrels, runs = sample / "qrels.gz", sorted((sample / "references").glob("*.gz"))
    factors = write("f.csv", run("factors", "-m", "map", qrels, *runs[:13]).stdout)
    halves = []
    for name, is_low in (("low", True), ("high", False)):
        typed = [
            "standardize",
            "-F",
            factors,
            "-m",
            "map",
            "-q",
            "-n",
            "-f",
            "csv",
            "--signature",
            "--label",
            "file",
        ]
        stored = run(*typed, qrels, runs[14 + is_low]).stdout
        lines = stored.splitlines()
        kept = [line for line in lines[1:] if (int(line.split(",")[1]) <= 325) is is_low]
        halves.append(write(f"{name}.csv", [lines[0], *kept]))
    done = run("compare", "--unpaired", "--scores", halves[0], "--scores", halves[1])
    assert (done.status, "other factors or parameters" in done.stderr) == (0, False)
