"""What a model file says about itself: the manifest, and the dataclass that shows it."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from quire._shared.notebooks import ShownInNotebooks, named_cells
from quire._shared.provenance import checked_provenance
from quire.exceptions import ModelFileError
from quire.kinds import classes_of, n_columns_of
from quire.persistence._nodes import shown

__all__ = ["ModelInfo", "describe_model", "plain_json", "what_differs"]

_LIBRARIES = {
    "quire": "quire",
    "numpy": "numpy",
    "scipy": "scipy",
    "scikit_learn": "scikit-learn",
}


@dataclass(frozen=True, kw_only=True, repr=False)
class ModelInfo(ShownInNotebooks):
    """What a model file says about itself, from :func:`quire.persistence.read_info`.

    ``print(info)`` shows it.

    Attributes
    ----------
    model : str
        The class of the model.
    parts : tuple of str
        The classes of all its parts, in the order in which they stand in it.
    labels : tuple
        The classes it tells apart; empty if it is no classifier.
    n_features : int or None
        Columns of the matrix that the last step was fitted on.
    scores, settings, metadata : dict
        What was given to :func:`quire.save`.
    versions : dict
        Of Python and the libraries that wrote the file.
    created : datetime
        When, in UTC.
    format : int
        Version of the file format.
    compact : bool
        Whether what only growing needs was left out.
    size, unpacked_size : int
        Bytes of the file, and of what is in it.

    Examples
    --------
    >>> import quire, tempfile, pathlib
    >>> from quire.naive_bayes import MultinomialNB
    >>> from quire.persistence import read_info
    >>> model = MultinomialNB().fit_text(["good film", "bad film"], ["pos", "neg"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.quire"
    ...     _ = quire.save(model.to_pipeline(), path, scores={"accuracy": 0.91})
    ...     info = read_info(path)
    >>> info.labels, info.n_features, info.scores
    (('neg', 'pos'), 3, {'accuracy': 0.91})
    """

    model: str
    parts: tuple[str, ...]
    labels: tuple[Any, ...]
    n_features: int | None
    scores: dict[str, Any]
    settings: dict[str, Any]
    metadata: dict[str, Any]
    versions: dict[str, str]
    created: datetime
    format: int
    compact: bool
    size: int
    unpacked_size: int

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any], size: int) -> ModelInfo:
        """Make it from the manifest of a file.

        Parameters
        ----------
        manifest : mapping
            From a file.
        size : int
            Bytes of the file.

        Returns
        -------
        ModelInfo
            The same as attributes.

        Raises
        ------
        ValueError
            If something is missing, is of another type, or is not known.
        """
        _check_manifest(manifest)
        return cls(
            model=manifest["model"],
            parts=tuple(manifest["parts"]),
            labels=tuple(manifest["labels"]),
            n_features=manifest["n_features"],
            scores=manifest["scores"],
            settings=manifest["settings"],
            metadata=manifest["metadata"],
            versions={name: manifest["versions"][name] for name in ("python", *_LIBRARIES)},
            created=datetime.fromisoformat(manifest["created"]),
            format=manifest["format"],
            compact=manifest["compact"],
            size=size,
            unpacked_size=sum(member["size"] for member in manifest["members"].values()),
        )

    @property
    def provenance(self) -> dict[str, Any] | None:
        """Where the model comes from, as far as its file says so.

        Returns
        -------
        dict or None
            ``command``, ``inputs`` (role, name and SHA-256 of each file), ``rows`` (their number
            and digests), ``seed`` and ``working``. It stands under ``"provenance"`` of `metadata`.

        Raises
        ------
        ModelFileError
            If it is not what it may be.
        """
        said = self.metadata.get("provenance")
        if not isinstance(said, dict) or "format" not in said:
            return None  # of the owner, about something else
        try:
            return checked_provenance(said)
        except ValueError as error:
            raise ModelFileError(f"the model file is not sound: {error}") from error

    def __repr__(self) -> str:
        return f"<ModelInfo of {self.model}: {len(self.labels)} labels, {self.size:,} bytes>"

    def _notebook_cells(self) -> list[list[str]]:
        return named_cells(self._rows())

    def __str__(self) -> str:
        return "\n".join(f"{name:<9} {text}" for name, text in self._rows().items())

    def _rows(self) -> dict[str, str]:
        """Return what is said, in words, by what it is about."""
        versions = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        others = {name: one for name, one in self.metadata.items() if name != "provenance"}
        rows = {
            "model": self.model,
            "parts": ", ".join(name.rpartition(".")[2] for name in self.parts),
            "labels": ", ".join(map(str, self.labels)),
            "features": None if self.n_features is None else f"{self.n_features:,}",
            **{
                name: ", ".join(f"{key} = {value}" for key, value in given.items())
                for name, given in (
                    ("scores", self.scores),
                    ("settings", self.settings),
                    ("metadata", others),
                )
            },
            "saved": f"{self.created:%Y-%m-%d %H:%M} UTC by {versions}",
            "size": f"{self.size:,} bytes, {self.unpacked_size:,} unpacked",
        }
        return {name: text for name, text in rows.items() if text}


def _are_labels(value: Any) -> bool:
    """Say whether these are classes, or a list of them for each of several outputs."""
    if not isinstance(value, list):
        return False
    if value and all(isinstance(part, list) for part in value):
        return all(map(_are_labels, value))
    return all(isinstance(label, str | bool | int | float | None) for label in value)


_MANIFEST: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: type(value) is int,
    "model": lambda value: isinstance(value, str),
    "parts": lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value),
    "labels": _are_labels,
    "n_features": lambda value: value is None or (type(value) is int and value >= 0),
    "scores": lambda value: isinstance(value, dict),
    "settings": lambda value: isinstance(value, dict),
    "metadata": lambda value: isinstance(value, dict),
    "versions": lambda value: (
        isinstance(value, dict)
        and value.keys() == {"python", *_LIBRARIES}
        and all(isinstance(number, str) for number in value.values())
    ),
    "created": lambda value: isinstance(value, str),
    "compact": lambda value: isinstance(value, bool),
    "members": lambda value: isinstance(value, dict),
}


def _check_manifest(manifest: Mapping[str, Any]) -> None:
    for name, is_one in _MANIFEST.items():
        if name not in manifest:
            raise ValueError(f"{name} is missing")
        if not is_one(manifest[name]):
            raise ValueError(f"{name} is not what it has to be")
    unknown = manifest.keys() - _MANIFEST.keys()
    if unknown:
        raise ValueError(f"{shown(min(unknown))} is not known")


def describe_model(model: Any) -> dict[str, Any]:
    """Return the part of the manifest that says what a model is and what made it.

    Parameters
    ----------
    model : object
        Fitted or not.

    Returns
    -------
    dict
        What JSON can hold.
    """
    return {
        **_derived(model),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "python": platform.python_version(),
            **{name: version(package) for name, package in _LIBRARIES.items()},
        },
    }


def _derived(model: Any) -> dict[str, Any]:
    labels = classes_of(model)
    return {
        "labels": [] if labels is None else plain_json(labels, "classes_", strict=False),
        "n_features": n_columns_of(model),
    }


def what_differs(info: ModelInfo, model: Any, parts: list[str], alone: str) -> str | None:
    """Return what a manifest says of a model that is not so.

    Parameters
    ----------
    info : ModelInfo
        Of the file.
    model : object
        Made of the file.
    parts : list of str
        The classes in its tree, in order.
    alone : str
        What the model is called if there are none.

    Returns
    -------
    str or None
        The name of an entry, ``None`` if all of them are right. What a manifest does not say, as
        those of older files may not, is not wrong.
    """
    if list(info.parts) != parts:
        return "parts"
    if info.model != (parts[0] if parts else alone):
        return "model"
    found = _derived(model)
    said = {"labels": list(info.labels), "n_features": info.n_features}
    return next((n for n in said if said[n] not in ([], None) and said[n] != found[n]), None)


def plain_json(value: Any, name: str, *, strict: bool = True) -> Any:
    """Return a value as what JSON can hold.

    Parameters
    ----------
    value : object
        Scalars, strings, mappings and sequences, also of NumPy. What is not finite becomes
        ``None``.
    name : str
        For messages.
    strict : bool
        Whether something else is an error; otherwise its text is taken.

    Returns
    -------
    object
        Plain Python.
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {
            str(key): plain_json(item, f"{name}[{key!r}]", strict=strict)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_json(v, f"{name}[{i}]", strict=strict) for i, v in enumerate(value)]
    if not strict:
        return str(value)
    raise TypeError(
        f"{name} must be text, numbers, lists and dictionaries of them, got "
        f"{type(value).__name__}. Give its text, str(...)."
    )
