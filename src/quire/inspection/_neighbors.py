r"""Decisions of nearest neighbours in parts: the documents that decided.

A vote is a sum over neighbours. With weights :math:`w_i` that add up to 1, neighbour i adds
:math:`w_i` to the score of its class, or :math:`w_i y_i` to a predicted number. The parts are
therefore training documents and not terms: they have names of their own, `part_names`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from quire._shared.evidence import DocumentParts
from quire._shared.term_weights import plain
from quire._shared.typing import Floats
from quire.inspection._choices import output_number, two_classes

__all__ = ["NeighborEvidence"]


class NeighborEvidence:
    """The votes of neighbours, for some documents.

    Parameters
    ----------
    model : KNeighborsClassifier or KNeighborsRegressor
        Fitted; quire's or scikit-learn's.
    X : array-like or sparse matrix of shape (n_documents, n_features)
        The documents.

    Examples
    --------
    >>> from quire.inspection import NeighborEvidence
    >>> from quire.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(3).fit([[0], [1], [2], [9]], ["a", "a", "b", "b"])
    >>> evidence = NeighborEvidence(model, [[0.4]])
    >>> parts = evidence.parts(0)
    >>> parts.target, parts.columns.tolist(), parts.contributions.round(2).tolist()
    ('a', [0, 1, 2], [0.33, 0.33, -0.33])
    >>> evidence.part_names(parts).tolist()
    ['document 0 (a), distance', 'document 1 (a), distance', 'document 2 (b), distance']
    """

    part_noun = "document"

    def __init__(self, model: Any, X: Any) -> None:
        self.distances, self.indices = model.kneighbors(X)
        self.weights = _weights(self.distances, model.weights)
        self._y = model._y
        self.classes: Any = None
        if is_classifier(model):
            if model.outputs_2d_:
                raise TypeError(
                    f"{type(model).__name__} with several outputs cannot be explained: its parts "
                    "would be votes on each of them. Fit a model for one output."
                )
            self.classes = model.classes_
        elif self._y.ndim == 1:
            self._y = self._y[:, None]

    def __len__(self) -> int:
        return len(self.indices)

    def parts(self, row: int, target: Any = None, against: Any = None) -> DocumentParts:
        """Return the votes of the neighbours of one document.

        Parameters
        ----------
        row : int
            Number of the document.
        target, against : object, default=None
            Two classes; the one with most votes and the next one if ``None``. For numbers, `target`
            is the output.

        Returns
        -------
        DocumentParts
            Columns are rows of the training data, rising; values are distances.
        """
        order = np.argsort(self.indices[row])
        columns, shares = self.indices[row][order], self.weights[row][order]
        if self.classes is None:
            output = output_number(self._y.shape[1], target, against)
            contributions = shares * self._y[columns, output]
            named: tuple[Any, Any] = (output if self._y.shape[1] > 1 else None, None)
        else:
            first, second = two_classes(self.classes, self._votes(row), target, against)
            codes = self._y[columns]
            contributions = shares * ((codes == first) * 1.0 - (codes == second) * 1.0)
            named = plain(self.classes[first]), plain(self.classes[second])
        return DocumentParts(
            *named,
            float(contributions.sum()),
            0.0,
            columns.astype(np.intp),
            self.distances[row][order].astype(np.float64),
            contributions,
        )

    def part_names(self, parts: DocumentParts) -> NDArray[Any]:
        """Return what the parts are called: the documents, with their classes or numbers.

        Parameters
        ----------
        parts : DocumentParts
            From :meth:`parts`.
        """
        if self.classes is not None:
            said = [str(plain(self.classes[code])) for code in self._y[parts.columns]]
        else:
            output = parts.target if parts.target is not None else 0
            said = [f"{value:g}" for value in self._y[parts.columns, output]]
        pairs = zip(parts.columns.tolist(), said, strict=True)
        return np.array([f"document {i} ({what}), distance" for i, what in pairs], dtype=object)

    def names_of(self, row: int, parts: DocumentParts, names: NDArray[Any]) -> NDArray[Any]:
        """Return the same as :meth:`part_names`: columns have no say in it.

        Parameters
        ----------
        row : int
            Number of the document.
        parts : DocumentParts
            From :meth:`parts`.
        names : ndarray of shape (n_parts,)
            Not used.
        """
        return self.part_names(parts)

    def is_count(self, column: int) -> bool:
        """Return ``False``: distances are no counts."""
        return False

    def _votes(self, row: int) -> NDArray[Any]:
        """Return the votes for each class."""
        codes = self._y[self.indices[row]]
        return np.bincount(codes, self.weights[row], minlength=len(self.classes))


def _weights(distances: NDArray[Any], weights: Any) -> Floats:
    """Return the weights of neighbours, which add up to 1 for each document."""
    if callable(weights):
        given = np.asarray(weights(distances), dtype=np.float64)
    elif weights == "distance":
        with np.errstate(divide="ignore"):
            given = 1.0 / distances.astype(np.float64)
        is_infinite = np.isinf(given)
        rows = is_infinite.any(axis=1)
        given[rows] = is_infinite[rows]
    else:
        given = np.ones(distances.shape)
    total = given.sum(axis=1, keepdims=True)
    if not (total > 0).all():
        raise ValueError("All neighbours of a document have weight 0; change `weights`.")
    shares: Floats = given / total
    return shares
