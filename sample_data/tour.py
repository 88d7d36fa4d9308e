"""Run the cells of the notebook, and write them with their outputs: `python sample_data/tour.py [NOTEBOOK]`.

The cells are run here and not by Jupyter, so that the tests need neither a kernel nor its thirty packages.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parent / "tour.ipynb"


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with the outputs of its cells, which run in the folder of the sample data."""
    names: dict[str, Any] = {}
    cells = []
    number = 0
    with folder(NOTEBOOK.parent):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                outputs = outputs_of("".join(cell["source"]), names, number)
                cells.append({**cell, "execution_count": number, "outputs": outputs})
            else:
                cells.append(cell)
    return {**notebook, "cells": cells}


def outputs_of(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell, and return what it prints, and the value of its last line if that is an expression."""
    body = ast.parse(source).body
    last = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        value = None if last is None else eval(compile(last, "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        data = representations(value)
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def representations(value: object) -> dict[str, Any]:
    """Return what Jupyter asks an object for: its text, its HTML and its picture."""
    data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    # a figure of matplotlib has this, but returns None
    html = value._repr_html_() if hasattr(value, "_repr_html_") else None
    if html is not None:
        data["text/html"] = html.splitlines(keepends=True)
    if hasattr(value, "_repr_png_"):
        data["image/png"] = base64.b64encode(value._repr_png_()).decode()
    return data


@contextlib.contextmanager
def folder(path: Path):
    """Work in a folder; Python 3.10 has no contextlib.chdir."""
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


def make(target: Path) -> None:
    """Write the notebook with fresh outputs, in the form in which Jupyter writes it."""
    notebook = run(json.loads(NOTEBOOK.read_text(encoding="utf-8")))
    text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False)
    target.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1] if len(sys.argv) > 1 else NOTEBOOK).resolve())
