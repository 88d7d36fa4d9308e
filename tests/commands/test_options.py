"""Shared options: names of files, ranges of numbers, and choices.

Options name what the tables of aggregates, tests and corrections have: they list it, to start without them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from stdeval.cli.options import ALPHA, INPUT_FILE, FileName, FiniteRange, NamedInput, WholeRange
from stdeval.commands import COMMANDS, cli
from stdeval.standardization.schemes import SCHEMES
from stdeval.stats.aggregates import AGGREGATES
from stdeval.stats.corrections import CORRECTIONS
from stdeval.stats.paired_tests import ALTERNATIVES, TESTS

TABLES = {
    "aggregates": [*AGGREGATES, "sd"],  # of `eval` and `standardize`, which print it beside the means
    "test": list(TESTS),
    "alternative": list(ALTERNATIVES),
    "correction": list(CORRECTIONS),
}


def choices() -> list[tuple[str, str, list[str]]]:
    commands = [(name, import_module(f"stdeval.commands.{name}").command) for name in COMMANDS]
    return [
        (name, option.name, list(option.type.choices))
        for name, command in commands
        for option in command.params
        if isinstance(option.type, click.Choice)
    ]


@pytest.mark.parametrize("name", TABLES)
def test_choices_are_the_rows_of_the_table(name: str):
    found = [listed for _, option, listed in choices() if option == name]
    assert found
    assert all(listed == TABLES[name] for listed in found)


def test_schemes():
    listed = {command: names for command, option, names in choices() if option == "schemes"}
    letters = [letter.lower() for letter in SCHEMES]
    assert listed["standardize"] == letters
    assert listed["compare"] == ["raw", *letters]


# Files


def parameters(command: click.Command, name: str = "stdeval") -> list[tuple[str, click.Parameter]]:
    """The parameters of a command and its subcommands, each with the name of its command."""
    if not isinstance(command, click.Group):
        return [(name, parameter) for parameter in command.params]
    context = click.Context(command)
    subcommands = {each: command.get_command(context, each) for each in command.list_commands(context)}
    return [pair for each, one in subcommands.items() if one for pair in parameters(one, f"{name} {each}")]


def test_every_name_of_a_file_is_checked():
    words = ("FILE", "QRELS", "SCORES")
    names = [pair for pair in parameters(cli) if any(word in str(pair[1].metavar) for word in words)]
    assert len(names) > 60
    assert [pair for pair in names if not isinstance(pair[1].type, FileName | NamedInput)] == []


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """A folder of one small file of each kind, in which the test runs; its content."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    for name in ("r1", "r2"):
        lines = [f"{topic} Q0 {docno} {rank} {3 - rank} {name}" for topic in "123" for rank, docno in ((1, "a"),)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    rows = [f"{run},{t},0.{t}{place}{place * t}" for place, run in enumerate(("s1", "s2", "s3")) for t in (1, 2, 3)]
    for name in ("scores.csv", "more.csv"):
        (tmp_path / name).write_text("run,topic,map\n" + "\n".join(rows) + "\n")
    (tmp_path / "factors.csv").write_text("topic,n,map.mean,map.sd\n1,9,.3,.1\n2,9,.3,.1\n3,9,.3,.1\n")
    (tmp_path / "power.csv").write_text("alpha,power\n0.01,0.5\n0.05,0.6\n")
    (tmp_path / "hard-link").hardlink_to(tmp_path / "r1")
    (tmp_path / "link").symlink_to("r1")
    return {path.name: path.read_bytes() for path in tmp_path.iterdir()}


ON_AN_INPUT = [
    "eval -o qrels qrels r1",
    "eval qrels r1 -o r1",
    "eval qrels ./r1 -o link",
    "eval qrels r1 -o hard-link",
    "eval --scores scores.csv -o scores.csv",
    "standardize -F factors.csv -o factors.csv qrels r1",
    "standardize -o factors.csv -F factors.csv qrels r1",
    "factors qrels r1 r2 -o r2",
    "convert scores.csv --to matrix -o scores.csv",
    "pool -d 1 qrels r1 -o qrels",
    "pool -d 1 qrels r1 -o r1",
    "topics qrels r1 r2 -o r2",
    "compare qrels r1 r2 -o r2",
    "report qrels r1 r2 -o r2",
    "check qrels r1 --min map=.0001 -o r1",
    "check qrels r1 --min map=.0001 --junit r1",
    "check qrels r1 --min Nmap=.0001 -F factors.csv --junit factors.csv",
    "meta power --scores scores.csv -o scores.csv",
    "meta within --scores scores.csv --trials-out scores.csv",
    "meta split --scores scores.csv --pairs-out scores.csv",
    "meta collections scores.csv more.csv -o more.csv",
    "meta references --scores scores.csv --other more.csv -o more.csv",
    "meta references --scores scores.csv --evaluate more.csv -o more.csv",
    "meta references --scores scores.csv -F more.csv -o more.csv",
    "plot power power.csv -o power.csv",
    "plot means --scores scores.csv -o scores.csv",
]
ON_ONE_OUTPUT = [
    "check qrels r1 --min map=.0001 -o new --junit new",
    "check qrels r1 --min map=.0001 -o new --junit ./new",
    "check qrels r1 --min map=.0001 --junit -",
    "meta split --scores scores.csv --trials-out new --pairs-out new",
    "meta within --scores scores.csv --trials-out -",
    "convert factors.csv --to published -o new -o new",
    "convert factors.csv --to published -o - -o -",
]


@pytest.mark.parametrize("line", [*ON_AN_INPUT, *ON_ONE_OUTPUT])
def test_an_output_is_neither_an_input_nor_another_output(run, files: dict[str, bytes], line: str):
    done = run(*line.split())
    assert (done.status, done.stdout) == (2, "")
    words = "the command reads this file" if line in ON_AN_INPUT else "write"
    assert done.stderr.startswith("stdeval ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == files


def test_standard_input_may_be_the_file_of_an_output(files: dict[str, bytes]):
    command = [sys.executable, "-m", "stdeval", "eval", "qrels", "-", "-o", "r1"]
    with Path("r1").open("rb") as stdin:
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "-o r1: the command reads this file" in done.stderr
    assert Path("r1").read_bytes() == files["r1"]


def timeless(report: bytes) -> bytes:
    """The report without the times that the checks took."""
    return re.sub(rb' time="[0-9.]+"', b"", report)


@pytest.mark.parametrize(("option", "other"), [("--junit", "-o"), ("-o", "--junit")])
def test_a_hyphen_is_stdout_for_one_output(run, files: dict[str, bytes], option: str, other: str):
    arguments = ("check", "qrels", "r1", "--min", "map=.0001")
    expected = run(*arguments, option, "one", other, "two")
    done = run(*arguments, option, "-", other, "two")
    assert (expected.status, done.status) == (0, 0)
    assert expected.raw == b""
    assert timeless(done.raw) == timeless(Path("one").read_bytes())
    assert len({Path("one").read_bytes(), Path("two").read_bytes()}) == 2


def test_devices_may_be_inputs_and_outputs(run, files: dict[str, bytes]):
    assert run("check", "qrels", "r1", "--min", "map=.0001", "-o", "/dev/null", "--junit", "/dev/null").status == 0


# Numbers


def test_numbers_are_n_and_x_in_helps(run):
    numbers = [
        (command, parameter)
        for command, parameter in parameters(cli)
        if isinstance(parameter.type, (type(click.INT), type(click.FLOAT)))
    ]
    assert len(numbers) > 40
    assert [pair for pair in numbers if not isinstance(pair[1].type, (WholeRange, FiniteRange))] == []
    for command in sorted({command for command, _ in numbers}):
        page = run(*command.split()[1:], "--help").stdout
        assert not any(word in page for word in ("INTEGER", "FLOAT", "RANGE"))
    assert "--seed N " in run("eval", "--help").stdout
    assert "--alpha X " in run("compare", "--help").stdout


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("eval -l two", "Invalid value for '-l': 'two', expected a whole number from 1"),
        ("eval -l 0", "Invalid value for '-l': '0', expected a whole number from 1"),
        ("eval -l 1_0", "'1_0', expected a whole number from 1"),
        ("eval --ci 0.9_5", "'0.9_5', expected a number from 0.5 and below 1"),
        ("compare --alpha \u0660.\u0660\u0665", "expected a number above 0 and below 0.5"),
        ("eval -l 1.5", "'1.5', expected a whole number from 1"),
        ("eval --resamples 0", "'0', expected a whole number from 1 to 10000000"),
        ("compare --ci 0.05", "'0.05', expected a number from 0.5 and below 1"),
        ("eval --ci 1", "'1', expected a number from 0.5 and below 1"),
        ("eval --ci nan", "'nan', expected a number from 0.5 and below 1"),
        ("eval --epsilon inf", "'inf', expected a number above 0"),
        ("compare --alpha x", "'x', expected a number above 0 and below 0.5"),
        ("plot means --dpi 5 -o x.png", "'5', expected a number from 10 to 2400"),
    ],
)
def test_numbers_out_of_range_are_refused_in_plain_words(run, line: str, words: str):
    done = run(*line.split())
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.endswith(f"{words}\n")


