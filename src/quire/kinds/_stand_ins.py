"""Classes that stand in for estimators while a model file is looked at, without scikit-learn.

What the checks of a file ask of a class is little: what it and its bases are called, its parameters
with their defaults and constraints, and which names it states itself. ``_stand_ins.json`` has that
for the classes whose models can be scored from a file (:mod:`quire.scoring`). The table is written
from the classes (``python -m tests.helpers.stand_ins``), and a test compares the two.
"""

from __future__ import annotations

import inspect
import json
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from quire._shared.class_names import public_name
from quire.kinds._constraints import Stated

__all__ = ["stand_in", "stand_ins"]

# Of the text package, and not in need of scikit-learn: they stand for themselves.
_THEMSELVES = {
    "quire.feature_extraction.text.FixedGrowth": "_growth",
    "quire.feature_extraction.text.NativeTerms": "_terms",
    "quire.feature_extraction.text.PythonTerms": "_terms",
    "quire.feature_extraction.text.TermGrowth": "_growth",
    "quire.feature_extraction.text.Vocabulary": "_vocabulary",
}


def _method(self: Any) -> None:
    """Stand in for a method."""


_STATED: dict[str, Any] = {
    "method": _method,
    "property": property(),
    "cached": cached_property(_method),
    "value": None,
}


@cache
def _table() -> dict[str, Any]:
    text = Path(__file__).with_suffix(".json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


@cache
def _class(key: str) -> type:
    """Return the class with this full name, private modules included, without behaviour."""
    if key == "builtins:object":
        return object
    facts = _table()[key]
    stated: dict[str, Any] = {
        name: _STATED[kind] for kind, names in facts["states"].items() for name in names
    }
    if "parameters" in facts:
        parameters = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=_value(default[0]) if default else inspect.Parameter.empty,
            )
            for name, *default in facts["parameters"]
        ]
        stated["__signature__"] = inspect.Signature(parameters)
    if "names" in facts:
        names = list(facts["names"])
        stated["_get_param_names"] = classmethod(lambda cls: list(names))
    if "constraints" in facts:
        stated["_parameter_constraints"] = {
            name: one if isinstance(one, str) else [Stated(*parts) for parts in one]
            for name, one in facts["constraints"].items()
        }
    if "fields" in facts:
        stated["__dataclass_fields__"] = dict.fromkeys(facts["fields"])
    module, _, qualified = key.partition(":")
    stated |= {"__module__": module, "__qualname__": qualified}
    bases = tuple(map(_class, facts["bases"]))
    return type(qualified.rpartition(".")[2], bases, stated)


def _value(written: Any) -> Any:
    """Return a default as it was before it was written."""
    if not isinstance(written, dict):
        return written
    ((kind, value),) = written.items()
    return np.dtype(value).type if kind == "dtype" else tuple(map(_value, value))


@cache
def stand_ins() -> frozenset[str]:
    """Return the public names of the classes that have a stand-in."""
    return frozenset(_names()) | frozenset(_THEMSELVES)


@cache
def _names() -> dict[str, str]:
    """Return the classes of which there are objects: public name to full name."""
    return {facts["public"]: key for key, facts in _table().items() if "public" in facts}


def stand_in(name: str) -> type | None:
    """Return the class that stands in for the one with a public name; ``None`` if there is none.

    Parameters
    ----------
    name : str
        As model files have it.

    Examples
    --------
    >>> found = stand_in("quire.naive_bayes.MultinomialNB")
    >>> [one.__name__ for one in found.__mro__][:3], found._get_param_names()[:2]
    (['MultinomialNB', 'MultinomialScores', 'CountsNB'], ['alpha', 'binarize'])
    """
    if name in _THEMSELVES:
        module = import_module(f"quire.feature_extraction.text.{_THEMSELVES[name]}")
        found: type = getattr(module, name.rpartition(".")[2])
        assert public_name(found) == name
        return found
    key = _names().get(name)
    return None if key is None else _class(key)
