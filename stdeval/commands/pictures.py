"""What the pictures share: how one is saved, and the options that say so."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from stdeval.commands.options import Command

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A picture that is to be: its file, title, pixels per inch, and size.

    Raises
    ------
    InputError
        If it could not be saved: matplotlib is not installed, or the format or size is none that is known.
    """

    path: str
    title: str | None
    dpi: float
    size: str

    def __post_init__(self) -> None:
        from stdeval.errors import InputError
        from stdeval.plots.style import METADATA, sheet, style

        if self.format not in METADATA:
            raise InputError(f"picture format '{self.format}', expected one of: {', '.join(METADATA)}", self.path)
        with style(sheet(self.size).font):
            pass  # refused now, not after a long computation

    @property
    def format(self) -> str:
        """The ending of the file's name, which says the format."""
        return PurePath(self.path).suffix[1:].lower()

    def save(self, draw: Callable[..., Figure], *arguments: Any, **parameters: Any) -> None:
        """Draw a figure by a function of `stdeval.plots` and write it, whole or not at all."""
        from io import BytesIO

        from stdeval.files import atomic_file
        from stdeval.plots import save_figure

        figure = draw(*arguments, **parameters, size=self.size, title=self.title)
        image = BytesIO()
        save_figure(figure, image, self.format, self.dpi)
        with atomic_file(self.path) as out:
            out.write(image.getvalue())


def picture_options(command: Command) -> Command:
    """Give a command the options that say how its picture is saved, as ``picture``."""

    @click.option(
        "-o",
        "--output",
        "path",
        required=True,
        metavar="FILE",
        help="The picture: png, svg or pdf by the ending of FILE, which is written whole or not at all.",
    )
    @click.option("--title", metavar="TEXT", help="A title above it.")
    @click.option(
        "--dpi",
        type=click.FloatRange(10, 2400),
        default=300,
        show_default=True,
        metavar="DPI",
        help="Pixels per inch of png.",
    )
    @click.option(
        "--size",
        default="column",
        show_default=True,
        metavar="SIZE",
        help="column (85 mm wide), page (175 mm), slide (254 x 143 mm), or WIDTH or WIDTHxHEIGHT in mm.",
    )
    @functools.wraps(command)
    def with_picture(*arguments: Any, path: str, title: str | None, dpi: float, size: str, **rest: Any) -> Any:
        return command(*arguments, picture=Picture(path, title, dpi, size), **rest)

    return with_picture
