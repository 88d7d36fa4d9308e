"""Write numbers in all figures in the same way: with a true minus, and very small ones as 5e−6."""

from __future__ import annotations

MINUS = "\N{MINUS SIGN}"


def with_minus(text: str) -> str:
    """Return the text of a number with a true minus instead of a hyphen, as matplotlib writes it at ticks."""
    return text.replace("-", MINUS)


def exponential(x: float, position: int | None = None) -> str:
    """Return the shortest text of a number with an exponent; matplotlib passes the position of the tick.

    Examples
    --------
    >>> exponential(2.5e6), exponential(-3e-5), exponential(0)
    ('2.5e6', '−3e−5', '0')
    """
    mantissa, _, exponent = f"{x:.9e}".partition("e")
    short = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}" if x else "0"
    return with_minus(short)


def plain(x: float, position: int | None = None) -> str:
    """Return the shortest text of a number, with an exponent only if it is very small or large.

    Examples
    --------
    >>> plain(0.0001), plain(-0.5), plain(1000), plain(1e-6)
    ('0.0001', '−0.5', '1000', '1e−6')
    """
    text = f"{x:g}"
    return exponential(x) if "e" in text else with_minus(text)
