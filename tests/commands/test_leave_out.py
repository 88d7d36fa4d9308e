"""--leave-out in every command that standardizes runs by themselves: groups, refusals and warnings."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores
from stdeval.standardization.factors import fit_factors
from stdeval.standardization.leave_out import fit_others, standardize_by_others
from stdeval.standardization.schemes import standardize

RUNS = [f"{team}{i}" for team in ("uw", "sab", "ir", "cs") for i in range(4)]


def scores_text(seed: int = 1) -> str:
    rng = np.random.default_rng(seed)
    rows = [f"{run},{topic},{rng.random():.4f},{rng.integers(0, 11) / 10}" for run in RUNS for topic in range(1, 9)]
    return "\n".join(["run,topic,map,P_10", *rows]) + "\n"


@pytest.fixture
def scores(write) -> Path:
    return write("scores.csv", scores_text())


@pytest.fixture
def groups(write) -> Path:
    return write("groups.csv", ["run,group", *(f"{run},{run[:-1]}" for run in reversed(RUNS))])


def values_of(text: str, measure: str) -> list[float]:
    return [float(row[measure]) for row in csv.DictReader(text.splitlines())]


@pytest.mark.parametrize("scheme", "ZNUEM")
def test_each_run_by_factors_of_the_others(run, scores, scheme):
    """Against the library's own refit of the factors, run by run."""
    table = read_scores(Input(str(scores)))
    done = run(
        "standardize", "--leave-out", "run", "--scheme", scheme.lower(), "-q", "-f", "csv", "-n", "--scores", scores
    )
    assert (done.status, "15 reference runs" in done.stderr) == (0, scheme in "EM")
    for measure in table.measures:
        expected = []
        for system in table.systems:
            rest = table.select(systems=[name for name in table.systems if name != system])
            own = standardize(table.select(systems=[system]), fit_factors(rest), scheme)
            expected += own.measure(scheme + measure)[0].tolist()
        np.testing.assert_allclose(values_of(done.stdout, scheme + measure), expected, rtol=1e-9, atol=1e-12)


def test_groups_by_file_and_by_pattern_are_the_same(run, write, scores, groups):
    base = ("standardize", "--leave-out", "group", "-q", "-f", "csv", "-n", "--scores", scores)
    by_file = run(*base, "--groups", groups)
    assert (by_file.status, by_file.stderr) == (0, "")
    rows = [line.split(",") for line in groups.read_text().splitlines()[1:]]
    leaderboard = write("board.csv", ["tag,report,team,MAP", *(f"{name},x,{team},0.5" for name, team in rows)])
    assert run(*base, "--groups", leaderboard).raw == by_file.raw
    assert run(*base, "--group-by", "[a-z]+").raw == by_file.raw
    assert run(*base, "--group-by", "([a-z]+)[0-9]").raw == by_file.raw
    others = fit_others(read_scores(Input(str(scores))), [name[:-1] for name in RUNS])
    expected = standardize_by_others(others, "N").measure("Nmap").ravel().tolist()
    assert values_of(by_file.stdout, "Nmap") == expected
    assert run(*base[:1], "--leave-out", "run", *base[3:]).raw != by_file.raw


def test_runs_are_named_by_their_tags(run, write, groups):
    qrels = write("qrels", [f"{topic} 0 d{i} {i % 2}" for topic in "1234" for i in range(4)])
    files = []
    for place, name in enumerate(RUNS):
        lines = [f"{t} Q0 d{(i * (place + 1) + int(t)) % 4} 0 {4 - i} {name}" for t in "1234" for i in range(3)]
        files.append(
            write(f"{place}.run", list({line.split()[0] + line.split()[2]: line for line in lines}.values()))
        )
    done = run("standardize", "--leave-out", "group", "--groups", groups, "--scheme", "m", qrels, *files)
    assert done.status == 0
    depth = ("meta", "depth", "--form", "standardized", "-m", "map", "--pool-depth", 2, "--eval-depth", 2)
    assert run(*depth, "--leave-out", "run", qrels, *files).stdout != run(*depth, qrels, *files).stdout != ""
    done = run("standardize", "--leave-out", "group", "--groups", groups, "--label", "file", qrels, *files)
    assert (done.status, done.raw) == (2, b"")
    assert f"{groups}:2: no run 'cs3' is evaluated" in done.stderr


COMMANDS = [
    ("compare", "--scheme", "e", "--scores", "scores.csv"),
    ("report", "--scores", "scores.csv", "-o", "-"),
    ("plot", "heatmap", "--scores", "scores.csv", "-m", "map", "-o", "-"),
    ("plot", "means", "--scheme", "m", "--scores", "scores.csv", "-m", "map", "-o", "-"),
    ("plot", "topics", "--scores", "scores.csv", "-m", "map", "-o", "-"),
    (
        "meta",
        "power",
        "--scheme",
        "z",
        *(w for a in range(1, 50) for w in ("--alpha", a / 100)),
        "--scores",
        "scores.csv",
    ),
    ("meta", "rank", "--scheme", "n", "--scores", "scores.csv"),
    ("meta", "split", "--scheme", "n", "--trials", 9, "--scores", "scores.csv"),
    ("meta", "within", "--trials", 9, "--topics", 4, "--scores", "scores.csv"),
    ("meta", "between", "--trials", 9, "--topics", 4, "--scores", "scores.csv"),
    ("meta", "collections", "scores.csv", "other.csv"),
]


