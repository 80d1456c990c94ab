"""Which models can be merged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

__all__ = ["check_mergeable", "check_same_columns", "check_same_kind"]


def check_mergeable(left: Any, right: Any, parameters: Sequence[str]) -> None:
    """Raise unless two models are of one class, with the same columns and the same parameters.

    Parameters
    ----------
    left, right : object
        The models.
    parameters : sequence of str
        Names of the parameters that must agree.
    """
    check_same_kind(left, right, parameters)
    check_same_columns(left, right)


def check_same_kind(left: Any, right: Any, parameters: Sequence[str]) -> None:
    """Raise unless two models are fitted, of one class, and have the same parameters.

    Parameters
    ----------
    left, right : object
        The models.
    parameters : sequence of str
        Names of the parameters that must agree.
    """
    if not isinstance(right, type(left)):
        raise TypeError(
            f"merge expects a fitted {type(left).__name__} of quire, got {type(right).__name__}."
        )
    check_is_fitted(left)
    check_is_fitted(right)
    for name in parameters:
        ours, theirs = getattr(left, name), getattr(right, name)
        if not np.array_equal(*(_default(name, value) for value in (ours, theirs))):
            raise ValueError(
                f"Models with different {name} cannot be merged: {ours!r} and {theirs!r}. Set both "
                "to the same value and fit again."
            )


def check_same_columns(left: Any, right: Any) -> None:
    """Raise unless two models are fitted on the same columns.

    Parameters
    ----------
    left, right : object
        The models.
    """
    if left.n_features_in_ != right.n_features_in_:
        raise ValueError(
            f"Models of {left.n_features_in_} and {right.n_features_in_} columns cannot be merged. "
            "Fit both on the same columns."
        )
    names, others = (np.asarray(getattr(m, "feature_names_in_", None)) for m in (left, right))
    if not np.array_equal(names, others):
        raise ValueError(
            "The columns of the two models have different names or another order: "
            f"{names} and {others}. Fit both on the same columns."
        )


def _default(name: str, value: Any) -> Any:
    return "documents" if name == "priors" and value is None else value  # two names of one prior
