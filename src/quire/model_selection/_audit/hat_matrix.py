r"""Linear models without one document: exact for least squares, one Newton step for logistic.

At the optimum of :math:`\sum_i \ell_i(s_i) + \tfrac\lambda2 \lVert w \rVert^2`, with
:math:`s_i = w'x_i + b`, :math:`g_i = \ell_i'(s_i)` and :math:`v_i = \ell_i''(s_i)`, a Newton step
on the objective without document :math:`i` gives the score

.. math:: s_i^{(-i)} = s_i + \frac{q_i g_i}{1 - v_i q_i}, \quad
          q_i = \tilde x_i' H^{-1} \tilde x_i .

Of a quadratic objective one step is the optimum: this is the hat matrix of least squares. With
:math:`A = \lambda V^{-1} + XX'` and :math:`u = A^{-1} 1`, the matrix of all
:math:`\tilde x_i' H^{-1} \tilde x_j` is

.. math:: Q = V^{-1} - \lambda V^{-1} A^{-1} V^{-1} + \lambda\,
          \frac{V^{-1} u u' V^{-1}}{1'u},

where the last part is the intercept's, which no penalty holds.

References
----------
Cook, R. D. and Weisberg, S. (1982). Residuals and Influence in Regression. Chapman and Hall.
Pregibon, D. (1981). Logistic regression diagnostics. The Annals of Statistics 9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.special import expit, log_expit

from quire._shared.typing import Floats, Ints
from quire.linear_model import LeastSquaresClassifier, LogisticRegression
from quire.model_selection._audit.left_out import LeftOut, Words, strongest

__all__ = ["MOST_DOCUMENTS", "can_leave_out", "leave_out_of_linear"]

MOST_DOCUMENTS = 4000  # whose pairs are a matrix of 128 MB
_LEAST = 1e-10  # a second derivative; below it a document does not count


def can_leave_out(model: Any, n_documents: int, n_classes: int) -> str | None:
    """Return why documents cannot be left out of a linear model one by one; ``None`` if they can.

    Parameters
    ----------
    model : estimator
        Not fitted.
    n_documents, n_classes : int
        How many there are.
    """
    if type(model) is LeastSquaresClassifier:
        if model.class_weight is not None:
            return "it has class weights"
        if model.alpha <= 0:
            return "it has no penalty"
    elif type(model) is LogisticRegression:
        if n_classes > 2:
            return "it has more than two classes"
        if model.class_weight is not None or model.l1_ratio or not np.isfinite(model.C):
            return "it has class weights, an l1 penalty or none"
        if model.penalty not in ("deprecated", "l2") or model.solver == "liblinear":
            return "its penalty is another one"
    else:
        return f"{type(model).__name__} is not among those for which that is known"
    if n_documents > MOST_DOCUMENTS:
        return f"there are more than {MOST_DOCUMENTS:,} documents"
    return None


def leave_out_of_linear(
    model: Any, X: Any, codes: Ints, n_classes: int, names: Any, n_words: int
) -> LeftOut:
    """Return the scores of every document without itself.

    Parameters
    ----------
    model : LeastSquaresClassifier or LogisticRegression
        Not fitted, and one of which :func:`can_leave_out` has nothing to say.
    X : CSR matrix of shape (n_documents, n_features)
        Documents.
    codes : ndarray of shape (n_documents,)
        Classes.
    n_classes : int
        How many.
    names : sequence of str or None
        Terms.
    n_words : int
        Words to give for a document.
    """
    X = sparse.csr_array(X, dtype=np.float64)
    model = model.fit(X, codes)
    coef, intercept = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    fitted = X @ coef.T + intercept  # (n, 1) for two classes
    if isinstance(model, LogisticRegression):
        p = expit(fitted)
        gradient, curvature = p - codes[:, None], np.maximum((p * (1 - p))[:, 0], _LEAST)
        penalty, how = 1.0 / model.C, "one Newton step for each document"
    else:
        target = np.eye(n_classes)[codes] if n_classes > 2 else 2.0 * codes[:, None] - 1
        gradient, curvature = fitted - target, np.ones(len(codes))
        penalty, how = float(model.alpha), "exactly, through the hat matrix"
    pairs = _Pairs(X, curvature, penalty, bool(model.fit_intercept))
    q = pairs.diagonal()
    step = gradient / np.maximum(1 - curvature * q, _LEAST)[:, None]
    scores = fitted + q[:, None] * step
    is_logistic = isinstance(model, LogisticRegression)
    if n_classes == 2:
        if is_logistic:
            scores = np.hstack([log_expit(-scores), log_expit(scores)])
        else:
            scores = np.hstack([-scores, scores]) / 2

    def words(rows: Ints, first: Ints, second: Ints) -> list[Words | None]:
        found: list[Words | None] = []
        for row, a, b in zip(rows.tolist(), first.tolist(), second.tolist(), strict=True):
            part = slice(X.indptr[row], X.indptr[row + 1])
            columns, values = X.indices[part], X.data[part]
            change = pairs.weights_of(row)[columns]
            weights = coef[:, columns] + step[row][:, None] * change
            if n_classes == 2:
                both = weights[0] * (1 if a == 1 else -1)
            else:
                both = weights[a] - weights[b]
            found.append(strongest(names, columns, values * both, n_words))
        return found

    probabilities = np.exp(scores) if is_logistic else None
    return LeftOut(scores, probabilities, words, how)


class _Pairs:
    """The matrix Q of the module's formula, by its diagonal and its columns."""

    def __init__(self, X: Any, curvature: Floats, penalty: float, has_intercept: bool) -> None:
        self.X, self.penalty = X, penalty
        self.inverse_curvature = 1.0 / curvature
        self.curvature = curvature
        A = np.asarray((X @ X.T).toarray())  # of documents, and as large as may be
        A[np.diag_indices_from(A)] += penalty * self.inverse_curvature
        self.inverse = linalg.inv(A, overwrite_a=True, check_finite=False)
        self.u = self.inverse.sum(axis=1) if has_intercept else np.zeros(len(A))
        self.total = float(self.u.sum()) if has_intercept else 1.0

    def diagonal(self) -> Floats:
        d = self.inverse_curvature
        own = d - self.penalty * d**2 * np.diag(self.inverse)
        found: Floats = own + self.penalty * (d * self.u) ** 2 / self.total
        return found

    def weights_of(self, row: int) -> Floats:
        """Return the weights of the terms in H^-1 x: how a document pulls on the model."""
        d = self.inverse_curvature
        column = -self.penalty * d * self.inverse[:, row] * d[row]
        column[row] += d[row]
        column += self.penalty * d * self.u * (self.u[row] * d[row] / self.total)
        pulled = -(self.X.T @ (self.curvature * column))
        part = slice(self.X.indptr[row], self.X.indptr[row + 1])
        pulled[self.X.indices[part]] += self.X.data[part]
        weights: Floats = pulled / self.penalty
        return weights
