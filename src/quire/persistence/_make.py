"""From the data of a model file to the model: objects are made here, and nowhere before.

Objects are made without their constructors and given their attributes, parts before the whole.
What was one thing in the model that was saved is one thing again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from quire._shared.fitted import FromFile
from quire.kinds import Blueprint

__all__ = ["Maker"]


class Maker:
    """Makes the objects of one model.

    Parameters
    ----------
    holders : dict from int to object
        The values with a blueprint in them, by their identity; all others stay as they are.
    class_of : callable, default=None
        From the class of a blueprint to that of the object; ``None`` if it is the same.
    """

    def __init__(
        self, holders: dict[int, Any], class_of: Callable[[type], type] | None = None
    ) -> None:
        self._holders = holders
        self._class_of = class_of
        self._made: dict[int, Any] = {}

    def make(self, value: Any) -> Any:
        """Return a value with objects where there are blueprints."""
        if id(value) not in self._holders:
            return value
        if id(value) not in self._made:
            self._made[id(value)] = self._new(value)
        return self._made[id(value)]

    def _new(self, value: Any) -> Any:
        if isinstance(value, Blueprint):
            return self._object(value)
        if isinstance(value, list):
            value[:] = map(self.make, value)
        elif isinstance(value, dict):
            pairs = [(self.make(key), self.make(item)) for key, item in value.items()]
            value.clear()
            value.update(pairs)
        elif isinstance(value, set):
            items = [self.make(item) for item in value]
            value.clear()
            value.update(items)
        elif isinstance(value, np.ndarray):
            # What lies under a mask is meant, too.
            objects = value.data if isinstance(value, np.ma.MaskedArray) else value
            for place in np.ndindex(objects.shape):
                objects[place] = self.make(objects[place])
        elif isinstance(value, partial):
            args, keywords = map(self.make, value.args), value.keywords.items()
            return partial(
                self.make(value.func), *args, **{name: self.make(item) for name, item in keywords}
            )
        else:
            return type(value)(map(self.make, value))  # a tuple or a frozen set
        return value

    def _object(self, blueprint: Blueprint) -> Any:
        cls = blueprint.cls if self._class_of is None else self._class_of(blueprint.cls)
        state = {name: self.make(item) for name, item in blueprint.state.items()}
        made: Any = object.__new__(cls)
        if hasattr(cls, "__setstate__"):
            if blueprint.name.startswith("sklearn.") and not issubclass(cls, FromFile):
                from sklearn import __version__ as sklearn_version

                state["_sklearn_version"] = sklearn_version  # compared once for the whole file
            made.__setstate__(state)
        elif state:
            vars(made).update(state)
        _set_owner(made)
        return made


def _set_owner(made: Any) -> None:
    """Tell what is asked of metadata routing whose it is; its messages say so."""
    routing = getattr(made, "__dict__", {}).get("_metadata_request")
    if type(routing).__name__ == "MetadataRequest":
        for part in (routing, *vars(routing).values()):
            if hasattr(part, "owner"):
                part.owner = made
