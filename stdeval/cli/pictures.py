"""The options that pictures share, and the scores that a picture is drawn from."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from stdeval.cli.helps import GroupedCommand
from stdeval.cli.inputs import takes_scores
from stdeval.cli.options import (
    Gaps,
    InputOptions,
    StandardizationOptions,
    plain_factor_options,
    plain_input_options,
    scheme_option,
)
from stdeval.cli.standardizing import factors_of, raw_scores, scores_by_scheme, tables_after_warning
from stdeval.cli.tables import system_index
from stdeval.cli.types import OUTPUT_FILE, Decorator, FiniteRange, completes, gathered, option, stacked
from stdeval.display import listed
from stdeval.errors import InputError
from stdeval.files import binary_output, plain_name
from stdeval.measures.names import split_prefix
from stdeval.plots.style import METADATA, require_matplotlib, save_figure, sheet
from stdeval.standardization.factors import Factors
from stdeval.standardization.schemes import needs_reference_scores
from stdeval.table import ScoreTable

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

    def draw(self, figure: Callable[..., Figure], *arguments: Any, **parameters: Any) -> None:
        """Draw a figure by a function of `stdeval.plots`, and save it."""
        self.save(figure(*arguments, **parameters, size=self.size, title=self.title))

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
    sheet(size.lower())
    require_matplotlib()
    return Picture(path, ending, title, dpi, size.lower())


picture_options = gathered(
    "picture",
    _picture,
    option(
        "-o --output path",
        "The picture: a png, svg or pdf, by the ending of FILE; another ending .gz, .bz2 or .xz compresses it. - "
        "writes a png to stdout.",
        OUTPUT_FILE,
        "FILE",
        required=True,
    ),
    option("--title", "Title above the picture.", metavar="TEXT"),
    option("--dpi", "Pixels per inch of a png.", FiniteRange(10, 2400), "DPI", default=300),
    option(
        "--size",
        "Size: column (85 mm wide), page (175 mm), slide (254 x 143 mm), or WIDTH or WIDTHxHEIGHT in mm.",
        metavar="SIZE",
        default="column",
    ),
)
"""Give a command the options of its picture, as ``picture``."""


def picture_of_scores(name: str, example: str, *options: Decorator) -> Decorator:
    """Return a decorator that makes a command of a function: a picture of scores, with options of its own."""
    made = click.command(name, cls=GroupedCommand, epilog=f"Example: stdeval plot {name} {example}")
    return stacked(made, plain_input_options, plain_factor_options, *options, picture_options)


schemes_option = functools.partial(
    scheme_option,
    "The scores to show side by side: raw scores, z score, normal, uniform, empirical, empirical with mid-ranks; "
    "repeatable.",
)
"""The option of the schemes that are shown side by side, given the default in words."""

one_scheme_option = scheme_option(
    "Raw scores, or z score, normal, uniform, empirical, empirical with mid-ranks.",
    shown="raw; n with -F",
    multiple=False,
)

runs_option = option(
    "--run runs",
    "Mark this run among the others, by its name, or by its file as it is given; repeatable.",
    metavar="RUN",
    multiple=True,
    shell_complete=completes("file"),
)


class Scores(NamedTuple):
    """The raw scores of a picture, the scores by each scheme, and the factors."""

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


def marked_indices(inputs: InputOptions, runs: Sequence[str], systems: Sequence[str]) -> list[int]:
    """Return the indices of the runs that ``--run`` names, each once."""
    return list(dict.fromkeys(system_index(inputs, name, systems) for name in runs))
