"""``quire.save`` and ``quire.load``: a fitted model as one file that holds no code."""

from __future__ import annotations

import io
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, cast

from quire._shared.class_names import described, public_name
from quire._shared.replaced_file import replaced_file
from quire.exceptions import (
    ModelFileError,
    ModelVersionWarning,
    UnsavableModelError,
    UnscorableModelError,
)
from quire.kinds import last_step
from quire.persistence._container import (
    TREE,
    ContainerReader,
    one_line,
    opened_container,
    write_container,
)
from quire.persistence._decode import Decoder
from quire.persistence._info import ModelInfo, describe_model, plain_json, what_differs
from quire.persistence._make import Maker
from quire.persistence._registry import Registry, StandIns

__all__ = ["load", "load_as", "load_with_info", "read_info", "save"]


def save(
    model: Any,
    path: str | os.PathLike[str] | BinaryIO,
    *,
    scores: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    compact: bool = True,
    trusted: Iterable[Any] = (),
) -> Path | None:
    """Save a model to one file, from which :func:`load` makes it again, bit for bit.

    The file holds numbers, texts and names, and no code. It is replaced whole: an error, a full
    disk or the end of the process leaves the old file as it was.

    Parameters
    ----------
    model : estimator
        Any estimator of quire, and pipelines, searches and ensembles of them and of scikit-learn's
        estimators.
    path : str, path or binary file object
        Where to; ``.quire`` is the usual ending. The folder must exist.
    scores, settings, metadata : mapping, default=None
        What to keep beside the model: how good it is, how it was made, anything else. Texts,
        numbers, lists and dictionaries; :func:`~quire.persistence.read_info` returns them.
    compact : bool, default=True
        Leave out what only ``partial_fit`` of a vectorizer and ``merge`` need: terms that
        ``min_df`` and the like have pruned, and their frequencies; and of a topic model the
        ``topic_assignments_``. The model in memory is not changed.
    trusted : iterable of classes and functions, default=()
        Your own classes and functions that may be in the model. Their names are saved, not their
        code; :func:`load` must be given the same.

    Returns
    -------
    Path or None
        Of the file; ``None`` for a file object.

    Raises
    ------
    UnsavableModelError
        If a part of the model cannot be saved, with the name of the attribute. A ``ValueError``.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import quire, tempfile, pathlib
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> from quire.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    >>> _ = model.fit(["good film", "bad film"], ["pos", "neg"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = quire.save(model, pathlib.Path(folder) / "model.quire")
    ...     again = quire.load(path)
    >>> again.predict(["a good one"])
    array(['pos'], dtype='<U3')
    """
    from quire.persistence._encode import Encoder

    target = _place(path, "write")
    encoder = Encoder(Registry(trusted), compact)
    try:
        tree = encoder.encode(model)
    except UnsavableModelError as error:
        best = "model.best_estimator_"
        is_search = last_step(model) is not model and "best_estimator_" in vars(model)
        if is_search and not str(error).startswith(best):
            raise UnsavableModelError(f"{error} Or save {best} alone.") from error
        raise
    except RecursionError as error:
        raise UnsavableModelError("The model is nested too deeply to be saved.") from error
    given = {"scores": scores, "settings": settings, "metadata": metadata}
    manifest = {
        **describe_model(model),
        **{name: _mapping(name, value) for name, value in given.items()},
        "model": encoder.classes[0] if encoder.classes else described(type(model)),
        "parts": encoder.classes,
        "compact": compact,
    }
    content = json.dumps(tree, allow_nan=False, separators=(",", ":")).encode("ascii")
    members: dict[str, Any] = {TREE: content, **encoder.arrays}
    if isinstance(target, Path):
        with replaced_file(target) as file:
            write_container(file, members, manifest, encoder.memory)
        return target
    write_container(whole := io.BytesIO(), members, manifest, encoder.memory)
    target.write(whole.getbuffer())
    return None


def load(path: str | os.PathLike[str] | BinaryIO, *, trusted: Iterable[Any] = ()) -> Any:
    """Load a model that :func:`save` has written. No code of the file is run.

    Everything in the file is looked at before an object of the model exists: names, types, shapes
    and what numbers have to be for compiled code to work with them. Loading takes no more memory
    than 256 MiB and 100 times the size of the file; :func:`save` writes no file that needs more.

    Parameters
    ----------
    path : str, path or binary file object
        The file.
    trusted : iterable of classes and functions, default=()
        Your own classes and functions that were given to :func:`save`.

    Returns
    -------
    estimator
        Predicts and transforms as the one that was saved.

    Raises
    ------
    ModelFileError
        If the file is not a model, is damaged, was written by a newer version, names a class that
        is not on the list of known ones, holds what no such model has, or would take more memory
        than a model of its size. A ``ValueError``.
    OSError
        If the file cannot be read.

    Warns
    -----
    ModelVersionWarning
        If the model has parts of scikit-learn and was saved with another minor version of it.

    Examples
    --------
    >>> import quire
    >>> quire.load(quire.__file__)
    Traceback (most recent call last):
    ...
    quire.exceptions.ModelFileError: ... is not a model saved by quire.save: it starts with ...
    """
    return _load(path, Registry(trusted))[0]


