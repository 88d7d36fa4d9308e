"""Scores and factors that a spreadsheet spoiled are told of, and real ones are not."""

from __future__ import annotations

import csv
import gzip
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from stdeval import (
    Factors,
    InputWarning,
    ScoreTable,
    evaluate,
    fit_factors,
    read_factors,
    read_qrels,
    read_run,
    read_scores,
)
from stdeval.doubtful_scores.spoiled_columns import copied_rows, displaced_columns, filled_down, running_means
from stdeval.doubtful_scores.stored_scores import about_repeated_topics, about_spoiled_scores
from stdeval.files import Input
from stdeval.formats.readers import read_factors as factors_in
from stdeval.standardization.doubtful_factors import about_spoiled_factors

RUNS = ["bm25-lucene-k1.2-b75", "dense-minilm", "tfidf-l2"]

Rows = list[list[str]]


@pytest.fixture(scope="module")
def table(shared: Path) -> ScoreTable:
    qrels = read_qrels(shared / "cranfield/qrels.txt")
    runs = {name: read_run(shared / f"cranfield/runs/{name}.run.gz") for name in RUNS}
    return evaluate(qrels, runs, ["map", "ndcg_cut_10"])


@pytest.fixture
def spoil(tmp_path: Path) -> Callable[[Path, Callable[[Rows], None]], Path]:
    """Write a copy of a CSV file with changed rows."""

    def spoiled(path: Path, change: Callable[[Rows], None]) -> Path:
        header, *rows = csv.reader(path.read_text().splitlines())
        change(rows)
        copy = tmp_path / "spoiled.csv"
        copy.write_text("".join(",".join(row) + "\n" for row in [header, *rows]))
        return copy

    return spoiled


@pytest.fixture
def scores(run, shared: Path, tmp_path: Path) -> Path:
    path, folder = tmp_path / "scores.csv", shared / "cranfield"
    runs = [folder / f"runs/{name}.run.gz" for name in RUNS]
    typed = ["-q", "-n", "-f", "csv", "--label", "file", "-m", "map", "-m", "nDCG@10", "-o", path]
    assert run("eval", *typed, folder / "qrels.txt", *runs).status == 0
    return path


def fill_down(rows: Rows, column: int, first: int, last: int) -> None:
    for row in rows[first:last]:
        row[column] = rows[first][column]


def sort_alone(rows: Rows, column: int) -> None:
    numbers = sorted((row[column] for row in rows), key=float, reverse=True)
    for row, number in zip(rows, numbers, strict=True):
        row[column] = number


FILLED = "for 176 topics in a row (from '143' to '99'): was the column filled down?"
SORTED = "rises or falls from topic to topic: was the column sorted alone?"


@pytest.mark.parametrize("command", ["compare -m map --scores", "eval --scores", "check --min map=0.1 --scores"])
def test_scores_that_were_filled_down_or_sorted_are_told(run, scores: Path, spoil, command: str):
    assert "column" not in run(*command.split(), scores).stderr
    filled = spoil(scores, lambda rows: fill_down(rows, 2, 274, 450))
    assert run(*command.split(), filled).stderr.count(f"map of 'dense-minilm.run' is 0.172619 {FILLED}") == 1
    ordered = spoil(scores, lambda rows: sort_alone(rows, 2))
    assert run(*command.split(), ordered).stderr.count(SORTED) == 1


def test_python_tells_of_spoiled_scores(scores: Path, spoil):
    with pytest.warns(InputWarning, match=r"176 topics in a row"):
        read_scores(spoil(scores, lambda rows: fill_down(rows, 2, 274, 450)))


