"""Whatever a caller passes to be explained, as rows that a model takes, and the texts in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from quire._shared.sparse import is_sparse
from quire.inspection._origins import TextSource

__all__ = ["as_batch", "text_of"]


def as_batch(document: Any, *, is_tabular: bool, reads_text: bool) -> tuple[Any, bool]:
    """Return what a model's ``predict`` takes, and whether the caller passed one document alone.

    Parameters
    ----------
    document : object
        A text; texts; a row of a table as a mapping or a pandas Series; a table; a matrix.
    is_tabular : bool
        Whether the model takes rows of a table or matrix.
    reads_text : bool
        Whether something in the model makes numbers of texts.

    Raises
    ------
    ValueError
        For a missing text, and for a text that the model has no vectorizer for.
    """
    if document is None or (isinstance(document, float) and np.isnan(document)):
        raise ValueError(
            f"There is no text to explain: {document!r} was passed. Pass a text, or '' for an "
            "empty one."
        )
    if isinstance(document, str | bytes):
        if not reads_text:
            raise ValueError(
                "A text was passed, and this model takes numbers: it knows no vectorizer. Explain "
                "the pipeline of vectorizer and model, or pass rows of its matrix."
            )
        return [document], True
    if isinstance(document, Mapping):
        return _one_row(document), True
    if is_sparse(document) or hasattr(document, "columns"):
        return document, False
    if is_tabular and hasattr(document, "to_frame") and hasattr(document, "index"):
        return document.to_frame().T.infer_objects(), True  # a row of a pandas DataFrame
    if isinstance(document, np.ndarray) and document.ndim != 1:
        return document, False
    if not isinstance(document, Iterable):
        raise TypeError(
            f"explain takes a text or several, rows of a table, or a matrix; got "
            f"{type(document).__name__}."
        )
    rows: Any = document if hasattr(document, "__len__") else list(document)
    if is_tabular and not reads_text and len(rows) and np.ndim(rows[0]) == 0:
        return [list(rows)], True  # one row of numbers
    return rows, False


def _one_row(row: Mapping[Any, Any]) -> Any:
    """Return a table with one row."""
    columns = {key: [value] for key, value in row.items()}
    try:
        import pandas
    except ImportError:
        import polars

        return polars.DataFrame(columns)
    return pandas.DataFrame(columns)


def text_of(source: TextSource, batch: Any, row: int) -> str | None:
    """Return the text that a vectorizer reads in one document; ``None`` if it is missing.

    Parameters
    ----------
    source : TextSource
        The vectorizer and its field.
    batch : object
        From :func:`as_batch`.
    row : int
        Number of the document.
    """
    if source.field is None:
        value = batch.iloc[row] if hasattr(batch, "iloc") else batch[row]
    elif hasattr(batch, "columns"):
        name = source.field
        if isinstance(name, int | np.integer) and name not in batch.columns:
            name = batch.columns[name]
        column = batch[name]
        value = column.iloc[row] if hasattr(column, "iloc") else column[row]
    else:
        value = np.asarray(batch, dtype=object)[row, source.field]
    if hasattr(value, "as_py"):  # Arrow
        value = value.as_py()
    if not isinstance(value, str | bytes) and source.vectorizer.input == "content":
        return None
    text = source.vectorizer.decode(value)
    return text if isinstance(text, str) else None