def load_with_info(
    path: str | os.PathLike[str] | BinaryIO, *, trusted: Iterable[Any] = ()
) -> tuple[Any, ModelInfo]:
    """Load a model together with what its file says about itself; the file is opened once.

    Parameters
    ----------
    path, trusted
        As for :func:`load`.

    Returns
    -------
    model : estimator
        As from :func:`load`.
    info : ModelInfo
        As from :func:`read_info`.

    Examples
    --------
    >>> import quire, tempfile, pathlib
    >>> from quire.linear_model import Ridge
    >>> from quire.persistence import load_with_info
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = quire.save(Ridge().fit([[0.0], [1.0]], [0.0, 2.0]), pathlib.Path(folder) / "r")
    ...     model, info = load_with_info(path)
    >>> model, info.n_features
    (Ridge(), 1)
    """
    return _load(path, Registry(trusted))


def load_as(
    path: str | os.PathLike[str] | BinaryIO, classes: Mapping[str, type]
) -> tuple[Any, ModelInfo]:
    """Load a model as objects of other classes, without those of the file and their libraries.

    The file is looked at as :func:`load` does it, with all checks. What is made of it in the end
    are objects of the classes that are given here; they also have the names of the classes of the
    file, by which :mod:`quire.kinds` knows what a model is.

    Parameters
    ----------
    path : str, path or binary file object
        The file.
    classes : mapping
        From names of classes in files to classes that do as these do. Those of
        :mod:`quire.scoring`, as a rule.

    Returns
    -------
    model : object
        As from :func:`load`, of these classes.
    info : ModelInfo
        As from :func:`read_info`.

    Raises
    ------
    UnscorableModelError
        If the file has a class that is not among `classes`, or anything else that other libraries
        are needed for. It may be a sound model: :func:`load` tells. A ``ValueError``.
    ModelFileError, OSError
        As :func:`load`.
    """

    @cache
    def class_of(cls: type) -> type:
        given = classes[public_name(cls)]
        if given is cls:
            return cls
        names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
        return type(cls.__name__, (given, cls), names)

    return _load(path, StandIns(classes), class_of)


def _load(
    path: str | os.PathLike[str] | BinaryIO,
    registry: Registry,
    class_of: Callable[[type], type] | None = None,
) -> tuple[Any, ModelInfo]:
    source = _place(path, "read")
    with opened_container(source) as container:
        info = _info(container)
        registry.check_parts(info.parts)
        try:
            decoder = Decoder(registry, container.array, container.account)
            data = decoder.decode(container.tree())
            container.check_all_read()
            model = Maker(decoder.holders, class_of).make(data)
            wrong = what_differs(info, model, decoder.classes, described(type(model)))
            if wrong is not None:
                raise ModelFileError(f"its manifest says other {wrong} than there are in its model")
        except ModelFileError as error:
            raise _located(container.path, error) from error
        except (MemoryError, UnscorableModelError):
            raise
        except Exception as error:
            raise ModelFileError(
                f"{container.path} cannot be made into a model ({one_line(error)}); it was written "
                f"by quire {info.versions['quire']}"
            ) from error
        _warn_of_versions(container.path, info)
    return model, info


def read_info(path: str | os.PathLike[str] | BinaryIO) -> ModelInfo:
    """Read what a model file says about itself, without the model.

    Parameters
    ----------
    path : str, path or binary file object
        The file.

    Returns
    -------
    ModelInfo
        Classes, labels, scores, settings, versions and sizes.

    Raises
    ------
    ModelFileError
        If the file is not a model, is damaged or was written by a newer version.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import quire, tempfile, pathlib
    >>> from quire.linear_model import Ridge
    >>> from quire.persistence import read_info
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = quire.save(Ridge().fit([[0.0], [1.0]], [0.0, 2.0]), pathlib.Path(folder) / "r")
    ...     info = read_info(path)
    >>> info.model, info.n_features
    ('quire.linear_model.Ridge', 1)
    """
    with opened_container(_place(path, "read")) as container:
        return _info(container)


def _place(path: Any, method: str) -> Path | BinaryIO:
    """Return a path as such, and a file object as it is."""
    if isinstance(path, str | os.PathLike):
        return Path(path).expanduser()
    if not hasattr(path, method) or isinstance(path, io.TextIOBase):
        raise TypeError(
            f"path must be a path or a binary file object to {method}, got {type(path).__name__}."
        )
    return cast(BinaryIO, path)


def _mapping(name: str, value: Mapping[str, Any] | None) -> Any:
    if value is not None and not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dictionary, got {type(value).__name__}.")
    return plain_json(value or {}, name)


def _info(container: ContainerReader) -> ModelInfo:
    try:
        return ModelInfo.from_manifest(container.manifest, container.size)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(
            f"{container.path} has an incomplete manifest ({one_line(error)})"
        ) from error


def _located(path: Path, error: ModelFileError) -> ModelFileError:
    located = str(error).startswith(str(path))
    return error if located else ModelFileError(f"{path}: {error}")


def _warn_of_versions(path: Path, info: ModelInfo) -> None:
    if not any(name.startswith("sklearn.") for name in info.parts):
        return
    then, now = info.versions["scikit_learn"], version("scikit-learn")
    if then.split(".")[:2] != now.split(".")[:2]:
        warnings.warn(
            f"{path} has parts of scikit-learn {then}, and {now} is "
            "installed: they may predict something else. Compare, or save the model again.",
            ModelVersionWarning,
            stacklevel=4,
        )
