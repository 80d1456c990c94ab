"""The documents of a fold as matrices: training documents say which terms there are.

A vectorizer that is fitted inside every fold sees no test document. For one that only counts, the
same matrices come out of a single pass over all documents
(:class:`~quire.feature_extraction.text.CountedDocuments`). Any other vectorizer is fitted anew for
each fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer

from quire._shared.texts import python_objects
from quire._shared.typing import AnyArray
from quire.feature_extraction.text import CountedDocuments, CountVectorizer

__all__ = ["Documents", "documents_from"]


class Documents(Protocol):
    """Documents that can be divided into a training and a test part."""

    def __len__(self) -> int: ...

    def divide(self, train: AnyArray, test: AnyArray) -> tuple[Any, Any]:
        """Return both parts as CSR matrices over the vocabulary of the training part."""


@dataclass(frozen=True)
class RefittedDocuments:
    """Documents that a vectorizer must see fold by fold, since it learns more than terms."""

    texts: Sequence[Any]
    vectorizer: Any

    def __len__(self) -> int:
        return len(self.texts)

    def divide(self, train: AnyArray, test: AnyArray) -> tuple[Any, Any]:
        """Return both parts as CSR matrices over the vocabulary of the training part."""
        vectorizer = clone(self.vectorizer)
        numbers = np.arange(len(self.texts))
        training = vectorizer.fit_transform([self.texts[row] for row in numbers[train]])
        testing = vectorizer.transform([self.texts[row] for row in numbers[test]])
        return sparse.csr_array(training), sparse.csr_array(testing)


def documents_from(texts: Any, vectorizer: Any) -> Documents:
    """Return documents that can be divided, counted already where one pass is enough.

    Parameters
    ----------
    texts : iterable of documents, CountedDocuments or matrix of counts
        Texts, or whatever `vectorizer` reads.
    vectorizer : estimator or None
        ``None`` for a :class:`CountVectorizer` with its defaults.
    """
    if sparse.issparse(texts) or getattr(texts, "ndim", 1) == 2:
        if vectorizer is not None:
            raise ValueError(
                "texts is a matrix, and there is a vectorizer too. Give the texts themselves, or "
                "leave the vectorizer out."
            )
        return CountedDocuments.from_matrix(texts)
    if isinstance(texts, CountedDocuments) and vectorizer is None:
        return texts
    if hasattr(texts, "__len__") and len(texts) == 0:
        raise ValueError("texts is empty: there is no document to learn from.")
    if vectorizer is None:
        vectorizer = CountVectorizer()
    if not hasattr(vectorizer, "fit_transform"):
        raise TypeError(
            f"vectorizer has no fit_transform: {vectorizer!r}. Give an object such as "
            "CountVectorizer(ngram_range=(1, 2))."
        )
    if _only_counts(vectorizer):
        return CountedDocuments(texts, vectorizer)
    return RefittedDocuments(list(python_objects(texts)), vectorizer)


def _only_counts(vectorizer: Any) -> bool:
    """Return whether a fit learns terms and nothing else; subclasses may learn more in theirs."""
    fit = getattr(type(vectorizer), "fit_transform", None)
    return fit in (CountVectorizer.fit_transform, SklearnCountVectorizer.fit_transform)