# Commands


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("evl", "stdeval: no command 'evl', did you mean eval?"),
        ("evl -q q r", "stdeval: no command 'evl', did you mean eval?"),
        ("-q -m map q r", "before a command, did you mean: stdeval eval -q -m map q r"),
        ("-q compare q r", "before a command, did you mean: stdeval compare -q q r"),
        ("qrels.txt a.run", "stdeval: no command 'qrels.txt', did you mean: stdeval eval qrels.txt a.run"),
        ("meta powr", "stdeval meta: no command 'powr', did you mean power?"),
        (
            "meta --seed 1 power",
            "stdeval meta: no option '--seed' before a command, did you mean: stdeval meta power",
        ),
        ("plot mean -o x.png", "stdeval plot: no command 'mean', did you mean means"),
        ("plot zzz", "stdeval plot: no command 'zzz', expected one of: aggregates, compare, depth"),
    ],
)
def test_the_command_that_was_meant_is_suggested(run, line: str, words: str):
    done = run(*line.split())
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr


def test_the_suggested_line_can_be_pasted_into_a_shell(run):
    assert "did you mean: stdeval eval -q 'my qrels' r" in run("-q", "my qrels", "r").stderr


# Messages


def test_one_run_without_factors_asks_for_them(run, files: dict[str, bytes]):
    """The message says what -F does, and that two runs would do without."""
    for command in ("standardize", "standardize --scheme z"):
        done = run(*command.split(), "-m", "map", "qrels", "r1")
        assert (done.status, done.stdout) == (2, "")
        assert done.stderr.startswith("stdeval: one run, 'r1', and no factors")
        assert "expected -F FILE, or at least two runs" in done.stderr
    one = run("standardize", "-F", "factors.csv", "qrels", "r1")
    assert one.status == 0


