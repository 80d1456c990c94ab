"""The documents of a report: as the model takes them, as texts, and by the number of their row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from quire.io import Corpus
from quire.report._comparison.table import is_of_table, rows_as_texts, rows_of
from quire.report._page.documents import as_column

__all__ = ["Documents", "documents_of"]


@dataclass(frozen=True)
class Documents:
    """The documents that were compared.

    Attributes
    ----------
    given : sequence or table
        As models take them.
    column : polars.Series
        One string or null for each; the rows of a table without texts in words.
    numbers : polars.Series or None
        The numbers of their rows in the file; their places if ``None``.
    """

    given: Any
    column: pl.Series
    numbers: pl.Series | None = None

    def text(self, row: int) -> str:
        """Return the text of a document; an empty one where it is missing."""
        return self.column[row] or ""

    def number(self, row: int) -> int:
        """Return the number of the row that a document has in its file."""
        return row if self.numbers is None else int(self.numbers[row])


def documents_of(texts: Any, n: int, settings: dict[str, Any]) -> Documents:
    """Return the documents that a report was given.

    Parameters
    ----------
    texts : sequence of str, Series, Corpus or DataFrame
        As given.
    n : int
        How many there must be.
    settings : dict
        Of the comparison.
    """
    numbers = texts.rows if isinstance(texts, Corpus) else None
    if is_of_table(settings):
        rows = rows_of(texts, settings)
        return Documents(rows, as_column(rows_as_texts(rows), n), numbers)
    if isinstance(texts, Corpus):
        is_beside = settings.get("numbers") or settings.get("categories")
        given = texts.frame if is_beside else texts.texts
        return Documents(given, as_column(texts.texts, n), numbers)
    return Documents(texts, as_column(texts, n, settings.get("texts")), numbers)
