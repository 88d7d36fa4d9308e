"""Characters that DejaVu Sans does not have: drawn by another font, or named in one warning."""

from __future__ import annotations

import pytest

from stdeval.plots.fonts import other_fonts, packages, without_font


@pytest.fixture
def only_dejavu(monkeypatch):
    """Let matplotlib find no fonts but its own, DejaVu and the one of last resort among them."""
    from matplotlib.font_manager import fontManager

    own = [entry for entry in fontManager.ttflist if entry.name.startswith(("DejaVu", "Last Resort"))]
    monkeypatch.setattr(fontManager, "ttflist", own)


def test_a_font_of_last_resort_is_not_used(only_dejavu):
    assert other_fonts("検a") == ()
    assert without_font("検aΩ") == {"検"}


def test_a_font_that_has_the_character_is_found():
    # STIXGeneral, which comes with matplotlib, has this symbol
    symbol = "\u306e"
    assert without_font(symbol) == {symbol}
    found = other_fonts(symbol)
    assert found
    assert without_font(symbol, found) == set()


def test_one_warning_names_the_font_to_install(only_dejavu, run, tmp_path):
    scores = tmp_path / "scores.csv"
    scores.write_text("run,topic,map\n清华一,1,0.1\n清华一,2,0.3\nb,1,0.5\nb,2,0.2\n")
    done = run("plot", "means", "--scheme", "raw", "--scores", scores, "-o", tmp_path / "means.png")
    (line,) = [line for line in done.stderr.splitlines() if "font" in line]
    assert "no installed font has 3 characters (一, 华, 清)" in line
    assert packages("清") in line
    assert done.status == 0
