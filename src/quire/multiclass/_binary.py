"""What a model for two classes says of samples: which side, and how far."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.typing import Floats

__all__ = ["side"]


def side(model: Any, X: Any) -> Floats:
    """Return scores of the second class: above zero a sample is on its side.

    Parameters
    ----------
    model : fitted classifier of two classes
        With ``decision_function`` or ``predict_proba``.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples.
    """
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        return scores.reshape(len(scores))
    return np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64) - 0.5
