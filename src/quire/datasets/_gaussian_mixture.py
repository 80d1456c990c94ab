"""Points drawn from a mixture of normal distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from quire.datasets._dataset import Dataset
from quire.datasets._random import generator_of
from quire.datasets._tokens import IntArray
from quire.datasets._weights import mixing_weights

__all__ = ["GaussianMixtureSample", "make_gaussian_mixture"]

FloatArray = npt.NDArray[np.float64]
_COVARIANCE_TYPES = ("full", "tied", "diag", "spherical")


@dataclass(frozen=True, eq=False, repr=False)
class GaussianMixtureSample(Dataset):
    """Points and the mixture they come from, returned by :func:`make_gaussian_mixture`.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The points.
    y : ndarray of shape (n_samples,)
        Component that each point was drawn from.
    weights : ndarray of shape (n_components,)
        Probability of each component.
    means : ndarray of shape (n_components, n_features)
        Mean of each component.
    covariances : ndarray of shape (n_components, n_features, n_features)
        Covariance of each component, written out in full for every covariance type.
    """

    X: FloatArray
    y: IntArray
    weights: FloatArray
    means: FloatArray
    covariances: FloatArray


def make_gaussian_mixture(
    n_samples: int = 500,
    *,
    n_components: int = 3,
    n_features: int = 2,
    separation: float = 5.0,
    covariance_type: str = "full",
    weights: npt.ArrayLike | None = None,
    means: npt.ArrayLike | None = None,
    covariances: npt.ArrayLike | None = None,
    random_state: Any = 0,
) -> GaussianMixtureSample:
    r"""Draw points from a mixture of normal distributions.

    .. math:: p(x) = \sum_k \pi_k \, N(x; \mu_k, \Sigma_k)

    What is not given is drawn: means from :math:`N(0, \mathrm{separation}^2 I)`, standard
    deviations along the axes of a component uniformly from 1/2 to 3/2, the axes themselves (for
    ``"full"`` and ``"tied"``) uniformly among rotations.

    Parameters
    ----------
    n_samples : int, default=500
        Number of points.
    n_components : int, default=3
        Number of components; taken from `means` when `means` is given.
    n_features : int, default=2
        Dimension of the points; taken from `means` when `means` is given.
    separation : float, default=5.0
        Standard deviation of the means around the origin. Has no effect when `means` is given.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Form of the covariances that are drawn. Has no effect when `covariances` is given.
    weights : array-like of shape (n_components,), optional
        Probability of each component; equal by default.
    means : array-like of shape (n_components, n_features), optional
        Mean of each component.
    covariances : array-like of shape (n_components, n_features, n_features), optional
        Covariance of each component: symmetric, no negative eigenvalue.
    random_state : int, RandomState instance or None, default=0
        The same number and arguments give the same points.

    Returns
    -------
    GaussianMixtureSample
        The points, their components and the parameters.

    Examples
    --------
    Two components on a line:

    >>> from quire.datasets import make_gaussian_mixture
    >>> line = make_gaussian_mixture(
    ...     1000, weights=[0.7, 0.3], means=[[0.0], [4.0]], covariances=[[[1.0]], [[0.25]]]
    ... )
    >>> line.X.shape
    (1000, 1)
    >>> f"{line.X[line.y == 1].mean():.2f}"
    '3.98'
    """
    if covariance_type not in _COVARIANCE_TYPES:
        raise ValueError(
            f"Unknown covariance_type {covariance_type!r}; "
            f"expected one of: {', '.join(_COVARIANCE_TYPES)}."
        )
    rng = generator_of(random_state)
    if means is None:
        centres = rng.normal(scale=separation, size=(n_components, n_features))
    else:
        centres = np.array(means, dtype=np.float64)
        if centres.ndim != 2:
            raise ValueError(
                f"means has {centres.ndim} dimension(s); expected shape (n_components, n_features)."
            )
    n_components, n_features = centres.shape
    if covariances is None:
        spreads = _draw_covariances(rng, n_components, n_features, covariance_type)
    else:
        spreads = np.array(covariances, dtype=np.float64)
    roots = _square_roots(spreads, (n_components, n_features, n_features))
    pi = mixing_weights(weights, n_components)

    y = rng.choice(n_components, n_samples, p=pi)
    noise = rng.normal(size=(n_samples, n_features))
    X = centres[y]
    for k, root in enumerate(roots):
        X[y == k] += noise[y == k] @ root.T
    return GaussianMixtureSample(X, y, pi, centres, spreads)


def _draw_covariances(
    rng: np.random.Generator, n_components: int, n_features: int, covariance_type: str
) -> FloatArray:
    """Draw covariances of the form asked for; shape (n_components, n_features, n_features)."""
    n_distinct = 1 if covariance_type == "tied" else n_components
    n_scales = 1 if covariance_type == "spherical" else n_features
    scales = rng.uniform(0.5, 1.5, size=(n_distinct, n_scales))
    variances = np.broadcast_to(scales**2, (n_distinct, n_features))
    if covariance_type in {"full", "tied"}:
        # The Q of a Gaussian matrix, with the signs of R's diagonal, is a uniform rotation.
        q, r = np.linalg.qr(rng.normal(size=(n_distinct, n_features, n_features)))
        axes = q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    else:
        axes = np.broadcast_to(np.eye(n_features), (n_distinct, n_features, n_features))
    drawn = (axes * variances[:, None, :]) @ axes.transpose(0, 2, 1)
    drawn = (drawn + drawn.transpose(0, 2, 1)) / 2  # symmetric to the last bit
    return np.repeat(drawn, n_components // n_distinct, axis=0)


def _square_roots(covariances: FloatArray, shape: tuple[int, int, int]) -> FloatArray:
    """Check covariances and return A with A A' equal to each of them."""
    if covariances.shape != shape:
        raise ValueError(f"covariances has shape {covariances.shape}; expected {shape}.")
    if not np.allclose(covariances, covariances.transpose(0, 2, 1)):
        raise ValueError("covariances must be symmetric matrices.")
    variances, axes = np.linalg.eigh(covariances)
    if (variances < -1e-10 * np.abs(variances).max()).any():
        raise ValueError(
            f"covariances must have no negative eigenvalue; the smallest is {variances.min():.3g}."
        )
    return np.asarray(axes * np.sqrt(np.maximum(variances, 0.0))[:, None, :], dtype=np.float64)
