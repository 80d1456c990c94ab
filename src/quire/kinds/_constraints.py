"""What a parameter may be, as scikit-learn states it for its classes, read without scikit-learn.

A constraint is a list with its kind first, such as ``["interval", "real", 0, null, "left"]``; the
tables are written from the classes themselves (``_stand_ins``), and a test compares the two on
values of all kinds.
"""

from __future__ import annotations

import builtins
import inspect
import operator
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from quire._shared.sparse import is_sparse
from quire.kinds._blueprint import Blueprint

__all__ = ["Stated"]

_NUMBERS: dict[str, type] = {"integral": Integral, "real": Real, "float": float}
_TYPES: dict[str, type] = {"Integral": Integral, "Mapping": Mapping}
_COMPOSED: dict[str, list[list[Any]]] = {
    "boolean": [["type", "bool"], ["type", "bool_"]],
    "cv_object": [
        ["interval", "integral", 2, None, "left"],
        ["methods", "split", "get_n_splits"],
        ["iterable"],
        ["none"],
    ],
    "random_state": [
        ["interval", "integral", 0, 2**32 - 1, "both"],
        ["type", "RandomState"],
        ["none"],
    ],
    "verbose": [
        ["interval", "integral", 0, None, "left"],
        ["type", "bool"],
        ["type", "bool_"],
    ],
}


class Stated:
    """One of the things that a parameter may be.

    Parameters
    ----------
    kind : str
        Such as "interval".
    *arguments
        What it needs.

    Examples
    --------
    >>> share = Stated("interval", "real", 0, 1, "both")
    >>> share.is_satisfied_by(0.5), share.is_satisfied_by(2), share.is_satisfied_by("0.5")
    (True, False, False)
    """

    def __init__(self, kind: str, *arguments: Any) -> None:
        self.kind = kind
        self.arguments = arguments

    def is_satisfied_by(self, value: Any) -> bool:
        """Say whether a value, or an object that has not been made yet, is one."""
        if self.kind in _COMPOSED:
            parts = (Stated(*one) for one in _COMPOSED[self.kind])
            return any(one.is_satisfied_by(value) for one in parts)
        if isinstance(value, Blueprint):
            return self._takes_blueprint(value)
        return _CHECKS[self.kind](value, *self.arguments)

    def _takes_blueprint(self, value: Blueprint) -> bool:
        if self.kind == "type":
            return issubclass(value.cls, _type(self.arguments[0]))
        if self.kind == "methods":
            found = (inspect.getattr_static(value.cls, name, None) for name in self.arguments)
            return all(one is not None for one in found)
        return self.kind == "callable" and callable(value.cls.__dict__.get("__call__"))


def _type(name: str) -> type:
    if name in _TYPES:
        return _TYPES[name]
    if name in ("bool_", "RandomState"):
        numpys: type = np.bool_ if name == "bool_" else np.random.RandomState
        return numpys
    plain: type = getattr(builtins, name)
    return plain


def _is_between(value: Any, kind: str, left: Any, right: Any, closed: str) -> bool:
    if not isinstance(value, _NUMBERS[kind]):
        return False
    number: Any = value
    if not isinstance(number, Integral) and np.isnan(number):
        return False
    is_below = operator.lt if closed in ("left", "both") else operator.le
    is_above = operator.gt if closed in ("right", "both") else operator.ge
    low = -np.inf if left is None else float(left) if left == "-inf" else left
    high = np.inf if right is None else float(right) if right == "inf" else right
    return not (is_below(number, low) or is_above(number, high))


def _is_array_like(value: Any) -> bool:
    if is_sparse(value) or np.isscalar(value):
        return False
    return any(hasattr(value, name) for name in ("__len__", "shape", "__array__"))


_CHECKS: dict[str, Callable[..., bool]] = {
    "array-like": _is_array_like,
    "callable": callable,
    "interval": _is_between,
    "iterable": lambda value: isinstance(value, Iterable) and not isinstance(value, str),
    "methods": lambda value, *names: all(callable(getattr(value, n, None)) for n in names),
    "none": lambda value: value is None,
    "options": lambda value, *options: isinstance(value, str) and value in options,
    "type": lambda value, name: isinstance(value, _type(name)),
}
