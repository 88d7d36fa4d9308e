"""Scores of two programs: told wherever they are compared, and never said of real scores of one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stdeval import evaluate, read_qrels, read_run
from stdeval.doubtful_scores.rounded_scores import about_rounded
from stdeval.table import ScoreTable


def of_another_program(scores: np.ndarray) -> np.ndarray:
    """The same scores, as a program computes them whose discounts are 32-bit floats."""
    return scores * np.float64(np.float32(1 / np.log2(3))) * np.log2(3)


def test_scores_of_two_programs_are_told():
    exact = np.random.default_rng(3).choice(np.linspace(0.1, 0.9, 12), (3, 40, 1))
    other = ScoreTable(("d",), tuple(map(str, range(40))), ("ndcg_cut_10",), of_another_program(exact[:1]))
    table = ScoreTable(("a", "b", "c"), other.topics, other.measures, exact)
    (message,) = about_rounded([table, other])
    assert message.startswith(
        "the ndcg_cut_10 scores of 'a' and 'd' differ by less than a millionth on 40 topics: "
    )
    assert list(about_rounded([table, replace(other, values=exact[:1])])) == []
    few = np.where(np.arange(40)[:, np.newaxis] < 4, other.values, exact[:1])
    assert list(about_rounded([table, replace(other, values=few)])) == []


def test_one_ranking_by_two_programs_is_told_by_measures_with_tiny_weights():
    """A persistence of 0.8 as a 32-bit float is 0.800000012; other runs may be as close on some topics."""
    generator = np.random.default_rng(3)
    ranks, relevant = np.arange(1000), generator.random((40, 1000)) < 0.3
    exact, single = (relevant @ ((1 - p) * p**ranks) for p in (0.8, float(np.float32(0.8))))
    far = relevant.copy()
    far[:, 80:] = False
    far[:4] = generator.random((4, 1000)) < 0.3
    other = far @ (0.2 * 0.8**ranks)
    for scores, told in (
        (single, "40 topics: did different programs compute them, or do only documents far down differ?"),
        (other, None),
    ):
        table = ScoreTable(
            ("a", "b"), tuple(map(str, range(40))), ("rbp_p=0.8",), np.stack([exact, scores])[..., None]
        )
        messages = list(about_rounded([table]))
        assert [told in message for message in messages] == ([True] if told else [])


@pytest.mark.filterwarnings("ignore::stdeval.InputWarning")
@pytest.mark.parametrize("collection", ["cranfield", "cisi", "trec-covid-r5"])
def test_no_real_scores_are_said_to_be_of_different_programs(shared: Path, collection: str):
    measures = ["map", "ndcg", "ndcg_cut_10", "bpref", "Rprec", "P_10", "recall_100", "jkdcg", "rbp_p=0.8", "err"]
    folder = shared / collection
    runs = (read_run(path) for path in sorted((folder / "runs").glob("*.gz")))
    assert list(about_rounded([evaluate(read_qrels(folder / "qrels.txt"), runs, measures)])) == []


@pytest.mark.parametrize(
    "command", ["eval", "compare", "topics", "standardize", "meta rank --scheme raw", "report -o r.html"]
)
def test_stored_scores_of_two_programs_are_told_by_every_command(run, write, tmp_path, monkeypatch, command: str):
    monkeypatch.chdir(tmp_path)
    both = np.concatenate([EXACT, of_another_program(EXACT[:2])])
    scores = write("s.csv", ["run,topic,map", *rows_of("abcde", both)])
    told = "differ by less than a millionth on 40 topics: did different programs compute them?"
    assert told in run(*command.split(), "--scores", scores).stderr


@pytest.mark.parametrize("command", ["check --max-drop map=5% --baseline", "standardize --scheme e -F"])
def test_scores_of_another_program_than_those_beside_them_are_told(run, write, command: str):
    scores = write("s.csv", ["run,topic,map", *rows_of("abc", EXACT)])
    n = 1 if "check" in command else 2
    beside = write("b.csv", ["run,topic,map", *rows_of("de"[:n], of_another_program(EXACT[:n]))])
    done = run(*command.split(), beside, "--scores", scores)
    assert "differ by less than a millionth on 40 topics: did different programs compute them?" in done.stderr


EXACT = np.random.default_rng(3).choice(np.linspace(0.1, 0.9, 12), (3, 40))


def rows_of(names: str, scores: np.ndarray) -> list[str]:
    rows = zip(names, scores.tolist(), strict=True)
    return [f"{name},{topic},{score!r}" for name, own in rows for topic, score in enumerate(own)]
