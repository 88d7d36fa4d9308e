"""The table of measures: one row per measure, in the order of output, with its explanation and source.

trec_eval's measures come first, in its order, then the measures of the papers that trec_eval does not have, then
measures of other programs. To add a measure, add a row here and a function with the name of its provider in papers.
"""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple

from stdeval.errors import InputError

TREC_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_TENTHS = tuple(f"{tenth / 10:.2f}" for tenth in range(11))
_FIFTHS = tuple(f"{fifth / 5:.2f}" for fifth in range(1, 11))

TREC_EVAL = "trec_eval"
BUCKLEY_VOORHEES = "Buckley & Voorhees 2005, TREC, ch. 3"
BURGES = "Burges et al. 2005, ICML"
CHAPELLE = "Chapelle et al. 2009, CIKM; gdeval"
JARVELIN = "Jarvelin & Kekalainen 2002, TOIS 20(4)"
MOFFAT = "Moffat & Zobel 2008, TOIS 27(1)"
WEBBER = "Webber, Moffat & Zobel 2010, EVIA"


class Family(NamedTuple):
    """A measure, or measures that differ only in a parameter: a row of the table."""

    name: str
    definition: str
    source: str = TREC_EVAL
    parameter: str = ""
    defaults: tuple[str, ...] = ("",)
    aliases: tuple[str, ...] = ()
    range: str = "0..1"
    kind: str = "score"
    provider: str = "trec_eval"
    needs_nonrelevant: bool = False
    better_higher: bool = True
    has_level: bool = True
    needs_relevant: bool = False
    discount: str = ""
    """The weight of a rank, if it depends on the rank alone: log2, jk or rbp, see `stdeval.measures.papers`."""

    @property
    def has_grades(self) -> bool:
        """True if the score depends on the highest grade that a judgment can have."""
        return self.provider == "err"

    @property
    def has_gains(self) -> bool:
        """True if gains are the judgments, so that the relevance level matters only for binary gains."""
        return self.parameter == "gains" or self.discount in ("log2", "jk")

    @property
    def form(self) -> str:
        """The name with its parameter, as in ``P_K``; optional parts in brackets."""
        return self.name + FORMS[self.parameter]

    @property
    def spellings(self) -> tuple[str, ...]:
        """Its other names with their parameter, as in ``P@K``."""
        spelled = (alias + IR_FORMS.get(self.parameter, "") for alias in self.aliases)
        return tuple(name for name in spelled if name != self.name)


FORMS = {
    "": "",
    "cutoff": "_K",
    "optional cutoff": "[_K]",
    "graded": "[_K][_max=G]",
    "recall": "_X",
    "multiple": "_X",
    "number": "[_B]",
    "recalls": "[_A,B,...]",
    "weights": "[_A,B,C,D]",
    "gains": "[_LEVEL=GAIN,...]",
    "length": "[_K]",
    "persistence": "_p=P[_cut_K]",
}
"""Placeholder of the parameter after the name of a family, by kind of parameter."""

IR_FORMS = {
    "cutoff": "@K",
    "optional cutoff": "[@K]",
    "graded": "[(max=G)][@K]",
    "recall": "@X",
    "number": "(beta=B)",
    "persistence": "(p=P)[@K]",
}
"""Placeholder of the parameter after the name in the style of ir_measures, by kind of parameter."""


# Constructors of rows that have several fields in common.
_count = partial(Family, kind="count", range="count")
_with_cutoffs = partial(Family, parameter="cutoff", defaults=TREC_CUTOFFS)
_with_gains = partial(Family, parameter="gains")
_rank_biased = partial(Family, parameter="persistence", defaults=("p=0.8",))

