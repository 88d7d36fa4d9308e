"""Names of measures in ir_measures and ranx: the same numbers here, or refused with what is known about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stdeval.errors import InputError
from stdeval.evaluation.evaluator import Evaluator
from stdeval.measures.names import resolve
from stdeval.measures.other_tools import same_elsewhere
from stdeval.trec.reading import read_qrels, read_run

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"

# SAME, NOT_COMPUTED_THERE and REFUSED have all 51 names in the registry of ir_measures 0.4.3, aliases included:
# alone if no parameter is required, with the cutoff, and with one value of each other parameter. The numbers are of
# ir_measures.calc_aggregate, with cwl-eval 1.0.12 installed, for new-a in sample_data.
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

REFUSED = {
    "needs judgments of subtopics": """
ERR_IA ERR_IA(rel=2) ERR_IA(judged_only=True) ERR_IA@10 ERR_IA(rel=2)@10 ERR_IA(judged_only=True)@10
ERR_IA(cutoff=10) nERR_IA nERR_IA(rel=2) nERR_IA(judged_only=True) nERR_IA@10 nERR_IA(rel=2)@10
nERR_IA(judged_only=True)@10 nERR_IA(cutoff=10) alpha_DCG alpha_DCG(rel=2) alpha_DCG(alpha=0.4)
alpha_DCG(judged_only=True) alpha_DCG@10 alpha_DCG(rel=2)@10 alpha_DCG(alpha=0.4)@10
alpha_DCG(judged_only=True)@10 alpha_DCG(cutoff=10) α_DCG α_DCG(rel=2) α_DCG(alpha=0.4) α_DCG(judged_only=True)
α_DCG@10 α_DCG(rel=2)@10 α_DCG(alpha=0.4)@10 α_DCG(judged_only=True)@10 α_DCG(cutoff=10) alpha_nDCG
alpha_nDCG(rel=2) alpha_nDCG(alpha=0.4) alpha_nDCG(judged_only=True) alpha_nDCG@10 alpha_nDCG(rel=2)@10
alpha_nDCG(alpha=0.4)@10 alpha_nDCG(judged_only=True)@10 alpha_nDCG(cutoff=10) α_nDCG α_nDCG(rel=2)
α_nDCG(alpha=0.4) α_nDCG(judged_only=True) α_nDCG@10 α_nDCG(rel=2)@10 α_nDCG(alpha=0.4)@10
α_nDCG(judged_only=True)@10 α_nDCG(cutoff=10) NRBP NRBP(rel=2) NRBP(alpha=0.4) NRBP(beta=0.5) nNRBP nNRBP(rel=2)
nNRBP(alpha=0.4) nNRBP(beta=0.5) AP_IA AP_IA(rel=2) AP_IA(judged_only=True) MAP_IA MAP_IA(rel=2)
MAP_IA(judged_only=True) P_IA P_IA(rel=2) P_IA(judged_only=True) P_IA@10 P_IA(rel=2)@10
P_IA(judged_only=True)@10 P_IA(cutoff=10) StRecall StRecall(rel=2) StRecall@10 StRecall(rel=2)@10
StRecall(cutoff=10)
""",
    "C/W/L framework": """
BPM(max_rel=4)@10 BPM(max_rel=4,T=2.0)@10 BPM(max_rel=4,min_rel=1)@10 BPM(max_rel=4,cutoff=10) INST(max_rel=4)
INST(max_rel=4,T=2.0) INST(max_rel=4,min_rel=1) INSQ(max_rel=4) INSQ(max_rel=4,T=2.0) INSQ(max_rel=4,min_rel=1)
NERR8(max_rel=4)@10 NERR8(max_rel=4,min_rel=1)@10 NERR8(max_rel=4,cutoff=10) NERR9(max_rel=4)@10
NERR9(max_rel=4,min_rel=1)@10 NERR9(max_rel=4,cutoff=10) NERR10(max_rel=4) NERR10(max_rel=4,p=0.9)
NERR10(max_rel=4,min_rel=1) NERR11(max_rel=4) NERR11(max_rel=4,T=2.0) NERR11(max_rel=4,min_rel=1)
SDCG(max_rel=4)@10 SDCG(max_rel=4,dcg='exp-log2')@10 SDCG(max_rel=4,min_rel=1)@10 SDCG(max_rel=4,cutoff=10)
""",
    "bpref counts pairs of judged documents": """
