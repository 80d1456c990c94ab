"""From the tree of a model file to data: values, arrays, and blueprints of the objects in it.

Nothing of the model exists when this is done, and everything of it has been looked at: the grammar
of the tree, names against the allow-list, sizes before there is memory for them, and the attributes
of every object against what its class may have.
"""

from __future__ import annotations

import inspect
from collections import Counter, OrderedDict
from collections.abc import Callable
from datetime import date, datetime
from enum import Enum
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.class_names import is_estimator
from quire.exceptions import ModelFileError
from quire.kinds import Blueprint, check_blueprint
from quire.persistence import _numbers
from quire.persistence._account import ENTRY, OBJECT, Account
from quire.persistence._arrays import checked_size
from quire.persistence._calls import refused_argument, refused_in_attributes
from quire.persistence._nodes import (
    DEEPEST,
    MOST_REPEATED,
    MOST_SHOWN,
    checked_kind,
    checked_name,
    checked_shape,
    shown,
)
from quire.persistence._registry import Registry, parameters_of, portable_state
from quire.persistence._sparse import sparse_from_parts

__all__ = ["Decoder"]

_MOST_COLLIDING = 100  # keys of a dictionary with one hash; numbers and texts have far fewer
_DICTS: dict[str, Any] = {"dict": dict, "ordered_dict": OrderedDict}
_SEQUENCES = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
_UNORDERED = ("set", "frozenset")
_DATES = {"date": date, "datetime": datetime}
_NOT_FINITE = ("nan", "inf", "-inf")
_MASKED_IN = "cv_results_"  # of a search; nothing else of scikit-learn keeps a masked array


