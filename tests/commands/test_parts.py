"""Scores files joined by column: what is said of one file is said as if it stood alone, whatever is beside it."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest


@pytest.fixture
def stored(run, sample, tmp_path: Path):
    """Return a function that stores the scores of the first runs of the sample in a file."""

    def store(name: str, typed: str, runs: slice = slice(2)) -> Path:
        qrels, *paths = sample
        form = ("-q", "-n", "-f", "csv", "--signature", "-o", tmp_path / name)
        assert run(*typed.split(), *form, qrels, *paths[runs]).status == 0
        return tmp_path / name

    return store


@pytest.fixture
def joined(run, tmp_path: Path):
    """Return a function that stores scores files, joined by column, in one file."""

    def join(name: str, **files: Path) -> Path:
        typed = [option for prefix, path in files.items() for option in ("--scores", f"{prefix}={path}")]
        done = run("eval", "-q", "-n", "-f", "csv", "--signature", "-o", tmp_path / name, *typed)
        assert done.status == 0
        return tmp_path / name

    return join


@pytest.fixture
def cut(sample, tmp_path: Path):
    """Return a function that writes the first run of the sample down to a rank."""

    def written(depth: int) -> Path:
        path = tmp_path / sample[1].name.removesuffix(".gz")
        lines = gzip.decompress(sample[1].read_bytes()).decode().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if int(line.split()[3]) <= depth))
        return path

    return written


def signature_of(path: Path) -> str:
    """The signature of the first row."""
    with path.open(newline="") as file:
        return next(csv.DictReader(file))["signature"]


def options(files: dict[str, Path], order: str) -> list[str]:
    return [option for name in order for option in ("--scores", f"{name}={files[name]}")]


def test_no_mean_of_groups_that_were_left_out_is_best(run, stored):
    groups = stored("g.csv", "standardize -m map --leave-out group --group-by ref(.)", slice(None))
    plain = stored("s.csv", "standardize -m map", slice(None))
    done = run("eval", "-f", "latex", *options({"g": groups, "s": plain}, "gs"))
    assert "textbf" not in done.stdout


def test_factors_of_other_judgments_than_a_file_are_told(run, stored, sample, tmp_path: Path):
    """Both files name their judgments, which differ only between the files."""
    files = {name: stored(f"{name}.csv", "eval -m map") for name in "xy"}
    factors, (qrels, *paths) = tmp_path / "factors.csv", sample
    assert run("factors", "-m", "map", "-o", factors, qrels, *paths[:12]).status == 0
    factors.write_text(factors.read_text().replace("map.", "x:map.").replace(",9ba14b94,", ",93cfb7c6,"))
    done = run("check", "-F", factors, "--min", "x:Nmap=0", *options(files, "xy"))
    assert done.status == 2
    assert "judgments" in done.stderr


def test_a_file_without_some_topics_is_refused_as_if_it_stood_alone(run, stored):
    files = {"x": stored("x.csv", "eval -m map"), "y": stored("y.csv", "eval -m P.10")}
    lines = files["x"].read_text().splitlines(keepends=True)
    files["x"].write_text("".join(line for line in lines if line < "ref01,326" or "run," in line))
    done = run("check", "--min", "x:map=0.001", *options(files, "xy"))
    assert done.status == 2


@pytest.mark.parametrize("n_references", [40, 12])
def test_factors_are_compared_although_raw_scores_stand_beside(run, stored, sample, joined, tmp_path, n_references):
    """By other factors, a run may lose or gain much without any change of its documents."""
    qrels, *paths = sample
    raw = stored("raw.csv", "eval -m map", slice(1, 2))
    for name, n in (("all.csv", 40), ("few.csv", n_references)):
        assert run("factors", "-m", "map", "-o", tmp_path / name, qrels, *paths[:n]).status == 0
    new = stored("new.csv", f"standardize -m map -F {tmp_path / 'few.csv'}", slice(1, 2))
    old = stored("old.csv", f"standardize -m map -F {tmp_path / 'all.csv'}", slice(1))
    typed = ["check", "--max-drop", "Nmap=0.3", "--baseline", old]
    alone = run(*typed, "--scores", new)
    beside = run(*typed, "--scores", new, "--scores", f"raw={raw}")
    both = run(
        *typed[:2],
        "std:Nmap=0.3",
        "--baseline",
        joined("o.csv", std=old, raw=stored("r.csv", "eval -m map", slice(1))),
        "--scores",
        joined("n.csv", std=new, raw=raw),
    )
    status = 0 if n_references == 40 else 2
    assert [done.status for done in (alone, beside, both)] == [status] * 3, beside.stderr


def test_what_is_known_of_standardized_columns_is_stored_with_them(run, stored, joined, tmp_path):
    groups = stored(
        "g.csv", "standardize -m map --scheme u --ab 0.2,0.4 --leave-out group --group-by ref(.)", slice(19)
    )
    plain = stored("s.csv", "standardize -m map --round 3", slice(19))
    raw = stored("raw.csv", "eval -m map", slice(19))
    path = joined("j.csv", g=groups, s=plain, raw=raw)
    signature = signature_of(path)
    for field in ("|scheme:raw N U(0.2,0.4)|", "|round:3|leave-out:group(", "|references:9-19"):
        assert field in signature
    done = run("eval", "-f", "latex", "--scores", path)
    assert "No run is bold by standardized scores" in done.stdout
    one, alone = signature_of(joined("one.csv", s=plain, raw=raw)), signature_of(plain)
    assert one.split("|")[-2:] == alone.split("|")[-2:]


def test_stored_factors_of_other_judgments_are_told_of_joined_columns(run, stored, joined, sample, tmp_path):
    shallow = tmp_path / "shallow.qrels"
    shallow.write_text(run("pool", "-d", 5, *sample[:10]).stdout)
    assert run("factors", "-m", "map", "-o", tmp_path / "f.csv", shallow, *sample[1:14]).status == 0
    std = stored("n.csv", f"standardize -m map -F {tmp_path / 'f.csv'}")
    done = run(
        "check", "--min", "std:Nmap=0.001", "--scores", joined("j.csv", std=std, raw=stored("r.csv", "eval -m map"))
    )
    assert done.status == 2


def test_one_column_of_joined_files_has_the_origin_of_its_file(run, stored, tmp_path):
    files = {"x": stored("x.csv", "eval -M 10 -m map", slice(5)), "y": stored("y.csv", "eval -m P_10", slice(5))}
    done = run("factors", "-m", "x:map", *options(files, "xy"))
    assert [row["options"] for row in done.rows] == ["-M 10"] * 50
    std = {"x": files["x"], "n": stored("n.csv", "standardize -m map", slice(5))}
    signed = run("eval", "-f", "csv", "--signature", "-m", "n:Nmap", *options(std, "xn")).rows[0]["signature"]
    assert signed.split("|")[3:] == signature_of(std["n"]).split("|")[3:]


def test_a_signature_names_the_judgments_that_all_files_name(run, stored):
    files = {"x": stored("x.csv", "eval -m map"), "y": stored("y.csv", "eval -m P.10")}
    for name, kept in (("x", range(301, 326)), ("y", range(326, 351))):
        lines = files[name].read_text().splitlines()
        rows = [line.rpartition(",")[0] for line in lines]
        parted = [row for row in rows if row.startswith("run,") or int(row.split(",")[1]) in kept]
        files[name].write_text("\n".join([*parted, ""]))
    signed = run("eval", "--signature", "-f", "table", *options(files, "xy")).stdout
    assert "|qrels:unknown|" in signed


def test_topics_of_two_collections_are_the_same_ones_in_files_of_other_names(run, write):
    """A file with more measures of one collection neither doubles its topics nor changes what its runs have."""

    def stored(name: str, measure: str) -> Path:
        pairs = [(topic, rank) for topic in range(9) for rank in range(5)]
        qrels = write(f"{name}.qrels", [f"{topic} 0 {name}{rank} {rank % 2}" for topic, rank in pairs])
        runs = [
            write(
                f"{name}{i}.run",
                [f"{topic} Q0 {name}{(rank + i * topic) % 5} {rank} {9 - rank} {name}{i}" for topic, rank in pairs],
            )
            for i in range(3)
        ]
        done = run("eval", "-q", "-n", "-f", "csv", "--signature", "-m", measure, qrels, *runs)
        return write(f"{name}.{measure}.csv", done.stdout)

    early, late, more = stored("early", "map"), stored("late", "map"), stored("early", "P_5")
    typed = ["compare", "--unpaired", "-m", "map", "--scheme", "n", "-f", "csv", "--signature"]
    two = run(*typed, "--scores", early, "--scores", late)
    three = run(*typed, "--scores", early, "--scores", late, "--scores", f"x={more}")
    assert "|topics:18|" in two.rows[0]["signature"]
    assert two.rows == three.rows
