"""One state of EM, for those who want to watch it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire._shared.sklearn import get_namespace
from quire._shared.typing import Reals

__all__ = ["MixtureStep", "covariances_of"]


@dataclass(frozen=True, eq=False)
class MixtureStep:
    """Where EM stood: the start, or what there was after an iteration.

    Attributes
    ----------
    weights : ndarray of shape (n_components,)
        Weights.
    means : ndarray of shape (n_components, n_features)
        Means.
    covariances : ndarray
        Covariances, of the shape that `covariance_type` gives them.
    responsibilities : ndarray of shape (n_samples, n_components)
        Share of each component in each row under these parameters: the E step that follows.
    log_likelihood : float
        Mean log-likelihood of the rows under these parameters.

    See Also
    --------
    GaussianMixture : With ``keep_steps=True`` its `steps_` are made of these.

    Examples
    --------
    >>> from quire.mixture import GaussianMixture
    >>> X = [[0.0], [1.0], [2.0], [6.0], [7.0]]
    >>> start = {"weights_init": [0.5, 0.5], "means_init": [[0.0], [1.0]]}
    >>> model = GaussianMixture(2, precisions_init=[[[1.0]], [[1.0]]], **start, keep_steps=True)
    >>> for step in model.fit(X).steps_[:4]:
    ...     print(step.means.ravel().round(2), round(step.log_likelihood, 2))
    [0. 1.] -7.58
    [0.65 3.99] -2.26
    [0.73 4.35] -2.21
    [0.77 4.73] -2.18
    """

    weights: Reals
    means: Reals
    covariances: Reals
    responsibilities: Reals
    log_likelihood: float


def covariances_of(P: Any, kind: str) -> Any:
    r"""Return the covariances whose precisions have these factors, :math:`P P' = \Sigma^{-1}`.

    Parameters
    ----------
    P : array
        Factors, of the shape of the kind.
    kind : {"full", "tied", "diag", "spherical"}
        Kind of covariance.

    Returns
    -------
    array
        Of the same shape.

    Examples
    --------
    >>> import numpy as np
    >>> covariances_of(np.array([2.0, 0.5]), "spherical")
    array([0.25, 4.  ])
    """
    if kind in ("diag", "spherical"):
        return 1.0 / P**2
    xp = get_namespace(P)[0]
    inverse = xp.linalg.inv(P)
    return xp.matmul(xp.matrix_transpose(inverse), inverse)
