"""Select the measures and the runs of a table that the options name."""

from __future__ import annotations

from collections.abc import Sequence

from stdeval.commands.input_options import InputOptions
from stdeval.commands.set_aside import warn_of_set_aside
from stdeval.display import listed, unscored
from stdeval.errors import InputError
from stdeval.measures.facts import is_better_higher, kind_of
from stdeval.named_columns import named_measures
from stdeval.stats.best import best_systems
from stdeval.stats.coverage import coverage
from stdeval.table import ScoreTable


def best_runs(options: InputOptions, table: ScoreTable) -> list[int]:
    """Return the indices of the best runs."""
    assert options.best is not None
    measure = ranking_measure(options, table)
    scores = table.measure(measure)
    facts = coverage(scores)
    if not facts.ranked.any() or not facts.complete[facts.ranked].all():
        found = "fewer than two runs have all topics that more than half of the runs have"
        expected = (
            "complete runs" if options.score_files else "complete runs, or -c, which counts missing topics as 0"
        )
        raise InputError(f"--best {options.best}: {found}, expected {expected}")
    warn_of_set_aside(facts, table.systems, f"left out by --best {options.best}")
    kept = best_systems(scores, facts, options.best, better_higher=is_better_higher(measure))
    return [i for i, keep in enumerate(kept) if keep]


def ranking_measure(options: InputOptions, table: ScoreTable) -> str:
    """Return the measure of ``--best``: the first score of those named, in their order, or of the table."""
    names = [name for text in options.measures for name in named_measures(table.measures, text)] or table.measures
    score = next((name for name in names if kind_of(name) == "score"), None)
    if score is None:
        raise InputError(f"--best {options.best}: {unscored(names)}")
    return score


def system_index(options: InputOptions, name: str, systems: Sequence[str]) -> int:
    """Return the index of the system of this name, or of the run whose file was given by this name.

    Raises
    ------
    InputError
        If there is none, or if it is the name of one run and of the file of another.
    """
    runs = options.files[1:]
    named = list(systems).index(name) if name in systems else None
    # Without the runs that --best leaves out, the places of the files are not those of the systems.
    given = runs.index(name) if name in runs and options.best is None else None
    if named is not None and given not in (None, named):
        expected = f"expected '{runs[named]}' for the one, or --label file for the other"
        raise InputError(f"'{name}' is the name of a run and the file of another, {expected}")
    found = given if named is None else named
    if found is not None:
        return found
    among = "" if options.best is None else f" among those that --best {options.best} keeps"
    raise InputError(f"no run '{name}'{among}, expected one of: {listed(systems, 20)}")
