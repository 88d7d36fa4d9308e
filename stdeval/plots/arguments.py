"""The arguments of figures, checked and brought into the form of their annotated types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import BoundArguments, Parameter, signature
from operator import index
from typing import Any

import numpy as np

from stdeval.display import excerpt
from stdeval.errors import InputError
from stdeval.labels import check_label
from stdeval.table import ScoreTable, check_scores_table


def bound_arguments(draw: Callable[..., object], args: Any, kwargs: dict[str, Any]) -> BoundArguments:
    """Return the arguments of a function that draws a figure, checked by the types in its signature.

    Parameters
    ----------
    draw : callable
        A function of a module with ``from __future__ import annotations``, whose types are text.
    args : tuple
    kwargs : dict

    Raises
    ------
    InputError
        If an argument is of another type, or if one without a default is missing. An unknown keyword is a
        `TypeError`, as in any function.
    """
    parameters = signature(draw).parameters
    bound = signature(draw).bind_partial(*args, **kwargs)
    try:
        for name, value in bound.arguments.items():
            kind = parameters[name].annotation.removesuffix(" | None")
            if kind in KINDS and value is not parameters[name].default:
                bound.arguments[name] = KINDS[kind](value, name)
        required = [name for name, each in parameters.items() if each.default is Parameter.empty]
        missing = [name for name in required if name not in bound.arguments]
        if missing:
            raise InputError(f"no {' and no '.join(missing)}, expected {', '.join(required)}")
    except InputError as error:
        raise InputError(f"{error.message}; help(stdeval.plots.{draw.__name__}) has an example") from None
    return bound


def _refuse(value: object, name: str, expected: str) -> InputError:
    return InputError(f"{name} of type {type(value).__name__}, expected {expected}")


def _tables(value: object, name: str) -> object:
    """Return score tables by scheme."""
    if not isinstance(value, Mapping):
        raise _refuse(value, name, 'a mapping such as {"raw": table}')
    for scheme, table in value.items():
        check_label(scheme, "scheme")
        if not isinstance(table, ScoreTable):
            raise _refuse(table, f"{name} under '{scheme}'", "a ScoreTable, as stdeval.evaluate returns")
    return value


def _table(value: object, _: str) -> object:
    check_scores_table(value)
    return value


def _curves(value: object, name: str) -> object:
    if not isinstance(value, Mapping):
        raise _refuse(value, name, 'a mapping such as {"n": curves}')
    return value


def _numbers(value: object, name: str) -> object:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise _refuse(value, name, "an array of numbers") from None
    # None becomes a single NaN
    if not numbers.ndim:
        raise _refuse(value, name, "an array of numbers")
    return numbers


def _truths(value: object, name: str) -> object:
    array = np.asarray(value)
    if array.dtype != np.bool_:
        raise _refuse(value, name, "an array of bool")
    return array


def _names(value: object, name: str) -> object:
    """Return several names; refuse a single text, whose characters would be the names."""
    names = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [None]
    if not all(isinstance(each, str) for each in names):
        raise _refuse(value, name, 'several names, such as ["a", "b"]')
    return names


def _two_names(value: object, name: str) -> object:
    names = _names(value, name)
    if not isinstance(names, list) or len(names) != 2:
        raise _refuse(value, name, 'two names, such as ("a", "b")')
    return tuple(names)


def _places(value: object, name: str) -> object:
    try:
        return [index(each) for each in value]  # type: ignore[attr-defined]
    except TypeError:
        found = f"{name} {excerpt(repr(value))}"
        raise InputError(f"{found}, expected indices of systems, such as [0] for the first") from None


def _text(value: object, name: str) -> object:
    check_label(value, name)
    return value


KINDS: dict[str, Callable[[object, str], object]] = {
    "Mapping[str, ScoreTable]": _tables,
    "Mapping[str, Sequence[Floats]]": _curves,
    "ScoreTable": _table,
    "Floats": _numbers,
    "Bools": _truths,
    "Sequence[str]": _names,
    "Collection[str]": _names,
    "tuple[str, str]": _two_names,
    "Sequence[int]": _places,
    "str": _text,
}
"""The function that checks an argument of each type. Rows of experiments are checked where they are drawn."""