class Decoder:
    """Makes data of one tree.

    Parameters
    ----------
    registry : Registry
        What may be in it.
    read_array : callable
        From the name of a member to its array.
    account : Account
        Where what it takes is counted.
    """

    def __init__(
        self, registry: Registry, read_array: Callable[[str], NDArray[Any]], account: Account
    ) -> None:
        self.classes: list[str] = []  # as the file names them, in the order of the tree
        self.holders: dict[int, Any] = {}  # values with a blueprint in them, by their identity
        self._registry = registry
        self._read_array = read_array
        self._account = account
        self._shared: dict[int, _Shared] = {}  # complete ones only, so that there is no circle
        self._n_values = 0  # in all, with what is shared as often as it stands there
        self._n_repeated = 0
        self._n_shown = self._n_around = 0  # objects in parameters, and those around this node
        self._n_hiding = 0  # of those around it, the ones whose text does not show it
        self._depth = 0
        self._has_blueprint = False
        self._has_mask = False

    def decode(self, node: Any) -> Any:
        """Return the value of a node."""
        self._n_values += 1
        if not isinstance(node, dict):
            if isinstance(node, list):
                raise ModelFileError("the tree has a list outside a node")
            return node
        kind = checked_kind(node)
        if kind == "ref":
            return self._referred(node["id"])
        before, outer = (self._n_values, self._n_shown), (self._has_blueprint, self._has_mask)
        self._has_blueprint = self._has_mask = False
        self._depth += 1
        if self._depth > DEEPEST:
            raise ModelFileError(f"the tree is deeper than {DEEPEST} nodes")
        value = self._value(kind, node)
        self._depth -= 1
        if self._has_blueprint:
            self.holders[id(value)] = value
        if "id" in node:
            if node["id"] in self._shared:
                raise ModelFileError(f"two nodes of the tree have the number {node['id']}")
            self._shared[node["id"]] = _Shared(
                value,
                self._n_values - before[0] + 1,
                self._n_shown - before[1],
                self._has_blueprint,
                self._has_mask,
            )
        self._has_blueprint |= outer[0]
        self._has_mask |= outer[1]
        return value

    def _referred(self, number: Any) -> Any:
        shared = self._shared.get(number) if type(number) is int else None
        if shared is None:
            raise ModelFileError(f"the tree refers to {shown(number)}, which is not complete there")
        self._n_values += shared.n_values - 1
        self._show(shared.n_shown)
        self._n_repeated += shared.n_values
        if self._n_repeated > MOST_REPEATED:
            raise ModelFileError(
                f"the tree repeats more than {MOST_REPEATED} values by references, as no model does"
            )
        self._has_blueprint |= shared.has_blueprint
        self._has_mask |= shared.has_mask
        return shared.value

    def _show(self, n_objects: int) -> None:
        self._n_shown += n_objects
        if self._n_shown > MOST_SHOWN and not self._n_hiding:
            raise ModelFileError(f"the model has parameters with more than {MOST_SHOWN} objects")

    def _value(self, kind: str, node: dict[str, Any]) -> Any:
        if kind in _SEQUENCES:
            items = self._items(node["items"])
            if kind in _UNORDERED:
                _check_keys(items, self._account)
            made = items if kind == "list" else _SEQUENCES[kind](items)
            if len(made) != len(items):
                raise ModelFileError("the tree has an element of a set twice")
            return made
        if kind in _DICTS or kind == "bunch":
            return self._dict(kind, node)
        if kind in _DATES:
            return _DATES[kind].fromisoformat(checked_name(node["text"]))
        method = _METHODS.get(kind)
        return _numbers.plain_value(node) if method is None else method(self, node)

    def _dict(self, kind: str, node: dict[str, Any]) -> Any:
        keys, values = self._items(node["keys"]), self._items(node["values"])
        if len(keys) != len(values):
            raise ModelFileError(f"the tree has {len(keys)} keys for {len(values)} values")
        _check_keys(keys, self._account)
        if kind == "bunch" and not all(isinstance(key, str) for key in keys):
            raise ModelFileError("the tree has a key of a bunch that is no text")
        pairs = zip(keys, values, strict=True)
        made = self._registry.bunch(dict(pairs)) if kind == "bunch" else _DICTS[kind](pairs)
        if len(made) != len(keys):
            raise ModelFileError("the tree has a key twice")
        return made

    def _items(self, node: Any) -> list[Any]:
        if isinstance(node, list):
            return [self.decode(item) for item in node]
        if not isinstance(node, dict):
            raise ModelFileError(f"the tree has {shown(node)} where items belong")
        kind = checked_kind(node)
        if kind == "strings":
            text, lengths = self._read_array(node["text"]), self._read_array(node["lengths"])
            items: list[Any] = _numbers.unpack_strings(text, lengths, self._account)
        elif kind == "numbers":
            items = _numbers.unpack_numbers(self._read_array(node["member"]), self._account)
        else:
            raise ModelFileError(f"the tree has items of an unknown kind, {kind!r}")
        self._n_values += len(items)
        return items

    def _int(self, node: dict[str, Any]) -> int:
        return int(checked_name(node["hex"]), 16)

    def _float(self, node: dict[str, Any]) -> float:
        if node["text"] not in _NOT_FINITE:
            raise ModelFileError(f"{shown(node['text'])} is not one of {', '.join(_NOT_FINITE)}")
        return float(node["text"])

    def _array(self, node: dict[str, Any]) -> NDArray[Any]:
        if "member" in node:
            return self._read_array(node["member"])
        return _numbers.inlined_array(node, self._account)

    def _scalar(self, node: dict[str, Any]) -> Any:
        array = self._array(node)
        if array.ndim:
            raise ModelFileError(f"{shown(list(array.shape))} is not the shape of one number")
        return array[()]

    def _masked(self, node: dict[str, Any]) -> Any:
        data, mask, fill = (self.decode(node[name]) for name in ("data", "mask", "fill"))
        are_arrays = type(data) is type(mask) is np.ndarray
        if not are_arrays or mask.dtype.kind != "b" or mask.shape != data.shape:
            raise ModelFileError("a masked array has not one truth value for each of its values")
        if isinstance(fill, np.ndarray) and fill.ndim:
            raise ModelFileError("a masked array has not one value to fill it with")
        self._account.take(data.nbytes + mask.nbytes)
        made = np.ma.MaskedArray(data, mask=mask, fill_value=fill)
        self._has_mask = True
        return made

    def _objects(self, node: dict[str, Any]) -> NDArray[np.object_]:
        items, shape = self._items(node["items"]), checked_shape(node["shape"])
        self._account.take(checked_size(shape, np.dtype("u8"), self._account.limit))
        array = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):  # not by a slice: items may be sequences
            array[i] = item
        return array.reshape(shape)

    def _sparse(self, node: dict[str, Any]) -> Any:
        self._registry.check_sparse()
        if not isinstance(node["parts"], dict):
            raise ModelFileError("the tree has a sparse matrix without parts")
        parts = {name: self.decode(part) for name, part in node["parts"].items()}
        return sparse_from_parts(node["kind"], node["shape"], parts, self._account)

    def _random(self, node: dict[str, Any]) -> Any:
        return _numbers.generator_from_state(node["kind"], self.decode(node["state"]))

    def _function(self, node: dict[str, Any]) -> Any:
        name = checked_name(node["name"])
        found = self._registry.find_function(name)
        if found is None:
            raise _not_allowed("function", name)
        return found

    def _requests(self, node: dict[str, Any]) -> Any:
        made = self._registry.requests()
        methods = node["methods"]
        if not isinstance(methods, dict) or not methods.keys() <= vars(made).keys():
            raise ModelFileError("the tree has requests of metadata of unknown methods")
        for method, requests in methods.items():
            part = vars(made)[method]
            if not hasattr(part, "add_request") or not isinstance(requests, dict):
                raise ModelFileError("the tree has requests of metadata of unknown methods")
            for name, alias in requests.items():
                if not isinstance(alias, str | bool | None):
                    raise ModelFileError(f"the tree has a request of {shown(alias)}")
                part.add_request(param=name, alias=alias)
        return made

    def _partial(self, node: dict[str, Any]) -> Any:
        function, args, keywords = (self.decode(node[n]) for n in ("func", "args", "keywords"))
        if not isinstance(args, tuple) or type(keywords) is not dict:
            raise ModelFileError("the tree has a function with arguments that are none")
        if not all(isinstance(name, str) for name in keywords):
            raise ModelFileError("the tree has an argument whose name is no text")
        if not self._registry.is_vouched(function):
            if isinstance(function, type | Blueprint) or not callable(function):
                raise ModelFileError("the tree has arguments for what is no function")
            refused = refused_argument(function, args, keywords)
            if refused is not None:
                raise _writes(refused)
        return partial(function, *args, **keywords)

    def _class(self, node: dict[str, Any]) -> type:
        return self._find_class(node["name"])

    def _find_class(self, name: Any) -> type:
        found = self._registry.find_class(checked_name(name))
        if found is None or not name.isprintable():
            raise _not_allowed("class", name)
        return found

    def _named_class(self, name: Any) -> type:
        """Return the class of an object, and note that the model has a part of it."""
        found = self._find_class(name)
        if name not in self.classes:
            self.classes.append(name)
        return found

    def _enum(self, node: dict[str, Any]) -> Any:
        found, name = self._named_class(node["class"]), checked_name(node["name"])
        if not issubclass(found, Enum) or name not in found.__members__:
            raise ModelFileError(f"{node['class']} is not an enumeration with {shown(name)}")
        return found[name]

    def _object(self, node: dict[str, Any]) -> Any:
        name = node["class"]
        cls = self._named_class(name)
        is_enumeration = issubclass(cls, Enum)
        if is_enumeration or not isinstance(node["state"], dict):
            raise ModelFileError(f"{name} is in the tree as an object that it cannot be")
        self._account.take(OBJECT)
        is_vouched = self._registry.is_vouched(cls)
        self._n_around += 1
        self._show(self._n_around)
        state = {}
        for key, item in node["state"].items():
            _check_attribute(name, cls, key, is_vouched=is_vouched)
            self._has_mask, n_shown = False, self._n_shown
            is_hidden = key not in parameters_of(cls)
            self._n_hiding += is_hidden
            state[key] = self.decode(item)
            self._n_hiding -= is_hidden
            self._n_shown = n_shown if is_hidden else self._n_shown
            if self._has_mask and key != _MASKED_IN and not is_vouched:
                raise ModelFileError(f"{name}.{key} is a masked array, which only a search keeps")
        self._n_around -= 1
        refused = refused_in_attributes(name, state, self._registry.is_vouched)
        if refused is not None:
            raise _writes(refused)
        state = portable_state(cls, state)
        if name.startswith("quire."):
            state = {**_new_parameters(cls), **state}
        blueprint = Blueprint(cls, state, name)
        try:
            check_blueprint(blueprint)
        except ModelFileError:
            raise
        except ValueError as error:
            raise ModelFileError(f"{name}: {error}") from error
        self._has_blueprint, self._has_mask = True, False
        return blueprint


