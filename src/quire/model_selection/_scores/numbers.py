"""Scores of predicted numbers, or of ranks of ordered classes. Larger is better."""

from __future__ import annotations

import numpy as np

from quire._shared.typing import Floats
from quire.model_selection._scores.held_out import HeldOut, Measure

__all__ = ["mean_absolute_error", "mean_squared_error", "r2", "root_mean_squared_error"]


def mean_absolute_error(held: HeldOut) -> Measure:
    """Return minus the mean distance."""
    each = np.abs(held.predicted - held.codes).astype(np.float64)
    return lambda w: -float((w * each).sum() / w.sum())


def mean_squared_error(held: HeldOut) -> Measure:
    """Return minus the mean square of the distance."""
    each = (held.predicted - held.codes).astype(np.float64) ** 2
    return lambda w: -float((w * each).sum() / w.sum())


def root_mean_squared_error(held: HeldOut) -> Measure:
    """Return minus the root of the mean square of the distance."""
    squares = mean_squared_error(held)
    return lambda w: -float(np.sqrt(-squares(w)))


def r2(held: HeldOut) -> Measure:
    """Return the share of the variance that is explained; of one number only it is not known."""
    truth = np.asarray(held.codes, dtype=np.float64)
    squares = (held.predicted - truth) ** 2

    def measure(w: Floats) -> float:
        mean = (w * truth).sum() / w.sum()
        spread = (w * (truth - mean) ** 2).sum()
        if spread > 0:
            return float(1 - (w * squares).sum() / spread)
        if (w > 0).sum() < 2:
            return float("nan")
        return 1.0 if (w * squares).sum() == 0 else 0.0  # as scikit-learn has it

    return measure
