"""Scores of probabilities: log loss, Brier score, expected calibration error. Larger is better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from quire._shared.reliability import brier_terms, calibration_error, claims_of, log_loss_terms
from quire._shared.typing import Floats
from quire.model_selection._scores.held_out import HeldOut, Measure

__all__ = ["brier_score", "expected_calibration_error", "log_loss"]


def _mean_of(terms: Callable[[Any, Floats], Floats]) -> Callable[[HeldOut], Measure]:
    def of(held: HeldOut) -> Measure:
        if held.probabilities is None:
            return lambda w: float("nan")
        each = terms(held.codes, np.asarray(held.probabilities, dtype=np.float64))
        return lambda w: -float((w * each).sum() / w.sum())

    return of


log_loss = _mean_of(log_loss_terms)
brier_score = _mean_of(brier_terms)


def expected_calibration_error(held: HeldOut) -> Measure:
    """Return minus the mean distance of predicted and observed shares, over 10 bins of equal mass.

    Of two classes it is the probability of the second, of more that of the most probable one.
    """
    if held.probabilities is None:
        return lambda w: float("nan")
    p, is_so = claims_of(held.codes, np.asarray(held.probabilities, dtype=np.float64))
    return lambda w: -calibration_error(p, is_so, w=w)