class _Shared:
    """A complete value that other nodes may refer to."""

    def __init__(
        self, value: Any, n_values: int, n_shown: int, has_blueprint: bool, has_mask: bool
    ) -> None:
        self.value = value
        self.n_values = n_values  # in it, and itself
        self.n_shown = n_shown
        self.has_blueprint = has_blueprint
        self.has_mask = has_mask


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


def _not_allowed(what: str, name: str) -> ModelFileError:
    return ModelFileError(
        f"the {what} {shown(name)[1:-1]} is not on the list of those that quire loads. If you "
        "wrote it and trust the file, pass it: "
        f"quire.load(path, trusted=[{shown(name.rpartition('.')[2])[1:-1]}]); "
        "if it is of a newer version of quire or scikit-learn, upgrade"
    )


def _writes(argument: str) -> ModelFileError:
    return ModelFileError(
        f"the tree gives the argument {shown(argument)[1:-1]} to a function, by which it could "
        "change the model"
    )


def _check_keys(keys: list[Any], account: Account) -> None:
    """Count what a collection takes, and refuse one that takes a square of the time to make."""
    account.take(ENTRY * len(keys))
    if len(keys) > _MOST_COLLIDING and not set(map(type, keys)) <= {str, float}:
        if max(Counter(map(hash, keys)).values()) > _MOST_COLLIDING:
            raise ModelFileError("the tree has too many keys with one hash")


