"""Where the contributions of evidence come from: linear models, and others that are sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from quire._shared.sparse import as_csr, csr_like, is_sparse
from quire._shared.typing import Floats

__all__ = ["AdditiveTerms", "LinearTerms", "Terms", "difference"]


class Terms(Protocol):
    """Where contributions come from."""

    @property
    def values(self) -> Any:
        """The matrix of documents, of shape (n_documents, n_features)."""

    def between(self, a: int, b: int) -> Any:
        """Return what every feature adds to the log-odds of class number a against b.

        A CSR array or a dense array of shape (n_documents, n_features), new each time.
        """

    def row(self, number: int) -> Terms:
        """Return the same for one document."""

    def is_count(self, column: int) -> bool:
        """Return whether the values of a feature say how often it is there."""


@dataclass(frozen=True, eq=False)
class LinearTerms:
    """Contributions ``x_di * (weights[a, i] - weights[b, i])``, as sparse as the documents.

    Parameters
    ----------
    values : CSR matrix or ndarray of shape (n_documents, n_features)
        The documents.
    weights : ndarray of shape (n_classes, n_features)
        Of a linear model; may hold infinities.
    """

    values: Any
    weights: Floats

    def between(self, a: int, b: int) -> Any:
        """Return what every feature adds to the log-odds of class number a against b."""
        left, right = self.weights[a], self.weights[b]
        if not is_sparse(self.values):
            weight = difference(left, right)
            X = np.asarray(self.values, dtype=np.float64)
            return np.multiply(X, weight, where=X != 0, out=np.zeros(X.shape))
        X = as_csr(self.values)
        data = np.zeros(len(X.data))
        if len(X.data) < len(left):  # a few short documents read only the weights of their terms
            weight = difference(left[X.indices], right[X.indices])
        else:
            weight = difference(left, right)[X.indices]
        np.multiply(X.data, weight, where=X.data != 0, out=data)
        return csr_like(X, data)

    def row(self, number: int) -> LinearTerms:
        """Return the same for one document."""
        return LinearTerms(self.values[[number]], self.weights)

    def is_count(self, column: int) -> bool:
        """Return ``True``."""
        return True


@dataclass(frozen=True, eq=False)
class AdditiveTerms:
    """Contributions of a model that is additive and not linear.

    Parameters
    ----------
    values : ndarray of shape (n_documents, n_features)
        The documents.
    of_class : callable
        From some documents and the number of a class to what each feature adds to its score, of the
        shape of the documents.
    """

    values: Any
    of_class: Callable[[Any, int], Floats]

    def between(self, a: int, b: int) -> Any:
        """Return what every feature adds to the log-odds of class number a against b."""
        return difference(self.of_class(self.values, a), self.of_class(self.values, b))

    def row(self, number: int) -> AdditiveTerms:
        """Return the same for one document."""
        return AdditiveTerms(self.values[[number]], self.of_class)

    def is_count(self, column: int) -> bool:
        """Return ``False``: such a model is one of measurements."""
        return False


def difference(left: Floats, right: Floats) -> Floats:
    """Return left - right, and 0 where both are the same infinity.

    What is impossible in both classes says nothing between them.

    Parameters
    ----------
    left, right : ndarray
        Of one shape.
    """
    same = np.isinf(left) & (left == right)
    return np.subtract(left, right, where=~same, out=np.zeros(np.shape(left)))
