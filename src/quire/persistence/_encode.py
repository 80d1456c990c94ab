"""From a model to a tree of JSON and a list of arrays.

Plain values are themselves; everything else is an object with its kind under ``"t"``. Long lists of
strings or numbers become arrays, so that a vocabulary of a million terms costs no more than its
characters. What occurs twice is written once and named by ``"id"``.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from enum import Enum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRequest

from quire._shared.class_names import described
from quire.exceptions import UnsavableModelError
from quire.kinds import Blueprint, check_blueprint, kind_of_class, why_refused
from quire.persistence import _numbers
from quire.persistence._account import ENTRY, NUMBER, OBJECT, memory_of_strings
from quire.persistence._calls import refused_argument, refused_in_attributes
from quire.persistence._nodes import DEEPEST, MOST_REPEATED, MOST_SHOWN
from quire.persistence._registry import Registry, parameters_of, portable_state
from quire.persistence._sparse import memory_of_sparse

__all__ = ["Encoder"]

_LONG = 64  # lists from this length on become arrays, if they hold one kind of thing
_INLINE = 1024  # arrays up to so many bytes stand in the tree
_SMALL_INT = 1 << 63
_DICTS = {dict: "dict", OrderedDict: "ordered_dict", Bunch: "bunch"}


class Encoder:
    """Makes the tree of one model.

    Parameters
    ----------
    registry : Registry
        What may be in it.
    compact : bool
        Leave out what only growing or merging needs.
    """

    def __init__(self, registry: Registry, compact: bool) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self.classes: list[str] = []
        self.memory = 0  # of what loading makes, beside the arrays and the tree
        self._registry = registry
        self._compact = compact
        self._path = ["model"]
        self._active: set[int] = set()
        # By identity: the value, which keeps it taken, its node, and how many values and objects
        # in parameters are in it.
        self._seen: dict[int, tuple[Any, dict[str, Any], int, int]] = {}
        self._n_shared = 0
        self._n_values = self._n_repeated = 0
        self._n_shown = self._n_around = self._n_hiding = 0

    def encode(self, value: Any) -> Any:
        """Return the node of a value."""
        self._n_values += 1
        kind = type(value)
        if value is None or kind in (bool, str):
            return value
        if kind is int:
            return value if abs(value) < _SMALL_INT else {"t": "int", "hex": hex(value)}
        if kind is float:
            return value if math.isfinite(value) else {"t": "float", "text": repr(value)}
        if id(value) in self._seen:
            _, node, n_values, n_shown = self._seen[id(value)]
            self._show(n_shown)
            return self._reference(node, n_values)
        n_before, shown_before = self._n_values, self._n_shown
        with self._entered(value):
            node = self._node(value)
        if not isinstance(value, tuple | frozenset | bytes | np.generic | type):
            n_values, n_shown = self._n_values - n_before + 1, self._n_shown - shown_before
            self._seen[id(value)] = value, node, n_values, n_shown
        return node

    def _show(self, n_objects: int) -> None:
        self._n_shown += n_objects
        if self._n_shown > MOST_SHOWN and not self._n_hiding:
            raise self._error(
                f"is one of more than {MOST_SHOWN} objects in parameters",
                "Save what is fitted, or parts in files of their own.",
            )

    def _reference(self, node: dict[str, Any], n_values: int) -> dict[str, Any]:
        self._n_values += n_values - 1
        self._n_repeated += n_values
        if self._n_repeated > MOST_REPEATED:
            raise self._error(
                f"is shared so often that more than {MOST_REPEATED} values are repeated",
                "Make copies of it, or save its users in files of their own.",
            )
        if "id" not in node:
            node["id"] = self._n_shared
            self._n_shared += 1
        return {"t": "ref", "id": node["id"]}

    @contextmanager
    def _entered(self, value: Any) -> Iterator[None]:
        if id(value) in self._active:
            raise self._error("contains itself", "Break the circle before saving.")
        if len(self._active) >= DEEPEST:
            raise UnsavableModelError("The model is nested too deeply to be saved.")
        self._active.add(id(value))
        try:
            yield
        finally:
            self._active.discard(id(value))

    def _child(self, value: Any, name: str) -> Any:
        self._path.append(name)
        node = self.encode(value)
        self._path.pop()  # not after an error: the path is in its message
        return node

    def _error(self, what: str, remedy: str) -> UnsavableModelError:
        return UnsavableModelError(f"{''.join(self._path)} {what}. {remedy}")

    def _writes(self, argument: str) -> UnsavableModelError:
        return self._error(
            f"gives {argument!r} to a function, by which it could change the model",
            "Give it to a function of your own, and name that to both quire.save and quire.load: "
            "trusted=[...].",
        )

    def _node(self, value: Any) -> dict[str, Any]:
        kind = type(value)
        if kind in (list, tuple, set, frozenset):
            self.memory += ENTRY * len(value) if kind in (set, frozenset) else 0
            return {"t": kind.__name__, "items": self._items(_ordered(value))}
        if kind in _DICTS:
            return self._dict(value, _DICTS[kind])
        if isinstance(value, np.ndarray | np.generic):
            return self._array(value)
        if sparse.issparse(value):
            return self._sparse(value)
        simple = _numbers.plain_node(value)
        if simple is not None:
            return simple
        if isinstance(value, np.random.RandomState | np.random.Generator):
            state = _numbers.generator_state(value)
            return {"t": "random", "kind": kind.__name__, "state": self._child(state, ".state")}
        if isinstance(value, datetime | date) and kind in (datetime, date):
            return {"t": kind.__name__, "text": value.isoformat()}
        if isinstance(value, Enum):
            return {"t": "enum", "class": self._class_name(value), "name": value.name}
        if type(value) is MetadataRequest:
            return {"t": "requests", "methods": _requests(value)}
        if type(value) is partial:
            parts = {"func": value.func, "args": value.args, "keywords": value.keywords}
            refused = refused_argument(value.func, value.args, value.keywords)
            if refused is not None and not self._registry.is_vouched(value.func):
                raise self._writes(refused)
            nodes = {name: self._child(part, f".{name}") for name, part in parts.items()}
            return {"t": "partial", **nodes}
        if isinstance(value, type) or _is_function(value):
            return self._function(value)
        return self._object(value)

    def _items(self, items: list[Any]) -> Any:
        """Return a list of nodes, or arrays if the items are many and of one kind."""
        kinds = set(map(type, items)) if len(items) >= _LONG else set()
        if kinds == {str}:
            text, lengths = _numbers.pack_strings(items)
            self._n_values += len(items)
            self.memory += memory_of_strings(text, lengths)
            return {"t": "strings", "text": self._member(text), "lengths": self._member(lengths)}
        if kinds == {float} or (kinds == {int} and max(map(abs, items)) < _SMALL_INT):
            numbers = np.array(items, dtype=np.float64 if kinds == {float} else np.int64)
            self._n_values += len(items)
            self.memory += NUMBER * numbers.size
            return {"t": "numbers", "member": self._member(numbers)}
        return [self._child(item, f"[{i}]") for i, item in enumerate(items)]

    def _dict(self, value: dict[Any, Any], kind: str) -> dict[str, Any]:
        self.memory += ENTRY * len(value)
        keys = self._items(list(value))
        values = list(value.values())
        if len(values) >= _LONG and len(set(map(type, values))) == 1:
            return {"t": kind, "keys": keys, "values": self._items(values)}
        nodes = [self._child(item, f"[{key!r}]") for key, item in value.items()]
        return {"t": kind, "keys": keys, "values": nodes}

    def _member(self, array: NDArray[Any]) -> str:
        name = f"arrays/{len(self.arrays)}.npy"
        self.arrays[name] = array
        return name

    def _array(self, value: Any) -> dict[str, Any]:
        if isinstance(value, np.ma.MaskedArray):
            parts = {"data": value.data, "mask": np.ma.getmaskarray(value)}
            inner = {name: self._child(part, f".{name}") for name, part in parts.items()}
            return {"t": "masked", **inner, "fill": self._child(value.fill_value, ".fill_value")}
        if isinstance(value, np.matrix | np.recarray):
            raise self._error(f"is a {described(type(value))}", "Use a plain array: np.asarray.")
        if isinstance(value, np.ndarray) and value.dtype.hasobject and value.dtype != object:
            raise self._error("is a structured array of Python objects", "Use plain columns.")
        if isinstance(value, np.ndarray) and value.dtype.kind == "T":
            value = value.astype(object)
        if isinstance(value, np.ndarray) and value.dtype == object:
            shape = list(value.shape)
            return {"t": "objects", "shape": shape, "items": self._items(value.ravel().tolist())}
        array = np.asarray(value)
        scalar = isinstance(value, np.generic)
        if (array.nbytes <= _INLINE or scalar) and array.dtype.names is None:
            return {"t": "scalar" if scalar else "array", **_numbers.inline_array(array)}
        return {"t": "scalar" if scalar else "array", "member": self._member(array)}

    def _sparse(self, value: Any) -> dict[str, Any]:
        if value.format in ("lil", "dok"):
            arrays = {"value": value.tocsr() if value.ndim == 2 else value.tocoo()}
            self.memory += memory_of_sparse(value.format, value.shape[0], value.nnz)
        elif value.format == "coo":
            arrays = {"data": value.data, "coords": tuple(value.coords)}
        elif value.format == "dia":
            arrays = {"data": value.data, "offsets": value.offsets}
        else:
            arrays = {name: getattr(value, name) for name in ("data", "indices", "indptr")}
        parts = {name: self._child(array, f".{name}") for name, array in arrays.items()}
        kind = described(type(value)).rpartition(".")[2]
        return {"t": "sparse", "kind": kind, "shape": [int(n) for n in value.shape], "parts": parts}

    def _function(self, value: Any) -> dict[str, Any]:
        if isinstance(value, type):
            name = self._registry.class_name(value)
            if name is not None:
                return {"t": "class", "name": name}
        name = self._registry.function_name(value)
        if name is None:
            what = "class" if isinstance(value, type) else "function"
            raise self._error(
                f"is the {what} {described(value)}, and a model file holds no code",
                "Use an option of the estimator or a function that quire knows, or name it to "
                "both quire.save and quire.load: trusted=[...].",
            )
        return {"t": "function", "name": name}

    def _class_name(self, value: Any) -> str:
        name = self._registry.class_name(type(value))
        if name is None:
            refused = why_refused(type(value))
            raise self._error(
                f"is of the class {described(type(value))}, which a model file cannot hold"
                + (f": {refused}" if refused else ""),
                "Leave it out, use a part of quire or scikit-learn, or name its class to both "
                "quire.save and quire.load: trusted=[...].",
            )
        if name not in self.classes:
            self.classes.append(name)
        return name

    def _object(self, value: Any) -> dict[str, Any]:
        saving = kind_of_class(type(value)).saving
        if saving.plain is not None:
            return self._node(saving.plain(value))
        name = self._class_name(value)
        self.memory += OBJECT
        compacted = saving.compacted if self._compact else None
        state = _state(value if compacted is None else compacted(value))
        if state is None:
            raise self._error(f"is a {name} whose state is not attributes", "Leave it out.")
        refused = refused_in_attributes(name, state, self._registry.is_vouched)
        if refused is not None:
            raise self._writes(refused)
        kept = portable_state(type(value), state, self._compact)
        try:
            check_blueprint(Blueprint(type(value), kept, name))
        except ValueError as error:  # what would be refused when it is loaded
            raise self._error(
                f"cannot be saved: {error}", "Keep what is yours in metadata=, or fit it again."
            ) from error
        self._n_around += 1
        self._show(self._n_around)
        cls: Any = type(value)
        nodes, shown = {}, parameters_of(cls)
        for key, item in kept.items():
            is_hidden, n_shown = key not in shown, self._n_shown
            self._n_hiding += is_hidden
            nodes[key] = self._child(item, f".{key}")
            self._n_hiding -= is_hidden
            self._n_shown = n_shown if is_hidden else self._n_shown
        self._n_around -= 1
        return {"t": "object", "class": name, "state": nodes}


def _ordered(items: Any) -> list[Any]:
    """Return the items as a list; those of a set in an order that does not depend on the run."""
    if not isinstance(items, set | frozenset):
        return list(items)
    return sorted(items, key=lambda item: (type(item).__name__, repr(item)))


def _is_function(value: Any) -> bool:
    named = isinstance(value, Callable) and hasattr(value, "__name__")  # type: ignore[arg-type]
    return named or isinstance(value, np.ufunc)


def _requests(value: Any) -> dict[str, dict[str, Any]]:
    """Return what metadata routing is to pass to each method: names, and whether or as what."""
    methods = {name: part for name, part in vars(value).items() if hasattr(part, "requests")}
    return {name: dict(part.requests) for name, part in methods.items() if part.requests}


def _state(value: Any) -> dict[str, Any] | None:
    """Return the attributes that make a copy, as ``pickle`` would take them."""
    own_reduce: Any = type(value).__reduce__
    if own_reduce is not object.__reduce__:
        reduced = value.__reduce__()
        return {} if tuple(reduced) == (type(value), ()) else None
    state = value.__getstate__()
    if state is None:
        state = {}
    if not isinstance(state, dict):
        return None
    return {key: item for key, item in state.items() if key != "_sklearn_version"}
