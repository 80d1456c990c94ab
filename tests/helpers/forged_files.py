"""Model files that were forged: opened, changed, and written again with right checksums.

``rebuilt(file, change)`` is for one change that a test has in mind,
``random_forgery(content, rng)`` for many that nobody has.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from quire.persistence._encode import Encoder
from quire.persistence._registry import Registry

TREE = "model.json"
MANIFEST = "manifest.json"


@dataclass
class Parts:
    """What a model file is made of.

    Attributes
    ----------
    tree : object
        What ``model.json`` holds.
    arrays : dict
        Name of a member to its array, or to bytes that are written as they are.
    manifest : dict
        Without sizes and checksums, which are made when the file is written.
    compressed : set of str
        Members to compress.
    """

    tree: Any
    arrays: dict[str, Any]
    manifest: dict[str, Any]
    compressed: set[str] = field(default_factory=set)

    def add(self, array: Any) -> str:
        """Add an array, or bytes, as a member; return its name."""
        names = (f"arrays/{i}.npy" for i in range(len(self.arrays) + 1))
        name = next(name for name in names if name not in self.arrays)
        self.arrays[name] = array
        return name

    def node(self, value: Any) -> Any:
        """Return the node of a value, with its arrays among the members."""
        encoder = Encoder(Registry(), compact=True)
        node = encoder.encode(value)
        names = {name: self.add(array) for name, array in encoder.arrays.items()}
        return _renamed(node, names)


def _renamed(node: Any, names: dict[str, str]) -> Any:
    if isinstance(node, dict):
        return {key: _renamed(value, names) for key, value in node.items()}
    if isinstance(node, list):
        return [_renamed(value, names) for value in node]
    return names.get(node, node) if isinstance(node, str) else node


def parts_of(source: Path | str | bytes) -> Parts:
    """Open a model file."""
    content = source if isinstance(source, bytes) else Path(source).read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        manifest = json.loads(archive.read(MANIFEST))
        members = {name: archive.read(name) for name in manifest["members"]}
        compressed = {info.filename for info in archive.infolist() if info.compress_type}
    tree = json.loads(members.pop(TREE))
    arrays: dict[str, Any] = {name: np.load(io.BytesIO(raw)) for name, raw in members.items()}
    del manifest["members"]
    return Parts(tree, arrays, manifest, compressed)


def _raw(payload: Any) -> bytes:
    if isinstance(payload, bytes):
        return payload
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asanyarray(payload), version=(1, 0))
    return file.getvalue()


def content_of(parts: Parts) -> bytes:
    """Return a file of these parts whose sizes and checksums are right."""
    members = {TREE: json.dumps(parts.tree).encode("ascii")}
    members |= {name: _raw(payload) for name, payload in parts.arrays.items()}
    receipts = {
        name: {"size": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
        for name, raw in members.items()
    }
    manifest = json.dumps({**parts.manifest, "members": receipts}).encode("ascii")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", b"application/x-quire-model")
        for name, raw in (*members.items(), (MANIFEST, manifest)):
            how = zipfile.ZIP_DEFLATED if name in parts.compressed else zipfile.ZIP_STORED
            archive.writestr(name, raw, compress_type=how)
        digest = hashlib.sha256(manifest).hexdigest()
        archive.comment = f"quire model, manifest sha256 {digest}".encode("ascii")
    return file.getvalue()


def rebuilt(source: Path | str | bytes, change: Callable[[Parts], Any]) -> bytes:
    """Return a model file after a change, with right checksums.

    Parameters
    ----------
    source : path or bytes
        A model file. A file on disk is not changed.
    change : callable
        Changes the :class:`Parts` that it is given.

    Returns
    -------
    bytes
        What the forged file holds.
    """
    parts = parts_of(source)
    change(parts)
    return content_of(parts)


def state_of(node: Any, *path: str | int) -> dict[str, Any]:
    """Return the state of an object in a tree: ``state_of(tree, "_vocabulary", "terms")``."""
    for step in path:
        node = node["state"][step] if isinstance(step, str) else node["items"][step]
    state: dict[str, Any] = node["state"]
    return state


# Forged at random -------------------------------------------------------------------------------

_INTEGERS = (-(2**63), -(2**31) - 1, -100, -2, -1, 0, 1, 2, 3, 7, 255, 256, 65_536, 2**31 - 1,
             2**31, 2**32, 10**9, 2**40, 2**62, 2**63 - 1, 2**63, 2**64, 10**30)  # fmt: skip
_FLOATS = ("nan", "inf", "-inf", "0.0", "-0.0", "1e308", "-1e308", "5e-324", "1e-300", "-1.0")
_TEXTS = ("", "a", "auto", "l1", "word", "char", "(?u)(a+)+$", "\x00", "\udc80", "x" * 5000,
          "../../etc/passwd", "/dev/zero", "quire.io.read_corpus", "numpy.float64")  # fmt: skip
_DTYPES = ("<f8", "<f4", "<f2", "<i8", "<i4", "<i2", "<i1", "<u8", "<u4", "<u1", "?", ">f8", ">i4",
           "<c16", "<U3", "S3", "<M8[D]", "<m8[s]", "<f16", "V3", "<U0")  # fmt: skip
_NAMES = ("numpy.log1p", "numpy.fromfile", "builtins.len", "builtins.eval", "builtins.str.lower",
          "sklearn.metrics.accuracy_score", "scipy.special.expit", "os.system",
          "sklearn.feature_extraction.text.strip_accents_unicode")  # fmt: skip


def _chosen(rng: np.random.Generator, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Return every place of a tree, as the container and the key in it."""
    places: list[tuple[Any, Any]] = []
    left = [tree]
    while left:
        node = left.pop()
        pairs: Iterator[tuple[Any, Any]] = iter(())
        if isinstance(node, dict):
            pairs = iter(list(node.items()))
        elif isinstance(node, list):
            pairs = iter(list(enumerate(node)))
        for key, value in pairs:
            places.append((node, key))
            left.append(value)
    return places


