"""The targets by name, and the cases of each, which a seed and a number make again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from . import mutations, reading, scoring, standardizing

Case = Callable[[Random, Path], str]

TARGETS: dict[str, Case] = {
    module.__name__.rpartition(".")[2]: module.case for module in (reading, scoring, standardizing, mutations)
}


def run_case(name: str, seed: object, number: int, folder: Path) -> str:
    """Run one case of a target; return what is wrong with its outcome, or nothing."""
    return TARGETS[name](Random(f"{name}/{seed}/{number}"), folder)
