"""From the tree of a model file back to the model.

Objects are made without their constructors and given their attributes; only classes and functions
of the allow-list can be named. Arrays that kernels use as addresses (the offsets of a vocabulary,
the indices of a sparse matrix) are checked here, because a file may come from anywhere.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable
from datetime import date, datetime
from enum import Enum
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import __version__ as sklearn_version
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRequest

from quire.exceptions import ModelFileError
from quire.kinds import Blueprint, check_blueprint
from quire.persistence import _numbers
from quire.persistence._registry import Registry, portable_state

__all__ = ["Decoder"]

_SPARSE = tuple(f"{kind}_{end}" for kind in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
                for end in ("array", "matrix"))  # fmt: skip
_DICTS: dict[str, Any] = {"dict": dict, "ordered_dict": OrderedDict, "bunch": Bunch}
_SEQUENCES = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
_DATES = {"date": date, "datetime": datetime}


class Decoder:
    """Makes one model from its tree.

    Parameters
    ----------
    registry : Registry
        What may be in it.
    read_array : callable
        From the name of a member to its array.
    """

    def __init__(self, registry: Registry, read_array: Callable[[str], NDArray[Any]]) -> None:
        self._registry = registry
        self._read_array = read_array
        self._shared: dict[int, Any] = {}

    def decode(self, node: Any) -> Any:
        """Return the value of a node."""
        if not isinstance(node, dict):
            if isinstance(node, list):
                raise ModelFileError("the tree has a list outside a node")
            return node
        if node["t"] == "ref":
            return self._shared[node["id"]]
        value = self._value(node)
        if "id" in node:
            self._shared[node["id"]] = value
        return value

    def _value(self, node: dict[str, Any]) -> Any:
        kind = node["t"]
        if kind in _SEQUENCES:
            return _SEQUENCES[kind](self._items(node["items"]))
        if kind in _DICTS:
            pairs = zip(self._items(node["keys"]), self._items(node["values"]), strict=True)
            return Bunch(**dict(pairs)) if kind == "bunch" else _DICTS[kind](pairs)
        if kind in _DATES:
            return _DATES[kind].fromisoformat(node["text"])
        method = _METHODS.get(kind)
        return _numbers.plain_value(node) if method is None else method(self, node)

    def _items(self, node: Any) -> list[Any]:
        if isinstance(node, list):
            return [self.decode(item) for item in node]
        if node["t"] == "strings":
            text, lengths = self._read_array(node["text"]), self._read_array(node["lengths"])
            return _numbers.unpack_strings(text, lengths)
        if node["t"] == "numbers":
            numbers: list[Any] = self._read_array(node["member"]).tolist()
            return numbers
        raise ModelFileError(f"the tree has items of an unknown kind, {node['t']!r}")

    def _int(self, node: dict[str, Any]) -> int:
        return int(node["hex"], 16)

    def _float(self, node: dict[str, Any]) -> float:
        return float(node["text"])

    def _array(self, node: dict[str, Any]) -> NDArray[Any]:
        return (
            self._read_array(node["member"]) if "member" in node else _numbers.inlined_array(node)
        )

    def _scalar(self, node: dict[str, Any]) -> Any:
        return self._array(node)[()]

    def _masked(self, node: dict[str, Any]) -> Any:
        data, mask, fill = (self.decode(node[name]) for name in ("data", "mask", "fill"))
        return np.ma.MaskedArray(data, mask=mask, fill_value=fill)

    def _objects(self, node: dict[str, Any]) -> NDArray[np.object_]:
        items = self._items(node["items"])
        array = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):  # not by a slice: items may be sequences
            array[i] = item
        return array.reshape(node["shape"])

    def _sparse(self, node: dict[str, Any]) -> Any:
        if node["kind"] not in _SPARSE:
            raise ModelFileError(f"{node['kind']!r} is not a kind of sparse matrix")
        make = getattr(sparse, node["kind"])
        shape = tuple(node["shape"])
        parts = {name: self.decode(part) for name, part in node["parts"].items()}
        if "value" in parts:
            return make(parts["value"])
        if "coords" in parts:
            return make((parts["data"], parts["coords"]), shape=shape)
        if "offsets" in parts:
            return make((parts["data"], parts["offsets"]), shape=shape)
        made = make((parts["data"], parts["indices"], parts["indptr"]), shape=shape)
        made.check_format(full_check=True)
        made.indices, made.indptr = parts["indices"], parts["indptr"]  # 64 bits stay 64 bits
        return made

    def _random(self, node: dict[str, Any]) -> Any:
        return _numbers.generator_from_state(node["kind"], self.decode(node["state"]))

    def _function(self, node: dict[str, Any]) -> Any:
        found = self._registry.find_function(node["name"])
        if found is None:
            raise _not_allowed("function", node["name"])
        return found

    def _requests(self, node: dict[str, Any]) -> Any:
        made = MetadataRequest(owner=None)
        for method, requests in node["methods"].items():
            for name, alias in requests.items():
                vars(made)[method].add_request(param=name, alias=alias)
        return made

    def _partial(self, node: dict[str, Any]) -> Any:
        function, args, keywords = (self.decode(node[n]) for n in ("func", "args", "keywords"))
        return partial(function, *args, **keywords)

    def _class(self, node: dict[str, Any]) -> type:
        return self._find_class(node["name"])

    def _find_class(self, name: str) -> type:
        found = self._registry.find_class(name)
        if found is None:
            raise _not_allowed("class", name)
        return found

    def _enum(self, node: dict[str, Any]) -> Any:
        found = self._find_class(node["class"])
        if not issubclass(found, Enum):
            raise ModelFileError(f"{node['class']} is not an enumeration")
        return found[node["name"]]

    def _object(self, node: dict[str, Any]) -> Any:
        name = node["class"]
        cls = self._find_class(name)
        state = {key: self.decode(item) for key, item in node["state"].items()}
        _check_state(name, cls, state)
        state = portable_state(cls, state)
        if name.startswith("quire."):
            state = {**_new_parameters(cls), **state}
        made: Any = object.__new__(cls)
        if hasattr(cls, "__setstate__"):
            if name.startswith("sklearn."):
                state["_sklearn_version"] = sklearn_version  # compared once for the whole file
            made.__setstate__(state)
        elif state:
            vars(made).update(state)
        _set_owner(made)
        return made


_METHODS: dict[str, Callable[[Decoder, dict[str, Any]], Any]] = {
    "array": Decoder._array,
    "class": Decoder._class,
    "enum": Decoder._enum,
    "float": Decoder._float,
    "function": Decoder._function,
    "int": Decoder._int,
    "masked": Decoder._masked,
    "object": Decoder._object,
    "objects": Decoder._objects,
    "partial": Decoder._partial,
    "random": Decoder._random,
    "requests": Decoder._requests,
    "scalar": Decoder._scalar,
    "sparse": Decoder._sparse,
}


def _not_allowed(what: str, name: Any) -> ModelFileError:
    return ModelFileError(
        f"the {what} {name} is not on the list of those that quire loads. If you wrote it and "
        f"trust the file, pass it: quire.load(path, trusted=[{str(name).rpartition('.')[2]}]); "
        "if it is of a newer version of quire or scikit-learn, upgrade"
    )


@cache
def _new_parameters(cls: type) -> dict[str, Any]:
    """Return the defaults of the parameters of an estimator: a file may be older than some."""
    if not issubclass(cls, BaseEstimator):
        return {}
    parameters = inspect.signature(cls).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


def _set_owner(made: Any) -> None:
    """Tell what is asked of metadata routing whose it is; its messages say so."""
    routing = getattr(made, "__dict__", {}).get("_metadata_request")
    if type(routing) is MetadataRequest:
        for part in (routing, *vars(routing).values()):
            if hasattr(part, "owner"):
                part.owner = made


def _check_state(name: str, cls: type, state: dict[str, Any]) -> None:
    """Refuse attributes that would stand in for methods, and arrays that point outside."""
    for key in state:
        if key.startswith("__") and key.endswith("__"):
            raise ModelFileError(f"{name} cannot have an attribute {key}")
        if inspect.isroutine(inspect.getattr_static(cls, key, None)):
            raise ModelFileError(f"{key} is a method of {name}, not an attribute")
    try:
        check_blueprint(Blueprint(cls, state, name))
    except ValueError as error:
        raise ModelFileError(str(error)) from error