@pytest.mark.parametrize("first", [0, 20, 40, 44])
def test_factors_that_were_filled_down_are_told(run, table: ScoreTable, spoil, write, first: int):
    factors = fit_factors(table)
    lines = [
        f"{topic},3,{mean!r},{sd!r}"
        for topic, (mean, _), (sd, _) in zip(
            factors.topics, factors.mean.tolist(), factors.sd.tolist(), strict=True
        )
    ][:50]
    path = spoil(
        write("f.csv", ["topic,n,map.mean,map.sd", *lines]),
        lambda rows: [fill_down(rows, column, first, 50) for column in (2, 3)],
    )
    with pytest.warns(InputWarning) as warned:
        read_factors(path)
    told = f"for {50 - first} topics in a row"
    assert [told in str(each.message) for each in warned] == [True]
    new = write("new.csv", ["run,topic,map", *(f"a,{topic},0.{topic}7" for topic in factors.topics[:50])])
    assert "topics in a row" in run("standardize", "-F", path, "--scores", new).stderr


@pytest.mark.parametrize(
    ("mean", "sd", "is_told"),
    [
        ("0.2", "0.1{}", True),
        ("0.4{}", "0.1234567", True),
        ("0.9", "0.31622776601683794", False),
        ("0.1", "0", False),
    ],
    ids=["one mean", "one deviation", "scores of 0 or 1", "equal scores"],
)
def test_the_same_number_for_all_topics_counts_unless_there_is_a_reason(write, mean: str, sd: str, is_told: bool):
    lines = [f"{t},10,{mean.format(t * 37 % 89)},{sd.format(t * 7 % 53)}" for t in range(10, 40)]
    path = write("f.csv", ["topic,n,map.mean,map.sd", *lines])
    assert bool([*about_spoiled_factors(factors_in([Input(path)]))]) == is_told


def test_sorted_factors_are_told(table: ScoreTable):
    factors = fit_factors(table)
    found = about_spoiled_factors(
        factors.__class__(factors.topics, factors.measures, np.sort(factors.mean, axis=0), factors.sd, factors.n)
    )
    assert [message.split()[0] for message in found] == ["map.mean", "ndcg_cut_10.mean"]


@pytest.mark.parametrize(
    ("numbers", "is_told"),
    [
        ([0.123456789] * 9, True),
        ([0.123456789] * 4, False),
        ([0.2] * 9, False),
        ([0.0] * 9, False),
        ([1.0] * 9, False),
        ([float("nan")] * 9, False),
    ],
    ids=["long", "few", "usual", "zeros", "ones", "missing"],
)
def test_only_numbers_that_topics_do_not_share_count(numbers: Sequence[float], is_told: bool):
    scores = [0.31, 0.42, 0.17, 0.55, *numbers, 0.91]
    table = ScoreTable(("a",), tuple(f"{i:02}" for i in range(len(scores))), ("map",), [[[x] for x in scores]])
    assert bool([*about_spoiled_scores(table)]) == is_told


def test_a_usual_number_counts_if_other_runs_do_not_have_it():
    topics = tuple(f"{i:02}" for i in range(40))
    others = np.random.default_rng(1).random((4, 40, 1))
    filled = np.concatenate([others, others[:1]])
    filled[4, 10:30] = 0.25
    table = ScoreTable(tuple("abcde"), topics, ("map",), filled)
    assert ["'e' is 0.25 for 20 topics" in message for message in about_spoiled_scores(table)] == [True]
    filled[:, 10:30] = 0.25
    assert not [*about_spoiled_scores(ScoreTable(tuple("abcde"), topics, ("map",), filled))]


def test_topics_in_the_order_of_their_numbers_count():
    topics = tuple(sorted(map(str, range(1, 41))))
    scores = [int(topic) / 41 if int(topic) > 5 else 0.0123456789 for topic in topics]
    table = ScoreTable(("a",), topics, ("map",), [[[x] for x in scores]])
    assert [*about_spoiled_scores(table)] == [f"map of 'a' {SORTED}"]


