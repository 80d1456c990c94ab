"""Results as notebooks show them: a table with a caption, whatever kind of result it is.

A result with ``to_frame`` shows the first rows of that table. Any other shows its fields: small
values in full, arrays and collections by their type and size.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import fields, is_dataclass
from typing import Any

from quire._shared.number_tables import html_table, number

__all__ = ["ShownInNotebooks", "brief", "listed_cells", "named_cells", "words_of"]

_ROWS = 20  # of a table that are shown
_LONGEST = 120  # characters of a cell
_ROLE = re.compile(r":\w+:`~?([^`]+)`|``([^`]+)``|`([^`]+)`")


class ShownInNotebooks:
    """What results have that notebooks show as a table.

    A class with a better table than its fields or its frame has its own ``_notebook_cells``.
    """

    __slots__ = ()

    def _notebook_caption(self) -> str:
        """Return what the table is called: the first sentence of the docstring, without its end."""
        return caption_of(type(self))

    def _notebook_cells(self) -> list[list[str]]:
        """Return the cells, the head first."""
        to_frame = getattr(self, "to_frame", None)
        return field_cells(self) if to_frame is None else frame_cells(to_frame())

    def _repr_html_(self) -> str:
        return html_table(self._notebook_caption(), self._notebook_cells())


def caption_of(kind: type) -> str:
    """Return what a class is, in the words of its docstring.

    Examples
    --------
    >>> class Choice:
    ...     '''The error for every ``k``, from :func:`choose_k`. ``print`` shows it.'''
    >>> caption_of(Choice)
    'The error for every k'
    """
    summary = " ".join((kind.__doc__ or kind.__name__).split("\n\n")[0].split())
    sentence = summary.split(". ")[0].removesuffix(".")
    return _ROLE.sub(lambda role: next(filter(None, role.groups())), sentence.split(", from ")[0])


def brief(value: object) -> str:
    """Return a value as it is written in a cell or on a line: what is large by its type and size.

    Examples
    --------
    >>> brief([1, 2, 3]), brief("a word"), brief(0.25)
    ('<list of 3>', "'a word'", '0.25')
    """
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"<{type(value).__name__} {'x'.join(map(str, shape))}>"
    if isinstance(value, (list, tuple, Mapping, Set)):
        return f"<{type(value).__name__} of {len(value)}>"
    return repr(value)


def field_cells(record: Any) -> list[list[str]]:
    """Return the fields of a record as rows of a table, the head first.

    Parameters
    ----------
    record : object
        A data class, a mapping, or an object with attributes.
    """
    if is_dataclass(record):
        pairs = [(one.name, getattr(record, one.name)) for one in fields(record)]
    else:
        pairs = list((record if isinstance(record, Mapping) else vars(record)).items())
    return named_cells({str(name): value for name, value in pairs if not str(name).startswith("_")})


def named_cells(rows: Mapping[str, object]) -> list[list[str]]:
    """Return names and values as the rows of a table, the head first; nothing is left out."""
    return [["", "value"], *([name, _cell(value)] for name, value in rows.items())]


def listed_cells(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> list[list[str]]:
    """Return the rows of a table as text, the head first.

    Parameters
    ----------
    heads : iterable of str
        Names of the columns.
    rows : iterable of iterables
        Values; of more than twenty rows the first are shown.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    names = list(heads)
    return [names, *_first(cells, len(names))]


def _first(rows: list[list[str]], width: int, n_rows: int | None = None) -> list[list[str]]:
    """Return the rows that are shown, and a last one that says how many are not."""
    more = (len(rows) if n_rows is None else n_rows) - min(len(rows), _ROWS)
    if not more:
        return rows
    last = f"… and {more:,} {'row' if more == 1 else 'rows'} more"
    return [*rows[:_ROWS], [last, *[""] * (width - 1)]]


def frame_cells(frame: Any) -> list[list[str]]:
    """Return the first rows of a table as cells, the head first, and how many more there are.

    Parameters
    ----------
    frame : polars.DataFrame
        Any columns.
    """
    shown = frame.head(_ROWS)
    columns = [[_cell(value) for value in shown[name].to_list()] for name in shown.columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return [list(shown.columns), *_first(rows, len(shown.columns), len(frame))]


def words_of(weights: Iterable[Any]) -> str:
    """Return the terms of weights, without the weights."""
    return ", ".join(str(one.term) for one in weights)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        text = _listed(value)
    else:
        text = f"{value:,}" if isinstance(value, int) else value
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _listed(value: object) -> str:
    """Return short lists of plain values in full."""
    if isinstance(value, (list, tuple)) and 0 < len(value) <= 8:
        parts = [brief(one) if not isinstance(one, str) else one for one in value]
        text = ", ".join(parts)
        if len(text) <= _LONGEST:
            return text
    shape = getattr(value, "shape", None)
    if shape == ():
        return _cell(value.item())  # type: ignore[attr-defined]
    return brief(value)
