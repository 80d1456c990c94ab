r"""Probabilities from scores, with NumPy alone: sigmoid, softmax and their logarithms.

.. math:: \sigma(s) = \frac{1}{1 + e^{-s}}, \qquad p_k = \frac{e^{s_k}}{\sum_j e^{s_j}}

Models that are fitted and those that are scored from their files (:mod:`quire.scoring`) call the
same functions, so that both have the same bits, and neither needs SciPy for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["expit", "log_expit", "log_softmax", "logsumexp", "softmax"]


def expit(scores: NDArray[Any]) -> NDArray[Any]:
    """Return the sigmoid of scores.

    Parameters
    ----------
    scores : ndarray of floats
        Of any shape.

    Examples
    --------
    >>> expit(np.array([-1000.0, 0.0, np.inf]))
    array([0. , 0.5, 1. ])
    """
    with np.errstate(over="ignore"):
        shares: NDArray[Any] = 1 / (1 + np.exp(-scores))
    return shares


def log_expit(scores: NDArray[Any]) -> NDArray[Any]:
    """Return the logarithm of the sigmoid, with its digits where that is near 0 or 1.

    Parameters
    ----------
    scores : ndarray of floats
        Of any shape.

    Examples
    --------
    >>> log_expit(np.array([-800.0, 0.0])).tolist()
    [-800.0, -0.6931471805599453]
    """
    logs: NDArray[Any] = -np.logaddexp(0, -scores)
    return logs


def softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Return the shares that the exponentials of scores have in the sum of their row.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_classes)
        Finite.

    Examples
    --------
    >>> softmax(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    shares: NDArray[Any] = scores - scores.max(axis=1, keepdims=True)
    np.exp(shares, out=shares)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def logsumexp(scores: NDArray[Any]) -> NDArray[Any]:
    """Return the logarithm of the sum of the exponentials of each row, ``-inf`` if all are 0.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_classes)
        Finite, or ``-inf``.

    Examples
    --------
    >>> logsumexp(np.array([[0.0, 0.0], [-np.inf, 3.0], [-np.inf, -np.inf]])).round(3)
    array([0.693, 3.   ,  -inf])
    """
    largest = scores.max(axis=1, keepdims=True, initial=-np.inf)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        sums: NDArray[Any] = np.log(np.exp(scores - largest).sum(axis=1)) + largest[:, 0]
    return sums


def log_softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Return the logarithm of :func:`softmax`, with its digits where that is near 0.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_classes)
        The largest of each row finite.

    Examples
    --------
    >>> log_softmax(np.array([[1000.0, 0.0]])).tolist()
    [[0.0, -1000.0]]
    """
    shifted: NDArray[Any] = scores - scores.max(axis=1, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return shifted
