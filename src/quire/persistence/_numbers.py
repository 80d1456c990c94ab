"""Values that are numbers or names of numbers: types, generators, strings in arrays.

Each has a function that writes it and one that reads it, side by side.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quire.exceptions import ModelFileError
from quire.persistence._account import NUMBER, Account, memory_of_strings
from quire.persistence._arrays import LARGEST_ITEM, checked_size, checked_values, plain_dtype
from quire.persistence._nodes import checked_shape, shown

__all__ = [
    "generator_from_state",
    "generator_state",
    "inline_array",
    "inlined_array",
    "pack_strings",
    "plain_node",
    "plain_value",
    "unpack_numbers",
    "unpack_strings",
]

_TYPES: dict[str, type] = {
    f"builtins.{kind.__name__}": kind
    for kind in (bool, bytes, complex, dict, float, frozenset, int, list, object, set, str, tuple)
} | {f"numpy.{kind.__name__}": kind for kind in np.sctypeDict.values()}
_BLOCK = 1 << 16
_LARGEST_POOL = 1 << 10  # words of a seed sequence; NumPy's own have 4


def plain_node(value: Any) -> dict[str, Any] | None:
    """Return the node of a small value of Python or NumPy, ``None`` if it is something else.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    dict or None
        The node.
    """
    kind = type(value)
    if kind in (bytes, bytearray):
        return {"t": kind.__name__, "base64": base64.b64encode(value).decode("ascii")}
    if kind is complex:
        return {"t": "complex", "text": [repr(value.real), repr(value.imag)]}
    if kind in (slice, range):
        parts = [value.start, value.stop, value.step]
        if all(part is None or type(part) is int for part in parts):
            return {"t": kind.__name__, "parts": parts}
    if isinstance(value, np.dtype) and _is_plain(value):
        return {"t": "dtype", "text": value.str}
    if isinstance(value, type):
        name = f"{value.__module__}.{value.__name__}"
        if _TYPES.get(name) is value:
            return {"t": "type", "name": name}
    if value is Ellipsis:
        return {"t": "ellipsis"}
    return None


def _is_plain(dtype: np.dtype[Any]) -> bool:
    fields = dtype.hasobject or dtype.names is not None or dtype.subdtype is not None
    return not fields and dtype.itemsize <= LARGEST_ITEM


def plain_value(node: dict[str, Any]) -> Any:
    """Return the value of a node of :func:`plain_node`.

    Parameters
    ----------
    node : dict
        From a file.

    Returns
    -------
    object
        The value.
    """
    match node["t"]:
        case "bytes":
            return _decoded(node["base64"])
        case "bytearray":
            return bytearray(_decoded(node["base64"]))
        case "complex":
            real, imaginary = node["text"]
            return complex(_float(real), _float(imaginary))
        case "slice":
            return slice(*_bounds(node["parts"]))
        case "range":
            return range(*_bounds(node["parts"]))
        case "dtype":
            dtype = plain_dtype(node["text"])
            if not _is_plain(dtype):
                raise ModelFileError(f"values of the type {shown(node['text'])} are too large")
            return dtype
        case "type":
            name = node["name"]
            if not isinstance(name, str) or name not in _TYPES:
                raise ModelFileError(f"{shown(name)} is not the name of a type")
            return _TYPES[name]
    return Ellipsis


def _decoded(text: Any) -> bytes:
    if not isinstance(text, str):
        raise ModelFileError(f"the tree has {shown(text)} where bytes belong")
    return base64.b64decode(text, validate=True)


def _float(text: Any) -> float:
    if not isinstance(text, str):
        raise ModelFileError(f"the tree has {shown(text)} where a number belongs")
    return float(text)


def _bounds(parts: Any) -> list[Any]:
    is_list = isinstance(parts, list) and len(parts) == 3
    if not is_list or not all(part is None or type(part) is int for part in parts):
        raise ModelFileError(f"the tree has {shown(parts)} where three numbers belong")
    return list(parts)


def inline_array(array: NDArray[Any]) -> dict[str, Any]:
    """Return a small array as what JSON can hold.

    Parameters
    ----------
    array : ndarray
        Of numbers, strings or dates.

    Returns
    -------
    dict
        Type, shape, order and values.
    """
    order: Literal["C", "F"] = (
        "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    )
    data = base64.b64encode(array.tobytes(order)).decode("ascii")
    return {"dtype": array.dtype.str, "shape": list(array.shape), "order": order, "base64": data}


def inlined_array(node: dict[str, Any], account: Account) -> NDArray[Any]:
    """Return the array of a node of :func:`inline_array`.

    Parameters
    ----------
    node : dict
        From a file.
    account : Account
        Where its bytes are counted.

    Returns
    -------
    ndarray
        In memory of its own.
    """
    dtype, shape, order = plain_dtype(node["dtype"]), checked_shape(node["shape"]), node["order"]
    if order not in ("C", "F"):
        raise ModelFileError(f"{shown(order)} is not an order of the values of an array")
    raw = _decoded(node["base64"])
    account.take(checked_size(shape, dtype, account.limit))
    if len(raw) != math.prod(shape) * dtype.itemsize:
        raise ModelFileError(f"an array of shape {shown(node['shape'])} has {len(raw)} bytes")
    if dtype.itemsize == 0:  # strings without a character
        return np.zeros(shape, dtype=dtype)
    array = np.frombuffer(raw, dtype=dtype).reshape(shape, order=order).copy(order="K")
    return checked_values(array)


def pack_strings(strings: list[str]) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Return the characters of strings one after the other, and how many each has.

    Parameters
    ----------
    strings : list of str
        Lone surrogates are allowed.

    Returns
    -------
    text : ndarray of uint8
        In UTF-8.
    lengths : ndarray of int
        In characters, not bytes.
    """
    lengths = np.fromiter(map(len, strings), dtype=np.int64, count=len(strings))
    longest = int(lengths.max(initial=0))
    small = np.uint8 if longest < 1 << 8 else np.uint32 if longest < 1 << 32 else np.int64
    encoded = "".join(strings).encode("utf-8", "surrogatepass")
    return np.frombuffer(encoded, dtype=np.uint8), lengths.astype(small)


