r"""K linear functions of the features, one for each class; the largest decides.

.. math:: y_k(x) = w_k'x + w_{k0}, \qquad
          \text{boundary of } k \text{ and } j: \; (w_k - w_j)'x + (w_{k0} - w_{j0}) = 0

A region is where K - 1 such inequalities hold, an intersection of half-spaces: convex, so that with
two samples everything between them is of the same class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.validation import check_is_fitted

from quire._shared.linear import linear_scores
from quire._shared.notebooks import ShownInNotebooks, listed_cells
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import check_array

__all__ = ["Discriminants", "linear_discriminants"]


@dataclass(frozen=True, eq=False)
class Discriminants(ShownInNotebooks):
    """One linear function for each class.

    Attributes
    ----------
    coef : ndarray of shape (n_classes, n_features)
        The weights.
    intercept : ndarray of shape (n_classes,)
        What is added.
    classes : ndarray of shape (n_classes,)
        The classes.
    """

    coef: Floats
    intercept: Floats
    classes: NDArray[Any]

    def _notebook_cells(self) -> list[list[str]]:
        rows = (
            [str(label), offset, *weights[:8]]
            for label, offset, weights in zip(
                self.classes, self.intercept.tolist(), self.coef.tolist(), strict=True
            )
        )
        columns = [f"column {j}" for j in range(min(8, self.coef.shape[1]))]
        return listed_cells(["class", "intercept", *columns], rows)

    def scores(self, X: Any) -> Floats:
        """Return the values of all functions, of shape (n_samples, n_classes).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        """
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        found = linear_scores(X, self.coef, self.intercept, effective_threads(None))
        return np.asarray(found, dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest value for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        """
        labels: NDArray[Any] = self.classes[self.scores(X).argmax(axis=1)]
        return labels

    def boundary(self, first: Any, second: Any) -> tuple[Floats, float]:
        """Return w and b of the boundary ``w'x + b = 0`` of two classes; above it is the first.

        Parameters
        ----------
        first, second : object
            Two of the classes.
        """
        k, j = (self._place(label) for label in (first, second))
        return self.coef[k] - self.coef[j], float(self.intercept[k] - self.intercept[j])

    def _place(self, label: Any) -> int:
        found = np.flatnonzero(self.classes == label)
        if len(found) != 1:
            raise ValueError(f"{label!r} is not among the classes {self.classes.tolist()}.")
        return int(found[0])


def linear_discriminants(model: Any) -> Discriminants:
    """Return the linear functions by which a model decides among its classes.

    Parameters
    ----------
    model : fitted classifier
        With ``coef_`` and ``intercept_``, and the largest score deciding: logistic regression,
        linear discriminant analysis, least squares, a linear SVM; or scikit-learn's
        ``OneVsRestClassifier`` around such a model. The scores of two classes are 0 and w'x + b.

    Returns
    -------
    Discriminants
        A function for each class.

    Examples
    --------
    >>> from quire.linear_model import LeastSquaresClassifier
    >>> from quire.multiclass import linear_discriminants
    >>> model = LeastSquaresClassifier().fit([[0], [1], [5], [6]], ["a", "a", "b", "b"])
    >>> functions = linear_discriminants(model)
    >>> functions.predict([[0], [6]])
    array(['a', 'b'], dtype='<U1')
    >>> w, b = functions.boundary("b", "a")
    >>> float((-b / w[0]).round(6))
    3.0
    """
    check_is_fitted(model)
    if isinstance(model, OneVsRestClassifier):
        each = model.estimators_
        coef = np.vstack([_dense(one, "coef_") for one in each])
        intercept = np.concatenate([np.ravel(_dense(one, "intercept_")) for one in each])
    else:
        coef, intercept = np.atleast_2d(_dense(model, "coef_")), _dense(model, "intercept_")
    classes = np.asarray(model.classes_)
    intercept = np.broadcast_to(np.ravel(intercept), (len(coef),)).copy()
    if len(coef) == 1:
        coef, intercept = np.vstack([np.zeros_like(coef), coef]), np.append(0.0, intercept)
    if len(coef) != len(classes):
        raise TypeError(
            f"{type(model).__name__} has {len(coef)} linear functions for {len(classes)} classes: "
            "it does not decide by the largest of one for each."
        )
    return Discriminants(coef, intercept, classes)


def _dense(model: Any, name: str) -> Floats:
    if not hasattr(model, name):
        raise TypeError(f"{type(model).__name__} has no {name}: it is not linear.")
    values = getattr(model, name)
    values = values.toarray() if sparse.issparse(values) else values
    return np.asarray(values, dtype=np.float64)
