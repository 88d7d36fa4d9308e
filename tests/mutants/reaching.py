"""Which test files reach which functions of the package.

A test that does not enter a function cannot notice a change in it.
"""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

TRACING = Path(__file__).parent / "tracing"

Place = tuple[str, int]
"""A path in the package and the first line of a function, decorators included, or 0 for what is run at import."""


class Reach(NamedTuple):
    """The places that a test file reaches, and the seconds that it takes."""

    seconds: float
    places: frozenset[Place]


def place_of(path: Path, source: str, line: int) -> Place:
    """Return the function whose body has a line, the innermost one.

    Examples
    --------
    >>> source = "@cache\\ndef f(x=1):\\n    def g():\\n        return x\\n    return g\\n"
    >>> [place_of(Path("stdeval/stats/f.py"), source, line)[1] for line in range(1, 6)]
    [0, 0, 1, 3, 1]
    """
    first = 0
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno <= line <= (node.end_lineno or 0):
            first = max(first, min([node.lineno, *(each.lineno for each in node.decorator_list)]))
    return (path.relative_to("stdeval").as_posix(), first)


def _entered(log: Path) -> frozenset[Place]:
    """Return the places in a file that the tracing wrote; anything of a module means that it was imported."""
    lines = log.read_text().splitlines() if log.exists() else []
    entered = {(name, int(first)) for name, _, first in (line.partition("\t") for line in lines)}
    return frozenset(entered | {(name, 0) for name, _ in entered})


def trace(log: Path, run: Callable[[dict[str, str]], bool]) -> tuple[Reach, bool]:
    """Return what is reached by the processes that `run` starts with the given environment, and what it returns."""
    log.unlink(missing_ok=True)
    begun = time.monotonic()
    returned = run({"STDEVAL_ENTERED": str(log), "PYTHONPATH": str(TRACING)})
    return Reach(time.monotonic() - begun, _entered(log)), returned


def reaching(place: Place, reaches: dict[str, Reach]) -> list[str]:
    """Return the test files that reach a place, fastest first."""
    return sorted(
        (test for test, reach in reaches.items() if place in reach.places), key=lambda test: reaches[test].seconds
    )


def store(reaches: dict[str, Reach], path: Path) -> None:
    """Write what the test files reach to a file."""
    path.write_text(json.dumps({test: [reach.seconds, sorted(reach.places)] for test, reach in reaches.items()}))


def load(path: Path) -> dict[str, Reach]:
    """Read what `store` has written."""
    stored = json.loads(path.read_text())
    return {
        test: Reach(seconds, frozenset((name, first) for name, first in places))
        for test, (seconds, places) in stored.items()
    }
