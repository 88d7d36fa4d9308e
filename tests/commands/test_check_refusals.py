"""What `stdeval check` refuses with exit status 2, so that a gate never passes or fails for a wrong reason.

Each case has a word of the message, the command line that is refused, and command lines that differ only in the
thing and are not refused; of those that begin with +, only what is added. The wording of messages is free.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.conftest import SAMPLE

LAST = "306"
"""The last of the first six topics of the sample data, which are all that these tests read."""

Rows = list[list[str]]

WORDS = {
    "MIN": "--min map=.1",
    "DROP": "--max-drop map=.05",
    "PART": "--max-drop map=5%",
    "NMAP": "--min Nmap=.1 -F",
    "NDCG": "--min ndcg=.1",
    "ALLOW": "--allow-other-judgments",
    "TO": "--baseline",
    "A": "--scores a.csv",
    "FEW": "--scores few.csv",
    "CELL": "--scores ab-cell.csv",
}
"""Abbreviations in the cases."""

TABLE = """
# Topics.
missing | part.run | q part.run MIN | +-c | q a.run MIN
missing-second | part.run | q a.run part.run MIN | +-c
missing-baseline | part.run | q a.run TO part.run DROP | +-c | q a.run TO b.run DROP
# Judgments.
unjudged | other.run | q other.run MIN | q a.run MIN
unjudged-before-c | another collection | q other-part.run MIN | q a.run MIN
unjudged-second | other.run | q a.run other.run MIN | q a.run b.run MIN
level | relevant | q a.run MIN -l 99 | q a.run MIN -l 2
# Order.
distances | dist | q dist.run MIN | q negated.run MIN
distances-before-c | scores rise | q dist-part.run MIN | q negated.run MIN
distances-baseline | dist | q a.run TO dist.run DROP | q a.run TO negated.run DROP
# Factors.
factors-judgments | f.csv | q2 a.run NMAP f.csv | +ALLOW | q a.run NMAP f.csv
factors-options | f.csv | q a.run NMAP f.csv -l 2 | +ALLOW | q a.run NMAP f.csv
factors-of-stored | f.csv | --scores b-l2.csv NMAP f.csv | +ALLOW | --scores b.csv NMAP f.csv
references | r2.csv | q a.run NMAP r2.csv | +ALLOW | q a.run NMAP r.csv
no-factors | factors | q a.run b.run --min Nmap=.1 | +-F f.csv
few | 306 | q a.run NMAP f-few.csv | q a.run NMAP f.csv
few-with-c | 306 | q part.run NMAP f-few.csv -c | q part.run NMAP f.csv -c
few-of-stored | 306 | A NMAP f-few.csv | A NMAP f.csv
NP | P_10 | q a.run --min NP_10=.1 -F f.csv | q a.run NMAP f.csv
NP-of-stored | P_10 | A --min NP_10=.1 -F f.csv | A NMAP f.csv
# Stored scores of other judgments or options than the scores beside them.
baseline-judgments | b2.csv | q a.run TO b2.csv DROP | +ALLOW | q a.run TO b.csv DROP
baseline-options | b-l2.csv | q a.run TO b-l2.csv DROP | +ALLOW | q a.run TO b-l2.csv DROP -l 2
stored-baseline-judgments | b2.csv | A TO b2.csv DROP | +ALLOW | A TO b.csv DROP
stored-baseline-options | b-l2.csv | A TO b-l2.csv DROP | +ALLOW | A TO b.csv DROP
joined-judgments | b2.csv | A --scores b2.csv MIN | A --scores b.csv MIN
joined-options | b-l2.csv | A --scores b-l2.csv MIN | A --scores b.csv MIN
# Stored scores that are missing.
no-stored-topic | part.csv | --scores part.csv MIN | --scores part-c.csv MIN
no-stored-topic-of-baseline | part.csv | FEW TO part.csv DROP | FEW TO part-plain.csv DROP
no-row | 306 | --scores ab-row.csv MIN | --scores ab.csv MIN
no-cell | 306 | CELL MIN | CELL --min P_10=.1
no-cell-of-baseline | 306 | CELL TO new-b DROP | CELL TO new-b --max-drop P_10=.05
no-measure | Rprec | A --min Rprec=.1 | A MIN
no-measure-of-one | P_10 | A --scores b-map.csv --min P_10=.1 | A --scores b-map.csv MIN
no-measure-of-baseline | P_10 | A TO b-map.csv --max-drop P_10=.05 | A TO b-map.csv DROP
no-measure-of-run-baseline | P_10 | q a.run TO b-map.csv --max-drop P_10=.05 | q a.run TO b-map.csv DROP
# A baseline with other topics, and one of zeros.
baseline-lacks | few.csv | q a.run TO few.csv DROP | q a.run TO plain.csv DROP
baseline-has-more | plain.csv | q-few a.run TO plain.csv DROP | q-few a.run TO few.csv DROP
stored-baseline-lacks | few.csv | A TO few.csv DROP | A TO plain.csv DROP
stored-baseline-has-more | plain.csv | FEW TO plain.csv DROP | FEW TO part-plain.csv DROP
zeros | baseline | q a.run TO zero.csv PART | q a.run TO plain.csv PART
zeros-of-run | baseline | q a.run zero.run TO zero.run PART | q a.run b.run TO b.run PART
# Limits that no score can have.
above | map=1.5 | q a.run --min map=1.5 | q a.run --min map=1
below | map=-1 | q a.run --min map=-1 | q a.run --min Zmap=-1 -F f.csv
above-stored | map=1.5 | A --min map=1.5 | A --min map=1
above-standardized | map=1.5 | q a.run --min Nmap=1.5 -F f.csv | q a.run --min Zmap=1.5 -F f.csv
# Options of the evaluation beside scores.
c | -c | A NDCG -c | A NDCG | q a.run NDCG -c
l | -l | A NDCG -l 2 | A NDCG | q a.run NDCG -l 2
M | -M | A NDCG -M 10 | A NDCG | q a.run NDCG -M 10
J | -J | A NDCG -J | A NDCG | q a.run NDCG -J
binary | --binary | A NDCG --binary | A NDCG | q a.run NDCG --binary
precision | --precision | A NDCG --precision double | A NDCG | q a.run NDCG --precision double
"""


def in_full(typed: str) -> str:
    return re.sub(rf"(?<![^ +])({'|'.join(WORDS)})(?= |$)", lambda match: WORDS[match[0]], typed)


ROWS = [[in_full(cell) for cell in line.split(" | ")] for line in TABLE.splitlines() if " | " in line]
CASES = {name: cells for name, *cells in ROWS}


@pytest.fixture(scope="module")
def files(run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The current folder holds qrels, runs, factors and scores of six topics."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("refusals"))
        _make_files(run)
        yield


def _make_files(run) -> None:
    def put(name: str, rows: Iterable[Iterable[str]]) -> None:
        sep = "," if name.endswith(".csv") else " "
        Path(name).write_text("".join(sep.join(row) + "\n" for row in rows))

    def stored(name: str, typed: str, measures: str = "-m map -m P_10 -m ndcg") -> Rows:
        typed = f"eval -n -q -f csv --signature {measures} {typed} -o {name}"
        assert run(*typed.split()).status == 0
        return [line.split(",") for line in Path(name).read_text().splitlines()]

    qrels, a, b = (_first_topics(f"{name}.gz") for name in ("qrels", "new-a.run", "new-b.run"))
    relevant = {(topic, docno) for topic, _, docno, rel in qrels if rel != "0"}
    put("q", qrels)
    put("q2", [[*qrels[0][:3], "2" if qrels[0][3] == "0" else "0"], *qrels[1:]])
    put("q-few", [row for row in qrels if row[0] != LAST])
    put("a.run", a)
    put("b.run", b)
    put("part.run", [row for row in b if row[0] != LAST])
    put("other.run", [[topic, q0, f"x{docno}", *rest] for topic, q0, docno, *rest in b])
    put("dist.run", [[*row[:4], row[3], "dist"] for row in a])
    for name in ("other", "dist"):
        whole = list(map(str.split, Path(f"{name}.run").read_text().splitlines()))
        put(f"{name}-part.run", [row for row in whole if row[0] != LAST])
    put("negated.run", [[*row[:4], f"-{row[3]}", "dist"] for row in a])
    put("zero.run", [row for row in b if (row[0], row[2]) not in relevant])
    head, *factors = (line.split(",")[:6] for line in (SAMPLE / "factors.csv").read_text().splitlines())
    factors = [row for row in factors if row[0] <= LAST]
    put("f.csv", [head, *factors])
    put("f-few.csv", [head, *factors[:-1]])
    put("f-flat.csv", [head, *factors[:-1], [*factors[-1][:5], "0"]])
    put("f-flat-few.csv", [head, *factors[1:-1], [*factors[-1][:5], "0"]])
    stored("a.csv", "q a.run")
    signed = stored("b.csv", "q b.run")
    plain = [[*row[:2], *row[4:-1]] for row in signed]
    put("plain.csv", plain)
    put("few.csv", plain[:-1])
    put("zero.csv", [plain[0], *([*row[:2], "0", "0", "0"] for row in plain[1:])])
    stored("b2.csv", "q2 b.run")
    stored("b-l2.csv", "-l 2 q b.run")
    stored("b-map.csv", "q b.run", "-m map")
    both = stored("ab.csv", "q a.run b.run")
    column = both[0].index("map")
    put("ab-row.csv", both[:-1])
    put("ab-cell.csv", [*both[:-1], [*both[-1][:column], "", *both[-1][column + 1 :]]])
    stored("r.csv", "q a.run b.run", "-m map")
    stored("r2.csv", "q2 a.run b.run", "-m map")
    stored("part-c.csv", "-c q part.run")
    part = stored("part.csv", "q part.run")
    put("part-plain.csv", [[*row[:2], *row[4:-1]] for row in part])


def _first_topics(name: str) -> Rows:
    rows = map(str.split, gzip.decompress((SAMPLE / name).read_bytes()).decode().splitlines())
    return [row for row in rows if row[0] <= LAST]


@pytest.mark.parametrize("case", CASES)
def test_refused(run, files, case: str):
    word, typed, *_ = CASES[case]
    done = run("check", *typed.split())
    assert (done.status, done.raw) == (2, b"")
    assert word in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "typed",
    dict.fromkeys(each.replace("+", f"{typed} ") for _, typed, *others in CASES.values() for each in others),
)
def test_not_refused(run, files, typed: str):
    done = run("check", *typed.split())
    assert done.status in (0, 1), done.stderr
    assert "condition" in done.stdout


@pytest.mark.parametrize("baseline", ["", " --baseline b.csv --max-drop Zmap=.05"])
def test_topics_that_z_leaves_out_for_all_are_left_out(run, files, baseline: str):
    done = run("check", *f"q a.run --min Zmap=.1 -F f-flat.csv{baseline}".split())
    assert done.status in (0, 1), done.stderr
    assert "5 topics" in done.stdout
    assert run("check", *f"q a.run --min Zmap=.1 -F f-flat-few.csv{baseline}".split()).status == 2
