"""Select the measures and the runs of a table that the options name."""

from __future__ import annotations

from collections.abc import Sequence

from stdeval.commands.input_options import InputOptions
from stdeval.commands.judgments import warn_of_ranked
from stdeval.commands.messages import warn, warn_all
from stdeval.display import about_unscored, counted, listed
from stdeval.doubtful_scores.missing_scores import common_topics_told
from stdeval.doubtful_scores.rankings import about_unknown_direction
from stdeval.errors import InputError
from stdeval.measures.facts import is_better_higher, kind_of
from stdeval.named_columns import named_measures
from stdeval.stats.best import best_systems, number_of_best
from stdeval.stats.coverage import coverage
from stdeval.table import ScoreTable


def best_runs(options: InputOptions, table: ScoreTable) -> list[int]:
    """Return the indices of the best runs, and say how many are left out."""
    assert options.best is not None
    measure = ranking_measure(options, table)
    warn_all(about_unknown_direction([measure]))
    warn_of_ranked(options, [measure], table)
    scores = table.measure(measure)
    facts = coverage(scores)
    if not facts.ranked.any() or not facts.complete[facts.ranked].all():
        found = "fewer than two runs have all topics that more than half of the runs have"
        expected = (
            "complete runs" if options.score_files else "complete runs, or -c, which counts missing topics as 0"
        )
        raise InputError(f"--best {options.best}: {found}, expected {expected}")
    kept = best_systems(scores, facts, options.best, better_higher=is_better_higher(measure))
    incomplete = int((~facts.ranked).sum())
    told = f" ({incomplete} of them incomplete: without topics that most runs have)" if incomplete else ""
    n_left_out = int((~kept).sum())
    everything = "both" if len(kept) == 2 else f"all {len(kept)}"
    number = f"{n_left_out} of {len(kept)} runs left out" if n_left_out else f"{everything} runs are kept"
    n_tied = int(kept.sum()) - number_of_best(options.best, int(facts.ranked.sum()))
    tied = _tied_told(n_left_out, n_tied) if n_tied else ""
    over = f" over the {common_topics_told(facts)}" if facts.is_reduced else ""
    warn(f"--best {options.best} by mean {measure}{over}: {number}{told}{tied}")
    return [i for i, keep in enumerate(kept) if keep]


def _tied_told(n_left_out: int, n_tied: int) -> str:
    """Say why fewer runs are left out than `--best` names."""
    have = "has" if n_tied == 1 else "have"
    why = f"because {counted(n_tied, 'more run')} {have} the same mean as the last of the best"
    return f", not {n_left_out + n_tied}, {why}" if n_left_out else f", {why}"


def ranking_measure(options: InputOptions, table: ScoreTable) -> str:
    """Return the measure of ``--best``: the first score of those named, in their order, or of the table."""
    names = [name for text in options.measures for name in named_measures(table.measures, text)] or table.measures
    score = next((name for name in names if kind_of(name) == "score"), None)
    if score is None:
        raise InputError(f"--best {options.best}: {about_unscored(names)}")
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
