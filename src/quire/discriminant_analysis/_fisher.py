r"""Fisher's criterion by itself: scatter matrices, its value for a direction, and the best one.

.. math:: J(w) = \frac{w' S_B w}{w' S_W w}, \qquad
          S_W = \sum_k \sum_{i \in k} (x_i - m_k)(x_i - m_k)'

For two classes :math:`S_B = (m_2 - m_1)(m_2 - m_1)'`, as Fisher had it, and
:math:`J(w) = (w'm_2 - w'm_1)^2 / (s_1^2 + s_2^2)`. For more,
:math:`S_B = \sum_k n_k (m_k - m)(m_k - m)'`, which for two classes would be the same matrix times
:math:`n_1 n_2 / n`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse

from quire._shared.class_sums import class_sums
from quire._shared.design import Design
from quire._shared.labels import class_codes
from quire._shared.notebooks import ShownInNotebooks, listed_cells
from quire._shared.threads import effective_threads
from quire._shared.typing import Codes, Floats
from quire._shared.validation import check_X_y
from quire.discriminant_analysis._scatter import within_scatter

__all__ = ["ScatterMatrices", "fisher_criterion", "fisher_direction", "scatter_matrices"]

_MOST_FEATURES = 4_000  # of a sparse X whose scatter matrices are formed


@dataclass(frozen=True, eq=False)
class ScatterMatrices(ShownInNotebooks):
    r"""How far classes lie apart, and how far their members stray.

    Attributes
    ----------
    between : ndarray of shape (n_features, n_features)
        :math:`S_B`: for two classes :math:`(m_2 - m_1)(m_2 - m_1)'`, for more
        :math:`\sum_k n_k (m_k - m)(m_k - m)'`.
    within : ndarray of shape (n_features, n_features)
        :math:`S_W`, the sum of squares and products about the means of the classes.
    means : ndarray of shape (n_classes, n_features)
        The means of the classes.
    classes : ndarray of shape (n_classes,)
        The classes.
    """

    between: Floats
    within: Floats
    means: Floats
    classes: NDArray[Any]

    def _notebook_cells(self) -> list[list[str]]:
        rows = zip(
            range(self.means.shape[1]),
            *self.means.tolist(),
            np.diag(self.between).tolist(),
            np.diag(self.within).tolist(),
            strict=True,
        )
        means = [f"mean of {label}" for label in self.classes.tolist()]
        return listed_cells(["column", *means, "between", "within"], rows)

    def criterion(self, w: ArrayLike) -> float:
        r"""Return :math:`J(w) = w' S_B w / w' S_W w`.

        Parameters
        ----------
        w : array-like of shape (n_features,)
            A direction; its length does not matter.
        """
        v = np.asarray(w, dtype=np.float64)
        return _ratio(float(v @ self.between @ v), float(v @ self.within @ v))

    def eigenvalues(self) -> Floats:
        r"""Return the values of :math:`S_B w = \lambda S_W w` that are not zero, largest first.

        They are the values of J at its best directions: K - 1 at most for K classes.
        :math:`S_W` must have an inverse.
        """
        found = linalg.eigh(self.between, self.within, eigvals_only=True)[::-1]
        wanted: Floats = found[: min(len(self.classes) - 1, len(found))]
        return np.maximum(wanted, 0.0)


def scatter_matrices(X: Any, y: Any) -> ScatterMatrices:
    r"""Return the scatter between and within classes, :math:`S_B` and :math:`S_W`.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The samples. A sparse X may have 4,000 features: these matrices are dense, and
        :func:`fisher_criterion` does without them.
    y : array-like of shape (n_samples,)
        Their classes.

    Returns
    -------
    ScatterMatrices
        Both matrices, in the scale of sums.

    Examples
    --------
    >>> from quire.discriminant_analysis import scatter_matrices
    >>> scatter = scatter_matrices([[0, 0], [2, 0], [2, 2], [4, 2]], ["a", "a", "b", "b"])
    >>> scatter.between
    array([[4., 4.],
           [4., 4.]])
    >>> scatter.within
    array([[4., 0.],
           [0., 0.]])
    >>> scatter.criterion([1, 0])
    1.0
    """
    X, classes, codes, means = _checked(X, y)
    counts = np.bincount(codes).astype(np.float64)
    if sparse.issparse(X):
        if X.shape[1] > _MOST_FEATURES:
            raise ValueError(
                f"scatter matrices of {X.shape[1]:,} features are dense; for a sparse X they are "
                f"formed up to {_MOST_FEATURES:,}. Use fisher_criterion(X, y, w), or "
                "LinearDiscriminantAnalysis with shrinkage."
            )
        design = Design(X, effective_threads(None))
        n = len(codes)
        within = n * within_scatter(design, codes, means, counts / n, None).toarray()
    else:
        rows = X - means[codes]
        within = rows.T @ rows
    if len(classes) == 2:
        way = means[1] - means[0]
        between = np.outer(way, way)
    else:
        away = means - counts @ means / counts.sum()
        between = (away.T * counts) @ away
    return ScatterMatrices(between, within, means, classes)


def fisher_criterion(X: Any, y: Any, w: ArrayLike) -> float:
    r"""Return Fisher's criterion of a direction, from the projected samples alone.

    .. math:: J(w) = \frac{(w'm_2 - w'm_1)^2}{s_1^2 + s_2^2}, \qquad
              s_k^2 = \sum_{i \in k} (w'x_i - w'm_k)^2

    For K classes the numerator is :math:`\sum_k n_k (w'm_k - w'm)^2`. No matrix is formed, so that
    sparse X may have any number of features.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Their classes; two or more.
    w : array-like of shape (n_features,)
        The direction; its length does not matter.

    Returns
    -------
    float
        The criterion; infinite where the classes do not vary along w, NaN where nothing does.

    Examples
    --------
    >>> from quire.discriminant_analysis import fisher_criterion
    >>> X, y = [[0, 0], [2, 1], [2, 2], [4, 3]], ["a", "a", "b", "b"]
    >>> fisher_criterion(X, y, [1, 0]), fisher_criterion(X, y, [-1, 2])
    (1.0, inf)
    """
    X, classes, codes = _samples(X, y)
    v = np.asarray(w, dtype=np.float64)
    if v.shape != (X.shape[1],):
        raise ValueError(f"w has shape {v.shape}; X has {X.shape[1]} features.")
    z = np.asarray(X @ v, dtype=np.float64)
    counts = np.bincount(codes)
    means = np.bincount(codes, z) / counts
    within = float(((z - means[codes]) ** 2).sum())
    if len(classes) == 2:
        return _ratio(float((means[1] - means[0]) ** 2), within)
    return _ratio(float(counts @ (means - z.mean()) ** 2), within)


def fisher_direction(X: Any, y: Any, *, direction: str = "fisher") -> Floats:
    r"""Return the direction on which two classes are best projected, of length 1.

    ``"fisher"`` gives :math:`w \propto S_W^{-1} (m_2 - m_1)`, where Fisher's criterion is largest.
    ``"means"`` gives :math:`w \propto m_2 - m_1`, where the projected means are furthest apart: the
    maximum of :math:`w'(m_2 - m_1)` under :math:`\|w\| = 1`. It does not look at how far the
    classes stray, so that they may overlap although a plane divides them.

    Both point from the first class to the second: large :math:`w'x` speaks for the second.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The samples; for ``"fisher"`` a sparse X may have 4,000 features.
    y : array-like of shape (n_samples,)
        Their classes; two.
    direction : {"fisher", "means"}, default="fisher"
        Which one.

    Returns
    -------
    ndarray of shape (n_features,)
        The direction.

    See Also
    --------
    LinearDiscriminantAnalysis : Several classes, shrinkage, thresholds and probabilities.

    Examples
    --------
    >>> from quire.discriminant_analysis import fisher_criterion, fisher_direction
    >>> X, y = [[0, 0], [2, 1], [2, 3], [4, 3]], ["a", "a", "b", "b"]
    >>> means = fisher_direction(X, y, direction="means")
    >>> means.round(3), round(fisher_criterion(X, y, means), 3)
    (array([0.625, 0.781]), 3.607)
    >>> best = fisher_direction(X, y)
    >>> best.round(3), round(fisher_criterion(X, y, best), 3)
    (array([-0.184,  0.983]), 17.0)
    """
    if direction not in ("fisher", "means"):
        raise ValueError(f"direction is {direction!r}; it must be 'fisher' or 'means'.")
    X, classes, codes, means = _checked(X, y)
    if len(classes) != 2:
        raise ValueError(
            f"y has {len(classes)} classes; a single direction is for two. "
            "LinearDiscriminantAnalysis().fit(X, y).transform(X) has several for more."
        )
    w = means[1] - means[0]
    if direction == "fisher":
        within = scatter_matrices(X, codes).within
        w = linalg.lstsq(within, w, cond=len(within) * np.finfo(float).eps)[0]
    length = float(np.linalg.norm(w))
    if length == 0:
        raise ValueError("the means of the two classes are equal: no direction tells them apart.")
    unit: Floats = w / length
    return unit


def _samples(X: Any, y: Any) -> tuple[Any, NDArray[Any], Codes]:
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
    classes, codes = class_codes(y)
    if len(classes) < 2:
        raise ValueError(f"y has one class, {classes.tolist()[0]!r}; two or more are needed.")
    return X, classes, codes


def _checked(X: Any, y: Any) -> tuple[Any, NDArray[Any], Codes, Floats]:
    """Return samples, classes, codes, and the means of the classes."""
    X, classes, codes = _samples(X, y)
    sums, _ = class_sums(X, codes, len(classes), None, None, effective_threads(None))
    return X, classes, codes, sums / np.bincount(codes)[:, None]


def _ratio(between: float, within: float) -> float:
    if within > 0:
        return between / within
    return np.inf if between > 0 else np.nan
