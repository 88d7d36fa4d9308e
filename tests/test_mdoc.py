"""Pages as plain text: the same words as mandoc shows, in lines that fit."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from stdeval import manual
from stdeval.mdoc import rendered


def words(text: str) -> list[str]:
    """The words of a page, whatever the marks of its lists, dashes and quotes."""
    for theirs, ours in {"\u2013": "-", "\u2022": "*", "\u00a0": " ", "\u201c": "", "\u201d": ""}.items():
        text = text.replace(theirs, ours)
    return text.split()


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
@pytest.mark.parametrize("name", manual.pages())
def test_mandoc_shows_the_same_words(name: str):
    command = ["mandoc", "-Tutf8", "-O", "width=1000", manual.pages()[name]]
    shown = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    # The first and the last line have the title and the date. Bold letters are printed twice.
    body = re.sub(".\b", "", shown).split("\n", 1)[1].rstrip("\n").rsplit("\n", 1)[0]
    assert words(manual.page(name)) == words(body)


@pytest.mark.parametrize("name", manual.pages())
def test_lines_fit_unless_they_are_literal(name: str):
    source = re.sub(r"^\.Bd.*?^\.Ed", "", manual.pages()[name].read_text(encoding="utf-8"), flags=re.M | re.S)
    text = "\n".join(line for line in source.splitlines() if not line.startswith((".Dl", '.It "" Ta')))
    without_tables = re.sub(r"^\.Bl -column.*?^\.El", "", text, flags=re.M | re.S)
    assert max(map(len, rendered(without_tables, 72).splitlines())) <= 72


def test_lists_in_lists_paragraphs_and_tables():
    source = """.Sh NAME
.Nm tool
.Nd do something
.Sh DESCRIPTION
One.
Two
.Pq see Xr man 1 .
.Bl -tag -width Ds
.It Fl x , Fl \\-long Ar N
Text.
.Bl -enum -compact
.It
first
.It
second
.El
.El
.Bl -column "a" "b"
.It a Ta bb
.It ccc Ta d
.El
.Bd -literal
  kept   as it is
.Ed
"""
    assert (
        rendered(source)
        == """NAME
     tool - do something

DESCRIPTION
     One. Two (see man(1)).

     -x, --long N
             Text.
             1.  first
             2.  second
     a    bb
     ccc  d

             kept   as it is
"""
    )
