"""Numbers in the sentences of lessons: fractions where they are ones, signs, names in a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from quire._shared.page.numbers import number

__all__ = ["fraction", "listed", "plain", "share", "signed"]

_LARGEST = 200  # the denominator up to which a number is written as a fraction


def fraction(value: float) -> str:
    """Return a number as a fraction, if it is one with a small denominator, else with digits.

    Examples
    --------
    >>> fraction(3 / 7), fraction(1.0), fraction(0.3333), fraction(0.0)
    ('3/7', '1', '0.333', '0')
    """
    near = Fraction(value).limit_denominator(_LARGEST)
    return str(near) if abs(float(near) - value) <= 1e-12 else plain(value)


def plain(value: float, digits: int = 3) -> str:
    """Return a number with some digits, a real minus sign, and infinity as its sign.

    Examples
    --------
    >>> plain(-0.12345), plain(float("inf")), plain(1234.5), plain(0.0000123)
    ('−0.123', '∞', '1,234', '0.0000123')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if 0 < abs(value) < 1e-4:
        places = digits - 1 - math.floor(math.log10(abs(value)))
        shown = f"{value:.{places}f}" if places <= 9 else f"{value:.{digits - 1}e}"
    elif digits == 3:
        shown = number(value)
    else:
        shown = f"{value:.{digits}g}"
    return shown.replace("-", "−")


def signed(value: float) -> str:
    """Return a number with its sign.

    Examples
    --------
    >>> signed(1.5), signed(-2.0), signed(0.0)
    ('+1.50', '−2', '0')
    """
    return ("+" if value > 0 else "") + plain(value)


def share(value: float) -> str:
    """Return a share in per cent.

    Examples
    --------
    >>> share(0.6897), share(1.0), share(0.99999)
    ('69.0 %', '100 %', '> 99.9 %')
    """
    if value in (0.0, 1.0):
        return f"{value:.0%}".replace("%", " %")
    if value > 0.999 or value < 0.001:
        return "> 99.9 %" if value > 0.5 else "< 0.1 %"
    return f"{100 * value:.1f} %"


def listed(words: Sequence[str]) -> str:
    """Return words in a row, with "and" before the last.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
