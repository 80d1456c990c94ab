"""One principal component in the order in which they are taken out of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PCAStep", "component_steps"]


@dataclass(frozen=True, eq=False)
class PCAStep:
    """A direction that was taken out of the data, and what is left after it.

    Attributes
    ----------
    component : ndarray of shape (n_features,)
        The direction of length one along which what was left varied most.
    variance : float
        Variance of the data along it.
    remaining : float
        Variance that is left: that of the data, less this component and those before it.

    See Also
    --------
    PCA : With ``keep_steps=True`` its `steps_` are made of these.

    Examples
    --------
    >>> from quire.decomposition import PCA
    >>> X = [[0.0, 0.0], [2.0, 0.0], [0.0, 1.0], [2.0, 1.0]]
    >>> for step in PCA(keep_steps=True).fit(X).steps_:
    ...     print(abs(step.component).round(3), round(step.variance, 3), round(step.remaining, 3))
    [1. 0.] 1.333 0.333
    [0. 1.] 0.333 0.0
    """

    component: NDArray[Any]
    variance: float
    remaining: float


def component_steps(
    components: NDArray[Any], variances: NDArray[Any], noise_variance: float, n_left_out: int
) -> list[PCAStep]:
    """Return the steps of a fitted model.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Directions.
    variances : ndarray of shape (n_components,)
        Variances along them.
    noise_variance : float
        Mean variance of the components that were left out.
    n_left_out : int
        How many those are.
    """
    left_out = n_left_out * float(noise_variance) if n_left_out else 0.0
    after = np.append(np.cumsum(variances[::-1].astype(np.float64))[::-1][1:], 0.0) + left_out
    return [
        PCAStep(np.asarray(component).copy(), float(variance), float(remaining))
        for component, variance, remaining in zip(components, variances, after, strict=False)
    ]
