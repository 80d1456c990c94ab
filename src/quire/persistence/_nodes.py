"""The grammar of the tree in a model file: which kinds of nodes there are, and what each holds."""

from __future__ import annotations

from typing import Any

from quire.exceptions import ModelFileError

__all__ = [
    "DEEPEST",
    "MOST_REPEATED",
    "MOST_SHOWN",
    "checked_kind",
    "checked_name",
    "checked_shape",
    "shown",
]

DEEPEST = 100  # nodes within one another; a model of models has a dozen
MOST_REPEATED = 250_000  # values that stand in a model more than once because they are shared
# Objects that the text of a model shows: its parameters, and theirs. One that is inside of another
# counts as often as the text is tried at another width, once for each that is around it.
MOST_SHOWN = 20_000
_VALUES = frozenset({"dtype", "shape", "order", "base64"})  # of an array that stands in the tree
_KEYS: dict[str, frozenset[str]] = {
    kind: frozenset(keys.split())
    for kind, keys in {
        "array": "member",
        "bunch": "keys values",
        "bytearray": "base64",
        "bytes": "base64",
        "class": "name",
        "complex": "text",
        "date": "text",
        "datetime": "text",
        "dict": "keys values",
        "dtype": "text",
        "ellipsis": "",
        "enum": "class name",
        "float": "text",
        "frozenset": "items",
        "function": "name",
        "int": "hex",
        "list": "items",
        "masked": "data mask fill",
        "numbers": "member",
        "object": "class state",
        "objects": "shape items",
        "ordered_dict": "keys values",
        "partial": "func args keywords",
        "random": "kind state",
        "range": "parts",
        "ref": "id",
        "requests": "methods",
        "scalar": "member",
        "set": "items",
        "slice": "parts",
        "sparse": "kind shape parts",
        "strings": "text lengths",
        "tuple": "items",
        "type": "name",
    }.items()
}
_COMMON = frozenset({"t", "id"})
_LONGEST_SHOWN = 100


def checked_kind(node: dict[str, Any]) -> str:
    """Return the kind of a node, if it has the keys of its kind and no others.

    Parameters
    ----------
    node : dict
        From a file.

    Returns
    -------
    str
        What stands under ``"t"``.
    """
    kind = node.get("t")
    if not isinstance(kind, str) or kind not in _KEYS:
        raise ModelFileError(f"the tree has a node of an unknown kind, {shown(kind)}")
    keys = node.keys() - _COMMON if kind != "ref" else node.keys() - {"t"}
    if keys != _KEYS[kind] and not (kind in ("array", "scalar") and keys == _VALUES):
        raise ModelFileError(f"the tree has a node of the kind {kind!r} with {shown(sorted(keys))}")
    if "id" in node and (type(node["id"]) is not int or node["id"] < 0):
        raise ModelFileError(f"the tree has a node with the number {shown(node['id'])}")
    return kind


def checked_name(value: Any) -> str:
    """Return a text of a node that has to be one.

    Parameters
    ----------
    value : object
        From a file.

    Returns
    -------
    str
        The same.
    """
    if not isinstance(value, str):
        raise ModelFileError(f"the tree has {shown(value)} where a name belongs")
    return value


def checked_shape(value: Any) -> tuple[int, ...]:
    """Return a shape of a node.

    Parameters
    ----------
    value : object
        From a file.

    Returns
    -------
    tuple of int
        None negative.
    """
    if not isinstance(value, list) or not all(type(n) is int and 0 <= n < 1 << 63 for n in value):
        raise ModelFileError(f"{shown(value)} is not the shape of an array")
    return tuple(value)


def shown(value: Any) -> str:
    """Return something of a file as part of a message: on one line, and short.

    Parameters
    ----------
    value : object
        From a file.

    Returns
    -------
    str
        As Python would write it, without its end if it is long.
    """
    if isinstance(value, str | list | tuple):
        value = value[:_LONGEST_SHOWN]
    text = (
        ascii(value) if isinstance(value, str | int | float | list | None) else type(value).__name__
    )
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
