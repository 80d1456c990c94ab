"""What loading may take is bounded by the size of a file, and counted before it is taken."""

import io
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from tests.helpers.forged_files import TREE, rebuilt, settled

import quire
from quire.linear_model import Ridge
from quire.persistence import ModelFileError, _account, read_info
from quire.persistence._account import memory_bound

SMALL = 2 << 20  # in place of what is always allowed, so that the tests are fast
PLAIN = io.BytesIO()
quire.save({"value": None}, PLAIN)


def file_with(make, n):
    """Return a file of a dictionary with a node for `n` things; all that shrinks is compressed."""

    def change(parts):
        parts.tree["values"] = [make(parts, n)]
        parts.compressed |= {TREE, *parts.arrays}
        settled(parts)

    return rebuilt(PLAIN.getvalue(), change)


def nodes(node):
    return lambda parts, n: {"t": "list", "items": [node] * n}


def numbered(kind):
    def make(parts, n):
        items = {"t": "numbers", "member": parts.add(np.arange(n) + 10_000)}
        if kind == "dict":
            return {"t": "dict", "keys": items, "values": [None] * n}
        return {"t": kind, "items": items}

    return make


def texts(text):
    def make(parts, n):
        content = parts.add(np.frombuffer(text.encode() * n, dtype=np.uint8))
        lengths = parts.add(np.full(n, len(text), dtype=np.uint8))
        return {"t": "list", "items": {"t": "strings", "text": content, "lengths": lengths}}

    return make


def arrays(dtype):
    return lambda parts, n: {"t": "array", "member": parts.add(np.zeros(n, dtype=dtype))}


def of_sparse(kind):
    def make(parts, n):
        return parts.node(getattr(sparse, kind)((n, 3), dtype=float))

    return make


def masked(parts, n):
    data = {"t": "array", "member": parts.add(np.zeros(n))}
    mask = {"t": "array", "member": parts.add(np.zeros(n, dtype=bool))}
    return {"t": "masked", "data": data, "mask": mask, "fill": 0}


def wide(parts, n):
    return "\U0001f389" + "a" * n


def no_characters(parts, n):
    return {"t": "array", "dtype": "<U0", "shape": [n], "order": "C", "base64": ""}


def dictionaries(parts, n):
    keys = [f"k{i}" for i in range(n)]
    return {"t": "dict", "keys": keys, "values": [{"t": "dict", "keys": [], "values": []}] * n}


def references(parts, n):
    one = {"t": "list", "items": [], "id": 0}
    return {"t": "list", "items": [one, *[{"t": "ref", "id": 0}] * n]}


MANY = {
    "numbers in the tree": nodes(12345),
    "fractions in the tree": nodes(1.5),
    "texts in the tree": nodes("ab"),
    "wide texts in the tree": nodes("\U0001f389"),
    "one long text": wide,
    "lists": nodes({"t": "list", "items": []}),
    "sets": nodes({"t": "set", "items": [1]}),
    "dictionaries": dictionaries,
    "objects": nodes({"t": "object", "class": "quire.linear_model.Ridge", "state": {}}),
    "bytes": nodes({"t": "bytes", "base64": "AAAA"}),
    "large integers": nodes({"t": "int", "hex": "0x" + "f" * 40}),
    "small arrays": nodes(
        {"t": "array", "dtype": "<f8", "shape": [1], "order": "C", "base64": "AAAAAAAA8D8="}
    ),
    "references": references,
    "a list of numbers": numbered("list"),
    "a set of numbers": numbered("set"),
    "a dictionary of numbers": numbered("dict"),
    "empty texts": texts(""),
    "short texts": texts("ab"),
    "wide texts": texts("\U0001f389"),
    "an array": arrays("f8"),
    "an array of texts": arrays("U3"),
    "rows of lists": of_sparse("lil_array"),
    "rows": of_sparse("csr_array"),
    "texts without characters": no_characters,
    "a masked array": masked,
}


