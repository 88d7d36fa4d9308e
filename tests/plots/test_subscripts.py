"""Coefficients such as tau_b have subscripts; no other text becomes a formula."""

from __future__ import annotations

import pytest
from matplotlib.text import Text

from stdeval import plots

ONE = {"measure": ["map"] * 4, "coefficient": ["tau_b", "tau_ap_b"] * 2, "value": [0.7, 0.8, 0.75, 0.85]}


@pytest.mark.parametrize("size", ["column", "page", "slide"])
def test_coefficients_have_subscripts(size, check_texts):
    figure = plots.tau(ONE, size=size)
    check_texts(figure)
    titles = [axes._left_title for axes in figure.axes]
    assert [text.get_text() for text in titles] == [r"$\mathregular{τ_{b}}$", r"$\mathregular{τ_{AP{,}b}}$"]
    assert all(text.get_parse_math() for text in titles)


def test_names_with_dollar_signs_are_not_formulas():
    rows = {"collection": ["$x_1$", "b"], "size": [5, 5], "median": [0.4, 0.5]}
    titles = [axes._left_title for axes in plots.references(rows).axes]
    assert [(text.get_text(), text.get_parse_math()) for text in titles] == [("$x_1$", False), ("b", False)]
    of_one = plots.aggregates(
        {
            "collection": ["$x_1$"] * 2,
            "measure": ["$m"] * 2,
            "aggregate": ["egm", "gm"],
            "aggregate_b": ["am"] * 2,
            "low": [0.5] * 2,
            "difference": [0.1] * 2,
        }
    )
    assert of_one.get_supylabel().replace("\n", " ") == r"\$x_1\$, \$m: difference of mean $\mathregular{τ_{b}}$"


def test_labels_with_characters_of_other_fonts_are_not_formulas():
    rows = {
        **ONE,
        "measure": ["検索"] * 2 + ["map"] * 2,
        "scheme": ["raw", "N"] * 2,
        "coefficient": ["tau_b", "r"] * 2,
    }
    texts = plots.tau({**rows, "value": [0.7] * 4}).findobj(Text)
    assert [text.get_text() for text in texts if text.get_parse_math()] != []
    assert not any(text.get_parse_math() for text in texts if "検" in text.get_text())