@pytest.mark.parametrize("typed", COMMANDS, ids=lambda typed: "-".join(typed[:2]))
def test_every_command_leaves_out_what_is_asked(run, scores, groups, write, monkeypatch, tmp_path, typed):
    write("other.csv", scores_text(2))
    monkeypatch.chdir(tmp_path)
    plain, by_run, by_group = (
        run(*typed, *options)
        for options in ((), ("--leave-out", "run"), ("--leave-out", "group", "--groups", "groups.csv"))
    )
    assert [done.status for done in (plain, by_run, by_group)] == [0, 0, 0]
    assert len({plain.raw, by_run.raw, by_group.raw}) == 3


def test_a_report_says_what_is_left_out(run, scores):
    page = run("report", "--scores", scores, "-o", "-", "--leave-out", "run").stdout
    assert "--leave-out run, each run is standardized by the others" in page
    page = run("report", "--scores", scores, "-o", "-", "--leave-out", "group", "--group-by", "[a-z]+").stdout
    assert "--leave-out group, each run is standardized by the runs of other groups" in page


def test_collections_share_one_file_of_groups(run, write, scores, groups, tmp_path):
    """Either collection lacks a run that the file names; a run of none of them is refused."""
    lines = scores_text(2).splitlines()
    first = write("first.csv", [line for line in lines if not line.startswith("uw0,")])
    second = write("second.csv", [line for line in lines if not line.startswith("cs3,")])
    options = ("--leave-out", "group", "--groups", groups)
    assert run("meta", "collections", first, second, *options).status == 0
    done = run("meta", "collections", first, first, *options)
    assert (done.status, done.raw) == (2, b"")
    assert "no run 'uw0' is evaluated" in done.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("run,topic\na,b\n", "g.csv:1: header 'run,topic', expected the columns run and group"),
        ("a,run,group\n\nx,uw0\n", "g.csv:3: 2 columns, expected the 3 of the header"),
        (
            "run,group,team\na,uw,uw\nb,uw,cmu\n",
            "g.csv:3: 'uw' and 'cmu' in the columns group and team, expected one such column",
        ),
        ("uw0,uw\n", "g.csv:1: header 'uw0,uw', expected the columns run and group"),
        ("run,group\n\nuw0,uw,x\n", "g.csv:3: 3 columns, expected the 2 of the header"),
        ("run,group\nuw0,\n", "g.csv:2: an empty field, expected a run and its group"),
        ("run,group\nuw0,NA\n", "g.csv:2: group 'NA', which is a missing value, expected a group"),
        ("run,group\nuw0,uw\nuw0,ir\n", "g.csv:3: run 'uw0' appears twice, expected it once"),
        ("run,group\nuw0,uw\nstrange,uw\n", "g.csv:3: no run 'strange' is evaluated, expected one of: uw0, uw1"),
        ("run,group\nuw0,uw\n", "g.csv: 15 of 16 runs without a group (e.g. 'uw1'), expected a row for each"),
        ("", "g.csv: no rows"),
    ],
)
def test_files_of_groups_refused(run, write, scores, content: str, words: str):
    path = write("g.csv", content)
    done = run("standardize", "--leave-out", "group", "--groups", path, "--scores", scores)
    assert (done.status, done.raw) == (2, b"")
    assert words in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["group"], "expected --groups FILE or --group-by REGEX, one of them"),
        (["group", "--group-by", "x", "--groups", "-"], "expected --groups FILE or --group-by REGEX, one of them"),
        (["group", "--group-by", "("], "--group-by (: not a regular expression"),
        (["group", "--group-by", "uw"], "'uw' does not match the beginning of 12 of 16 runs (e.g. 'sab0')"),
        (["group", "--group-by", "x*"], "does not match the beginning of 16 of 16 runs"),
        (["group", "--group-by", "[a-z](q)?"], "does not match the beginning of 16 of 16 runs"),
        (["group", "--group-by", "[a-z]"], None),
        (["group", "--group-by", "()?."], "does not match"),
    ],
)
def test_groups_refused(run, scores, options: list[str], words: str | None):
    done = run("standardize", "--scores", scores, "--leave-out", *options)
    assert done.status == (0 if words is None else 2)
    assert words is None or words in done.stderr


def test_one_group_is_refused(run, scores):
    one_group = "\n".join(["run,group", *(f"{name},x" for name in RUNS)]).encode()
    done = run("standardize", "--scores", scores, "--leave-out", "group", "--groups", "-", stdin=one_group)
    assert (done.status, done.raw) == (2, b"")
    assert "16 runs in 1 group: fewer than two reference runs are left for each run" in done.stderr


