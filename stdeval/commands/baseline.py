"""Find the baseline of `stdeval check`: one of the runs, or the file of another run or of its scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from stdeval.commands.input_options import InputOptions
from stdeval.commands.inputs import read_table
from stdeval.commands.judgments import takes_scores
from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.files import Input, display_name, exists, is_same_file
from stdeval.formats.readers import file_kind
from stdeval.formats.scores_csv import read_scores
from stdeval.gate.scores import require_judged_topics, require_same_topics
from stdeval.named_columns import measures_in, named_measures
from stdeval.table import ScoreTable, rows_for
from stdeval.trec.lines import RUN_FORM

_SCORES_FORM = "a CSV of scores (run,topic,MEASURE,...)"


def run_or_file(inputs: InputOptions, baseline: str, systems: Sequence[str]) -> int | None:
    """Return the index of the run that a baseline is, or None if it is a file that is not among the runs.

    Parameters
    ----------
    inputs : InputOptions
    baseline : str
        The name of a run, or a file.
    systems : sequence of str
        The names of the runs.

    Raises
    ------
    InputError
        If it is neither, or if it is the name of a run and also the file of something else.
    """
    runs = inputs.files[1:]
    named = list(systems).index(baseline) if baseline in systems else None
    if baseline != "-" and not _is_file(baseline) and baseline not in runs:
        if named is None:
            what = (
                f"no run '{baseline}'{', which is a directory' if Path(baseline).is_dir() else ' and no such file'}"
            )
            raise InputError(f"{what}, expected one of: {listed(systems, 20)}, or the file of a baseline")
        return named
    given = next((i for i, path in enumerate(runs) if path == baseline or is_same_file(path, baseline)), None)
    if named is None or named == given:
        return given
    as_run = f"'{runs[named]}'" if runs else "another name"
    raise InputError(
        f"baseline '{baseline}' is the name of a run and of a file, expected './{baseline}' for the file, "
        f"or {as_run} for the run"
    )


def _is_file(path: str) -> bool:
    """Return whether a path can be read; a pipe can, a folder cannot."""
    return exists(path) and not Path(path).is_dir()


def read_baseline(
    inputs: InputOptions,
    path: str,
    table: ScoreTable,
    needed: Collection[str],
    *,
    allow_other_judgments: bool = False,
) -> ScoreTable:
    """Read the raw scores of a baseline that is not among the runs, by the measures and on the topics of theirs.

    Parameters
    ----------
    inputs : InputOptions
        How the runs were evaluated, and so the baseline, unless its scores are stored.
    path : str
        A run, or a scores CSV with one run.
    table : ScoreTable
        The raw scores of the runs.
    needed : collection of str
        Measures that stored scores must have; they may be without others of the runs.
    allow_other_judgments : bool
        Accept stored scores without some of the judged topics.

    Raises
    ------
    InputError
        If the file has several runs, other topics than the runs, or does not have a needed measure.
    """
    source = Input(path)
    if any(is_same_file(path, each.path) for each in inputs.score_files):
        raise InputError("the baseline is also given with --scores, expected another file", source.name)
    kind = file_kind(source)
    if kind == "scores":
        stored = read_scores(source)
        if not allow_other_judgments:
            require_judged_topics(stored, source.name)
        return _of_runs(stored, source.name, table, inputs, needed)
    if takes_scores(inputs):
        raise InputError(f"expected {_SCORES_FORM}, as --scores", source.name)
    if kind == "empty":
        expected = f"expected a run (lines of: {RUN_FORM}) or {_SCORES_FORM}"
        raise InputError(f"no entries, {expected}", source.name)
    # The baseline is often an older version of the run, with the same tag.
    asked = inputs._replace(files=(inputs.files[0], path), measures=table.measures, label="file")
    # A pipe can be read only once, and has been read already.
    with source.shared():
        return read_table(asked, gaps="refuse").select(topics=table.topics, measures=table.measures)


def _of_runs(
    stored: ScoreTable, name: str, runs: ScoreTable, inputs: InputOptions, needed: Collection[str]
) -> ScoreTable:
    """Return the stored scores of a baseline, on the topics of the runs.

    Measures that the file does not have are left out, unless they are needed.
    """
    if len(stored.systems) > 1:
        found = f"{len(stored.systems)} runs ({listed(stored.systems, 20)})"
        raise InputError(f"{found}, expected the scores of one run", name)
    measures = [each for each in runs.measures if each in needed or named_measures(stored.measures, each)]
    try:
        kept = stored.select(
            measures=[column for each in measures for column in measures_in(stored.measures, [each])]
        )
    except InputError as error:
        raise error.at(name) from None
    # Runs are evaluated on all topics of the qrels, so only the qrels can be without a topic of the baseline.
    without = "the runs do" if takes_scores(inputs) else f"{display_name(inputs.files[0])} does"
    require_same_topics(kept, runs.topics, without, name)
    values = rows_for(kept.values[0], kept.topics, runs.topics)[np.newaxis]
    return replace(kept, topics=runs.topics, measures=tuple(measures), values=values)
