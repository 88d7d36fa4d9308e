"""Levels and gains in the names of measures that contradict the options."""

from __future__ import annotations

from collections.abc import Sequence

from stdeval.errors import InputError
from stdeval.measures.parameters import Measure


def check_gains(measures: Sequence[Measure], binary: bool) -> None:
    """Refuse a level where gains are the judgments, and gains of judgments above 1 where all become 0 or 1."""
    for measure in measures:
        if measure.level is not None and measure.family.has_gains and not binary:
            what = f"{measure.name}: gains are the judgments, whatever the level is"
            raise InputError(f"{what}, expected no level, or --binary for gains of 1 from level {measure.level} on")
        levels = [gain.partition("=")[0] for gain in measure.parameter.split(",")]
        if binary and measure.family.parameter == "gains" and not {"", "0", "1"}.issuperset(levels):
            raise InputError(f"{measure.name}: --binary makes all judgments 0 or 1, expected gains of 0 and 1 only")