def _nodes(tree: Any, *kinds: str) -> list[dict[str, Any]]:
    whole = [tree, *(container[key] for container, key in _places(tree))]
    nodes = [node for node in whole if isinstance(node, dict) and "t" in node]
    return [node for node in nodes if not kinds or str(node["t"]) in kinds]


def _classes(parts: Parts) -> list[str]:
    names = {str(node.get("class")) for node in _nodes(parts.tree, "object")}
    return sorted(names) or ["sklearn.pipeline.Pipeline"]


def _nested(depth: int, kind: str) -> Any:
    node: Any = 0
    for _ in range(depth):
        node = {"t": kind, "items": [node]}
    return node


def _laughs(depth: int, width: int) -> Any:
    """Return lists of one another: as many values as ``width ** depth`` to whoever shows them."""
    node: Any = {"t": "list", "id": 10_000, "items": ["ha"]}
    for i in range(1, depth):
        others = [{"t": "ref", "id": 9_999 + i} for _ in range(width - 1)]
        node = {"t": "list", "id": 10_000 + i, "items": [node, *others]}
    return node


def _array_node(array: Any) -> dict[str, Any]:
    array = np.asarray(array)
    data = base64.b64encode(array.tobytes()).decode("ascii")
    shape = list(array.shape)
    return {"t": "array", "dtype": array.dtype.str, "shape": shape, "order": "C", "base64": data}


def _number_node(rng: np.random.Generator) -> Any:
    if rng.random() < 0.5:
        value = _chosen(rng, _INTEGERS)
        return value if abs(value) < 2**53 else {"t": "int", "hex": hex(value)}
    number = float(_chosen(rng, _FLOATS))
    return number if np.isfinite(number) else {"t": "float", "text": str(number)}


