"""The table of measures, and the scores of the papers' measures: by hand, in plain loops, and on real runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytrec_eval_ext import supported_measures, supported_nicknames

from stdeval import Options, evaluate
from stdeval.errors import InputError
from stdeval.evaluation import Evaluator
from stdeval.measures.catalogue import NICKNAMES, PUBLISHED, TREC_EVAL, Family
from stdeval.measures.names import families, resolve, unused_options
from stdeval.measures.papers import PAPERS
from stdeval.table import scores_of
from stdeval.trec.reading import Run, read_qrels, read_run

FAMILIES = [*families().values()]

pytestmark = pytest.mark.oracle

# A parameter of each kind, as in a canonical name.
PARAMETERS = {
    "": "",
    "cutoff": "7",
    "optional cutoff": "7",
    "length": "7",
    "recall": "0.35",
    "multiple": "0.35",
    "number": "0.5",
    "recalls": "0,.5",
    "weights": "1,0,-1,0",
    "gains": "1=2,2=5",
    "persistence": "p=0.85_max=5_cut_7",
    "graded": "7_max=5",
}
PLACEHOLDERS = {
    "[(max=G)][@K]": "(max=5)@K",
    "[,max=G]": ",max=5",
    "[@K]": "@K",
    "@K": "@7",
    "@X": "@0.35",
    "=B": "=0.5",
    "=P": "=0.85",
}


def full_name(family: Family) -> str:
    parameter = PARAMETERS[family.parameter]
    return f"{family.name}_{parameter}" if parameter else family.name


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_names_and_listed_spellings_mean_the_measure(family: Family) -> None:
    parameter = PARAMETERS[family.parameter]
    (measure,) = resolve([f"{family.name}.{parameter}" if parameter else family.name])
    assert (measure.family, measure.name) == (family, full_name(family))
    assert {each.family for each in resolve([family.name])} == {family}
    for listed in family.spellings:
        spelling = listed
        for placeholder, value in PLACEHOLDERS.items():
            spelling = spelling.replace(placeholder, value)
        (measure,) = resolve([spelling])
        assert (measure.family, measure.parameter in ("", parameter)) == (family, True)


def test_rows_are_described_and_groups_are_those_of_pytrec_eval_and_the_paper() -> None:
    assert [family.place for family in FAMILIES] == [*range(len(TREC_EVAL) + len(PAPERS))]
    assert all(family.definition and family.source and family.range for family in FAMILIES)
    for name in ("official", "set"):
        assert set(NICKNAMES[name]) == {measure for measure in supported_nicknames[name] if measure in families()}
    assert set(NICKNAMES["all_trec"]) == {family.name for family in FAMILIES if family.function is None}
    assert {measure.name for measure in resolve(["webber"])} == set(PUBLISHED.values())
    for name in ("AP", "SP", "VDCG", "nVDCG", "P@10", "RR", "RP"):
        assert resolve([name])[0].name == PUBLISHED[name]


# trec_eval computes these from preferences or several groups of judgments, not from qrels and runs.
OTHER_INPUTS = ("prefs_", "_avgjg", "ndcg_p", "yaap")


def test_every_measure_of_pytrec_eval_is_in_the_table():
    wanted = {name for name in supported_measures if not any(other in name for other in OTHER_INPUTS)}
    assert wanted - set(families()) == set()


# Worked by hand. The ranking is d1 to d5 with levels 1, 0, 2, none, 1; judged are d6 (1) and d7 (0) too, so R = 4.
HAND = {
    "map": (1 + 2 / 3 + 3 / 5) / 4,
    "sp": 1 + 2 / 3 + 3 / 5,
    "sp_cut_3": 1 + 2 / 3,
    "amap_cut_3": (1 + 2 / 3) / 3,
    "jkdcg": 1 + 2 / math.log2(3) + 1 / math.log2(5),
    "jkdcg_cut_3": 1 + 2 / math.log2(3),
    "njkdcg": (1 + 2 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 + 1 / math.log2(3) + 1 / 2),
    "njkdcg_cut_3": (1 + 2 / math.log2(3)) / (2 + 1 + 1 / math.log2(3)),
    "enjkdcg_cut_3": (1 + 2 / math.log2(3)) / (2 + 1 + 1 / math.log2(3) + 1 / 2),
    "dcg": 1 + 2 / 2 + 1 / math.log2(6),
    "dcg_cut_3": 1 + 2 / 2,
    "ndcg": (1 + 2 / 2 + 1 / math.log2(6)) / (2 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)),
    "P_10": 3 / 10,
    "recip_rank": 1.0,
    "rbp_p=0.8": 0.2 * (1 + 0.8**2 + 0.8**4),
    "rbp_p=0.95": 0.05 * (1 + 0.95**2 + 0.95**4),
    "rbp_p=0.8_cut_3": 0.2 * (1 + 0.8**2),
    "rbp_resid_p=0.8": 0.2 * 0.8**3 + 0.8**5,
    "rbp_resid_p=0.8_cut_3": 0.8**3,
    "nrbp_p=0.8": 0.2 * (1 + 0.8**2 + 0.8**4) / (1 - 0.8**4),
    "nrbp_p=0.8_cut_3": 0.2 * (1 + 0.8**2) / (1 - 0.8**3),
    "unj_5": 1 / 5,
    "judged": 4 / 5,
    "judged_3": 1.0,
    "recip_rank_cut_3_rel=2": 1 / 3,
    "recip_rank_cut_2_rel=2": 0.0,
    "err": 1 / 16 + 15 / 16 * 3 / 16 / 3 + 15 / 16 * 13 / 16 * 1 / 16 / 5,
    "err_2": 1 / 16,
    "ndcg_exp": (1 + 3 / 2 + 1 / math.log2(6)) / (3 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)),
    "ndcg_exp_cut_3": (1 + 3 / 2) / (3 + 1 / math.log2(3) + 1 / 2),
    "Rprec": 2 / 4,
}
HAND_QRELS = {"1": {"d1": 1, "d2": 0, "d3": 2, "d5": 1, "d6": 1, "d7": 0}}
HAND_RUN = Run("tag", {"1": {"d5": 1.0, "d3": 3.0, "d1": 5.0, "d2": 4.0, "d4": 2.0}})


@pytest.mark.parametrize("name", HAND)
def test_five_documents_by_hand(name: str) -> None:
    table = evaluate(HAND_QRELS, [HAND_RUN], [name])
    assert table.measures == (name,)
    assert table.values.item() == pytest.approx(HAND[name], abs=1e-12)


def test_all_measures_of_the_papers_are_worked_by_hand() -> None:
    assert {family.name for family in FAMILIES if family.function} <= {
        resolve([name])[0].family.name for name in HAND
    }
    assert set(NICKNAMES["webber"]) <= set(HAND)


# --- against plain loops, with every option ---

DOCNOS = st.sampled_from("abcdefghijklmnop")
TOPICS = st.sampled_from("123")
QRELS = st.dictionaries(TOPICS, st.dictionaries(DOCNOS, st.integers(-1, 3), min_size=1), min_size=1)
RUNS = st.dictionaries(TOPICS, st.dictionaries(DOCNOS, st.integers(0, 4).map(float), min_size=1), min_size=1)
OPTIONS = st.builds(
    Options,
    level=st.integers(1, 3),
    depth=st.none() | st.integers(1, 8),
    judged_only=st.booleans(),
    complete=st.booleans(),
    binary=st.booleans(),
)
LOOPED = ("sp", "sp_cut_3", "amap_cut_3", "jkdcg_cut_4", "njkdcg_cut_4", "enjkdcg_cut_4", "dcg")
LOOPED += ("rbp_p=0.7", "rbp_resid_p=0.7")


def looped_scores(docs: dict[str, float], judged: dict[str, int], options: Options) -> list[float]:
    """The papers' definitions, document by document."""
    ranked = sorted(docs, key=lambda docno: (docs[docno], docno), reverse=True)[: options.depth]
    if options.judged_only:
        ranked = [docno for docno in ranked if judged.get(docno, -1) >= 0]
    levels = [judged.get(docno, -1) for docno in ranked]
    relevant = [level >= options.level for level in levels]

    def gain(level: int) -> float:
        return float(level >= options.level) if options.binary else float(max(level, 0))

    def precisions(k: int) -> float:
        return sum(sum(relevant[:i]) / i for i in range(1, min(k, len(relevant)) + 1) if relevant[i - 1])

    def jk(gains: list[float]) -> float:
        return sum(gain / max(1, math.log2(i)) for i, gain in enumerate(gains, 1))

    n_relevant = sum(level >= options.level for level in judged.values())
    best = sorted((gain(level) for level in judged.values()), reverse=True)
    gains = [gain(level) for level in levels]
    return [
        precisions(99),
        precisions(3),
        precisions(3) / min(3, n_relevant) if n_relevant else 0.0,
        jk(gains[:4]),
        jk(gains[:4]) / (jk(best[:4]) or 1),
        jk(gains[:4]) / (jk(best) or 1),
        sum(gain / math.log2(i + 1) for i, gain in enumerate(gains, 1)),
        0.3 * sum(0.7**i for i, hit in enumerate(relevant) if hit),
        0.3 * sum(0.7**i for i, level in enumerate(levels) if level < 0) + 0.7 ** len(levels),
    ]


