"""Predicting what is in a file: the columns of the input, the label and its probabilities.

Of a topic model the prediction is the topic that fills most of a document, and its shares; of
clusters, the nearest one and how far its centre is; of components, the place along each.

Sources larger than memory are read, predicted and handed on part by part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.pipeline import Pipeline

from quire._shared.decisions import decisions
from quire._shared.tables import (
    cleaned_columns,
    cluster_columns,
    place_columns,
    topic_columns,
    with_columns,
)
from quire.io import Corpus, read_batches

__all__ = ["predict_batches", "predict_table"]

_MOST_CLASSES = 100  # with more, only the probability of the predicted class is given


def predict_table(model: Any, corpus: Corpus, *, probabilities: bool = True) -> pl.DataFrame:
    """Predict the documents of a corpus.

    Parameters
    ----------
    model : estimator
        A fitted pipeline that takes texts, or a table with the columns it was fitted on; or a topic
        model that was fitted to texts. The last step may also be k-means or a PCA.
    corpus : Corpus
        Documents, with all columns of their source.
    probabilities : bool, default=True
        Whether to add the probability of every class, where the model has them, or the share of
        every topic.

    Returns
    -------
    polars.DataFrame
        The columns of the source; ``predicted``; ``probability`` of that; and ``p(class)`` for each
        of the classes, if there are not more than a hundred. Of a topic model: ``topic``, its
        ``share``, and ``topic 0`` and so on. Of clusters: ``cluster`` and ``distance``, empty for
        documents without a word that the model knows. Of a PCA with two components: ``x`` and
        ``y``. A name that is taken already gets an underscore.

    Raises
    ------
    ValueError
        If the model needs a column that the source does not have, or predicts nothing.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.io import read_corpus
    >>> from quire.naive_bayes import MultinomialNB
    >>> from quire.prediction import predict_table
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(CountVectorizer(), MultinomialNB())
    >>> model = model.fit(["good film", "bad film"], ["pos", "neg"])
    >>> new = read_corpus(pl.DataFrame({"id": [7], "text": ["good good"]}))
    >>> found = predict_table(model, new)
    >>> found.columns
    ['id', 'text', 'predicted', 'probability', 'p(neg)', 'p(pos)']
    >>> found.row(0)[2:4]
    ('pos', 0.8)
    """
    documents = _documents_for(model, corpus)
    if isinstance(model, Pipeline) and len(model.steps) > 1:  # texts become numbers only once
        documents, model = model[:-1].transform(documents), model.steps[-1][1]
    added: dict[str, Any] = {}
    if not hasattr(model, "predict") and hasattr(type(model), "theta_"):  # not computed to look
        added = topic_columns(model.transform(documents), shares=probabilities)
    elif hasattr(model, "cluster_centers_") and hasattr(model, "transform"):
        added = _nearest(model, documents)
    elif not hasattr(model, "predict") and hasattr(model, "explained_variance_ratio_"):
        places = model.transform(documents)
        added = place_columns(np.where(_has_terms(documents)[:, None], places, np.nan))
    elif not hasattr(model, "predict"):
        raise ValueError(
            f"{type(model).__name__} predicts nothing for documents. Of saved models, quire "
            "neighbors takes a search and quire align a map."
        )
    elif not hasattr(model, "classes_"):
        added["predicted"] = np.asarray(model.predict(documents)).ravel()
    elif probabilities and hasattr(model, "predict_proba"):
        codes, P = decisions(model, documents)
        added["predicted"] = np.asarray(model.classes_)[codes]
        added["probability"] = np.take_along_axis(P, codes[:, None], axis=1)[:, 0]
        if P.shape[1] <= _MOST_CLASSES:
            for number, label in enumerate(model.classes_.tolist()):
                added[f"p({label})"] = P[:, number]
    else:
        added["predicted"] = np.asarray(model.predict(documents))
    return with_columns(corpus.frame, added)


def _nearest(model: Any, rows: Any) -> dict[str, Any]:
    """Return the nearest cluster of each row and the distance to its centre."""
    distances = np.asarray(model.transform(rows), dtype=np.float64)
    labels = np.asarray(model.predict(rows), dtype=np.int64)
    own = np.take_along_axis(distances, labels[:, None], axis=1)[:, 0]
    return cluster_columns(np.where(_has_terms(rows), labels, -1), own)


def _has_terms(rows: Any) -> Any:
    """Return which rows are not all zeros; every dense row counts as filled."""
    if not sparse.issparse(rows):
        return np.ones(len(rows), dtype=bool)
    return np.asarray(abs(rows).sum(axis=1)).ravel() > 0


def predict_batches(
    model: Any, source: Any, *, batch_size: int = 10_000, probabilities: bool = True, **options: Any
) -> Iterator[pl.DataFrame]:
    """Predict a source part by part, with memory for one part at a time.

    Parameters
    ----------
    model : estimator
        As for `predict_table`.
    source : path, "-", file object, or data frame
        As for :func:`quire.io.read_batches`.
    batch_size : int, default=10_000
        Documents of a part.
    probabilities : bool, default=True
        As for `predict_table`.
    **options
        As for :func:`quire.io.read_batches`: ``text``, ``format``, ``encoding`` and so on.

    Returns
    -------
    iterator of polars.DataFrame
        As from `predict_table`, in the order of the source.
    """
    for corpus in read_batches(source, batch_size=batch_size, **options):
        yield predict_table(model, corpus, probabilities=probabilities)


def _documents_for(model: Any, corpus: Corpus) -> Any:
    """Return what a model takes: the texts, or the table where it was fitted on one.

    Parameters
    ----------
    model : estimator
        Fitted.
    corpus : Corpus
        Documents.
    """
    columns = _columns_of(model)
    if columns is None:
        return corpus.texts.fill_null("")
    missing = [name for name in columns if name not in corpus.frame.columns]
    if missing:
        raise ValueError(
            f"The model was fitted on a column {missing[0]!r}, which {corpus.source or 'the data'} "
            f"does not have; it has: {', '.join(corpus.frame.columns)}."
        )
    return cleaned_columns(corpus.frame.select(columns))


def _columns_of(model: Any) -> list[str] | None:
    """Return the columns that a model was fitted on, or ``None`` for one that takes texts."""
    names = getattr(model, "feature_names_in_", None)
    if names is None and hasattr(model, "steps"):
        names = getattr(model.steps[0][1], "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]