_TREC_EVAL = (
    Family("runid", "tag of the run", range="text", kind="text", has_level=False),
    Family("num_q", "number of topics", aliases=("NumQ",), range="count", kind="summary", has_level=False),
    _count("num_ret", "number of documents retrieved", aliases=("NumRet",), has_level=False),
    _count("num_rel", "number of relevant documents", aliases=("NumRel",)),
    _count("num_rel_ret", "number of relevant documents retrieved", aliases=("NumRelRet",)),
    Family("map", "average precision", source=BUCKLEY_VOORHEES, aliases=("AP", "MAP")),
    Family(
        "gm_map",
        "geometric mean of average precision, at least 1e-5 each",
        source="Voorhees 2005",
        aliases=("GMAP",),
        kind="summary",
    ),
    Family(
        "Rprec",
        "precision at the number of relevant documents",
        source=BUCKLEY_VOORHEES,
        aliases=("Rprec", "RPrec", "RP"),
    ),
    Family(
        "bpref",
        "binary preference, of judged documents only",
        source="Buckley & Voorhees 2004",
        aliases=("bpref", "Bpref", "BPref"),
        needs_nonrelevant=True,
    ),
    Family("recip_rank", "1 / rank of the first relevant document", aliases=("RR", "MRR")),
    Family(
        "iprec_at_recall",
        "interpolated precision at a recall",
        parameter="recall",
        defaults=_TENTHS,
        aliases=("IPrec",),
    ),
    _with_cutoffs("P", "precision of the first K", source=BUCKLEY_VOORHEES, aliases=("P", "Precision")),
    Family(
        "relstring",
        "judgments of the first documents",
        parameter="length",
        range="text",
        kind="text",
        provider="relstring",
        needs_nonrelevant=True,
    ),
    _with_cutoffs("recall", "recall of the first K", aliases=("R", "Recall")),
    Family(
        "infAP",
        "inferred average precision, of a sampled pool",
        source="Yilmaz & Aslam 2006",
        aliases=("infAP",),
        needs_nonrelevant=True,
    ),
    Family("gm_bpref", "geometric mean of bpref, at least 1e-5 each", kind="summary", needs_nonrelevant=True),
    Family(
        "Rprec_mult", "precision at a multiple of the relevant documents", parameter="multiple", defaults=_FIFTHS
    ),
    Family("utility", "weighted sum of the contingency table", parameter="weights", range="unbounded"),
    Family("11pt_avg", "mean interpolated precision at 11 recalls", parameter="recalls"),
    Family(
        "binG",
        "mean over relevant documents of 1 / log2(2 + number of others before it)",
        source="trec_eval, experimental",
    ),
    _with_gains(
        "G",
        "sum of gain / log2(2 + ideal gain - gain of the run to this rank) / sum of gains",
        source="trec_eval, experimental",
    ),
    _with_gains(
        "ndcg",
        "DCG / its ideal, discount log2(rank + 1)",
        source=JARVELIN,
        aliases=("nDCG", "NDCG", "nVDCG"),
        discount="log2",
    ),
    _with_gains("ndcg_rel", "nDCG averaged over the relevant documents", source="trec_eval, experimental"),
    _with_gains(
        "Rndcg",
        "mean of nDCG at the ranks where the ideal gain falls, and at the end; 0 if none is relevant by -l",
        source="trec_eval, experimental",
        needs_relevant=True,
    ),
    _with_cutoffs(
        "ndcg_cut", "nDCG of the first K", source=JARVELIN, aliases=("nDCG", "NDCG", "nVDCG"), discount="log2"
    ),
    _with_cutoffs("map_cut", "average precision of the first K", aliases=("AP", "MAP")),
    _with_cutoffs("relative_P", "precision of the first K, relative to the best possible"),
    _with_cutoffs(
        "success", "1 if a relevant document is in the first K", defaults=("1", "5", "10"), aliases=("Success",)
    ),
    Family("set_P", "precision of the whole set", aliases=("SetP",)),
    Family("set_relative_P", "precision of the set, relative to the best possible", aliases=("SetRelP",)),
    Family("set_recall", "recall of the whole set", aliases=("SetR",)),
    Family("set_map", "precision x recall of the set", aliases=("SetAP",)),
    Family(
        "set_F",
        "(B + 1) P R / (B P + R) of set_P and set_recall, so that F2 is set_F_4",
        parameter="number",
        aliases=("SetF",),
    ),
    _count(
        "num_nonrel_judged_ret",
        "number of documents retrieved that are judged not relevant",
        needs_nonrelevant=True,
        better_higher=False,
    ),
)

