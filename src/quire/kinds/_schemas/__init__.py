"""The tables: what the attributes of every class that a model file may name must be.

A class without a table is in no file, unless whoever loads it vouches for the class.
"""

from __future__ import annotations

from functools import cache

from quire._shared.class_names import public_name
from quire.kinds._schema import Schema
from quire.kinds._schemas import (
    _deciding,
    _linear,
    _machines,
    _naive_bayes,
    _sklearn_around,
    _sklearn_models,
    _sklearn_steps,
    _spaces,
    _text,
    _trees,
)

__all__ = ["schema_of", "schemas"]

_QUIRE = (_deciding, _linear, _machines, _naive_bayes, _spaces, _text, _trees)
_SKLEARN = (_sklearn_around, _sklearn_models, _sklearn_steps)


@cache
def schemas() -> dict[str, Schema]:
    """Return all tables by the public names of their classes."""
    return {
        f"{package}.{name}": one
        for package, parts in (("quire", _QUIRE), ("sklearn", _SKLEARN))
        for part in parts
        for name, one in part.TABLE.items()
    }


def schema_of(cls: type) -> Schema | None:
    """Return the table of a class; ``None`` if there is none.

    Parameters
    ----------
    cls : type
        Any class.
    """
    return schemas().get(public_name(cls))
