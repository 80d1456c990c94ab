"""Which terms of a corpus mark which class, by chi-squared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from quire._shared.term_weights import plain

__all__ = ["TermScore", "top_terms"]

_TIMES = 5  # as many documents as a term must be in: a class is large enough to ask


@dataclass(frozen=True, slots=True)
class TermScore:
    """A term that is more frequent in one class than in the others.

    Attributes
    ----------
    term : str or int
        The term, or the number of its column where names are not known.
    score : float
        Chi-squared of the term and the class.
    share_in_class : float
        Share of the documents of the class that contain the term.
    share_elsewhere : float
        Share of all other documents that contain the term.
    """

    term: Any
    score: float
    share_in_class: float
    share_elsewhere: float


def top_terms(
    X: Any,
    y: Any,
    n_terms: int = 10,
    *,
    feature_names: Sequence[str] | npt.NDArray[Any] | None = None,
    min_documents: int = 1,
) -> dict[Any, list[TermScore]]:
    r"""Find the terms that mark each class, by chi-squared over documents.

    Let a of the n documents of the class contain the term, and b of the m other documents. Then

    .. math::

        \chi^2 = \frac{(n + m)\,(a (m - b) - b (n - a))^2}{n \, m \, (a + b) \, (n + m - a - b)},

    and of the terms with a/n > b/m, those with the largest values are returned.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_documents, n_terms)
        Counts, weights or presence; a term is in a document where the entry is above zero.
    y : array-like of shape (n_documents,)
        Class of each document; at least two classes.
    n_terms : int, default=10
        Number of terms for each class; fewer are returned where fewer favour the class.
    feature_names : sequence of str, default=None
        The term that each column of `X` stands for; their numbers if ``None``.
    min_documents : int, default=1
        Terms in fewer documents of the class are left out, so that one document does not speak for
        all. Of a class with fewer than five times as many documents none is.

    Returns
    -------
    dict from class to list of TermScore
        The classes in sorted order, the terms from the highest score down. Terms with equal scores
        keep the order of their columns.

    Examples
    --------
    >>> from quire.inspection import top_terms
    >>> X = [[1, 1, 0], [2, 0, 0], [0, 1, 1], [0, 1, 3]]
    >>> names = ["left", "middle", "right"]
    >>> terms = top_terms(X, ["a", "a", "b", "b"], feature_names=names)
    >>> terms["a"]
    [TermScore(term='left', score=4.0, share_in_class=1.0, share_elsewhere=0.0)]
    >>> [term.term for term in terms["b"]]
    ['right', 'middle']
    """
    counts = sparse.csr_array(X)
    labels = np.asarray(y)
    if feature_names is None:
        feature_names = np.arange(counts.shape[1])
    names = np.asarray(feature_names, dtype=object)
    if labels.shape != (counts.shape[0],):
        raise ValueError(
            f"y has shape {labels.shape}; expected ({counts.shape[0]},), one class for each row "
            "of X."
        )
    if names.shape != (counts.shape[1],):
        raise ValueError(
            f"feature_names has {names.size} names; X has {counts.shape[1]} columns. "
            "Take the names from the vectorizer that made X."
        )
    missing = labels != labels  # NaN
    if labels.dtype == object:
        missing |= np.array([label is None for label in labels], dtype=bool)
    if missing.any():
        raise ValueError(
            f"y has no class at row {int(missing.argmax())} ({int(missing.sum())} in all). "
            "Remove or label the rows without a class."
        )
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            f"y has {classes.size} class(es); terms are compared between classes, so it needs two."
        )

    if not counts.has_canonical_format:
        counts = counts.copy()  # it may share the memory of X
        counts.sum_duplicates()
    present = sparse.csr_array(
        ((counts.data > 0).astype(np.float64), counts.indices, counts.indptr), shape=counts.shape
    )
    membership = sparse.csr_array(
        (np.ones(codes.size), (codes, np.arange(codes.size))), shape=(classes.size, codes.size)
    )
    in_class = (membership @ present).tocsr()  # a, shape (n_classes, n_columns)
    in_class.sort_indices()
    anywhere = in_class.sum(axis=0)  # a + b, shape (n_columns,)
    sizes = np.bincount(codes)  # n, shape (n_classes,)

    top = {}
    for k, label in enumerate(classes.tolist()):
        of_class = slice(in_class.indptr[k], in_class.indptr[k + 1])
        columns, a = in_class.indices[of_class], in_class.data[of_class]
        n, m = float(sizes[k]), float(codes.size - sizes[k])
        favouring = a * m > (anywhere[columns] - a) * n
        if n >= _TIMES * min_documents:
            favouring &= a >= min_documents
        columns, a = columns[favouring], a[favouring]
        b = anywhere[columns] - a
        # The term is in some documents and not in all, so nothing here divides by zero.
        scores = (n + m) * (a * (m - b) - b * (n - a)) ** 2 / (n * m * (a + b) * (n + m - a - b))
        best = np.argsort(-scores, kind="stable")[: max(n_terms, 0)]
        top[label] = [
            TermScore(plain(names[columns[i]]), float(scores[i]), float(a[i] / n), float(b[i] / m))
            for i in best
        ]
    return top
