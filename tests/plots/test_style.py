"""Files of figures: kinds, sizes, fonts, the same bytes for the same input."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

from stdeval import plots
from stdeval.errors import InputError
from stdeval.plots.style import sheet


def picture(figure, kind: str, dpi: float = 300) -> bytes:
    buffer = io.BytesIO()
    plots.save_figure(figure, buffer, kind, dpi)
    return buffer.getvalue()


def small(size="column"):
    return plots.weights(["rbp_p=0.8", "dcg"], np.array([[0.2, 0.16, 0.13], [1.0, 0.63, 0.5]]), ["dcg"], size=size)


@pytest.mark.parametrize(("kind", "magic"), [("png", b"\x89PNG\r\n\x1a\n"), ("pdf", b"%PDF-"), ("svg", b"<?xml")])
def test_kinds_of_files(kind, magic, tmp_path):
    assert picture(small(), kind).startswith(magic)
    plots.save_figure(small(), tmp_path / f"picture.{kind.upper()}")
    assert (tmp_path / f"picture.{kind.upper()}").read_bytes().startswith(magic)


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_same_input_gives_the_same_bytes(kind, random_table, draw_mapping):
    table = random_table(6, 8)
    figure = draw_mapping(table, "E")
    assert picture(figure, kind, 100) == picture(figure, kind, 100)
    assert picture(figure, kind, 100) == picture(draw_mapping(table, "E"), kind, 100)
    one, other = (plots.heatmap({"raw": table}) for _ in range(2))
    assert picture(one, kind, 100) == picture(other, kind, 100)


def test_own_settings_change_nothing_and_stay():
    import matplotlib

    plain = picture(small(), "svg")
    with matplotlib.rc_context({"axes.facecolor": "red", "font.size": 30, "svg.fonttype": "none"}):
        before = dict(matplotlib.rcParams)
        assert picture(small(), "svg") == plain
        assert dict(matplotlib.rcParams) == before


def test_imports_matplotlib_late_and_never_pyplot():
    code = (
        "import sys, io, numpy as np; from stdeval import plots; assert 'matplotlib' not in sys.modules;"
        "plots.save_figure(plots.weights(['dcg'], np.ones((1, 3))), io.BytesIO(), 'png');"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PATH": ""})


def test_says_how_to_install_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    with pytest.raises(InputError, match=r"pip install 'stdeval\[plot\]'"):
        small()


def test_tags_are_no_markup():
    mean = np.array([0.2, 0.3, 0.4])
    systems = ["$x^2$", "a_$", "caf\udce9\n<script>"]
    figure = plots.means(systems, mean, mean - 0.1, mean + 0.1, measure="map")

    assert figure.axes[0].get_yticklabels()[2].get_text() == "$x^2$"
    assert b"script" not in picture(figure, "svg").replace(b"<!-- ", b"")[:200]


@pytest.mark.parametrize("size", ["wide", "10", "85x", "85x10", "85x60x3", float("nan"), (85.0,) * 3, ""])
def test_bad_sizes_are_refused(size):
    with pytest.raises(InputError, match="expected column, page, slide"):
        sheet(size)


@pytest.mark.parametrize("kind", ["gif", None])
def test_bad_files_are_refused(kind):
    with pytest.raises(InputError, match="expected one of: png, svg, pdf"):
        plots.save_figure(small(), io.BytesIO(), kind)