_PAPERS = (
    Family(
        "sp",
        "sum of precisions at relevant documents: map x num_rel",
        source=WEBBER,
        aliases=("SP",),
        range="0..R",
        provider="sp",
    ),
    _with_cutoffs(
        "sp_cut", "sum of precisions in the first K", source=WEBBER, aliases=("SP",), range="0..R", provider="sp"
    ),
    _with_cutoffs(
        "amap_cut", "sum of precisions in the first K / min(K, R)", source=WEBBER, aliases=("aAP",), provider="amap"
    ),
    Family(
        "jkdcg",
        "sum of gain / max(1, log2(rank))",
        source=JARVELIN,
        aliases=("DCG(dis=jk)",),
        range="0..",
        provider="jkdcg",
        discount="jk",
    ),
    _with_cutoffs(
        "jkdcg_cut",
        "jkdcg of the first K",
        source=JARVELIN,
        aliases=("DCG(dis=jk)",),
        range="0..",
        provider="jkdcg",
        discount="jk",
    ),
    Family(
        "njkdcg",
        "jkdcg / its ideal",
        source=JARVELIN,
        aliases=("nDCG(dis=jk)", "NDCG(dis=jk)"),
        provider="njkdcg",
        discount="jk",
    ),
    _with_cutoffs(
        "njkdcg_cut",
        "jkdcg / its ideal, both of the first K",
        source=JARVELIN,
        aliases=("nDCG(dis=jk)", "NDCG(dis=jk)"),
        provider="njkdcg",
        discount="jk",
    ),
    _with_cutoffs(
        "enjkdcg_cut",
        "jkdcg of the first K / its ideal, not cut",
        source=WEBBER,
        aliases=("enDCG",),
        provider="enjkdcg",
        discount="jk",
    ),
    Family(
        "dcg",
        "sum of gain / log2(rank + 1)",
        source=BURGES,
        aliases=("DCG", "VDCG"),
        range="0..",
        provider="dcg",
        discount="log2",
    ),
    _with_cutoffs(
        "dcg_cut",
        "dcg of the first K",
        source=BURGES,
        aliases=("DCG", "VDCG"),
        range="0..",
        provider="dcg",
        discount="log2",
    ),
    _rank_biased(
        "rbp",
        "(1 - p) x sum of p^(rank - 1) of relevant documents",
        source=MOFFAT,
        aliases=("RBP",),
        provider="rbp",
        discount="rbp",
    ),
    _rank_biased(
        "rbp_resid",
        "weight that rbp gives to unjudged ranks, and beyond the run or the cutoff",
        source=MOFFAT,
        provider="rbp_resid",
        needs_nonrelevant=True,
        better_higher=False,
    ),
    _rank_biased("nrbp", "rbp / its ideal", source=WEBBER, aliases=("nRBP",), provider="nrbp", discount="rbp"),
    _with_cutoffs(
        "unj",
        "share of unjudged documents in the first K",
        source="trec_eval 10",
        aliases=("Unj",),
        provider="unj",
        needs_nonrelevant=True,
        better_higher=False,
        has_level=False,
    ),
)

_PROGRAMS = (
    Family(
        "judged",
        "share of judged documents in the first K, or in the whole run",
        source="ir_measures",
        parameter="optional cutoff",
        aliases=("Judged",),
        provider="judged",
        needs_nonrelevant=True,
        has_level=False,
    ),
    _with_cutoffs(
        "recip_rank_cut",
        "recip_rank of the first K: 0 if none of them is relevant",
        source="MS MARCO",
        aliases=("RR", "MRR"),
        provider="recip_rank_cut",
    ),
    Family(
        "err",
        "expected 1 / rank of the document at which the reader stops; G is the highest grade, 4 unless given",
        source=CHAPELLE,
        parameter="graded",
        aliases=("ERR",),
        provider="err",
        has_level=False,
    ),
    Family(
        "ndcg_exp",
        "DCG with gain 2^judgment - 1 / its ideal, discount log2(rank + 1)",
        source=BURGES,
        aliases=("nDCG(dcg=exp-log2)", "NDCG(dcg=exp-log2)"),
        provider="ndcg_exp",
        discount="log2",
    ),
    _with_cutoffs(
        "ndcg_exp_cut",
        "ndcg_exp of the first K",
        source=f"{BURGES}; gdeval",
        aliases=("nDCG(dcg=exp-log2)", "NDCG(dcg=exp-log2)"),
        provider="ndcg_exp",
        discount="log2",
    ),
)

