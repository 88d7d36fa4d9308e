"""Every command in every format: the same rows, the same cells, chosen by the same options."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from stdeval.formats.writers import FORMATS

QRELS = [f"{topic} 0 d{i} {int(i % 3 == topic % 3)}" for topic in range(1, 7) for i in range(9)]
RUNS = {"a_1": 1, "b&b": 5, "c|c": 7, "d": 8}
"""Names with characters that Markdown and LaTeX give a meaning, and what orders the documents of the run."""


@pytest.fixture
def folder(write, scores_file, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Qrels, four runs, and scores of six systems by two measures on two collections."""
    monkeypatch.chdir(tmp_path)
    write("qrels", QRELS)
    ranked = [(topic, i) for topic in range(1, 7) for i in range(9)]
    for number, (tag, step) in enumerate(RUNS.items(), 1):
        lines = [f"{t} Q0 d{i} 0 {-((i * step + t * number * number) % 9)} {tag}" for t, i in ranked]
        write(f"{number}.run", lines)
    scores_file("scores.csv", measures=("map", "P_10"))
    scores_file("other.csv", measures=("map", "P_10"), seed=2)
    return tmp_path


COMMANDS = [
    "eval qrels 1.run 2.run 3.run 4.run",
    "eval -q -n -m P.5 -m map qrels 1.run 2.run",
    "eval -a am -a sd --ci 0.9 -m map --scores scores.csv",
    "standardize -q --scheme z --scores scores.csv",
    "factors --scores scores.csv",
    "factors --empirical --scores scores.csv",
    "topics --split 2 --scores scores.csv",
    "compare --scores scores.csv",
    "compare --baseline s2 -m map --scores scores.csv",
    "check --min map=0.3 --max-drop P_10=0.01 --baseline s1 --scores scores.csv",
    "measures webber unj",
    "weights -m jkdcg --ranges 1-10,11-20",
    "pool -d 2 --report qrels 1.run 2.run",
    "meta rank --scores scores.csv",
    "meta reliability --scores scores.csv",
    "meta plan --sd 0.1 --difference 1e-9 --difference 0.1",
    "meta split --trials 9 --scores scores.csv",
    "meta within --trials 9 --alpha 0.1 --scores scores.csv",
    "meta between --trials 9 --topics 4 --alpha 0.1 --scores scores.csv",
    "meta collections scores.csv other.csv",
    "meta references --references 3 --trials 9 --scores scores.csv",
    "meta depth -m P --pool-depth 5 --eval-depth 5 qrels 1.run 2.run 3.run 4.run",
]


def formats_of(command: str) -> list[str]:
    return [name for name in FORMATS if name != "text" or not command.startswith("factors")]


def printed(run, command: str, output_format: str) -> str:
    done = run(*shlex.split(command), "-f", output_format)
    assert done.status == int(command.startswith("check")), done.stderr
    return done.stdout


def markdown_rows(text: str) -> list[list[str]]:
    """Return the cells of all tables, headers first, without escapes and marks."""
    tables = re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE)
    rows = []
    for table in tables:
        header, rule, *body = [re.split(r"(?<!\\) \| ", line[2:-2]) for line in table.splitlines()]
        assert all(re.fullmatch("---:?", cell) for cell in rule)
        assert {len(row) for row in (header, rule, *body)} == {len(header)}
        rows += [header, *body]
    return [[re.sub(r"\\(.)", r"\1", re.sub(r"^\*\*(.*)\*\*", r"\1", c).rstrip("†‡")) for c in row] for row in rows]


def latex_rows(text: str) -> list[list[str]]:
    """Return the cells of all tabulars, headers first, without commands; refuse what is not balanced."""
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == text.count(r"\toprule") > 0
    rows = []
    for preamble, body in re.findall(r"\\begin{tabular}{([lr]+)}\n(.*?)\\end{tabular}", text, flags=re.DOTALL):
        lines = [line for line in body.splitlines() if not re.fullmatch(r"\\(top|mid|bottom)rule", line)]
        for line in lines:
            assert line.endswith(r" \\")
            bare = re.sub(r"\$\^{(\\d?dagger)+}\$", "", line[:-3])
            bare = re.sub(r"\\textbf{([^{}]*)}", r"\1", bare)
            for character, command in {"<": "less", ">": "greater", "^": "asciicircum", "|": "bar"}.items():
                bare = bare.replace(f"\\text{command}{{}}", character)
            assert not re.search(r"(?<!\\)[%$#_{}~]", bare)
            cells = bare.split(" & ")
            assert len(cells) == len(preamble)
            rows.append([re.sub(r"\\(.)", r"\1", cell) for cell in cells])
    return rows


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("folder")
def test_every_format_has_the_same_cells(run, command: str):
    texts = {name: printed(run, command, name) for name in formats_of(command)}
    rows = list(csv.reader(io.StringIO(texts["csv"])))
    objects = [json.loads(line, parse_constant=pytest.fail) for line in texts["jsonl"].splitlines()]
    assert all(list(each) == rows[0] for each in objects)
    # A cell that CSV writes as a number is one in JSON, unless it is the name of a run, a topic or a range.
    names = {"run", "topic", "name", "a", "b", "topics", "judgments", "ranks", "group"}
    strings = [
        cell for each in objects for name, cell in each.items() if isinstance(cell, str) and name not in names
    ]
    assert [cell for cell in strings if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?", cell)] == []
    told = [["" if cell is None else str(cell) for cell in each.values()] for each in objects]
    assert [[cell.lower() if cell in ("True", "False") else cell for cell in row] for row in told] == rows[1:]
    markdown, latex = markdown_rows(texts["markdown"]), latex_rows(texts["latex"])
    assert [["-" if cell == "--" else cell for cell in row] for row in latex] == markdown
    if not command.startswith("compare"):
        # The cells of a table may hold blanks, and columns may be joined by many.
        lines = {re.sub(" ", "", line) for line in texts["table"].splitlines()}
        assert {"".join(row).replace(" ", "") for row in markdown} <= lines
