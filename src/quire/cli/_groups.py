"""Options that come together: a parameter of a command that stands for several.

A command takes ``reading: Reading = READING`` and its help shows ``--encoding``, ``--format`` and
the others; what was given arrives as one object. So each of these options is written once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, get_type_hints

__all__ = ["OptionGroup", "expanded"]


class OptionGroup:
    """A frozen dataclass whose fields are options of a command."""


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of its groups in the place of the groups.

    Parameters
    ----------
    command : callable
        A parameter whose default is an :class:`OptionGroup` stands for its fields, with the values
        of that default.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Size(OptionGroup):
    ...     width: int = 80
    ...     height: int = 25
    >>> def draw(what: str, size: Size = Size(height=50)) -> None:
    ...     print(what, size)
    >>> list(inspect.signature(expanded(draw)).parameters)
    ['what', 'width', 'height']
    >>> expanded(draw)(what="a line", width=60)
    a line Size(width=60, height=50)
    """
    signature = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    groups = {
        name: one.default
        for name, one in signature.parameters.items()
        if isinstance(one.default, OptionGroup)
    }
    listed: list[inspect.Parameter] = []
    for name, one in signature.parameters.items():
        if name not in groups:
            listed.append(one.replace(annotation=hints.get(name, one.annotation)))
            continue
        group = groups[name]
        types = get_type_hints(type(group), include_extras=True)
        for field in fields(group):  # type: ignore[arg-type]
            default = getattr(group, field.name)
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            listed.append(
                inspect.Parameter(field.name, kind, default=default, annotation=types[field.name])
            )

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            known = [field.name for field in fields(group)]  # type: ignore[arg-type]
            values = {key: getattr(group, key) for key in known}
            given_here = {key: given.pop(key) for key in known if key in given}
            given[name] = type(group)(**{**values, **given_here})
        command(**given)

    run.__signature__ = signature.replace(parameters=listed)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in listed}
    return run
