"""The options of the evaluation of runs: those of trec_eval, and three more."""

from __future__ import annotations

from operator import index
from typing import NamedTuple

from stdeval.display import excerpt
from stdeval.errors import InputError
from stdeval.measures.precision import Precision

_LARGEST_LEVEL = 2**31 - 1
"""The largest relevance level that pytrec_eval holds, in a C int."""


class Options(NamedTuple):
    """Options of the evaluation of runs; the letters are those of trec_eval.

    Parameters
    ----------
    level : int
        ``-l``: a document is relevant if its judgment is at least this level.
    depth : int, optional
        ``-M``: number of documents of a topic that are kept; applied before ``judged_only``.
    judged_only : bool
        ``-J``: drop documents without a judgment.
    complete : bool
        ``-c``: score a topic that is missing from the run as if nothing had been retrieved: 0, but 1 by rbp_resid
        and unj.
    binary : bool
        Use binary gains for the DCG family: 1 if the judgment is at least ``level``.
    max_grade : int
        The highest grade of judgments, for err.
    precision : {"single", "double"}
        Compare the scores of documents as 32-bit floats (trec_eval 9), or as 64-bit floats (trec_eval 10).

    Examples
    --------
    >>> from stdeval import evaluate
    >>> evaluate({"1": {"a": 2, "b": 1}}, {"1": {"a": 1.0, "b": 2.0}}, "AP", Options(level=2)).values.item()
    0.5
    """

    level: int = 1
    depth: int | None = None
    judged_only: bool = False
    complete: bool = False
    binary: bool = False
    max_grade: int = 4
    precision: Precision = "single"

    @property
    def typed(self) -> str:
        """The options as they are typed, in a fixed order; empty for the defaults.

        Examples
        --------
        >>> Options(level=2, depth=100, complete=True).typed
        '-l 2 -M 100 -c'
        """
        options = {
            f"-l {self.level}": self.level != 1,
            f"-M {self.depth}": self.depth is not None,
            "-J": self.judged_only,
            "--binary": self.binary,
            f"--max-grade {self.max_grade}": self.max_grade != 4,
            f"--precision {self.precision}": self.precision != "single",
            "-c": self.complete,
        }
        return " ".join(option for option, given in options.items() if given)


def checked_options(options: Options | None) -> Options:
    """Return the options, or the defaults for None.

    Raises
    ------
    InputError
        If a number is not whole or below 1, which would crash the process in pytrec_eval; or if a text, such as
        ``"no"``, is given for True or False.
    """
    if options is None:
        return Options()
    if not isinstance(options, Options):
        raise InputError(f"options of type {type(options).__name__}, expected stdeval.Options(level=2, ...)")
    numbers = {"level": options.level, "max_grade": options.max_grade}
    if options.depth is not None:
        numbers["depth"] = options.depth
    for name, number in numbers.items():
        if not _is_whole(number) or number < 1 or (name == "level" and number > _LARGEST_LEVEL):
            most = f" to {_LARGEST_LEVEL}" if name == "level" else ""
            raise InputError(f"{name} {excerpt(repr(number))}, expected a whole number from 1{most}")
    for name in ("judged_only", "complete", "binary"):
        given = getattr(options, name)
        if not is_true_or_false(given):
            raise InputError(f"{name} {excerpt(repr(given))}, expected True or False")
    # pytrec_eval takes Python's bool only, not numpy's
    return options._replace(
        judged_only=bool(options.judged_only), complete=bool(options.complete), binary=bool(options.binary)
    )


def _is_whole(number: object) -> bool:
    try:
        index(number)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def is_true_or_false(given: object) -> bool:
    """Return whether an object is True or False, of Python or of numpy, or 1 or 0."""
    # the bool of numpy, which is not imported here, is called bool_ or bool
    return type(given).__name__ in ("bool", "bool_") or (_is_whole(given) and given in (0, 1))
