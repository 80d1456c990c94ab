"""Corrupt and odd arrays: into every native entry point, and into every exported estimator.

A call may refuse what it is given, or answer. An input is a recipe: which call, a seed for its
arguments, and what is spoiled.
"""

from __future__ import annotations

import json
import warnings
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from scipy import sparse

from fuzz.seeds import COUNTS, LABELS, exported, fitted
from fuzz.target import Finding, Target

__all__ = ["Arrays"]

# What an array may hold, and what an argument may be. Sizes that memory could hold are no mistake:
# who asks for so much gets it, or a MemoryError.
_INTEGERS = [-(2**63), -(2**31), -2, -1, 0, 1, 3, 255, 2**31 - 1, 2**31, 2**40, 2**63 - 1]
_SIZES = [-(2**63), -(2**31), -2, -1, 0, 1, 3, 255, 2**62, 2**63 - 1]
_THREADS = [-(2**31), -1, 0, 5, 2**31 - 1, 2**40]
_FLOATS = [np.nan, np.inf, -np.inf, -0.0, 1e308, -1e308, 5e-324, -1.0, 1e300]
_DTYPES = ["f4", "f8", "i4", "i8", "u8", "i1", "?", ">f8", ">i4", "c16", "f2", "O", "U3"]
# Numbers of rounds and of rows to make: an honest loop as long as it is asked for.
_HONEST = ("max_iter", "n_iter", "n_sweeps", "spin_ms", "n_parts", "n_loops", "n_rounds", "n",
           "n_features", "max_passes", "max_steps", "n_epochs", "n_passes", "n_burn", "sweep",
           "n_particles", "n_samples", "max_products")  # fmt: skip
_METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples",
            "kneighbors", "apply", "decision_path", "evidence", "fit", "fit", "fit_transform",
            "partial_fit", "fit_predict", "inverse_transform")  # fmt: skip


def _spoiled_array(rng: np.random.Generator, array: np.ndarray) -> Any:
    """Return an array that is almost the one given."""
    array = np.array(array)
    kind = int(rng.integers(11))
    if kind == 0 and array.ndim:
        return array[: int(rng.integers(0, len(array) + 1))]
    if kind == 1 and array.ndim and len(array):
        return np.concatenate([array, array[:1], array])
    if kind == 2:
        with np.errstate(all="ignore"), suppress(ValueError):  # a text that is no number stays one
            return array.astype(str(rng.choice(_DTYPES)))
        return array
    if kind == 3:
        return array[..., None] if rng.random() < 0.5 else array.ravel()
    if kind == 4 and array.ndim:  # not contiguous
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if kind == 5 and not array.dtype.hasobject:  # not aligned
        raw = np.zeros(array.nbytes + 1, np.uint8)
        raw[1:] = np.frombuffer(array.tobytes(), np.uint8)
        return raw[1:].view(array.dtype).reshape(array.shape) if array.size else array
    if kind == 6:
        return np.ma.masked_array(array, rng.random(array.shape) < 0.5)
    if kind == 7:
        array.flags.writeable = False
        return array
    if array.size:
        flat = array.reshape(-1)
        at = rng.integers(array.size, size=int(rng.integers(1, 4)))
        if array.dtype.kind == "f":
            flat[at] = rng.choice(_FLOATS)
        elif array.dtype.kind in "iu":
            limits = np.iinfo(array.dtype)
            near = [*_INTEGERS, array.size, array.size + 1, int(flat.max()) + 1]
            flat[at] = min(max(int(near[int(rng.integers(len(near)))]), limits.min), limits.max)
    return array


def _spoiled(rng: np.random.Generator, name: str, value: Any) -> Any:
    """Return an argument that is almost the one given."""
    if isinstance(value, np.ndarray):
        return _spoiled_array(rng, value)
    if isinstance(value, tuple | list) and value:
        parts = list(value)
        at = int(rng.integers(len(parts)))
        parts[at] = _spoiled(rng, name, parts[at])
        return type(value)(parts) if type(value) in (tuple, list) else tuple(parts)
    if isinstance(value, bool) or value is None:
        return [None, True, False, 7, "x"][int(rng.integers(5))]
    if isinstance(value, int | np.integer):
        numbers = _THREADS if name == "n_threads" else _SIZES
        return value if name in _HONEST else numbers[int(rng.integers(len(numbers)))]
    if isinstance(value, float | np.floating):
        return float(rng.choice(_FLOATS))
    if isinstance(value, str):
        return ["", "x", "\x00", "\ud800", "word"][int(rng.integers(5))]
    return value


