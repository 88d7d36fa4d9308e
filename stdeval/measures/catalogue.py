"""The table of trec_eval's measures, in the order of its output, how pytrec_eval computes them, and all parameters.

The measures that trec_eval does not have are in `stdeval.measures.papers`, each row beside its function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, cast

from pytrec_eval_ext import RelevanceEvaluator

if TYPE_CHECKING:
    from stdeval.trec.reading import Documents, Judgments, Qrels

BUCKLEY_VOORHEES = "Buckley & Voorhees 2005, TREC, ch. 3"
JARVELIN = "Jarvelin & Kekalainen 2002, TOIS 20(4)"
EXPERIMENTAL = "trec_eval, experimental"

PARAMETERS = {
    "": ("", "", "no parameter"),
    "cutoff": ("_K", "@K", "whole numbers from 1"),
    "optional cutoff": ("[_K]", "[@K]", "whole numbers from 1"),
    "length": ("[_K]", "", "a whole number from 1"),
    "graded": ("[_K][_max=G]", "[(max=G)][@K]", "a cutoff and the highest grade, as in err_20_max=3"),
    "recall": ("_X", "@X", "numbers from 0 to 1 with at most two decimals"),
    "multiple": ("_X", "", "numbers above 0 with at most two decimals"),
    "number": ("[_B]", "(beta=B)", "a number above 0"),
    "recalls": ("[_A,B,...]", "", "numbers from 0 to 1 with commas"),
    "weights": ("[_A,B,C,D]", "", "four numbers with commas"),
    "gains": ("[_LEVEL=GAIN,...]", "", "level=gain pairs with commas, each level once"),
    "persistence": (
        "_p=P[_max=G][_cut_K]",
        "(p=P[,max=G])[@K]",
        "p=P with P in [0, 1), as in rbp_p=0.8, then _max=G for graded gains, and _cut_K for the first K documents",
    ),
}
"""Kinds of parameters: how they stand in a name here, and in one of ir_measures, and in words."""

_DEFAULTS = {
    "cutoff": ("5", "10", "15", "20", "30", "100", "200", "500", "1000"),
    "recall": tuple(f"{tenth / 10:.2f}" for tenth in range(11)),
    "multiple": tuple(f"{fifth / 5:.2f}" for fifth in range(1, 11)),
    "persistence": ("p=0.8",),
}
"""Parameters of a measure that is named without any, by kind of parameter."""


_PLACES = count()  # of rows in the output, which is in the order in which they are made


class Family:
    """A measure, or measures that differ only in a parameter: a row of the table.

    The `discount` is the weight of a rank if it depends on the rank alone, see `stdeval.measures.papers`. The
    `function` scores a topic; it is None for trec_eval's measures.
    """

    source = "trec_eval"
    parameter = ""
    defaults: tuple[str, ...] = ()
    range = "0..1"
    kind = "score"
    discount = ""
    function: Callable[..., float] | None = None
    better_higher = True
    has_level = True
    needs_relevant = False
    needs_nonrelevant = False

    def __init__(self, name: str, definition: str, aliases: str = "", **fields: object) -> None:
        self.name, self.definition, self.aliases = name, definition, tuple(aliases.split())
        self.__dict__.update(fields)
        self.place = next(_PLACES)
        self.defaults = self.defaults or _DEFAULTS.get(self.parameter, ("",))
        form, of_alias, _ = PARAMETERS[self.parameter]
        # The name with its parameter, as in P_K, and the other names, as in P@K; optional parts are in brackets.
        self.form = name + form
        self.spellings = tuple(alias + of_alias for alias in self.aliases if alias + of_alias != name)
        # If gains are the judgments, the relevance level matters only for binary gains.
        self.has_gains = self.parameter == "gains" or self.discount in ("log2", "jk")
        self.is_tabled = self.kind in ("score", "count")  # a single topic has a number
        # Others are computed by pytrec_eval, not from a relevance vector.
        self.needs_vector = self.function is not None or name == "relstring"


# Constructors of rows that have several fields in common.
_with_cutoffs = partial(Family, parameter="cutoff")
_count = partial(Family, kind="count", range="count")
_summary = partial(Family, kind="summary")
_text = partial(Family, kind="text", range="text")
_with_nonrelevant = partial(Family, needs_nonrelevant=True)
_with_gains = partial(Family, parameter="gains")

_NDCG = {"source": JARVELIN, "aliases": "nDCG NDCG nVDCG", "discount": "log2"}

TREC_EVAL = (
    _text("runid", "tag of the run", has_level=False),
    _summary("num_q", "number of topics", "NumQ", range="count", has_level=False),
    _count("num_ret", "number of documents retrieved", "NumRet", has_level=False),
    _count("num_rel", "number of relevant documents", "NumRel"),
    _count("num_rel_ret", "number of relevant documents retrieved", "NumRelRet"),
    Family("map", "average precision", "AP MAP", source=BUCKLEY_VOORHEES),
    _summary("gm_map", "geometric mean of average precision, at least 1e-5 each", "GMAP", source="Voorhees 2005"),
    Family("Rprec", "precision at the number of relevant documents", "Rprec RPrec RP", source=BUCKLEY_VOORHEES),
    _with_nonrelevant(
        "bpref",
        "binary preference, of judged documents only",
        "bpref Bpref BPref",
        source="Buckley & Voorhees 2004",
    ),
    Family("recip_rank", "1 / rank of the first relevant document", "RR MRR"),
    Family("iprec_at_recall", "interpolated precision at a recall", "IPrec", parameter="recall"),
    _with_cutoffs("P", "precision of the first K", "P Precision", source=BUCKLEY_VOORHEES),
    _text("relstring", "judgments of the first documents", parameter="length", needs_nonrelevant=True),
    _with_cutoffs("recall", "recall of the first K", "R Recall"),
    _with_nonrelevant(
        "infAP", "inferred average precision, of a sampled pool", "infAP", source="Yilmaz & Aslam 2006"
    ),
    _summary("gm_bpref", "geometric mean of bpref, at least 1e-5 each", needs_nonrelevant=True),
    Family("Rprec_mult", "precision at a multiple of the relevant documents", parameter="multiple"),
    Family("utility", "weighted sum of the contingency table", parameter="weights", range="unbounded"),
    Family("11pt_avg", "mean interpolated precision at 11 recalls", parameter="recalls"),
    Family("binG", "mean over relevant documents of 1 / log2(2 + number of others before it)", source=EXPERIMENTAL),
    _with_gains(
        "G", "sum of gain / log2(2 + ideal gain - gain of the run to this rank) / sum of gains", source=EXPERIMENTAL
    ),
    _with_gains("ndcg", "DCG / its ideal, discount log2(rank + 1)", **_NDCG),
    _with_gains("ndcg_rel", "nDCG averaged over the relevant documents", source=EXPERIMENTAL),
    _with_gains(
        "Rndcg",
        "mean of nDCG at the ranks where the ideal gain falls, and at the end; 0 if none is relevant by -l",
        source=EXPERIMENTAL,
        needs_relevant=True,
    ),
    _with_cutoffs("ndcg_cut", "nDCG of the first K", **_NDCG),
    _with_cutoffs("map_cut", "average precision of the first K", "AP MAP"),
    _with_cutoffs("relative_P", "precision of the first K, relative to the best possible"),
    _with_cutoffs("success", "1 if a relevant document is in the first K", "Success", defaults=("1", "5", "10")),
    Family("set_P", "precision of the whole set", "SetP"),
    Family("set_relative_P", "precision of the set, relative to the best possible", "SetRelP"),
    Family("set_recall", "recall of the whole set", "SetR"),
    Family("set_map", "precision x recall of the set", "SetAP"),
    Family(
        "set_F",
        "(B + 1) P R / (B P + R) of set_P and set_recall, so that F2 is set_F_4",
        "SetF",
        parameter="number",
    ),
    _count(
        "num_nonrel_judged_ret",
        "number of documents retrieved that are judged not relevant",
        needs_nonrelevant=True,
        better_higher=False,
    ),
)

_COLUMNS = ("AP", "SP", "DCG", "nDCG", "VDCG", "nVDCG", "P@10", "RR", "RBP.8", "RBP.95", "RP")
_WEBBER = ("map", "sp", "jkdcg", "njkdcg", "dcg", "ndcg", "P_10", "recip_rank", "rbp_p=0.8", "rbp_p=0.95", "Rprec")
PUBLISHED = dict(zip(_COLUMNS, _WEBBER, strict=True))
"""Columns of the published factor files (Webber, University of Melbourne, 2008), with the names used here."""

_COUNTS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")

NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    "set": (*_COUNTS, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": tuple(family.name for family in TREC_EVAL),
    "webber": _WEBBER,
}

DEFAULT_FACTORS = ("webber",)
"""The measures that `stdeval factors` computes if none is named."""

DEFAULT_GRADE = 4
"""The highest grade of judgments, for err, unless its name gives another; gdeval has it too."""
NOT_POOLED, UNJUDGED = -1, -2
"""In a relevance vector: a document without a judgment, and one judged negative, pooled but not judged."""


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

    def place(self) -> tuple[int, int, float, int, str]:
        """Return the place of the measure in trec_eval's output; parameters are sorted as numbers."""
        is_decimal = self.family.parameter in ("recall", "multiple")
        decimal = float(self.parameter) if is_decimal else self.persistence or 0.0
        return (self.family.place, self.level or 0, decimal, self.cutoff or 0, self.parameter)

    @property
    def has_named_gains(self) -> bool:
        """True if its name gives the gains, as in ``ndcg_1=3,2=7``; otherwise they are the judgments."""
        return self.family.parameter == "gains" and self.parameter != ""

    @property
    def range(self) -> str:
        """The range of its values: the range of its family, unless a named gain is below 0."""
        return "unbounded" if self.has_named_gains and "=-" in self.parameter else self.family.range

    @property
    def better_higher(self) -> bool:
        """True if a higher score is better."""
        if self.family.name != "utility" or not self.parameter:
            return self.family.better_higher
        relevant, other, missed, rest = map(float, self.parameter.split(","))
        return relevant - missed >= other - rest

    @property
    def cutoff(self) -> int | None:
        """The number of documents after which the measure cuts the run; None if it does not."""
        kind, (first, _, last) = self.family.parameter, self.parameter.partition("_cut_")
        cut = last if kind == "persistence" else first.partition("_")[0]
        has_cutoff = kind in ("cutoff", "optional cutoff", "length", "graded", "persistence")
        return int(cut) if has_cutoff and cut.isdigit() else None

    @property
    def max_grade(self) -> int | None:
        """The highest grade that a judgment can have; None for measures whose gains have no limit."""
        given = self.parameter.partition("max=")[2].partition("_")[0]
        return int(given) if given else DEFAULT_GRADE if self.family.parameter == "graded" else None

    @property
    def has_level(self) -> bool:
        """True if a relevance level can change the score; graded gains need none."""
        return self.family.has_level and self.max_grade is None

    @property
    def persistence(self) -> float | None:
        """The p of rank-biased precision; None for other measures."""
        is_rank_biased = self.family.parameter == "persistence"
        return float(self.parameter.removeprefix("p=").partition("_")[0]) if is_rank_biased else None

    def depends_on_level(self, binary: bool) -> bool:
        """Return True if the relevance level of the evaluation (``-l``) can change the score."""
        family = self.family
        is_graded = family.has_gains and not binary and not family.needs_relevant
        return self.level is None and self.has_level and not is_graded


