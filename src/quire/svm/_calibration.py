r"""From decisions of pairs of classes to probabilities.

The probability of the first class of a pair with decision f is Platt's sigmoid

.. math:: r = \frac{1}{1 + e^{A f + B}}.

A and B are found by maximum likelihood from decisions about samples that were held out. Weights of
classes move the decisions, and not how often a class occurs among samples with the same decision:
B takes that up, and r is one half where the two classes are equally frequent, not where the
prediction changes. Several classes have the probabilities that fit those of the pairs best.

References
----------
-  J. Platt (1999). Probabilistic outputs for support vector machines and comparisons to regularized
   likelihood methods. Advances in Large Margin Classifiers.
-  H.-T. Lin, C.-J. Lin, R. C. Weng (2007). A note on Platt's probabilistic outputs for support
   vector machines. Machine Learning 68, 267-276.
-  T.-F. Wu, C.-J. Lin, R. C. Weng (2004). Probability estimates for multi-class classification by
   pairwise coupling. Journal of Machine Learning Research 5, 975-1005.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quire._shared.typing import Floats

__all__ = ["N_FOLDS", "coupled", "fold_numbers", "pair_probabilities"]


N_FOLDS = 5
_LEAST = 1e-7  # probability of a class in a pair
_BLOCK = 1 << 21  # numbers of the systems that are solved at a time


def fold_numbers(codes: NDArray[np.intp], seed: int) -> NDArray[np.intp]:
    """Return the fold in which each sample is held out; the classes are spread over all folds.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Classes, as numbers.
    seed : int
        Of the order.

    Examples
    --------
    >>> import numpy as np
    >>> np.bincount(fold_numbers(np.repeat([0, 1], [10, 6]), seed=0))
    array([4, 3, 3, 3, 3])
    """
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    order = shuffled[np.argsort(codes[shuffled], kind="stable")]  # by class, at random within
    sizes = np.bincount(codes)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    folds = np.empty(len(codes), dtype=np.intp)
    folds[order] = (np.arange(len(codes)) - first[codes[order]]) % N_FOLDS
    return folds


def pair_probabilities(decisions: Floats, a: Floats, b: Floats) -> Floats:
    """Return the probability of the first class in each pair.

    Parameters
    ----------
    decisions : ndarray of shape (n_samples, n_pairs)
        Above zero for the first class.
    a, b : ndarray of shape (n_pairs,)
        From :func:`~quire._shared.sigmoid.fit_sigmoid`. Models that were saved before version 0.3
        have two slopes for each pair, above and below zero.

    Returns
    -------
    ndarray of shape (n_samples, n_pairs)
        Probabilities; none is 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> f = np.array([[1.0], [0.0], [-1.0]])
    >>> pair_probabilities(f, np.array([-1.0]), np.array([0.5])).round(2)
    array([[0.62],
           [0.38],
           [0.18]])
    """
    slope = a if a.ndim == 1 else np.where(decisions > 0, a[:, 0], a[:, 1])
    shares: Floats = np.clip(expit(-(slope * decisions + b)), _LEAST, 1 - _LEAST)
    return shares


def coupled(pairs: Floats, n_classes: int) -> Floats:
    r"""Return the probabilities of classes that fit those of pairs best.

    They minimise :math:`\sum_{i \ne j} (r_{ji} p_i - r_{ij} p_j)^2`: the second method of Wu, Lin
    and Weng.

    Parameters
    ----------
    pairs : ndarray of shape (n_samples, n_pairs)
        :math:`r_{ij}` for i < j, by i and then by j.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Rows add up to 1.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> r = [p[i] / (p[i] + p[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    >>> coupled(np.array([r]), 3).round(6)
    array([[0.5, 0.3, 0.2]])
    """
    if n_classes == 2:
        return np.column_stack([pairs[:, 0], 1 - pairs[:, 0]])
    found = np.empty((len(pairs), n_classes))
    step = max(1, _BLOCK // (n_classes + 1) ** 2)
    for start in range(0, len(pairs), step):
        rows = slice(start, start + step)
        found[rows] = _coupled_block(pairs[rows], n_classes)
    np.maximum(found, 1e-12, out=found)
    shares: Floats = found / found.sum(axis=1, keepdims=True)
    return shares


def _coupled_block(pairs: Floats, n_classes: int) -> Floats:
    i, j = np.triu_indices(n_classes, 1)
    r = np.zeros((len(pairs), n_classes, n_classes))
    r[:, i, j], r[:, j, i] = pairs, 1 - pairs
    # Q p + b e = 0 and e'p = 1, with b the multiplier of the constraint
    system = np.zeros((len(pairs), n_classes + 1, n_classes + 1))
    system[:, :-1, :-1] = -r * r.transpose(0, 2, 1)
    diagonal = np.arange(n_classes)
    system[:, diagonal, diagonal] = np.sum(r**2, axis=1)
    system[:, -1, :-1] = system[:, :-1, -1] = 1.0
    right = np.zeros((n_classes + 1, 1))
    right[-1] = 1.0
    return np.asarray(np.linalg.solve(system, right[None])[:, :-1, 0], dtype=np.float64)
