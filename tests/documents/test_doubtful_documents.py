"""Runs whose documents were removed, added or sorted by the judgments are told, and no real run is."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import pytest

from stdeval import InputWarning, evaluate, read_qrels, read_run
from stdeval.documents.retrieved import first_docnos
from tests.conftest import SAMPLE


def joined(path: Path, qrels: Path) -> str:
    """The lines of a run whose documents are judged."""
    judged = {(topic, docno) for topic, _, docno, _ in map(str.split, qrels.read_text().splitlines())}
    lines = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
    return "".join(line for line in lines if (line.split()[0], line.split()[2]) in judged)


@pytest.mark.parametrize(
    ("collection", "name"),
    [("trec-covid-r4", "uw_base"), ("cisi", "bm25-lucene-k1.2-b75"), ("cranfield", "tfidf-l2")],
)
def test_runs_without_their_unjudged_documents_are_told(
    run, shared: Path, tmp_path: Path, collection: str, name: str
):
    folder, path = shared / collection, tmp_path / "joined.run"
    path.write_text(joined(folder / f"runs/{name}.run.gz", folder / "qrels.txt"))
    n = len(path.read_text().splitlines())
    told = f"all {n} documents of '{name}' are judged, as after a join with the qrels: scores are too high if"
    assert told in run("check", "-c", "--min", "map=0.1", folder / "qrels.txt", path).stderr
    assert "after a join" not in run("eval", "-J", "-m", "map", folder / "qrels.txt", path).stderr
    assert told in run("eval", "-M", 5, "-m", "map", folder / "qrels.txt", path).stderr
    with pytest.warns(InputWarning) as warned:
        evaluate(read_qrels(folder / "qrels.txt"), read_run(path), "map")
    assert any(told in str(each.message) for each in warned)


@pytest.mark.parametrize("collection", ["cranfield", "cisi", "trec-covid-r4", "trec-covid-r5"])
def test_no_real_run_is_said_to_have_lost_or_got_documents(run, shared: Path, collection: str):
    folder = shared / collection
    done = run("eval", "-m", "map", folder / "qrels.txt", *sorted((folder / "runs").glob("*.gz")))
    assert done.status == 0
    assert "after a join" not in done.stderr
    assert "all relevant documents" not in done.stderr
    assert "is judged not relevant" not in done.stderr
    assert "many only for other topics" not in done.stderr
    assert "were the qrels cut" not in done.stderr


@pytest.mark.parametrize(("first", "is_told"), [(0, False), (3, True)])
def test_a_run_of_all_judged_documents_is_not_one_without_unjudged_ones(first: int, is_told: bool):
    """It ranks them, as in learning to rank."""
    qrels = {str(t): {f"{t}-{d}": d % 2 for d in range(20 + t)} for t in range(12)}
    documents = {topic: {d: float(i) for i, d in enumerate(judged)} for topic, judged in qrels.items()}
    ranked = {topic: dict(list(scores.items())[first:]) for topic, scores in documents.items()}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        evaluate(qrels, ranked, "map")
    assert any("after a join" in str(each.message) for each in warned) == is_told


ALL_RELEVANT = (
    "all relevant documents for 12 of 12 topics; scores are too high if they were added to the run, or if only its "
    "documents were judged"
)


@pytest.mark.parametrize(
    ("n_relevant", "missed_on", "n_others", "of_all_topics", "is_told"),
    [
        (6, 0, 3, False, True),
        (6, 1, 3, False, False),
        (4, 0, 3, False, False),
        (6, 0, 9, False, True),
        (6, 0, 9, True, False),
    ],
    ids=["added", "one of twelve topics", "few", "all judged documents", "the whole collection"],
)
def test_relevant_documents_that_were_added_to_a_run_are_told(
    n_relevant: int, missed_on: int, n_others: int, of_all_topics: bool, is_told: bool
):
    """As those that some benchmarks add to the candidates of a re-ranker."""
    relevant = [f"r{i}" for i in range(n_relevant)]
    others = [f"n{i}" for i in range(9)]
    # other documents of each topic, so that no two rankings are the same
    qrels = {f"{t}": {f"{t}{d}": int(d[0] == "r") for d in (*relevant, *others)} for t in range(12)}
    elsewhere = [docno for judged in qrels.values() for docno in judged] if of_all_topics else []
    runs = {}
    for topic in qrels:
        found = [*relevant[int(int(topic) < missed_on) :], *others[:n_others], "unjudged"]
        docnos = dict.fromkeys([*(f"{topic}{d}" for d in found), *elsewhere])
        runs[topic] = {docno: float(-i) for i, docno in enumerate(docnos)}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        evaluate(qrels, {"new": runs}, "map")
    assert any(f"'new' has {ALL_RELEVANT}" == str(each.message) for each in warned) == is_told


def test_judgments_of_the_documents_of_one_run_are_told(shared: Path):
    """As of labels that were joined to the results of the old ranker."""
    qrels = read_qrels(shared / "trec-covid-r5/qrels.txt")
    run = read_run(shared / "trec-covid-r5/runs/r5.rf.run.gz")
    joined = {
        topic: {docno: judgment for docno, judgment in judged.items() if docno in run.documents[topic]}
        for topic, judged in qrels.items()
    }
    with pytest.warns(
        InputWarning, match="'r5.rf' has all relevant documents for 49 of 50 topics; .* only its documents were"
    ):
        evaluate(joined, run, "map")


REVERSED = (
    "have lower judgments than other judged documents on most topics: are the judgments coded the other way round"
)


def test_judged_documents_that_were_joined_to_a_run_are_told(shared: Path):
    """As by an outer join with the qrels, and the lowest score for the documents that it adds."""
    qrels = read_qrels(shared / "trec-covid-r4/qrels.txt")
    documents = read_run(shared / "trec-covid-r4/runs/uw_base.run.gz").documents
    joined = {topic: dict.fromkeys(qrels[topic], -99.0) | scored for topic, scored in documents.items()}
    with pytest.warns(InputWarning, match="'new' has all relevant documents for 45 of 45 topics"):
        evaluate(qrels, {"new": joined}, "map")


@pytest.mark.parametrize("collection", ["trec-covid-r4", "trec-covid-r5"])
def test_judgments_that_are_coded_the_other_way_round_are_told(shared: Path, collection: str):
    folder = shared / collection
    qrels = read_qrels(folder / "qrels.txt")
    best = ("covidex.r4.duot5", "uw_base") if collection.endswith("4") else ("covidex.r5.2s.lr", "BRPHJ_BM25")
    runs = [read_run(folder / f"runs/{name}.run.gz") for name in best]
    for of_qrels, is_told in (
        (qrels, False),
        ({topic: {docno: 2 - max(0, n) for docno, n in judged.items()} for topic, judged in qrels.items()}, True),
    ):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            evaluate(of_qrels, runs, "map")
        assert any(REVERSED in str(each.message) for each in warned) == is_told


@pytest.mark.parametrize("collection", ["cranfield", "cisi", "trec-covid-r4", "trec-covid-r5"])
def test_no_real_run_is_said_to_be_reversed(run, shared: Path, collection: str):
    """Not even by itself, but for two whose documents are in the order of wrong scores."""
    folder = shared / collection
    for path in sorted((folder / "runs").glob("*.gz"))[::3]:
        stderr = run("eval", "-m", "map", folder / "qrels.txt", path).stderr
        assert ("lower judgments" in stderr) == path.name.startswith(("aserini2000-t53", "MacEwan-base"))
        assert "sorted by the judgments" not in stderr
        assert "lower half" not in stderr


@pytest.mark.parametrize(("collection", "depth"), [("cranfield", 100), ("cranfield", 9), ("cisi", 100)])
def test_distances_are_told_although_their_ranks_fit(
    run, shared: Path, tmp_path: Path, collection: str, depth: int
):
    """As if a program had ranked the documents by falling score."""
    folder, path = shared / collection, tmp_path / "distances.run"
    documents = read_run(folder / "runs/dense-minilm.run.gz").documents
    path.write_text(
        "".join(
            f"{topic} Q0 {docno} {rank} {1 - scored[docno]} dense-l2\n"
            for topic, scored in documents.items()
            for rank, docno in enumerate(sorted(first_docnos(scored, depth), key=scored.__getitem__), 1)
        )
    )
    told = "the relevant documents of 'dense-l2' are in the lower half on most topics"
    assert told in run("eval", "-m", "map", folder / "qrels.txt", path).stderr


@pytest.mark.parametrize("depth", [100, 9, 5, 4])
def test_a_run_that_is_sorted_by_the_judgments_is_told(shared: Path, depth: int):
    """As after a merge with the qrels whose column is a key of the order, or a feature."""
    qrels, weak = (
        read_qrels(shared / "cranfield/qrels.txt"),
        read_run(shared / "cranfield/runs/bm25-short-query.run.gz"),
    )
    leaked = {
        topic: {
            docno: documents[docno] + 1000 * (qrels[topic].get(docno, 0) > 0)
            for docno in first_docnos(documents, depth)
        }
        for topic, documents in weak.documents.items()
        if topic in qrels
    }
    with pytest.warns(
        InputWarning,
        match=r"the relevant ones of the first 10 documents of 'new' stand above the others on \d+ of \d+",
    ):
        evaluate(qrels, {"new": leaked}, "map")


def test_a_run_whose_first_ten_documents_are_sorted_by_the_judgments_is_told(shared: Path):
    """On many topics of TREC-COVID, all ten are relevant, and their order tells nothing."""
    qrels = read_qrels(shared / "trec-covid-r5/qrels.txt")
    whole = read_run(shared / "trec-covid-r5/runs/covidex.r5.2s.run.gz").documents
    leaked = {}
    for topic, documents in whole.items():
        first = sorted(first_docnos(documents, 10), key=lambda docno: -(qrels[topic].get(docno, 0) > 0))
        others = [docno for docno in first_docnos(documents, len(documents)) if docno not in first]
        leaked[topic] = {docno: -float(rank) for rank, docno in enumerate([*first, *others])}
    with pytest.warns(InputWarning, match="the relevant ones of the first 10 documents of 'new' stand above"):
        evaluate(qrels, {"new": leaked}, "map")


def test_a_run_of_the_judged_documents_of_all_topics_is_told_beside_others(shared: Path):
    deep = read_qrels(shared / "trec-covid-r5/qrels.txt")
    qrels = {topic: dict(list(judged.items())[:60]) for topic, judged in deep.items()}
    first = read_run(shared / "trec-covid-r5/runs/BRPHJ_BM25.run.gz")
    judged = set().union(*qrels.values())
    mini = {
        topic: {docno: score for docno, score in documents.items() if docno in judged}
        for topic, documents in first.documents.items()
    }
    told = "all documents of 1 of 2 runs (e.g. 'mini') are judged, many only for other topics than theirs"
    for runs, is_told in (({"mini": mini, "whole": first}, True), ({"mini": mini}, False)):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            evaluate(qrels, runs, "map")
        assert any(told in str(each.message) for each in warned) == is_told


@pytest.mark.parametrize(
    ("collection", "name"),
    [
        ("trec-covid-r5", "BRPHJ_BM25"),
        ("cranfield", "bm25-lucene-k1.2-b75"),
        ("cranfield", "dense-minilm"),
    ],
)
def test_a_run_without_documents_that_are_judged_not_relevant_is_told(shared: Path, collection: str, name: str):
    """As after a filter for labels that are not 0, which keeps documents without a label."""
    qrels = read_qrels(shared / collection / "qrels.txt")
    whole = read_run(shared / collection / f"runs/{name}.run.gz").documents
    filtered = {
        topic: {docno: score for docno, score in documents.items() if qrels[topic].get(docno) != 0}
        for topic, documents in whole.items()
    }
    told = "among the first 10 of 'new' is judged not relevant: scores are too high if such documents were removed"
    for documents, is_told in ((filtered, True), (whole, False)):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            evaluate(qrels, {"new": documents}, "map")
        assert any(told in str(each.message) for each in warned) == is_told


@pytest.mark.parametrize(("n_cached", "is_told"), [(70, True), (20, False)])
def test_the_same_short_list_for_many_topics_is_told(shared: Path, n_cached: int, is_told: bool):
    """As from a cache that returns the list of one topic for others."""
    qrels = read_qrels(shared / "cranfield/qrels.txt")
    whole = read_run(shared / "cranfield/runs/lsi-300.run.gz").documents
    lists = {topic: first_docnos(documents, 9) for topic, documents in whole.items()}
    cached = {topic: lists["1"] if int(topic) <= n_cached else each for topic, each in lists.items()}
    ranked = {topic: {docno: -float(i) for i, docno in enumerate(each)} for topic, each in cached.items()}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        evaluate(qrels, {"new": ranked}, "map")
    assert any("the same first documents" in str(each.message) for each in warned) == is_told


@pytest.mark.parametrize(
    ("label", "other", "told"),
    [(1, "references/ref01", "100.0% of all judged documents count as relevant"), (0, "new-b", REVERSED)],
    ids=["lost", "swapped"],
)
def test_binary_labels_that_are_lost_or_swapped_are_told(label: int, other: str, told: str):
    """As of a file without its column of labels, and of an encoder that calls the first label 0."""
    qrels = read_qrels(SAMPLE / "qrels.gz")
    runs = [read_run(SAMPLE / f"{name}.run.gz") for name in ("new-a", other)]
    spoiled = {
        topic: {docno: label if judgment else 1 for docno, judgment in judged.items()}
        for topic, judged in qrels.items()
    }
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        evaluate(spoiled, runs, "map")
    assert any(told in str(each.message) for each in warned)


LOWER_GRADES = (
    "have lower judgments than other relevant documents on most topics: are the grades coded the other way round, "
    "with 1 for the best?"
)


@pytest.mark.parametrize(
    ("grades", "told"),
    [({1: 2, 2: 1}, LOWER_GRADES), ({1: 1, 2: 0}, REVERSED), ({1: 1, 2: 2}, ""), ({1: 1, 2: 1}, "")],
    ids=["reversed", "1 only", "right", "binary"],
)
def test_grades_that_are_coded_the_other_way_round_are_told(shared: Path, grades: dict[int, int], told: str):
    """Most of the runs are enough: of a few runs, the first relevant documents have as high grades as others."""
    folder = shared / "trec-covid-r5"
    qrels = {
        topic: {docno: grades.get(judgment, judgment) for docno, judgment in judged.items()}
        for topic, judged in read_qrels(folder / "qrels.txt").items()
    }
    names = ["covidex.r5.d2q.2s.lr", "sab20.5.4.dfo", "r5.rf"]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        evaluate(qrels, [read_run(folder / f"runs/{name}.run.gz") for name in names], "ndcg_cut_10")
    found = [str(each.message) for each in warned if "have lower judgments" in str(each.message)]
    assert len(found) == bool(told)
    assert all(told in each for each in found)


LAST = (
    "the last fifth of 'joined' has more relevant documents than the fifth before it on most topics: were the first"
)
LOWER = (
    "the relevant documents of 'joined' are in the lower half on most topics: the highest score is the first, so"
)


@pytest.mark.parametrize(
    ("collection", "name", "n", "depth", "told"),
    [
        ("cisi", "rm3-dirichlet", 10, 100, LAST),
        ("cisi", "rm3-dirichlet", 20, 1000, LAST),
        ("trec-covid-r4", "covidex.r4.duot5", 50, 1000, LAST),
        ("trec-covid-r4", "covidex.r4.duot5", 100, 1000, LOWER),
        ("cranfield", "rm3-dirichlet", 20, 100, LOWER),
    ],
)
def test_first_documents_that_were_reranked_below_the_others_are_told(
    run, shared: Path, write, collection: str, name: str, n: int, depth: int, told: str
):
    """The ranks were numbered after the lists were joined, so that they do not contradict the scores."""
    folder = shared / collection
    lines = []
    for topic, scored in read_run(folder / f"runs/{name}.run.gz").documents.items():
        ranked = first_docnos(scored, depth)
        joined = [*ranked[n:], *ranked[:n]]
        lines += [f"{topic} Q0 {docno} {rank} {-rank} joined" for rank, docno in enumerate(joined, 1)]
    assert told in run("eval", "-m", "map", folder / "qrels.txt", write("joined.run", lines)).stderr


@pytest.mark.parametrize(("every", "found"), [(1000, 0), (5, 8), (3, 14)])
def test_topics_in_reverse_order_are_told(run, shared: Path, write, every: int, found: int):
    """All but one of them: its relevant documents are anywhere."""
    folder = shared / "trec-covid-r4"
    lines = []
    for i, (topic, scored) in enumerate(read_run(folder / "runs/covidex.r4.duot5.run.gz").documents.items()):
        ranked = first_docnos(scored, 1000)[:: -1 if i % every == every - 1 else 1]
        lines += [f"{topic} Q0 {docno} {rank} {-rank} shards" for rank, docno in enumerate(ranked, 1)]
    told = f"the relevant documents of 'shards' are at the end on {found} of 45 topics; are these in reverse order,"
    path = write("shards.run", lines)
    assert (told in run("eval", "-m", "map", folder / "qrels.txt", path).stderr) == (found > 0)


def test_a_run_of_documents_that_are_judged_for_any_topic_is_told_beside_others(shared: Path):
    """As after a join with the qrels by docno, without the topic."""
    qrels = read_qrels(shared / "trec-covid-r4/qrels.txt")
    whole = read_run(shared / "trec-covid-r4/runs/r4.fusion2.run.gz").documents
    judged = set().union(*qrels.values())
    joined = {
        topic: {docno: score for docno, score in documents.items() if docno in judged}
        for topic, documents in whole.items()
    }
    with pytest.warns(InputWarning, match=r"all documents of 1 of 2 runs \(e.g. 'joined'\) are judged, many only"):
        evaluate(qrels, {"joined": joined, "whole": whole}, "map")


@pytest.mark.parametrize("n", [None, 100, 200, 300])
def test_judgments_that_were_cut_at_a_docno_are_told(shared: Path, n: int | None):
    """As by groupby("topic").head(n) of qrels that are sorted by docno."""
    qrels = read_qrels(shared / "trec-covid-r5/qrels.txt")
    cut = {topic: dict(sorted(judged.items())[:n]) for topic, judged in qrels.items()}
    runs = {
        name: read_run(shared / f"trec-covid-r5/runs/{name}.run.gz") for name in ("covidex.r5.2s", "UIowaS_Run1")
    }
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        evaluate(cut, runs, "map")
    told = "have docnos after all judged ones of their topic, and most others are judged: were the qrels cut"
    assert any(told in str(each.message) for each in warned) == (n is not None)
