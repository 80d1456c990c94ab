"""Values that are numbers or names of numbers: types, generators, strings in arrays.

Each has a function that writes it and one that reads it, side by side.
"""

from __future__ import annotations

import base64
from itertools import accumulate, pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quire.exceptions import ModelFileError

__all__ = [
    "generator_from_state",
    "generator_state",
    "inline_array",
    "inlined_array",
    "pack_strings",
    "plain_node",
    "plain_value",
    "unpack_strings",
]

_TYPES: dict[str, type] = {
    f"builtins.{kind.__name__}": kind
    for kind in (bool, bytes, complex, dict, float, frozenset, int, list, object, set, str, tuple)
} | {f"numpy.{kind.__name__}": kind for kind in np.sctypeDict.values()}
_BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
_MT_WORDS = 624
_PHILOX_WORDS = 4


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
    if isinstance(value, np.dtype) and not value.hasobject and value.names is None:
        return {"t": "dtype", "text": value.str}
    if isinstance(value, type):
        name = f"{value.__module__}.{value.__name__}"
        if _TYPES.get(name) is value:
            return {"t": "type", "name": name}
    if value is Ellipsis:
        return {"t": "ellipsis"}
    return None


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
            return base64.b64decode(node["base64"], validate=True)
        case "bytearray":
            return bytearray(base64.b64decode(node["base64"], validate=True))
        case "complex":
            return complex(*map(float, node["text"]))
        case "slice":
            return slice(*node["parts"])
        case "range":
            return range(*node["parts"])
        case "dtype":
            return plain_dtype(node["text"])
        case "type":
            return _TYPES[node["name"]]
        case "ellipsis":
            return Ellipsis
    raise ModelFileError(f"the tree has a node of an unknown kind, {node['t']!r}")


def plain_dtype(text: Any) -> np.dtype[Any]:
    """Return the type with this name, which must not be one of Python objects.

    Parameters
    ----------
    text : str
        Such as ``"<f8"``.

    Returns
    -------
    dtype
        The type.
    """
    dtype: np.dtype[Any] = np.dtype(str(text))
    if dtype.hasobject or dtype.names is not None:
        raise ModelFileError(f"{text!r} is not the type of a plain array")
    return dtype


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


def inlined_array(node: dict[str, Any]) -> NDArray[Any]:
    """Return the array of a node of :func:`inline_array`.

    Parameters
    ----------
    node : dict
        From a file.

    Returns
    -------
    ndarray
        In memory of its own.
    """
    dtype = plain_dtype(node["dtype"])
    raw = base64.b64decode(node["base64"], validate=True)
    shape = tuple(node["shape"])
    if dtype.itemsize == 0:  # strings without a character
        return np.zeros(shape, dtype=dtype)
    return np.frombuffer(raw, dtype=dtype).reshape(shape, order=node["order"]).copy(order="K")


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


def unpack_strings(text: NDArray[np.uint8], lengths: NDArray[Any]) -> list[str]:
    """Return the strings that :func:`pack_strings` was given.

    Parameters
    ----------
    text, lengths : ndarray
        What it returned.

    Returns
    -------
    list of str
        The strings.
    """
    characters = str(text.astype(np.uint8, copy=False).data, "utf-8", "surrogatepass")
    ends = list(accumulate(lengths.tolist(), initial=0))
    if ends[-1] != len(characters) or (lengths.size and lengths.min() < 0):
        raise ModelFileError("strings and their lengths do not fit")
    return [characters[start:end] for start, end in pairwise(ends)]


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


def generator_from_state(kind: str, state: dict[str, Any]) -> Any:
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
    inner = state if kind == "RandomState" else state["state"]
    name = inner["bit_generator"]
    if name not in _BIT_GENERATORS or kind not in ("RandomState", "Generator"):
        raise ModelFileError(f"{name!r} is not a random generator of NumPy")
    # Places are used as they are, without a check.
    place = inner["state"]["pos"] if name == "MT19937" else inner.get("buffer_pos", 0)
    if not 0 <= place <= (_MT_WORDS if name == "MT19937" else _PHILOX_WORDS):
        raise ModelFileError(f"the state of a random generator has the impossible place {place}")
    if kind == "RandomState":
        legacy = np.random.RandomState(getattr(np.random, name)(0))
        legacy.set_state(inner)
        return legacy
    bits = getattr(np.random, name)(np.random.SeedSequence(**state["seeds"]))
    bits.state = inner
    return np.random.Generator(bits)