# Of these a file of 48,000 has room for what they take, or they do not take as much as that.
SHRINK_LITTLE = {"a list of numbers", "a set of numbers"}
TAKE_LITTLE = {"one long text", "an array", "an array of texts", "rows", "texts without characters",
               "a masked array", "empty texts"}  # fmt: skip


def peak_of(content):
    """Return whether a file is loaded, and the most memory that this takes."""
    file = io.BytesIO(content)
    tracemalloc.start()
    try:
        quire.load(file)
    except ModelFileError:
        return False, tracemalloc.get_traced_memory()[1]
    else:
        return True, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", MANY)
def test_no_file_takes_more_than_is_stated(name, monkeypatch):
    quire.load(io.BytesIO(file_with(MANY[name], 10)))  # with what is imported for it
    monkeypatch.setattr(_account, "_ALWAYS", SMALL)
    found = []
    for n in (3_000, 12_000, 48_000):
        content = file_with(MANY[name], n)
        is_loaded, peak = peak_of(content)
        assert peak <= memory_bound(len(content))
        found.append(is_loaded)
    assert found == sorted(found, reverse=True)
    assert found[-1] == (name in SHRINK_LITTLE or name in TAKE_LITTLE)


def test_what_is_always_allowed():
    assert memory_bound(0) == 256 << 20
    assert memory_bound(60_000) < 300 << 20
    content = file_with(nodes([[]]), 0)
    assert quire.load(io.BytesIO(content)) == {"value": []}


LIMITED = """
import io, resource, sys
import quire
from quire.linear_model import Ridge
from quire.persistence import ModelFileError
file = io.BytesIO()
quire.save({"a": Ridge(), "b": list(range(100))}, file)
quire.load(file.seek(0) or file)
held = next(int(line.split()[1]) for line in open("/proc/self/status") if line[:6] == "VmData")
limit = (held << 10) + (300 << 20)
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
for path in sys.argv[1:]:
    try:
        quire.load(path)
    except ModelFileError as error:
        print(error)
"""


def zeros(parts, n):
    return {"t": "list", "items": {"t": "numbers", "member": parts.add(np.zeros(n))}}


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
def test_small_files_that_took_gigabytes(tmp_path):
    for name, make, n in (("objects", MANY["objects"], 90_000), ("zeros", zeros, 7_000_000)):
        content = file_with(make, n)
        assert len(content) < 400_000
        (tmp_path / name).write_bytes(content)
    paths = [str(path) for path in sorted(tmp_path.iterdir())]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *paths], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "objects: the model has parameters with more than 20000 objects" in done.stdout
    assert "zeros: the model would take more than" in done.stdout


def test_models_that_shrink_are_written_so_that_they_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(_account, "_ALWAYS", 1 << 20)
    values = [
        ["a"] * 100_000,
        [""] * 100_000,
        [7] * 100_000,
        dict.fromkeys(range(50_000)),
        {f"word{i}": i for i in range(30_000)},
        [[] for _ in range(20_000)],
        [{"a": 1, "b": None} for _ in range(5_000)],
        [Ridge() for _ in range(2_000)],
        sparse.lil_array((50_000, 2)),
        sparse.dok_array(sparse.eye(5_000)),
        np.zeros(3_000_000, dtype=bool),
        set(range(50_000)),
        ["\U0001f389"] * 50_000,
        ["a" * 3000 + "\U0001f389"] * 300,
    ]
    for value in values:
        path = quire.save({"value": value}, tmp_path / "m")
        assert type(quire.load(path)["value"]) is type(value)
    path = quire.save({}, tmp_path / "m", metadata={"a": [{} for _ in range(60_000)]})
    assert len(read_info(path).metadata["a"]) == 60_000
    assert quire.load(path) == {}


def test_ordinary_files_are_compressed(tmp_path):
    path = quire.save({"value": np.zeros(2_000_000)}, tmp_path / "m")
    assert path.stat().st_size < 200_000
    assert quire.load(path)["value"].shape == (2_000_000,)
