"""Problems of runs, each by a run that has it."""

from __future__ import annotations

import collections
import gzip
import random
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.validation import KINDS, Expected, docnos_in, validate_qrels, validate_run


def found(path: Path, expected: Expected = Expected()) -> str:  # noqa: B008  # a tuple
    """The number and the first line of each kind of problem."""
    _, problems = validate_run(Input(path), expected)
    assert [problem.kind for problem in problems] == [kind for kind in KINDS if kind in {p.kind for p in problems}]
    return ", ".join(f"{each.kind} {each.n} {each.line or '-'}" for each in problems)


SOUND = "1 Q0 a 1 3 t / 1 Q0 b 2 2 t / 2 Q0 a 1 3 t / 2 Q0 b 2 1 t"

# The lines of each run, and its problems: the number and the first line.
CASES = {
    "sound": (SOUND, ""),
    "ranks from 0": ("1 Q0 a 0 3 t / 1 Q0 b 1 2 t", ""),
    "lines in any order": ("1 Q0 b 2 2 t / 1 Q0 a 1 3 t", ""),
    "blank lines": (f" / {SOUND} / ", ""),
    "columns": (f"1 Q0 a 3 t / {SOUND} / 1 / # comment", "columns 3 1"),
    "surplus columns": (f"{SOUND} / 3 Q0 a 1 3 t more", "columns 1 5"),
    "score": ("1 Q0 a 1 3 t / 1 Q0 b 2 nan t / 1 Q0 c 2 1,5 t / 2 Q0 a 1 3 t", "score 2 2"),
    "characters": (f"{SOUND} / 3 Q0 a\0 1 3 t / 3 Q0 a 1 3\r t", "characters 2 5"),
    "several in one run": (
        "1 Q0 a 1 3 / 1 q0 a x 3 t / 1 Q0 b 2 - t / 1 Q0 a 2 2 u",
        "columns 1 1, score 1 3, q0 1 2, rank 1 2, tag-changes 1 4, duplicates 1 4",
    ),
    "rank": (f"1 Q0 a 1.0 3 t / 1 Q0 b 1_0 2 t / 1 Q0 c {'9' * 5000} 1 t", "rank 3 1"),
    "tag-form": (SOUND, "tag-form 1 -"),
    "part of the tag": ("1 Q0 a 1 3 t!", "tag-form 1 -"),
    "duplicates": ("1 Q0 a 1 3 t / 1 Q0 b 2 2 t / 1 Q0 a 3 1 t / 1 Q0 a 4 0 t / 1 Q0 b 5 -1 t", "duplicates 3 3"),
    "max-docs": (SOUND, "max-docs 2 2"),
    "topics": (SOUND, "missing-topics 2 -, unknown-topics 1 3"),
    "judged": (SOUND, "unjudged-topics 1 3"),
    "judged topics of a list": (SOUND, "missing-topics 1 -, unjudged-topics 1 3"),
    "unjudged": (SOUND, "unjudged 1 -, unjudged-topics 1 3"),
    "negative judgments": ("1 Q0 a 1 3 t / 1 Q0 b 2 2 t", "unjudged 1 -"),
    "ten same documents": (
        " / ".join(f"{topic} Q0 d{rank} {rank} {-rank} t" for topic in "123" for rank in range(1, 11)),
        "same-documents 2 11",
    ),
    "nine same documents": (
        " / ".join(f"{topic} Q0 d{rank} {rank} {-rank} t" for topic in "123" for rank in range(1, 10)),
        "",
    ),
    "queries among their documents": (
        " / ".join(f"q{t} Q0 {docno}{t} {rank} {-rank} t" for t in "1234" for rank, docno in enumerate("qd")),
        "own-name 3 1, unjudged-topics 3 1",
    ),
    "a topic of three with the name of a document": ("7 Q0 7 1 1 t / 8 Q0 8 1 1 t / 9 Q0 1 1 1 t", ""),
    "unknown-docnos": (SOUND, "unknown-docnos 2 2"),
    "rank-order": ("1 Q0 a 2 3 t / 1 Q0 b 1 2 t / 1 Q0 c 3 9 t / 1 Q0 d 4 1 t", "rank-order 2 1"),
    "repeated-ranks": ("1 Q0 a 1 3 t / 1 Q0 b 1 4 t / 1 Q0 c 2 1 t", "repeated-ranks 1 2"),
    "rank-order below repeated ranks": (
        "1 Q0 a 1 3 t / 1 Q0 b 1 5 t / 1 Q0 c 2 4 t / 1 Q0 d 2 2 t",
        "rank-order 1 3, repeated-ranks 2 2",
    ),
    "gaps": ("1 Q0 a 1 3 t / 1 Q0 b 3 2 t / 2 Q0 b 2 2 t", "rank-gaps 2 2"),
    "no gap where ranks repeat": ("1 Q0 a 0 3 t / 1 Q0 b 0 2 t", "repeated-ranks 1 2"),
    # trec_eval ranks z before y before x, as the first run does and the second does not
    "ties": ("1 Q0 z 1 2 t / 1 Q0 y 2 2.0 t / 1 Q0 x 3 1 t", "ties 2 1"),
    "reordered": ("1 Q0 x 1 2 t / 1 Q0 y 2 2 t / 1 Q0 z 3 2 t / 1 Q0 w 4 1 t", "ties 3 1, reordered 2 1"),
    "collisions": ("1 Q0 x 1 16777217 t / 1 Q0 y 2 16777216 t", "collisions 2 1, reordered 2 1"),
    "beyond 32 bits": ("1 Q0 y 1 1e300 t / 1 Q0 x 2 1e299 t", "collisions 2 1"),
    "both": ("1 Q0 z 1 16777217 t / 1 Q0 y 2 16777216 t / 1 Q0 x 3 16777216 t", "ties 2 2, collisions 3 1"),
    "split-topics": ("1 Q0 a 1 3 t / 2 Q0 a 1 3 t / 2 Q0 b 2 1 t / 1 Q0 b 2 2 t", "split-topics 1 4"),
    "duplicates of a split topic": (
        "1 Q0 a 1 3 t / 2 Q0 a 1 3 t / 2 Q0 b 2 1 t / 1 Q0 b 2 2 t / 2 Q0 a 3 0 t / 1 Q0 a 3 1 t",
        "duplicates 2 5, split-topics 2 4",
    ),
    "non-ascii": (f"{SOUND} / é Q0 a 1 3 t / é Q0 ü 2 2 t", "non-ascii 2 5"),
    "byte-order-mark": ("\ufeff1 Q0 a 1 3 t", "byte-order-mark 1 1"),
    "byte-order mark of a joined file": ("1 Q0 a 1 3 t / \ufeff1 Q0 b 2 2 t", "byte-order-mark 1 -"),
    "empty": (" ", "empty 1 -, missing-topics 1 -"),
}
EXPECTED = {
    "sound": Expected(2, {"1", "2"}, tag_form=re.compile("t")),
    "tag-form": Expected(tag_form=re.compile("[a-s]")),
    "part of the tag": Expected(tag_form=re.compile("t")),
    "max-docs": Expected(1),
    "topics": Expected(topics={"1", "01", "3"}),
    "judged": Expected(qrels={"1": {"b": 0}}),
    "judged topics of a list": Expected(topics={"1", "2", "3"}, qrels={"1": {"b": 0}, "4": {"b": 1}}),
    "unjudged": Expected(qrels={"1": {"A": 1}}),
    "negative judgments": Expected(qrels={"1": {"a": -1}}),
    "queries among their documents": Expected(topics={"q1", "q2", "q3", "q4"}, qrels={"q4": {"q4": 1}}),
    "unknown-docnos": Expected(unlisted={"b"}),
    "byte-order-mark": Expected(topics={"1"}),
    "byte-order mark of a joined file": Expected(topics={"1"}),
    "empty": Expected(topics={"1"}, tag_form=re.compile("t")),
}


