"""Class labels as numbers: every classifier of quire reads ``y`` through here."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.typing import Codes

__all__ = ["class_codes", "codes_among", "codes_or_missing", "order_of", "ordered_codes"]


def class_codes(y: Any) -> tuple[NDArray[Any], Codes]:
    """Return the sorted classes and, for each label, its place among them.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels: numbers, strings, booleans or other objects that can be compared.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        As ``numpy.unique(y)``.
    codes : ndarray of int32 of shape (n_samples,)
        ``classes[codes]`` is ``y``.

    Raises
    ------
    ValueError
        If `y` is not a list of classes, with scikit-learn's message.

    Examples
    --------
    >>> classes, codes = class_codes(["pos", "neg", "pos"])
    >>> classes, codes
    (array(['neg', 'pos'], dtype='<U3'), array([1, 0, 1], dtype=int32))
    """
    from sklearn.utils import assert_all_finite, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets

    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind == "O" and all(type(label) is str for label in set(labels)):
        # np.unique would sort all the strings; this sorts one of each.
        classes = np.array(sorted(set(labels)), dtype=object)
        number = {label: code for code, label in enumerate(classes)}
        return classes, np.fromiter((number[label] for label in labels), np.int32, len(labels))
    if labels.dtype.kind not in "biuUS":
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        classes, places = np.unique(labels, return_inverse=True)
        return classes, places.astype(np.int32)
    items = np.ascontiguousarray(labels)
    if items.itemsize == 0:  # nothing but empty strings
        return np.unique(items), np.zeros(len(items), dtype=np.int32)
    codes, first = _core.counts.factorize(items.view(np.uint8), items.itemsize)
    met = items[first]
    order = np.argsort(met)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return met[order], place[codes]


def codes_among(
    y: Any, classes: NDArray[Any], unknown: Callable[[list[Any]], str] | None = None
) -> Codes:
    """Return the place of each label among classes that are known, or an error if one is not there.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    classes : ndarray of shape (n_classes,)
        Each once, in any order.
    unknown : callable, default=None
        Returns the message about labels that are not there; scikit-learn's for ``partial_fit`` if
        ``None``.

    Returns
    -------
    ndarray of int32 of shape (n_samples,)
        ``classes[codes]`` is ``y``.
    """
    here, codes = class_codes(y)
    places = _places(here, classes)
    if (places < 0).any():
        raise ValueError(
            f"The target label(s) {here[places < 0]} in y do not exist in the initial classes "
            f"{classes}. Pass all classes at the first call of partial_fit."
            if unknown is None
            else unknown(here[places < 0].tolist())
        )
    return places[codes]


def codes_or_missing(y: Any, classes: NDArray[Any]) -> Codes:
    """Return the place of each label among classes that are known, -1 if it is not there.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    classes : ndarray of shape (n_classes,)
        Each once, in any order.

    Returns
    -------
    ndarray of int32 of shape (n_samples,)
        Codes.

    Examples
    --------
    >>> codes_or_missing(["b", "z", "a"], np.array(["b", "a"]))
    array([ 0, -1,  1], dtype=int32)
    """
    here, codes = class_codes(y)
    return _places(here, classes)[codes]


def _places(labels: NDArray[Any], classes: NDArray[Any]) -> Codes:
    """Return the place of each of some labels, every one of them once; -1 if it is not there."""
    if len(classes) == 0:
        return np.full(len(labels), -1, dtype=np.int32)
    order = np.argsort(classes, kind="stable")
    near = np.searchsorted(classes, labels, sorter=order).clip(0, len(classes) - 1)
    places = order[near]
    return np.where(classes[places] == labels, places, -1).astype(np.int32)


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
) -> tuple[NDArray[Any], Codes]:
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
