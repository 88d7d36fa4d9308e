"""Files of figures: kinds, sizes, fonts, the same bytes for the same input."""

from __future__ import annotations

import io
import pickle
import struct
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from stdeval import plots
from stdeval.errors import InputError
from stdeval.plots.style import COLOURS, DASHES, MARKERS, look, sheet


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


@pytest.mark.parametrize(
    ("size", "dpi", "width"), [("column", 300, 85), ("page", 100, 175), ("slide", 96, 254), (60.0, 254, 60)]
)
def test_png_is_as_wide_as_its_size(size, dpi, width):
    pixels = struct.unpack(">I", picture(small(size), "png", dpi)[16:20])[0]
    assert pixels == int(width / 25.4 * dpi)


def test_height_is_kept_where_it_is_given():
    header = picture(small("127x76.2"), "png", 100)[16:24]
    assert struct.unpack(">II", header) == (500, 300)


def test_svg_measures_in_points_and_its_text_can_be_searched():
    root = ElementTree.fromstring(picture(small(), "svg"))
    assert root.get("width") == f"{85 / 25.4 * 72:.6f}pt"
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    texts = [element for element in root.iter() if element.tag.endswith("}text")]
    assert {"rank", "weight of the rank"} <= {element.text for element in texts}
    assert all("'DejaVu Sans', Verdana, sans-serif" in element.get("style", "") for element in texts)
    assert "metadata" not in names


def test_pdf_embeds_truetype():
    document = picture(small(), "pdf")
    assert b"/FontFile2" in document
    assert b"/Type3" not in document


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


def test_tags_are_no_markup(check_texts):
    mean = np.array([0.2, 0.3, 0.4])
    systems = ["$x^2$", "a_$", "caf\udce9\n<script>"]
    figure = plots.means(systems, mean, mean - 0.1, mean + 0.1, measure="map")
    check_texts(figure)
    assert figure.axes[0].get_yticklabels()[2].get_text() == "$x^2$"
    assert b"script" not in picture(figure, "svg").replace(b"<!-- ", b"")[:200]


@pytest.mark.parametrize("size", ["wide", "10", "85x", "85x10", "85x60x3", float("nan"), (85.0,) * 3, ""])
def test_bad_sizes_are_refused(size):
    with pytest.raises(InputError, match="expected column, page, slide"):
        sheet(size)


@pytest.mark.parametrize(("kind", "dpi"), [("gif", 300), (None, 300), ("png", 0), ("png", float("nan"))])
def test_bad_files_are_refused(kind, dpi):
    with pytest.raises(InputError, match="expected"):
        plots.save_figure(small(), io.BytesIO(), kind, dpi)


def test_a_size_in_which_texts_do_not_fit_is_refused_with_one_in_which_they_do(random_table, by_scheme):
    table = random_table(5, 6)
    panels = by_scheme(table, ("raw", "N", "U", "E"))
    with pytest.raises(InputError, match=r"no room for .* expected more, such as") as refused:
        plots.topics(table, panels, size="40x40")
    plots.topics(table, panels, size=str(refused.value).split()[-1])


def test_series_differ_without_colour():
    seen = {(look(i)["linestyle"], look(i)["marker"]) for i in range(len(DASHES) * len(MARKERS))}
    assert len(seen) == len(DASHES) * len(MARKERS)
    assert len({look(i)["color"] for i in range(7)}) == len(COLOURS)


def test_notebooks_show_a_figure_even_without_pyplot():
    figure = small()
    # the width is the first number of a png's header, 16 bytes from its beginning
    (width,) = struct.unpack(">I", figure._repr_png_()[16:20])
    assert width == int(figure.get_figwidth() * 100)
    assert pickle.loads(pickle.dumps(figure))._repr_png_() == figure._repr_png_()
