"""The baseline of `stdeval check`: one of the runs, another run, or its stored scores."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

# The rank of the one relevant document, for each of four topics; its reciprocal is the score.
RANKS = {"old": [1, 1, 2, 2], "new": [1, 2, 2, 4]}
OLD, NEW = (sum(1 / rank for rank in ranks) / 4 for ranks in RANKS.values())
DROP = ["--max-drop", "map=0.2"]
SAID = [
    f"PASS\tnew\tmax-drop map=0.2\tmean {NEW:.4f}, baseline {OLD:.4f} on 4 topics, "
    f"drop {OLD - NEW:.4f}, expected at most 0.2",
    "0 of 1 condition failed",
]


def run_lines(tag: str, ranks: list[int]) -> list[str]:
    return [
        f"{topic} Q0 {'rel' if rank == place else f'd{place}'} {place} {100 - place} {tag}"
        for topic, rank in enumerate(ranks, 1)
        for place in range(1, 5)
    ]


@pytest.fixture(autouse=True)
def _files(write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the judgments and two runs; the current one, so that files are named without it."""
    write("qrels", [f"{topic} 0 rel 1" for topic in range(1, 5)])
    for tag, ranks in RANKS.items():
        write(f"{tag}.run", run_lines(tag, ranks))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("baseline", ["old", "old.run", "./old.run"])
def test_one_of_the_runs(run, baseline: str):
    """By its name, by its file, or by its file in other words."""
    done = run("check", "qrels", "old.run", "new.run", "--baseline", baseline, *DROP)
    assert (done.stdout.splitlines(), done.status) == (SAID, 0)


def test_a_run_that_is_not_among_the_runs(run):
    done = run("check", "qrels", "new.run", "--baseline", "old.run", *DROP)
    assert (done.stdout.splitlines(), done.stderr, done.status) == (SAID, "", 0)


def test_a_run_with_the_same_tag_keeps_the_names_of_the_others(run, write):
    write("before.run", run_lines("new", RANKS["old"]))
    done = run("check", "qrels", "new.run", "--baseline", "before.run", *DROP)
    assert (done.stdout.splitlines(), done.stderr) == (SAID, "")


def test_a_run_is_evaluated_as_the_others_are(run):
    """With -M 1 only relevant documents at rank 1 count: two of four topics before, one now."""
    done = run("check", "qrels", "new.run", "--baseline", "old.run", "-M", 1, "--max-drop", "map=0.25")
    assert "mean 0.2500, baseline 0.5000 on 4 topics, drop 0.2500" in done.stdout


def test_standard_input_can_be_the_baseline_or_the_judgments(run):
    done = run("check", "qrels", "new.run", "--baseline", "-", *DROP, stdin=Path("old.run").read_bytes())
    assert (done.stdout.splitlines(), done.stderr) == (SAID, "")
    done = run("check", "-", "new.run", "--baseline", "old.run", *DROP, stdin=Path("qrels").read_bytes())
    assert (done.stdout.splitlines(), done.stderr) == (SAID, "")
    done = run("check", "-", "new.run", "--baseline", "-", *DROP, stdin=Path("qrels").read_bytes())
    assert (done.status, done.raw) == (2, b"")
    assert "standard input (-) can be read once only" in done.stderr


@pytest.fixture
def stored(run) -> str:
    """The scores of the old run in a CSV file."""
    typed = ("eval", "-q", "-f", "csv", "--signature", "-m", "map", "qrels", "old.run", "-o", "old.csv")
    assert run(*typed).status == 0
    return "old.csv"


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", ["old.run", "old.csv"])
def test_a_pipe_can_be_the_baseline(run, tmp_path: Path, stored: str, name: str, jobs: int):
    """Whether it is a run or stored scores is detected from the content, which a pipe has only once."""
    reading, writing = os.pipe()
    os.write(writing, (tmp_path / name).read_bytes())
    os.close(writing)
    done = run("check", "qrels", "new.run", "--baseline", f"/dev/fd/{reading}", "-j", jobs, *DROP)
    os.close(reading)
    assert (done.stdout.splitlines(), done.stderr) == (SAID, "")