@given(QRELS, RUNS, OPTIONS)
def test_scores_with_options_are_those_of_plain_loops(
    qrels: dict[str, dict[str, int]], documents: dict[str, dict[str, float]], options: Options
) -> None:
    evaluator = Evaluator(qrels, resolve(LOOPED), options)
    run = Run("tag", documents)
    if not set(qrels) & set(documents):
        with pytest.raises(InputError, match="no topic in common"):
            evaluator.score_run(run)
        return
    scores = evaluator.score_run(run)
    wanted = sorted(qrels) if options.complete else sorted(set(qrels) & set(documents))
    assert list(scores.topics) == wanted
    assert [measure.name for measure in evaluator.measures] == list(LOOPED)
    for topic, row in zip(scores.topics, scores_of(scores), strict=True):
        expected = looped_scores(documents.get(topic, {}), qrels[topic], options)
        assert row.tolist() == pytest.approx(expected, abs=1e-12)
    # Without a measure that tells unjudged documents from others, fewer judgments are looked up.
    alone = Evaluator(qrels, resolve(LOOPED[:-1]), options).score_run(run)
    np.testing.assert_array_equal(scores_of(alone), scores_of(scores)[:, :-1])


def test_a_missing_topic_scores_as_an_empty_one() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 0}, "3": {"b": 0}}
    measures = ["map", "webber", "rbp_resid_p=0.8", "rbp_resid_p=0.8_cut_5", "unj_10"]
    evaluator = Evaluator(qrels, resolve(measures), Options(complete=True))
    scores = evaluator.score_run(Run("tag", {"1": {"a": 1.0}}))
    # Where nothing is retrieved, nothing is judged.
    unknown = ["resid" in measure.name or "unj" in measure.name for measure in evaluator.measures]
    assert scores.topics == ("1", "2", "3")
    for row in scores_of(scores)[1:]:
        assert row.tolist() == [float(share) for share in unknown]


