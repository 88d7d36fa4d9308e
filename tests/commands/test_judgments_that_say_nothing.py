"""Qrels of another collection, and levels that no judgment reaches: refused by `check`, and a warning elsewhere."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import stdeval
from stdeval import evaluate
from stdeval.errors import InputWarning
from stdeval.evaluation.doubtful_judgments import about_repetitions

OTHER = "are these the qrels of another collection?"


@pytest.fixture
def other(write) -> Path:
    """Judgments of documents that no run has, for the same topics. One that a run has is pooled but not judged."""
    return write("other.qrels", [f"{topic} 0 elsewhere 1" for topic in range(1, 6)] + ["1 0 d1 -1"])


@pytest.fixture
def qrels(write) -> Path:
    """One document of a topic is relevant, and all documents of the runs are judged."""
    grades = {(t, d): t % 3 or 1 if d == 1 + t % 3 else 0 for t in range(1, 6) for d in range(1, 4)}
    return write("ok.qrels", [f"{topic} 0 d{d} {grade}" for (topic, d), grade in grades.items()])


@pytest.fixture
def runs(write) -> list[Path]:
    def lines(tag: str, order: str) -> list[str]:
        return [f"{t} Q0 d{d} 1 {9 - i - (t == i)} {tag}" for t in range(1, 6) for i, d in enumerate(order)]

    return [write(f"{tag}.run", lines(tag, order)) for tag, order in {"a": "123", "b": "312", "c": "231"}.items()]


COMMANDS = [
    "eval -m map",
    "standardize -m map",
    "compare -m map",
    "factors -m map",
    "factors -m map --empirical",
    "topics -m map",
    "meta power -m map",
    "meta rank -m map -m P_5",
    "meta depth -m map --pool-depth 3 --eval-depth 3",
]


@pytest.mark.parametrize(("measure", "told"), [("ndcg_2=.5,1=.25", "(0 and 0.25)"), ("ndcg_2=50,1=25", "")])
def test_gains_that_trec_eval_puts_in_a_wrong_order_are_told(run, sample, measure: str, told: str):
    """nDCG is 0.0000 with the gains .25 and .5, and 0.5873 with 25 and 50."""
    done = run("eval", "-m", measure, *sample[:2])
    assert (f"gains that differ by less than 1 {told}" in done.stderr) == bool(told)


@pytest.mark.parametrize(
    ("measure", "factor", "told"),
    [
        ("ndcg_1=3", 1, "no gain of 2, so that it is 2, below the gain of 1 (3): expected a gain of each judgment"),
        ("ndcg_4=1", 2, "no gain of 2, so that it is 2, above the gain of 4 (1): expected a gain of each judgment"),
        ("ndcg_1=3,2=9", 1, ""),
        ("ndcg_1=2,2=1", 1, ""),
        ("ndcg_7=3", 1, "no judgment is 7, so that the gains are the judgments: expected gains of 1, 2"),
        ("nDCG(dcg='exp-log2')@10", 5, ""),
        ("nDCG(dcg='exp-log2')@10", 50, "the highest judgment is 100, and its gain 2^100 - 1: expected grades"),
        ("nDCG@10", 50, ""),
    ],
)
def test_gains_that_reverse_or_exaggerate_the_judgments_are_told(run, write, measure: str, factor: int, told: str):
    qrels = write("q", [f"1 0 a {2 * factor}", f"1 0 b {factor}", "1 0 c 0"])
    ranked = write("r", ["1 Q0 c 1 3 r", "1 Q0 b 2 2 r", "1 Q0 a 3 1 r"])
    done = run("eval", "-m", measure, qrels, ranked)
    assert (told and f": {told}" in done.stderr) or not (told or done.stderr)


@pytest.mark.parametrize("measure", ["ndcg_1=5", "nDCG(dcg='exp-log2')@10"])
def test_binary_gains_are_not_told_of(run, write, measure: str):
    qrels = write("q", ["1 0 a 100", "1 0 b 50", "1 0 c 0"])
    ranked = write("r", ["1 Q0 c 1 3 r", "1 Q0 b 2 2 r", "1 Q0 a 3 1 r"])
    assert "gain" not in run("eval", "--binary", "-m", measure, qrels, ranked).stderr


@pytest.mark.parametrize("command", [*COMMANDS, "pool -d 5 --report"])
def test_qrels_of_another_collection_are_one_warning(run, other, runs, command: str):
    done = run(*command.split(), other, *runs)
    lines = [line for line in done.stderr.splitlines() if "judged" in line]
    assert lines == [
        f"stdeval: warning: no document of 3 of 3 runs (e.g. {runs[0]}) is judged in {other}: "
        "are these the qrels of another collection?"
    ]


@pytest.mark.parametrize("command", [*COMMANDS, "pool -d 5 --report"])
def test_a_level_above_all_judgments_is_one_warning(run, qrels, runs, command: str):
    done = run(*command.split(), "-l", 99, qrels, *runs)
    lines = [line for line in done.stderr.splitlines() if "relevant" in line]
    assert lines == [f"stdeval: warning: {qrels}: no document is relevant at level 99: the highest judgment is 2"]


@pytest.mark.parametrize("command", [*COMMANDS, "pool -d 5 --report"])
def test_judgments_that_say_something_are_no_warning(run, qrels, runs, command: str):
    done = run(*command.split(), qrels, *runs)
    assert not [line for line in done.stderr.splitlines() if "judge" in line or "relevant" in line]


@pytest.mark.parametrize("command", ["pool -d 1", "meta depth -m P --pool-depth 1 --eval-depth 1 --pool-runs"])
def test_pooled_runs_with_other_docnos_or_topics_are_told(run, write, command: str):
    """Documents beyond the pool show it too: the first document of a run need not be judged."""
    qrels = write("many.qrels", [f"{t} 0 {d}0 {d % 2}" for t in range(1, 51) for d in range(1, 21)])
    lines = [(t, f"{d}0") for t in range(1, 51) for d in range(1, 21)]
    changed = {
        "fine": lines,
        "form": [(t, f"{docno}.0") for t, docno in lines],
        "half": [(t, f"{'x' if t % 2 else ''}{docno}") for t, docno in lines],
        "topic": [(f"{'0' if t == 7 else ''}{t}", docno) for t, docno in lines],
    }
    runs = {
        name: write(f"{name}.run", [f"{t} Q0 {docno} {i} {9999 - i} {name}" for i, (t, docno) in enumerate(rows)])
        for name, rows in changed.items()
    }
    told = {
        "fine": "",
        "form": "'form' has docnos in another form than the qrels (topic '13': '10.0' is judged as '10')",
        "half": "'half' has no judged document for 25 of 50 topics; are the topics and docnos those of the qrels?",
        "topic": "'topic' has no documents for 1 judged topic, and has 1 other topic: are the topics written as in",
    }
    for name, path in runs.items():
        copies = [
            write(f"{i}.run", runs["fine"].read_text().replace("fine", f"{i}").splitlines()) for i in range(3)
        ]
        typed = [qrels, path] if command.startswith("pool") else [write("l", [path]), qrels, *copies]
        done = run(*command.split(), *typed)
        assert done.status == 0
        assert told[name] in done.stderr
        assert ("the qrels" in done.stderr) == bool(told[name])


def test_only_the_runs_without_judged_documents_are_counted(run, qrels, runs, write):
    stranger = write("z.run", ["1 Q0 x 1 1 z", "2 Q0 d9 1 1 z"])
    done = run("eval", "-c", "-m", "map", qrels, *runs, stranger)
    assert done.status == 0
    assert f"no document of 1 of 4 runs (e.g. {stranger}) is judged in {qrels}" in done.stderr
    alone = run("eval", "-c", "-m", "map", qrels, stranger)
    assert (
        f"no document of {stranger} is judged in {qrels}: are these the qrels of another collection?\n"
        in alone.stderr
    )


def test_the_gate_does_not_pass_on_nothing(run, qrels, other, runs):
    refused = {
        (
            other,
            runs[0],
        ): f"{runs[0]}: no document of the run is judged in {other}: {OTHER}\n",
        (other, *runs, "--baseline", "a", "--max-drop", "P_5=0"): f"{runs[0]}: no document of the run is judged",
        ("-l", 99, qrels, runs[0]): f"{qrels}: no document is relevant at level 99: the highest judgment is 2",
        (qrels, runs[0], "--min", "P(rel=3)@5=0"): "no document is relevant at level 3: the highest judgment is 2",
    }
    for typed, message in refused.items():
        for complete in ([], ["-c"]):
            done = run("check", *complete, *typed, "--min", "map=.0001")
            *others, refusal = done.stderr.splitlines(keepends=True)
            assert (done.status, done.raw) == (2, b"")
            assert all("no relevant document" in line for line in others)
            assert message in refusal
    assert run("check", qrels, runs[0], "--min", "map=.0001").status == 0


def test_qrels_without_relevant_documents(run, write, runs):
    qrels = write("none.qrels", ["1 0 d1 0", "1 0 d2 -1"])
    assert f"{qrels}: no document is relevant: the highest judgment is 0" in run("eval", qrels, runs[0]).stderr
    assert run("check", qrels, runs[0], "--min", "map=.0001").status == 2


@pytest.mark.parametrize("command", [*COMMANDS, "check --min map=.0001"])
def test_topics_without_relevant_documents_are_one_warning(run, write, runs, command: str):
    graded = write("graded.qrels", ["1 0 d1 1", "2 0 d1 2", "2 0 d2 2", "2 0 d3 0"])
    done = run(*command.split(), "-c", "-l", 2, graded, *runs)
    (line,) = (line for line in done.stderr.splitlines() if "relevant" in line)
    told = "1 of 2 topics (e.g. '1') has no relevant document at level 2: every run scores 0 there by "
    assert line.startswith(f"stdeval: warning: {told}")


def test_topics_without_relevant_documents_are_told_by_the_measures_that_depend_on_the_level(run, write, runs):
    """The gains of ndcg are the judgments, whatever the level is."""
    graded = write("graded.qrels", ["1 0 d1 1", "2 0 d1 2", "2 0 d2 2", "2 0 d3 0"])
    done = run("eval", "-l", 2, "-m", "ndcg", "-m", "map", "-m", "P_5", graded, *runs)
    assert "at level 2: every run scores 0 there by map, P_5\n" in done.stderr


def test_topics_without_a_document_that_has_a_gain_are_told(run, write, runs):
    graded = write("graded.qrels", ["1 0 d1 1", "2 0 d1 2", "2 0 d2 2", "2 0 d3 0"])
    told = "1 of 2 topics (e.g. '1') has no relevant document at level 2: every run scores 0 there by ndcg_1=0\n"
    assert told in run("eval", "-m", "ndcg_1=0", graded, *runs).stderr
    assert "no relevant" not in run("eval", "-m", "ndcg_1=2", "-m", "ndcg_2=0", graded, *runs).stderr


def test_topics_without_relevant_documents_that_change_no_score_or_are_few_are_no_warning(run, write, runs):
    lines = ["99 0 d1 0", *(f"{topic} 0 d1 1" for topic in range(1, 11))]
    many, few = write("many.qrels", lines[:9]), write("few.qrels", lines)
    assert "1 of 9 topics (e.g. '99') has no relevant document: every" in run("eval", "-c", many, *runs).stderr
    assert "no relevant" not in run("eval", "-c", few, *runs).stderr
    # the gate tells of each of them, since they lower the means that it compares with limits
    gate = run("check", "-c", "--min", "map=0.1", few, *runs)
    assert "1 of 11 topics (e.g. '99') has no relevant document: every run scores 0 there" in gate.stderr
    # the gains of ndcg are the judgments, and the number of documents has no level
    graded = write("graded.qrels", ["1 0 d1 1", "2 0 d1 2"])
    assert "no relevant" not in run("eval", "-m", "ndcg", "-m", "num_ret", "-l", 2, graded, *runs).stderr
    assert "no relevant" in run("eval", "-m", "ndcg", "--binary", "-l", 2, graded, *runs).stderr


def test_real_topics_without_relevant_documents(run, shared):
    folder = shared / "cranfield"
    done = run("eval", "-m", "map", "-l", 4, folder / "qrels.txt", folder / "runs" / "bm25-depth10.run.gz")
    judged: dict[str, list[str]] = {}
    for line in (folder / "qrels.txt").read_text().splitlines():
        judged.setdefault(line.split()[0], []).append(line.split()[3])
    n = sum("4" not in grades for grades in judged.values())
    assert f"{n} of 225 topics" in done.stderr


def test_real_runs_with_the_qrels_of_another_collection(run, shared):
    """The topics of both collections are numbered from 1, and no docno of the one is judged in the other."""
    qrels = shared / "trec-covid-r5" / "qrels.txt"
    paths = sorted((shared / "cranfield" / "runs").glob("*.gz"))[:3]
    done = run("eval", "-m", "map", qrels, *paths)
    assert (done.status, done.stdout.count("0.0000")) == (0, 3)
    assert f"no document of 3 of 3 runs (e.g. {paths[0]}) is judged in {qrels}" in done.stderr
    assert run("check", "-c", qrels, paths[0], "--min", "map=.0001").status == 2


@pytest.mark.parametrize("topic", ["all", "all.gm"])
def test_a_topic_named_as_a_summary_is_one_warning(run, write, topic: str):
    qrels = write("qrels", ["1 0 a 1", f"{topic} 0 a 1"])
    paths = [write(f"{name}.run", ["1 Q0 a 1 1 " + name, f"{topic} Q0 a 1 1 {name}"]) for name in "xy"]
    done = run("eval", "-m", "map", qrels, *paths)
    assert done.status == 0
    told = f"stdeval: warning: {qrels}: topic '{topic}' has the name of the summaries, expected another"
    assert done.stderr.splitlines() == [told]


def test_a_level_that_changes_no_score_is_one_warning(run, qrels, runs):
    gains = "the gains of ndcg are the judgments (with --binary, 1 from the level on)"
    done = run("eval", "-l", 2, "-m", "ndcg", "-m", "unj_5", qrels, runs[0])
    assert done.stderr == f"stdeval: warning: -l 2 changes no score by ndcg, unj_5: {gains}\n"
    assert done.raw == run("eval", "-m", "ndcg", "-m", "unj_5", qrels, runs[0]).raw
    assert run("eval", "-l", 2, "-m", "AP(rel=1)", qrels, runs[0]).stderr == (
        "stdeval: warning: -l 2 changes no score by map_rel=1\n"
    )
    for options in (["-m", "ndcg", "-m", "map"], ["-m", "ndcg", "--binary"]):
        assert "changes no score" not in run("eval", "-l", 2, *options, qrels, runs[0]).stderr


def _run_of_topics(n: int, tag: str = "a") -> list[str]:
    return [f"{topic} Q0 d{topic} 1 1 {tag}" for topic in range(1, n + 1)]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_with_many_topics_outside_the_qrels_is_one_warning(run, write, jobs: str):
    qrels = write("some.txt", ["1 0 d1 1", "2 0 d2 1", "3 0 d3 1"])
    done = run("eval", "-j", jobs, "-m", "map", qrels, write("a.run", _run_of_topics(7)))
    assert done.status == 0
    assert done.stdout == "map                   \tall\t1.0000\n"
    assert done.stderr == (
        "stdeval: warning: 4 of 7 topics of 'a' are not in the qrels; such topics are ignored: "
        "are these the qrels of another collection, or a part of them?\n"
    )
    # a topic that comes back is counted once, and a fiftieth of the topics is not more than a fiftieth
    most = write("most.txt", [f"{topic} 0 d{topic} 1" for topic in range(1, 50)])
    one = write("one.run", [*_run_of_topics(50), "5 Q0 e5 2 0.5 a", "50 Q0 e50 2 0.5 a"])
    assert run("eval", "-j", jobs, "-m", "map", most, one).stderr == ""


@pytest.mark.parametrize("command", ["eval -c -m map", "compare -c -m map", "check -c --min map=.1"])
def test_a_few_topics_that_are_written_otherwise_are_one_warning(run, write, command: str):
    """With -c they count 0, and nothing else tells that the run has them by another name."""
    qrels = write("qrels.txt", [f"{topic} 0 d{topic} 1" for topic in range(1, 101)])
    lines = [f"{'0' if topic < 3 else ''}{line}" for topic, line in enumerate(_run_of_topics(100), 1)]
    others = [write("b.run", _run_of_topics(100, "b"))] if command.startswith("compare") else []
    told = "'a' has no documents for 2 judged topics, and has 2 other topics"
    several = f"1 of 2 runs has other topics in place of judged ones (most: {told})" if others else told
    done = run(*command.split(), qrels, write("a.run", lines), *others)
    assert f"stdeval: warning: {several}: are the topics written as in the qrels?\n" in done.stderr
    assert run(*command.split(), qrels, write("c.run", _run_of_topics(98)), *others).stderr.count("written") == 0


def test_runs_with_many_topics_outside_the_qrels_are_counted(run, write):
    qrels = write("some.txt", ["1 0 d1 1", "2 0 d2 1"])
    runs = [write(f"{tag}.run", _run_of_topics(n, tag)) for tag, n in (("a", 2), ("b", 5), ("c", 9))]
    assert run("eval", "-m", "map", qrels, *runs).stderr == (
        "stdeval: warning: 2 of 3 runs have more than 2% of the topics outside the qrels "
        "(most: 7 of 9 topics of 'c' are not in the qrels); such topics are ignored: "
        "are these the qrels of another collection, or a part of them?\n"
    )


def test_a_gate_on_some_judged_topics_passes_with_a_warning(run, write):
    qrels = write("some.txt", ["1 0 d1 1", "2 0 d2 1"])
    done = run("check", "--min", "map=0.5", qrels, write("a.run", _run_of_topics(5)))
    assert done.status == 0
    assert "3 of 5 topics of 'a' are not in the qrels" in done.stderr


def _pool(n_topics: int, *, least: int = 0) -> list[str]:
    """Judgments of ten documents of each topic, the first of which is relevant."""
    return [f"{t} 0 {t}-d{d} {max(least, int(d == 0))}" for t in range(n_topics) for d in range(10)]


def _deep_run(tag: str, n_topics: int, unjudged: int, n_documents: int = 10) -> list[str]:
    """Lines of a run with other docnos on its last topics, so that they are not judged."""
    first = n_topics - unjudged
    documents = [(t, "d" if t < first else "x", d) for t in range(n_topics) for d in range(n_documents)]
    return [f"{t} Q0 {t}-{letter}{d} {d} {99 - d} {tag}" for t, letter, d in documents]


NO_JUDGED = "'a' has no judged document for 2 of 20 topics; are the topics and docnos those of the qrels?"


@pytest.mark.parametrize("options", ["-m map", "-j 2 -m map", "-m rbp_p=0.8", "-c -m map"])
def test_topics_without_a_judged_document_are_one_warning(run, write, options: str):
    qrels = write("qrels", _pool(20))
    done = run("eval", *options.split(), qrels, write("a.run", _deep_run("a", 20, 2)))
    assert done.stderr == f"stdeval: warning: {NO_JUDGED}\n"
    assert run("eval", *options.split(), qrels, write("b.run", _deep_run("b", 20, 1))).stderr == ""


def test_runs_with_topics_without_a_judged_document_are_counted(run, write):
    runs = [write(f"{tag}.run", _deep_run(tag, 20, n)) for tag, n in (("a", 2), ("b", 5), ("c", 1), ("d", 20))]
    told = run("eval", "-m", "map", write("qrels", _pool(20)), *runs).stderr
    assert "no document of 1 of 4 runs" in told
    of_all = "2 of 4 runs have no judged document for at least 10% of the topics"
    of_b = "(most: 'b' has no judged document for 5 of 20 topics); are the topics and docnos those of the qrels?\n"
    assert f"{of_all} {of_b}" in told


@pytest.mark.parametrize(
    ("qrels", "n_documents"),
    [(_pool(20, least=1), 10), ([line for line in _pool(20) if "-d3 " not in line], 10), (_pool(20), 9)],
    ids=["only relevant", "few judged", "few retrieved"],
)
def test_bad_runs_may_miss_all_of_a_few_judged_documents(run, write, qrels: list[str], n_documents: int):
    lines = _deep_run("a", 20, 2, n_documents)
    assert (
        "judged document for" not in run("eval", "-m", "map", write("qrels", qrels), write("a.run", lines)).stderr
    )


def test_of_real_runs_only_random_ones_have_many_topics_without_a_judged_document(run, shared):
    """A list of the longest documents, and a random one; a run by short queries has 39 such topics of 225."""
    told = "no judged document for at least 10% of the topics"
    cranfield = shared / "cranfield"
    done = run("eval", "-m", "map", cranfield / "qrels.txt", *sorted((cranfield / "runs").glob("*.gz")))
    assert f"2 of 48 runs have {told} (most: 'random' has no judged document for 25 of 225 topics)" in done.stderr
    for name in ("cisi", "trec-covid-r4", "trec-covid-r5"):
        done = run("eval", "-m", "map", shared / name / "qrels.txt", *sorted((shared / name / "runs").glob("*.gz")))
        assert "no judged document" not in done.stderr


@pytest.fixture
def only_relevant(write) -> Path:
    """Judgments as of MS MARCO: only relevant documents, and some that were pooled but not judged."""
    return write("relevant.qrels", [f"{topic} 0 d{1 + topic % 3} 1" for topic in range(1, 6)] + ["1 0 d9 -1"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("-m bpref -m map", "bpref counts the relevant documents retrieved, whatever their ranks"),
        (
            "-m Bpref(rel=1) -m bpref",
            "bpref, bpref_rel=1 count the relevant documents retrieved, whatever their ranks",
        ),
        ("-J -m map", "-J leaves only relevant documents"),
    ],
)
@pytest.mark.parametrize("command", ["eval", "topics"])
def test_judgments_of_relevant_documents_alone_are_one_warning(
    run, only_relevant, runs, command: str, options: str, told: str
):
    done = run(command, *options.split(), only_relevant, *runs)
    lines = [line for line in done.stderr.splitlines() if "judged not relevant" in line]
    assert lines == [f"stdeval: warning: {only_relevant}: no document is judged not relevant: {told}"]


def test_shares_of_judged_documents_by_relevant_ones_alone_are_one_warning(run, write, runs, only_relevant):
    """Otherwise judged_10 is P_10, and the run seems to have few judged documents."""
    qrels = write("judged.qrels", [f"{topic} 0 d{1 + topic % 3} 1" for topic in range(1, 6)])
    told = "no document is judged not relevant: unj_10, judged_10 count only relevant documents as judged"
    assert f"{qrels}: {told}" in run("eval", "-m", "judged_10", "-m", "unj_10", qrels, *runs).stderr
    assert "as judged" not in run("eval", "-m", "judged_10", only_relevant, *runs).stderr
    assert "as judged" not in run("eval", "-m", "P_10", qrels, *runs).stderr


@pytest.mark.parametrize("options", ["", "-m map", "-m P_5 -m recip_rank"])
def test_judgments_of_relevant_documents_are_enough_for_other_measures(run, only_relevant, runs, options: str):
    assert run("eval", *options.split(), only_relevant, *runs).stderr == ""


@pytest.fixture
def with_nonrelevant(write) -> Path:
    return write("both.qrels", [f"{topic} 0 d{d} {int(d == 1)}" for topic in range(1, 6) for d in (1, 2)])


def test_a_document_judged_not_relevant_is_enough(run, with_nonrelevant, runs):
    assert run("eval", "-m", "bpref", with_nonrelevant, runs[0]).stderr == ""
    assert run("eval", "-J", "-m", "map", with_nonrelevant, runs[0]).stderr == ""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("-m bpref", "bpref counts the relevant documents retrieved there, whatever their ranks"),
        ("-J -m map", "-J leaves only relevant documents there"),
    ],
)
def test_topics_without_a_document_judged_not_relevant_are_counted(run, write, runs, options: str, told: str):
    """One document in one topic is not enough for all of them; topics without a relevant document do not count."""
    lines = [f"{topic} 0 d1 1" for topic in range(1, 6)]
    counted = write("one.qrels", [*lines, "1 0 d2 0", "6 0 d1 -1"])
    done = run("eval", *options.split(), counted, runs[0])
    assert [line for line in done.stderr.splitlines() if "judged not relevant" in line] == [
        f"stdeval: warning: {counted}: no document is judged not relevant for 4 of 6 topics (e.g. '2'): {told}"
    ]


@pytest.mark.parametrize(("options", "named"), [("-m judged_10 -m map", "judged_10"), ("-m unj_5", "unj_5")])
def test_shares_of_unjudged_documents_say_nothing_with_option_j(
    run, with_nonrelevant, runs, options: str, named: str
):
    told = f"stdeval: warning: {named}: -J removes unjudged documents, so no run can have any\n"
    assert run("eval", "-J", *options.split(), with_nonrelevant, runs[0]).stderr == told
    assert run("eval", *options.split(), with_nonrelevant, runs[0]).stderr == ""


def test_python_programs_get_the_same_warnings():
    """Of runs of another collection, and of judgments without a relevant document."""
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 2.0}}
    other = {"1": {"x-a": 1.0}}
    told = "^no document of 'run' is judged in the qrels: are these the qrels of another collection"
    with pytest.warns(InputWarning, match=told) as given:
        stdeval.evaluate(qrels, other, "AP")
    assert given[0].filename == __file__
    with pytest.warns(InputWarning, match="no document of 1 of 2 runs .e.g. 'b'. is judged in the qrels"):
        stdeval.evaluate(qrels, {"a": run, "b": other}, "AP")
    with pytest.warns(InputWarning, match="^the qrels: no document is relevant: the highest judgment is 0"):
        stdeval.evaluate({"1": {"a": 0, "b": 0}}, run, "AP")
    with pytest.warns(InputWarning, match="^the qrels: no document is relevant at level 2: the highest"):
        stdeval.evaluate(qrels, run, "AP", stdeval.Options(level=2))
    stdeval.evaluate(qrels, run, "AP")


def test_python_programs_are_told_of_topics_without_a_judged_document():
    qrels = {str(t): {f"{t}-d{d}": int(d == 0) for d in range(10)} for t in range(20)}
    run = {str(t): {f"{t}-{'d' if t < 18 else 'x'}{d}": 9.0 - d for d in range(10)} for t in range(20)}
    with pytest.warns(InputWarning) as warned:
        stdeval.evaluate(qrels, {"a": run}, "map")
    assert [str(warning.message) for warning in warned] == [NO_JUDGED]


PYTHON = {
    "topics that are not judged": (
        {"1": {"d1": 1, "d2": 0}},
        ["map"],
        {},
        "4 of 5 topics of 'a' are not in the qrels; such topics are ignored: are these the qrels of another "
        "collection, or a part of them?",
    ),
    "topics without a relevant document": (
        {str(topic): {"d1": int(topic == 1), "d2": 0} for topic in range(1, 6)},
        ["map"],
        {},
        "the qrels: 4 of 5 topics (e.g. '2') have no relevant document: every run scores 0 there",
    ),
    "no document that is not relevant": (
        {str(topic): {"d1": 1} for topic in range(1, 6)},
        ["bpref"],
        {},
        "the qrels: no document is judged not relevant: bpref counts the relevant documents retrieved, whatever "
        "their ranks",
    ),
    "shares of judged documents": (
        {str(topic): {"d1": 1} for topic in range(1, 6)},
        ["judged_10"],
        {},
        "the qrels: no document is judged not relevant: judged_10 counts only relevant documents as judged",
    ),
    "a level without effect": (
        {str(topic): {"d1": 2, "d2": 0} for topic in range(1, 6)},
        ["ndcg"],
        {"level": 2},
        "-l 2 changes no score by ndcg: the gains of ndcg are the judgments (with --binary, 1 from the level on)",
    ),
    "no unjudged document": (
        {str(topic): {"d1": 1, "d2": 0} for topic in range(1, 6)},
        ["map", "unj_5"],
        {"judged_only": True},
        "unj_5: -J removes unjudged documents, so no run can have any",
    ),
}


@pytest.mark.parametrize("case", PYTHON)
def test_python_programs_are_told_what_the_commands_tell(runs, case: str):
    qrels, measures, options, told = PYTHON[case]
    run = stdeval.read_run(runs[0])
    with pytest.warns(InputWarning) as warned:
        stdeval.evaluate(qrels, run, measures, stdeval.Options(**options))
    assert [str(warning.message) for warning in warned] == [told]


def _graded(write, grades: dict[int, int]) -> Path:
    """Write qrels of one topic, with a number of documents of each grade."""
    all_grades = [grade for grade, n in grades.items() for _ in range(n)]
    return write("graded", [f"1 0 d{i} {grade}" for i, grade in enumerate(all_grades)])


@pytest.mark.parametrize("grades", [{1: 75, 2: 25}, {1: 60, 2: 30, 4: 30}, {1: 600, 3: 600}])
def test_grades_of_a_pool_that_begin_with_1_are_one_warning(run, write, runs, grades: dict[int, int]):
    qrels = _graded(write, grades)
    share = f"{grades[1] / sum(grades.values()):.1%}"
    told = (
        f"stdeval: warning: {qrels}: the lowest judgment is 1, that of {share} of the documents: all judged "
        "documents count as relevant, expected 0 for documents that are not relevant, or -l 2\n"
    )
    assert run("eval", "-m", "map", qrels, runs[0]).stderr.count(told) == 1
    for options in (["-m", "map", "-l", "2"], ["-m", "AP(rel=2)"]):
        assert "lowest judgment" not in run("eval", *options, qrels, runs[0]).stderr


@pytest.mark.parametrize("gained", ["ndcg_cut_10", "ndcg_exp", "dcg", "err_20"])
def test_no_level_takes_the_gains_from_grades_of_a_pool_that_begin_with_1(run, write, runs, gained: str):
    """Documents that are judged not relevant lifted one run above another."""
    qrels = _graded(write, {1: 75, 2: 25})
    done = run("eval", "-m", "map", "-m", gained, qrels, runs[0])
    assert "documents count as relevant, expected 0 for documents that are not relevant\n" in done.stderr
    done = run("eval", "-l", 2, "-m", "map", "-m", gained, qrels, runs[0])
    assert f"all judged documents have a gain by {gained}, whatever the level is, expected 0" in done.stderr
    assert "lowest judgment" not in run("eval", "-l", 2, "-m", "map", "-m", "ndcg_1=0,2=1", qrels, runs[0]).stderr
    if gained != "err_20":
        assert "lowest judgment" not in run("eval", "-l", 2, "--binary", "-m", gained, qrels, runs[0]).stderr


@pytest.mark.parametrize(
    ("grades", "is_told"),
    [
        ({-1: 60, 0: 25, 1: 15}, True),
        ({-1: 50, 0: 25, 1: 25}, False),
        ({-1: 75, 1: 25}, False),
        ({-1: 9, 0: 1}, False),
    ],
)
def test_judgments_that_are_too_low_are_one_warning(run, write, runs, grades: dict[int, int], is_told: bool):
    done = run("eval", "-m", "map", _graded(write, grades), runs[0])
    assert done.stderr.count(": 60.0% of the judgments are below 0, and others are 0: expected 0 for") == is_told


@pytest.mark.parametrize(
    ("measures", "told"),
    [
        ("-m infAP", ""),
        ("-m infAP -m map", "by infAP these documents were not judged, and by all other measures they are not"),
        ("-m map", "expected 0 for documents that are not relevant, and 1 or more for those that are"),
    ],
)
def test_negative_judgments_are_those_of_a_sampled_pool_by_infap(run, write, runs, measures: str, told: str):
    qrels = _graded(write, {-1: 60, 0: 25, 1: 15})
    done = run("eval", *measures.split(), qrels, runs[0])
    assert (told in done.stderr, "below 0" in done.stderr) == (True, bool(told))


@pytest.mark.parametrize(("measures", "is_told"), [("infAP", True), ("infAP(rel=1)", True), ("all_trec", False)])
def test_infap_of_a_pool_that_was_not_sampled_is_nearly_map(run, write, runs, measures: str, is_told: bool):
    for grades in ({0: 25, 1: 15}, {-1: 1, 0: 25, 1: 15}):
        done = run("eval", "-m", measures, _graded(write, grades), runs[0])
        assert ("infAP is nearly the same as map: no judgment is below 0" in done.stderr) == (
            is_told and -1 not in grades
        )
    if is_told:
        qrels, documents = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 0.5}}
        with pytest.warns(InputWarning, match="the qrels: infAP is nearly the same as map"):
            evaluate(qrels, documents, [measures])


def test_judgments_of_some_topics_that_are_too_high_are_one_warning(run, write, runs):
    grades = [*[0] * 60, *[1] * 40]
    lines = [f"{topic} 0 d{i} {grade + (topic < 3)}" for topic in range(1, 7) for i, grade in enumerate(grades)]
    told = ": 2 of 6 topics (e.g. '1') have hardly any judgment below 1, although others have many: expected"
    assert run("eval", "-m", "map", write("mixed", lines), runs[0]).stderr.count(told) == 1
    assert told not in run("eval", "-m", "map", write("usual", lines[200:]), runs[0]).stderr
    most = [f"{topic} 0 d{i} {grade or int(topic < 6)}" for topic in range(1, 7) for i, grade in enumerate(grades)]
    assert ": 5 of 6 topics (e.g. '1') have" in run("eval", "-m", "map", write("most", most), runs[0]).stderr


@pytest.mark.parametrize("grade", [0, -1])
def test_a_single_lower_grade_does_not_make_a_pool(run, write, runs, grade: int):
    told = "the lowest judgment but of 1 document is 1, that of 74.3% of the documents: nearly all judged documents"
    assert run("eval", _graded(write, {grade: 1, 2: 25, 1: 75}), runs[0]).stderr.count(told) == 1


@pytest.mark.parametrize(
    "grades", [{0: 2, 1: 75, 2: 25}, {-1: 2, 1: 75, 2: 25}, {1: 200}, {1: 40, 2: 20}, {1: 40, 2: 70}]
)
def test_grades_that_begin_with_0_and_lists_of_relevant_documents_are_no_warning(run, write, runs, grades):
    assert "lowest judgment" not in run("eval", "-m", "map", _graded(write, grades), runs[0]).stderr


@pytest.mark.parametrize(("measure", "is_told"), [("ndcg_cut_10", True), ("err_10", True), ("map", False)])
def test_codes_of_judgments_are_told_where_they_are_gains(run, write, measure: str, is_told: bool):
    """The original judgments of Cranfield: 1 is the best, 4 of minimum interest, and -1 of none."""
    lines = [f"{t} Q0 d{d} {d} {9 - d} a" for t in range(4) for d in range(6)]
    qrels = write("codes.qrels", [f"{t} 0 d{d} {(-1, 1, 2, 3, 4)[d]}" for t in range(4) for d in range(5)])
    told = f"the judgments are -1, 1, 2, 3 and 4, and none is 0: are they codes? For {measure}, the highest is"
    assert (told in run("eval", "-m", measure, qrels, write("a.run", lines)).stderr) == is_told
    usual = write("usual.qrels", [f"{t} 0 d{d} {(-1, 0, 1, 2, 3)[d]}" for t in range(4) for d in range(5)])
    assert "codes" not in run("eval", "-m", measure, usual, write("a.run", lines)).stderr


@pytest.mark.parametrize(
    ("grades", "told_for"),
    [
        ({0: 60, 1: 80, 2: 20, 9: 1}, "ndcg map"),
        ({0: 60, 1: 80, 2: 20, 9: 40}, "ndcg map"),
        ({0: 60, 1: 80, 2: 20, 7: 1}, "ndcg"),
        ({0: 60, 1: 80, 2: 20, 7: 20}, ""),
        ({0: 60, 1: 80, 5: 1}, "ndcg"),
        ({0: 60, 1: 80, 2: 20, 3: 9, 4: 1}, ""),
        ({0: 60, 1: 80, 4: 1}, ""),
        ({0: 60, 1: 80, 2: 20, 4: 8, 8: 1}, ""),
        ({0: 60, 9: 1}, ""),
        ({0: 60, 1: 80, 2: 20, 8: 3, 9: 9}, "ndcg map"),
        ({0: 60, 1: 80, 2: 20, 11: 1, 22: 1}, "ndcg map"),
        ({0: 60, 1: 80, 10: 20, 100: 9}, ""),
    ],
)
def test_a_code_above_the_grades_is_told_where_it_is_a_gain_or_far_above(run, write, runs, grades, told_for: str):
    qrels = _graded(write, grades)
    for measure in ("ndcg", "map"):
        assert (" code" in run("eval", "-m", measure, qrels, runs[0]).stderr) == (measure in told_for)


@pytest.mark.parametrize(("n", "is_told"), [(10, True), (12, False)])
def test_a_code_above_five_grades_is_told_if_a_tenth_of_the_documents_have_it(
    run, write, runs, n: int, is_told: bool
):
    qrels = _graded(write, {1: 20, 2: 30, 3: 25, 4: 15, 9: n})
    assert ("is it a code" in run("eval", "-m", "ndcg", qrels, runs[0]).stderr) == is_told


def test_a_code_far_above_the_grades_is_told_however_many_have_it(run, write, runs):
    """-1 is 255 in an unsigned byte."""
    qrels = _graded(write, {1: 20, 2: 10, 255: 70})
    told = "the highest judgment is 255 (70 documents), and the next one is 2: is it a code? "
    assert f"{told}They count as relevant\n" in run("eval", "-m", "map", qrels, runs[0]).stderr
    assert f"{told}For ndcg, the highest is the best\n" in run("eval", "-m", "ndcg", qrels, runs[0]).stderr


WORDINGS = [f"{need}-{wording}" for need in range(1, 6) for wording in "ab"]
OF_ANOTHER = (
    "5 of 10 topics have exactly the {} of another one (e.g. '1-b' those of '1-a'): if they are wordings of "
    "one need, tests and intervals count that need several times"
)


def test_topics_with_the_judgments_of_others_are_told(run, write, tmp_path, monkeypatch):
    """As in collections of query variations, of which each is a topic."""
    monkeypatch.chdir(tmp_path)
    of_relevant = OF_ANOTHER.format("relevant documents")
    write("qrels", [f"{topic} 0 d{topic[0]} 1" for topic in WORDINGS])
    path = write("a.run", [f"{t} Q0 d{t[0] if i % 3 else 0} 1 1 a" for i, t in enumerate(WORDINGS)])
    assert f"stdeval: warning: qrels: {of_relevant}\n" in run("eval", "-m", "map", "qrels", path).stderr
    stored = write("a.csv", run("eval", "-q", "-n", "-f", "csv", "-m", "map", "--signature", "qrels", path).stdout)
    assert f"stdeval: warning: {OF_ANOTHER.format('judgments')}\n" in run("compare", "--scores", stored).stderr
    with pytest.warns(InputWarning) as warned:
        stdeval.evaluate(stdeval.read_qrels("qrels"), stdeval.read_run(path), "AP")
    assert f"the qrels: {of_relevant}" in [str(each.message) for each in warned]
    sampled = write("sampled", [f"{t} 0 d{t[0]} 1\n{t} 0 other{i} 0" for i, t in enumerate(WORDINGS)])
    assert of_relevant in run("eval", "-m", "map", sampled, path).stderr
    graded = write("graded", [f"{topic} 0 d{topic[0]} {1 + 'ab'.index(topic[-1])}" for topic in WORDINGS])
    assert "another one" not in run("eval", "-m", "map", graded, path).stderr


TWINS = {
    "decimals": ("{}", "{}.0"),
    "case": ("D{}", "d{}"),
    "zeros": ("{}", "00{}"),
}


@pytest.mark.parametrize("forms", TWINS)
def test_documents_that_are_judged_in_two_forms_are_told(run, write, forms: str):
    """As after a join of two files, one of which a spreadsheet wrote. Copies in one form are refused."""
    one, other = TWINS[forms]
    lines = [
        f"{t} 0 {form.format(t * 10 + d)} {d % 2}" for t in range(1, 4) for d in range(5) for form in (one, other)
    ]
    qrels, path = write("qrels", lines), write("a.run", [f"{t} Q0 {one.format(10 * t)} 1 1 a" for t in (1, 2, 3)])
    told = (
        f"{qrels}: documents are judged under docnos in two forms (e.g. topic '1': '{one.format(10)}' and "
        f"'{other.format(10)}'): each counts as two documents\n"
    )
    assert told in run("eval", "-m", "map", qrels, path).stderr
    with pytest.warns(InputWarning, match="docnos in two forms"):
        stdeval.evaluate(stdeval.read_qrels(qrels), stdeval.read_run(path), "AP")


def test_two_documents_of_similar_docnos_are_no_twins(run, write):
    """Of 60, or with other judgments."""
    lines = [f"1 0 {form.format(d)} 1" for d in range(30, 60) for form in ("D{}", "E{}")]
    path = write("a.run", ["1 Q0 D31 1 1 a"])
    assert run("eval", "-m", "map", write("few", [*lines, "1 0 d31 1", "1 0 d32 1"]), path).stderr == ""
    graded = [f"1 0 d{d} 0" for d in range(30, 40)]
    assert run("eval", "-m", "map", write("graded", [*lines, *graded]), path).stderr == ""


@pytest.mark.parametrize("collection", ["cranfield", "cisi", "trec-covid-r4", "trec-covid-r5"])
def test_no_real_judgments_are_said_to_repeat_others(shared: Path, collection: str):
    qrels = stdeval.read_qrels(shared / collection / "qrels.txt")
    assert list(about_repetitions(qrels)) == []


def test_few_documents_judged_not_relevant_are_told_where_a_measure_needs_them(run, write):
    """bpref compares the ranks of relevant documents with those of one document here."""

    def errors(n_others: int, measure: str) -> str:
        lines = [f"{t} 0 d{d} {int(d >= n_others)}" for t in (1, 2, 3) for d in range(n_others + 5)]
        path = write("a.run", [f"{t} Q0 d{d} {d} {9 - d} a" for t in (1, 2, 3) for d in range(t, 5)])
        return run("eval", "-m", measure, write("qrels", lines), path).stderr

    told = "few documents are judged not relevant for 3 of 3 topics (e.g. '1'): bpref depends on the ranks of these"
    assert told in errors(1, "bpref")
    assert "judged not relevant" not in errors(2, "bpref") + errors(1, "map")


@pytest.mark.parametrize(
    ("grades", "n_unjudged", "level", "is_told"),
    [
        ((1, 2), 2, 1, True),
        ((1, 2), 4, 1, False),
        ((0, 2), 2, 1, False),
        ((1, 1), 2, 1, False),
        ((1, 2), 2, 2, False),
    ],
)
def test_grades_from_1_are_told_if_nearly_all_first_documents_are_judged(
    run, write, grades: tuple[int, int], n_unjudged: int, level: int, is_told: bool
):
    """On a scale from 1, that is the grade of documents that are not relevant."""
    lines = [f"{t} 0 {t}-{d} {grades[d % 2]}" for t in (1, 2, 3) for d in range(n_unjudged, 12)]
    qrels = write("qrels", lines)
    path = write("a.run", [f"{t} Q0 {t}-{d} {d} {-d} a" for t in (1, 2, 3) for d in range(10)])
    share = f"count as relevant, and {10 * (10 - n_unjudged)}.0% of the first 10 documents of 'a' are judged"
    assert (share in run("eval", "-m", "map", "-l", level, qrels, path).stderr) == is_told
    graded = run("eval", "-m", "map", "-m", "ndcg", "-l", level, qrels, path).stderr
    assert (share in graded) == is_told
    assert (share.replace("count as relevant", "have a gain by ndcg") in graded) == (level == 2)
    assert "or -l" not in graded
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        stdeval.evaluate(stdeval.read_qrels(qrels), stdeval.read_run(path), "AP", stdeval.Options(level=level))
    assert any(share in str(each.message) for each in warned) == is_told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-m", "err_20"], True),
        (["-m", "map", "-m", "ERR@5"], True),
        (["-m", "err_20", "--max-grade", 3], False),
        (["-m", "err_20", "--max-grade", 2], False),
        (["-m", "ndcg"], False),
    ],
)
def test_a_highest_grade_far_above_all_judgments_is_one_warning(run, qrels, runs, options: list[str], told: bool):
    """By err, a document with judgment 2 stops 3 of 16 readers if the highest grade is 4, but 3 of 4 if it is 2."""
    done = run("eval", *options, qrels, *runs)
    assert done.stderr.count("no judgment is above 2, and err") == told
    assert ("expected --max-grade 2" in done.stderr) == told


@pytest.mark.parametrize(("measure", "is_told"), [("map", True), ("ndcg", False)])
def test_stored_scores_above_0_have_gains_at_any_level(run, write, measure: str, is_told: bool):
    """The gains of ndcg are the judgments, also of documents below the level of num_rel."""
    qrels = write("qrels", [f"{t} 0 a {1 + t % 2}" for t in range(8)] + [f"{t} 0 b 0" for t in range(8)])
    path = write("a.run", [f"{t} Q0 {d} {r} {9 - r} x" for t in range(8) for r, d in enumerate("ab")])
    stored = run("eval", "-l", 2, "-q", "-n", "-f", "csv", "-m", measure, "-m", "num_rel", qrels, path).stdout
    done = run("eval", "-m", measure, "--scores", write("s.csv", stored))
    assert ("4 of 8 topics (e.g. '0') have no relevant document: every run scores 0" in done.stderr) is is_told


def test_relevant_documents_of_missing_topics_are_counted_at_the_level(run, write):
    """Their rows are not in trec_eval's output, but its sum over all topics is from level 1 on."""
    qrels = write("qrels", ["1 0 a 1", "1 0 b 2", "2 0 a 1", "2 0 b 2", "2 0 c 1"])
    path = write("a.run", ["1 Q0 b 1 1 x"])
    done = run("eval", "-c", "-l", 2, "-q", "-f", "csv", "-m", "num_rel", "-m", "num_rel_rel=1", qrels, path)
    assert [row["num_rel"] for row in done.rows] == ["1", "1", "5"]
    assert [row["num_rel_rel=1"] for row in done.rows] == ["2", "3", "5"]
    told = (
        "with -c and -l 2, over all topics num_rel counts documents from level 1 on, as in trec_eval; num_rel_rel=2"
    )
    assert told in done.stderr
    assert "num_rel counts" not in run("eval", "-c", "-m", "num_rel", qrels, path).stderr
