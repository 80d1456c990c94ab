"""What a caller passes as documents: whether it is texts, a table, one string, or missing.

Every package asks here, so that the same thing is a text for all of them.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from quire._shared.sparse import is_sparse

__all__ = [
    "MISSING_MARKS",
    "check_documents",
    "check_none_missing",
    "check_several",
    "is_missing",
    "is_texts",
    "missing_document",
    "python_objects",
]

# What stands for nothing in tables of R, pandas, SQL, spreadsheets and forms, in lower case.
MISSING_MARKS = frozenset(
    "na n/a n.a. #n/a nan null nil ? ?? - -- . .. #value! #ref! <na>".split()
) | {""}

_LOOKED_AT = 100  # entries of a list: the first ones may be missing


def check_documents(documents: Any, *, any_items: bool = False) -> None:
    """Refuse what looks like a collection of documents but is not one.

    Parameters
    ----------
    documents : object
        What the caller passed as ``raw_documents``.
    any_items : bool, default=False
        Whether documents may be anything, since a function of the caller's own reads them.

    Raises
    ------
    ValueError
        For a single string, or an array that is not one-dimensional.
    TypeError
        For a table: which column holds the texts is for the caller to say.
    """
    if isinstance(documents, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    columns = getattr(documents, "column_names", getattr(documents, "columns", None))
    if columns is not None and not callable(columns):
        names = [str(name) for name in columns]
        shown = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
        example = names[0] if names else "text"
        raise TypeError(
            f"A {type(documents).__name__} with {len(names)} columns ({shown}) was passed where "
            f"documents were expected. Name the column of texts, for example X[{example!r}]."
        )
    if isinstance(documents, np.ndarray) and documents.ndim != 1 and not any_items:
        raise ValueError(
            f"Documents must be one-dimensional; an array of shape {documents.shape} was passed. "
            "Choose the column of texts, for example X[:, 0]."
        )


def check_several(texts: Any) -> None:
    """Refuse one string where several texts are expected."""
    if isinstance(texts, str | bytes):
        raise TypeError("texts is one string; expected a list of them, or a column of a table.")


def python_objects(documents: Any) -> Any:
    """Return arrays, columns and tuples as lists of Python objects, and all else as it is."""
    if hasattr(documents, "to_pylist"):  # pyarrow
        return documents.to_pylist()
    if hasattr(documents, "tolist") and hasattr(documents, "dtype"):  # NumPy and pandas
        return documents.tolist()
    if isinstance(documents, tuple) or hasattr(documents, "to_list"):  # polars
        return list(documents)
    return documents


def is_missing(document: object) -> bool:
    """Return whether a document is ``None`` or not a number (NaN, pandas' NA)."""
    return (
        document is None
        or (isinstance(document, float | np.floating) and bool(np.isnan(document)))
        or type(document).__name__ in ("NAType", "NaTType")
    )


def missing_document(document: object, row: int) -> ValueError:
    """Return the error for a missing document."""
    name = "np.nan" if isinstance(document, float | np.floating) else str(document)
    return ValueError(
        f"{name} is an invalid document, expected byte or unicode string. Row {row} (counted from "
        "0) is missing: drop such rows or fill them with '' first."
    )


def check_none_missing(documents: Any) -> None:
    """Refuse missing documents by their row, before folds number them anew."""
    for row, text in enumerate(python_objects(documents)):
        if is_missing(text):
            raise missing_document(text, row)


def is_texts(X: Any, *, check_one: bool = False) -> bool:
    """Return whether `X` holds documents as text: a list, a Series or an Arrow column of strings.

    Parameters
    ----------
    X : object
        Documents or rows.
    check_one : bool, default=False
        Whether one string, which would be read as a list of characters, is an error.

    Raises
    ------
    TypeError
        For one string, if that is asked for.

    Examples
    --------
    >>> is_texts(["one text", "another"]), is_texts([[1, 0], [0, 2]])
    (True, False)
    """
    if isinstance(X, str | bytes):
        if check_one:
            raise TypeError("X is one string; give a list of documents.")
        return False
    if is_sparse(X) or getattr(X, "ndim", 1) != 1 or hasattr(X, "columns"):
        return False
    if isinstance(X, np.ndarray) and X.dtype != object:
        return X.dtype.kind in "US"
    if not hasattr(X, "__getitem__"):  # generators must not be begun to look at them
        return False
    first = (entry.as_py() if hasattr(entry, "as_py") else entry for entry in islice(X, _LOOKED_AT))
    return next((isinstance(e, str | bytes) for e in first if not is_missing(e)), False)
