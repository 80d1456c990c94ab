"""The data of this package that are texts or tables with labels, as tables by their names."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from quire.datasets._applications import load_credit_cards, load_icu
from quire.datasets._docstrings import load_docstrings
from quire.datasets._labelled_texts import LabelledTexts
from quire.datasets._languages import load_languages
from quire.datasets._spam import load_spam

__all__ = ["load_table", "table_names"]


def _labelled(data: LabelledTexts) -> pl.DataFrame:
    return pl.DataFrame({"text": data.texts, "label": data.labels})


def _docstrings() -> pl.DataFrame:
    data = load_docstrings()
    return pl.DataFrame({"name": data.names, "text": data.texts, "label": data.labels})


_TABLES: dict[str, tuple[str, Callable[[], pl.DataFrame]]] = {
    "spam": ("80 messages: spam and ham", lambda: _labelled(load_spam())),
    "languages": ("200 sentences in ten languages", lambda: _labelled(load_languages())),
    "docstrings": ("documentation inside Python and the packages quire uses", _docstrings),
    "credit-cards": ("1,000 applications for a credit card, made up", load_credit_cards),
    "icu": ("600 patients of an intensive care unit, made up", load_icu),
}


def table_names() -> dict[str, str]:
    """Return the names of the tables that :func:`load_table` knows, with a word on each."""
    return {name: about for name, (about, _) in _TABLES.items()}


def load_table(name: str) -> pl.DataFrame:
    """Return data of this package as a table.

    Parameters
    ----------
    name : str
        One of :func:`table_names`.

    Raises
    ------
    ValueError
        If there is no such table.

    Examples
    --------
    >>> from quire.datasets import load_table
    >>> load_table("spam").columns
    ['text', 'label']
    """
    if name not in _TABLES:
        raise ValueError(f"There is no table {name!r}; there are: {', '.join(_TABLES)}.")
    return _TABLES[name][1]()
