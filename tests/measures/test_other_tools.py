"""Names of measures in ir_measures: the same numbers here, or refused."""

from __future__ import annotations

import pytest

from stdeval.errors import InputError
from stdeval.evaluation import Evaluator
from stdeval.measures.names import resolve
from stdeval.trec.reading import read_qrels, read_run
from tests.conftest import SAMPLE

pytestmark = pytest.mark.oracle


# The numbers are of ir_measures.calc_aggregate 0.4.3, with cwl-eval 1.0.12 installed, for new-a in sample_data.
SAME = {
    "AP": ("map", 0.382353),
    "AP(rel=2)": ("map_rel=2", 0.378171),
    "AP@10": ("map_cut_10", 0.215811),
    "Bpref": ("bpref", 0.390907),
    "ERR@10": ("err_10", 0.186323),
    "infAP": ("infAP", 0.382353),
    "IPrec@0.1": ("iprec_at_recall_0.10", 0.668278),
    "Judged": ("judged", 0.7122),
    "Judged@10": ("judged_10", 0.922),
    "nDCG": ("ndcg", 0.587297),
    "nDCG@10": ("ndcg_cut_10", 0.485444),
    "nDCG(dcg='exp-log2')@10": ("ndcg_exp_cut_10", 0.472227),
    "NumQ": ("num_q", 50),
    "NumRel": ("num_rel", 1009),
    "NumRet": ("num_ret", 5000),
    "NumRet(rel=2)": ("num_rel_ret_rel=2", 278),
    "P@10": ("P_10", 0.484),
    "P(rel=2)@10": ("P_10_rel=2", 0.264),
    "R@10": ("recall_10", 0.281161),
    "RBP(rel=2)": ("rbp_p=0.8_rel=2", 0.297824),
    "Rprec": ("Rprec", 0.402568),
    "RR": ("recip_rank", 0.704746),
    "RR@10": ("recip_rank_cut_10", 0.703357),
    "SetP": ("set_P", 0.1458),
    "SetP(relative=True)": ("set_relative_P", 0.725592),
    "SetR": ("set_recall", 0.725592),
    "SetF": ("set_F", 0.22685),
    "SetF(beta=0.5)": ("set_F_0.5", 0.19069),
    "SetAP": ("set_map", 0.113638),
    "Success@10": ("success_10", 0.96),
}

REFUSED = """
ERR_IA@10 nERR_IA alpha_DCG(rel=2) α_nDCG(alpha=0.4)@10 NRBP P_IA@10 StRecall@10 BPM(max_rel=4)@10 INST(max_rel=4)
NERR10(max_rel=4,p=0.9) SDCG(max_rel=4)@10 Accuracy@10 Compat(p=0.9) AP(judged_only=True) nDCG(judged_only=True)@10
nDCG(gains={1:3,2:7})@10 nDCG(dcg=jk) nDCG(dis=exp-log2)@10 nDCG(dis=x)
P(cutoff=) P(cutoff='') SetP(relative=true) NumQ(rel=1) Judged(rel=1) IPrec(cutoff=10)
RR(recall=1) map_avgjg prefs_num_prefs_poss yaap hit_rate@10 precision@5-l2 rbp.95
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


@pytest.mark.parametrize("text", REFUSED.split())
def test_a_name_that_is_none_here_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="measure"):
        resolve([text])
