r"""Means and squared deviations that can be joined.

Two sets of :math:`n_a` and :math:`n_b` rows with means :math:`m_a, m_b` and sums of squared
deviations :math:`S_a, S_b` have together (Chan, Golub and LeVeque 1979)

.. math::
    S = S_a + S_b + \frac{n_a n_b}{n_a + n_b} (m_a - m_b)^2.

Where the means are much larger than the deviations, their difference has few right digits left.
They are therefore kept in two numbers, the second of which is what the first had no room for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.typing import Floats

__all__ = ["Moments", "Sums", "kernel_ready"]


def kernel_ready(X: NDArray[Any]) -> NDArray[Any]:
    """Return X itself if the kernels can read it where it lies; if not, a copy that they can read.

    They read float32 and float64 by rows, by columns and with gaps.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers.
    """
    if X.dtype.kind == "f" and X.dtype.itemsize in (4, 8) and X.dtype.isnative:
        in_place = X.flags.aligned and all(stride % X.itemsize == 0 for stride in X.strides)
        return X if in_place else np.ascontiguousarray(X)
    return X.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Moments:
    """Counts, means and squared deviations of several groups of rows.

    Attributes
    ----------
    count : ndarray of shape (n_groups,)
        Sum of the weights of each group.
    mean, low : ndarray of shape (n_groups, n_features)
        The mean and what its rounding left out.
    ssd : ndarray of shape (n_groups, n_features)
        Weighted sum of squared deviations from the mean.
    """

    count: Floats
    mean: Floats
    low: Floats
    ssd: Floats

    @classmethod
    def of_classes(
        cls,
        X: NDArray[Any],
        codes: NDArray[np.int32],
        n_classes: int,
        weights: Floats | None = None,
        n_threads: int = 1,
    ) -> Self:
        """Take the moments of each class.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            As :func:`kernel_ready` returns it.
        codes : ndarray of int32 of shape (n_samples,)
            The class of each row.
        n_classes : int
            Number of classes; they need not all occur.
        weights : ndarray of shape (n_samples,), default=None
            Weights of the rows.
        n_threads : int, default=1
            Number of threads.
        """
        given = np.empty(0) if weights is None else weights
        return cls(*_core.counts.dense_class_moments(X, codes, n_classes, given, n_threads))

    @classmethod
    def empty(cls, n_groups: int, n_features: int) -> Self:
        """Return the moments of groups without rows.

        Parameters
        ----------
        n_groups, n_features : int
            How many groups and columns.
        """
        shape = n_groups, n_features
        return cls(np.zeros(n_groups), np.zeros(shape), np.zeros(shape), np.zeros(shape))

    def is_finite(self) -> bool:
        """Say whether nothing was infinite, missing or too large to be squared."""
        return bool(np.isfinite(self.mean).all() and np.isfinite(self.ssd).all())

    def without_nan(self) -> Moments:
        """Return moments of finite values, of which some were too large to be squared.

        Their deviations are infinite; a mean that is too large for a number is set to zero.
        """
        fits = np.isfinite(self.mean)
        return Moments(
            self.count,
            np.where(fits, self.mean, 0),
            np.where(fits, self.low, 0),
            np.where(np.isfinite(self.ssd) & fits, self.ssd, np.inf),
        )

    def variance(self) -> Floats:
        """Return the squared deviations by their count; zero where there is nothing to count."""
        count = self.count[:, None]
        return np.divide(self.ssd, count, where=count != 0, out=np.zeros(self.ssd.shape))

    def pooled(self) -> Moments:
        """Return the moments of all groups together, as those of one group."""
        return _pool(*(part[:, None] for part in (self.count, self.mean, self.low, self.ssd)))

    def join(self, other: Moments) -> Moments:
        """Return the moments of each group with the rows of the same group of another set.

        Parameters
        ----------
        other : Moments
            Of the same shape.
        """
        return _pool(
            *(
                np.stack([getattr(self, name), getattr(other, name)])
                for name in ("count", "mean", "low", "ssd")
            )
        )

    def spread(self, places: NDArray[np.intp], n_groups: int) -> Moments:
        """Return the same groups as some among more, the others being empty.

        Parameters
        ----------
        places : ndarray of shape (n_groups_before,)
            The number that each group is to have.
        n_groups : int
            How many there are to be.
        """

        def put(values: Floats) -> Floats:
            wide = np.zeros((n_groups, *values.shape[1:]))
            wide[places] = values
            return wide

        return Moments(put(self.count), put(self.mean), put(self.low), put(self.ssd))


def _pool(count: Floats, mean: Floats, low: Floats, ssd: Floats) -> Moments:
    """Join groups along the first axis. count: (m, n_groups), others: (m, n_groups, n_features)."""
    total = count.sum(axis=0)
    largest = count.argmax(axis=0)[None, :, None]  # of which the mean is closest to the common one
    base, base_low = (np.take_along_axis(part, largest, axis=0)[0] for part in (mean, low))
    n = count[:, :, None]
    share = np.divide(n, total[:, None], where=total[:, None] != 0, out=np.zeros(n.shape))
    with np.errstate(over="ignore", invalid="ignore"):  # of values near the largest number
        delta = np.where(n != 0, (mean - base) + (low - base_low), 0.0)
        shift = (share * delta).sum(axis=0)
        deviation = np.where(n != 0, delta - shift, 0.0)
        pooled_ssd = ssd.sum(axis=0) + (n * deviation**2).sum(axis=0)
        offset = base_low + shift
        pooled_mean = base + offset
        part = pooled_mean - base
        rest = (base - (pooled_mean - part)) + (offset - part)  # what rounding left out, exactly
    pooled = Moments(total, pooled_mean, rest, pooled_ssd)
    return pooled if pooled.is_finite() else pooled.without_nan()


@dataclass(frozen=True, eq=False)
class Sums:
    """What a Gaussian model knows of its rows, in a form that can be joined.

    Attributes
    ----------
    classes : Moments
        Of each class, with weights and before smoothing.
    columns : Moments
        Of all rows as one group, without weights: what smoothing goes by.
    smoothing : ndarray of shape (n_classes,)
        What smoothing has added to the variances of each class.
    """

    classes: Moments
    columns: Moments
    smoothing: Floats

    def then(self, batch: Sums) -> Sums:
        """Return the sums after another batch.

        scikit-learn takes the epsilon of the batch off the variances it has and adds it again in
        the end. A class thus keeps of the epsilons before it what its old rows weigh among all.

        Parameters
        ----------
        batch : Sums
            Of the same classes and columns.
        """
        classes = self.classes.join(batch.classes)
        kept, seen = np.ones(len(self.smoothing)), (batch.classes.count != 0) & (classes.count != 0)
        np.divide(self.classes.count, classes.count, where=seen, out=kept)
        smoothing = np.zeros(len(kept))
        for share, of in ((kept, self.smoothing), (1 - kept, batch.smoothing)):
            smoothing += np.multiply(share, of, where=share != 0, out=np.zeros(len(kept)))
        return Sums(classes, self.columns.join(batch.columns), smoothing)