Accuracy Accuracy(rel=2) Accuracy@10 Accuracy(rel=2)@10 Accuracy(cutoff=10)
""",
    "overlap with an ideal ranking": """
Compat Compat(p=0.9) Compat(normalize=False)
""",
    "option -J": """
AP(judged_only=True) AP(judged_only=True)@10 MAP(judged_only=True) MAP(judged_only=True)@10
IPrec(judged_only=True)@0.1 nDCG(judged_only=True) nDCG(judged_only=True)@10 NDCG(judged_only=True)
NDCG(judged_only=True)@10 P(judged_only=True)@10 Precision(judged_only=True)@10 R(judged_only=True)@10
Recall(judged_only=True)@10 Rprec(judged_only=True) RPrec(judged_only=True) RR(judged_only=True)
RR(judged_only=True)@10 MRR(judged_only=True) MRR(judged_only=True)@10 SetP(judged_only=True)
SetRelP(judged_only=True) SetF(judged_only=True) SetAP(judged_only=True) Success(judged_only=True)@10
""",
    "as in ndcg_1=3,2=7": """
nDCG(gains={1:3,2:7}) nDCG(gains={1:3,2:7})@10 NDCG(gains={1:3,2:7}) NDCG(gains={1:3,2:7})@10
""",
}


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


@pytest.mark.parametrize(("fact", "text"), [(fact, text) for fact in REFUSED for text in REFUSED[fact].split()])
def test_any_other_name_of_ir_measures_is_refused_with_what_is_known(fact: str, text: str) -> None:
    with pytest.raises(InputError) as raised:
        resolve([text])
    assert fact in str(raised.value)
    assert "did you mean" not in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("map_avgjg", "it needs the judgments of several judges, which are not read here"),
        ("prefs_avgjg_Rnonrel_ret", "it needs the judgments of several judges, which are not read here"),
        ("prefs_num_prefs_poss", "it needs judgments of preferences, which are not read here"),
        ("yaap", "it is not computed here"),
    ],
)
def test_a_name_of_trec_eval_is_refused_with_what_is_known(text: str, fact: str) -> None:
    with pytest.raises(InputError, match=f"^no measure '{text}': {fact}$"):
        resolve([text])


def test_the_table_has_every_name_of_ir_measures() -> None:
    listed = [*SAME, *NOT_COMPUTED_THERE, *(text for names in REFUSED.values() for text in names.split())]
    assert len(listed) == len(set(listed)) == 229
    assert len({text.partition("@")[0].partition("(")[0] for text in listed}) == 51


@pytest.mark.parametrize(
    "text",
    [
        "P(cutoff=)",
        "P(cutoff='')",
        "SetP(relative=true)",
        "NumQ(rel=1)",
        "Judged(rel=1)",
        "IPrec(cutoff=10)",
        "RR(recall=1)",
    ],
)
def test_parameters_that_ir_measures_refuses_too(text: str) -> None:
    with pytest.raises(InputError, match="parameter"):
        resolve([text])


# The metrics in ranx's documentation, each alone, with a number, and with a level of relevance. The numbers are the
# means over topics of ranx.evaluate 0.3.21 for new-a in sample_data, of hits too, whose sum is printed here.
RANX = {
    "hits": ("NumRelRet", 14.58),
    "hits-l2": ("NumRelRet(rel=2)", 5.56),
    "hit_rate@10": ("Success@10", 0.96),
    "hit_rate@10-l2": ("Success(rel=2)@10", 0.84),
    "precision": ("SetP", 0.1458),
    "precision-l2": ("SetP(rel=2)", 0.0556),
    "precision@10": ("P@10", 0.484),
    "precision@10-l2": ("P(rel=2)@10", 0.264),
    "recall-l2": ("SetR(rel=2)", 0.822174),
    "recall@10": ("R@10", 0.281161),
    "recall@10-l2": ("R(rel=2)@10", 0.450131),
    "f1": ("SetF", 0.22685),
    "f1-l2": ("SetF(rel=2)", 0.100539),
    "r-precision": ("Rprec", 0.402568),
    "r-precision-l2": ("Rprec(rel=2)", 0.33656),
    "mrr": ("MRR", 0.704746),
    "mrr-l2": ("MRR(rel=2)", 0.603595),
    "mrr@10": ("RR@10", 0.703357),
    "mrr@10-l2": ("RR(rel=2)@10", 0.599333),
    "map-l2": ("AP(rel=2)", 0.378171),
    "map@10": ("AP@10", 0.215811),
    "map@10-l2": ("AP(rel=2)@10", 0.305796),
    "dcg@10": ("DCG@10", 3.697788),
    "ndcg@10": ("ndcg_cut.10", 0.485444),
    "ndcg_burges": ("ndcg_exp", 0.583096),
    "ndcg_burges@10": ("ndcg_exp_cut.10", 0.472228),
}

RANX_REFUSED = {
    "hits@10": "in the first 10, 10 times P@10",
    "hits@10-l2": "in the first 10, 10 times P@10",
    "hit_rate": "success takes a cutoff",
    "hit_rate-l2": "success takes a cutoff",
    "f1@10": "SetF is the F measure here",
    "f1@10-l2": "SetF is the F measure here",
    "dcg_burges": "only the normalized form, ndcg_exp",
    "dcg_burges@10": "only the normalized form, ndcg_exp",
    "dcg_burges@10-l2": "only the normalized form, ndcg_exp",
    "dcg@10-l2": "no measure here drops the gains below a level",
    "ndcg@10-l2": "no measure here drops the gains below a level",
    "ndcg_burges@10-l2": "no measure here drops the gains below a level",
    "ndcg-l2": "no measure here drops the gains below a level",
    "rbp.95": "it weighs by the judgment; if all judgments are 0 or 1, it is RBP(p=0.95)",
    "rbp.5-l2": "no measure here drops the gains below a level",
}


@pytest.fixture(scope="module")
def means() -> dict[str, float]:
    """The means over topics of every measure that ranx has too, by name."""
    evaluator = Evaluator(read_qrels(SAMPLE / "qrels.gz"), resolve(name for name, _ in RANX.values()))
    rows = evaluator.score_run(read_run(SAMPLE / "new-a.run.gz")).rows
    columns = zip(*rows, strict=True)
    return {m.name: sum(column) / len(rows) for m, column in zip(evaluator.measures, columns, strict=True)}


@pytest.mark.parametrize("text", RANX)
def test_a_name_of_ranx_is_refused_with_the_name_of_the_same_number(means: dict[str, float], text: str) -> None:
    name, value = RANX[text]
    assert same_elsewhere(text) == name
    assert means[resolve([name])[0].name] == pytest.approx(value, abs=1e-6)
    with pytest.raises(InputError) as raised:
        resolve([text])
    assert str(raised.value) == f"no measure '{text}', did you mean {name}?"


@pytest.mark.parametrize("text", RANX_REFUSED)
def test_any_other_name_of_ranx_is_refused_with_what_is_known(text: str) -> None:
    with pytest.raises(InputError) as raised:
        resolve([text])
    assert RANX_REFUSED[text] in str(raised.value)
    assert "did you mean" not in str(raised.value)


@pytest.mark.parametrize("text", ["map", "ndcg", "dcg", "bpref"])
def test_names_that_ranx_shares_with_trec_eval_are_taken(text: str) -> None:
    assert [measure.name for measure in resolve([text])] == [text]


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
