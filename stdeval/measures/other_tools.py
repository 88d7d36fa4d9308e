"""Names of measures in trec_eval, ir_measures and ranx that have no equivalent here, with an explanation of each.

References
----------
ir_measures 0.4.3, https://ir-measur.es/en/latest/measures.html

ranx 0.3.21, https://amenra.github.io/ranx/metrics/
"""

from __future__ import annotations

import re

_SUBTOPICS = "it needs judgments of subtopics, which are not read here"
_EXPECTED_UTILITY = "it is a measure of the C/W/L framework that is not computed here"

_TREC_EVAL = {
    r"\w+_avgjg(_\w+)?": "it needs the judgments of several judges, which are not read here",
    r"prefs_\w+": "it needs judgments of preferences, which are not read here",
    "yaap": "it is not computed here",
}
"""Forms of names of trec_eval, the more special ones first."""

_IR_MEASURES = {
    "Accuracy": "it counts pairs of a relevant and any other document; bpref counts pairs of judged documents",
    "Compat": "it is the overlap with an ideal ranking, which is not computed here",
    "ERR_IA": _SUBTOPICS,
    "nERR_IA": _SUBTOPICS,
    "alpha_DCG": _SUBTOPICS,
    "α_DCG": _SUBTOPICS,
    "alpha_nDCG": _SUBTOPICS,
    "α_nDCG": _SUBTOPICS,
    "NRBP": _SUBTOPICS,
    "nNRBP": _SUBTOPICS,
    "AP_IA": _SUBTOPICS,
    "MAP_IA": _SUBTOPICS,
    "P_IA": _SUBTOPICS,
    "StRecall": _SUBTOPICS,
    "BPM": _EXPECTED_UTILITY,
    "SDCG": _EXPECTED_UTILITY,
    "NERR8": _EXPECTED_UTILITY,
    "NERR9": _EXPECTED_UTILITY,
    "NERR10": _EXPECTED_UTILITY,
    "NERR11": _EXPECTED_UTILITY,
    "INST": _EXPECTED_UTILITY,
    "INSQ": _EXPECTED_UTILITY,
}

_IR_PARAMETERS = {
    "judged_only": "the option -J drops unjudged documents, for all measures",
    "gains": "measures without a cutoff take gains, as in ndcg_1=3,2=7",
}

# compiled only if a name is refused
_RANX_NAME = (
    r"(?P<stem>[A-Za-z0-9_]+|r-precision)(?:(?:@|(?<=rbp)\.)(?P<k>[0-9]{1,9}))?(?:-l(?P<level>[1-9][0-9]{0,8}))?"
)

_RANX = {
    "hits": ("NumRelRet", ""),
    "hit_rate": ("", "Success@{k}"),
    **dict.fromkeys(("HR", "Hit", "HitRate"), ("", "Success@{k}")),
    "precision": ("SetP", "P@{k}"),
    "recall": ("SetR", "R@{k}"),
    "f1": ("SetF", ""),
    "r-precision": ("Rprec", ""),
    "mrr": ("MRR", "RR@{k}"),
    "map": ("AP", "AP@{k}"),
    "dcg": ("dcg", "DCG@{k}"),
    "ndcg": ("ndcg", "ndcg_cut.{k}"),
    "ndcg_burges": ("ndcg_exp", "ndcg_exp_cut.{k}"),
}
"""The names of ranx, each with the name here without and with its number; empty if there is none. Libraries for
recommendation have other names for its hit rate."""

_RANX_GRADED = ("rbp", "dcg", "ndcg", "ndcg_burges")
"""Names of ranx whose level removes the gains below it, and leaves the others as they are."""

_RANX_ONLY = {
    "hits": "it is the number of relevant documents in the first {k}, {k} times P@{k}",
    "hit_rate": "without a cutoff it is 1 if a relevant document is retrieved; success takes a cutoff",
    "f1": "SetF is the F measure here, and has no cutoff",
    "dcg_burges": "of exponential gains only the normalized form, ndcg_exp, is computed here",
    "rbp": "it weighs by the judgment; if all judgments are 0 or 1, it is RBP(p=0.{k})",
}
"""Facts about names of ranx that are not in ``_RANX``, or not in this form; ``{k}`` is their number."""


def fact_about(text: str) -> str | None:
    """Return the explanation for a name of another tool that has no equivalent here, or None.

    Examples
    --------
    >>> fact_about("alpha_nDCG(alpha=0.5)@20")
    'it needs judgments of subtopics, which are not read here'
    >>> fact_about("hits@10")
    'it is the number of relevant documents in the first 10, 10 times P@10'
    >>> fact_about("P@10")
    """
    name = re.split("[(@]", text, maxsplit=1)[0]
    match = re.fullmatch(_RANX_NAME, text)
    of_trec_eval = next((fact for form, fact in _TREC_EVAL.items() if re.fullmatch(form, text)), None)
    if of_trec_eval is not None:
        return of_trec_eval
    if name in _IR_MEASURES:
        return _IR_MEASURES[name]
    if match is None:
        return None
    if match["level"] and match["stem"] in _RANX_GRADED:
        return "no measure here drops the gains below a level; --binary -l LEVEL makes them 1 from a level on"
    fact = _RANX_ONLY.get(match["stem"], "")
    return None if same_elsewhere(text) or not fact else fact.format(k=match["k"] or "K")


def fact_about_parameter(name: str) -> str | None:
    """Return the explanation for a parameter of ir_measures that no measure has here, or None."""
    return _IR_PARAMETERS.get(name)


def same_elsewhere(text: str) -> str | None:
    """Return the name here of the measure that ranx, or a library for recommendation, has under a name.

    Examples
    --------
    >>> same_elsewhere("mrr@10"), same_elsewhere("precision@5-l2"), same_elsewhere("HR@10"), same_elsewhere("f1@10")
    ('RR@10', 'P(rel=2)@5', 'Success@10', None)
    """
    match = re.fullmatch(_RANX_NAME, text)
    if match is None or (match["level"] and match["stem"] in _RANX_GRADED):
        return None
    bare, with_number = _RANX.get(match["stem"], ("", ""))
    name = with_number.format(k=match["k"]) if match["k"] else bare
    if not name or not match["level"]:
        return name or None
    stem, at, k = name.partition("@")
    return f"{stem}(rel={match['level']}){at}{k}"