# The lines of qrels, what validate_qrels is given, and the problems.
CASES_OF_QRELS = {
    "sound": ("1 0 a 1 / 2 0 a 0 / 1 0 b -1 / 2 0 b 2", Expected(topics={"1", "2", "3"}, unlisted={"c"}), ""),
    "twice": ("1 0 a 1 / 2 0 a 1 / 1 0 a 1 / 2 1 a 0 / 2 1 a 0", Expected(), "judged-twice 3 3"),
    "unlisted": ("1 0 a 1 / 1 0 b 0 / 2 0 b 1", Expected(unlisted={"b"}), "unlisted-judgments 2 2"),
    "topics": (" / 1 0 a 0 / 2 0 a -1 / 3 0 b 1 / 1 0 c 0", Expected(topics={"1"}), "no-query 2 3 no-relevant 2 2"),
}


@pytest.mark.parametrize("case", CASES_OF_QRELS)
def test_problems_of_qrels(write, case: str):
    lines, expected, found = CASES_OF_QRELS[case]
    qrels, problems = validate_qrels(Input(write("q", lines.split(" / "))), expected)
    assert " ".join(f"{each.kind} {each.n} {each.line}" for each in problems) == found
    assert (
        qrels["2"]["a"] == {"sound": 0, "topics": -1}.get(case, 1) if case != "unlisted" else qrels["2"] == {"b": 1}
    )


