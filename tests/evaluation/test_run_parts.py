"""One run in parts: they have the scores of the whole run, and it is cut only where that makes no difference."""

from __future__ import annotations

import gzip
import random
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.errors import InputError
from stdeval.evaluation import Evaluator, RunScores
from stdeval.measures.names import resolve
from stdeval.trec.reading import Qrels
from stdeval.workers import cut, joined, score_part

pytestmark = pytest.mark.oracle

TOPICS = [str(number) for number in range(8)]
QRELS: Qrels = {topic: {"d0": 1, "d1": 0, "d2": 2} for topic in TOPICS[1:]}
EVALUATOR = Evaluator(QRELS, resolve(["map", "num_ret", "relstring"]))


def lines_of(topic: str, n: int = 9, tag: str = "tag") -> list[str]:
    scores = random.Random(topic)
    return [f"{topic} Q0 d{rank} {rank} {scores.random():.4f} {tag}\n" for rank in range(n)]


def run_of(*topics: str, n: int = 9) -> str:
    return "".join(line for topic in topics for line in lines_of(topic, n))


def in_parts(path: Path, n: int) -> object:
    return joined(EVALUATOR, (score_part(EVALUATOR, part) for part in cut(str(path), n)), str(path))


SOUND = {
    "sorted": run_of(*TOPICS),
    "topics without judgments": run_of("0", "98", *TOPICS[1:], "99"),
    "byte-order mark": "\ufeff" + run_of(*TOPICS),
    "joined files with byte-order marks": "".join("\ufeff" + run_of(topic) for topic in TOPICS),
    "Windows": run_of(*TOPICS).replace("\n", "\r\n"),
    "blank lines": "\n\n" + "\n \n".join(lines_of("1") + lines_of("2") + lines_of("3")) + "\n",
    "no newline at the end": run_of(*TOPICS).removesuffix("\n"),
    "blanks before a topic": " " + " ".join(lines_of("1") + lines_of("2") + lines_of("3")),
    "more columns than a run has": run_of(*TOPICS).replace("tag\n", "tag and more\n"),
}
WHOLE = {
    "a topic comes back in another part": run_of(*TOPICS, "1"),
    "a topic comes back in a part": run_of("1", "2", "1", *TOPICS[3:]),
    "a topic without judgments comes back": run_of("99", *TOPICS, "99"),
    "by rank": "".join(line for rank in zip(*(lines_of(topic) for topic in TOPICS), strict=True) for line in rank),
    "tags change between parts": run_of(*TOPICS[:4]) + run_of(*TOPICS[4:]).replace(" tag", " other"),
    "tags change in a part": run_of(*TOPICS).replace("d8 8 ", "d8 8 0", 1).replace(" tag", " other", 3),
    "a bad line": run_of(*TOPICS[:7]) + "7 Q0 d1 1 nan tag\n",
}


def exact(scores: RunScores | None) -> tuple[object, ...]:
    """Return scores whose rows are bytes, which are equal where values are missing, too."""
    assert scores is not None
    return (*scores._replace(scores=[]), scores.scores.tobytes())


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_scores_of_parts_are_those_of_the_run(tmp_path: Path, text: str, n: int) -> None:
    path = tmp_path / "run"
    path.write_text(text, encoding="utf-8", newline="")
    parts = cut(str(path), n)
    assert 1 < len(parts) <= n
    assert [part.end for part in parts[:-1]] == [part.start for part in parts[1:]]
    assert exact(in_parts(path, n)) == exact(EVALUATOR.score_file(path))


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_a_run_whose_parts_depend_on_each_other_is_read_as_a_whole(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run"
    path.write_text(text, encoding="utf-8")
    assert len(cut(str(path), 3)) == 3
    assert in_parts(path, 3) is None


@given(st.lists(st.sampled_from(TOPICS), min_size=1, max_size=12), st.integers(1, 3), st.integers(2, 5))
def test_parts_have_the_scores_of_the_run_or_none(topics: list[str], depth: int, n: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "run")
        # a topic that comes back has the same documents again, which is refused if it is read as a whole
        path.write_text(run_of(*topics, n=depth), encoding="utf-8")
        grouped = [topic for topic, _ in groupby(topics)]
        if len(set(topics)) == len(topics) and set(topics) != {"0"}:
            assert exact(in_parts(path, n)) == exact(EVALUATOR.score_file(path))
        elif len(set(grouped)) < len(grouped):
            assert in_parts(path, n) is None


def test_where_a_run_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "run"

    def sizes(content: bytes, n: int) -> list[int]:
        path.write_bytes(content)
        return [part.end - part.start for part in cut(str(path), n)]

    hundred = run_of(*map(str, range(100, 200))).encode()
    assert max(sizes(hundred, 4)) - min(sizes(hundred, 4)) <= len(hundred) / 50
    assert len(sizes(run_of("1", n=50).encode(), 2)) == 1
    assert sizes(gzip.compress(hundred), 2) == sizes(b"", 2) == []


def test_a_run_without_topics_of_the_judgments_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(run_of("98", "99"), encoding="utf-8")
    with pytest.raises(InputError, match="no topic in common with the qrels: the run has '98', the qrels '1'"):
        in_parts(path, 2)