# Names come from the headers of files, too, so no expression may take more than linear time: where one part of a
# pattern can follow another, they never match the same character, and lists are split before they are matched.
# A number of more than 30 digits cannot be meant, and C prints some differently.
NUMBER = r"-?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})"
_GRADED = r"(?P<cut>[0-9]{1,12})?(?:(?:(?<=[0-9])_|^)max=(?P<max>[0-9]{1,9}))?"
_PERSISTENCE = rf"p=({NUMBER}(?:e-?[0-9]+)?)(?:_max=0*([1-9][0-9]{{0,8}}))?(?:_cut_0*([1-9][0-9]{{0,9}}))?"


def canonical_parameters(family: Family, text: str) -> list[str] | None:
    """Return the parameters listed in a text, as they stand in output names; None if one of them is not valid."""
    # as in P.5,10, which names two measures
    takes_lists = family.parameter in ("cutoff", "optional cutoff", "graded", "recall", "multiple", "persistence")
    items = text.split(",") if takes_lists else [text]
    canonical = [each for item in items if (each := canonical_parameter(family.parameter, item)) is not None]
    return canonical if len(canonical) == len(items) else None


def canonical_parameter(kind: str, text: str) -> str | None:
    """Return one parameter of a kind, as it stands in output names; None if it is not valid."""
    if kind in ("cutoff", "optional cutoff", "length"):
        is_whole = re.fullmatch("[0-9]{1,12}", text) and 1 <= int(text) <= 10**9
        return str(int(text)) if is_whole else None
    if kind in ("recall", "multiple"):
        # Precision at a recall above 1, or of no document, is always 0.
        is_number = re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{0,2})?|\.[0-9]{1,2}", text) is not None
        is_valid = is_number and (float(text) <= 1 if kind == "recall" else float(text) > 0)
        return f"{float(text):.2f}" if is_valid else None
    if kind == "persistence":
        return _canonical_persistence(text)
    if kind == "graded":
        return _canonical_graded(text)
    return text if _is_valid_verbatim(kind, text.split(",")) else None


