"""The table of measures: one row each, in the order of output, with its explanation and source.

First trec_eval's, in its order, then the papers' that it lacks.
"""

from __future__ import annotations

from typing import NamedTuple

TREC_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_TENTHS = tuple(f"{tenth / 10:.2f}" for tenth in range(11))
_FIFTHS = tuple(f"{fifth / 5:.2f}" for fifth in range(1, 11))

BUCKLEY_VOORHEES = "Buckley & Voorhees 2005, TREC, ch. 3"
TREC_EVAL = "trec_eval"
BURGES = "Burges et al. 2005, ICML"
JARVELIN = "Jarvelin & Kekalainen 2002, TOIS 20(4)"
MOFFAT = "Moffat & Zobel 2008, TOIS 27(1)"
WEBBER = "Webber, Moffat & Zobel 2010, EVIA"


class Family(NamedTuple):
    """A measure, or the measures that differ in a parameter only: a row of the table.

    Parameters
    ----------
    name : str
        trec_eval's name, or the papers' where trec_eval has none.
    parameter : str
        What follows the name: ``""`` nothing, ``"cutoff"`` ranks, ``"share"`` numbers with two decimals,
        ``"number"`` one number, ``"numbers"`` several, ``"gains"`` level=gain pairs, ``"length"`` one rank,
        ``"persistence"`` p=P, cut or not.
    defaults : tuple of str
        Parameters when none is given.
    also : tuple of str
        Its names in the style of ir_measures and of the papers.
    kind : str
        ``"score"``; ``"count"``, summed over topics; ``"summary"``, of all topics only; ``"text"``.
    by : str
        What computes it: ``"trec_eval"``; else a function of the relevance vector, of `stdeval.measures.papers`,
        by its name there, or ``"relstring"``.
    nonrelevant : bool
        Whether a document judged not relevant counts other than one without judgment.
    """

    name: str
    parameter: str
    defaults: tuple[str, ...]
    also: tuple[str, ...]
    range: str
    definition: str
    source: str
    kind: str = "score"
    by: str = "trec_eval"
    nonrelevant: bool = False

    @property
    def form(self) -> str:
        """The name with its parameter, as in ``P_K``; in brackets what may be left out."""
        return self.name + FORMS[self.parameter]

    @property
    def spellings(self) -> tuple[str, ...]:
        """Its other names with their parameter, as in ``P@K``."""
        spelled = (name + IR_FORMS.get(self.parameter, "") for name in self.also)
        return tuple(name for name in spelled if name != self.name)


FORMS = {
    "": "",
    "cutoff": "_K",
    "share": "_X",
    "number": "[_B]",
    "numbers": "[_A,B,...]",
    "gains": "[_LEVEL=GAIN,...]",
    "length": "[_K]",
    "persistence": "_p=P[_cut_K]",
}
"""What follows the name of a family, by its kind of parameter."""

IR_FORMS = {"cutoff": "@K", "share": "@X", "number": "(beta=B)", "persistence": "(p=P)[@K]"}
"""The same for its names in the style of ir_measures."""


def _trec(
    name: str,
    definition: str,
    also: str = "",
    range: str = "0..1",
    source: str = TREC_EVAL,
    kind: str = "score",
    nonrelevant: bool = False,
) -> Family:
    return Family(name, "", ("",), tuple(also.split()), range, definition, source, kind, nonrelevant=nonrelevant)


def _cut(
    name: str, definition: str, also: str = "", source: str = TREC_EVAL, cutoffs: tuple[str, ...] = TREC_CUTOFFS
) -> Family:
    return Family(name, "cutoff", cutoffs, tuple(also.split()), "0..1", definition, source)


def _papers(name: str, by: str, definition: str, also: str, range: str, source: str) -> Family:
    """A measure that trec_eval lacks; ``_cut`` at the end of its name, or no other, says that it is cut."""
    cut = name.endswith("_cut") or name == "unj"
    return Family(
        name,
        "cutoff" if cut else "",
        TREC_CUTOFFS if cut else ("",),
        tuple(also.split()),
        range,
        definition,
        source,
        by=by,
    )


def _rank_biased(name: str, definition: str, also: str, source: str) -> Family:
    return Family(name, "persistence", ("p=0.8",), tuple(also.split()), "0..1", definition, source, by=name)


def _gains(name: str, definition: str, also: str = "", source: str = TREC_EVAL) -> Family:
    return Family(name, "gains", ("",), tuple(also.split()), "0..1", definition, source)


