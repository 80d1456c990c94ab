"""Predictions of documents whose labels are known: what a score is computed from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.typing import Floats

__all__ = ["HeldOut", "Measure", "Metric"]

Measure = Callable[[Floats], float]  # from how often every document counts to a score


@dataclass(frozen=True)
class HeldOut:
    """What a model said of documents, and what is true.

    Attributes
    ----------
    codes, predicted : ndarray of shape (n_documents,)
        True and predicted places among the classes, or numbers. Of several labels sparse matrices
        of 0 and 1, of shape (n_documents, n_labels).
    probabilities : ndarray of shape (n_documents, n_classes) or None
        Predicted ones.
    ranking : ndarray of shape (n_documents,) or (n_documents, n_classes), or None
        Numbers that rank documents by the second of two classes, or by each of more.
    costs : ndarray of shape (n_classes, n_classes) or None
        What it costs to predict a class (column) where another is true (row).
    """

    codes: Any
    predicted: Any
    probabilities: Any = None
    ranking: Any = None
    costs: Floats | None = None

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return int(self.codes.shape[0])

    @property
    def of_sets(self) -> bool:
        """Whether documents have several labels."""
        return bool(sparse.issparse(self.codes))

    @property
    def n_classes(self) -> int:
        """Number of classes: as the tables have it, or as many as occur."""
        if self.of_sets:
            return int(self.codes.shape[1])
        if self.probabilities is not None:
            return int(self.probabilities.shape[1])
        if self.costs is not None:
            return len(self.costs)
        if self.ranking is not None:
            return 2 if self.ranking.ndim == 1 else int(self.ranking.shape[1])
        if not len(self.codes):
            return 0
        return int(max(self.codes.max(), self.predicted.max())) + 1


@dataclass(frozen=True)
class Metric:
    """A score: what there is to know of it.

    Attributes
    ----------
    name : str
        As scikit-learn has it; larger is better.
    of : callable
        From :class:`HeldOut` to a function of weights of the documents.
    needs : frozenset of str
        "probabilities" or "ranking", or both if either will do; empty where labels are enough.
    scale : tuple of float
        The least and the largest value that it can have.
    tasks : tuple of str
        What it can be computed for.
    trials : {"share", "documents", "classes", "smaller", ""}
        What the score counts, for the interval of a score at an end of its scale: "share" is a
        share of all documents, "documents" a mean over them, "classes" a mean of shares of classes,
        "smaller" limited by the smaller class. Empty if the scale has no two ends.
    """

    name: str
    of: Callable[[HeldOut], Measure]
    needs: frozenset[str] = frozenset()
    scale: tuple[float, float] = (-np.inf, np.inf)
    tasks: tuple[str, ...] = ()
    trials: str = ""
