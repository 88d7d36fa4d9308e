"""Factors that were made from other judgments, or with other options, than the scores that they standardize."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from tests.conftest import SAMPLE


@pytest.fixture(scope="module")
def cranfield(shared: Path) -> tuple[Path, list[Path]]:
    names = ("idf-sum", "lsi-20", "jaccard")
    return shared / "cranfield" / "qrels.txt", [shared / "cranfield" / "runs" / f"{n}.run.gz" for n in names]


@pytest.fixture
def made(run, cranfield, tmp_path: Path):
    """Factors made with some options, of the judgments given or of the collection's."""

    def factors(*options: object, qrels: Path | None = None) -> Path:
        path = tmp_path / f"factors{len(list(tmp_path.iterdir()))}.csv"
        done = run("factors", "-m", "map", "-o", path, *options, qrels or cranfield[0], *cranfield[1])
        assert done.status == 0
        return path

    return factors


def warned(done) -> list[str]:
    return [line for line in done.stderr.splitlines() if re.search(" topics? have ", line)]


STANDARDIZING = [
    "standardize -m map",
    "compare -m map",
    "meta power -m map",
    "meta rank -m map --scheme n --scheme z",
]


@pytest.mark.parametrize("form", [[], ["--empirical"]])
def test_other_judgments_are_one_warning_with_a_count(run, cranfield, made, write, form):
    qrels, runs = cranfield
    lines = qrels.read_text().splitlines()
    changed = [f"{line.rsplit(maxsplit=1)[0]} 0" if line.split()[0] in ("1", "2") else line for line in lines]
    factors = made(*form, qrels=write("changed.qrels", changed))
    for command in STANDARDIZING:
        (line,) = warned(run(*command.split(), "-F", factors, qrels, *runs))
        assert f"{factors}: 2 of 225 topics have other judgments" in line


@pytest.mark.parametrize("form", [[], ["--empirical"]])
def test_other_options_are_one_warning(run, cranfield, made, form):
    qrels, runs = cranfield
    at_2 = made(*form, "-l", 2, "-c")
    (line,) = warned(run("standardize", "-F", at_2, qrels, *runs))
    assert "225 of 225 topics have -l 2, here the default options" in line
    (line,) = warned(run("standardize", "-F", made(*form), "-M", 9, "-J", "-c", qrels, *runs))
    assert "here -M 9 -J" in line
    assert warned(run("standardize", "-F", at_2, "-l", 2, qrels, *runs)) == []


def test_the_same_judgments_and_c_are_no_warning(run, cranfield, made):
    qrels, runs = cranfield
    for options in ([], ["-c"], ["--empirical"]):
        factors = made(*options)
        for command in STANDARDIZING:
            assert warned(run(*command.split(), "-F", factors, qrels, *runs)) == []


def without(path: Path, write, *, empty: bool) -> Path:
    """The factors without what their columns `judgments` and `options` say, or without these columns."""
    rows = [line.split(",") for line in path.read_text().splitlines()]
    kept = [
        [*row[:2], *(row[2:4] if i == 0 else ["", ""] if empty else []), *row[4:]] for i, row in enumerate(rows)
    ]
    kept[0] = rows[0] if empty else [*rows[0][:2], *rows[0][4:]]
    return write(f"without-{empty}.csv", [",".join(row) for row in kept])


def test_files_that_do_not_say_it_are_read_as_before(run, cranfield, made, write, tmp_path):
    qrels, runs = cranfield
    at_2 = made("-l", 2)
    zscores = tmp_path / "z.txt"
    done = run("convert", at_2, "--to", "zscores", "--digits", 17, "-o", zscores)
    assert "the judgments and options" in done.stderr
    expected = run("standardize", "-F", at_2, "-m", "map", qrels, *runs).raw
    for path in (zscores, without(at_2, write, empty=True), without(at_2, write, empty=False)):
        done = run("standardize", "-F", path, "-m", "map", qrels, *runs)
        assert (done.raw, warned(done)) == (expected, [])


def test_convert_keeps_the_columns(run, made):
    for path, target in ((made("-l", 2, "-c"), "factors"), (made("--empirical", "-J"), "scores")):
        assert run("convert", path, "--to", target).stdout == path.read_text()


def test_joined_scores_keep_an_origin_that_is_the_same(run, cranfield, tmp_path):
    qrels, runs = cranfield
    first, second, other = (tmp_path / f"{name}.csv" for name in ("first", "second", "other"))
    for path, some, options in ((first, runs[:2], []), (second, runs[2:], []), (other, runs[2:], ["-l", 2])):
        path.write_text(
            run("eval", "-q", "-n", "-f", "csv", "--signature", "-m", "map", *options, qrels, *some).stdout
        )
    assert "judgments" in run("factors", "--scores", first, "--scores", second).rows[0]
    done = run("factors", "--scores", first, "--scores", other)
    assert (done.status, done.raw) == (2, b"")
    assert f"{other}: topic '1' has other judgments or options" in done.stderr
    unnamed = tmp_path / "unnamed.csv"
    unnamed.write_text(re.sub("(?m)^([^,]*,[^,]*),[^,]*,[^,]*,([^,]*),.*", r"\1,\2", second.read_text()))
    assert "judgments" not in run("factors", "--scores", first, "--scores", unnamed).rows[0]


