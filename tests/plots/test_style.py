"""Files of figures: sizes, settings, the same bytes for the same input."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

from stdeval import plots
from stdeval.errors import InputError
from stdeval.plots.layout import sheet


def picture(figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    plots.save_figure(figure, buffer, kind, 100)
    return buffer.getvalue()


def small():
    return plots.weights(["rbp_p=0.8", "dcg"], np.array([[0.2, 0.16, 0.13], [1.0, 0.63, 0.5]]))


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_same_input_gives_the_same_bytes(kind, robust2004, draw_mapping):
    figure = draw_mapping(robust2004, "E")
    assert picture(figure, kind) == picture(figure, kind) == picture(draw_mapping(robust2004, "E"), kind)


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
    figure = plots.means(["$x^2$", "a_$", "caf\udce9\n<script>"], mean, mean, mean, measure="map")
    assert figure.axes[0].get_yticklabels()[2].get_text() == "$x^2$"
    assert b"<script" not in picture(figure, "svg")


@pytest.mark.parametrize("size", ["wide", "10", "85x", "85x10", "85x60x3", float("nan"), (85.0,) * 3, ""])
def test_bad_sizes_are_refused(size):
    with pytest.raises(InputError, match="expected column, page, slide"):
        sheet(size)
