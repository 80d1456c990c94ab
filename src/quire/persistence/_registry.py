"""The allow-list: which classes and functions a model file may name.

A file never says where code is to be imported from. It says a name, and the name is looked up here:
classes for which :mod:`quire.kinds` has a table of what their attributes must be, and functions
that compute numbers from numbers or words from texts. Names leave private modules out, so that code
may move within a package.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Collection, Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from quire._shared.class_names import described, is_estimator, public_module, public_name
from quire.exceptions import UnscorableModelError
from quire.kinds import kind_of_class, schema_of, schemas, stand_in

__all__ = ["Registry", "StandIns", "parameters_of", "portable_state"]

# Where the classes are whose modules do not show them.
_HOMES = {
    "quire.tree.Categories": "quire._shared.trees.categories",
    "sklearn.metrics._CurveScorer": "sklearn.metrics._scorer",
    "sklearn.metrics._MultimetricScorer": "sklearn.metrics._scorer",
    "sklearn.metrics._PassthroughScorer": "sklearn.metrics._scorer",
    "sklearn.metrics._Scorer": "sklearn.metrics._scorer",
    "sklearn.model_selection._CVIterableWrapper": "sklearn.model_selection._split",
}
_FUNCTION_MODULES = (
    "quire.feature_extraction.select",
    "quire.feature_extraction.text",
    "sklearn.feature_extraction.text",
    "sklearn.feature_selection",
    "sklearn.metrics",
)
_STRING_METHODS = ("casefold", "lower", "rsplit", "split", "splitlines", "strip", "upper")
_NEVER_SAVED = ("steps_",)  # what was kept of a fit for those who watched it
_NUMPY_FUNCTIONS = ("nan_to_num", "mean", "median", "ravel")


@cache
def _is_public_module(name: str) -> bool:
    """Say whether quire has a public module of this name; the command line does not count."""
    parts = name.split(".")
    if parts[0] != "quire" or parts[1:2] in ([], ["cli"], ["persistence"]):
        return False
    if not all(part.isidentifier() and not part.startswith("_") for part in parts):
        return False
    try:
        return find_spec(name) is not None  # imports the packages above it, all quire's own
    except ModuleNotFoundError:
        return False


def _exported(module: ModuleType) -> Iterable[Any]:
    return (getattr(module, name, None) for name in getattr(module, "__all__", ()))


@cache
def _quire_classes(module_name: str) -> dict[str, type]:
    """Return the classes of a public module of quire, if estimators are among its exports."""
    module = import_module(module_name)
    if not any(inspect.isclass(e) and is_estimator(e) for e in _exported(module)):
        return {}
    parts = [module]
    for part in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{module_name}."):
        if public_module(part.name) == module_name:
            parts.append(import_module(part.name))
    return {
        value.__name__: value
        for part in parts
        for value in vars(part).values()
        if inspect.isclass(value) and public_module(value.__module__) == module_name
    }


def _known_class(full_name: str) -> type | None:
    """Return the class with this name, if there is a table of what its attributes must be."""
    module_name, _, name = full_name.rpartition(".")
    if full_name not in schemas() and full_name not in _HOMES:
        return None
    if full_name in _HOMES:
        found = getattr(import_module(_HOMES[full_name]), name, None)
    elif module_name.startswith("sklearn."):
        found = getattr(import_module(module_name), name, None)
    else:
        found = _quire_classes(module_name).get(name) if _is_public_module(module_name) else None
    return found if inspect.isclass(found) and schema_of(found) is not None else None


@cache
def _functions() -> dict[str, Callable[..., Any]]:
    """Return all functions that a file may name."""
    from scipy import special

    found: dict[str, Callable[..., Any]] = {
        f"builtins.str.{name}": getattr(str, name) for name in _STRING_METHODS
    }
    found |= {f"numpy.{name}": getattr(np, name) for name in _NUMPY_FUNCTIONS}
    found["builtins.len"] = len
    for module_name, numbers in (("scipy.special", special), ("numpy", np)):
        for name, value in vars(numbers).items():
            if isinstance(value, np.ufunc):
                found[f"{module_name}.{name}"] = value
    for module_name in _FUNCTION_MODULES:
        for value in _exported(import_module(module_name)):
            if inspect.isfunction(value):
                found[f"{module_name}.{value.__name__}"] = value
    return found


@cache
def parameters_of(cls: type) -> frozenset[str]:
    """Return the attributes of an object that its text shows: the parameters of an estimator.

    Parameters
    ----------
    cls : type
        Any class.

    Returns
    -------
    frozenset of str
        Their names; none for what is no estimator.
    """
    return frozenset(inspect.signature(cls).parameters) if is_estimator(cls) else frozenset()


def portable_state(cls: type, state: dict[str, Any], compact: bool = False) -> dict[str, Any]:
    """Return the attributes of an object without those that mean nothing elsewhere.

    Parameters
    ----------
    cls : type
        The class of the object.
    state : dict
        The attributes.
    compact : bool, default=False
        Leave out as well what grows with the training documents and no method needs.

    Returns
    -------
    dict
        Those to save, or to restore.
    """
    saving = kind_of_class(cls).saving
    left_out = _NEVER_SAVED + saving.left_out + (saving.bulky if compact else ())
    kept = {key: value for key, value in state.items() if key not in left_out}
    if "memory" in kept and public_name(cls).startswith(("quire.", "sklearn.")):
        kept["memory"] = None  # a folder of this machine, with pickles in it
    return kept if saving.at_rest is None else saving.at_rest(kept)


class Registry:
    """Names for classes and functions, and back.

    Parameters
    ----------
    trusted : iterable of classes and functions
        What the caller vouches for, besides what is known.
    """

    def __init__(self, trusted: Iterable[Any] = ()) -> None:
        self._trusted: dict[str, Any] = {}
        for value in trusted:
            if not callable(value) or not hasattr(value, "__qualname__"):
                raise TypeError(
                    f"trusted must hold classes and functions, got {value!r}. Give the objects "
                    "themselves, not their names."
                )
            self._trusted[described(value)] = value

    def _vouched(self, name: str) -> Any:
        """Return what the caller vouches for: what is called so, in this module or another.

        A class of a script is called ``__main__.Name`` there and ``module.Name`` elsewhere.
        """
        last = f".{name.rpartition('.')[2]}"
        like = (value for full, value in self._trusted.items() if full.endswith(last))
        return self._trusted.get(name) or next(like, None)

    def is_vouched(self, value: Any) -> bool:
        """Say whether the caller vouches for a class or a function."""
        return any(value is trusted for trusted in self._trusted.values())

    def class_name(self, cls: type) -> str | None:
        """Return the name of a class in files, or ``None`` if it is not allowed."""
        own = described(cls)
        if self._trusted.get(own) is cls:
            return own
        shared = (name for name, home in _HOMES.items() if own == f"{home}.{name.split('.')[-1]}")
        name = next(shared, public_name(cls))
        return name if _known_class(name) is cls else None

    def find_class(self, name: str) -> type | None:
        """Return the class with a name from a file, or ``None`` if it is not allowed."""
        known = _known_class(name)
        if known is not None:
            return known
        found = self._vouched(name)
        return found if inspect.isclass(found) else None

    def function_name(self, function: Any) -> str | None:
        """Return the name of a function in files, or ``None`` if it is not allowed."""
        own = described(function)
        if self._trusted.get(own) is function:
            return own
        return next((name for name, known in _functions().items() if known is function), None)

    def find_function(self, name: str) -> Any:
        """Return the function with a name from a file, or ``None`` if it is not allowed."""
        known = _functions().get(name)
        if known is not None:
            return known
        found = self._vouched(name)
        return None if inspect.isclass(found) else found

    def bunch(self, values: dict[str, Any]) -> Any:
        """Return a dictionary whose keys are attributes."""
        from sklearn.utils import Bunch

        return Bunch(**values)

    def requests(self) -> Any:
        """Return the requests of metadata of an object that has made none."""
        from sklearn.utils.metadata_routing import MetadataRequest

        return MetadataRequest(owner=None)

    def check_sparse(self) -> None:
        """Refuse sparse matrices where nobody can make them."""

    def check_parts(self, names: Iterable[str]) -> None:
        """Refuse what a manifest names, if nothing of it has to be looked at to know that."""


class StandIns(Registry):
    """Names for the classes that stand in for estimators; for nothing that needs scikit-learn.

    Parameters
    ----------
    names : collection of str
        Those of the classes that the caller knows; a file that has others is refused for that.
    """

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self._names = names

    def check_parts(self, names: Iterable[str]) -> None:
        """Refuse classes that nothing stands in for."""
        for name in names:
            self.find_class(name)

    def find_class(self, name: str) -> type | None:
        """Return the class that stands in for the one with this name."""
        found = stand_in(name) if name in self._names else None
        if found is None and name in schemas():
            raise UnscorableModelError(f"a {name} is not scored from its file")
        return found

    def find_function(self, name: str) -> Any:
        """Refuse functions: the list of those that are allowed is long, and of other libraries."""
        raise UnscorableModelError("a model with functions in it is not scored from its file")

    def bunch(self, values: dict[str, Any]) -> Any:
        """Return a plain dictionary: nobody here asks for attributes."""
        return values

    def requests(self) -> Any:
        """Refuse requests of metadata, which nobody could answer."""
        raise UnscorableModelError("a model that asks for metadata is not scored from its file")

    def check_sparse(self) -> None:
        """Refuse sparse matrices, which are SciPy's."""
        raise UnscorableModelError("a model with sparse matrices is not scored from its file")