def _new_node(parts: Parts, rng: np.random.Generator) -> Any:
    """Return a node of some kind that a file may hold, sound or not."""
    big = int(_chosen(rng, _INTEGERS))
    small = int(rng.integers(0, 6))
    plain = _array_node(rng.integers(-3, 9, small).astype(_chosen(rng, ("<i8", "<i4", "<f8"))))
    makers: tuple[Callable[[], Any], ...] = (
        lambda: None,
        lambda: bool(rng.random() < 0.5),
        lambda: _number_node(rng),
        lambda: _chosen(rng, _TEXTS),
        lambda: plain,
        lambda: _array_node(rng.normal(size=(small, int(rng.integers(0, 5))))),
        lambda: _array_node(np.zeros((small, 1), dtype=_chosen(rng, _DTYPES))),
        lambda: _array_node(np.array(["a", "bb", "c"][:small])),
        lambda: {**plain, "shape": [big]},
        lambda: {**plain, "shape": [0, big, big], "base64": ""},
        lambda: {**plain, "dtype": _chosen(rng, (*_DTYPES, "O", "i4,f8", "<U99999999", "")) },
        lambda: {"t": "masked", "data": plain, "mask": _array_node(np.ones(small, bool)),
                 "fill": _number_node(rng)},
        lambda: {"t": "objects", "shape": [small], "items": [_number_node(rng)] * small},
        lambda: {"t": "objects", "shape": [big], "items": []},
        lambda: {"t": "scalar", **{key: value for key, value in plain.items() if key != "t"}},
        lambda: {"t": _chosen(rng, ("list", "tuple", "set", "frozenset")),
                 "items": [_number_node(rng) for _ in range(small)]},
        lambda: {"t": "dict", "keys": ["a", "b"], "values": [_number_node(rng), "x"]},
        lambda: {"t": "sparse", "kind": _chosen(rng, ("csr_array", "csc_matrix", "bsr_array")),
                 "shape": [_chosen(rng, (2, big)), _chosen(rng, (3, big))], "parts": {
                     "data": _array_node(np.ones(2)),
                     "indices": _array_node(np.array([0, _chosen(rng, (2, 9, -1))], "i4")),
                     "indptr": _array_node(np.array([0, 1, _chosen(rng, (2, 9, -1))], "i4"))}},
        lambda: {"t": "sparse", "kind": _chosen(rng, ("coo_array", "dok_array", "lil_matrix")),
                 "shape": [2, big], "parts": {"data": _array_node(np.ones(1)), "coords": {
                     "t": "tuple", "items": [_array_node(np.array([0])),
                                             _array_node(np.array([_chosen(rng, (1, -1, 8))]))]}}},
        lambda: {"t": "sparse", "kind": "dia_array", "shape": [big, big], "parts": {
            "data": _array_node(np.ones((1, 2))), "offsets": _array_node(np.array([big % 9]))}},
        lambda: {"t": "function", "name": _chosen(rng, _NAMES)},
        lambda: {"t": "partial", "func": {"t": "function", "name": _chosen(rng, _NAMES)},
                 "args": {"t": "tuple", "items": [_number_node(rng)]},
                 "keywords": {"t": "dict", "keys": ["out"], "values": [plain]}},
        lambda: {"t": "class", "name": _chosen(rng, _classes(parts))},
        lambda: {"t": "object", "class": _chosen(rng, _classes(parts)),
                 "state": {}},
        lambda: {"t": "ref", "id": small},
        lambda: {"t": "int", "hex": "0x" + "f" * int(rng.integers(1, 20_000))},
        lambda: {"t": "range", "parts": [0, big, 1]},
        lambda: {"t": "slice", "parts": [None, big, None]},
        lambda: {"t": "bytes", "base64": "AAAA" * small},
        lambda: {"t": "dtype", "text": _chosen(rng, (*_DTYPES, "O"))},
        lambda: {"t": "type", "name": _chosen(rng, ("numpy.float32", "builtins.str", "os.system"))},
        lambda: {"t": _chosen(rng, ("unknown", "", 7, None))},
        lambda: {"t": "date", "text": "2024-02-30"},
        lambda: {"t": "list", "items": {"t": "numbers", "member": parts.add(np.arange(70))}},
        lambda: {"t": "list", "items": {"t": "strings",
                 "text": parts.add(np.frombuffer(b"abc", "u1")),
                 "lengths": parts.add(np.array([1, _chosen(rng, (2, 3, -1, 200))]))}},
        lambda: _nested(int(_chosen(rng, (3, 60, 250))), "list"),
        lambda: _laughs(int(_chosen(rng, (3, 12, 40))), int(_chosen(rng, (2, 9)))),
        lambda: {"t": "random", "kind": _chosen(rng, ("RandomState", "Generator")), "state": {
            "t": "dict", "keys": ["bit_generator", "state"], "values": ["MT19937", {
                "t": "dict", "keys": ["key", "pos"], "values": [
                    _array_node(np.zeros(624, "u4")), _number_node(rng)]}]}},
    )  # fmt: skip
    return _chosen(rng, makers)()