@pytest.mark.parametrize("name", ["cranfield", "cisi", "trec-covid-r4"])
def test_no_real_scores_or_factors_are_told(shared: Path, name: str):
    qrels = read_qrels(shared / name / "qrels.txt")
    runs = {}
    for path in sorted((shared / name / "runs").glob("*.gz"))[:14]:
        topics: dict[str, dict[str, float]] = {}
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            topic, _, docno, _, score, _ = line.split()
            topics.setdefault(topic, {})[docno] = float(score)
        runs[path.name] = topics
    with pytest.warns(InputWarning):
        table = evaluate(qrels, runs, ["all_trec", "RR@10", "nDCG@3", "success_1"])
    for some in (table, *(table.select(systems=[system]) for system in table.systems)):
        assert not [*about_spoiled_scores(some)]
    for n in (2, 3, 14):
        assert not [*about_spoiled_factors(fit_factors(table.select(systems=table.systems[:n])))]


@pytest.mark.parametrize("columns", ["signature", "names"])
def test_topics_in_two_spellings_are_told(run, shared: Path, tmp_path: Path, columns: str):
    """Two exports of the same scores, one of which writes q1 for topic 1."""
    path, folder = tmp_path / "scores.csv", shared / "cranfield"
    extra = ["--signature"] if columns == "signature" else []
    runs = [folder / f"runs/{name}.run.gz" for name in RUNS[:2]]
    run("eval", "-q", "-n", "-f", "csv", *extra, "-m", "map", "-o", path, folder / "qrels.txt", *runs)
    assert "spellings" not in run("compare", "--scores", path).stderr
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join([header, *rows, *(row.replace(",", ",q", 1) for row in rows), ""]))
    told = run("compare", "--scores", path).stderr
    assert told.count("225 topics have two spellings (e.g. '1' and 'q1'): do they count twice?") == 1
    more = "scores of 450 topics, but the judgments have 225"
    assert told.count(more) == (columns == "signature")
    with pytest.warns(InputWarning) as warned:
        read_scores(path)
    assert any("two spellings" in str(each.message) for each in warned)


def test_topics_that_a_data_frame_made_decimals_are_told():
    """As a column with a missing value, whose whole numbers become floats."""
    table = ScoreTable(("a",), ("1", "1.0", "2", "2.0"), ("map",), [[[0.5], [0.4], [0.3], [0.2]]])
    assert [*about_repeated_topics(table)] == [
        "2 topics have two spellings (e.g. '1' and '1.0'): do they count twice?"
    ]


def test_rows_that_were_joined_twice():
    rows = np.random.default_rng(0).random((20, 3))
    assert copied_rows(np.concatenate([rows, rows])) == (20, 0, 20)
    assert copied_rows(np.concatenate([rows, rows[:1], rows[3:6]])) is None
    assert copied_rows(np.concatenate([rows, rows[:8]])) == (8, 0, 20)


def test_a_few_unusual_numbers_that_many_rows_have_are_no_copies():
    """With one relevant document, ndcg_cut_10 is 1 / log2(rank + 1)."""
    gains = 1 / np.log2(np.arange(2, 12))
    assert copied_rows(np.random.default_rng(0).choice(gains, (500, 1))) is None


def test_one_sorted_column_of_several_is_told():
    """In a matrix the columns are runs, so that a spreadsheet never sorts all of them alone."""
    rng = np.random.default_rng(7)
    scores = rng.random((3, 40, 1))
    scores[1] = np.sort(scores[1], axis=0)[::-1]
    table = ScoreTable(("a", "b", "c"), tuple(map(str, range(101, 141))), ("map",), scores)
    assert [*about_spoiled_scores(table)] == [f"map of 'b' {SORTED}"]
    assert [*about_spoiled_scores(table.select(systems=["a", "c"]))] == []


def test_whole_rows_may_be_sorted_by_a_column():
    rng = np.random.default_rng(7)
    means, topics = rng.random((40, 1)), tuple(map(str, range(101, 141)))
    order = np.argsort(means[:, 0])
    sorted_rows = Factors([topics[i] for i in order], ("map",), means[order], means[order] / 3.7, [[40]] * 40)
    assert [*about_spoiled_factors(sorted_rows)] == []
    alone = Factors(topics, ("map",), means[order], rng.random((40, 1)) / 5, [[40]] * 40)
    assert [*about_spoiled_factors(alone)] == [f"map.mean {SORTED}"]


