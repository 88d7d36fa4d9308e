"""Names of measures in ir_measures: the same numbers here, or refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stdeval.errors import InputError
from stdeval.evaluation import Evaluator
from stdeval.measures.names import resolve
from stdeval.trec.reading import read_qrels, read_run

pytestmark = pytest.mark.oracle

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"

# The numbers are of ir_measures.calc_aggregate 0.4.3, with cwl-eval 1.0.12 installed, for new-a in sample_data.
SAME = {
    "AP": ("map", 0.382353),
    "AP(rel=2)": ("map_rel=2", 0.378171),
    "AP@10": ("map_cut_10", 0.215811),
    "AP(rel=2)@10": ("map_cut_10_rel=2", 0.305796),
    "AP(cutoff=10)": ("map_cut_10", 0.215811),
    "MAP": ("map", 0.382353),
    "MAP(rel=2)": ("map_rel=2", 0.378171),
    "MAP@10": ("map_cut_10", 0.215811),
    "MAP(rel=2)@10": ("map_cut_10_rel=2", 0.305796),
    "MAP(cutoff=10)": ("map_cut_10", 0.215811),
    "Bpref": ("bpref", 0.390907),
    "Bpref(rel=2)": ("bpref_rel=2", 0.329008),
    "BPref": ("bpref", 0.390907),
    "BPref(rel=2)": ("bpref_rel=2", 0.329008),
    "ERR@10": ("err_10", 0.186323),
    "ERR(cutoff=10)": ("err_10", 0.186323),
    "infAP": ("infAP", 0.382353),
    "infAP(rel=2)": ("infAP_rel=2", 0.378171),
    "IPrec@0.1": ("iprec_at_recall_0.10", 0.668278),
    "IPrec(rel=2)@0.1": ("iprec_at_recall_0.10_rel=2", 0.591082),
    "IPrec(recall=0.1)": ("iprec_at_recall_0.10", 0.668278),
    "Judged": ("judged", 0.7122),
    "Judged@10": ("judged_10", 0.922),
    "Judged(cutoff=10)": ("judged_10", 0.922),
    "nDCG": ("ndcg", 0.587297),
    "nDCG@10": ("ndcg_cut_10", 0.485444),
    "nDCG(dcg='exp-log2')@10": ("ndcg_exp_cut_10", 0.472227),
    "nDCG(cutoff=10)": ("ndcg_cut_10", 0.485444),
    "NDCG": ("ndcg", 0.587297),
    "NDCG@10": ("ndcg_cut_10", 0.485444),
    "NDCG(dcg='exp-log2')@10": ("ndcg_exp_cut_10", 0.472227),
    "NDCG(cutoff=10)": ("ndcg_cut_10", 0.485444),
    "NumQ": ("num_q", 50),
    "NumRel": ("num_rel", 1009),
    "NumRet": ("num_ret", 5000),
    "NumRet(rel=2)": ("num_rel_ret_rel=2", 278),
    "NumRelRet": ("num_rel_ret", 729),
    "NumRelRet(rel=2)": ("num_rel_ret_rel=2", 278),
    "P@10": ("P_10", 0.484),
    "P(rel=2)@10": ("P_10_rel=2", 0.264),
    "P(cutoff=10)": ("P_10", 0.484),
    "Precision@10": ("P_10", 0.484),
    "Precision(rel=2)@10": ("P_10_rel=2", 0.264),
    "Precision(cutoff=10)": ("P_10", 0.484),
    "R@10": ("recall_10", 0.281161),
    "R(rel=2)@10": ("recall_10_rel=2", 0.450131),
    "R(cutoff=10)": ("recall_10", 0.281161),
    "Recall@10": ("recall_10", 0.281161),
    "Recall(rel=2)@10": ("recall_10_rel=2", 0.450131),
    "Recall(cutoff=10)": ("recall_10", 0.281161),
    "RBP(rel=2)": ("rbp_p=0.8_rel=2", 0.297824),
    "Rprec": ("Rprec", 0.402568),
    "Rprec(rel=2)": ("Rprec_rel=2", 0.33656),
    "RPrec": ("Rprec", 0.402568),
    "RPrec(rel=2)": ("Rprec_rel=2", 0.33656),
    "RR": ("recip_rank", 0.704746),
    "RR(rel=2)": ("recip_rank_rel=2", 0.603595),
    "RR@10": ("recip_rank_cut_10", 0.703357),
    "RR(rel=2)@10": ("recip_rank_cut_10_rel=2", 0.599333),
    "RR(cutoff=10)": ("recip_rank_cut_10", 0.703357),
    "MRR": ("recip_rank", 0.704746),
    "MRR(rel=2)": ("recip_rank_rel=2", 0.603595),
    "MRR@10": ("recip_rank_cut_10", 0.703357),
    "MRR(rel=2)@10": ("recip_rank_cut_10_rel=2", 0.599333),
    "MRR(cutoff=10)": ("recip_rank_cut_10", 0.703357),
    "SetP": ("set_P", 0.1458),
    "SetP(rel=2)": ("set_P_rel=2", 0.0556),
    "SetP(relative=True)": ("set_relative_P", 0.725592),
    "SetRelP": ("set_relative_P", 0.725592),
    "SetRelP(rel=2)": ("set_relative_P_rel=2", 0.822174),
    "SetRelP(relative=True)": ("set_relative_P", 0.725592),
    "SetR": ("set_recall", 0.725592),
    "SetR(rel=2)": ("set_recall_rel=2", 0.822174),
    "SetF": ("set_F", 0.22685),
    "SetF(rel=2)": ("set_F_rel=2", 0.100539),
    "SetF(beta=0.5)": ("set_F_0.5", 0.19069),
    "SetAP": ("set_map", 0.113638),
    "SetAP(rel=2)": ("set_map_rel=2", 0.049305),
    "Success@10": ("success_10", 0.96),
    "Success(rel=2)@10": ("success_10_rel=2", 0.84),
    "Success(cutoff=10)": ("success_10", 0.96),
}

# ir_measures computes nothing for these unless further programs are installed.
NOT_COMPUTED_THERE = {
    "ERR": "err",
    "nDCG(dcg='exp-log2')": "ndcg_exp",
    "NDCG(dcg='exp-log2')": "ndcg_exp",
    "NumRel(rel=2)": "num_rel_rel=2",
    "RBP": "rbp_p=0.8",
    "RBP(p=0.9)": "rbp_p=0.9",
    "RBP@10": "rbp_p=0.8_cut_10",
    "RBP(p=0.9)@10": "rbp_p=0.9_cut_10",
    "RBP(rel=2)@10": "rbp_p=0.8_cut_10_rel=2",
    "RBP(cutoff=10)": "rbp_p=0.8_cut_10",
}

REFUSED = """
ERR_IA@10 nERR_IA alpha_DCG(rel=2) α_nDCG(alpha=0.4)@10 NRBP P_IA@10 StRecall@10 BPM(max_rel=4)@10 INST(max_rel=4)
NERR10(max_rel=4,p=0.9) SDCG(max_rel=4)@10 Accuracy@10 Compat(p=0.9) AP(judged_only=True) nDCG(judged_only=True)@10
nDCG(gains={1:3,2:7})@10 P(cutoff=) P(cutoff='') SetP(relative=true) NumQ(rel=1) Judged(rel=1) IPrec(cutoff=10)
RR(recall=1) map_avgjg prefs_num_prefs_poss yaap mrr@10 hit_rate@10 precision@5-l2 rbp.95
"""


@pytest.fixture(scope="module")
def scores() -> dict[str, float]:
    """The values over all topics, of every measure that ir_measures computes too, by name."""
    evaluator = Evaluator(read_qrels(SAMPLE / "qrels.gz"), resolve(SAME))
    summary = evaluator.score_run(read_run(SAMPLE / "new-a.run.gz")).summary
    return {measure.name: value for measure, value in zip(evaluator.measures, summary, strict=True)}


@pytest.mark.parametrize("text", SAME)
def test_a_name_of_ir_measures_is_the_same_number(scores: dict[str, float], text: str) -> None:
    name, value = SAME[text]
    assert [measure.name for measure in resolve([text])] == [name]
    # gdeval prints five decimals for each topic.
    assert scores[name] == pytest.approx(value, abs=5.5e-6)


@pytest.mark.parametrize("text", NOT_COMPUTED_THERE)
def test_a_name_that_ir_measures_only_parses(text: str) -> None:
    assert [measure.name for measure in resolve([text])] == [NOT_COMPUTED_THERE[text]]


@pytest.mark.parametrize("text", REFUSED.split())
def test_a_name_that_is_none_here_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="measure"):
        resolve([text])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nDCG(dcg=jk)", "dcg=jk, expected dis=jk, or dcg=exp-log2 or dcg=log2"),
        ("nDCG(dis=exp-log2)@10", "dis=exp-log2, expected dcg=exp-log2, or dis=jk or dis=log2"),
        ("nDCG(dis=x)", "dis=x, expected dis=jk or dis=log2"),
    ],
)
def test_a_value_of_the_other_parameter_is_told(text: str, expected: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"measure '{text}': {expected}") + "$"):
        resolve([text])