def test_a_damaged_column_is_refused_with_its_line(run, write):
    head = "topic,n,judgments,options,map.mean,map.sd"
    spreadsheet = write("f.csv", [head, "1,9,9ba14b94,,0.5,0.1", "2,9,1.23E+45,,0.5,0.1"])
    done = run("convert", spreadsheet, "--to", "factors")
    assert (done.status, done.raw) == (2, b"")
    assert "f.csv:3: judgments '1.23E+45'" in done.stderr
    rows = ["run,topic,judgments,options,map", "a,1,9ba14b94,,0.5", "b,1,9ba14b95,,0.5"]
    done = run("factors", "--scores", write("s.csv", rows))
    assert (done.status, done.raw) == (2, b"")
    assert "s.csv:3: topic '1' with other judgments or options" in done.stderr


def test_systems_of_other_options_are_one_warning_in_every_role(run, cranfield, made):
    """Of meta references, whether their scores are stored or runs are given."""
    default, at_2 = made("--empirical"), made("--empirical", "-l", 2)
    size = ["--references", 2, "--trials", 9, "-m", "map"]
    for given in (["--scores", default], [cranfield[0], *cranfield[1]]):
        for role in ("--evaluate", "-F"):
            (line,) = warned(run("meta", "references", *size, role, at_2, *given))
            assert f"{at_2}: 225 of 225 topics have -l 2" in line
            assert warned(run("meta", "references", *size, role, default, *given)) == []
        assert len(warned(run("meta", "references", "--other", at_2, "-m", "map", *given))) == 1


def test_pools_of_depth_are_not_compared(run, cranfield, made):
    qrels, runs = cranfield
    factors = made("-m", "sp_cut_5")
    options = ["-m", "AP", "--pool-depth", 5, "--eval-depth", 5, "--form", "standardized"]
    assert warned(run("meta", "depth", "-F", factors, *options, qrels, *runs)) == []
    assert len(warned(run("meta", "depth", "-F", factors, *options, "-l", 2, qrels, *runs))) == 1


def test_an_option_that_changes_no_score_by_the_measures_is_not_compared(run, write, tmp_path):
    """The grade concerns err only: factors of err and map with another grade are those of map."""
    qrels = write("q", [f"{topic} 0 d{i} {(topic + i) % 3}" for topic in range(1, 6) for i in range(6)])
    runs = [
        write(
            f"{tag}.run",
            [f"{topic} Q0 d{i} 0 {(i * step + topic) % 7} {tag}" for topic in range(1, 6) for i in range(6)],
        )
        for tag, step in (("a", 1), ("b", 2), ("c", 3))
    ]
    factors, graded = tmp_path / "factors.csv", tmp_path / "graded.csv"
    made = ("factors", "-m", "err", "-m", "map", "--max-grade", 2, "-o", factors, qrels, *runs)
    assert run(*made).status == 0
    assert run("factors", "-m", "ndcg", "-l", 2, "-o", graded, qrels, *runs).status == 0
    assert warned(run("standardize", "-F", factors, "-m", "map", qrels, *runs)) == []
    assert run("check", "-F", factors, "--min", "Nmap=.0001", qrels, *runs).status == 0
    (line,) = warned(run("standardize", "-F", factors, "-m", "map", "-m", "err", qrels, *runs))
    assert "5 of 5 topics have --max-grade 2" in line
    assert warned(run("standardize", "-F", graded, "-m", "ndcg", qrels, *runs)) == []
    assert len(warned(run("standardize", "-F", graded, "-m", "ndcg", "--binary", qrels, *runs))) == 1


def test_judgments_are_compared_as_read_before_l_and_binary(run, write):
    qrels = write("q", [f"{topic} 0 d{i} {(topic + i) % 4 - 1}" for topic in range(1, 4) for i in range(6)])
    runs = [
        write(f"{tag}.run", [f"{topic} Q0 d{i} 0 {sign * i} {tag}" for topic in range(1, 4) for i in range(6)])
        for tag, sign in (("a", 1), ("b", -1))
    ]
    lines = {t: b"".join(b"d%d\0%d\n" % (i, (t + i) % 4 - 1) for i in range(6)) for t in range(1, 4)}
    expected = {str(t): hashlib.sha256(text).hexdigest()[:8] for t, text in lines.items()}
    for options in ((), ("-l", 2), ("-l", 2, "--binary"), ("-M", 3, "-J", "-c")):
        rows = run("factors", "--empirical", "-m", "map", "-m", "ndcg", *options, qrels, *runs).rows
        assert {row["topic"]: row["judgments"] for row in rows} == expected
        assert {row["options"] for row in rows} == {" ".join(map(str, options))}


def test_two_files_that_are_no_published_pair_are_refused(run):
    two = SAMPLE / "trec-covid" / "round5.csv", SAMPLE / "trec-covid" / "round4.csv"
    done = run("standardize", "-F", two[0], "-F", two[1], SAMPLE / "qrels.gz", SAMPLE / "new-a.run.gz")
    assert (done.status, done.stdout) == (2, "")
    assert f"{two[0]}: factors and another file" in done.stderr