def _changed_array(array: np.ndarray, rng: np.random.Generator) -> Any:
    """Return an array that is almost the one given."""
    array = array.copy()
    choice = int(rng.integers(10))
    if choice == 0:
        return array[: int(rng.integers(0, len(array) + 1))] if array.ndim else array
    if choice == 1:
        return np.concatenate([array, array[:1]]) if array.ndim else array
    if choice == 2:
        return array.T if array.ndim > 1 else array[:, None] if array.ndim else array
    if choice == 3:
        with np.errstate(all="ignore"):
            try:
                return array.astype(_chosen(rng, _DTYPES))
            except (TypeError, ValueError):
                return array
    if choice == 4:
        return array.ravel() if array.ndim > 1 else array[None]
    if choice == 5 and array.ndim > 1:
        return array[:, :0] if rng.random() < 0.5 else array[:, ::-1].copy()
    if choice == 6 and array.ndim:
        return rng.permutation(array)
    if array.size and array.dtype.kind in "iufb":
        at = rng.integers(array.size, size=int(rng.integers(1, 4)))
        if array.dtype.kind == "f":
            array.reshape(-1)[at] = float(_chosen(rng, _FLOATS))
        elif array.dtype.kind == "b":
            array.reshape(-1)[at] ^= True
        else:
            limits = np.iinfo(array.dtype)
            value = int(_chosen(rng, (*_INTEGERS, array.size, len(array.reshape(-1)) - 1)))
            array.reshape(-1)[at] = min(max(value, limits.min), limits.max)
    return array


def _change_array(parts: Parts, rng: np.random.Generator) -> None:
    inline = [node for node in _nodes(parts.tree, "array", "scalar") if "base64" in node]
    members = [name for name, array in parts.arrays.items() if isinstance(array, np.ndarray)]
    at = int(rng.integers(len(inline) + len(members))) if inline or members else -1
    if at >= len(inline):
        name = members[at - len(inline)]
        parts.arrays[name] = _changed_array(parts.arrays[name], rng)
    elif at >= 0:
        node = inline[at]
        try:
            raw = base64.b64decode(node["base64"])
            array = np.frombuffer(raw, dtype=node["dtype"]).reshape(node["shape"])
        except (TypeError, ValueError):
            return
        node.update({**_array_node(_changed_array(array, rng)), "t": node["t"]})


def _change_number(parts: Parts, rng: np.random.Generator) -> None:
    places = [
        (container, key)
        for container, key in _places(parts.tree)
        if isinstance(container[key], int | float) and not isinstance(container[key], bool)
    ]
    if places:
        container, key = _chosen(rng, places)
        container[key] = _number_node(rng)


def _replace(parts: Parts, rng: np.random.Generator) -> None:
    places = _places(parts.tree)
    if places:
        container, key = _chosen(rng, places)
        container[key] = _new_node(parts, rng)