def unpack_strings(text: NDArray[np.uint8], lengths: NDArray[Any], account: Account) -> list[str]:
    """Return the strings that :func:`pack_strings` was given.

    Parameters
    ----------
    text, lengths : ndarray
        What it returned.
    account : Account
        Where what they take is counted.

    Returns
    -------
    list of str
        The strings.
    """
    if not (text.dtype == "u1" and lengths.dtype.kind in "iu" and text.ndim == lengths.ndim == 1):
        raise ModelFileError("strings are not in arrays of bytes and lengths")
    account.take(memory_of_strings(text, lengths))
    characters = str(text.data, "utf-8", "surrogatepass")
    # A length may be of 64 bits: a sum of lengths that passes them is no sum.
    if lengths.size and not 0 <= lengths.min() <= lengths.max() <= len(characters):
        raise ModelFileError("strings and their lengths do not fit")
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    if ends[-1] != len(characters):
        raise ModelFileError("strings and their lengths do not fit")
    strings: list[str] = []
    for at in range(0, lengths.size, _BLOCK):  # its ends are numbers of Python for a moment
        part = ends[at : at + _BLOCK + 1].tolist()
        strings += [characters[start:end] for start, end in pairwise(part)]
    return strings


def unpack_numbers(numbers: NDArray[Any], account: Account) -> list[Any]:
    """Return the numbers of an array as a list.

    Parameters
    ----------
    numbers : ndarray
        From a file.
    account : Account
        Where what they take is counted.

    Returns
    -------
    list of int or of float
        The numbers.
    """
    if numbers.dtype.kind not in "if" or numbers.dtype.itemsize != 8 or numbers.ndim != 1:
        raise ModelFileError("numbers of a list are not in a list of 64-bit numbers")
    account.take(NUMBER * numbers.size)
    items: list[Any] = numbers.tolist()
    return items


def generator_state(value: np.random.RandomState | np.random.Generator) -> dict[str, Any]:
    """Return all that makes a random generator go on as it would have.

    Parameters
    ----------
    value : RandomState or Generator
        Is not changed.

    Returns
    -------
    dict
        Plain values and arrays.
    """
    if isinstance(value, np.random.RandomState):
        return dict(value.get_state(legacy=False))
    seeds = value.bit_generator.seed_seq
    names = ("entropy", "spawn_key", "pool_size", "n_children_spawned")
    return {"state": value.bit_generator.state, "seeds": {n: getattr(seeds, n) for n in names}}