def test_few_references_are_counted_in_one_warning(run, write):
    """Runs a, b and c are one group, so that only d is left for them."""
    rows = [f"{name},{topic},0.{place}{topic}" for place, name in enumerate("abcd") for topic in (1, 2)]
    scores = write("s.csv", ["run,topic,map", *rows])
    groups = write("g.csv", ["run,group", "a,x", "b,x", "c,x", "d,y"])
    done = run("standardize", "--leave-out", "group", "--groups", groups, "--scheme", "e", "--scores", scores)
    few, alone = done.stderr.splitlines()
    assert "3 reference runs" in few
    assert "fewer than two reference runs are left for 3 of 4 runs (e.g. 'a')" in alone
    # By all three others, d is the best on both topics; the scores of the others are undefined.
    assert [line for line in done.stdout.splitlines() if line.startswith("E")] == [
        "Emap                   \tall\t1.0000"
    ]


def test_a_topic_that_one_run_alone_solves(run, write):
    rows = [f"{name},{topic},{0.4 if name == 'd' else 0}" for name in "abcd" for topic in (1,)]
    more = [f"{name},2,0.{place}" for place, name in enumerate("abcd")]
    scores = write("s.csv", ["run,topic,map", *rows, *more])
    done = run("standardize", "--leave-out", "run", "--scheme", "z", "--scheme", "m", "-q", "--scores", scores)
    assert "equal reference scores (sd 0) for 1 of 2 topics (e.g. '1'): Z leaves" in done.stderr
    assert done.stdout.count("Zmap                   \t1\t") == 0
    assert done.stdout.count("Mmap                   \t1\t1.0000") == 1
    done = run("standardize", "--leave-out", "run", "--scores", scores)
    assert "equal reference" not in done.stderr


def test_meta_depth_groups_runs_by_their_names(run, sample):
    typed = ["meta", "depth", "-m", "AP", "--pool-depth", 5, "--eval-depth", 5, "--form", "standardized"]
    typed += ["--leave-out", "group", "--group-by"]
    wrong = run(*typed, "[0-9]", *sample[:7])
    assert (wrong.status, wrong.raw) == (2, b"")
    assert "does not match the beginning of 6 of 6 runs (e.g. 'ref01')" in wrong.stderr
    assert run(*typed, "ref0[1-3]|ref0[4-6]", *sample[:7]).status == 0


def test_signature_of_left_out_groups_tells_the_groups_apart(run, write):
    rows = [f"{name},{topic},{0.1 * i + 0.05 * topic}" for i, name in enumerate("abcd") for topic in (1, 2)]
    scores = write("sg.csv", ["run,topic,map", *rows])
    signed = {}
    for name, groups in {"one": "xxyy", "two": "xyyx", "same": "xxyy"}.items():
        listed = write(f"{name}.csv", ["run,group", *map(",".join, zip("abcd", groups, strict=True))])
        leave = ["--leave-out", "group", "--groups", listed, "--signature"]
        signed[name] = run("standardize", "--scores", scores, *leave).stdout.splitlines()[-1]
    assert signed["one"] == signed["same"]
    assert signed["one"].split("|leave-out:")[1][:15] != signed["two"].split("|leave-out:")[1][:15]


@pytest.mark.parametrize("command", ["standardize --raw", "compare --scheme raw --scheme n"])
def test_no_run_is_bold_if_groups_are_left_out(run, scores, groups, command):
    typed = (*command.split(), "--scores", scores, "-m", "map", "-f", "markdown", "--leave-out")
    by_run, by_group = run(*typed, "run").stdout, run(*typed, "group", "--groups", groups).stdout
    assert [line.count("**") for line in by_run.splitlines() if "**" in line] in ([2, 2], [4])
    (bold,) = (line for line in by_group.splitlines() if "**" in line)
    assert bold.split("|")[2].strip().startswith("**")
    told = "because each group has other reference runs, which flatters a strong group"
    assert (told in by_group, told in by_run) == (True, False)


@pytest.mark.parametrize("command", ["eval", "compare"])
def test_no_run_is_bold_by_stored_scores_if_groups_were_left_out(run, scores, groups, tmp_path, command):
    stored = {name: tmp_path / f"{name}.csv" for name in ("run", "group")}
    typed = ("standardize", "--scores", scores, "-m", "map", "--raw", "-q", "-f", "csv", "--signature")
    assert run(*typed, "--leave-out", "run", "-o", stored["run"]).status == 0
    assert run(*typed, "--leave-out", "group", "--groups", groups, "-o", stored["group"]).status == 0
    by_run, by_group = (run(command, "--scores", stored[name], "-f", "markdown") for name in ("run", "group"))
    assert [line.count("**") for line in by_run.stdout.splitlines() if "**" in line] in ([2, 2], [4])
    (bold,) = (line for line in by_group.stdout.splitlines() if "**" in line)
    assert bold.split("|")[2].strip().startswith("**")
    why = "each group has other reference runs, which flatters a strong group"
    assert (f"because {why}" in by_group.stdout, why in by_run.stdout) == (True, False)
    anew = run("compare", "--scheme", "n", "--scores", stored["group"], "-m", "map", "-f", "markdown")
    assert ("**" in anew.stdout, why in anew.stdout) == (True, False)
