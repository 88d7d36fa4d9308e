"""Find the baseline of `stdeval check`: one of the runs, or the file of another run or of its scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from stdeval.commands.input_options import InputOptions
from stdeval.commands.inputs import read_table
from stdeval.commands.joined_files import report_missing_newlines
from stdeval.commands.judgments import takes_scores
from stdeval.commands.messages import warn, warn_all
from stdeval.commands.score_files import about_stored_relevant
from stdeval.comparability import undecided_origins
from stdeval.display import listed
from stdeval.documents.retrieved import Retrieved
from stdeval.doubtful_scores.impossible_scores import refuse_impossible_scores
from stdeval.doubtful_scores.stored_scores import (
    about_doubtful_scores,
    about_mean_relevant,
    about_unscored_topics,
)
from stdeval.errors import InputError
from stdeval.files import Input, display_name, exists, is_same_file
from stdeval.formats.readers import file_kind
from stdeval.formats.scores_csv import read_scores
from stdeval.gate.scores import require_same_topics
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
        Warn of other numbers of relevant documents, rather than refuse them.

    Raises
    ------
    InputError
        If the file has several runs, other topics than the runs or other judgments, or does not have a needed
        measure.
    """
    source = Input(path)
    if any(is_same_file(path, each.path) for each in inputs.score_files):
        raise InputError("the baseline is also given with --scores, expected another file", source.name)
    kind = file_kind(source)
    if kind == "scores":
        stored = read_scores(source)
        read = _read_stored(stored, source, table, inputs, needed)
        from_scores = takes_scores(inputs)
        other = about_other_means(stored, table) if from_scores else about_stored_relevant(stored, inputs)
        if other is not None and not allow_other_judgments:
            raise InputError(f"{other}; expected a baseline with the judgments of the runs", source.name)
        unscored = about_unscored_topics(stored)
        if unscored is not None and not allow_other_judgments:
            raise InputError(f"{unscored}, expected scores of all of them", source.name)
        warn_all(filter(None, (other, unscored)))
        warn_all(f"{source.name}: {message}" for message in about_doubtful_scores(stored, read))
        return read
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


def _read_stored(
    stored: ScoreTable, source: Input, runs: ScoreTable, inputs: InputOptions, needed: Collection[str]
) -> ScoreTable:
    """Return the stored scores of a baseline, on the topics of the runs.

    Measures that the file does not have are left out, unless they are needed.
    """
    name = source.name
    report_missing_newlines([source], "refuse")
    if len(stored.systems) > 1:
        found = f"{len(stored.systems)} runs ({listed(stored.systems, 20)})"
        raise InputError(f"{found}, expected the scores of one run", name)
    measures = [each for each in runs.measures if each in needed or named_measures(stored.measures, each)]
    table = runs.select(measures=measures)
    try:
        columns = [name for measure in table.measures for name in measures_in(stored.measures, [measure])]
    except InputError as error:
        raise error.at(name) from None
    kept = stored.select(measures=columns)
    refuse_impossible_scores(kept, name)
    # Runs are evaluated on all topics of the qrels, so only the qrels can be without a topic of the baseline.
    without = "the runs do" if takes_scores(inputs) else f"{display_name(inputs.files[0])} does"
    require_same_topics(kept, table.topics, without, name)
    if (undecided := undecided_origins(stored, runs if takes_scores(inputs) else None)) is not None:
        warn(undecided)
    values = rows_for(kept.values[0], kept.topics, table.topics)[np.newaxis]
    return ScoreTable(
        kept.systems,
        table.topics,
        table.measures,
        values,
        kept.origins,
        unretrieved=stored.unretrieved,
        retrieved=kept.retrieved,
        qrels=kept.qrels,
        standardization=kept.standardization,
    )


def about_other_means(stored: ScoreTable, runs: ScoreTable) -> str | None:
    """Return a message if stored scores have another mean of num_rel than runs with scores on the same topics."""
    (baseline,) = stored.systems
    mean = stored.retrieved.get(baseline, Retrieved()).relevant
    relevant = {name: each.relevant for name, each in runs.retrieved.items()}
    return about_mean_relevant("the baseline has", mean, relevant)
