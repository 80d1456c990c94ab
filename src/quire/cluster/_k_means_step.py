"""One state of k-means, for those who want to watch it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from quire._shared.typing import Codes

__all__ = ["KMeansStep"]


@dataclass(frozen=True, eq=False)
class KMeansStep:
    """Where k-means stood: the start, or what there was after an iteration.

    The centres of the next step are the means of the rows that have their label here.

    Attributes
    ----------
    centers : ndarray of shape (n_clusters, n_features)
        The centres.
    labels : ndarray of shape (n_samples,)
        The nearest of these centres for each row.
    inertia : float
        Weighted sum of the squared distances of the rows to these centres.

    See Also
    --------
    KMeans : With ``keep_steps=True`` its `steps_` are made of these.

    Examples
    --------
    >>> from quire.cluster import KMeans
    >>> X = [[0.0], [1.0], [8.0], [9.0]]
    >>> model = KMeans(2, init=[[0.0], [1.0]], keep_steps=True).fit(X)
    >>> for step in model.steps_:
    ...     print(step.centers.ravel(), step.labels, step.inertia)
    [0. 1.] [0 1 1 1] 113.0
    [0. 6.] [0 0 1 1] 14.0
    [0.5 8.5] [0 0 1 1] 1.0
    [0.5 8.5] [0 0 1 1] 1.0
    """

    centers: NDArray[Any]
    labels: Codes
    inertia: float