FAMILIES: tuple[Family, ...] = (*_TREC_EVAL, *_PAPERS, *_PROGRAMS)
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
"""Columns of the published factor files (Webber, University of Melbourne, 2008), with the names used here."""

NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": tuple(_OFFICIAL.split()),
    "set": tuple(_SET.split()),
    "all_trec": tuple(family.name for family in _TREC_EVAL),
    "webber": tuple(PUBLISHED.values()),
}

DEFAULT_GRADE = 4
"""The highest grade of judgments, for err, unless its name gives another; gdeval has it too."""

DEFAULT_FACTORS = ("webber",)
"""The measures that `stdeval factors` computes if none is named."""

# Names come from the headers of files, too, so no expression may take more than linear time: where one part of a
# pattern can follow another, they never match the same character, and lists are split before they are matched.
# A number of more than 30 digits cannot be meant, and C prints some differently.
NUMBER = r"-?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})"

# Patterns are compiled when they are first used: most command lines need none, and compiling takes time.
_PERSISTENCE = rf"p=(?P<p>{NUMBER}(?:e-?[0-9]+)?)(?:_cut_(?P<cut>[0-9]+))?"

_GRADED = r"(?P<cut>[0-9]{1,12})?(?:(?:(?<=[0-9])_|^)max=(?P<max>[0-9]{1,9}))?"

_LARGEST_CUTOFF = 10**9

_WITH_CUTOFF = ("cutoff", "optional cutoff", "length")
"""Kinds of parameters that are numbers of documents."""

_WITH_DECIMALS = ("recall", "multiple")
"""Kinds of parameters that are numbers with two decimals."""

EXPECTED_PARAMETERS = {
    "": "no parameter",
    "cutoff": "whole numbers from 1",
    "optional cutoff": "whole numbers from 1",
    "graded": "a cutoff and the highest grade, whole numbers from 1, as in err_20_max=3",
    "length": "a whole number from 1",
    "recall": "numbers from 0 to 1 with at most two decimals",
    "multiple": "numbers above 0 with at most two decimals",
    "number": "a number above 0",
    "recalls": "numbers from 0 to 1 with commas",
    "weights": "four numbers with commas",
    "gains": "level=gain pairs with commas, each level once",
    "persistence": "p=P with P in [0, 1), as in rbp_p=0.8, and for the first K documents _cut_K with K from 1",
}


class Measure(NamedTuple):
    """A measure with its parameter and level."""

    family: Family
    parameter: str = ""
    level: int | None = None

    @property
    def name(self) -> str:
        """The name in every output: trec_eval's, with ``_rel=LEVEL`` if the measure has a level of its own."""
        name = f"{self.family.name}_{self.parameter}" if self.parameter else self.family.name
        return name if self.level is None else f"{name}_rel={self.level}"

    @property
    def has_named_gains(self) -> bool:
        """Whether its name gives the gains, as in ``ndcg_1=3,2=7``; otherwise they are the judgments."""
        return self.family.parameter == "gains" and self.parameter != ""

    @property
    def range(self) -> str:
        """The range of its values, as of its family, unless a named gain is below 0."""
        return "unbounded" if self.has_named_gains and "=-" in self.parameter else self.family.range

    @property
    def better_higher(self) -> bool:
        """Whether a higher score is better."""
        if self.family.name != "utility" or not self.parameter:
            return self.family.better_higher
        relevant, other, missed, rest = map(float, self.parameter.split(","))
        return relevant - missed >= other - rest

    @property
    def cutoff(self) -> int | None:
        """The number of documents after which the measure cuts the run; None if it does not."""
        if self.family.parameter in _WITH_CUTOFF:
            return int(self.parameter) if self.parameter else None
        match = re.fullmatch(_GRADED if self.family.has_grades else _PERSISTENCE, self.parameter)
        return int(match["cut"]) if match and match["cut"] else None

    @property
    def max_grade(self) -> int:
        """The highest grade that a judgment can have, for err."""
        given = self.parameter.partition("max=")[2] if self.family.has_grades else ""
        return int(given or DEFAULT_GRADE)

    @property
    def persistence(self) -> float | None:
        """The p of rank-biased precision; None for other measures."""
        match = re.fullmatch(_PERSISTENCE, self.parameter)
        return float(match["p"]) if match else None

    def depends_on_level(self, binary: bool) -> bool:
        """Return True if the relevance level of the evaluation (``-l``) can change the score."""
        family = self.family
        is_graded = family.has_gains and not binary and not family.needs_relevant
        return self.level is None and family.has_level and not is_graded

    @property
    def sort_key(self) -> tuple[int, int, float, int, str]:
        """A key that sorts measures in the order of trec_eval's output; parameters are sorted as numbers."""
        decimal = float(self.parameter) if self.family.parameter in _WITH_DECIMALS else self.persistence or 0.0
        return (ORDER[self.family.name], self.level or 0, decimal, self.cutoff or 0, self.parameter)


