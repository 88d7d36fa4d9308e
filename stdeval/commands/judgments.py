"""The judgments that the options name, the options of the evaluation, and the origins of the scores."""

from __future__ import annotations

from functools import lru_cache

import click

from stdeval.commands.input_options import InputOptions
from stdeval.evaluation.options import Options
from stdeval.provenance import Origin, origin_of_qrels
from stdeval.trec.reading import Qrels
from stdeval.workers import QrelsFile


def takes_scores(options: InputOptions) -> bool:
    """Return whether the scores come from scores files, and not from judgments and runs.

    Raises
    ------
    click.UsageError
        If neither or both are given, or options that do not apply to the one that is given.
    """
    if options.score_files:
        if options.files:
            raise click.UsageError("expected QRELS RUN... or --scores, not both")
        if evaluation_options(options) != Options(max_grade=options.max_grade):
            raise click.UsageError("-c, -l, -M, -J, --binary and --precision need QRELS RUN..., not --scores")
    elif len(options.files) < 2:
        raise click.UsageError("expected QRELS and at least one RUN, or --scores FILE")
    return bool(options.score_files)


def qrels_file(options: InputOptions) -> QrelsFile:
    """Return the file of the judgments, which is read when it is needed."""
    return QrelsFile(options.files[0], options.cache_token)


def judgments(options: InputOptions) -> Qrels:
    """Return the judgments, which are read from their file only once."""
    return qrels_file(options).read()


def evaluation_options(options: InputOptions) -> Options:
    """Return the options with which runs are evaluated."""
    return Options(
        options.level,
        options.depth,
        options.judged_only,
        options.complete,
        options.binary,
        options.max_grade,
        options.precision,
    )


@lru_cache(maxsize=1)
def origin_of(inputs: InputOptions) -> Origin:
    """Return the origin of scores of the judgments; an empty one if the scores come from files."""
    if takes_scores(inputs):
        return Origin()
    return origin_of_qrels(judgments(inputs), evaluation_options(inputs).typed)
