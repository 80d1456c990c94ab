r"""The observed information of a model of ordered outcomes.

With :math:`\ell_i = \log\{F(a_i) - F(b_i)\}`, :math:`a_i = \theta_{y_i} - w'x_i` and
:math:`b_i = \theta_{y_i - 1} - w'x_i` it is minus the matrix of second derivatives of
:math:`\sum_i s_i \ell_i` by :math:`w` and :math:`\theta`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire.linear_model._ordinal_terms import interval_curvatures, interval_ends
from quire.linear_model._summary_information import information

__all__ = ["ordinal_information"]

Floats = NDArray[np.float64]


def ordinal_information(
    X: Any,
    codes: NDArray[np.integer],
    coef: Floats,
    thresholds: Floats,
    link: str,
    sample_weight: Floats | None = None,
) -> Floats:
    """Return the observed information of coefficients, then thresholds.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The features.
    codes : ndarray of int of shape (n_samples,)
        Outcomes, from 0 to n_classes - 1.
    coef : ndarray of shape (n_features,)
        Coefficients w.
    thresholds : ndarray of shape (n_classes - 1,)
        Thresholds, increasing.
    link : {"logit", "probit"}
        Which distribution function F is.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights; ``None`` means one each.

    Returns
    -------
    ndarray of shape (n_features + n_classes - 1, n_features + n_classes - 1)
        Symmetric.
    """
    n, p = X.shape
    m = len(thresholds)
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    a, b = interval_ends(X @ coef, codes, thresholds)
    aa, ab, bb = (-weights * part for part in interval_curvatures(a, b, link))

    total = np.zeros((p + m, p + m))
    both = aa + 2 * ab + bb
    X = sparse.csr_array(X) if sparse.issparse(X) else X
    total[:p, :p] = information(X, lambda rows: both[rows, None, None], 1, intercept=False)
    at = np.arange(n)
    # Column j: what the j-th threshold takes part in, at the upper or the lower end.
    indicator = sparse.csr_array(
        (
            np.concatenate([aa + ab, ab + bb]),
            (np.concatenate([at, at]), np.concatenate([codes + 1, codes])),
        ),
        shape=(n, m + 2),
    )
    cross = X.T @ indicator
    cross = cross.toarray() if sparse.issparse(cross) else np.asarray(cross)
    total[:p, p:] = -cross[:, 1:-1]
    total[p:, :p] = total[:p, p:].T
    upper = np.bincount(codes, aa, minlength=m + 1)[:m]  # theta_j as upper end of outcome j
    lower = np.bincount(codes, bb, minlength=m + 1)[1:]  # and as lower end of outcome j + 1
    beside = np.bincount(codes, ab, minlength=m + 1)[1:m]
    index = np.arange(p, p + m)
    total[index, index] = upper + lower
    total[index[:-1], index[1:]] = total[index[1:], index[:-1]] = beside
    return total
