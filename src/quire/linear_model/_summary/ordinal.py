r"""Summary of models of ordered outcomes, :math:`P(y \le j \mid x) = F(\theta_j - w'x)`.

A coefficient above zero speaks for higher outcomes. With the logit link the odds of an outcome
above :math:`j`, for every :math:`j`, are multiplied by :math:`e^{w_k}` for each unit of feature
:math:`k`. Thresholds are between neighbouring outcomes and are named after them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

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
)
from quire.linear_model._summary.summary import Summary, equation_from
from quire.optimize import OrdinalLoss

__all__ = ["OrdinalSummary"]


class OrdinalSummary:
    """Gives ``summary`` to a model with ``classes_``, ``coef_``, ``thresholds_`` and ``link``."""

    def summary(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        confidence: float = 0.95,
        feature_names: Any = None,
    ) -> Summary:
        r"""Return estimates, standard errors, tests and intervals, and measures of fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The features the model was fitted on.
        y : array-like of shape (n_samples,)
            The outcomes it was fitted on.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights it was fitted with. They are taken as counts: a sample of weight 2 stands
            for two samples.
        confidence : float, default=0.95
            Confidence of the intervals.
        feature_names : sequence of str, default=None
            Names of the columns; ``None`` means those seen in ``fit``, or x0, x1 and so on.

        Returns
        -------
        Summary
            The estimates with their uncertainty: the coefficients, then the thresholds.

        Raises
        ------
        ValueError
            If standard errors would not be valid: penalised estimates, collinear columns, outcomes
            that can be separated, no more samples than parameters, more than 10,000 parameters, or
            data the model was not fitted on.
        """
        model: Any = self
        level = check_confidence(confidence)
        X, weights, kept = checked_rows(model, X, sample_weight)
        check_unpenalised(model)
        codes, labels, thresholds = _observed(
            codes_of(y, np.asarray(model.classes_), kept), model.classes_, model.thresholds_
        )
        names = names_of(model, X.shape[1], feature_names)
        n, p = X.shape
        coef = np.asarray(model.coef_, dtype=np.float64).ravel()
        k = p + len(thresholds)
        check_counts(n, k, p)

        covariance = _covariance(X, codes, coef, thresholds, model.link, weights, names)
        total = float(weights.sum())
        counts = np.bincount(codes, weights, minlength=len(labels))
        null = float(xlogy(counts, counts / total).sum())
        loss = OrdinalLoss(X, codes, weights, model.link)
        likelihood = -total * loss.value(np.concatenate([coef, thresholds]))
        between = [f"{low} | {high}" for low, high in pairwise(labels)]
        return Summary(
            model=type(model).__name__,
            method=f"Ordered {model.link} regression",
            equations=(
                equation_from(
                    None,
                    (*names, *between),
                    np.arange(k) < p,
                    np.concatenate([coef, thresholds]),
                    np.diag(covariance),
                    level,
                ),
            ),
            statistic="z",
            confidence=level,
            covariance=covariance,
            covariance_type="observed information",
            n_samples=total,
            n_parameters=k,
            df_model=p,
            df_residual=total - k,
            log_likelihood=likelihood,
            null_log_likelihood=null,
            r2=1 - likelihood / null,
            gives_odds=model.link == "logit",
        )


def _observed(codes: Any, classes: Any, thresholds: Any) -> tuple[Any, list[Any], Floats]:
    """Return codes, labels and thresholds of the outcomes that occur; others have no threshold."""
    present = np.bincount(codes, minlength=len(classes)) > 0
    ends = np.append(np.asarray(thresholds, dtype=np.float64).ravel(), np.inf)
    place = np.cumsum(present) - 1
    return place[codes], np.asarray(classes)[present].tolist(), ends[present][:-1]


def _covariance(
    X: Any,
    codes: NDArray[np.int32],
    coef: Floats,
    thresholds: Floats,
    link: Literal["logit", "probit"],
    weights: Floats,
    names: tuple[str, ...],
) -> Floats:
    """Return the inverse of the information, once it is known to be the covariance."""
    p, m = len(coef), len(thresholds)
    center = dense_means(X, weights, names, "thresholds")
    if center is not None:  # the same model: the thresholds move with the columns
        X, thresholds = X - center, thresholds - center @ coef
    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    scores = X @ coef
    check_inseparable(np.minimum(ends[codes + 1] - scores, scores - ends[codes]))
    point = OrdinalLoss(X, codes, weights, link).at(np.concatenate([coef, thresholds]))
    total = weights.sum()
    try:
        C = inverse(total * point.hessian())
    except SingularInformationError:
        raise _reason(X, weights, names) from None

    g = -total * point.gradient
    step = C @ g
    distance = float(np.sqrt(max(g @ step, 0.0)))
    move = X @ step[:p]
    beyond = np.concatenate([[0.0], step[p:], [0.0]])
    highest, lowest = codes == m, codes == 0
    gains = np.concatenate([(beyond[codes + 1] - move)[~highest], (move - beyond[codes])[~lowest]])
    check_bounded(step[None, :p], gains, distance, X, names)
    check_at_optimum(float(np.max(np.abs(step) / np.sqrt(np.diag(C)))))
    if center is not None:
        shift = np.eye(p + m)
        shift[p:, :p] = center
        C = shift @ C @ shift.T
    return C


def _reason(X: Any, weights: Floats, names: tuple[str, ...]) -> ValueError:
    """Return what a singular information is due to: the columns, or probabilities of 0 and 1."""
    try:
        inverse(information(X, lambda rows: weights[rows, None, None], 1, intercept=True))
    except SingularInformationError as error:
        return collinear(error.columns, ("thresholds", *names))
    return no_maximum()
