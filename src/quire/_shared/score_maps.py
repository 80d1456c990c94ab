r"""Maps from scores to probabilities, learned from documents that were held out.

*Sigmoid* (Platt): :math:`1 / (1 + e^{-(a_k f_k + b_k)})` for each class. *Isotonic*: the
non-decreasing function with the least squared error. Both are fitted to each class against the rest
and divided by their sum; two classes have one map. *Temperature*: softmax of :math:`\beta f`, one
number for all classes, which changes no decision.

References
----------
-  B. Zadrozny, C. Elkan (2002). Transforming classifier scores into accurate multiclass probability
   estimates. KDD, 694-699.
-  C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of modern neural networks.
   ICML, 1321-1330.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from quire._shared.deciding import Maps
from quire._shared.exponentials import log_softmax
from quire._shared.sigmoid import fit_sigmoid
from quire._shared.typing import Floats

__all__ = ["METHODS", "fit_maps"]

METHODS = ("sigmoid", "isotonic", "temperature")

_LARGEST_LOG = 10.0  # of the inverse temperature, as in scikit-learn


def fit_maps(method: str, scores: Floats, codes: NDArray[Any], weights: Floats) -> Maps:
    """Return the maps that fit held-out scores.

    Parameters
    ----------
    method : {"sigmoid", "isotonic", "temperature"}
        Which.
    scores : ndarray of shape (n_documents,) or (n_documents, n_classes)
        Of documents while they were held out.
    codes : ndarray of shape (n_documents,)
        The places of their classes.
    weights : ndarray of shape (n_documents,)
        How much each document counts.
    """
    if method == "temperature":
        return Maps(inverse_temperature=_inverse_temperature(scores, codes, weights))
    columns = [(scores, codes == 1)]
    if scores.ndim == 2:
        columns = [(scores[:, k], codes == k) for k in range(scores.shape[1])]
    if method == "sigmoid":
        fitted = [fit_sigmoid(f, is_so, weights) for f, is_so in columns]
        return Maps(-np.array([a for a, _ in fitted]), -np.array([b for _, b in fitted]))
    from sklearn.isotonic import IsotonicRegression

    corners = []
    for f, is_so in columns:
        found = IsotonicRegression(out_of_bounds="clip", y_min=0.0, y_max=1.0)
        found.fit(f, is_so.astype(np.float64), weights)
        corners.append([np.asarray(found.X_thresholds_), np.asarray(found.y_thresholds_)])
    return Maps(scores=[x for x, _ in corners], shares=[y for _, y in corners])


def _inverse_temperature(scores: Floats, codes: NDArray[Any], weights: Floats) -> float:
    """Return the factor with the least log loss; the loss is convex in it."""
    logits = np.column_stack([np.zeros_like(scores), scores]) if scores.ndim == 1 else scores
    own = codes[:, None].astype(np.intp)

    def loss(log_beta: float) -> float:
        logs = log_softmax(np.exp(log_beta) * logits)
        return -float(weights @ np.take_along_axis(logs, own, axis=1)[:, 0])

    bounds = (-_LARGEST_LOG, _LARGEST_LOG)
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-10})
    return float(np.exp(found.x))
