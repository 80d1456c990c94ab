r"""Summary of logistic regression, binary and multinomial, by the observed information.

With a reference class :math:`r` the parameters are the log-odds of each other class against it,
:math:`\log P(k \mid x) - \log P(r \mid x) = b_k + \beta_k' x`, and the information has the blocks

.. math:: I_{kl} = \sum_i w_i\, p_{ik} (\delta_{kl} - p_{il})\, z_i z_i'

The choice of the reference changes what is compared with what, not the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import log_softmax, xlogy

from quire._shared.typing import Floats
from quire.linear_model._summary.checks import (
    check_at_optimum,
    check_bounded,
    check_confidence,
    check_counts,
    check_inseparable,
    check_unpenalised,
    checked_rows,
    codes_of,
    names_of,
    no_maximum,
)
from quire.linear_model._summary.information import (
    SingularInformationError,
    collinear,
    dense_means,
    information,
    inverse,
    uncentred,
)
from quire.linear_model._summary.summary import Summary, equation_from

__all__ = ["LogisticSummary"]


class LogisticSummary:
    """Gives ``summary`` to a logistic model with ``classes_``, ``coef_`` and ``intercept_``."""

    def summary(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        confidence: float = 0.95,
        feature_names: Any = None,
        reference: Any = None,
    ) -> Summary:
        r"""Return estimates, standard errors, tests and intervals, and measures of fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The features the model was fitted on.
        y : array-like of shape (n_samples,)
            The classes it was fitted on.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights it was fitted with. They are taken as counts: a sample of weight 2 stands
            for two samples.
        confidence : float, default=0.95
            Confidence of the intervals.
        feature_names : sequence of str, default=None
            Names of the columns; ``None`` means those seen in ``fit``, or x0, x1 and so on.
        reference : object, default=None
            The class the others are compared with; ``None`` means that of the fit, or the first.

        Returns
        -------
        Summary
            The estimates with their uncertainty: one table for each class but the reference.

        Raises
        ------
        ValueError
            If standard errors would not be valid: penalised estimates, collinear columns, classes
            that can be separated, no more samples than parameters, more than 10,000 parameters, or
            data the model was not fitted on.

        Notes
        -----
        The information matrix is formed by blocks of rows in :math:`O(nK^2p^2)`, from sparse
        products where X is sparse. Without an intercept the null model gives all classes the same
        probability.
        """
        model: Any = self
        level = check_confidence(confidence)
        X, weights, kept = checked_rows(model, X, sample_weight)
        check_unpenalised(model)
        classes = np.asarray(model.classes_)
        codes = codes_of(y, classes, kept)
        if reference is None:
            reference = getattr(model, "reference", None)
        first = _place(reference, classes)
        names = names_of(model, X.shape[1], feature_names)
        n, p = X.shape
        K = len(classes)
        intercept = bool(model.fit_intercept)
        k = (p + intercept) * (K - 1)
        check_counts(n, k, p)

        W, b = _weights(model, K)
        others = np.delete(np.arange(K), first)
        scores = X @ W.T + b
        log_p = log_softmax(scores, axis=1)
        covariance = _covariance(X, scores, log_p, codes, weights, others, intercept, names)
        estimates = (W - W[first])[others]
        if intercept:
            estimates = np.column_stack([(b - b[first])[others], estimates])
        counts = np.bincount(codes, weights, minlength=K)
        total = float(weights.sum())
        null = float(xlogy(counts, counts / total).sum()) if intercept else -total * np.log(K)
        likelihood = float(weights @ log_p[np.arange(n), codes])
        variances = np.diag(covariance).reshape(estimates.shape)
        labels = classes[others].tolist()
        return Summary(
            model=type(model).__name__,
            method="Logistic regression" if K == 2 else "Multinomial logistic regression",
            equations=tuple(
                equation_from(
                    label,
                    ("intercept", *names) if intercept else names,
                    np.arange(p + intercept) >= intercept,
                    estimates[a],
                    variances[a],
                    level,
                )
                for a, label in enumerate(labels)
            ),
            statistic="z",
            confidence=level,
            covariance=covariance,
            covariance_type="observed information",
            n_samples=total,
            n_parameters=k,
            df_model=p * (K - 1),
            df_residual=total - k,
            log_likelihood=likelihood,
            null_log_likelihood=null,
            r2=1 - likelihood / null,
            reference=classes.tolist()[first],
            gives_odds=True,
            notes=()
            if intercept
            else ("There is no intercept: the null model gives all classes the same probability.",),
        )


def _place(reference: Any, classes: NDArray[Any]) -> int:
    """Return the number of the reference class."""
    if reference is None:
        return 0
    found = np.flatnonzero(classes == reference)
    if len(found) != 1:
        raise ValueError(
            f"reference is {reference!r}, which is not a class of the model. There are: "
            f"{', '.join(map(repr, classes.tolist()))}."
        )
    return int(found[0])


def _weights(model: Any, n_classes: int) -> tuple[Floats, Floats]:
    """Return coefficients and intercept of every class; two classes share one row."""
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_  # sparsify()
    W = np.asarray(coef, dtype=np.float64)
    b = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), (len(W),))
    if n_classes == 2 and len(W) == 1:
        return np.vstack([np.zeros_like(W), W]), np.append(0.0, b)
    return W, b


def _covariance(
    X: Any,
    scores: Floats,
    log_p: Floats,
    codes: NDArray[np.int32],
    weights: Floats,
    others: NDArray[np.int64],
    intercept: bool,
    names: tuple[str, ...],
) -> Floats:
    """Return the inverse of the information, once it is known to be the covariance."""
    n, width = len(codes), len(others)
    at = np.arange(n)
    rivals = scores.copy()
    rivals[at, codes] = -np.inf
    check_inseparable(scores[at, codes] - rivals.max(axis=1))

    P = np.exp(log_p)
    complement = P.sum(axis=1, keepdims=True) - P  # 1 - P, where P is near one too small to keep
    for k in range(P.shape[1]):
        near = P[:, k] > 0.5
        complement[near, k] = np.delete(P[near], k, axis=1).sum(axis=1)

    def curvature(rows: slice) -> Floats:
        part = P[rows][:, others]
        D = -part[:, :, None] * part[:, None, :]
        diagonal = np.arange(width)
        D[:, diagonal, diagonal] = part * complement[rows][:, others]
        D *= weights[rows, None, None]
        return D

    center = dense_means(X, weights, names) if intercept else None
    try:
        C = inverse(information(X, curvature, width, intercept=intercept, center=center))
    except SingularInformationError:
        raise _reason(X, weights, intercept, center, names) from None

    G = -P
    G[at, codes] = complement[at, codes]
    G = weights[:, None] * G[:, others]
    g = (X.T @ G).T
    if center is not None:
        g = g - np.outer(G.sum(axis=0), center)
    if intercept:
        g = np.column_stack([G.sum(axis=0), g])
    step = (C @ g.ravel()).reshape(g.shape)
    distance = float(np.sqrt(max(g.ravel() @ step.ravel(), 0.0)))
    slopes = step[:, intercept:]
    move = X @ slopes.T
    if intercept:
        move = move + step[:, 0] - (0.0 if center is None else slopes @ center)
    moves = np.zeros_like(P)
    moves[:, others] = move
    gains = moves[at, codes, None] - moves
    check_bounded(slopes, gains, distance, X, names)
    check_at_optimum(float(np.max(np.abs(step.ravel()) / np.sqrt(np.diag(C)))))
    return uncentred(C, center, width)


def _reason(
    X: Any, weights: Floats, intercept: bool, center: Floats | None, names: tuple[str, ...]
) -> ValueError:
    """Return what a singular information is due to: the columns, or probabilities of 0 and 1."""
    try:
        inverse(
            information(
                X, lambda rows: weights[rows, None, None], 1, intercept=intercept, center=center
            )
        )
    except SingularInformationError as error:
        columns = ("intercept", *names) if intercept else names
        return collinear(error.columns, columns)
    return no_maximum()
