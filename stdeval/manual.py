"""The pages of the manual, which are part of the package."""

from __future__ import annotations

from pathlib import Path

from stdeval.mdoc import rendered


def pages() -> dict[str, Path]:
    """Return the pages of the manual by file name, such as ``stdeval-files.5``."""
    package = Path(__file__).parent
    # A wheel has the pages in the package; a checkout has them beside it.
    folder = next(folder for folder in (package / "man", package.parent / "man") if folder.exists())
    return {path.name: path for path in sorted(folder.glob("man?/stdeval*"))}


def page(name: str, width: int = 80) -> str:
    """Return a page as plain text."""
    return rendered(pages()[name].read_text(encoding="utf-8"), width)
