"""The scores that a picture is drawn from."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from stdeval.cli.completion import complete_file
from stdeval.cli.inputs import judgments, system_index, takes_scores
from stdeval.cli.options import (
    OUTPUT_FILE,
    Command,
    FiniteRange,
    Gaps,
    InputOptions,
    StandardizationOptions,
    scheme_option,
)
from stdeval.cli.standardizing import factors_of, raw_scores, scores_by_scheme, tables_after_warning
from stdeval.display import counted, listed
from stdeval.errors import InputError
from stdeval.files import binary_output, plain_name
from stdeval.formats.listing import topics_told
from stdeval.measures.names import is_better_higher, split_prefix
from stdeval.plots.style import METADATA, require_matplotlib, save_figure, sheet
from stdeval.standardization.factors import Factors
from stdeval.standardization.schemes import needs_reference_scores
from stdeval.stats.aggregates import arithmetic_mean
from stdeval.stats.ranking import Coverage
from stdeval.table import Floats, ScoreTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure



@dataclass(frozen=True)
class Picture:
    """The file of a picture, and the options of its look."""

    path: str
    format: str
    title: str | None
    dpi: float
    size: str

    def save(self, figure: Figure) -> None:
        """Write a figure to the file, completely or not at all."""
        image = BytesIO()
        save_figure(figure, image, self.format, self.dpi)
        with binary_output(self.path) as out:
            out.write(image.getvalue())


def _picture(path: str, title: str | None, dpi: float, size: str) -> Picture:
    """Return the picture that options ask for; refuse now, not after a long computation, if it cannot be drawn."""
    ending = "png" if path == "-" else PurePath(plain_name(path)).suffix[1:].lower()
    if ending not in METADATA:
        raise InputError(f"picture format '{ending}', expected one of: {', '.join(METADATA)}", path)
    sheet(size)
    require_matplotlib()
    return Picture(path, ending, title, dpi, size)


def picture_options(command: Command) -> Command:
    """Give a command the options of its picture, as ``picture``."""

    @click.option(
        "-o",
        "--output",
        "path",
        type=OUTPUT_FILE,
        required=True,
        metavar="FILE",
        help="The picture: a png, svg or pdf, by the ending of FILE; another ending .gz, .bz2 or .xz compresses "
        "it. - writes a png to stdout.",
    )
    @click.option("--title", metavar="TEXT", help="Title above the picture.")
    @click.option(
        "--dpi",
        type=FiniteRange(10, 2400),
        default=300,
        show_default=True,
        metavar="DPI",
        help="Pixels per inch of a png.",
    )
    @click.option(
        "--size",
        default="column",
        show_default=True,
        metavar="SIZE",
        help="Size: column (85 mm wide), page (175 mm), slide (254 x 143 mm), or WIDTH or WIDTHxHEIGHT in mm.",
    )
    @functools.wraps(command)
    def with_picture(*arguments: Any, path: str, title: str | None, dpi: float, size: str, **rest: Any) -> Any:
        return command(*arguments, picture=_picture(path, title, dpi, size.lower()), **rest)

    return with_picture


class Scores(NamedTuple):
    """The raw scores by the one measure of a picture, the scores by each scheme, and the factors."""

    raw: ScoreTable
    tables: dict[str, ScoreTable]
    factors: Factors | None


def read_scores(
    inputs: InputOptions,
    standardization: StandardizationOptions,
    schemes: tuple[str, ...],
    *,
    several: bool = False,
    gaps: Gaps = "warn",
) -> Scores:
    """Read and standardize the scores of a picture, which shows one measure or, if `several`, more."""
    factors = factors_of(standardization)
    if factors is not None and factors.reference is None:
        schemes = tuple(scheme for scheme in schemes if not needs_reference_scores(scheme)) or schemes
    if not inputs.measures and not takes_scores(inputs):
        raw = raw_scores(inputs._replace(measures=("map",)), standardization, factors)
    else:
        raw = raw_scores(inputs, standardization, factors, gaps)
    if inputs.measures and len(raw.measures) > 1 and not several:
        raise click.UsageError(f"a picture shows one measure, expected -m with one of: {listed(raw.measures)}")
    if not inputs.measures:
        first = split_prefix(raw.measures[0])[1]
        alike = [name for name in raw.measures if split_prefix(name)[1] == first]
        raw = raw.select(measures=alike if several else alike[:1])
    elif not several:
        raw = raw.select(measures=raw.measures[:1])
    return Scores(raw, tables_after_warning(scores_by_scheme(raw, schemes, standardization, factors)), factors)


def n_judged_topics(inputs: InputOptions, raw: ScoreTable) -> int:
    """Return the number of judged topics; 0 for named files that are of collections of different sizes."""
    if not takes_scores(inputs):
        return len(judgments(inputs))
    return max(raw.origin.n_judged, len(raw.topics))


def topics_of_means(scores: Floats, facts: Coverage, n_topics: int) -> str:
    """Say in words over which topics the means of ranked runs are; empty if over all judged topics."""
    numbers = (~np.isnan(facts.comparable(scores))).sum(axis=1)
    if facts.ranked.any():
        numbers = numbers[facts.ranked]
    shown = topics_told(numbers.ravel().tolist(), n_topics)
    if not facts.is_reduced:
        return shown
    runs = "runs" if facts.ranked.all() else "complete runs"
    return f"{shown}, common to all {runs}" if shown else f"{counted(facts.n_common, 'topic')} that all {runs} have"


SIDE_BY_SIDE = (
    "The scores to show side by side: raw scores, z score, normal, uniform, empirical, empirical with mid-ranks; "
    "repeatable."
)

one_scheme_option = scheme_option(
    "Raw scores, or z score, normal, uniform, empirical, empirical with mid-ranks.",
    shown="raw; n with -F",
    multiple=False,
)

runs_option = click.option(
    "--run",
    "runs",
    metavar="RUN",
    multiple=True,
    shell_complete=complete_file,
    help="Mark this run among the others, by its name, or by its file as it is given; repeatable.",
)


def marked_indices(inputs: InputOptions, runs: Sequence[str], systems: Sequence[str]) -> list[int]:
    """Return the indices of the runs that ``--run`` names, each once."""
    return list(dict.fromkeys(system_index(inputs, name, systems) for name in runs))


def require_two(facts: Coverage, option: str) -> None:
    """Refuse an option that compares runs if fewer than two can be ranked."""
    number = int(facts.ranked.sum())
    if number < 2:
        raise InputError(f"{counted(number, 'run')} to compare, expected at least two for {option}")


def require_ranked(facts: Coverage, baseline: int, systems: Sequence[str]) -> None:
    """Refuse a baseline that is incomplete."""
    if not facts.ranked[baseline]:
        found = f"'{systems[baseline]}' is incomplete, without topics that most runs have"
        raise InputError(f"{found}: expected another --baseline")


def require_finite(half: float, n_resamples: int, confidence: float) -> None:
    """Refuse Tukey intervals whose length is infinite, because there are too few resamples."""
    if np.isinf(half):
        least = ceil(round(confidence / (1 - confidence), 9))
        raise InputError(
            f"{n_resamples} resamples, expected at least {least} for {100 * confidence:g}% Tukey intervals"
        )


def best_of(table: ScoreTable, facts: Coverage) -> int:
    """Return the index of the best run of a table by its one measure; a run that is not ranked is never best."""
    mean = np.where(facts.ranked, arithmetic_mean(facts.comparable(table.values[:, :, 0])), np.nan)
    if np.isnan(mean).all():
        raise InputError("no run is complete, so none is the best: expected --baseline RUN")
    return int(np.nanargmax(mean if is_better_higher(table.measures[0]) else -mean))