def _canonical_persistence(text: str) -> str | None:
    match = re.fullmatch(_PERSISTENCE, text)
    if match is None or not 0 <= float(match[1]) < 1:
        return None
    # repr() is the shortest text that reads back as the same number; abs() because -0 is 0.
    p, grade, cutoff = repr(abs(float(match[1]))).removesuffix(".0"), match[2], match[3]
    return f"p={p}" + (f"_max={grade}" if grade else "") + (f"_cut_{cutoff}" if cutoff else "")


def _canonical_graded(text: str) -> str | None:
    match = re.fullmatch(_GRADED, text)
    cutoff = canonical_parameter("cutoff", match["cut"]) if match and match["cut"] else ""
    if not text or match is None or cutoff is None or (grade := int(match["max"] or DEFAULT_GRADE)) < 1:
        return None
    return "_".join(filter(None, [cutoff, f"max={grade}" if grade != DEFAULT_GRADE else ""]))


def _is_valid_verbatim(kind: str, items: list[str]) -> bool:
    """Return True for a parameter that pytrec_eval accepts, and repeats in its output, exactly as it is written."""
    if kind == "gains":
        levels = {item.partition("=")[0].lstrip("0") for item in items}
        return len(levels) == len(items) and all(re.fullmatch(rf"[0-9]{{1,9}}={NUMBER}", item) for item in items)
    if not all(re.fullmatch(NUMBER, item) for item in items):
        return False
    if kind == "recalls":
        return all(0 <= float(item) <= 1 for item in items)
    return len(items) == 4 if kind == "weights" else kind == "number" and len(items) == 1 and float(items[0]) > 0


