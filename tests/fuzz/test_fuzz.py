"""A few random cases of each target, always the same; every defect that was found; and oracles that notice."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from stdeval.errors import InputError

from . import hostile_names, injection, input_files, mutations, reading, scoring, standardizing
from .examples import EXAMPLES
from .good_files import GOOD
from .hostile_names import COMMANDS, Names, outcome
from .outcome import CRASHED, Outcome, problem, run
from .targets import TARGETS, run_case

CASES = {
    "reading": 250,
    "scoring": 60,
    "standardizing": 30,
    "mutations": 120,
    "command_lines": 30,
    "injection": 10,
    "interface": 150,
    "hostile_names": 5,
    "input_files": 30,
}


@pytest.mark.parametrize("name", CASES)
def test_random_cases(name: str, tmp_path: Path) -> None:
    if name in ("injection", "hostile_names", "input_files"):
        pytest.importorskip("matplotlib")
    seed = scoring.SEED if name == "scoring" else "tests"
    found = {number: run_case(name, seed, number, tmp_path) for number in range(CASES[name])}
    assert {number: wrong for number, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("name", EXAMPLES)
def test_defects_that_were_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments, status, words, files = EXAMPLES[name]
    if arguments.startswith("plot"):
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    for file_name, data in files.items():
        Path(file_name).write_bytes(data)
    done = run(arguments.split())
    assert (done.status, problem(done, arguments.split()[0])) == (status, "")
    assert words in (done.stdout.decode("utf-8", "surrogateescape") if status == 0 else done.stderr)


def test_the_output_of_trec_eval_is_known_for_the_cases_of_scoring() -> None:
    made = [scoring.make(Random(f"scoring/{scoring.SEED}/{number}")) for number in range(CASES["scoring"])]
    digests = [scoring.digest(qrels, run_file, " ".join(options).encode()) for qrels, run_file, options in made]
    assert sum(digest in scoring.stored() for digest in digests) > 0.7 * len(digests)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(CRASHED, b"", "Traceback ...\n"), "traceback"),
        (Outcome(2, b"", ""), "status 2 with 0 lines"),
        (Outcome(2, b"", "stdeval: a\nstdeval: b\n"), "status 2 with 2 lines"),
        (Outcome(2, b"1", "stdeval: a\n"), "with output"),
        (Outcome(0, b"1", "stdeval: a\n"), "status 0 with an error"),
        (Outcome(1, b"", ""), "status 1"),
        (Outcome(2, b"", "stdeval: \x1b\n"), "control character"),
        (Outcome(0, b"", "stdeval: warning: a"), "line break"),
        (Outcome(0, b"", "stdeval: warning: a\n"), ""),
    ],
)
def test_broken_promises_are_noticed(outcome: Outcome, words: str) -> None:
    assert words in problem(outcome)
    assert bool(words) == bool(problem(outcome))


@pytest.mark.parametrize("command", ["check", "validate"])
def test_status_1_is_an_answer_of_some_commands(command: str) -> None:
    assert problem(Outcome(1, b"FAIL\n", ""), command) == ""


def changed(outcome: Outcome) -> Outcome:
    """The outcome with the last digit of the output changed."""
    digits = [place for place, byte in enumerate(outcome.stdout) if chr(byte).isdigit()]
    if outcome.status or not digits:
        return outcome
    place = digits[-1]
    other = b"%d" % ((outcome.stdout[place] - ord("0") + 5) % 10)
    return outcome._replace(stdout=outcome.stdout[:place] + other + outcome.stdout[place + 1 :])


@pytest.mark.parametrize("target", [scoring, standardizing])
def test_a_wrong_number_is_noticed(target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = target.__name__.rpartition(".")[2]
    monkeypatch.setattr(target, "run", lambda arguments: changed(run(arguments)))
    seed = scoring.SEED if target is scoring else "tests"
    assert any(run_case(name, seed, number, tmp_path) for number in range(40))


def test_scores_that_are_not_those_of_the_file_are_noticed(tmp_path: Path) -> None:
    data = GOOD["scores"]
    (tmp_path / "scores").write_bytes(data)
    done = run(["eval", "-q", "-n", "-f", "csv", "--scores", tmp_path / "scores"])
    assert mutations.other_scores(data, done) == ""
    assert mutations.other_scores(data, changed(done)) != ""
    assert mutations.other_scores(data, done._replace(stdout=done.stdout.rpartition(b"\nc,")[0] + b"\n")).endswith(
        "lost"
    )


def test_a_file_read_wrongly_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path):
        raise InputError("refused", str(path))

    monkeypatch.setattr(reading, "read_qrels", refused)
    assert any(run_case("reading", "tests", number, tmp_path) for number in range(20))


def test_a_name_that_is_not_escaped_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unescaped(arguments) -> Outcome:
        done = run(arguments)
        return done._replace(stdout=done.stdout.replace(b"\\textbackslash{}", b"\\"))

    monkeypatch.setattr(injection, "run", unescaped)
    assert "macros" in injection._in_latex(tmp_path, "\\input{/etc/passwd}", "run")


def test_every_command_shows_every_unsafe_name_on_one_line_without_control_characters(tmp_path: Path) -> None:
    """Each character in each place, each command with each of both."""
    found = {pair: hostile_names.wrong(*pair, tmp_path / "names") for pair in hostile_names.pairs(COMMANDS)}
    assert {pair: wrong for pair, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_that_meet_unsafe_names_read_usual_ones(command: str, tmp_path: Path) -> None:
    refuses = command in hostile_names.REFUSED
    is_accepted = outcome(command, Names("", ""), tmp_path / "names").status in (0, 1)
    assert is_accepted != refuses


@pytest.mark.parametrize("stream", ["stderr", "table"])
@pytest.mark.parametrize("character", hostile_names.CHARACTERS)
def test_unsafe_names_that_are_shown_as_they_are_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: str, character: str
) -> None:
    def careless(command: str, names: Names, folder: Path) -> Outcome:
        found = outcome(command, names, folder)
        if stream == "stderr":
            return found._replace(stderr=f"{found.stderr}stdeval: warning: {names.name}\n")
        return found._replace(stdout=found.stdout + names.name.encode())

    monkeypatch.setattr(hostile_names, "outcome", careless)
    assert hostile_names.wrong("eval -f table {runs}", "run", character, tmp_path / "names")


@pytest.mark.parametrize(
    ("change", "words"),
    [("gzip", "not that for the plain file"), ("empty", "status 0"), ("a folder", "made {")],
)
def test_a_changed_file_that_is_read_wrongly_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, words: str
) -> None:
    def careless(typed: list[str], stdin: bytes) -> Outcome:
        done = run(typed, stdin)
        if change == "gzip":
            return changed(done) if Path(typed[-1]).read_bytes()[:1] == b"\x1f" else done
        if change == "empty":
            return Outcome(0, b"", "")
        Path(typed[-1]).with_name(".unfinished").touch()
        return done

    command = "eval --scores {scores}"
    assert input_files.wrong(command, "scores", change, tmp_path / "inputs") == ""
    monkeypatch.setattr(input_files, "run", careless)
    assert words in input_files.wrong(command, "scores", change, tmp_path / "inputs")


def test_all_commands_read_the_good_files(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = {command: input_files.failure(command, tmp_path / "inputs") for command in input_files.ALSO}
    assert {command: failure for command, failure in found.items() if failure} == {}


def test_every_target_has_cases_here() -> None:
    assert {*TARGETS} == {*CASES}