def persistence(resid: float, depth: int) -> float:
    """Return the p for which rank-biased precision has a given residual beyond a depth: resid^(1 / depth)."""
    if not 0 < resid < 1:
        raise InputError(f"residual {resid:g}, expected a number above 0 and below 1")
    if depth < 1:
        raise InputError(f"depth {depth}, expected at least 1")
    return float(resid ** (1 / depth))


def canonical_parameters(family: Family, text: str) -> list[str] | None:
    """Return the parameters listed in a text, as they stand in output names; None if one of them is not valid."""
    if family.parameter in (*_WITH_CUTOFF, *_WITH_DECIMALS):
        # trec_eval's relstring takes one length, the others several parameters.
        items = text.split(",") if family.parameter != "length" else [text]
        canonical = [canonical_number(family.parameter, item) for item in items]
        return None if None in canonical else [item for item in canonical if item is not None]
    if family.parameter == "graded":
        graded = [_canonical_graded(item) for item in text.split(",")]
        return None if None in graded else [item for item in graded if item is not None]
    if family.parameter == "persistence":
        p_and_cut = _canonical_persistence(text)
        return None if p_and_cut is None else [p_and_cut]
    return [text] if _is_valid_verbatim(family.parameter, text) else None


def canonical_number(kind: str, item: str) -> str | None:
    """Return a cutoff, length, recall or multiple as trec_eval prints it; None if it is not valid."""
    if kind in _WITH_DECIMALS:
        is_number = bool(re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{0,2})?|\.[0-9]{1,2}", item))
        # Precision at a recall above 1, or of no document, is always 0.
        is_valid = is_number and (float(item) <= 1 if kind == "recall" else float(item) > 0)
        return f"{float(item):.2f}" if is_valid else None
    if not re.fullmatch(r"[0-9]{1,12}", item) or not 1 <= int(item) <= _LARGEST_CUTOFF:
        return None
    return str(int(item))


def _canonical_persistence(text: str) -> str | None:
    match = re.fullmatch(_PERSISTENCE, text)
    if match is None or not 0 <= float(match["p"]) < 1:
        return None
    # repr() is the shortest text that reads back as the same number; abs() because -0 is 0.
    p = repr(abs(float(match["p"]))).removesuffix(".0")
    if match["cut"] is None:
        return f"p={p}"
    cut = canonical_number("cutoff", match["cut"])
    return cut and f"p={p}_cut_{cut}"


def _canonical_graded(item: str) -> str | None:
    match = re.fullmatch(_GRADED, item)
    if match is None or not item or (match["max"] and int(match["max"]) < 1):
        return None
    cut = canonical_number("cutoff", match["cut"]) if match["cut"] else ""
    grade = int(match["max"] or DEFAULT_GRADE)
    return None if cut is None else "_".join(filter(None, [cut, f"max={grade}" if grade != DEFAULT_GRADE else ""]))


def _is_valid_verbatim(kind: str, text: str) -> bool:
    """Return True for a parameter that pytrec_eval accepts, and repeats in its output, exactly as it is written."""
    if kind == "gains":
        pairs = text.split(",")
        levels = {pair.partition("=")[0].lstrip("0") for pair in pairs}
        return len(levels) == len(pairs) and all(re.fullmatch(rf"[0-9]{{1,9}}={NUMBER}", pair) for pair in pairs)
    numbers = text.split(",")
    if not all(re.fullmatch(NUMBER, number) for number in numbers):
        return False
    if kind == "recalls":
        return all(0 <= float(number) <= 1 for number in numbers)
    if kind == "weights":
        return len(numbers) == 4
    return kind == "number" and len(numbers) == 1 and float(text) > 0
