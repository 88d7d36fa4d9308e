"""Scores files joined by column: what is said of one file is said as if it stood alone, whatever is beside it."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

JUDGED_ONLY = "-J leaves out the unjudged documents: a run with many of them may only seem good"
GROUPS = "each group has other reference runs, which flatters a strong group"


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


@pytest.mark.parametrize("order", ["pj", "jp"])
@pytest.mark.parametrize("command", ["compare", "eval -f markdown", "topics", "check --baseline ref02"])
def test_judged_documents_only_are_told_of_their_column(run, stored, order: str, command: str):
    files = {"p": stored("p.csv", "eval -m P.10"), "j": stored("j.csv", "eval -J -m P.10")}
    for name, is_told in (("j", True), ("p", False)):
        measure = ["--max-drop", f"{name}:P_10=0.9"] if command.startswith("check") else ["-m", f"{name}:P_10"]
        assert (JUDGED_ONLY in run(*command.split(), *measure, *options(files, order)).stderr) is is_told


def test_no_mean_of_groups_that_were_left_out_is_best(run, stored):
    groups = stored("g.csv", "standardize -m map --leave-out group --group-by ref(.)", slice(None))
    plain = stored("s.csv", "standardize -m map", slice(None))
    done = run("eval", "-f", "latex", *options({"g": groups, "s": plain}, "gs"))
    assert "textbf" not in done.stdout
    assert GROUPS in done.stderr


@pytest.mark.parametrize("order", ["sd", "ds"])
def test_the_depth_of_a_file_is_told_of_its_columns(run, stored, joined, sample, cut, tmp_path: Path, order: str):
    """The first run is cut in one file only. If both are stored in one, each has num_ret under its prefix."""
    qrels, _, second, *_ = sample
    files = {"s": tmp_path / "s.csv", "d": stored("d.csv", "eval -m map -m num_ret")}
    shallow = ("eval", "-q", "-n", "-f", "csv", "-m", "map", "-m", "num_ret", "-o", files["s"])
    assert run(*shallow, qrels, cut(5), second).status == 0
    in_one_file = ["--scores", joined("j.csv", **{name: files[name] for name in order})]
    for given in (options(files, order), in_one_file):
        told = [
            "has 5 documents per topic on average" in run("compare", "-m", f"{name}:map", *given).stderr
            for name in "sd"
        ]
        assert told == [True, False]


def test_factors_of_other_judgments_than_a_file_are_told(run, stored, sample, tmp_path: Path):
    """Both files name their judgments, which differ only between the files."""
    files = {name: stored(f"{name}.csv", "eval -m map") for name in "xy"}
    factors, (qrels, *paths) = tmp_path / "factors.csv", sample
    assert run("factors", "-m", "map", "-o", factors, qrels, *paths[:12]).status == 0
    factors.write_text(factors.read_text().replace("map.", "x:map.").replace(",9ba14b94,", ",93cfb7c6,"))
    done = run("check", "-F", factors, "--min", "x:Nmap=0", *options(files, "xy"))
    assert done.status == 2
    assert "factors of 1 of 50 topics were made from other judgments" in done.stderr


def test_a_file_without_some_topics_is_refused_as_if_it_stood_alone(run, stored):
    files = {"x": stored("x.csv", "eval -m map"), "y": stored("y.csv", "eval -m P.10")}
    lines = files["x"].read_text().splitlines(keepends=True)
    files["x"].write_text("".join(line for line in lines if line < "ref01,326" or "run," in line))
    done = run("check", "--min", "x:map=0.001", *options(files, "xy"))
    assert (done.status, "scores by x:map of 25 of the 50 topics of the judgments" in done.stderr) == (2, True)
    assert "scores by x:map of 25 of the 50 topics" in run("eval", "-f", "table", *options(files, "xy")).stderr


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
    assert GROUPS in done.stderr
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
    assert (done.status, "factors from other judgments or options than theirs" in done.stderr) == (2, True)


def test_one_column_of_joined_files_has_the_origin_of_its_file(run, stored, tmp_path):
    files = {"x": stored("x.csv", "eval -M 10 -m map", slice(5)), "y": stored("y.csv", "eval -m P_10", slice(5))}
    done = run("factors", "-m", "x:map", *options(files, "xy"))
    assert [row["options"] for row in done.rows] == ["-M 10"] * 50
    std = {"x": files["x"], "n": stored("n.csv", "standardize -m map", slice(5))}
    signed = run("eval", "-f", "csv", "--signature", "-m", "n:Nmap", *options(std, "xn")).rows[0]["signature"]
    assert signed.split("|")[3:] == signature_of(std["n"]).split("|")[3:]


@pytest.mark.parametrize("prefix", ["", "x:"])
def test_factors_tell_the_depth_of_the_references_under_any_prefix(run, stored, sample, tmp_path, prefix: str):
    qrels, first, *_ = sample
    name = [
        "--scores",
        f"{prefix.rstrip(':')}={stored('refs.csv', 'eval -m map -m num_ret -m num_rel', slice(12))}",
    ]
    given = name if prefix else [*name[:1], name[1].removeprefix("=")]
    factors = tmp_path / "f.csv"
    assert run("factors", *(f"-m{prefix}{each}" for each in ("map", "num_ret")), "-o", factors, *given).status == 0
    cut = tmp_path / "cut.run"
    lines = gzip.decompress(first.read_bytes()).decode().splitlines(keepends=True)
    cut.write_text("".join(line for line in lines if int(line.split()[3]) <= 60))
    short = tmp_path / "short.csv"
    assert (
        run(
            "eval", "-q", "-n", "-f", "csv", "--signature", "-m", "map", "-m", "num_ret", "-o", short, qrels, cut
        ).status
        == 0
    )
    run_scores = f"{prefix.rstrip(':')}={short}" if prefix else short
    done = run("check", "-F", factors, "--min", f"{prefix}Nmap=0.001", "--scores", run_scores)
    assert "has 60 documents per topic on average, and 'references (mean)' 100" in done.stderr


def test_a_signature_names_the_judgments_that_all_files_name(run, stored):
    files = {"x": stored("x.csv", "eval -m map"), "y": stored("y.csv", "eval -m P.10")}
    for name, kept in (("x", range(301, 326)), ("y", range(326, 351))):
        lines = files[name].read_text().splitlines()
        rows = [line.rpartition(",")[0] for line in lines]
        parted = [row for row in rows if row.startswith("run,") or int(row.split(",")[1]) in kept]
        files[name].write_text("\n".join([*parted, ""]))
    signed = run("eval", "--signature", "-f", "table", *options(files, "xy")).stdout
    assert "|qrels:unknown|" in signed


@pytest.mark.parametrize(("measure", "told"), [("c:map", "computed with -c"), ("s:map", "69.4% have none")])
def test_the_caveats_of_a_page_are_those_of_the_file_of_its_measure(run, stored, sample, tmp_path, measure, told):
    shallow, page = tmp_path / "shallow.qrels", tmp_path / "page.html"
    assert run("pool", "-d", 2, "-o", shallow, *sample[:8]).status == 0
    files = {"d": stored("d.csv", "eval -m map -m judged_10 -m num_ret"), "c": stored("c.csv", "eval -c -m map")}
    files["s"] = tmp_path / "s.csv"
    form = ("-q", "-n", "-f", "csv", "--signature", "-m", "map", "-m", "judged_10", "-o", files["s"])
    assert run("eval", *form, shallow, *sample[1:3]).status == 0
    assert run("report", "--scheme", "raw", "-m", measure, *options(files, "dcs"), "-o", page).status == 0
    caveats = page.read_text("utf-8").partition("<h3>Caveats</h3>")[2].partition("</div>")[0]
    assert told in caveats
    assert ("have none" in caveats) is (measure == "s:map")


def test_topics_that_a_file_of_one_of_two_collections_lacks_are_told(run, write):
    """The joined table does not know how many topics each of them has."""

    def stored(name: str, n_topics: int) -> Path:
        qrels = write(
            f"{name}.qrels",
            [f"{topic} 0 {name}{rank} {rank % 2}" for topic in range(1, n_topics + 1) for rank in range(5)],
        )
        runs = [
            write(
                f"{name}{i}.run",
                [
                    f"{topic} Q0 {name}{(rank + i * topic) % 5} {rank} {9 - rank} {name}{i}"
                    for topic in range(1, n_topics + 1)
                    for rank in range(5)
                ],
            )
            for i in range(3)
        ]
        return write(
            f"{name}.csv", run("eval", "-q", "-n", "-f", "csv", "--signature", "-m", "map", qrels, *runs).stdout
        )

    early, late = stored("early", 12), stored("late", 8)
    whole = early.read_text().splitlines()
    cut = write("cut.csv", [whole[0], *(line for line in whole[1:] if int(line.split(",")[1]) <= 5)])
    told = "scores of 5 of the 12 topics of the judgments: the others are left out\n"
    unpaired = ["compare", "--unpaired", "--welch", "--scheme", "n", "-m", "map"]
    assert f"{cut}: {told}" in run(*unpaired, "--scores", cut, "--scores", late).stderr
    assert "topics of the judgments" not in run(*unpaired, "--scores", early, "--scores", late).stderr
    same = write("late2.csv", late.read_text().replace("late", "early"))
    assert told in run("meta", "collections", "-m", "map", cut, write("same.csv", same.read_text())).stderr
    assert told in run("meta", "references", "--trials", "5", "--references", "2", "--scores", cut).stderr
    more = write("more.csv", [*whole, *(line.replace(",12,", ",Mean,") for line in whole if ",12," in line)])
    assert (
        f"{more}: scores of 13 topics, but the judgments have 12\n"
        in run(*unpaired, "--scores", more, "--scores", late).stderr
    )


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


@pytest.mark.parametrize("option", ["-c", "-J", "-M 10"])
def test_a_file_of_columns_with_different_options_does_not_tell_them(run, stored, joined, option: str):
    files = {"x": stored("x.csv", f"eval {option} -m map"), "y": stored("y.csv", "eval -m P_10")}
    path = joined("j.csv", **files)
    told = f"{path}: the signature does not tell the options (such as -c, -J and -M) with which"
    assert told in run("compare", "-m", "x:map", "--scores", path).stderr
    assert "does not tell the options" not in run("compare", "-m", "x:map", *options(files, "xy")).stderr
