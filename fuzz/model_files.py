"""Forged model files: most with right checksums, some with damaged bytes.

Loading one may refuse it, with a documented error; whatever loads is asked everything that a model
can be asked. Nothing may crash, hang, take more memory than stated or run code.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import joblib
import numpy as np
from scipy import sparse

import quire
from fuzz.mutations import mutated
from fuzz.seeds import COUNTS, DOCUMENTS, LABELS, seed_files
from fuzz.target import Finding, Target
from quire.exceptions import ModelFileError
from quire.persistence._account import memory_bound

__all__ = ["ModelFiles", "watched"]

_CODE = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.", "socket.", "ctypes.",
         "pickle.find_class", "shutil.", "os.remove", "os.rename", "os.mkdir", "os.rmdir",
         "os.symlink", "os.link", "os.truncate", "os.chmod", "webbrowser.", "urllib.")  # fmt: skip
_INSTALLED = tuple({str(Path(p).resolve()) for p in sys.path if p} | {sys.prefix, sys.base_prefix})
_KNOWN = ("quire", "sklearn", "numpy", "scipy", "joblib", "threadpoolctl", "polars", "stop_words")
_MOST_ROWS = 1_000_000
_is_watching = False
_met: list[str] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _is_watching:
        return
    if event == "open":
        path, mode, flags = arguments
        written = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if (isinstance(mode, str) and set(mode) & set("wax+")) or written:
            _met.append(f"open {path!r} for writing")
    elif event == "import":
        name = str(arguments[0])
        if name.partition(".")[0] not in {*_KNOWN, *sys.stdlib_module_names}:
            _met.append(f"import {name}")
    elif event in ("exec", "compile"):
        code = arguments[0] if event == "exec" else arguments[1]
        name = str(getattr(code, "co_filename", code))
        # A tree of syntax, as NumPy makes of the header of an array, is not code yet.
        is_tree = event == "compile" and name == "<unknown>"
        if not is_tree and not name.startswith(
            (*_INSTALLED, "<frozen", "<attrs", "<__array_function__")
        ):
            _met.append(f"{event} {name!r:.200}")
    elif event.startswith(_CODE):
        _met.append(f"{event} {arguments!r:.200}")


@contextmanager
def watched() -> Iterator[list[str]]:
    """Collect what in this block runs code, writes files, starts processes or opens sockets."""
    global _is_watching
    _met.clear()
    _is_watching = True
    try:
        yield _met
    finally:
        _is_watching = False


class ModelFiles(Target):
    """`quire.load`, and every method of what it returns."""

    unit = "files"

    def prepare(self, folder: Path) -> None:
        """Make the sound files, and load them once so that all imports are done."""
        sys.addaudithook(_hook)
        joblib.cpu_count(only_physical_cores=True)  # asks the system, once
        self.path = folder / "model.quire"
        self.files = list(seed_files().values())
        for content in self.files:
            self.path.write_bytes(content)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _ask_everything(quire.load(self.path))

    def make(self, random: Random) -> bytes:
        """Return a file that was sound once."""
        from tests.helpers.forged_files import random_forgery

        content = random.choice(self.files)
        if random.random() < 0.85:
            return random_forgery(content, np.random.default_rng(random.getrandbits(63)))
        return mutated(random, content, [b"PK\x03\x04", b"PK\x01\x02", b'{"t":', b"\x93NUMPY"])

    def check(self, content: bytes) -> int:
        """Load the file; ask the model everything."""
        self.path.write_bytes(content)
        with warnings.catch_warnings(), watched() as met, np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                model = quire.load(self.path)
            except ModelFileError:
                model = None
            if met:
                raise Finding(f"loading did: {met}")
            if model is not None:
                _ask_everything(model)
            if met:
                raise Finding(f"a loaded model did: {met}")
        return 1

    def memory_bound(self, content: bytes) -> int:
        """Return what the documentation promises for a file of this size."""
        return memory_bound(len(content))


_OF_X = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform",
         "decision_path", "apply", "kneighbors", "score_samples", "inverse_transform",
         "search", "staged_predict", "evidence", "perplexity", "radius_neighbors")  # fmt: skip
_OF_NOTHING = ("get_feature_names_out", "get_params", "get_depth", "get_n_leaves", "top_terms",
               "get_support", "bic", "text", "card", "odds_ratios", "sparsify", "densify",
               "get_stop_words", "build_analyzer", "__sklearn_tags__", "compact")  # fmt: skip
_PROPERTIES = ("vocabulary_", "idf_", "feature_importances_", "tree_", "estimators_", "coef_",
               "components_", "exp_dirichlet_component_", "feature_log_prob_", "covariances_",
               "estimators_samples_", "n_features_in_")  # fmt: skip


def _matrices(model: Any) -> list[Any]:
    try:
        n_columns = int(model.n_features_in_)
    except Exception:
        n_columns = COUNTS.shape[1]
    if not 0 < n_columns <= 10_000:
        n_columns = COUNTS.shape[1]
    X = np.resize(COUNTS[:6], (6, n_columns))
    return [X, sparse.csr_matrix(X.astype(np.float32))]


def _ask_everything(model: Any) -> None:
    """Call what a model has; it may refuse, and nothing else."""
    inputs = [*_matrices(model), DOCUMENTS[:4]]
    calls: list[tuple[Any, ...]] = [(repr, model)]
    for name in _OF_X:
        calls += [(_call, model, name, X) for X in inputs]
    calls += [(_call, model, name) for name in (*_OF_NOTHING, *_PROPERTIES)]
    calls += [(quire.save, model, io.BytesIO()), (_described, model)]
    steps = getattr(model, "steps", None)
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, tuple) and len(step) == 2:
            calls += [(_call, step[1], name) for name in (*_OF_NOTHING, *_PROPERTIES)]
    for function, *arguments in calls:
        try:
            function(*arguments)
        except MemoryError:
            raise
        except Exception:  # a refusal; what matters is that the process lives and computes nothing
            continue


def _call(model: Any, name: str, *arguments: Any) -> Any:
    if name == "estimators_samples_" and getattr(model, "_n_samples", 0) > _MOST_ROWS:
        return None  # rows that are asked for: as many as the file says
    value = getattr(model, name)
    value = value(*arguments) if callable(value) else value
    if name == "evidence":
        return value.contributions(*LABELS[:2])
    if name == "tree_":
        return [np.sum(getattr(value, part)) for part in ("children_left", "value", "threshold")]
    return repr(value)[:1000] if name in _PROPERTIES else value


def _described(model: Any) -> None:
    from quire import kinds

    for name in kinds.__all__:
        function = getattr(kinds, name)
        if callable(function) and not isinstance(function, type):
            try:
                function(model)
            except MemoryError:
                raise
            except Exception:
                continue