def _odd_matrix(rng: np.random.Generator, n_columns: int) -> Any:
    """Return a matrix for an estimator, most of them with something that should not be."""
    n_rows = int(rng.choice([0, 1, 2, 12, 40]))
    X = np.resize(COUNTS, (n_rows, n_columns)).copy()
    if rng.random() < 0.1:
        X = X[:, : int(rng.integers(n_columns + 1))]
    kind = int(rng.integers(10))
    if kind == 0:
        return X
    if kind < 4:
        return _spoiled_array(rng, X.astype(str(rng.choice(["f4", "f8", "i4", "i8", "u1"]))))
    cls = getattr(sparse, str(rng.choice(["csr_matrix", "csr_array", "csr_array", "csc_matrix"])))
    matrix = cls(X.astype(str(rng.choice(["f4", "f8", "i8"]))))
    index = str(rng.choice(["i4", "i8"]))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    if kind == 4:  # 64-bit beside 32-bit
        matrix.indptr = matrix.indptr.astype("i8" if index == "i4" else "i4")
    elif kind < 8:
        part = str(rng.choice(["data", "indices", "indptr"]))
        setattr(matrix, part, _spoiled_array(rng, getattr(matrix, part)))
    elif kind == 8 and matrix.nnz:  # unsorted and repeated
        matrix.indices = rng.choice(matrix.indices, matrix.indices.shape)
    if rng.random() < 0.6:  # said to be what it is not
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
    return matrix


class Arrays(Target):
    """Native entry points and estimators with arrays that are not what they should be."""

    unit = "calls"

    def prepare(self, folder: Path) -> None:
        """Fit a model of each class."""
        from tests.helpers.native_calls import entry_points

        self.entry_points = sorted(entry_points())
        self.models = {}
        for cls in exported():
            for reads, model, data in fitted(cls):
                if reads == "matrix":
                    self.models[cls.__name__] = model, data[1]
        self.names = sorted(self.models)

    def make(self, random: Random) -> bytes:
        """Return a recipe."""
        seed = random.getrandbits(40)
        if random.random() < 0.7:
            n_spoiled = random.choice([1, 1, 1, 2, 3])
            recipe = {"entry": random.choice(self.entry_points), "spoil": n_spoiled, "seed": seed}
        else:
            name = random.choice(self.names)
            methods = [m for m in _METHODS if hasattr(self.models[name][0], m)]
            recipe = {"model": name, "method": random.choice(methods), "seed": seed}
        return json.dumps(recipe).encode()

    def check(self, content: bytes) -> int:
        """Make the call; it may refuse."""
        recipe = json.loads(content)
        rng = np.random.default_rng(recipe["seed"])
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if "entry" in recipe:
                self._call_entry(rng, recipe["entry"], recipe["spoil"])
            else:
                self._call_model(rng, recipe["model"], recipe["method"])
        return 1

    def describe(self, content: bytes) -> str:
        """Return the name of the call."""
        recipe = json.loads(content)
        return str(recipe.get("entry") or f"{recipe['model']}.{recipe['method']}")

    def _call_entry(self, rng: np.random.Generator, name: str, n_spoiled: int) -> None:
        from tests.helpers.native_calls import valid_call

        call = valid_call(name, rng)
        arguments = dict(call.kwargs)
        for _ in range(n_spoiled if arguments else 0):
            which = sorted(arguments)[int(rng.integers(len(arguments)))]
            arguments[which] = _spoiled(rng, which, arguments[which])
        try:
            call.function(*call.args, **arguments)
        except (ValueError, TypeError, MemoryError, OverflowError, IndexError, RuntimeError):
            pass  # it refused
        except Exception as error:
            raise Finding(f"{name} raised {type(error).__name__}") from error

    def _call_model(self, rng: np.random.Generator, name: str, method: str) -> None:
        model, y = self.models[name]
        X = _odd_matrix(rng, COUNTS.shape[1])
        rows = X.shape[0] if getattr(X, "ndim", 0) else 0
        try:
            if method in ("fit", "fit_transform", "partial_fit", "fit_predict"):
                model = type(model)(**model.get_params(deep=False))
                target = np.resize(y, (rows, *y.shape[1:]))
                if method == "partial_fit" and y.dtype.kind == "U":
                    model.partial_fit(X, target, classes=np.unique(LABELS))
                else:
                    getattr(model, method)(X, target)
            else:
                getattr(model, method)(X)
        except (MemoryError, np.ma.MaskError):
            pass
        except Exception as error:
            if not isinstance(error, ValueError | TypeError | AttributeError | IndexError
                              | RuntimeError | OverflowError | ArithmeticError):  # fmt: skip
                raise Finding(f"{name}.{method} raised {type(error).__name__}") from error
