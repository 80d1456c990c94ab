r"""The parts of an expected loss, added up one resample at a time.

Squared error has the classical parts. With predictions :math:`f_r` of :math:`R` resamples, their
mean :math:`\bar f` and a target :math:`y`,

.. math:: \tfrac1R \sum_r (y - f_r)^2 = (y - \bar f)^2 + \tfrac1R \sum_r (f_r - \bar f)^2

for each document, whatever the numbers are. The 0/1 loss has those of P. Domingos, "A unified
bias-variance decomposition and its applications", 2000. Memory is that of a few predictions: each
resample is added and forgotten, always in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from quire._shared.labels import class_codes
from quire._shared.typing import Floats

__all__ = ["Parts", "Sum", "SumOfErrors", "SumOfSquares", "joined"]


@dataclass(frozen=True)
class Parts:
    """The parts of the expected loss of each test document.

    Attributes
    ----------
    loss : ndarray of shape (n_documents,)
        The mean loss over the resamples.
    bias, variance, net_variance, chance : ndarray of shape (n_documents,)
        See :class:`BiasVariance`.
    noise : ndarray of shape (n_documents,) or None
        The same; ``None`` if it is not known and therefore in the bias.
    main : ndarray
        The main prediction: the mean, or the class predicted most often.
    """

    loss: Floats
    bias: Floats
    variance: Floats
    net_variance: Floats
    chance: Floats
    noise: Floats | None
    main: NDArray[Any]


class Sum(Protocol):
    """What is kept of the resamples so far."""

    def add(self, predictions: NDArray[Any]) -> None:
        """Add the predictions of one resample."""

    def parts(self) -> Parts:
        """Return the parts of the loss over all resamples added."""


class SumOfSquares:
    """Squared error of predictions that are numbers, one or several for each document.

    Parameters
    ----------
    targets : ndarray of shape (n_documents, n_outputs)
        What was observed.
    truth : ndarray of shape (n_documents, n_outputs) or None
        What is expected of the targets, if known.
    noise : ndarray of shape (n_documents,) or None
        The variance of the targets, if known.
    average : bool
        Whether the loss is the mean over the outputs, or their sum.
    unbiased : bool
        Whether to move the error of a mean of few resamples from the bias to the variance.
    """

    def __init__(
        self,
        targets: Floats,
        truth: Floats | None,
        noise: Floats | None,
        *,
        average: bool,
        unbiased: bool,
    ) -> None:
        self._targets, self._truth, self._noise = targets, truth, noise
        self._scale = 1 / targets.shape[1] if average else 1.0
        self._unbiased = unbiased
        self._n = 0
        self._mean = np.zeros_like(targets)
        self._spread = np.zeros_like(targets)  # sum of squares about the mean, by Welford
        self._loss = np.zeros(len(targets))

    def add(self, predictions: NDArray[Any]) -> None:
        """Add the predictions of one resample, of shape (n_documents, n_outputs)."""
        self._n += 1
        before = predictions - self._mean
        self._mean += before / self._n
        self._spread += before * (predictions - self._mean)
        self._loss += ((self._targets - predictions) ** 2).sum(axis=1)

    def parts(self) -> Parts:
        """Return the parts of the squared error."""
        variance = self._spread.sum(axis=1) * self._scale / self._n
        missed = self._squares(self._targets - self._mean)
        noise, chance = self._noise, np.zeros(len(missed))
        if self._truth is not None:
            bias = self._squares(self._truth - self._mean)
            if noise is None:
                noise = self._squares(self._targets - self._truth)
            chance = missed - bias - noise
        else:
            bias = missed if noise is None else missed - noise
        if self._unbiased:
            moved = variance / (self._n - 1)
            bias, variance = bias - moved, variance + moved
        loss = self._loss * self._scale / self._n
        main = self._mean[:, 0] if self._mean.shape[1] == 1 else self._mean
        return Parts(loss, bias, variance, variance, chance, noise, main)

    def _squares(self, differences: Floats) -> Floats:
        squares: Floats = (differences**2).sum(axis=1) * self._scale
        return squares


class SumOfErrors:
    """0/1 loss of predicted classes.

    Parameters
    ----------
    labels : ndarray of shape (n_documents,)
        The observed classes.
    truth : ndarray of shape (n_documents,) or None
        The best prediction for each document, if known; otherwise it is the observed class.
    """

    def __init__(self, labels: NDArray[Any], truth: NDArray[Any] | None) -> None:
        self._places: dict[Any, int] = {}
        self._labels = self._codes(labels)
        self._truth = None if truth is None else self._codes(truth)
        self._votes = np.zeros((len(labels), len(self._places)), dtype=np.int32)
        self._n = 0
        self._dtype = labels.dtype

    def add(self, predictions: NDArray[Any]) -> None:
        """Add the predictions of one resample, of shape (n_documents,)."""
        codes = self._codes(np.asarray(predictions).reshape(len(self._labels)))
        new = len(self._places) - self._votes.shape[1]
        if new:  # a class that no test document has
            self._votes = np.pad(self._votes, ((0, 0), (0, new)))
        self._votes[np.arange(len(codes)), codes] += 1
        self._n += 1

    def parts(self) -> Parts:
        """Return the parts of the share of errors."""
        rows = np.arange(len(self._labels))
        right = self._labels if self._truth is None else self._truth
        main = self._main()
        variance = 1 - self._votes[rows, main] / self._n
        predicted_right = self._votes[rows, right] / self._n
        loss = 1 - self._votes[rows, self._labels] / self._n
        bias = (main != right).astype(np.float64)
        # V where the main prediction is right; where it is wrong, being different may be right
        net = np.where(bias == 0, variance, -predicted_right)
        noise = None
        if self._truth is not None:  # P(f = y*) - P(f = t) where t is not y*, and zero elsewhere
            noise = predicted_right - self._votes[rows, self._labels] / self._n
        classes = np.empty(len(self._places), dtype=object)
        classes[:] = list(self._places)
        names = classes[main]
        if self._dtype.kind != "O":
            names = np.array(names.tolist())
        return Parts(loss, bias, variance, net, np.zeros(len(rows)), noise, names)

    def _main(self) -> NDArray[np.int64]:
        """Return the class with most votes; of several the first in sorted order."""
        try:
            order = np.argsort(np.array(list(self._places)), kind="stable")
        except TypeError:
            order = np.arange(len(self._places))
        main: NDArray[np.int64] = order[np.argmax(self._votes[:, order], axis=1)]
        return main

    def _codes(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """Return the number of each label; new ones get the next numbers."""
        classes, codes = class_codes(labels)
        numbers = [self._places.setdefault(name, len(self._places)) for name in classes.tolist()]
        coded: NDArray[np.int64] = np.array(numbers, dtype=np.int64)[codes]
        return coded


def joined(folds: list[Parts]) -> Parts:
    """Return the parts of all folds, one after the other."""

    def all_of(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(fold, name) for fold in folds])

    return Parts(
        loss=all_of("loss"),
        bias=all_of("bias"),
        variance=all_of("variance"),
        net_variance=all_of("net_variance"),
        chance=all_of("chance"),
        noise=None if folds[0].noise is None else all_of("noise"),
        main=all_of("main"),
    )
