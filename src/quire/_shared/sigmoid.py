r"""Platt's sigmoid: from decisions to the probability of a class.

.. math:: r = \frac{1}{1 + e^{A f + B}}

References
----------
-  J. Platt (1999). Probabilistic outputs for support vector machines and comparisons to regularized
   likelihood methods. Advances in Large Margin Classifiers.
-  H.-T. Lin, C.-J. Lin, R. C. Weng (2007). A note on Platt's probabilistic outputs for support
   vector machines. Machine Learning 68, 267-276.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quire._shared.typing import Floats

__all__ = ["fit_sigmoid"]

_MOST_STEPS = 100
_RIDGE = 1e-12  # keeps a system solvable where all decisions are equal


def fit_sigmoid(
    decisions: Floats, is_first: NDArray[np.bool_], weights: Floats
) -> tuple[float, float]:
    """Return A and B of a pair.

    The targets are Platt's: the shares of the two classes with one more sample each.

    Parameters
    ----------
    decisions : ndarray of shape (n_samples,)
        Decisions about samples that were held out.
    is_first : ndarray of bool of shape (n_samples,)
        Which of them are in the first class.
    weights : ndarray of shape (n_samples,)
        Weights of the samples; those of classes are not among them.

    Returns
    -------
    tuple of float
        A and B.

    Examples
    --------
    Of four samples with decision 1 three are in the first class, and of four with decision -1 one:

    >>> import numpy as np
    >>> f = np.repeat([1.0, -1.0], 4)
    >>> is_first = np.array([True, True, True, False, True, False, False, False])
    >>> a, b = fit_sigmoid(f, is_first, np.ones(8))
    >>> round(a, 2), round(abs(b), 2)
    (-0.69, 0.0)
    """
    first, second = weights[is_first].sum(), weights[~is_first].sum()
    prior = float(np.log((second + 1) / (first + 1)))
    if len(decisions) == 0:
        return -1.0, prior
    target = np.where(is_first, (first + 1) / (first + 2), 1 / (second + 2))
    scale = float(np.abs(decisions).max()) or 1.0
    design = np.column_stack([decisions / scale, np.ones(len(decisions))])

    def loss(point: Floats) -> float:
        z = design @ point
        return float(np.sum(weights * (np.logaddexp(0, z) - (1 - target) * z)))

    # Newton's method on a convex function of two numbers; a step that gains too little is halved.
    point = np.array([0.0, prior])
    value = loss(point)
    for _ in range(_MOST_STEPS):
        p = expit(design @ point)
        gradient = design.T @ (weights * (p - (1 - target)))
        if np.abs(gradient).max() < 1e-10 * weights.sum():
            break
        hessian = (design * (weights * p * (1 - p))[:, None]).T @ design
        hessian += _RIDGE * max(float(np.trace(hessian)), 1.0) * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        length = 1.0
        while length > 1e-10:
            new = point - length * step
            new_value = loss(new)
            if new_value < value - 1e-4 * length * float(gradient @ step):
                break
            length /= 2
        else:
            break
        point, value = new, new_value
    return float(point[0]) / scale, float(point[1])