@pytest.mark.parametrize("place", ["factors.csv r1", "qrels factors.csv"])
@pytest.mark.parametrize("command", ["eval", "standardize", "compare", "topics"])
def test_factors_in_the_place_of_qrels_or_a_run_are_recognized(
    run, files: dict[str, bytes], command: str, place: str
):
    done = run(command, *place.split())
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("stdeval: factors.csv:1: 1 column, expected ")
    assert "(this looks like factors, which -F takes)" in done.stderr


def test_scores_in_the_place_of_qrels_are_recognized(run, files: dict[str, bytes]):
    assert "(this looks like a scores CSV, which --scores takes)" in run("eval", "scores.csv", "r1").stderr
    assert "(these are factors, which -F takes)" in run("eval", "--scores", "factors.csv").stderr


def test_a_list_that_is_cut_says_so(run, write):
    """The measures of a factors file are listed up to eight, the runs of a scores file up to twenty."""
    for n, cut in ((8, False), (9, True)):
        names = [f"m{i}" for i in range(n)]
        header = ",".join(f"{name}.mean,{name}.sd" for name in names)
        factors = write("f.csv", f"topic,n,{header}\n1,9{',.3,.1' * n}\n")
        done = run("standardize", "-F", factors, "--scores", write("s.csv", "run,topic,map\na,1,.5\n"))
        assert done.status == 2
        assert (", ..." in done.stderr) == cut
        assert ("m8" in done.stderr) is False
    for n, cut in ((20, False), (21, True)):
        scores = write("s.csv", "run,topic,map\n" + "".join(f"s{i},{t},.{i}\n" for i in range(n) for t in "123"))
        done = run("compare", "--scores", scores, "--baseline", "absent")
        assert done.stderr.endswith(", s19, ...\n" if cut else ", s19\n")
        measures = write("m.csv", ["run,topic," + ",".join(f"m{i}" for i in range(n)), "a,1" + ",.5" * n])
        done = run("eval", "--scores", measures, "-m", "P_5")
        assert done.stderr.endswith(", m19, ...\n" if cut else ", m19\n")


@pytest.mark.parametrize(
    ("command", "name", "content", "words"),
    [
        ("eval x r1", "x", "word\n", "x:1: 1 column, expected 4"),
        ("eval qrels x", "x", "word\n", "x:1: 1 column, expected 6"),
        ("eval --scores x", "x", "run,topic,map\na\n", "x:2: 1 column, expected the 3 of the header"),
        ("standardize -F x qrels r1", "x", "1 map .3 .1\nword\n", "x:2: 1 column, expected 4"),
        ("convert --to scores x", "x", "map\t1\t.5\nword\n", "x:2: 1 column, expected 3"),
    ],
)
def test_one_column_is_singular(run, files: dict[str, bytes], command: str, name: str, content: str, words: str):
    Path(name).write_text(content)
    assert run(*command.split()).stderr.startswith(f"stdeval: {words}")


