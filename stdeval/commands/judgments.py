"""The judgments that the options name, the options of the evaluation, and the origins of the scores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import click

from stdeval.commands.input_options import InputOptions
from stdeval.commands.messages import warn_all
from stdeval.commands.options import refuse_without_effect
from stdeval.doubtful_scores.rankings import about_counted_zeros, about_retrieved, is_judged_only
from stdeval.evaluation.options import Options
from stdeval.evaluation.raw_scores import origins_of_qrels
from stdeval.origins import Origins
from stdeval.trec.reading import Qrels
from stdeval.workers import QrelsFile

if TYPE_CHECKING:
    from stdeval.table import ScoreTable


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
            raise click.UsageError(
                "-c, -l, -M, -J, --binary and --precision have no effect on --scores, expected QRELS RUN..."
            )
        refuse_without_effect(["max_grade"], "QRELS RUN... and a measure such as err_20")
        if options.label != "tag" or options.cluster is not None:
            raise click.UsageError("--label and --dask have no effect on --scores, expected QRELS RUN...")
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


def leaves_out_unjudged(options: InputOptions, table: ScoreTable) -> bool:
    """Return True if -J leaves out unjudged documents, in this command or when the scores were stored."""
    return options.judged_only or is_judged_only(table)


def warn_of_ranked(
    options: InputOptions, measures: Sequence[str], table: ScoreTable, *, tell_shares: bool = True
) -> None:
    """Warn if ranked runs have different numbers of documents or of judged documents, or if scores are rounded."""
    from stdeval.doubtful_scores.rounded_scores import about_rounded_means  # needs numpy

    for part in table.parts:
        named = [name for name in measures if name in part.measures]
        judged_only = leaves_out_unjudged(options, part)
        if named:
            warn_all(about_retrieved(named, part.retrieved, judged_only=judged_only, tell_shares=tell_shares))
            warn_all(about_rounded_means(part.select(measures=list(dict.fromkeys(named)))))


def warn_of_compared(options: InputOptions, table: ScoreTable, *, tell_shares: bool = True) -> None:
    """Warn as `warn_of_ranked` does, and of topics without documents, which count as 0 (-c)."""
    warn_of_ranked(options, table.measures, table, tell_shares=tell_shares)
    warn_all(about_counted_zeros(table))


@lru_cache(maxsize=1)
def origins_of(inputs: InputOptions) -> Origins:
    """Return the origin of each topic of the judgments; none if the scores come from files."""
    if takes_scores(inputs):
        return {}
    qrels = judgments(inputs)
    return origins_of_qrels(qrels, evaluation_options(inputs))