def test_stored_scores_from_standard_input_can_be_the_baseline_of_runs(run, stored: str):
    typed = ("check", "qrels", "new.run", "--baseline", "-", *DROP)
    done = run(*typed, stdin=Path(stored).read_bytes())
    assert (done.stdout.splitlines(), done.stderr) == (SAID, "")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "<stdin>: "),
        (b"1 Q0 rel 1 nonsense old\n", "<stdin>:1: "),
        (b"run,topic,map\nold,1,.5\nold,2,x\n", "<stdin>:3: "),
        (b"run,topic,P_5\nold,1,.5\n", "<stdin>: no measure 'map'"),
        (b"run,topic,map\nold,1,.5\n", "<stdin>: the baseline has no scores for 3 topics"),
    ],
)
def test_messages_about_standard_input_name_it(run, content: bytes, told: str):
    done = run("check", "qrels", "new.run", "--baseline", "-", *DROP, stdin=content)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr.startswith(f"stdeval: {told}")


@pytest.mark.parametrize("arguments", [["qrels", "new.run"], ["--scores", "new.csv"]])
def test_stored_scores(run, arguments: list[str]):
    for tag in RANKS:
        typed = ("eval", "-q", "-f", "csv", "--signature", "-m", "map", "-m", "P.5", "qrels", f"{tag}.run")
        run(*typed, "-o", f"{tag}.csv")
    done = run("check", *arguments, "--baseline", "old.csv", *DROP)
    assert (done.stdout.splitlines(), done.stderr, done.status) == (SAID, "", 0)


def test_stored_scores_of_a_run_of_the_same_name(run, write):
    write("before.csv", ["run,topic,map", "new,1,1", "new,2,1", "new,3,.5", "new,4,.5"])
    done = run("check", "qrels", "new.run", "--baseline", "before.csv", *DROP)
    assert done.stdout.splitlines() == SAID


def test_stored_scores_are_standardized_as_the_others_are(run, write):
    write("factors.csv", ["topic,n,map.mean,map.sd", *(f"{topic},40,0.5,0.25" for topic in range(1, 5))])
    write("old.csv", ["run,topic,map", *(f"old,{topic},{1 / rank}" for topic, rank in enumerate(RANKS["old"], 1))])
    done = run(
        "check",
        "qrels",
        "new.run",
        "-F",
        "factors.csv",
        "--baseline",
        "old.csv",
        "--max-drop",
        "Zmap=9",
        "-f",
        "csv",
    )
    (row,) = done.rows
    means = float(row["mean"]), float(row["baseline"])
    assert means == pytest.approx(((NEW - 0.5) / 0.25, (OLD - 0.5) / 0.25))


def test_stored_scores_may_be_exact_where_printed_ones_would_be_a_drop(run):
    """A stored baseline of the same run has exactly the same scores."""
    run("eval", "-q", "-f", "csv", "-m", "map", "qrels", "new.run", "-o", "new.csv")
    done = run(
        "check", "qrels", "new.run", "--baseline", "new.csv", "--max-drop", "map=0", "--max-topic-drop", "map=0"
    )
    assert done.status == 0


def test_a_folder_of_the_name_of_a_run_is_not_in_the_way(run, tmp_path: Path):
    (tmp_path / "old").mkdir()
    assert run("check", "qrels", "old.run", "new.run", "--baseline", "old", *DROP).status == 0


def test_a_run_in_the_file_of_its_own_name(run):
    shutil.copy("old.run", "old")
    assert run("check", "qrels", "old", "new.run", "--baseline", "old", *DROP).stdout.splitlines() == SAID


def test_a_name_of_a_run_and_of_a_file_is_refused_and_both_can_be_named_otherwise(run):
    """The file `old` holds another run than the run `old` does."""
    shutil.copy("new.run", "old")
    done = run("check", "qrels", "old.run", "new.run", "--baseline", "old", *DROP)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr == (
        "stdeval: baseline 'old' is the name of a run and of a file, expected './old' for the file, "
        "or 'old.run' for the run\n"
    )
    assert run("check", "qrels", "new.run", "--baseline", "./old", *DROP).status == 0
    assert run("check", "qrels", "old.run", "new.run", "--baseline", "old.run", *DROP).stdout.splitlines() == SAID


def test_a_name_of_a_run_and_of_the_file_of_another_run_is_refused(run):
    shutil.copy("new.run", "old")
    done = run("check", "qrels", "old.run", "old", "--baseline", "old", *DROP)
    assert (done.status, done.raw) == (2, b"")
    assert "is the name of a run and of a file" in done.stderr


