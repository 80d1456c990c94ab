"""What a fitted model is given of a corpus: its texts, or columns of its table."""

from __future__ import annotations

from typing import Any

from quire._shared.tables import cleaned_columns
from quire.kinds._inside import first_step, last_step, takes_of
from quire.kinds._registry import kind_of_class

__all__ = ["rows_for"]


def rows_for(model: Any, corpus: Any) -> Any:
    """Return what a fitted model takes of a corpus.

    Parameters
    ----------
    model : estimator
        Fitted.
    corpus : Corpus
        Documents, with all columns of their source (:class:`quire.io.Corpus`).

    Returns
    -------
    polars.Series or polars.DataFrame
        The texts, or the columns that the model was fitted on.

    Raises
    ------
    ValueError
        If the model takes rows of numbers, a column that is not there, or texts where there are
        none.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.io import read_corpus
    >>> from quire.kinds import rows_for
    >>> from quire.naive_bayes import MixedNB
    >>> model = MixedNB().fit(pl.DataFrame({"age": [30, 60], "home": ["own", "rent"]}), ["a", "b"])
    >>> new = pl.DataFrame({"name": ["Ada", "Bo"], "home": ["own", "own"], "age": [44, 41]})
    >>> rows_for(model, read_corpus(new)).columns
    ['age', 'home']
    """
    takes = takes_of(model)
    if takes.what == "matrix":
        raise ValueError(
            f"{type(last_step(model)).__name__} takes rows of numbers, not documents. Predict with "
            "a pipeline of its vectorizer and the model."
        )
    if takes.what != "table":
        if corpus.kind == "table":
            raise ValueError(
                f"The model takes texts, and {corpus.source or 'the table'} has none: no column "
                "of it is prose. Name the one to take with text=."
            )
        return corpus.texts.fill_null("")
    missing = [name for name in takes.columns if name not in corpus.frame.columns]
    if missing:
        raise ValueError(
            f"The model was fitted on a column {missing[0]!r}, which {corpus.source or 'the data'} "
            f"does not have; it has: {', '.join(corpus.frame.columns)}."
        )
    rows = corpus.frame.select(takes.columns)
    reads = kind_of_class(type(first_step(model))).reads
    return rows if reads == "table" else cleaned_columns(rows)
