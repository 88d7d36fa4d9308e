"""The options that pictures share, and the scores that a picture is drawn from."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from stdeval.cli import declarations, options, scoring, standardizing
from stdeval.cli.declarations import stdeval_command
from stdeval.cli.options import Decorator, completes, gathered, option, stacked
from stdeval.errors import listed
from stdeval.files import binary_output, plain_name
from stdeval.measures import names
from stdeval.plots import layout, score_figures
from stdeval.standardization import schemes as scaling

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stdeval.standardization.factors import Factors
    from stdeval.table import ScoreTable

    Scores = tuple[ScoreTable, dict[str, ScoreTable], Factors | None]


@dataclass
class Picture:
    """The file of a picture, and the options of its look; refused now, not after a long computation."""

    path: str
    title: str | None
    dpi: float
    size: str

    def __post_init__(self) -> None:
        self.format = "png" if self.path == "-" else layout.picture_format(plain_name(self.path))
        self.size = self.size.lower()
        layout.sheet(self.size)
        layout.require_matplotlib()

    def draw(self, figure: Callable[..., Figure], *arguments: Any, **parameters: Any) -> None:
        """Draw a figure by a function of `stdeval.plots`, and write it to the file, completely or not at all."""
        drawn, image = figure(*arguments, **parameters, size=self.size, title=self.title), BytesIO()
        layout.save_figure(drawn, image, self.format, self.dpi)
        with binary_output(self.path) as out:
            out.write(image.getvalue())


_PICTURE = (
    "The picture: a png, svg or pdf, by the ending of FILE; another ending .gz, .bz2 or .xz compresses it. - "
    "writes a png to stdout."
)
_SIZE = "Size: column (85 mm wide), page (175 mm), slide (254 x 143 mm), or WIDTH or WIDTHxHEIGHT in mm."
picture_options = gathered(
    "picture",
    Picture,
    option("-o --output FILE path", _PICTURE, declarations.OUTPUT_FILE, required=True),
    option("--title TEXT", "Title above the picture."),
    option("--dpi DPI", "Pixels per inch of a png.", declarations.FiniteRange(10, 2400), default=300),
    option("--size SIZE", _SIZE, default="column"),
)
"""Give a command the options of its picture, as ``picture``."""

schemes_option = functools.partial(
    options.scheme_option,
    "The scores to show side by side: raw scores, z score, normal, uniform, empirical, empirical with mid-ranks; "
    "repeatable.",
    show_default="raw, n; raw of fewer than five runs without -F",
)
"""The option of the schemes that are shown side by side."""

_SCHEME = "Raw scores, or z score, normal, uniform, empirical, empirical with mid-ranks."
one_scheme_option = options.scheme_option(_SCHEME, show_default="raw; n with -F", multiple=False)

_RUNS = "Mark this run among the others, by its name, or by its file as it is given; repeatable."
runs_option = option("--run RUN... runs", _RUNS, shell_complete=completes("file"))


class Given(NamedTuple):
    """A picture, and the scores that it is drawn from, as the options of a command say."""

    inputs: options.InputOptions
    standardization: options.StandardizationOptions
    picture: Picture
    schemes: tuple[str, ...] = ()
    scheme: str | None = None
    runs: tuple[str, ...] = ()
    baseline: str | None = None

    def read(self, *default: str, several: bool = False, gaps: options.Gaps = "warn") -> Scores:
        """Return the raw scores by one measure or, if `several`, more; those by each scheme; and the factors."""
        factors = standardizing.factors_of(self.standardization)
        inputs, schemes = self.inputs, self.schemes or default
        if factors is not None and factors.reference is None:
            schemes = tuple(scheme for scheme in schemes if not scaling.needs_reference_scores(scheme)) or schemes
        asked = inputs if scoring.takes_scores(inputs) or inputs.measures else inputs._replace(measures=("map",))
        raw = standardizing.raw_scores(asked, self.standardization, factors, gaps)
        if inputs.measures and len(raw.measures) > 1 and not several:
            raise click.UsageError(f"a picture shows one measure, expected -m with one of: {listed(raw.measures)}")
        if not inputs.measures:
            first = names.split_prefix(raw.measures[0])[1]
            alike = [name for name in raw.measures if names.split_prefix(name)[1] == first]
            raw = raw.select(measures=alike if several else alike[:1])
        # standardized scores stand beside raw ones
        if not self.schemes and "raw" in schemes and standardizing.is_raw_by_default(raw, factors):
            schemes = ("raw",)
        by_scheme = standardizing.shown_scores(raw, schemes, self.standardization, factors)
        for name in raw.measures:
            score_figures.require_some(f"scores by '{name}'", raw.measure(name))
        return raw, by_scheme, factors

    def read_one(self, *, several: bool = False) -> tuple[str, ScoreTable, int]:
        """Return the scheme, its scores, and the number of judged topics."""
        (chosen,) = standardizing.default_schemes((self.scheme,) if self.scheme else (), self.standardization)
        raw, by_scheme, _ = self.read(chosen, several=several)
        return chosen, by_scheme[chosen], scoring.number_of_topics(self.inputs, raw)

    def marked(self, systems: Sequence[str]) -> list[int]:
        """Return the indices of the runs that ``--run`` names, each once."""
        return list(dict.fromkeys(scoring.system_index(self.inputs, name, systems) for name in self.runs))


def picture_of_scores(name: str, example: str, *own: Decorator) -> Decorator:
    """Return a decorator that makes a command of a function, which takes `Given` and options of its own."""
    of_scores = (options.plain_input_options, options.factor_options())
    given = gathered("given", Given, *of_scores, *own, picture_options)
    return stacked(stdeval_command(f"plot {name}", example), given)