# --- real collections ---


@pytest.fixture(scope="module", params=["cranfield", "trec-covid-r5"])
def collection(request: pytest.FixtureRequest, shared: Path) -> Path:
    return shared / request.param


@pytest.mark.filterwarnings("ignore:no document is relevant at level 2")
def test_binary_gains_apply_to_trec_evals_measures_too(collection: Path) -> None:
    qrels = read_qrels(collection / "qrels.txt")
    folded = {
        topic: {d: int(v >= 2) if v >= 0 else v for d, v in judged.items()} for topic, judged in qrels.items()
    }
    run = read_run(sorted((collection / "runs").iterdir())[0])
    names = ["map", "bpref", "ndcg", "ndcg_cut_10", "dcg", "njkdcg", "P_10_rel=2"]
    at_two = evaluate(qrels, [run], names, Options(level=2, binary=True))
    plain = evaluate(folded, [run], [*names[:-1], "P_10"])
    np.testing.assert_array_equal(at_two.values, plain.values)


@pytest.mark.parametrize("depth", [1, 10, 50])
def test_cutting_the_run_equals_cutting_the_measure(collection: Path, depth: int) -> None:
    """A measure with -M K equals the measure cut at K, if it has no ideal that is cut too."""
    qrels = read_qrels(collection / "qrels.txt")
    run = read_run(sorted((collection / "runs").iterdir())[3])
    names = ("sp", "jkdcg", "dcg")
    whole = evaluate(qrels, [run], [*names, "map", "rbp_p=0.9", "rbp_resid_p=0.9"], Options(depth=depth))
    cut = [f"{name}_cut_{depth}" for name in (*names, "map", "rbp_p=0.9", "rbp_resid_p=0.9")]
    table = evaluate(qrels, [run], cut)
    for name, cut_name in zip([*names, "map", "rbp_p=0.9", "rbp_resid_p=0.9"], cut, strict=True):
        np.testing.assert_allclose(whole.measure(name), table.measure(cut_name), rtol=0, atol=1e-12)


OPTIONS = {"-l": [Options(level=2), Options(level=3)], "--binary": [Options(binary=True)]}


@pytest.mark.filterwarnings("ignore::stdeval.InputWarning")
@pytest.mark.parametrize(
    "family", [each for each in FAMILIES if each.kind in ("score", "count")], ids=lambda each: each.name
)
def test_an_option_that_is_said_to_change_no_score_changes_none(family: Family) -> None:
    """Also where a topic has no document at the level, or no relevant one at all."""
    rng = np.random.default_rng(3)
    grades = {"1": [0, 0, 1, 2, 3, 4, -1], "2": [0, 1], "3": [0, 1, 2], "4": [-1, 0]}
    qrels = {t: {f"d{i}": int(rng.choice(grades[t])) for i in range(60)} for t in grades}
    runs = {"a": {t: {f"d{i}": float(rng.random()) for i in range(30, 80)} for t in grades}}
    name = full_name(family)
    usual = evaluate(qrels, runs, name).values
    for option in unused_options([name], binary=False) & OPTIONS.keys():
        for options in OPTIONS[option]:
            assert np.array_equal(evaluate(qrels, runs, name, options).values, usual, equal_nan=True), options
