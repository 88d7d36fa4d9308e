"""The manual's list of papers: each equation, table and figure has command lines, which give what is said there."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import gmean, kendalltau, norm, ttest_rel

from stdeval.cli.pictures import Picture
from tests.conftest import ROOT, run_command
from tests.docs.transcripts import arguments, pages, shell

SECTION = pages()["stdeval-papers.7"].partition(".Sh DESCRIPTION\n")[2].partition("\n.Sh ")[0]


class Item(NamedTuple):
    """An item of a paper, as the manual lists it, with the command lines as a reader copies them."""

    name: str
    text: str
    commands: list[str]


def items() -> list[Item]:
    """Return the items of all papers, in the order of the manual."""
    found = []
    for part in SECTION.split("\n.Ss ")[1:]:
        paper, _, listed = part.partition("\n")
        author, year = re.findall(r"^\w+|\d{4}", paper)
        for entry in listed.split("\n.It ")[1:]:
            name, _, text = entry.partition("\n")
            lines = re.findall(r"^\.Dl (.+)$", text, flags=re.MULTILINE)
            found.append(Item(f"{author} {year} {name}", text, [line.replace(r"\-", "-") for line in lines]))
    return found


ITEMS = items()

# The last number of the equations, tables and figures of each paper.
PAPERS = {
    "Webber 2008": {"Equation": 4, "Table": 6, "Figure": 7},
    "Ravana 2009": {"Equation": 2, "Table": 3, "Figure": 11},
    "Webber 2010": {"Equation": 8, "Table": 3, "Figure": 4},
    "Urbano 2019": {"Equation": 7, "Figure": 3},
}


def numbered(name: str) -> set[tuple[str, int]]:
    """Return the kinds and numbers in the name of an item, such as "Figures 1 and 3" or "Equations 1 to 3"."""
    found = set()
    for kind, first, joint, last in re.findall(r"(Equation|Table|Figure)s? (\d+)(?: (to|and) (\d+))?", name):
        ends = range(int(first), int(last) + 1) if joint == "to" else {int(first), int(last or first)}
        found |= {(kind, number) for number in ends}
    return found


def test_every_equation_table_and_figure_is_listed_with_a_command_line_or_why_not():
    for paper, last_of in PAPERS.items():
        listed = set().union(*(numbered(item.name) for item in ITEMS if item.name.startswith(paper)))
        assert listed == {(kind, number) for kind, last in last_of.items() for number in range(1, last + 1)}
    for item in ITEMS:
        assert bool(item.commands) != item.text.startswith("No command: "), item


def columns(text: str) -> dict[str, list[str]]:
    """Return the cells below each header of a table or a CSV, above which an experiment has a title."""
    lines = (text.partition("\n\n")[2] or text).splitlines()
    return {name: cells for name, *cells in zip(*(re.split(r",|\s+", line) for line in lines), strict=False)}


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Iterator[Callable[[str], Any]]:
    """Run the command lines of an item in a copy of sample_data: the columns printed, or what a picture shows."""
    drawn: list[Any] = []

    def spy(*arguments: Any, draw: Callable[..., None] = Picture.draw, **named: Any) -> None:
        drawn.append((*arguments[2:], named))
        draw(*arguments, **named)

    @cache
    def result(command: str) -> Any:
        piped = b""
        for part in command.split(" | "):
            typed = arguments(part)
            done = run_command(*typed, stdin=piped)
            assert done.status == 0, done.stderr
            piped = done.raw
        written = [Path(typed[i + 1]).read_bytes() for i, word in enumerate(typed) if word == "-o"]
        assert all(written or [piped])
        Path("figure.png").unlink(missing_ok=True)
        return columns(done.stdout) if piped else drawn and drawn.pop()

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(shutil.copytree(ROOT / "sample_data", tmp_path_factory.mktemp("papers") / "sample_data"))
        patch.setattr(Picture, "draw", spy)
        patch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        patch.setenv("PYTHONPATH", str(ROOT))
        for line in re.findall(r"^\$ (.+)$", SECTION.replace(r"\-", "-"), flags=re.MULTILINE):
            assert shell(line).returncode == 0
        yield lambda name: [*map(result, next(item.commands for item in ITEMS if item.name.startswith(name)))]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_every_command_line_runs_and_prints_the_columns_that_are_named(given, item: Item):
    printed = [{*each}.union(*each.values()) for each in given(item.name) if isinstance(each, dict)]
    assert {*re.findall(r"^\.Li (\S+)", item.text, flags=re.MULTILINE)} <= set().union(*printed)


def scores(path: str, measure: str = "map") -> np.ndarray:
    """Return the scores of a file by a measure, systems x topics."""
    rows = columns(Path(path).read_text(encoding="utf-8"))
    return np.array(rows[measure], dtype=float).reshape(len({*rows["run"]}), -1)


def same(a: Any, b: Any) -> bool:
    return np.ravel(a).astype(float).tolist() == pytest.approx(np.ravel(b).tolist(), abs=6e-5)


def test_schemes(given):
    ap = scores("all.csv")
    z = (ap - ap.mean(axis=0)) / ap.std(axis=0, ddof=1)
    n, u, e = norm.cdf(z), np.clip(0.15 * z + 0.5, 0, 1), np.mean(ap[:, None] >= ap, axis=1)
    for item, name, by in ((" 1", "Zmap", z), ("s 2", "Nmap", n), ("s 3", "Umap", u), (" 7", "Emap", e)):
        assert same(given(f"Urbano 2019 Equation{item}")[0][name], by.mean(axis=1))
    topics = given("Webber 2008 Figure 3")[1]
    for row, by in ((54, ap), (-1, n)):
        found = [topics[name][row] for name in ("p25", "median", "p75", "low")]
        assert same(found, [*np.quantile(by, (0.25, 0.5, 0.75)), np.mean(by <= 0.2)])
    low = [topics["low"][topics["topic"].index("all")] for topics in given("Ravana 2009 Table 2")]
    assert same(low, [np.mean(by <= 0.1) for by in (ap, n)])
    ((tables, shown),) = given("Webber 2008 Figure 1")
    assert ([*tables], shown["sort"], same(tables["raw"].values, ap)) == (["raw"], "none", True)
    for side, schemes in (("top", ["n", "u", "e"]), ("bottom", ["raw", "n", "u", "e"])):
        assert [*given(f"Urbano 2019 Figure 1, {side}")[0][1]] == schemes


def test_collections(given):
    a, b = (scores(path).mean(axis=1) for path in ("early.csv", "late.csv"))
    (row,) = given("Webber 2008 Equations 3 and 4")
    rmse, sds = np.sqrt(np.mean((a - b) ** 2)), (a.std(ddof=1), b.std(ddof=1))
    assert same([row[x][0] for x in ("rmse", "drmse", "drmse_gm")], [rmse, rmse / np.mean(sds), rmse / gmean(sds)])
    ((rows, shown),) = given("Webber 2008 Figure 6")
    assert shown["value"] == "false_positive_rate_high"
    assert same(rows[shown["value"]], np.array(rows["false_positives_high"], dtype=float) / 40)
    ((rows, _),) = given("Ravana 2009 Figures 9 and 10")
    pairs = list(zip(rows["aggregate"], rows["aggregate_b"], strict=True))
    each = columns(shell("stdeval meta split -a am -a egm --trials 50 -m map --scores early.csv").stdout)
    assert same(rows["difference"][pairs.index(("egm", "am"))], float(each["tau"][1]) - float(each["tau"][0]))


def test_depths(given):
    at = {"shallow": 10, "extended": 100, "deep": 100}
    ndcg = {f"{name}:njkdcg_cut_{k}": scores(f"{name}.csv", f"njkdcg_cut_{k}") for name, k in at.items()}
    means = {name: each.mean(axis=1) for name, each in ndcg.items()}
    pvalues = {name: [-ttest_rel(a, b).pvalue for a, b in combinations(each, 2)] for name, each in ndcg.items()}
    for table, n_pairs, by in (("2", 45, means), ("3", 36, pvalues)):
        (rows,) = given(f"Webber 2010 Table {table}")
        assert len(rows["tau_b"]) == n_pairs  # of measures at either depth, as the paper has them
        for a, b, tau in zip(rows["measure_a"], rows["measure_b"], rows["tau_b"], strict=True):
            assert {a, b} - {*by} or same(tau, kendalltau(by[a], by[b]).statistic)
    ((drawn, names, _),) = given("Webber 2010 Figure 2")
    assert names == (*means,)
    assert same(drawn, [*means.values()])
