r"""From decisions of pairs of classes to probabilities that agree with the votes.

The probability of the first class of a pair with decision f is

.. math:: r = \frac{1}{1 + e^{-a f}}, \qquad a = a_+ \text{ if } f > 0, \text{ else } a_-,

so that 0 is one half and the probability rises with f. Platt's sigmoid has an intercept in the
place of the second slope, and is one half where no decision changes. The slopes are found by
maximum likelihood from decisions about samples that were held out. Several classes have the
probabilities that fit those of the pairs best, moved as little as it takes for the class with most
votes to come first.

References
----------
-  J. Platt (1999). Probabilistic outputs for support vector machines and comparisons to regularized
   likelihood methods. Advances in Large Margin Classifiers.
-  T.-F. Wu, C.-J. Lin, R. C. Weng (2004). Probability estimates for multi-class classification by
   pairwise coupling. Journal of Machine Learning Research 5, 975-1005.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from quire._shared.typing import Floats

__all__ = ["N_FOLDS", "agreed", "coupled", "fit_slopes", "fold_numbers", "pair_probabilities"]


N_FOLDS = 5
_LEAST = 1e-7  # probability of a class in a pair
_LEAD = 1e-6  # by which share the class with most votes is ahead where it would not be
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


def fit_slopes(decisions: Floats, is_first: NDArray[np.bool_], weights: Floats) -> Floats:
    """Return the two slopes of a pair, above and below zero.

    Parameters
    ----------
    decisions : ndarray of shape (n_samples,)
        Decisions about samples that were held out.
    is_first : ndarray of bool of shape (n_samples,)
        Which of them are in the first class.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.

    Returns
    -------
    ndarray of shape (2,)
        Slopes, zero or above. A side without decisions has the slope of the other one.

    Examples
    --------
    Of four samples with decision 1, three are in the first class; one pseudo-sample on either side
    draws the probabilities towards one half:

    >>> import numpy as np
    >>> f = np.array([1.0, 1.0, 1.0, 1.0])
    >>> fit_slopes(f, np.array([True, True, True, False]), np.ones(4)).round(2)
    array([0.77, 0.77])
    """
    first, second = weights[is_first].sum(), weights[~is_first].sum()
    target = np.where(is_first, (first + 1) / (first + 2), 1 / (second + 2))
    slopes = np.array(
        [_slope(decisions[on], target[on], weights[on]) for on in (decisions > 0, decisions < 0)]
    )
    missing = np.isnan(slopes)
    return np.where(missing, 1.0 if missing.all() else slopes[~missing].sum(), slopes)


def _slope(f: Floats, target: Floats, weights: Floats) -> float:
    """Return the slope a >= 0 of the greatest likelihood, nan if there are no decisions."""
    if len(f) == 0:
        return np.nan
    scale = float(np.abs(f).max())
    f = f / scale

    def derivative(a: float) -> float:
        return float(np.sum(weights * f * (expit(a * f) - target)))

    if derivative(0.0) >= 0:
        return 0.0
    high = 1.0
    while derivative(high) < 0 and high < 1e9:
        high *= 2
    found = high if derivative(high) < 0 else brentq(derivative, 0.0, high)
    return float(found) / scale


def pair_probabilities(decisions: Floats, slopes: Floats) -> Floats:
    """Return the probability of the first class in each pair.

    Parameters
    ----------
    decisions : ndarray of shape (n_samples, n_pairs)
        Above zero for the first class.
    slopes : ndarray of shape (n_pairs, 2)
        From :func:`fit_slopes`.

    Returns
    -------
    ndarray of shape (n_samples, n_pairs)
        Probabilities; none is 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> pair_probabilities(np.array([[1.0], [0.0], [-1.0]]), np.array([[1.0, 2.0]])).round(2)
    array([[0.73],
           [0.5 ],
           [0.12]])
    """
    slope = np.where(decisions > 0, slopes[:, 0], slopes[:, 1])
    found: Floats = np.clip(expit(slope * decisions), _LEAST, 1 - _LEAST)
    return found


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


def agreed(probabilities: Floats, winners: NDArray[Any]) -> Floats:
    """Return the nearest probabilities in which given classes come first.

    Where another class has more, the two share what they have; the winner is ahead by a millionth.

    Parameters
    ----------
    probabilities : ndarray of shape (n_samples, n_classes)
        Rows add up to 1.
    winners : ndarray of int of shape (n_samples,)
        The class to come first.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Rows add up to 1, and their largest entry is the winner's.

    Examples
    --------
    >>> import numpy as np
    >>> agreed(np.array([[0.5, 0.3, 0.2]]), np.array([1])).round(3)
    array([[0.4, 0.4, 0.2]])
    """
    found = probabilities.copy()
    own = found[np.arange(len(found)), winners]
    is_beaten = np.sum(found >= own[:, None], axis=1) > 1  # its own entry is one of them
    for row in np.flatnonzero(is_beaten):
        p, winner = found[row], winners[row]
        rivals = np.argsort(-p, kind="stable")
        rivals = rivals[rivals != winner]
        means = (p[winner] + np.cumsum(p[rivals])) / np.arange(2, len(p) + 1)
        below = np.append(p[rivals][1:], -np.inf) <= means
        n_shared = int(below.argmax()) + 1
        mean = means[n_shared - 1]
        p[rivals[:n_shared]] = mean * (1 - _LEAD)
        p[winner] = mean * (1 + n_shared * _LEAD)
    return found
