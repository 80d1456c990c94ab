"""Tables as models take them: in `compare`, which fits them, and in prediction, which asks them."""

from __future__ import annotations

from typing import Any

import polars as pl

__all__ = ["cleaned_columns", "cluster_columns", "place_columns", "topic_columns", "with_columns"]

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


def topic_columns(theta: Any, *, shares: bool = True, has_words: Any = None) -> dict[str, Any]:
    """Return the shares of topics in documents as columns of a table.

    Parameters
    ----------
    theta : ndarray of shape (n_documents, n_topics)
        The shares.
    shares : bool, default=True
        Whether to give the share of every topic.
    has_words : ndarray of bool of shape (n_documents,), default=None
        Which documents have words that the model knows; the others are in no topic.

    Returns
    -------
    dict from str to ndarray or polars.Series
        ``topic``, the one with the largest share; its ``share``; and ``topic 0`` and so on. Series
        with nulls if there are documents without words.

    Examples
    --------
    >>> import numpy as np
    >>> from quire._shared.tables import topic_columns
    >>> columns = topic_columns(np.array([[0.25, 0.75]]))
    >>> {name: values.tolist() for name, values in columns.items()}
    {'topic': [1], 'share': [0.75], 'topic 0': [0.25], 'topic 1': [0.75]}
    """
    found = {"topic": theta.argmax(axis=1), "share": theta.max(axis=1)}
    if shares:
        found |= {f"topic {number}": theta[:, number] for number in range(theta.shape[1])}
    if has_words is None or has_words.all():
        return found
    is_in = pl.Series(has_words)
    return {
        name: pl.select(pl.when(is_in).then(pl.Series(values))).to_series()
        for name, values in found.items()
    }


def cluster_columns(labels: Any, distances: Any) -> dict[str, Any]:
    """Return the clusters of documents as columns of a table.

    Parameters
    ----------
    labels : ndarray of shape (n_documents,)
        Numbers of clusters; below 0 for documents that are in none.
    distances : ndarray of shape (n_documents,)
        Distances to the centres.

    Returns
    -------
    dict from str to polars.Series
        ``cluster`` and ``distance``, null for documents that are in none.

    Examples
    --------
    >>> import numpy as np
    >>> from quire._shared.tables import cluster_columns
    >>> columns = cluster_columns(np.array([1, -1]), np.array([0.5, np.nan]))
    >>> {name: values.to_list() for name, values in columns.items()}
    {'cluster': [1, None], 'distance': [0.5, None]}
    """
    is_in = pl.Series(labels >= 0)
    found = {"cluster": pl.Series(labels), "distance": pl.Series(distances)}
    return {name: pl.select(pl.when(is_in).then(v)).to_series() for name, v in found.items()}


def place_columns(points: Any) -> dict[str, Any]:
    """Return the places of documents as columns of a table, null where they are NaN.

    Parameters
    ----------
    points : ndarray of shape (n_documents, n_components)
        Projections on components.

    Returns
    -------
    dict from str to polars.Series
        ``x`` and ``y`` of two components, otherwise ``component 1`` and so on.
    """
    n = points.shape[1]
    names = ["x", "y"] if n == 2 else [f"component {k + 1}" for k in range(n)]
    return {name: pl.Series(points[:, k]).fill_nan(None) for k, name in enumerate(names)}


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
