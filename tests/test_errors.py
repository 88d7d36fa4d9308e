"""Names on their way out: no name forges a line, a score or a colour, whatever file it comes from."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval.errors import displayed, displayed_lines
from stdeval.noise import is_significant, shown_pvalue

ESCAPE = "\x1b]0;title\x07"
BIDI = "\u202e\u2066"
NAME = f"a{ESCAPE}{BIDI}z"
ESCAPED = r"a\x1b]0;title\x07\u202e\u2066z"
DIRECTIONS = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
FORGED = "a\nmap                   \tall\t0.9999"


def is_unsafe(character: str) -> bool:
    """Return whether it is a control character or separator of lines, has no width, or changes the direction."""
    category, direction = unicodedata.category(character), unicodedata.bidirectional(character)
    no_width = category == "Cf" and direction == "BN"
    mark = unicodedata.name(character, "") in {"LEFT-TO-RIGHT MARK", "RIGHT-TO-LEFT MARK", "ARABIC LETTER MARK"}
    return no_width or mark or category in {"Cc", "Zl", "Zp"} or direction in DIRECTIONS


def test_exactly_the_unsafe_characters_of_unicode_are_escaped():
    changed = {c for c in map(chr, range(sys.maxunicode + 1)) if displayed(c) != c}
    bytes_of_c1 = {chr(0xDC00 + byte) for byte in range(0x80, 0xA0)}
    assert changed == {c for c in map(chr, range(sys.maxunicode + 1)) if is_unsafe(c)} | bytes_of_c1


@given(st.text())
def test_what_is_displayed_is_one_line_and_safe(text: str):
    shown = displayed(text)
    assert not any(map(is_unsafe, shown))
    assert displayed(shown) == shown
    assert len(shown.splitlines()) == (text != "")
    assert displayed_lines(text).split("\n") == [
        "\t".join(map(displayed, line.split("\t"))) for line in text.split("\n")
    ]


def test_stderr_is_one_line_without_control_characters(run, write):
    scores = write("s.csv", f'run,topic,map\n"{NAME}",1,.5\n"{NAME}",2,.25\nb,1,.25\nb,2,.5\n')
    done = run("compare", "--scores", scores, "--baseline", f"c{ESCAPE}\nstdeval: done")
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    refused = r"stdeval: no run 'c\x1b]0;title\x07\nstdeval: done', expected one of: "
    assert done.stderr.startswith(refused + ESCAPED)
    factors = write("factors.csv", f'topic,n,map.mean,map.sd\n1,10,.5,.1\n"x{ESCAPE}",10,.5,.1\n')
    other = write("t.csv", f'run,topic,map\na,1,.5\na,"{NAME}",.5\n')
    warned = run("standardize", "-F", factors, "--scores", other)
    assert warned.status == 0
    assert ESCAPED in warned.stderr
    assert ESCAPE not in warned.stderr


@pytest.mark.parametrize("command", ["eval", "standardize", "compare", "topics -n"])
def test_a_name_that_would_forge_a_line_is_refused_in_text(run, write, command: str):
    rows = f'"{FORGED}",1,.5\n"{FORGED}",2,.25\nb,1,.25\nb,2,.5\n'
    if command.startswith("topics"):
        rows = f'a,"{FORGED}",.5\nb,"{FORGED}",.25\n'
    done = run(*command.split(), "--scores", write("s.csv", "run,topic,map\n" + rows))
    assert (done.status, done.stdout) == (2, "")
    assert r"stdeval: a line break in the name 'a\nmap" in done.stderr.splitlines()[-1]


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
