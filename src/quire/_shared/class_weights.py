"""Weights of samples and of their classes, multiplied."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight

from quire._shared.negative_weights import check_total
from quire._shared.sklearn import check_sample_weight
from quire._shared.typing import Codes

__all__ = ["combined_weights"]


def combined_weights(
    sample_weight: Any,
    class_weight: Any,
    X: Any,
    classes: NDArray[Any],
    codes: Codes,
    *,
    ensure_non_negative: bool = False,
) -> NDArray[np.float64] | None:
    """Return sample weights times class weights, or ``None`` if there are neither.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), float or None
        Weights of the samples.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    X : matrix of shape (n_samples, n_features)
        The samples.
    classes : ndarray of shape (n_classes,)
        The classes.
    codes : ndarray of int32 of shape (n_samples,)
        The place of each sample's class among them.
    ensure_non_negative : bool, default=False
        Whether weights below zero are an error.
    """
    if sample_weight is None and class_weight is None:
        return None
    weights: NDArray[np.float64] = check_sample_weight(
        sample_weight, X, dtype=np.float64, copy=True, ensure_non_negative=ensure_non_negative
    )
    if class_weight is not None:
        of_class = compute_class_weight(
            class_weight, classes=classes, y=classes[codes], sample_weight=weights
        )
        weights *= of_class[codes]
    check_total(weights)
    return weights
