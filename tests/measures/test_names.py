"""The grammar of measure names: every form, every refusal, and names that crash pytrec_eval."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.errors import InputError
from stdeval.measures.catalogue import NICKNAMES, PUBLISHED, Measure, canonical_parameters
from stdeval.measures.names import (
    SCHEME_LETTERS,
    canonical,
    families,
    is_better_higher,
    kind_of,
    level_of,
    measure_named,
    publication_name,
    resolve,
    split_prefix,
    split_scheme,
    standardized_name,
)

FAMILIES = [*families().values()]

pytestmark = pytest.mark.oracle

NO_LEVEL = ("runid", "num_q", "num_ret")
IPREC = ["iprec_at_recall_0.10", "iprec_at_recall_0.50"]
IN_SET = sorted(NICKNAMES["set"], key=[family.name for family in FAMILIES].index)

ONE = {
    "map": ["map", "AP", "MAP"],
    "P_10": ["P_10", "P.10", "P@10", "Precision@10", "P.10,10", "p@10"],
    "ndcg": ["ndcg", "nDCG", "NDCG", "nVDCG"],
    "ndcg_cut_10": ["ndcg_cut_10", "ndcg_cut.10", "nDCG@10", "nDCG(dis='log2')@10", "ndcg@10", "Ndcg@10"],
    "map_cut_100": ["map_cut_100", "map_cut.100", "AP@100", "Map@100", "ap@100"],
    "recip_rank": ["recip_rank", "RR", "MRR"],
    "Rprec": ["Rprec", "RPrec", "RP"],
    "bpref": ["bpref", "Bpref"],
    "infAP": ["infAP"],
    "recall_100": ["recall_100", "recall.100", "R@100", "Recall@100", "recall@100"],
    "success_5": ["success_5", "success.5", "Success@5"],
    "set_F_0.5": ["set_F_0.5", "set_F.0.5", "SetF(beta=0.5)"],
    "set_P": ["set_P", "SetP"],
    "set_relative_P": ["set_relative_P", "SetP(relative=True)"],
    "iprec_at_recall_0.10": ["iprec_at_recall_0.10", "iprec_at_recall..1", "iprec_at_recall.0.1", "iprec@0.1"],
    "P_10_rel=2": ["P_10_rel=2", "P(rel=2)@10", "p(rel=2)@10"],
    "map_rel=3": ["map_rel=3", "AP(rel=3)"],
    "ndcg_1=3,2=5": ["ndcg_1=3,2=5", "ndcg.1=3,2=5"],
    "utility_1,-1,0,0": ["utility_1,-1,0,0", "utility.1,-1,0,0"],
    "relstring_20": ["relstring_20", "relstring.20"],
    "Rprec_mult_0.20": ["Rprec_mult_0.20", "Rprec_mult..2", "Rprec_mult.0.2"],
    "num_q": ["num_q", "NumQ"],
    "num_rel_ret_rel=2": ["NumRelRet(rel=2)", "NumRet(rel=2)"],
    "sp": ["sp", "SP"],
    "dcg": ["dcg", "VDCG", "DCG"],
    "dcg_cut_10": ["DCG@10"],
    "njkdcg": ["nDCG(dis=jk)"],
    "njkdcg_cut_10": ["nDCG(dis=jk)@10", "NDCG(dis='jk', cutoff=10)", "ndcg(dis=jk)@10"],
    "njkdcg_cut_10_rel=2": ["nDCG(dis='jk', rel=2)@10"],
    "jkdcg_cut_10": ["DCG(dis=jk)@10"],
    "amap_cut_1000": ["aAP@1000"],
    "enjkdcg_cut_100": ["enDCG@100"],
    "rbp_p=0.8": ["RBP", "RBP(p=0.80)", "rbp.p=.8"],
    "rbp_p=0_cut_10": ["RBP(p=0)@010", "rbp_p=-0_cut_10"],
    "rbp_p=0.8_cut_20": ["RBP@20", "rbp@20"],
    "rbp_p=0.5_max=2": ["rbp_p=0.5_max=2", "rbp.p=.50_max=02", "RBP(p=0.5,max=2)"],
    "nrbp_p=0.8_max=3_cut_20": ["nrbp_p=0.8_max=3_cut_20", "nRBP(max=3)@20"],
    f"rbp_p={0.1 ** (1 / 10)}_cut_10": ["RBP(resid=0.1)@10"],
    "rbp_resid_p=0.95_cut_100": ["rbp_resid_p=0.95_cut_100"],
    "nrbp_p=0.8_rel=2": ["nRBP(p=0.8, rel=2)"],
    "unj_5": ["unj.5"],
    "recip_rank_cut_10": ["RR@10", "MRR@10", "RR(cutoff=10)", "mrr@10", "Mrr@10"],
    "judged": ["Judged"],
    "judged_10": ["Judged@10"],
    "err_20": ["ERR@20", "err.20"],
    "err_20_max=3": ["err_20_max=3", "ERR(max=3)@20", "err(max=3)@20"],
    "ndcg_exp_cut_10": ["nDCG(dcg='exp-log2')@10", "NDCG(dcg='exp-log2', cutoff=10)"],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in ONE.items() for text in texts])
def test_forms(name: str, text: str):
    assert [measure.name for measure in resolve([text])] == [name]
    assert canonical(text) == name
    assert resolve([name])[0].name == name


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["P.10,5"], ["P_5", "P_10"]),
        (["P.5", "P_10", "P@5", "AP"], ["map", "P_5", "P_10"]),
        (["P"], [f"P_{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
        (["success"], ["success_1", "success_5", "success_10"]),
        (["iprec_at_recall..5,.1"], IPREC),
        (["set"], IN_SET),
        (["nDCG@10", "nDCG@5", "AP"], ["map", "ndcg_cut_5", "ndcg_cut_10"]),
        (["judged.20,5", "Judged", "ERR@5"], ["judged", "judged_5", "judged_20", "err_5"]),
        (["set_rel=2"], [f"{name}{'_rel=2' * (name not in NO_LEVEL)}" for name in IN_SET]),
        (["P.5,10,map"], ["map", "P_5", "P_10"]),
        (["ndcg.1=0,2=3,map"], ["map", "ndcg_1=0,2=3"]),
        (["RBP(p=0.8),AP"], ["map", "rbp_p=0.8"]),
        (["ndcg@10,P(rel=2)@10,P@10"], ["P_10", "P_10_rel=2", "ndcg_cut_10"]),
        (["iprec_at_recall..5,.1,11pt_avg.0,.5,11pt_avg"], [*IPREC, "11pt_avg", "11pt_avg_0,.5"]),
        (["utility.1,-1,0,0,RBP(p=0.5, max=2)@5"], ["utility_1,-1,0,0", "rbp_p=0.5_max=2_cut_5"]),
        (["rbp.p=0.8,p=0.5,err.5,max=2"], ["rbp_p=0.5", "rbp_p=0.8", "err_max=2", "err_5"]),
    ],
)
def test_several(texts: list[str], names: list[str]):
    assert [measure.name for measure in resolve(texts)] == names


HINTS = {
    "ndcg_cut_10": ("ndcg.10", "ndcg_10", "NDCG.10", "nDCG-10", "ndcg-cut-10", "ndcg_at_10"),
    "ndcg_cut_7": ("ndcg.7", "NDCG_at_7"),
    "P_10": ("p_10", "P10", "P-10"),
    "Rprec": ("rprec", "R-prec", "r_prec"),
    "jkdcg_cut_10": ("jkdcg_10",),
    "map": ("MaP",),
    "recip_rank": ("recip-rank", "recip_rnk"),
    "num_rel_ret": ("num-rel-ret",),
    "map_cut_10": ("map.10",),
    "official": ("offical",),
    "relative_P_7": ("R_cap@7",),
    "unj_10": ("hole@10", "Hole@10", "unjudged@10"),
    "success_1": ("acc@1", "hit@1", "Hits@1"),
    "success": ("Hit",),
    "recip_rank_cut_10": ("mrr_cut.10",),
}


@pytest.mark.parametrize(("hint", "text"), [(hint, text) for hint, texts in HINTS.items() for text in texts])
def test_hints(hint: str, text: str):
    with pytest.raises(InputError) as raised:
        resolve([text])
    assert hint in str(raised.value).partition("did you mean ")[2].rstrip("?").split(" or ")


@pytest.mark.parametrize("text", ["Accuracy@10", "num_nonjudged_ret", "NCG@10", "nERR@10", "Q-measure", "Q"])
def test_measures_that_are_not_computed(text: str):
    with pytest.raises(InputError, match=f"^measure '{text}' .*not computed"):
        resolve([text])


# The first nine are names that pytrec_eval takes for something else, or aborts on.
REFUSED = """
P_10abc P_1.5 map.10 map_10 ndcg_10 ndcg.10 P_0 P.0 P_-1 P.5,x P.5, P., P_ P. .P P.5,,10 P_+5 P_1e1 P_0x5
P_99999999999 P_\u0663 P@ P@0 P@1.5 P@-1 P(rel=0)@5 P(rel=x)@5 P(foo=1)@5 P(5) P@5@6 AP@ AP(rel=1,rel=2)
map_cut_0 success.0 iprec_at_recall.x iprec_at_recall.0.123 iprec_at_recall_-1 set_F.0 set_F.-1 set_F.x
set_F. utility.1,2,3 utility.1,2,3,4,5 utility.a,b,c,d ndcg.1 ndcg.1=x ndcg.=3 ndcg.1=3, ndcg.x=3
relstring.0 relstring.5,6 relstring.x 11pt_avg.x runid.5 num_q_1 official.5 all_trec_5 P_10_rel=0 P_10_rel=
nDCG(dis=x)@5 nosuch SetF(beta=0) IPrec@2.345 IPrec@x Rprec_mult.11111111111111111111 ndcg.99999999999=3
IPrec@10 11pt_avg_10,50,90 11pt_avg.-1,0 Rprec_mult_0 ndcg_1=1,1=2 ndcg_1=1,01=2 map_rel=1_rel=2
RBP(p=1) rbp_p=-0.1 nrbp_p=x RBP(p=0.8)@0 rbp_p=0.8_cut_0 rbp.0.8 RBP(resid=0)@10 RBP(resid=1)@10 RBP(resid=0.1)
RBP(resid=0.1)@0 RBP(resid=0.1,p=0.8)@10 RBP(q=0.8) nDCG(b=2)@10 DCG(dcg=exp-log2)@10 DCG(dcg=log2) nDCG(dcg=exp)@10
nDCG(dis=jk,dcg=exp-log2) Judged(rel=1)@10 ERR(rel=1)@10 err_0 judged_20_rel=2 num_ret_rel=2 RR@0 SP(p=0.8)
AP(dis=jk) AP(dis=log2) sp_cut_0 aAP@1.5 unj_0 np@10 NP@10 NRBP@10 P.5,rel=2 P.5,map, ,map P.5,x P.5,10abc AP(max=2)
rbp_p=0.5_max=0 rbp_p=0.5_max= rbp_max=2 RBP(p=0.5,max=2,rel=2) rbp_p=0.5_max=2_rel=2 rbp_p=0.5_cut_5_max=2
"""


@pytest.mark.parametrize("text", [*REFUSED.split(), "", " ", "map ", " map", "P 10", "P.5 ,10", "map\n", "P_10\0"])
def test_refused(text: str):
    with pytest.raises(InputError) as raised:
        resolve([text])
    assert "\n" not in str(raised.value).replace(text, "")


@given(st.text(st.sampled_from("Pmapndcg_cut.@()=10,-relbR "), max_size=14))
def test_any_text_is_resolved_or_refused(text: str):
    try:
        measures = resolve([text])
    except InputError:
        return
    assert measures
    for measure in measures:
        assert resolve([measure.name]) == (measure,)


@given(st.sampled_from([each for each in FAMILIES if each.parameter == "cutoff"]), st.integers(1, 10**9).map(str))
def test_any_cutoff_survives_its_name(family, cutoff: str):
    for text in (f"{family.name}.{cutoff}", f"{family.name}_{cutoff}"):
        (measure,) = resolve([text])
        assert (measure.name, measure.cutoff) == (f"{family.name}_{cutoff}", int(cutoff))
        assert resolve([measure.name]) == (measure,)


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 10**9))
def test_any_persistence_survives_its_name(p: float, cut: int) -> None:
    (measure,) = resolve([f"rbp_p={p}_cut_{cut}"])
    assert (measure.persistence, measure.cutoff) == (p, cut)
    assert resolve([measure.name]) == (measure,)


def test_order_does_not_depend_on_the_order_asked():
    """Parameters are sorted as numbers."""
    names = [measure.name for measure in resolve(["all_trec"])]
    ordered = ["sp_cut_5", "sp_cut_20", "rbp_p=0.8", "rbp_p=0.8_cut_20", "rbp_p=0.8_cut_100", "rbp_p=0.95"]
    assert [measure.name for measure in resolve(reversed([*names, *ordered]))] == [*names, *ordered]


def test_pytrec_eval_accepts_every_name_that_the_grammar_accepts():
    """Run in a process of its own, because pytrec_eval aborts on names that it does not know."""
    texts = ["all_trec", "P.1,7,1000000000", "ndcg.1=3.5,2=9", "G.1=2", "Rndcg.3=1", "ndcg_rel.2=2", "set_F.0.5"]
    texts += ["utility.1,-1,.5,0", "11pt_avg.0,.5", "iprec_at_recall.0,1,.55", "Rprec_mult.0.1,3", "success.3"]
    texts += ["P_10_rel=2", "map_rel=9", "relative_P.3", "map_cut.1", "relstring.3", "set_F.2", "utility.0,0,0,1"]
    code = (
        "import sys, warnings, stdeval\n"
        "warnings.simplefilter('ignore', stdeval.InputWarning)\n"
        "run = stdeval.Run('t', {'1': {'a': 1.0, 'b': 2.0}, '2': {'a': 1.0}})\n"
        "table = stdeval.evaluate({'1': {'a': 2, 'c': 0}, '2': {'a': 1}}, [run], sys.argv[1:])\n"
        "print(len(table.measures), int((table.values != table.values).sum()))"
    )
    done = subprocess.run([sys.executable, "-c", code, *texts], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    n_scores = sum(measure.family.kind in ("score", "count") for measure in resolve(texts))
    assert done.stdout.split() == [str(n_scores), "0"]


LONG = 300_000
"""Repetitions for which reading in quadratic time takes many minutes, and in linear time a moment."""

LONG_NAMES = {
    "levels": "map" + "_rel=1" * LONG,
    "cutoffs": "P@" + "1" * LONG,
    "decimals": "P@" + "1." * LONG,
    "numbers": "11pt_avg." + "11," * LONG + "x",
    "digits": "11pt_avg." + "1" * LONG + "x",
    "shares": "iprec_at_recall." + "1" * LONG,
    "braces": "P(a=" + "{," * LONG + ")@5",
    "letters": "a" * LONG,
    "gains": "ndcg." + "1=11," * LONG + "x",
    "persistences": "rbp.p=" + "1" * LONG + "x",
    "parameters": "P(" + "rel=1," * LONG + ")@5",
    "underscores": "a_" * LONG,
    "parentheses": "(" * LONG,
    "opened": "P(1," * LONG,
    "lists": "P.5,10," * LONG,
}


def test_long_names_are_refused_in_linear_time() -> None:
    """The time limit only ends a process that would run for hours."""
    code = (
        "from tests.measures.test_names import *\n"
        "for kind, name in LONG_NAMES.items():\n"
        "    print(kind, flush=True)\n"
        "    assert kind_of(name) == 'score'\n"
        "    with pytest.raises(InputError) as raised:\n"
        "        resolve([name])\n"
        "    assert len(str(raised.value)) < 300"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)


ALL_SPELLINGS = sorted(
    {name for spellings in ONE.values() for name in spellings}
    | {
        f"{alias}{cutoff}"
        for family in FAMILIES
        for alias in (family.name, *family.aliases)
        for cutoff in ("", "@10")
    }
)


@pytest.mark.parametrize("letter", SCHEME_LETTERS)
def test_standardized_scores_are_never_called_as_raw_ones_are(letter: str):
    """MAP, MRR, ERR and NDCG would be AP and RR by scheme M, RR by E and DCG by N."""
    known = [name for name in ALL_SPELLINGS if measure_named(name) is not None]
    assert {"AP", "AP@10", "RR", "DCG@10", "RBP"} <= {*known}
    for name in (*known, "ndcg@20", "dcg@20", "rr@5", "rbp@20", "latency", "nj", "N"):
        for prefix in ("", "deep:"):
            assert not split_scheme(prefix + name)[0]
            read = split_scheme(standardized_name(letter, prefix + name))
            assert (read[0], canonical(split_prefix(read[1])[1])) == (letter, canonical(name))


def test_two_letters_that_are_typed_mean_the_standardized_columns(run, write):
    lines = [f"{run_name},{t},0.{k}{t},0.5" for run_name, k in (("a", 9), ("b", 1)) for t in (2, 7, 4, 9)]
    done = run("compare", "-m", "NP", "-f", "csv", "--scores", write("s.csv", ["run,topic,NP_5,Nmap", *lines]))
    assert [row["measure"] for row in done.rows] == ["NP_5"]


def test_columns_of_a_scores_file_come_before_names_in_another_case(run, write):
    """A column may be called anything; the letter of a scheme keeps its case."""
    path = write("s.csv", ['run,topic,ndcg@10,ndcg_cut_10,NP_10,"a,b",P_10,ndcg_cut_5', "x,1,1,2,3,4,5,6"])
    columns = {"ndcg@10": "ndcg@10", "NDCG@5,p@10": "ndcg_cut_5 P_10", "NP@10,map": "", "a,b": "a,b", "np@10": ""}
    columns |= {"Np@10,P.5,10": "", "P.10,ndcg@10": "P_10 ndcg@10"}
    for text, names in columns.items():
        rows = run("eval", "-f", "csv", "-m", text, "--scores", path).rows
        assert " ".join([*rows[0]][2:] if rows else []) == names


def test_facts_about_measures():
    kinds = {"map": "score", "num_ret": "count", "gm_map": "summary", "runid": "text", "x y": "score"}
    assert {name: kind_of(name) for name in kinds} == kinds
    better = {"unj_20": False, "Nunj_20": False, "deep:unj_20": False, "Nmap": True, "NumRet": True}
    assert {name: is_better_higher(name) for name in better} == better
    assert (level_of("deep:P_10_rel=2", 1), level_of("P_10", 3)) == (2, 3)


# --- names in publications ---

PARAMETERS = {"number": ("0.5",), "optional cutoff": ("", "20")}
PARAMETERS["persistence"] = ("p=0.8", "p=0.95_cut_10", "p=0.5_max=2", "p=0.5_max=2_cut_10")
MEASURES = [
    Measure(family, parameter, level)
    for family in FAMILIES
    for parameter in (*family.defaults, *PARAMETERS.get(family.parameter, ()))
    for level in ((None, 2) if Measure(family, parameter).has_level else (None,))
]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_what_is_printed_can_be_typed(measure: Measure) -> None:
    assert [named.name for named in resolve([publication_name(measure.name)])] == [measure.name]
    if measure.parameter:
        assert canonical_parameters(measure.family, measure.parameter) == [measure.parameter]


def test_names_are_those_of_the_papers() -> None:
    """Webber's published factors have P@10, RR and so on as columns; gains and discounts differ in DCG's names."""
    printed = {PUBLISHED[column]: column for column in ("AP", "SP", "P@10", "RR")}
    printed |= {"ndcg_cut_10": "nDCG@10", "gm_map": "GMAP", "gm_map_rel=2": "GMAP(rel=2)", "Zmap": "Z-AP"}
    # In the output of meta depth, the p of rbp depends on the depth.
    printed |= {"deep:NP_10": "deep:N-P@10", "rbp": "RBP", "rbp_rel=2": "RBP(rel=2)", "Nrbp": "N-RBP"}
    printed |= {"rbp_p=0.8": "RBP(p=0.8)", "RBP(resid=0.5)@1": "RBP(p=0.5)@1"}
    printed |= {name: name for name in ("latency", "", "a:b", "Zoo", "official", "ndcg_1=3", "P.5,10")}
    assert {name: publication_name(name) for name in printed} == printed