# --- trec_eval's measures, computed by pytrec_eval ---

_NO_DOCUMENT = " "  # that no run has: fields of files end at blanks, and `stdeval.python_inputs` refuses it

TrecScorer = Callable[["dict[str, Documents]"], dict[str, dict[str, float]]]
"""A function of keys of topics and their documents that returns scores by key and pytrec_eval's name."""


class Request:
    """The measures that one pytrec_eval evaluator computes, at one relevance level, and their places in a row."""

    def __init__(self, level: int) -> None:
        self.level = level
        self.parameters: dict[str, set[str]] = {}
        self.places: list[tuple[int, str]] = []
        self.needs_nonrelevant = False

    def add(self, place: int, measure: Measure) -> None:
        """Add a measure, whose score belongs at `place` in the row."""
        family, parameter = measure.family, measure.parameter
        self.parameters.setdefault(family.name, set()).update([parameter] if parameter else [])
        is_in_name = family.parameter in ("cutoff", "recall", "multiple")
        self.places.append((place, f"{family.name}_{parameter}" if is_in_name else family.name))
        # Explicit gains may give judgment 0 a gain; then documents judged not relevant count too.
        self.needs_nonrelevant |= family.needs_nonrelevant or measure.has_named_gains

    def scorer(self, qrels: Qrels, *, binary: bool, judged_only: bool) -> TrecScorer:
        """Return a function that scores topics by these measures."""
        judged = {key: self._judgments(judgments, binary, judged_only) for key, judgments in qrels.items()}
        level = 1 if binary else self.level
        # pytrec_eval has an array with a place for each judgment of the topic up to the highest, and crashes if
        # the level is far above it. All levels above the highest judgment give the same scores.
        levels = {key: min(level, max(judgments.values()) + 1) for key, judgments in judged.items()}
        # as in P.5,10
        items = self.parameters.items()
        arguments = {f"{name}.{','.join(sorted(given))}" if given else name for name, given in items}

        def evaluator(keys: Iterable[str], level: int) -> RelevanceEvaluator:
            return RelevanceEvaluator({key: judged[key] for key in keys}, arguments, level, judged_only)

        if any("=" in argument for argument in arguments):
            # pytrec_eval overwrites the text of the gains while parsing it, and aborts when it parses the text
            # again for the next call: an evaluator with gains can be used only once.
            return lambda topics: {
                key: evaluator([key], levels[key]).evaluate({key: documents})[key]
                for key, documents in topics.items()
            }
        keys_of: dict[int, list[str]] = {}
        for key, each in levels.items():
            keys_of.setdefault(each, []).append(key)
        evaluators = {each: evaluator(keys, each) for each, keys in keys_of.items()}
        if len(evaluators) == 1:
            return cast(TrecScorer, next(iter(evaluators.values())).evaluate)
        return lambda topics: {key: evaluators[levels[key]].evaluate({key: topics[key]})[key] for key in topics}

    def _judgments(self, judgments: Judgments, binary: bool, judged_only: bool) -> Judgments:
        """Return the judgments of a topic that the measures need: at least one, the highest from 0."""
        if binary:
            # A judgment becomes 1 or 0, relevant or not; a negative one, which means unjudged, stays.
            judgments = {docno: int(rel >= self.level) if rel >= 0 else rel for docno, rel in judgments.items()}
        # Most judged documents are not relevant, and few measures need them. pytrec_eval sorts all judgments that
        # it gets, and looks up every document in them, so it scores a run much faster without these.
        if not (self.needs_nonrelevant or judged_only):
            judgments = {docno: rel for docno, rel in judgments.items() if rel > 0}
        # pytrec_eval overruns its memory if no judgment of a topic is 0 or more. A document that is not relevant,
        # and that no run can hold, changes no measure.
        return judgments if any(rel >= 0 for rel in judgments.values()) else {**judgments, _NO_DOCUMENT: 0}


def requests(measures: Sequence[Measure], level: int) -> list[Request]:
    """Distribute trec_eval's measures over as few evaluators as possible."""
    found: list[Request] = []
    for place, measure in enumerate(measures):
        family, own_level = measure.family, measure.level or level
        # runid is not a score: writers print the tag.
        if family.name == "runid" or family.needs_vector:
            continue
        of_level = [each for each in found if each.level == own_level]
        if family.parameter in ("number", "recalls", "weights", "gains"):
            # a pytrec_eval evaluator accepts only one value of these
            of_level = [each for each in of_level if family.name not in each.parameters]
        if not of_level:
            of_level = [Request(own_level)]
            found += of_level
        of_level[0].add(place, measure)
    return found