def _replace_attribute(parts: Parts, rng: np.random.Generator) -> None:
    objects = [node for node in _nodes(parts.tree, "object") if node.get("state")]
    if objects:
        state = _chosen(rng, objects)["state"]
        state[_chosen(rng, list(state))] = _new_node(parts, rng)


def _copied(node: Any) -> Any:
    return json.loads(json.dumps(node))


def _swap(parts: Parts, rng: np.random.Generator) -> None:
    objects = [node for node in _nodes(parts.tree, "object") if node.get("state")]
    if objects:
        one, other = _chosen(rng, objects)["state"], _chosen(rng, objects)["state"]
        name, another = _chosen(rng, list(one)), _chosen(rng, list(other))
        one[name], other[another] = _copied(other[another]), _copied(one[name])


def _mask(parts: Parts, rng: np.random.Generator) -> None:
    """Hide an array behind a mask, in place of itself."""
    arrays = _nodes(parts.tree, "array")
    if arrays:
        node = _chosen(rng, arrays)
        data = {key: value for key, value in node.items() if key != "id"}
        mask = parts.node(np.ones(node.get("shape", [1]), dtype=bool)) if "shape" in node else data
        node.clear()
        node.update({"t": "masked", "data": data, "mask": mask, "fill": 0})


def _drop_or_add(parts: Parts, rng: np.random.Generator) -> None:
    objects = [node for node in _nodes(parts.tree, "object") if isinstance(node.get("state"), dict)]
    if objects:
        state = _chosen(rng, objects)["state"]
        if state and rng.random() < 0.6:
            del state[_chosen(rng, list(state))]
        else:
            names = (
                "_is_checked",
                "memory",
                "n_jobs",
                "predict",
                "__class__",
                "extra_",
                "classes_",
            )
            state[_chosen(rng, names)] = _new_node(parts, rng)


def _change_name(parts: Parts, rng: np.random.Generator) -> None:
    named = [node for node in _nodes(parts.tree) if "class" in node or "name" in node]
    if named:
        node = _chosen(rng, named)
        names = [*_classes(parts), *_NAMES, "sklearn.cluster.OPTICS",
                 "sklearn.neighbors.KDTree", "sklearn.svm.SVC", "quire.cli.main"]  # fmt: skip
        node["class" if "class" in node else "name"] = _chosen(rng, names)


def _refer(parts: Parts, rng: np.random.Generator) -> None:
    """Put one node in the place of another by reference, also into itself."""
    nodes = [node for node in _nodes(parts.tree) if node["t"] != "ref"]
    places = _places(parts.tree)
    if nodes and places:
        node = _chosen(rng, nodes)
        node.setdefault("id", 20_000)
        container, key = _chosen(rng, places)
        container[key] = {"t": "ref", "id": node["id"]}


def _change_manifest(parts: Parts, rng: np.random.Generator) -> None:
    key = _chosen(rng, [*parts.manifest])
    values = (None, -1, 10**9, "x", [], ["a", "b"], {}, {"a": 1}, 1.5, True, [[[]]])
    if rng.random() < 0.1:
        del parts.manifest[key]
    else:
        parts.manifest[key] = copy.deepcopy(_chosen(rng, values))


def _change_header(parts: Parts, rng: np.random.Generator) -> None:
    """Let the header of an array promise something else than what follows it."""
    if parts.arrays:
        name = _chosen(rng, list(parts.arrays))
        shapes = (10**12,), (0, 10**12), (-1,), (), (2**40, 2**40), (3,)
        types = (*_DTYPES, "|O", [("a", "<f8")])
        header = {
            "descr": _chosen(rng, types),
            "fortran_order": False,
            "shape": _chosen(rng, shapes),
        }
        file = io.BytesIO()
        np.lib.format.write_array_header_1_0(file, header)
        parts.arrays[name] = file.getvalue() + bytes(int(rng.integers(0, 30)))