@pytest.mark.parametrize("arguments", ["pool --pool-depth", "eval -m err --max-grade", "eval -l", "eval -M"])
def test_a_number_that_no_integer_holds_is_refused(run, arguments: str):
    done = run(*arguments.split(), "9" * 30, "qrels", "run")
    assert (done.status, done.stdout) == (2, "")
    assert "expected a whole number from 1 of at most 18 digits" in done.stderr


@pytest.mark.parametrize(
    "arguments", ["convert --to scores - -", "standardize --scores - -F -", "pool --pool-depth 2 - -"]
)
def test_standard_input_is_read_once(run, arguments: str):
    done = run(*arguments.split())
    assert (done.status, done.stdout) == (2, "")
    assert "can be read once only" in done.stderr


# Names and words


def options() -> list[tuple[str, click.Option]]:
    return [(name, parameter) for name, parameter in parameters(cli) if isinstance(parameter, click.Option)]


def test_words_may_be_in_upper_case():
    chosen = [(name, option) for name, option in options() if isinstance(option.type, click.Choice)]
    assert len(chosen) > 60
    for _, option in chosen:
        word = str(list(option.type.choices)[-1])
        assert option.type.convert(word.upper(), option, None) == word


UPPER = [
    "eval -f CSV --precision Double --label FILE -a EGM qrels r1",
    "compare -f Table --test T --correction HOLM --scheme Raw --scores scores.csv",
    "topics --split MIDDLE-REST --scores scores.csv",
    "convert --to Matrix -m map scores.csv",
    "plot means --scheme RAW --size SLIDE --dpi 20 -o - --scores scores.csv",
]


@pytest.mark.parametrize("line", UPPER)
@pytest.mark.usefixtures("files")
def test_upper_case_changes_no_output(run, line: str):
    typed = line.split()
    done, lower = run(*typed), run(*[word.lower() for word in typed])
    assert (done.status, done.raw, done.stderr) == (0, lower.raw, lower.stderr)


def test_one_name_stands_for_one_thing():
    """Every option has one long name, and the same word for its value in every command."""
    metavars: dict[tuple[str, str], set[str]] = {}
    for _, option in options():
        long = [name for name in option.opts if name.startswith("--")]
        if option.hidden or not long or isinstance(option.type, click.Choice):
            continue
        assert len(long) == 1
        metavars.setdefault((long[0], option.name or ""), set()).add(option.metavar or "")
    assert {key: words for key, words in metavars.items() if len(words) > 1} == {}


def test_depths_numbers_and_levels_have_one_name_each():
    named = {name for _, option in options() for name in option.opts}
    assert {"--eval-depth", "--pool-depth", "--references", "--alpha", "--format", "--trials", "--split"} <= named
    by_long: dict[str, set[str]] = {}
    for _, option in options():
        by_long.setdefault(option.opts[-1], set()).update(option.opts)
    assert by_long["--eval-depth"] == {"-M", "--eval-depth"}
    assert by_long["--pool-depth"] == {"-d", "--pool-depth"}
    assert by_long["--depth"] == {"-k", "--depth"}
    assert {str(option.type) for _, option in options() if "--alpha" in option.opts} == {str(ALPHA)}
    assert named.isdisjoint({"--how", "--repartition"})
    assert {option.type for _, option in options() if "--groups" in option.opts} == {INPUT_FILE}
    assert {option.name for _, option in options() if "--size" in option.opts} == {"size"}


@pytest.mark.parametrize(
    ("typed", "option"),
    [
        ("convert -m map -m P_10 --to matrix s.csv", "-m"),
        ("plot means --scheme raw --scheme n -o m.svg qrels.gz new-a.run.gz", "--scheme"),
        ("plot compare --run a --run b --baseline c -o c.svg qrels.gz new-a.run.gz", "--run"),
        ("report --scheme raw --scheme n -o r.html qrels.gz new-a.run.gz", "--scheme"),
    ],
)
def test_a_second_value_does_not_silently_replace_the_first(run, typed: str, option: str):
    done = run(*typed.split())
    assert (done.status, f"{option} is given twice (" in done.stderr) == (2, True)


@pytest.mark.parametrize("command", ["check --min map=.1", "compare", "report -o r.html", "plot forest -o f.png"])
def test_a_second_baseline_is_refused(run, command: str):
    given = ["--baseline", "new-b", "--baseline", "new-a", "qrels.gz", "new-a.run.gz", "new-b.run.gz"]
    done = run(*command.split(), *given)
    assert done.status == 2
    assert "--baseline is given twice ('new-b' and 'new-a'), expected it once" in done.stderr
