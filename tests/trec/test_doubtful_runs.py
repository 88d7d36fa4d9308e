"""Runs whose ranks contradict their scores, or whose scores are too close for 32-bit floats."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.files import Input
from stdeval.trec.doubtful_runs import about_doubts, doubts_of_documents, doubts_of_run, sampled
from stdeval.trec.doubts import Doubt
from stdeval.trec.reading import RunReader

N = 100
RANKS = range(1, N + 1)
SIMILARITIES = [round(20 - math.log(rank), 4) for rank in RANKS]
DISTANCES = [round(20 - score, 4) for score in SIMILARITIES]
RANDOM = random.Random(1)


def kinds(ranks: Iterable[object], scores: Iterable[object]) -> list[str]:
    return [doubt.kind for doubt in doubts("".join(lines_of("301", ranks, scores)))]


def lines_of(topic: str, ranks: Iterable[object], scores: Iterable[object]) -> list[str]:
    return [
        f"{topic} Q0 d{i} {rank} {score} tag\n" for i, (rank, score) in enumerate(zip(ranks, scores, strict=True))
    ]


def documents(scores: Iterable[float]) -> dict[str, float]:
    return {f"d{i}": score for i, score in enumerate(scores)}


def doubts(text: str) -> tuple[Doubt, ...]:
    with NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        reader = RunReader(Input(file.name))
        assert dict(reader)
        return doubts_of_run(reader.doubts)


def shuffled(values: Iterable[object]) -> list[object]:
    given = list(values)
    return RANDOM.sample(given, len(given))


def swapped(values: Iterable[float], places: Iterable[int]) -> list[float]:
    result = list(values)
    for place in places:
        result[place], result[-1 - place] = result[-1 - place], result[place]
    return result


# --- ranks ---


AS_TIED = [sorted((f"d{i}" for i in range(N)), reverse=True).index(f"d{i}") + 1 for i in range(N)]
"""The ranks that trec_eval gives to documents of equal scores."""


@pytest.mark.parametrize("digits", [0, -2])
def test_scores_of_few_digits_lose_the_order_of_the_ranks(digits: int):
    assert kinds(RANKS, [round(score, digits) for score in SIMILARITIES]) == ["ties"]


def test_equal_scores_are_no_loss_if_ranks_are_those_of_trec_eval():
    assert kinds(AS_TIED, [1.0] * N) == []


@pytest.mark.parametrize("ranks", [[0] * N, ["-"] * N, [1] * 50 + [2] * 50], ids=["constant", "no numbers", "two"])
@pytest.mark.parametrize("digits", [0, -2])
def test_scores_of_few_digits_lose_the_order_of_the_lines_if_ranks_order_no_documents(
    ranks: list[object], digits: int
):
    rounded = [round(score, digits) for score in SIMILARITIES]
    assert kinds(ranks, rounded) == ["ties"]
    assert [doubt.kind for doubt in doubts_of_documents({"301": documents(rounded)})] == ["ties"]


def test_equal_scores_are_no_loss_if_ranks_are_equal_too():
    rounded = [round(score, 1) for score in SIMILARITIES]
    assert len(set(rounded)) < N / 2
    assert kinds([1 + sum(other > score for other in rounded) for score in rounded], rounded) == []


def test_equal_scores_are_no_loss_if_lines_are_ordered_as_by_trec_eval():
    scored = dict(sorted(documents([round(score) for score in SIMILARITIES]).items(), reverse=True))
    in_order = dict(sorted(scored.items(), key=lambda item: (item[1], item[0]), reverse=True))
    assert doubts_of_documents({"301": in_order}) == ()
    assert doubts_of_documents({"301": in_order}, {"301": [0] * N}) == ()
    assert doubts_of_documents({"301": scored}) != ()


@pytest.mark.parametrize("scores", [[1.0] * 15, [1.0] * 5, [1.0] * 2, [1.0] * 4 + [0.99] * 3 + [0.98, 0.97, 0.96]])
def test_equal_scores_of_the_first_documents_lose_the_order_of_the_ranks(scores: list[float]):
    given = [*scores, *[0.9 - distance for distance in DISTANCES[len(scores) :]]]
    assert kinds(RANKS, given) == ["top ties"]
    (doubt,) = doubts("".join(lines_of("301", RANKS, given)))
    counted = "1 score" if len(set(scores)) == 1 else "5 scores"
    assert doubt.example == f"topic '301': {counted} for the first {len(scores)} documents"
    by_docno = sorted(range(N), key=lambda place: (given[place], f"d{place}"), reverse=True)
    assert kinds([by_docno.index(place) + 1 for place in range(N)], given) == []
    assert kinds([0] * N, given) == [doubt.kind for doubt in doubts_of_documents({"301": documents(given)})]
    assert kinds([0] * N, given) == ["top ties"]


def test_equal_scores_of_a_few_documents_are_usual():
    assert kinds(RANKS, [1.0] + [0.99] * 4 + [0.9 - distance for distance in DISTANCES[5:]]) == []
    assert kinds(RANKS, [*SIMILARITIES[: N // 2 + 1], *[SIMILARITIES[N // 2]] * (N - N // 2 - 1)]) == []
    assert kinds(range(1, 10), [1.0] * 3 + [0.9 - distance for distance in DISTANCES[3:9]]) == []


def test_a_head_that_was_reranked_with_scores_below_a_few_others():
    lower = [score - 2.35 for score in SIMILARITIES[:5]] + SIMILARITIES[5:]
    assert 5 <= sum(score > lower[0] for score in lower) < 10
    assert kinds(RANKS, lower) == ["disorder"]
    below_first = [SIMILARITIES[0] + 1, *SIMILARITIES[2:5], SIMILARITIES[1] - 0.1, *SIMILARITIES[5:]]
    assert kinds(RANKS, below_first) == []


@pytest.mark.parametrize("n", [1, 5, 20, 49, 70, 90])
def test_a_head_that_was_reranked_with_lower_scores(n: int):
    lower, higher = ([score + by for score in SIMILARITIES[:n]] + SIMILARITIES[n:] for by in (-20, 20))
    for ranks, kind in ((RANKS, "disorder"), ([1] * N, "low")):
        assert kinds(ranks, lower) == [kind]
        assert kinds(ranks, higher) == []
    (doubt,) = doubts("".join(lines_of("301", [1] * N, lower)))
    assert doubt.example == f"topic '301': score {lower[0]} of the first document, and {N - n} higher ones"


MANY = [round(20 - math.log(rank), 6) for rank in range(1, 1001)]


def test_a_head_that_was_reranked_with_scores_a_little_lower():
    """The first 20 of 1000 documents are below the next 40, which are in order."""
    lower = [score - (MANY[0] - MANY[59]) for score in MANY[:20]] + MANY[20:]
    (doubt,) = doubts("".join(lines_of("301", [1] * 1000, lower)))
    n_higher = sum(score > lower[0] for score in lower)
    found = f"topic '301': score {lower[0]} of the first document, and {n_higher} higher ones"
    assert (doubt.kind, doubt.example) == ("low", found)
    assert kinds(range(1, 1001), lower) == ["disorder"]


@pytest.mark.parametrize("below", [0, 20], ids=["on the same scale", "on a lower scale"])
@pytest.mark.parametrize("n", [10, 50])
def test_old_ranks_of_a_head_that_was_reranked(n: int, below: float):
    for _ in range(100):
        head = [float(score) - below for score in shuffled(MANY[:n])]
        found = kinds(range(1, 1001), [*head, *MANY[n:]])
        # Ten documents are sometimes nearly in their old order, or in the reverse one.
        assert found in (["disorder"], ["rising"]) or (n == 10 and below == 0 and sorted(head[:3]) != head[:3])


@pytest.mark.parametrize("n", [10, 20, 50])
@pytest.mark.parametrize("padding", [0, -1], ids=["zeros", "falling"])
def test_distances_above_lower_scores(n: int, padding: int):
    scores = [100 + distance for distance in DISTANCES[:n]] + [padding * rank for rank in RANKS][n:]
    assert [kind for kind in kinds(RANKS, scores) if kind != "ties"] == ["rising"]


@pytest.mark.parametrize(
    "scores",
    [DISTANCES, [-score for score in SIMILARITIES], list(RANKS), swapped(DISTANCES, [1, 2])],
    ids=["distances", "negated", "ranks as scores", "distances with a few exceptions"],
)
def test_scores_that_rise_with_the_ranks(scores: list[float]):
    assert kinds(RANKS, scores) == ["rising"]
    assert kinds(range(N), scores) == ["rising"]
    pairs = shuffled(zip(RANKS, scores, strict=True))
    assert kinds(*zip(*pairs, strict=True)) == ["rising"]


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [
        (RANKS, SIMILARITIES),
        ([0] * N, SIMILARITIES),
        ([1] * N, shuffled(DISTANCES)),
        (RANKS, [1.5] * N),
        (RANKS, swapped(SIMILARITIES, [20])),
        (["-"] * N, SIMILARITIES),
        (["nan"] * N, shuffled(DISTANCES)),
        (RANKS, [round(score) for score in SIMILARITIES]),
        (range(N, 0, -1), DISTANCES),
    ],
    ids=[
        "in order",
        "zeros",
        "constant",
        "ties",
        "two swapped",
        "no ranks",
        "not numbers",
        "with ties",
        "distances of ranks from below",
    ],
)
def test_ranks_that_contradict_no_scores(ranks: Iterable[object], scores: list[float]):
    assert [kind for kind in kinds(ranks, scores) if kind != "ties"] == []


@pytest.mark.parametrize("rank", [0, 1, "-", "nan"])
def test_scores_that_rise_from_line_to_line_without_ranks(rank: object):
    assert kinds([rank] * N, DISTANCES) == ["rising lines"]
    (doubt,) = doubts("".join(lines_of("301", [rank] * 10, DISTANCES[:10])))
    assert doubt.example == f"topic '301': score 0.0 on line 1 of 10, {DISTANCES[9]} on line 10 of 10"
    assert kinds([rank] * 4, DISTANCES[:4]) == []
    assert kinds([rank] * N, [DISTANCES[0], *DISTANCES[:-1]]) == ["rising lines"]
    assert kinds([rank] * N, swapped(DISTANCES, [1, 2])) == ["rising lines"]


def test_documents_without_ranks_are_in_the_order_given():
    assert [doubt.kind for doubt in doubts_of_documents({"301": documents(DISTANCES)})] == ["rising lines"]
    assert doubts_of_documents({"301": documents(SIMILARITIES)}) == ()
    assert doubts_of_documents({"301": documents(DISTANCES[:4])}) == ()


def test_shuffled_lines_contradict_nothing():
    pairs = shuffled(zip(RANKS, SIMILARITIES, strict=True))
    assert kinds(*zip(*pairs, strict=True)) == []


def test_ranks_in_another_order_than_the_scores():
    """Those of a run that was re-ranked, and kept its old ranks or its old scores."""
    assert kinds(shuffled(RANKS), DISTANCES) == ["disorder"]
    found = [kinds(shuffled(range(10)), SIMILARITIES[:10]) for _ in range(1000)]
    # In about one of a hundred permutations, at most a fifth of the pairs contradict each other.
    assert sum(each == ["disorder"] for each in found) >= 950


def test_the_example_has_the_first_and_the_last_rank():
    (doubt,) = doubts("".join(lines_of("301", range(1, 9), DISTANCES[:8])))
    assert doubt.example == f"topic '301': score 0.0 at rank 1, {DISTANCES[7]} at rank 8"


# --- ranks of several lists ---


def test_scores_of_each_page_on_their_own_scale():
    """The ten documents of each page have the ranks and the scores of the others."""
    ranks = [place % 10 + 1 for place in range(N)]
    assert kinds(
        ranks, [1.1 - rank / 10 + score / 1000 for rank, score in zip(ranks, SIMILARITIES, strict=True)]
    ) == ["repeated"]


def test_two_lists_on_two_scales():
    scores = [score * scale for scale in (1, 0.1) for score in SIMILARITIES]
    (doubt,) = doubts("".join(lines_of("301", [*RANKS, *RANKS], scores)))
    expected = f"topic '301': scores {scores[N]!r} and {scores[0]!r} at rank 1"
    assert (doubt.kind, doubt.example) == ("repeated", expected)


def test_ranks_of_groups_of_documents():
    assert kinds([1 + place // 10 for place in range(N)], SIMILARITIES) == []
    scores = [score for score in SIMILARITIES[:50] for _ in range(2)]
    ranked = shuffled(zip([1 + place // 2 for place in range(N)], scores, strict=True))
    assert kinds(*zip(*ranked, strict=True)) == []


# --- the columns of ranks and scores ---


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(
    "ranks",
    [
        SIMILARITIES,
        [int(1e6 * score) for score in SIMILARITIES],
        [int(score) for score in SIMILARITIES],
        [0] * N,
        ["-"] * N,
        [f"{rank}th" for rank in RANKS],
    ],
    ids=["scores", "large whole numbers", "whole numbers", "constant", "no numbers", "words"],
)
def test_ranks_in_the_column_of_scores(first: int, ranks: list[object]):
    assert kinds(ranks, range(first, first + N)) == ["exchanged"]


def test_ranks_in_the_column_of_scores_of_shuffled_lines():
    for ranks in (SIMILARITIES, [int(1e6 * score) for score in SIMILARITIES]):
        pairs = shuffled(zip(ranks, RANKS, strict=True))
        assert kinds(*zip(*pairs, strict=True)) == ["exchanged"]


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [
        (SIMILARITIES, range(N, 0, -1)),
        (SIMILARITIES, range(2, N + 2)),
        (SIMILARITIES, [rank + 0.5 for rank in RANKS]),
        ([0] * N, range(N, 0, -1)),
        (range(N, 0, -1), RANKS),
        (range(N), range(N, 0, -1)),
    ],
    ids=["in order", "not from 1", "not whole", "counted down", "lowest first", "ranks from 0"],
)
def test_scores_that_are_not_ranks(ranks: Iterable[object], scores: list[float]):
    assert kinds(ranks, scores) == []


# --- 32-bit floats ---


def test_scores_that_32_bit_floats_cannot_tell_apart():
    tiny = [math.exp(score - 120) for score in SIMILARITIES]
    assert kinds(RANKS, tiny) == ["collisions"]
    assert kinds(RANKS, [score + 1e9 for score in SIMILARITIES]) == ["collisions"]
    assert kinds(RANKS, [score * 1e300 for score in SIMILARITIES]) == ["collisions"]
    assert doubts_of_documents({"1": {"d": 1.0}, "2": documents(tiny)}) == (
        Doubt("collisions", f"topic '2': {N} scores become 10"),
    )


def test_the_highest_scores_that_32_bit_floats_cannot_tell_apart():
    saturated = [1 - distance / 1e12 for distance in DISTANCES[:15]]
    saturated += [0.9 - distance for distance in DISTANCES[15:]]
    assert kinds(RANKS, saturated) == ["collisions"]
    (doubt,) = doubts_of_documents({"1": documents(saturated)})
    assert doubt.example == "topic '1': the 10 highest scores become 1"
    assert kinds(RANKS, [2.0, *saturated[1:4], *[0.9 - distance for distance in DISTANCES[4:]]]) == []


def test_scores_of_which_most_are_different_32_bit_floats():
    # pairs of equal 32-bit floats, beside as many that are alone, and two more
    close = [float(place) * (1 + tiny) for place in RANKS for tiny in (0, 1e-12)]
    assert doubts_of_documents({"1": documents(close[::-1])}) != ()
    highest = [200.0 + place for place in range(10)]
    assert doubts_of_documents({"1": documents([*close, *highest][::-1])}) == ()
    (tied,) = doubts_of_documents({"1": documents([1.0, 1.0, 2.0, 2.0, 3.0, 4.0, 5.0] * 9)})
    assert tied.kind == "ties"
    assert doubts_of_documents({"1": documents([1.0, 1.0 + 1e-12])}) == doubts_of_documents({}) == ()


def test_both_doubts_of_a_run():
    assert kinds(RANKS, [1 + distance / 1e12 for distance in DISTANCES]) == ["rising", "collisions"]


# --- topics ---


def test_one_of_two_topics_with_fewer_than_five_different_scores_tells_nothing():
    few = lines_of("1", range(4), DISTANCES[:4]) + lines_of("2", range(3), [3, 2, 1])
    assert doubts("".join(few)) == ()
    (doubt,) = doubts("".join([*few, *lines_of("3", RANKS, DISTANCES)]))
    assert doubt.example.startswith("topic '3': ")


@pytest.mark.parametrize("order", [sorted, reversed, shuffled])
def test_ten_topics_are_looked_at_whatever_their_order(order: Callable[..., Iterable[str]]):
    topics = [str(topic) for topic in range(301, 351)]
    for wrong in topics:
        scores = {topic: DISTANCES if topic == wrong else SIMILARITIES for topic in topics}
        lines = "".join(line for topic in order(topics) for line in lines_of(topic, RANKS, scores[topic]))
        assert len(doubts(lines)) == (wrong in sampled(dict.fromkeys(topics)))


@given(st.lists(st.text(min_size=1), unique=True, max_size=40), st.integers(0, 40))
def test_the_samples_of_two_parts_make_the_sample_of_the_whole(topics: list[str], place: int):
    parts = dict.fromkeys(topics[:place]), dict.fromkeys(topics[place:])
    assert sampled({**sampled(parts[0]), **sampled(parts[1])}) == sampled(dict.fromkeys(topics))


@pytest.mark.parametrize(
    ("ranks", "told"),
    [
        (range(11, 111), ["late"]),
        (range(2, 102), ["late"]),
        (range(N), []),
        (RANKS, []),
        (range(2, 2 * N + 2, 2), ["late"]),
        ([11] * N, []),
    ],
)
def test_ranks_that_begin_below_the_first_place(ranks: Iterable[int], told: list[str]):
    texts = ["".join(lines_of(topic, ranks, SIMILARITIES)) for topic in ("301", "302", "303")]
    assert [doubt.kind for doubt in doubts("".join(texts))] == told
    assert doubts("".join(texts[:2])) == ()


@pytest.mark.parametrize("word", ["r{}", "rank-{}", "#{}"])
def test_ranks_with_a_word_before_them_are_numbers(word: str):
    assert kinds(map(word.format, RANKS), DISTANCES) == ["rising"]
    assert kinds(map(word.format, RANKS), SIMILARITIES) == []


def test_ranks_of_a_file_that_is_sorted_by_score_are_usual():
    """No rank occurs twice, and each topic has some of all ranks."""
    pages = [lines_of(str(topic), range(topic, 20 * N, 20), SIMILARITIES) for topic in range(7, 17)]
    assert doubts("".join(chain.from_iterable(pages))) == ()


def test_ranks_that_go_on_from_topic_to_topic_are_usual():
    pages = [lines_of(str(topic), range(topic * N + 1, topic * N + N + 1), SIMILARITIES) for topic in (1, 2)]
    assert doubts("".join(chain.from_iterable(pages))) == ()


def test_ranks_that_begin_below_the_first_place_on_some_topics_are_usual():
    late = [line for topic in ("301", "302", "303") for line in lines_of(topic, range(2, 102), SIMILARITIES)]
    assert doubts("".join([*late, *lines_of("304", RANKS, SIMILARITIES)])) == ()
    (doubt,) = doubts("".join(late))
    assert list(about_doubts([("tail", doubt)], 1, None)) == [
        "'tail' has no documents at the first ranks (topic '301': ranks 2 to 101); those below count as the first "
        "ones: expected whole rankings"
    ]


@pytest.mark.parametrize(("n_tied", "told"), [(3, []), (4, ["ties"])])
def test_ties_of_a_few_topics_are_usual(n_tied: int, told: list[str]):
    rounded = [round(score, -2) for score in SIMILARITIES]
    topics = [lines_of(str(topic), RANKS, rounded if topic < n_tied else SIMILARITIES) for topic in range(10)]
    assert [doubt.kind for doubt in doubts("".join(chain.from_iterable(topics)))] == told


def test_lines_of_a_topic_may_stand_between_others():
    topics = [lines_of(topic, RANKS, DISTANCES) for topic in ("1", "2")]
    assert doubts("".join(line for pair in zip(*topics, strict=True) for line in pair)) == doubts(
        "".join(topics[0])
    )


UNUSUAL = {
    "Windows": ("tag\n", "tag\r\n"),
    "blank lines": ("tag\n", "tag\n\n \n"),
    "more columns": ("tag\n", "tag more\n"),
    "tabs": (" ", "\t "),
}


@pytest.mark.parametrize("change", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_lines_make_no_difference(tmp_path: Path, change: tuple[str, str]):
    text = "".join(lines_of("301", RANKS, DISTANCES))
    path = tmp_path / "run"
    path.write_text("\n\n" + text.replace(*change), newline="")
    reader = RunReader(Input(path))
    assert list(dict(reader)) == ["301"]
    assert doubts_of_run(reader.doubts) == doubts(text)


# --- messages ---


def test_several_runs_are_one_message():
    rising, close = Doubt("rising", "topic '1': A"), Doubt("collisions", "topic '1': B")
    messages = list(about_doubts([("x", close), ("y", rising), ("z", close)], 9, "--precision double"))
    assert messages == [
        "1 of 9 runs has scores that rise with the ranks (e.g. 'y', topic '1': A); documents are ordered by score, "
        "highest first: negate the scores if they are distances",
        "2 of 9 runs have different scores that are equal as 32-bit floats (e.g. 'x', topic '1': B); they are "
        "ordered by docno: --precision double tells them apart",
    ]
    assert list(about_doubts([("x", close)], 1, None)) == []


@pytest.mark.parametrize("rank", ["\ud800", 10**5000], ids=["no Unicode", "5001 digits"])
def test_ranks_that_have_no_text_tell_nothing(rank: object):
    scores = {f"d{place}": float(place) for place in (8, 2, 7, 0, 5, 1, 3, 4, 6)}
    assert doubts_of_documents({"1": scores}, {"1": [rank] * 9}) == ()


@pytest.mark.parametrize("k", [3, 30, 900])
@pytest.mark.parametrize("order", [sorted, reversed, lambda rows: random.Random(1).sample(rows, len(rows))])
def test_a_head_that_was_reranked_is_found_in_any_order_of_the_lines(k: int, order: Callable[..., Iterable[Any]]):
    """The ranks are right: those of the re-ranker, and behind them the old ones."""
    scores = [0.99 - rank / 2000 if rank <= k else 300.0 - rank / 10 for rank in range(1, 1001)]
    rows = list(order([(f"d{rank}", score, rank) for rank, score in enumerate(scores, 1)]))
    documents = {"1": {docno: score for docno, score, _ in rows}}
    (doubt,) = doubts_of_documents(documents, {"1": [rank for *_, rank in rows]})
    assert doubt.kind == "disorder"


@pytest.mark.parametrize(
    ("starts", "is_told"),
    [
        ((15, 23, 31, 40), True),
        ((15, 23, 1, 1), False),
        ((15, 23, 31, 40, 1, 1, 1, 1), True),
        ((101, 201, 301, 401), False),
    ],
    ids=["all topics", "two topics", "half of the topics", "ranks that go on from topic to topic"],
)
def test_first_ranks_that_are_missing_from_many_topics_are_told(starts: tuple[int, ...], is_told: bool):
    """As after a sort of scores as text, which puts 10.1 below 9.9, and a cut."""
    topics = [str(301 + i) for i in range(len(starts))]
    lines = [
        line
        for topic, start in zip(topics, starts, strict=True)
        for line in lines_of(topic, range(start, start + len(SIMILARITIES)), SIMILARITIES)
    ]
    assert [doubt.kind for doubt in doubts("".join(lines))] == ["late"] * is_told


@pytest.mark.parametrize(
    ("ranks", "told"),
    [
        ([sorted(range(1, 1001), key=str)[:100]] * 4, "topic '301': 2, 3, 4, 5, 6, 7, 8, 9"),
        ([sorted(range(1000), key=str)[:100]] * 4, "topic '301': 2, 3, 4, 5, 6, 7, 8, 9"),
        ([range(1, 1001, 2)] * 4, "topic '301': 2, 4, 6, 8, 10"),
        ([[1, 3, *range(4, 100)], [1, 2, *range(4, 100)], [1, 2, *range(4, 100)]], None),
        ([[1, 3, *range(4, 100)], [1, 3, *range(4, 100)], range(1, 100)], None),
        ([[1, 3, *range(4, 100)]] * 2, None),
        ([range(1, 8)] * 4, None),
        ([[1, 2, 3, *range(20, 60)], range(1, 100), range(1, 100)], None),
    ],
)
def test_ranks_that_are_missing_from_all_topics_are_told(ranks: list[Iterable[int]], told: str | None):
    """As after a sort of ranks as text, and a cut. If single documents were removed, other ranks are missing."""
    lines = [
        f"{topic} Q0 d{rank} {rank} {1 / (rank + 1)} a\n"
        for topic, each in enumerate(ranks, 301)
        for rank in sorted(each)
    ]
    found = doubts("".join(lines))
    assert [(doubt.kind, doubt.example) for doubt in found] == ([("gaps", told)] if told else [])


SHORT = {5: [0.9, 0.8, 0.5, 0.2, 0.1], 4: [0.9, 0.8, 0.5, 0.2], 3: [0.9, 0.8, 0.5], 2: [0.9, 0.8]}
MISTAKES = {
    "rising": lambda rank, score: (rank, 1 - score),
    "exchanged": lambda rank, score: (score, rank),
    "ties": lambda rank, score: (rank, 1.0),
    "collisions": lambda rank, score: (rank, 1e9 + score),
    "rising lines": lambda rank, score: (0, 1 - score),
}


def short_lists(n: int, n_topics: int, change: Callable[[int, float], tuple]) -> str:
    ranked = [change(rank, score) for rank, score in enumerate(SHORT[n], 1)]
    return "".join(
        f"{topic} Q0 d{place} {rank} {score} a\n"
        for topic in range(301, 301 + n_topics)
        for place, (rank, score) in enumerate(ranked)
    )


@pytest.mark.parametrize(("n", "of_order", "of_ties"), [(4, 2, 2), (3, 2, 2), (2, 5, 3)])
@pytest.mark.parametrize("kind", MISTAKES)
def test_short_lists_of_documents_tell_together(n: int, of_order: int, of_ties: int, kind: str):
    """As the three to five passages that a retriever returns to a language model."""
    least = of_ties if kind in ("ties", "collisions") else of_order
    assert [doubt.kind for doubt in doubts(short_lists(n, least, MISTAKES[kind]))] == [kind]
    assert doubts(short_lists(n, least - 1, MISTAKES[kind])) == ()
    right = "399 Q0 d0 1 0.9 a\n399 Q0 d1 2 0.8 a\n"
    assert bool(doubts(short_lists(n, 5, MISTAKES[kind]) + right)) == (kind == "ties")


@pytest.mark.parametrize("kind", MISTAKES)
def test_five_documents_of_a_single_topic_tell(kind: str):
    assert [doubt.kind for doubt in doubts(short_lists(5, 1, MISTAKES[kind]))] == [kind]


@pytest.mark.parametrize("n", SHORT)
def test_short_lists_that_begin_below_the_first_rank_are_told(n: int):
    assert [doubt.kind for doubt in doubts(short_lists(n, 5, lambda rank, score: (rank + 4, score)))] == ["late"]
    assert doubts(short_lists(n, 5, lambda rank, score: (rank, score))) == ()


@pytest.mark.parametrize("n", range(2, 10))
def test_lists_of_any_length_without_ranks_tell_together_that_scores_rise(n: int):
    distances = [round(0.1 * place + 0.05, 2) for place in range(n)]
    texts = ["".join(lines_of(str(topic), [0] * n, distances)) for topic in range(301, 306)]
    assert [doubt.kind for doubt in doubts("".join(texts))] == ["rising lines"]
    right = "".join(lines_of("306", [0] * n, distances[::-1]))
    assert doubts("".join([*texts, right])) == ()


@pytest.mark.parametrize(("n", "least"), [(9, 1), (6, 2), (5, 3), (4, 5), (3, 9)])
def test_short_lists_whose_first_half_was_reranked_tell_together(n: int, least: int):
    scores = [0.9 - 0.1 * place - (place < n // 2) for place in range(n)]
    texts = ["".join(lines_of(str(topic), [0] * n, scores)) for topic in range(301, 301 + least)]
    assert [doubt.kind for doubt in doubts("".join(texts))] == ["low"]
    assert least == 1 or doubts("".join(texts[1:])) == ()


def test_ranks_in_the_column_of_scores_tell_on_a_single_topic_of_seven_documents():
    ranks = [0.9, 0.81, 0.7, 0.62, 0.5, 0.4, 0.33]
    assert kinds(ranks, range(1, 8)) == ["exchanged"]


def test_the_five_highest_scores_may_be_equal_as_32_bit_floats():
    """As those of documents that were put above all others by a large number."""
    promoted = [1e8 + score if i < 5 else score for i, score in enumerate(SIMILARITIES)]
    (doubt,) = doubts("".join(lines_of("301", RANKS, promoted)))
    assert (doubt.kind, doubt.example) == ("collisions", "topic '301': the 5 highest scores become 1")


def test_scores_that_are_infinite_as_32_bit_floats_are_told_on_a_single_topic():
    huge = lines_of("301", RANKS, [2e39, 1e39, *SIMILARITIES[2:]])
    apart = [line for topic in ("302", "303", "304", "305") for line in lines_of(topic, RANKS, SIMILARITIES)]
    (doubt,) = doubts("".join([*huge, *apart]))
    assert (doubt.kind, doubt.example) == ("collisions", "topic '301': the 2 highest scores become 1")


def test_the_highest_scores_of_two_of_five_topics_may_be_equal_as_32_bit_floats():
    """Their order decides success_1."""
    close = lines_of("301", RANKS, [100 + 1e-9, 100.0, *SIMILARITIES[2:]])
    lines = [*close, *(line.replace("301", "302", 1) for line in close)]
    apart = [line for topic in ("303", "304", "305") for line in lines_of(topic, RANKS, SIMILARITIES)]
    (doubt,) = doubts("".join([*lines, *apart]))
    assert (doubt.kind, doubt.example) == ("top collisions", "topic '301': the 2 highest scores become 1")
    assert doubts("".join([*close, *apart])) == ()
    (told,) = about_doubts([("ce", doubt)], 1, "--precision double")
    assert told == (
        "'ce' has highest scores that are different, but equal as 32-bit floats (topic '301': the 2 highest scores "
        "become 1); they are ordered by docno: --precision double tells them apart"
    )
    assert list(about_doubts([("ce", doubt)], 1, None)) == []


def test_nine_documents_with_one_score_are_told():
    lines = [f"{topic} Q0 d{rank} {rank} 1 api\n" for topic in range(301, 306) for rank in range(1, 10)]
    (doubt,) = doubts("".join(lines))
    assert doubt.example == "topic '301': 1 score for 9 documents"


@pytest.mark.parametrize(("n_topics", "is_told"), [(2, True), (1, False)])
def test_the_first_three_documents_may_have_new_ranks_and_old_scores(n_topics: int, is_told: bool):
    topics = [str(topic) for topic in range(301, 306)]
    lines = [
        line
        for topic in topics
        for line in lines_of(topic, [3, 1, 2, *RANKS[3:]] if topic in topics[:n_topics] else RANKS, SIMILARITIES)
    ]
    found = doubts("".join(lines))
    assert [doubt.kind for doubt in found] == ["top disorder"] * is_told
    if is_told:
        first, second = SIMILARITIES[1], SIMILARITIES[0]
        assert found[0].example == f"topic '301': score {first!r} at rank 1, {'score'} {second!r} at rank 3"