def test_qrels_that_cannot_be_read(write):
    for text in ("\n", "1 0 a\n", "1 0 a x\n"):
        with pytest.raises(InputError):
            validate_qrels(Input(write("q", text)), Expected())


@pytest.mark.parametrize("case", CASES)
def test_problems(write, case: str):
    lines, problems = CASES[case]
    assert found(write("a.run", lines.split(" / ")), EXPECTED.get(case, Expected())) == problems


def test_every_kind_has_a_case():
    kinds = {each.split()[0] for _, problems in CASES.values() for each in problems.split(", ") if each}
    kinds |= {kind for _, _, problems in CASES_OF_QRELS.values() for kind in problems.split()[::3]}
    assert kinds == {*KINDS} - {"same-tag"}


def test_docnos_of_lines_that_can_be_read(write):
    path = write("a.run", ["1 Q0 a 1 3 t", "1 Q0 b 2", "2 Q0 \udce9 1 3 t"])
    assert list(docnos_in(Input(path))) == [b"a", b"\xe9"]


@pytest.mark.parametrize("seed", range(3))
def test_the_same_problems_wherever_chunks_end(write, seed: int):
    """A file of many chunks, some of them without a problem, in the order of its topics and shuffled."""
    draw = random.Random(seed)
    lines = [f"{topic} Q0 d{rank} {rank} {9000 - rank} t" for topic in range(1, 5) for rank in range(1, 900)]
    for place in (700, 2000, 2001):
        lines[place] = "broken"
    assert found(write("a.run", lines)) == "columns 3 701, rank-gaps 2 702, same-documents 3 900"
    draw.shuffle(lines)
    numbers = {kind: (int(n), line) for kind, n, line in map(str.split, found(write("b.run", lines)).split(", "))}
    n_of = {kind: n for kind, (n, _) in numbers.items()}
    assert n_of == {"columns": 3, "rank-gaps": 2, "same-documents": 3, "split-topics": 4}
    assert numbers["columns"][1] == str(lines.index("broken") + 1)


def test_one_topic_at_a_time_is_in_memory(write):
    def peak(n_topics: int) -> int:
        lines = [f"{t} Q0 doc{t:06}{rank:04} {rank} {-rank} t" for t in range(n_topics) for rank in range(1, 501)]
        source = Input(write("a.run", lines))
        tracemalloc.start()
        validate_run(source, Expected())
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    assert peak(60) < 1.3 * peak(10)


def counted_anew(path: Path) -> dict[str, int]:
    """The problems of ranks and scores, by other means: all lines at once, in arrays."""
    columns = list(zip(*(line.split() for line in gzip.open(path, "rt")), strict=True))
    topics, docnos = np.array(columns[0]), np.array(columns[2])
    ranks, scores = np.array(columns[3], int), np.array(columns[4], float)
    n = collections.Counter[str]()
    for topic in dict.fromkeys(columns[0]):
        docno, rank, score = (column[topics == topic] for column in (docnos, ranks, scores))
        order, distinct = np.lexsort((-score, rank)), np.unique(rank)
        n["rank-order"] += int(((np.diff(score[order]) > 0) & (np.diff(rank[order]) > 0)).sum())
        n["repeated-ranks"] += len(rank) - len(distinct)
        n["rank-gaps"] += int(distinct[0] not in (0, 1) or (np.diff(distinct) != 1).any())
        _, place, size = np.unique(score, return_inverse=True, return_counts=True)
        n["ties"] += int((size[place] > 1).sum())
        single = score.astype(np.float32)
        for value in np.unique(single):
            (equal,) = np.nonzero(single == value)
            n["collisions"] += len(equal) if len(set(score[equal])) > 1 else 0
            if len(set(rank[equal])) == len(equal):
                by_docno = equal[np.argsort(docno[equal])][::-1]
                n["reordered"] += int((equal[np.argsort(rank[equal])] != by_docno).sum())
    return {kind: count for kind, count in n.items() if count}


@pytest.mark.parametrize(
    "name",
    # of 126 runs, three with many problems: ties, the same ranks again, ranks that contradict scores, collisions
    ["BRPHJ_BM25", "uogTrDPH_QE_RF", "fc3-qrel-hidden", "BioInfo-run2"],
)
def test_real_runs(shared: Path, name: str):
    path = shared / "trec-covid-r5" / "runs" / f"{name}.run.gz"
    problems = (each.split() for each in found(path).split(", "))
    assert {kind: int(n) for kind, n, _ in problems} == counted_anew(path)
