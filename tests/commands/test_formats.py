"""Every command in every format: the same rows, the same cells, chosen by the same options."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from stdeval import __version__
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
    "eval -q qrels 1.run 2.run",
    "eval -q -n -m P.5 -m map qrels 1.run 2.run",
    "eval -a am -a sd --ci 0.9 -m map --scores scores.csv",
    "standardize -q --scheme z --scores scores.csv",
    "factors --scores scores.csv",
    "factors -m map qrels 1.run 2.run 3.run",
    "factors --empirical --scores scores.csv",
    "topics --split 2 --scores scores.csv",
    "topics -n -m P.5 -m map qrels 1.run 2.run",
    "compare --scores scores.csv",
    "compare --baseline s2 -m map --scores scores.csv",
    "check --min map=0.3 --max-drop P_10=0.01 --baseline s1 --scores scores.csv",
    "measures webber unj",
    "weights -m jkdcg -m rbp -k 4",
    "weights -m jkdcg --ranges 1-10,11-20",
    "pool -d 2 --report qrels 1.run 2.run",
    "meta power --alpha 0.05 --alpha 0.01 --scores scores.csv",
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
    told = [["" if cell is None else str(cell) for cell in each.values()] for each in objects]
    assert [[cell.lower() if cell in ("True", "False") else cell for cell in row] for row in told] == rows[1:]
    markdown, latex = markdown_rows(texts["markdown"]), latex_rows(texts["latex"])
    assert [["-" if cell == "--" else cell for cell in row] for row in latex] == markdown
    if not command.startswith("compare"):
        # The cells of a table may hold blanks, and columns may be joined by many.
        lines = {re.sub(" ", "", line) for line in texts["table"].splitlines()}
        assert {"".join(row).replace(" ", "") for row in markdown} <= lines


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("folder")
def test_numbers_are_numbers_in_json(run, command: str):
    """A cell that CSV writes as a number is one, unless it is the name of a run, a topic or a range."""
    names = {"run", "topic", "name", "a", "b", "topics", "judgments", "ranks", "group"}
    for line in printed(run, command, "jsonl").splitlines():
        for name, cell in json.loads(line).items():
            if isinstance(cell, str) and name not in names:
                assert not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?", cell), (name, cell)


@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        (".csv", "run,topic,map\n"),
        (".csv.gz", "run,topic,map\n"),
        (".jsonl", '{"run": "a_1", "topic": "all", "map": '),
        (".md", "| run | map |\n| --- | ---: |\n"),
        (".TEX", "% needs the package booktabs\n"),
        (".txt", "runid                 \tall\ta_1\n"),
    ],
)
def test_the_ending_of_the_file_chooses_the_format(run, folder: Path, ending: str, begins: str):
    def made(*options: str) -> str:
        assert run("eval", "-m", "map", *options, "qrels", "1.run", "2.run", "-o", f"out{ending}").status == 0
        data = (folder / f"out{ending}").read_bytes()
        return (gzip.decompress(data) if ending.endswith(".gz") else data).decode()

    assert made().startswith(begins)
    assert made("-f", "table").startswith("run  ")
    assert made("-f", "text").startswith("runid  ")


@pytest.mark.usefixtures("folder")
def test_an_ending_chooses_no_format_that_a_command_lacks(run, folder: Path):
    assert run("pool", "-d", 1, "qrels", "1.run", "-o", "pooled.csv").status == 0
    assert {*(folder / "pooled.csv").read_text().splitlines()} < {*QRELS}
    assert run("factors", "--scores", "scores.csv", "-o", "factors.txt").status == 0
    assert (folder / "factors.txt").read_text().startswith("topic,n,")


def test_all_but_text_keep_the_order_of_the_measures_typed(run, folder: Path):
    typed = ["-m", "P.5", "-m", "map", "-m", "P.3", "qrels", "1.run", "2.run", "3.run"]
    names = ["P_5", "map", "P_3"]
    assert list(run("eval", *typed, "-f", "csv").rows[0])[2:] == names
    assert run("eval", *typed, "-f", "table").stdout.split()[1:4] == names
    assert list(run("standardize", *typed, "-f", "csv").rows[0])[2:] == [f"N{name}" for name in names]
    for command in (["topics"], ["compare"], ["meta", "power"]):
        rows = run(*command, *typed, "-f", "csv").rows
        assert list(dict.fromkeys(row["measure"] for row in rows)) == names
    for command in ("eval", "standardize"):
        lines = run(command, *typed).stdout.splitlines()
        order = dict.fromkeys(line.split()[0].removeprefix("N") for line in lines if not line.startswith("runid"))
        assert list(order) == ["map", "P_3", "P_5"]
    assert folder


@pytest.mark.usefixtures("folder")
def test_the_summary_only_unless_topics_are_asked_for(run):
    typed = ["eval", "-m", "map", "qrels", "1.run", "2.run"]
    for output_format in ("csv", "jsonl", "markdown", "latex", "table"):
        texts = [run(*typed, "-f", output_format, *flags).stdout for flags in ([], ["-q"], ["-q", "-n"])]
        assert [len(re.findall(r"a\\?_1", text)) for text in texts] == [1, 7, 6]
        refused = run(*typed, "-f", output_format, "-n")
        assert (refused.status, refused.stdout) == (2, "")
        assert "-n leaves nothing to print, expected -q too" in refused.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "command",
    [
        "compare --scores {}",
        "factors --scores {}",
        "topics --scores {}",
        "factors --scores {}",
        "eval --scores {}",
        "convert --to matrix {}",
        "convert --to scores {}",
        "standardize -F {} --scores scores.csv",
        "check --baseline {} --max-drop map=0.1 qrels 1.run",
        "meta collections {} scores.csv",
        "meta references --other {} --scores scores.csv",
    ],
)
def test_a_file_without_topics_is_refused_with_the_likely_reason(run, command: str):
    assert run("eval", "-m", "map", "qrels", "2.run", "3.run", "-o", "means.csv").status == 0
    done = run(*command.format("means.csv").split())
    assert (done.status, done.stdout) == (2, "")
    expected = "means.csv: no rows of topics, expected a row per run and topic; made without -q?\n"
    assert done.stderr.endswith(f"stdeval: {expected}")


@pytest.mark.usefixtures("folder")
def test_output_of_trec_eval_without_topics_is_refused_with_the_likely_reason(run, write):
    write("means.txt", run("eval", "qrels", "2.run").raw)
    done = run("convert", "--to", "scores", "means.txt")
    expected = "stdeval: means.txt: no rows of topics, expected the output of trec_eval -q; made without -q?\n"
    assert (done.status, done.stderr) == (2, expected)


OTHER = "is in full precision, expected another format:"
PRINTED = "expected a measure that is printed:"
REFUSED = {
    "eval --digits 18 qrels 1.run": "--digits",
    "eval -m map --sort P.10 qrels 1.run": f"--sort P.10: {PRINTED} map",
    "eval --sort nonsense qrels 1.run": f"--sort nonsense: {PRINTED} num_q, ",
    "eval -m runid -m map --sort runid qrels 1.run": f"--sort runid: {PRINTED} map",
    "standardize --raw --sort Zmap --scores scores.csv": f"--sort Zmap: {PRINTED} map, Nmap",
    "standardize --scheme n --scheme z --sort map --scores scores.csv": f"--sort map: {PRINTED} Nmap, Zmap",
    "factors -f text --scores scores.csv": "'text' is not one of",
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("command", "message"), REFUSED.items(), ids=list(REFUSED))
def test_refused(run, folder: Path, command: str, message: str):
    done = run(*command.split())
    assert (done.status, done.stdout) == (2, "")
    # Warnings may come before.
    assert message in done.stderr.splitlines()[-1]
    assert not (folder / "x.jsonl").exists()


@pytest.mark.usefixtures("folder")
def test_runs_are_sorted_by_any_spelling_of_what_is_printed(run):
    typed = ["-m", "P_5", "-m", "map", "-f", "csv", "qrels", "1.run", "2.run", "3.run", "4.run"]
    for name in ("map", "AP", "P@5", "P.5"):
        column = "map" if name in ("map", "AP") else "P_5"
        means = [float(row[column]) for row in run("eval", "--sort", name, *typed).rows]
        assert means == sorted(means, reverse=True)
        assert len(set(means)) > 1
    for name in ("Nmap", "NAP", "AP"):
        means = [round(float(row["Nmap"]), 12) for row in run("standardize", "--sort", name, *typed).rows]
        assert means == sorted(means, reverse=True)


@pytest.mark.usefixtures("folder")
def test_text_of_several_runs_is_sorted_too_and_ties_keep_their_order(run):
    text = run("eval", "--sort", "num_q", "qrels", "4.run", "2.run", "1.run").stdout
    assert [line.split("\t")[2] for line in text.splitlines() if line.startswith("runid ")] == ["d", "b&b", "a_1"]


@pytest.mark.usefixtures("folder")
def test_digits_of_every_format_for_people(run):
    exact = float(run("eval", "-m", "map", "-f", "csv", "qrels", "1.run").rows[0]["map"])
    for output_format in ("text", "table", "markdown", "latex"):
        for digits in (0, 2, 17):
            shown = run("eval", "-m", "map", "-f", output_format, "--digits", digits, "qrels", "1.run").stdout
            assert re.search(rf"(?<![0-9.]){re.escape(f'{exact:.{digits}f}')}(?![0-9])", shown), shown


@pytest.mark.usefixtures("folder")
def test_rounding_of_scores_is_not_that_of_what_is_printed(run):
    typed = ["standardize", "--round", 1, "-m", "map", "--scheme", "z", "-f", "table", "--scores", "scores.csv"]
    assert run(*typed, "--digits", 2).stdout != run(*typed[:1], *typed[3:], "--digits", 2).stdout


def test_markdown_of_compare_is_ready_for_a_comment(run, write):
    """The best is bold, by unj the lowest; daggers compare with the baseline; the incomplete run is last."""
    lines = ["run,topic,map,unj_10"]
    for topic in range(1, 9):
        base = f"0.2{topic},0.{topic + 1}"
        lines += [f"easy,{topic},1,0"] if topic < 4 else []
        lines += [f"best,{topic},{0.5 + topic / 100},{0.2 - topic / 100}", f"base,{topic},{base}"]
        lines += [f"same,{topic},{base}"]
    typed = ["--scores", write("s.csv", lines), "--baseline", "base"]
    assert run("compare", *typed, "-f", "markdown").stdout.splitlines() == [
        "|  | map | unj\\_10 | n |",
        "| --- | ---: | ---: | ---: |",
        "| best | **0.5450**† | **0.1550**† | 8 |",
        "| base | 0.2450 | 0.5500 | 8 |",
        "| same | 0.2450 | 0.5500 | 8 |",
        "| easy | 1.0000 | 0.0000 | 3 |",
        "",
        "†: differs from base, p at most 0.05; Student's t test, paired, two-sided; not corrected for 3 pairs",
        "",
        "incomplete runs have no dagger (-f table compares them with base)",
        "",
        "the last row: an incomplete run, without a topic that most runs have; never bold",
        "",
        "n: number of topics of the means in a row; two numbers: the fewest and the most",
        "",
        f"signature: `stdeval:{__version__}|measures:map unj_10|options:unknown|scheme:raw|qrels:unknown|topics:8`",
    ]
    latex = run("compare", *typed, "-f", "latex").stdout
    assert "% below the second line: an incomplete run" in latex
    assert latex.index("easy &") > latex.rindex(r"\midrule")


def test_eval_loads_no_numpy_in_any_format(folder: Path):
    program = (
        "import sys\nfrom stdeval.__main__ import main\n"
        f"for name in {list(FORMATS)}:\n"
        "    try: main(['eval', '-q', '-m', 'map', '--sort', 'map', '-f', name, 'qrels', '1.run', '2.run'])\n"
        "    except SystemExit as done: assert not done.code\n"
        "print('numpy' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == "False\n"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            ("report", "-o", "page.md", "qrels", "1.run"),
            "-o page.md: HTML is written, expected a name",
        ),
    ],
)
def test_an_ending_of_a_format_that_a_command_does_not_write_is_refused(run, folder: Path, typed, message: str):
    before = sorted(folder.iterdir())
    done = run(*typed)
    assert (done.status, done.stdout, sorted(folder.iterdir())) == (2, "", before)
    assert message in done.stderr


def test_eval_loads_no_hashlib_without_a_signature(folder: Path):
    """OpenSSL takes a tenth of the time of a small evaluation to load."""
    program = (
        "import sys\nfrom stdeval.__main__ import main\n"
        "try: main(['eval', 'qrels', '1.run'])\n"
        "except SystemExit as done: assert not done.code\n"
        "print('_hashlib' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == "False\n"
