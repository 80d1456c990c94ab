r"""The map R that minimises :math:`\lVert AR - B \rVert_F^2`, in four ways.

- **gradient**: :math:`R \leftarrow R - \eta\, 2A'(AR - B)` from zero, with :math:`\eta` below one
  over the largest eigenvalue of :math:`2A'A`, so that the loss falls in every step. Started from
  zero it tends to the least-squares solution of the smallest norm.
- **least_squares**: that solution at once.
- **ridge**: with a penalty :math:`\alpha \lVert R \rVert_F^2`. In the eigenvectors of
  :math:`A'A = V \Lambda V'` it is :math:`R = V (\Lambda + \alpha I)^{-1} V'A'B`, so that one
  decomposition serves every penalty, and the error of each pair left out as well.
- **orthogonal**: among rotations and reflections, :math:`R = UW'` with :math:`A'B = USW'`
  (Schönemann 1966).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg

from quire._shared.typing import Floats

__all__ = ["Descent", "MapStep", "RidgePath", "gradient_descent", "least_squares"]
__all__ += ["loss_and_gradient", "orthogonal", "ridge_path"]


class Descent(NamedTuple):
    """A map found by gradient descent: R, the loss before each step, and whether it was done."""

    R: Floats
    losses: Floats
    converged: bool
    steps: list[MapStep]


@dataclass(frozen=True, eq=False)
class MapStep:
    r"""A map on the way of gradient descent, in ``steps_`` of :class:`VectorMap`.

    The first step is the start, the map of zeros.

    Attributes
    ----------
    R : ndarray of shape (n_source, n_target)
        The map.
    loss : float
        :math:`\lVert AR - B \rVert_F^2`.
    gradient_norm : float
        Length of the gradient :math:`2A'(AR - B)`, all entries taken as one vector.
    step_size : float
        What the gradient was multiplied with to come here; 0 at the start.

    Examples
    --------
    >>> from quire.alignment import VectorMap
    >>> A, B = [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]
    >>> model = VectorMap("gradient", learning_rate=0.25, keep_steps=True).fit(A, B)
    >>> for step in model.steps_[:3]:
    ...     print(step.R.tolist(), step.loss)
    [[0.0, 0.0], [0.0, 0.0]] 2.0
    [[0.0, 0.5], [0.5, 0.0]] 0.5
    [[0.0, 0.75], [0.75, 0.0]] 0.125
    """

    R: Floats
    loss: float
    gradient_norm: float
    step_size: float


class RidgePath(NamedTuple):
    """Maps for all penalties, and the mean squared error of pairs that were left out, for each."""

    maps: list[Floats]
    errors: Floats


def loss_and_gradient(R: Floats, A: Floats, B: Floats) -> tuple[float, Floats]:
    """Return ||AR - B||^2 and its gradient 2 A'(AR - B).

    Parameters
    ----------
    R : ndarray of shape (n_source, n_target)
        The map.
    A, B : ndarray of shape (n_pairs, n_source) and (n_pairs, n_target)
        Vectors of the pairs.
    """
    residual = A @ R - B
    return float(np.sum(residual**2)), 2.0 * (A.T @ residual)


def gradient_descent(
    A: Floats,
    B: Floats,
    learning_rate: float | None,
    max_iter: int,
    tol: float,
    keep_steps: bool = False,
) -> Descent:
    """Descend from zero until the gradient is small.

    Parameters
    ----------
    A, B : ndarray of shape (n_pairs, n_source) and (n_pairs, n_target)
        Vectors of the pairs.
    learning_rate : float or None
        Step; ``None`` means one over the largest eigenvalue of 2 A'A.
    max_iter : int
        Most steps.
    tol : float
        Norm of the gradient, in units of the first one, at which to stop.
    keep_steps : bool, default=False
        Whether to keep the maps on the way.

    Notes
    -----
    With A = USV' every step stays in the space of V: R = VZ, and the gradient in Z is
    2S(SZ - U'B). The steps and losses are those of R, for the cost of one product of numbers each.
    """
    U, sizes, directions = linalg.svd(A, full_matrices=False)
    largest = 2.0 * float(sizes.max(initial=0.0)) ** 2
    C, sizes = U.T @ B, sizes[:, None]
    beyond = max(float(np.sum(B**2) - np.sum(C**2)), 0.0)  # what no map reaches
    rate = learning_rate if learning_rate is not None else (1.0 / largest if largest > 0 else 1.0)
    Z = np.zeros_like(C)
    losses: list[float] = []
    steps: list[MapStep] = []

    def look() -> tuple[float, Floats, float]:
        """Return the loss here, its gradient, and the norm of that; keep the step, if asked."""
        off = sizes * Z - C
        loss, gradient = float(np.sum(off**2)) + beyond, 2.0 * sizes * off
        norm = float(np.linalg.norm(gradient))
        if keep_steps:
            steps.append(MapStep(directions.T @ Z, loss, norm, rate if steps else 0.0))
        return loss, gradient, norm

    first = 0.0
    for _ in range(max_iter):
        loss, gradient, norm = look()
        losses.append(loss)
        if not np.isfinite(loss) or loss > 1e6 * losses[0] + 1.0:
            raise ValueError(
                f"Gradient descent diverges with learning_rate={rate:g}: the loss is {loss:.3g}. "
                f"Use one below {2.0 / largest:.3g}, or None."
            )
        first = first or norm
        if norm <= tol * first:
            return Descent(directions.T @ Z, np.array(losses), True, steps)
        Z -= rate * gradient
    if keep_steps:
        look()
    return Descent(directions.T @ Z, np.array(losses), False, steps)


def least_squares(A: Floats, B: Floats) -> Floats:
    """Return the least-squares map of the smallest norm.

    Parameters
    ----------
    A, B : ndarray of shape (n_pairs, n_source) and (n_pairs, n_target)
        Vectors of the pairs.
    """
    R: Floats = np.ascontiguousarray(linalg.lstsq(A, B)[0])
    return R


def ridge_path(A: Floats, B: Floats, alphas: Sequence[float]) -> RidgePath:
    """Return the ridge maps of all penalties from one decomposition.

    Parameters
    ----------
    A, B : ndarray of shape (n_pairs, n_source) and (n_pairs, n_target)
        Vectors of the pairs.
    alphas : sequence of float
        Penalties, positive.
    """
    n, d = A.shape
    if n >= d:
        values, V = np.linalg.eigh(A.T @ A)
        left, right = A @ V, V  # AV, and what turns coefficients into R
    else:
        values, U = np.linalg.eigh(A @ A.T)
        keep = values > values[-1] * n * np.finfo(float).eps
        values, U = values[keep], U[:, keep]
        left, right = U * np.sqrt(values), A.T @ (U / np.sqrt(values))
    values = np.maximum(values, 0)
    target = left.T @ B
    maps, errors = [], []
    for alpha in alphas:
        shrunk = target / (values + alpha)[:, None]
        leverage = np.einsum("ij,ij,j->i", left, left, 1.0 / (values + alpha))
        residual = (B - left @ shrunk) / np.maximum(1.0 - leverage, 1e-12)[:, None]
        maps.append(right @ shrunk)
        errors.append(float(np.mean(residual**2)))
    return RidgePath(maps, np.array(errors))


def orthogonal(A: Floats, B: Floats) -> Floats:
    """Return the orthogonal map, square or with orthonormal rows or columns.

    Parameters
    ----------
    A, B : ndarray of shape (n_pairs, n_source) and (n_pairs, n_target)
        Vectors of the pairs.
    """
    U, _, Wt = linalg.svd(A.T @ B, full_matrices=False)
    R: Floats = np.ascontiguousarray(U @ Wt)
    return R
