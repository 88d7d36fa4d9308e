"""The error and the warning that report problems of the input."""

from __future__ import annotations

from warnings import warn as give_warning


class InputError(Exception):
    """Input that cannot be used: one line that says what is wrong and what was expected, after ``path:line:``.

    Lines are counted from 1, blank lines and comments included.
    """

    def __init__(self, message: str, path: str | None = None, line: int | None = None) -> None:
        super().__init__(message, path, line)
        self.message, self.path, self.line = message, path, line

    def __str__(self) -> str:
        where = f"{self.path}:" if self.path is not None else ""
        where += f"{self.line}:" if self.line is not None else ""
        return f"{where} {self.message}" if where else self.message

    def at(self, path: str, line: int | None = None) -> InputError:
        """Return the error with a place, or unchanged if it already names a file; None keeps its line."""
        if self.path is not None:
            return self
        return InputError(self.message, path, self.line if line is None else line)


class InputWarning(UserWarning):
    """Input that is used, but perhaps not as the user expects. The message is one line, with a count."""


def warn(*notices: str | None, stacklevel: int = 3) -> None:
    """Give the warnings of `stdeval.notices` that there is a reason for, in their order."""
    for notice in notices:
        if notice is not None:
            # by default, the caller of the function that warns
            give_warning(notice, InputWarning, stacklevel=stacklevel)