def pasted(rows: Rows, run: str) -> None:
    """Put the scores of a run, which are in the order of the topics as text, beside the topics by number."""
    of_run = [row for row in rows if row[0] == run]
    numbers = [row[2:] for row in of_run]
    for row, scores in zip(sorted(of_run, key=lambda row: int(row[1])), numbers, strict=True):
        row[2:] = scores


@pytest.mark.parametrize("command", ["compare -m map --scores", "eval --scores", "check --min map=0.1 --scores"])
def test_a_column_in_another_order_of_the_topics_is_told(run, scores: Path, spoil, command: str):
    """As after paste of two files, one of which a spreadsheet sorted by topic."""
    spoiled = spoil(scores, lambda rows: pasted(rows, "dense-minilm.run"))
    told = run(*command.split(), spoiled).stderr
    agree = "agree if one of them is put into another order of the topics"
    assert told.count(f"map of 'dense-minilm.run' and 'tfidf-l2.run' {agree} (r 0.79, now -0.06)") == 1


@pytest.mark.parametrize("name", ["cranfield", "cisi", "trec-covid-r4", "trec-covid-r5"])
def test_no_real_columns_are_in_another_order(shared: Path, name: str):
    qrels = read_qrels(shared / name / "qrels.txt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # of unlike depths and many ties
        runs = {path.name: read_run(path) for path in sorted((shared / name / "runs").glob("*.gz"))[::2]}
        table = evaluate(qrels, runs, ["all_trec", "rbp_p=0.8"])
    for measure in table.measures:
        assert displaced_columns(table.topics, table.measure(measure)) is None


@pytest.mark.parametrize("way", ["--baseline", "-F"])
def test_baselines_and_reference_scores_are_told_likewise(run, shared: Path, scores: Path, spoil, way: str):
    """Both are files of scores, whatever option names them."""
    folder = shared / "cranfield"
    filled = spoil(scores, lambda rows: fill_down(rows, 2, 0, 176))
    if way == "--baseline":
        one = filled.read_text().splitlines(keepends=True)[:226]
        filled.write_text("".join(one))
        typed = ["check", "--not-worse", "map", "--allow-other-judgments", way, filled]
    else:
        typed = ["standardize", "-m", "map", way, filled]
    told = run(*typed, folder / "qrels.txt", folder / "runs/jaccard.run.gz").stderr
    assert (
        "for 176 topics in a row (from '1' to '255'): was the column filled down?" in told or "filled down?" in told
    )


@pytest.mark.parametrize("number", [0.05, 0.1, 0.2, 1 / 3, 0.5])
@pytest.mark.parametrize(("n_filled", "is_told"), [(32, True), (4, False)])
def test_usual_numbers_of_a_single_run_are_told_if_no_order_brings_them_together(
    number: float, n_filled: int, is_told: bool
):
    """As of average precision, of which a spreadsheet filled one down."""
    scores = np.random.default_rng(2).random(50)
    scores[[3, 8]], scores[10 : 10 + n_filled] = (0.02, 0.98), number
    found = filled_down([str(topic) for topic in range(301, 351)], scores[np.newaxis])
    assert (found is not None) == is_told


def test_a_usual_number_of_many_topics_may_stand_in_a_row():
    """As of reciprocal ranks, of which many are 1/2."""
    rng = np.random.default_rng(3)
    topics = [str(topic) for topic in range(225)]
    for _ in range(200):
        ranks = 1 / rng.choice([1, 2, 2, 2, 3, 4, 5, 10], size=225)
        assert filled_down(topics, ranks[np.newaxis]) is None


@pytest.mark.parametrize("n_topics", [50, 225])
@pytest.mark.parametrize("decimals", [4, 17])
def test_means_of_the_topics_so_far_are_told(n_topics: int, decimals: int):
    """As an evaluation loop logs them."""
    topics = [str(topic) for topic in range(n_topics)]
    for seed in range(20):
        scores = np.random.default_rng(seed).beta(0.5, 1, n_topics)
        means = (scores.cumsum() / np.arange(1, n_topics + 1)).round(decimals)
        assert running_means(topics, means[np.newaxis]) == 0
        assert running_means(topics, scores[np.newaxis]) is None
        # all scores are close to each other, so that each could be a mean of those before it
        assert running_means(topics, (0.5 + scores[np.newaxis] / n_topics)) is None


@pytest.mark.parametrize("collection", ["cranfield", "cisi", "trec-covid-r5"])
def test_no_run_looks_like_means_of_the_topics_so_far(shared: Path, collection: str):
    folder = shared / collection
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        runs = [read_run(path) for path in sorted((folder / "runs").iterdir())[:10]]
        table = evaluate(read_qrels(next(folder.glob("qrels*"))), runs, ["map", "recip_rank", "P_10", "ndcg"])
    for measure in table.measures:
        assert running_means(table.topics, table.measure(measure)) is None


def test_running_means_are_told_by_commands(run, write):
    means = np.random.default_rng(1).random(40).cumsum() / np.arange(1, 41)
    rows = [f"a,{topic},{mean:.4f}" for topic, mean in zip(range(101, 141), means.tolist(), strict=True)]
    done = run("check", "--min", "map=0.1", "--scores", write("s.csv", ["run,topic,map", *rows]))
    assert "map of 'a' looks like the mean of all topics so far: are these running" in done.stderr


@pytest.mark.parametrize("n_runs", [1, 2, 20])
@pytest.mark.parametrize(("n_zeros", "is_told"), [(15, True), (40, True), (5, False)])
def test_topics_in_a_row_that_were_filled_with_0_are_told(n_runs: int, n_zeros: int, is_told: bool):
    """As after an outer join of a run that ended early, if missing scores were replaced by 0."""
    values = np.random.default_rng(4).random((n_runs, 50, 1)) + 0.01
    values[0, 50 - n_zeros :] = 0
    topics = tuple(map(str, range(301, 351)))
    table = ScoreTable(tuple(f"r{i}" for i in range(n_runs)), topics, ("map",), values)
    told = f"map of 'r0' is 0 for {n_zeros} topics in a row (from '{351 - n_zeros}' to '350'): were missing scores"
    assert [text.startswith(told) for text in about_spoiled_scores(table)] == ([True] if is_told else [])
    if n_runs > 1:
        values[1:, 50 - n_zeros :] = 0
        assert list(about_spoiled_scores(ScoreTable(table.systems, topics, ("map",), values))) == []
    values[0] = 0
    assert list(about_spoiled_scores(ScoreTable(table.systems, topics, ("map",), values))) == []


@pytest.mark.parametrize(("n", "is_told"), [(5, True), (4, False)])
@pytest.mark.parametrize("n_runs", [1, 2])
def test_five_long_scores_in_a_row_are_told(shared: Path, n: int, is_told: bool, n_runs: int):
    """A cell that was dragged down over the four below it."""
    qrels = read_qrels(shared / "trec-covid-r5/qrels.txt")
    names = ("UIowaS_Run1", "elhuyar_rrf_nof09p")[:n_runs]
    runs = {name: read_run(shared / f"trec-covid-r5/runs/{name}.run.gz") for name in names}
    whole = evaluate(qrels, runs, "map")
    values = whole.values.copy()
    values[0, 3 : 3 + n] = values[0, 3]
    told = f"map of 'UIowaS_Run1' is {values[0, 3, 0]:g} for {n} topics in a row"
    found = about_spoiled_scores(ScoreTable(whole.systems, whole.topics, whole.measures, values))
    assert any(text.startswith(told) for text in found) == is_told
