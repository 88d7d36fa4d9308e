"""The file of a picture, and the options of its look."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from stdeval.commands.options import Command
from stdeval.commands.parameter_types import OUTPUT_FILE, FiniteRange
from stdeval.errors import InputError
from stdeval.files import plain_name
from stdeval.outputs import binary_output
from stdeval.plots.style import METADATA, require_matplotlib, save_figure, sheet

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
