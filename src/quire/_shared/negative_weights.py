"""Weights of samples below zero: what they must not lead to, and how that is said."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.typing import Floats

__all__ = ["check_not_negative", "check_total", "negative_counts"]


def check_not_negative(sample_weight: Any) -> None:
    """Raise scikit-learn's error if a weight is negative.

    Parameters
    ----------
    sample_weight : array-like, float or None
        Weights. What is no array of numbers is left to later checks.

    Raises
    ------
    ValueError
        If a weight is below zero.
    """
    if sample_weight is None:
        return
    weights = np.asarray(sample_weight)
    if weights.dtype.kind in "if" and (weights < 0).any():
        raise ValueError(
            "Negative values in data passed to `sample_weight`: the sum of squares would be "
            "subtracted. Pass weights that are zero or more."
        )


def check_total(weights: Floats | None) -> None:
    """Raise if weights do not add up to more than zero.

    Parameters
    ----------
    weights : ndarray of shape (n_samples,) or None
        Weights of the samples, times those of their classes.

    Raises
    ------
    ValueError
        If there is nothing to learn from.
    """
    if weights is not None and not weights.sum() > 0:
        raise ValueError(
            f"sample_weight, times class weights, adds up to {weights.sum():g}; expected above 0."
        )


def negative_counts() -> ValueError:
    """Return the error for weights after which something has occurred fewer than zero times."""
    return ValueError(
        "The negative values in sample_weight leave a class or a feature with a negative count. "
        "Pass weights that are not negative."
    )
