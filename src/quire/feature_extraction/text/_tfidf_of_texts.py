"""From texts to tf-idf rows for clusters and maps: which terms count, and which rows are empty."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from quire._shared.texts import check_several, is_missing
from quire.feature_extraction.text._tfidf_vectorizer import TfidfVectorizer

__all__ = ["least_documents", "tfidf_of_texts"]

_FEW, _SOME = 100, 1000
_MOST = 0.5  # share of documents; words of more of them tell documents apart badly


def least_documents(n_documents: int) -> int:
    """Return in how many documents a term must be to count: 1, 2 or 5.

    Parameters
    ----------
    n_documents : int
        Size of the corpus.

    Examples
    --------
    >>> [least_documents(n) for n in (12, 500, 11_314)]
    [1, 2, 5]
    """
    return 1 if n_documents < _FEW else 2 if n_documents < _SOME else 5


def tfidf_of_texts(texts: Any, vectorizer: Any = None) -> tuple[Any, Any, NDArray[np.bool_]]:
    """Fit a vectorizer to texts.

    Parameters
    ----------
    texts : sequence of str, or polars Series
        Documents. ``None`` is an empty one.
    vectorizer : object, default=None
        What makes rows of texts; a copy of it is fitted. ``None``: :class:`TfidfVectorizer` with
        ``1 + log tf``, words of at most half of the documents, and not those of very few.

    Returns
    -------
    vectorizer : object
        Fitted.
    X : CSR matrix of shape (n_documents, n_terms)
        Rows.
    filled : ndarray of bool
        Which documents have a term that counts.

    Raises
    ------
    TypeError
        If `texts` is one string.
    ValueError
        If there are no documents, or none has a term that counts.
    """
    check_several(texts)
    texts = _filled_in(texts)
    if not len(texts):
        raise ValueError("texts has no documents; expected at least one.")
    if vectorizer is None:
        made: Any = TfidfVectorizer(
            sublinear_tf=True, min_df=least_documents(len(texts)), max_df=_MOST
        )
    else:
        made = clone(vectorizer)
    X = sparse.csr_array(made.fit_transform(texts))
    if X.dtype not in (np.float32, np.float64):  # counts
        X = X.astype(np.float64)
    filled: NDArray[np.bool_] = np.diff(X.indptr) > 0
    if not X.data.all():  # zeros that are stored; no vectorizer of quire does that
        filled = np.asarray(abs(X).sum(axis=1)).ravel() > 0
    if not filled.any():
        raise ValueError("No document has a term that counts. Leave out fewer terms.")
    return made, X, filled


def _filled_in(texts: Any) -> Any:
    """Return texts with empty ones in the place of those that are missing."""
    if hasattr(texts, "fill_null"):  # polars
        return texts.fill_null("")
    listed = list(texts)
    if all(isinstance(text, str | bytes) for text in listed):
        return listed
    return ["" if is_missing(text) else text for text in listed]