@cache
def _new_parameters(cls: type) -> dict[str, Any]:
    """Return the defaults of the parameters of an estimator: a file may be older than some."""
    if not is_estimator(cls):
        return {}
    parameters = inspect.signature(cls).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


@cache
def _stated(cls: type) -> frozenset[str]:
    """Return the attributes whose defaults a class may state: its parameters and fields."""
    try:
        parameters = set(inspect.signature(cls).parameters)
    except (TypeError, ValueError):
        parameters = set()
    return frozenset(parameters | set(getattr(cls, "__dataclass_fields__", ())))


def _check_attribute(name: str, cls: type, key: str, *, is_vouched: bool) -> None:
    """Refuse attributes that would stand in for what the class itself says."""
    if not key.isidentifier() or (key.startswith("__") and key.endswith("__")):
        raise ModelFileError(f"{name} cannot have an attribute {shown(key)[1:-1]}")
    of_class = inspect.getattr_static(cls, key, _NOTHING)
    if of_class is _NOTHING or hasattr(type(of_class), "__set__"):  # a property is asked first
        return
    if isinstance(of_class, cached_property):  # made once, and an attribute from then on
        return
    if inspect.isroutine(of_class):
        raise ModelFileError(f"{key} is a method of {name}, not an attribute")
    if not is_vouched and key not in _stated(cls):
        raise ModelFileError(f"{key} is stated by the class {name} and is not an attribute")


_NOTHING = object()
