"""Numbers as people read them, and values as JSON knows them."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

__all__ = [
    "count",
    "duration",
    "finite",
    "megabytes",
    "metric_name",
    "number",
    "score",
    "to_plain",
]


def count(value: int) -> str:
    """Return a whole number with separators of thousands."""
    return f"{value:,}"


def number(value: float | None) -> str:
    """Return a number with three significant digits and separators of thousands.

    Examples
    --------
    >>> number(1234567.8), number(0.012345), number(12), number(None)
    ('1,234,568', '0.0123', '12', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def score(value: float | None) -> str:
    """Return a score with three decimals, or four digits if it is large."""
    if value is None or not math.isfinite(value):
        return "–"
    return (
        f"{value:.3f}"
        if abs(value) < 10
        else f"{value:,.4g}"
        if abs(value) < 1e4
        else f"{value:,.0f}"
    )


def metric_name(metric: str) -> str:
    """Return the name of a score in words.

    Examples
    --------
    >>> metric_name("neg_mean_absolute_error"), metric_name("f1_macro")
    ('negative mean absolute error', 'f1 macro')
    """
    words = metric.removeprefix("neg_").replace("_", " ")
    return f"negative {words}" if metric.startswith("neg_") else words


def duration(seconds: float | None) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> duration(0.0123), duration(2.5), duration(125), duration(7260)
    ('12 ms', '2.5 s', '2 min 5 s', '2 h 1 min')
    """
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if seconds < 1:
        if seconds < 0.0005:
            return "< 1 ms"
        return f"{seconds * 1000:.2g} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def megabytes(value: float | None) -> str:
    """Return an amount of memory."""
    if value is None:
        return "–"
    return f"{value / 1000:.3g} GB" if value >= 1000 else f"{value:.3g} MB"


def finite(value: Any) -> float | None:
    """Return a number, or ``None`` if there is none, or one that is not finite."""
    return None if value is None or not math.isfinite(value) else float(value)


def to_plain(value: Any) -> Any:
    """Return dataclasses, arrays and numbers of NumPy as what JSON knows; NaN becomes ``None``.

    Parameters
    ----------
    value : object
        Anything; what is not known becomes its ``repr``.

    Returns
    -------
    object
        Made of dict, list, str, int, float, bool and ``None``.

    Examples
    --------
    >>> to_plain({"a": (1.0, float("nan")), "b": {2}})
    {'a': [1.0, None], 'b': [2]}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in dataclasses.fields(value)]
        return {name: to_plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [to_plain(item) for item in value]
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return to_plain(value.tolist())
    return repr(value)
