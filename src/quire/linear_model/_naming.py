"""Columns by name, for warnings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["named_columns"]

_MOST = 5


def named_columns(model: Any, columns: Iterable[int], verb: bool = True) -> str:
    """Return "column 'share' is" or "columns 'a', 'b' are": names where X had any, else numbers.

    Parameters
    ----------
    model : object
        A model that has read X; its ``feature_names_in_`` are used.
    columns : iterable of int
        The columns.
    verb : bool, default=True
        Whether to add "is" or "are".
    """
    numbers = [int(column) for column in columns]
    names = getattr(model, "feature_names_in_", None)
    shown = [str(j) if names is None else repr(str(names[j])) for j in numbers[:_MOST]]
    more = f" and {len(numbers) - _MOST} more" if len(numbers) > _MOST else ""
    one = len(numbers) == 1
    text = f"column{'' if one else 's'} {', '.join(shown)}{more}"
    return f"{text} {'is' if one else 'are'}" if verb else text
