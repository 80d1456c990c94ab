"""Normal densities of the columns: from means and variances to log probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.typing import Floats
from quire.naive_bayes._moments import kernel_ready

__all__ = ["NormalDensities"]


_MOST = np.finfo(np.float64).max


@dataclass(frozen=True, eq=False)
class NormalDensities:
    r"""Independent normal densities of the columns, for each class.

    .. math:: \log P(x \mid k) = \sum_j \log N(x_j; \mu_{kj}, \sigma^2_{kj})

    A column without variance in a class is a certainty there: its one value has probability 1
    (logarithm 0) and every other value probability 0 (``-inf``). A class in which a variance is too
    large for a number, or of which nothing is known, can produce no row.

    Attributes
    ----------
    mean, scale, log_peak : ndarray of shape (n_classes, n_features)
        Means, inverse standard deviations and logarithms of the densities at the means.
    """

    mean: Floats
    scale: Floats
    log_peak: Floats

    @classmethod
    def of(cls, mean: NDArray[Any], variance: NDArray[Any], known: NDArray[np.bool_]) -> Self:
        """Make the densities.

        Parameters
        ----------
        mean, variance : ndarray of shape (n_classes, n_features)
            Their parameters.
        known : ndarray of bool of shape (n_classes,)
            False for a class without any rows.
        """
        mean, variance = np.asarray(mean, np.float64), np.asarray(variance, np.float64)
        usable, varies = np.isfinite(mean) & np.isfinite(variance), variance > 0
        scale = np.full(mean.shape, _MOST)  # times any difference but zero: beyond all numbers
        np.divide(1.0, np.sqrt(variance, where=varies, out=scale), where=varies, out=scale)
        log_peak = np.zeros(mean.shape)
        np.log(variance, where=varies, out=log_peak)
        log_peak = np.where(varies, -0.5 * (np.log(2 * np.pi) + log_peak), 0.0)
        log_peak[~usable | ~known[:, None]] = -np.inf
        return cls(np.where(usable, mean, 0.0), scale, log_peak)

    def without(self, columns: NDArray[np.bool_]) -> NormalDensities:
        """Return densities in which some columns say nothing: zero, whatever the value.

        Parameters
        ----------
        columns : ndarray of bool of shape (n_features,)
            Which columns.
        """
        mean, scale, log_peak = (
            np.where(columns, 0.0, part) for part in (self.mean, self.scale, self.log_peak)
        )
        return NormalDensities(mean, scale, log_peak)

    def scores(self, X: NDArray[Any], prior: Floats, n_threads: int) -> Floats:
        """Return prior + log P(x | k) of every row and class.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Rows.
        prior : ndarray of shape (n_classes,)
            What to add.
        n_threads : int
            Number of threads.
        """
        return _core.counts.dense_gaussian_log_likelihood(
            kernel_ready(X),
            self.mean.ravel(),
            self.scale.ravel(),
            prior + self.log_peak.sum(axis=1),
            n_threads,
        )

    def parts(self, X: NDArray[Any], k: int) -> Floats:
        """Return what each column of each row adds to log P(x | k).

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Rows.
        k : int
            Number of the class.
        """
        return self.at(X, k, slice(None))

    def at(self, x: NDArray[Any], k: Any, j: Any) -> Floats:
        """Return the logarithms of the densities of values of some classes and columns.

        Parameters
        ----------
        x : ndarray
            Values; of a shape that goes with ``mean[k, j]``.
        k, j : int, slice or ndarray of int
            Which classes and columns.
        """
        with np.errstate(over="ignore"):
            z: Floats = (x - self.mean[k, j]) * self.scale[k, j]
            log_density: Floats = self.log_peak[k, j] - 0.5 * z**2
        return log_density
