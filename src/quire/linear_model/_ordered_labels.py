"""Ordered labels as numbers: which order, and where each label stands in it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.labels import class_codes

__all__ = ["order_of", "ordered_codes"]


def order_of(y: Any) -> list[Any] | None:
    """Return the order that a column carries with it, lowest first, or None.

    Ordered categoricals of pandas and the Enum type of polars have one.

    Parameters
    ----------
    y : Any
        Labels, before they are turned into an array.
    """
    dtype = getattr(y, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None:
        return None
    if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":
        return list(categories)
    return None


def ordered_codes(
    y: Any, categories: Any, carried: list[Any] | None = None
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the classes, lowest first, and the place of each label among them.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    categories : array-like of shape (n_classes,) or None
        The order, where it is given.
    carried : list or None
        The order that came with the labels; `categories` goes before it.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        In their order: the given one, else sorted.
    codes : ndarray of int32 of shape (n_samples,)
        ``classes[codes]`` is ``y``.
    """
    found, codes = class_codes(y)
    order = carried if categories is None else list(categories)
    if order is None:
        if len(found) > 2 and all(isinstance(label, str) for label in found):
            warnings.warn(
                "The labels are strings and their order was not given; they are taken in "
                f"alphabetical order, {' < '.join(map(str, found[:10]))}. Give categories=[...], "
                "lowest first, or an ordered categorical.",
                UserWarning,
                stacklevel=3,
            )
        return found, codes
    place = {label: k for k, label in enumerate(order)}
    if len(place) != len(order):
        raise ValueError(f"categories has a label more than once: {order}.")
    unknown = [label for label in found.tolist() if label not in place]
    if unknown:
        raise ValueError(
            f"y has the label(s) {unknown[:10]}, which categories {order} does not have. Add them "
            "in their place."
        )
    places = np.array([place[label] for label in found.tolist()], dtype=np.int32)
    classes = np.asarray(order, dtype=found.dtype if found.dtype.kind in "biufO" else None)
    return classes, places[codes]
