"""What predictions are held against: numbers, classes or probabilities, and what is known of them.

A regressor is measured by its squared error. A classifier is measured by its share of errors, or by
the squared error of its probabilities (the Brier score, summed over the classes).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.utils import column_or_1d

from quire._shared.labels import class_codes, codes_or_missing
from quire._shared.typing import Floats
from quire.model_selection._arguments import checked_labels, checked_targets

__all__ = ["Targets", "noise_of_repeats", "targets_of"]


def noise_of_repeats(X: Any, outputs: Floats) -> Floats:
    """Return the variance of each output about the mean of equal documents.

    Parameters
    ----------
    X : array-like, sparse matrix, DataFrame or sequence
        Documents.
    outputs : ndarray of shape (n_documents, n_outputs)
        Their targets.

    Returns
    -------
    ndarray of shape (n_outputs,)
        The pooled variance within groups of equal documents.

    Raises
    ------
    ValueError
        If no document is there twice.

    Examples
    --------
    >>> import numpy as np
    >>> noise_of_repeats(["a", "b", "a", "b"], np.array([[1.0], [5.0], [3.0], [5.0]]))
    array([1.])
    """
    numbers: dict[Any, int] = {}
    group = np.array([numbers.setdefault(key, len(numbers)) for key in _keys(X)])
    more = len(group) - len(numbers)  # degrees of freedom
    if not more:
        raise ValueError(
            "noise='repeats' needs documents that are in X more than once; all are different. Give "
            "the variance of the targets if you know it, or noise=None."
        )
    counts = np.bincount(group)
    means = np.column_stack([np.bincount(group, weights=column) / counts for column in outputs.T])
    within: Floats = ((outputs - means[group]) ** 2).sum(axis=0) / more
    return within


def _keys(X: Any) -> list[Any]:
    """Return something for each document that is equal for equal documents."""
    if sparse.issparse(X):
        rows = sparse.csr_array(X, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return [
            (rows.indices[a:b].tobytes(), rows.data[a:b].tobytes())
            for a, b in pairwise(rows.indptr)
        ]
    values = np.asarray(X, dtype=object)
    if values.ndim == 1:
        return list(values)
    return [tuple(row) for row in values]


@dataclass(frozen=True)
class Targets:
    """Targets and the loss they are for.

    Attributes
    ----------
    title : str
        What to call the loss.
    y : ndarray
        What models are fitted to.
    outputs : ndarray of shape (n_documents, n_outputs) or None
        The numbers to predict; ``None`` for 0/1 loss.
    classes : ndarray or None
        The classes, for classifiers.
    truth : ndarray or None
        What is expected of the outputs, or the best class; as far as known.
    noise : ndarray of shape (n_documents,) or None
        The variance of the targets, if known.
    """

    title: str
    y: NDArray[Any]
    outputs: Floats | None
    classes: NDArray[Any] | None
    truth: NDArray[Any] | None
    noise: Floats | None

    def predict(self, model: Any, X: Any) -> NDArray[Any]:
        """Return the predictions of a fitted model in the form in which they are added up."""
        if self.outputs is None:
            return np.asarray(model.predict(X))
        if self.classes is None:
            predicted = np.asarray(model.predict(X), dtype=np.float64)
            return predicted.reshape(len(predicted), -1)
        return _probabilities(model, X, self.classes)


def targets_of(estimator: Any, X: Any, y: Any, loss: str, y_true: Any, noise: Any) -> Targets:
    """Return the targets of an estimator, checked.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor.
    X : array-like
        Documents.
    y : array-like
        Targets or labels.
    loss : {"auto", "squared", "zero_one"}
        The loss.
    y_true : array-like or None
        What is expected of the targets, or the best class.
    noise : float, array-like, "repeats" or None
        The variance of the targets, or where it comes from.
    """
    if not is_classifier(estimator):
        return _of_regressor(estimator, X, y, loss, y_true, noise)
    labels = checked_labels(y)
    classes, codes = class_codes(labels)
    if loss in ("auto", "zero_one"):
        if noise is not None:
            raise ValueError(
                "noise is a variance, which 0/1 loss does not have. Give the best class of each "
                "document as y_true, or use loss='squared'."
            )
        truth = None if y_true is None else column_or_1d(y_true)
        if truth is not None and len(truth) != len(labels):
            raise ValueError(f"y_true has {len(truth)} entries for {len(labels)} documents.")
        return Targets("share of errors", labels, None, classes, truth, None)
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{type(estimator).__name__} gives no probabilities, which squared loss of a "
            "classifier needs. Use loss='zero-one'."
        )
    outputs = np.eye(len(classes))[codes]
    truth = _same_shape(y_true, outputs, f"a column for each of {len(classes)} classes")
    if isinstance(noise, str):
        noise = float(_named_noise(noise, X, outputs).sum())
    return Targets("Brier score", labels, outputs, classes, truth, _noise(noise, len(labels)))


def _of_regressor(estimator: Any, X: Any, y: Any, loss: str, y_true: Any, noise: Any) -> Targets:
    if loss == "zero_one":
        raise ValueError(
            f"loss='zero-one' is for classifiers; {type(estimator).__name__} is none. Use "
            "loss='squared'."
        )
    targets = checked_targets(y)
    outputs = targets.reshape(len(targets), -1)
    truth = _same_shape(y_true, outputs, f"the shape of y, {targets.shape}")
    if isinstance(noise, str):
        noise = float(_named_noise(noise, X, outputs).mean())
    known = _noise(noise, len(targets))
    return Targets("squared error", targets, outputs, None, truth, known)


def _same_shape(y_true: Any, outputs: Floats, expected: str) -> Floats | None:
    if y_true is None:
        return None
    truth = np.asarray(y_true, dtype=np.float64)
    if truth.size != outputs.size or len(truth) != len(outputs):
        raise ValueError(f"y_true has shape {truth.shape}; expected {expected}.")
    if not np.isfinite(truth).all():
        raise ValueError("y_true has entries that are not finite; it holds expected targets.")
    return truth.reshape(outputs.shape)


def _named_noise(noise: str, X: Any, outputs: Floats) -> Floats:
    if noise != "repeats":
        raise ValueError(f"noise is {noise!r}; expected variances, 'repeats' or None.")
    return noise_of_repeats(X, outputs)


def _noise(noise: Any, n: int) -> Floats | None:
    if noise is None:
        return None
    variance = np.asarray(noise, dtype=np.float64)
    if variance.shape not in ((), (n,)):
        raise ValueError(
            f"noise has shape {variance.shape}; expected one variance, or one for each of the {n} "
            "documents."
        )
    if not (np.isfinite(variance) & (variance >= 0)).all():
        raise ValueError("noise has entries below zero or not finite; it holds variances.")
    return np.broadcast_to(variance, (n,)).copy()


def _probabilities(model: Any, X: Any, classes: NDArray[Any]) -> Floats:
    """Return a column for each class; one that a sample did not have is given zero."""
    codes = codes_or_missing(model.classes_, classes)
    if (codes < 0).any():
        unknown = np.asarray(model.classes_)[codes < 0].tolist()[0]
        raise ValueError(
            f"a training sample has class {unknown!r}, which y does not have. Add a "
            "document of the class to X and y, or use loss='zero-one'."
        )
    known = np.asarray(model.predict_proba(X), dtype=np.float64)
    probabilities = np.zeros((len(known), len(classes)))
    probabilities[:, codes] = known
    return probabilities
