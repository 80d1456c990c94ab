"""Tables as models take them: in `compare`, which fits them, and in prediction, which asks them."""

from __future__ import annotations

from typing import Any

import polars as pl

__all__ = ["cleaned_columns", "topic_columns", "with_columns"]

_MISSING = "(missing)"


def cleaned_columns(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with missing texts empty, and categories and truth values as words.

    Parameters
    ----------
    table : polars.DataFrame
        Any columns; numbers are left alone.

    Examples
    --------
    >>> import polars as pl
    >>> cleaned_columns(pl.DataFrame({"text": ["a", None], "flag": [True, None]})).rows()
    [('a', 'true'), ('', '(missing)')]
    """
    words = pl.col(pl.Boolean, pl.Categorical, pl.Enum).cast(pl.String).fill_null(_MISSING)
    return table.with_columns(pl.col(pl.String).fill_null(""), words)


def topic_columns(theta: Any, *, shares: bool = True) -> dict[str, Any]:
    """Return the shares of topics in documents as columns of a table.

    Parameters
    ----------
    theta : ndarray of shape (n_documents, n_topics)
        The shares.
    shares : bool, default=True
        Whether to give the share of every topic.

    Returns
    -------
    dict from str to ndarray
        ``topic``, the one with the largest share; its ``share``; and ``topic 0`` and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from quire._table_columns import topic_columns
    >>> columns = topic_columns(np.array([[0.25, 0.75]]))
    >>> {name: values.tolist() for name, values in columns.items()}
    {'topic': [1], 'share': [0.75], 'topic 0': [0.25], 'topic 1': [0.75]}
    """
    found = {"topic": theta.argmax(axis=1), "share": theta.max(axis=1)}
    if shares:
        found |= {f"topic {number}": theta[:, number] for number in range(theta.shape[1])}
    return found


def with_columns(frame: pl.DataFrame, added: dict[str, Any]) -> pl.DataFrame:
    """Return a table with columns more; names that are taken get an underscore."""
    taken = set(frame.columns)
    columns = []
    for name, values in added.items():
        while name in taken:
            name += "_"
        taken.add(name)
        columns.append(pl.Series(name, values.tolist() if values.dtype == object else values))
    return frame.with_columns(columns)
