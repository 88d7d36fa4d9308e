"""The limits of `check` as they are typed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import click


class Limit(NamedTuple):
    """The limit of a measure as it is typed: ``map=0.3``, or ``map=2%``, a share of the baseline's mean."""

    text: str
    value: float = math.nan
    percent: bool = False


def parse_limits(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[Limit, ...]:
    """Parse the values of an option, each MEASURE=VALUE."""
    return tuple(_parse_limit(text, text, "a plain number, such as map=0.3") for text in texts)


def parse_limits_or_percentages(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[Limit, ...]:
    """Parse the values of an option, each MEASURE=VALUE or MEASURE=VALUE%."""
    expected = "a plain number or a percentage, such as map=0.01 or map=2%"
    return tuple(
        _parse_limit(text, text.removesuffix("%"), expected)._replace(percent=text.endswith("%")) for text in texts
    )


def _parse_limit(text: str, limit: str, expected: str) -> Limit:
    measure, equals, number = limit.rpartition("=")
    if not (measure and equals) or not re.fullmatch(r"-?([0-9]{1,9}(\.[0-9]{0,17})?|\.[0-9]{1,17})", number):
        raise click.BadParameter(f"'{text}', expected MEASURE=VALUE with {expected}")
    return Limit(measure, float(number))


def parse_measures(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[Limit, ...]:
    """Parse the values of an option that are measures without a limit."""
    return tuple(map(Limit, texts))