def generator_from_state(kind: Any, state: Any) -> Any:
    """Return a generator in this state.

    Parameters
    ----------
    kind : {"RandomState", "Generator"}
        Which class.
    state : dict
        From :func:`generator_state`.

    Returns
    -------
    RandomState or Generator
        A new one.
    """
    if kind == "RandomState":
        inner = _checked_bits(state, _LEGACY)
        legacy = np.random.RandomState(getattr(np.random, inner["bit_generator"])(0))
        legacy.set_state(inner)
        return legacy
    if kind != "Generator":
        raise ModelFileError(f"{shown(kind)} is not a random generator of NumPy")
    whole = _checked_state(state, _WHOLE)
    inner = _checked_bits(whole["state"], {})
    seeds = _checked_state(whole["seeds"], _SEEDS)
    bits = getattr(np.random, inner["bit_generator"])(np.random.SeedSequence(**seeds))
    bits.state = inner
    return np.random.Generator(bits)


def _checked_bits(state: Any, more: dict[str, _Check]) -> dict[str, Any]:
    """Return the state of a bit generator: what is compiled uses its numbers as they are."""
    name = state.get("bit_generator") if isinstance(state, dict) else None
    if not isinstance(name, str) or name not in _BITS:
        raise ModelFileError(f"{shown(name)} is not a random generator of NumPy")
    inner, beside = _BITS[name]
    checked = _checked_state(
        state, {"bit_generator": lambda _: True, "state": _is_dict} | beside | more
    )
    _checked_state(checked["state"], inner)
    return checked


def _checked_state(state: Any, checks: dict[str, _Check]) -> dict[str, Any]:
    if type(state) is not dict or state.keys() != checks.keys():
        raise ModelFileError("a random generator has not the state that one has")
    for name, check in checks.items():
        if not check(state[name]):
            raise ModelFileError(f"a random generator has an impossible {name}")
    return state


def _number_to(largest: int) -> _Check:
    return lambda value: type(value) is int and 0 <= value <= largest


def _array_of(n: int, dtype: str) -> _Check:
    return lambda value: type(value) is np.ndarray and value.dtype == dtype and value.shape == (n,)


def _is_dict(value: Any) -> bool:
    return type(value) is dict


def _is_entropy(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_entropy, value))
    if type(value) is np.ndarray:
        return value.dtype.kind == "u" and value.ndim == 1
    return value is None or (type(value) is int and value >= 0)


_Check: TypeAlias = Callable[[Any], bool]
_BUFFER: dict[str, _Check] = {
    "has_uint32": _number_to(1),
    "uinteger": _number_to((1 << 32) - 1),
}
_PCG: dict[str, _Check] = {
    "state": _number_to((1 << 128) - 1),
    "inc": _number_to((1 << 128) - 1),
}
_BITS: dict[str, tuple[dict[str, _Check], dict[str, _Check]]] = {
    "MT19937": ({"key": _array_of(624, "u4"), "pos": _number_to(624)}, {}),
    "PCG64": (_PCG, _BUFFER),
    "PCG64DXSM": (_PCG, _BUFFER),
    "Philox": (
        {"counter": _array_of(4, "u8"), "key": _array_of(2, "u8")},
        {"buffer": _array_of(4, "u8"), "buffer_pos": _number_to(4), **_BUFFER},
    ),
    "SFC64": ({"state": _array_of(4, "u8")}, _BUFFER),
}
_LEGACY: dict[str, _Check] = {
    "has_gauss": _number_to(1),
    "gauss": lambda value: type(value) in (int, float),
}
_WHOLE: dict[str, _Check] = {"state": _is_dict, "seeds": _is_dict}
_SEEDS: dict[str, _Check] = {
    "entropy": _is_entropy,
    "spawn_key": lambda value: isinstance(value, list | tuple) and all(map(_is_entropy, value)),
    "pool_size": _number_to(_LARGEST_POOL),
    "n_children_spawned": _number_to((1 << 32) - 1),
}
