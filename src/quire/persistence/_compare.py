"""Two model files compared: trees, arrays bit by bit, and what they say of themselves."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from quire._shared.differences import Compared, Difference, compared, takes_time
from quire.exceptions import ModelFileError
from quire.persistence._container import ContainerReader, one_line, opened_container
from quire.persistence._nodes import DEEPEST
from quire.persistence._save import _place

__all__ = ["compare_files"]

_MANIFEST = ("model", "parts", "labels", "n_features", "scores", "settings", "metadata", "compact")
_NOT_OF_THE_MODEL = ("provenance", "source")
_OF_THE_PROCESS = ("_stop_words_id",)  # where scikit-learn has put a list in memory
_DEEPEST = 3 * DEEPEST  # levels of JSON: a node has its values in a dictionary or a list


def compare_files(then: str | os.PathLike[str], now: str | os.PathLike[str]) -> Compared:
    """Compare what is in two model files, bit for bit; no object of a model is made.

    Parameters
    ----------
    then, now : str or path
        The files.

    Returns
    -------
    Compared
        How many values and numbers in arrays there are, and which differ. Dates, versions, times
        and memory are not compared, nor the name of the file that a model was fitted to.

    Raises
    ------
    ModelFileError
        If one of the files is not sound.

    Examples
    --------
    >>> import pathlib, quire, tempfile
    >>> from quire.linear_model import Ridge
    >>> from quire.persistence import compare_files
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = pathlib.Path(name)
    ...     for alpha in (1.0, 2.0):
    ...         model = Ridge(alpha=alpha).fit([[0.0], [1.0]], [0.0, 2.0])
    ...         _ = quire.save(model, folder / f"{alpha}.quire")
    ...     found = compare_files(folder / "1.0.quire", folder / "2.0.quire")
    >>> [one.place for one in found.differences]
    ['model.alpha', 'model.coef_', 'model.intercept_']
    """
    with opened_container(_path(then)) as one, opened_container(_path(now)) as other:
        found = compared(_said(one), _said(other))
        trees = _Trees(one, other)
        try:
            trees.compare(one.tree(), other.tree(), "model", 0)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, ModelFileError):
                raise
            raise ModelFileError(f"{then} or {now} is not sound: {one_line(error)}") from error
        found.add(trees.found)
    return found


def _path(path: str | os.PathLike[str]) -> Any:
    return _place(path, "read")


def _said(container: ContainerReader) -> dict[str, Any]:
    said = {name: container.manifest.get(name) for name in _MANIFEST}
    metadata = said["metadata"]
    if isinstance(metadata, dict):
        kept = {name: one for name, one in metadata.items() if name not in _NOT_OF_THE_MODEL}
        said["metadata"] = kept
    return said


class _Trees:
    """Two trees gone through side by side; arrays are read where the trees name them."""

    def __init__(self, one: ContainerReader, other: ContainerReader) -> None:
        self.one, self.other = one, other
        self.found = Compared()

    def compare(self, then: Any, now: Any, place: str, depth: int) -> None:
        if depth > _DEEPEST:
            self._differ(place, "nested too deeply", "nested too deeply")
        elif isinstance(then, dict) and isinstance(now, dict) and then.keys() == now.keys():
            self._nodes(then, now, place, depth)
        elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
            for number, (a, b) in enumerate(zip(then, now, strict=True)):
                self.compare(a, b, f"{place}[{number}]", depth + 1)
        else:
            self.found.add(compared(then, now, place))

    def _nodes(self, then: dict[str, Any], now: dict[str, Any], place: str, depth: int) -> None:
        kind = then.get("t")
        if kind != now.get("t"):
            self._differ(place, str(kind), str(now.get("t")))
        elif isinstance(then.get("member"), str):
            self._members(then["member"], now["member"], place)
        elif "base64" in then and "shape" in then:
            n = int(np.prod([n for n in then["shape"] if isinstance(n, int)]))
            self.found.n_values += n
            if then != now:
                self._differ(place, f"an array of {n:,}", "other numbers")
        elif kind == "dict" and isinstance(then.get("keys"), list):
            self.compare(then["keys"], now["keys"], f"{place}.keys", depth + 1)
            for key, a, b in zip(then["keys"], then["values"], now["values"], strict=False):
                self.compare(a, b, f"{place}[{str(key)[:40]!r}]", depth + 1)
        else:
            for name in then:
                if takes_time(name) or name in _OF_THE_PROCESS:
                    if name not in self.found.left_out:
                        self.found.left_out.append(name)
                elif name not in ("t", "id"):
                    inner = place if name in ("state", "items") else f"{place}.{name}"
                    self.compare(then[name], now[name], inner, depth + 1)

    def _members(self, then: Any, now: Any, place: str) -> None:
        one, other = self.one.array(then), self.other.array(now)
        self.found.n_values += one.size
        if one.dtype != other.dtype or one.shape != other.shape:
            self._differ(place, f"{one.dtype} {one.shape}", f"{other.dtype} {other.shape}")
        elif one.tobytes() != other.tobytes():
            self._differ(place, *_in_words(one, other))

    def _differ(self, place: str, then: str, now: str) -> None:
        self.found.differences.append(Difference(place, then, now))


def _in_words(one: Any, other: Any) -> tuple[str, str]:
    """Say how far two arrays are apart."""
    first, second = one.ravel(), other.ravel()
    bits = f"V{one.dtype.itemsize}"
    differ = first.view(bits) != second.view(bits)
    k = int(np.argmax(differ))
    n = int(differ.sum())
    return f"[{k}] {first[k]}", f"[{k}] {second[k]}; {n:,} of {one.size:,} differ"
