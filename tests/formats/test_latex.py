"""LaTeX tables: what is bold, what has a dagger, and that names cannot break them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stdeval.formats.latex import escaped, means_table

# The ten characters that TeX gives a meaning (Lamport, LaTeX: A document preparation system, section 2.1).
SPECIAL = "&%$#_{}~^\\"


def test_best_of_every_column_is_bold_and_marks_are_daggers() -> None:
    means = np.array([[0.5, 0.1], [0.25, 0.3], [np.nan, 0.3]])
    marked = np.array([[False, True], [True, False], [False, True]])
    rows = means_table(["a", "b_1", "c"], ["map", "P_10"], means, marked, ["how"]).splitlines()
    assert rows[1] == "% how"
    assert rows[4] == r" & map & P\_10 \\"
    assert rows[6:9] == [
        r"a & \textbf{0.5000} & 0.1000$^{\dagger}$ \\",
        r"b\_1 & 0.2500$^{\dagger}$ & \textbf{0.3000} \\",
        r"c & -- & \textbf{0.3000}$^{\dagger}$ \\",
    ]


@given(st.text())
def test_no_character_of_a_name_has_a_meaning(name: str) -> None:
    text = escaped(name)
    for command in ("textasciitilde", "textasciicircum", "textbackslash", "textless", "textgreater"):
        text = text.replace(f"\\{command}{{}}", "")
    for character in SPECIAL:
        text = text.replace(f"\\{character}", "")
    assert not set(text) & set(SPECIAL)
    assert "\n" not in text
