r"""Squared losses of linear support vector machines, by Newton's method on the weights.

.. math:: F(w) = \tfrac12 \|w\|^2 + \sum_i c_i u_i(z_i)^2, \qquad z = Xw,

where the pull :math:`u_i` is how far score i is on the wrong side: :math:`y_i \max(0, 1 - y_i z_i)`
for classes, :math:`\pm\max(0, |y_i - z_i| - \epsilon)` for numbers. F is quadratic wherever no pull
starts or ends, so that few steps are needed: the Hessian is :math:`I + 2 X_A' C_A X_A` over the
samples A that pull. Steps go to the lowest point of their ray, whose scores are kept.

References
----------
-  S. S. Keerthi, D. DeCoste (2005). A modified finite Newton method for fast solution of large
   scale linear SVMs. Journal of Machine Learning Research 6, 341-361.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse

from quire._shared.typing import Floats
from quire._shared.vectors import inner

__all__ = ["NewtonSystem", "newton"]


class NewtonSystem:
    """Products with X, which has a constant last column if there is a bias, and Newton steps.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers.
    bias : float
        Value of the constant column, 0 for none.
    """

    def __init__(self, X: Any, bias: float) -> None:
        if bias:
            column = np.full((X.shape[0], 1), bias)
            X = sparse.hstack([X, column], "csr") if sparse.issparse(X) else np.hstack([X, column])
        self.X = X
        self.n_columns = X.shape[1]

    def scores(self, w: Floats) -> Floats:
        """Return X w."""
        found: Floats = self.X @ w
        return found

    def back(self, u: Floats) -> Floats:
        """Return X' u."""
        found: Floats = self.X.T @ u
        return found

    def solve(self, gradient: Floats, curvature: Floats) -> Floats:
        """Return d with (I + X' curvature X) d = -gradient."""
        active = curvature > 0
        rows = self.X[active]
        if sparse.issparse(rows):
            H = (rows.T @ rows.multiply(curvature[active][:, None])).toarray()
        else:
            H = rows.T @ (rows * curvature[active][:, None])
        H.flat[:: self.n_columns + 1] += 1.0
        found: Floats = linalg.cho_solve(linalg.cho_factor(H, overwrite_a=True), -gradient)
        return found


def newton(
    system: NewtonSystem,
    pull: Callable[[Floats], Floats],
    costs: Floats,
    tol: float,
    max_iter: int,
) -> tuple[Floats, int]:
    """Minimise F.

    Parameters
    ----------
    system : NewtonSystem
        The matrix.
    pull : callable
        From scores to u.
    costs : ndarray of shape (n_samples,)
        c.
    tol : float
        Norm of the gradient that is enough, relative to that at zero.
    max_iter : int
        Newton steps at most.

    Returns
    -------
    w : ndarray of shape (n_columns,)
        Weights, that of the bias last.
    n_iter : int
        Steps; `max_iter` if the tolerance was not reached.
    """
    w = np.zeros(system.n_columns)
    z = np.zeros(len(costs))
    first = np.inf
    for n_iter in range(max_iter + 1):
        u = pull(z)
        gradient = w - 2 * system.back(costs * u)
        norm = float(np.sqrt(inner(gradient, gradient)))
        if n_iter == 0:
            first = norm
        if norm <= tol * first or not np.isfinite(norm):
            return w, n_iter
        if n_iter == max_iter:
            break
        direction = system.solve(gradient, 2 * costs * (u != 0))
        along = system.scores(direction)
        step = _lowest(w, direction, z, along, pull, costs)
        if step == 0.0:  # rounding: nothing can be gained any more
            return w, n_iter
        w += step * direction
        z += step * along
    return w, max_iter


def _lowest(
    w: Floats,
    direction: Floats,
    z: Floats,
    along: Floats,
    pull: Callable[[Floats], Floats],
    costs: Floats,
) -> float:
    """Return the step to the lowest point of F along a direction; 0 if it does not fall."""
    linear, quadratic = inner(w, direction), inner(direction, direction)

    def slope(step: float) -> tuple[float, float]:
        u = pull(z + step * along)
        weighted = costs * along
        falls = linear + step * quadratic - 2 * inner(weighted, u)
        return falls, quadratic + 2 * inner(weighted, along * (u != 0))

    start = slope(0.0)[0]
    if not start < 0:
        return 0.0
    low, high, step = 0.0, np.inf, 1.0
    for _ in range(30):
        here, curvature = slope(step)
        if abs(here) <= 1e-3 * abs(start) or high - low <= 1e-12 * step:
            break
        if here < 0:
            low = step
        else:
            high = step
        step -= here / curvature
        if not low < step < high:
            step = 0.5 * (low + high) if np.isfinite(high) else 2 * low
    return step
