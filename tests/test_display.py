"""Names on their way out: no name forges a line, a score or a colour, whatever file it comes from."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.display import displayed, displayed_lines, excerpt, shown_pvalue, unscored
from stdeval.noise import is_significant

ESCAPE = "\x1b]0;title\x07"
BIDI = "\u202e\u2066"
NAME = f"a{ESCAPE}{BIDI}z"
ESCAPED = r"a\x1b]0;title\x07\u202e\u2066z"
FORGED = "a\nmap                   \tall\t0.9999"


def is_unsafe(character: str) -> bool:
    """Return whether it is a control character or separator of lines, has no width, or changes the direction."""
    category = unicodedata.category(character)
    no_width = category == "Cf" and unicodedata.bidirectional(character) == "BN"
    direction = unicodedata.bidirectional(character) in {
        "LRE",
        "RLE",
        "PDF",
        "LRO",
        "RLO",
        "LRI",
        "RLI",
        "FSI",
        "PDI",
    }
    mark = unicodedata.name(character, "") in {"LEFT-TO-RIGHT MARK", "RIGHT-TO-LEFT MARK", "ARABIC LETTER MARK"}
    return no_width or direction or mark or category in {"Cc", "Zl", "Zp"}


def test_exactly_the_unsafe_characters_of_unicode_are_escaped():
    changed = {c for c in map(chr, range(sys.maxunicode + 1)) if displayed(c) != c}
    bytes_of_c1 = {chr(0xDC00 + byte) for byte in range(0x80, 0xA0)}
    assert changed == {c for c in map(chr, range(sys.maxunicode + 1)) if is_unsafe(c)} | bytes_of_c1


@pytest.mark.parametrize("mark", ["\u200b", "\u200d", "\ufeff", "\xad"])
def test_names_that_differ_by_a_character_without_width_look_different(mark: str):
    assert displayed(f"a{mark}") == f"a{ascii(mark)[1:-1]}"


@given(st.text())
def test_what_is_displayed_is_one_line_and_safe(text: str):
    shown = displayed(text)
    assert not any(map(is_unsafe, shown))
    assert displayed(shown) == shown
    assert len(shown.splitlines()) == (text != "")
    assert displayed_lines(text).split("\n") == [
        "\t".join(map(displayed, line.split("\t"))) for line in text.split("\n")
    ]


BAD_BYTES = [
    ("eval 1 2", b"1 0 d x\xff\x9b\n", b"", r"1:1: judgment 'x\xff\x9b', expected a whole number"),
    (
        "eval 1 2",
        b"1 0 d 1\n",
        b"1 Q0 d 1 x\xff\x9b t\n",
        r"2:1: score 'x\xff\x9b', expected a finite decimal number",
    ),
    ("eval 1 2", b"1 0 d 1\n", b"1 Q0 \xff 1 1 t\n1 Q0 \xff 1 1 t\n", r"2:2: document '\xff' appears twice"),
    ("eval 1 2", b"\xff 0 d 1\n\xff 0 d 1\n", b"", r"1:2: document 'd' appears twice in topic '\xff'"),
    ("eval --scores 1", b"run,topic,m\na,1,x\xff\n", b"", r"1:2: score 'x\xff', expected a finite decimal number"),
    ("eval --scores 1 --sort x", b"run,topic,m\xff\na,1,1\n", b"", r"a measure that is printed: m\xff"),
    ("standardize -F 2 1 2", b"1 0 d 1\n", b"1 m \xff .5\n", r"2:1: mean '\xff', expected a finite decimal number"),
]


@pytest.mark.parametrize(("typed", "first", "second", "told"), BAD_BYTES)
def test_bytes_that_are_not_utf_8_have_one_form_in_messages(
    run, write, monkeypatch, tmp_path: Path, typed: str, first: bytes, second: bytes, told: str
):
    write("1", first)
    write("2", second)
    monkeypatch.chdir(tmp_path)
    assert told in run(*typed.split()).stderr


def test_an_excerpt_says_that_there_is_more():
    assert excerpt("x" * 40) == "x" * 40
    assert excerpt("x" * 41) == "x" * 40 + "..."


@pytest.fixture
def scores(write) -> Path:
    """A scores file of two runs, the name of one of which is hostile."""
    return write("s.csv", f'run,topic,map\n"{NAME}",1,.5\n"{NAME}",2,.25\nb,1,.25\nb,2,.5\n')


@pytest.fixture
def forging(write) -> Path:
    """A scores file with a run whose name, in text, would add a line with another score."""
    return write("f.csv", f'run,topic,map\n"{FORGED}",1,.5\n"{FORGED}",2,.25\nb,1,.25\nb,2,.5\n')


def test_tables_escape_and_piped_text_does_not(run, scores: Path):
    table = run("eval", "-f", "table", "--scores", scores).stdout
    assert table.splitlines()[1].split() == [ESCAPED, "0.3750"]
    assert f"all\t{NAME}\n" in run("eval", "--scores", scores).stdout
    assert run("eval", "-q", "-f", "csv", "-n", "--scores", scores).rows[0]["run"] == NAME


def test_a_terminal_gets_no_control_characters_from_text(scores: Path):
    primary, secondary = os.openpty()
    subprocess.run([sys.executable, "-m", "stdeval", "eval", "--scores", scores], stdout=secondary, check=True)
    os.close(secondary)
    assert ESCAPED in os.read(primary, 10_000).decode()
    os.close(primary)


def test_stderr_is_one_line_without_control_characters(run, scores: Path, write):
    done = run("compare", "--scores", scores, "--baseline", f"c{ESCAPE}\nstdeval: done")
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(
        r"stdeval: no run 'c\x1b]0;title\x07\nstdeval: done', expected one of: " + ESCAPED
    )
    factors = write("factors.csv", f'topic,n,map.mean,map.sd\n1,10,.5,.1\n"x{ESCAPE}",10,.5,.1\n')
    warned = run(
        "standardize", "-F", factors, "--scores", write("t.csv", f'run,topic,map\na,1,.5\na,"{NAME}",.5\n')
    )
    assert warned.status == 0
    assert ESCAPED in warned.stderr
    assert ESCAPE not in warned.stderr


@pytest.mark.parametrize(
    "arguments", ["eval --scores", "standardize --scores", "compare --scores", "topics -n --scores"]
)
def test_a_name_that_would_forge_a_line_is_refused_in_text(run, forging: Path, write, arguments: str):
    if arguments.startswith("topics"):
        forging = write("t.csv", f'run,topic,map\na,"{FORGED}",.5\nb,"{FORGED}",.25\n')
    done = run(*arguments.split(), forging)
    assert (done.status, done.stdout) == (2, "")
    assert r"stdeval: a line break in the name 'a\nmap" in done.stderr.splitlines()[-1]


def test_the_name_of_a_measure_forges_no_line(run, write):
    path = write("m.csv", f'run,topic,"{FORGED}"\na,1,.5\n')
    assert run("eval", "--scores", path).status == 2
    assert run("eval", "-f", "table", "--scores", path).stdout.count("\n") == 2


def test_csv_and_tables_hold_a_name_with_a_line_break(run, forging: Path):
    rows = list(
        csv.DictReader(io.StringIO(run("eval", "-q", "-f", "csv", "-n", "--scores", forging).stdout, newline=""))
    )
    assert [row["run"] for row in rows] == [FORGED, FORGED, "b", "b"]
    assert run("eval", "-f", "table", "--scores", forging).stdout.count("\n") == 3


def test_a_check_prints_one_line_for_each_condition(run, forging: Path):
    done = run("check", "--scores", forging, "--min", "map=0.5")
    assert done.status == 1
    *lines, last = done.stdout.splitlines()
    assert last == "2 of 2 conditions failed"
    assert [line.split("\t")[:2] for line in lines] == [
        ["FAIL", FORGED.replace("\n", r"\n").replace("\t", r"\t")],
        ["FAIL", "b"],
    ]


@given(
    st.sampled_from([0.05, 0.01, 0.001, 0.0123456789, 1e-7]),
    st.integers(-9, 9),
    st.sampled_from([2, 3, 5, 8, 10, 11, 14, 15]),
)
def test_a_pvalue_has_the_digits_that_show_whether_it_is_significant(alpha: float, digit: int, power: int):
    pvalue = alpha * (1 + digit * 10.0**-power)
    text = shown_pvalue(pvalue, alpha)
    assert (float(text) <= alpha) == is_significant(pvalue, alpha)
    shorter = [f"{pvalue:.{digits}g}" for digits in range(3, 13) if len(f"{pvalue:.{digits}g}") < len(text)]
    assert all((float(each) <= alpha) != is_significant(pvalue, alpha) for each in shorter)


@given(st.floats(1e-6, 1e-3), st.sampled_from([0.01, 0.05, 0.1]))
def test_a_pvalue_far_from_alpha_has_three_digits(pvalue: float, alpha: float):
    assert shown_pvalue(pvalue, alpha) == f"{pvalue:.3g}"


def test_no_measures_have_no_scores():
    assert unscored([]) == "no measure has a score per topic; expected a measure that has, such as map"
