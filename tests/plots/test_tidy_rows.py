"""Rows of tidy CSV files, as figures take them."""

from __future__ import annotations

import pytest

from stdeval import plots

CURVE = {"collection": ["a", None], "measure": ["map", "map"], "scheme": ["raw", "N"]}
ROWS = {
    "power": {**CURVE, "alpha": [0.01, 0.05], "power": [0.5, 0.68]},
    "plan": {**CURVE, "n": [10, 50], "difference": [0.21, 0.084]},
    "references": {**CURVE, "size": [5, 10], "median": [0.9, 0.95], "tau_raw": [0.8, None]},
    "reliability": {**CURVE, "quantity": ["erho2"] * 2, "at": [25, 50], "value": [0.8, 0.89]},
    "split": {"aggregate": ["egm", "am"], "epsilon": [0.01, None], "tau": [0.8, 0.78]},
    "tau": {"scheme": ["raw"] * 3, "value": [0.7, 0.8, 0.75]},
    "depth": {"pool_depth": [5, 5, 10], "depth": [5, 10, 10], "power": [0.6, 0.65, 0.66]},
    "drmse": {**CURVE, "drmse": [0.583, 0.4], "low": [0.5, None], "high": [0.6, None]},
    "aggregates": {
        "aggregate": ["egm", "egm"],
        "epsilon": [0.01, 0.01],
        "aggregate_b": ["am", "gm"],
        "epsilon_b": [None, None],
        "low": [56, 57],
        "difference": [0.071, 0.08],
    },
}


@pytest.mark.parametrize("name", ROWS)
def test_data_frames_are_drawn_as_the_same_columns_are(name: str):
    """A missing cell of a data frame is NaN, also among labels; that of a CSV file is empty."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = {column: ["" if cell is None else cell for cell in cells] for column, cells in ROWS[name].items()}
    draw = getattr(plots, name)
    pictures = [_texts_and_lines(draw(given)) for given in (rows, pd.DataFrame(ROWS[name]))]
    assert pictures[0] == pictures[1]
    assert not any("nan" in text for text in pictures[1][0])


def _texts_and_lines(figure):
    texts = [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]
    lines = [line.get_xydata().tolist() for axes in figure.axes for line in axes.get_lines()]
    return texts, str(lines)
