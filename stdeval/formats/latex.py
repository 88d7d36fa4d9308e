"""Tables for papers, in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdeval.table import Bools, Floats

_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it stands; what cannot be printed is a question mark.

    Examples
    --------
    >>> print(escaped("bm25_k1=0.9 & 50%"))
    bm25\_k1=0.9 \& 50\%
    """
    return "".join(_SPECIAL.get(c, c) if c.isprintable() else "?" for c in text)


def means_table(
    systems: Sequence[str], measures: Sequence[str], means: Floats, marked: Bools, notes: Sequence[str] = ()
) -> str:
    r"""A tabular with a row a system and a column a measure: the best in bold, daggers on what is marked.

    Parameters
    ----------
    systems, measures : sequence of str
    means : ndarray, shape (n_systems, n_measures)
        NaN is missing.
    marked : ndarray of bool, shape (n_systems, n_measures)
    notes : sequence of str
        Lines that stand before the table as comments.

    Returns
    -------
    str
        It needs the package booktabs, which its first line says.

    Examples
    --------
    >>> print(means_table(["a", "b"], ["map"], np.array([[0.5], [0.25]]), np.array([[False], [True]])))
    % needs the package booktabs
    \begin{tabular}{lr}
    \toprule
     & map \\
    \midrule
    a & \textbf{0.5000} \\
    b & 0.2500$^{\dagger}$ \\
    \bottomrule
    \end{tabular}
    """
    best = np.fmax.reduce(means, axis=0)
    lines = [f"% {escaped(note)}" for note in ("needs the package booktabs", *notes)]
    lines += [rf"\begin{{tabular}}{{l{'r' * len(measures)}}}", r"\toprule"]
    lines += [" & ".join(["", *map(escaped, measures)]) + r" \\", r"\midrule"]
    for system, row, dagger in zip(systems, means, marked, strict=True):
        cells = [_cell(*each) for each in zip(row.tolist(), (row == best).tolist(), dagger.tolist(), strict=True)]
        lines.append(" & ".join([escaped(system), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _cell(mean: float, best: bool, marked: bool) -> str:
    number = "--" if np.isnan(mean) else f"{mean:.4f}"
    return (rf"\textbf{{{number}}}" if best else number) + (r"$^{\dagger}$" if marked else "")
