"""The one error and the one warning that stdeval raises about its input."""

from __future__ import annotations


class InputError(Exception):
    """Input that cannot be used: what is wrong, and what was expected.

    Parameters
    ----------
    message : str
        What is wrong and what was expected, in one line.
    path : str, optional
        The file in which it was found.
    line : int, optional
        Its line there, counted from 1 with comments and blank lines.
    """

    def __init__(self, message: str, path: str | None = None, line: int | None = None) -> None:
        super().__init__(message, path, line)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        where = f"{self.path}:" if self.path is not None else ""
        where += f"{self.line}:" if self.line is not None else ""
        return f"{where} {self.message}" if where else self.message


class InputWarning(UserWarning):
    """Input that is used, but not as its owner may think; one line, with a count."""


class GapWarning(InputWarning):
    """That some scores are missing, and what that means for what is computed."""