_TREC_EVAL: tuple[Family, ...] = (
    _trec("runid", "tag of the run", range="text", kind="text"),
    _trec("num_q", "number of topics", "NumQ", "count", kind="summary"),
    _trec("num_ret", "number of documents retrieved", "NumRet", "count", kind="count"),
    _trec("num_rel", "number of relevant documents", "NumRel", "count", kind="count"),
    _trec("num_rel_ret", "number of relevant documents retrieved", "NumRelRet", "count", kind="count"),
    _trec("map", "average precision", "AP MAP", source=BUCKLEY_VOORHEES),
    _trec(
        "gm_map", "geometric mean of average precision, at least 1e-5 each", kind="summary", source="Robertson 2006"
    ),
    _trec("Rprec", "precision at the number of relevant documents", "Rprec RPrec RP", source=BUCKLEY_VOORHEES),
    _trec(
        "bpref",
        "binary preference, of judged documents only",
        "Bpref BPref",
        source="Buckley & Voorhees 2004",
        nonrelevant=True,
    ),
    _trec("recip_rank", "1 / rank of the first relevant document", "RR MRR"),
    Family(
        "iprec_at_recall", "share", _TENTHS, ("IPrec",), "0..1", "interpolated precision at a recall", TREC_EVAL
    ),
    _cut("P", "precision of the first K", "P Precision", BUCKLEY_VOORHEES),
    Family(
        "relstring", "length", ("",), (), "text", "judgments of the first documents", TREC_EVAL, "text", "relstring"
    ),
    _cut("recall", "recall of the first K", "R Recall"),
    _trec(
        "infAP",
        "inferred average precision, of a sampled pool",
        "infAP",
        source="Yilmaz & Aslam 2006",
        nonrelevant=True,
    ),
    _trec("gm_bpref", "geometric mean of bpref, at least 1e-5 each", kind="summary", nonrelevant=True),
    Family(
        "Rprec_mult", "share", _FIFTHS, (), "0..1", "precision at a multiple of the relevant documents", TREC_EVAL
    ),
    Family("utility", "numbers", ("",), (), "unbounded", "weighted sum of the contingency table", TREC_EVAL),
    Family("11pt_avg", "numbers", ("",), (), "0..1", "mean interpolated precision at 11 recalls", TREC_EVAL),
    _trec("binG", "binary G: normalized sum of 1 / log2(1 + rank number)", source="trec_eval, experimental"),
    _gains("G", "normalized sum of gain / log2(rank number), by gain", source="trec_eval, experimental"),
    _gains("ndcg", "DCG / its ideal, discount log2(rank + 1)", "nDCG NDCG nVDCG", JARVELIN),
    _gains("ndcg_rel", "nDCG averaged over the relevant documents", source="trec_eval, experimental"),
    _gains("Rndcg", "nDCG at the number of relevant documents", source="trec_eval, experimental"),
    _cut("ndcg_cut", "nDCG of the first K", "nDCG NDCG nVDCG", JARVELIN),
    _cut("map_cut", "average precision of the first K", "AP MAP"),
    _cut("relative_P", "precision of the first K, relative to the best possible"),
    _cut("success", "1 if a relevant document is in the first K", "Success", cutoffs=("1", "5", "10")),
    _trec("set_P", "precision of the whole set", "SetP"),
    _trec("set_relative_P", "precision of the set, relative to the best possible", "SetRelP"),
    _trec("set_recall", "recall of the whole set", "SetR"),
    _trec("set_map", "precision x recall of the set", "SetAP"),
    Family(
        "set_F", "number", ("",), ("SetF",), "0..1", "weighted harmonic mean of set_P and set_recall", TREC_EVAL
    ),
    _trec(
        "num_nonrel_judged_ret",
        "number of documents retrieved that are judged not relevant",
        "",
        "count",
        kind="count",
        nonrelevant=True,
    ),
)

_PAPERS: tuple[Family, ...] = (
    _papers("sp", "sp", "sum of precisions at relevant documents: map x num_rel", "SP", "0..R", WEBBER),
    _papers("sp_cut", "sp", "sum of precisions in the first K", "SP", "0..R", WEBBER),
    _papers("amap_cut", "amap", "sum of precisions in the first K / min(K, R)", "aAP", "0..1", WEBBER),
    _papers("jkdcg", "jkdcg", "sum of gain / max(1, log2(rank))", "DCG(dis=jk)", "0..", JARVELIN),
    _papers("jkdcg_cut", "jkdcg", "jkdcg of the first K", "DCG(dis=jk)", "0..", JARVELIN),
    _papers("njkdcg", "njkdcg", "jkdcg / its ideal", "nDCG(dis=jk) NDCG(dis=jk)", "0..1", JARVELIN),
    _papers(
        "njkdcg_cut",
        "njkdcg",
        "jkdcg / its ideal, both of the first K",
        "nDCG(dis=jk) NDCG(dis=jk)",
        "0..1",
        JARVELIN,
    ),
    _papers("enjkdcg_cut", "enjkdcg", "jkdcg of the first K / its ideal, not cut", "enDCG", "0..1", WEBBER),
    _papers("dcg", "dcg", "sum of gain / log2(rank + 1)", "DCG VDCG", "0..", BURGES),
    _papers("dcg_cut", "dcg", "dcg of the first K", "DCG VDCG", "0..", BURGES),
    _rank_biased("rbp", "(1 - p) x sum of p^(rank - 1) of relevant documents", "RBP", MOFFAT),
    _rank_biased("rbp_resid", "weight that rbp gives to unjudged ranks and beyond the run", "", MOFFAT),
    _rank_biased("nrbp", "rbp / its ideal", "nRBP", WEBBER),
    _papers("unj", "unj", "share of unjudged documents in the first K", "Unj", "0..1", "trec_eval 10"),
)

FAMILIES = (*_TREC_EVAL, *_PAPERS)
FAMILY = {family.name: family for family in FAMILIES}
ORDER = {family.name: place for place, family in enumerate(FAMILIES)}

_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SET = "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F"

PUBLISHED = {
    "AP": "map",
    "SP": "sp",
    "DCG": "jkdcg",
    "nDCG": "njkdcg",
    "VDCG": "dcg",
    "nVDCG": "ndcg",
    "P@10": "P_10",
    "RR": "recip_rank",
    "RBP.8": "rbp_p=0.8",
    "RBP.95": "rbp_p=0.95",
    "RP": "Rprec",
}
"""Columns of the published factor files (Webber, University of Melbourne, 2008), and our names."""

NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": tuple(_OFFICIAL.split()),
    "set": tuple(_SET.split()),
    "all_trec": tuple(family.name for family in _TREC_EVAL),
    "webber": tuple(PUBLISHED.values()),
}

DEFAULT_FACTORS = ("webber",)
"""What `factors` computes when no measure is named."""
