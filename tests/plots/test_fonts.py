"""Characters that DejaVu Sans does not have: drawn by another font, or as boxes."""

from __future__ import annotations

import pytest

from stdeval.plots.style import other_fonts, without_font


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


def test_characters_without_a_font_do_no_harm(only_dejavu, run, tmp_path):
    scores = tmp_path / "scores.csv"
    scores.write_text("run,topic,map\n清华一,1,0.1\n清华一,2,0.3\nb,1,0.5\nb,2,0.2\n")
    done = run("plot", "means", "--scheme", "raw", "--scores", scores, "-o", tmp_path / "means.png")
    assert (done.status, "Glyph" in done.stderr) == (0, False)