REFUSED = {
    "two runs": (
        ["run,topic,map", "a,1,1", "b,1,1"],
        "stored.csv: 2 runs (a, b), expected the scores of one run",
    ),
    "no such measure": (
        ["run,topic,P_5", *(f"a,{topic},1" for topic in range(1, 5))],
        "stored.csv: no measure 'map' in the scores, expected one of: P_5",
    ),
    "a topic too few": (
        ["run,topic,map", *(f"a,{topic},1" for topic in range(1, 4))],
        "stored.csv: the baseline has no scores for 1 topic (e.g. '4'), expected the topics of the runs",
    ),
    "topics too many": (
        ["run,topic,map", *(f"a,{topic},1" for topic in range(1, 7))],
        "stored.csv: the baseline has scores for 2 topics that qrels does not have (e.g. '5'), "
        "expected the topics of the runs\n",
    ),
    "a score missing": (
        ["run,topic,map", "a,1,", *(f"a,{topic},1" for topic in range(2, 5))],
        "stored.csv: the baseline has no scores for 1 topic (e.g. '1')",
    ),
    "damaged": (["run,topic,map", "a,1,high"], "stored.csv:2: score 'high', expected a finite decimal number"),
    "a run that lacks topics": (
        run_lines("old", RANKS["old"][:3]),
        "stored.csv: no documents for 1 of 4 judged topics (e.g. '4'), "
        "expected documents for every topic of qrels, or -c to count missing ones as 0\n",
    ),
    "neither": (["words"], "stored.csv:1: "),
    "empty": (
        [],
        "stored.csv: no entries, expected a run (lines of: topic Q0 docno rank score tag) "
        "or a CSV of scores (run,topic,MEASURE,...)\n",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_files_that_cannot_be_compared_with(run, write, case: str):
    lines, message = REFUSED[case]
    write("stored.csv", lines)
    done = run("check", "qrels", "new.run", "--baseline", "stored.csv", *DROP)
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1), done.stderr
    assert message in done.stderr


def test_topics_are_the_same_with_c_too(run, write):
    """Stored scores are not evaluated again, so nothing says whether a missing topic counted as 0."""
    write("stored.csv", ["run,topic,map", "a,1,1"])
    done = run("check", "qrels", "new.run", "-c", "--baseline", "stored.csv", *DROP)
    assert (done.status, done.raw) == (2, b"")
    assert "the baseline has no scores for 3 topics (e.g. '2')" in done.stderr


def test_topics_without_documents_of_the_baseline_count_as_0(run, write):
    partial = write("partial.run", run_lines("old", RANKS["old"])[8:])
    run("eval", "-c", "-q", "-f", "csv", "--signature", "-m", "map", "qrels", partial, "-o", "partial.csv")
    for files in (
        ["new.run", "partial.run", "--baseline", "partial.run"],
        ["new.run", "--baseline", "partial.run"],
        ["new.run", "--baseline", "partial.csv"],
    ):
        done = run("check", "qrels", *files, "-c", *DROP)
        assert done.status == 0
        assert "mean 0.5625, baseline 0.2500 on 4 topics" in done.stdout


def test_a_run_cannot_be_compared_with_scores(run, write):
    write("new.csv", ["run,topic,map", "new,1,1"])
    done = run("check", "--scores", "new.csv", "--baseline", "old.run", *DROP)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr == "stdeval: old.run: expected a CSV of scores (run,topic,MEASURE,...), as --scores\n"


@pytest.mark.parametrize(("baseline", "found"), [("older", " and no such file"), (".", ", which is a directory")])
def test_neither_a_run_nor_a_file(run, baseline: str, found: str):
    done = run("check", "qrels", "new.run", "--baseline", baseline, *DROP)
    assert (done.status, done.raw) == (2, b"")
    expected = "expected one of: new, or the file of a baseline"
    assert done.stderr == f"stdeval: no run '{baseline}'{found}, {expected}\n"


def test_real_runs_against_a_stored_baseline(run, shared: Path):
    """The same outcome whether the baseline is one of the runs, another run, or its stored scores."""
    folder = shared / "cranfield"
    qrels = next(folder.glob("*qrels*"))
    new, old = sorted((folder / "runs").iterdir())[:2]
    typed = [
        "-c",
        "--max-drop",
        "map=0.5%",
        "--max-topic-drop",
        "map=0.1",
        "--non-inferior",
        "P_5=.01",
        "-f",
        "csv",
    ]
    among = run("check", qrels, new, old, "--baseline", old, *typed)
    assert among.status in (0, 1), among.stderr
    assert run("check", qrels, new, "--baseline", old, *typed).stdout == among.stdout
    run("eval", "-c", "-q", "-f", "csv", "-n", "-m", "map", "-m", "P.5", qrels, old, "-o", "old.csv")
    assert run("check", qrels, new, "--baseline", "old.csv", *typed).stdout == among.stdout


def test_stored_scores_can_be_the_baseline_from_standard_input(run, write):
    scores = write("new.csv", "run,topic,map\nnew,1,.5\nnew,2,.25\n")
    stored = b"run,topic,map\nold,1,.5\nold,2,.5\n"
    done = run("check", "--scores", scores, "--baseline", "-", "--max-drop", "map=0.1", stdin=stored)
    assert done.status == 1
    assert "baseline 0.5000" in done.stdout


def test_scores_files_made_with_c_and_without_are_not_joined(run):
    form = ["--signature", "-q", "-f", "csv", "-m", "map"]
    run("eval", "-c", *form, "qrels", "old.run", "-o", "old.csv")
    run("eval", *form, "qrels", "new.run", "-o", "new.csv")
    compared = ["compare", "--scores", "old.csv", "--scores", "new.csv"]
    for typed in (compared, ["convert", "--to", "scores", "old.csv", "new.csv"]):
        done = run(*typed)
        assert (done.status, done.raw) == (2, b"")
        assert "new.csv: topic '1' has other judgments or options than in the files before" in done.stderr
    joined = run("eval", *form, "--scores", "a=old.csv", "--scores", "b=new.csv")
    assert "options:unknown" in joined.stdout


def test_scores_files_without_a_topic_of_the_baseline(run, write):
    write("few.csv", ["run,topic,map", "a,1,0.5"])
    write("more.csv", ["run,topic,map", "b,1,0.5", "b,2,0.5"])
    done = run("check", "--scores", "few.csv", "--baseline", "more.csv", *DROP)
    assert (done.status, done.raw) == (2, b"")
    found = "the baseline has scores for 1 topic that the runs do not have (e.g. '2')"
    assert done.stderr == f"stdeval: more.csv: {found}, expected the topics of the runs\n"


def test_stored_scores_need_the_measures_of_conditions_that_compare_only(run, write):
    write("new.csv", ["run,topic,map,P_10,ndcg", *(f"new,{t},0.5,0.2,0.{t}" for t in range(1, 4))])
    write("old.csv", ["run,topic,map", *(f"old,{t},0.{t + 3}" for t in range(1, 4))])
    write("factors.csv", ["topic,n,P_10.mean,P_10.sd", *(f"{t},40,0.2,0.1" for t in range(1, 4))])
    floors = ["--min", "map=0.6", "--min", "P_10=0.3", "--min", "NP_10=0.1", "-F", "factors.csv"]
    done = run("check", "--scores", "new.csv", "--baseline", "old.csv", "--max-drop", "map=0.1", *floors)
    assert [line.split("\t")[-1] for line in done.stdout.splitlines()[:2]] == [
        "lost most against the baseline on 3 (-0.1000)",
        "lowest on 1 (0.2000), 2 (0.2000), 3 (0.2000)",
    ]
    assert done.status == 1
    refused = run("check", "--scores", "new.csv", "--baseline", "old.csv", "--max-drop", "P_10=0.1")
    assert (refused.stdout, refused.status) == ("", 2)
    assert "old.csv: no measure 'P_10' in the scores, expected one of: map" in refused.stderr


NOTHING_FOUND = "every map score of the baseline 'old' is 0, expected a baseline that finds relevant documents"


@pytest.mark.parametrize(
    "condition", [("--max-drop", "map=0.2"), ("--max-topic-drop", "map=0.1"), ("--not-worse", "map")]
)
def test_a_baseline_that_found_nothing_is_refused(run, write, condition: tuple[str, ...]):
    """Its scores were stored with judgments of other documents, or the run is one of another collection."""
    write("old.run", [line.replace("rel", "x-rel") for line in run_lines("old", RANKS["old"])])
    write("other", [f"{topic} 0 {doc} {rel}" for topic in range(1, 5) for doc, rel in (("rel", 1), ("d2", 0))])
    write("plain.csv", ["run,topic,map", *(f"old,{topic},0" for topic in range(1, 5))])
    for files in (["--baseline", "plain.csv", "qrels"], ["--baseline", "old", "other", "old.run"]):
        done = run("check", *condition, *files, "new.run")
        assert (done.status, done.stdout) == (2, "")
        assert NOTHING_FOUND in done.stderr
    both = ["--min", "map=0.1", "--max-drop", "P_1=0.4"]
    write("plain.csv", ["run,topic,map,P_1", *(f"old,{topic},0,0.5" for topic in range(1, 5))])
    assert run("check", *both, "--baseline", "plain.csv", "qrels", "new.run").status == 0
