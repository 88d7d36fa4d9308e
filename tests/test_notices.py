"""The warnings: one line each from facts, one line each in the manual, and none from elsewhere."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable

import pytest

from stdeval import notices
from stdeval.provenance import Difference
from tests.conftest import ROOT

PACKAGE = ROOT / "stdeval"
FUNCTIONS: dict[str, Callable[..., str | None]] = {
    name: each
    for name, each in inspect.getmembers(notices, inspect.isfunction)
    if each.__module__ == notices.__name__ and not name.startswith("_")
}
RUN, OTHER = "covidex.r5.2s.lr", "bm25-lucene-k1.2-b75"

# facts that are a reason to warn, then facts that are none
FACTS: dict[str, tuple[list[tuple[object, ...]], list[tuple[object, ...]]]] = {
    "missing_topics": (
        [
            ({RUN: 3}, 50, {RUN: 0}),
            ({RUN: 3}, 50, {RUN: 12}, "Options(complete=True)"),
            ({RUN: 3, OTHER: 0, "c": 12}, 50, {RUN: 0, OTHER: 0, "c": 14}),
        ],
        [({RUN: 0}, 50, {RUN: 12}), ({}, 50, {})],
    ),
    "unjudged_runs": (
        [([RUN], 1, "qrels.txt"), ([RUN, OTHER], 126, "qrels.covid-round5.txt")],
        [([], 126, "qrels.txt")],
    ),
    "no_relevant": ([("qrels.txt", [1], 0), ("qrels.txt", [3, 4], 2)], [("qrels.txt", [], 2)]),
    "topics_without_relevant": ([(["301", "302"], 50, 2), (["301"], 1, 2)], [([], 50, 2)]),
    "rising_scores": ([([RUN], 1), ([RUN, OTHER], 126)], [([], 126)]),
    "unjudged_documents": (
        [({RUN: 0.5}, 0.9), ({RUN: 0.5, OTHER: 0.4, "c": 0.9}, 0.9)],
        [({RUN: 0.8, OTHER: 0.9}, 0.9), ({}, 0.9)],
    ),
    "shared_tags": ([(["bm25"], 2), (["bm25", "rrf"], 12)], [([], 0)]),
    "incomplete_runs": ([([RUN], 1), ([RUN, OTHER], 126, "left out of the experiment")], [([], 126)]),
    "common_topics": ([(0, 50), (49, 50), (49, 50, "means are over these")], [(50, 50)]),
    "other_origin": (
        [
            ([Difference("judgments", 3, 50), Difference("options", 3, 50, "-l 2", "the default options")], RUN),
            ([Difference("judgments", 0, 0, "8ee34cef of 50 topics", "9ee34cef of 49 topics")], RUN),
            ([Difference("factors")], RUN),
        ],
        [([], RUN)],
    ),
    "topics_without_factors": ([(["301"], 50), (["301", "302"], 50)], [([], 50)]),
    "measures_without_factors": ([(["map"],), (["map", "P_10", "ndcg_cut_10", "bpref"],)], [([],)]),
    "few_references": ([(1, "N"), (9, "ZE"), (39, "EM")], [(10, "ZN"), (40, "EM"), (0, "N")]),
    "equal_references": (
        [(["301"], 50, ["Z"]), (["301", "302"], 50, ["Z", "N", "U", "E", "M"])],
        [([], 50, ["Z"])],
    ),
    "extreme_scores": ([(0.34, "Nndcg_cut_10")], [(0.2, "Nmap"), (0.0, "Nmap")]),
    "few_others": ([([RUN], 1), ([RUN, OTHER], 12)], [([], 12)]),
    "missing_scores": ([(3, 6300), (3, 6300, (RUN, "301"))], [(0, 6300)]),
    "unscored": ([(["map"],), (["301", "302", "303", "304"], "topic")], [([],)]),
    "summary_rows": (
        [("scores.csv", ["all"]), ("scores.csv", ["all", "all.gm", "amean", "all.sd"])],
        [("scores.csv", [])],
    ),
    "numbered_topics": ([("robust2004_ap.csv", 249)], []),
    "base_2": ([(["DCG"],), (["DCG", "nDCG"],)], [([],)]),
    "not_written": (
        [("zscores", ["the number of reference runs", "the judgments and options"])],
        [("zscores", [])],
    ),
    "undefined_means": ([(1, 1), (3, 12)], [(0, 12)]),
    "unreachable": ([(0.0625, 0.05), (0.00999, 0.0001, "more --resamples, or more topics")], [(0.05, 0.05)]),
    "left_out_topics": ([(3, 50, "Z is undefined if all reference scores are equal")], [(0, 50, "")]),
    "undefined_coefficients": ([(12, 1000, "all systems have the same mean")], [(0, 1000, "")]),
    "negative_variances": ([(["topics"],), (["topics (map N)", "systems (P_10 raw)"],)], [([],)]),
    "other_systems": ([(3, 40, "all collections"), (1, 1, "late.csv")], [(0, 40, "late.csv")]),
    "unpooled_topics": ([(["301"], 50), (["301", "302"], 50, "left out")], [([], 50)]),
    "shallow_runs": ([([RUN], 1, 100), ([RUN, OTHER], 126, 100)], [([], 126, 100)]),
}


def test_every_function_has_facts_and_there_are_few():
    assert FACTS.keys() == FUNCTIONS.keys()
    assert len(FUNCTIONS) <= 32


@pytest.mark.parametrize("name", FACTS)
def test_a_notice_is_one_short_line_and_none_without_a_reason(name: str):
    reasons, none = FACTS[name]
    for line in [FUNCTIONS[name](*facts) for facts in reasons]:
        assert line
        assert line.isprintable()
        assert len(line) <= 160
    assert {FUNCTIONS[name](*facts) for facts in none} <= {None}


def test_the_manual_has_one_entry_for_each():
    text = (ROOT / "man" / "sections" / "stdeval.mdoc").read_text(encoding="utf-8")
    section = text.partition("\n.Sh WARNINGS\n")[2].partition("\n.Sh ")[0]
    assert sorted(re.findall(r"^\.It Li (\S+)$", section, flags=re.MULTILINE)) == sorted(FUNCTIONS)


def is_of_a_notice(argument: ast.expr) -> bool:
    """Return whether an argument is a call of a function of `stdeval.notices`, or several: *(... for x in y)."""
    called = re.match(r"[*(\[]*notices\.(\w+)\(", ast.unparse(argument))
    return bool(called and called[1] in FUNCTIONS)


def test_nothing_else_warns():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path != PACKAGE / "errors.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and re.search(r"^warnings\.warn|\bwarn$", ast.unparse(node.func))
        and not (node.args and all(map(is_of_a_notice, node.args)))
    ]
    assert not found, "\n".join(found)