def _bomb(parts: Parts, rng: np.random.Generator) -> None:
    """Put in an array of nothing but zeros that takes far less room in the file."""
    zeros = np.zeros(int(_chosen(rng, (10_000, 1_000_000))), _chosen(rng, ("<i8", "u1", "?")))
    name = parts.add(zeros)
    parts.compressed.add(name)
    node = {"t": "array", "member": name}
    if rng.random() < 0.6:
        node = {"t": "list", "items": {"t": "numbers", "member": name}}
    places = _places(parts.tree)
    if places:
        container, key = _chosen(rng, places)
        container[key] = node


def _many_nodes(parts: Parts, rng: np.random.Generator) -> None:
    """Put in the same small node many times, which takes next to no room in the file."""
    empty = {"t": "object", "class": _chosen(rng, _classes(parts)), "state": {}}
    lists = {"t": "list", "items": []}, {"t": "set", "items": []}
    nodes: tuple[Any, ...] = (0, [], "", {"t": "ellipsis"}, *lists, empty)
    n = int(_chosen(rng, (300, 3_000, 30_000)))
    places = _places(parts.tree)
    if places:
        container, key = _chosen(rng, places)
        items = [copy.copy(node) for node in [_chosen(rng, nodes)] * n]
        container[key] = {"t": _chosen(rng, ("list", "tuple")), "items": items}
    parts.compressed.add(TREE)


_MUTATIONS: tuple[Callable[[Parts, np.random.Generator], None], ...] = (
    _change_array, _change_array, _change_array, _change_array, _change_number, _change_number,
    _replace, _replace_attribute, _replace_attribute, _swap, _swap, _mask, _drop_or_add,
    _change_name, _refer, _change_manifest, _change_header, _bomb, _many_nodes,
)  # fmt: skip


def settled(parts: Parts) -> None:
    """Let the rest of the file say what its tree says: its classes, and each array once."""
    named: list[dict[str, Any]] = []
    keys = ("member", "text", "lengths")
    for node in _nodes(parts.tree, "array", "scalar", "numbers", "strings"):
        named += [
            node for key in keys if isinstance(node.get(key), str) and node[key] in parts.arrays
        ]
    taken: set[str] = set()
    seen: set[tuple[int, str]] = set()
    for node in named:
        for key in keys:
            name = node.get(key)
            if not isinstance(name, str) or name not in parts.arrays or (id(node), key) in seen:
                continue
            seen.add((id(node), key))
            if name in taken:
                node[key] = parts.add(parts.arrays[name])
                parts.compressed |= {node[key]} if name in parts.compressed else set()
            taken.add(node[key])
    parts.arrays = {name: array for name, array in parts.arrays.items() if name in taken}
    classes = list(dict.fromkeys(_classes_in_order(parts.tree)))
    parts.manifest["parts"] = classes
    if classes:
        parts.manifest["model"] = classes[0]


def _classes_in_order(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _classes_in_order(item)
    elif isinstance(node, dict):
        if node.get("t") in ("object", "enum") and isinstance(node.get("class"), str):
            yield node["class"]
        order = {"keys": -2, "values": -1}  # as they are read
        for key in sorted(node, key=lambda key: order.get(key, 0)):
            yield from _classes_in_order(node[key])


def random_forgery(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a model file with one to three changes of its structure and right checksums.

    Parameters
    ----------
    content : bytes
        A sound model file.
    rng : Generator
        The same generator makes the same file.

    Returns
    -------
    bytes
        A file that may be refused, or be a model; nothing else may come of it.
    """
    parts = parts_of(content)
    odd = (AttributeError, KeyError, MemoryError, OverflowError, RecursionError, TypeError,
           ValueError)  # fmt: skip
    for _ in range(int(rng.integers(1, 4))):
        with suppress(*odd), np.errstate(all="ignore"):  # of what the last one left
            _chosen(rng, _MUTATIONS)(parts, rng)
    if rng.random() < 0.9:
        with suppress(*odd):
            settled(parts)
            parts.manifest |= {"labels": [], "n_features": None} if rng.random() < 0.5 else {}
    return content_of(parts)
